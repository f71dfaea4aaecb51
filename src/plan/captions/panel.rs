//! Shapes around letters: panels with rules, brackets and torn edges; word markers; carets; flying particles.

use super::super::seed::Seed;
use super::letters::WordShape;
use super::look::{Burst, Marker, Painted, Panel};
use super::sheet::Sheet;
use crate::scene::draw::{BoxShape, Paint};
use crate::timeline::MarkerKind;
use crate::units::{Color, Rect, within};

/// Number of pieces in a hand-drawn line.
const N_PIECES: usize = 14;

/// Length of a corner bracket as a multiple of its width.
const BRACKET_LENGTH: f32 = 7.0;

fn plain(rect: Rect, color: Color) -> BoxShape {
    BoxShape {
        rect,
        radius: 0.0,
        rotate: 0.0,
        paint: Paint::Solid(color),
        border: None,
        blur_px: 0.0,
    }
}

fn grown(rect: Rect, [x, y]: [f32; 2]) -> Rect {
    Rect {
        x: rect.x - x,
        y: rect.y - y,
        width: rect.width + 2.0 * x,
        height: rect.height + 2.0 * y,
    }
}

/// Returns the boxes that blur what lies behind them, and the boxes drawn on top, back to front.
pub(super) fn panel(
    style: &Panel,
    lines: &[Rect],
    (frame, rtl): (Rect, bool),
    page: usize,
) -> (Vec<BoxShape>, Vec<BoxShape>) {
    let around: Vec<Rect> = match style.per_line {
        true => lines.to_vec(),
        false => vec![frame],
    };
    let (mut glass, mut boxes) = (Vec::new(), Vec::new());
    for rect in around.into_iter().filter(|r| r.width > 0.0) {
        let rect = grown(rect, style.padding);
        let shape = BoxShape {
            radius: style.radius.min(rect.width / 2.0).min(rect.height / 2.0),
            border: style.border,
            ..plain(rect, style.color)
        };
        if style.glass_sigma > 0.0 {
            glass.push(BoxShape {
                paint: Paint::Solid(style.color.faded(0.0)),
                border: None,
                ..shape
            });
        }
        if style.torn > 0.0 {
            tear(style, rect, page, &mut boxes);
        } else {
            boxes.push(shape);
        }
        if let Some((width, color)) = style.rule {
            let x = if rtl {
                rect.x + rect.width - width
            } else {
                rect.x
            };
            boxes.push(plain(Rect { x, width, ..rect }, color));
        }
        if let Some(line) = style.brackets {
            brackets(rect, line, &mut boxes);
        }
    }
    (glass, boxes)
}

/// Draws a sheet with ragged edges: a body, and slabs of random depth along each edge.
fn tear(style: &Panel, rect: Rect, page: usize, boxes: &mut Vec<BoxShape>) {
    let mut seed = Seed::new(0, "torn edge", page as u64);
    let torn = style.torn;
    let body = grown(rect, [-torn; 2]);
    // If the torn edges meet, there is no body.
    if body.width > 0.0 && body.height > 0.0 {
        boxes.push(plain(body, style.color));
    }
    let (right, bottom) = (rect.x + rect.width, rect.y + rect.height);
    let corners = [
        [rect.x, rect.y],
        [right, rect.y],
        [right, bottom],
        [rect.x, bottom],
    ];
    for side in 0..4 {
        let (from, to) = (corners[side], corners[(side + 1) % 4]);
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let length = dx.hypot(dy).max(1.0);
        // Directions along the edge and into the sheet.
        let (along, into) = ([dx / length, dy / length], [-dy / length, dx / length]);
        let n = (length / (0.9 * torn)).ceil().clamp(2.0, 80.0) as usize;
        // Neighboring depths are similar, so that the edge looks torn rather than comb-like.
        let mut depth = 0.5;
        let points: Vec<[f32; 2]> = (0..=n)
            .map(|i| {
                depth = (depth + seed.between(-0.5, 0.5)).clamp(0.0, 1.0);
                let deep = if i == 0 || i == n { 0.9 } else { depth as f32 } * torn;
                let far = torn_at(length, i as f32 / n as f32, 0.9 * torn);
                std::array::from_fn(|c| from[c] + along[c] * far + into[c] * deep)
            })
            .collect();
        let slabs = points
            .windows(2)
            .map(|pair| slab(pair[0], pair[1], torn * 1.6));
        boxes.extend(slabs.map(|(rect, rotate)| BoxShape {
            rotate,
            ..plain(rect, style.color)
        }));
    }
}

/// Returns the position of a point along a torn edge, kept away from the corners if the edge is long enough.
fn torn_at(length: f32, share: f32, margin: f32) -> f32 {
    let margin = margin.min(length / 2.0);
    within(length * share, margin, length - margin)
}

