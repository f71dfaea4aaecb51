//! Passes over sheets, and the target that layers are drawn on.

use super::params::{Mode, Place};
use super::sheets::Sheet;
use crate::units::{Rect, within};

// ---- per frame

/// One draw call.
#[derive(Debug)]
pub(super) struct Draw {
    pub pipeline: wgpu::RenderPipeline,
    /// Bind group 1.
    pub textures: wgpu::BindGroup,
    /// Offset of its parameters.
    pub params: u32,
}

/// Draws into one sheet.
#[derive(Debug)]
pub(super) struct Pass {
    view: wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
    pub draws: Vec<Draw>,
}

impl Pass {
    /// Creates a pass that starts with a premultiplied color.
    pub fn cleared(sheet: &Sheet, color: [f32; 4]) -> Pass {
        let [r, g, b, a] = color.map(f64::from);
        Pass {
            view: sheet.view.clone(),
            load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
            draws: Vec::new(),
        }
    }

    /// Creates a pass that draws over the existing content.
    pub fn continued(sheet: &Sheet) -> Pass {
        Pass {
            view: sheet.view.clone(),
            load: wgpu::LoadOp::Load,
            draws: Vec::new(),
        }
    }

    /// Records the pass into the frame's commands; `params` is bind group 0.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, params: &wgpu::BindGroup) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: self.load,
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        for draw in &self.draws {
            pass.set_pipeline(&draw.pipeline);
            pass.set_bind_group(0, params, &[draw.params]);
            pass.set_bind_group(1, &draw.textures, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

/// A target that layers are drawn on.
#[derive(Debug)]
pub(super) struct Target {
    pub sheet: Sheet,
    /// Canvas px of the sheet's px (0, 0).
    pub origin: [i32; 2],
    /// Whether alpha is 1 everywhere.
    pub opaque: bool,
    /// Draws collected so far.
    pub pass: Pass,
}

impl Target {
    /// Returns the part of a canvas rectangle (by default all) on the sheet, as left, top, right, bottom in its px; `None` if it is empty.
    pub fn clip(&self, rect: Option<Rect>) -> Option<[f32; 4]> {
        let [w, h] = self.sheet.size().map(|side| side as f32);
        let Some(rect) = rect else {
            return Some([0.0, 0.0, w, h]);
        };
        let [ox, oy] = self.origin.map(|v| v as f32);
        let (x, y) = (rect.x - ox, rect.y - oy);
        let out = [
            within(x.floor(), 0.0, w),
            within(y.floor(), 0.0, h),
            within((x + rect.width).ceil(), 0.0, w),
            within((y + rect.height).ceil(), 0.0, h),
        ];
        (out[0] < out[2] && out[1] < out[3]).then_some(out)
    }

    /// Returns the place on the sheet for `rect` in its px.
    pub fn place(&self, rect: [f32; 4], opacity: f32, mode: Mode) -> Place {
        Place {
            rect,
            origin: self.origin.map(|v| v as f32),
            size: self.sheet.texture_size.map(|side| side as f32),
            mode: mode as u32,
            opacity,
            pad: [0; 2],
        }
    }
}
