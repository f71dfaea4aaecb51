//! Any text becomes a canonical script, by rules and offline: prose, plays, and scripts that are nearly canonical.
//!
//! Takes: text. Gives: a script that [`parse`] reads without a diagnostic, all of its words kept.
//! Never: invents what is seen. Prose is spoken by the narrator over what its sentences say; a quotation whose speaker is clear is spoken by that one.
//!
//! A text of more than ten minutes keeps its words, and its lengths are shortened in proportion.

mod draft;
mod plain;
mod play;
mod prose;

use super::parse;

/// Makes a canonical script of any text. A text without a word becomes one shot of an empty frame.
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
