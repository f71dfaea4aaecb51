//! Decides how finely to sample a pose, from the pose alone and identically on both back ends.
//!
//! One map is sampled with the full filter. The mean of several is a blur along the motion: bilinear samples of the nearest mip level give the same
//! picture with a fraction of the work, and wide motion is sampled at half size and enlarged. Strong blurs, already soft, are treated alike.

use super::sampling::blur_plan;
use crate::scene::draw::Blend;
use crate::scene::draw::{Content, Edge, Group, Homography, Layer, PictureId, Pose};
use crate::units::{PixelRect, Size};

/// Maximum number of maps drawn for one pose.
const MAX_MAPS: usize = 16;

/// Fewer maps mean a picture at rest or in slow motion, whose detail is visible.
const MIN_SMOOTH_MAPS: usize = 2;

/// This many bilinear samples at full size take as long as two with the full filter; in wide motion, larger numbers are taken at half size.
const MAX_FULL_SIZE_MAPS: usize = 3;

/// Mean distance a canvas point moves while the shutter is open, px, from which half size is enough.
const WIDE_WAY_PX: f64 = 8.0;

/// Blurs from this standard deviation on are computed at half size, px.
const SOFT_SIGMA_PX: f32 = 4.0;

/// How the maps of a pose are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fineness {
    /// Catmull-Rom at full size.
    Fine,
    /// Bilinear at full size.
    Smooth,
    /// Bilinear at half size, then enlarged bilinearly.
    Coarse,
}

impl Fineness {
    /// Chooses the sampling of a pose on a canvas.
    pub fn of(pose: &Pose, canvas: Size) -> Fineness {
        let n_maps = pose.maps.len();
        if n_maps > MAX_FULL_SIZE_MAPS && way_px(&pose.maps, canvas) >= WIDE_WAY_PX {
            Fineness::Coarse
        } else if n_maps >= MIN_SMOOTH_MAPS || is_soft(pose) {
            Fineness::Smooth
        } else {
            Fineness::Fine
        }
    }

    /// Returns the maps of a pose to draw, to px of the target: the canvas, or half of it for [`Fineness::Coarse`].
    pub fn maps(self, pose: &Pose) -> Vec<Homography> {
        let all = &pose.maps[..pose.maps.len().min(MAX_MAPS)];
        match self {
            // Over a short distance, many samples lie within a px of each other; a few evenly spread ones are enough.
            Fineness::Smooth if all.len() > MAX_FULL_SIZE_MAPS => (0..MAX_FULL_SIZE_MAPS)
                .map(|i| all[(2 * i + 1) * all.len() / (2 * MAX_FULL_SIZE_MAPS)])
                .collect(),
            Fineness::Fine | Fineness::Smooth => all.to_vec(),
            Fineness::Coarse => all.iter().map(|map| HALVED.after(*map)).collect(),
        }
    }
}

const HALVED: Homography = Homography::scale_shift(0.5, 0.5, 0.0, 0.0);
const DOUBLED: Homography = Homography::scale_shift(2.0, 2.0, 0.0, 0.0);

fn is_soft(pose: &Pose) -> bool {
    pose.blur_px >= SOFT_SIGMA_PX
}

/// Returns how far the source moves on the canvas from the first map to the last: the mean over the points halfway between the center and each corner.
fn way_px(maps: &[Homography], canvas: Size) -> f64 {
    let Some(back) = maps[maps.len() / 2].inverse() else {
        return 0.0;
    };
    let (w, h) = (f64::from(canvas.width), f64::from(canvas.height));
    let way = |x: f64, y: f64| -> f64 {
        let (u, v) = back.apply(x * w, y * h);
        let places: Vec<_> = maps.iter().map(|map| map.apply(u, v)).collect();
        let steps = places.windows(2);
        steps
            .map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1))
            .sum()
    };
    let mean = (way(0.25, 0.25) + way(0.75, 0.25) + way(0.25, 0.75) + way(0.75, 0.75)) / 4.0;
    // A point on the horizon moves far.
    if mean.is_finite() { mean } else { f64::MAX }
}

