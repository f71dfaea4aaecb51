//! Movie fragments: appends their runs of samples to the tables of the tracks (ISO/IEC 14496-12, 8.8).

use std::io::{Read, Seek};

use super::boxes::{Fields, Parent, Problems, broken};
use super::movie::{Movie, Track, rescaled};
use super::source::{Fragment, Source};
use super::tables::{Chunk, Sizes};
use crate::error::Result;

/// Maximum size of a `moof`; one that covers an hour of pictures is smaller.
const MAX_MOOF_BYTES: u64 = 64 << 20;

/// Flag of a sample that is not a sync sample (8.8.3.1).
const NO_SYNC: u32 = 0x1_0000;

/// Default values for the samples of a track.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Defaults {
    duration: u32,
    size: u32,
    flags: u32,
}

/// `mvex`: defaults per track, and the total length.
#[derive(Debug, Default)]
pub(super) struct Extends {
    defaults: Vec<(u32, Defaults)>,
    duration: Option<u64>,
}

impl Extends {
    pub(super) fn read(body: &[u8], problems: &mut Problems) -> Result<Extends> {
        let mvex = Parent::open(body, "moov/mvex")?;
        mvex.allow(&[b"mehd", b"trex", b"leva"], problems);
        let mut extends = Extends::default();
        if let Some(body) = mvex.optional(b"mehd", problems) {
            let mut fields = Fields::new(body, "moov/mvex/mehd");
            let version = fields.version()?;
            extends.duration = Some(fields.wide(version)?);
            fields.end(problems);
        }
        for (place, body) in mvex.all(b"trex") {
            let mut fields = Fields::new(body, place);
            fields.version()?;
            let id = fields.u32()?;
            fields.u32()?;
            let defaults = Defaults {
                duration: fields.u32()?,
                size: fields.u32()?,
                flags: fields.u32()?,
            };
            fields.end(problems);
            extends.defaults.push((id, defaults));
        }
        Ok(extends)
    }

    fn of(&self, track: u32) -> Option<Defaults> {
        let mut all = self.defaults.iter();
        all.find(|(id, _)| *id == track).map(|found| found.1)
    }
}

/// State while the fragments are joined.
struct Join<'a> {
    movie: &'a mut Movie,
    /// End of the decoded samples of each track, on its clock.
    decoded: Vec<u64>,
    /// Bytes that further samples may have: more cannot be in the file, and a false count would cost memory.
    n_bytes_left: u64,
}

/// Base positions for the data of a `traf`.
#[derive(Clone, Copy, Debug)]
struct Base {
    /// Start of the `moof`.
    moof: u64,
    /// End of the data of the previous track fragment.
    after: u64,
}

/// Reads every fragment into the tables of the tracks, and fills in the lengths that `moov` leaves open.
pub(super) fn join<R: Read + Seek>(
    movie: &mut Movie,
    fragments: &[Fragment],
    source: &mut Source<R>,
    problems: &mut Problems,
) -> Result<()> {
    for track in &mut movie.tracks {
        prepare(track)?;
    }
    let tracks = movie.tracks.iter();
    let decoded = tracks.map(|track| u64::try_from(track.tables.duration()).unwrap_or(u64::MAX));
    let mut join = Join {
        decoded: decoded.collect(),
        n_bytes_left: source.n_bytes,
        movie,
    };
    let mut last_number = 0;
    for (i, fragment) in fragments.iter().enumerate() {
        let body = source.read_body(&fragment.body, MAX_MOOF_BYTES, *b"moof")?;
        let moof = Parent::open(&body, format!("moof[{i}]"))?;
        moof.allow(&[b"mfhd", b"traf"], problems);
        let mut mfhd = moof.fields(b"mfhd", problems)?;
        mfhd.version()?;
        let number = mfhd.u32()?;
        let what = format!("its number {number} is not above the previous number {last_number}");
        problems.unless(number > last_number, &moof.place, what);
        last_number = number;
        let mut base = Base {
            moof: fragment.start,
            after: fragment.start,
        };
        for (place, body) in moof.all(b"traf") {
            base.after = join.track_fragment(Parent::open(body, place)?, base, problems)?;
        }
    }
    let decoded = join.decoded;
    close_lengths(movie, &decoded, problems);
    Ok(())
}

