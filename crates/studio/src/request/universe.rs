//! A request of the Universe interface, in its serialized form.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use super::names::{
    AnimationPreset, AspectRatio, AudioKind, CaptionPosition, CaptionStyle, MusicSlug,
};
use super::schema::{nullable, one};

/// A video in a universe, from a prompt, a canonical script or recorded audio. For missing fields, the universe decides ([`UniverseRequest::resolve`]).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable, transform = with_alias, extend("anyOf" = [one("prompt"), one("userScript"), one("voiceoverKey")]))]
pub struct UniverseRequest {
    /// What the video depicts; required without a `userScript` or a `voiceoverKey`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 10_000))]
    pub prompt: Option<String>,
    /// Target length. Default 60 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<TargetSecs>,
    /// How much the pictures move; `static` and `pro` are accepted too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "preset_schema")]
    pub animation_preset: Option<AnimationPreset>,
    /// Legacy: `true` is animation, `false` a storyboard. Ignored if `animationPreset` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub animation: Option<bool>,
    /// A canonical script. Not together with `voiceoverKey`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50_000))]
    pub user_script: Option<String>,
    /// The key of an uploaded audio file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub voiceover_key: Option<String>,
    /// Length of the audio in seconds: more than 0, at most 600.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 600))]
    pub voiceover_duration: Option<f64>,
    /// The kind of audio; `song` needs a `voiceoverKey`.
    pub audio_kind: AudioKind,
    /// A language of the universe, two letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[A-Za-z]{2}$"))]
    pub language: Option<String>,
    /// The characters in the video, 50 at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    pub characters: Vec<CharacterRef>,
    /// The shape of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video_format: Option<AspectRatio>,
    /// Whether captions are shown; `captionsEnabled` is accepted too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captions: Option<bool>,
    /// The style of captions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captions_style: Option<CaptionStyle>,
    /// The position of captions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captions_position: Option<CaptionPosition>,
    /// One of the universe's visual styles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visual_style_id: Option<Uuid>,
    /// A hint that changes no default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefer_ai_style: Option<bool>,
    /// Overrides of the universe's music.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub music_config: Option<UniverseMusic>,
    /// Whether to leave the watermark out; only some plans allow it.
    pub remove_watermark: bool,
}

impl UniverseRequest {
    /// Returns how much the pictures move, from all fields that say so.
    pub fn preset(&self) -> AnimationPreset {
        let legacy = self.animation.map(|moves| match moves {
            true => AnimationPreset::Fast,
            false => AnimationPreset::JustStoryboard,
        });
        self.animation_preset.or(legacy).unwrap_or_default()
    }

    /// Returns the target length in seconds, if neither a script nor audio determines it.
    pub fn target_secs(&self) -> u32 {
        self.duration.unwrap_or_default().0
    }
}

/// Alternative names of presets.
pub(super) const PRESET_ALIASES: &[(&str, AnimationPreset)] = &[
    ("static", AnimationPreset::JustStoryboard),
    ("pro", AnimationPreset::ProAnimation),
];

/// Adds `captionsEnabled`, which is accepted on input and never written.
fn with_alias(schema: &mut Schema) {
    let properties = schema.get_mut("properties");
    if let Some(properties) = properties.and_then(serde_json::Value::as_object_mut) {
        let alias = serde_json::json!({ "type": ["boolean", "null"], "description": "Alias of `captions`." });
        properties.insert("captionsEnabled".into(), alias);
    }
}

fn preset_schema(_: &mut SchemaGenerator) -> Schema {
    let names = <AnimationPreset as super::WireName>::names();
    let names: Vec<&str> = names
        .chain(PRESET_ALIASES.iter().map(|(alias, _)| *alias))
        .collect();
    json_schema!({ "anyOf": [{ "type": "string", "enum": names }, { "type": "null" }] })
}

/// A length in whole seconds, 1 to 600. Serialized as text, `"60"`; a number is accepted too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetSecs(pub u32);

impl TargetSecs {
    /// The longest length, in seconds.
    pub const MAX: u32 = 600;
}

impl Default for TargetSecs {
    fn default() -> TargetSecs {
        TargetSecs(60)
    }
}

impl Serialize for TargetSecs {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl JsonSchema for TargetSecs {
    fn schema_name() -> Cow<'static, str> {
        "TargetSecs".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "pattern": "^0*([1-9][0-9]?|[1-5][0-9][0-9]|600)$", "examples": ["15", "30", "60", "180", "300", "600"] },
            { "type": "integer", "minimum": 1, "maximum": Self::MAX },
        ] })
    }
}

/// A character in the video.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CharacterRef {
    /// A saved character, by its id.
    Saved(Uuid),
    /// A character described in the request.
    Inline(InlineCharacter),
}

/// A description of a character in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(transform = nullable)]
pub struct InlineCharacter {
    /// The name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Its role and personality.
    #[schemars(length(min = 1, max = 2_000))]
    pub description: String,
    /// What it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub appearance: Option<String>,
    /// What it wears.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub clothing: Option<String>,
}

/// Overrides of the universe's music.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable)]
pub struct UniverseMusic {
    /// The track; it turns music on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub music_slug: Option<MusicSlug>,
    /// `false` turns the universe's music off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Volume, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub volume: Option<f64>,
    /// Whether the track restarts when it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#loop: Option<bool>,
}
