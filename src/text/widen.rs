//! Widens a mask with a round pen, using every pixel's distance to the shape's edge.
//!
//! Strokers offset a path and fill the result; in counters narrower than the pen, the windings of the two sides cancel and leave holes.
//! Distances to the edge's straight pieces have no such problem: the nearest piece decides, so corners are round and edges smooth.

use crate::units::within;
use swash::zeno::{Command, PathData, Point};

/// Maximum deviation of a straight piece from its curve, px.
const TOLERANCE_PX: f32 = 0.05;

/// Maximum number of pieces per curve.
const MAX_PIECES: f32 = 64.0;

/// A straight piece of an edge, px, y down.
pub(super) type Piece = [Point; 2];

/// Coverage on a pixel grid.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    /// Column and row of the first pixel.
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) coverage: Vec<u8>,
}

/// Returns the straight pieces of a path's edge.
pub(super) fn pieces_of(path: impl PathData) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (Point::ZERO, Point::ZERO);
    let mut curve = |from: Point, bend: f32, point: &dyn Fn(f32) -> Point| {
        let n = (bend / TOLERANCE_PX).sqrt().ceil().clamp(1.0, MAX_PIECES);
        let mut last = from;
        for i in 1..=n as u32 {
            let next = point(i as f32 / n);
            pieces.push([last, next]);
            last = next;
        }
    };
    for command in path.commands() {
        match command {
            Command::MoveTo(to) => (start, at) = (to, to),
            Command::LineTo(to) => {
                curve(at, 0.0, &|_| to);
                at = to;
            }
            // The deviation of n chords is a quarter (three quarters) of the second difference over n².
            Command::QuadTo(c, to) => {
                let bend = (at - c * 2.0 + to).length() / 4.0;
                let from = at;
                curve(from, bend, &|t| {
                    let u = 1.0 - t;
                    from * (u * u) + c * (2.0 * u * t) + to * (t * t)
                });
                at = to;
            }
            Command::CurveTo(c, d, to) => {
                let second = (at - c * 2.0 + d).length().max((c - d * 2.0 + to).length());
                let from = at;
                curve(from, 0.75 * second, &|t| {
                    let u = 1.0 - t;
                    from * (u * u * u)
                        + c * (3.0 * u * u * t)
                        + d * (3.0 * u * t * t)
                        + to * (t * t * t)
                });
                at = to;
            }
            Command::Close => {
                let to = start;
                curve(at, 0.0, &|_| to);
                at = start;
            }
        }
    }
    pieces
}

/// Returns the pieces of the contour at half coverage of a mask (marching squares), for glyphs without an outline.
pub(super) fn pieces_of_mask(grid: &Grid) -> Vec<Piece> {
    let (w, h) = (grid.width as i32, grid.height as i32);
    let value = |x: i32, y: i32| {
        let inside = (0..w).contains(&x) && (0..h).contains(&y);
        let v = if inside {
            grid.coverage[y as usize * grid.width + x as usize]
        } else {
            0
        };
        f32::from(v) - 127.5
    };
    let mut pieces = Vec::new();
    for y in -1..h {
        for x in -1..w {
            let corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
            let crossings: Vec<Point> = (0..4)
                .filter_map(|i| {
                    let ((ax, ay), (bx, by)) = (corners[i], corners[(i + 1) % 4]);
                    let (a, b) = (value(ax, ay), value(bx, by));
                    let t = a / (a - b);
                    let at = |p: i32, q: i32| p as f32 + (q - p) as f32 * t + 0.5;
                    ((a < 0.0) != (b < 0.0)).then(|| Point::new(at(ax, bx), at(ay, by)))
                })
                .collect();
            let origin = Point::new(grid.x as f32, grid.y as f32);
            pieces.extend(
                crossings
                    .chunks_exact(2)
                    .map(|c| [c[0] + origin, c[1] + origin]),
            );
        }
    }
    pieces
}

