//! Motions: how the view moves over a shot's picture, as two views and the path between them.
//!
//! The zoom changes evenly in log space (the same factor every frame) and the center evenly in source pixels. Both are floats:
//! nothing is rounded to the pixel grid, so a slow zoom neither steps nor shimmers.

use super::easing::Curve;
use super::report::Report;
use super::seed::Seed;
use crate::error::Problem;
use crate::timeline::{Motion, ViewKey};
use crate::units::within;

/// The part of the base view that is seen. The base view is the largest part of the picture with the canvas's aspect ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// 1 shows the whole base view, 2 half its width.
    pub zoom: f64,
    /// Horizontal center within the room the zoom leaves, from -1 (left edge) to 1 (right edge).
    pub x: f64,
    /// Vertical center, from -1 (top edge) to 1 (bottom edge).
    pub y: f64,
}

impl View {
    /// The whole base view.
    pub const WHOLE: View = View {
        zoom: 1.0,
        x: 0.0,
        y: 0.0,
    };

    /// Returns the seen rectangle `[x, y, width, height]` as fractions of the base view.
    pub fn rect(self) -> [f64; 4] {
        let side = 1.0 / self.zoom;
        let room = 1.0 - side;
        [
            room / 2.0 * (1.0 + self.x),
            room / 2.0 * (1.0 + self.y),
            side,
            side,
        ]
    }
}

/// A path over the picture: two or more views at rising progress.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    keys: Vec<Key>,
    /// Number of steps whose views bound all views.
    n_steps: u32,
}

/// A view on the path.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// Progress through the shot, 0..=1.
    pub at: f64,
    /// The view at that progress.
    pub view: View,
    /// Easing to the next view.
    pub curve: Curve,
}

/// Number of steps for measuring a path with arbitrary curves.
const FINE_STEPS: u32 = 256;

impl Path {
    /// Returns a path without motion.
    pub fn still() -> Path {
        Path::new(View::WHOLE, View::WHOLE)
    }

    /// Returns an even path from one view to another.
    pub fn new(from: View, to: View) -> Path {
        let key = |at, view| Key {
            at,
            view,
            curve: |p| p,
        };
        Path {
            keys: vec![key(0.0, from), key(1.0, to)],
            // Every edge of the view is a monotonic function of the progress.
            n_steps: 1,
        }
    }

    /// Returns a path through several views, or `None` if there are none.
    pub fn through(keys: Vec<Key>) -> Option<Path> {
        (!keys.is_empty()).then_some(Path {
            keys,
            n_steps: FINE_STEPS,
        })
    }

    /// Returns the path reversed.
    fn backwards(&self) -> Path {
        Path::new(self.to(), self.from())
    }

    /// Returns the view at the start.
    pub fn from(&self) -> View {
        self.keys[0].view
    }

    /// Returns the view at the end.
    pub fn to(&self) -> View {
        self.keys[self.keys.len() - 1].view
    }

    /// Returns the seen rectangle at progress `u` (0..=1), as fractions of the base view.
    pub fn rect(&self, u: f64) -> [f64; 4] {
        let next = self.keys.partition_point(|key| key.at <= u);
        match (
            next.checked_sub(1).and_then(|i| self.keys.get(i)),
            self.keys.get(next),
        ) {
            (Some(a), Some(b)) => between(a.view, b.view, (a.curve)((u - a.at) / (b.at - a.at))),
            (Some(only), None) | (None, Some(only)) => only.view.rect(),
            (None, None) => View::WHOLE.rect(),
        }
    }

    /// Returns the rectangle that holds every view of the path, as fractions of the base view.
    pub fn hull(&self) -> [f64; 4] {
        let (mut low, mut high) = ([1.0_f64; 2], [0.0_f64; 2]);
        for [x, y, w, h] in self.rects() {
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x + w), high[1].max(y + h)];
        }
        [low[0], low[1], high[0] - low[0], high[1] - low[1]]
    }

    /// Returns the zoom of the narrowest view.
    pub fn max_zoom(&self) -> f64 {
        self.rects().map(|rect| 1.0 / rect[2]).fold(1.0, f64::max)
    }

    /// Returns views spaced closely enough to bound all of them.
    fn rects(&self) -> impl Iterator<Item = [f64; 4]> {
        let n = self.n_steps;
        let steps = (0..=n).map(move |step| self.rect(f64::from(step) / f64::from(n)));
        // The widest view may be a key between two steps.
        steps.chain(self.keys.iter().map(|key| key.view.rect()))
    }
}

