//! Frosted glass on a frame that is already made: the codes behind a box become colors again, are blurred, and laid over.

use super::Overlay;
use crate::compose::cpu::backdrop::glass;
use crate::compose::cpu::paint::Ready;
use crate::compose::cpu::prepare::paint_sheet;
use crate::compose::cpu::shape::RoundedBox;
use crate::compose::cpu::sheet::Sheet;
use crate::compose::cpu::yuv::color;
use crate::compose::sampling::blur_plan;
use crate::frame::Frame;
use crate::plan::draw::BoxShape;
use crate::timeline::Blend;

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
    /// What the pane looks like before `frame`; `None` when it is not on the canvas.
    pub fn before(&self, frame: &Frame) -> Option<Overlay> {
        let reach = RoundedBox::new(&self.shape)?.reach();
        // Starting on whole steps of the blur keeps its 2x2 means those of the whole frame.
        let (margin, step) =
            blur_plan(self.sigma).map_or((0, 1), |plan| (plan.margin_px, 1 << plan.n_halvings));
        let span = |low: i32, high: i32, side: u32| {
            let (margin, side) = (i64::from(margin), i64::from(side));
            let low = (i64::from(low) - margin).clamp(0, side) / step * step;
            let high = (i64::from(high) + margin).clamp(low, side);
            [low as usize, high as usize]
        };
        let [x0, x1] = span(reach[0], reach[2], frame.size.width);
        let [y0, y1] = span(reach[1], reach[3], frame.size.height);
        if x0 == x1 || y0 == y1 {
            return None;
        }
        let below = part(frame, [x0, x1], [y0, y1]);
        let (reach, what) = glass(&self.shape, self.sigma, [x0 as i32, y0 as i32], &below)?;
        let at = [reach[0].max(x0 as i32), reach[1].max(y0 as i32)];
        let [width, height] = [
            reach[2].min(x1 as i32) - at[0],
            reach[3].min(y1 as i32) - at[1],
        ];
        if width <= 0 || height <= 0 {
            return None;
        }
        let ready = Ready {
            reach,
            opacity: self.opacity,
            blend: Blend::Normal,
            what,
        };
        let mut sheet = Sheet::filled(width as usize, height as usize, [0.0; 4]);
        paint_sheet(&[ready], at, &mut sheet);
        Some(Overlay::new(&sheet, at, frame.size))
    }
}

/// A part of a frame as colors.
fn part(frame: &Frame, [x0, x1]: [usize; 2], [y0, y1]: [usize; 2]) -> Sheet {
    let stride = frame.size.width as usize;
    let [luma, cb, cr] = frame.planes();
    let mut sheet = Sheet::filled(x1 - x0, y1 - y0, [0.0; 4]);
    let width = sheet.width;
    for (y, row) in (y0..y1).zip(sheet.px.chunks_exact_mut(width)) {
        let chroma = y / 2 * (stride / 2);
        for (x, px) in (x0..x1).zip(row) {
            let at = chroma + x / 2;
            *px = color([luma[y * stride + x], cb[at], cr[at]]);
        }
    }
    sheet
}
