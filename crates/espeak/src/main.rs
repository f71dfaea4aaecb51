//! Speech by libespeak-ng: a request as JSON on stdin; a line of JSON with the times of the words, then a WAV file, on stdout.
//!
//! ```text
//! {"text": "Hola", "voice": "es+f2", "rate_wpm": 160, "pitch": 50}
//! {"version": "1.51", "rate_hz": 22050, "secs": 0.7, "wav_bytes": 30914, "words": [{"at": 0, "len": 4, "start_ms": 0}]}
//! RIFF…
//! ```
//!
//! `--voices` prints the voices as one line of JSON. An error is a line `{"error": {"kind": …, "message": …}}` and exit code 1.
//!
//! This program is licensed under the GPL, version 3 or later, because it uses libespeak-ng. kinora runs it as a separate process and does not link to it.

mod library;
mod request;
mod voices;

use std::io::{Cursor, Read, Write};
use std::process::ExitCode;

use library::{Espeak, Spoken};
use request::{Problem, Request};
use serde::Serialize;

/// Maximum size of a request in bytes.
const MAX_REQUEST: u64 = 1 << 20;

/// The line before the WAV file.
#[derive(Serialize)]
struct Header {
    /// Version of libespeak-ng.
    version: String,
    rate_hz: u32,
    secs: f64,
    wav_bytes: usize,
    words: Vec<library::Word>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => speak(),
        ["--voices"] => list(),
        _ => Err(Problem::request(
            "unknown arguments: use none (with a request on stdin) or --voices",
        )),
    };
    let Err(problem) = result else {
        return ExitCode::SUCCESS;
    };
    let line = serde_json::json!({ "error": problem });
    // A failed write means that the reader closed the pipe: there is no one to report it to.
    let _ = writeln!(std::io::stdout(), "{line}");
    ExitCode::FAILURE
}

fn list() -> Result<(), Problem> {
    let espeak = Espeak::load()?;
    let line = serde_json::json!({ "version": espeak.version(), "voices": espeak.voices() });
    writeln!(std::io::stdout(), "{line}").map_err(Problem::output)
}

fn speak() -> Result<(), Problem> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MAX_REQUEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Problem::request(format!("stdin cannot be read: {e}")))?;
    if bytes.len() as u64 > MAX_REQUEST {
        return Err(Problem::request("the request is longer than 1 MiB"));
    }
    let request: Request = serde_json::from_slice(&bytes)
        .map_err(|e| Problem::request(format!("the request is not valid: {e}")))?;
    request.check()?;
    let espeak = Espeak::load()?;
    let spoken = espeak.speak(&request)?;
    let wav = wav(&spoken).map_err(|e| Problem::failed(e.to_string()))?;
    let header = Header {
        version: espeak.version(),
        rate_hz: spoken.rate_hz,
        secs: spoken.samples.len() as f64 / f64::from(spoken.rate_hz),
        wav_bytes: wav.len(),
        words: spoken.words,
    };
    let mut line = serde_json::to_vec(&header).map_err(|e| Problem::failed(e.to_string()))?;
    line.push(b'\n');
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(&line)
        .and_then(|()| stdout.write_all(&wav))
        .and_then(|()| stdout.flush())
        .map_err(Problem::output)
}

fn wav(spoken: &Spoken) -> Result<Vec<u8>, hound::Error> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: spoken.rate_hz,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::with_capacity(spoken.samples.len() * 2 + 64));
    let mut writer = hound::WavWriter::new(&mut file, spec)?;
    for sample in &spoken.samples {
        writer.write_sample(*sample)?;
    }
    writer.finalize()?;
    Ok(file.into_inner())
}
