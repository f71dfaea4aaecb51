//! The sample tables of a track: read into runs, joined, and compared with each other.

use super::boxes::{Fields, Parent, Problems, broken};
use crate::error::Result;

/// `stbl` without its `stsd`.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) n_samples: u64,
    /// (samples, length of each) in decoding order.
    pub(super) times: Vec<(u32, u32)>,
    /// (samples, presentation minus decoding time).
    pub(super) offsets: Vec<(u32, i64)>,
    /// Indexes (from 0) of the samples where decoding can start; `None` if it can at every sample.
    pub(super) sync: Option<Vec<u32>>,
    pub(super) sizes: Sizes,
    pub(super) chunks: Vec<Chunk>,
}

/// Sizes of samples in bytes.
#[derive(Debug)]
pub(super) enum Sizes {
    /// All samples have this size.
    Equal(u32),
    /// One size per sample.
    Each(Vec<u32>),
}

/// Samples that are contiguous in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) offset: u64,
    pub(super) n_bytes: u64,
    pub(super) first_sample: u64,
    pub(super) n_samples: u64,
}

const KNOWN: [&[u8; 4]; 15] = [
    b"stsd", b"stts", b"ctts", b"stss", b"stsz", b"stsc", b"stco", b"co64", b"sgpd", b"sbgp",
    b"sdtp", b"cslg", b"saiz", b"saio", b"subs",
];

impl Tables {
    pub(super) fn read(stbl: &Parent<'_>, problems: &mut Problems) -> Result<Tables> {
        stbl.allow(&KNOWN, problems);
        let times = pairs(stbl.fields(b"stts", problems)?)?;
        let (n_samples, sizes) = sizes(stbl.fields(b"stsz", problems)?, problems)?;
        let offsets = match stbl.optional(b"ctts", problems) {
            Some(body) => composition(Fields::new(body, format!("{}/ctts", stbl.place)))?,
            None => Vec::new(),
        };
        let sync = match stbl.optional(b"stss", problems) {
            Some(body) => Some(sync(
                Fields::new(body, format!("{}/stss", stbl.place)),
                n_samples,
            )?),
            None => None,
        };
        let chunks = chunks(stbl, (n_samples, &sizes), problems)?;
        let tables = Tables {
            n_samples,
            times,
            offsets,
            sync,
            sizes,
            chunks,
        };
        tables.check_counts(stbl, problems)?;
        Ok(tables)
    }

    /// Checks that every table has the same number of samples.
    fn check_counts(&self, stbl: &Parent<'_>, problems: &mut Problems) -> Result<()> {
        let n = self.n_samples;
        let timed: u64 = self.times.iter().map(|run| u64::from(run.0)).sum();
        let what = format!("it has times for {timed} samples, but stsz has {n}");
        problems.unless(timed == n, &format!("{}/stts", stbl.place), what);
        if !self.offsets.is_empty() {
            let shifted: u64 = self.offsets.iter().map(|run| u64::from(run.0)).sum();
            let what = format!("it has offsets for {shifted} samples, but stsz has {n}");
            problems.unless(shifted == n, &format!("{}/ctts", stbl.place), what);
        }
        for (place, body) in stbl.all(b"sbgp") {
            let grouped = grouped_samples(Fields::new(body, place.as_str()))?;
            let what = format!("it has groups for {grouped} samples, but stsz has {n}");
            problems.unless(grouped <= n, &place, what);
        }
        let n_maps = stbl.all(b"sbgp").count();
        let n_groups = stbl.all(b"sgpd").count();
        problems.unless(n_maps <= n_groups, &stbl.place, "sbgp without its sgpd");
        Ok(())
    }

    /// Returns the size of sample `index`, which must exist.
    pub(super) fn size_of(&self, index: u64) -> u32 {
        match &self.sizes {
            Sizes::Equal(size) => *size,
            Sizes::Each(sizes) => sizes.get(index as usize).copied().unwrap_or(0),
        }
    }

    pub(super) fn max_size(&self) -> u32 {
        match &self.sizes {
            Sizes::Equal(size) => *size,
            Sizes::Each(sizes) => sizes.iter().copied().max().unwrap_or(0),
        }
    }

    /// Returns the sum of the samples' durations in the track's units.
    pub(super) fn duration(&self) -> u128 {
        let lengths = self.times.iter();
        lengths
            .map(|run| u128::from(run.0) * u128::from(run.1))
            .sum()
    }

