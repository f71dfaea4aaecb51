//! JPEG by the crate `jpeg-decoder`, plus a check for truncated data, which that crate ignores.

mod huffman;
mod scan;
mod segments;

use std::io::Read;

use image::metadata::Orientation;
use jpeg_decoder::{Decoder, Error, PixelFormat, UnsupportedFeature};

use super::{Header, Pixels, exif_orientation, size};
use crate::media::PictureLimits;
use crate::media::refusal::Refusal;

/// Reads a header.
pub(super) fn header(mut stream: impl Read, limits: &PictureLimits) -> Result<Header, Refusal> {
    let mut start = Vec::new();
    (&mut stream)
        .take(START_BYTES)
        .read_to_end(&mut start)
        .map_err(|e| Refusal::of_read(&e))?;
    match opened(&start, limits) {
        // The damage may only mean that the header is longer than the start.
        Err(refusal) if refusal.code == "damaged_picture" && start.len() as u64 == START_BYTES => {
            stream
                .take(limits.file_bytes)
                .read_to_end(&mut start)
                .map_err(|e| Refusal::of_read(&e))?;
            opened(&start, limits).map(|(header, _)| header)
        }
        result => result.map(|(header, _)| header),
    }
}

/// Bytes read for the header; headers of photographs end far before this.
const START_BYTES: u64 = 512 << 10;

/// Decodes a whole file.
pub(super) fn pixels(bytes: &[u8], limits: &PictureLimits) -> Result<Pixels, Refusal> {
    let (header, mut decoder) = opened(bytes, limits)?;
    // A Huffman code has at least one bit, and in all supported modes every block of 64 px has one for its mean.
    let n_pixels = size::n_pixels((header.width, header.height));
    size::check_length(n_pixels, bytes.len(), 64 * 8)?;
    let (decoded, whole) = rayon::join(
        || decoder.decode().map_err(|e| refusal(&e)),
        || scan::check(bytes),
    );
    whole?;
    let decoded = decoded?;
    let format = decoder
        .info()
        .map(|info| info.pixel_format)
        .ok_or_else(size::cut_short)?;
    let (bytes, n_channels) = match format {
        PixelFormat::L8 => (decoded, 1),
        PixelFormat::L16 => (
            super::narrow::to_8_bits(decoded, super::narrow::Samples::Words),
            1,
        ),
        PixelFormat::RGB24 => (decoded, 3),
        PixelFormat::CMYK32 => (cmyk_to_rgb(decoded), 3),
    };
    let profile = decoder.icc_profile();
    Ok(Pixels {
        header,
        n_channels,
        bytes,
        is_premultiplied: false,
        profile,
    })
}

/// Opens a decoder and reads the headers up to the frame's; returns their facts too.
fn opened<'a>(
    bytes: &'a [u8],
    limits: &PictureLimits,
) -> Result<(Header, Decoder<&'a [u8]>), Refusal> {
    let mut decoder = Decoder::new(bytes);
    decoder.read_info().map_err(|e| refusal(&e))?;
    let found = segments::before_first_scan(bytes).ok_or_else(size::cut_short)?;
    let size = (u32::from(found.frame.width), u32::from(found.frame.height));
    size::check(size, found.frame.need(), limits)?;
    let header = Header {
        width: size.0,
        height: size.1,
        orientation: found
            .exif
            .map_or(Orientation::NoTransforms, exif_orientation),
        has_alpha: false,
    };
    Ok((header, decoder))
}

/// Converts by multiplication, as browsers do without a profile; in the decoder's output an ink of 0 means none.
fn cmyk_to_rgb(mut pixels: Vec<u8>) -> Vec<u8> {
    let n = pixels.len() / 4;
    for i in 0..n {
        let [c, m, y, k] = [0, 1, 2, 3].map(|ink| 255 - u32::from(pixels[i * 4 + ink]));
        let light = |ink: u32| ((ink * k + 127) / 255) as u8;
        pixels[i * 3..i * 3 + 3].copy_from_slice(&[c, m, y].map(light));
    }
    pixels.truncate(n * 3);
    pixels
}

/// Converts an error of the decoder.
fn refusal(e: &Error) -> Refusal {
    let what = match e {
        Error::Unsupported(UnsupportedFeature::ArithmeticEntropyCoding) => {
            "a JPEG with arithmetic coding".to_owned()
        }
        Error::Unsupported(UnsupportedFeature::Hierarchical) => {
            "a hierarchical JPEG (several frames in one picture)".to_owned()
        }
        Error::Unsupported(UnsupportedFeature::SamplePrecision(bits)) => {
            format!("a JPEG with {bits} bits per sample (instead of 8)")
        }
        Error::Unsupported(UnsupportedFeature::ComponentCount(n)) => {
            format!("a JPEG with {n} color components (instead of 1, 3 or 4)")
        }
        Error::Unsupported(UnsupportedFeature::DNL) => {
            "a JPEG that states its height after its data".to_owned()
        }
        Error::Unsupported(_) => "a JPEG with uncommon chroma subsampling".to_owned(),
        e => return Refusal::damaged(e),
    };
    let reason = format!("is {what}, which is not supported");
    Refusal::new("unsupported_picture", reason).hint("save it again as baseline JPEG or PNG")
}
