//! The short way: frames of full-screen pictures under small overlays, made in planar YUV from start to end.
//!
//! Scaling and shifting commute with the conversion to YUV, and so does mixing by opacity, so a picture is converted once and each frame only resamples
//! three planes and rounds. Everything else (captions, boxes, small pictures) is drawn by the general path on a sheet of its own size, kept if it
//! repeats, and laid over. Equal to the general path within one code.

mod overlay;
mod planes;
mod resample;
mod rows;

use std::sync::Arc;

use rayon::prelude::*;

use super::prepare::{Stock, Target, paint_sheet};
use super::sheet::{Px, Sheet};
use super::yuv::{chroma, luma};
use crate::compose::sampling::{blur_plan, sampled_map};
use crate::error::Result;
use crate::frame::Frame;
use crate::plan::draw::*;
use crate::timeline::Blend;
use crate::units::Size;

pub(super) use overlay::Overlay;
pub(super) use planes::Planes;
use resample::{Axis, BLOCK, Columns, Rows};
use rows::{mix_color, mix_pairs, mix_row, round_row};

/// Rows of luma that one task makes.
const BAND_ROWS: usize = 16;

/// One step of making a row.
#[derive(Debug)]
pub(super) enum Step {
    /// A full-screen picture mixed in.
    Picture(Box<Placed>),
    /// A color mixed in: Y, Cb, Cr codes and opacity.
    Fill([f32; 3], f32),
    /// An overlay laid over, with its opacity.
    Overlay(Arc<Overlay>, f32),
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

/// The steps of a frame; `None` when it needs the general path.
pub(super) fn steps(stock: &mut Stock, list: &DrawList) -> Result<Option<Vec<Step>>> {
    let seen = |layer: &&Layer| layer.opacity > 0.0;
    if !list
        .layers
        .iter()
        .filter(seen)
        .all(|layer| is_plain(stock.size, layer))
    {
        return Ok(None);
    }
    let color = list.background;
    let mut steps = vec![Step::Fill(codes([color.r, color.g, color.b, 1.0]), 1.0)];
    // Overlays drawn anew cost as much as the general path; beyond half the canvas that is the better way.
    let mut to_draw = stock.size.area() / 2;
    for layer in list.layers.iter().filter(seen) {
        let opacity = layer.opacity.min(1.0);
        let step = match &layer.content {
            Content::Fill(color) => {
                let straight = [color.r, color.g, color.b, 1.0];
                Some(Step::Fill(codes(straight), color.a * opacity))
            }
            Content::Picture(id, pose) => match placed(stock, *id, pose, opacity)? {
                Some(placed) => Some(Step::Picture(Box::new(placed))),
                None => drawn(stock, layer, &mut to_draw)?,
            },
            Content::Group(group) if is_still(group) => kept(stock, group, opacity)?,
            _ => drawn(stock, layer, &mut to_draw)?,
        };
        let Some(step) = step else {
            return Ok(None);
        };
        if step.hides() {
            steps.clear();
        }
        steps.push(step);
    }
    Ok(Some(steps))
}

impl Step {
    /// Nothing below can be seen.
    fn hides(&self) -> bool {
        match self {
            Step::Picture(placed) => placed.opacity == 1.0,
            Step::Fill(_, opacity) => *opacity == 1.0,
            Step::Overlay(..) => false,
        }
    }
}

/// Mixes like ink on glass and can be drawn without what lies below; decided before anything is drawn.
fn is_plain(canvas: Size, layer: &Layer) -> bool {
    let alone = match &layer.content {
        Content::BackdropBlur(..) => false,
        // A turned or otherwise large picture: not worth a sheet.
        Content::Picture(_, pose) => match pose.maps.as_slice() {
            [map] => map.as_scale_shift().is_some() && pose.wipe.is_none(),
            _ => false,
        },
        Content::Group(group) => {
            let area = u64::from(group.bounds.width) * u64::from(group.bounds.height);
            is_still(group) || area <= canvas.area() as u64 / 2
        }
        Content::Fill(_) | Content::Box(_) | Content::Glyphs(_) => true,
    };
    alone && layer.blend == Blend::Normal
}

/// A group whose sheet repeats and stays in place.
fn is_still(group: &Group) -> bool {
    let pose = &group.pose;
    group.content.is_some()
        && pose.maps == [Homography::IDENTITY]
        && pose.brightness == 1.0
        && pose.wipe.is_none()
        && blur_plan(pose.blur_px).is_none()
}

/// Y, Cb, Cr codes of an opaque color.
fn codes(px: Px) -> [f32; 3] {
    let [cb, cr] = chroma(&px);
    [16.0 + luma(&px), 128.0 + cb, 128.0 + cr]
}

/// A picture that fills the canvas; `None` when it does not, or cannot be made this way.
fn placed(stock: &mut Stock, id: PictureId, pose: &Pose, opacity: f32) -> Result<Option<Placed>> {
    let picture = stock.pictures.picture(id)?;
    let blurred = blur_plan(pose.blur_px).is_some();
    if !picture.opaque || blurred || pose.wipe.is_some() || !pose.brightness.is_finite() {
        return Ok(None);
    }
    let [map] = pose.maps.as_slice() else {
        return Ok(None);
    };
    let (scale, sampled) = (
        map.as_scale_shift(),
        sampled_map(*map, picture.width, picture.height),
    );
    let (Some((sx, sy, tx, ty)), Some(sampled)) = (scale, sampled) else {
        return Ok(None);
    };
    let shrink = 0.5f64.powi(sampled.level as i32);
    let axis = |scale: f64, shift: f64| Axis {
        step: shrink / scale,
        start: -shift / scale * shrink,
    };
    let (columns, rows) = (axis(sx, tx), axis(sy, ty));
    let [width, height] = [stock.size.width, stock.size.height].map(|side| side as usize);
    let [level_width, level_height] = sampled.level_size.map(|side| side as usize);
    // Fully covered: every pixel center at least half a canvas pixel inside.
    let covers = |shift: f64, length: f64, side: usize| {
        const SLACK: f64 = 1e-4;
        shift <= SLACK && shift + length >= side as f64 - SLACK
    };
    let covered = pose.edge != Edge::Transparent
        || (covers(tx, f64::from(picture.width) * sx, width)
            && covers(ty, f64::from(picture.height) * sy, height));
    if !covered || !columns.fits(width, level_width) || !rows.fits(height, level_height) {
        return Ok(None);
    }
    Ok(Some(Placed {
        planes: stock.pictures.planes(id, sampled.level)?,
        columns: Columns::new(columns, width),
        rows,
        edge: pose.edge,
        brightness: pose.brightness,
        opacity,
    }))
}

/// The overlay of a group whose sheet repeats.
fn kept(stock: &mut Stock, group: &Group, opacity: f32) -> Result<Option<Step>> {
    let overlay = stock.overlay(group)?;
    Ok(Some(Step::Overlay(overlay, opacity)))
}

/// Any other layer, drawn for this frame alone; `None` when it is too large. An unseen one is an empty overlay.
fn drawn(stock: &mut Stock, layer: &Layer, to_draw: &mut usize) -> Result<Option<Step>> {
    let mut nothing = Sheet::filled(1, 1, [0.0; 4]);
    let ready = stock.begin(
        std::slice::from_ref(layer),
        [0; 2],
        &mut Target::Sheet(&mut nothing),
    )?;
    let size = stock.size;
    let Some(only) = ready.first() else {
        return Ok(Some(Step::Overlay(Arc::default(), 1.0)));
    };
    let [x0, y0, x1, y1] = only.reach;
    let (x0, y0) = (x0.max(0), y0.max(0));
    let width = i64::from(x1.min(size.width as i32)) - i64::from(x0);
    let height = i64::from(y1.min(size.height as i32)) - i64::from(y0);
    if width <= 0 || height <= 0 {
        return Ok(Some(Step::Overlay(Arc::default(), 1.0)));
    }
    let (width, height) = (width as usize, height as usize);
    let Some(rest) = to_draw.checked_sub(width * height) else {
        return Ok(None);
    };
    *to_draw = rest;
    let mut sheet = Sheet::filled(width, height, [0.0; 4]);
    paint_sheet(&ready, [x0, y0], &mut sheet);
    let overlay = Overlay::new(&sheet, [x0, y0], size);
    Ok(Some(Step::Overlay(Arc::new(overlay), 1.0)))
}

/// Carries out the steps, band by band; each row of the frame is written once.
pub(super) fn draw(steps: &[Step], into: &mut Frame) {
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
                    strip.make(steps, band * BAND_ROWS + 2 * i);
                    let (y0, y1) = y.split_at_mut(width);
                    round_row(&strip.luma[0], 235.0, y0);
                    round_row(&strip.luma[1], 235.0, y1);
                    round_row(&strip.chroma[0], 240.0, u);
                    round_row(&strip.chroma[1], 240.0, v);
                }
            },
        );
}

/// Two rows of luma and one of each chroma, as floats.
struct Strip {
    luma: [Vec<f32>; 2],
    chroma: [Vec<f32>; 2],
    /// Source rows summed.
    summed: Vec<f32>,
    /// A resampled row.
    row: Vec<f32>,
}

impl Strip {
    fn new(width: usize, steps: &[Step]) -> Strip {
        let buffer = |step: &Step| match step {
            Step::Picture(placed) => placed.columns.buffer_len(),
            Step::Fill(..) | Step::Overlay(..) => 0,
        };
        let rows = |n: usize| [vec![0.0; n], vec![0.0; n]];
        Strip {
            luma: rows(width + BLOCK),
            chroma: rows(width / 2),
            summed: vec![0.0; steps.iter().map(buffer).max().unwrap_or(0)],
            row: vec![0.0; width + BLOCK],
        }
    }

    /// Canvas rows `y` and `y + 1`.
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
        // Brightness pulls codes towards those of black.
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
