//! Pictures and sheets under a pose: parameters of the sampling shader.

use bytemuck::{Pod, Zeroable};

use super::params::Place;
use super::sheets::Sheet;
use crate::compose::sampling::SampledMap;
use crate::compose::shutter::Fineness;
use crate::scene::draw::{Edge, Homography, Pose};
use crate::units::Rect;

/// Maximum number of maps in a pose.
const MAX_MAPS: usize = 16;

/// Canvas px drawn beyond the corners for a transparent border: coverage reaches half a px, diagonally less than two.
pub(super) const FEATHER_PX: f64 = 2.0;

// ---- gpu_data

/// Twin of `SampleMap` in shaders/sample.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SampleMap {
    /// Map from canvas px to level px, row by row; three columns are used.
    pub rows: [[f32; 4]; 3],
    /// Column, row, columns, rows of the level in the texture.
    pub region: [i32; 4],
    /// Source borders in level px: left, top, right, bottom.
    pub borders: [f32; 4],
    /// Whether the source is a window into the level.
    pub is_window: u32,
    /// Whether the map only shifts by whole px.
    pub whole_px: u32,
    /// Padding: WGSL rounds the size up to 16 bytes.
    pub pad: [u32; 2],
}

/// Twin of `SampleParams` in shaders/sample.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SampleParams {
    /// Where it is drawn.
    pub place: Place,
    /// Line and softness.
    pub wipe: [f32; 4],
    /// Number of maps that show something.
    pub n_maps: u32,
    /// One divided by the number of all maps.
    pub share: f32,
    /// An [`edge_code`].
    pub edge: u32,
    /// Factor on the color.
    pub brightness: f32,
    /// Whether two taps per axis are used instead of four.
    pub bilinear: u32,
    /// Padding: WGSL aligns the maps to 16 bytes.
    pub pad: [u32; 3],
    /// The maps; only the first `n_maps` are used.
    pub maps: [SampleMap; MAX_MAPS],
}

/// Returns the number of an edge in the shaders.
pub(super) fn edge_code(edge: Edge) -> u32 {
    match edge {
        Edge::Transparent => 0,
        Edge::Clamp => 1,
        Edge::Mirror => 2,
    }
}

// ---- per frame

/// Returns the parameters of a source under a pose, or `None` if nothing is visible. `place` is filled in later.
pub(super) fn params(
    pose: &Pose,
    fineness: Fineness,
    maps: &[Option<SampledMap>],
    source: &Sheet,
) -> Option<SampleParams> {
    let mut out = SampleParams {
        bilinear: u32::from(fineness != Fineness::Fine),
        wipe: match pose.wipe {
            Some(wipe) => [wipe.line[0], wipe.line[1], wipe.line[2], wipe.softness_px],
            None => [0.0, 0.0, -1.0, 0.0],
        },
        share: 1.0 / maps.len() as f32,
        edge: edge_code(pose.edge),
        brightness: pose.brightness,
        ..Zeroable::zeroed()
    };
    let seen = maps.iter().flatten().take(MAX_MAPS);
    for (slot, map) in out.maps.iter_mut().zip(seen) {
        *slot = sample_map(map, source.levels[map.level as usize]);
        out.n_maps += 1;
    }
    (out.n_maps > 0).then_some(out)
}

fn sample_map(map: &SampledMap, region: [i32; 4]) -> SampleMap {
    let [a, b, c, d, e, f, g, h, i] = map.canvas_to_level;
    let turns_nothing = [a, b, d, e, g, h, i] == [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    SampleMap {
        rows: [[a, b, c, 0.0], [d, e, f, 0.0], [g, h, i, 0.0]],
        region,
        borders: map.borders,
        is_window: u32::from(map.is_window),
        whole_px: u32::from(turns_nothing && c.fract() == 0.0 && f.fract() == 0.0),
        pad: [0; 2],
    }
}

/// Returns the parameters that enlarge half-size samples whose px (0, 0) lies at half px `origin` of the canvas.
pub(super) fn enlarged(pose: &Pose, origin: [i32; 2], half: &Sheet) -> SampleParams {
    let [x, y] = origin.map(|v| v as f32);
    let map = SampledMap {
        level: 0,
        level_size: half.size(),
        borders: [0.0; 4],
        is_window: false,
        canvas_to_level: [0.5, 0.0, -x, 0.0, 0.5, -y, 0.0, 0.0, 1.0],
    };
    let clamped = Pose {
        edge: Edge::Clamp,
        ..pose.clone()
    };
    params(&clamped, Fineness::Coarse, &[Some(map)], half).expect("a map was given")
}

/// Returns the part of the canvas that a source can touch under a pose; `None` for all of it. `borders`: its left, top, right and bottom in the space
/// the pose maps from; `feather_px`: the width of its soft border.
pub(super) fn reach(pose: &Pose, borders: [f64; 4], feather_px: f64) -> Option<Rect> {
    if pose.edge != Edge::Transparent {
        return None;
    }
    let [left, top, right, bottom] = borders;
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for map in &pose.maps {
        let Homography(m) = *map;
        let depth = |x: f64, y: f64| m[6] * x + m[7] * y + m[8];
        let center = depth((left + right) / 2.0, (top + bottom) / 2.0);
        for (cx, cy) in [(left, top), (right, top), (left, bottom), (right, bottom)] {
            // A corner near or behind the horizon may land anywhere.
            if depth(cx, cy) * center.signum() < 1e-6 * center.abs() {
                return None;
            }
            let (px, py) = map.apply(cx, cy);
            if !px.is_finite() || !py.is_finite() {
                return None;
            }
            low = [low[0].min(px), low[1].min(py)];
            high = [high[0].max(px), high[1].max(py)];
        }
    }
    Some(Rect {
        x: (low[0] - feather_px) as f32,
        y: (low[1] - feather_px) as f32,
        width: (high[0] - low[0] + 2.0 * feather_px) as f32,
        height: (high[1] - low[1] + 2.0 * feather_px) as f32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_reaches_its_corners() {
        let pose = Pose::at(Homography::scale_shift(2.0, 3.0, 10.0, 20.0));
        let rect = reach(&pose, [1.0, 1.0, 5.0, 6.0], FEATHER_PX).expect("before the eye");
        assert_eq!(
            rect,
            Rect {
                x: 10.0,
                y: 21.0,
                width: 12.0,
                height: 19.0
            }
        );
        let clamped = Pose {
            edge: Edge::Clamp,
            ..pose
        };
        assert_eq!(reach(&clamped, [0.0, 0.0, 4.0, 5.0], FEATHER_PX), None);
        let folded = Pose::at(Homography([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -2.0]));
        assert_eq!(reach(&folded, [0.0, 0.0, 4.0, 4.0], FEATHER_PX), None);
    }
}