    /// Returns whether every sample lasts a whole number of units of a clock of `movie` units per second, so that no rounding was needed.
    pub(super) fn fits_clock(&self, timescale: u32, movie: u32) -> bool {
        let mut lengths = self.times.iter().map(|run| u64::from(run.1));
        lengths.all(|length| length * u64::from(movie) % u64::from(timescale) == 0)
    }

    /// Returns whether each presentation time is used exactly once, if all samples have the same duration and are reordered.
    pub(super) fn is_evenly_presented(&self) -> bool {
        let [(_, length)] = self.times[..] else {
            return true;
        };
        // A table of equal sizes has no entries, so nothing bounds its count.
        let (Sizes::Each(sizes), false) = (&self.sizes, self.offsets.is_empty()) else {
            return true;
        };
        let offsets = self.offsets.iter();
        let offsets = offsets.flat_map(|(n, offset)| std::iter::repeat_n(*offset, *n as usize));
        let decoded = (0i64..).map(|i| i.saturating_mul(i64::from(length)));
        let times = decoded
            .zip(offsets)
            .map(|(time, offset)| time.saturating_add(offset));
        let mut times: Vec<i64> = times.take(sizes.len()).collect();
        times.sort_unstable();
        let mut steps = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
        steps.all(|step| step == i64::from(length))
    }

    /// Returns the first presentation time and the last end, in the track's units.
    pub(super) fn presentation(&self) -> (i128, i128) {
        let mut bounds: Option<(i128, i128)> = None;
        let mut offsets = self.offsets.iter().copied();
        let mut offset_run = offsets.next().unwrap_or((u32::MAX, 0));
        let mut decoded = 0i128;
        for &(mut n_left, length) in &self.times {
            while n_left > 0 {
                if offset_run.0 == 0 {
                    offset_run = offsets.next().unwrap_or((u32::MAX, 0));
                    continue;
                }
                let n = n_left.min(offset_run.0);
                let first = decoded + i128::from(offset_run.1);
                let end = first + i128::from(n) * i128::from(length);
                let (low, high) = bounds.unwrap_or((first, end));
                bounds = Some((low.min(first), high.max(end)));
                decoded += i128::from(n) * i128::from(length);
                n_left -= n;
                offset_run.0 -= n;
            }
        }
        bounds.unwrap_or((0, 0))
    }
}

fn pairs(mut fields: Fields<'_>) -> Result<Vec<(u32, u32)>> {
    fields.version()?;
    let entries = fields.entries::<8>()?.iter();
    Ok(entries.map(|entry| halves(*entry)).collect())
}

fn halves([a, b, c, d, e, f, g, h]: [u8; 8]) -> (u32, u32) {
    (
        u32::from_be_bytes([a, b, c, d]),
        u32::from_be_bytes([e, f, g, h]),
    )
}

fn composition(mut fields: Fields<'_>) -> Result<Vec<(u32, i64)>> {
    let version = fields.version()?;
    let entries = fields.entries::<8>()?.iter().map(|entry| halves(*entry));
    let signed = |(n, offset): (u32, u32)| match version {
        0 => (n, i64::from(offset)),
        _ => (n, i64::from(offset as i32)),
    };
    Ok(entries.map(signed).collect())
}

fn sizes(mut fields: Fields<'_>, problems: &mut Problems) -> Result<(u64, Sizes)> {
    fields.version()?;
    let size = fields.u32()?;
    if size != 0 {
        let n = u64::from(fields.u32()?);
        fields.end(problems);
        return Ok((n, Sizes::Equal(size)));
    }
    let place = fields.place.clone();
    let sizes = fields.entries::<4>()?.iter();
    let sizes: Vec<u32> = sizes.map(|size| u32::from_be_bytes(*size)).collect();
    problems.unless(!sizes.contains(&0), &place, "a sample has 0 bytes");
    Ok((sizes.len() as u64, Sizes::Each(sizes)))
}