/// A group of only one picture that fills its sheet, so that the picture can be sampled directly.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Window {
    /// The picture.
    pub picture: PictureId,
    /// The group's bounds in px of the picture: left, top, right, bottom.
    pub borders: [f64; 4],
    /// Map from picture px to canvas px, including everything the group does.
    pub pose: Pose,
}

impl Window {
    /// Returns the picture of a group, or `None` if the group needs its sheet. `size` returns the columns and rows of a picture.
    pub fn of(
        group: &Group,
        bounds: PixelRect,
        size: impl Fn(PictureId) -> Option<[u32; 2]>,
    ) -> Option<Window> {
        let (id, pose) = only_picture(&group.layers)?;
        let [map] = pose.maps[..] else { return None };
        let (sx, sy, tx, ty) = map.as_scale_shift()?;
        let [width, height] = size(id)?.map(f64::from);
        let (left, top) = (f64::from(bounds.x), f64::from(bounds.y));
        let (right, bottom) = (
            left + f64::from(bounds.width),
            top + f64::from(bounds.height),
        );
        let borders = [
            (left - tx) / sx,
            (top - ty) / sy,
            (right - tx) / sx,
            (bottom - ty) / sy,
        ];
        // Less than 0.01 px outside the picture is rounding.
        const SLACK: f64 = 0.01;
        let fills = borders[0] >= -SLACK
            && borders[1] >= -SLACK
            && borders[2] <= width + SLACK
            && borders[3] <= height + SLACK;
        let is_plain = pose.wipe.is_none() && blur_plan(pose.blur_px).is_none();
        let goes_on = fills || pose.edge == Edge::Clamp;
        let is_sharp = blur_plan(group.pose.blur_px).is_none();
        let moves = group.pose.maps != [Homography::IDENTITY];
        (is_plain && goes_on && is_sharp && moves).then(|| Window {
            picture: id,
            borders,
            pose: Pose {
                maps: group.pose.maps.iter().map(|m| m.after(map)).collect(),
                brightness: group.pose.brightness * pose.brightness,
                ..group.pose.clone()
            },
        })
    }
}

/// Returns the single picture of layers that show nothing else.
fn only_picture(layers: &[Layer]) -> Option<(PictureId, &Pose)> {
    let [layer] = layers else { return None };
    match &layer.content {
        Content::Picture(id, pose) if layer.opacity >= 1.0 && layer.blend == Blend::Normal => {
            Some((*id, pose))
        }
        _ => None,
    }
}

/// Returns the group with a sheet of half the size, for coarse samples and strong blurs; `None` if it needs the full size.
pub(crate) fn halved(group: &Group, fineness: Fineness) -> Option<Group> {
    let PixelRect {
        x,
        y,
        width,
        height,
    } = group.bounds;
    let is_even = [x, y].iter().all(|v| v % 2 == 0) && [width, height].iter().all(|v| v % 2 == 0);
    if !is_even || !(fineness == Fineness::Coarse || is_soft(&group.pose)) {
        return None;
    }
    let layers: Option<Vec<Layer>> = group.layers.iter().map(halved_layer).collect();
    Some(Group {
        content: group.content,
        bounds: PixelRect {
            x: x / 2,
            y: y / 2,
            width: width / 2,
            height: height / 2,
        },
        pose: Pose {
            maps: group.pose.maps.iter().map(|m| m.after(DOUBLED)).collect(),
            blur_px: group.pose.blur_px / 2.0,
            ..group.pose.clone()
        },
        layers: layers?,
    })
}

fn halved_layer(layer: &Layer) -> Option<Layer> {
    let Content::Picture(id, pose) = &layer.content else {
        return None;
    };
    let pose = Pose {
        maps: pose.maps.iter().map(|map| HALVED.after(*map)).collect(),
        ..pose.clone()
    };
    pose.wipe.is_none().then(|| Layer {
        content: Content::Picture(*id, pose),
        ..layer.clone()
    })
}
