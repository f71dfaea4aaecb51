//! Checks for captions that leave the canvas, or the part of it that no app covers.

use crate::error::Warning;
use crate::plan::{Plan, ShownPage};
use crate::units::{Rect, Size};

/// How far letters may extend beyond their area, in px at a shorter side of 1080 px: serifs and round letters do.
const TOLERANCE: f32 = 6.0;

/// Returns one warning of each kind, with the first page and the number of pages.
pub(super) fn check(plan: &Plan) -> Vec<Warning> {
    let tolerance = TOLERANCE * plan.size.width.min(plan.size.height) as f32 / 1080.0;
    let canvas = whole(plan.size);
    let (mut cut, mut covered) = (Vec::new(), Vec::new());
    for page in plan.caption_pages() {
        if !holds(canvas, page.ink(), 0.0) {
            cut.push(page);
        } else if !holds(page.room(), page.body(), tolerance) {
            covered.push(page);
        }
    }
    let cut = told(
        plan,
        &cut,
        "caption_overflow",
        "reaches beyond the edge of the picture and is cut off: write shorter words, or choose a smaller size or fewer words per page",
    );
    let covered = told(
        plan,
        &covered,
        "caption_outside_safe_area",
        "extends outside the safe area and may be covered by the buttons of apps: write shorter words, or choose a smaller size or fewer words per page",
    );
    cut.into_iter().chain(covered).collect()
}

fn told(plan: &Plan, pages: &[ShownPage], code: &'static str, what: &str) -> Option<Warning> {
    const SHOWN_CHARS: usize = 40;
    let first = pages.first()?;
    let mut shown: String = first.text().chars().take(SHOWN_CHARS).collect();
    if shown.len() < first.text().len() {
        shown.push('…');
    }
    let more = match pages.len() {
        1 => String::new(),
        n => format!(" (and {} more like it)", n - 1),
    };
    let message = format!("the page “{shown}”{more} {what}");
    let mut warning = Warning::new(code, plan.path_of_page(*first), message);
    warning.at = Some(first.span().start);
    Some(warning)
}

fn whole(size: Size) -> Rect {
    Rect {
        x: 0.0,
        y: 0.0,
        width: size.width as f32,
        height: size.height as f32,
    }
}

fn holds(outer: Rect, inner: Rect, tolerance: f32) -> bool {
    inner.x >= outer.x - tolerance
        && inner.y >= outer.y - tolerance
        && inner.x + inner.width <= outer.x + outer.width + tolerance
        && inner.y + inner.height <= outer.y + outer.height + tolerance
}
