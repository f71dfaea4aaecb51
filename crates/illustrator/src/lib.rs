//! Pictures painted by procedure from the words of a scene, in layers, deterministic by seed.
//!
//! ```text
//! words ─ brief ─ palette, light ─ scene ─ sheets ─ treatment ─ Painting
//! ```
//!
//! Takes: an [`Ask`], any words in any of a dozen languages. Gives: a [`Painting`] of layers, or the flat picture. Never: fails, reads a clock, reads a file, draws
//! chance from anywhere but the ask; the same ask gives the same bytes whatever the machine's number of threads.

mod brief;
mod canvas;
mod city;
mod color;
mod interior;
mod light;
mod look;
mod noise;
mod painting;
mod palette;
mod passes;
mod people;
mod places;
mod plants;
mod realms;
mod scene;
mod shape;
mod sky;
mod styles;
mod subjects;
mod terrain;
mod water;
mod weather;
mod words;

pub use brief::Weather;
pub use painting::{Layer, Painting, paint, paint_flat};
pub use styles::{Style, styles};
pub use words_list::subjects as subject_words;

mod words_list {
    //! The words that draw something, for lists and tests.

    /// `(kind, word)` of every English word that changes a picture: places, things, people, times, weathers, skies, seasons, moods.
    pub fn subjects() -> Vec<(&'static str, &'static str)> {
        const KINDS: [&str; 8] = [
            "place", "thing", "person", "time", "weather", "sky", "season", "mood",
        ];
        crate::words::rows()
            .filter(|(meaning, _)| KINDS.contains(&meaning.kind))
            .filter_map(|(meaning, list)| Some((meaning.kind, list.split_whitespace().next()?)))
            .collect()
    }
}

/// Someone who is seen; looks the same in every picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure<'a> {
    /// What it is called. Decides on everything that the descriptor leaves open.
    pub name: &'a str,
    /// What it is and looks like, such as `an old man in a red coat`.
    pub descriptor: &'a str,
}

/// A picture to paint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask<'a> {
    /// What is seen, in plain words.
    pub words: &'a str,
    /// A director's notes; weigh less than the words.
    pub notes: &'a str,
    /// Who is seen, at most six.
    pub figures: &'a [Figure<'a>],
    /// A name of [`styles`]; anything else is the painterly style of the house.
    pub style: &'a str,
    /// Width, px; taken as 64 to 4096.
    pub width: u32,
    /// Height, px; taken as 64 to 4096.
    pub height: u32,
    /// Another seed is another composition of the same.
    pub seed: u64,
}

impl Ask<'_> {
    /// The sides that are painted, px.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.width.clamp(64, 4096), self.height.clamp(64, 4096))
    }
}
