//! Frosted glass on a finished frame: the codes behind a box are converted to colors, blurred, and laid over.

use super::Overlay;
use crate::compose::cpu::backdrop::Glass;
use crate::compose::cpu::paint::Ready;
use crate::compose::cpu::prepare::paint_sheet;
use crate::compose::cpu::sheet::Sheet;
use crate::compose::cpu::yuv::color;
use crate::frame::Frame;
use crate::scene::draw::Blend;
use crate::scene::draw::BoxShape;

/// A box that blurs what lies behind it.
#[derive(Debug)]
pub(in crate::compose::cpu) struct Pane {
    /// The box, drawn over what it blurs.
    pub shape: BoxShape,
    /// Standard deviation of the blur, px.
    pub sigma: f32,
    /// 0 to 1.
    pub opacity: f32,
}

impl Pane {
    /// Returns the pane as an overlay for `frame`, or `None` if it is not on the canvas.
    pub fn before(&self, frame: &Frame) -> Option<Overlay> {
        let canvas = [frame.size.width as usize, frame.size.height as usize];
        let glass = Glass::new(&self.shape, self.sigma, [0; 2], canvas)?;
        let (below, n_halved) = match glass.is_halved() {
            true => (half_size(frame, glass.from, glass.size), 1),
            false => (full_size(frame, glass.from, glass.size), 0),
        };
        let (reach, what) = glass.over(below, n_halved, [0; 2]);
        let [width, height] = [reach[2] - reach[0], reach[3] - reach[1]];
        let ready = Ready {
            reach,
            opacity: self.opacity,
            blend: Blend::Normal,
            what,
        };
        let mut sheet = Sheet::filled(width as usize, height as usize, [0.0; 4]);
        let at = [reach[0], reach[1]];
        paint_sheet(&[ready], at, &mut sheet);
        Some(Overlay::new(&sheet, at, frame.size))
    }
}

/// Returns a part of a frame as colors.
fn full_size(frame: &Frame, from: [usize; 2], [width, height]: [usize; 2]) -> Sheet {
    let stride = frame.size.width as usize;
    let [luma, cb, cr] = frame.planes();
    let mut sheet = Sheet::filled(width, height, [0.0; 4]);
    for (y, row) in (from[1]..).zip(sheet.px.chunks_exact_mut(width)) {
        for (x, px) in (from[0]..).zip(row) {
            let chroma = y / 2 * (stride / 2) + x / 2;
            *px = color([luma[y * stride + x], cb[chroma], cr[chroma]].map(f32::from));
        }
    }
    sheet
}

/// Returns the same as 2x2 means, the resolution at which chroma is stored. `from` is even.
fn half_size(frame: &Frame, from: [usize; 2], size: [usize; 2]) -> Sheet {
    let stride = frame.size.width as usize;
    let [luma, cb, cr] = frame.planes();
    let [width, height] = size.map(|side| side.div_ceil(2));
    let mut sheet = Sheet::filled(width, height, [0.0; 4]);
    for (y, row) in (from[1] / 2..).zip(sheet.px.chunks_exact_mut(width)) {
        for (x, px) in (from[0] / 2..).zip(row) {
            let four = [0, 1, stride, stride + 1].map(|i| luma[2 * y * stride + 2 * x + i]);
            let chroma = y * (stride / 2) + x;
            let mean = four.map(f32::from).iter().sum::<f32>() * 0.25;
            *px = color([mean, f32::from(cb[chroma]), f32::from(cr[chroma])]);
        }
    }
    sheet
}
