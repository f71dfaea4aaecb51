//! Loudness by EBU R128 (ITU-R BS.1770-4): K-weighted energies of short steps, from which the integrated loudness of any span is computed.
//!
//! Because energies are kept instead of one figure, a sound is decoded only once: the level of a trimmed piece, the location of speech and the
//! effect of a limiter are all derived from them later.

use std::ops::Range;

/// Frames per step: 20 ms at 48 kHz.
pub(crate) const STEP: u64 = 960;
/// Steps per gating block: 400 ms.
pub(crate) const BLOCK_STEPS: usize = 20;
/// Steps between gating blocks: they overlap by 75 %.
const HOP_STEPS: usize = 5;
/// Constant that BS.1770 adds to the mean square, in dB.
const OFFSET_DB: f64 = -0.691;
/// Blocks below this are ignored, in LUFS.
const ABSOLUTE_GATE: f64 = -70.0;
/// Blocks this far below the rest are ignored, in LU.
const RELATIVE_GATE: f64 = -10.0;

/// A second-order section in transposed direct form II, for both channels together.
#[derive(Clone, Debug)]
struct Section {
    b: [f64; 3],
    a: [f64; 2],
    state: [[f64; 2]; 2],
}

impl Section {
    fn new(b: [f64; 3], a: [f64; 2]) -> Section {
        Section {
            b,
            a,
            state: [[0.0; 2]; 2],
        }
    }

    #[inline]
    fn next(&mut self, x: [f64; 2]) -> [f64; 2] {
        let [s1, s2] = &mut self.state;
        let y = [0, 1].map(|c| self.b[0] * x[c] + s1[c]);
        *s1 = [0, 1].map(|c| self.b[1] * x[c] - self.a[0] * y[c] + s2[c]);
        *s2 = [0, 1].map(|c| self.b[2] * x[c] - self.a[1] * y[c]);
        y
    }

    /// Clears the residue of past sounds before it becomes denormal and slow to compute.
    fn settle(&mut self) {
        for value in self.state.as_flattened_mut() {
            if value.abs() < 1e-30 {
                *value = 0.0;
            }
        }
    }
}

/// Weights a 48 kHz stereo stream and collects its energy in steps.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    /// The shelf and the high pass of BS.1770-4, tables 1 and 2.
    shelf: Section,
    high_pass: Section,
    energy: f64,
    /// Number of frames in the current step.
    n_in_step: u64,
    steps: Vec<f32>,
}

impl Meter {
    pub(crate) fn new() -> Meter {
        Meter {
            shelf: Section::new(
                [1.53512485958697, -2.69169618940638, 1.19839281085285],
                [-1.69065929318241, 0.73248077421585],
            ),
            high_pass: Section::new([1.0, -2.0, 1.0], [-1.99004745483398, 0.99007225036621]),
            energy: 0.0,
            n_in_step: 0,
            steps: Vec::new(),
        }
    }

    /// Takes the next interleaved samples.
    pub(crate) fn push(&mut self, mut samples: &[f32]) {
        while !samples.is_empty() {
            let n = samples.len().min(2 * (STEP - self.n_in_step) as usize);
            let (now, later) = samples.split_at(n);
            let (mut shelf, mut high_pass) = (self.shelf.clone(), self.high_pass.clone());
            let mut sums = [0.0; 2];
            for frame in now.chunks_exact(2) {
                let weighted = high_pass.next(shelf.next([frame[0].into(), frame[1].into()]));
                sums = [0, 1].map(|c| sums[c] + weighted[c] * weighted[c]);
            }
            (self.shelf, self.high_pass) = (shelf, high_pass);
            self.energy += sums[0] + sums[1];
            self.n_in_step += n as u64 / 2;
            if self.n_in_step == STEP {
                self.end_step();
            }
            samples = later;
        }
    }

    fn end_step(&mut self) {
        self.steps.push(self.energy as f32);
        (self.energy, self.n_in_step) = (0.0, 0);
        self.shelf.settle();
        self.high_pass.settle();
    }

    /// Returns the energy profile of the stream.
    pub(crate) fn finish(mut self) -> Profile {
        let n_frames = self.steps.len() as u64 * STEP + self.n_in_step;
        if self.n_in_step > 0 {
            self.end_step();
        }
        Profile {
            steps: self.steps,
            n_frames,
        }
    }
}

/// The energy of a sound over time.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// Sum of the K-weighted squares of both channels, by steps of [`STEP`] frames; the last may be shorter.
    pub(crate) steps: Vec<f32>,
    /// Total number of frames.
    pub(crate) n_frames: u64,
}

