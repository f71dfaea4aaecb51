//! Turns any text into a canonical script, by rules and offline: prose, plays, and scripts that are almost canonical.
//!
//! Takes text and gives a script that [`parse`] reads without a diagnostic, with all of its words. It never invents what is seen: the narrator speaks the prose
//! over pictures of its sentences; a quotation with a clear speaker is spoken by that character.
//!
//! A text of more than ten minutes keeps its words, and its lengths are reduced in proportion.

mod draft;
mod plain;
mod play;
mod prose;

use super::parse;

/// Makes a canonical script from any text. A text without a word becomes one shot of an empty frame.
pub fn rewrite(text: &str) -> String {
    if let Ok(reading) = parse(text) {
        let mut script = reading.script;
        for scene in &mut script.scenes {
            scene.secs = scene.shots.iter().map(|shot| shot.secs).sum();
        }
        return script.to_string();
    }
    let draft = if play::is_play(text) {
        play::read(text)
    } else {
        prose::read(text)
    };
    draft.finish().to_string()
}