/// Returns the seen rectangle at share `s` between two views. Where a curve overshoots, it is kept inside the base view (or around it, for a shrinking picture).
fn between(from: View, to: View, s: f64) -> [f64; 4] {
    let (a, b) = (from.rect(), to.rect());
    let zoom = (from.zoom.ln() + (to.zoom.ln() - from.zoom.ln()) * s).exp();
    let side = (1.0 / zoom).min(a[2].max(b[2]));
    // The center follows the zoom, so that a zoom about a point keeps that point fixed.
    let share = if a[2] == b[2] {
        s
    } else {
        (side - a[2]) / (b[2] - a[2])
    };
    let corner = |i: usize| {
        let (from, to) = (a[i] + a[2] / 2.0, b[i] + b[2] / 2.0);
        let room = 1.0 - side;
        let at = from + (to - from) * share - side / 2.0;
        within(at, room.min(0.0), room.max(0.0))
    };
    [corner(0), corner(1), side, side]
}

/// A row of the table.
pub(crate) struct Row {
    /// Its name.
    pub name: &'static str,
    /// One-line description of what is seen.
    pub description: &'static str,
    /// The path over the picture for a shot of `secs` seconds at `amount` (1 is the motion's default strength).
    pub path: fn(secs: f64, amount: f64, seed: &mut Seed) -> Path,
}

/// Every built-in motion.
#[rustfmt::skip]
pub(crate) const TABLE: &[Row] = &[
    Row { name: "floating", description: "a gentle zoom in or out, a pan or a drift, chosen per shot by the seed", path: floating },
    Row { name: "still", description: "the picture stands still", path: |_, _, _| Path::still() },
    Row { name: "zoom-in", description: "a slow zoom in", path: |secs, amount, _| zoom(secs, amount) },
    Row { name: "zoom-out", description: "a slow zoom out", path: |secs, amount, _| zoom(secs, amount).backwards() },
    Row { name: "pan-left", description: "the view travels to the left", path: |secs, amount, _| pan(secs, amount, [-1.0, 0.0]) },
    Row { name: "pan-right", description: "the view travels to the right", path: |secs, amount, _| pan(secs, amount, [1.0, 0.0]) },
    Row { name: "pan-up", description: "the view travels up", path: |secs, amount, _| pan(secs, amount, [0.0, -1.0]) },
    Row { name: "pan-down", description: "the view travels down", path: |secs, amount, _| pan(secs, amount, [0.0, 1.0]) },
    Row { name: "drift", description: "the view drifts diagonally and zooms in a little", path: drift },
];

/// Returns the row of that name.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

/// Returns the path of a named motion (seconds, amount, seed), or `None` and a problem at `path` for an unknown name.
pub(crate) fn named(
    name: &str,
    (secs, amount, mut seed): (f64, f64, Seed),
    path: &str,
    report: &mut Report,
) -> Option<Path> {
    let row = row(name);
    if row.is_none() {
        let known: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        report.unknown_name(path, "motion", name, &known);
    }
    row.map(|row| (row.path)(secs, amount, &mut seed))
}

/// Returns the checked path of a motion written out in the document.
pub(crate) fn written(
    own: &Motion,
    (secs, seed): (f64, Seed),
    path: &str,
    report: &mut Report,
) -> Option<Path> {
    let amount = own.amount.map_or(1.0, |amount| {
        report.number(&format!("{path}.amount"), amount, 0.0..=3.0, "")
    });
    match (&own.name, &own.views) {
        (Some(name), None) => named(name, (secs, amount, seed), &format!("{path}.name"), report),
        (None, Some(views)) if own.amount.is_none() => {
            let path = format!("{path}.views");
            let way = Path::through(resolve_views(views, &path, report));
            if way.is_none() {
                report.problem(Problem::new(
                    "too_few",
                    path,
                    "a motion needs at least one view",
                ));
            }
            way
        }
        (None, Some(_)) => {
            report.one_of(path, "amount", "views");
            None
        }
        _ => {
            report.one_of(path, "name", "views");
            None
        }
    }
}

