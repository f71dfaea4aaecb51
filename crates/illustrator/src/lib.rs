//! Pictures painted by procedure from the words of a scene, in layers, deterministic by seed.
//!
//! ```text
//! words ─ brief ─ palette, light ─ scene ─ sheets ─ treatment ─ Painting
//! ```
//!
//! Takes: an [`Ask`], any words in any of a dozen languages. Gives: a [`Painting`] of layers, or the flat picture. Never: fails, reads a clock, reads a file, draws
//! chance from anywhere but the ask; the same ask gives the same bytes whatever the machine's number of threads.

mod body;
mod brief;
mod canvas;
mod city;
mod color;
mod dress;
mod heads;
mod interior;
mod land;
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
mod reef;
mod scene;
mod scheme;
mod shape;
mod sky;
mod styles;
mod subjects;
mod terrain;
mod vocabulary;
mod water;
mod weather;
mod words;

pub use painting::{Layer, Painting, paint, paint_flat};
pub use styles::{Style, styles};
pub use vocabulary::Weather;
pub use words::{n_subjects, subject_words};

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
    /// Names the place: with the same name and seed its land and light are the same, whatever else is seen there. Empty where it has no name.
    pub place: &'a str,
}

impl Ask<'_> {
    /// The sides that are painted, px.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.width.clamp(64, 4096), self.height.clamp(64, 4096))
    }
}
