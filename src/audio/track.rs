//! One track of the mix: its sound placed on the timeline, with its gain, fade-in and ramps against clicks.

use std::f64::consts::{FRAC_PI_2, PI};
use std::io;

use super::looped::Looped;
use super::sound::{Sound, failed};
use crate::error::Result;
use crate::media::Assets;
use crate::plan::mix::Track;
use crate::units::MIX_RATE_HZ;

/// Frames of the ramp where a sound begins or ends in the middle of its signal: 5 ms.
const RAMP: usize = MIX_RATE_HZ as usize / 200;
/// A first or last sample below this (-60 dBFS) makes no click.
const CLICK: f32 = 0.001;

#[derive(Debug)]
enum Source {
    Once(Box<Sound>),
    Looped(Box<Looped>),
}

impl Source {
    fn read(&mut self, out: &mut Vec<f32>) -> io::Result<bool> {
        match self {
            Source::Once(sound) => sound.read(out),
            Source::Looped(sound) => sound.read(out),
        }
    }
}

/// A track being played.
#[derive(Debug)]
pub(crate) struct Player {
    track: Track,
    source: Source,
    amplitude: f64,
    /// Length of the mix: the sound is cut there.
    end: u64,
    /// Frame of the mix that comes next, never before the track's start.
    at: u64,
    /// Samples ready to be mixed; at least [`RAMP`] frames more than asked for, so that an end is seen before it comes.
    ready: Vec<f32>,
    ended: bool,
    ramps_in: bool,
}

impl Player {
    /// Opens the track's sound. `end` is the length of the mix.
    pub(crate) fn new(
        track: &Track,
        amplitude: f64,
        end: u64,
        assets: &dyn Assets,
    ) -> Result<Player> {
        let sound = Sound::open(track, assets)?;
        Ok(Player {
            source: match track.looped {
                true => Source::Looped(Box::new(Looped::new(sound))),
                false => Source::Once(Box::new(sound)),
            },
            track: track.clone(),
            amplitude,
            end,
            at: track.start,
            ready: Vec::new(),
            // What cannot be heard need not be decoded.
            ended: amplitude <= 0.0 || track.start >= end,
            ramps_in: false,
        })
    }

    /// Adds the track's part of the frames from `start` on to `block` (interleaved stereo). Blocks follow each other without gaps.
    pub(crate) fn add_to(&mut self, start: u64, block: &mut [f32]) -> Result<()> {
        let n_block = (block.len() / 2) as u64;
        if self.at >= start + n_block || (self.ended && self.ready.is_empty()) {
            return Ok(());
        }
        let offset = (self.at - start) as usize;
        let wanted = n_block as usize - offset;
        self.fill(wanted + RAMP)?;
        let n = wanted.min(self.ready.len() / 2);
        let is_cut = !self.ended || self.at + (self.ready.len() / 2) as u64 > self.end;
        let is_plain = self.at >= self.track.start + self.track.fade_in.max(RAMP as u64)
            && self.at + (n + RAMP) as u64 <= self.end;
        let to = block[2 * offset..].chunks_exact_mut(2);
        for (i, (to, from)) in to.zip(self.ready[..2 * n].chunks_exact(2)).enumerate() {
            let gain = match is_plain {
                true => self.amplitude as f32,
                false => (self.amplitude * self.shape(self.at + i as u64, is_cut)) as f32,
            };
            to[0] += from[0] * gain;
            to[1] += from[1] * gain;
        }
        self.at += n as u64;
        self.ready.drain(..2 * n);
        Ok(())
    }

    /// Reads until `n` frames are ready or the sound has ended.
    fn fill(&mut self, n: usize) -> Result<()> {
        let is_first = self.at == self.track.start;
        while !self.ended && self.ready.len() < 2 * n {
            let goes_on = self
                .source
                .read(&mut self.ready)
                .map_err(|e| failed(&self.track, &e))?;
            if !goes_on {
                self.ended = true;
                self.ramp_out();
            }
        }
        if is_first {
            self.ramps_in = self.is_loud(self.ready.first_chunk());
        }
        Ok(())
    }

    /// Ramps down what is left when the sound stops in the middle of its signal.
    fn ramp_out(&mut self) {
        if !self.is_loud(self.ready.last_chunk()) {
            return;
        }
        let n = self.ready.len() / 2;
        let first = n.saturating_sub(RAMP);
        for (i, frame) in self.ready[2 * first..].chunks_exact_mut(2).enumerate() {
            let gain = ramp((n - first - 1 - i) as f64 / RAMP as f64) as f32;
            frame[0] *= gain;
            frame[1] *= gain;
        }
    }

    fn is_loud(&self, frame: Option<&[f32; 2]>) -> bool {
        let click = CLICK / (self.amplitude as f32).max(f32::MIN_POSITIVE);
        frame.is_some_and(|[l, r]| l.abs().max(r.abs()) > click)
    }

    /// Fade-in, and the ramps at the track's start and where the mix cuts it, at frame `at` of the mix.
    fn shape(&self, at: u64, is_cut: bool) -> f64 {
        let age = at - self.track.start;
        let mut shape = 1.0;
        if age < self.track.fade_in {
            shape *= ((age as f64 + 0.5) / self.track.fade_in as f64 * FRAC_PI_2).sin();
        }
        if self.ramps_in && age < RAMP as u64 {
            shape *= ramp(age as f64 / RAMP as f64);
        }
        let left = self.end - 1 - at;
        if is_cut && left < RAMP as u64 {
            shape *= ramp(left as f64 / RAMP as f64);
        }
        shape
    }
}

/// A raised cosine from 0 at 0 to 1 at 1.
fn ramp(progress: f64) -> f64 {
    0.5 - 0.5 * (PI * progress.min(1.0)).cos()
}
