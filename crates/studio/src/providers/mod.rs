//! Who writes, speaks, paints and animates: four traits and an alignment, and what is asked of them.
//!
//! Takes: plain asks. Gives: plain answers, checked (type, size, dimensions, duration), or a [`Failure`] that names the provider.
//! Never: decides what is made; retries what a client's mistake refuses; shows a key.

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
    /// When the answer is of no use any more.
    pub deadline: Instant,
    /// Stops waiting.
    pub cancel: CancelToken,
    /// The same for every attempt at the same result, in every process: providers that know idempotency keys get it.
    pub key: String,
    /// Only those who stand before this one in their chain are asked: it stood in for them the last time, and what it made is at hand.
    pub before: Option<String>,
    /// The scene it is for, from 0, if it is for one: the user's own pictures are taken in the order of scenes.
    pub scene: Option<usize>,
}

/// What a provider gives, and what its user should know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<T> {
    /// What was asked for.
    pub value: T,
    /// Such as a model that is retired and its substitute.
    pub notes: Vec<String>,
    /// Who answered in place of a provider that stands before it and could not; see [`Call::before`].
    pub substitute: Option<String>,
    /// What who made it costs; `None`: what was asked for.
    pub class: Option<CostClass>,
}

impl<T> Answer<T> {
    /// Just as asked.
    pub fn plain(value: T) -> Answer<T> {
        Answer::noted(value, Vec::new())
    }

    /// As asked, and more to know.
    pub fn noted(value: T, notes: Vec<String>) -> Answer<T> {
        Answer {
            value,
            notes,
            substitute: None,
            class: None,
        }
    }

    /// Another value, made of this one.
    #[must_use]
    pub fn with<U>(self, value: U) -> Answer<U> {
        Answer {
            value,
            notes: self.notes,
            substitute: self.substitute,
            class: self.class,
        }
    }

    /// The same by somebody who costs this.
    #[must_use]
    pub fn at(self, class: CostClass) -> Answer<T> {
        Answer {
            class: Some(class),
            ..self
        }
    }
}

/// A script to write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptAsk {
    /// What the video depicts.
    pub prompt: String,
    /// A value of `scriptConfig.style`, such as `hero_journey`.
    pub style: String,
    /// About how many words.
    pub n_words: usize,
    /// The language as a tag such as `en`.
    pub language: String,
    /// `NAME: what it is and looks like`, for characters that take part.
    pub characters: Vec<String>,
    /// Whether to think of a better framework than the caller's and add director's notes (`shortRequestEnhancer`).
    pub enhance: bool,
}

/// What is to be seen in the scenes of a script that says only what is heard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BriefAsk {
    /// The language of the script as a tag such as `en`.
    pub language: String,
    /// What is said in each scene, in their order.
    pub scenes: Vec<String>,
    /// `NAME: what it is and looks like`, for characters that take part.
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
    /// What else decides on the answer, such as the model; part of a result's address.
    fn model(&self) -> &str;
    /// Whether it writes in the language of this tag at all.
    fn writes(&self, _: &str) -> bool {
        true
    }
    /// Writes a script of at least one scene.
    ///
    /// # Errors
    /// Of stage `Script`.
    fn write(&self, ask: &ScriptAsk, call: &Call) -> Result<Answer<Script>, Failure>;
    /// Prose or a play becomes a canonical script; `None` where it cannot.
    ///
    /// # Errors
    /// Of stage `Script`.
    fn rewrite(&self, text: &str, call: &Call) -> Result<Option<String>, Failure>;
    /// What is seen in each scene of a script, one text for each; `None` where it cannot say. An empty text leaves its scene to the caller.
    ///
    /// # Errors
    /// Of stage `Scenes`.
    fn brief(&self, _: &BriefAsk, _: &Call) -> Result<Option<Answer<Vec<String>>>, Failure> {
        Ok(None)
    }
}

/// A text to speak.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeechAsk {
    /// As it is spoken: plain text, numbers and abbreviations may still be in it.
    pub text: String,
    /// The voice's id; empty for the provider's default.
    pub voice: String,
    /// The language as a tag such as `en`.
    pub language: String,
    /// What is said before and after, for the melody of the voice.
    pub around: [String; 2],
}

/// A word of [`SpeechAsk::text`] (what spaces part) and when it is spoken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpokenToken {
    /// As in the text.
    pub text: String,
    /// Seconds from the start of the sound.
    pub start: f64,
    /// Seconds, not before `start`.
    pub end: f64,
}

