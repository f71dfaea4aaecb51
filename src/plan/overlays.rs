//! Resolves overlays: positions in pixels, spans in ticks, and each overlay's layer at any instant.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::captions::{TextOverlay, text_block};
use super::pictures::{PictureTable, Wanted, pixels};
use super::places::Way;
use super::report::Report;
use super::shots::cover;
use crate::caught::working_on;
use crate::error::Problem;
use crate::facts::Facts;
use crate::scene::draw::Blend;
use crate::scene::draw::{
    BoxShape, Content, Group, Homography, Known, Layer, LayerId, Paint, PictureId, Pose,
};
use crate::text::Fonts;
use crate::timeline::{self, Draw, Fit, Place};
use crate::units::{FrameRate, PixelRect, Rect, Size, Time, within};

/// Maximum nesting depth of groups.
const MAX_DEPTH: usize = 16;
/// First id of overlays; shot ids start at 0.
const FIRST_ID: u32 = 1_000_000;

fn blend_of(written: timeline::Blend) -> Blend {
    match written {
        timeline::Blend::Normal => Blend::Normal,
        timeline::Blend::Multiply => Blend::Multiply,
        timeline::Blend::Screen => Blend::Screen,
        timeline::Blend::Add => Blend::Add,
    }
}

/// A resolved overlay.
#[derive(Clone, Debug)]
pub(crate) struct Overlay {
    id: LayerId,
    from: Time,
    to: Time,
    opacity: f32,
    fade_in: Time,
    fade_out: Time,
    blend: Blend,
    bounds: PixelRect,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// Something that never changes.
    Fixed(Box<Content>),
    /// A picture that moves around a point of the canvas.
    Moving(Box<Moving>),
    /// Laid-out text, which is its own sheet.
    Text(TextOverlay),
    /// Layers blended as one.
    Group(Vec<Overlay>),
}

/// A moving picture.
#[derive(Clone, Debug)]
struct Moving {
    picture: PictureId,
    /// Map from picture pixels to canvas pixels at rest.
    map: Homography,
    /// Center of scaling and rotation, in canvas pixels.
    center: (f64, f64),
    way: Way,
}

impl Moving {
    fn content(&self, t: Time) -> Content {
        let map = self.way.map(t, self.center).after(self.map);
        Content::Picture(self.picture, Pose::at(map))
    }
}

/// Context shared by all overlays during resolution.
pub(crate) struct Scope<'a> {
    pub facts: &'a Facts,
    pub fonts: &'a Fonts,
    pub size: Size,
    pub rate: FrameRate,
    pub end: Time,
}

/// Resolves overlays, back to front.
pub(crate) fn resolve(
    layers: &[timeline::Layer],
    scope: &Scope,
    table: &mut PictureTable,
    report: &mut Report,
) -> Vec<Overlay> {
    let mut next_id = FIRST_ID;
    resolve_list(
        layers,
        "layers",
        &mut Builder {
            scope,
            table,
            report,
            next_id: &mut next_id,
            depth: 0,
        },
    )
}

struct Builder<'a, 'r> {
    scope: &'a Scope<'a>,
    table: &'r mut PictureTable,
    report: &'r mut Report,
    next_id: &'r mut u32,
    depth: usize,
}

fn resolve_list(layers: &[timeline::Layer], path: &str, builder: &mut Builder) -> Vec<Overlay> {
    let is_outermost = builder.depth == 0;
    let resolve = |(i, layer)| {
        let _part = is_outermost.then(|| working_on("layers", i));
        resolve_one(layer, &format!("{path}[{i}]"), builder)
    };
    layers.iter().enumerate().filter_map(resolve).collect()
}

