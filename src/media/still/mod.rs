//! One decoder for each picture format: facts from the header, and the pixels as stored.

mod avif;
mod heic;
mod jpeg;
#[cfg(feature = "jxl")]
mod jxl;
#[cfg(not(feature = "jxl"))]
#[path = "absent.rs"]
mod jxl;
mod narrow;
mod raster;
mod size;
#[cfg(feature = "svg")]
mod svg;
#[cfg(not(feature = "svg"))]
#[path = "absent.rs"]
mod svg;
mod tiff;

pub(crate) use heic::version as heic_version;

use std::io::{BufRead, Seek};

use image::metadata::Orientation;

use super::PictureLimits;
use super::refusal::Refusal;
use super::sniff::Kind;

/// Facts from a header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// Columns as decoded.
    pub width: u32,
    /// Rows as decoded.
    pub height: u32,
    /// How the decoded picture must be turned to be upright.
    pub orientation: Orientation,
    /// Whether the file has alpha.
    pub has_alpha: bool,
}

impl Header {
    /// Returns whether turning upright swaps width and height.
    pub fn is_sideways(&self) -> bool {
        use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
        matches!(
            self.orientation,
            Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH
        )
    }

    /// Returns `(width, height)` of the upright picture.
    pub fn upright_size(&self) -> (u32, u32) {
        if self.is_sideways() {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        }
    }
}

/// Decoded pixels, not yet converted to sRGB.
pub(crate) struct Pixels {
    /// Size and orientation.
    pub header: Header,
    /// 1 gray, 3 RGB or 4 RGBA.
    pub n_channels: usize,
    /// 8 bits, no row padding.
    pub bytes: Vec<u8>,
    /// Whether colors are already multiplied by alpha.
    pub is_premultiplied: bool,
    /// The ICC profile of the pixels; none for sRGB.
    pub profile: Option<Vec<u8>>,
}

/// Reads a header from a stream; no pixel is decoded.
pub(crate) fn header(
    mut stream: impl BufRead + Seek,
    kind: Kind,
    limits: &PictureLimits,
) -> Result<Header, Refusal> {
    match kind {
        Kind::Jpeg => jpeg::header(stream, limits),
        Kind::Raster(format) => raster::header(stream, format, limits),
        _ => {
            let mut bytes = Vec::new();
            stream
                .read_to_end(&mut bytes)
                .map_err(|e| Refusal::of_read(&e))?;
            match kind {
                Kind::Jxl => jxl::header(&bytes, limits),
                Kind::Avif => avif::header(&bytes, limits),
                Kind::Heic => heic::header(&bytes, limits),
                _ => svg::header(&bytes, limits),
            }
        }
    }
}

/// Decodes a whole file; for an animation, its first frame.
pub(crate) fn pixels(bytes: &[u8], kind: Kind, limits: &PictureLimits) -> Result<Pixels, Refusal> {
    match kind {
        Kind::Jpeg => jpeg::pixels(bytes, limits),
        Kind::Raster(format) => raster::pixels(bytes, format, limits),
        Kind::Jxl => jxl::pixels(bytes, limits),
        Kind::Svg => svg::pixels(bytes, limits),
        Kind::Avif => avif::pixels(bytes, limits),
        Kind::Heic => heic::pixels(bytes, limits),
    }
}

/// Returns the orientation from an EXIF block. Broken EXIF is common and harmless: the picture is then shown as stored.
fn exif_orientation(exif: &[u8]) -> Orientation {
    // WebP and PNG hold bare TIFF; some writers prefix it with the start of a JPEG segment.
    let tiff = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    Orientation::from_exif_chunk(tiff).unwrap_or(Orientation::NoTransforms)
}