/// A spoken text.
#[derive(Clone, Debug, PartialEq)]
pub struct Speech {
    /// A sound file that the engine reads (WAV, MP3, Opus …).
    pub file: Vec<u8>,
    /// Its extension without a dot.
    pub extension: &'static str,
    /// Its length.
    pub secs: f64,
    /// When each word is spoken, one for each token of the text; `None` where the provider does not say.
    pub words: Option<Vec<SpokenToken>>,
}

/// Speaks.
pub trait VoiceProvider: Send + Sync {
    /// Its name in configuration and messages.
    fn name(&self) -> &str;
    /// What else decides on the answer, such as the model; part of a result's address.
    fn model(&self) -> &str;
    /// Whether it speaks the language of this tag at all.
    fn speaks(&self, language: &str) -> bool;
    /// Speaks a text.
    ///
    /// # Errors
    /// Of stage `Voice`.
    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure>;
}

/// A character that is seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What it is called.
    pub name: String,
    /// What it is and looks like (`characterPrompt`).
    pub descriptor: String,
    /// The address (sha256) of its reference picture, if it has one.
    pub reference: Option<String>,
    /// Whether `descriptor` is measured colors, which only the illustrator can use.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_measured: bool,
}

/// A picture to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureAsk {
    /// What is seen, in plain words.
    pub brief: String,
    /// The same in the illustrator's words, where they are others; empty where `brief` is for everyone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub keywords: String,
    /// `directorNotes`.
    pub notes: Option<String>,
    /// A value of `imageConfig.model`, such as `flux_schnell`.
    pub model: String,
    /// Style names that go with the model (`recraftStyle`, `leonardoStyle`, `loraSlug`) or a universe's style; empty for none.
    pub style: String,
    /// Who is seen.
    pub figures: Vec<Figure>,
    /// px.
    pub width: u32,
    /// px.
    pub height: u32,
    /// The same ask gives the same picture where the provider can. Scenes in the same place have the same seed.
    pub seed: u64,
    /// Names the place where a script does; empty where none is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

impl PictureAsk {
    /// What is seen, in the words of those who only know some.
    pub fn drawn(&self) -> &str {
        match self.keywords.as_str() {
            "" => &self.brief,
            keywords => keywords,
        }
    }
}

/// A picture as it came.
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
    /// What else decides on the answer; part of a result's address.
    fn model(&self) -> &str;
    /// Whether it reads whole sentences, and not only words that it knows.
    fn reads_sentences(&self) -> bool {
        true
    }
    /// Makes a picture. `references` are the files of figures' reference pictures, in the order of those that have one.
    ///
    /// # Errors
    /// Of stage `Pictures`.
    fn paint(
        &self,
        ask: &PictureAsk,
        references: &[Vec<u8>],
        call: &Call,
    ) -> Result<Answer<Picture>, Failure>;
}

/// A picture to bring to life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipAsk {
    /// What was asked for when the picture was made.
    pub picture: PictureAsk,
    /// A value of `videoConfig.model`, such as `luma_ray2`.
    pub model: String,
    /// `videoDirectorNotes`.
    pub notes: Option<String>,
    /// Seconds wanted; the clip may be longer or shorter.
    pub secs: f64,
}

/// A clip as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFile {
    /// MP4 or WebM.
    pub file: Vec<u8>,
    /// Its extension without a dot.
    pub extension: &'static str,
}

/// Brings pictures to life.
pub trait ClipProvider: Send + Sync {
    /// Its name in configuration and messages.
    fn name(&self) -> &str;
    /// What else decides on the answer; part of a result's address.
    fn model(&self) -> &str;
    /// Whether it reads whole sentences, and not only words that it knows.
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

/// A recorded voice whose words are sought.
#[derive(Clone, Debug)]
pub struct AlignAsk<'a> {
    /// The sound file.
    pub file: &'a [u8],
    /// Its extension without a dot.
    pub extension: &'a str,
    /// What is said, if known; else it is to be heard.
    pub text: Option<&'a str>,
    /// The language as a tag, if known.
    pub language: Option<&'a str>,
}

/// Finds when words are spoken, and which, where no text is known.
pub trait AlignProvider: Send + Sync {
    /// Its name in configuration and messages.
    fn name(&self) -> &str;
    /// What else decides on the answer; part of a result's address.
    fn model(&self) -> &str;
    /// The words in their order.
    ///
    /// # Errors
    /// Of stage `Voice`; `NotConfigured` when it needs a text and there is none.
    fn align(&self, ask: &AlignAsk<'_>, call: &Call) -> Result<Answer<Vec<SpokenToken>>, Failure>;
}
