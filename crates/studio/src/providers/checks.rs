//! Checks what a provider returns before it is used: pictures, sounds and clips, by their bytes and not by their labels.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use kinora::audio::{sound_facts, spread_words};
use kinora::facts::ClipFacts;
use kinora::media::clip::{ClipLimits, probe};
use kinora::media::{MemoryAssets, PictureLimits, decode_picture};
use kinora::units::within;

use super::{ClipFile, Picture, SpokenToken};

/// Shortest side of a picture, px: smaller ones are placeholders.
pub const MIN_SIDE_PX: u32 = 256;
/// Most pixels of a picture.
pub const MAX_PIXELS: u64 = 40_000_000;
/// Largest file of a picture, in bytes.
pub const MAX_PICTURE_BYTES: usize = 30_000_000;
/// Most bytes that a decoder may allocate: pixels at 16 bits, and as much again.
const MAX_DECODED_BYTES: u64 = MAX_PIXELS * 16;
/// Most bytes that a decoder may allocate before the size is known: color profiles can inflate without limit.
const MAX_HEADER_BYTES: u64 = 16 << 20;
/// Allowed range of a sound's length, relative to the text's length at 137 words a minute.
const PACE: [f64; 2] = [0.3, 4.0];
/// Longest silence around a text, in seconds.
const MAX_SILENCE_SECS: f64 = 2.0;

/// Checks that a picture is complete, decodable and neither tiny nor huge.
///
/// # Errors
/// The defect, worded to follow "the picture".
pub fn picture(file: Vec<u8>) -> Result<Picture, &'static str> {
    picture_and_pixels(file).map(|(picture, _)| picture)
}

/// Does the same and returns the pixels too, upright.
///
/// # Errors
/// As [`picture`].
pub fn picture_and_pixels(file: Vec<u8>) -> Result<(Picture, DynamicImage), &'static str> {
    if file.len() > MAX_PICTURE_BYTES {
        return Err("is larger than 30 MB");
    }
    let format = match file.as_slice() {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ImageFormat::Png,
        [0xff, 0xd8, 0xff, ..] => ImageFormat::Jpeg,
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => ImageFormat::WebP,
        _ => return Err("is not a PNG, JPEG or WebP"),
    };
    if !is_whole(&file, format) {
        return Err("is cut off");
    }
    let pixels = catch_unwind(AssertUnwindSafe(|| decoded(&file, format)));
    let pixels = pixels.unwrap_or(Err("cannot be decoded"))?;
    let picture = Picture {
        file,
        width: pixels.width(),
        height: pixels.height(),
    };
    Ok((picture, pixels))
}

/// Checks a user's own picture, of any kind that a timeline takes. Formats that other readers lack are converted to JPEG or, with alpha, PNG.
///
/// # Errors
/// The defect, worded to follow "the picture".
pub fn own_picture(file: Vec<u8>) -> Result<Picture, String> {
    let is_common = matches!(
        file.as_slice(),
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..]
    ) || file.get(8..12) == Some(b"WEBP");
    if is_common {
        return picture(file).map_err(str::to_owned);
    }
    let pixels = decode_picture(&file, &PictureLimits::default())?;
    let mut again = Cursor::new(Vec::new());
    let written = if pixels.color().has_alpha() {
        pixels.write_to(&mut again, ImageFormat::Png)
    } else {
        let encoder = JpegEncoder::new_with_quality(&mut again, 95);
        pixels.write_with_encoder(encoder)
    };
    written.map_err(|e| format!("cannot be written as JPEG or PNG: {e}"))?;
    picture(again.into_inner()).map_err(str::to_owned)
}

/// Decodes the whole picture, upright.
fn decoded(file: &[u8], format: ImageFormat) -> Result<DynamicImage, &'static str> {
    let damaged = "cannot be decoded";
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_HEADER_BYTES);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|_| damaged)?;
    let (width, height) = decoder.dimensions();
    if width.min(height) < MIN_SIDE_PX {
        return Err("is less than 256 px wide or high");
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err("has more than 40 million pixels");
    }
    // With the same decoder and limits as a render.
    let mut limits = PictureLimits::default();
    limits.n_pixels = MAX_PIXELS;
    limits.decoded_bytes = MAX_DECODED_BYTES;
    decode_picture(file, &limits).map_err(|_| damaged)
}