/// Prepares the tables of a track for added samples.
fn prepare(track: &mut Track) -> Result<()> {
    let tables = &mut track.tables;
    if tables.n_samples == 0 {
        tables.sizes = Sizes::Each(Vec::new());
    }
    let Sizes::Each(sizes) = &tables.sizes else {
        let what =
            "samples of equal size in moov are not supported together with samples in fragments";
        return Err(broken(&track.place, what));
    };
    let everywhere = || (0..sizes.len() as u32).collect();
    tables.sync.get_or_insert_with(everywhere);
    Ok(())
}

impl Join<'_> {
    /// Reads one `traf`; returns the end of its data.
    fn track_fragment(
        &mut self,
        traf: Parent<'_>,
        base: Base,
        problems: &mut Problems,
    ) -> Result<u64> {
        const KNOWN: [&[u8; 4]; 10] = [
            b"tfhd", b"tfdt", b"trun", b"sbgp", b"sgpd", b"subs", b"saiz", b"saio", b"senc",
            b"sdtp",
        ];
        traf.allow(&KNOWN, problems);
        let mut tfhd = traf.fields(b"tfhd", problems)?;
        let flags = tfhd.u32()?;
        let id = tfhd.u32()?;
        let Some(index) = self.movie.tracks.iter().position(|track| track.id == id) else {
            return Err(broken(&traf.place, format!("there is no track {id}")));
        };
        let extends = self.movie.extends.of(id);
        problems.unless(
            extends.is_some(),
            &traf.place,
            format!("mvex does not mention track {id}"),
        );
        let mut start = if flags & 0x2_0000 != 0 {
            base.moof
        } else {
            base.after
        };
        if flags & 1 != 0 {
            start = tfhd.u64()?;
        }
        if flags & 2 != 0 {
            tfhd.u32()?;
        }
        let mut defaults = extends.unwrap_or_default();
        for (bit, field) in [
            (8, &mut defaults.duration),
            (0x10, &mut defaults.size),
            (0x20, &mut defaults.flags),
        ] {
            if flags & bit != 0 {
                *field = tfhd.u32()?;
            }
        }
        tfhd.end(problems);
        if let Some(body) = traf.optional(b"tfdt", problems) {
            let mut tfdt = Fields::new(body, traf.place.as_str());
            let version = tfdt.version()?;
            let time = tfdt.wide(version)?;
            let due = self.decoded[index];
            let what = format!("it starts at {time}, but the samples before it end at {due}");
            problems.unless(time == due, &traf.place, what);
        }
        let mut end = start;
        for (place, body) in traf.all(b"trun") {
            let run = Run::read(Fields::new(body, place), defaults, problems)?;
            let offset = run
                .offset
                .map_or(Some(end), |offset| start.checked_add_signed(offset));
            let offset =
                offset.ok_or_else(|| broken(&run.place, "its data is outside the file"))?;
            end = offset.saturating_add(self.add(index, &run, offset)?);
        }
        Ok(end)
    }

    /// Adds a run to the tables of its track; returns its size in bytes.
    fn add(&mut self, index: usize, run: &Run<'_>, offset: u64) -> Result<u64> {
        let tables = &mut self.movie.tracks[index].tables;
        let (first_sample, mut n_bytes) = (tables.n_samples, 0);
        for number in 0..run.n_samples {
            let sample = run.sample(number)?;
            let left = self.n_bytes_left.checked_sub(u64::from(sample.size));
            self.n_bytes_left = left.filter(|_| sample.size > 0).ok_or_else(|| {
                let what = format!(
                    "sample {number} has an impossible size of {} bytes",
                    sample.size
                );
                broken(&run.place, what)
            })?;
            n_bytes += u64::from(sample.size);
            extend(&mut tables.times, sample.duration);
            extend(&mut tables.offsets, sample.shift);
            if let Sizes::Each(sizes) = &mut tables.sizes {
                sizes.push(sample.size);
            }
            if let (Some(sync), 0) = (&mut tables.sync, sample.flags & NO_SYNC) {
                sync.push(tables.n_samples as u32);
            }
            tables.n_samples += 1;
            let decoded = &mut self.decoded[index];
            *decoded = decoded.saturating_add(u64::from(sample.duration));
        }
        tables.chunks.push(Chunk {
            offset,
            n_bytes,
            first_sample,
            n_samples: tables.n_samples - first_sample,
        });
        Ok(n_bytes)
    }
}

/// Appends `value` to the runs.
fn extend<T: PartialEq>(runs: &mut Vec<(u32, T)>, value: T) {
    match runs.last_mut() {
        Some((n, last)) if *last == value => *n += 1,
        _ => runs.push((1, value)),
    }
}

