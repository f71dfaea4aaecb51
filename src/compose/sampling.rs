//! Computations shared by both back ends: maps from canvas to mip level, mip chains, filter weights and blur plans.

use crate::scene::draw::{BoxShape, Edge, Homography};
use crate::units::{PixelRect, Size, within};

/// Largest standard deviation of a blur, px; it bounds the margin and thus the memory.
const MAX_SIGMA_PX: f32 = 128.0;

/// Largest standard deviation of a blur that runs at full size, px.
const FULL_SIZE_SIGMA_PX: f32 = 4.0;

/// One map of a pose in a form ready for sampling, in pixels of one mip level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SampledMap {
    /// Mip level to sample; 0 is the source itself.
    pub level: u32,
    /// Columns and rows of that level.
    pub level_size: [u32; 2],
    /// Source borders in level px: left, top, right, bottom (fractional if a side was odd).
    pub borders: [f32; 4],
    /// Whether the source is a window into a larger picture: edges then apply at its borders, not at the level's pixels.
    pub is_window: bool,
    /// Row-major map from canvas px to level px. Points whose third coordinate is not above 0 lie behind the eye and see nothing.
    /// Affine maps end in exactly `0, 0, 1`.
    pub canvas_to_level: [f32; 9],
}

/// The pixels that a pose draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    /// Columns and rows.
    pub size: [u32; 2],
    /// The part used as the source: left, top, right, bottom in px; `None` for all of it.
    pub window: Option<[f64; 4]>,
}

impl Extent {
    /// Returns the whole of a source of this size.
    pub fn whole(size: [u32; 2]) -> Extent {
        Extent { size, window: None }
    }

    /// Returns left, top, right, bottom of the part used as the source.
    pub fn borders(&self) -> [f64; 4] {
        let [width, height] = self.size.map(f64::from);
        self.window.unwrap_or([0.0, 0.0, width, height])
    }
}

/// Returns the map of a source drawn by `map` (source px to target px), or `None` if nothing is visible: it is not finite or not invertible,
/// or the source's center lies on the horizon.
pub(crate) fn sampled_map(map: Homography, extent: &Extent) -> Option<SampledMap> {
    let [width, height] = extent.size;
    if width == 0 || height == 0 {
        return None;
    }
    let inverse = map.inverse()?;
    let borders = extent.borders();
    let (cx, cy) = (
        (borders[0] + borders[2]) / 2.0,
        (borders[1] + borders[3]) / 2.0,
    );
    let m = map.0;
    let w = m[6] * cx + m[7] * cy + m[8];
    let det = m[0] * (m[4] * m[8] - m[7] * m[5]) - m[1] * (m[3] * m[8] - m[5] * m[6])
        + m[2] * (m[3] * m[7] - m[4] * m[6]);
    // Area of the source per area of the canvas at the center: the determinant of the inverse's Jacobian.
    let scale = (w * w * w / det).abs().sqrt();
    if !scale.is_finite() || scale == 0.0 {
        return None;
    }
    let wanted = (scale.log2() + 0.5).floor().max(0.0);
    let level = (wanted as u32).min(level_count(width, height) - 1);
    let shrink = 0.5f64.powi(level as i32);
    let affine = m[6] == 0.0 && m[7] == 0.0;
    // The third coordinate is 1 at the source's center: scaled for f32, and positive in front of the eye whatever the sign of the original map.
    let norm = if affine { 1.0 } else { w };
    let n = inverse.0.map(|v| v * norm);
    let canvas_to_level: [f32; 9] =
        std::array::from_fn(|i| (if i < 6 { n[i] * shrink } else { n[i] }) as f32);
    canvas_to_level
        .iter()
        .all(|v| v.is_finite())
        .then(|| SampledMap {
            level,
            level_size: level_size(width, height, level),
            borders: borders.map(|v| (v * shrink) as f32),
            is_window: extent.window.is_some(),
            canvas_to_level,
        })
}

/// Returns the maps (source px to target px) of a source whose px (0, 0) lies at `origin` in the space the maps map from (a picture: `[0, 0]`,
/// a group: its bounds' corner). `None` marks a map that shows nothing; it still counts in the mean.
pub(crate) fn sampled_maps(
    maps: &[Homography],
    origin: [f64; 2],
    extent: &Extent,
) -> Vec<Option<SampledMap>> {
    let shift = Homography::shift(origin[0], origin[1]);
    let of = |map: &Homography| sampled_map(map.after(shift), extent);
    maps.iter().map(of).collect()
}

