//! Facts about a TIFF that the decoder of `image` does not report, or fails on.

use std::io::{Read, Seek};

use tiff::TiffError;
use tiff::decoder::Decoder;
use tiff::tags::Tag;

use crate::media::refusal::Refusal;

/// Storage format of the samples.
pub(super) struct Layout {
    /// Whether the file holds integers where `image` reports floats.
    pub(super) has_32_bit_integers: bool,
}

/// Reads the first directory. Rejects tiles with a separate plane for each color, which make the decoder panic.
pub(super) fn layout(stream: impl Read + Seek) -> Result<Layout, Refusal> {
    let mut decoder = Decoder::new(stream).map_err(|e| refusal(&e))?;
    let mut number = |tag| -> Result<Option<u32>, Refusal> {
        let values = decoder
            .find_tag_unsigned_vec::<u32>(tag)
            .map_err(|e| refusal(&e))?;
        Ok(values.and_then(|values| values.first().copied()))
    };
    let is_planar = number(Tag::PlanarConfiguration)? == Some(2);
    if is_planar && number(Tag::TileWidth)?.is_some() {
        return Err(Refusal::new(
            "unsupported_picture",
            "is a tiled TIFF with a separate plane for each color, which is not supported",
        )
        .hint("save it again as PNG, or as TIFF without tiles"));
    }
    // TIFF 6.0, section 19: without this tag, samples are unsigned integers.
    let format = number(Tag::SampleFormat)?.unwrap_or(1);
    Ok(Layout {
        has_32_bit_integers: format == 1 && number(Tag::BitsPerSample)? == Some(32),
    })
}

fn refusal(e: &TiffError) -> Refusal {
    match e {
        TiffError::UnsupportedError(e) => Refusal::new(
            "unsupported_picture",
            format!("is a TIFF of a kind that is not supported: {e}"),
        )
        .hint("save it again as PNG"),
        TiffError::LimitsExceeded => Refusal::new("too_large", "exceeds the limits"),
        e => Refusal::damaged(e),
    }
}