fn resolve_one(layer: &timeline::Layer, path: &str, builder: &mut Builder) -> Option<Overlay> {
    let (report, end) = (&mut *builder.report, builder.scope.end);
    let n_problems = report.problems.len();
    let from = report.time(&format!("{path}.start"), layer.start, 0.0..=3600.0);
    let to = layer.end.map_or(end, |secs| {
        report.time(&format!("{path}.end"), secs, 0.0..=3600.0)
    });
    if to <= from && report.problems.len() == n_problems {
        // A layer without an end lasts as long as the video, so its start is at fault.
        let field = if layer.end.is_some() { "end" } else { "start" };
        let problem = Problem::new(
            "empty_span",
            format!("{path}.{field}"),
            format!("the layer ends at {to}, which is not after its start at {from}"),
        );
        report.problem(problem);
    }
    let opacity = report.number(&format!("{path}.opacity"), layer.opacity, 0.0..=1.0, "") as f32;
    let fade_in = report.time(&format!("{path}.fade_in"), layer.fade_in, 0.0..=30.0);
    let fade_out = report.time(&format!("{path}.fade_out"), layer.fade_out, 0.0..=30.0);
    let id = LayerId(*builder.next_id);
    *builder.next_id += 1;
    let (bounds, what) = resolve_draw(&layer.draw, path, (from, to), builder)?;
    Some(Overlay {
        id,
        from,
        to,
        opacity,
        fade_in,
        fade_out,
        blend: blend_of(layer.blend),
        bounds,
        what,
    })
}

fn resolve_draw(
    draw: &Draw,
    path: &str,
    span: (Time, Time),
    builder: &mut Builder,
) -> Option<(PixelRect, What)> {
    match draw {
        Draw::Picture(picture) => {
            resolve_picture(picture, &format!("{path}.draw.picture"), span, builder)
        }
        Draw::Box(shape) => resolve_box(shape, &format!("{path}.draw.box"), builder),
        Draw::Text(text) => {
            let (scope, path) = (builder.scope, format!("{path}.draw.text"));
            let text = text_block(text, &path, scope.size, scope.fonts, builder.report)?;
            Some((whole(scope.size), What::Text(text)))
        }
        Draw::Group(group) => {
            let path = format!("{path}.draw.group.layers");
            if builder.depth >= MAX_DEPTH {
                let message = format!("groups are nested more than {MAX_DEPTH} deep");
                builder
                    .report
                    .problem(Problem::new("too_deep", path, message));
                return None;
            }
            builder.depth += 1;
            let layers = resolve_list(&group.layers, &path, builder);
            builder.depth -= 1;
            let bounds = layers.iter().map(|layer| layer.bounds).reduce(union)?;
            Some((bounds, What::Group(layers)))
        }
    }
}

fn resolve_box(
    shape: &timeline::BoxDraw,
    path: &str,
    builder: &mut Builder,
) -> Option<(PixelRect, What)> {
    let whole = Place {
        height: Some(shape.place.height.unwrap_or(1.0)),
        ..shape.place.clone()
    };
    let frame = place(&whole, &format!("{path}.place"), 1.0, builder);
    let unit = f64::from(builder.scope.size.width.min(builder.scope.size.height)) / 1080.0;
    let radius =
        builder
            .report
            .number(&format!("{path}.radius"), shape.radius, 0.0..=2000.0, " px")
            * unit;
    let color = builder.report.color(&format!("{path}.color"), &shape.color);
    let rect = Rect {
        x: (frame.center.0 - frame.width / 2.0) as f32,
        y: (frame.center.1 - frame.height / 2.0) as f32,
        width: frame.width as f32,
        height: frame.height as f32,
    };
    let radius = (radius as f32).min(rect.width.min(rect.height) / 2.0);
    let shape = BoxShape {
        rect,
        radius,
        rotate: frame.rotate as f32,
        paint: Paint::Solid(color),
        border: None,
        blur_px: 0.0,
    };
    Some((
        frame.bounds(builder.scope.size)?,
        What::Fixed(Box::new(Content::Box(shape))),
    ))
}

