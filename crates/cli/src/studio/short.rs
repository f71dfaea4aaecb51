//! `kinora short`: makes a finished video from a prompt, a script or a recording.

use std::path::{Path, PathBuf};

use kinora::encode::Quality as Encoded;
use kinora_studio::request::{Parsed, Quality, ShortRequest};
use kinora_studio::stages::{Brief, Character, Recording, Source};
use serde_json::{Map, Value, json};

use super::about::{About, Asked};
use super::{Encoding, IN_REQUEST, Order, Place, make, read_text, refused};
use crate::failure::{Done, Failure};
use crate::{console, output};

/// Make a video from a prompt, a script or a recorded voice
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    about: About,

    /// The file to write, which appears only when it is complete
    #[arg(short, long, value_name = "OUT.mp4")]
    output: PathBuf,

    #[command(flatten)]
    wish: Wish,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    encoding: Encoding,

    /// Print progress and a final result or error as JSON lines on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// The source and style of the video; every option corresponds to a field of the request.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
pub(crate) struct Wish {
    /// The topic of the video; the script is written for you
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["script", "script_file"])]
    prompt: Option<String>,

    /// The spoken text
    #[arg(long, value_name = "TEXT", conflicts_with = "script_file")]
    script: Option<String>,

    /// A text file with the spoken text, or - for stdin
    #[arg(long, value_name = "FILE")]
    script_file: Option<PathBuf>,

    /// Your own recorded voice, which sets the pace; add its words with --script or --script-file
    #[arg(long, value_name = "FILE", conflicts_with = "song")]
    recording: Option<PathBuf>,

    /// A song, used like --recording
    #[arg(long, value_name = "FILE")]
    song: Option<PathBuf>,

    /// How a script is written from a prompt, such as hero_journey; `kinora styles` lists the styles
    #[arg(long, value_name = "STYLE")]
    style: Option<String>,

    /// Approximate number of words written for a prompt, 1 to 1500 [default: 70]
    #[arg(long, value_name = "N")]
    words: Option<u32>,

    /// Notes for making the pictures
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,

    /// A picture model, such as recraft; `kinora models` lists them
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// The style of the pictures, such as watercolor; `kinora styles` lists them
    #[arg(long, value_name = "STYLE")]
    picture_style: Option<String>,

    /// A character: NAME=description and appearance; may be repeated
    #[arg(long, value_name = "NAME=TEXT")]
    character: Vec<String>,

    /// The voice, or none; `kinora voices` lists them
    #[arg(long, value_name = "VOICE")]
    voice: Option<String>,

    /// The language as a tag such as es [default: that of the text]
    #[arg(long, value_name = "TAG")]
    language: Option<String>,

    /// The caption style, or none; `kinora captions` lists them [default: default]
    #[arg(long, value_name = "STYLE")]
    captions: Option<String>,

    /// The position of the captions: top, center or bottom [default: bottom]
    #[arg(long, value_name = "POSITION")]
    captions_position: Option<String>,

    /// The transition between scenes; `kinora transitions` lists them [default: fade]
    #[arg(long, value_name = "NAME")]
    transition: Option<String>,

    /// Do not move the pictures
    #[arg(long)]
    no_floating: bool,

    /// The music behind the voice: a track, auto for a suitable one, or none [default: none]; `kinora music` lists them
    #[arg(long, value_name = "SLUG")]
    music: Option<String>,

    /// Volume of the music, 0 to 1 [default: 0.3]
    #[arg(long, value_name = "VOLUME")]
    music_volume: Option<f64>,

    /// Stop the music at the end of its track instead of looping it
    #[arg(long)]
    no_music_loop: bool,

    /// Turn every scene into a moving clip, optionally with the given model
    #[arg(long, value_name = "MODEL", num_args = 0..=1, default_missing_value = "")]
    clips: Option<String>,

    /// 9:16 or 16:9 [default: 9:16]
    #[arg(long, value_name = "RATIO")]
    aspect: Option<String>,

    /// Quality and file size: low, medium or high [default: medium]
    #[arg(long, value_name = "QUALITY")]
    quality: Option<String>,

    /// The seed for random choices [default: from the request]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub(crate) fn run(args: &Args) -> Done {
    let (mut brief, quality) = args.wish.brief(args.about.asked()?.as_ref())?;
    brief.codec = Some(args.encoding.codec(&args.place)?);
    let studio = args.place.studio()?;
    let order = Order {
        brief: &brief,
        quality,
        output: &args.output,
        encoding: &args.encoding,
        json: args.json,
    };
    make(&order, &studio)
}