/// Returns a box of this thickness whose upper edge runs from one point to the other, and its rotation.
fn slab(from: [f32; 2], to: [f32; 2], thick: f32) -> (Rect, f32) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let length = dx.hypot(dy).max(0.01);
    let into = [-dy / length * thick / 2.0, dx / length * thick / 2.0];
    let center: [f32; 2] = std::array::from_fn(|c| (from[c] + to[c]) / 2.0 + into[c]);
    // Slightly longer, to leave no gap where two slabs meet.
    let long = length + 1.5;
    let rect = Rect {
        x: center[0] - long / 2.0,
        y: center[1] - thick / 2.0,
        width: long,
        height: thick,
    };
    (rect, dy.atan2(dx))
}

fn brackets(rect: Rect, (width, color): (f32, Color), boxes: &mut Vec<BoxShape>) {
    let length = (width * BRACKET_LENGTH).min(rect.height / 2.5);
    for (right, low) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut arm = |w: f32, h: f32| {
            let x = if right {
                rect.x + rect.width - w
            } else {
                rect.x
            };
            let y = if low {
                rect.y + rect.height - h
            } else {
                rect.y
            };
            let rect = Rect {
                x,
                y,
                width: w,
                height: h,
            };
            boxes.push(plain(rect, color));
        };
        arm(length, width);
        arm(width, length);
    }
}

/// Returns the marker of a word. `drawn`, from 0 to 1, is the share of a line that is drawn, or how far a box has glided from the previous word.
pub(super) fn marker(
    style: &Marker,
    sheet: &Sheet,
    place: (usize, usize),
    drawn: f32,
) -> Vec<BoxShape> {
    let boxes = pieces(style, sheet, place, drawn);
    let Some((width, color)) = style.outline else {
        return boxes;
    };
    let around = boxes.iter().map(|shape| BoxShape {
        radius: shape.radius + width,
        rotate: shape.rotate,
        ..plain(grown(shape.rect, [width; 2]), color)
    });
    let mut all: Vec<BoxShape> = around.collect();
    all.extend(boxes);
    all
}

fn pieces(
    style: &Marker,
    sheet: &Sheet,
    (page, word): (usize, usize),
    drawn: f32,
) -> Vec<BoxShape> {
    let shape = &sheet.words[word];
    if shape.glyphs.is_empty() {
        return Vec::new();
    }
    let at = |rect: Rect| Painted {
        page,
        word: shape.index,
        rect,
    };
    let padding = style.padding_em.map(|p| p * sheet.size_px);
    let lines = shape.parts.iter().enumerate().map(|(i, part)| {
        if style.kind == MarkerKind::Box {
            let rect = match i {
                0 => grown(gliding(sheet, word, drawn), padding),
                _ => grown(*part, padding),
            };
            let radius = (style.radius_em * sheet.size_px)
                .min(rect.height / 2.0)
                .min(rect.width / 2.0);
            return vec![BoxShape {
                radius,
                paint: style.color.paint(at(rect), 1.0),
                ..plain(rect, Color::BLACK)
            }];
        }
        let full = Rect {
            x: part.x - padding[0],
            y: part.y + part.height + padding[1],
            width: part.width + 2.0 * padding[0],
            height: style.width,
        };
        let paint = style.color.paint(at(full), 1.0);
        line(style, (shape, i), full, drawn)
            .into_iter()
            .map(|shape| BoxShape { paint, ..shape })
            .collect()
    });
    lines.flatten().collect()
}

/// Returns the drawn share of a line whose middle runs along the top of `full`, below a word's `i`-th part.
fn line(style: &Marker, (shape, i): (&WordShape, usize), full: Rect, drawn: f32) -> Vec<BoxShape> {
    if style.kind == MarkerKind::Line {
        let middle = full.shifted([0.0, -style.width / 2.0]);
        let rect = begun(middle, drawn, shape.rtl);
        return vec![BoxShape {
            radius: style.width.min(rect.width) / 2.0,
            ..plain(rect, Color::BLACK)
        }];
    }
    let (x, length) = match shape.rtl {
        true => (full.x + full.width, -full.width),
        false => (full.x, full.width),
    };
    let stroke = Stroke::new(style, shape.index + 7919 * i, [x, full.y], length);
    let n = (drawn * N_PIECES as f32).ceil() as usize;
    (0..n.min(N_PIECES)).map(|i| stroke.piece(i)).collect()
}

/// Returns the share `drawn` of a line, from the side where its text starts.
fn begun(full: Rect, drawn: f32, rtl: bool) -> Rect {
    let width = full.width * drawn;
    let x = if rtl {
        full.x + full.width - width
    } else {
        full.x
    };
    Rect { x, width, ..full }
}

