//! Reads and checks a request of the Short interface.

use serde_json::Value;

use super::fields::{Fields, Span, whole};
use super::names::{ImageModel, LeonardoStyle};
use super::problem::{FieldProblem, Report};
use super::short::{
    CaptionsConfig, EffectsConfig, ImageConfig, LoraConfig, MusicConfig, ScriptConfig,
    ShortRequest, TemplateConfig, VideoConfig, VoiceoverConfig,
};
use super::texts::{MAX_NAME_CHARS, MAX_NOTES_CHARS, MAX_PROMPT_CHARS, MAX_SCRIPT_CHARS};
use super::{MAX_VIDEO_SECS, Parsed, too_long_to_say, without_words};

impl ShortRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// All problems of the body.
    pub fn parse(body: impl AsRef<[u8]>) -> Result<Parsed<ShortRequest>, Vec<FieldProblem>> {
        let mut report = Report::default();
        let body = super::json::read(body.as_ref(), &mut report);
        let request = body.and_then(|body| whole(&body, &mut report, request));
        report.end(request.unwrap_or_default())
    }

    /// Reads a body that is already parsed JSON.
    ///
    /// # Errors
    /// As [`ShortRequest::parse`]; duplicate keys can no longer be detected.
    pub fn from_value(body: &Value) -> Result<Parsed<ShortRequest>, Vec<FieldProblem>> {
        let mut report = Report::default();
        let request = whole(body, &mut report, request);
        report.end(request.unwrap_or_default())
    }
}

fn request(fields: &mut Fields<'_, '_>) -> ShortRequest {
    let (prompt, script) = prompt_or_script(fields);
    let default = ShortRequest::default();
    let mut script_config = fields.object("scriptConfig", read_script);
    if script.is_some() && script_config != default.script_config {
        fields.warn("scriptConfig", "has no effect, because `script` is given");
        script_config = ScriptConfig::default();
    }
    let enhancer = fields.boolean("shortRequestEnhancer").unwrap_or_default();
    if script.is_some() && enhancer {
        fields.warn(
            "shortRequestEnhancer",
            "has no effect, because `script` is given",
        );
    }
    ShortRequest {
        prompt,
        script,
        script_config,
        director_notes: fields.text("directorNotes", MAX_NOTES_CHARS),
        short_request_enhancer: enhancer,
        image_config: fields.object("imageConfig", read_image),
        voiceover_config: fields.object("voiceoverConfig", read_voiceover),
        captions_config: fields.object("captionsConfig", read_captions),
        effects_config: fields.object("effectsConfig", read_effects),
        music_config: fields.object("musicConfig", read_music),
        video_config: fields.object("videoConfig", read_video),
        template_config: fields.object("templateConfig", read_template),
        quality: fields.choice("quality").unwrap_or_default(),
        aspect_ratio: fields.choice("aspectRatio").unwrap_or_default(),
    }
}

fn read_template(fields: &mut Fields<'_, '_>) -> TemplateConfig {
    let template = TemplateConfig {
        template_id: fields.choice("templateId").unwrap_or_default(),
    };
    if template != TemplateConfig::default() {
        fields.warn(
            "templateId",
            "has no effect, because it is for internal use",
        );
    }
    template
}

/// Requires exactly one of the two.
fn prompt_or_script(fields: &mut Fields<'_, '_>) -> (Option<String>, Option<String>) {
    let prompt = fields.text("prompt", MAX_PROMPT_CHARS);
    let script = fields.text("script", MAX_SCRIPT_CHARS);
    match (fields.is_written("prompt"), fields.is_written("script")) {
        (false, false) => fields
            .missing_any("one of `prompt` and `script` is required, and neither contains any text"),
        (true, true) => fields.invalid(
            "script",
            "`prompt` and `script` are mutually exclusive: send only one of them",
        ),
        _ => {}
    }
    if let Some(reason) = prompt.as_deref().and_then(without_words) {
        fields.invalid("prompt", reason);
    }
    if let Some(reason) = script.as_deref().and_then(too_long_to_say) {
        fields.invalid("script", reason);
    }
    (prompt, script)
}

fn read_script(fields: &mut Fields<'_, '_>) -> ScriptConfig {
    let default = ScriptConfig::default();
    ScriptConfig {
        style: fields.choice("style").unwrap_or_default(),
        target_length_in_words: fields
            .integer("targetLengthInWords", 1..=1500)
            .unwrap_or(default.target_length_in_words),
    }
}

fn read_image(fields: &mut Fields<'_, '_>) -> ImageConfig {
    let model: ImageModel = fields.choice("model").unwrap_or_default();
    let recraft_style = fields.choice("recraftStyle");
    let lora_config = fields.optional_object("loraConfig", |lora| LoraConfig {
        lora_slug: lora.choice("loraSlug"),
    });
    let lora_config = lora_config.filter(|lora| model.takes_lora() || lora.lora_slug.is_some());
    let leonardo_style: LeonardoStyle = fields.choice("leonardoStyle").unwrap_or_default();
    ImageConfig {
        model,
        recraft_style: only_with(
            fields,
            "recraftStyle",
            recraft_style,
            model.takes_recraft_style(),
        ),
        lora_config: only_with(fields, "loraConfig", lora_config, model.takes_lora()),
        leonardo_style: only_with(
            fields,
            "leonardoStyle",
            Some(leonardo_style).filter(|style| *style != LeonardoStyle::None),
            model.takes_leonardo_style(leonardo_style),
        )
        .unwrap_or_default(),
    }
}

