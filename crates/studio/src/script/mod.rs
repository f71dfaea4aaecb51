//! Speech and pictures of a script: sentences and scenes of any text, the words that a voice speaks, canonical scripts.
//!
//! Takes text as people write it and gives plain values ([`Token`], [`crate::scene::Scene`], sentences, briefs). It never does I/O, calls a provider, or fails.

mod brief;
pub mod canonical;
mod cardinals;
mod clean;
mod fit;
pub(crate) mod language;
pub(crate) mod lexicon;
mod numbers;
pub mod pace;
mod scenes;
mod sentences;
mod speak;
mod telling;

pub use brief::{brief_scenes, briefs};
pub use clean::plain;
pub use fit::{Fit, fit, n_words};
pub use language::language_of;
pub use scenes::{SceneOptions, scenes, spoken_secs};
pub use sentences::sentences;
pub use speak::{Token, speakable};

/// Returns the primary part of a language tag in lower case: `pt-BR` gives `pt`.
pub(crate) fn primary(language: &str) -> String {
    language
        .split(['-', '_'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}
