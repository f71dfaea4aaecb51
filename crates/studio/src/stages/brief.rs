//! The resolved description of a video: every default filled in, every name checked. Short and Universe requests both become this.

use std::path::PathBuf;

use kinora::timeline::Codec;
use serde::{Deserialize, Serialize};

use crate::request::{CaptionPosition, CaptionStyle, ImageModel, Transition, WireName};
use crate::scene::Script;

/// Everything that determines a video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// The source of the script.
    pub source: Source,
    /// The language as a tag such as `en`; `None`: the language of the text.
    pub language: Option<String>,
    /// `directorNotes`.
    pub notes: Option<String>,
    /// The characters.
    pub characters: Vec<Character>,
    /// The picture model and style.
    pub pictures: PictureChoice,
    /// The narrator's voice; `None`: no voice.
    pub voice: Option<String>,
    /// The style of captions; `None`: no captions.
    pub captions: Option<CaptionChoice>,
    /// A value of `effectsConfig.transition`.
    pub transition: String,
    /// Whether pictures float and zoom.
    pub floating: bool,
    /// The background music.
    pub music: Option<MusicChoice>,
    /// The clips; `None`: still pictures.
    pub clips: Option<ClipChoice>,
    /// Width and height, px.
    pub size: [u32; 2],
    /// The video codec, which is written into the timeline; `None`: the engine's default.
    #[serde(default)]
    pub codec: Option<Codec>,
    /// Text of the watermark.
    pub watermark: Option<String>,
    /// Seed for everything random.
    pub seed: u64,
}

impl Brief {
    /// Creates the brief of a video from `source` with the interface's defaults for a Short request, in H.264, which plays everywhere.
    pub fn new(source: Source) -> Brief {
        Brief {
            source,
            language: None,
            notes: None,
            characters: Vec::new(),
            pictures: PictureChoice::default(),
            voice: Some(String::new()),
            captions: Some(CaptionChoice::default()),
            transition: Transition::default().as_str().into(),
            floating: true,
            music: None,
            clips: None,
            size: [1080, 1920],
            codec: Some(Codec::H264),
            watermark: None,
            seed: 0,
        }
    }
}

/// The source of a video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A script is written first.
    Prompt(PromptSource),
    /// A text that is spoken unchanged.
    Script(String),
    /// Given scenes, from a canonical script.
    Scenes(Script),
    /// A recording that is played unchanged.
    Recording(Recording),
}

/// What a script is written from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptSource {
    /// What the video depicts.
    pub prompt: String,
    /// A value of `scriptConfig.style`.
    pub style: String,
    /// Approximate number of words.
    pub n_words: usize,
    /// `shortRequestEnhancer`.
    pub enhance: bool,
}

/// A recorded voice or song: the master clock of its video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The sound file.
    pub file: PathBuf,
    /// The sha256 of its bytes, part of every result's storage key.
    pub address: String,
    /// Whether it is a song.
    pub is_song: bool,
    /// The words in it, if known.
    pub text: Option<String>,
    /// What the pictures show, if given.
    pub prompt: Option<String>,
}

/// A character of the video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// The name; a script's handle is written without spaces.
    pub name: String,
    /// What it is and what it looks like, in one text (`characterPrompt`).
    pub descriptor: String,
    /// Its voice's id; by default chosen by its name.
    pub voice: Option<String>,
    /// A file with its reference picture.
    pub reference: Option<PathBuf>,
    /// Whether `descriptor` holds measured colors of that picture, which help the illustrator but not a model.
    #[serde(default)]
    pub is_measured: bool,
}

impl Character {
    /// Returns `NAME: what it is and looks like`, for writers; only the name if nothing else is known.
    pub fn told(&self) -> String {
        match self.is_measured {
            true => self.name.clone(),
            false => format!("{}: {}", self.name, self.descriptor),
        }
    }

    /// Returns whether `handle` of a script means this character: the same letters and digits, ignoring case and separators.
    pub fn is_called(&self, handle: &str) -> bool {
        let letters = |text: &str| -> String {
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        letters(&self.name) == letters(handle)
    }
}

/// The picture model and style.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureChoice {
    /// A value of `imageConfig.model`.
    pub model: String,
    /// The style's name; empty for none.
    pub style: String,
}

impl Default for PictureChoice {
    fn default() -> PictureChoice {
        PictureChoice {
            model: ImageModel::default().as_str().into(),
            style: String::new(),
        }
    }
}

/// The style and position of captions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptionChoice {
    /// A caption style's name.
    pub style: String,
    /// `top`, `center` or `bottom`.
    pub position: String,
}

impl Default for CaptionChoice {
    fn default() -> CaptionChoice {
        CaptionChoice {
            style: CaptionStyle::default().as_str().into(),
            position: CaptionPosition::default().as_str().into(),
        }
    }
}

/// The background music.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MusicChoice {
    /// A track's slug; empty for none.
    pub slug: String,
    /// Volume relative to the voice, 0 to 1.
    pub volume: f64,
    /// Whether it restarts when it ends.
    pub looped: bool,
    /// Whether the director chose the track because none was named.
    #[serde(default)]
    pub is_chosen: bool,
}

/// How pictures are animated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipChoice {
    /// A value of `videoConfig.model`.
    pub model: String,
    /// `videoDirectorNotes`.
    pub notes: Option<String>,
    /// Length of each clip in seconds; by default that of its scene.
    pub secs: Option<f64>,
}
