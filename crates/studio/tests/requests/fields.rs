//! Every field of a request changes the video, or is warned about, or is refused: nothing that is sent is lost in silence.

use std::collections::BTreeSet;

use kinora_studio::request::{FieldWarning, ShortRequest, UniverseRequest, UniverseSettings};
use kinora_studio::stages::{Brief, Material};
use serde_json::{Value, json};

/// Fields of a Short with values of which one at least is not the default.
fn of_short() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        ("prompt", vec![json!("another fox")]),
        ("script", vec![json!("Another fox wakes.")]),
        ("scriptConfig.style", vec![json!("news_brief")]),
        ("scriptConfig.targetLengthInWords", vec![json!(40)]),
        ("directorNotes", vec![json!("low sun")]),
        ("shortRequestEnhancer", vec![json!(true)]),
        (
            "imageConfig.model",
            vec![json!("flux_pro"), json!("recraft")],
        ),
        ("imageConfig.recraftStyle", vec![json!("any")]),
        ("imageConfig.loraConfig.loraSlug", vec![json!("90s-anime")]),
        ("imageConfig.leonardoStyle", vec![json!("ANIME_GENERAL")]),
        ("voiceoverConfig.enabled", vec![json!(true), json!(false)]),
        ("voiceoverConfig.voiceId", vec![json!("alloy")]),
        (
            "captionsConfig.captionsEnabled",
            vec![json!(true), json!(false)],
        ),
        ("captionsConfig.captionsStyle", vec![json!("neon")]),
        ("captionsConfig.captionsPosition", vec![json!("top")]),
        ("effectsConfig.transition", vec![json!("flip")]),
        ("effectsConfig.floating", vec![json!(false)]),
        ("musicConfig.enabled", vec![json!(true), json!(false)]),
        ("musicConfig.musicSlug", vec![json!("news_theme")]),
        ("musicConfig.volume", vec![json!(0.9)]),
        ("musicConfig.loop", vec![json!(false)]),
        ("videoConfig.enabled", vec![json!(true), json!(false)]),
        ("videoConfig.model", vec![json!("veo2")]),
        ("videoConfig.videoDirectorNotes", vec![json!("slowly")]),
        ("videoConfig.duration", vec![json!(4)]),
        ("templateConfig.templateId", vec![json!("service")]),
        ("quality", vec![json!("high")]),
        ("aspectRatio", vec![json!("16:9")]),
    ]
}

fn of_universe() -> Vec<(&'static str, Vec<Value>)> {
    let both = || vec![json!(true), json!(false)];
    vec![
        ("prompt", vec![json!("another fox")]),
        ("duration", vec![json!("90")]),
        ("animationPreset", vec![json!("fast"), json!("static")]),
        ("animation", both()),
        ("userScript", vec![json!(SCRIPT.replace("lamp", "boat"))]),
        ("voiceoverKey", vec![json!("aud_1")]),
        ("audioKind", vec![json!("song")]),
        ("language", vec![json!("de"), json!("en")]),
        (
            "characters",
            vec![json!([{"name": "Mia", "description": "a girl"}])],
        ),
        ("videoFormat", vec![json!("16:9"), json!("9:16")]),
        ("captions", both()),
        ("captionsEnabled", both()),
        ("captionsStyle", vec![json!("neon")]),
        ("captionsPosition", vec![json!("top")]),
        ("visualStyleId", vec![json!(STYLE), json!(OTHER_STYLE)]),
        ("preferAiStyle", both()),
        ("musicConfig.musicSlug", vec![json!("news_theme")]),
        ("musicConfig.enabled", both()),
        ("musicConfig.volume", vec![json!(0.9)]),
        ("musicConfig.loop", vec![json!(false)]),
        ("removeWatermark", vec![json!(true)]),
    ]
}

const STYLE: &str = "00000000-0000-4000-8000-000000000001";
const OTHER_STYLE: &str = "00000000-0000-4000-8000-000000000002";
const SCRIPT: &str = "## Scene 1: A (3s)\n#### Shot 1.1 (3s)\nA lamp.\n@Mara: \"It burns.\"\n## Reusable Elements\nCharacters: @Mara\nLocations: (none)\nObjects: (none)";

/// The body with a value at a path.
fn with(body: &Value, path: &str, value: &Value) -> Value {
    let mut body = body.clone();
    let mut at = &mut body;
    for step in path.split('.') {
        at = &mut at[step];
    }
    at.clone_from(value);
    body
}

fn is_set(body: &Value, path: &str) -> bool {
    body.pointer(&format!("/{}", path.replace('.', "/")))
        .is_some()
}

