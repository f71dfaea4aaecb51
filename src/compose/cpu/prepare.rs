//! Prepares layers of a draw list: finds sources, chooses mip levels, draws groups on sheets, and blurs.

use std::sync::Arc;

use rayon::prelude::*;

use super::backdrop::Glass;
use super::blur::blur;
use super::enlarged::HalfSheet;
use super::hidden::visible;
use super::paint::{Band, Look, Posed, Ready, Scratch, What, paint, posed_row};
use super::pictures::PictureStore;
use super::planar::Overlay;
use super::reach::{EVERYWHERE, common, corners, posed_reach};
use super::shape::{Ink, RoundedBox, mask_rect};
use super::sheet::{Px, Sheet};
use super::source::{Filter, Pixels, View};
use crate::compose::Pictures;
use crate::compose::cache::Lru;
use crate::compose::sampling::{
    BlurPlan, Extent, SampledMap, blur_plan, sampled_maps, sheet_bounds,
};
use crate::compose::shutter::{Fineness, Window, halved};
use crate::error::Result;
use crate::scene::draw::*;
use crate::text::Fonts;
use crate::units::{PixelRect, Size};

/// Number of rows painted per task: with all their layers they fit into the core's own cache.
pub(super) const BAND_ROWS: usize = 8;

/// Memory for sheets that the current frame does not show, of groups with repeating content, bytes.
const SHEET_BYTES: usize = 16 << 20;

/// Memory for such sheets as overlays of the short way, bytes.
const OVERLAY_BYTES: usize = 16 << 20;

/// Cache key of a group's sheet.
type SheetKey = (u64, PixelRect);

/// State kept between frames.
#[derive(Debug)]
pub(super) struct Stock {
    /// Side lengths of the canvas.
    pub size: Size,
    /// Pictures with their levels.
    pub pictures: PictureStore,
    /// The rasterizer of glyph runs.
    pub fonts: Fonts,
    /// Pixel buffers of half-size sheets from earlier frames, reused because fresh memory causes a page fault per page.
    spare: Vec<Vec<Px>>,
    sheets: Lru<SheetKey, Arc<Sheet>>,
    overlays: Lru<SheetKey, Arc<Overlay>>,
}

/// Something to draw under a pose.
struct Source {
    image: Image,
    extent: Extent,
    /// Position of its px (0, 0) in the space the pose maps from.
    origin: [f64; 2],
}

/// A source's pixels before a map has chosen a level.
enum Image {
    Picture(PictureId),
    Sheet(Arc<Sheet>),
}

/// The area a layer touches, and what it paints.
type Prepared = ([i32; 4], What);

impl Stock {
    /// Creates an empty stock.
    pub fn new(size: Size, fonts: &Fonts) -> Stock {
        Stock {
            size,
            pictures: PictureStore::default(),
            fonts: fonts.clone(),
            spare: Vec::new(),
            sheets: Lru::new(SHEET_BYTES),
            overlays: Lru::new(OVERLAY_BYTES),
        }
    }

    /// Takes back the buffers of a finished frame.
    pub fn end_frame(&mut self, ready: Vec<Ready>) {
        /// Maximum number of shots visible together.
        const MOST: usize = 2;
        let sheets = ready.into_iter().filter_map(|ready| match ready.what {
            What::Enlarged(half, _) => Some(half.sheet.px),
            _ => None,
        });
        self.spare.extend(sheets);
        self.spare.truncate(MOST);
    }

    /// Sets a frame's pictures; what only earlier frames used may now be dropped.
    pub fn begin_frame(&mut self, pictures: &Pictures) -> Result<()> {
        self.sheets.begin_frame();
        self.overlays.begin_frame();
        self.pictures.sync(pictures)
    }

