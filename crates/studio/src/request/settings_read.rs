//! Reads a universe's settings like requests: all problems together, with the same messages.

use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::fields::{Fields, Span, is_absent, whole};
use super::problem::{FieldProblem, Report, quoted};
use super::settings::{MAX_STYLES, UniverseSettings, UniverseTrack, VisualStyle};
use super::texts::{MAX_NAME_CHARS, MAX_NOTES_CHARS};
use super::universe_read::uuid as read_uuid;

/// Most languages of a universe; there are fewer two-letter codes.
const MAX_LANGUAGES: usize = 200;

impl UniverseSettings {
    /// Reads and checks settings in TOML.
    ///
    /// # Errors
    /// All problems of the settings; only the first if the text is not TOML.
    pub fn from_toml(text: &str) -> Result<UniverseSettings, Vec<FieldProblem>> {
        let read: Result<toml::Value, _> = toml::from_str(text);
        let value = read.map_err(|e| vec![FieldProblem::invalid("body", e.to_string())])?;
        UniverseSettings::from_value(&json_of(value))
    }

    /// Reads and checks settings in JSON.
    ///
    /// # Errors
    /// All problems of the settings.
    pub fn from_json(text: &str) -> Result<UniverseSettings, Vec<FieldProblem>> {
        let fields = super::fields_of(text.as_bytes())?;
        UniverseSettings::from_value(&Value::Object(fields))
    }

    /// Reads and checks settings that are already parsed JSON.
    ///
    /// # Errors
    /// All problems of the settings.
    pub fn from_value(body: &Value) -> Result<UniverseSettings, Vec<FieldProblem>> {
        let mut report = Report::default();
        let settings = whole(body, &mut report, settings);
        let settings = settings.unwrap_or_else(|| UniverseSettings::new(""));
        report.refuse_unknown();
        let checked = settings.problems();
        let said = report.fields();
        for problem in checked {
            // Fields that could not be read are already reported.
            if !said.iter().any(|field| is_within(&problem.field, field)) {
                report.problem(problem);
            }
        }
        report.end(settings).map(|parsed| parsed.request)
    }
}

/// Converts TOML to JSON. Numbers that JSON does not have become texts, which are refused as numbers.
fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::Float(number) if !number.is_finite() => number.to_string().into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Boolean(value) => value.into(),
        toml::Value::String(text) => text.into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(json_of).collect(),
        toml::Value::Table(table) => {
            let fields = table.into_iter();
            Value::Object(fields.map(|(name, value)| (name, json_of(value))).collect())
        }
    }
}

/// Returns whether one field is the other, or a part of it.
fn is_within(field: &str, whole: &str) -> bool {
    let rest = field.strip_prefix(whole);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn settings(fields: &mut Fields<'_, '_>) -> UniverseSettings {
    let slug = fields.text("slug", MAX_NAME_CHARS);
    if slug.is_none() && !fields.is_written("slug") {
        fields.missing("slug", "a slug is required, such as `my-series`");
    }
    let slug = slug.unwrap_or_default();
    let default = UniverseSettings::new(slug.clone());
    UniverseSettings {
        visual_styles: styles(fields, &slug),
        ai_style_by_default: fields.boolean("aiStyleByDefault").unwrap_or_default(),
        captions: fields.boolean("captions").unwrap_or(default.captions),
        captions_style: fields.choice("captionsStyle").unwrap_or_default(),
        captions_position: fields.choice("captionsPosition").unwrap_or_default(),
        music: fields.optional_object("music", track),
        video_format: fields.choice("videoFormat").unwrap_or_default(),
        languages: languages(fields).unwrap_or(default.languages),
        slug,
    }
}

fn track(fields: &mut Fields<'_, '_>) -> UniverseTrack {
    let default = super::MusicConfig::default();
    UniverseTrack {
        music_slug: fields.choice("musicSlug").unwrap_or_default(),
        volume: fields
            .number("volume", &Span::closed(0.0, 1.0))
            .unwrap_or(default.volume),
        r#loop: fields.boolean("loop").unwrap_or(default.r#loop),
    }
}

/// Returns the items of a list, if it is a list of at most `most`.
fn items<'v>(fields: &mut Fields<'v, '_>, name: &'static str, most: usize) -> Option<&'v [Value]> {
    match fields.value(name)? {
        Value::Array(items) if items.len() <= most => return Some(items),
        Value::Array(items) => {
            let reason = format!("has {} items; at most {most} are allowed", items.len());
            fields.invalid(name, reason);
        }
        other => fields.invalid(name, format!("{} is not an array", quoted(other))),
    }
    None
}

fn languages(fields: &mut Fields<'_, '_>) -> Option<Vec<String>> {
    let items = items(fields, "languages", MAX_LANGUAGES)?;
    let mut languages = Vec::new();
    for (i, item) in items.iter().enumerate() {
        match item {
            Value::String(text) => languages.push(text.clone()),
            other => {
                let reason = format!("{} is not a string", quoted(other));
                fields.invalid(&format!("languages[{i}]"), reason);
            }
        }
    }
    // If an item cannot be read, only that is reported.
    (languages.len() == items.len()).then_some(languages)
}

fn styles(fields: &mut Fields<'_, '_>, slug: &str) -> Vec<VisualStyle> {
    let items = items(fields, "visualStyles", MAX_STYLES).unwrap_or_default();
    let mut styles: Vec<VisualStyle> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let step = format!("visualStyles[{i}]");
        let Value::Object(map) = item else {
            let reason = format!("{} is not an object with `name` and `style`", quoted(item));
            fields.invalid(&step, reason);
            continue;
        };
        let style = fields.inner(&step, Some(map), |style| {
            let name = needed(style, "name", MAX_NAME_CHARS);
            let look = needed(style, "style", MAX_NOTES_CHARS);
            let id = match map.get("id").is_none_or(is_absent) {
                true => {
                    read_uuid(style, "id");
                    let n = styles.iter().filter(|other| other.name == name).count();
                    made(slug, &name, n)
                }
                // An invalid id is reported; any valid one replaces it here.
                false => read_uuid(style, "id").unwrap_or(made(slug, &name, i)),
            };
            VisualStyle {
                id,
                name,
                style: look,
            }
        });
        styles.push(style);
    }
    styles
}

fn needed(fields: &mut Fields<'_, '_>, name: &'static str, most: usize) -> String {
    let text = fields.text(name, most);
    if !fields.is_written(name) {
        fields.missing(name, format!("must have 1 to {most} characters"));
    }
    text.unwrap_or_default()
}

/// Derives the id of a style without one. The same style always gets the same id, even if the universe is saved again.
fn made(slug: &str, name: &str, n: usize) -> Uuid {
    let hash = Sha256::digest(format!("kinora style\n{slug}\n{name}\n{n}"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}
