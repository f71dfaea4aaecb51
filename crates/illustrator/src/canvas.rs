//! The sheets a picture is painted on: one sheet for everything, or one for each layer, wider than the frame by a margin.

use rayon::prelude::*;
use tiny_skia::{
    FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Pixmap,
    PixmapPaint, Point, PremultipliedColorU8, RadialGradient, Shader, SpreadMode, Stroke,
    Transform,
};

use crate::color::Color;
use crate::noise::grain;

/// A finished sheet of a layered picture.
pub(crate) struct Sheet {
    pub name: &'static str,
    pub depth: f32,
    pub pixmap: Pixmap,
}

/// Where shapes are drawn, in pixels of the frame: (0, 0) is the frame's corner, the margin lies outside.
pub(crate) struct Canvas {
    /// The frame's width, px.
    pub w: f32,
    /// The frame's height, px.
    pub h: f32,
    /// A thousandth of the frame's mean side, px: the unit of strokes and grains.
    pub u: f32,
    /// How far the sheets reach beyond the frame, px.
    pub margin: f32,
    /// All finished sheets; in a flat picture, everything.
    base: Pixmap,
    /// The current sheet of a layered picture.
    sheet: Option<Sheet>,
    done: Vec<Sheet>,
}

/// How a shape is filled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ink {
    /// One color and its opacity.
    Flat(Color, f32),
    /// A gradient from one point to another, each with a color and an opacity.
    Blend {
        from: (f32, f32),
        to: (f32, f32),
        colors: [Color; 2],
        alphas: [f32; 2],
    },
    /// Opaque at the center, transparent at the radius.
    Glow {
        center: (f32, f32),
        radius: f32,
        color: Color,
        alpha: f32,
    },
}

impl Ink {
    fn shader(self) -> Shader<'static> {
        let id = Transform::identity();
        let point = |p: (f32, f32)| Point::from_xy(p.0, p.1);
        match self {
            Ink::Flat(color, alpha) => Shader::SolidColor(color.with_alpha(alpha)),
            Ink::Blend {
                from,
                to,
                colors,
                alphas,
            } => LinearGradient::new(
                point(from),
                point(to),
                vec![
                    GradientStop::new(0.0, colors[0].with_alpha(alphas[0])),
                    GradientStop::new(1.0, colors[1].with_alpha(alphas[1])),
                ],
                SpreadMode::Pad,
                id,
            )
            .unwrap_or(Shader::SolidColor(colors[0].with_alpha(alphas[0]))),
            Ink::Glow {
                center,
                radius,
                color,
                alpha,
            } => RadialGradient::new(
                point(center),
                point(center),
                radius.max(0.5),
                (0..6)
                    .map(|i| {
                        let t = i as f32 / 5.0;
                        let k = (1.0 - t) * (1.0 - t) * (1.0 + 0.6 * t);
                        GradientStop::new(t, color.with_alpha(alpha * k))
                    })
                    .collect(),
                SpreadMode::Pad,
                id,
            )
            .unwrap_or(Shader::SolidColor(color.with_alpha(0.0))),
        }
    }
}

impl Canvas {
    /// Creates a canvas of one sheet, or of many sheets that reach `margin` px beyond the frame.
    pub fn new(width: u32, height: u32, margin: Option<u32>) -> Canvas {
        let extra = 2 * margin.unwrap_or(0);
        let base = Pixmap::new((width + extra).max(1), (height + extra).max(1))
            .expect("sides are between 1 and a few thousand px");
        let mut canvas = Canvas {
            w: width as f32,
            h: height as f32,
            u: (width as f32 * height as f32).sqrt() / 1000.0,
            margin: margin.unwrap_or(0) as f32,
            base,
            sheet: None,
            done: Vec::new(),
        };
        if margin.is_some() {
            canvas.sheet = Some(canvas.blank("sky", 0.0));
        }
        canvas
    }

    fn blank(&self, name: &'static str, depth: f32) -> Sheet {
        Sheet {
            name,
            depth,
            pixmap: Pixmap::new(self.base.width(), self.base.height())
                .expect("as large as one that exists"),
        }
    }

    /// Returns whether layers are kept apart, so that hidden parts must be painted too.
    pub fn is_layered(&self) -> bool {
        self.sheet.is_some()
    }

    /// Starts a new sheet for what follows; `depth` is 0 (far) to 1 (near).
    pub fn layer(&mut self, name: &'static str, depth: f32) {
        let next = self.blank(name, depth);
        if let Some(sheet) = self.sheet.replace(next) {
            lay(&mut self.base, &sheet.pixmap);
            self.done.push(sheet);
        } else {
            self.sheet = None;
        }
    }

    /// Returns the finished sheets, back to front; a flat canvas gives one.
    pub fn finish(mut self) -> Vec<Sheet> {
        match self.sheet.take() {
            Some(sheet) => {
                self.done.push(sheet);
                self.done
            }
            None => vec![Sheet {
                name: "all",
                depth: 0.0,
                pixmap: self.base,
            }],
        }
    }

    fn target(&mut self) -> &mut Pixmap {
        match &mut self.sheet {
            Some(sheet) => &mut sheet.pixmap,
            None => &mut self.base,
        }
    }

