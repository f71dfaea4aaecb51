//! `moov`: the clocks, edit lists and tables of each track, and whether their times are consistent.

use super::boxes::{Child, Fields, Parent, Problems, broken, name};
use super::entries::{Config, Entry};
use super::fragments::Extends;
use super::tables::Tables;
use crate::error::Result;

/// Maximum number of tracks: a malicious index could hold millions of empty ones.
const MAX_TRACKS: usize = 64;

/// The whole index.
#[derive(Debug)]
pub(super) struct Movie {
    pub(super) timescale: u32,
    pub(super) duration: u64,
    pub(super) tracks: Vec<Track>,
    pub(super) extends: Extends,
}

/// One `trak`.
#[derive(Debug)]
pub(super) struct Track {
    /// Path of the box, for messages.
    pub(super) place: String,
    pub(super) id: u32,
    /// In units of the movie's clock.
    pub(super) duration: u64,
    pub(super) edits: Vec<Edit>,
    pub(super) timescale: u32,
    pub(super) media_duration: u64,
    pub(super) handler: [u8; 4],
    pub(super) entry: Entry,
    pub(super) tables: Tables,
    /// `tkhd`'s width and height, 16.16 fixed point.
    display: (u32, u32),
}

/// One entry of an edit list (ISO/IEC 14496-12, 8.6.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    /// In units of the movie's clock.
    pub(super) duration: u64,
    /// In units of the track's clock; `None` for an empty edit.
    pub(super) media_time: Option<u64>,
}

impl Movie {
    pub(super) fn read(moov: &[u8], problems: &mut Problems) -> Result<Movie> {
        let moov = Parent::open(moov, "moov")?;
        moov.allow(&[b"mvhd", b"trak", b"mvex", b"iods"], problems);
        let mut fields = moov.fields(b"mvhd", problems)?;
        let version = fields.version()?;
        fields.bytes(if version == 1 { 16 } else { 8 })?;
        let timescale = fields.u32()?;
        if timescale == 0 {
            return Err(broken(&fields.place, "a timescale of 0 units per second"));
        }
        let duration = fields.wide(version)?;
        fields.bytes(76)?;
        let next_id = fields.u32()?;
        fields.end(problems);
        let extends = match moov.optional(b"mvex", problems) {
            Some(body) => Extends::read(body, problems)?,
            None => Extends::default(),
        };
        let mut tracks: Vec<Track> = Vec::new();
        for (place, body) in moov.all(b"trak").take(MAX_TRACKS + 1) {
            if tracks.len() == MAX_TRACKS {
                return Err(broken("moov", format!("more than {MAX_TRACKS} tracks")));
            }
            let track = Track::read(body, place, problems)?;
            let is_new = tracks.iter().all(|other| other.id != track.id);
            problems.unless(
                is_new && track.id != 0,
                &track.place,
                "its ID is 0 or already in use",
            );
            problems.unless(
                track.id < next_id,
                &track.place,
                "its ID is not below next_track_id",
            );
            tracks.push(track);
        }
        problems.unless(!tracks.is_empty(), "moov", "no tracks");
        Ok(Movie {
            timescale,
            duration,
            tracks,
            extends,
        })
    }

    /// Compares the durations of movie, tracks, edits, media and tables with each other.
    pub(super) fn check_times(&self, problems: &mut Problems) {
        let longest = self.tracks.iter().map(|track| track.duration).max();
        let what = format!(
            "lasts {} units, but its longest track lasts {longest:?}",
            self.duration
        );
        problems.unless(longest == Some(self.duration), "moov/mvhd", what);
        for track in &self.tracks {
            track.check_times(self.timescale, problems);
        }
    }
}

