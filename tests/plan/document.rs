//! A document is the same in Rust and in JSON, and its schema describes every field of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use kinora::timeline::{
    Audio, Blend, BoxDraw, Captions, Draw, Ducking, Fit, Fps, GroupDraw, Layer, Motion, Music,
    NameOr, Output, PictureDraw, Place, Shot, Sound, TextDraw, Timeline, Transition, Voice, Word,
    schema,
};
use serde_json::{Value, json};

use super::fixture::{job, plan};

fn audio() -> Audio {
    Audio {
        voice: vec![Voice {
            gain_db: -2.0,
            speed: 1.25,
            ..Voice::new("tone.ogg")
        }],
        music: vec![
            Music::new("tone.ogg"),
            Music {
                ducking: None,
                start: 1.5,
                ..Music::new("tone.ogg")
            },
            Music {
                ducking: Some(Ducking {
                    hold: 1.0,
                    ..Ducking::default()
                }),
                ..Music::new("tone.ogg")
            },
        ],
        sounds: vec![Sound {
            pan: -0.5,
            ..Sound::new("tone.ogg", 2.0)
        }],
        loudness: None,
        ..Audio::default()
    }
}

fn in_rust() -> Timeline {
    Timeline {
        output: Output {
            width: 720,
            height: 1280,
            fps: Fps::Text("29.97".into()),
            ..Output::default()
        },
        seed: 4,
        transition: NameOr::Inline(Transition {
            duration: Some(0.5),
            ..Transition::named("fade")
        }),
        captions: Some(Captions::new(vec![
            Word::new("Hello", 2.0, 2.5),
            Word::new("you", 2.5, 3.0),
        ])),
        audio: audio(),
        layers: vec![
            Layer {
                opacity: 0.7,
                ..Layer::new(Draw::Picture(PictureDraw::new("logo.png")))
            },
            Layer {
                blend: Blend::Multiply,
                ..Layer::new(Draw::Group(GroupDraw {
                    layers: vec![
                        Layer::new(Draw::Box(BoxDraw {
                            place: Place {
                                y: 0.9,
                                ..Place::default()
                            },
                            ..BoxDraw::new("#102030")
                        })),
                        Layer::new(Draw::Text(TextDraw::new("A title"))),
                    ],
                }))
            },
        ],
        ..Timeline::new(vec![
            Shot::new("wide.png", 2.0),
            Shot {
                picture: Some("tall.png".into()),
                words: Some(2),
                fit: Fit::Contain,
                motion: Some(NameOr::Inline(Motion {
                    amount: Some(0.5),
                    ..Motion::named("floating")
                })),
                ..Shot::default()
            },
        ])
    }
}

fn as_json() -> Value {
    json!({
        "version": 1,
        "output": { "width": 720, "height": 1280, "fps": "29.97" },
        "seed": 4,
        "transition": { "name": "fade", "duration": 0.5 },
        "shots": [
            { "picture": "wide.png", "duration": 2 },
            { "picture": "tall.png", "words": 2, "fit": "contain", "motion": { "name": "floating", "amount": 0.5 } }
        ],
        "captions": { "words": [
            { "text": "Hello", "start": 2, "end": 2.5 },
            { "text": "you", "start": 2.5, "end": 3 }
        ] },
        "audio": {
            "voice": { "file": "tone.ogg", "gain_db": -2, "speed": 1.25 },
            "music": [
                { "file": "tone.ogg", "ducking": true },
                { "file": "tone.ogg", "ducking": false, "start": 1.5 },
                { "file": "tone.ogg", "ducking": { "hold": 1 } }
            ],
            "sounds": [{ "file": "tone.ogg", "start": 2, "pan": -0.5 }],
            "loudness": null
        },
        "layers": [
            { "draw": { "picture": { "picture": "logo.png" } }, "opacity": 0.7 },
            { "draw": { "group": { "layers": [
                { "draw": { "box": { "color": "#102030", "place": { "y": 0.9 } } } },
                { "draw": { "text": { "text": "A title" } } }
            ] } }, "blend": "multiply" }
        ]
    })
}

