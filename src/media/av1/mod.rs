//! AV1 pictures by libdav1d, a library of this machine: for clips and for AVIF pictures.
//!
//! Takes: temporal units. Gives: decoded pictures, planes of 8 to 16 bits. Never: links the library, prints, or makes room beyond the limit of pixels.
//!
//! The library is loaded at the first use; where it is absent, [`version`] and [`Decoder::open`] say how to install it.

mod decoder;
mod layout;
mod library;
mod picture;

use std::fmt;

pub(crate) use decoder::{Decoder, Settings};
pub(crate) use picture::{Chroma, Picture};

/// The version of the library of this machine, or why there is none and how to install it.
pub(crate) fn version() -> Result<&'static str, String> {
    library::Dav1d::get().map(|library| library.version.as_str())
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Av1Error {
    /// The library cannot be used; says why and how to install it.
    Absent(String),
    /// More pixels than allowed.
    TooLarge,
    /// A good stream that needs what the library lacks.
    Unsupported,
    /// There is no memory for its pictures.
    OutOfMemory,
    /// The stream breaks the rules of AV1; says how.
    Damaged(&'static str),
}

impl fmt::Display for Av1Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Av1Error::Absent(why) => f.write_str(why),
            Av1Error::TooLarge => f.write_str("larger than allowed"),
            Av1Error::Unsupported => f.write_str("a part of AV1 that is not supported"),
            Av1Error::OutOfMemory => f.write_str("out of memory"),
            Av1Error::Damaged(how) => f.write_str(how),
        }
    }
}