/// Converts `time` from units of the clock `from` to units of the clock `to`, rounded to the nearest.
pub(super) fn rescaled(time: u64, from: u32, to: u32) -> u64 {
    let from = u128::from(from.max(1));
    let scaled = (u128::from(time) * u128::from(to) + from / 2) / from;
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

impl Track {
    fn read(body: &[u8], place: String, problems: &mut Problems) -> Result<Track> {
        let trak = Parent::open(body, place.as_str())?;
        trak.allow(&[b"tkhd", b"edts", b"mdia", b"tref"], problems);
        let (id, duration, display) = track_header(trak.fields(b"tkhd", problems)?, problems)?;
        let edits = match trak.optional(b"edts", problems) {
            Some(body) => {
                let edts = Parent::open(body, format!("{place}/edts"))?;
                edts.allow(&[b"elst"], problems);
                edits(edts.fields(b"elst", problems)?, problems)?
            }
            None => Vec::new(),
        };
        let mdia = trak.inside(b"mdia", problems)?;
        mdia.allow(&[b"mdhd", b"hdlr", b"minf", b"elng"], problems);
        let (timescale, media_duration) = media_header(mdia.fields(b"mdhd", problems)?, problems)?;
        let mut hdlr = mdia.fields(b"hdlr", problems)?;
        hdlr.bytes(8)?;
        let handler = hdlr.array()?;
        hdlr.bytes(12)?;
        let minf = mdia.inside(b"minf", problems)?;
        check_media_information(&minf, handler, problems)?;
        let stbl = minf.inside(b"stbl", problems)?;
        Ok(Track {
            id,
            duration,
            edits,
            timescale,
            media_duration,
            handler,
            entry: Entry::read(stbl.fields(b"stsd", problems)?, handler, problems)?,
            tables: Tables::read(&stbl, problems)?,
            display,
            place,
        })
    }

    fn check_times(&self, movie_clock: u32, problems: &mut Problems) {
        let place = &self.place;
        let summed = self.tables.duration();
        let what = format!(
            "mdhd says {} units, but the samples last {summed}",
            self.media_duration
        );
        let is_right = summed == u128::from(self.media_duration);
        problems.unless(is_right, place, what);
        let (due, slack) = if self.edits.is_empty() {
            let due = rescaled(self.media_duration, self.timescale, movie_clock);
            let back = rescaled(due, movie_clock, self.timescale);
            (due, u64::from(back != self.media_duration))
        } else {
            let lengths = self.edits.iter().map(|edit| edit.duration);
            (lengths.fold(0, u64::saturating_add), 0)
        };
        let what = format!("tkhd says {} units, but {due} are presented", self.duration);
        problems.unless(self.duration.abs_diff(due) <= slack, place, what);
        let (first, end) = self.tables.presentation();
        if self.edits.is_empty() {
            let what = format!(
                "the first sample is presented at {first}, but there is no edit list for that"
            );
            problems.unless(first == 0, place, what);
        }
        problems.unless(
            self.tables.is_evenly_presented(),
            place,
            "samples of equal length are not presented one after the other",
        );
        for edit in &self.edits {
            let Some(start) = edit.media_time else {
                continue;
            };
            let length = rescaled(edit.duration, movie_clock, self.timescale);
            let slack = if self.tables.fits_clock(self.timescale, movie_clock) {
                0
            } else {
                u64::from(self.timescale / movie_clock) + 1
            };
            let last = i128::from(start) + i128::from(length) - i128::from(slack);
            let is_within = i128::from(start) >= first && last <= end;
            let what = format!(
                "the edit from {start} with length {length} is not within the media {first}..{end}"
            );
            problems.unless(is_within, place, what);
        }
        if let Config::Opus(pre_skip) = self.entry.config {
            let start = self.edits.iter().find_map(|edit| edit.media_time);
            let what = format!("the edit starts at {start:?}, but dOps says {pre_skip}");
            problems.unless(start.unwrap_or(0) == pre_skip, place, what);
        }
        let (width, height) = (self.display.0 >> 16, self.display.1 >> 16);
        if &self.handler == b"vide" && self.entry.pixel_aspect.is_none_or(|(h, v)| h == v) {
            let entry = (self.entry.width, self.entry.height);
            let what = format!("tkhd says {width}x{height}, but the pictures are {entry:?}");
            problems.unless((width, height) == entry, place, what);
        }
    }
}

fn track_header(mut fields: Fields<'_>, problems: &mut Problems) -> Result<(u32, u64, (u32, u32))> {
    let version = fields.version()?;
    fields.bytes(if version == 1 { 16 } else { 8 })?;
    let id = fields.u32()?;
    fields.bytes(4)?;
    let duration = fields.wide(version)?;
    fields.bytes(16 + 36)?;
    let display = (fields.u32()?, fields.u32()?);
    fields.end(problems);
    Ok((id, duration, display))
}

fn media_header(mut fields: Fields<'_>, problems: &mut Problems) -> Result<(u32, u64)> {
    let version = fields.version()?;
    fields.bytes(if version == 1 { 16 } else { 8 })?;
    let timescale = fields.u32()?;
    if timescale == 0 {
        return Err(broken(&fields.place, "a timescale of 0 units per second"));
    }
    let duration = fields.wide(version)?;
    fields.bytes(4)?;
    fields.end(problems);
    Ok((timescale, duration))
}

fn edits(mut fields: Fields<'_>, problems: &mut Problems) -> Result<Vec<Edit>> {
    const NORMAL_RATE: [u8; 4] = [0, 1, 0, 0];
    let place = fields.place.clone();
    let mut edits = Vec::new();
    let mut push = |duration: u64, media_time: i64, rate: [u8; 4]| {
        problems.unless(rate == NORMAL_RATE, &place, "an edit at a different speed");
        problems.unless(media_time >= -1, &place, "a negative media time");
        edits.push(Edit {
            duration,
            media_time: u64::try_from(media_time).ok(),
        });
    };
    if fields.version()? == 1 {
        for [entry @ .., a, b, c, d] in fields.entries::<20>()? {
            let mut entry = Fields::new(entry, "");
            push(entry.u64()?, entry.u64()? as i64, [*a, *b, *c, *d]);
        }
    } else {
        for [entry @ .., a, b, c, d] in fields.entries::<12>()? {
            let mut entry = Fields::new(entry, "");
            let (duration, time) = (entry.u32()?, entry.u32()? as i32);
            push(u64::from(duration), i64::from(time), [*a, *b, *c, *d]);
        }
    }
    Ok(edits)
}

/// Checks the media header of the handler, and that data references point into this file.
fn check_media_information(
    minf: &Parent<'_>,
    handler: [u8; 4],
    problems: &mut Problems,
) -> Result<()> {
    minf.allow(
        &[
            b"vmhd", b"smhd", b"nmhd", b"sthd", b"hmhd", b"gmhd", b"hdlr", b"dinf", b"stbl",
        ],
        problems,
    );
    let header = match &handler {
        b"vide" => Some((b"vmhd", 12)),
        b"soun" => Some((b"smhd", 8)),
        _ => None,
    };
    if let Some((kind, n_bytes)) = header {
        let body = minf.optional(kind, problems);
        let is_right = body.is_some_and(|body| body.len() == n_bytes);
        problems.unless(
            is_right,
            &minf.place,
            format!("no valid {} box", name(*kind)),
        );
    }
    let dinf = minf.inside(b"dinf", problems)?;
    dinf.allow(&[b"dref"], problems);
    let mut dref = dinf.fields(b"dref", problems)?;
    dref.version()?;
    let n = dref.u32()?;
    let references = Parent::open(dref.data, dref.place.as_str())?;
    // The flag means "in this file"; a name may follow and is ignored.
    let is_right = n == 1
        && matches!(references.children[..], [Child { kind, body }] if &kind == b"url " && body.starts_with(&[0, 0, 0, 1]));
    problems.unless(is_right, &dref.place, "the samples are not in this file");
    Ok(())
}
