//! Transitions written in the document: keyframed poses of two shots.

use super::{Part, Source, Stage};
use crate::error::Problem;
use crate::plan::easing;
use crate::plan::report::Report;
use crate::scene::draw::{Edge, Homography};
use crate::timeline::{PoseKey, TransitionPoses};

/// Maximum number of keyframes per side.
const MAX_KEYS: usize = 64;

/// A checked transition from the document.
#[derive(Clone, Debug)]
pub(crate) struct Custom {
    outgoing: Vec<Key>,
    incoming: Vec<Key>,
    incoming_is_above: bool,
}

#[derive(Clone, Debug)]
struct Key {
    at: f64,
    /// x, y (fractions of the canvas), ln scale, turn in radians, opacity, brightness, blur (fraction of the shorter side).
    values: [f64; 7],
    /// Easing to the next key.
    curve: easing::Curve,
}

/// Values of a shot at rest.
const REST: [f64; 7] = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0];

impl Custom {
    /// Checks the transition written at `path`.
    pub fn resolve(written: &TransitionPoses, path: &str, report: &mut Report) -> Custom {
        let keys = |keys: &[PoseKey], name: &str, report: &mut Report| {
            resolve_keys(keys, &format!("{path}.{name}"), report)
        };
        let mut outgoing = keys(&written.outgoing, "outgoing", report);
        let mut incoming = keys(&written.incoming, "incoming", report);
        let rest = |at| Key {
            at,
            values: REST,
            curve: easing::in_out_sine,
        };
        // A side without a key at its resting end rests there.
        if outgoing.first().is_none_or(|key| key.at > 0.0) {
            outgoing.insert(0, rest(0.0));
        }
        if incoming.last().is_none_or(|key| key.at < 1.0) {
            incoming.push(rest(1.0));
        }
        let mut check = |key: &Key, name: &str, when: &str| {
            if key.values != REST {
                let message = format!(
                    "the {name} shot is not at rest at the {when} of the transition, so the picture would jump"
                );
                let problem = Problem::new("not_at_rest", format!("{path}.{name}"), message);
                report.problem(
                    problem.hint("leave that keyframe out, or give it the default values"),
                );
            }
        };
        check(&outgoing[0], "outgoing", "start");
        check(&incoming[incoming.len() - 1], "incoming", "end");
        Custom {
            outgoing,
            incoming,
            incoming_is_above: written.incoming_above,
        }
    }

    /// Returns the parts at progress `p`.
    pub fn parts(&self, p: f64, stage: &Stage) -> Vec<Part> {
        let a = part(Source::A, value_at(&self.outgoing, p), stage);
        let b = part(Source::B, value_at(&self.incoming, p), stage);
        let (mut below, above) = if self.incoming_is_above {
            (a, b)
        } else {
            (b, a)
        };
        // Mirrored so that nothing bare shows where it moves away.
        below.edge = Edge::Mirror;
        vec![below, above]
    }
}

fn resolve_keys(keys: &[PoseKey], path: &str, report: &mut Report) -> Vec<Key> {
    report.at_most(path, "keyframes", keys.len(), MAX_KEYS);
    let mut resolved: Vec<Key> = Vec::new();
    for (i, key) in keys.iter().take(MAX_KEYS).enumerate() {
        let path = format!("{path}[{i}]");
        let at = report.key_time(&path, key.at, resolved.last().map(|key| key.at));
        let curve = report.curve(&path, &key.ease);
        let mut number = |name: &str, value: f64, range| {
            report.number(&format!("{path}.{name}"), value, range, "")
        };
        let values = [
            number("x", key.x, -4.0..=4.0),
            number("y", key.y, -4.0..=4.0),
            number("scale", key.scale, 0.05..=20.0).ln(),
            number("rotate", key.rotate, -3600.0..=3600.0).to_radians(),
            number("opacity", key.opacity, 0.0..=1.0),
            number("brightness", key.brightness, 0.0..=4.0),
            number("blur", key.blur, 0.0..=0.2),
        ];
        resolved.push(Key { at, values, curve });
    }
    resolved
}

fn value_at(keys: &[Key], p: f64) -> [f64; 7] {
    let next = keys.partition_point(|key| key.at <= p);
    match (next.checked_sub(1).map(|i| &keys[i]), keys.get(next)) {
        (Some(a), Some(b)) => {
            let s = (a.curve)((p - a.at) / (b.at - a.at));
            std::array::from_fn(|i| a.values[i] + (b.values[i] - a.values[i]) * s)
        }
        (Some(key), None) | (None, Some(key)) => key.values,
        (None, None) => REST,
    }
}

fn part(source: Source, values: [f64; 7], stage: &Stage) -> Part {
    let [x, y, ln_scale, turn, opacity, brightness, blur] = values;
    let shift = Homography::shift(x * stage.w, y * stage.h);
    let map = shift.after(stage.turned(turn, ln_scale.exp()));
    Part {
        map,
        opacity: opacity.clamp(0.0, 1.0),
        brightness: brightness.max(0.0),
        blur_px: blur.max(0.0) * stage.w.min(stage.h),
        ..Part::of(source)
    }
}
