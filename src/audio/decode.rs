//! Decodes a sound file of any format to mono or stereo samples at its own rate, packet by packet.

use std::fmt;
use std::io::{self, Seek, SeekFrom};

use symphonia::core::audio::Channels;
use symphonia::core::errors::Error as SymphoniaError;
use symphonia::core::formats::FormatReader;
use symphonia::core::io::{MediaSourceStream, MediaSourceStreamOptions};
use symphonia::core::packet::Packet;

use super::codec::{Codec, Failure};
use super::container::{
    First, audio_params, claimed_frames, counted_frames, demuxer, guarded, held_frames, invalid,
    mend_trim, track_heard,
};
use super::downmix::Downmix;
use super::edit_list::{self, Boxes};
use super::heard::Heard;
use super::mend::{Found, Source};
use super::scale;
use crate::facts::{SoundFacts, SoundFlaw};
use crate::media::AssetRead;
use crate::units::{TICKS_PER_SECOND, Time, within};

/// Accepted sample rates, in Hz.
const RATES_HZ: std::ops::RangeInclusive<u32> = 4_000..=768_000;
/// Maximum number of channels.
const MAX_CHANNELS: usize = 8;
/// Undecodable packets in a row (each about 20 ms) before decoding fails.
const MAX_BAD_IN_A_ROW: u32 = 40;
/// Packets in a row without sound (from other tracks, or empty) before decoding fails: an hour of video at 60 frames per second.
const MAX_IDLE_IN_A_ROW: u32 = 216_000;
/// Maximum number of consecutive streams in a file (Ogg allows chaining them).
const MAX_LINKS: u32 = 1_000;
/// Maximum length of a sound, in seconds.
const MAX_SECS: u64 = 6 * 3600;
/// Maximum size of a file: six hours of stereo in 32 bits at 96 kHz.
const MAX_BYTES: u64 = 16 << 30;
/// Seconds of float samples that are examined to find their scale.
const LOOKED_AT_SECS: u64 = 60;
/// Maximum size of a file whose packets are counted when it does not state its length.
const MAX_COUNTED_BYTES: u64 = 256 << 20;

/// State that is kept when a file is read again from its start.
struct Origin {
    boxes: Boxes,
    found: Found,
    n_bytes: u64,
    /// The end of the track in frames, once its packets have been counted.
    counted: Option<u64>,
    /// Factor for every sample.
    factor: f32,
}

/// Decodes one sound from its start. A panic of the format's decoder becomes an error of that file.
pub(crate) struct Decoder {
    format: Box<dyn FormatReader>,
    codec: Codec,
    track: u32,
    first: First,
    origin: Origin,
    facts: SoundFacts,
    layout: Option<(Channels, Downmix)>,
    /// The part that remains to be played.
    heard: Heard,
    /// Samples decoded while opening, not yet returned.
    pending: Vec<f32>,
    interleaved: Vec<f32>,
    n_bad_in_a_row: u32,
    n_idle_in_a_row: u32,
    n_links: u32,
    n_good: u64,
    n_frames: u64,
    /// The loudest sample before scaling.
    peak: f32,
    is_at_end: bool,
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder")
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

impl Decoder {
    /// Detects the format by content, selects the default sound track, and decodes the first packet.
    pub(crate) fn open(mut stream: Box<dyn AssetRead>) -> io::Result<Decoder> {
        let n_bytes = stream.seek(SeekFrom::End(0))?;
        if n_bytes == 0 {
            return Err(invalid("is empty: 0 bytes"));
        }
        if n_bytes > MAX_BYTES {
            return Err(invalid(format!(
                "has {n_bytes} bytes; at most {} GiB are allowed",
                MAX_BYTES >> 30
            )));
        }
        let boxes = edit_list::read(&mut *stream);
        let (source, found) = Source::open(stream, n_bytes)?;
        let origin = Origin {
            boxes,
            found,
            n_bytes,
            counted: None,
            factor: 1.0,
        };
        let options = MediaSourceStreamOptions::default();
        let source = MediaSourceStream::new(Box::new(source), options);
        guarded(|| {
            let mut decoder = Decoder::start(source, origin)?.scaled()?;
            if decoder.facts.duration.is_some() || n_bytes > MAX_COUNTED_BYTES {
                return Ok(decoder);
            }
            let rate_hz = decoder.facts.rate_hz;
            let from = (decoder.track, decoder.first);
            decoder.origin.counted = counted_frames(&mut *decoder.format, from, rate_hz)?;
            decoder.again()
        })
    }

