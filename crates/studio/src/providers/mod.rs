//! The providers that write, speak, paint, animate and align: their traits, and the requests to them.
//!
//! Takes plain requests and gives plain, checked answers (type, size, dimensions, duration), or a [`Failure`] that names the provider. It never decides what is
//! made, retries requests refused as invalid, or reveals a key.

pub mod chain;
pub mod checks;
pub mod config;
mod cost;
pub mod elevenlabs;
pub mod fal;
pub mod folder;
pub mod http;
pub mod models;
pub mod openai;
mod picture_prompt;
pub mod prompts;
pub mod sizing;
mod speech_parts;
mod written;

use std::time::Instant;

use kinora::CancelToken;
use serde::{Deserialize, Serialize};

pub use cost::CostClass;
pub use picture_prompt::picture_prompt;

use crate::failure::Failure;
use crate::scene::{Script, is_false};

/// The circumstances of one call.
#[derive(Clone, Debug)]
pub struct Call {
    /// When the answer is no longer useful.
    pub deadline: Instant,
    /// Cancels the wait.
    pub cancel: CancelToken,
    /// The same for every attempt at the same result, in every process; sent to providers that support idempotency keys.
    pub key: String,
    /// If set, only the providers before this one in their chain are called: it was the substitute last time, and its result is already stored.
    pub before: Option<String>,
    /// The scene, counted from 0, if the call is for one: the user's own pictures are taken in the order of scenes.
    pub scene: Option<usize>,
}

/// A provider's result, and what the user should know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<T> {
    /// The result.
    pub value: T,
    /// Notes, such as a retired model and its substitute.
    pub notes: Vec<String>,
    /// The provider that answered in place of one before it; see [`Call::before`].
    pub substitute: Option<String>,
    /// The cost class of the maker; `None`: that of the requested model.
    pub class: Option<CostClass>,
}

impl<T> Answer<T> {
    /// Creates an answer without notes.
    pub fn plain(value: T) -> Answer<T> {
        Answer::noted(value, Vec::new())
    }

    /// Creates an answer with notes.
    pub fn noted(value: T, notes: Vec<String>) -> Answer<T> {
        Answer {
            value,
            notes,
            substitute: None,
            class: None,
        }
    }

    /// Replaces the value.
    #[must_use]
    pub fn with<U>(self, value: U) -> Answer<U> {
        Answer {
            value,
            notes: self.notes,
            substitute: self.substitute,
            class: self.class,
        }
    }

    /// Sets the cost class.
    #[must_use]
    pub fn at(self, class: CostClass) -> Answer<T> {
        Answer {
            class: Some(class),
            ..self
        }
    }
}

/// A request for a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptAsk {
    /// What the video depicts.
    pub prompt: String,
    /// A value of `scriptConfig.style`, such as `hero_journey`.
    pub style: String,
    /// Approximate number of words.
    pub n_words: usize,
    /// The language as a tag such as `en`.
    pub language: String,
    /// `NAME: what it is and looks like`, for each character in the story.
    pub characters: Vec<String>,
    /// Whether to improve on the requested structure and add director's notes (`shortRequestEnhancer`).
    pub enhance: bool,
}

/// A request for descriptions of the pictures, for a script that has only speech.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BriefAsk {
    /// The language of the script as a tag such as `en`.
    pub language: String,
    /// The words said in each scene, in order.
    pub scenes: Vec<String>,
    /// `NAME: what it is and looks like`, for each character in the story.
    pub characters: Vec<String>,
    /// The style of the pictures in words; empty for none.
    pub style: String,
    /// `directorNotes`.
    pub notes: Option<String>,
}

/// Writes scripts.
pub trait ScriptProvider: Send + Sync {
    /// Its name in configuration and messages.
    fn name(&self) -> &str;
    /// What else determines the answer, such as the model; part of a result's storage key.
    fn model(&self) -> &str;
    /// Returns whether it writes in the language of this tag.
    fn writes(&self, _: &str) -> bool {
        true
    }
    /// Writes a script of at least one scene.
    ///
    /// # Errors
    /// A failure of stage `Script`.
    fn write(&self, ask: &ScriptAsk, call: &Call) -> Result<Answer<Script>, Failure>;
    /// Rewrites prose or a play as a canonical script; `None` if it cannot.
    ///
    /// # Errors
    /// A failure of stage `Script`.
    fn rewrite(&self, text: &str, call: &Call) -> Result<Option<String>, Failure>;
    /// Describes the picture of each scene of a script, one text for each; `None` if it cannot. An empty text leaves the scene to the caller.
    ///
    /// # Errors
    /// A failure of stage `Scenes`.
    fn brief(&self, _: &BriefAsk, _: &Call) -> Result<Option<Answer<Vec<String>>>, Failure> {
        Ok(None)
    }
}

/// A text to speak.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeechAsk {
    /// The text to speak: plain text, possibly with numbers and abbreviations.
    pub text: String,
    /// The voice's id; empty for the provider's default.
    pub voice: String,
    /// The language as a tag such as `en`.
    pub language: String,
    /// The text before and after, as context for the intonation.
    pub around: [String; 2],
}

/// A word of [`SpeechAsk::text`] (separated by spaces) and when it is spoken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpokenToken {
    /// As in the text.
    pub text: String,
    /// Seconds from the start of the sound.
    pub start: f64,
    /// Seconds; never before `start`.
    pub end: f64,
}

