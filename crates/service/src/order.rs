//! What a run makes, as stored when it is created. It holds everything that affects the video, so later changes to a universe or a character do not affect
//! accepted runs.

use kinora_studio::request::{ShortRequest, UniverseRequest, UniverseSettings};
use serde::{Deserialize, Serialize};

/// What to make.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The request and the interface it came by.
    pub asked: Asked,
    /// Whether the service's watermark is laid over the video.
    pub watermark: bool,
}

impl Order {
    /// Returns the stored objects that it needs.
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

/// The request, by family of endpoints.
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
        /// The universe at the time of the request.
        settings: UniverseSettings,
        /// The saved characters that the request names, in its order, at the time of the request.
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
    /// Whether `prompt` lists colors measured in that picture.
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
