//! A look-ahead limiter of the true peak (ITU-R BS.1770-4, Annex 2): transparent below its ceiling, no clicks above.

use std::collections::VecDeque;
use std::f64::consts::PI;

use crate::units::MIX_RATE_HZ;

/// Interpolated points per sample, including the sample itself.
const OVERSAMPLING: usize = 4;
/// Taps per interpolation filter.
const TAPS: usize = 24;
/// Frames before and after a frame that its interpolation uses.
const REACH: usize = TAPS / 2;
/// Frames over which the gain changes ahead of a peak: 5 ms.
const ATTACK: usize = MIX_RATE_HZ as usize / 200;
/// Frames around a peak that get its full attenuation, because the interpolated peak is between them.
const GUARD: usize = 4;
/// Frames by which the gain is computed in advance.
const AHEAD: usize = ATTACK - 1 + GUARD;
/// Time constant of the release, in seconds.
const RELEASE_SECS: f64 = 0.1;
/// Frames whose peaks are computed together.
const GROUP: usize = 32;

/// Limits one stereo stream; outputs as many samples as it receives, without delay.
#[derive(Debug)]
pub(crate) struct Limiter {
    detector: Detector,
    gain: Gain,
    /// Interleaved frames: [`REACH`] frames already output, then those not yet output.
    frames: Vec<f32>,
    /// Frames whose peak is known, counted from the first in `frames`.
    n_searched: usize,
    /// Frames received and frames output.
    n_in: u64,
    n_out: u64,
}

impl Limiter {
    /// Creates a limiter at rest, for true peaks up to the amplitude `ceiling`.
    pub(crate) fn new(ceiling: f32) -> Limiter {
        Limiter {
            detector: Detector::new(ceiling),
            gain: Gain::new(ceiling),
            frames: vec![0.0; 2 * REACH],
            n_searched: REACH,
            n_in: 0,
            n_out: 0,
        }
    }

    /// Takes interleaved samples and appends to `out` those whose gain is final.
    pub(crate) fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        self.n_in += (samples.len() / 2) as u64;
        self.frames.extend_from_slice(samples);
        self.run(out);
    }

    /// Ends the stream: appends the rest to `out`.
    pub(crate) fn finish(&mut self, out: &mut Vec<f32>) {
        let n = self.frames.len() + 2 * (REACH + AHEAD);
        self.frames.resize(n, 0.0);
        self.run(out);
    }

    fn run(&mut self, out: &mut Vec<f32>) {
        let n_frames = self.frames.len() / 2;
        let mut n_done = REACH;
        while self.n_searched + REACH < n_frames {
            let n = GROUP.min(n_frames - REACH - self.n_searched);
            let from = self.n_searched - REACH;
            let window = &self.frames[2 * from..2 * (from + n + TAPS)];
            let peaks = self.detector.peaks(window, n);
            for i in 0..n {
                let gain = self.gain.next(peaks.as_ref().map_or(0.0, |p| p[i]));
                // The first gains belong to positions before the first frame.
                let at = self.n_searched + i;
                if at < AHEAD + REACH || self.n_out == self.n_in {
                    continue;
                }
                let frame = [
                    self.frames[2 * (at - AHEAD)],
                    self.frames[2 * (at - AHEAD) + 1],
                ];
                out.extend(frame.map(|s| if gain == 1.0 { s } else { s * gain }));
                self.n_out += 1;
                n_done = at - AHEAD + 1;
            }
            self.n_searched += n;
        }
        self.frames.drain(..2 * (n_done - REACH));
        self.n_searched -= n_done - REACH;
    }
}

/// Finds true peaks by interpolation with windowed sinc filters.
#[derive(Debug)]
struct Detector {
    /// One filter per point between two samples.
    filters: [[f32; TAPS]; OVERSAMPLING - 1],
    /// Below this sample peak no interpolated peak can reach the ceiling.
    harmless: f32,
}

impl Detector {
    fn new(ceiling: f32) -> Detector {
        let filters = std::array::from_fn(|phase| {
            let between = (phase + 1) as f64 / OVERSAMPLING as f64;
            let mut taps: [f64; TAPS] = std::array::from_fn(|tap| {
                let x = (tap + 1) as f64 - REACH as f64 - between;
                let window = (PI * x / (TAPS + 2) as f64).cos().powi(2);
                (PI * x).sin() / (PI * x) * window
            });
            let sum: f64 = taps.iter().sum();
            taps.iter_mut().for_each(|t| *t /= sum);
            taps.map(|t| t as f32)
        });
        let worst = filters
            .iter()
            .map(|f: &[f32; TAPS]| f.iter().map(|t| t.abs()).sum::<f32>())
            .fold(1.0, f32::max);
        Detector {
            filters,
            harmless: ceiling / worst * 0.999,
        }
    }