/// Returns the mask grown by `radius` px beyond its edge, given as pieces; coverage falls over one pixel across the new edge.
pub(super) fn widen(fill: &Grid, pieces: &[Piece], radius: f32) -> Grid {
    let room = radius.ceil() as usize + 1;
    let (width, height) = (fill.width + 2 * room, fill.height + 2 * room);
    let (x, y) = (fill.x - room as i32, fill.y - room as i32);
    let reach = radius + 1.0;
    let mut nearest = vec![f32::MAX; width * height];
    for [a, b] in pieces {
        let columns = span(a.x, b.x, reach, x, width);
        let along = *b - *a;
        let scale = 1.0 / (along.x * along.x + along.y * along.y).max(1e-12);
        for row in span(a.y, b.y, reach, y, height) {
            let py = (y + row as i32) as f32 + 0.5 - a.y;
            let line = &mut nearest[row * width..][columns.clone()];
            let mut px = (x + columns.start as i32) as f32 + 0.5 - a.x;
            for value in line {
                let t = ((px * along.x + py * along.y) * scale).clamp(0.0, 1.0);
                let (dx, dy) = (px - t * along.x, py - t * along.y);
                *value = value.min(dx * dx + dy * dy);
                px += 1.0;
            }
        }
    }
    let mut coverage = vec![0_u8; width * height];
    for (row, line) in fill.coverage.chunks_exact(fill.width).enumerate() {
        coverage[(row + room) * width + room..][..fill.width].copy_from_slice(line);
    }
    for (out, squared) in coverage.iter_mut().zip(nearest) {
        let distance = squared.sqrt();
        let signed = if *out >= 128 { -distance } else { distance };
        let covered = (radius - signed + 0.5).clamp(0.0, 1.0);
        *out = (*out).max((covered * 255.0 + 0.5) as u8);
    }
    Grid {
        x,
        y,
        width,
        height,
        coverage,
    }
}

/// Returns the pixels, in a row of `n` starting at `first`, that a piece from `a` to `b` can reach.
fn span(a: f32, b: f32, reach: f32, first: i32, n: usize) -> std::ops::Range<usize> {
    let low = ((a.min(b) - reach).floor() as i32).saturating_sub(first);
    let high = ((a.max(b) + reach).ceil() as i32).saturating_sub(first);
    let low = within(low, 0, n as i32);
    low as usize..within(high, low, n as i32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(grid: &Grid) -> f32 {
        grid.coverage.iter().map(|v| f32::from(*v) / 255.0).sum()
    }

    #[test]
    fn a_square_grows_round_corners_and_no_holes() {
        let square = Grid {
            x: 3,
            y: -4,
            width: 20,
            height: 20,
            coverage: vec![255; 400],
        };
        let pieces = pieces_of_mask(&square);
        for radius in [0.5_f32, 1.0, 4.0, 7.3] {
            let wide = widen(&square, &pieces, radius);
            let want = 400.0 + 80.0 * radius + std::f32::consts::PI * radius * radius;
            let got = area(&wide);
            assert!(
                (got / want - 1.0).abs() < 0.01,
                "{radius}: {got}, not {want}"
            );
        }
    }

    #[test]
    fn a_counter_narrower_than_the_pen_closes() {
        // A ring: 40x40 with a hole of 12x12.
        let inside = |v: usize| (14..26).contains(&v);
        let coverage = (0..1600)
            .map(|i| {
                if inside(i % 40) && inside(i / 40) {
                    0
                } else {
                    255
                }
            })
            .collect();
        let ring = Grid {
            width: 40,
            height: 40,
            coverage,
            ..Grid::default()
        };
        let wide = widen(&ring, &pieces_of_mask(&ring), 7.0);
        let row = &wide.coverage[wide.height / 2 * wide.width..][..wide.width];
        assert!(row[8..wide.width - 8].iter().all(|v| *v == 255));
    }
}