    /// Paints layers onto a target whose px (0, 0) lies at `origin` of the canvas. The layers that can be painted last are returned instead, to be
    /// painted (and converted) band by band.
    pub fn begin(
        &mut self,
        layers: &[Layer],
        origin: [i32; 2],
        target: &mut Target<'_>,
    ) -> Result<Vec<Ready>> {
        let mut ready = Vec::new();
        let area = target.area(origin);
        let visible = visible(layers, area, &mut self.pictures, self.size);
        for (layer, area) in layers.iter().zip(visible) {
            let opacity = layer.opacity.min(1.0);
            if opacity.is_nan() || opacity <= 0.0 || area[0] >= area[2] || area[1] >= area[3] {
                continue;
            }
            let prepared = match &layer.content {
                Content::BackdropBlur(shape, sigma) => {
                    let sheet = target.sheet();
                    paint_sheet(&ready, origin, sheet);
                    ready.clear();
                    let size = [sheet.width, sheet.height];
                    Glass::new(shape, *sigma, origin, size).map(|glass| {
                        let below = sheet.part(glass.from, glass.size);
                        glass.over(below, 0, origin)
                    })
                }
                content => self.prepare(content, area)?,
            };
            ready.extend(prepared.and_then(|(reach, what)| {
                Some(Ready {
                    reach: common(reach, area)?,
                    opacity,
                    blend: layer.blend,
                    what,
                })
            }));
        }
        Ok(ready)
    }

    fn prepare(&mut self, content: &Content, area: [i32; 4]) -> Result<Option<Prepared>> {
        Ok(match content {
            Content::Picture(id, pose) => {
                let source = Source {
                    extent: Extent::whole(self.pictures.size(*id)?),
                    image: Image::Picture(*id),
                    origin: [0.0; 2],
                };
                self.posed(source, (pose, Fineness::of(pose, self.size)), area)?
            }
            Content::Fill(color) => Some((EVERYWHERE, What::Fill(color.premultiplied()))),
            Content::Box(shape) => {
                RoundedBox::new(shape).map(|shape| (shape.reach(), What::Box(shape)))
            }
            Content::Glyphs(run) => {
                let mask = self.fonts.rasterize(run);
                let reach = corners(mask_rect(&mask));
                Some((reach, What::Glyphs(mask, Ink::new(&run.paint))))
            }
            Content::Group(group) => self.group(group, area)?,
            // Drawn by `begin`, because it needs what lies below.
            Content::BackdropBlur(..) => None,
        })
    }

    /// Returns a group's sheet and the bounds it covers, or `None` if it lies far outside.
    pub fn group_sheet(&mut self, group: &Group) -> Result<Option<(Arc<Sheet>, PixelRect)>> {
        let Some(bounds) = sheet_bounds(group.bounds, self.size) else {
            return Ok(None);
        };
        let key = group.content.map(|content| (content, bounds));
        if let Some(sheet) = key.and_then(|key| self.sheets.get(&key)) {
            return Ok(Some((sheet, bounds)));
        }
        let sheet = Arc::new(self.draw_sheet(&group.layers, bounds)?);
        if let Some(key) = key {
            self.sheets.insert(key, sheet.clone(), sheet.n_bytes());
        }
        Ok(Some((sheet, bounds)))
    }

    /// Returns the sheet of a group that stays in place, as an overlay for the short way.
    pub fn overlay(&mut self, group: &Group) -> Result<Arc<Overlay>> {
        let key = group.content.zip(sheet_bounds(group.bounds, self.size));
        if let Some(overlay) = key.and_then(|key| self.overlays.get(&key)) {
            return Ok(overlay);
        }
        let overlay = match self.group_sheet(group)? {
            Some((sheet, bounds)) => Overlay::new(&sheet, [bounds.x, bounds.y], self.size),
            None => Overlay::default(),
        };
        let overlay = Arc::new(overlay);
        if let Some(key) = key {
            self.overlays
                .insert(key, overlay.clone(), overlay.n_bytes());
        }
        Ok(overlay)
    }

    /// Draws layers on a transparent sheet.
    pub fn draw_sheet(&mut self, layers: &[Layer], bounds: PixelRect) -> Result<Sheet> {
        let (width, height) = (bounds.width as usize, bounds.height as usize);
        let mut sheet = Sheet::filled(width, height, [0.0; 4]);
        let origin = [bounds.x, bounds.y];
        let ready = self.begin(layers, origin, &mut Target::Sheet(&mut sheet))?;
        paint_sheet(&ready, origin, &mut sheet);
        Ok(sheet)
    }