impl Profile {
    /// Returns the integrated loudness of the frames in `span` in LUFS; `None` when silent (below the absolute gate). A span shorter than a gating block
    /// is measured as if it were repeated.
    pub(crate) fn integrated(&self, span: Range<u64>) -> Option<f64> {
        let (from, to) = (span.start.min(self.n_frames), span.end.min(self.n_frames));
        let first = (from / STEP) as usize;
        let end = (to.div_ceil(STEP) as usize).max(first);
        let steps = &self.steps[first..end];
        if to.saturating_sub(from) < BLOCK_STEPS as u64 * STEP || steps.len() < BLOCK_STEPS {
            let n_frames = (end as u64 * STEP).min(self.n_frames) - (first as u64 * STEP).min(to);
            let energy: f64 = steps.iter().copied().map(f64::from).sum();
            return lufs(energy / n_frames.max(1) as f64).filter(|lufs| *lufs >= ABSOLUTE_GATE);
        }
        gated(steps)
    }

    /// Returns the loudness of one step in LUFS, ungated.
    pub(crate) fn momentary(&self, step: usize) -> f64 {
        let energy = self
            .steps
            .get(step)
            .map_or(0.0, |energy| f64::from(*energy));
        lufs(energy / STEP as f64).unwrap_or(f64::NEG_INFINITY)
    }
}

/// Returns the gated mean over blocks of 400 ms (BS.1770-4, annex 1).
pub(crate) fn gated(steps: &[f32]) -> Option<f64> {
    let energy = |block: &[f32]| {
        let sum: f64 = block.iter().copied().map(f64::from).sum();
        sum / (BLOCK_STEPS as u64 * STEP) as f64
    };
    let blocks = || steps.windows(BLOCK_STEPS).step_by(HOP_STEPS).map(energy);
    let mean_above = |gate: f64| {
        let least = 10f64.powf((gate - OFFSET_DB) / 10.0);
        let (mut n, mut sum) = (0_u64, 0.0);
        for energy in blocks().filter(|energy| *energy >= least) {
            (n, sum) = (n + 1, sum + energy);
        }
        if n == 0 { None } else { lufs(sum / n as f64) }
    };
    let relative = mean_above(ABSOLUTE_GATE)? + RELATIVE_GATE;
    mean_above(relative.max(ABSOLUTE_GATE))
}

/// Returns the loudness of a mean square; `None` if it is zero.
fn lufs(mean_square: f64) -> Option<f64> {
    (mean_square > 0.0).then(|| OFFSET_DB + 10.0 * mean_square.log10())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn sine(hz: f64, amplitude: f64, n: usize) -> Vec<f32> {
        let sample = |i: usize| (amplitude * (TAU * hz * i as f64 / 48_000.0).sin()) as f32;
        (0..n).flat_map(|i| [sample(i); 2]).collect()
    }

    /// Measures with the `ebur128` crate, a separate implementation of the same standard.
    fn by_another(samples: &[f32]) -> f64 {
        let mut meter = ebur128::EbuR128::new(2, 48_000, ebur128::Mode::I).expect("a usual format");
        meter.add_frames_f32(samples).expect("whole frames");
        meter.loudness_global().expect("the mode was asked for")
    }

    fn measured(samples: &[f32]) -> Option<f64> {
        let mut meter = Meter::new();
        for piece in samples.chunks(2 * 777) {
            meter.push(piece);
        }
        meter.finish().integrated(0..u64::MAX)
    }

    #[test]
    fn a_full_scale_1_khz_sine_has_its_standard_loudness() {
        // EBU Tech 3341, case 1: -23 dBFS stereo is -23 LUFS.
        let amplitude = 10f64.powf(-23.0 / 20.0);
        let lufs = measured(&sine(1000.0, amplitude, 480_000)).expect("is loud");
        assert!((lufs + 23.0).abs() < 0.1, "{lufs}");
    }

    #[test]
    fn gating_agrees_with_another_meter() {
        // EBU Tech 3341, case 5, and tones of other frequencies.
        let mut samples = Vec::new();
        for (hz, db, secs) in [
            (1000.0, -26.0, 20),
            (60.0, -20.0, 20),
            (8000.0, -26.0, 20),
            (500.0, -50.0, 9),
            (500.0, -90.0, 9),
        ] {
            samples.extend(sine(hz, 10f64.powf(db / 20.0), 48_000 * secs));
        }
        for n in [samples.len(), 48_000, 2 * 48_000 * 25 + 222] {
            let (ours, other) = (
                measured(&samples[..n]).expect("is loud"),
                by_another(&samples[..n]),
            );
            assert!((ours - other).abs() < 0.05, "{ours} against {other}");
        }
    }

    #[test]
    fn silence_has_no_loudness_and_short_sounds_have() {
        assert_eq!(measured(&[]), None);
        assert_eq!(measured(&vec![0.0; 96_000]), None);
        assert_eq!(measured(&sine(1000.0, 1e-4, 48_000)), None);
        let long = measured(&sine(1000.0, 0.1, 48_000)).expect("is loud");
        let short = measured(&sine(1000.0, 0.1, 5_000)).expect("is loud");
        assert!((long - short).abs() < 0.3, "{long} against {short}");
    }
}
