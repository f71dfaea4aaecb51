//! Detects file types from the first bytes; names and extensions are not trusted.

use image::ImageFormat;

use super::refusal::Refusal;
use crate::units::within;

/// A supported picture format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// JPEG.
    Jpeg,
    /// Another format that the crate `image` reads.
    Raster(ImageFormat),
    /// AVIF: AV1 in HEIF.
    Avif,
    /// HEIF with HEVC or another kind of data.
    Heic,
    /// JPEG XL.
    Jxl,
    /// SVG.
    Svg,
}

/// Number of leading bytes that [`kind_of`] needs (fewer if the file is shorter).
pub(crate) const HEAD_BYTES: usize = 1024;

const SUPPORTED: &str =
    "pictures may be JPEG, PNG, WebP, GIF, AVIF, HEIC, JPEG XL, SVG, TIFF, BMP or QOI";

/// Unsupported picture formats: `(offset, magic, description)`.
const OTHER_PICTURES: &[(usize, &[u8], &str)] = &[
    (0, b"\0\0\0\x0cjP  ", "a JPEG 2000 picture"),
    (0, b"\xff\x4f\xff\x51", "a JPEG 2000 picture"),
    (0, b"8BPS", "a Photoshop document"),
    (0, b"gimp xcf", "a GIMP document"),
    (0, b"\0\0\x01\0", "an icon (ICO)"),
    (0, b"DDS ", "a DDS texture"),
    (0, b"#?RADIANCE", "a Radiance HDR picture"),
    (0, b"\x76\x2f\x31\x01", "an OpenEXR picture"),
    (0, b"%!PS", "a PostScript document"),
    (0, b"%PDF", "a PDF document"),
];

/// Supported picture formats, for use where a clip is expected.
const PICTURES: &[(usize, &[u8], &str)] = &[
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (8, b"WEBP", "a WebP picture"),
    (0, b"GIF8", "a still GIF picture"),
    (0, b"II*\0", "a TIFF picture"),
    (0, b"MM\0*", "a TIFF picture"),
    (4, b"ftypavif", "an AVIF picture"),
    (4, b"ftyphei", "a HEIC picture"),
    (4, b"ftypmif1", "a HEIF picture"),
    (0, b"\xff\x0a", "a JPEG XL picture"),
    (0, JXL_BOX, "a JPEG XL picture"),
    (0, b"qoif", "a QOI picture"),
];

/// The first box of a JPEG XL file (ISO/IEC 18181-2).
const JXL_BOX: &[u8] = b"\0\0\0\x0cJXL \r\n\x87\n";

/// Other file formats: `(offset, magic, description)`.
const OTHER_FILES: &[(usize, &[u8], &str)] = &[
    (4, b"ftyp", "an MP4 or QuickTime video"),
    (4, b"moov", "a QuickTime video"),
    (0, b"\x1a\x45\xdf\xa3", "a WebM or Matroska video"),
    (8, b"AVI ", "an AVI video"),
    (8, b"WAVE", "a WAV sound"),
    (0, b"ID3", "an MP3 sound"),
    (0, b"OggS", "an Ogg sound or video"),
    (0, b"fLaC", "a FLAC sound"),
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"\0\x01\0\0\0", "a font"),
    (0, b"OTTO", "a font"),
];

/// Unsupported clip containers: `(offset, magic, description)`.
const OTHER_CLIPS: &[(usize, &[u8], &str)] = &[
    (8, b"AVI ", "an AVI video"),
    (0, b"FLV\x01", "a Flash video (FLV)"),
    (
        0,
        b"\x30\x26\xb2\x75\x8e\x66\xcf\x11",
        "a Windows Media video (WMV, ASF)",
    ),
    (0, b"\0\0\x01\xba", "an MPEG program stream (MPG, VOB)"),
    (0, b"\0\0\x01\xb3", "a raw MPEG video stream"),
    (0, b"\0\0\0\x01", "a raw stream of H.264 or HEVC"),
    (0, b"OggS", "an Ogg video (OGV)"),
    (0, b"\x06\x0e\x2b\x34", "an MXF video"),
    (0, b".RMF", "a RealMedia video"),
    (0, b"DKIF", "a raw stream in IVF"),
    (0, b"YUV4MPEG2 ", "an uncompressed video (Y4M)"),
];

