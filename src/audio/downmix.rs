//! Mixes any channel layout down to mono or stereo, with the coefficients of ITU-R BS.775-3, Annex 4.

use symphonia::core::audio::{Channels, Position};

/// Attenuation of a channel shared between left and right, or of a surround channel: -3 dB.
const SHARED: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Factors of one source channel for the left and the right output.
type Row = [f32; 2];

/// Converts interleaved frames of any layout to interleaved mono or stereo. Low-frequency channels are dropped, as in BS.775.
#[derive(Debug, PartialEq)]
pub(crate) struct Downmix {
    rows: Vec<Row>,
    n_out: usize,
}

impl Downmix {
    /// Creates a downmix from `channels` to `n_out` (1 or 2) channels. A mono source goes to both sides unchanged.
    pub(crate) fn new(channels: &Channels, n_out: usize) -> Downmix {
        let n_in = channels.count();
        let rows = match (n_in, channels) {
            (1, _) => vec![[1.0, 1.0]],
            (_, Channels::Positioned(mask)) => mask.iter().map(row_of).collect(),
            _ => default_layout(n_in).iter().map(|p| row_of(*p)).collect(),
        };
        Downmix { rows, n_out }
    }

    /// Returns the number of source channels.
    pub(crate) fn n_in(&self) -> usize {
        self.rows.len()
    }

    /// Appends the frames of `samples` (interleaved, as many channels as the source) to `out`. NaN, and values beyond those of any float file with
    /// integer scale, become silence, so that a broken file cannot upset later filters.
    pub(crate) fn apply(&self, samples: &[f32], out: &mut Vec<f32>) {
        if self.is_identity() {
            out.extend(samples.iter().map(|s| sane(*s)));
            return;
        }
        out.reserve(samples.len() / self.rows.len() * self.n_out);
        for frame in samples.chunks_exact(self.rows.len()) {
            let (mut left, mut right) = (0.0, 0.0);
            for (sample, [to_left, to_right]) in frame.iter().zip(&self.rows) {
                left += sane(*sample) * to_left;
                right += sane(*sample) * to_right;
            }
            match self.n_out {
                1 => out.push((left + right) * 0.5),
                _ => out.extend([left, right]),
            }
        }
    }

    fn is_identity(&self) -> bool {
        match self.n_out {
            1 => self.rows.len() == 1,
            _ => self.rows == [[1.0, 0.0], [0.0, 1.0]],
        }
    }
}

/// Maximum valid sample: some programs write floats scaled like integers of up to 32 bits, and loudness is measured anyway.
const GREATEST: f32 = 2_147_483_648.0;

fn sane(sample: f32) -> f32 {
    if sample.abs() <= GREATEST {
        sample
    } else {
        0.0
    }
}

fn row_of(position: Position) -> Row {
    match position {
        Position::FRONT_LEFT | Position::FRONT_LEFT_CENTER | Position::FRONT_LEFT_WIDE => {
            [1.0, 0.0]
        }
        Position::FRONT_RIGHT | Position::FRONT_RIGHT_CENTER | Position::FRONT_RIGHT_WIDE => {
            [0.0, 1.0]
        }
        Position::REAR_LEFT
        | Position::SIDE_LEFT
        | Position::TOP_FRONT_LEFT
        | Position::TOP_REAR_LEFT
        | Position::TOP_SIDE_LEFT
        | Position::BOTTOM_FRONT_LEFT => [SHARED, 0.0],
        Position::REAR_RIGHT
        | Position::SIDE_RIGHT
        | Position::TOP_FRONT_RIGHT
        | Position::TOP_REAR_RIGHT
        | Position::TOP_SIDE_RIGHT
        | Position::BOTTOM_FRONT_RIGHT => [0.0, SHARED],
        Position::LFE1 | Position::LFE2 => [0.0, 0.0],
        _ => [SHARED, SHARED],
    }
}

/// Returns the usual layout of `n` channels without positions (the order of WAVE and of the table in BS.2051).
fn default_layout(n: usize) -> Vec<Position> {
    let l = Position::FRONT_LEFT;
    let r = Position::FRONT_RIGHT;
    let c = Position::FRONT_CENTER;
    let lfe = Position::LFE1;
    let rear = [Position::REAR_LEFT, Position::REAR_RIGHT];
    let side = [Position::SIDE_LEFT, Position::SIDE_RIGHT];
    let mut layout = match n {
        2 => vec![l, r],
        3 => vec![l, r, c],
        4 => vec![l, r, rear[0], rear[1]],
        5 => vec![l, r, c, rear[0], rear[1]],
        6 => vec![l, r, c, lfe, rear[0], rear[1]],
        7 => vec![l, r, c, lfe, Position::REAR_CENTER, side[0], side[1]],
        _ => vec![l, r, c, lfe, rear[0], rear[1], side[0], side[1]],
    };
    layout.truncate(n);
    layout
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(channels: &Channels, n_out: usize, frame: &[f32]) -> Vec<f32> {
        let mut out = Vec::new();
        Downmix::new(channels, n_out).apply(frame, &mut out);
        out
    }

    #[test]
    fn five_one_follows_bs_775() {
        let layout = Channels::Positioned(
            Position::from_wave_channel_mask(0x3f).expect("5.1 is a WAVE layout"),
        );
        let probe = |i: usize| {
            let mut frame = [0.0; 6];
            frame[i] = 1.0;
            mixed(&layout, 2, &frame)
        };
        assert_eq!(probe(0), [1.0, 0.0]);
        assert_eq!(probe(1), [0.0, 1.0]);
        assert_eq!(probe(2), [SHARED, SHARED]);
        assert_eq!(probe(3), [0.0, 0.0]);
        assert_eq!(probe(4), [SHARED, 0.0]);
        assert_eq!(probe(5), [0.0, SHARED]);
        assert_eq!(
            mixed(&Channels::Discrete(6), 2, &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
            [SHARED, 0.0]
        );
    }

    #[test]
    fn mono_and_stereo_pass_unchanged() {
        let mono = Channels::Positioned(Position::FRONT_CENTER);
        assert_eq!(mixed(&mono, 1, &[0.25, -0.5]), [0.25, -0.5]);
        assert_eq!(mixed(&mono, 2, &[0.25]), [0.25, 0.25]);
        let stereo = Channels::Positioned(Position::FRONT_LEFT | Position::FRONT_RIGHT);
        assert_eq!(mixed(&stereo, 2, &[0.25, -0.5]), [0.25, -0.5]);
    }

    #[test]
    fn broken_numbers_become_silence() {
        let stereo = Channels::Discrete(2);
        assert_eq!(mixed(&stereo, 2, &[f32::NAN, f32::INFINITY]), [0.0, 0.0]);
        assert_eq!(mixed(&stereo, 2, &[1e30, -1e30]), [0.0, 0.0]);
        let loudest = [32_767.0, -GREATEST];
        assert_eq!(mixed(&stereo, 2, &loudest), loudest);
    }
}