/// One `trun`.
struct Run<'a> {
    place: String,
    flags: u32,
    has_signed_shifts: bool,
    n_samples: u32,
    offset: Option<i64>,
    first_flags: Option<u32>,
    defaults: Defaults,
    /// Fields of all samples; the flags determine which fields are present.
    fields: &'a [[u8; 4]],
}

struct Sample {
    duration: u32,
    size: u32,
    flags: u32,
    /// Presentation minus decoding time.
    shift: i64,
}

/// Flags of the fields that a run's samples may have, in their order.
const SAMPLE_FIELDS: [u32; 4] = [0x100, 0x200, 0x400, 0x800];

impl<'a> Run<'a> {
    fn read(
        mut fields: Fields<'a>,
        defaults: Defaults,
        problems: &mut Problems,
    ) -> Result<Run<'a>> {
        let flags = fields.u32()?;
        let n_samples = fields.u32()?;
        let offset = match flags & 1 {
            0 => None,
            _ => Some(i64::from(fields.u32()? as i32)),
        };
        let first_flags = match flags & 4 {
            0 => None,
            _ => Some(fields.u32()?),
        };
        let n_fields = SAMPLE_FIELDS
            .iter()
            .filter(|bit| flags & **bit != 0)
            .count();
        let n_bytes = u64::from(n_samples) * 4 * n_fields as u64;
        let n_bytes = usize::try_from(n_bytes).unwrap_or(usize::MAX);
        let samples = fields.bytes(n_bytes)?.as_chunks::<4>().0;
        fields.end(problems);
        Ok(Run {
            flags: flags & 0xff_ffff,
            has_signed_shifts: flags >> 24 != 0,
            n_samples,
            offset,
            first_flags,
            defaults,
            fields: samples,
            place: fields.place,
        })
    }

    fn sample(&self, number: u32) -> Result<Sample> {
        let n_fields = SAMPLE_FIELDS.iter().filter(|bit| self.flags & **bit != 0);
        let n_fields = n_fields.count();
        let mut own = self.fields[number as usize * n_fields..].iter();
        let mut field = |bit: u32, otherwise: u32| match self.flags & bit {
            0 => Ok(otherwise),
            _ => own
                .next()
                .map(|bytes| u32::from_be_bytes(*bytes))
                .ok_or_else(|| broken(&self.place, "ends early")),
        };
        let duration = field(0x100, self.defaults.duration)?;
        let size = field(0x200, self.defaults.size)?;
        let flags = field(0x400, self.defaults.flags)?;
        let shift = field(0x800, 0)?;
        Ok(Sample {
            duration,
            size,
            flags: match self.first_flags {
                Some(first) if number == 0 => first,
                _ => flags,
            },
            shift: if self.has_signed_shifts {
                i64::from(shift as i32)
            } else {
                i64::from(shift)
            },
        })
    }
}

/// Fills in lengths of 0 in `moov`, which mean "as long as the fragments"; an edit of length 0 extends to the end (8.6.6.1).
fn close_lengths(movie: &mut Movie, decoded: &[u64], problems: &mut Problems) {
    let clock = movie.timescale;
    for (track, decoded) in movie.tracks.iter_mut().zip(decoded) {
        let tables = &mut track.tables;
        if tables
            .sync
            .as_ref()
            .is_some_and(|sync| sync.len() as u64 == tables.n_samples)
        {
            tables.sync = None;
        }
        if let [(_, 0)] = tables.offsets[..] {
            tables.offsets.clear();
        }
        if track.media_duration == 0 {
            track.media_duration = *decoded;
        }
        let end = u64::try_from(tables.presentation().1).unwrap_or(0);
        for edit in &mut track.edits {
            if let (0, Some(start)) = (edit.duration, edit.media_time) {
                edit.duration = rescaled(end.saturating_sub(start), track.timescale, clock);
            }
        }
        if track.duration == 0 {
            let edits = track.edits.iter().map(|edit| edit.duration);
            track.duration = match track.edits[..] {
                [] => rescaled(track.media_duration, track.timescale, clock),
                _ => edits.fold(0, u64::saturating_add),
            };
        }
    }
    let longest = movie.tracks.iter().map(|track| track.duration).max();
    if let Some(said) = movie.extends.duration {
        let what = format!("says {said} units, but the longest track has {longest:?}");
        problems.unless(longest == Some(said), "moov/mvex/mehd", what);
    }
    if movie.duration == 0 {
        movie.duration = longest.unwrap_or(0);
    }
}