fn sync(mut fields: Fields<'_>, n_samples: u64) -> Result<Vec<u32>> {
    fields.version()?;
    let place = fields.place.clone();
    let numbers = fields.entries::<4>()?.iter();
    let numbers: Vec<u32> = numbers.map(|n| u32::from_be_bytes(*n)).collect();
    let is_rising = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    let is_within = numbers.last().is_none_or(|n| u64::from(*n) <= n_samples);
    if !is_rising || !is_within || numbers.first() == Some(&0) {
        return Err(broken(
            &place,
            "its numbers are not ascending, or not from 1 to the last sample",
        ));
    }
    Ok(numbers.iter().map(|n| n - 1).collect())
}

fn grouped_samples(mut fields: Fields<'_>) -> Result<u64> {
    if fields.version()? == 1 {
        fields.u32()?;
    }
    fields.u32()?;
    let entries = fields.entries::<8>()?.iter();
    Ok(entries.map(|entry| u64::from(halves(*entry).0)).sum())
}

fn chunk_offsets(stbl: &Parent<'_>, problems: &mut Problems) -> Result<Vec<u64>> {
    let long = stbl.optional(b"co64", problems);
    let short = stbl.optional(b"stco", problems);
    problems.unless(
        long.is_none() || short.is_none(),
        &stbl.place,
        "both stco and co64",
    );
    if let Some(body) = long {
        let mut fields = Fields::new(body, format!("{}/co64", stbl.place));
        fields.version()?;
        let entries = fields.entries::<8>()?.iter();
        return Ok(entries.map(|entry| u64::from_be_bytes(*entry)).collect());
    }
    let mut fields = stbl.fields(b"stco", problems)?;
    fields.version()?;
    let entries = fields.entries::<4>()?.iter();
    Ok(entries
        .map(|entry| u64::from(u32::from_be_bytes(*entry)))
        .collect())
}

/// Combines `stsc`, the chunk offsets and the sizes; every sample must be in one chunk.
fn chunks(
    stbl: &Parent<'_>,
    (n_samples, sizes): (u64, &Sizes),
    problems: &mut Problems,
) -> Result<Vec<Chunk>> {
    let offsets = chunk_offsets(stbl, problems)?;
    let mut fields = stbl.fields(b"stsc", problems)?;
    fields.version()?;
    let place = fields.place.clone();
    let runs = sample_runs(fields, offsets.len(), problems)?;
    let mut chunks = Vec::with_capacity(offsets.len());
    let (mut next, mut run) = (0u64, 0usize);
    for (i, &offset) in offsets.iter().enumerate() {
        while runs.get(run + 1).is_some_and(|later| later.0 as usize <= i) {
            run += 1;
        }
        let n = u64::from(runs.get(run).map_or(0, |run| run.1));
        let end = next + n;
        if end > n_samples {
            let what = format!("chunks have {end} samples or more, but stsz has {n_samples}");
            return Err(broken(&place, what));
        }
        let n_bytes = match sizes {
            Sizes::Equal(size) => n * u64::from(*size),
            Sizes::Each(sizes) => {
                let sizes = &sizes[next as usize..end as usize];
                sizes.iter().map(|size| u64::from(*size)).sum()
            }
        };
        chunks.push(Chunk {
            offset,
            n_bytes,
            first_sample: next,
            n_samples: n,
        });
        next = end;
    }
    let what = format!("chunks have {next} samples, but stsz has {n_samples}");
    problems.unless(next == n_samples, &place, what);
    Ok(chunks)
}

/// Reads `stsc` as (first chunk from 0, samples per chunk).
fn sample_runs(
    mut fields: Fields<'_>,
    n_chunks: usize,
    problems: &mut Problems,
) -> Result<Vec<(u32, u32)>> {
    let entries = fields.entries::<12>()?;
    let place = &fields.place;
    let mut runs: Vec<(u32, u32)> = Vec::with_capacity(entries.len());
    for [a, b, c, d, rest @ ..] in entries {
        let first = u32::from_be_bytes([*a, *b, *c, *d]);
        let (n, description) = halves(*rest);
        let due = runs.last().map_or(1..=1, |last| last.0 + 2..=u32::MAX);
        if !due.contains(&first) || first as usize > n_chunks || n == 0 {
            let what = format!("the run of {n} samples from chunk {first} is out of place");
            return Err(broken(place, what));
        }
        let what = format!("chunk {first} uses sample entry {description}, not 1");
        problems.unless(description == 1, place, what);
        runs.push((first - 1, n));
    }
    if runs.is_empty() && n_chunks > 0 {
        return Err(broken(place, "no entries"));
    }
    Ok(runs)
}
