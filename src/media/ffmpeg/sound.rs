//! Reads a sound with the machine's ffmpeg: mono or stereo samples at the file's own rate.

use std::io;

use super::child::{Child, Limits, Stop};
use super::input::{self, Input};
use super::probe::{self, Listing, Stream, micros};
use super::programs::Programs;
use super::stamps::packets;
use super::{Ffmpeg, INSTALL};
use crate::facts::SoundFacts;
use crate::media::Assets;
use crate::units::{TICKS_PER_SECOND, Time};

/// Maximum length in seconds, and maximum file size.
const MAX_SECS: u64 = 6 * 3600;
const MAX_BYTES: u64 = 16 << 30;
/// Accepted rates and channels.
const RATES_HZ: std::ops::RangeInclusive<u32> = 4_000..=768_000;
const MAX_CHANNELS: u32 = 8;
/// Maximum number of packets: six hours of the shortest common ones, 2.5 ms.
const MAX_PACKETS: usize = 10_000_000;
/// Maximum silence before a sound that begins after its pictures, in seconds.
const MAX_DELAY_SECS: f64 = 3600.0;
/// Bytes per read: 8192 frames of stereo.
const PIECE_BYTES: usize = 1 << 16;
/// Louder samples are errors: +40 dBFS.
const MAX_SAMPLE: f32 = 100.0;

/// One sound being decoded by ffmpeg.
#[derive(Debug)]
pub(crate) struct ForeignSound {
    child: Child,
    facts: SoundFacts,
    /// Silent frames that come first, and decoded frames to drop after them.
    delay: u64,
    skip: u64,
    n_frames: u64,
    piece: Vec<u8>,
    n_pending: usize,
    is_over: bool,
}

/// Facts that are known before a sample is decoded.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    stream: u32,
    facts: SoundFacts,
    told: String,
    /// Seconds from the first picture to the first sample.
    late: f64,
    has_video: bool,
}

/// Returns the facts of a named sound, and a note for the user that follows the file's name. Nothing is decoded.
///
/// # Errors
/// ffmpeg's message, to follow the word "ffmpeg".
pub(crate) fn sound_facts(
    name: &str,
    assets: &dyn Assets,
    ffmpeg: &Ffmpeg,
) -> io::Result<(SoundFacts, String)> {
    let (_, found) = find(name, assets, ffmpeg)?;
    Ok((found.facts, found.told))
}

fn programs(ffmpeg: &Ffmpeg) -> io::Result<&Programs> {
    let missing = |why: &str| io::Error::new(io::ErrorKind::NotFound, format!("{why}; {INSTALL}"));
    ffmpeg.programs().map_err(missing)
}

impl ForeignSound {
    /// Starts decoding a named sound.
    ///
    /// # Errors
    /// Same as [`sound_facts`].
    pub(crate) fn open(
        name: &str,
        assets: &dyn Assets,
        ffmpeg: &Ffmpeg,
    ) -> io::Result<ForeignSound> {
        let programs = programs(ffmpeg)?;
        let (input, found) = find(name, assets, ffmpeg)?;
        let secs = found.facts.duration.map_or(MAX_SECS as f64, Time::as_secs);
        let child = Child::start(
            &programs.ffmpeg,
            &arguments(&found),
            Some(input.for_child()?),
            (Limits::decode(secs), Stop::default()),
        )?;
        let frames = |secs: f64| (secs * f64::from(found.facts.rate_hz)).round() as u64;
        Ok(ForeignSound {
            child,
            delay: frames(found.late.clamp(0.0, MAX_DELAY_SECS)),
            skip: frames((-found.late).max(0.0)),
            facts: found.facts,
            n_frames: 0,
            piece: vec![0; PIECE_BYTES],
            n_pending: 0,
            is_over: false,
        })
    }

    pub(crate) fn facts(&self) -> SoundFacts {
        self.facts
    }

    /// Returns the number of output channels: 1 when the file has one, else 2.
    pub(crate) fn n_out(&self) -> usize {
        usize::from(self.facts.channels.clamp(1, 2))
    }

