//! Frosted glass: everything painted so far, blurred behind a box.

use std::sync::Arc;

use super::blur::blur_part;
use super::paint::What;
use super::shape::RoundedBox;
use super::sheet::Sheet;
use crate::compose::sampling::{BlurPlan, blur_plan};
use crate::scene::draw::{BoxShape, Edge};
use crate::units::within;

/// A glass box and the part of the backdrop that it needs.
pub(super) struct Glass {
    shape: RoundedBox,
    plan: Option<BlurPlan>,
    /// First px needed, and the size in px, including the margin for the blur.
    pub from: [usize; 2],
    pub size: [usize; 2],
    /// First visible px, and the size in px.
    seen: ([usize; 2], [usize; 2]),
}

impl Glass {
    /// Creates a glass box over a target of a given size whose px (0, 0) lies at `origin` of the canvas; returns `None` if it lies outside.
    pub fn new(
        shape: &BoxShape,
        sigma: f32,
        origin: [i32; 2],
        target: [usize; 2],
    ) -> Option<Glass> {
        let (shape, plan) = (RoundedBox::new(shape)?, blur_plan(sigma));
        let (margin, step) = plan.as_ref().map_or((0, 1), |plan| {
            (i64::from(plan.margin_px), 1i64 << plan.n_halvings)
        });
        let reach = shape.reach();
        let span = |i: usize, margin: i64| {
            let place = |v: i32, more: i64| {
                let at = i64::from(v) - i64::from(origin[i]) + more;
                within(at, 0, target[i] as i64)
            };
            (place(reach[i], -margin), place(reach[i + 2], margin))
        };
        let (mut from, mut size, mut seen) = ([0; 2], [0; 2], ([0; 2], [0; 2]));
        for i in 0..2 {
            // Starting at multiples of the step keeps the 2x2 means identical to those of the whole target.
            let (low, high) = span(i, margin);
            let low = low / step * step;
            (from[i], size[i]) = (low as usize, (high - low) as usize);
            let (first, end) = span(i, 0);
            (seen.0[i], seen.1[i]) = (first as usize, (end - first) as usize);
        }
        (seen.1[0] > 0 && seen.1[1] > 0).then_some(Glass {
            shape,
            plan,
            from,
            size,
            seen,
        })
    }

    /// Returns whether the needed part may be passed at half size, because it is halved anyway.
    pub fn is_halved(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.n_halvings > 0)
    }

    /// Returns what to paint. `below` is the needed part, halved `n_halved` times.
    pub fn over(self, below: Sheet, n_halved: u32, origin: [i32; 2]) -> ([i32; 4], What) {
        let ([x, y], [width, height]) = self.seen;
        let at = [origin[0] + x as i32, origin[1] + y as i32];
        let reach = [at[0], at[1], at[0] + width as i32, at[1] + height as i32];
        let Some(plan) = self.plan else {
            return (reach, What::Box(self.shape));
        };
        let part = ([x - self.from[0], y - self.from[1]], [width, height]);
        let blurred = blur_part((below, n_halved), &plan, Edge::Clamp, part);
        (reach, What::Glass(Arc::new(blurred), at, self.shape))
    }
}