impl Wish {
    /// Returns the request with these options applied.
    pub(crate) fn request(&self, asked: Option<&Asked>) -> Result<ShortRequest, Failure> {
        let mut body = match asked {
            None => json!({}),
            Some(Asked::Prompt(prompt)) => self.prompted(prompt)?,
            Some(Asked::Request(path)) => {
                serde_json::from_str(&read_text(path)?).map_err(|e| no_json(path, &e))?
            }
        };
        let Some(fields) = body.as_object_mut() else {
            let message =
                "a request is a JSON object such as {\"prompt\": \"a lighthouse in a storm\"}";
            return Err(Failure::Usage(message.into()));
        };
        self.fill(fields)?;
        let Parsed { request, warnings } =
            ShortRequest::from_value(&body).map_err(|problems| refused(IN_REQUEST, &problems))?;
        for warning in warnings {
            console::say(&format!("warning: {}: {}", warning.field, warning.message));
        }
        Ok(request)
    }

    /// Returns the request of a positional prompt.
    fn prompted(&self, prompt: &str) -> Result<Value, Failure> {
        let options = [
            ("--prompt", self.prompt.is_some()),
            ("--script", self.script.is_some()),
            ("--script-file", self.script_file.is_some()),
        ];
        match options.iter().find(|(_, is_given)| *is_given) {
            None => Ok(json!({ "prompt": prompt })),
            Some((option, _)) => Err(Failure::Usage(format!(
                "\"{prompt}\" is not a file, so it is taken as the prompt, which cannot be combined with {option}: leave one of them out"
            ))),
        }
    }

    /// Returns the seed, the only option that also works for requests of the Universe interface.
    pub(crate) fn seed_for_universe(&self) -> Result<Option<u64>, Failure> {
        let only_seed = Wish {
            seed: self.seed,
            ..Wish::default()
        };
        match *self == only_seed {
            true => Ok(self.seed),
            false => Err(Failure::Usage(
                "options for fields of a Short cannot be combined with --universe: write them into the request"
                    .into(),
            )),
        }
    }

    /// Returns the brief and the encoding quality.
    pub(crate) fn brief(&self, asked: Option<&Asked>) -> Result<(Brief, Encoded), Failure> {
        let request = self.request(asked)?;
        let mut brief = Brief::of_short(&request, self.seed);
        brief.language.clone_from(&self.language);
        if let Some(style) = &self.picture_style {
            brief.pictures.style.clone_from(style);
        }
        brief.characters = self
            .character
            .iter()
            .map(|text| character(text))
            .collect::<Result<_, _>>()?;
        if let Some((path, is_song)) = self.sound() {
            brief.source = Source::Recording(recording(path, is_song, &brief.source)?);
        }
        Ok((brief, encoded(request.quality)))
    }

    fn sound(&self) -> Option<(&PathBuf, bool)> {
        let song = self.song.as_ref().map(|path| (path, true));
        self.recording.as_ref().map(|path| (path, false)).or(song)
    }

    fn fill(&self, body: &mut Map<String, Value>) -> Done {
        let script = match &self.script_file {
            Some(path) => Some(read_text(path)?),
            None => self.script.clone(),
        };
        // An option here replaces the file's value.
        if self.prompt.is_some() {
            body.remove("script");
        } else if script.is_some() {
            body.remove("prompt");
        }
        if let Some(script) = script {
            set(body, "script", script.into());
        }
        let fields = self.texts().into_iter().chain(self.choices());
        for (path, value) in fields {
            if let Some(value) = value {
                set(body, path, value);
            }
        }
        let says_something = body.contains_key("prompt") || body.contains_key("script");
        if self.sound().is_some() && !says_something {
            // A recording needs no text, but the interface requires one; this placeholder is replaced later.
            set(body, "prompt", RECORDED.into());
        }
        Ok(())
    }

