//! Any valid timeline: sizes, rates, lengths, shots, cuts and motions. Captions, layers and sound are in modules beside.

use std::sync::LazyLock;

use kinora::plan::looks::{self, Look};
use serde_json::{Value, json};

use crate::choices::Choices;
use crate::layers::layers;
use crate::sound::audio;
use crate::words::{captions, words};

pub const EASES: [&str; 13] = [
    "linear",
    "in-out-sine",
    "in-quad",
    "out-quad",
    "in-cubic",
    "out-cubic",
    "in-out-cubic",
    "in-quart",
    "out-quart",
    "in-out-quint",
    "out-expo",
    "out-back",
    "spring",
];

fn names(looks: Vec<Look>) -> Vec<&'static str> {
    looks.iter().map(|look| look.name).collect()
}

static TRANSITIONS: LazyLock<Vec<&str>> = LazyLock::new(|| names(looks::transitions()));
static MOTIONS: LazyLock<Vec<&str>> = LazyLock::new(|| names(looks::motions()));

/// How large and how full documents are.
#[derive(Clone, Copy)]
pub struct Room {
    /// Longest side of the canvas.
    pub side: usize,
    /// Longest side of pictures.
    pub picture: usize,
    /// Moving pictures too.
    pub with_clips: bool,
    /// Words that are shown, layers and sound.
    pub with_all: bool,
}

/// For plans, of which no pixel is drawn.
pub const PLANNED: Room = Room {
    side: 3840,
    picture: 8000,
    with_clips: true,
    with_all: true,
};

/// A document of these choices.
pub fn document(choices: &mut Choices, room: Room) -> Value {
    let (output, fps) = output(choices, room);
    let n_shots = 1 + choices.below(if room.with_all { 5 } else { 3 });
    let shots: Vec<Value> = (0..n_shots)
        .map(|i| shot(choices, (i, n_shots), fps, room))
        .collect();
    let mut document = json!({ "version": 1, "output": output, "shots": shots });
    if choices.one_in(2) {
        document["seed"] = json!(choices.below(1 << 20));
    }
    if choices.one_in(2) {
        document["transition"] = transition(choices);
    }
    if choices.one_in(2) {
        document["motion"] = motion(choices);
    }
    if !room.with_all {
        return document;
    }
    if choices.one_in(2) {
        document["captions"] = captions(choices);
        by_words(choices, &mut document);
    }
    if choices.one_in(2) {
        document["layers"] = layers(choices, room, 0);
    }
    if choices.one_in(2) {
        document["audio"] = audio(choices);
    }
    document
}

/// Lets words tell the lengths of some shots.
fn by_words(choices: &mut Choices, document: &mut Value) {
    let mut left = words(document);
    let shots = document["shots"].as_array_mut().expect("a list of shots");
    let n_shots = shots.len();
    if choices.one_in(3) && left >= n_shots {
        for (i, shot) in shots.iter_mut().enumerate() {
            let n = if i + 1 == n_shots {
                left
            } else {
                1 + choices.below(left - (n_shots - i) + 1)
            };
            left -= n;
            shot["words"] = json!(n);
            shot.as_object_mut().expect("a shot").remove("duration");
        }
        document["tail"] = json!(choices.number(0.0, [0.0, 30.0]));
    }
}

fn output(choices: &mut Choices, room: Room) -> (Value, f64) {
    let mut side = |usual: usize| {
        let usual = usual.min(room.side);
        let px = match choices.below(6) {
            0 | 1 => usual,
            2 => choices.pick(&[1920, 1080, 720, 16, 3840, 640, 18]),
            _ => choices.whole(16, room.side),
        };
        px.clamp(16, 3840).min(room.side) / 2 * 2
    };
    let (width, height) = (side(1080), side(1920));
    let rates = [
        (json!(30), 30.0),
        (json!(24), 24.0),
        (json!(25), 25.0),
        (json!(60), 60.0),
        (json!(1), 1.0),
        (json!(120), 120.0),
        (json!("30000/1001"), 29.97),
        (json!("24000/1001"), 23.976),
        (json!("59.94"), 59.94),
        (json!("5/2"), 2.5),
    ];
    let (fps, as_number) = choices.pick(&rates);
    // The color that is seen where nothing is drawn.
    let output = json!({ "width": width, "height": height, "fps": fps, "background": "#ff00ff" });
    (output, as_number)
}

pub fn picture(choices: &mut Choices, room: Room, with_alpha: bool) -> String {
    let side = |choices: &mut Choices| match choices.below(6) {
        0 => 1000.min(room.picture),
        1 => choices
            .pick(&[6000, 4000, 3000, 1, 8000, 2, 1920, 1080, 16, 1500])
            .min(room.picture),
        2 => choices.whole(1, 40),
        _ => choices.whole(1, room.picture),
    };
    let (width, height) = (side(choices), side(choices));
    let alpha = if with_alpha && choices.one_in(3) {
        "a"
    } else {
        ""
    };
    format!("{width}x{height}{alpha}.png")
}