/// Returns the part of a group's bounds for which a sheet is created: anything more than half a canvas outside is cut off, to bound memory.
/// Returns `None` if nothing is left.
pub(crate) fn sheet_bounds(bounds: PixelRect, canvas: Size) -> Option<PixelRect> {
    let clip = |start: i32, length: u32, side: u32| {
        let (side, start) = (i64::from(side), i64::from(start));
        let low = start.max(-side / 2);
        let high = (start + i64::from(length)).min(side + side / 2);
        (low < high).then(|| (low as i32, (high - low) as u32))
    };
    let (x, width) = clip(bounds.x, bounds.width, canvas.width)?;
    let (y, height) = clip(bounds.y, bounds.height, canvas.height)?;
    Some(PixelRect {
        x,
        y,
        width,
        height,
    })
}

/// Returns the number of levels in the mip chain of a picture: halved until 1x1.
pub(crate) fn level_count(width: u32, height: u32) -> u32 {
    let longest = width.max(height).max(1);
    u32::BITS - (longest - 1).leading_zeros() + 1
}

/// Returns the columns and rows of a level.
pub(crate) fn level_size(width: u32, height: u32, level: u32) -> [u32; 2] {
    [width, height].map(|side| {
        let step = 1u64 << level.min(32);
        (u64::from(side).div_ceil(step) as u32).max(1)
    })
}

/// One level of a mip chain: premultiplied RGBA, 8 bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MipLevel {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width*height*4` bytes.
    pub rgba: Vec<u8>,
}

/// Returns the next level: 2x2 means rounded half up; odd sides repeat their last row or column.
fn half(rgba: &[u8], width: u32, height: u32) -> MipLevel {
    let [w, h] = level_size(width, height, 1);
    let (from_w, from_h) = (width as usize, height as usize);
    let mut out = vec![0; w as usize * h as usize * 4];
    for (y, row) in out.chunks_exact_mut(w as usize * 4).enumerate() {
        let top = &rgba[2 * y * from_w * 4..][..from_w * 4];
        let bottom = &rgba[(2 * y + 1).min(from_h - 1) * from_w * 4..][..from_w * 4];
        for (x, px) in row.chunks_exact_mut(4).enumerate() {
            let (left, right) = (2 * x * 4, (2 * x + 1).min(from_w - 1) * 4);
            for (c, v) in px.iter_mut().enumerate() {
                let sum = u32::from(top[left + c])
                    + u32::from(top[right + c])
                    + u32::from(bottom[left + c])
                    + u32::from(bottom[right + c]);
                *v = ((sum + 2) / 4) as u8;
            }
        }
    }
    MipLevel {
        width: w,
        height: h,
        rgba: out,
    }
}

/// Returns levels 1 to `last` of a picture; level 0 is the picture.
pub(crate) fn mip_chain(rgba: &[u8], width: u32, height: u32, last: u32) -> Vec<MipLevel> {
    let mut levels: Vec<MipLevel> = Vec::new();
    for _ in 0..last.min(level_count(width, height) - 1) {
        let next = match levels.last() {
            Some(level) => half(&level.rgba, level.width, level.height),
            None => half(rgba, width, height),
        };
        levels.push(next);
    }
    levels
}

/// Returns the weights of the four taps at -1, 0, 1, 2 around a point `f` (0..1) past tap 0.
/// Keys, "Cubic convolution interpolation for digital image processing" (1981), a = -1/2: Catmull-Rom.
#[inline(always)]
pub(crate) fn catmull_rom(f: f32) -> [f32; 4] {
    let (f2, f3) = (f * f, f * f * f);
    [
        f2 - 0.5 * (f + f3),
        1.0 - 2.5 * f2 + 1.5 * f3,
        0.5 * f + 2.0 * f2 - 1.5 * f3,
        0.5 * (f3 - f2),
    ]
}

/// Returns the pixel that a tap with any index reads.
#[inline(always)]
pub(crate) fn tap_index(i: i32, n: i32, edge: Edge) -> i32 {
    match edge {
        Edge::Transparent | Edge::Clamp => within(i, 0, n - 1),
        Edge::Mirror => {
            let m = i.rem_euclid(2 * n);
            if m < n { m } else { 2 * n - 1 - m }
        }
    }
}

/// Number of standard deviations over which a blurred outline fades on each side, by smoothstep: within 0.02 of the Gaussian's integral, without an exponential.
pub(crate) const OUTLINE_REACH: f32 = 1.9;

/// Returns the standard deviation of the blur of a box's outline, px; 0 for a sharp one.
pub(crate) fn outline_blur_px(shape: &BoxShape) -> f32 {
    // Beyond this the shape is unrecognizable.
    if shape.blur_px > 0.0 {
        shape.blur_px.min(MAX_SIGMA_PX)
    } else {
        0.0
    }
}

