//! A playing track of the mix: its sound placed on the timeline, with gain, fades, ducking and ramps against clicks.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use super::looped::Part;
use super::reader::Reader;
use super::score::{Placed, Score};
use super::stretch::Stretch;
use crate::error::{Error, ErrorKind, Result};
use crate::scene::mix::Role;
use crate::units::MIX_RATE_HZ;

/// Frames of the ramp applied where a sound begins or ends in the middle of its signal: 5 ms.
const RAMP: u64 = MIX_RATE_HZ as u64 / 200;
/// Maximum number of sounds that play at the same time and are too long to keep: each holds a file open.
const MAX_STREAMS: usize = 32;

enum Source<'a> {
    Part(Part<'a>),
    Stretch(Box<Stretch<'a>>),
}

/// A playing track.
struct Player<'a> {
    score: Arc<Score<'a>>,
    /// Index among the score's tracks.
    index: usize,
    source: Source<'a>,
    is_streaming: bool,
    samples: Vec<f32>,
    ducked: Vec<f32>,
}

impl<'a> Player<'a> {
    fn new(score: &Arc<Score<'a>>, index: usize) -> Player<'a> {
        let placed = &score.tracks[index];
        let reader = Reader::new(Arc::clone(&placed.recording), placed.track, score.assets);
        let is_streaming = reader.is_streaming();
        let part = Part::new(reader, placed.track.trim.start, placed.seam);
        Player {
            score: Arc::clone(score),
            index,
            source: match placed.track.speed {
                1.0 => Source::Part(part),
                speed => Source::Stretch(Box::new(Stretch::new(part, speed))),
            },
            is_streaming,
            samples: Vec::new(),
            ducked: Vec::new(),
        }
    }

    fn placed(&self) -> &Placed<'a> {
        &self.score.tracks[self.index]
    }

    /// Adds the track's share of the frames starting at `start` to `block` (interleaved stereo). Blocks must be consecutive.
    fn add_to(&mut self, start: u64, block: &mut [f32]) -> Result<()> {
        let placed = self.placed();
        let from = placed.track.start.max(start);
        let n = (placed.end.min(start + block.len() as u64 / 2) - from) as usize;
        self.samples.clear();
        match &mut self.source {
            Source::Part(part) => part.read(n, &mut self.samples)?,
            Source::Stretch(stretch) => stretch.read(n, &mut self.samples)?,
        }
        let Player {
            score,
            index,
            samples,
            ducked,
            ..
        } = self;
        let placed = &score.tracks[*index];
        ducked.clear();
        match &placed.curve {
            Some(curve) => curve.amplitudes(from, n, ducked),
            None => ducked.push(1.0),
        }
        let to = block[2 * (from - start) as usize..].chunks_exact_mut(2);
        let frames = to.zip(samples.chunks_exact(2));
        let [left, right] = placed.amplitudes;
        let fades = Fades {
            placed,
            end_of_mix: score.plan.n_samples,
            end_fade: score.plan.fade_out,
        };
        if ducked.len() == 1 && fades.are_still(from, from + n as u64) {
            let (left, right) = (left * ducked[0], right * ducked[0]);
            for (to, sample) in frames {
                to[0] += sample[0] * left;
                to[1] += sample[1] * right;
            }
            return Ok(());
        }
        for (i, (to, sample)) in frames.enumerate() {
            let ducked = ducked.get(i).unwrap_or(&ducked[0]);
            let gain = fades.at(from + i as u64) as f32 * ducked;
            to[0] += sample[0] * left * gain;
            to[1] += sample[1] * right * gain;
        }
        Ok(())
    }
}

/// The fades of a track.
struct Fades<'p, 'a> {
    placed: &'p Placed<'a>,
    end_of_mix: u64,
    end_fade: u64,
}

impl Fades<'_, '_> {
    /// Returns whether no fade is active between two frames.
    fn are_still(&self, from: u64, to: u64) -> bool {
        let (track, end) = (self.placed.track, self.placed.end);
        from >= track.start + track.fade_in.max(RAMP)
            && to + track.fade_out.max(RAMP) <= end
            && (track.role == Role::Voice || to + self.end_fade <= self.end_of_mix)
    }

    /// Returns the amplitude at frame `at` of the mix: fades are quarters of a sine, ramps half a period of a cosine.
    fn at(&self, at: u64) -> f64 {
        let (track, [ramps_in, ramps_out]) = (self.placed.track, self.placed.ramps);
        let (age, left) = (at - track.start, self.placed.end - 1 - at);
        let quarter = |n: f64, of: u64| (n / of as f64 * FRAC_PI_2).sin();
        let mut amplitude = 1.0;
        if age < track.fade_in {
            amplitude *= quarter(age as f64 + 0.5, track.fade_in);
        }
        if left < track.fade_out {
            amplitude *= quarter(left as f64, track.fade_out);
        }
        let left_of_mix = self.end_of_mix - 1 - at;
        if track.role != Role::Voice && left_of_mix < self.end_fade {
            amplitude *= quarter(left_of_mix as f64, self.end_fade);
        }
        if ramps_in && age < RAMP {
            amplitude *= ramp(age as f64 / RAMP as f64);
        }
        if ramps_out && left < RAMP {
            amplitude *= ramp(left as f64 / RAMP as f64);
        }
        amplitude
    }
}

/// Computes a raised cosine from 0 at 0 to 1 at 1.
fn ramp(progress: f64) -> f64 {
    0.5 - 0.5 * (PI * progress.min(1.0)).cos()
}

/// All tracks of a score, summed from the start.
pub(crate) struct Sum<'a> {
    score: Arc<Score<'a>>,
    /// The first track that has not begun yet.
    next: usize,
    playing: Vec<Player<'a>>,
    /// The next frame.
    at: u64,
}

impl<'a> Sum<'a> {
    pub(crate) fn new(score: Arc<Score<'a>>) -> Sum<'a> {
        Sum {
            score,
            next: 0,
            playing: Vec::new(),
            at: 0,
        }
    }

    /// Fills `block` with the next `n` frames.
    pub(crate) fn read(&mut self, n: usize, block: &mut Vec<f32>) -> Result<()> {
        block.clear();
        block.resize(2 * n, 0.0);
        let end = self.at + n as u64;
        while let Some(placed) = self
            .score
            .tracks
            .get(self.next)
            .filter(|p| p.track.start < end)
        {
            let player = Player::new(&self.score, self.next);
            let n_streams = self
                .playing
                .iter()
                .filter(|player| player.is_streaming)
                .count();
            if player.is_streaming && n_streams >= MAX_STREAMS {
                let message = format!(
                    "{}: more than {MAX_STREAMS} long sounds play at once; start some of them later or trim them",
                    placed.track.path
                );
                return Err(Error::new(ErrorKind::Media, message));
            }
            self.playing.push(player);
            self.next += 1;
        }
        for player in &mut self.playing {
            player.add_to(self.at, block)?;
        }
        self.playing.retain(|player| player.placed().end > end);
        self.at = end;
        Ok(())
    }
}
