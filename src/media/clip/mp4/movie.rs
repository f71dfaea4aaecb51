//! The movie box: its tracks, one of which is shown.

use super::entry::Entry;
use super::tables::Tables;
use super::{boxes, child, required};
use crate::media::clip::bytes::Fields;
use crate::media::clip::clock::Clock;
use crate::media::clip::refuse::{damaged, unsupported};
use crate::media::clip::timing::Edit;
use crate::media::clip::track::{Look, Orientation, Sample, Track};
use crate::media::refusal::Refusal;

/// Maximum number of edits in a list.
const MAX_EDITS: usize = 256;

/// Facts common to all tracks of the movie.
pub(super) struct Movie<'a> {
    /// Units per second of the durations in edit lists.
    timescale: u32,
    tracks: Vec<&'a [u8]>,
    /// Bodies of `trex` boxes.
    pub(super) defaults: Vec<&'a [u8]>,
    has_sound: bool,
}

/// The video track, as described by its own box.
pub(super) struct Video<'a> {
    pub(super) id: u32,
    timescale: u32,
    orientation: Orientation,
    edits: Vec<Edit>,
    entry: Entry,
    pub(super) tables: Tables<'a>,
}

impl<'a> Movie<'a> {
    pub(super) fn read(moov: &'a [u8]) -> Result<Movie<'a>, Refusal> {
        let mut movie = Movie {
            timescale: clock_of(required(moov, b"mvhd")?)?,
            tracks: Vec::new(),
            defaults: Vec::new(),
            has_sound: false,
        };
        for found in boxes(moov) {
            match found? {
                (kind, body) if &kind == b"trak" => {
                    movie.has_sound |= handler(body)? == Some(*b"soun");
                    movie.tracks.push(body);
                }
                (kind, body) if &kind == b"mvex" => {
                    for inner in boxes(body) {
                        let (kind, body) = inner?;
                        if &kind == b"trex" {
                            movie.defaults.push(body);
                        }
                    }
                }
                (kind, _) if &kind == b"cmov" => {
                    return Err(unsupported("has a compressed index (cmov box)"));
                }
                _ => {}
            }
        }
        Ok(movie)
    }

    /// Returns the first enabled video track, or else the first one.
    pub(super) fn video(&self) -> Result<Video<'a>, Refusal> {
        let mut first = None;
        for &trak in &self.tracks {
            if handler(trak)? != Some(*b"vide") {
                continue;
            }
            let is_enabled = Fields(required(trak, b"tkhd")?).version()?.1 & 1 == 1;
            if is_enabled {
                return Video::read(trak, self.timescale);
            }
            first = first.or(Some(trak));
        }
        match first {
            Some(trak) => Video::read(trak, self.timescale),
            None if self.has_sound => Err(unsupported("has sound but no video track")),
            None => Err(unsupported("has no video track")),
        }
    }
}

impl<'a> Video<'a> {
    fn read(trak: &'a [u8], movie_timescale: u32) -> Result<Video<'a>, Refusal> {
        let (id, orientation) = header(required(trak, b"tkhd")?)?;
        let mdia = required(trak, b"mdia")?;
        let stbl = required(required(mdia, b"minf")?, b"stbl")?;
        let edits = match child(trak, b"edts")? {
            Some(edts) => match child(edts, b"elst")? {
                Some(elst) => edits(elst, movie_timescale)?,
                None => Vec::new(),
            },
            None => Vec::new(),
        };
        Ok(Video {
            id,
            timescale: clock_of(required(mdia, b"mdhd")?)?,
            orientation,
            edits,
            entry: Entry::read(required(stbl, b"stsd")?)?,
            tables: Tables::read(stbl)?,
        })
    }

    pub(super) fn track(self, samples: Vec<Sample>, movie: &Movie<'_>) -> Result<Track, Refusal> {
        Ok(Track {
            coding: self.entry.coding,
            stripped: Vec::new(),
            samples,
            clock: Clock::per_second(self.timescale)?,
            edits: self.edits,
            look: Look {
                orientation: self.orientation,
                pixel_aspect: self.entry.pixel_aspect,
                color: self.entry.color,
            },
            has_sound: movie.has_sound,
        })
    }
}

/// Reads the time scale in `mvhd` and `mdhd`.
fn clock_of(body: &[u8]) -> Result<u32, Refusal> {
    let mut fields = Fields(body);
    let (version, _) = fields.version()?;
    fields.take(if version == 1 { 16 } else { 8 })?;
    fields.u32()
}

/// Returns the media type of a `trak`; `None` if it does not specify it.
fn handler(trak: &[u8]) -> Result<Option<[u8; 4]>, Refusal> {
    let Some(mdia) = child(trak, b"mdia")? else {
        return Ok(None);
    };
    let Some(hdlr) = child(mdia, b"hdlr")? else {
        return Ok(None);
    };
    let mut fields = Fields(hdlr);
    fields.take(8)?;
    fields.u32().map(|kind| Some(kind.to_be_bytes()))
}

/// Reads track number and orientation in `tkhd`.
fn header(body: &[u8]) -> Result<(u32, Orientation), Refusal> {
    let mut fields = Fields(body);
    let (version, _) = fields.version()?;
    fields.take(if version == 1 { 16 } else { 8 })?;
    let id = fields.u32()?;
    fields.take(if version == 1 { 12 } else { 8 } + 16)?;
    let [a, b] = [fields.i32()?, fields.i32()?];
    fields.u32()?;
    let [c, d] = [fields.i32()?, fields.i32()?];
    Ok((id, orientation([a, b, c, d])))
}

/// Converts a matrix `x' = ax + cy, y' = bx + dy` (ISO/IEC 14496-12, 6.2.2) with y down; anything but mirrors and quarter turns counts as upright.
pub(in crate::media::clip) fn orientation([a, b, c, d]: [i32; 4]) -> Orientation {
    let (quarter_turns, is_mirrored) = match [a, b, c, d].map(i32::signum) {
        [0, 1, -1, 0] => (1, false),
        [-1, 0, 0, -1] => (2, false),
        [0, -1, 1, 0] => (3, false),
        [-1, 0, 0, 1] => (0, true),
        [0, -1, -1, 0] => (1, true),
        [1, 0, 0, -1] => (2, true),
        [0, 1, 1, 0] => (3, true),
        _ => (0, false),
    };
    Orientation {
        quarter_turns,
        is_mirrored,
    }
}

fn edits(elst: &[u8], movie_timescale: u32) -> Result<Vec<Edit>, Refusal> {
    let mut fields = Fields(elst);
    let (version, _) = fields.version()?;
    let n = fields.u32()? as usize;
    if n > MAX_EDITS {
        return Err(unsupported(format!(
            "has an edit list with too many entries ({n})"
        )));
    }
    let clock = Clock::per_second(movie_timescale)?;
    (0..n)
        .map(|_| {
            let length = fields.wide(version)?;
            let start = match version {
                1 => fields.u64()? as i64,
                _ => i64::from(fields.i32()?),
            };
            let rate = fields.u32()?;
            if start >= 0 && rate != 0x1_0000 {
                return Err(unsupported("has an edit list that changes its speed"));
            }
            let length = i64::try_from(length)
                .map_err(|_| damaged("an entry of its edit list is endless"))?;
            Ok(Edit {
                start: (start >= 0).then_some(start),
                // Fragmented files are written before their length is known.
                length: (length > 0).then_some(clock.ticks(length)),
                unit: clock.ticks(1),
            })
        })
        .collect()
}
