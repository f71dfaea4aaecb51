//! A sound that begins again when it ends, its tail crossfaded with its head.

use std::f64::consts::FRAC_PI_2;
use std::io;

use super::sound::Sound;
use crate::units::MIX_RATE_HZ;

/// Frames of the crossfade: 50 ms.
pub(crate) const CROSSFADE: usize = MIX_RATE_HZ as usize / 20;
/// Sounds up to this many frames (60 s, 23 MB) are kept decoded; longer ones are decoded again each time.
const KEPT: usize = 60 * MIX_RATE_HZ as usize;
/// Frames handed out at once from memory.
const PIECE: usize = 4096;

/// Where the samples of one pass over the sound come from.
#[derive(Debug)]
enum Pass {
    File(Box<Sound>),
    Memory { at: usize },
    Over,
}

/// The endless sound. Every pass after the first begins where the pass before has [`CROSSFADE`] frames left (half its length when it is
/// shorter than two crossfades), so the period is exact and nothing drifts.
#[derive(Debug)]
pub(crate) struct Looped {
    pass: Pass,
    /// The first pass, as long as it is short enough to be kept.
    kept: Option<Vec<f32>>,
    /// Frames of this pass seen so far.
    n_seen: usize,
    /// The last frames of this pass so far: they may be its tail.
    held: Vec<f32>,
    /// The tail of the pass before.
    tail: Vec<f32>,
}

impl Looped {
    /// Repeats `sound`.
    pub(crate) fn new(sound: Sound) -> Looped {
        Looped {
            pass: Pass::File(Box::new(sound)),
            kept: Some(Vec::new()),
            n_seen: 0,
            held: Vec::new(),
            tail: Vec::new(),
        }
    }

    /// Appends the next interleaved stereo samples to `out`, perhaps none; `false` only when the sound has no sample at all.
    pub(crate) fn read(&mut self, out: &mut Vec<f32>) -> io::Result<bool> {
        let old = self.held.len();
        let goes_on = match &mut self.pass {
            Pass::File(sound) => {
                let goes_on = sound.read(&mut self.held)?;
                self.keep(old);
                goes_on
            }
            Pass::Memory { at } => {
                let all = self.kept.as_deref().unwrap_or(&[]);
                let end = (*at + 2 * PIECE).min(all.len());
                self.held.extend_from_slice(&all[*at..end]);
                let goes_on = *at < end;
                *at = end;
                goes_on
            }
            Pass::Over => return Ok(false),
        };
        self.overlap(old);
        if goes_on {
            self.hand_out(CROSSFADE, out);
            return Ok(true);
        }
        self.begin_again(out)
    }

    fn keep(&mut self, from: usize) {
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(&self.held[from..]);
            if kept.len() > 2 * KEPT {
                self.kept = None;
            }
        }
    }

    /// Mixes the tail of the pass before into what was just read: equal power, for the two are as good as uncorrelated.
    fn overlap(&mut self, from: usize) {
        let n = self.tail.len() / 2;
        for frame in self.held[from..].chunks_exact_mut(2) {
            let i = self.n_seen;
            self.n_seen += 1;
            if i < n {
                let (rise, fall) = ((i as f64 + 0.5) / n as f64 * FRAC_PI_2).sin_cos();
                let (rise, fall) = (rise as f32, fall as f32);
                frame[0] = frame[0] * rise + self.tail[2 * i] * fall;
                frame[1] = frame[1] * rise + self.tail[2 * i + 1] * fall;
            }
        }
    }

    /// Hands out all but the last `n_held` frames.
    fn hand_out(&mut self, n_held: usize, out: &mut Vec<f32>) {
        let n = self.held.len().saturating_sub(2 * n_held);
        out.extend(self.held.drain(..n));
    }

    fn begin_again(&mut self, out: &mut Vec<f32>) -> io::Result<bool> {
        if self.n_seen == 0 {
            self.pass = Pass::Over;
            return Ok(false);
        }
        self.hand_out(CROSSFADE.min(self.n_seen / 2), out);
        self.tail = std::mem::take(&mut self.held);
        self.n_seen = 0;
        self.pass = match (std::mem::replace(&mut self.pass, Pass::Over), &self.kept) {
            (_, Some(_)) => Pass::Memory { at: 0 },
            (Pass::File(sound), None) => Pass::File(Box::new(sound.restart()?)),
            (other, None) => other,
        };
        Ok(true)
    }
}
