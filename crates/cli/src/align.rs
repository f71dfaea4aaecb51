//! `kinora align`: finds when each word of a text is spoken in a recording, as JSON.

use std::fs::File;
use std::path::PathBuf;

use kinora::CancelToken;
use kinora::audio::VoicePiece;
use serde_json::json;

use crate::console;
use crate::failure::{Done, Failure};
use crate::output;

/// Largest text, in bytes.
const MAX_TEXT_BYTES: u64 = 4 << 20;

/// Find when each word of a text is spoken in a recording
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The recording: WAV, MP3, M4A, FLAC, Ogg, Opus, WebM ...
    voice: PathBuf,

    /// The spoken text, as plain text
    text: PathBuf,

    /// The JSON file to write [default: stdout]
    #[arg(short, long, value_name = "FILE.json")]
    output: Option<PathBuf>,

    /// The language as a tag such as en; detected for English, French and German
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
}

pub(crate) fn run(args: &Args) -> Done {
    if let Some(path) = &args.output {
        output::check(path, "json")?;
    }
    let text = read_text(&args.text)?;
    let name = args.voice.display().to_string();
    let cannot = |e: std::io::Error| Failure::Io(format!("{name} cannot be read: {e}"));
    let voice = File::open(&args.voice).map_err(cannot)?;
    if !voice.metadata().map_err(cannot)?.is_file() {
        return Err(Failure::Usage(format!("{name} is not a file")));
    }
    let words = kinora::audio::word_times(
        vec![VoicePiece::whole(Box::new(voice), &name)],
        &text,
        args.language.as_deref(),
        &CancelToken::default(),
    )
    .map_err(|e| Failure::Io(e.to_string()))?;
    if words.is_empty() {
        return Err(Failure::Usage(format!(
            "{} has no words",
            args.text.display()
        )));
    }
    let millis = |secs: f64| (secs * 1000.0).round() / 1000.0;
    let words: Vec<_> = words
        .iter()
        .map(|w| json!({ "text": w.text, "start": millis(w.start), "end": millis(w.end) }))
        .collect();
    let all = json!({ "timing": "estimated", "words": words });
    match &args.output {
        Some(path) => output::write_text(path, &format!("{all:#}\n")),
        None => {
            console::print(&format!("{all:#}"));
            Ok(())
        }
    }
}

fn read_text(path: &PathBuf) -> Result<String, Failure> {
    let name = path.display();
    let cannot = |e: std::io::Error| Failure::Io(format!("{name} cannot be read: {e}"));
    let about = std::fs::metadata(path).map_err(cannot)?;
    if !about.is_file() || about.len() > MAX_TEXT_BYTES {
        return Err(Failure::Usage(format!(
            "{name} is not a text file of at most {} MiB",
            MAX_TEXT_BYTES >> 20
        )));
    }
    let bytes = std::fs::read(path).map_err(cannot)?;
    String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("{name} is not UTF-8 text")))
}