/// Whether a warning is about a field, or the object that it stands in.
fn is_warned(warnings: &[FieldWarning], path: &str) -> bool {
    warnings.iter().any(|w| {
        let rest = path.strip_prefix(w.field.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

#[test]
fn no_field_of_a_short_is_lost_in_silence() {
    let bases = [
        json!({ "prompt": "a fox" }),
        json!({ "script": "A fox wakes. It runs." }),
        json!({ "prompt": "a fox", "voiceoverConfig": { "enabled": false }, "captionsConfig": { "captionsEnabled": false } }),
        json!({ "prompt": "a fox", "musicConfig": { "enabled": true }, "videoConfig": { "enabled": true } }),
        json!({ "prompt": "a fox", "imageConfig": { "model": "recraft" } }),
        json!({ "prompt": "a fox", "imageConfig": { "model": "flux_lora" } }),
        json!({ "prompt": "a fox", "imageConfig": { "model": "leonardo_phoenix_ultra" } }),
    ];
    let plan = |body: &Value| {
        ShortRequest::from_value(body).map(|parsed| {
            let brief = Brief::of_short(&parsed.request, Some(0));
            ((brief, parsed.request.quality), parsed.warnings)
        })
    };
    let fields = of_short();
    let mut lost = Vec::new();
    for base in &bases {
        let (due, _) = plan(base).unwrap();
        for (path, values) in fields.iter().filter(|(path, _)| !is_set(base, path)) {
            let is_seen = values
                .iter()
                .any(|value| match plan(&with(base, path, value)) {
                    Ok((found, warnings)) => found != due || is_warned(&warnings, path),
                    Err(_) => true,
                });
            if !is_seen {
                lost.push(format!("{path} beside {base}"));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
    let named: BTreeSet<String> = fields.iter().map(|(path, _)| (*path).to_owned()).collect();
    let schema = schemars::schema_for!(ShortRequest).to_value();
    assert_eq!(named, paths(&schema, &schema, ""));
}

/// One that decides on nothing, and one that decides on all.
fn universes() -> [Value; 2] {
    let style = |id: &str, name: &str| json!({ "id": id, "name": name, "style": name });
    [
        json!({ "slug": "plain", "aiStyleByDefault": true, "languages": ["en", "de"] }),
        json!({
            "slug": "rich", "captions": false, "music": { "musicSlug": "puzzle_time" }, "languages": ["en", "de"],
            "visualStyles": [style(STYLE, "noir"), style(OTHER_STYLE, "ink")],
        }),
    ]
}

#[test]
fn no_field_of_a_universe_is_lost_in_silence() {
    let temp = tempfile::tempdir().unwrap();
    let recording = temp.path().join("voice.wav");
    std::fs::write(&recording, b"not heard here").unwrap();
    let material = Material {
        recording: Some(recording),
        ..Material::default()
    };
    let bases = [
        json!({ "prompt": "a fox" }),
        json!({ "userScript": SCRIPT }),
        json!({ "voiceoverKey": "aud_1" }),
        json!({ "voiceoverKey": "aud_1", "audioKind": "song" }),
        json!({ "prompt": "a fox", "musicConfig": { "enabled": false }, "captions": false, "animationPreset": "pro", "visualStyleId": STYLE }),
    ];
    let fields = of_universe();
    let mut lost = Vec::new();
    for universe in &universes() {
        let universe = UniverseSettings::from_value(universe).unwrap();
        let plan = |body: &Value| {
            let parsed = UniverseRequest::from_value(body).ok()?;
            let resolved = parsed.request.resolve(&universe).ok()?;
            let brief = Brief::of_universe(&resolved, &material, Some(0)).ok()?;
            let mut warnings = parsed.warnings;
            warnings.extend(parsed.request.without_effect(&universe));
            Some(((brief, resolved.remove_watermark), warnings))
        };
        for base in &bases {
            let Some((due, _)) = plan(base) else {
                assert!(
                    universe.slug == "plain" && is_set(base, "visualStyleId"),
                    "{base}"
                );
                continue;
            };
            for (path, values) in fields.iter().filter(|(path, _)| !is_set(base, path)) {
                let is_seen = values
                    .iter()
                    .any(|value| match plan(&with(base, path, value)) {
                        Some((found, warnings)) => found != due || is_warned(&warnings, path),
                        None => true,
                    });
                if !is_seen {
                    lost.push(format!("{path} beside {base} in {}", universe.slug));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
    let mut named: BTreeSet<String> = fields.iter().map(|(path, _)| (*path).to_owned()).collect();
    // The service knows how long a recording is, and says where this differs (its tests).
    named.insert("voiceoverDuration".into());
    let schema = schemars::schema_for!(UniverseRequest).to_value();
    assert_eq!(named, paths(&schema, &schema, ""));
}

/// The fields of a schema, those of objects in it included.
fn paths(root: &Value, schema: &Value, before: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let path = format!("{before}{name}");
        let reference = property["$ref"]
            .as_str()
            .or(property["anyOf"][0]["$ref"].as_str());
        let inner =
            reference.map(|reference| &root["$defs"][reference.rsplit('/').next().unwrap()]);
        match inner.filter(|inner| inner["properties"].is_object()) {
            Some(inner) => found.extend(paths(root, inner, &format!("{path}."))),
            None => {
                found.insert(path);
            }
        }
    }
    found
}

/// No-code tools send an empty text for each field that is not filled in.
#[test]
fn empty_texts_are_fields_that_are_not_there() {
    let short = json!({ "prompt": "a fox" });
    let due = ShortRequest::from_value(&short).unwrap();
    for (path, _) in of_short().iter().filter(|(path, _)| *path != "prompt") {
        for empty in ["", " \n"] {
            let found = ShortRequest::from_value(&with(&short, path, &json!(empty)));
            assert_eq!(found.as_ref(), Ok(&due), "{path}");
        }
    }
    for object in ["scriptConfig", "imageConfig", "musicConfig", "videoConfig"] {
        let found = ShortRequest::from_value(&with(&short, object, &json!("")));
        assert_eq!(found.as_ref(), Ok(&due), "{object}");
    }
    let universe = json!({ "prompt": "a fox" });
    let due = UniverseRequest::from_value(&universe).unwrap().request;
    let plain = UniverseSettings::new("plain");
    let mut fields = of_universe();
    fields.push(("voiceoverDuration", Vec::new()));
    for (path, _) in fields.iter().filter(|(path, _)| *path != "prompt") {
        let found = UniverseRequest::from_value(&with(&universe, path, &json!("")));
        let found = found.unwrap_or_else(|problems| panic!("{path}: {problems:?}"));
        assert!(found.warnings.is_empty(), "{path}: {:?}", found.warnings);
        assert_eq!(found.request.resolve(&plain), due.resolve(&plain), "{path}");
    }
}
