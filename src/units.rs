//! Time, frame rates, picture sizes and colors as checked values.
//!
//! Input: numbers from the document. Output: values that cannot be out of range. It imports no other module.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Sub};

/// Ticks in one second. Whole for 24 to 120 fps, the NTSC /1.001 rates, 44.1, 48 and 90 kHz, so no rate rounds.
pub const TICKS_PER_SECOND: i64 = 705_600_000;

/// Sample rate of the mix and of every audio track, in Hz.
pub const MIX_RATE_HZ: u32 = 48_000;

/// Ticks in one sample of the mix.
pub const TICKS_PER_SAMPLE: i64 = TICKS_PER_SECOND / MIX_RATE_HZ as i64;

/// Clamps `value` between two computed bounds. Never panics, unlike `clamp`, which does if rounding leaves `high` below `low`.
///
/// If the bounds contradict each other, `low` wins. A NaN value becomes `low`; a NaN bound is ignored.
#[inline]
pub fn within<T: PartialOrd>(value: T, low: T, high: T) -> T {
    let value = if value > high { high } else { value };
    let is_bound = low.partial_cmp(&low).is_some();
    let is_inside = value.partial_cmp(&low).is_some_and(Ordering::is_ge);
    if is_bound && !is_inside { low } else { value }
}

/// An instant or a length, in ticks of 1/705,600,000 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// The start of the timeline.
    pub const ZERO: Time = Time(0);

    /// Converts to the nearest tick; `None` if `secs` is not finite or beyond ±10^9 s.
    pub fn from_secs(secs: f64) -> Option<Time> {
        (secs.is_finite() && secs.abs() <= 1e9)
            .then(|| Time((secs * TICKS_PER_SECOND as f64).round() as i64))
    }

    /// Converts whole milliseconds.
    pub const fn from_millis(ms: i64) -> Time {
        Time(ms * (TICKS_PER_SECOND / 1000))
    }

    /// Returns the instant of a sample of the 48 kHz mix.
    pub const fn from_samples(n: i64) -> Time {
        Time(n * TICKS_PER_SAMPLE)
    }

    /// Returns seconds, for users and logs; never for arithmetic on the timeline.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / TICKS_PER_SECOND as f64
    }

    /// Returns samples of the 48 kHz mix, rounded to the nearest.
    pub const fn as_samples(self) -> i64 {
        (self.0 + TICKS_PER_SAMPLE / 2).div_euclid(TICKS_PER_SAMPLE)
    }

    /// Returns the position of this instant in `[start, end]`, clamped to 0..=1; 1 if the span is empty.
    pub fn progress_in(self, start: Time, end: Time) -> f64 {
        if end <= start {
            return 1.0;
        }
        ((self.0 - start.0) as f64 / (end.0 - start.0) as f64).clamp(0.0, 1.0)
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0 + other.0)
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0 - other.0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} s", self.as_secs())
    }
}

/// Frames per second as a fraction, with a whole number of ticks per frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameRate {
    num: u32,
    den: u32,
}

impl FrameRate {
    /// Creates a rate of `num/den` frames per second, 1 to 120; `None` if it is out of range or a frame is not a whole number of ticks.
    pub const fn new(num: u32, den: u32) -> Option<FrameRate> {
        if num == 0 || den == 0 || num < den || num as u64 > 120 * den as u64 {
            return None;
        }
        if (TICKS_PER_SECOND * den as i64) % num as i64 != 0 {
            return None;
        }
        Some(FrameRate { num, den })
    }

    /// Returns the numerator of the fraction.
    pub const fn num(self) -> u32 {
        self.num
    }

    /// Returns the denominator of the fraction.
    pub const fn den(self) -> u32 {
        self.den
    }

    /// Returns the length of one frame.
    pub const fn frame_duration(self) -> Time {
        Time(TICKS_PER_SECOND * self.den as i64 / self.num as i64)
    }

    /// Returns the start of frame `index`.
    pub const fn time_of(self, index: u64) -> Time {
        Time(self.frame_duration().0 * index as i64)
    }

    /// Returns the frame whose start is nearest to `time` (half rounds up); 0 for negative times.
    pub const fn nearest_frame(self, time: Time) -> u64 {
        let step = self.frame_duration().0;
        let n = (time.0 + step / 2).div_euclid(step);
        if n < 0 { 0 } else { n as u64 }
    }

    /// Returns the first frame that starts at or after `time`; 0 for negative times.
    pub const fn frame_at_or_after(self, time: Time) -> u64 {
        let step = self.frame_duration().0;
        let n = (time.0 + step - 1).div_euclid(step);
        if n < 0 { 0 } else { n as u64 }
    }

    /// Returns frames per second as a float, for encoder settings and users.
    pub fn as_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

impl fmt::Display for FrameRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 {
            write!(f, "{}", self.num)
        } else {
            write!(f, "{}/{}", self.num, self.den)
        }
    }
}

