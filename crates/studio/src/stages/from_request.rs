//! Turns requests into briefs.

use std::path::PathBuf;

use super::brief::{
    Brief, CaptionChoice, Character, ClipChoice, MusicChoice, PictureChoice, PromptSource,
    Recording, Source,
};
use super::store::address;
use super::tracks::track_for;
use crate::failure::{Failure, FailureKind, Stage};
use crate::request::{
    AnimationPreset, AspectRatio, AudioKind, CaptionsConfig, CharacterRef, ImageConfig,
    InlineCharacter, LeonardoStyle, MusicConfig, MusicSlug, ResolvedStyle, ResolvedUniverse,
    ScriptStyle, ShortRequest, UniverseInput, WireName,
};
use crate::script::canonical;

/// Spoken words per second, to convert a length to a number of words.
const WORDS_PER_SEC: f64 = 137.0 / 60.0;

/// The clip models for the Universe interface's presets.
const PRESET_CLIPS: &[(AnimationPreset, &str)] = &[
    (AnimationPreset::Fast, "ltx_video_13b_distilled"),
    (AnimationPreset::ProAnimation, "kling_v2_1_pro_5s"),
];

/// Returns the clip model of a preset, if it has clips.
pub fn preset_clips(preset: AnimationPreset) -> Option<&'static str> {
    let row = PRESET_CLIPS.iter().find(|(known, _)| *known == preset);
    row.map(|(_, model)| *model)
}

/// The data that a universe request refers to and only the service has.
#[derive(Clone, Debug, Default)]
pub struct Material {
    /// The file behind `voiceoverKey`.
    pub recording: Option<PathBuf>,
    /// The words in the recording, if known.
    pub recording_text: Option<String>,
    /// The characters with the saved ids, in the order in which the request names them.
    pub saved: Vec<Character>,
}

impl Brief {
    /// Creates the brief of a Short request. `seed` controls everything random; `None` derives it from the request.
    pub fn of_short(request: &ShortRequest, seed: Option<u64>) -> Brief {
        let source = match (&request.prompt, &request.script) {
            (_, Some(script)) => Source::Script(script.clone()),
            (prompt, None) => Source::Prompt(PromptSource {
                prompt: prompt.clone().unwrap_or_default(),
                style: request.script_config.style.as_str().into(),
                n_words: request.script_config.target_length_in_words as usize,
                enhance: request.short_request_enhancer,
            }),
        };
        let seed = seed.unwrap_or_else(|| seed_of(request));
        let about = request
            .prompt
            .as_ref()
            .or(request.script.as_ref())
            .map_or("", String::as_str);
        let video = &request.video_config;
        let voice = &request.voiceover_config;
        Brief {
            notes: request.director_notes.clone(),
            pictures: PictureChoice {
                model: request.image_config.model.as_str().into(),
                style: style_of(&request.image_config),
            },
            voice: voice.enabled.then(|| voice.voice_id.clone()),
            captions: captions(&request.captions_config),
            transition: request.effects_config.transition.as_str().into(),
            floating: request.effects_config.floating,
            music: music(&request.music_config, about, seed),
            clips: video.enabled.then(|| ClipChoice {
                model: video.model.as_str().into(),
                notes: video.video_director_notes.clone(),
                secs: video.duration,
            }),
            size: size_of(request.aspect_ratio),
            seed,
            ..Brief::new(source)
        }
    }

