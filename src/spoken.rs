//! Finds the times of the caption text's words in the voice, as the timeline plays it.

use crate::audio::{self, VoicePiece};
use crate::cancel::CancelToken;
use crate::error::{Problem, Result};
use crate::facts::{Facts, SpokenWord};
use crate::media::Assets;
use crate::plan;
use crate::timeline::{Timeline, Voice};

/// Returns the timed words of the caption text; empty if the captions have timed words already. Without a voice the times are estimated.
pub(crate) fn words_of(
    timeline: &Timeline,
    facts: &Facts,
    assets: &dyn Assets,
    (problems, cancel): (&mut Vec<Problem>, &CancelToken),
) -> Result<Vec<SpokenWord>> {
    let captions = timeline.captions.as_ref().filter(|c| c.words.is_empty());
    let Some((captions, text)) = captions.and_then(|c| Some((c, c.text.as_ref()?))) else {
        return Ok(Vec::new());
    };
    let language = captions.language.as_deref();
    let voices = &timeline.audio.voice;
    if voices.is_empty() {
        return Ok(audio::spread_words(text, language));
    }
    // A voice that cannot be read or has invalid times is already reported.
    let is_placed = |voice: &Voice| {
        let places = [voice.start, voice.trim.start, voice.trim.end.unwrap_or(0.0)];
        facts.sounds.contains_key(&voice.file)
            && places.iter().all(|secs| (0.0..=86_400.0).contains(secs))
            && plan::SPEEDS.contains(&voice.speed)
    };
    if !voices.iter().all(is_placed) {
        return Ok(Vec::new());
    }
    let opened: std::io::Result<Vec<VoicePiece>> =
        voices.iter().map(|voice| piece(voice, assets)).collect();
    let found = opened.and_then(|pieces| audio::word_times(pieces, text, language, cancel));
    cancel.check()?;
    Ok(match found {
        Ok(words) => words,
        Err(e) => {
            let message = format!("no words can be found in the voice: {e}");
            let path = format!("{}.file", plan::piece("audio.voice", 0, voices.len()));
            problems.push(Problem::new("not_a_voice", path, message));
            Vec::new()
        }
    })
}

fn piece(voice: &Voice, assets: &dyn Assets) -> std::io::Result<VoicePiece> {
    Ok(VoicePiece {
        stream: audio::readable(&voice.file, assets)?,
        name: format!("`{}`", voice.file),
        start: voice.start,
        trim: (voice.trim.start, voice.trim.end),
        speed: voice.speed,
    })
}