/// Picture size in pixels; both sides even and 16 to 3840.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Size {
    /// Range of allowed side lengths.
    pub const SIDES: std::ops::RangeInclusive<u32> = 16..=3840;

    /// Creates a size; `None` if a side is odd or out of range.
    pub fn new(width: u32, height: u32) -> Option<Size> {
        let good = |side: u32| Self::SIDES.contains(&side) && side.is_multiple_of(2);
        (good(width) && good(height)).then_some(Size { width, height })
    }

    /// Returns the number of pixels.
    pub const fn area(self) -> usize {
        self.width as usize * self.height as usize
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A color as written: non-linear sRGB, straight alpha, each channel 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Color {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
    /// Opacity.
    pub a: f32,
}

impl Color {
    /// Opaque black.
    pub const BLACK: Color = Color {
        r: 0.0,
        g: 0.0,
        b: 0.0,
        a: 1.0,
    };
    /// Opaque white.
    pub const WHITE: Color = Color {
        r: 1.0,
        g: 1.0,
        b: 1.0,
        a: 1.0,
    };

    /// Parses `#rgb`, `#rrggbb` or `#rrggbbaa`.
    pub fn parse(text: &str) -> Option<Color> {
        let hex = text.strip_prefix('#')?;
        let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
        let byte = |i: usize| (digits[2 * i] * 16 + digits[2 * i + 1]) as f32 / 255.0;
        let nibble = |i: usize| (digits[i] * 17) as f32 / 255.0;
        match digits.len() {
            3 => Some(Color {
                r: nibble(0),
                g: nibble(1),
                b: nibble(2),
                a: 1.0,
            }),
            6 => Some(Color {
                r: byte(0),
                g: byte(1),
                b: byte(2),
                a: 1.0,
            }),
            8 => Some(Color {
                r: byte(0),
                g: byte(1),
                b: byte(2),
                a: byte(3),
            }),
            _ => None,
        }
    }

    /// Returns premultiplied `[r, g, b, a]`.
    pub fn premultiplied(self) -> [f32; 4] {
        [self.r * self.a, self.g * self.a, self.b * self.a, self.a]
    }

    /// Returns the same color with its alpha multiplied by `opacity`.
    pub fn faded(self, opacity: f32) -> Color {
        Color {
            a: self.a * opacity,
            ..self
        }
    }
}

/// An axis-aligned rectangle of canvas pixels, in floating-point pixels, y down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width, ≥ 0.
    pub width: f32,
    /// Height, ≥ 0.
    pub height: f32,
}

impl Rect {
    /// Returns the rectangle moved by an offset.
    pub(crate) fn shifted(self, [x, y]: [f32; 2]) -> Rect {
        Rect {
            x: self.x + x,
            y: self.y + y,
            ..self
        }
    }
}

/// An axis-aligned rectangle on the pixel grid (may extend outside the canvas), y down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PixelRect {
    /// Left column.
    pub x: i32,
    /// Top row.
    pub y: i32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_rates_are_whole_in_ticks() {
        for (num, den) in [
            (24, 1),
            (25, 1),
            (30, 1),
            (50, 1),
            (60, 1),
            (120, 1),
            (24_000, 1001),
            (30_000, 1001),
            (60_000, 1001),
        ] {
            let rate = FrameRate::new(num, den).expect("a common rate");
            let ten_minutes = Time(600 * TICKS_PER_SECOND);
            assert_eq!(rate.nearest_frame(rate.time_of(12_345)), 12_345);
            assert!((rate.nearest_frame(ten_minutes) as f64 - 600.0 * rate.as_f64()).abs() <= 0.5);
        }
        assert_eq!(FrameRate::new(0, 1), None);
        assert_eq!(FrameRate::new(121, 1), None);
        assert_eq!(FrameRate::new(1, 0), None);
    }

    #[test]
    fn within_never_panics() {
        assert_eq!(within(0.5, 0.0, 1.0), 0.5);
        assert_eq!(within(2.0, 0.0, 1.0), 1.0);
        assert_eq!(within(-2.0, 0.0, 1.0), 0.0);
        assert_eq!(within(7, 0, 3), 3);
        // Negative room, due to rounding.
        assert_eq!(within(0.5, 0.0, -4.5e-13), 0.0);
        assert_eq!(within(-1.0, 0.0, -4.5e-13), 0.0);
        assert_eq!(within(7, 0, -1), 0);
        let nan = f64::NAN;
        assert_eq!(within(nan, 0.0, 1.0), 0.0);
        assert_eq!(within(2.0, nan, 1.0), 1.0);
        assert_eq!(within(-2.0, nan, 1.0), -2.0);
        assert_eq!(within(2.0, 0.0, nan), 2.0);
        assert_eq!(within(-2.0, 0.0, nan), 0.0);
    }

    #[test]
    fn colors_parse() {
        assert_eq!(Color::parse("#fff"), Some(Color::WHITE));
        assert_eq!(Color::parse("#000000ff"), Some(Color::BLACK));
        for bad in ["fff", "#ff", "#gggggg", "", "#", "#12345"] {
            assert_eq!(Color::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn sizes_are_even_and_bounded() {
        assert!(Size::new(1080, 1920).is_some());
        for (w, h) in [(1081, 1920), (0, 2), (3842, 16), (16, 14)] {
            assert_eq!(Size::new(w, h), None);
        }
    }
}