fn resolve_picture(
    draw: &timeline::PictureDraw,
    path: &str,
    span: (Time, Time),
    builder: &mut Builder,
) -> Option<(PixelRect, What)> {
    let scope = builder.scope;
    let facts = scope.facts.pictures.get(&draw.picture);
    let source = facts.map_or((1.0, 1.0), |f| (f64::from(f.width), f64::from(f.height)));
    let mut frame = place(
        &draw.place,
        &format!("{path}.place"),
        source.1 / source.0,
        builder,
    );
    facts?;
    let crop = match draw.fit {
        Fit::Cover => cover(source, (frame.width, frame.height), [0.5, 0.5]),
        Fit::Contain => {
            let scale = (frame.width / source.0).min(frame.height / source.1);
            (frame.width, frame.height) = (source.0 * scale, source.1 * scale);
            [0.0, 0.0, source.0, source.1]
        }
    };
    let way = Way::resolve(&draw.keys, path, scope.size, builder.report);
    // A growing picture is kept at its largest size on the path, but not above its source size.
    let room = (source.0 / frame.width).max(1.0);
    let far = way.as_ref().map_or(1.0, Way::largest).min(room);
    let ((width, height), shrink) = pixels((frame.width * far, frame.height * far));
    let frames = (
        scope.rate.frame_at_or_after(span.0),
        scope.rate.frame_at_or_after(span.1),
    );
    let (asset, path) = (&draw.picture, format!("{path}.picture"));
    let picture = builder.table.add(Wanted {
        asset,
        path,
        crop,
        width,
        height,
        blur_px: 0.0,
        brightness: 1.0,
        frames,
    });
    let is_as_it_is = way.is_none() && shrink == 1.0;
    let map = frame.map((width, height), far * shrink, is_as_it_is);
    Some(match way {
        None => (
            frame.bounds(scope.size)?,
            What::Fixed(Box::new(Content::Picture(picture, Pose::at(map)))),
        ),
        Some(way) => (
            whole(scope.size),
            What::Moving(Box::new(Moving {
                picture,
                map,
                center: frame.center,
                way,
            })),
        ),
    })
}

/// A position in canvas pixels.
struct Placed {
    center: (f64, f64),
    width: f64,
    height: f64,
    /// Rotation in radians.
    rotate: f64,
}

fn place(place: &Place, path: &str, shape: f64, builder: &mut Builder) -> Placed {
    let canvas = (
        f64::from(builder.scope.size.width),
        f64::from(builder.scope.size.height),
    );
    let report = &mut *builder.report;
    let x = report.number(&format!("{path}.x"), place.x, -1.0..=2.0, "");
    let y = report.number(&format!("{path}.y"), place.y, -1.0..=2.0, "");
    let width = report.number(&format!("{path}.width"), place.width, 0.001..=4.0, "") * canvas.0;
    let height = match place.height {
        Some(height) => {
            report.number(&format!("{path}.height"), height, 0.001..=4.0, "") * canvas.1
        }
        None => (width * shape).min(4.0 * canvas.1),
    };
    let rotate = report
        .number(
            &format!("{path}.rotate"),
            place.rotate,
            -3600.0..=3600.0,
            "°",
        )
        .to_radians();
    Placed {
        center: (x * canvas.0, y * canvas.1),
        width,
        height,
        rotate,
    }
}

impl Placed {
    /// Returns the map of a picture of `size` px, `far` times as large as its box, onto the canvas. A static, unrotated one is aligned to whole pixels,
    /// so that it is copied rather than resampled.
    fn map(&self, size: (u32, u32), far: f64, stands: bool) -> Homography {
        let half = (f64::from(size.0) / 2.0, f64::from(size.1) / 2.0);
        if self.rotate == 0.0 && stands {
            return Homography::shift(
                (self.center.0 - half.0).round(),
                (self.center.1 - half.1).round(),
            );
        }
        Homography::shift(self.center.0, self.center.1)
            .after(Homography::turn(self.rotate))
            .after(Homography::scale_shift(1.0 / far, 1.0 / far, 0.0, 0.0))
            .after(Homography::shift(-half.0, -half.1))
    }