    /// Restarts, and scales float samples in an integer range to full scale.
    fn scaled(mut self) -> io::Result<Decoder> {
        if !self.codec.is_float() {
            return Ok(self);
        }
        let n_looked_at = LOOKED_AT_SECS * u64::from(self.facts.rate_hz);
        let mut samples = Vec::new();
        while self.n_frames < n_looked_at && self.read(&mut samples)? {
            samples.clear();
        }
        self.origin.factor = scale::factor(self.peak);
        self.again()
    }

    /// Reopens the same file from its start.
    fn again(self) -> io::Result<Decoder> {
        let mut source = self.format.into_inner();
        source.seek(SeekFrom::Start(0))?;
        Decoder::start(source, self.origin)
    }

    fn start(source: MediaSourceStream<'static>, origin: Origin) -> io::Result<Decoder> {
        let format = demuxer(origin.found.kind, source)?;
        let (track, codec) = track_heard(&*format, origin.found.kind, &origin.boxes)?;
        let mut decoder = Decoder {
            format,
            codec,
            track,
            first: First::default(),
            origin,
            facts: SoundFacts {
                duration: None,
                channels: 0,
                rate_hz: 0,
                flaw: None,
            },
            layout: None,
            heard: Heard::default(),
            pending: Vec::new(),
            interleaved: Vec::new(),
            n_bad_in_a_row: 0,
            n_idle_in_a_row: 0,
            n_links: 0,
            n_good: 0,
            n_frames: 0,
            peak: 0.0,
            is_at_end: false,
        };
        let mut first = Vec::new();
        while decoder.n_good == 0 && decoder.step(&mut first)? {}
        decoder.pending = first;
        Ok(decoder)
    }

    /// Returns the facts known after the first packet.
    pub(crate) fn facts(&self) -> SoundFacts {
        self.facts
    }

    /// Returns the number of output channels: 1 when the file has one, else 2.
    pub(crate) fn n_out(&self) -> usize {
        usize::from(self.facts.channels.clamp(1, 2))
    }

    /// Appends the next samples (interleaved, [`Decoder::n_out`] channels) to `out`, possibly none; returns `false` at the end.
    pub(crate) fn read(&mut self, out: &mut Vec<f32>) -> io::Result<bool> {
        if self.heard.delay > 0 {
            let n = self.heard.delay.min(u64::from(self.facts.rate_hz));
            self.heard.delay -= n;
            out.resize(out.len() + n as usize * self.n_out(), 0.0);
            return Ok(true);
        }
        if !self.pending.is_empty() {
            out.append(&mut self.pending);
            return Ok(true);
        }
        if self.is_at_end {
            return Ok(false);
        }
        // After a panic, this decoder must not be used again.
        self.is_at_end = true;
        let goes_on = guarded(|| self.step(out))?;
        self.is_at_end = !goes_on;
        Ok(goes_on)
    }

