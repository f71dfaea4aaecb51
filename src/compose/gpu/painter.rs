//! Turns draw lists into passes: first the sheets, then what is drawn with them; one pass per target unless something must be read in between.

use std::sync::Arc;

use bytemuck::Pod;

use super::caches::{GroupCache, MaskCache};
use super::device::Gpu;
use super::params::{Mode, Params, Placed};
use super::passes::{Draw, Pass, Target};
use super::pictures::PictureCache;
use super::pipelines::{Kind, Mix, Pipelines};
use super::sample::SampleParams;
use super::sheets::{Sheet, Sheets};
use super::{sample, shape};
use crate::compose::Pictures;
use crate::compose::sampling::{Extent, blur_plan, sampled_maps, sheet_bounds};
use crate::compose::shutter::{Fineness, Window, halved};
use crate::error::{Error, ErrorKind, Result};
use crate::scene::draw::{BoxShape, Content, DrawList, Edge, Group, Layer, PictureId, Pose};
use crate::units::{Color, Rect, Size};

/// Something to draw under a pose.
struct Source {
    sheet: Sheet,
    extent: Extent,
    /// Position of its px (0, 0) in the space the pose maps from.
    origin: [f64; 2],
}

// ---- long-lived

/// The device and everything stored on it.
#[derive(Debug)]
pub(super) struct Painter {
    pub gpu: Gpu,
    pub sheets: Sheets,
    params: Params,
    pipelines: Pipelines,
    pictures: PictureCache,
    pub masks: MaskCache,
    groups: GroupCache,
    /// Bind group 1 of draws that read no texture.
    no_textures: wgpu::BindGroup,
    /// Side lengths of the canvas.
    canvas: Size,
    /// Passes of the frame so far, in order.
    pub passes: Vec<Pass>,
}

impl Painter {
    /// Creates a painter that owns an open device.
    pub fn new(gpu: Gpu, fonts: &crate::text::Fonts, canvas: Size) -> Painter {
        let params = Params::new(&gpu);
        let sheets = Sheets::new(&gpu);
        Painter {
            pipelines: Pipelines::new(&gpu, params.layout(), sheets.layout()),
            no_textures: sheets.bind(&gpu, sheets.blank(), sheets.blank()),
            params,
            sheets,
            pictures: PictureCache::default(),
            masks: MaskCache::new(fonts),
            groups: GroupCache::new(),
            canvas,
            passes: Vec::new(),
            gpu,
        }
    }

    /// Records the passes that draw a frame on `canvas`.
    pub fn paint(
        &mut self,
        list: &DrawList,
        pictures: &Pictures,
        canvas: &Sheet,
    ) -> Result<wgpu::CommandEncoder> {
        self.params.clear();
        self.passes.clear();
        self.masks.begin_frame();
        self.groups.begin_frame();
        self.pictures.keep_only(pictures);
        let background = [list.background.r, list.background.g, list.background.b, 1.0];
        let target = Target {
            pass: Pass::cleared(canvas, background),
            sheet: canvas.clone(),
            origin: [0, 0],
            opaque: true,
        };
        let planned = self.layers(target, &list.layers, pictures);
        self.sheets.end_frame();
        if let Err(e) = planned {
            // Cached sheets may belong to passes that will never run.
            self.groups = GroupCache::new();
            return Err(e);
        }
        self.params.upload(&self.gpu);
        let mut encoder = self
            .gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for pass in &self.passes {
            pass.record(&mut encoder, self.params.bind());
        }
        Ok(encoder)
    }

    fn layers(&mut self, mut target: Target, layers: &[Layer], pictures: &Pictures) -> Result<()> {
        for layer in layers {
            // NaN opacity is not visible either.
            let visible = layer.opacity > 0.0;
            if !visible {
                continue;
            }
            match &layer.content {
                Content::Picture(id, pose) => {
                    self.picture(&mut target, layer, (*id, pose), pictures)?
                }
                Content::Fill(color) => self.fill(&mut target, layer, *color),
                Content::Box(shape) => self.shape(&mut target, layer, shape),
                Content::Glyphs(run) => {
                    if let Some(mask) = self.masks.get(&self.gpu, &self.sheets, run)? {
                        let area = Rect {
                            x: mask.area.x as f32,
                            y: mask.area.y as f32,
                            width: mask.area.width as f32,
                            height: mask.area.height as f32,
                        };
                        let params = shape::glyphs(&run.paint, &mask);
                        self.draw(
                            &mut target,
                            layer,
                            (Kind::Glyphs, &mask.bind, Some(area)),
                            params,
                        );
                    }
                }
                Content::BackdropBlur(shape, sigma_px) => {
                    self.frost(&mut target, layer, shape, *sigma_px)?
                }
                Content::Group(group) => self.group(&mut target, layer, group, pictures)?,
            }
        }
        self.passes.push(target.pass);
        Ok(())
    }