    /// Appends the next samples (interleaved) to `out`, possibly none; returns `false` at the end.
    pub(crate) fn read(&mut self, out: &mut Vec<f32>) -> io::Result<bool> {
        let n_out = self.n_out();
        if self.delay > 0 {
            let n = self.delay.min(u64::from(self.facts.rate_hz));
            self.delay -= n;
            out.resize(out.len() + n as usize * n_out, 0.0);
            return Ok(true);
        }
        if self.is_over {
            return Ok(false);
        }
        let n = self.child.read_some(&mut self.piece[self.n_pending..])?;
        if n == 0 {
            self.is_over = true;
            self.child.finish()?;
            if self.n_frames == 0 {
                return Err(io::Error::other("ffmpeg decoded no sound from it"));
            }
            return Ok(false);
        }
        let n = self.n_pending + n;
        let frame_bytes = n_out * size_of::<f32>();
        let whole = n / frame_bytes;
        let skipped = self.skip.min(whole as u64);
        self.skip -= skipped;
        let heard = &self.piece[skipped as usize * frame_bytes..whole * frame_bytes];
        let samples = heard.as_chunks().0.iter();
        out.extend(samples.map(|bytes| match f32::from_le_bytes(*bytes) {
            sample if sample.is_finite() => sample.clamp(-MAX_SAMPLE, MAX_SAMPLE),
            _ => 0.0,
        }));
        self.piece.copy_within(whole * frame_bytes..n, 0);
        self.n_pending = n - whole * frame_bytes;
        self.n_frames += whole as u64;
        if self.n_frames > MAX_SECS * u64::from(self.facts.rate_hz) {
            return Err(io::Error::other(format!(
                "it is longer than {} hours",
                MAX_SECS / 3600
            )));
        }
        Ok(true)
    }
}

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Opens the file and reads its facts, if they are not known yet.
fn find(name: &str, assets: &dyn Assets, ffmpeg: &Ffmpeg) -> io::Result<(Input, Facts)> {
    let input = Input::open(name, (assets, &Stop::default()), MAX_BYTES)?
        .ok_or_else(|| refused(format!("the file is larger than {} GiB", MAX_BYTES >> 30)))?;
    let find = || facts(&input, programs(ffmpeg)?);
    let found = ffmpeg.sounds.of(input.identity(), |_| true, find)?;
    Ok((input, found))
}

fn facts(input: &Input, programs: &Programs) -> io::Result<Facts> {
    let listing = Listing::of(input, programs)?;
    let stream = listing
        .sound()
        .ok_or_else(|| refused("it has no sound".into()))?;
    let rate = stream.sample_rate.as_deref().and_then(|r| r.parse().ok());
    let rate_hz = rate
        .filter(|rate| RATES_HZ.contains(rate))
        .ok_or_else(|| refused("its sample rate is not supported".into()))?;
    if stream.channels > MAX_CHANNELS {
        return Err(refused(format!(
            "it has {} channels; at most {MAX_CHANNELS} are supported",
            stream.channels
        )));
    }
    let secs = length(stream, input, programs)?;
    if secs > MAX_SECS as f64 {
        return Err(refused(format!(
            "it is longer than {} hours",
            MAX_SECS / 3600
        )));
    }
    let start = |stream: &Stream| stream.start_time.as_deref().and_then(micros);
    let video = listing.video();
    let late = match (start(stream), video.and_then(start)) {
        (Some(sound), Some(video)) => (sound - video) as f64 / 1e6,
        _ => 0.0,
    };
    let heard = secs + late.min(MAX_DELAY_SECS);
    let container = listing.format.format_name.split(',').next();
    Ok(Facts {
        stream: stream.index,
        facts: SoundFacts {
            flaw: None,
            duration: (heard > 0.0).then_some(Time((heard * TICKS_PER_SECOND as f64) as i64)),
            channels: stream.channels as u16,
            rate_hz,
        },
        told: format!(
            "contains {} sound ({}), which kinora does not read itself; this machine's ffmpeg {} reads it",
            stream.codec(),
            container.unwrap_or_default(),
            programs.version
        ),
        late,
        has_video: video.is_some(),
    })
}

/// Returns the seconds from the first packet's start to the last one's end, because headers often only contain a guess.
fn length(stream: &Stream, input: &Input, programs: &Programs) -> io::Result<f64> {
    let found = packets(stream.index, MAX_PACKETS, input, programs)?.unwrap_or_default();
    let stamp = |packet: &super::stamps::Packet| packet.pts.or(packet.dts);
    let heard = || found.iter().filter(|packet| !packet.is_discarded);
    let start = heard().filter_map(stamp).min();
    let end = heard()
        .filter_map(|packet| stamp(packet).map(|at| at.saturating_add(packet.duration)))
        .max();
    let (num, den) = stream.time_base().unwrap_or((1, 1));
    let units = match (start, end) {
        (Some(start), Some(end)) => end.saturating_sub(start),
        _ => 0,
    };
    Ok(units.max(0) as f64 * f64::from(num) / f64::from(den))
}

/// Builds the arguments. Mixing down in floating point avoids scaling: ffmpeg then uses the coefficients of ITU-R BS.775, as kinora does.
fn arguments(found: &Facts) -> Vec<String> {
    let mut arguments = vec!["-hide_banner", "-nostdin", "-loglevel", "error"];
    arguments.extend(["-threads", "1"]);
    let mut arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    arguments.extend(probe::formats());
    arguments.extend(["-i", input::NAME, "-map"].map(str::to_owned));
    arguments.push(format!("0:{}", found.stream));
    // With pictures, gaps in the stream stay gaps.
    let filters = match found.has_video {
        true => "aformat=sample_fmts=fltp,aresample=async=1",
        false => "aformat=sample_fmts=fltp",
    };
    let n_out = found.facts.channels.clamp(1, 2).to_string();
    let rate = found.facts.rate_hz.to_string();
    let rest = [
        "-vn",
        "-sn",
        "-dn",
        "-af",
        filters,
        "-ac",
        &n_out,
        "-ar",
        &rate,
        "-f",
        "f32le",
        "-c:a",
        "pcm_f32le",
        "pipe:1",
    ];
    arguments.extend(rest.map(str::to_owned));
    arguments
}
