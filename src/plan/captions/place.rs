//! Placement of captions: scale, anchors and the areas that apps cover with their own controls.

use crate::timeline::CaptionPosition;
use crate::units::{Rect, Size};

/// Maximum width of a block as a share of the canvas's width.
const MAX_WIDTH: f32 = 0.84;

/// From this height-to-width ratio on, a canvas is shown full-screen on phones, under the app's controls.
const TALL: f32 = 1.4;

/// Scale of text at 16:9 relative to 9:16, each seen at its usual distance.
const LANDSCAPE_SCALE: f32 = 0.8;

/// Parts of a tall canvas that apps cover: top, bottom (shares of the height) and the column of buttons at the right (share of the width).
const COVERED_TOP: f32 = 250.0 / 1920.0;
const COVERED_BOTTOM: f32 = 420.0 / 1920.0;
const COVERED_RIGHT: f32 = 170.0 / 1080.0;

/// Margin kept on other canvases (the title-safe area of television is 5 %).
const MARGIN: f32 = 0.05;

/// Placement of a caption block on a canvas, in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    /// Center of the block.
    pub(super) center: [f32; 2],
    /// Maximum line width.
    pub(super) max_width: f32,
    /// Rows between which the block stays if possible.
    pub(super) rows: [f32; 2],
}

/// Returns canvas px per style px.
pub(super) fn style_scale(canvas: Size) -> f32 {
    let (w, h) = (canvas.width as f32, canvas.height as f32);
    if w <= h {
        w / 1080.0
    } else {
        h / 1080.0 * LANDSCAPE_SCALE
    }
}

/// Returns where captions at `position` are placed.
pub(super) fn spot(canvas: Size, position: CaptionPosition) -> Spot {
    let (w, h) = (canvas.width as f32, canvas.height as f32);
    let tall = h >= w * TALL;
    let anchors = if tall {
        [0.20, 0.50, 0.74]
    } else {
        [0.12, 0.50, 0.88]
    };
    let anchor = match position {
        CaptionPosition::Top => anchors[0],
        CaptionPosition::Center => anchors[1],
        CaptionPosition::Bottom => anchors[2],
    };
    let (top, bottom) = if tall {
        (COVERED_TOP, COVERED_BOTTOM)
    } else {
        (MARGIN, MARGIN)
    };
    // The column of buttons begins below the upper third; a centered block keeps clear of it on both sides.
    let beside_buttons = tall && position != CaptionPosition::Top;
    let width = if beside_buttons {
        MAX_WIDTH.min(1.0 - 2.0 * COVERED_RIGHT)
    } else {
        MAX_WIDTH
    };
    Spot {
        center: [w / 2.0, h * anchor],
        max_width: w * width,
        rows: [h * top, h * (1.0 - bottom)],
    }
}

impl Spot {
    /// Returns the part of the canvas available to the block.
    pub(super) fn room(&self) -> Rect {
        Rect {
            x: self.center[0] - self.max_width / 2.0,
            y: self.rows[0],
            width: self.max_width,
            height: self.rows[1] - self.rows[0],
        }
    }

    /// Returns how far a block whose letters reach from `top` to `bottom` (relative to its center) must move down to stay in the rows; usually 0.
    pub(super) fn nudge(&self, top: f32, bottom: f32) -> f32 {
        let (top, bottom) = (self.center[1] + top, self.center[1] + bottom);
        if bottom - top > self.rows[1] - self.rows[0] {
            0.0
        } else if top < self.rows[0] {
            self.rows[0] - top
        } else {
            (self.rows[1] - bottom).min(0.0)
        }
    }
}
