//! The samples themselves: their position in the file, and whether each one matches its tables.

use std::io::{Read, Seek};
use std::ops::Range;

use super::boxes::Problems;
use super::entries::Config;
use super::movie::Track;
use super::source::Source;
use crate::bitstream::{av1, avc};
use crate::error::Result;

/// Result of checking one sample: the error describes the problem.
type Verdict = std::result::Result<(), String>;

/// Checks that every chunk is inside an `mdat` and that no two overlap. Returns false if the samples must not be read.
pub(super) fn check_extents(
    tracks: &[Track],
    data: &[Range<u64>],
    problems: &mut Problems,
) -> bool {
    let chunks = tracks.iter().flat_map(|track| &track.tables.chunks);
    let mut extents: Vec<Range<u64>> = chunks
        .filter(|chunk| chunk.n_bytes > 0)
        .map(|chunk| chunk.offset..chunk.offset.saturating_add(chunk.n_bytes))
        .collect();
    extents.sort_unstable_by_key(|extent| (extent.start, extent.end));
    let overlaps = extents
        .windows(2)
        .filter(|pair| pair[0].end > pair[1].start);
    let n_overlaps = overlaps.count();
    problems.unless(
        n_overlaps == 0,
        "file",
        format!("{n_overlaps} chunks overlap"),
    );
    let mut n_outside = 0;
    let mut data = data.iter();
    let mut here = data.next();
    for extent in &extents {
        while here.is_some_and(|here| here.end <= extent.start) {
            here = data.next();
        }
        let is_inside =
            here.is_some_and(|here| here.start <= extent.start && extent.end <= here.end);
        n_outside += usize::from(!is_inside);
    }
    problems.unless(
        n_outside == 0,
        "file",
        format!("{n_outside} chunks lie outside mdat"),
    );
    n_overlaps == 0 && n_outside == 0
}

/// Checks that the samples fill `mdat`: every byte belongs to a sample.
pub(super) fn check_filled(tracks: &[Track], data: &[Range<u64>], problems: &mut Problems) {
    let chunks = tracks.iter().flat_map(|track| &track.tables.chunks);
    let n_used: u64 = chunks
        .map(|chunk| chunk.n_bytes)
        .fold(0, u64::saturating_add);
    let n_there: u64 = data.iter().map(|data| data.end - data.start).sum();
    let what = format!("the samples have {n_used} bytes, but mdat has {n_there}");
    problems.unless(n_used == n_there, "file", what);
}

/// Reads and checks every sample, if the codec is known.
pub(super) fn check_samples<R: Read + Seek>(
    source: &mut Source<R>,
    track: &Track,
    problems: &mut Problems,
) -> Result<()> {
    if matches!(track.entry.config, Config::Other) {
        return Ok(());
    }
    let mut check = SampleCheck::new(track);
    let mut sample = Vec::new();
    for chunk in &track.tables.chunks {
        source.seek(chunk.offset)?;
        for index in chunk.first_sample..chunk.first_sample + chunk.n_samples {
            // Chunks are inside the file, so the allocation cannot exceed its size.
            sample.resize(track.tables.size_of(index) as usize, 0);
            source.read(&mut sample)?;
            if let Err(what) = check.sample(index, &sample) {
                problems.add(&format!("{} sample {index}", track.place), what);
            }
        }
    }
    Ok(())
}

/// State of a pass over the samples and their tables.
struct SampleCheck<'a> {
    track: &'a Track,
    /// Sync samples not yet reached.
    sync: Option<&'a [u32]>,
    /// Runs of lengths not yet reached.
    times: std::slice::Iter<'a, (u32, u32)>,
    run: (u32, u32),
}

