//! The short way: frames of full-screen pictures under small overlays, computed entirely in planar YUV.
//!
//! Scaling, shifting and blending by opacity commute with the conversion to YUV, so a picture is converted once and each frame only resamples
//! and rounds three planes. Everything else (captions, boxes, small pictures) is drawn by the general path on a separate sheet, which is cached if it
//! repeats, and laid over. Equal to the general path within one code.

mod glass;
mod overlay;
mod planes;
mod resample;
mod rows;
mod steps;

use std::sync::Arc;

use rayon::prelude::*;

use crate::frame::Frame;
use crate::scene::draw::Edge;

use glass::Pane;
pub(super) use overlay::Overlay;
pub(super) use planes::Planes;
use resample::{Axis, BLOCK, Columns, Rows};
use rows::{mix_color, mix_pairs, mix_row, round_row};
pub(super) use steps::{steps, steps_from_pane};

/// Number of luma rows per task.
const BAND_ROWS: usize = 16;

/// One step in computing a row.
#[derive(Debug)]
pub(super) enum Step {
    /// A full-screen picture is blended in.
    Picture(Box<Placed>),
    /// A color is blended in: Y, Cb, Cr codes and opacity.
    Fill([f32; 3], f32),
    /// An overlay is laid over with an opacity.
    Overlay(Arc<Overlay>, f32),
    /// A box blurs the result of all earlier steps.
    Pane(Pane),
}

/// A full-screen picture.
#[derive(Debug)]
pub(super) struct Placed {
    planes: Arc<Planes>,
    columns: Columns,
    rows: Axis,
    edge: Edge,
    brightness: f32,
    opacity: f32,
}

impl Step {
    /// Returns whether canvas rows `y` and `y + 1` change.
    fn touches(&self, y: usize) -> bool {
        match self {
            Step::Overlay(overlay, _) => overlay.touches(y),
            Step::Picture(_) | Step::Fill(..) | Step::Pane(_) => true,
        }
    }

    /// Returns whether the step hides everything below.
    fn hides(&self) -> bool {
        match self {
            Step::Picture(placed) => placed.opacity == 1.0,
            Step::Fill(_, opacity) => *opacity == 1.0,
            Step::Overlay(..) | Step::Pane(_) => false,
        }
    }
}

/// Executes the steps of a whole frame; each row is written once, and again where a pane covers it.
pub(super) fn draw(steps: Vec<Step>, into: &mut Frame) {
    run(steps, true, into);
}

/// Executes steps over the content of a frame.
pub(super) fn draw_over(steps: Vec<Step>, into: &mut Frame) {
    run(steps, false, into);
}

fn run(mut steps: Vec<Step>, mut is_first: bool, into: &mut Frame) {
    loop {
        let pane = steps.iter().position(|step| matches!(step, Step::Pane(_)));
        let later = steps.split_off(pane.unwrap_or(steps.len()));
        draw_rows(&steps, is_first, into);
        is_first = false;
        let mut later = later.into_iter();
        let Some(Step::Pane(pane)) = later.next() else {
            return;
        };
        let seen = pane
            .before(into)
            .map(|pane| Step::Overlay(Arc::new(pane), 1.0));
        steps = seen.into_iter().chain(later).collect();
    }
}

/// Executes the steps, band by band. Rows start from the content of the frame, except in the first run.
fn draw_rows(steps: &[Step], is_first: bool, into: &mut Frame) {
    let width = into.size.width as usize;
    let [y, u, v] = into.planes_mut();
    let chroma_len = width / 2 * (BAND_ROWS / 2);
    y.par_chunks_mut(width * BAND_ROWS)
        .zip(
            u.par_chunks_mut(chroma_len)
                .zip(v.par_chunks_mut(chroma_len)),
        )
        .enumerate()
        .for_each_init(
            || Strip::new(width, steps),
            |strip, (band, (y, (u, v)))| {
                let chroma_rows = u
                    .chunks_exact_mut(width / 2)
                    .zip(v.chunks_exact_mut(width / 2));
                for (i, (y, (u, v))) in y.chunks_exact_mut(2 * width).zip(chroma_rows).enumerate() {
                    let first = band * BAND_ROWS + 2 * i;
                    let (y0, y1) = y.split_at_mut(width);
                    if !is_first {
                        if !steps.iter().any(|step| step.touches(first)) {
                            continue;
                        }
                        strip.load([y0, y1], [u, v]);
                    }
                    strip.make(steps, first);
                    round_row(&strip.luma[0], 235.0, y0);
                    round_row(&strip.luma[1], 235.0, y1);
                    round_row(&strip.chroma[0], 240.0, u);
                    round_row(&strip.chroma[1], 240.0, v);
                }
            },
        );
}

