//! Animated GIF: one palette for all frames, ordered dither, and only what changed.
//!
//! Ordered dither and one palette keep what stands still the same from frame to frame, so it costs nothing; error diffusion would make it flicker.

use std::borrow::Cow;
use std::io::Write;

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use kinora::error::{Error, Result};

/// Colors of the palette; one more index stands for "as before".
const N_COLORS: usize = 255;
const AS_BEFORE: u8 = 255;

/// Pixels that the palette is learned from.
const MAX_LEARNED: usize = 300_000;

/// A pixel whose channels all moved less than this since it was last drawn is not drawn again.
const MIN_CHANGE: u8 = 4;

/// Bits of a channel by which the nearest color is looked up.
const LOOKUP_BITS: u32 = 6;

/// Thresholds of an 8x8 ordered dither, 0 to 63 (Bayer 1973).
const BAYER: [[u8; 8]; 8] = [
    [0, 32, 8, 40, 2, 34, 10, 42],
    [48, 16, 56, 24, 50, 18, 58, 26],
    [12, 44, 4, 36, 14, 46, 6, 38],
    [60, 28, 52, 20, 62, 30, 54, 22],
    [3, 35, 11, 43, 1, 33, 9, 41],
    [51, 19, 59, 27, 49, 17, 57, 25],
    [15, 47, 7, 39, 13, 45, 5, 37],
    [63, 31, 55, 23, 61, 29, 53, 21],
];

/// The colors of a GIF.
pub(crate) struct Palette {
    colors: Vec<[u8; 3]>,
    /// Index of the nearest color, by the upper bits of the channels.
    nearest: Vec<u8>,
    /// How far the dither pushes a channel, from end to end.
    spread: f32,
}

impl Palette {
    /// Learns the colors from 8-bit RGB pictures.
    pub(crate) fn learn(pictures: &[Vec<u8>]) -> Palette {
        let n_pixels: usize = pictures.iter().map(|rgb| rgb.len() / 3).sum();
        let step = n_pixels.div_ceil(MAX_LEARNED).max(1);
        let pixels = pictures.iter().flat_map(|rgb| rgb.as_chunks::<3>().0);
        let learned: Vec<u8> = pixels
            .step_by(step)
            .flat_map(|[r, g, b]| [*r, *g, *b, 255])
            .collect();
        let quantizer = NeuQuant::new(1, N_COLORS, &learned);
        let map = quantizer.color_map_rgb();
        Palette::of(map.as_chunks::<3>().0.to_vec())
    }

    fn of(colors: Vec<[u8; 3]>) -> Palette {
        let n = 1u32 << LOOKUP_BITS;
        let level = |at: u32| {
            let at = at % n;
            (at << (8 - LOOKUP_BITS) | at >> (2 * LOOKUP_BITS - 8)) as u8
        };
        let nearest = (0..n * n * n).map(|at| {
            let color = [
                level(at >> (2 * LOOKUP_BITS)),
                level(at >> LOOKUP_BITS),
                level(at),
            ];
            nearest_of(&colors, color, None)
        });
        let nearest = nearest.collect();
        let gaps = colors.iter().enumerate().map(|(i, color)| {
            let other = colors[usize::from(nearest_of(&colors, *color, Some(i)))];
            (distance(*color, other) as f32).sqrt()
        });
        // Colors lie this far apart in all three channels together.
        let spread = gaps.sum::<f32>() / colors.len() as f32 / 3f32.sqrt();
        Palette {
            colors,
            nearest,
            spread,
        }
    }

    fn index_of(&self, color: [u8; 3], (x, y): (usize, usize)) -> u8 {
        let push = (f32::from(BAYER[y % 8][x % 8]) - 31.5) / 64.0 * self.spread;
        let at = color.iter().fold(0, |at, channel| {
            let pushed = (f32::from(*channel) + push).clamp(0.0, 255.0) as usize;
            at << LOOKUP_BITS | pushed >> (8 - LOOKUP_BITS)
        });
        self.nearest[at]
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.colors.iter().flatten().copied().collect();
        bytes.resize(256 * 3, 0);
        bytes
    }
}

/// Index of the color nearest to `color`, but for the one at `other_than`.
fn nearest_of(colors: &[[u8; 3]], color: [u8; 3], other_than: Option<usize>) -> u8 {
    let candidates = colors
        .iter()
        .enumerate()
        .filter(|(i, _)| Some(*i) != other_than);
    let nearest = candidates.min_by_key(|(_, other)| distance(color, **other));
    nearest.map_or(0, |(i, _)| i as u8)
}

/// Squared, channels weighted as the eye weighs them, roughly.
fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    let weights = [3, 4, 2];
    let channels = a.iter().zip(b).zip(weights);
    channels
        .map(|((a, b), weight)| weight * u32::from(a.abs_diff(b)).pow(2))
        .sum::<u32>()
        / 3
}

/// Writes frames as they come.
pub(crate) struct Animation<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    width: usize,
    /// 8-bit RGB of each pixel as it was when it was last drawn; empty before the first frame.
    drawn: Vec<u8>,
    /// The frame that is shown until something changes, and since when, in 1/100 s.
    waiting: Option<(Frame<'static>, u64)>,
}