    /// Adds a draw to a pass.
    pub(super) fn add<T: Pod>(
        &mut self,
        pass: &mut Pass,
        (kind, mix): (Kind, Mix),
        textures: &wgpu::BindGroup,
        params: &T,
    ) {
        pass.draws.push(Draw {
            pipeline: self.pipelines.get(&self.gpu, kind, mix),
            textures: textures.clone(),
            params: self.params.push(params),
        });
    }

    /// Draws a layer's content with its blend inside `rect` of the canvas.
    fn draw<T: Placed>(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        (kind, textures, rect): (Kind, &wgpu::BindGroup, Option<Rect>),
        params: T,
    ) {
        let Some(rect) = target.clip(rect) else {
            return;
        };
        for &(mix, mode) in Mix::of(layer.blend, target.opaque) {
            let place = target.place(rect, layer.opacity, mode);
            self.add(&mut target.pass, (kind, mix), textures, &params.at(place));
        }
    }

    fn fill(&mut self, target: &mut Target, layer: &Layer, color: Color) {
        let params = shape::fill(color);
        let textures = self.no_textures.clone();
        self.draw(target, layer, (Kind::Fill, &textures, None), params);
    }

    fn shape(&mut self, target: &mut Target, layer: &Layer, shape: &BoxShape) {
        let params = shape::shape(shape);
        let textures = self.no_textures.clone();
        let rect = Some(shape::reach(shape));
        self.draw(target, layer, (Kind::Shape, &textures, rect), params);
    }

    fn picture(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        (id, pose): (PictureId, &Pose),
        pictures: &Pictures,
    ) -> Result<()> {
        let fineness = Fineness::of(pose, self.canvas);
        self.seen(target, layer, (id, None, pose, fineness), pictures)
    }

