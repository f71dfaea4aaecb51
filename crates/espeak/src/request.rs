//! A request to speak a text, and the errors it can cause.

use serde::{Deserialize, Serialize};

/// A text to speak.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Plain text; markup in it is spoken, not interpreted.
    pub(crate) text: String,
    /// A language listed by `--voices`, with or without a variant, such as `es+f2`.
    pub(crate) voice: String,
    /// Words per minute, 80 to 450.
    #[serde(default = "rate_wpm")]
    pub(crate) rate_wpm: i32,
    /// 0 to 99; 50 is the voice's default.
    #[serde(default = "pitch")]
    pub(crate) pitch: i32,
}

fn rate_wpm() -> i32 {
    160
}

fn pitch() -> i32 {
    50
}

impl Request {
    /// Returns an error if a value is out of range, or if libespeak-ng could take the voice for a path or the text for a command.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
        if self.voice.is_empty() || self.voice.len() > 40 || !self.voice.chars().all(is_name) {
            return Err(Problem::request(
                "`voice` must be a language listed by --voices, such as es or es+f2",
            ));
        }
        if !(80..=450).contains(&self.rate_wpm) || !(0..=99).contains(&self.pitch) {
            return Err(Problem::request(
                "`rate_wpm` must be 80 to 450 and `pitch` 0 to 99",
            ));
        }
        if self.text.chars().any(|c| c.is_control() && c != '\n') {
            return Err(Problem::request("`text` contains control characters"));
        }
        Ok(())
    }
}

/// Reason why nothing was spoken.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    /// Stable: `bad_request`, `no_library`, `no_data`, `no_voice`, `too_long`, `failed`.
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>) -> Problem {
        let message = message.into();
        Problem { kind, message }
    }

    pub(crate) fn request(message: impl Into<String>) -> Problem {
        Problem::new("bad_request", message)
    }

    pub(crate) fn failed(message: impl Into<String>) -> Problem {
        Problem::new("failed", message)
    }

    pub(crate) fn output(error: std::io::Error) -> Problem {
        Problem::failed(format!("cannot write to stdout: {error}"))
    }
}
