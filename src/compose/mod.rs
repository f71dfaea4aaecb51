//! Turns draw lists into frames, on the CPU or the GPU.
//!
//! Input: a [`DrawList`] and the decoded pictures it names. Output: planar [`Frame`]s. It knows nothing about time, styles or files.
//!
//! **Working space.** Layers are blended as premultiplied, non-linear sRGB values (R'G'B'), the default space of CSS, video editors and ffmpeg's filters,
//! in which colors and opacities of styles are chosen. It is affine to Y'CbCr, so a frame in which opaque pictures fill the canvas can be
//! computed entirely in planar YUV with the same result. Values stay floats until the single rounding to 8-bit YUV, so over- and undershoot
//! of the filter cancel where layers are blended. sRGB R'G'B' is taken as BT.709 R'G'B' (same primaries, the display's curve), limited range, as in all web video.
//!
//! **Sampling.** Pictures arrive resampled to nearly one pixel per pixel at their widest view. They are sampled with a Catmull-Rom filter (4x4) of the mip
//! level whose scale is nearest above one to one; levels are 2x2 means. Outside the source: see [`Edge`](crate::scene::draw::Edge).

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Result;
use crate::frame::Frame;
use crate::media::Picture;
use crate::scene::draw::{DrawList, PictureId};
use crate::text::Fonts;
use crate::units::Size;

mod cache;
pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(not(feature = "gpu"))]
#[path = "no_gpu.rs"]
pub mod gpu;
mod sampling;
mod shutter;

/// The available decoded pictures.
pub type Pictures = HashMap<PictureId, Arc<Picture>>;

/// The back end that composes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// A hardware GPU if available, else the CPU.
    #[default]
    Auto,
    /// The GPU, including a software one (lavapipe); an error if there is none.
    Gpu,
    /// The CPU.
    Cpu,
}

/// A compositor of either back end.
#[derive(Debug)]
pub enum Compositor {
    /// Rust over rayon tiles.
    Cpu(Box<cpu::Compositor>),
    /// wgpu.
    Gpu(Box<gpu::Compositor>),
}

impl Compositor {
    /// Creates a compositor for frames of `size`.
    pub fn new(backend: Backend, size: Size, fonts: &Fonts) -> Result<Compositor> {
        Compositor::with_devices(backend, size, fonts, gpu::Gpu::open)
    }

    /// Does what [`Compositor::new`] does on a device from `open`, which is told whether a software one is allowed.
    pub(crate) fn with_devices(
        backend: Backend,
        size: Size,
        fonts: &Fonts,
        open: impl Fn(bool) -> Result<gpu::Gpu>,
    ) -> Result<Compositor> {
        let on_device =
            |software_allowed| gpu::Compositor::on(open(software_allowed)?, size, fonts);
        let gpu = match backend {
            Backend::Cpu => None,
            Backend::Gpu => Some(on_device(true)?),
            Backend::Auto => on_device(false).ok(),
        };
        Ok(match gpu {
            Some(gpu) => Compositor::Gpu(Box::new(gpu)),
            None => Compositor::Cpu(Box::new(cpu::Compositor::new(size, fonts))),
        })
    }

    /// Starts a frame in the buffer `into`. Returns an earlier frame if one is finished (the CPU finishes immediately; the GPU runs a few frames behind).
    /// Frames are returned in the order of submission. CPU work runs on the current rayon pool.
    pub fn submit(
        &mut self,
        list: &DrawList,
        pictures: &Pictures,
        into: Frame,
    ) -> Result<Option<Frame>> {
        match self {
            Compositor::Cpu(cpu) => cpu.draw(list, pictures, into).map(Some),
            Compositor::Gpu(gpu) => gpu.submit(list, pictures, into),
        }
    }

    /// Returns the next frame still in flight, or `None` if all have been returned.
    pub fn drain(&mut self) -> Result<Option<Frame>> {
        match self {
            Compositor::Cpu(_) => Ok(None),
            Compositor::Gpu(gpu) => gpu.drain(),
        }
    }

    /// Returns the compositor's name: `cpu (avx2, 2 threads)` or the adapter's name and driver.
    pub fn name(&self) -> String {
        match self {
            Compositor::Cpu(cpu) => cpu.name(),
            Compositor::Gpu(gpu) => gpu.name(),
        }
    }
}
