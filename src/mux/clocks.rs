//! The clocks of a file.

use crate::units::{FrameRate, MIX_RATE_HZ};

/// Minimum units per second of the video clock: QuickTime players round seeks to the clock's units.
const MIN_VIDEO_CLOCK: u32 = 1000;

/// The clocks of the file; each of them counts its times in whole units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks {
    /// Units per second of the movie: frames and audio samples both last whole units.
    pub(crate) movie: u32,
    /// Units per second of the video track.
    pub(crate) video: u32,
    /// Units of the video track in one frame.
    pub(crate) frame: u32,
    num: u32,
    den: u32,
}

impl Clocks {
    pub(crate) fn new(rate: FrameRate) -> Clocks {
        let common = gcd(rate.num(), rate.den());
        let (num, den) = (rate.num() / common, rate.den() / common);
        let factor = if num < MIN_VIDEO_CLOCK {
            MIN_VIDEO_CLOCK
        } else {
            1
        };
        // Both divide the ticks in a second, so their least common multiple does too, and it fits in 32 bits.
        let movie = MIX_RATE_HZ / gcd(MIX_RATE_HZ, num) * num;
        Clocks {
            movie,
            video: num * factor,
            frame: den * factor,
            num,
            den,
        }
    }

    pub(crate) fn movie_from_frames(self, n_frames: u64) -> u64 {
        n_frames * u64::from(self.den) * u64::from(self.movie / self.num)
    }
}

/// Converts samples to units of `movie_clock`, which is a multiple of the mix's rate.
pub(crate) fn movie_from_samples(movie_clock: u32, n_samples: u64) -> u64 {
    n_samples * u64::from(movie_clock / MIX_RATE_HZ)
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_hold_frames_and_samples_whole() {
        for (num, den) in [
            (30, 1),
            (24, 1),
            (120, 1),
            (30_000, 1001),
            (24_000, 1001),
            (60, 2),
        ] {
            let rate = FrameRate::new(num, den).expect("a good rate");
            let clocks = Clocks::new(rate);
            assert_eq!(clocks.movie % MIX_RATE_HZ, 0, "{rate}");
            assert_eq!(clocks.movie % clocks.num, 0, "{rate}");
            // A frame lasts den/num seconds on either clock.
            let (frame, video) = (u64::from(clocks.frame), u64::from(clocks.video));
            assert_eq!(frame * u64::from(num), video * u64::from(den), "{rate}");
            let movie = clocks.movie_from_frames(u64::from(num));
            assert_eq!(movie, u64::from(clocks.movie) * u64::from(den), "{rate}");
        }
    }
}