    /// Draws a picture, or a window into it, under a pose.
    fn seen(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        (id, window, pose, fineness): (PictureId, Option<[f64; 4]>, &Pose, Fineness),
        pictures: &Pictures,
    ) -> Result<()> {
        let picture = Arc::clone(pictures.get(&id).ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                format!("picture {} was not loaded", id.0),
            )
        })?);
        let extent = Extent {
            size: [picture.width, picture.height],
            window,
        };
        let last_level = if blur_plan(pose.blur_px).is_some() {
            0
        } else {
            sampled_maps(&fineness.maps(pose), [0.0; 2], &extent)
                .iter()
                .flatten()
                .map(|m| m.level)
                .max()
                .unwrap_or(0)
        };
        let sheet = self
            .pictures
            .get(&self.gpu, &self.sheets, (id, &picture), last_level)?;
        let source = Source {
            sheet,
            extent,
            origin: [0.0; 2],
        };
        self.posed(target, layer, source, (pose, fineness))
    }

    /// Draws a source under a pose.
    fn posed(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        mut source: Source,
        (pose, fineness): (&Pose, Fineness),
    ) -> Result<()> {
        if let Some(plan) = blur_plan(pose.blur_px) {
            let (sheet, margin) = self.blurred(&source.sheet, pose.edge, &plan)?;
            source = Source {
                extent: Extent::whole(sheet.size()),
                sheet,
                origin: source.origin.map(|v| v - f64::from(margin)),
            };
        }
        let maps = sampled_maps(&fineness.maps(pose), source.origin, &source.extent);
        let last_level = maps.iter().flatten().map(|m| m.level).max().unwrap_or(0);
        let sheet = self.with_levels(source.sheet, last_level)?;
        let Some(params) = sample::params(pose, fineness, &maps, &sheet) else {
            return Ok(());
        };
        let [x, y] = source.origin;
        let [left, top, right, bottom] = source.extent.borders();
        let borders = [left + x, top + y, right + x, bottom + y];
        if fineness == Fineness::Coarse {
            let (params, half) = self.half_size(target, &sheet, pose, params)?;
            let rect = sample::reach(pose, borders, 2.0 * sample::FEATHER_PX);
            self.draw(target, layer, (Kind::Sample, &half.bind, rect), params);
        } else {
            let rect = sample::reach(pose, borders, sample::FEATHER_PX);
            self.draw(target, layer, (Kind::Sample, &sheet.bind, rect), params);
        }
        Ok(())
    }

    /// Samples a whole target at half size; returns the parameters that enlarge the result.
    fn half_size(
        &mut self,
        target: &Target,
        source: &Sheet,
        pose: &Pose,
        params: SampleParams,
    ) -> Result<(SampleParams, Sheet)> {
        let [x, y] = target.origin;
        let [width, height] = target.sheet.size();
        // Half px that the target touches; beyond them the border px are repeated.
        let origin = [x, y].map(|v| v.div_euclid(2));
        let n = |low: i32, length: u32| ((low.rem_euclid(2) as u32 + length).div_ceil(2)).max(1);
        let half = self
            .sheets
            .take_plain(&self.gpu, [n(x, width), n(y, height)])?;
        let inner = Target {
            pass: Pass::cleared(&half, [0.0; 4]),
            sheet: half.clone(),
            origin,
            opaque: false,
        };
        let all = inner.clip(None).expect("a target has pixels");
        let params = SampleParams {
            wipe: [0.0, 0.0, -1.0, 0.0],
            brightness: 1.0,
            place: inner.place(all, 1.0, Mode::Plain),
            ..params
        };
        let mut pass = inner.pass;
        self.add(
            &mut pass,
            (Kind::Sample, Mix::Replace),
            &source.bind,
            &params,
        );
        self.passes.push(pass);
        Ok((sample::enlarged(pose, origin, &half), half))
    }

    fn group(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        group: &Group,
        pictures: &Pictures,
    ) -> Result<()> {
        let fineness = Fineness::of(&group.pose, self.canvas);
        let size_of = |id| pictures.get(&id).map(|p| [p.width, p.height]);
        if let Some(bounds) = sheet_bounds(group.bounds, self.canvas)
            && let Some(window) = Window::of(group, bounds, size_of)
        {
            let seen = (window.picture, Some(window.borders), &window.pose, fineness);
            return self.seen(target, layer, seen, pictures);
        }
        let smaller = halved(group, fineness);
        let group = smaller.as_ref().unwrap_or(group);
        let bounds = group.bounds;
        if bounds.width == 0 || bounds.height == 0 {
            return Ok(());
        }
        let size = [bounds.width, bounds.height];
        let kept = group
            .content
            .and_then(|content| self.groups.get(content, bounds));
        let sheet = match kept {
            Some(sheet) => sheet,
            None => {
                let sheet = match group.content {
                    Some(_) => {
                        let levels = vec![[0, 0, size[0] as i32, size[1] as i32]];
                        self.sheets.create(&self.gpu, size, levels)?
                    }
                    None => self.sheets.take_plain(&self.gpu, size)?,
                };
                let mark = self.sheets.mark();
                let inner = Target {
                    pass: Pass::cleared(&sheet, [0.0; 4]),
                    sheet: sheet.clone(),
                    origin: [bounds.x, bounds.y],
                    opaque: false,
                };
                self.layers(inner, &group.layers, pictures)?;
                self.sheets.release(mark, None);
                if let Some(content) = group.content {
                    self.groups.insert(content, bounds, sheet.clone());
                }
                sheet
            }
        };
        let source = Source {
            extent: Extent::whole(sheet.size()),
            sheet,
            origin: [f64::from(bounds.x), f64::from(bounds.y)],
        };
        self.posed(target, layer, source, (&group.pose, fineness))
    }

    /// Blurs the backdrop inside a box, then draws the box.
    fn frost(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        shape: &BoxShape,
        sigma_px: f32,
    ) -> Result<()> {
        if let Some(plan) = blur_plan(sigma_px)
            && let Some(rect) = target.clip(Some(shape::reach(shape)))
        {
            let next = Pass::continued(&target.sheet);
            self.passes.push(std::mem::replace(&mut target.pass, next));
            let (blurred, _) = self.blurred(&target.sheet, Edge::Clamp, &plan)?;
            let params = shape::shape(shape);
            for (mix, mode) in [(Mix::Fade, Mode::Alpha), (Mix::Add, Mode::Plain)] {
                let place = target.place(rect, layer.opacity, mode);
                self.add(
                    &mut target.pass,
                    (Kind::Frost, mix),
                    &blurred.bind,
                    &params.at(place),
                );
            }
        }
        self.shape(target, layer, shape);
        Ok(())
    }
}
