//! How pages and words enter: position, size and opacity throughout the entry.

use super::look::Entry;
use crate::scene::draw::{Homography, Wipe};
use crate::timeline::EntryKind;
use crate::units::Rect;

/// Opacities of a flickering neon tube.
const FLICKER: [f32; 6] = [0.2, 1.0, 0.2, 1.0, 0.3, 1.0];

/// The share of its time for which a tube flickers; then it is steady, so that the word can be read.
const FLICKERS_FOR: f64 = 0.6;

/// Sideways jumps of a worn tape, in px at a font size of 88.
const JITTER: [f64; 5] = [-7.0, 6.0, -3.0, 2.0, 0.0];

/// Number of steps in a stepped entry.
const N_STEPS: f64 = 4.0;

/// Height of a falling object at shares of its time: it lands, bounces, lands, bounces, lands.
const DROP: [(f64, f64); 6] = [
    (0.0, 1.0),
    (0.38, 0.0),
    (0.58, 0.26),
    (0.76, 0.0),
    (0.88, 0.09),
    (1.0, 0.0),
];

/// Squash on landing, and the share of the time it lasts.
const SQUASH: f64 = 0.14;
const SQUASH_FOR: f64 = 0.09;

/// Something that is entering.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Coming {
    pub(super) map: Homography,
    pub(super) opacity: f32,
    pub(super) blur: f32,
    pub(super) wipe: Option<Wipe>,
    /// Remaining share of the movement, 1 to 0.
    pub(super) rest: f64,
}

impl Coming {
    /// At rest.
    pub(super) const THERE: Coming = Coming {
        map: Homography::IDENTITY,
        opacity: 1.0,
        blur: 0.0,
        wipe: None,
        rest: 0.0,
    };
}

/// Eases out, fast at first, then slower: `1 - (1 - p)³`.
pub(super) fn ease_out(p: f64) -> f64 {
    1.0 - (1.0 - p).powi(3)
}

/// Returns the entry, at progress `p`, of an object that covers `rect`, stands on its lower edge, and may run from right to left.
pub(super) fn coming(entry: &Entry, p: f64, (rect, rtl): (Rect, bool), size_px: f32) -> Coming {
    if p >= 1.0 {
        return Coming::THERE;
    }
    let (rest, opacity) = rest_and_opacity(entry.kind, p);
    let (mut sx, mut sy) = (
        1.0 + (entry.scale[0] - 1.0) * rest,
        1.0 + (entry.scale[1] - 1.0) * rest,
    );
    let mut shift = [0.0, entry.rise * rest];
    match entry.kind {
        EntryKind::Drop => {
            let squash = squash(p);
            sx *= 1.0 + 0.6 * squash;
            sy *= 1.0 - squash;
        }
        EntryKind::Jitter => {
            let i = ((p * JITTER.len() as f64) as usize).min(JITTER.len() - 1);
            shift[0] = JITTER[i] * f64::from(size_px) / 88.0;
        }
        _ => {}
    }
    let foot = [
        f64::from(rect.x + rect.width / 2.0),
        f64::from(rect.y + rect.height),
    ];
    Coming {
        map: about(
            foot,
            Homography::scale_shift(sx.max(0.01), sy.max(0.01), 0.0, 0.0),
            shift,
        ),
        opacity,
        blur: entry.blur * rest.max(0.0) as f32,
        wipe: wipe(entry.kind, p, (rect, rtl), size_px),
        rest,
    }
}

/// Applies `map` about a point, then shifts; exactly the shift if `map` is the identity.
pub(super) fn about([x, y]: [f64; 2], map: Homography, [dx, dy]: [f64; 2]) -> Homography {
    if map == Homography::IDENTITY {
        return Homography::shift(dx, dy);
    }
    Homography::shift(x + dx, y + dy).after(map.after(Homography::shift(-x, -y)))
}

fn rest_and_opacity(kind: EntryKind, p: f64) -> (f64, f32) {
    let soon = |times: f64| (p * times).min(1.0) as f32;
    match kind {
        EntryKind::Cut => (0.0, 1.0),
        EntryKind::Fade => {
            let shown = ease_out(p);
            (1.0 - shown, shown as f32)
        }
        EntryKind::Spring => {
            let swing = (-5.0 * p).exp() * (p * 2.3 * std::f64::consts::PI).cos();
            (swing * (1.0 - p), soon(4.0))
        }
        EntryKind::Back => {
            let q = p - 1.0;
            // Penner's "back": cubic with an overshoot of 10 %.
            (-(2.701_58 * q * q * q + 1.701_58 * q * q), soon(4.0))
        }
        EntryKind::Drop => (height(p), soon(6.0)),
        EntryKind::Flicker => {
            let i = ((p / FLICKERS_FOR * FLICKER.len() as f64) as usize).min(FLICKER.len() - 1);
            (1.0 - p, FLICKER[i])
        }
        EntryKind::Steps => {
            let step = (p * N_STEPS).floor() / N_STEPS;
            (1.0 - step, (0.25 + 0.75 * step) as f32)
        }
        EntryKind::Jitter => (1.0 - p, soon(5.0)),
        EntryKind::Slide => (1.0 - ease_out(p), 1.0),
        EntryKind::Wipe | EntryKind::Type => (1.0 - p, 1.0),
    }
}

/// Returns the height between the keys of a fall, accelerating toward the ground.
fn height(p: f64) -> f64 {
    let next = DROP
        .iter()
        .position(|(at, _)| *at > p)
        .unwrap_or(DROP.len() - 1);
    let ((t0, h0), (t1, h1)) = (DROP[next - 1], DROP[next]);
    let q = (p - t0) / (t1 - t0);
    match h1 < h0 {
        true => h0 + (h1 - h0) * q * q,
        false => h0 + (h1 - h0) * (1.0 - (1.0 - q) * (1.0 - q)),
    }
}

fn squash(p: f64) -> f64 {
    let landings = DROP
        .iter()
        .filter(|(at, height)| *at > 0.0 && *height == 0.0);
    let depths = landings.zip([1.0, 0.45, 0.0]).map(|((at, _), depth)| {
        let q = (p - at) / SQUASH_FOR;
        match (-0.2..1.0).contains(&q) {
            true => SQUASH * depth * (1.0 - (q * 2.0 - 0.6).abs().min(1.0)),
            false => 0.0,
        }
    });
    depths.fold(0.0, f64::max)
}

fn wipe(kind: EntryKind, p: f64, (rect, rtl): (Rect, bool), size_px: f32) -> Option<Wipe> {
    match kind {
        EntryKind::Slide => Some(Wipe {
            line: [0.0, 1.0, -(rect.y + rect.height + 0.26 * size_px)],
            softness_px: 0.0,
        }),
        EntryKind::Wipe => Some(across((rect, rtl), p as f32, 0.6 * size_px)),
        _ => None,
    }
}

/// Returns a wipe that shows the share `p` of a box, from the side where its text starts.
pub(super) fn across((rect, rtl): (Rect, bool), p: f32, softness_px: f32) -> Wipe {
    let room = softness_px + 0.1 * rect.height;
    let way = (rect.width + 1.4 * room) * p - room;
    let line = match rtl {
        true => [-1.0, 0.0, rect.x + rect.width - way],
        false => [1.0, 0.0, -(rect.x + way)],
    };
    Wipe { line, softness_px }
}
