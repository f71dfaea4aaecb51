//! The part of a recording that a track plays, once or repeatedly.

use std::f64::consts::FRAC_PI_2;

use super::reader::Reader;
use crate::error::Result;

/// Transition between passes: frames `[end - fade, end)` are crossfaded with `[start, start + fade)`, and playback continues from there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seam {
    /// First frame of the next pass.
    pub(crate) start: u64,
    /// End of the previous pass (exclusive).
    pub(crate) end: u64,
    /// Number of frames in which both are audible.
    pub(crate) fade: u64,
    /// Similarity of the two there, from 0 (none) to 1 (identical).
    pub(crate) correlation: f64,
}

impl Seam {
    /// Creates a hard cut from `end` to `start`.
    pub(crate) fn exact(start: u64, end: u64) -> Seam {
        Seam {
            start,
            end,
            fade: 0,
            correlation: 1.0,
        }
    }

    /// Returns the number of frames from one pass to the next.
    pub(crate) fn period(&self) -> u64 {
        self.end - self.start - self.fade
    }

    /// Returns the amplitudes of the incoming and the outgoing sound, for `progress` 0 to 1. Uncorrelated sounds add in power, identical sounds in
    /// amplitude; the cases between follow from `(r² + f² + 2ρrf) = 1`, so that the level holds through every seam.
    fn amplitudes(&self, progress: f64) -> [f64; 2] {
        let (rise, fall) = (progress * FRAC_PI_2).sin_cos();
        let level = (1.0 + 2.0 * self.correlation * rise * fall).sqrt();
        [rise / level, fall / level]
    }
}

/// Frames of a trimmed recording in order; endless if it has a seam.
pub(crate) struct Part<'a> {
    reader: Reader<'a>,
    seam: Option<Seam>,
    head: Vec<f32>,
}

impl<'a> Part<'a> {
    /// Creates a part that starts at frame `start` of the recording.
    pub(crate) fn new(mut reader: Reader<'a>, start: u64, seam: Option<Seam>) -> Part<'a> {
        reader.seek(start);
        Part {
            reader,
            seam: seam.filter(|seam| seam.period() > 0),
            head: Vec::new(),
        }
    }

    /// Appends the next `n` frames; silence after the end.
    pub(crate) fn read(&mut self, n: usize, out: &mut Vec<f32>) -> Result<()> {
        let Some(seam) = self.seam else {
            return self.reader.read(n, out);
        };
        let whole = out.len() + 2 * n;
        while out.len() < whole {
            if self.reader.at() >= seam.end {
                self.reader.seek(seam.start + seam.fade);
            }
            let (at, n_left) = (self.reader.at(), (whole - out.len()) / 2);
            if at < seam.end - seam.fade {
                let n = n_left.min((seam.end - seam.fade - at) as usize);
                self.reader.read(n, out)?;
            } else {
                let n = n_left.min((seam.end - at) as usize);
                self.cross(&seam, n, out)?;
            }
        }
        Ok(())
    }

    /// Appends `n` frames of the crossfade.
    fn cross(&mut self, seam: &Seam, n: usize, out: &mut Vec<f32>) -> Result<()> {
        if self.head.is_empty() {
            // Read only once: it is the same at every seam, and a stream would have to be restarted.
            let at = self.reader.at();
            self.reader.seek(seam.start);
            self.reader.read(seam.fade as usize, &mut self.head)?;
            self.reader.seek(at);
        }
        let first = (self.reader.at() - (seam.end - seam.fade)) as usize;
        let from = out.len();
        self.reader.read(n, out)?;
        let frames = out[from..]
            .chunks_exact_mut(2)
            .zip(self.head[2 * first..].chunks_exact(2));
        for (i, (frame, head)) in frames.enumerate() {
            let progress = ((first + i) as f64 + 0.5) / seam.fade as f64;
            let [rise, fall] = seam.amplitudes(progress).map(|a| a as f32);
            frame[0] = frame[0] * fall + head[0] * rise;
            frame[1] = frame[1] * fall + head[1] * rise;
        }
        Ok(())
    }
}