/// Returns the format of a clip that kinora does not read, by its first bytes.
pub(crate) fn other_clip(head: &[u8]) -> Option<&'static str> {
    // Packets of 188 bytes, sometimes after a timestamp of 4, each with a sync byte (ISO/IEC 13818-1, 2.4.3.2).
    let is_packed = |start: usize, n: usize| (0..4).all(|i| head.get(start + n * i) == Some(&0x47));
    if is_packed(0, 188) || is_packed(4, 192) {
        return Some("an MPEG transport stream (TS, M2TS)");
    }
    listed(head, OTHER_CLIPS)
}

/// Returns what a file starting with `head` is, if it certainly contains no clip.
pub(crate) fn other_than_clip(head: &[u8]) -> Option<&'static str> {
    let is_video = |what: &&str| what.ends_with(" video");
    listed(head, OTHER_PICTURES)
        .or(listed(head, PICTURES))
        .or(listed(head, OTHER_FILES).filter(|what| !is_video(what)))
}

fn listed(head: &[u8], table: &[(usize, &[u8], &'static str)]) -> Option<&'static str> {
    let found = table.iter().find(|(at, magic, _)| is_at(head, *at, magic));
    found.map(|&(_, _, what)| what)
}

fn is_at(head: &[u8], at: usize, magic: &[u8]) -> bool {
    head.get(at..).is_some_and(|h| h.starts_with(magic))
}

/// Returns the format of a file that starts with `head`; the error says what it is instead, if that is known.
pub(crate) fn kind_of(head: &[u8]) -> Result<Kind, Refusal> {
    let is_at = |at, magic| is_at(head, at, magic);
    let known = match head {
        [0xff, 0xd8, 0xff, ..] => Some(Kind::Jpeg),
        _ if is_at(0, b"\x89PNG\r\n\x1a\n") => Some(Kind::Raster(ImageFormat::Png)),
        _ if is_at(0, b"RIFF") && is_at(8, b"WEBP") => Some(Kind::Raster(ImageFormat::WebP)),
        _ if is_at(0, b"GIF87a") || is_at(0, b"GIF89a") => Some(Kind::Raster(ImageFormat::Gif)),
        _ if is_at(0, b"II*\0") || is_at(0, b"MM\0*") => Some(Kind::Raster(ImageFormat::Tiff)),
        _ if is_at(0, b"II+\0") || is_at(0, b"MM\0+") => Some(Kind::Raster(ImageFormat::Tiff)),
        // The two letters alone would match many texts: bytes 6 to 9 are reserved and 0 in every real file.
        _ if is_at(0, b"BM") && is_at(6, b"\0\0\0\0") => Some(Kind::Raster(ImageFormat::Bmp)),
        _ if is_at(0, b"qoif") => Some(Kind::Raster(ImageFormat::Qoi)),
        [0xff, 0x0a, ..] => Some(Kind::Jxl),
        _ if is_at(0, JXL_BOX) => Some(Kind::Jxl),
        _ if is_svg(head) => Some(Kind::Svg),
        _ => heif(head),
    };
    if let Some(kind) = known {
        return Ok(kind);
    }
    if let Some(what) = listed(head, OTHER_PICTURES) {
        let reason = format!("is {what}, which is not supported");
        return Err(Refusal::new("unsupported_picture", reason).hint(way_out(what)));
    }
    Err(Refusal::new(
        "not_a_picture",
        not_a_picture(head, listed(head, OTHER_FILES)),
    )
    .hint(SUPPORTED))
}

fn way_out(what: &str) -> String {
    if what.ends_with(" document") {
        "export it as PNG or JPEG, PDF pages one by one".to_owned()
    } else {
        format!("convert it first; {SUPPORTED}")
    }
}

/// Detects AVIF and HEIF by the brands of the file (ISO/IEC 14496-12, 4.3): the first one, or for a generic one its compatible brands.
fn heif(head: &[u8]) -> Option<Kind> {
    let size = u32::from_be_bytes(*head.first_chunk()?) as usize;
    if !is_at(head, 4, b"ftyp") {
        return None;
    }
    let brands = head.get(8..within(size, 8, head.len()))?.as_chunks::<4>().0;
    let of = |brand: &[u8; 4]| match brand {
        b"avif" | b"avis" => Some(Kind::Avif),
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" => Some(Kind::Heic),
        _ => None,
    };
    let (major, others) = brands.split_first()?;
    let is_general = matches!(major, b"mif1" | b"msf1" | b"mif2");
    match of(major) {
        None if is_general => Some(others.iter().skip(1).find_map(of).unwrap_or(Kind::Heic)),
        found => found,
    }
}

fn not_a_picture(head: &[u8], what: Option<&str>) -> String {
    let start = text_start(head);
    if head.is_empty() {
        "is empty (0 bytes)".to_owned()
    } else if let Some(what) = what {
        format!("is {what}, not a picture")
    } else if ["<!doctype html", "<html"]
        .iter()
        .any(|tag| starts_with_tag(start, tag))
    {
        "is a web page, not a picture (a saved error page?)".to_owned()
    } else if is_text(head) {
        "is text, not a picture".to_owned()
    } else {
        "is not a picture of a known kind".to_owned()
    }
}

/// Strips a byte order mark and leading white space.
fn text_start(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start()
}

fn starts_with_tag(text: &[u8], tag: &str) -> bool {
    text.len() >= tag.len() && text[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
}

fn is_svg(head: &[u8]) -> bool {
    let start = text_start(head);
    let is_markup = starts_with_tag(start, "<?xml")
        || starts_with_tag(start, "<!--")
        || starts_with_tag(start, "<!doctype svg");
    starts_with_tag(start, "<svg") || is_markup && start.windows(4).any(|w| w == b"<svg")
}

/// Returns whether it is UTF-8 (up to a character cut at the end) without control characters other than white space.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => {
            std::str::from_utf8(&head[..e.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !valid.is_empty()
        && valid
            .chars()
            .all(|c| !c.is_control() || c.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(head: &[u8]) -> (&'static str, String) {
        let e = kind_of(head).expect_err("no picture");
        (
            e.code,
            format!("{} {}", e.reason, e.hint.unwrap_or_default()),
        )
    }

    #[test]
    fn other_files_are_named() {
        for (head, code, word) in [
            (&b"8BPS\0\x01"[..], "unsupported_picture", "export it"),
            (b"%PDF-1.7", "unsupported_picture", "export it"),
            (b"\0\0\x01\0", "unsupported_picture", "convert it"),
            (b"\0\0\0\x20ftypisom", "not_a_picture", "video"),
            (b"RIFF\0\0\0\0WAVEfmt ", "not_a_picture", "sound"),
            (b"<!DOCTYPE HTML><p>404", "not_a_picture", "web page"),
            (b"BMW is a maker of cars", "not_a_picture", "text"),
            (b"", "not_a_picture", "empty"),
            (b"\x01\x02\x03", "not_a_picture", "known kind"),
        ] {
            let (got, reason) = refusal(head);
            assert_eq!(got, code, "{reason}");
            assert!(reason.contains(word), "{reason}");
        }
    }

    #[test]
    fn kinds_are_found_by_content() {
        for (head, kind) in [
            (&b"\0\0\0\x18ftypavif\0\0\0\0avifmif1"[..], Kind::Avif),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", Kind::Avif),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", Kind::Heic),
            (b"\0\0\0\x14ftypheic\0\0\0\0mif1", Kind::Heic),
            (b"\0\0\0\x10ftypmif1\0\0\0\0avif", Kind::Heic),
            (b"\xff\x0a\x01", Kind::Jxl),
            (b"\0\0\0\x0cJXL \r\n\x87\n", Kind::Jxl),
            (b"qoif\0\0", Kind::Raster(ImageFormat::Qoi)),
            (b"\n<?xml version='1.0'?>\n<svg/>", Kind::Svg),
        ] {
            assert_eq!(kind_of(head).expect("a picture"), kind);
        }
    }
}
