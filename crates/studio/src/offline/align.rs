//! Finds known words in a recorded voice with the engine.

use std::io::Cursor;

use kinora::audio::{VoicePiece, word_times};

use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::{AlignAsk, AlignProvider, Answer, Call, SpokenToken};

/// Aligns a known text with a recorded voice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ear;

impl AlignProvider for Ear {
    fn name(&self) -> &str {
        "offline"
    }

    fn model(&self) -> &str {
        "align-1"
    }

    fn align(&self, ask: &AlignAsk<'_>, call: &Call) -> Result<Answer<Vec<SpokenToken>>, Failure> {
        let failure =
            |kind, message: String| Failure::new(Stage::Voice, kind, message).by("offline", None);
        let Some(text) = ask.text else {
            let message = "speech without a given text cannot be recognized offline: give the text, or configure an `align` provider that transcribes";
            return Err(failure(FailureKind::NotConfigured, message.into()));
        };
        let piece = VoicePiece::whole(Box::new(Cursor::new(ask.file.to_vec())), "the voice");
        let words = word_times(vec![piece], text, ask.language, &call.cancel).map_err(|e| {
            let kind = match call.cancel.is_cancelled() {
                true => FailureKind::Cancelled,
                false => FailureKind::BadInput,
            };
            failure(kind, e.to_string())
        })?;
        Ok(Answer::plain(
            words.into_iter().map(SpokenToken::from).collect(),
        ))
    }
}