/// Maximum number of views in a motion.
const MAX_VIEWS: usize = 64;

fn resolve_views(views: &[ViewKey], path: &str, report: &mut Report) -> Vec<Key> {
    report.at_most(path, "views", views.len(), MAX_VIEWS);
    let mut keys: Vec<Key> = Vec::new();
    for (i, key) in views.iter().take(MAX_VIEWS).enumerate() {
        let path = format!("{path}[{i}]");
        let at = report.key_time(&path, key.at, keys.last().map(|key| key.at));
        let view = View {
            zoom: report.number(&format!("{path}.zoom"), key.zoom, 1.0..=8.0, ""),
            x: report.number(&format!("{path}.x"), key.x, -1.0..=1.0, ""),
            y: report.number(&format!("{path}.y"), key.y, -1.0..=1.0, ""),
        };
        let curve = report.curve(&path, &key.ease);
        keys.push(Key { at, view, curve });
    }
    keys
}

/// Zoom per second of a floating shot, and its bounds over a whole shot.
const FLOAT_PER_SEC: f64 = 0.012;
const FLOAT_RANGE: (f64, f64) = (0.03, 0.09);

fn floating(secs: f64, amount: f64, seed: &mut Seed) -> Path {
    let far = 1.0 + (FLOAT_PER_SEC * secs).clamp(FLOAT_RANGE.0, FLOAT_RANGE.1) * amount;
    let side = if seed.coin() { 1.0 } else { -1.0 };
    let lean = seed.between(-0.6, 0.6);
    let at = |zoom: f64, x: f64, y: f64| View { zoom, x, y };
    let (from, to) = match seed.below(7) {
        // Zooms are the calmest and lead the eye, so they are the most frequent.
        0 | 1 => (View::WHOLE, at(far, lean * 0.5, -0.3)),
        2 | 3 => (at(far, -lean * 0.5, -0.2), View::WHOLE),
        4 => (
            at(far, -side * 0.9, lean * 0.4),
            at(far, side * 0.9, lean * 0.4),
        ),
        5 => (
            at(far, lean * 0.4, side * 0.9),
            at(far, lean * 0.4, -side * 0.9),
        ),
        _ => (
            at(1.0 + (far - 1.0) * 0.4, -side, lean),
            at(far, side * 0.7, -lean),
        ),
    };
    Path::new(from, to)
}

/// Zoom per second of a shot that zooms or pans by name, and its bounds over a whole shot.
const NAMED_PER_SEC: f64 = 0.03;
const NAMED_RANGE: (f64, f64) = (0.08, 0.25);

fn named_zoom(secs: f64, amount: f64) -> f64 {
    1.0 + (NAMED_PER_SEC * secs).clamp(NAMED_RANGE.0, NAMED_RANGE.1) * amount
}

fn zoom(secs: f64, amount: f64) -> Path {
    let near = View {
        zoom: named_zoom(secs, amount),
        ..View::WHOLE
    };
    Path::new(View::WHOLE, near)
}

fn pan(secs: f64, amount: f64, [x, y]: [f64; 2]) -> Path {
    let zoom = named_zoom(secs, amount);
    Path::new(View { zoom, x: -x, y: -y }, View { zoom, x, y })
}

fn drift(secs: f64, amount: f64, seed: &mut Seed) -> Path {
    let zoom = named_zoom(secs, amount);
    let side = if seed.coin() { 1.0 } else { -1.0 };
    let lean = seed.between(-0.5, 0.5);
    let from = View {
        zoom: 1.0 + (zoom - 1.0) * 0.6,
        x: -0.8 * side,
        y: lean,
    };
    let to = View {
        zoom,
        x: 0.8 * side,
        y: -lean,
    };
    Path::new(from, to)
}