    /// Returns the fields that are copied from options unchanged.
    fn texts(&self) -> Vec<(&'static str, Option<Value>)> {
        let rows = [
            ("prompt", &self.prompt),
            ("scriptConfig.style", &self.style),
            ("directorNotes", &self.notes),
            ("imageConfig.model", &self.model),
            ("captionsConfig.captionsPosition", &self.captions_position),
            ("effectsConfig.transition", &self.transition),
            ("aspectRatio", &self.aspect),
            ("quality", &self.quality),
        ];
        rows.map(|(path, text)| (path, text.clone().map(Value::from)))
            .into()
    }

    /// Returns the fields whose options need conversion, such as `none`.
    fn choices(&self) -> Vec<(&'static str, Option<Value>)> {
        let named = |text: &Option<String>| {
            text.clone()
                .filter(|name| name != "none" && !name.is_empty())
        };
        let enabled = |text: &Option<String>| text.as_ref().map(|name| Value::from(name != "none"));
        let track =
            named(&self.music).map(|slug| if slug == "auto" { String::new() } else { slug });
        vec![
            (
                "scriptConfig.targetLengthInWords",
                self.words.map(Value::from),
            ),
            ("voiceoverConfig.enabled", enabled(&self.voice)),
            (
                "voiceoverConfig.voiceId",
                named(&self.voice).map(Value::from),
            ),
            ("captionsConfig.captionsEnabled", enabled(&self.captions)),
            (
                "captionsConfig.captionsStyle",
                named(&self.captions).map(Value::from),
            ),
            (
                "effectsConfig.floating",
                self.no_floating.then_some(Value::from(false)),
            ),
            ("musicConfig.enabled", enabled(&self.music)),
            ("musicConfig.musicSlug", track.map(Value::from)),
            ("musicConfig.volume", self.music_volume.map(Value::from)),
            (
                "musicConfig.loop",
                self.no_music_loop.then_some(Value::from(false)),
            ),
            ("videoConfig.enabled", enabled(&self.clips)),
            ("videoConfig.model", named(&self.clips).map(Value::from)),
        ]
    }
}

fn no_json(path: &Path, e: &serde_json::Error) -> Failure {
    let name = path.display();
    let is_json = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let hint = match is_json || output::is_pipe(path) {
        true => String::new(),
        false => format!("; if it contains the text to be spoken, write --script-file {name}"),
    };
    Failure::Usage(format!("{name} is not valid JSON: {e}{hint}"))
}

/// The placeholder prompt of a recording without text.
const RECORDED: &str = "(recorded)";

/// Sets a field; a dot leads into an object, which is created if missing.
fn set(body: &mut Map<String, Value>, path: &str, value: Value) {
    let Some((object, rest)) = path.split_once('.') else {
        body.insert(path.to_owned(), value);
        return;
    };
    let inner = body.entry(object).or_insert_with(|| json!({}));
    if let Some(inner) = inner.as_object_mut() {
        set(inner, rest, value);
    }
}

fn recording(path: &Path, is_song: bool, said: &Source) -> Result<Recording, Failure> {
    let text = match said {
        Source::Script(text) => Some(text.clone()),
        _ => None,
    };
    let mut recording = Recording::open(path.to_owned(), is_song, text)?;
    if let Source::Prompt(prompt) = said {
        recording.prompt = Some(prompt.prompt.clone()).filter(|prompt| prompt != RECORDED);
    }
    Ok(recording)
}

fn character(text: &str) -> Result<Character, Failure> {
    match text.split_once('=') {
        Some((name, told)) if !name.trim().is_empty() && !told.trim().is_empty() => Ok(Character {
            name: name.trim().to_owned(),
            descriptor: told.trim().to_owned(),
            voice: None,
            reference: None,
            is_measured: false,
        }),
        _ => Err(Failure::Usage(format!(
            "--character {text}: write it as NAME=DESCRIPTION, such as Mara=\"an old keeper in a red coat\""
        ))),
    }
}

fn encoded(quality: Quality) -> Encoded {
    match quality {
        Quality::High => Encoded::High,
        Quality::Medium => Encoded::Medium,
        Quality::Low => Encoded::Low,
    }
}
