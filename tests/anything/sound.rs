//! Any voice, music and sounds.

use serde_json::{Value, json};

use crate::choices::Choices;

pub fn audio(choices: &mut Choices) -> Value {
    let mut audio = json!({});
    let some = |choices: &mut Choices, one: fn(&mut Choices) -> Value| -> Value {
        let n = choices.below(3);
        (0..n).map(|_| one(choices)).collect()
    };
    audio["voice"] = some(choices, voice);
    audio["music"] = some(choices, music);
    audio["sounds"] = some(choices, sound);
    if choices.one_in(2) {
        audio["loudness"] = match choices.one_in(4) {
            true => Value::Null,
            false => json!(choices.number(-14.0, [-40.0, -5.0])),
        };
    }
    if choices.one_in(2) {
        audio["fade_out"] = json!(choices.number(1.0, [0.0, 30.0]));
    }
    if choices.one_in(4) {
        audio["when_silent"] = json!("none");
    }
    audio
}

fn file(choices: &mut Choices) -> (String, f64) {
    let secs = choices.pick(&[1.0, 0.25, 3.5, 0.000125, 0.02, 7.125]);
    (format!("{secs}s.wav"), secs)
}

fn trim(choices: &mut Choices, secs: f64) -> Value {
    match choices.below(3) {
        0 => json!({}),
        1 => json!({ "start": choices.number(0.0, [0.0, secs * 0.5]) }),
        _ => json!({ "start": 0, "end": choices.number(secs, [secs * 0.01, secs]) }),
    }
}

fn voice(choices: &mut Choices) -> Value {
    let (file, secs) = file(choices);
    json!({
        "file": file,
        "start": choices.number(0.0, [0.0, 2.0]),
        "gain_db": choices.number(0.0, [-60.0, 20.0]),
        "trim": trim(choices, secs),
        "speed": choices.number(1.0, [0.25, 4.0]),
    })
}

fn music(choices: &mut Choices) -> Value {
    let (file, secs) = file(choices);
    let mut music = json!({
        "file": file,
        "volume": choices.number(0.3, [0.0, 1.0]),
        "loop": !choices.one_in(2),
        "start": choices.number(0.0, [0.0, 2.0]),
        "trim": trim(choices, secs),
        "fade_in": choices.number(0.0, [0.0, 30.0]),
        "fade_out": choices.number(0.0, [0.0, 30.0]),
    });
    if choices.one_in(2) {
        music["ducking"] = match choices.below(3) {
            0 => json!(false),
            1 => json!(true),
            _ => json!({
                "amount_db": choices.number(9.0, [0.0, 40.0]),
                "attack": choices.number(0.25, [0.0, 5.0]),
                "hold": choices.number(0.6, [0.0, 30.0]),
                "release": choices.number(0.8, [0.0, 10.0]),
            }),
        };
    }
    music
}

fn sound(choices: &mut Choices) -> Value {
    let (file, secs) = file(choices);
    json!({
        "file": file,
        "start": choices.number(0.0, [0.0, 2.0]),
        "gain_db": choices.number(0.0, [-60.0, 20.0]),
        "pan": choices.number(0.0, [-1.0, 1.0]),
        "fade_in": choices.number(0.0, [0.0, 30.0]),
        "fade_out": choices.number(0.0, [0.0, 30.0]),
        "trim": trim(choices, secs),
        "loop": choices.one_in(2),
    })
}