impl<'a> SampleCheck<'a> {
    fn new(track: &'a Track) -> SampleCheck<'a> {
        SampleCheck {
            track,
            sync: track.tables.sync.as_deref(),
            times: track.tables.times.iter(),
            run: (0, 0),
        }
    }

    fn sample(&mut self, index: u64, data: &[u8]) -> Verdict {
        let is_sync = self.is_sync(index);
        let length = self.length();
        match &self.track.entry.config {
            Config::Av1(header, payload) => av1_sample(data, (header, payload), is_sync),
            Config::Avc(length_size) => avc_sample(data, *length_size, is_sync),
            Config::Opus(_) => {
                let is_last = index + 1 == self.track.tables.n_samples;
                opus_sample(data, length, is_last)
            }
            Config::Other => Ok(()),
        }
    }

    fn is_sync(&mut self, index: u64) -> bool {
        match &mut self.sync {
            None => true,
            Some(numbers) => match numbers.split_first() {
                Some((&first, rest)) if u64::from(first) == index => {
                    *numbers = rest;
                    true
                }
                _ => false,
            },
        }
    }

    fn length(&mut self) -> u32 {
        while self.run.0 == 0 {
            match self.times.next() {
                Some(run) => self.run = *run,
                None => return 0,
            }
        }
        self.run.0 -= 1;
        self.run.1
    }
}

/// Checks a sample by AV1 in ISOBMFF, sections 2.4 and 2.5: one temporal unit; a sync sample starts with the sequence header and shows a key frame.
fn av1_sample(
    data: &[u8],
    (header, payload): (&av1::SequenceHeader, &[u8]),
    is_sync: bool,
) -> Verdict {
    let unit = av1::parse_unit(data, header).ok_or("its OBUs do not match its size")?;
    if unit.has_delimiter {
        return Err("it has a temporal delimiter, which should be left out".into());
    }
    if unit.n_shown != 1 {
        return Err(format!("it shows {} frames instead of one", unit.n_shown));
    }
    if unit.sequence_header.is_some_and(|there| there != payload) {
        return Err("its sequence header differs from the one in av1C".into());
    }
    match (is_sync, unit.is_key) {
        (true, false) => Err("stss lists it, but it is not a key frame".into()),
        (false, true) => Err("it is a key frame, but stss does not list it".into()),
        (true, true) if !unit.starts_with_sequence_header => {
            Err("it is a sync sample but does not start with a sequence header".into())
        }
        _ => Ok(()),
    }
}

fn avc_sample(data: &[u8], length_size: usize, is_sync: bool) -> Verdict {
    let unit = avc::parse_access_unit(data, length_size)
        .ok_or("the lengths of its NAL units do not match its size")?;
    if unit.n_slices == 0 {
        return Err("it has no slice".into());
    }
    match (is_sync, unit.is_idr) {
        (true, false) => Err("stss lists it, but it is not an IDR picture".into()),
        (false, true) => Err("it is an IDR picture, but stss does not list it".into()),
        _ => Ok(()),
    }
}

fn opus_sample(data: &[u8], length: u32, is_last: bool) -> Verdict {
    let n = opus_samples(data).ok_or("it is not an Opus packet")?;
    let is_right = n == length || (is_last && length < n);
    if !is_right {
        return Err(format!("it has {n} audio samples, but stts says {length}"));
    }
    Ok(())
}

/// Returns the number of samples at 48 kHz in an Opus packet (RFC 6716, 3.1 and 3.2).
fn opus_samples(packet: &[u8]) -> Option<u32> {
    const SILK: [u32; 4] = [480, 960, 1920, 2880];
    const HYBRID: [u32; 2] = [480, 960];
    const CELT: [u32; 4] = [120, 240, 480, 960];
    const MAX_SAMPLES: u32 = 5760;
    let toc = *packet.first()?;
    let size = usize::from(toc >> 3 & 3);
    let frame = match toc >> 3 {
        0..12 => SILK[size],
        12..16 => HYBRID[size & 1],
        _ => CELT[size],
    };
    let n_frames = match toc & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => u32::from(packet.get(1)? & 63),
    };
    let n = frame * n_frames;
    (1..=MAX_SAMPLES).contains(&n).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opus_packets_tell_their_length() {
        // Configuration 31 is CELT, full band, 20 ms; 1 is SILK, narrow band, 20 ms.
        assert_eq!(opus_samples(&[31 << 3]), Some(960));
        assert_eq!(opus_samples(&[1 << 3 | 1]), Some(1920));
        assert_eq!(opus_samples(&[28 << 3 | 3, 6]), Some(720));
        for bad in [&[][..], &[0xff], &[0xff, 0], &[0xff, 63]] {
            assert_eq!(opus_samples(bad), None, "{bad:?}");
        }
    }
}