/// Returns whether the end of the file is present: decoders silently fill missing parts with gray.
fn is_whole(file: &[u8], format: ImageFormat) -> bool {
    // Some writers add a few bytes after the end.
    let tail = &file[file.len().saturating_sub(4096)..];
    let has = |mark: &[u8]| tail.windows(mark.len()).any(|w| w == mark);
    match format {
        ImageFormat::Png => has(b"IEND\xae\x42\x60\x82"),
        ImageFormat::Jpeg => has(b"\xff\xd9"),
        // RIFF: the length of the data after the first eight bytes.
        _ => file.get(4..8).is_some_and(|len| {
            let len = u32::from_le_bytes([len[0], len[1], len[2], len[3]]);
            len as usize <= file.len() - 8
        }),
    }
}

/// Returns the content type of a picture that passed [`picture`].
pub fn picture_mime(file: &[u8]) -> &'static str {
    match file.first() {
        Some(0x89) => "image/png",
        Some(b'R') => "image/webp",
        _ => "image/jpeg",
    }
}

/// Returns the extension of a picture that passed [`picture`].
pub fn picture_extension(file: &[u8]) -> &'static str {
    match file.first() {
        Some(0x89) => "png",
        Some(b'R') => "webp",
        _ => "jpg",
    }
}

/// Returns the length in seconds, if the file is a sound.
///
/// # Errors
/// The defect, worded to follow "the sound".
pub fn sound_secs(file: &[u8]) -> Result<f64, &'static str> {
    let stream = Box::new(Cursor::new(file.to_vec()));
    let facts = sound_facts(stream, "the sound").map_err(|_| "cannot be decoded")?;
    let secs = facts
        .duration
        .ok_or("does not state its duration")?
        .as_secs();
    match secs > 0.0 {
        true => Ok(secs),
        false => Err("is empty"),
    }
}

/// Checks that a sound of this length can be a reading of this text.
///
/// # Errors
/// The defect, worded to follow "the sound".
pub fn plausible_secs(secs: f64, text: &str, language: &str) -> Result<(), &'static str> {
    let words = spread_words(text, Some(language));
    let usual = words.last().map_or(0.0, |word| word.end);
    let [least, most] = PACE;
    match secs {
        _ if secs < usual * least => Err("is too short for its text"),
        _ if secs > usual * most + MAX_SILENCE_SECS => Err("is too long for its text"),
        _ => Ok(()),
    }
}

/// Checks that word times are in order and within a sound of this length. Small overlaps, and ends beyond the sound, are corrected.
///
/// # Errors
/// The defect, worded to follow "the word times".
pub fn word_times(
    mut words: Vec<SpokenToken>,
    secs: f64,
) -> Result<Vec<SpokenToken>, &'static str> {
    /// Servers round times and split words differently.
    const TOLERANCE_SECS: f64 = 0.5;
    let mut last = 0.0;
    for word in &mut words {
        if !word.start.is_finite() || !word.end.is_finite() {
            return Err("are not numbers");
        }
        if word.start < last - TOLERANCE_SECS || word.end < word.start - TOLERANCE_SECS {
            return Err("run backwards");
        }
        if word.end > secs + TOLERANCE_SECS {
            return Err("extend beyond the end of the audio");
        }
        word.start = within(word.start, last, secs.max(last));
        word.end = within(word.end, word.start, secs.max(word.start));
        last = word.start;
    }
    Ok(words)
}

/// Returns the usual extension of a sound, by its first bytes.
pub fn sound_extension(file: &[u8]) -> &'static str {
    match file {
        [b'R', b'I', b'F', b'F', ..] => "wav",
        [b'O', b'g', b'g', b'S', ..] => "ogg",
        [b'f', b'L', b'a', b'C', ..] => "flac",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "m4a",
        _ => "mp3",
    }
}

