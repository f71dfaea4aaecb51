//! A track entry: its codec, configuration, pixel aspect ratio, color and roll.

use super::ebml::{elements, float, id, unsigned};
use crate::bitstream::ColorFacts;
use crate::media::clip::codec::{av1_configuration, avc_configuration};
use crate::media::clip::refuse::{encrypted, unsupported};
use crate::media::clip::track::{Coding, Look, Orientation};
use crate::media::refusal::Refusal;

/// `TrackType` of video.
pub(super) const VIDEO: u64 = 1;
/// `TrackType` of audio.
pub(super) const SOUND: u64 = 2;

/// Codecs that are not supported, by the start of their names.
const OTHER_CODECS: &[(&str, &str)] = &[
    ("V_MPEGH/ISO/HEVC", "HEVC (H.265)"),
    ("V_MPEGI/ISO/VVC", "VVC (H.266)"),
    ("V_VP8", "VP8"),
    ("V_MPEG4/ISO/AVC", "H.264"),
    ("V_MPEG4/MS", "MS MPEG-4"),
    ("V_MPEG4", "MPEG-4 Part 2"),
    ("V_MPEG2", "MPEG-2"),
    ("V_MPEG1", "MPEG-1"),
    ("V_PRORES", "Apple ProRes"),
    ("V_MJPEG", "Motion JPEG"),
    ("V_THEORA", "Theora"),
    ("V_FFV1", "FFV1"),
    ("V_REAL", "RealVideo"),
    ("V_UNCOMPRESSED", "uncompressed video"),
    ("V_MS/VFW", "a codec of old Windows programs"),
];

pub(super) struct Entry {
    pub(super) number: u64,
    /// Duration of a frame in nanoseconds; 0 if not specified.
    pub(super) frame_ns: u64,
    pub(super) coding: Coding,
    /// Bytes left out at the start of every frame.
    pub(super) stripped: Vec<u8>,
    pub(super) look: Look,
}

impl Entry {
    /// Returns the `TrackType`.
    pub(super) fn kind(body: &[u8]) -> Result<u64, Refusal> {
        for found in elements(body) {
            let (found_id, body) = found?;
            if found_id == id::TRACK_TYPE {
                return unsigned(body);
            }
        }
        Ok(0)
    }

    pub(super) fn read(body: &[u8]) -> Result<Entry, Refusal> {
        let (mut number, mut frame_ns) = (0, 0);
        let (mut codec, mut private) = (&[][..], &[][..]);
        let (mut look, mut stripped) = (Look::default(), Vec::new());
        for found in elements(body) {
            let (found_id, body) = found?;
            match found_id {
                id::TRACK_NUMBER => number = unsigned(body)?,
                id::DEFAULT_DURATION => frame_ns = unsigned(body)?,
                id::CODEC_ID => codec = body,
                id::CODEC_PRIVATE => private = body,
                id::VIDEO => look = video(body)?,
                id::CONTENT_ENCODINGS => stripped = stripped_by(body)?,
                _ => {}
            }
        }
        Ok(Entry {
            number,
            frame_ns,
            coding: coding(codec, private)?,
            stripped,
            look,
        })
    }
}

fn coding(codec: &[u8], private: &[u8]) -> Result<Coding, Refusal> {
    let name = String::from_utf8_lossy(codec);
    match name.trim_end_matches('\0') {
        "V_VP9" => Ok(Coding::Vp9),
        "V_AV1" if private.is_empty() => Ok(Coding::Av1 {
            config_obus: Vec::new(),
        }),
        "V_AV1" => av1_configuration(private),
        "V_MPEG4/ISO/AVC" if !private.is_empty() => avc_configuration(private),
        other => {
            let known = OTHER_CODECS
                .iter()
                .find(|(start, _)| other.starts_with(start));
            let shown: String = other.escape_debug().take(40).collect();
            Err(unsupported(match known {
                Some((_, name)) => format!("contains {name} ({shown}), which is not supported"),
                None => format!("contains video of type `{shown}`, which is not supported"),
            }))
        }
    }
}

