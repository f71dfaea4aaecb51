//! `kinora universe`: makes a finished video from a request of the Universe interface, with the universe's settings from a file.

use std::path::{Path, PathBuf};

use kinora::encode::Quality;
use kinora_studio::request::{
    CharacterRef, InlineCharacter, Parsed, ResolvedUniverse, UniverseInput, UniverseRequest,
    UniverseSettings,
};
use kinora_studio::stages::{Brief, Character, Material, descriptor};
use serde::Deserialize;
use uuid::Uuid;

use super::about::{About, Asked};
use super::{Encoding, IN_REQUEST, Order, Place, make, read_text, refused};
use crate::console;
use crate::failure::{Done, Failure};

/// The text in the corner of a video, unless its request removes it.
const WATERMARK: &str = "kinora";

/// Make a video from a request of the Universe interface
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    about: About,

    #[command(flatten)]
    told: Told,

    /// The seed for random choices [default: from the request]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// The file to write, which appears only when it is complete
    #[arg(short, long, value_name = "OUT.mp4")]
    output: PathBuf,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    encoding: Encoding,

    /// Print progress and a final result or error as JSON lines on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// Files that a request refers to by names that only its owner can resolve.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
pub(crate) struct Told {
    /// The universe's settings (TOML or JSON) [default: a universe with default settings]
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// The audio behind voiceoverKey [default: the file named by the key]
    #[arg(long, value_name = "FILE")]
    audio: Option<PathBuf>,

    /// A file with the words spoken in the audio
    #[arg(long, value_name = "FILE")]
    audio_text: Option<PathBuf>,

    /// Saved characters (TOML): [[character]] with id, name, description and, optionally, appearance, clothing, voice, image
    #[arg(long, value_name = "FILE")]
    cast: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Done {
    let Some(asked) = args.about.asked()? else {
        let message = "say what the video is about: kinora universe \"Why cats purr\" -o OUT.mp4, or name the file of a request";
        return Err(Failure::Usage(message.into()));
    };
    let mut brief = args.told.brief(&asked, args.seed)?;
    brief.codec = Some(args.encoding.codec(&args.place)?);
    let studio = args.place.studio()?;
    let order = Order {
        brief: &brief,
        quality: Quality::Medium,
        output: &args.output,
        encoding: &args.encoding,
        json: args.json,
    };
    make(&order, &studio)
}

impl Told {
    /// Returns the request with all references resolved.
    fn request(&self, asked: &Asked) -> Result<ResolvedUniverse, Failure> {
        let text = asked.text()?;
        let Parsed { request, warnings } =
            UniverseRequest::parse(text).map_err(|problems| refused(IN_REQUEST, &problems))?;
        for warning in warnings {
            console::say(&format!("warning: {}: {}", warning.field, warning.message));
        }
        request
            .resolve(&self.settings()?)
            .map_err(|problems| refused(IN_REQUEST, &problems))
    }

    /// Returns the brief of the video.
    pub(crate) fn brief(&self, asked: &Asked, seed: Option<u64>) -> Result<Brief, Failure> {
        let request = self.request(asked)?;
        let file = asked.file().unwrap_or(Path::new(""));
        let material = self.material(&request, file)?;
        let mut brief = Brief::of_universe(&request, &material, seed)?;
        brief.watermark = (!request.remove_watermark).then(|| WATERMARK.to_owned());
        Ok(brief)
    }

    fn settings(&self) -> Result<UniverseSettings, Failure> {
        let Some(path) = &self.settings else {
            return Ok(UniverseSettings::new("local"));
        };
        let text = read_text(path)?;
        let is_json = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("json"));
        let read = if is_json {
            UniverseSettings::from_json(&text)
        } else {
            UniverseSettings::from_toml(&text)
        };
        read.map_err(|problems| refused(path.display(), &problems))
    }

    fn material(&self, request: &ResolvedUniverse, file: &Path) -> Result<Material, Failure> {
        let recording = match &request.input {
            UniverseInput::Audio { key, .. } => {
                Some(self.audio.clone().unwrap_or_else(|| beside(file, key)))
            }
            _ => None,
        };
        let recording_text = self.audio_text.as_deref().map(read_text).transpose()?;
        Ok(Material {
            recording,
            recording_text,
            saved: self.saved(&request.characters)?,
        })
    }

    fn saved(&self, named: &[CharacterRef]) -> Result<Vec<Character>, Failure> {
        let cast = match &self.cast {
            None => Cast::default(),
            Some(path) => {
                let text = read_text(path)?;
                toml::from_str(&text)
                    .map_err(|e| Failure::Usage(format!("{}: {e}", path.display())))?
            }
        };
        let ids = named
            .iter()
            .enumerate()
            .filter_map(|(i, character)| match character {
                CharacterRef::Saved(id) => Some((i, id)),
                CharacterRef::Inline(_) => None,
            });
        ids.map(|(i, id)| {
            let member = cast.character.iter().find(|member| member.id == *id);
            member.map(|member| member.character(self.cast.as_deref())).ok_or_else(|| {
                Failure::Usage(format!("characters[{i}]: no character has the id {id}; name the file that defines it with --cast"))
            })
        })
        .collect()
    }
}

/// Returns a path relative to the folder of another file.
fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(name)
}

/// Saved characters.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cast {
    #[serde(default)]
    character: Vec<Member>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    id: Uuid,
    name: String,
    description: String,
    appearance: Option<String>,
    clothing: Option<String>,
    voice: Option<String>,
    image: Option<PathBuf>,
}

impl Member {
    fn character(&self, file: Option<&Path>) -> Character {
        let inline = InlineCharacter {
            name: self.name.clone(),
            description: self.description.clone(),
            appearance: self.appearance.clone(),
            clothing: self.clothing.clone(),
        };
        let image = self.image.as_ref();
        Character {
            name: self.name.clone(),
            descriptor: descriptor(&inline),
            voice: self.voice.clone(),
            is_measured: false,
            reference: image.map(|image| {
                file.map_or_else(
                    || image.clone(),
                    |file| file.parent().unwrap_or(Path::new("")).join(image),
                )
            }),
        }
    }
}
