//! Speech without a network: Flite speaks English, eSpeak NG a hundred languages, both with the time of every word.
//!
//! Takes: [`crate::providers::SpeechAsk`], whose tokens are what spaces part. Gives: a WAV file and one span for each token, in order, inside the sound.
//! Never: lets unfiltered text into a C library; links GPL code (eSpeak NG runs as a program of its own, `kinora-espeak`); asks a network.

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

/// The longest sound given, in seconds; a text of digits speaks longer than its length says.
pub const MAX_SECS: f64 = 4_500.0;

/// A voice that can be asked for by its id.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct VoiceInfo {
    /// As in [`crate::providers::SpeechAsk::voice`], such as `flite:slt` or `espeak:es`.
    pub id: String,
    /// For people.
    pub name: String,
    /// A tag such as `en-us`.
    pub language: String,
    /// Who speaks: `flite` or `espeak`.
    pub provider: String,
}

/// The voices of this machine that need no network, Flite's first.
pub fn voices() -> Vec<VoiceInfo> {
    // One for all who ask: eSpeak's are told by a program, which a good answer spares the next.
    static SPEAKER: LazyLock<Offline> = LazyLock::new(Offline::new);
    SPEAKER.voices()
}

use std::sync::LazyLock;

use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::{Call, SpeechAsk};

/// A failure of the voice stage by one of the providers here.
fn failure(provider: &str, kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure::new(Stage::Voice, kind, message).by(provider, None)
}

/// Refuses a text that is too long to be meant.
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

/// Stops where nobody waits for the answer any more.
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

/// A text in which there is nothing to say.
fn nothing_to_say(provider: &str) -> Failure {
    let message =
        "the text holds no word that can be spoken; give it words in the language asked for";
    failure(provider, FailureKind::BadInput, message)
}

/// A text that speaks longer than any sound given here.
fn too_long(provider: &str) -> Failure {
    let message = format!(
        "the text speaks longer than {} minutes; split it into several videos",
        MAX_SECS / 60.0
    );
    failure(provider, FailureKind::BadInput, message)
}