/// How a Gaussian blur is computed: halve, filter, enlarge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlurPlan {
    /// Number of halvings (2x2 means) before filtering; afterwards the image is sampled bilinearly back to full size in one step.
    pub n_halvings: u32,
    /// Taps on each side of the center, at the reduced size.
    pub radius: u32,
    /// `2*radius + 1` weights that sum to 1, the same for rows and columns.
    pub weights: Vec<f32>,
    /// Transparent px added around a source with [`Edge::Transparent`] before blurring (a multiple of `2^n_halvings`), so that the blur can spread over
    /// the border. Its px (0, 0) then lies at `(-margin_px, -margin_px)`. Unused with the other edges.
    pub margin_px: u32,
}

/// Returns the plan for a standard deviation in px, or `None` if there is nothing to blur (below 0.05 px, or NaN).
pub(crate) fn blur_plan(sigma_px: f32) -> Option<BlurPlan> {
    if sigma_px.is_nan() || sigma_px < 0.05 {
        return None;
    }
    let full = sigma_px.min(MAX_SIGMA_PX);
    let (mut sigma, mut n_halvings) = (full, 0);
    while sigma > FULL_SIZE_SIGMA_PX {
        sigma /= 2.0;
        n_halvings += 1;
    }
    let radius = (3.0 * sigma).ceil() as i32;
    let raw: Vec<f64> = (-radius..=radius)
        .map(|i| (-0.5 * (f64::from(i) / f64::from(sigma)).powi(2)).exp())
        .collect();
    let sum: f64 = raw.iter().sum();
    let step = 1u32 << n_halvings;
    Some(BlurPlan {
        n_halvings,
        radius: radius as u32,
        weights: raw.iter().map(|w| (w / sum) as f32).collect(),
        margin_px: ((3.0 * full).ceil() as u32).next_multiple_of(step) + step,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_halve_upward() {
        assert_eq!(level_count(1, 1), 1);
        assert_eq!(level_count(2, 1), 2);
        assert_eq!(level_count(5, 3), 4);
        assert_eq!(level_size(5, 3, 1), [3, 2]);
        assert_eq!(level_size(5, 3, 3), [1, 1]);
        let chain = mip_chain(&[255; 5 * 3 * 4], 5, 3, 9);
        assert_eq!(chain.len(), 3);
        assert!(chain.iter().all(|l| l.rgba.iter().all(|&v| v == 255)));
    }

    #[test]
    fn weights_sum_to_one_and_copy_at_integer_phase() {
        assert_eq!(catmull_rom(0.0), [0.0, 1.0, 0.0, 0.0]);
        for i in 0..16 {
            let sum: f32 = catmull_rom(i as f32 / 16.0).iter().sum();
            assert!((sum - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn mirrored_taps_repeat_the_border() {
        let seen: Vec<i32> = (-4..8).map(|i| tap_index(i, 4, Edge::Mirror)).collect();
        assert_eq!(seen, [3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0]);
    }

    #[test]
    fn level_follows_the_scale() {
        let level = |s| {
            sampled_map(
                Homography::scale_shift(s, s, 0.0, 0.0),
                &Extent::whole([640; 2]),
            )
            .map(|m| m.level)
        };
        assert_eq!(level(1.12), Some(0));
        assert_eq!(level(0.75), Some(0));
        assert_eq!(level(0.7), Some(1));
        assert_eq!(level(0.25), Some(2));
        assert_eq!(level(1e-5), Some(10));
    }

    #[test]
    fn maps_without_a_picture_are_refused() {
        for bad in [
            Homography([f64::NAN; 9]),
            Homography([0.0; 9]),
            Homography::scale_shift(f64::INFINITY, 1.0, 0.0, 0.0),
            Homography::scale_shift(1.0, 0.0, 3.0, 3.0),
            Homography::scale_shift(1e200, 1e200, 0.0, 1e300),
        ] {
            assert_eq!(sampled_map(bad, &Extent::whole([64; 2])), None, "{bad:?}");
        }
    }

    #[test]
    fn a_map_of_either_sign_sees_the_same() {
        let map = Homography([1.0, 0.1, 3.0, 0.0, 1.2, 5.0, 0.001, 0.0002, 1.0]);
        let negated = Homography(map.0.map(|v| -v));
        let extent = Extent::whole([99, 77]);
        let (a, b) = (sampled_map(map, &extent), sampled_map(negated, &extent));
        assert_eq!(a, b);
        assert!(a.is_some());
    }

    #[test]
    fn blur_plans_are_bounded_and_normalized() {
        assert_eq!(blur_plan(0.0), None);
        assert_eq!(blur_plan(f32::NAN), None);
        for sigma in [0.3, 4.0, 4.1, 33.0, f32::INFINITY] {
            let plan = blur_plan(sigma).expect("a blur");
            assert!(plan.radius <= 12);
            assert!((plan.weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert_eq!(plan.margin_px % (1 << plan.n_halvings), 0);
        }
    }
}