    /// Decodes one packet; returns `false` at the end.
    fn step(&mut self, out: &mut Vec<f32>) -> io::Result<bool> {
        if self.heard.left == Some(0) {
            return Ok(false);
        }
        let mut packet = match self.format.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => return self.end(),
            // A truncated file is played as far as it goes, and streamed WAV files claim endless data.
            Err(SymphoniaError::IoError(e)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                return self.end();
            }
            Err(SymphoniaError::IoError(e)) => return Err(e),
            Err(SymphoniaError::ResetRequired) => return self.next_link(),
            Err(e) => return Err(invalid(format!("is damaged: {e}"))),
        };
        let n_before = self.n_frames;
        if packet.track_id == self.track {
            self.decode(&mut packet, out)?;
        }
        self.n_idle_in_a_row = match self.n_frames > n_before {
            true => 0,
            false => self.n_idle_in_a_row + 1,
        };
        if self.n_idle_in_a_row > MAX_IDLE_IN_A_ROW {
            return Err(invalid(format!(
                "is damaged: {MAX_IDLE_IN_A_ROW} packets in a row without sound"
            )));
        }
        Ok(true)
    }

    /// Continues with the next stream in the same file.
    fn next_link(&mut self) -> io::Result<bool> {
        self.n_links += 1;
        if self.n_links > MAX_LINKS {
            return Err(invalid(format!(
                "is damaged: it contains more than {MAX_LINKS} consecutive streams"
            )));
        }
        let Origin { boxes, found, .. } = &self.origin;
        (self.track, self.codec) = track_heard(&*self.format, found.kind, boxes)?;
        self.heard.skip = self.codec.pre_skip();
        Ok(true)
    }

    fn end(&mut self) -> io::Result<bool> {
        if self.n_good == 0 {
            return Err(invalid(
                "contains no sound that can be decoded (it may be damaged or cut off)",
            ));
        }
        Ok(false)
    }

    fn decode(&mut self, packet: &mut Packet, out: &mut Vec<f32>) -> io::Result<()> {
        if let Some(track) = self.format.tracks().iter().find(|t| t.id == self.track) {
            mend_trim(track, packet);
        }
        self.interleaved.clear();
        match self.codec.decode(packet, &mut self.interleaved) {
            Ok((rate_hz, channels)) => {
                self.n_bad_in_a_row = 0;
                if self.interleaved.is_empty() {
                    return Ok(());
                }
                if self.n_good == 0 {
                    self.begin(packet, rate_hz, &channels)?;
                }
                self.n_good += 1;
                if rate_hz != self.facts.rate_hz {
                    return Err(invalid(format!(
                        "changes its sample rate from {} to {rate_hz} Hz midway",
                        self.facts.rate_hz
                    )));
                }
                self.fold(packet, &channels, out)
            }
            Err(Failure::Packet(why)) => {
                self.n_bad_in_a_row += 1;
                if self.n_bad_in_a_row > MAX_BAD_IN_A_ROW {
                    return Err(invalid(format!(
                        "is damaged: {MAX_BAD_IN_A_ROW} undecodable packets in a row, after {} good ones ({why})",
                        self.n_good
                    )));
                }
                if self.n_good > 0 {
                    let n = self.codec.n_frames_lost(packet, self.facts.rate_hz);
                    let silence = vec![0.0; n * self.n_out()];
                    self.hand_out(&silence, out)?;
                }
                Ok(())
            }
            Err(Failure::Codec(e)) => Err(e),
        }
    }

    /// Checks the format and records the facts from the first packet.
    fn begin(&mut self, first: &Packet, rate_hz: u32, channels: &Channels) -> io::Result<()> {
        let n = channels.count();
        if !RATES_HZ.contains(&rate_hz) {
            return Err(invalid(format!(
                "has {rate_hz} samples per second; {} to {} are supported",
                RATES_HZ.start(),
                RATES_HZ.end()
            )));
        }
        if n == 0 || n > MAX_CHANNELS {
            return Err(invalid(format!(
                "has {n} channels; 1 to {MAX_CHANNELS} are supported"
            )));
        }
        self.first = First {
            pts: first.pts.get(),
            n_frames: (self.interleaved.len() / n) as u64,
        };
        self.heard = Heard::new(
            &*self.format,
            &self.codec,
            &self.origin.boxes,
            (first, rate_hz),
        );
        self.facts = SoundFacts {
            duration: self.duration(first, rate_hz),
            channels: n as u16,
            rate_hz,
            flaw: self.flaw(),
        };
        Ok(())
    }