fn shot(choices: &mut Choices, (i, n): (usize, usize), fps: f64, room: Room) -> Value {
    let mut shot = json!({ "duration": duration(choices, fps) });
    if room.with_clips && choices.one_in(4) {
        let (clip, secs) = clip(choices);
        shot["clip"] = clip;
        // One that is over in less than a frame cannot tell the length of its shot.
        if secs * fps > 2.0 && choices.one_in(2) {
            shot.as_object_mut().expect("a shot").remove("duration");
        }
    } else {
        shot["picture"] = json!(picture(choices, room, false));
    }
    if choices.one_in(3) {
        shot["fit"] = json!("contain");
    }
    if choices.one_in(2) {
        let mut at = || choices.number(0.5, [0.0, 1.0]);
        shot["focus"] = json!([at(), at()]);
    }
    if i > 0 && choices.one_in(2) {
        shot["transition"] = transition(choices);
    }
    if i < n && choices.one_in(2) {
        shot["motion"] = motion(choices);
    }
    shot
}

/// From a frame to an hour, mostly some seconds.
fn duration(choices: &mut Choices, fps: f64) -> f64 {
    match choices.below(8) {
        0 | 1 => 2.0,
        // Half frames and a little more are rounded.
        2 => 1.0 / fps,
        3 => 0.7 / fps,
        4 => 2.0 / fps,
        5 if choices.one_in(20) => 700.0,
        _ => (choices.number(1.0, [0.05, 12.0]) * 1000.0).round() / 1000.0 + 1.0 / fps,
    }
}

/// A clip, and how long it plays.
fn clip(choices: &mut Choices) -> (Value, f64) {
    let side = |choices: &mut Choices| match choices.below(3) {
        0 => 640,
        1 => choices.pick(&[1, 2, 1920, 1080, 3840]),
        _ => choices.whole(1, 4096),
    };
    let (width, height) = (side(choices), side(choices));
    let secs = choices.pick(&[2.5, 0.01, 0.04, 1.0, 12.0, 0.001]);
    let fps = choices.pick(&[30, 25, 1, 24, 120]);
    let mut clip = json!({ "file": format!("{width}x{height}-{secs}s-{fps}fps.mp4") });
    let mut played = secs;
    if choices.one_in(2) {
        let speed = choices.number(1.0, [0.25, 4.0]);
        clip["speed"] = json!(speed);
        played /= speed;
    }
    clip["fill"] = json!(choices.pick(&["hold", "loop", "slow"]));
    if choices.one_in(3) {
        clip["gain_db"] = json!(choices.number(0.0, [-60.0, 20.0]));
    }
    if choices.one_in(3) {
        let start = choices.number(0.0, [0.0, secs * 0.5]);
        clip["trim"] = json!({ "start": start, "end": choices.number(secs, [secs * 0.51, secs]) });
        played = 0.0;
    }
    (clip, played)
}

/// Keyframes at rising instants, `fill` doing the rest of each.
pub fn keys(
    choices: &mut Choices,
    most: usize,
    mut fill: impl FnMut(&mut Choices, &mut Value),
) -> Vec<Value> {
    let n = 1 + choices.below(most);
    let mut at = 0.0;
    (0..n)
        .map(|i| {
            if i > 0 || choices.one_in(3) {
                at += (1.0 - at) * choices.number(0.4, [1e-9, 0.9]);
            }
            let mut key = json!({ "at": at, "ease": choices.pick(&EASES) });
            fill(choices, &mut key);
            key
        })
        .collect()
}

fn transition(choices: &mut Choices) -> Value {
    if choices.one_in(2) {
        return json!(choices.pick(&TRANSITIONS));
    }
    let mut transition = json!({ "duration": choices.number(0.5, [0.0, 5.0]) });
    if choices.one_in(2) {
        transition["name"] = json!(choices.pick(&TRANSITIONS));
        return transition;
    }
    let mut side = |is_incoming: bool| {
        let mut keys = keys(choices, 4, |choices, key| {
            key["x"] = json!(choices.number(0.0, [-4.0, 4.0]));
            key["y"] = json!(choices.number(0.0, [-4.0, 4.0]));
            key["scale"] = json!(choices.number(1.0, [0.05, 20.0]));
            key["rotate"] = json!(choices.number(0.0, [-3600.0, 3600.0]));
            key["opacity"] = json!(choices.number(1.0, [0.0, 1.0]));
            key["brightness"] = json!(choices.number(1.0, [0.0, 4.0]));
            key["blur"] = json!(choices.number(0.0, [0.0, 0.2]));
        });
        // Each side has to rest where it is seen alone.
        keys.retain(|key| match is_incoming {
            true => key["at"].as_f64() < Some(1.0),
            false => key["at"].as_f64() > Some(0.0),
        });
        keys
    };
    let (outgoing, incoming) = (side(false), side(true));
    let above = choices.one_in(2);
    transition["poses"] =
        json!({ "outgoing": outgoing, "incoming": incoming, "incoming_above": above });
    transition
}

fn motion(choices: &mut Choices) -> Value {
    match choices.below(3) {
        0 => json!(choices.pick(&MOTIONS)),
        1 => {
            json!({ "name": choices.pick(&MOTIONS), "amount": choices.number(1.0, [0.0, 3.0]) })
        }
        _ => {
            let views = keys(choices, 4, |choices, key| {
                key["zoom"] = json!(choices.number(1.0, [1.0, 8.0]));
                key["x"] = json!(choices.number(0.0, [-1.0, 1.0]));
                key["y"] = json!(choices.number(0.0, [-1.0, 1.0]));
            });
            json!({ "views": views })
        }
    }
}