/// Drops, with a warning, a field that the model does not take.
fn only_with<T>(
    fields: &mut Fields<'_, '_>,
    name: &str,
    style: Option<T>,
    is_taken: bool,
) -> Option<T> {
    if style.is_some() && !is_taken {
        fields.warn(
            name,
            "has no effect, because `imageConfig.model` does not support it",
        );
    }
    style.filter(|_| is_taken)
}

impl ImageModel {
    /// Returns whether the model takes `recraftStyle`.
    pub fn takes_recraft_style(self) -> bool {
        self == ImageModel::Recraft
    }

    /// Returns whether the model takes `loraConfig`.
    pub fn takes_lora(self) -> bool {
        matches!(self, ImageModel::FluxLora | ImageModel::SdxlLora)
    }

    /// Returns whether the model takes a `leonardoStyle`: `ACRYLIC` fits only the one based on Flux, `BOKEH` only the Phoenix ones, the others all three.
    pub fn takes_leonardo_style(self, style: LeonardoStyle) -> bool {
        match self {
            ImageModel::LeonardoFluxPrecision => style != LeonardoStyle::Bokeh,
            ImageModel::LeonardoPhoenixQuality | ImageModel::LeonardoPhoenixUltra => {
                style != LeonardoStyle::Acrylic
            }
            _ => false,
        }
    }
}

fn read_voiceover(fields: &mut Fields<'_, '_>) -> VoiceoverConfig {
    let default = VoiceoverConfig::default();
    let voiceover = VoiceoverConfig {
        enabled: fields.boolean("enabled").unwrap_or(default.enabled),
        voice_id: fields
            .identifier("voiceId", MAX_NAME_CHARS)
            .unwrap_or(default.voice_id.clone()),
    };
    if !voiceover.enabled {
        let is_given = voiceover.voice_id != default.voice_id;
        fields.unused(
            "`voiceoverConfig.enabled` is false",
            &[("voiceId", is_given)],
        );
    }
    voiceover
}

fn read_captions(fields: &mut Fields<'_, '_>) -> CaptionsConfig {
    let default = CaptionsConfig::default();
    let captions = CaptionsConfig {
        enabled: fields.boolean("captionsEnabled").unwrap_or(default.enabled),
        style: fields.choice("captionsStyle").unwrap_or_default(),
        position: fields.choice("captionsPosition").unwrap_or_default(),
    };
    if !captions.enabled {
        let given = [
            ("captionsStyle", captions.style != default.style),
            ("captionsPosition", captions.position != default.position),
        ];
        fields.unused("`captionsConfig.captionsEnabled` is false", &given);
    }
    captions
}

fn read_effects(fields: &mut Fields<'_, '_>) -> EffectsConfig {
    let default = EffectsConfig::default();
    EffectsConfig {
        transition: fields.choice("transition").unwrap_or_default(),
        floating: fields.boolean("floating").unwrap_or(default.floating),
    }
}

/// The range of the music's volume.
pub(super) const VOLUME: Span = Span::closed(0.0, 1.0);

fn read_music(fields: &mut Fields<'_, '_>) -> MusicConfig {
    let default = MusicConfig::default();
    let music = MusicConfig {
        enabled: fields.boolean("enabled").unwrap_or(default.enabled),
        music_slug: fields.choice("musicSlug").unwrap_or_default(),
        volume: fields.number("volume", &VOLUME).unwrap_or(default.volume),
        r#loop: fields.boolean("loop").unwrap_or(default.r#loop),
    };
    if !music.enabled {
        let given = [
            ("musicSlug", music.music_slug != default.music_slug),
            ("volume", music.volume != default.volume),
            ("loop", music.r#loop != default.r#loop),
        ];
        fields.unused("`musicConfig.enabled` is not true", &given);
    }
    music
}

fn read_video(fields: &mut Fields<'_, '_>) -> VideoConfig {
    let default = VideoConfig::default();
    let video = VideoConfig {
        enabled: fields.boolean("enabled").unwrap_or_default(),
        model: fields.choice("model").unwrap_or_default(),
        video_director_notes: fields.text("videoDirectorNotes", MAX_NOTES_CHARS),
        duration: fields.number("duration", &Span::up_to(MAX_VIDEO_SECS)),
    };
    if !video.enabled {
        let given = [
            ("model", video.model != default.model),
            ("videoDirectorNotes", video.video_director_notes.is_some()),
            ("duration", video.duration.is_some()),
        ];
        fields.unused("`videoConfig.enabled` is not true", &given);
    }
    video
}
