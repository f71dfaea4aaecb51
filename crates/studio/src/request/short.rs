//! A request of the Short interface, in its serialized form.

use schemars::JsonSchema;
use serde::Serialize;

use super::names::{
    AspectRatio, CaptionPosition, CaptionStyle, ImageModel, LeonardoStyle, LoraSlug, MusicSlug,
    Quality, RecraftStyle, ScriptStyle, TemplateId, Transition, VideoModel,
};
use super::schema::{nullable, one};

/// The default voice.
pub const DEFAULT_VOICE_ID: &str = "zWDA589rUKXuLnPRDtAG";

/// A video from a prompt or a script: exactly one of the two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable, extend("oneOf" = [one("prompt"), one("script")]))]
pub struct ShortRequest {
    /// What the video depicts; script, scenes and voiceover are made from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 10_000))]
    pub prompt: Option<String>,
    /// A script written in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50_000))]
    pub script: Option<String>,
    /// How the script is written; at its defaults if `script` is given.
    pub script_config: ScriptConfig,
    /// A prompt for the picture model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 5_000))]
    pub director_notes: Option<String>,
    /// Whether a better structure may be chosen and director's notes added (experimental).
    pub short_request_enhancer: bool,
    /// The pictures.
    pub image_config: ImageConfig,
    /// The voice.
    pub voiceover_config: VoiceoverConfig,
    /// The captions.
    pub captions_config: CaptionsConfig,
    /// Transitions and motion.
    pub effects_config: EffectsConfig,
    /// The music.
    pub music_config: MusicConfig,
    /// The clips.
    pub video_config: VideoConfig,
    /// For internal use.
    pub template_config: TemplateConfig,
    /// The encoding quality.
    pub quality: Quality,
    /// The shape of the picture.
    pub aspect_ratio: AspectRatio,
}

/// How the script is written.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable)]
pub struct ScriptConfig {
    /// Its tone and voice.
    pub style: ScriptStyle,
    /// Approximate number of words, 1 to 1500.
    #[schemars(range(min = 1, max = 1500))]
    pub target_length_in_words: u32,
}

impl Default for ScriptConfig {
    fn default() -> ScriptConfig {
        ScriptConfig {
            style: ScriptStyle::default(),
            target_length_in_words: 70,
        }
    }
}

/// The pictures. A style that does not fit the model is dropped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable)]
pub struct ImageConfig {
    /// The model that makes them.
    pub model: ImageModel,
    /// Only with `recraft`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recraft_style: Option<RecraftStyle>,
    /// Only with `flux_lora` and `sdxl_lora`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lora_config: Option<LoraConfig>,
    /// Only with the Leonardo models.
    pub leonardo_style: LeonardoStyle,
}

/// The style file of a LoRA model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable)]
pub struct LoraConfig {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lora_slug: Option<LoraSlug>,
}

/// The voice.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable)]
pub struct VoiceoverConfig {
    /// Whether the script is spoken.
    pub enabled: bool,
    /// The id of the voice.
    #[schemars(length(max = 200))]
    pub voice_id: String,
}

impl Default for VoiceoverConfig {
    fn default() -> VoiceoverConfig {
        VoiceoverConfig {
            enabled: true,
            voice_id: DEFAULT_VOICE_ID.into(),
        }
    }
}

/// The captions.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(default)]
#[schemars(transform = nullable)]
pub struct CaptionsConfig {
    /// Whether they are shown.
    #[serde(rename = "captionsEnabled")]
    pub enabled: bool,
    /// The style of captions.
    #[serde(rename = "captionsStyle")]
    pub style: CaptionStyle,
    /// The position of captions.
    #[serde(rename = "captionsPosition")]
    pub position: CaptionPosition,
}

impl Default for CaptionsConfig {
    fn default() -> CaptionsConfig {
        CaptionsConfig {
            enabled: true,
            style: CaptionStyle::default(),
            position: CaptionPosition::default(),
        }
    }
}

/// Transitions and motion.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(default)]
#[schemars(transform = nullable)]
pub struct EffectsConfig {
    /// The transition between scenes.
    pub transition: Transition,
    /// Whether pictures gently float or zoom.
    pub floating: bool,
}

impl Default for EffectsConfig {
    fn default() -> EffectsConfig {
        EffectsConfig {
            transition: Transition::default(),
            floating: true,
        }
    }
}

/// The music.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable)]
pub struct MusicConfig {
    /// Whether there is music.
    pub enabled: bool,
    /// The track; the empty name leaves the choice to the director.
    pub music_slug: MusicSlug,
    /// Volume relative to the voice, 0 (silent) to 1 (full).
    #[schemars(range(min = 0, max = 1))]
    pub volume: f64,
    /// Whether the track restarts when it ends.
    pub r#loop: bool,
}

impl Default for MusicConfig {
    fn default() -> MusicConfig {
        MusicConfig {
            enabled: false,
            music_slug: MusicSlug::default(),
            volume: 0.3,
            r#loop: true,
        }
    }
}

/// The clips.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable)]
pub struct VideoConfig {
    /// Whether every scene gets a clip instead of a still picture.
    pub enabled: bool,
    /// The model that makes them.
    pub model: VideoModel,
    /// Notes for the model.
    #[schemars(length(max = 5_000))]
    pub video_director_notes: Option<String>,
    /// Target length of a clip, in seconds: more than 0, at most 600. Some models make clips of one length only.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 600))]
    pub duration: Option<f64>,
}

/// For internal use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = nullable)]
pub struct TemplateConfig {
    /// The name of the template.
    pub template_id: TemplateId,
}