/// Spoken text.
#[derive(Clone, Debug, PartialEq)]
pub struct Speech {
    /// A sound file that the engine can read (WAV, MP3, Opus …).
    pub file: Vec<u8>,
    /// Its extension without a dot.
    pub extension: &'static str,
    /// Its length in seconds.
    pub secs: f64,
    /// When each word is spoken, one entry for each token of the text; `None` if the provider does not say.
    pub words: Option<Vec<SpokenToken>>,
}

/// Speaks.
pub trait VoiceProvider: Send + Sync {
    /// Its name in configuration and messages.
    fn name(&self) -> &str;
    /// What else determines the answer, such as the model; part of a result's storage key.
    fn model(&self) -> &str;
    /// Returns whether it speaks the language of this tag.
    fn speaks(&self, language: &str) -> bool;
    /// Speaks a text.
    ///
    /// # Errors
    /// A failure of stage `Voice`.
    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure>;
}

/// A character in the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// What it is and looks like (`characterPrompt`).
    pub descriptor: String,
    /// The hash (sha256) of its reference picture, if it has one.
    pub reference: Option<String>,
    /// Whether `descriptor` holds measured colors, which only the illustrator can use.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_measured: bool,
}

/// A request for a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureAsk {
    /// What the picture shows, in plain words.
    pub brief: String,
    /// The same as keywords for the illustrator; empty if `brief` suits every provider.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub keywords: String,
    /// `directorNotes`.
    pub notes: Option<String>,
    /// A value of `imageConfig.model`, such as `flux_schnell`.
    pub model: String,
    /// Style name for the model (`recraftStyle`, `leonardoStyle`, `loraSlug`), or a universe's style; empty for none.
    pub style: String,
    /// The characters in the picture.
    pub figures: Vec<Figure>,
    /// px.
    pub width: u32,
    /// px.
    pub height: u32,
    /// The same request gives the same picture, if the provider supports that. Scenes in the same place have the same seed.
    pub seed: u64,
    /// Name of the place, if a script gives one; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

impl PictureAsk {
    /// Returns what the picture shows, for providers that only know certain words.
    pub fn drawn(&self) -> &str {
        match self.keywords.as_str() {
            "" => &self.brief,
            keywords => keywords,
        }
    }
}

/// A finished picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// PNG, JPEG or WebP.
    pub file: Vec<u8>,
    /// px.
    pub width: u32,
    /// px.
    pub height: u32,
}

/// Makes pictures.
pub trait PictureProvider: Send + Sync {
    /// Its name in configuration and messages.
    fn name(&self) -> &str;
    /// What else determines the answer; part of a result's storage key.
    fn model(&self) -> &str;
    /// Returns whether it understands whole sentences, and not only known words.
    fn reads_sentences(&self) -> bool {
        true
    }
    /// Makes a picture. `references` are the reference pictures of those figures that have one, in the order of the figures.
    ///
    /// # Errors
    /// A failure of stage `Pictures`.
    fn paint(
        &self,
        ask: &PictureAsk,
        references: &[Vec<u8>],
        call: &Call,
    ) -> Result<Answer<Picture>, Failure>;
}

/// A request to animate a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipAsk {
    /// The request that the picture was made from.
    pub picture: PictureAsk,
    /// A value of `videoConfig.model`, such as `luma_ray2`.
    pub model: String,
    /// `videoDirectorNotes`.
    pub notes: Option<String>,
    /// Wanted length in seconds; the clip may be longer or shorter.
    pub secs: f64,
}

/// A finished clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFile {
    /// MP4 or WebM.
    pub file: Vec<u8>,
    /// Its extension without a dot.
    pub extension: &'static str,
}

/// Animates pictures.
pub trait ClipProvider: Send + Sync {
    /// Its name in configuration and messages.
    fn name(&self) -> &str;
    /// What else determines the answer; part of a result's storage key.
    fn model(&self) -> &str;
    /// Returns whether it understands whole sentences, and not only known words.
    fn reads_sentences(&self) -> bool {
        true
    }
    /// Makes a clip that begins with `picture`.
    ///
    /// # Errors
    /// Of stage `Clips`.
    fn animate(
        &self,
        ask: &ClipAsk,
        picture: &Picture,
        call: &Call,
    ) -> Result<Answer<ClipFile>, Failure>;
}

/// A request to find the words in a recorded voice.
#[derive(Clone, Debug)]
pub struct AlignAsk<'a> {
    /// The sound file.
    pub file: &'a [u8],
    /// Its extension without a dot.
    pub extension: &'a str,
    /// The spoken text, if known; else it is transcribed.
    pub text: Option<&'a str>,
    /// The language as a tag, if known.
    pub language: Option<&'a str>,
}

/// Finds when words are spoken, and which words, if no text is known.
pub trait AlignProvider: Send + Sync {
    /// Its name in configuration and messages.
    fn name(&self) -> &str;
    /// What else determines the answer; part of a result's storage key.
    fn model(&self) -> &str;
    /// Returns the words in order.
    ///
    /// # Errors
    /// A failure of stage `Voice`; `NotConfigured` if it needs a text and there is none.
    fn align(&self, ask: &AlignAsk<'_>, call: &Call) -> Result<Answer<Vec<SpokenToken>>, Failure>;
}
