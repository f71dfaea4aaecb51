//! Recognizes, by their first bytes, files that are not sounds and sounds that are not decoded.

use std::io;

use crate::audio::codec::SUPPORTED;
use crate::audio::container::invalid;

/// Sounds that are not decoded: `(offset, magic, name)`.
const SOUNDS: &[(usize, &[u8], &str)] = &[
    (0, b"wvpk", "WavPack"),
    (0, b"MAC ", "Monkey's Audio"),
    (0, b"TTA1", "True Audio"),
    (0, b"TTA2", "True Audio"),
    (0, b"MPCK", "Musepack"),
    (0, b"MP+", "Musepack"),
    (0, b"OFR ", "OptimFROG"),
    (0, b"tBaK", "TAK"),
    (0, b"ajkg", "Shorten"),
    (0, b"LA0", "Lossless Audio"),
    (0, b"TWIN97012000", "TwinVQ"),
    (0, b"#!AMR", "AMR"),
    (0, b".snd", "Sun or NeXT (AU)"),
    (0, b"DSD ", "DSD"),
    (0, b"FRM8", "DSD"),
    (0, b"ADIF", "AAC in ADIF"),
    (0, b"Creative Voice File", "Creative Voice (VOC)"),
    (0, b"riff\x2e\x91\xcf\x11", "Sony Wave64"),
    (0, b".RMF", "RealMedia"),
    (0, b".ra\xfd", "RealAudio"),
    (0, b"\x7f\xfe\x80\x01", "DTS"),
    (0, b"\xfe\x7f\x01\x80", "DTS"),
    (0, b"\x1f\xff\xe8\x00", "DTS"),
    (0, b"\x0b\x77", "Dolby Digital (AC-3)"),
    (4, b"\xf8\x72\x6f\xba", "Dolby TrueHD"),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media"),
    (8, b"AVI ", "an AVI video's"),
    (0, b"FLV\x01", "a Flash video's"),
    (0, b"\0\0\x01\xba", "an MPEG program stream's"),
    (0, b"\0\0\x01\xb3", "an MPEG video's"),
];

/// Files that are not sounds: `(offset, magic, description)`.
const NO_SOUNDS: &[(usize, &[u8], &str)] = &[
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (8, b"WEBP", "a WebP picture"),
    (0, b"GIF8", "a GIF picture"),
    (0, b"II*\0", "a TIFF picture"),
    (0, b"MM\0*", "a TIFF picture"),
    (0, b"II+\0", "a TIFF picture"),
    (0, b"MM\0+", "a TIFF picture"),
    (4, b"ftypavi", "an AVIF picture"),
    (4, b"ftyphei", "a HEIC picture"),
    (4, b"ftyphev", "a HEIC picture"),
    (4, b"ftypmif1", "a HEIF picture"),
    (4, b"ftypmsf1", "a HEIF picture"),
    (4, b"ftypjp2", "a JPEG 2000 picture"),
    (0, b"\xff\x0a", "a JPEG XL picture"),
    (0, b"\0\0\0\x0cJXL ", "a JPEG XL picture"),
    (0, b"\0\0\0\x0cjP  ", "a JPEG 2000 picture"),
    (0, b"\xff\x4f\xff\x51", "a JPEG 2000 picture"),
    (0, b"8BPS", "a Photoshop document"),
    (0, b"gimp xcf", "a GIMP document"),
    (0, b"\0\0\x01\0", "an icon"),
    (0, b"qoif", "a QOI picture"),
    (0, b"DDS ", "a DDS texture"),
    (0, b"#?RADIANCE", "a Radiance HDR picture"),
    (0, b"\x76\x2f\x31\x01", "an OpenEXR picture"),
    (0, b"\0\x01\0\0", "a font"),
    (0, b"OTTO", "a font"),
    (0, b"true", "a font"),
    (0, b"typ1", "a font"),
    (0, b"ttcf", "a collection of fonts"),
    (0, b"wOFF", "a web font"),
    (0, b"wOF2", "a web font"),
    (0, b"%PDF", "a PDF document"),
    (0, b"%!PS", "a PostScript document"),
    (0, b"MThd", "a MIDI file (notes only)"),
    (0, b"IMPM", "a tracker module"),
    (0, b"Extended Module:", "a tracker module"),
    (0, b"PK\x03\x04", "a ZIP archive or an office document"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (0, b"Rar!", "a RAR archive"),
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ\0", "an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, b"\0asm", "a program"),
    (0, b"SQLite format 3\0", "a database"),
    (257, b"ustar", "a tar archive"),
];

/// Returns whether the boxes of an MP4 are those of a picture.
pub(super) fn is_picture_box(head: &[u8]) -> bool {
    let found = listed(head, NO_SOUNDS);
    found.is_some() && head.get(4..8) == Some(b"ftyp")
}

/// Returns why a file with these first bytes cannot be read as a sound, if it can be determined.
pub(super) fn refusal(head: &[u8]) -> Option<io::Error> {
    if let Some(name) =
        listed(head, SOUNDS).or(is_transport(head).then_some("an MPEG transport stream's"))
    {
        return Some(undecoded(name));
    }
    let what = listed(head, NO_SOUNDS).or_else(|| by_shape(head))?;
    Some(invalid(format!("is {what}, not a sound")))
}

/// Creates the error for a sound that only another program decodes.
pub(crate) fn undecoded(name: &str) -> io::Error {
    let message = format!(
        "contains {name} audio, which is not supported; convert it first, for example with `ffmpeg -i FILE sound.wav`; supported: {SUPPORTED}"
    );
    io::Error::new(io::ErrorKind::Unsupported, message)
}

fn listed(head: &[u8], table: &[(usize, &[u8], &'static str)]) -> Option<&'static str> {
    let is_at = |at: usize, magic: &[u8]| head.get(at..).is_some_and(|h| h.starts_with(magic));
    let found = table.iter().find(|(at, magic, _)| is_at(*at, magic));
    found.map(|(_, _, what)| *what)
}

/// Returns whether the bytes are packets of 188 bytes that each begin with a sync byte (ISO/IEC 13818-1, 2.4.3.2).
fn is_transport(head: &[u8]) -> bool {
    (0..4).all(|i| head.get(188 * i) == Some(&0x47))
}

fn by_shape(head: &[u8]) -> Option<&'static str> {
    // The two letters alone would match too many files; these reserved bytes make it certain.
    if head.starts_with(b"BM") && head.get(6..10) == Some(&[0; 4]) {
        return Some("a BMP picture");
    }
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => std::str::from_utf8(&head[..e.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    let is_text =
        !text.is_empty() && !text.contains(|c: char| c.is_control() && !c.is_ascii_whitespace());
    let start = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .to_ascii_lowercase();
    match is_text {
        true if start.starts_with("<!doctype html") || start.starts_with("<html") => {
            Some("a web page (a saved error page?)")
        }
        true if start.contains("<svg") => Some("an SVG drawing"),
        true => Some("text"),
        false => None,
    }
}
