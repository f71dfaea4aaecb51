//! Procedural pictures painted from the words of a scene, in layers, deterministic by seed.
//!
//! ```text
//! words ─ brief ─ palette, light ─ scene ─ sheets ─ treatment ─ Painting
//! ```
//!
//! Takes an [`Ask`], with any words in any of a dozen languages, and gives a [`Painting`] of layers, or the flat picture. It never fails and reads no clock and
//! no file. All randomness comes from the request: the same request gives the same bytes, whatever the number of threads.

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

/// Someone in the picture, with the same appearance in every picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure<'a> {
    /// The name. Decides everything that the descriptor leaves open.
    pub name: &'a str,
    /// What it is and what it looks like, such as `an old man in a red coat`.
    pub descriptor: &'a str,
}

/// A picture to paint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask<'a> {
    /// What the picture shows, in plain words.
    pub words: &'a str,
    /// A director's notes. They weigh less than the words.
    pub notes: &'a str,
    /// The people shown, at most six.
    pub figures: &'a [Figure<'a>],
    /// A name of [`styles`]; any other name gives the painterly house style.
    pub style: &'a str,
    /// Width, px; clamped to 64 to 4096.
    pub width: u32,
    /// Height, px; clamped to 64 to 4096.
    pub height: u32,
    /// Another seed gives another composition of the same.
    pub seed: u64,
    /// Name of the place. The same name and seed give the same land and light, whatever else is shown there. Empty for an unnamed place.
    pub place: &'a str,
}

impl Ask<'_> {
    /// The painted size, px.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.width.clamp(64, 4096), self.height.clamp(64, 4096))
    }
}