    fn group(&mut self, group: &Group, area: [i32; 4]) -> Result<Option<Prepared>> {
        let Some(bounds) = sheet_bounds(group.bounds, self.size) else {
            return Ok(None);
        };
        let fineness = Fineness::of(&group.pose, self.size);
        if let Some(window) = Window::of(group, bounds, |id| self.pictures.size(id).ok()) {
            let source = Source {
                extent: Extent {
                    size: self.pictures.size(window.picture)?,
                    window: Some(window.borders),
                },
                image: Image::Picture(window.picture),
                origin: [0.0; 2],
            };
            return self.posed(source, (&window.pose, fineness), area);
        }
        let smaller = halved(group, fineness);
        let group = smaller.as_ref().unwrap_or(group);
        let Some((sheet, bounds)) = self.group_sheet(group)? else {
            return Ok(None);
        };
        let pose = &group.pose;
        if pose.maps == [Homography::IDENTITY] && blur_plan(pose.blur_px).is_none() {
            let copied = |look| What::Copied(sheet, [bounds.x, bounds.y], look);
            return Ok(look(pose).map(|look| (corners(bounds), copied(look))));
        }
        let source = Source {
            image: Image::Sheet(sheet),
            extent: Extent::whole([bounds.width, bounds.height]),
            origin: [f64::from(bounds.x), f64::from(bounds.y)],
        };
        self.posed(source, (pose, fineness), area)
    }

    /// Prepares a source under a pose; `area` is the relevant part of the canvas.
    fn posed(
        &mut self,
        mut source: Source,
        (pose, fineness): (&Pose, Fineness),
        area: [i32; 4],
    ) -> Result<Option<Prepared>> {
        let Some(look) = look(pose) else {
            return Ok(None);
        };
        if let Some(plan) = blur_plan(pose.blur_px) {
            let margin = match pose.edge {
                Edge::Transparent => plan.margin_px,
                Edge::Clamp | Edge::Mirror => 0,
            };
            let sheet = self.blurred(&source.image, &plan, margin, pose.edge)?;
            source = Source {
                extent: Extent::whole([sheet.width as u32, sheet.height as u32]),
                image: Image::Sheet(Arc::new(sheet)),
                origin: source.origin.map(|o| o - f64::from(margin)),
            };
        }
        let maps = sampled_maps(&fineness.maps(pose), source.origin, &source.extent);
        let views = self.views(&source.image, &maps)?;
        if views.iter().all(Option::is_none) {
            return Ok(None);
        }
        let [x, y] = source.origin;
        let [left, top, right, bottom] = source.extent.borders();
        let reach = posed_reach(pose, [left + x, top + y, right + x, bottom + y]);
        let posed = Posed {
            views,
            edge: pose.edge,
            filter: match fineness {
                Fineness::Fine => Filter::CatmullRom,
                Fineness::Smooth | Fineness::Coarse => Filter::Bilinear,
            },
            look,
        };
        Ok(match fineness {
            Fineness::Fine | Fineness::Smooth => Some((reach, What::Posed(posed))),
            Fineness::Coarse => coarse(posed, reach, area, self.spare.pop()),
        })
    }

    fn blurred(
        &mut self,
        source: &Image,
        plan: &BlurPlan,
        margin: u32,
        edge: Edge,
    ) -> Result<Sheet> {
        let sheet = match source {
            Image::Picture(id) => {
                let picture = self.pictures.picture(*id)?;
                Sheet::from_rgba(&picture.rgba, picture.width as usize, margin as usize)
            }
            Image::Sheet(sheet) => sheet.with_margin(margin as usize),
        };
        Ok(blur(sheet, plan, edge))
    }

