//! Decides which glyphs of a face may be drawn, at their first use.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use skrifa::instance::NormalizedCoord;
use swash::scale::outline::Outline;
use swash::zeno::{Point, Verb};

use super::bitmaps;
use super::fonts::lock;
use super::trust::guarded;
use super::weigh::Outlines;

/// Maximum distance of a glyph's outline from its origin, em. Ligatures of whole phrases are ten em wide.
const MAX_REACH_EM: f32 = 30.0;

/// Largest mask of a glyph, px.
const MAX_MASK_PX: f32 = 6.4e7;

/// Maximum edge length of a glyph, in half perimeters of its box. Letters have four, thousands of specks a hundred.
const MAX_WINDING: f32 = 200.0;

/// Maximum number of pixels covered by the layers of a color glyph, counted per layer.
const MAX_LAYERED_PX: f32 = 2.56e8;

/// Cached verdicts on the glyphs of a face.
#[derive(Default)]
pub(super) struct Guard {
    verdicts: Mutex<HashMap<u16, bool>>,
    pictures: Mutex<HashMap<u16, bool>>,
    can_search: OnceLock<bool>,
}

impl Guard {
    /// Returns whether a glyph's outline may be drawn; `reach_em`, called after the work is measured, returns its extent.
    pub(super) fn allows(
        &self,
        font: Option<skrifa::FontRef<'_>>,
        glyph: u16,
        coords: &[i16],
        reach_em: impl FnOnce() -> f32,
    ) -> bool {
        if let Some(known) = lock(&self.verdicts).get(&glyph) {
            return *known;
        }
        let coords: Vec<_> = coords
            .iter()
            .copied()
            .map(NormalizedCoord::from_bits)
            .collect();
        let steps = guarded(|| Outlines::new(font?).steps(glyph, &coords)).flatten();
        // If a reader gives up here, it also draws nothing later. Only excessive glyphs are refused.
        let verdict =
            steps.is_some() && guarded(reach_em).is_none_or(|reach| reach <= MAX_REACH_EM);
        lock(&self.verdicts).insert(glyph, verdict);
        verdict
    }

    /// Returns whether a glyph's color bitmaps may be drawn.
    pub(super) fn allows_picture(&self, font: Option<skrifa::FontRef<'_>>, glyph: u16) -> bool {
        let Some(font) = font else {
            return false;
        };
        let search = || guarded(|| bitmaps::can_be_searched(&font)).unwrap_or(false);
        if !*self.can_search.get_or_init(search) {
            return false;
        }
        if let Some(known) = lock(&self.pictures).get(&glyph) {
            return *known;
        }
        let verdict = guarded(|| bitmaps::are_small(&font, glyph)).unwrap_or(false);
        lock(&self.pictures).insert(glyph, verdict);
        verdict
    }
}

/// Returns how far an outline extends from its origin; infinite if it has non-finite points.
pub(super) fn reach(outline: &Outline) -> f32 {
    let far = |v: f32| {
        if v.is_finite() {
            v.abs()
        } else {
            f32::INFINITY
        }
    };
    let points = outline.points().iter();
    points
        .flat_map(|p| [far(p.x), far(p.y)])
        .fold(0.0, f32::max)
}

/// Returns whether a shape is quick to draw: the area of its box and the length of its edge are limited.
pub(super) fn is_light(points: &[Point], verbs: &[Verb]) -> bool {
    let (area, girth) = extent(points);
    area <= MAX_MASK_PX && length(points, verbs) <= MAX_WINDING * (girth + 16.0)
}

/// Returns whether a color glyph is quick to draw.
pub(super) fn are_light(outline: &Outline) -> bool {
    let layers = (0..outline.len()).filter_map(|i| outline.get(i));
    let mut covered = 0.0;
    for layer in layers {
        covered += extent(layer.points()).0;
        if covered > MAX_LAYERED_PX || !is_light(layer.points(), layer.verbs()) {
            return false;
        }
    }
    extent(outline.points()).0 <= MAX_MASK_PX
}

/// Returns area and half perimeter of the bounding box of points.
fn extent(points: &[Point]) -> (f32, f32) {
    let (mut min, mut max) = (
        Point::new(f32::MAX, f32::MAX),
        Point::new(f32::MIN, f32::MIN),
    );
    for p in points {
        min = Point::new(min.x.min(p.x), min.y.min(p.y));
        max = Point::new(max.x.max(p.x), max.y.max(p.y));
    }
    if points.is_empty() {
        return (0.0, 0.0);
    }
    let (w, h) = (max.x - min.x + 2.0, max.y - min.y + 2.0);
    (w * h, w + h)
}

/// Returns the length of the lines between the points of a path, including those that close its contours.
fn length(points: &[Point], verbs: &[Verb]) -> f32 {
    let (mut points, mut sum) = (points.iter().copied(), 0.0);
    let (mut start, mut at) = (Point::ZERO, Point::ZERO);
    for verb in verbs {
        let n = match verb {
            Verb::MoveTo | Verb::LineTo => 1,
            Verb::QuadTo => 2,
            Verb::CurveTo => 3,
            Verb::Close => 0,
        };
        if matches!(verb, Verb::MoveTo | Verb::Close) {
            sum += (start - at).length();
            at = start;
        }
        for to in points.by_ref().take(n) {
            if *verb == Verb::MoveTo {
                start = to;
            } else {
                sum += (to - at).length();
            }
            at = to;
        }
    }
    sum
}