    fn paint(ink: Ink) -> Paint<'static> {
        Paint {
            shader: ink.shader(),
            anti_alias: true,
            ..Paint::default()
        }
    }

    /// Fills a path.
    pub fn fill(&mut self, path: &Path, ink: Ink) {
        let at = Transform::from_translate(self.margin, self.margin);
        self.target()
            .fill_path(path, &Canvas::paint(ink), FillRule::Winding, at, None);
    }

    /// Strokes a path with round ends; `width` in px.
    pub fn stroke(&mut self, path: &Path, width: f32, ink: Ink) {
        let at = Transform::from_translate(self.margin, self.margin);
        let stroke = Stroke {
            width: width.max(0.05),
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        self.target()
            .stroke_path(path, &Canvas::paint(ink), &stroke, at, None);
    }

    /// Fills a polygon.
    pub fn polygon(&mut self, points: &[(f32, f32)], ink: Ink) {
        if let Some(path) = polygon(points) {
            self.fill(&path, ink);
        }
    }

    /// Fills an ellipse around a center.
    pub fn ellipse(&mut self, center: (f32, f32), radii: (f32, f32), ink: Ink) {
        let rect = tiny_skia::Rect::from_xywh(
            center.0 - radii.0,
            center.1 - radii.1,
            radii.0 * 2.0,
            radii.1 * 2.0,
        );
        if let Some(path) = rect.and_then(PathBuilder::from_oval) {
            self.fill(&path, ink);
        }
    }

    /// Fills a rectangle.
    pub fn rect(&mut self, corner: (f32, f32), size: (f32, f32), ink: Ink) {
        if let Some(rect) = tiny_skia::Rect::from_xywh(corner.0, corner.1, size.0, size.1) {
            self.fill(&PathBuilder::from_rect(rect), ink);
        }
    }

    /// Paints a soft light around a point.
    pub fn glow(&mut self, center: (f32, f32), radius: f32, color: Color, alpha: f32) {
        let ink = Ink::Glow {
            center,
            radius,
            color,
            alpha,
        };
        self.ellipse(center, (radius, radius), ink);
    }

    /// Colors the pixels of rows `from` to `to` (frame px) one by one. The closure gets a pixel's center and returns color and opacity. Dithered against
    /// banding.
    pub fn wash(
        &mut self,
        from: f32,
        to: f32,
        color: impl Fn(f32, f32) -> (Color, f32) + Send + Sync,
    ) {
        let margin = self.margin;
        let target = self.target();
        let width = target.width() as usize;
        let n_rows = target.height() as usize;
        let first = (from + margin).max(0.0) as usize;
        let last = ((to + margin).ceil().max(0.0) as usize).min(n_rows);
        if first >= last {
            return;
        }
        let noise = grain();
        target.pixels_mut()[first * width..last * width]
            .par_chunks_mut(width)
            .enumerate()
            .for_each(|(i, row)| {
                let y = (first + i) as f32 + 0.5 - margin;
                for (x, pixel) in row.iter_mut().enumerate() {
                    let (c, alpha) = color(x as f32 + 0.5 - margin, y);
                    if alpha > 0.001 {
                        let dither = noise.at(x as i32, (first + i) as i32) * 0.5;
                        *pixel = over(*pixel, c.clamp(), alpha.min(1.0), dither);
                    }
                }
            });
    }

    /// Copies the rows above `y` as painted so far, for reflections in water.
    pub fn above(&self, y: f32) -> Mirror {
        let width = self.base.width() as usize;
        let n_rows = ((y + self.margin).max(1.0) as usize).min(self.base.height() as usize);
        Mirror {
            width: width as i32,
            n_rows: n_rows as i32,
            margin: self.margin,
            pixels: self.base.pixels()[..n_rows * width].to_vec(),
        }
    }
}

/// A copy of the picture above a line.
pub(crate) struct Mirror {
    width: i32,
    n_rows: i32,
    margin: f32,
    pixels: Vec<PremultipliedColorU8>,
}

impl Mirror {
    /// Returns the color at a point of the frame; outside, the nearest one.
    pub fn at(&self, x: f32, y: f32) -> Color {
        let ix = ((x + self.margin) as i32).min(self.width - 1).max(0);
        let iy = ((y + self.margin) as i32).min(self.n_rows - 1).max(0);
        let p = self.pixels[(iy * self.width + ix) as usize];
        Color {
            r: f32::from(p.red()) / 255.0,
            g: f32::from(p.green()) / 255.0,
            b: f32::from(p.blue()) / 255.0,
        }
    }
}

/// Composites a sheet over another of the same size.
pub(crate) fn lay(under: &mut Pixmap, top: &Pixmap) {
    under.draw_pixmap(
        0,
        0,
        top.as_ref(),
        &PixmapPaint::default(),
        Transform::identity(),
        None,
    );
}

fn over(under: PremultipliedColorU8, c: Color, alpha: f32, dither: f32) -> PremultipliedColorU8 {
    let keep = 1.0 - alpha;
    let blend = |top: f32, low: u8| {
        (top * alpha * 255.0 + f32::from(low) * keep + 0.5 + dither).clamp(0.0, 255.0) as u8
    };
    let a = (alpha * 255.0 + f32::from(under.alpha()) * keep + 0.5).min(255.0) as u8;
    PremultipliedColorU8::from_rgba(
        blend(c.r, under.red()).min(a),
        blend(c.g, under.green()).min(a),
        blend(c.b, under.blue()).min(a),
        a,
    )
    .unwrap_or(under)
}

/// Builds a closed path through points; `None` for fewer than three points or on numeric overflow.
pub(crate) fn polygon(points: &[(f32, f32)]) -> Option<Path> {
    let (first, rest) = points.split_first()?;
    let mut path = PathBuilder::with_capacity(points.len() + 2, points.len() + 2);
    path.move_to(first.0, first.1);
    for p in rest {
        path.line_to(p.0, p.1);
    }
    path.close();
    path.finish()
}

/// Builds an open path through points.
pub(crate) fn line(points: &[(f32, f32)]) -> Option<Path> {
    let (first, rest) = points.split_first()?;
    let mut path = PathBuilder::new();
    path.move_to(first.0, first.1);
    for p in rest {
        path.line_to(p.0, p.1);
    }
    path.finish()
}