impl<W: Write> Animation<W> {
    /// An animation of `size` (columns, rows) that loops for ever.
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn new(out: W, (width, height): (u16, u16), palette: Palette) -> Result<Self> {
        let mut encoder = Encoder::new(out, width, height, &palette.bytes()).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        Ok(Animation {
            encoder,
            palette,
            width: usize::from(width),
            drawn: Vec::new(),
            waiting: None,
        })
    }

    /// Adds a frame of 8-bit RGB that is shown from `at` (1/100 s) on.
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn frame(&mut self, rgb: &[u8], at: u64) -> Result<()> {
        let Some(frame) = self.changes(rgb) else {
            return Ok(());
        };
        self.write_waiting(at)?;
        self.waiting = Some((frame, at));
        Ok(())
    }

    /// Ends the last frame at `end` (1/100 s).
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn finish(mut self, end: u64) -> Result<W> {
        self.write_waiting(end)?;
        self.encoder.into_inner().map_err(failed)
    }

    fn write_waiting(&mut self, until: u64) -> Result<()> {
        if let Some((mut frame, since)) = self.waiting.take() {
            frame.delay = u16::try_from(until - since).unwrap_or(u16::MAX);
            self.encoder.write_frame(&frame).map_err(failed)?;
        }
        Ok(())
    }

    /// The smallest rectangle that holds every pixel that changed, those that did not "as before"; `None` when nothing changed.
    fn changes(&mut self, rgb: &[u8]) -> Option<Frame<'static>> {
        let pixels = rgb.as_chunks::<3>().0;
        let is_first = self.drawn.is_empty();
        if is_first {
            self.drawn = rgb.to_vec();
        }
        let mut indexes = vec![AS_BEFORE; pixels.len()];
        let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
        let drawn = self.drawn.as_chunks_mut::<3>().0;
        for (at, (pixel, drawn)) in pixels.iter().zip(drawn).enumerate() {
            let mut moves = pixel.iter().zip(drawn.iter()).map(|(a, b)| a.abs_diff(*b));
            if is_first || moves.any(|change| change >= MIN_CHANGE) {
                let (x, y) = (at % self.width, at / self.width);
                indexes[at] = self.palette.index_of(*pixel, (x, y));
                *drawn = *pixel;
                (left, right) = (left.min(x), right.max(x));
                (top, bottom) = (top.min(y), bottom.max(y));
            }
        }
        if left > right {
            return None;
        }
        let rows = indexes.chunks_exact(self.width).take(bottom + 1).skip(top);
        let buffer: Vec<u8> = rows.flat_map(|row| &row[left..=right]).copied().collect();
        Some(Frame {
            dispose: DisposalMethod::Keep,
            transparent: Some(AS_BEFORE),
            left: left as u16,
            top: top as u16,
            width: (right - left + 1) as u16,
            height: (bottom - top + 1) as u16,
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        })
    }
}

fn failed(e: gif::EncodingError) -> Error {
    match e {
        gif::EncodingError::Io(e) => e.into(),
        e => std::io::Error::other(e).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(width: usize, height: usize) -> Vec<u8> {
        let pixels =
            (0..width * height).map(|i| (i % width * 255 / width, i / width * 255 / height));
        pixels.flat_map(|(x, y)| [x as u8, y as u8, 128]).collect()
    }

    #[test]
    fn a_palette_is_near_to_what_it_was_learned_from() {
        let picture = ramp(64, 64);
        let palette = Palette::learn(std::slice::from_ref(&picture));
        assert_eq!(palette.colors.len(), N_COLORS);
        let pixels = picture.as_chunks::<3>().0;
        let mut error = [0i64; 3];
        for (i, pixel) in pixels.iter().enumerate() {
            let got = palette.colors[usize::from(palette.index_of(*pixel, (i % 64, i / 64)))];
            for (sum, (a, b)) in error.iter_mut().zip(pixel.iter().zip(got)) {
                *sum += i64::from(*a) - i64::from(b);
            }
        }
        // The dither adds nothing on the whole.
        let n = pixels.len() as i64;
        assert!(error.iter().all(|sum| (sum / n).abs() <= 3), "{error:?}");
    }

    #[test]
    fn only_what_changed_is_drawn_and_still_frames_last_longer() {
        let mut picture = ramp(32, 32);
        let palette = Palette::learn(std::slice::from_ref(&picture));
        let mut animation = Animation::new(Vec::new(), (32, 32), palette).unwrap();
        animation.frame(&picture, 0).unwrap();
        animation.frame(&picture, 8).unwrap();
        for (x, y) in [(4, 6), (9, 7)] {
            picture[(y * 32 + x) * 3] ^= 0x80;
        }
        animation.frame(&picture, 17).unwrap();
        let file = animation.finish(25).unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&file[..]).unwrap();
        assert_eq!(decoder.repeat(), Repeat::Infinite);
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            frames.push((
                frame.delay,
                frame.left,
                frame.top,
                frame.width,
                frame.height,
            ));
        }
        assert_eq!(frames, [(17, 0, 0, 32, 32), (8, 4, 6, 6, 2)]);
    }
}
