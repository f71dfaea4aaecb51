//! Transitions: each is a pure function from progress to the drawn parts of the outgoing shot (A) and the incoming shot (B).
//!
//! Contract, tested for every row: progress 0 shows exactly A, progress 1 exactly B, and no pixel is left bare between. Nothing here depends on time,
//! frames or pictures. Motion blur evaluates the same function at several instants inside the shutter, as many as the motion in pixels needs.

mod custom;
mod poses;
mod shutter;
mod table;
#[cfg(test)]
mod tests;

use crate::scene::draw::{Edge, Homography, Wipe};
use crate::units::Size;

pub(crate) use custom::Custom;
pub(crate) use shutter::{Drawn, drawn};
pub(crate) use table::{How, Row, TABLE, random, row};

/// The source shown by a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The outgoing shot.
    A,
    /// The incoming shot.
    B,
    /// A blurred, dark copy of one of them (given by the row), behind everything.
    Backdrop,
}

/// One part of a transition's picture: a shot as a canvas-sized sheet, and how it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// What is drawn.
    pub source: Source,
    /// Map from canvas pixels to canvas pixels.
    pub map: Homography,
    /// Zoom of the shot inside its sheet, at least 1.
    pub zoom: f64,
    /// 0 (not drawn) to 1.
    pub opacity: f64,
    /// Factor on the color.
    pub brightness: f64,
    /// How the area beyond the sheet is drawn.
    pub edge: Edge,
    /// The part of the canvas that it may touch.
    pub wipe: Option<Wipe>,
    /// Standard deviation of a blur, px.
    pub blur_px: f64,
    /// Blur along rays from the center: each point is smeared over this share of its distance.
    pub streaks: f64,
    /// Opacity of the soft shadow it casts on what lies below.
    pub shadow: f64,
}

impl Part {
    /// Returns a source drawn without changes.
    pub const fn of(source: Source) -> Part {
        Part {
            source,
            map: Homography::IDENTITY,
            zoom: 1.0,
            opacity: 1.0,
            brightness: 1.0,
            edge: Edge::Transparent,
            wipe: None,
            blur_px: 0.0,
            streaks: 0.0,
            shadow: 0.0,
        }
    }

    fn map(self, map: Homography) -> Part {
        Part { map, ..self }
    }

    fn zoom(self, zoom: f64) -> Part {
        Part { zoom, ..self }
    }

    fn opacity(self, opacity: f64) -> Part {
        Part { opacity, ..self }
    }

    fn brightness(self, brightness: f64) -> Part {
        Part { brightness, ..self }
    }

    fn edge(self, edge: Edge) -> Part {
        Part { edge, ..self }
    }

    fn wipe(self, wipe: Wipe) -> Part {
        Part {
            wipe: Some(wipe),
            ..self
        }
    }

    fn streaks(self, streaks: f64) -> Part {
        Part { streaks, ..self }
    }

    fn shadow(self, shadow: f64) -> Part {
        Part { shadow, ..self }
    }

    /// Exchanges left and right, without flipping the picture itself.
    fn mirrored(mut self, stage: &Stage) -> Part {
        let flip = Homography([-1.0, 0.0, stage.w, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        self.map = flip.after(self.map).after(flip);
        if let Some(Wipe {
            line: [a, _, c], ..
        }) = &mut self.wipe
        {
            *c += *a * stage.w as f32;
            *a = -*a;
        }
        self
    }
}

/// The canvas, as used by poses.
pub(crate) struct Stage {
    /// Width, px.
    pub w: f64,
    /// Height, px.
    pub h: f64,
}

impl Stage {
    /// Creates the stage of a canvas.
    pub fn new(size: Size) -> Stage {
        Stage {
            w: f64::from(size.width),
            h: f64::from(size.height),
        }
    }

    fn backdrop(&self) -> Part {
        Part::of(Source::Backdrop).edge(Edge::Clamp)
    }

    /// Applies a map with the canvas's center as its origin.
    fn about_center(&self, map: Homography) -> Homography {
        let (x, y) = (self.w / 2.0, self.h / 2.0);
        Homography::shift(x, y)
            .after(map)
            .after(Homography::shift(-x, -y))
    }

    /// Returns a clockwise rotation and scaling about the center.
    pub fn turned(&self, radians: f64, scale: f64) -> Homography {
        let scaled = Homography::scale_shift(scale, scale, 0.0, 0.0);
        self.about_center(match radians {
            0.0 => scaled,
            radians => Homography::turn(radians).after(scaled),
        })
    }

    /// Returns the scale at which a rotated canvas still covers the whole canvas, corners included.
    fn cover(&self, radians: f64) -> f64 {
        let aspect = (self.w / self.h).max(self.h / self.w);
        radians.cos().abs() + aspect * radians.sin().abs()
    }
}
