//! MP4 and QuickTime files (ISO/IEC 14496-12): from boxes to a track.
//!
//! Unlike the strict check of this engine's own output (`mux::check`), this reads real-world files: unknown boxes are skipped, and only data that
//! affects pictures is read.

mod entry;
mod fragments;
mod movie;
mod tables;

use super::ClipLimits;
use super::bytes::{Fields, Source};
use super::refuse::{damaged, too_large, unsupported};
use super::track::Track;
use crate::media::refusal::Refusal;
use movie::Movie;
pub(super) use movie::orientation;

/// Maximum number of top-level boxes: fragmented clips have two for every few frames.
const MAX_TOP_BOXES: u32 = 400_000;
/// Maximum size of an index; no clip within the limits needs more.
const MAX_INDEX_BYTES: u64 = 128 << 20;

/// Returns whether a file starts like MP4 and QuickTime files.
pub(super) fn is_mp4(head: &[u8]) -> bool {
    let kinds: [&[u8]; 7] = [
        b"ftyp", b"moov", b"moof", b"mdat", b"free", b"wide", b"skip",
    ];
    head.get(4..8).is_some_and(|kind| kinds.contains(&kind))
}

/// Reads the index of the first video track.
pub(super) fn read(source: &mut Source, limits: &ClipLimits) -> Result<Track, Refusal> {
    let places = TopLevel::scan(source)?;
    let Some((at, n)) = places.movie else {
        return Err(damaged(
            "it has no index (moov box); its recording may not have been finished",
        ));
    };
    let mut index = Vec::new();
    source.read_into(at, index_bytes(n)?, &mut index)?;
    let movie = Movie::read(&index)?;
    let video = movie.video()?;
    let mut samples = tables::samples(&video.tables, source.n_bytes, limits)?;
    if !places.fragments.is_empty() {
        let mut reader = fragments::Reader::new(&movie, &video, &mut samples, limits);
        let mut moof = Vec::new();
        for (at, n) in places.fragments {
            source.read_into(at, index_bytes(n)?, &mut moof)?;
            reader.read(&moof, at)?;
        }
    }
    if samples.is_empty() {
        return Err(damaged("its video track has no samples"));
    }
    let beyond = samples.iter().filter(|sample| {
        let end = sample.offset.checked_add(u64::from(sample.n_bytes));
        end.is_none_or(|end| end > source.n_bytes)
    });
    match beyond.count() {
        0 => {}
        n => {
            return Err(damaged(format_args!(
                "{n} of its {} frames lie beyond its end",
                samples.len()
            )));
        }
    }
    video.track(samples, &movie)
}

fn index_bytes(n: u64) -> Result<u64, Refusal> {
    if n > MAX_INDEX_BYTES {
        return Err(too_large(format!(
            "has an index of {n} bytes; at most {MAX_INDEX_BYTES} are allowed"
        )));
    }
    Ok(n)
}

/// Positions of the parts of the index: `(first byte, bytes)` of the bodies.
struct TopLevel {
    movie: Option<(u64, u64)>,
    /// Counted from the first byte of the box, the base of its offsets.
    fragments: Vec<(u64, u64)>,
}

impl TopLevel {
    fn scan(source: &mut Source) -> Result<TopLevel, Refusal> {
        let mut found = TopLevel {
            movie: None,
            fragments: Vec::new(),
        };
        let (mut at, mut header) = (0, Vec::new());
        for _ in 0..MAX_TOP_BOXES {
            let left = source.n_bytes - at;
            if left < 8 {
                return Ok(found);
            }
            source.read_into(at, left.min(16), &mut header)?;
            let mut fields = Fields(&header);
            let short = fields.u32()?;
            let kind = fields.take(4)?;
            let (n_header, n) = match short {
                0 => (8, left),
                1 => (16, fields.u64()?),
                n => (8, u64::from(n)),
            };
            if n < n_header {
                return Err(damaged("a box is smaller than its header"));
            }
            // Truncated media data is detected by the frames in it.
            let is_cut = n > left;
            match kind {
                b"moov" | b"moof" if is_cut => {
                    return Err(damaged("it ends in the middle of its index"));
                }
                b"moov" if found.movie.is_none() => {
                    found.movie = Some((at + n_header, n - n_header));
                }
                b"moof" => found.fragments.push((at, n)),
                _ => {}
            }
            if is_cut {
                return Ok(found);
            }
            at += n;
        }
        Err(unsupported(format!("has more than {MAX_TOP_BOXES} parts")))
    }
}

/// Returns the boxes inside `data`. Fewer than 8 bytes at the end are ignored, because QuickTime leaves some.
fn boxes(data: &[u8]) -> impl Iterator<Item = Result<([u8; 4], &[u8]), Refusal>> {
    let mut rest = data;
    std::iter::from_fn(move || {
        if rest.len() < 8 {
            return None;
        }
        let split = split_box(rest);
        rest = split.as_ref().map_or(&[], |(_, _, after)| *after);
        Some(split.map(|(kind, body, _)| (kind, body)))
    })
}

/// Kind, body, and the rest.
type SplitBox<'a> = ([u8; 4], &'a [u8], &'a [u8]);

fn split_box(data: &[u8]) -> Result<SplitBox<'_>, Refusal> {
    let mut fields = Fields(data);
    let short = fields.u32()?;
    let kind: [u8; 4] = fields.u32()?.to_be_bytes();
    let n = match short {
        0 => fields.0.len() as u64,
        1 => fields.u64()?.wrapping_sub(16),
        n => u64::from(n).wrapping_sub(8),
    };
    let cut = || {
        damaged(format_args!(
            "its {} box is larger than the space for it",
            kind.escape_ascii()
        ))
    };
    let n = usize::try_from(n).map_err(|_| cut())?;
    let (body, rest) = fields.0.split_at_checked(n).ok_or_else(cut)?;
    Ok((kind, body, rest))
}

/// Returns the first box of `kind` inside `data`.
fn child<'a>(data: &'a [u8], kind: &[u8; 4]) -> Result<Option<&'a [u8]>, Refusal> {
    for found in boxes(data) {
        let (found_kind, body) = found?;
        if found_kind == *kind {
            return Ok(Some(body));
        }
    }
    Ok(None)
}

/// Does what [`child`] does, but a missing box is an error.
fn required<'a>(data: &'a [u8], kind: &[u8; 4]) -> Result<&'a [u8], Refusal> {
    child(data, kind)?.ok_or_else(|| damaged(format_args!("it has no {} box", kind.escape_ascii())))
}