/// Two rows of luma and one row of each chroma plane, as floats.
struct Strip {
    luma: [Vec<f32>; 2],
    chroma: [Vec<f32>; 2],
    /// Weighted sum of source rows.
    summed: Vec<f32>,
    /// A resampled row.
    row: Vec<f32>,
}

impl Strip {
    fn new(width: usize, steps: &[Step]) -> Strip {
        let buffer = |step: &Step| match step {
            Step::Picture(placed) => placed.columns.buffer_len(),
            Step::Fill(..) | Step::Overlay(..) | Step::Pane(_) => 0,
        };
        let rows = |n: usize| [vec![0.0; n], vec![0.0; n]];
        Strip {
            luma: rows(width + BLOCK),
            chroma: rows(width / 2),
            summed: vec![0.0; steps.iter().map(buffer).max().unwrap_or(0)],
            row: vec![0.0; width + BLOCK],
        }
    }

    /// Loads the rows from codes.
    fn load(&mut self, luma: [&[u8]; 2], chroma: [&[u8]; 2]) {
        let rows = self.luma.iter_mut().zip(luma);
        for (row, codes) in rows.chain(self.chroma.iter_mut().zip(chroma)) {
            for (v, code) in row.iter_mut().zip(codes) {
                *v = f32::from(*code);
            }
        }
    }

    /// Computes canvas rows `y` and `y + 1`.
    fn make(&mut self, steps: &[Step], y: usize) {
        for step in steps {
            match step {
                Step::Picture(placed) => self.mix_picture(placed, y),
                Step::Fill(codes, opacity) => {
                    for row in &mut self.luma {
                        mix_color(row, codes[0], *opacity);
                    }
                    for (row, code) in self.chroma.iter_mut().zip(&codes[1..]) {
                        mix_color(row, *code, *opacity);
                    }
                }
                // `draw` has turned it into an overlay.
                Step::Pane(_) => {}
                Step::Overlay(overlay, opacity) => {
                    overlay.lay(
                        y,
                        *opacity,
                        self.luma.each_mut().map(Vec::as_mut_slice),
                        self.chroma.each_mut().map(Vec::as_mut_slice),
                    );
                }
            }
        }
    }

    fn mix_picture(&mut self, placed: &Placed, y: usize) {
        let gain = placed.brightness;
        // Brightness pulls codes towards the codes of black.
        let (dark, gray) = (16.0 * (1.0 - gain), 128.0 * (1.0 - gain));
        for dy in 0..2 {
            let rows = Rows::of_luma(placed.rows, y + dy, gain);
            self.resample(placed, 0, rows);
            let to = &mut self.luma[dy];
            mix_row(to, &self.row, dark, placed.opacity);
        }
        let rows = Rows::of_chroma(placed.rows, y, gain);
        for c in 0..2 {
            self.resample(placed, 1 + c, rows);
            mix_pairs(&mut self.chroma[c], &self.row, gray, placed.opacity);
        }
    }

    fn resample(&mut self, placed: &Placed, plane: usize, rows: Rows) {
        let data = (placed.planes.data[plane].as_slice(), placed.planes.width);
        rows.sum(data, &placed.columns, placed.edge, &mut self.summed);
        placed.columns.filter(&self.summed, &mut self.row);
    }
}
