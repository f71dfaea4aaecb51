//! Movie fragments (ISO/IEC 14496-12, 8.8): samples described next to their data instead of in the movie box.

use super::boxes;
use super::movie::{Movie, Video};
use super::tables::check_count;
use crate::media::clip::ClipLimits;
use crate::media::clip::bytes::Fields;
use crate::media::clip::refuse::{damaged, unsupported};
use crate::media::clip::track::Sample;
use crate::media::refusal::Refusal;

/// `sample_is_non_sync_sample` of the sample flags (8.8.3.1).
const NOT_SYNC: u32 = 0x1_0000;

/// Default values for samples.
#[derive(Clone, Copy, Default)]
struct Defaults {
    entry: u32,
    duration: u32,
    n_bytes: u32,
    flags: u32,
}

/// Adds the samples of fragments to those of the movie box.
pub(super) struct Reader<'a> {
    track: u32,
    defaults: Defaults,
    samples: &'a mut Vec<Sample>,
    /// Decoding time of the next sample.
    dts: i64,
    limits: &'a ClipLimits,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        movie: &Movie<'_>,
        video: &Video<'_>,
        samples: &'a mut Vec<Sample>,
        limits: &'a ClipLimits,
    ) -> Reader<'a> {
        let mut found = Defaults {
            entry: 1,
            ..Defaults::default()
        };
        for body in &movie.defaults {
            found = match extends(body) {
                Ok((track, defaults)) if track == video.id => defaults,
                _ => found,
            };
        }
        let dts = samples.iter().map(|sample| sample.duration).sum();
        Reader {
            track: video.id,
            defaults: found,
            samples,
            dts,
            limits,
        }
    }

    /// Reads a whole `moof` box that starts at `at`.
    pub(super) fn read(&mut self, moof: &[u8], at: u64) -> Result<(), Refusal> {
        let (_, body, _) = super::split_box(moof)?;
        let mut is_first = true;
        for found in boxes(body) {
            let (kind, traf) = found?;
            if &kind == b"traf" {
                self.traf(traf, at, is_first)?;
                is_first = false;
            }
        }
        Ok(())
    }

    fn traf(&mut self, traf: &[u8], moof: u64, is_first: bool) -> Result<(), Refusal> {
        let (mut defaults, mut base) = (self.defaults, None);
        let mut run_end = moof;
        for found in boxes(traf) {
            let (kind, body) = found?;
            match &kind {
                b"tfhd" => {
                    let mut fields = Fields(body);
                    let (_, flags) = fields.version()?;
                    if fields.u32()? != self.track {
                        return Ok(());
                    }
                    base = (flags & 1 != 0).then(|| fields.u64()).transpose()?;
                    let is_told = base.is_some() || flags & 0x2_0000 != 0 || is_first;
                    let mut told = |flag: u32, value: &mut u32| -> Result<(), Refusal> {
                        if flags & flag != 0 {
                            *value = fields.u32()?;
                        }
                        Ok(())
                    };
                    told(2, &mut defaults.entry)?;
                    told(8, &mut defaults.duration)?;
                    told(0x10, &mut defaults.n_bytes)?;
                    told(0x20, &mut defaults.flags)?;
                    if !is_told {
                        return Err(unsupported(
                            "has fragments of an outdated kind, whose data follows another track's data",
                        ));
                    }
                    if defaults.entry > 1 {
                        return Err(unsupported("changes its codec settings midway"));
                    }
                    run_end = base.unwrap_or(moof);
                }
                b"tfdt" => {
                    let mut fields = Fields(body);
                    let (version, _) = fields.version()?;
                    self.dts = i64::try_from(fields.wide(version)?)
                        .ok()
                        .filter(|dts| *dts < 1 << 56)
                        .ok_or_else(|| damaged("a fragment starts at an impossible time"))?;
                }
                b"trun" => {
                    let start = base.unwrap_or(moof);
                    run_end = self.trun(body, &defaults, start, run_end)?;
                }
                b"senc" => return Err(crate::media::clip::refuse::encrypted()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a run; returns the end of its last sample, where a run without its own offset continues.
    fn trun(
        &mut self,
        body: &[u8],
        defaults: &Defaults,
        base: u64,
        previous_end: u64,
    ) -> Result<u64, Refusal> {
        let mut fields = Fields(body);
        let (_, flags) = fields.version()?;
        let n = fields.u32()?;
        let n_before = self.samples.len() as u32;
        check_count(n.saturating_add(n_before), self.limits)?;
        let mut at = previous_end;
        if flags & 1 != 0 {
            at = base
                .checked_add_signed(i64::from(fields.i32()?))
                .ok_or_else(|| damaged("a fragment's data starts before the file does"))?;
        }
        let first_flags = (flags & 4 != 0).then(|| fields.u32()).transpose()?;
        for i in 0..n {
            let mut own = |flag: u32, default: u32| match flags & flag {
                0 => Ok(default),
                _ => fields.u32(),
            };
            let duration = own(0x100, defaults.duration)?;
            let n_bytes = own(0x200, defaults.n_bytes)?;
            let sample_flags = own(0x400, defaults.flags)?;
            let offset = own(0x800, 0)? as i32;
            let sample_flags = first_flags.filter(|_| i == 0).unwrap_or(sample_flags);
            self.samples.push(Sample {
                offset: at,
                n_bytes,
                is_sync: sample_flags & NOT_SYNC == 0,
                pts: self.dts + i64::from(offset),
                duration: i64::from(duration),
            });
            self.dts += i64::from(duration);
            at = at.saturating_add(u64::from(n_bytes));
        }
        Ok(at)
    }
}

/// Reads track and defaults of a `trex` box.
fn extends(body: &[u8]) -> Result<(u32, Defaults), Refusal> {
    let mut fields = Fields(body);
    fields.version()?;
    let track = fields.u32()?;
    let defaults = Defaults {
        entry: fields.u32()?,
        duration: fields.u32()?,
        n_bytes: fields.u32()?,
        flags: fields.u32()?,
    };
    Ok((track, defaults))
}
