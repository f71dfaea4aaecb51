//! AV1 pictures by this machine's libdav1d, for clips and for AVIF pictures.
//!
//! Takes: temporal units. Gives: decoded pictures, planes of 8 to 16 bits. Never: links the library, prints, or allocates beyond the pixel limit.
//!
//! The library is loaded at first use; if it is missing, [`version`] and [`Decoder::open`] say how to install it.

mod decoder;
mod layout;
mod library;
mod picture;

use std::fmt;

pub(crate) use decoder::{Decoder, Settings};
pub(crate) use picture::{Chroma, Picture};

/// Returns the version of this machine's library, or why it is missing and how to install it.
pub(crate) fn version() -> Result<&'static str, String> {
    library::Dav1d::get().map(|library| library.version.as_str())
}

/// Why no picture was decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Av1Error {
    /// The library cannot be used; explains why and how to install it.
    Absent(String),
    /// More pixels than allowed.
    TooLarge,
    /// A valid stream that needs a feature missing from the library.
    Unsupported,
    /// Not enough memory for its pictures.
    OutOfMemory,
    /// The stream violates the rules of AV1; explains how.
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