    /// Returns the peak of each of `n` frames (its samples and the points up to the next frame). The `window` of frames starts [`REACH`] frames
    /// before them. Returns `None` when no peak can reach the ceiling.
    fn peaks(&self, window: &[f32], n: usize) -> Option<[f32; GROUP]> {
        if window.iter().all(|s| s.abs() < self.harmless) {
            return None;
        }
        let mut lanes = [0f32; 2 * GROUP];
        let samples = &window[2 * REACH..2 * (REACH + n)];
        for (lane, sample) in lanes.iter_mut().zip(samples) {
            *lane = sample.abs();
        }
        for filter in &self.filters {
            let mut sums = [0f32; 2 * GROUP];
            for (tap, factor) in filter.iter().enumerate() {
                let shifted = &window[2 * (tap + 1)..2 * (tap + 1 + n)];
                for (sum, sample) in sums.iter_mut().zip(shifted) {
                    *sum += sample * factor;
                }
            }
            for (lane, sum) in lanes.iter_mut().zip(&sums) {
                *lane = lane.max(sum.abs());
            }
        }
        Some(std::array::from_fn(|i| lanes[2 * i].max(lanes[2 * i + 1])))
    }
}

/// Converts peaks to gains: the lowest gain required within the window, exponential release, two moving averages. Because the averages together are
/// no longer than the window, the full attenuation is reached when the peak arrives.
#[derive(Debug)]
struct Gain {
    ceiling: f32,
    n_seen: u64,
    /// Attenuations (1 - gain) that may be the maximum of a window, with their positions, in ascending order of position.
    candidates: VecDeque<(u64, f64)>,
    attenuation: f64,
    release: f64,
    smooth: [Average; 2],
}

impl Gain {
    /// Number of frames for which a peak's attenuation is held.
    const WINDOW: u64 = (ATTACK + 2 * GUARD) as u64;

    fn new(ceiling: f32) -> Gain {
        Gain {
            ceiling,
            n_seen: 0,
            candidates: VecDeque::new(),
            attenuation: 0.0,
            release: 1.0 - (-1.0 / (RELEASE_SECS * f64::from(MIX_RATE_HZ))).exp(),
            smooth: [Average::new(ATTACK / 2), Average::new(ATTACK / 2 + 1)],
        }
    }

    /// Takes the peak of the next frame and returns the gain of the frame [`AHEAD`] frames before it.
    fn next(&mut self, peak: f32) -> f32 {
        let at = self.n_seen;
        self.n_seen += 1;
        if peak > self.ceiling {
            let wanted = 1.0 - f64::from(self.ceiling) / f64::from(peak);
            while self.candidates.back().is_some_and(|c| c.1 <= wanted) {
                self.candidates.pop_back();
            }
            self.candidates.push_back((at, wanted));
        }
        while self
            .candidates
            .front()
            .is_some_and(|c| c.0 + Self::WINDOW <= at)
        {
            self.candidates.pop_front();
        }
        let held = self.candidates.front().map_or(0.0, |c| c.1);
        if held >= self.attenuation {
            self.attenuation = held;
        } else {
            self.attenuation += (held - self.attenuation) * self.release;
            if held == 0.0 && self.attenuation < 1e-5 {
                self.attenuation = 0.0;
            }
        }
        let [first, second] = &mut self.smooth;
        let smooth = second.next(first.next(self.attenuation));
        (1.0 - smooth) as f32
    }
}

/// The mean of the last values. Exactly zero when all of them are.
#[derive(Debug)]
struct Average {
    values: Vec<f64>,
    at: usize,
    sum: f64,
    n_not_zero: usize,
}

impl Average {
    fn new(n: usize) -> Average {
        Average {
            values: vec![0.0; n],
            at: 0,
            sum: 0.0,
            n_not_zero: 0,
        }
    }

    fn next(&mut self, value: f64) -> f64 {
        if value == 0.0 && self.n_not_zero == 0 {
            return 0.0;
        }
        let old = std::mem::replace(&mut self.values[self.at], value);
        self.at = (self.at + 1) % self.values.len();
        self.n_not_zero += usize::from(value != 0.0);
        self.n_not_zero -= usize::from(old != 0.0);
        self.sum += value - old;
        if self.n_not_zero == 0 {
            // Removes the rounding error left in the sum.
            self.sum = 0.0;
        }
        self.sum / self.values.len() as f64
    }
}
