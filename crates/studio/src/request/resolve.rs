//! Combines a request with its universe's settings: rules 2 and 3 of the interface, and languages.

use serde::Serialize;

use super::names::{AnimationPreset, AspectRatio, AudioKind, MusicSlug};
use super::problem::FieldProblem;
use super::settings::{UniverseSettings, VisualStyle};
use super::universe::{CharacterRef, UniverseMusic, UniverseRequest};
use super::{CaptionsConfig, MusicConfig};
use crate::script::{canonical, language_of};
use crate::text_problem::quoted_text;

/// The input of a video.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum UniverseInput {
    /// A prompt.
    Prompt {
        /// What the video depicts.
        prompt: String,
    },
    /// A canonical script.
    Script {
        /// As received; [`crate::script::canonical::parse`] reads it.
        script: String,
        /// Additional information about the video.
        prompt: Option<String>,
    },
    /// Uploaded audio.
    Audio {
        /// The key of the upload.
        key: String,
        /// Speech or song.
        kind: AudioKind,
        /// Its length in seconds according to the request.
        secs: Option<f64>,
        /// Additional information about the video.
        prompt: Option<String>,
    },
}

/// The style of the pictures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ResolvedStyle {
    /// A style invented for this video.
    Ai,
    /// One of the universe's.
    Configured(VisualStyle),
}

/// A request of the Universe interface with all choices made.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedUniverse {
    /// The universe's slug.
    pub universe: String,
    /// The input.
    pub input: UniverseInput,
    /// Target length in seconds, if neither a script nor audio determines it.
    pub target_secs: u32,
    /// How much the pictures move.
    pub preset: AnimationPreset,
    /// Two lower-case letters.
    pub language: String,
    /// The characters in the video.
    pub characters: Vec<CharacterRef>,
    /// The shape of the picture.
    pub video_format: AspectRatio,
    /// The captions.
    pub captions: CaptionsConfig,
    /// The style of the pictures.
    pub style: ResolvedStyle,
    /// The music.
    pub music: MusicConfig,
    /// Whether the watermark is left out, if the plan allows it.
    pub remove_watermark: bool,
}

impl UniverseRequest {
    /// Fills in what the request leaves to the universe.
    ///
    /// # Errors
    /// Returns an error if the universe lacks the visual style or the language, or if the request has no input (only possible if built by hand: parsed ones
    /// have one).
    pub fn resolve(
        &self,
        universe: &UniverseSettings,
    ) -> Result<ResolvedUniverse, Vec<FieldProblem>> {
        let mut problems = Vec::new();
        let input = caught(self.input(), &mut problems);
        let style = caught(self.style(universe), &mut problems);
        let language = caught(self.spoken_language(universe), &mut problems);
        let (Some(input), Some(style), Some(language)) = (input, style, language) else {
            return Err(problems);
        };
        Ok(ResolvedUniverse {
            universe: universe.slug.clone(),
            input,
            target_secs: self.target_secs(),
            preset: self.preset(),
            language,
            characters: self.characters.clone(),
            video_format: self.video_format.unwrap_or(universe.video_format),
            captions: CaptionsConfig {
                enabled: self.captions.unwrap_or(universe.captions),
                style: self.captions_style.unwrap_or(universe.captions_style),
                position: self.captions_position.unwrap_or(universe.captions_position),
            },
            style,
            music: music(self.music_config.as_ref(), universe),
            remove_watermark: self.remove_watermark,
        })
    }

    fn input(&self) -> Result<UniverseInput, FieldProblem> {
        let prompt = self.prompt.clone();
        if let Some(script) = self.user_script.clone() {
            return Ok(UniverseInput::Script { script, prompt });
        }
        if let Some(key) = self.voiceover_key.clone() {
            let (kind, secs) = (self.audio_kind, self.voiceover_duration);
            return Ok(UniverseInput::Audio {
                key,
                kind,
                secs,
                prompt,
            });
        }
        let missing = || {
            FieldProblem::missing(
                "prompt",
                "one of `prompt`, `userScript` and `voiceoverKey` is required",
            )
        };
        prompt
            .map(|prompt| UniverseInput::Prompt { prompt })
            .ok_or_else(missing)
    }

    /// Applies rule 3. `preferAiStyle` is a hint and overrides no default.
    fn style(&self, universe: &UniverseSettings) -> Result<ResolvedStyle, FieldProblem> {
        let styles = &universe.visual_styles;
        let Some(id) = self.visual_style_id else {
            let own = styles.first().filter(|_| !universe.thinks_up_styles());
            return Ok(own.map_or(ResolvedStyle::Ai, |style| {
                ResolvedStyle::Configured(style.clone())
            }));
        };
        let named = styles.iter().find(|style| style.id == id);
        named
            .map(|style| ResolvedStyle::Configured(style.clone()))
            .ok_or_else(|| {
                let known: Vec<String> = styles
                    .iter()
                    .map(|style| format!("{} ({})", style.id, style.name))
                    .collect();
                let known = if known.is_empty() {
                    "none".into()
                } else {
                    known.join(", ")
                };
                let reason = format!(
                    "`{id}` is not a visual style of the universe `{}`, which has: {known}",
                    universe.slug
                );
                FieldProblem::invalid("visualStyleId", reason)
            })
    }

    /// Returns the language of the prompt, or of the script's speech; `en` if it cannot be detected.
    fn told_language(&self) -> String {
        let script = self.user_script.as_deref().map(canonical::parse);
        let said = script.and_then(Result::ok).map(|reading| {
            let speech = reading.script.shots().flat_map(|shot| &shot.speech);
            speech
                .map(|said| said.text.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        });
        language_of(
            said.as_deref()
                .or(self.prompt.as_deref())
                .unwrap_or_default(),
        )
        .to_owned()
    }

    fn spoken_language(&self, universe: &UniverseSettings) -> Result<String, FieldProblem> {
        let own = || {
            universe
                .languages
                .first()
                .cloned()
                .unwrap_or_else(|| "en".into())
        };
        let Some(language) = &self.language else {
            if universe.languages.len() < 2 {
                return Ok(own());
            }
            let told = self.told_language();
            let is_known = told != "en" && universe.languages.contains(&told);
            return Ok(if is_known { told } else { own() });
        };
        if universe.languages.contains(language) || *language == own() {
            return Ok(language.clone());
        }
        let reason = format!(
            "{} is not a language of the universe `{}`, which has: {}",
            quoted_text(language),
            universe.slug,
            universe.languages.join(", ")
        );
        Err(FieldProblem::invalid("language", reason))
    }
}

fn caught<T>(result: Result<T, FieldProblem>, problems: &mut Vec<FieldProblem>) -> Option<T> {
    result.map_err(|problem| problems.push(problem)).ok()
}

/// Applies rule 2.
fn music(asked: Option<&UniverseMusic>, universe: &UniverseSettings) -> MusicConfig {
    let asked = asked.cloned().unwrap_or_default();
    let own = universe.music.as_ref();
    let track = asked.music_slug.filter(|slug| *slug != MusicSlug::Unset);
    let default = MusicConfig::default();
    MusicConfig {
        enabled: asked.enabled.unwrap_or(track.is_some() || own.is_some()),
        music_slug: track.or(own.map(|own| own.music_slug)).unwrap_or_default(),
        volume: asked
            .volume
            .or(own.map(|own| own.volume))
            .unwrap_or(default.volume),
        r#loop: asked
            .r#loop
            .or(own.map(|own| own.r#loop))
            .unwrap_or(default.r#loop),
    }
}