    /// Returns the pixels it may touch inside the canvas, or `None` if there are none.
    fn bounds(&self, canvas: Size) -> Option<PixelRect> {
        let (s, c) = self.rotate.sin_cos();
        let half_w = (self.width * c.abs() + self.height * s.abs()) / 2.0 + 2.0;
        let half_h = (self.width * s.abs() + self.height * c.abs()) / 2.0 + 2.0;
        let clip = |center: f64, half: f64, side: u32| {
            let low = within((center - half).floor(), 0.0, f64::from(side));
            (
                low as i32,
                (within((center + half).ceil(), low, f64::from(side)) - low) as u32,
            )
        };
        let (x, width) = clip(self.center.0, half_w, canvas.width);
        let (y, height) = clip(self.center.1, half_h, canvas.height);
        (width > 0 && height > 0).then_some(PixelRect {
            x,
            y,
            width,
            height,
        })
    }
}

fn whole(canvas: Size) -> PixelRect {
    PixelRect {
        x: 0,
        y: 0,
        width: canvas.width,
        height: canvas.height,
    }
}

fn union(a: PixelRect, b: PixelRect) -> PixelRect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    let right = (a.x + a.width as i32).max(b.x + b.width as i32);
    let bottom = (a.y + a.height as i32).max(b.y + b.height as i32);
    PixelRect {
        x,
        y,
        width: (right - x) as u32,
        height: (bottom - y) as u32,
    }
}

impl Overlay {
    /// Returns the layer at an instant, or `None` if nothing of it is visible.
    pub fn layer(&self, t: Time) -> Option<Layer> {
        let opacity = self.opacity * self.fade(t);
        if opacity <= 0.0 {
            return None;
        }
        let layers = match &self.what {
            What::Fixed(content) => {
                vec![Layer {
                    id: self.id,
                    known: Known::New,
                    opacity: 1.0,
                    blend: Blend::Normal,
                    content: (**content).clone(),
                }]
            }
            What::Moving(moving) => {
                return Some(Layer {
                    id: self.id,
                    known: Known::New,
                    opacity,
                    blend: self.blend,
                    content: moving.content(t - self.from),
                });
            }
            What::Text(text) => {
                return Some(Layer {
                    opacity,
                    blend: self.blend,
                    ..text.layer(self.id)
                });
            }
            What::Group(layers) => layers.iter().filter_map(|layer| layer.layer(t)).collect(),
        };
        let group = Group {
            content: Some(self.key(&layers)),
            bounds: self.bounds,
            pose: Pose::at(Homography::IDENTITY),
            layers,
        };
        Some(Layer {
            id: self.id,
            known: Known::New,
            opacity,
            blend: self.blend,
            content: Content::Group(group),
        })
    }

    /// Returns a key that is equal for equal sheets: the children present, their opacity, and the positions of moving ones.
    fn key(&self, layers: &[Layer]) -> u64 {
        let mut hasher = DefaultHasher::new();
        ("overlay", self.id.0).hash(&mut hasher);
        for layer in layers {
            (layer.id.0, layer.opacity.to_bits()).hash(&mut hasher);
            match &layer.content {
                Content::Group(group) => group.content.hash(&mut hasher),
                Content::Picture(_, pose) => {
                    let maps = pose.maps.iter();
                    maps.for_each(|map| map.0.map(f64::to_bits).hash(&mut hasher));
                }
                _ => {}
            }
        }
        hasher.finish()
    }

    fn fade(&self, t: Time) -> f32 {
        if t < self.from || t >= self.to {
            return 0.0;
        }
        let rise = t.progress_in(self.from, self.from + self.fade_in);
        let fall = if self.fade_out == Time::ZERO {
            1.0
        } else {
            1.0 - t.progress_in(self.to - self.fade_out, self.to)
        };
        rise.min(fall) as f32
    }
}
