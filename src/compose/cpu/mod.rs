//! The CPU back end.

use super::Pictures;
use crate::error::Result;
use crate::frame::Frame;
use crate::plan::draw::DrawList;
use crate::text::Fonts;
use crate::units::Size;

/// Composes on the CPU, over tiles on the current rayon pool.
#[derive(Debug)]
pub struct Compositor {}

impl Compositor {
    /// A compositor for frames of `size`.
    pub fn new(_size: Size, _fonts: &Fonts) -> Compositor {
        Compositor {}
    }

    /// Draws a frame into the given buffer.
    pub fn draw(
        &mut self,
        list: &DrawList,
        _pictures: &Pictures,
        mut into: Frame,
    ) -> Result<Frame> {
        into.index = list.frame;
        Ok(into)
    }

    /// What composes.
    pub fn name(&self) -> String {
        "cpu".into()
    }
}