/// A hand-drawn line.
struct Stroke {
    start: [f32; 2],
    length: f32,
    slope: f32,
    bow: f32,
    width: f32,
    tapers: bool,
}

impl Stroke {
    fn new(style: &Marker, index: usize, start: [f32; 2], length: f32) -> Stroke {
        let mut seed = Seed::new(0, "pen", index as u64);
        let wide = f64::from(style.width);
        let swash = style.kind == MarkerKind::Swash;
        let (slope, bow) = match swash {
            true => (-0.4 * wide, 1.6 * wide),
            false => (
                seed.between(-1.6, 0.6) * wide,
                seed.between(-1.2, 1.2) * wide,
            ),
        };
        Stroke {
            start,
            length,
            slope: slope as f32,
            bow: bow as f32,
            width: style.width,
            tapers: swash,
        }
    }

    fn at(&self, t: f32) -> [f32; 2] {
        // A swash curves once to each side, a pen stroke only to one.
        let swing = match self.tapers {
            true => (t * std::f32::consts::TAU).sin() * 0.6,
            false => (t * std::f32::consts::PI).sin(),
        };
        let [x, y] = self.start;
        [x + t * self.length, y + t * self.slope + self.bow * swing]
    }

    fn piece(&self, i: usize) -> BoxShape {
        let n = N_PIECES as f32;
        let (from, to) = (self.at(i as f32 / n), self.at((i + 1) as f32 / n));
        let middle = (i as f32 + 0.5) / n;
        let width = match self.tapers {
            true => self.width * (0.3 + 0.9 * (middle * std::f32::consts::PI).sin()),
            false => self.width * (1.0 - 0.35 * middle),
        };
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let length = dx.hypot(dy) + width * 0.9;
        let center = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
        let rect = Rect {
            x: center[0] - length / 2.0,
            y: center[1] - width / 2.0,
            width: length,
            height: width,
        };
        BoxShape {
            radius: width.min(length) / 2.0,
            rotate: dy.atan2(dx),
            ..plain(rect, Color::BLACK)
        }
    }
}

/// Returns a word's box, or one `drawn` of the way to it from the previous word on its line.
fn gliding(sheet: &Sheet, word: usize, drawn: f32) -> Rect {
    let shape = &sheet.words[word];
    let rect = shape.parts.first().copied().unwrap_or(shape.rect);
    let before = word.checked_sub(1).map(|i| &sheet.words[i]);
    let before = before.and_then(|before| before.parts.last());
    let from = before.filter(|from| from.y == rect.y).unwrap_or(&rect);
    let mix = |a: f32, b: f32| a + (b - a) * drawn;
    Rect {
        x: mix(from.x, rect.x),
        width: mix(from.width, rect.width),
        ..rect
    }
}

/// Returns the block after the letter that ends at the pen, on the side where the next letter will appear.
pub(super) fn caret(sheet: &Sheet, word: usize, [x, baseline]: [f32; 2], color: Color) -> BoxShape {
    let (rect, rtl) = (sheet.words[word].parts[0], sheet.words[word].rtl);
    let size = sheet.size_px;
    let (gap, width) = (0.08 * size, 0.52 * size);
    let block = Rect {
        x: if rtl { x - gap - width } else { x + gap },
        y: baseline - rect.height - 0.06 * size,
        width,
        height: rect.height + 0.16 * size,
    };
    plain(block, color)
}

/// Returns particles flying out from the block's rim at `p` (0 to 1) of their time.
pub(super) fn burst(style: &Burst, frame: Rect, page: usize, p: f32) -> Vec<BoxShape> {
    let mut seed = Seed::new(0, "burst", page as u64);
    let center = [frame.x + frame.width / 2.0, frame.y + frame.height / 2.0];
    let far = 1.0 - (1.0 - p).powi(2);
    let bits = (0..style.count).map(|i| {
        let around = std::f64::consts::TAU / style.count as f64;
        let angle = i as f64 * around + seed.between(-0.3, 0.3) * around;
        let reach = style.reach * seed.between(0.6, 1.0) as f32;
        let size = style.size * seed.between(0.7, 1.2) as f32 * (1.0 - p * p);
        let (sin, cos) = (angle.sin() as f32, angle.cos() as f32);
        // They fall as they fly.
        let fall = p * p * style.reach * 0.5;
        let x = center[0] + cos * (frame.width * 0.45 + reach * far);
        let y = center[1] + sin * (frame.height * 0.4 + reach * far) + fall;
        let rect = Rect {
            x: x - size / 2.0,
            y: y - size * 0.4,
            width: size,
            height: size * 0.8,
        };
        BoxShape {
            radius: size * 0.36,
            rotate: (angle as f32) + p * 4.0,
            ..plain(rect, style.colors[i % style.colors.len()])
        }
    });
    bits.collect()
}
