//! The GPU back end: wgpu, the shaders in `shaders/`.

use super::Pictures;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Frame;
use crate::plan::draw::DrawList;
use crate::text::Fonts;
use crate::units::Size;

/// Composes on a GPU and reads planar YUV back through a ring of buffers.
#[derive(Debug)]
pub struct Compositor {}

impl Compositor {
    /// A compositor for frames of `size`; software adapters only when allowed.
    pub fn new(_size: Size, _fonts: &Fonts, _software_allowed: bool) -> Result<Compositor> {
        Err(Error::new(ErrorKind::Device, "no graphics adapter"))
    }

    /// Starts a frame; returns an earlier one when the ring is full.
    pub fn submit(
        &mut self,
        _list: &DrawList,
        _pictures: &Pictures,
        into: Frame,
    ) -> Result<Option<Frame>> {
        Ok(Some(into))
    }

    /// The next frame in flight.
    pub fn drain(&mut self) -> Result<Option<Frame>> {
        Ok(None)
    }

    /// The adapter.
    pub fn name(&self) -> String {
        "gpu".into()
    }
}
