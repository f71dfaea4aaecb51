//! The sample tables (ISO/IEC 14496-12, 8.6 and 8.7): position and presentation time of each sample.

use super::{child, required};
use crate::media::clip::ClipLimits;
use crate::media::clip::bytes::{Fields, words};
use crate::media::clip::refuse::{damaged, too_large, unsupported};
use crate::media::clip::track::Sample;
use crate::media::refusal::Refusal;

/// Bodies of the tables.
pub(super) struct Tables<'a> {
    sizes: Fields<'a>,
    is_compact: bool,
    durations: Fields<'a>,
    offsets: Option<Fields<'a>>,
    sync: Option<Fields<'a>>,
    chunks: Fields<'a>,
    places: Fields<'a>,
    is_long: bool,
}

impl<'a> Tables<'a> {
    pub(super) fn read(stbl: &'a [u8]) -> Result<Tables<'a>, Refusal> {
        let compact = child(stbl, b"stz2")?;
        let long = child(stbl, b"co64")?;
        Ok(Tables {
            sizes: Fields(match compact {
                Some(body) => body,
                None => required(stbl, b"stsz")?,
            }),
            is_compact: compact.is_some(),
            durations: Fields(required(stbl, b"stts")?),
            offsets: child(stbl, b"ctts")?.map(Fields),
            sync: child(stbl, b"stss")?.map(Fields),
            chunks: Fields(required(stbl, b"stsc")?),
            places: Fields(match long {
                Some(body) => body,
                None => required(stbl, b"stco")?,
            }),
            is_long: long.is_some(),
        })
    }

    fn sizes(&self, n_file: u64, limits: &ClipLimits) -> Result<Vec<u32>, Refusal> {
        let mut fields = self.sizes;
        fields.version()?;
        let word = fields.u32()?;
        let n = fields.u32()?;
        check_count(n, limits)?;
        let n = n as usize;
        if !self.is_compact && word > 0 {
            // Every frame takes bytes of the file, so a count of billions is false.
            if n as u64 * u64::from(word) > n_file {
                return Err(damaged(format_args!(
                    "{n} frames of {word} bytes do not fit into it"
                )));
            }
            return Ok(vec![word; n]);
        }
        let bits = if self.is_compact { word & 255 } else { 32 };
        match bits {
            32 => {
                let bytes = fields.take(n * 4)?;
                Ok(bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|b| u32::from_be_bytes(*b))
                    .collect())
            }
            16 => {
                let bytes = fields.take(n * 2)?;
                let wide = |b: &[u8; 2]| u32::from(u16::from_be_bytes(*b));
                Ok(bytes.as_chunks().0.iter().map(wide).collect())
            }
            8 => Ok(fields.take(n)?.iter().map(|b| u32::from(*b)).collect()),
            4 => {
                let bytes = fields.take(n.div_ceil(2))?;
                let nibbles = bytes.iter().flat_map(|b| [b >> 4, b & 15]);
                Ok(nibbles.take(n).map(u32::from).collect())
            }
            _ => Err(damaged(format_args!("its frame sizes have {bits} bits"))),
        }
    }

    /// Returns the first byte of each chunk.
    fn chunk_places(&self) -> Result<Vec<u64>, Refusal> {
        let mut fields = self.places;
        fields.version()?;
        Ok(if self.is_long {
            fields
                .entries::<8>()?
                .iter()
                .map(|b| u64::from_be_bytes(*b))
                .collect()
        } else {
            let wide = |b: &[u8; 4]| u64::from(u32::from_be_bytes(*b));
            fields.entries::<4>()?.iter().map(wide).collect()
        })
    }

