//! What is to be made, resolved: every default filled in, every name checked. Short and Universe requests both become this.

use std::path::PathBuf;

use kinora::timeline::Codec;
use serde::{Deserialize, Serialize};

use crate::request::{CaptionPosition, CaptionStyle, ImageModel, Transition, WireName};
use crate::scene::Script;

/// Everything that decides on a video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// What it is made from.
    pub source: Source,
    /// The language as a tag such as `en`; `None`: as the text is.
    pub language: Option<String>,
    /// `directorNotes`.
    pub notes: Option<String>,
    /// Who takes part.
    pub characters: Vec<Character>,
    /// Who paints, and how.
    pub pictures: PictureChoice,
    /// Who speaks; `None`: nobody does.
    pub voice: Option<String>,
    /// How words are shown; `None`: they are not.
    pub captions: Option<CaptionChoice>,
    /// A value of `effectsConfig.transition`.
    pub transition: String,
    /// Whether pictures float and zoom.
    pub floating: bool,
    /// What plays behind the voice.
    pub music: Option<MusicChoice>,
    /// Whether pictures are brought to life, and by whom.
    pub clips: Option<ClipChoice>,
    /// Width and height, px.
    pub size: [u32; 2],
    /// The video codec, which is written into the timeline; `None`: as the engine does by default.
    #[serde(default)]
    pub codec: Option<Codec>,
    /// Text of a watermark.
    pub watermark: Option<String>,
    /// Decides whatever is left to chance.
    pub seed: u64,
}

impl Brief {
    /// A video of `source` with what the interface gives to a Short request by default, in H.264, which plays everywhere.
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

/// What a video is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A script is written first.
    Prompt(PromptSource),
    /// A text that is spoken as it is.
    Script(String),
    /// Scenes that are given, from a canonical script.
    Scenes(Script),
    /// A recording that is heard as it is.
    Recording(Recording),
}

/// What a script is written from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptSource {
    /// What the video depicts.
    pub prompt: String,
    /// A value of `scriptConfig.style`.
    pub style: String,
    /// About how many words.
    pub n_words: usize,
    /// `shortRequestEnhancer`.
    pub enhance: bool,
}

/// A recorded voice or song: the master clock of its video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The sound file.
    pub file: PathBuf,
    /// The sha256 of its bytes, part of every result's address.
    pub address: String,
    /// Whether it is sung.
    pub is_song: bool,
    /// What is said in it, if known.
    pub text: Option<String>,
    /// What is seen, if said.
    pub prompt: Option<String>,
}

/// A character that takes part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// What it is called; a script's handle is written without spaces.
    pub name: String,
    /// What it is and looks like, in one text (`characterPrompt`).
    pub descriptor: String,
    /// Its voice's id; by default one is chosen by its name.
    pub voice: Option<String>,
    /// A file with its picture.
    pub reference: Option<PathBuf>,
    /// Whether `descriptor` is measured colors of that picture: something to draw by, and nothing to tell a model.
    #[serde(default)]
    pub is_measured: bool,
}

impl Character {
    /// `NAME: what it is and looks like`, as writers are told of it; only the name where nothing else is known.
    pub fn told(&self) -> String {
        match self.is_measured {
            true => self.name.clone(),
            false => format!("{}: {}", self.name, self.descriptor),
        }
    }

    /// Whether `handle` of a script means this character: the same letters and digits, whatever their case and what stands between.
    pub fn is_called(&self, handle: &str) -> bool {
        let letters = |text: &str| -> String {
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        letters(&self.name) == letters(handle)
    }
}

/// Who paints, and how.
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

/// How words are shown.
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

/// What plays behind the voice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MusicChoice {
    /// A track's slug; empty for none.
    pub slug: String,
    /// Loudness relative to the voice, 0 to 1.
    pub volume: f64,
    /// Whether it begins again when it ends.
    pub looped: bool,
    /// Whether the director chose the track, because none was named.
    #[serde(default)]
    pub is_chosen: bool,
}

/// Who brings pictures to life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipChoice {
    /// A value of `videoConfig.model`.
    pub model: String,
    /// `videoDirectorNotes`.
    pub notes: Option<String>,
    /// Seconds of each clip; by default as long as its scene.
    pub secs: Option<f64>,
}
