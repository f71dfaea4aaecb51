//! Which glyphs of a face may be drawn, found out when one is first asked for.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use skrifa::instance::NormalizedCoord;
use swash::scale::outline::Outline;
use swash::zeno::{Point, Verb};

use super::bitmaps;
use super::fonts::lock;
use super::trust::guarded;
use super::weigh::Outlines;

/// Farthest that a glyph may reach from its origin, em. Ligatures of whole phrases are ten ems wide.
const MAX_REACH_EM: f32 = 30.0;

/// Largest mask of a glyph, px.
const MAX_MASK_PX: f32 = 6.4e7;

/// Longest edge of a glyph, half girths of its box. Letters have four, thousands of specks a hundred.
const MAX_WINDING: f32 = 200.0;

/// Most pixels that the layers of a color glyph cover, each counted for itself.
const MAX_LAYERED_PX: f32 = 2.56e8;

/// What is known of the glyphs of a face.
#[derive(Default)]
pub(super) struct Guard {
    verdicts: Mutex<HashMap<u16, bool>>,
    pictures: Mutex<HashMap<u16, bool>>,
    can_search: OnceLock<bool>,
}

impl Guard {
    /// Whether a glyph's outline may be asked for; `reach_em` is asked afterwards how far it reaches.
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
        // A reader that gives up here draws nothing later either: only a glyph that asks for too much is refused.
        let verdict =
            steps.is_some() && guarded(reach_em).is_none_or(|reach| reach <= MAX_REACH_EM);
        lock(&self.verdicts).insert(glyph, verdict);
        verdict
    }

    /// Whether a glyph's color pictures may be drawn.
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

/// How far an outline reaches from its origin; infinite where it is not a shape.
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

/// Whether a shape of this size is drawn in a moment: its box holds so many pixels, and its edge runs through so many of them.
pub(super) fn is_light(points: &[Point], verbs: &[Verb]) -> bool {
    let (area, girth) = extent(points);
    area <= MAX_MASK_PX && length(points, verbs) <= MAX_WINDING * (girth + 16.0)
}

/// Whether a color glyph is drawn in a moment.
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

/// Area and half girth of the box around points.
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

/// Length of the lines between the points of a path, those back to where a contour starts as well.
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
