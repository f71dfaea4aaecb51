//! Any layers above the shots, and groups of them.

use serde_json::{Value, json};

use crate::choices::Choices;
use crate::document::{EASES, Room, picture};
use crate::words::{style, text};

/// A list of layers; groups hold others.
pub fn layers(choices: &mut Choices, room: Room, depth: usize) -> Value {
    let n = 1 + choices.below(3);
    (0..n).map(|_| layer(choices, room, depth)).collect()
}

fn layer(choices: &mut Choices, room: Room, depth: usize) -> Value {
    let mut layer = json!({ "draw": draw(choices, room, depth) });
    // Most of it is left as it is.
    if choices.one_in(3) {
        layer["opacity"] = json!(choices.number(1.0, [0.0, 1.0]));
        layer["fade_in"] = json!(choices.number(0.0, [0.0, 30.0]));
        layer["fade_out"] = json!(choices.number(0.0, [0.0, 30.0]));
    }
    if choices.one_in(3) {
        layer["end"] = json!(choices.number(0.5, [0.02, 3600.0]));
    }
    if choices.one_in(3) {
        layer["blend"] = json!(choices.pick(&["normal", "multiply", "screen", "add"]));
    }
    layer
}

fn draw(choices: &mut Choices, room: Room, depth: usize) -> Value {
    match choices.below(if depth < 3 { 5 } else { 4 }) {
        0 => {
            let color = choices.pick(&["#ff8800", "#00000080", "#fff", "#12345600"]);
            let radius = choices.number(0.0, [0.0, 2000.0]);
            json!({ "box": { "color": color, "radius": radius, "place": place(choices) } })
        }
        1 | 2 => {
            let mut draw =
                json!({ "picture": picture(choices, room, true), "place": place(choices) });
            if choices.one_in(2) {
                draw["fit"] = json!("contain");
            }
            if choices.one_in(2) {
                draw["keys"] = place_keys(choices);
            }
            json!({ "picture": draw })
        }
        3 => {
            json!({ "text": { "text": text(choices), "style": style(choices), "place": place(choices) } })
        }
        _ => json!({ "group": { "layers": layers(choices, room, depth + 1) } }),
    }
}

fn place(choices: &mut Choices) -> Value {
    let mut place = json!({
        "x": choices.number(0.5, [-1.0, 2.0]),
        "y": choices.number(0.5, [-1.0, 2.0]),
        "width": choices.number(0.5, [0.001, 4.0]),
    });
    if choices.one_in(2) {
        place["height"] = json!(choices.number(0.5, [0.001, 4.0]));
    }
    if choices.one_in(3) {
        place["rotate"] = json!(choices.number(0.0, [-3600.0, 3600.0]));
    }
    place
}

fn place_keys(choices: &mut Choices) -> Value {
    let n = 1 + choices.below(4);
    let mut at = 0.0;
    (0..n)
        .map(|_| {
            at += choices.number(0.3, [0.0, 100.0]);
            json!({
                "at": at,
                "x": choices.number(0.0, [-4.0, 4.0]),
                "y": choices.number(0.0, [-4.0, 4.0]),
                "scale": choices.number(1.0, [0.05, 8.0]),
                "rotate": choices.number(0.0, [-3600.0, 3600.0]),
                "ease": choices.pick(&EASES),
            })
        })
        .collect()
}
