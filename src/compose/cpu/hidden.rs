//! Finds what opaque layers hide of those below, so that it is not drawn.

use super::pictures::PictureStore;
use super::reach::{EVERYWHERE, common};
use crate::compose::sampling::{Extent, blur_plan, sampled_maps, sheet_bounds};
use crate::compose::shutter::Window;
use crate::scene::draw::Blend;
use crate::scene::draw::{Content, Edge, Layer, Pose};
use crate::units::Size;

/// Columns and rows: left, top, right, bottom, the last two exclusive.
type Area = [i32; 4];

/// Borders are soft over this distance, even if sampled at half size, px.
const SOFT_PX: f64 = 3.0;

/// Returns, for each layer (back to front), the part of `area` not covered by an opaque layer above it; empty areas have zero width.
pub(super) fn visible(
    layers: &[Layer],
    area: Area,
    pictures: &mut PictureStore,
    canvas: Size,
) -> Vec<Area> {
    let mut rest = area;
    let mut areas: Vec<Area> = layers
        .iter()
        .rev()
        .map(|layer| {
            if let Content::BackdropBlur(..) = layer.content {
                // The blur needs its surroundings, even where layers above cover them.
                rest = area;
            }
            let seen = rest;
            if let Some(opaque) = opaque_part(layer, area, pictures, canvas) {
                rest = without(rest, opaque);
            }
            seen
        })
        .collect();
    areas.reverse();
    areas
}

/// Returns an area without the part covered by another, if the rest is a rectangle.
fn without(area: Area, taken: Area) -> Area {
    let [mut left, mut top, mut right, mut bottom] = area;
    if taken[1] <= top && taken[3] >= bottom {
        if taken[0] <= left {
            left = left.max(taken[2]);
        } else if taken[2] >= right {
            right = right.min(taken[0]);
        }
    } else if taken[0] <= left && taken[2] >= right {
        if taken[1] <= top {
            top = top.max(taken[3]);
        } else if taken[3] >= bottom {
            bottom = bottom.min(taken[1]);
        }
    }
    common([left, top, right, bottom], EVERYWHERE).unwrap_or([left, top, left, top])
}

/// Returns where a layer hides everything below it.
fn opaque_part(
    layer: &Layer,
    area: Area,
    pictures: &mut PictureStore,
    canvas: Size,
) -> Option<Area> {
    if layer.opacity < 1.0 || layer.blend != Blend::Normal {
        return None;
    }
    let seen;
    let (id, window, pose) = match &layer.content {
        Content::Fill(color) => return (color.a >= 1.0).then_some(EVERYWHERE),
        Content::Picture(id, pose) => (*id, None, pose),
        Content::Group(group) => {
            let bounds = sheet_bounds(group.bounds, canvas)?;
            seen = Window::of(group, bounds, |id| pictures.size(id).ok())?;
            (seen.picture, Some(seen.borders), &seen.pose)
        }
        Content::Box(_) | Content::Glyphs(_) | Content::BackdropBlur(..) => return None,
    };
    let size = pictures.size(id).ok()?;
    let is_opaque = pictures.picture(id).ok()?.opaque;
    is_opaque
        .then(|| opaque_under(pose, &Extent { size, window }, area))
        .flatten()
}

/// Returns the part of `target` where an opaque source is opaque under every map of a pose.
fn opaque_under(pose: &Pose, extent: &Extent, target: Area) -> Option<Area> {
    let is_plain = pose.wipe.is_none() && pose.brightness.is_finite();
    let maps = sampled_maps(&pose.maps, [0.0; 2], extent);
    if !is_plain || maps.iter().any(Option::is_none) {
        return None;
    }
    if pose.edge != Edge::Transparent {
        let is_affine = |m: &[f64; 9]| m[6] == 0.0 && m[7] == 0.0;
        let all = pose.maps.iter().all(|map| is_affine(&map.0));
        return all.then_some(EVERYWHERE);
    }
    if blur_plan(pose.blur_px).is_some() {
        return None;
    }
    let [left, top, right, bottom] = extent.borders();
    pose.maps.iter().try_fold(EVERYWHERE, |area, map| {
        let (sx, sy, tx, ty) = map.as_scale_shift()?;
        // A border on the target's edge or beyond is not visible; differences below 0.01 px are rounding.
        let low = |border: f64, edge: i32| match border <= f64::from(edge) + 0.01 {
            true => i32::MIN,
            false => (border + SOFT_PX).ceil() as i32,
        };
        let high = |border: f64, edge: i32| match border >= f64::from(edge) - 0.01 {
            true => i32::MAX,
            false => (border - SOFT_PX).floor() as i32,
        };
        let own = [
            low(left * sx + tx, target[0]),
            low(top * sy + ty, target[1]),
            high(right * sx + tx, target[2]),
            high(bottom * sy + ty, target[3]),
        ];
        common(area, own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_a_rectangle() {
        let all = [0, 0, 100, 200];
        for (taken, left) in [
            (EVERYWHERE, None),
            ([-5, -5, 40, 300], Some([40, 0, 100, 200])),
            ([60, 0, 100, 200], Some([0, 0, 60, 200])),
            ([0, 0, 100, 50], Some([0, 50, 100, 200])),
            ([-1, 150, 101, 999], Some([0, 0, 100, 150])),
            // A corner or a hole leaves more than one rectangle.
            ([0, 0, 50, 50], Some(all)),
            ([10, 0, 50, 200], Some(all)),
        ] {
            let rest = without(all, taken);
            assert_eq!(common(rest, all), left, "{taken:?}");
        }
    }
}