    fn views(&mut self, source: &Image, maps: &[Option<SampledMap>]) -> Result<Vec<Option<View>>> {
        let mut levels: Vec<Arc<Sheet>> = match source {
            Image::Picture(_) => Vec::new(),
            Image::Sheet(sheet) => vec![sheet.clone()],
        };
        let mut views = Vec::with_capacity(maps.len());
        for map in maps {
            let Some(map) = *map else {
                views.push(None);
                continue;
            };
            let pixels = match source {
                Image::Picture(id) => self.pictures.level(*id, map.level)?,
                Image::Sheet(_) => {
                    while levels.len() <= map.level as usize {
                        let next = levels[levels.len() - 1].half();
                        levels.push(Arc::new(next));
                    }
                    Pixels::Sheet(levels[map.level as usize].clone())
                }
            };
            views.push(Some(View { map, pixels }));
        }
        Ok(views)
    }
}

/// A target on which layers are painted.
pub(super) enum Target<'a> {
    /// A sheet with everything painted so far.
    Sheet(&'a mut Sheet),
    /// A canvas that is allocated only when it is read.
    Canvas {
        /// The canvas, once it was needed.
        sheet: &'a mut Option<Sheet>,
        /// Its size.
        size: Size,
        /// Its color before anything is painted.
        background: Px,
    },
}

impl Target<'_> {
    /// Returns the part of the canvas it shows if its px (0, 0) lies at `origin`.
    fn area(&self, [x, y]: [i32; 2]) -> [i32; 4] {
        let [width, height] = match self {
            Target::Sheet(sheet) => [sheet.width as i32, sheet.height as i32],
            Target::Canvas { size, .. } => [size.width as i32, size.height as i32],
        };
        [x, y, x + width, y + height]
    }

    fn sheet(&mut self) -> &mut Sheet {
        match self {
            Target::Sheet(sheet) => sheet,
            Target::Canvas {
                sheet,
                size,
                background,
            } => sheet.get_or_insert_with(|| {
                Sheet::filled(size.width as usize, size.height as usize, *background)
            }),
        }
    }
}

/// Paints prepared layers onto a sheet whose px (0, 0) lies at `origin` of the canvas.
pub(super) fn paint_sheet(layers: &[Ready], origin: [i32; 2], sheet: &mut Sheet) {
    let width = sheet.width;
    let bands = sheet.px.par_chunks_mut(width * BAND_ROWS).enumerate();
    bands.for_each_init(Scratch::default, |scratch, (i, px)| {
        let origin = [origin[0], origin[1] + (i * BAND_ROWS) as i32];
        paint(layers, &mut Band { px, origin, width }, scratch);
    });
}

/// Samples a posed source whose maps lead to half px; returns `None` if it lies outside the relevant area.
/// `spare` is a buffer to reuse.
fn coarse(
    posed: Posed,
    reach: [i32; 4],
    area: [i32; 4],
    spare: Option<Vec<Px>>,
) -> Option<Prepared> {
    // A border is soft over one half px and enlarged over one more.
    const SOFT_PX: i32 = 3;
    let reach = [
        reach[0].saturating_sub(SOFT_PX),
        reach[1].saturating_sub(SOFT_PX),
        reach[2].saturating_add(SOFT_PX),
        reach[3].saturating_add(SOFT_PX),
    ];
    let reach = common(reach, area)?;
    let (origin, [width, height]) = HalfSheet::span(reach);
    let mut px = spare.unwrap_or_default();
    px.resize(width * height, [0.0; 4]);
    let mut sheet = Sheet { width, height, px };
    let look = posed.look;
    let plain = Posed {
        look: Look {
            brightness: 1.0,
            wipe: None,
        },
        ..posed
    };
    let rows = sheet.px.par_chunks_mut(width).enumerate();
    rows.for_each(|(y, row)| posed_row(&plain, 1.0, [origin[0], origin[1] + y as i32], row));
    sheet.repeat_borders([0, 1, 2, 3].map(|side| reach[side] == area[side]));
    Some((reach, What::Enlarged(HalfSheet { sheet, origin }, look)))
}

fn look(pose: &Pose) -> Option<Look> {
    let numbers = pose
        .wipe
        .is_none_or(|w| w.line.iter().all(|v| v.is_finite()));
    (pose.brightness.is_finite() && numbers).then_some(Look {
        brightness: pose.brightness,
        wipe: pose.wipe,
    })
}
