//! Paints prepared layers onto rows of a canvas or sheet.

use std::sync::Arc;

use super::blend::{blend_row, mix_row, scale_row, wipe_row};
use super::enlarged::HalfSheet;
use super::shape::{Ink, RoundedBox, mask_row, plain_row};
use super::sheet::{Px, Sheet};
use super::source::{Filter, View, add_samples};
use crate::scene::draw::Blend;
use crate::scene::draw::{Edge, Wipe};
use crate::text::RunMask;

/// A layer with everything needed to compute its pixels.
#[derive(Debug)]
pub(super) struct Ready {
    /// Canvas columns and rows it may touch: left, top, right, bottom (the last two exclusive).
    pub reach: [i32; 4],
    /// Above 0, at most 1.
    pub opacity: f32,
    /// How it blends.
    pub blend: Blend,
    /// What is painted.
    pub what: What,
}

/// What a prepared layer paints.
#[derive(Debug)]
pub(super) enum What {
    /// One premultiplied color.
    Fill(Px),
    /// A rounded box.
    Box(RoundedBox),
    /// A glyph run.
    Glyphs(Arc<RunMask>, Ink),
    /// A picture or sheet under a pose.
    Posed(Posed),
    /// A posed source that was sampled at half size.
    Enlarged(HalfSheet, Look),
    /// A sheet laid on the pixel grid: its px (0, 0) at this pixel of the canvas.
    Copied(Arc<Sheet>, [i32; 2], Look),
    /// The blurred backdrop (its px (0, 0) at this pixel of the canvas) seen through a box.
    Glass(Arc<Sheet>, [i32; 2], RoundedBox),
}

/// A source under a pose.
#[derive(Debug)]
pub(super) struct Posed {
    /// One per map; `None` for maps that show nothing.
    pub views: Vec<Option<View>>,
    /// How the area outside the source is drawn.
    pub edge: Edge,
    /// How the samples are taken.
    pub filter: Filter,
    /// Brightness and wipe.
    pub look: Look,
}

/// What a pose does to samples after they are taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Factor on the color.
    pub brightness: f32,
    /// Part of the canvas that is touched.
    pub wipe: Option<Wipe>,
}

/// Some rows of a target.
pub(super) struct Band<'a> {
    /// Whole rows.
    pub px: &'a mut [Px],
    /// Canvas column of the first pixel, canvas row of the first row.
    pub origin: [i32; 2],
    /// Columns.
    pub width: usize,
}

/// Row buffers reused between calls.
pub(super) type Scratch = (Vec<Px>, Vec<Px>);

/// Paints layers, back to front, onto a band.
pub(super) fn paint(layers: &[Ready], band: &mut Band<'_>, (scratch, mixed): &mut Scratch) {
    scratch.resize(band.width, [0.0; 4]);
    let [left, top] = band.origin;
    let n_rows = band.px.len() / band.width;
    for layer in layers {
        let [x0, y0, x1, y1] = layer.reach;
        let from = x0.max(left);
        let n = i64::from(x1.min(left + band.width as i32)) - i64::from(from);
        if n <= 0 {
            continue;
        }
        for y in y0.max(top)..y1.min(top + n_rows as i32) {
            let start = (y - top) as usize * band.width + (from - left) as usize;
            let row = &mut band.px[start..start + n as usize];
            paint_row(layer, [from, y], row, (&mut scratch[..n as usize], mixed));
        }
    }
}

fn paint_row(
    layer: &Ready,
    at: [i32; 2],
    row: &mut [Px],
    (scratch, mixed): (&mut [Px], &mut Vec<Px>),
) {
    let opacity = layer.opacity;
    match &layer.what {
        What::Fill(color) => scratch.fill(color.map(|v| v * opacity)),
        What::Box(shape) => {
            shape.row(at, scratch);
            scale_row(scratch, opacity);
        }
        What::Glyphs(mask, ink) => {
            mask_row(mask, ink, at, scratch);
            scale_row(scratch, opacity);
        }
        What::Posed(posed) => posed_row(posed, opacity, at, scratch),
        What::Enlarged(half, look) => {
            half.row(at, gain(look.brightness, opacity), mixed, scratch);
            if let Some(wipe) = &look.wipe {
                wipe_row(wipe, at, scratch);
            }
        }
        What::Copied(sheet, origin, look) => {
            let x = (at[0] - origin[0]) as usize;
            let from = &sheet.row((at[1] - origin[1]) as usize)[x..x + row.len()];
            let gain = gain(look.brightness, opacity);
            for (px, from) in scratch.iter_mut().zip(from) {
                *px = std::array::from_fn(|c| from[c] * gain[c]);
            }
            if let Some(wipe) = &look.wipe {
                wipe_row(wipe, at, scratch);
            }
        }
        What::Glass(blurred, origin, shape) => {
            let x = (at[0] - origin[0]) as usize;
            let from = &blurred.row((at[1] - origin[1]) as usize)[x..];
            plain_row(shape, [opacity; 4], at, scratch);
            mix_row(row, from, scratch);
            shape.row(at, scratch);
            scale_row(scratch, opacity);
        }
    }
    blend_row(layer.blend, row, scratch);
}

fn gain(brightness: f32, opacity: f32) -> Px {
    let color = brightness * opacity;
    [color, color, color, opacity]
}

/// Computes a row of a posed source, without what lies below.
pub(super) fn posed_row(posed: &Posed, opacity: f32, at: [i32; 2], scratch: &mut [Px]) {
    scratch.fill([0.0; 4]);
    let share = opacity / posed.views.len() as f32;
    let filter = (posed.edge, posed.filter);
    add_samples(&posed.views, filter, at, share, scratch);
    let brightness = posed.look.brightness;
    if brightness != 1.0 {
        for [r, g, b, _] in scratch.iter_mut() {
            (*r, *g, *b) = (*r * brightness, *g * brightness, *b * brightness);
        }
    }
    if let Some(wipe) = &posed.look.wipe {
        wipe_row(wipe, at, scratch);
    }
}
