//! The fields of a video in a universe, and of a universe itself; converts between their form and their JSON.

use kinora_studio::request::{
    AnimationPreset, AspectRatio, AudioKind, CaptionPosition, CaptionStyle, FieldProblem,
    MAX_NOTES_CHARS, MAX_PROFILE_CHARS, MAX_PROMPT_CHARS, MAX_SCRIPT_CHARS, MusicSlug,
    UniverseSettings,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::form::{Choice, Field, Group, Kind, field, names, names_or};
use super::text;
use crate::db::{Character, Upload};

const AS_THERE: &str = "As in the universe";

/// Number of new characters in a form.
const N_NEW: usize = 3;
/// Number of additional looks in a universe's form.
const N_MORE_LOOKS: usize = 2;

/// What a visitor may use in a video.
#[derive(Debug)]
pub(super) struct Around {
    pub(super) characters: Vec<Character>,
    pub(super) uploads: Vec<Upload>,
    pub(super) may_remove_watermark: bool,
}

/// Returns the fields of a video.
pub(super) fn video(universe: &UniverseSettings, around: &Around) -> Vec<Group> {
    vec![
        Group::new("What it is about", story()),
        Group::new("How it looks", looks(universe)),
        Group::new("Who takes part", cast(&around.characters)),
        Group::new("Script or recording", input(&around.uploads)).folded(),
        Group::new("Music", music()).folded(),
        Group::new("Output", output(universe, around.may_remove_watermark)).folded(),
    ]
}

fn story() -> Vec<Field> {
    let prompt = Kind::Area {
        rows: 4,
        max_chars: MAX_PROMPT_CHARS,
    };
    vec![
        field("prompt", "Prompt", prompt)
            .hint("What the video depicts. Not needed with a script or a recording."),
        field("duration", "Length in seconds", Kind::Number)
            .hint("Up to 600. A script or a recording determines its own length."),
        field("animationPreset", "Motion", Kind::One(presets())),
    ]
}

fn presets() -> Vec<Choice> {
    let label = |preset| match preset {
        AnimationPreset::JustStoryboard => "Still pictures that float",
        AnimationPreset::Fast => "Moving clips, quick models",
        AnimationPreset::ProAnimation => "Moving clips, the best models",
    };
    use kinora_studio::request::WireName;
    AnimationPreset::all()
        .map(|preset| Choice::new(preset.as_str(), label(preset)))
        .collect()
}

fn looks(universe: &UniverseSettings) -> Vec<Field> {
    let mut styles = vec![Choice::new("", AS_THERE)];
    styles.extend(
        universe
            .visual_styles
            .iter()
            .map(|style| Choice::new(style.id, &style.name)),
    );
    vec![
        field("visualStyleId", "Look", Kind::One(styles)),
        field(
            "preferAiStyle",
            "Prefer an AI-invented look",
            Kind::Three { open: AS_THERE },
        )
        .hint("Only a hint: a look named above takes priority."),
        field(
            "videoFormat",
            "Format",
            Kind::One(names_or::<AspectRatio>(AS_THERE)),
        )
        .shows("format"),
        field("captions", "Captions", Kind::Three { open: AS_THERE }),
        field(
            "captionsStyle",
            "Caption style",
            Kind::One(names_or::<CaptionStyle>(AS_THERE)),
        )
        .shows("caption"),
        field(
            "captionsPosition",
            "Caption position",
            Kind::One(names_or::<CaptionPosition>(AS_THERE)),
        )
        .shows("position"),
    ]
}

fn cast(saved: &[Character]) -> Vec<Field> {
    let line = || Kind::Line(Vec::new());
    let area = || Kind::Area {
        rows: 2,
        max_chars: MAX_PROFILE_CHARS,
    };
    let mut fields = Vec::new();
    if !saved.is_empty() {
        let rows = saved.iter().map(|one| Choice::new(one.id, &one.told.name));
        fields.push(
            field("characters", "Saved characters", Kind::Many(rows.collect()))
                .hint("They keep their looks and their voices."),
        );
    }
    for i in 0..N_NEW {
        let part = ["Someone new", "Someone else", "And someone else"][i];
        for (name, label, kind) in [
            ("name", "Name", line()),
            ("description", "Role and personality", area()),
            ("appearance", "Appearance", line()),
            ("clothing", "Clothing", line()),
        ] {
            fields.push(field(format!("new.{i}.{name}"), label, kind).part(part));
        }
    }
    fields
}

fn input(uploads: &[Upload]) -> Vec<Field> {
    let script = Kind::Area {
        rows: 8,
        max_chars: MAX_SCRIPT_CHARS,
    };
    let mut rows = vec![Choice::new("", "None")];
    rows.extend(uploads.iter().map(|upload| {
        let label = format!(
            "{} ({})",
            upload.name,
            text::secs(upload.duration_ms as f64 / 1000.0)
        );
        Choice::new(&upload.id, label)
    }));
    vec![
        field("userScript", "Canonical script", script).hint("Markdown with scene and shot headings. “Rewrite the script” below turns ordinary prose into it."),
        field("voiceoverKey", "Recording", Kind::One(rows)).hint("A voice or a song that you uploaded under Recordings, in place of a script."),
        field("audioKind", "The recording is a", Kind::One(names::<AudioKind>())),
        field("voiceoverDuration", "Its length in seconds", Kind::Number).hint("Measured automatically; fill it in only to state another length."),
    ]
}

fn music() -> Vec<Field> {
    vec![
        field(
            "musicConfig.enabled",
            "Music",
            Kind::Three { open: AS_THERE },
        ),
        field(
            "musicConfig.musicSlug",
            "Track",
            Kind::One(names_or::<MusicSlug>(AS_THERE)),
        ),
        field("musicConfig.volume", "Music volume", Kind::Number),
        field(
            "musicConfig.loop",
            "Repeat the track",
            Kind::Three { open: AS_THERE },
        ),
    ]
}

fn output(universe: &UniverseSettings, may_remove_watermark: bool) -> Vec<Field> {
    let mut languages = vec![Choice::new("", AS_THERE)];
    languages.extend(
        universe
            .languages
            .iter()
            .map(|code| Choice::new(code, code)),
    );
    let mut fields = vec![field("language", "Language", Kind::One(languages))];
    let watermark = field("removeWatermark", "Without a watermark", Kind::Switch);
    fields.push(watermark.hint(if may_remove_watermark {
        ""
    } else {
        "Comes with the Creator plan."
    }));
    fields
}

/// Converts typed values into a request: new characters are appended to the saved ones.
pub(super) fn request_of(mut typed: Value) -> Value {
    let new = typed
        .as_object_mut()
        .and_then(|fields| fields.remove("new"));
    let mut new = rows(new.unwrap_or_default());
    if !new.is_empty() {
        let mut all = typed["characters"].as_array().cloned().unwrap_or_default();
        all.append(&mut new);
        typed["characters"] = Value::Array(all);
    }
    typed
}

/// Returns the filled rows of `{"0": …, "2": …}`; a row with only an id counts as empty.
fn rows(numbered: Value) -> Vec<Value> {
    let Value::Object(numbered) = numbered else {
        return Vec::new();
    };
    let mut rows: Vec<_> = numbered.into_iter().collect();
    rows.sort_by_key(|(name, _)| name.parse::<usize>().unwrap_or(usize::MAX));
    rows.into_iter()
        .map(|(_, row)| row)
        .filter(|row| {
            row.as_object()
                .is_some_and(|row| row.keys().any(|name| name != "id"))
        })
        .collect()
}

/// Converts a request into the form's content.
pub(super) fn form_of(mut request: Value) -> Value {
    let all = request["characters"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let (saved, new): (Vec<_>, Vec<_>) = all.into_iter().partition(Value::is_string);
    request["characters"] = Value::Array(saved);
    request["new"] = Value::Array(new);
    request
}

/// Moves problems of a request to the fields of its form.
pub(super) fn placed(problems: Vec<FieldProblem>, request: &Value) -> Vec<FieldProblem> {
    let all = request["characters"].as_array();
    let n_saved = all.map_or(0, |all| all.iter().filter(|one| one.is_string()).count());
    let moved = |field: &str| {
        let (index, rest) = field.strip_prefix("characters[")?.split_once(']')?;
        let index = index.parse::<usize>().ok()?.checked_sub(n_saved)?;
        Some(format!(
            "new[{index}]{}",
            if rest.is_empty() { ".name" } else { rest }
        ))
    };
    let place = |problem: FieldProblem| FieldProblem {
        field: moved(&problem.field).unwrap_or(problem.field),
        ..problem
    };
    problems.into_iter().map(place).collect()
}

/// Returns the fields of a universe; `body` gives the number of its looks.
pub(super) fn settings(body: &Value, is_new: bool) -> Vec<Group> {
    let mut about = vec![field("name", "Name", Kind::Line(Vec::new()))];
    if is_new {
        about.push(
            field("slug", "Slug", Kind::Line(Vec::new()))
                .hint("Its name in addresses: lower-case letters, digits and hyphens."),
        );
    }
    about.push(
        field("languages", "Languages", Kind::Line(Vec::new()))
            .hint("Two letters each; the first is the default: en, de"),
    );
    vec![
        Group::new("About", about),
        Group::new("Looks", visual_styles(body)),
        Group::new("Captions and format", framing()),
        Group::new("Music", own_music()),
    ]
}

fn visual_styles(body: &Value) -> Vec<Field> {
    let n_looks = body["visualStyles"].as_array().map_or(0, Vec::len);
    let mut fields = vec![field(
        "aiStyleByDefault",
        "Invent a look for each video that names none",
        Kind::Switch,
    )];
    for i in 0..n_looks + N_MORE_LOOKS {
        let style = Kind::Area {
            rows: 2,
            max_chars: MAX_NOTES_CHARS,
        };
        let hint = match i {
            _ if i >= n_looks => "",
            0 => "The first look is used if none is named. Empty both fields to remove it.",
            _ => "Empty both fields to remove this look.",
        };
        for (name, label, kind) in [
            ("name", "Name", Kind::Line(Vec::new())),
            ("style", "Added to every picture's prompt", style),
            ("id", "Id", Kind::Hidden),
        ] {
            let hint = if name == "name" { hint } else { "" };
            let path = format!("visualStyles.{i}.{name}");
            fields.push(
                field(path, label, kind)
                    .part(format!("Look {}", i + 1))
                    .hint(hint),
            );
        }
    }
    fields
}

fn framing() -> Vec<Field> {
    vec![
        field("captions", "Captions", Kind::Switch),
        field(
            "captionsStyle",
            "Caption style",
            Kind::One(names::<CaptionStyle>()),
        )
        .shows("caption"),
        field(
            "captionsPosition",
            "Caption position",
            Kind::One(names::<CaptionPosition>()),
        )
        .shows("position"),
        field("videoFormat", "Format", Kind::One(names::<AspectRatio>())).shows("format"),
    ]
}

fn own_music() -> Vec<Field> {
    vec![
        field("hasMusic", "Music in every video", Kind::Switch),
        field(
            "music.musicSlug",
            "Track",
            Kind::One(names_or::<MusicSlug>("One that fits")),
        ),
        field("music.volume", "Music volume", Kind::Number),
        field("music.loop", "Repeat the track", Kind::Switch),
    ]
}

/// Converts typed values into a universe's settings; new looks get ids.
pub(super) fn settings_of(mut typed: Value) -> Value {
    let languages = typed["languages"].as_str().unwrap_or_default();
    let languages: Vec<Value> = languages
        .split([',', ' '])
        .filter(|code| !code.is_empty())
        .map(Value::from)
        .collect();
    typed["languages"] = Value::Array(languages);
    let mut looks = rows(typed["visualStyles"].take());
    for look in &mut looks {
        if look["id"].is_null() {
            look["id"] = json!(Uuid::new_v4());
        }
        for name in ["name", "style"] {
            look[name] = json!(look[name].as_str().unwrap_or_default());
        }
    }
    typed["visualStyles"] = Value::Array(looks);
    if let Some(fields) = typed.as_object_mut() {
        let has_music = fields.remove("hasMusic") == Some(Value::Bool(true));
        if !has_music {
            fields.remove("music");
        }
    }
    typed
}

/// Converts a universe's settings into the form's content.
pub(super) fn form_of_settings(mut settings: Value) -> Value {
    let languages = settings["languages"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let languages: Vec<&str> = languages.iter().filter_map(Value::as_str).collect();
    settings["languages"] = languages.join(", ").into();
    let has_music = !settings["music"].is_null();
    settings["hasMusic"] = has_music.into();
    if !has_music {
        settings["music"] = json!(kinora_studio::request::MusicConfig::default());
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_characters_join_the_saved_ones_and_come_back() {
        let typed = json!({ "characters": ["a"], "new": { "0": {}, "1": { "name": "Mo" } } });
        let request = request_of(typed);
        assert_eq!(request, json!({ "characters": ["a", { "name": "Mo" }] }));
        let form = form_of(request.clone());
        assert_eq!(form["new"], json!([{ "name": "Mo" }]));
        let problems = vec![
            FieldProblem::missing("characters[1].description", "needed"),
            FieldProblem::invalid("characters[0]", "unknown"),
        ];
        let placed = placed(problems, &request);
        assert_eq!(placed[0].field, "new[0].description");
        assert_eq!(placed[1].field, "characters[0]");
    }

    #[test]
    fn settings_go_through_their_form() {
        let typed = json!({
            "name": "Mine", "slug": "mine", "languages": "en, de", "aiStyleByDefault": false, "captions": true, "hasMusic": false,
            "music": { "loop": true }, "visualStyles": { "0": {}, "1": { "id": Uuid::nil() }, "3": { "name": "Ink", "style": "black ink", "id": Uuid::max() } },
        });
        let settings = settings_of(typed);
        assert_eq!(settings["languages"], json!(["en", "de"]));
        assert_eq!(
            settings["visualStyles"],
            json!([{ "name": "Ink", "style": "black ink", "id": Uuid::max() }])
        );
        assert!(settings["music"].is_null());
        let form = form_of_settings(settings);
        assert_eq!(
            (&form["languages"], &form["hasMusic"]),
            (&json!("en, de"), &json!(false))
        );
    }
}