    /// Sets each sample's position; `stsc` gives the number of samples in each chunk.
    fn place(&self, samples: &mut [Sample]) -> Result<(), Refusal> {
        let places = self.chunk_places()?;
        let mut fields = self.chunks;
        fields.version()?;
        let runs = fields.entries::<12>()?;
        let run = |i: usize| -> Result<(usize, usize), Refusal> {
            let mut fields = Fields(&runs[i]);
            let (first, n, entry) = (fields.u32()?, fields.u32()?, fields.u32()?);
            if entry > 1 {
                return Err(unsupported("changes its codec settings midway"));
            }
            let first = first
                .checked_sub(1)
                .ok_or_else(|| damaged("its chunks are numbered from 0"))?;
            Ok((first as usize, n as usize))
        };
        let mut left = samples.iter_mut();
        for i in 0..runs.len() {
            let (first, n) = run(i)?;
            let end = if i + 1 < runs.len() {
                run(i + 1)?.0
            } else {
                places.len()
            };
            let chunks = places
                .get(first..end.min(places.len()))
                .ok_or_else(|| damaged("its chunks are not in order"))?;
            for &place in chunks {
                let mut at = place;
                for sample in left.by_ref().take(n) {
                    sample.offset = at;
                    at = at.saturating_add(u64::from(sample.n_bytes));
                }
                if left.len() == 0 {
                    return Ok(());
                }
            }
        }
        match left.len() {
            0 => Ok(()),
            n => Err(damaged(format_args!(
                "its tables do not say where {n} of its frames are"
            ))),
        }
    }

    /// Sets durations and presentation times.
    fn time(&self, samples: &mut [Sample]) -> Result<(), Refusal> {
        let mut fields = self.durations;
        fields.version()?;
        let mut left = samples.iter_mut();
        let mut dts = 0i64;
        for entry in fields.entries::<8>()? {
            let (n, duration) = words(entry);
            for sample in left.by_ref().take(n as usize) {
                sample.pts = dts;
                sample.duration = i64::from(duration);
                dts += i64::from(duration);
            }
        }
        if left.len() > 0 {
            return Err(damaged("its tables do not say when each frame is shown"));
        }
        let Some(mut fields) = self.offsets else {
            return Ok(());
        };
        fields.version()?;
        let mut left = samples.iter_mut();
        for entry in fields.entries::<8>()? {
            let (n, offset) = words(entry);
            // Signed in version 1; some writers put negative ones in version 0 as well.
            for sample in left.by_ref().take(n as usize) {
                sample.pts += i64::from(offset as i32);
            }
        }
        Ok(())
    }

    /// Marks the samples where decoding can start: all of them if there is no table.
    fn mark_sync(&self, samples: &mut [Sample]) -> Result<(), Refusal> {
        let Some(mut fields) = self.sync else {
            samples.iter_mut().for_each(|sample| sample.is_sync = true);
            return Ok(());
        };
        fields.version()?;
        for number in fields.entries::<4>()? {
            let number = u32::from_be_bytes(*number) as usize;
            if let Some(sample) = number.checked_sub(1).and_then(|i| samples.get_mut(i)) {
                sample.is_sync = true;
            }
        }
        Ok(())
    }
}

/// Returns an error for more frames than allowed, before memory is allocated for them.
pub(super) fn check_count(n: u32, limits: &ClipLimits) -> Result<(), Refusal> {
    if n > limits.n_frames {
        return Err(too_large(format!(
            "has {n} frames; at most {} are allowed",
            limits.n_frames
        )));
    }
    Ok(())
}

/// Returns the samples listed in the movie box; none in files that hold all of them in fragments.
pub(super) fn samples(
    tables: &Tables<'_>,
    n_file: u64,
    limits: &ClipLimits,
) -> Result<Vec<Sample>, Refusal> {
    let blank = |n_bytes| Sample {
        offset: 0,
        n_bytes,
        is_sync: false,
        pts: 0,
        duration: 0,
    };
    let sizes = tables.sizes(n_file, limits)?;
    let mut samples: Vec<Sample> = sizes.into_iter().map(blank).collect();
    if !samples.is_empty() {
        tables.place(&mut samples)?;
        tables.time(&mut samples)?;
        tables.mark_sync(&mut samples)?;
    }
    Ok(samples)
}