    /// Creates the brief of a request in its universe.
    ///
    /// # Errors
    /// `BadInput` if its script is not canonical or the material does not match the request.
    pub fn of_universe(
        request: &ResolvedUniverse,
        material: &Material,
        seed: Option<u64>,
    ) -> Result<Brief, Failure> {
        let source = universe_source(request, material)?;
        let seed = seed.unwrap_or_else(|| seed_of(request));
        let style = match &request.style {
            ResolvedStyle::Ai => String::new(),
            ResolvedStyle::Configured(style) => style.style.clone(),
        };
        let is_song = matches!(&source, Source::Recording(recording) if recording.is_song);
        let about = match &source {
            Source::Prompt(prompt) => prompt.prompt.clone(),
            Source::Scenes(script) => script
                .scenes
                .iter()
                .map(|scene| scene.brief.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            _ => String::new(),
        };
        Ok(Brief {
            language: Some(request.language.clone()),
            characters: characters(&request.characters, material)?,
            pictures: PictureChoice {
                style,
                ..PictureChoice::default()
            },
            captions: captions(&request.captions),
            // A song is its own music.
            music: music(&request.music, &about, seed).filter(|_| !is_song),
            clips: preset_clips(request.preset).map(|model| ClipChoice {
                model: model.into(),
                notes: None,
                secs: None,
            }),
            size: size_of(request.video_format),
            seed,
            ..Brief::new(source)
        })
    }
}

impl Recording {
    /// Opens a sound file of speech (its words may be known) or song.
    ///
    /// # Errors
    /// `BadInput` if the file cannot be read.
    pub fn open(file: PathBuf, is_song: bool, text: Option<String>) -> Result<Recording, Failure> {
        let bytes = std::fs::read(&file).map_err(|e| {
            let message = format!("the recording {} cannot be read: {e}", file.display());
            Failure::new(Stage::Request, FailureKind::BadInput, message)
        })?;
        Ok(Recording {
            address: address(&bytes),
            file,
            is_song,
            text,
            prompt: None,
        })
    }
}

fn universe_source(request: &ResolvedUniverse, material: &Material) -> Result<Source, Failure> {
    let bad = |message: String| Failure::new(Stage::Request, FailureKind::BadInput, message);
    match &request.input {
        UniverseInput::Prompt { prompt } => Ok(Source::Prompt(PromptSource {
            prompt: prompt.clone(),
            style: ScriptStyle::default().as_str().into(),
            n_words: (f64::from(request.target_secs) * WORDS_PER_SEC)
                .round()
                .max(1.0) as usize,
            enhance: false,
        })),
        UniverseInput::Script { script, .. } => {
            let canonical = canonical::parse(script).map_err(|problems| {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                bad(format!(
                    "the script is not canonical (needs_canonical_rewrite):\n{}",
                    problems.join("\n")
                ))
            })?;
            Ok(Source::Scenes(
                canonical.script.to_script(&request.language),
            ))
        }
        UniverseInput::Audio {
            key, kind, prompt, ..
        } => {
            let file = material.recording.clone();
            let file = file.ok_or_else(|| {
                bad(format!(
                    "`voiceoverKey`: there is no audio file for `{key}`"
                ))
            })?;
            let mut recording = Recording::open(
                file,
                *kind == AudioKind::Song,
                material.recording_text.clone(),
            )?;
            recording.prompt.clone_from(prompt);
            Ok(Source::Recording(recording))
        }
    }
}

fn characters(named: &[CharacterRef], material: &Material) -> Result<Vec<Character>, Failure> {
    let mut saved = material.saved.iter();
    let found = named
        .iter()
        .enumerate()
        .map(|(i, character)| match character {
            CharacterRef::Inline(inline) => Ok(Character {
                name: inline.name.clone(),
                descriptor: descriptor(inline),
                voice: None,
                reference: None,
                is_measured: false,
            }),
            CharacterRef::Saved(id) => saved.next().cloned().ok_or_else(|| {
                let message = format!("`characters[{i}]`: no character has the id {id}");
                Failure::new(Stage::Request, FailureKind::BadInput, message)
            }),
        });
    found.collect()
}

/// Returns a character's description in one text (`characterPrompt`).
pub fn descriptor(character: &InlineCharacter) -> String {
    let parts = [
        Some(&character.description),
        character.appearance.as_ref(),
        character.clothing.as_ref(),
    ];
    let parts = parts
        .into_iter()
        .flatten()
        .map(|part| part.trim().trim_end_matches('.'));
    parts
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// Returns the style that goes with the model; empty for none.
fn style_of(config: &ImageConfig) -> String {
    let lora = config.lora_config.as_ref().and_then(|lora| lora.lora_slug);
    let leonardo = Some(config.leonardo_style).filter(|style| *style != LeonardoStyle::None);
    let names = [
        config.recraft_style.map(WireName::as_str),
        lora.map(WireName::as_str),
        leonardo.map(WireName::as_str),
    ];
    names
        .into_iter()
        .flatten()
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn captions(config: &CaptionsConfig) -> Option<CaptionChoice> {
    config.enabled.then(|| CaptionChoice {
        style: config.style.as_str().into(),
        position: config.position.as_str().into(),
    })
}

fn music(config: &MusicConfig, about: &str, seed: u64) -> Option<MusicChoice> {
    config.enabled.then(|| MusicChoice {
        slug: match config.music_slug {
            MusicSlug::Unset => track_for(about, seed).into(),
            slug => slug.as_str().into(),
        },
        volume: config.volume,
        looped: config.r#loop,
        is_chosen: config.music_slug == MusicSlug::Unset,
    })
}

fn size_of(aspect: AspectRatio) -> [u32; 2] {
    match aspect {
        AspectRatio::Portrait => [1080, 1920],
        AspectRatio::Landscape => [1920, 1080],
    }
}

/// Returns a seed that is the same for the same request.
fn seed_of(request: &impl serde::Serialize) -> u64 {
    let text = serde_json::to_vec(request).expect("requests hold only what JSON can write");
    let digits = &address(&text)[..12];
    u64::from_str_radix(digits, 16).expect("a hash is written in hex digits")
}
