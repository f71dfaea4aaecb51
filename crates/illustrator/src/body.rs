//! A person's joints, and the strokes that limbs, clothes and heads are drawn with.

use crate::canvas::Canvas;
use crate::color::Color;
use crate::light::Light;
use crate::look::Person;
use crate::noise::{cos_turns, sin_turns};
use crate::shape::{Stand, limb, shade};

/// A person's joints in frame px.
pub(crate) struct Body<'a> {
    pub person: &'a Person,
    pub stand: Stand,
    /// Px per hundredth of the body.
    pub s: f32,
    pub lean: f32,
    pub hip: (f32, f32),
    pub neck: (f32, f32),
    pub head: (f32, f32),
    /// Radius of the head, px.
    pub r: f32,
}

impl Body<'_> {
    /// Returns the point `along` hundredths from the hip toward the neck and `aside` forward.
    pub fn torso(&self, along: f32, aside: f32) -> (f32, f32) {
        let (sin, cos) = (sin_turns(self.lean), cos_turns(self.lean));
        let (dx, dy) = (along * sin + aside * cos, -along * cos + aside * sin);
        (
            self.hip.0 + dx * self.s * self.stand.facing,
            self.hip.1 + dy * self.s,
        )
    }

    /// The end of a limb from a joint, by its angle and length in hundredths.
    pub fn from(&self, p: (f32, f32), turns: f32, length: f32) -> (f32, f32) {
        (
            p.0 + sin_turns(turns) * length * self.s * self.stand.facing,
            p.1 + cos_turns(turns) * length * self.s,
        )
    }
}

/// Fills a limb, shaded.
pub(crate) fn fill_limb(
    canvas: &mut Canvas,
    light: &Light,
    depth: f32,
    limb_of: (&[[f32; 3]], Color),
) {
    if let Some(path) = limb(limb_of.0) {
        let ink = shade(light, &path, limb_of.1, depth);
        canvas.fill(&path, ink);
    }
}

/// Returns a closed curve near its corners (Chaikin's corner cutting, twice).
pub(crate) fn rounded(points: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let mut points = points.to_vec();
    for _ in 0..2 {
        let n = points.len();
        points = (0..n)
            .flat_map(|i| {
                let (a, b) = (points[i], points[(i + 1) % n]);
                let at = |t: f32| (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t);
                [at(0.25), at(0.75)]
            })
            .collect();
    }
    points
}