/// Checks that the engine can play a clip: MP4 or WebM with a video track.
///
/// # Errors
/// The defect, worded to follow "the clip".
pub fn clip(file: Vec<u8>) -> Result<(ClipFile, ClipFacts), &'static str> {
    let extension = match file.as_slice() {
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "mp4",
        [0x1a, 0x45, 0xdf, 0xa3, ..] => "webm",
        _ => return Err("is neither MP4 nor WebM"),
    };
    let mut assets = MemoryAssets::default();
    assets.insert(extension, file.as_slice());
    let facts = catch_unwind(AssertUnwindSafe(|| {
        probe(extension, &assets, &ClipLimits::strict())
    }));
    match facts {
        Ok(Ok(facts)) => Ok((ClipFile { file, extension }, facts)),
        _ => Err("is damaged, or has no H.264, VP9 or AV1 video"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;

    fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        let picture = RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8, y as u8, 7]));
        DynamicImage::from(picture)
            .write_to(&mut file, format)
            .unwrap();
        file.into_inner()
    }

    #[test]
    fn whole_pictures_pass_with_their_size() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let found = picture(encoded(300, 400, format)).unwrap();
            assert_eq!((found.width, found.height), (300, 400), "{format:?}");
        }
    }

    #[test]
    fn own_pictures_of_other_kinds_are_written_again() {
        let opaque = own_picture(encoded(300, 400, ImageFormat::Bmp)).unwrap();
        assert_eq!((opaque.width, opaque.height), (300, 400));
        assert_eq!(picture_extension(&opaque.file), "jpg");
        let clear = image::RgbaImage::from_pixel(300, 300, image::Rgba([9, 9, 9, 100]));
        let mut file = Cursor::new(Vec::new());
        clear.write_to(&mut file, ImageFormat::Tiff).unwrap();
        let clear = own_picture(file.into_inner()).unwrap();
        assert_eq!(picture_extension(&clear.file), "png");
        let refused = own_picture(b"8BPS\0\x01".to_vec()).unwrap_err();
        assert!(refused.contains("Photoshop"), "{refused}");
    }

    #[test]
    fn pictures_cut_anywhere_are_refused() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let whole = encoded(260, 260, format);
            for part in 1..20 {
                let cut = whole[..whole.len() * part / 20].to_vec();
                assert!(picture(cut).is_err(), "{format:?} {part}/20");
            }
        }
    }

    #[test]
    fn tiny_huge_and_other_files_are_refused_with_a_reason() {
        let is = |file: Vec<u8>| picture(file).unwrap_err();
        assert_eq!(
            is(encoded(1, 1, ImageFormat::Png)),
            "is less than 256 px wide or high"
        );
        assert_eq!(
            is(encoded(5000, 255, ImageFormat::Png)),
            "is less than 256 px wide or high"
        );
        assert_eq!(is(vec![0; MAX_PICTURE_BYTES + 1]), "is larger than 30 MB");
        assert_eq!(
            is(b"<!doctype html>".to_vec()),
            "is not a PNG, JPEG or WebP"
        );
        assert_eq!(is(Vec::new()), "is not a PNG, JPEG or WebP");
        // The size in the header of a PNG, with its checksum corrected.
        let mut bomb = encoded(260, 260, ImageFormat::Png);
        bomb[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        let crc = crc32(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&crc.to_be_bytes());
        assert_eq!(is(bomb), "has more than 40 million pixels");
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |c, _| {
                (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg())
            })
        })
    }

    #[test]
    fn lengths_are_judged_by_the_text() {
        let text = "one two three four five six seven eight nine ten";
        assert!(plausible_secs(4.4, text, "en").is_ok());
        assert!(plausible_secs(1.0, text, "en").is_err());
        assert!(plausible_secs(20.0, text, "en").is_err());
        assert!(plausible_secs(0.2, "Hi", "en").is_ok());
    }
}
