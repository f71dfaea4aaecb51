//! Motions: how the view travels over a shot's picture, as two views and the way between them.
//!
//! The zoom changes evenly in log space (the same factor every frame), the center evenly in source pixels, both as floats: nothing is rounded to the
//! pixel grid, so a slow zoom neither steps nor shimmers.

use super::seed::Seed;

/// The part of the base view that is seen: the base view is the largest part of the picture with the canvas's shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// 1 shows the whole base view, 2 half its width.
    pub zoom: f64,
    /// Center within the room that the zoom leaves, -1 left edge to 1 right edge.
    pub x: f64,
    /// -1 top edge to 1 bottom edge.
    pub y: f64,
}

impl View {
    /// The whole base view.
    pub const WHOLE: View = View {
        zoom: 1.0,
        x: 0.0,
        y: 0.0,
    };

    /// The seen rectangle `[x, y, width, height]` as fractions of the base view.
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

/// A way over the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Path {
    /// At the shot's first instant.
    pub from: View,
    /// At its last.
    pub to: View,
}

impl Path {
    /// No motion.
    pub const STILL: Path = Path {
        from: View::WHOLE,
        to: View::WHOLE,
    };

    /// The seen rectangle at progress `u` (0..=1), as fractions of the base view.
    pub fn rect(self, u: f64) -> [f64; 4] {
        let (a, b) = (self.from.rect(), self.to.rect());
        let zoom = (self.from.zoom.ln() + (self.to.zoom.ln() - self.from.zoom.ln()) * u).exp();
        let side = 1.0 / zoom;
        // The centers run in step with the zoom, so that a zoom about a point keeps that point where it is.
        let share = if self.from.zoom == self.to.zoom {
            u
        } else {
            (side - a[2]) / (b[2] - a[2])
        };
        let center = |i: usize| {
            let (from, to) = (a[i] + a[2] / 2.0, b[i] + b[2] / 2.0);
            from + (to - from) * share
        };
        [center(0) - side / 2.0, center(1) - side / 2.0, side, side]
    }

    /// The rectangle that holds every view of the way, as fractions of the base view.
    pub fn hull(self) -> [f64; 4] {
        // Every edge is a monotonic function of the progress, so the ends bound it.
        let (a, b) = (self.from.rect(), self.to.rect());
        let (x, y) = (a[0].min(b[0]), a[1].min(b[1]));
        [
            x,
            y,
            (a[0] + a[2]).max(b[0] + b[2]) - x,
            (a[1] + a[3]).max(b[1] + b[3]) - y,
        ]
    }

    /// The narrowest view's zoom.
    pub fn max_zoom(self) -> f64 {
        self.from.zoom.max(self.to.zoom)
    }
}

/// A row of the table.
pub(crate) struct Row {
    /// Its name.
    pub name: &'static str,
    /// What is seen, in one line.
    pub description: &'static str,
    /// The way over the picture for a shot of `secs` seconds at `amount` (1 is the motion's own measure).
    pub path: fn(secs: f64, amount: f64, seed: &mut Seed) -> Path,
}

/// Every built-in motion.
pub(crate) const TABLE: &[Row] = &[
    Row {
        name: "none",
        description: "the picture stands still",
        path: |_, _, _| Path::STILL,
    },
    Row {
        name: "floating",
        description: "a gentle zoom in or out, a pan or a drift, chosen per shot by the seed",
        path: floating,
    },
];

/// The row of that name.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
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
        // Zooms are the calmest and lead the eye: they come most often.
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
    Path { from, to }
}
