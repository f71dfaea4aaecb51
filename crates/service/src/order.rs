//! What a run makes, as it is written down at create: everything that decides on the video, so that later changes of a universe or a character
//! change no run that was accepted.

use kinora_studio::request::{ShortRequest, UniverseRequest, UniverseSettings};
use serde::{Deserialize, Serialize};

/// What to make.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// By which interface it was asked, and what.
    pub asked: Asked,
    /// Whether the service's name is laid over the video.
    pub watermark: bool,
}

impl Order {
    /// The objects that it is made from.
    pub fn objects(&self) -> Vec<String> {
        match &self.asked {
            Asked::Short { .. } => Vec::new(),
            Asked::Universe {
                cast, recording, ..
            } => {
                let pictures = cast.iter().map(|member| &member.image);
                let sound = recording.iter().map(|recorded| &recorded.object);
                pictures.chain(sound).cloned().collect()
            }
        }
    }
}

/// What was asked, by family of endpoints.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "snake_case")]
pub enum Asked {
    /// By the Short interface.
    Short {
        /// The request.
        request: Box<ShortRequest>,
    },
    /// By the Universe interface.
    Universe {
        /// The request.
        request: Box<UniverseRequest>,
        /// The universe as it was.
        settings: UniverseSettings,
        /// The saved characters that the request names, in its order, as they were.
        cast: Vec<Member>,
        /// The audio behind `voiceoverKey`.
        recording: Option<Recorded>,
    },
}

/// A saved character as it takes part in a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// `characterPrompt`.
    pub prompt: String,
    /// Its voice's id.
    pub voice: Option<String>,
    /// The object that holds its picture.
    pub image: String,
    /// Whether `prompt` is measured colors of that picture.
    #[serde(default)]
    pub is_measured: bool,
}

/// Uploaded audio as it takes part in a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The object that holds it.
    pub object: String,
    /// What is said in it, if known.
    pub spoken: Option<String>,
    /// Its length in seconds.
    #[serde(default)]
    pub secs: Option<f64>,
}