    fn flaw(&self) -> Option<SoundFlaw> {
        if self.origin.factor != 1.0 {
            return Some(SoundFlaw::IntegerScale);
        }
        self.origin.found.is_cut.then_some(SoundFlaw::Cut)
    }

    /// Returns the length of the sound, from its headers or by counting.
    fn duration(&self, first: &Packet, rate_hz: u32) -> Option<Time> {
        let track = self.format.tracks().iter().find(|t| t.id == self.track)?;
        let claimed = match self.origin.counted {
            Some(counted) => Some(counted),
            None if self.origin.found.is_table_too_long() => None,
            None => claimed_frames(&*self.format, self.track, rate_hz),
        };
        let held = held_frames(
            audio_params(track)?,
            first,
            self.first.n_frames,
            self.origin.n_bytes,
        );
        let whole = match (claimed, held) {
            (Some(claimed), Some(held)) => claimed.min(held),
            (claimed, held) => claimed.or(held)?,
        };
        let heard = self.heard.length(whole);
        let rate = u64::from(rate_hz);
        (heard / rate <= MAX_SECS).then(|| {
            let ticks = u128::from(heard) * TICKS_PER_SECOND as u128 / u128::from(rate);
            Time(ticks as i64)
        })
    }

    /// Applies the packet's trimming, mixes down and appends the samples.
    fn fold(&mut self, packet: &Packet, channels: &Channels, out: &mut Vec<f32>) -> io::Result<()> {
        if self.layout.as_ref().is_none_or(|(of, _)| of != channels) {
            self.layout = Some((channels.clone(), Downmix::new(channels, self.n_out())));
        }
        let Some((_, downmix)) = &self.layout else {
            return Ok(());
        };
        let factor = self.origin.factor;
        let most = match self.codec.is_lossy() {
            true => scale::LOUDEST,
            false => f32::MAX,
        };
        for sample in &mut self.interleaved {
            if sample.is_finite() {
                self.peak = self.peak.max(sample.abs());
            }
            *sample = within(*sample * factor, -most, most);
        }
        let n_in = downmix.n_in().max(1);
        let n = self.interleaved.len() / n_in;
        // These decoders trim by themselves; for the others the caller must.
        let (head, tail) = match self.codec.trims() {
            true => (0, 0),
            false => (packet.trim_start.get(), packet.trim_end.get()),
        };
        let from = head.min(n as u64) as usize;
        let to = n.saturating_sub(tail.min(n as u64) as usize).max(from);
        let mut folded = Vec::with_capacity((to - from) * self.n_out());
        downmix.apply(&self.interleaved[from * n_in..to * n_in], &mut folded);
        self.hand_out(&folded, out)
    }

    /// Appends the samples inside the edit.
    fn hand_out(&mut self, samples: &[f32], out: &mut Vec<f32>) -> io::Result<()> {
        let n_out = self.n_out();
        let n = (samples.len() / n_out) as u64;
        let skipped = self.heard.skip.min(n);
        self.heard.skip -= skipped;
        let heard = self.heard.left;
        let heard = heard.map_or(n - skipped, |left| left.min(n - skipped));
        self.heard.left = self.heard.left.map(|left| left - heard);
        self.n_frames += heard;
        if self.n_frames > MAX_SECS * u64::from(self.facts.rate_hz) {
            return Err(invalid(format!("is longer than {} hours", MAX_SECS / 3600)));
        }
        let (from, to) = (skipped as usize, (skipped + heard) as usize);
        out.extend_from_slice(&samples[from * n_out..to * n_out]);
        Ok(())
    }
}
