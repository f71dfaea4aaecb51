//! Frosted glass: what was painted so far, blurred behind a box.

use std::sync::Arc;

use super::blur::blur;
use super::paint::What;
use super::shape::RoundedBox;
use super::sheet::Sheet;
use crate::compose::sampling::blur_plan;
use crate::plan::draw::{BoxShape, Edge};

/// The blurred part of what was painted so far that a box lets through.
pub(super) fn glass(
    shape: &BoxShape,
    sigma: f32,
    origin: [i32; 2],
    below: &Sheet,
) -> Option<([i32; 4], What)> {
    let shape = RoundedBox::new(shape)?;
    let Some(plan) = blur_plan(sigma) else {
        return Some((shape.reach(), What::Box(shape)));
    };
    // The margin holds everything that a visible pixel is blurred with; starting on whole steps keeps the 2x2 means those of the whole target.
    let (margin, step) = (i64::from(plan.margin_px), 1i64 << plan.n_halvings);
    let reach = shape.reach();
    let span = |low: i32, high: i32, origin: i32, side: usize| {
        let low = (i64::from(low) - i64::from(origin) - margin).clamp(0, side as i64);
        let high = (i64::from(high) - i64::from(origin) + margin).clamp(0, side as i64);
        let low = low / step * step;
        (low as usize, (high - low).max(0) as usize)
    };
    let (x, width) = span(reach[0], reach[2], origin[0], below.width);
    let (y, height) = span(reach[1], reach[3], origin[1], below.height);
    if width == 0 || height == 0 {
        return None;
    }
    let blurred = blur(below.part(x, y, width, height), &plan, Edge::Clamp);
    let at = [origin[0] + x as i32, origin[1] + y as i32];
    let right_bottom = [at[0] + width as i32, at[1] + height as i32];
    let reach = [
        reach[0].max(at[0]),
        reach[1].max(at[1]),
        reach[2].min(right_bottom[0]),
        reach[3].min(right_bottom[1]),
    ];
    Some((reach, What::Glass(Arc::new(blurred), at, shape)))
}