/// Returns the bytes that encodings leave out at the start of every frame (RFC 9559, 5.1.4.1.31); other encodings are rejected.
fn stripped_by(encodings: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut stripped = Vec::new();
    for found in elements(encodings) {
        let (found_id, body) = found?;
        if found_id == id::CONTENT_ENCODING {
            stripped.extend(stripped_by_one(body)?);
        }
    }
    Ok(stripped)
}

fn stripped_by_one(encoding: &[u8]) -> Result<Vec<u8>, Refusal> {
    const FRAMES: u64 = 1;
    const STRIPPING: u64 = 3;
    // Defaults: all frames, zlib.
    let (mut scope, mut kind, mut settings) = (FRAMES, 0, &[][..]);
    for found in elements(encoding) {
        match found? {
            (id::CONTENT_ENCRYPTION, _) => return Err(encrypted()),
            (id::CONTENT_SCOPE, body) => scope = unsigned(body)?,
            (id::CONTENT_COMPRESSION, body) => {
                for inner in elements(body) {
                    match inner? {
                        (id::COMPRESSION_KIND, body) => kind = unsigned(body)?,
                        (id::COMPRESSION_SETTINGS, body) => settings = body,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    if (scope, kind) == (FRAMES, STRIPPING) {
        Ok(settings.to_vec())
    } else {
        Err(unsupported("has a compressed video track"))
    }
}

fn video(body: &[u8]) -> Result<Look, Refusal> {
    let mut look = Look::default();
    let (mut pixels, mut display) = ([0; 2], [0; 2]);
    for found in elements(body) {
        let (found_id, body) = found?;
        match found_id {
            id::PIXEL_WIDTH => pixels[0] = unsigned(body)?,
            id::PIXEL_HEIGHT => pixels[1] = unsigned(body)?,
            id::DISPLAY_WIDTH => display[0] = unsigned(body)?,
            id::DISPLAY_HEIGHT => display[1] = unsigned(body)?,
            id::COLOUR => look.color = Some(color(body)?),
            id::PROJECTION => look.orientation = projection(body)?,
            _ => {}
        }
    }
    for (display, pixels) in display.iter_mut().zip(pixels) {
        if *display == 0 {
            *display = pixels;
        }
    }
    let ratio = (
        display[0].checked_mul(pixels[1]),
        display[1].checked_mul(pixels[0]),
    );
    if let (Some(x), Some(y)) = ratio {
        look.pixel_aspect = u32::try_from(x).ok().zip(u32::try_from(y).ok());
    }
    Ok(look)
}

fn color(body: &[u8]) -> Result<ColorFacts, Refusal> {
    const FULL: u64 = 2;
    let mut color = ColorFacts {
        primaries: 2,
        transfer: 2,
        matrix: 2,
        full_range: false,
    };
    for found in elements(body) {
        let (found_id, body) = found?;
        let point = |body| unsigned(body).map(|n| u16::try_from(n).unwrap_or(2));
        match found_id {
            id::MATRIX => color.matrix = point(body)?,
            id::TRANSFER => color.transfer = point(body)?,
            id::PRIMARIES => color.primaries = point(body)?,
            id::RANGE => color.full_range = unsigned(body)? == FULL,
            _ => {}
        }
    }
    Ok(color)
}

/// Parses a projection. `ProjectionPoseRoll` turns counter-clockwise.
fn projection(body: &[u8]) -> Result<Orientation, Refusal> {
    let mut orientation = Orientation::default();
    for found in elements(body) {
        let (found_id, body) = found?;
        if found_id == id::POSE_ROLL {
            let turns = (-float(body)? / 90.0).round();
            orientation.quarter_turns = turns.rem_euclid(4.0) as u8 & 3;
        }
    }
    Ok(orientation)
}