#[test]
fn rust_and_json_say_the_same() {
    let timeline = in_rust();
    let read = Timeline::from_json(&as_json().to_string()).unwrap();
    assert_eq!(timeline, read);
    assert_eq!(
        Timeline::from_json(&timeline.to_json().unwrap()).unwrap(),
        timeline
    );
    let (by_rust, by_json) = (job(&timeline), plan(&as_json()));
    assert_eq!(format!("{:?}", by_rust.plan()), format!("{by_json:?}"));
    assert_eq!(by_json.mix.tracks[0].speed, 1.25);
    assert_eq!(Shot::default().focus, [0.5, 0.5], "the middle, as in JSON");
}

/// A schema with its `$ref` followed.
fn followed<'s>(root: &'s Value, part: &'s Value) -> &'s Value {
    match part.get("$ref").and_then(Value::as_str) {
        Some(name) => root
            .pointer(name.trim_start_matches('#'))
            .expect("a definition that is there"),
        None => part,
    }
}

/// The parts of a schema of which one or all may apply: itself, and those of `anyOf`, `oneOf` and `allOf`.
fn choices<'s>(root: &'s Value, part: &'s Value) -> Vec<&'s Value> {
    let part = followed(root, part);
    let nested = ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .filter_map(|key| part.get(key)?.as_array());
    std::iter::once(part)
        .chain(nested.flatten().flat_map(|inner| choices(root, inner)))
        .collect()
}

/// Places of `value` that its schema does not know.
fn unknown(root: &Value, part: &Value, value: &Value, path: &str, out: &mut Vec<String>) {
    let choices = choices(root, part);
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let known = choices
                    .iter()
                    .find_map(|choice| choice.get("properties")?.get(key));
                match known {
                    Some(part) => unknown(root, part, inner, &format!("{path}.{key}"), out),
                    None => out.push(format!("{path}.{key}")),
                }
            }
        }
        Value::Array(items) => {
            let part = choices.iter().find_map(|choice| choice.get("items"));
            for (i, inner) in items.iter().enumerate() {
                match part {
                    Some(part) => unknown(root, part, inner, &format!("{path}[{i}]"), out),
                    None => out.push(format!("{path}[{i}]")),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn examples_use_only_what_the_schema_knows() {
    let schema = schema();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/first-light");
    let mut documents = vec![("rust and json".to_owned(), as_json())];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let text = fs::read_to_string(&path).unwrap();
            Timeline::from_json(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            documents.push((
                path.display().to_string(),
                serde_json::from_str(&text).unwrap(),
            ));
        }
    }
    assert!(documents.len() >= 3);
    for (name, document) in &documents {
        let mut wrong = Vec::new();
        unknown(&schema, &schema, document, "", &mut wrong);
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    }
    let mut wrong = Vec::new();
    let odd = json!({ "shots": [{ "pic": 1 }], "layers": [{ "draw": { "group": { "layers": [{ "x": 1 }] } } }] });
    unknown(&schema, &schema, &odd, "", &mut wrong);
    wrong.sort();
    assert_eq!(
        wrong,
        [".layers[0].draw.group.layers[0].x", ".shots[0].pic"]
    );
}

/// Names of fields that have no description, anywhere in the schema.
fn bare(part: &Value, path: &str, fields: &mut BTreeSet<String>, out: &mut Vec<String>) {
    let Value::Object(map) = part else {
        if let Value::Array(items) = part {
            items.iter().for_each(|item| bare(item, path, fields, out));
        }
        return;
    };
    if let Some(Value::Object(properties)) = map.get("properties") {
        for (name, field) in properties {
            fields.insert(format!("{path}/{name}"));
            // A variant with content is an object of one field; its description stands on the object.
            let described = [field, part]
                .iter()
                .any(|v| v.get("description").is_some_and(Value::is_string));
            let is_variant = properties.len() == 1 && map.get("required").is_some();
            if field.get("description").is_none() && !(is_variant && described) {
                out.push(format!("{path}/{name}"));
            }
        }
    }
    for (key, inner) in map {
        bare(inner, &format!("{path}/{key}"), fields, out);
    }
}

#[test]
fn every_field_is_described_in_the_schema() {
    let (mut fields, mut wrong) = (BTreeSet::new(), Vec::new());
    bare(&schema(), "", &mut fields, &mut wrong);
    assert!(fields.len() > 60, "{}", fields.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
