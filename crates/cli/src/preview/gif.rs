//! Animated GIF: one palette for each group of frames, ordered dither, and only changed pixels.
//!
//! With an ordered dither, still areas stay identical from frame to frame and cost nothing; with error diffusion they would flicker.

use std::borrow::Cow;
use std::io::Write;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use kinora::error::{Error, Result};

use super::palette::{N_COLORS, Palette};

/// The transparent index: keeps the previous pixel.
const AS_BEFORE: u8 = N_COLORS as u8;

/// Frames that share a palette and are buffered until it is chosen.
const GROUP: usize = 8;

/// A pixel is redrawn only if a channel has changed by at least this much since it was last drawn.
const MIN_CHANGE: u8 = 4;

/// Writes frames in groups as they come.
pub(crate) struct Animation<W: Write> {
    encoder: Encoder<W>,
    width: usize,
    /// Frames waiting for their palette.
    group: Vec<Vec<u8>>,
    /// Their start times, in 1/100 s.
    times: Vec<u64>,
    /// 8-bit RGB of each pixel when it was last drawn; empty before the first frame.
    drawn: Vec<u8>,
    /// The last visible frame, kept until something changes, and its start time in 1/100 s.
    waiting: Option<(Frame<'static>, u64)>,
}

impl<W: Write> Animation<W> {
    /// Creates an animation of `size` (width, height) that loops forever.
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn new(out: W, (width, height): (u16, u16)) -> Result<Self> {
        let mut encoder = Encoder::new(out, width, height, &[]).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        Ok(Animation {
            encoder,
            width: usize::from(width),
            group: Vec::new(),
            times: Vec::new(),
            drawn: Vec::new(),
            waiting: None,
        })
    }

    /// Adds a frame of 8-bit RGB, shown from `at` (1/100 s) on.
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn frame(&mut self, rgb: Vec<u8>, at: u64) -> Result<()> {
        self.group.push(rgb);
        self.times.push(at);
        if self.group.len() == GROUP {
            self.write_group()?;
        }
        Ok(())
    }

    /// Ends the last frame at `end` (1/100 s).
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn finish(mut self, end: u64) -> Result<W> {
        self.write_group()?;
        self.write_waiting(end)?;
        self.encoder.into_inner().map_err(failed)
    }

    fn write_group(&mut self) -> Result<()> {
        let group = std::mem::take(&mut self.group);
        let times = std::mem::take(&mut self.times);
        if group.is_empty() {
            return Ok(());
        }
        let mut palette = Palette::of(&group);
        for (rgb, at) in group.iter().zip(times) {
            if let Some(frame) = self.changes(rgb, &mut palette) {
                self.write_waiting(at)?;
                self.waiting = Some((frame, at));
            }
        }
        Ok(())
    }

    fn write_waiting(&mut self, until: u64) -> Result<()> {
        if let Some((mut frame, since)) = self.waiting.take() {
            frame.delay = u16::try_from(until - since).unwrap_or(u16::MAX);
            self.encoder.write_frame(&frame).map_err(failed)?;
        }
        Ok(())
    }

    /// Returns the smallest rectangle with all changed pixels, in which unchanged ones are transparent; `None` if nothing changed.
    fn changes(&mut self, rgb: &[u8], palette: &mut Palette) -> Option<Frame<'static>> {
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
                indexes[at] = palette.index_of(*pixel, (x, y));
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
            palette: Some(palette.to_bytes()),
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
    fn only_what_changed_is_drawn_and_still_frames_last_longer() {
        let mut picture = ramp(32, 32);
        let mut animation = Animation::new(Vec::new(), (32, 32)).unwrap();
        animation.frame(picture.clone(), 0).unwrap();
        animation.frame(picture.clone(), 8).unwrap();
        for (x, y) in [(4, 6), (9, 7)] {
            picture[(y * 32 + x) * 3] ^= 0x80;
        }
        animation.frame(picture.clone(), 17).unwrap();
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
