//! Speech without a network: Flite for English, eSpeak NG for a hundred languages, both with the time of every word.
//!
//! Takes a [`crate::providers::SpeechAsk`], whose tokens are separated by spaces, and gives a WAV file and one span for each token, in order, inside the sound.
//! It never passes unfiltered text to a C library, links GPL code (eSpeak NG runs as a separate program, `kinora-espeak`), or uses a network.

mod english;
mod espeak;
mod flite;
mod offline;
mod pick;
mod plain;
mod sound;
mod spans;

pub use espeak::Espeak;
pub use flite::Flite;
pub use offline::Offline;

/// The longest text spoken in one call, in characters: about an hour.
pub const MAX_CHARS: usize = 60_000;

/// The longest sound in seconds; a text of digits takes longer than its length suggests.
pub const MAX_SECS: f64 = 4_500.0;

/// A voice that can be requested by its id.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct VoiceInfo {
    /// The id for [`crate::providers::SpeechAsk::voice`], such as `flite:slt` or `espeak:es`.
    pub id: String,
    /// The display name.
    pub name: String,
    /// A tag such as `en-us`.
    pub language: String,
    /// The provider: `flite` or `espeak`.
    pub provider: String,
}

/// Returns the voices of this machine that need no network, Flite's first.
pub fn voices() -> Vec<VoiceInfo> {
    // Shared by all callers: eSpeak's list comes from a program, and its cached answer saves the next call.
    static SPEAKER: LazyLock<Offline> = LazyLock::new(Offline::new);
    SPEAKER.voices()
}

use std::sync::LazyLock;

use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::{Call, SpeechAsk};

/// Creates a failure of the voice stage by one of these providers.
fn failure(provider: &str, kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure::new(Stage::Voice, kind, message).by(provider, None)
}

/// Rejects a text that is too long.
fn check_length(provider: &str, ask: &SpeechAsk) -> Result<(), Failure> {
    let n_chars = ask.text.chars().take(MAX_CHARS + 1).count();
    if n_chars <= MAX_CHARS {
        return Ok(());
    }
    let message = format!(
        "the text has more than {MAX_CHARS} characters, which is more than an hour of speech; split it into several videos"
    );
    Err(failure(provider, FailureKind::BadInput, message))
}

/// Stops if the call was cancelled or its deadline has passed.
fn check_time(provider: &str, call: &Call) -> Result<(), Failure> {
    if call.cancel.is_cancelled() {
        return Err(failure(
            provider,
            FailureKind::Cancelled,
            "the run was cancelled",
        ));
    }
    if std::time::Instant::now() >= call.deadline {
        let message = "the voice was not ready in time; give the run more time or a shorter text";
        return Err(failure(provider, FailureKind::TimedOut, message));
    }
    Ok(())
}

/// Creates the failure for a text with nothing to speak.
fn nothing_to_say(provider: &str) -> Failure {
    let message =
        "the text contains no word that can be spoken; write it in the requested language";
    failure(provider, FailureKind::BadInput, message)
}

/// Creates the failure for a text whose sound would be too long.
fn too_long(provider: &str) -> Failure {
    let message = format!(
        "the text takes longer than {} minutes to speak; split it into several videos",
        MAX_SECS / 60.0
    );
    failure(provider, FailureKind::BadInput, message)
}
