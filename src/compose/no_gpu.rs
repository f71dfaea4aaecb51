//! Stands in for the GPU back end where this build leaves it out (the feature `gpu`): there is no device.

use std::convert::Infallible;

use super::Pictures;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Frame;
use crate::scene::draw::DrawList;
use crate::text::Fonts;
use crate::units::Size;

/// A graphics device, of which there is none.
#[derive(Clone, Debug)]
pub struct Gpu(Infallible);

impl Gpu {
    /// Returns an error: this build has no GPU back end.
    ///
    /// # Errors
    /// [`ErrorKind::Device`], always.
    pub fn open(_: bool) -> Result<Gpu> {
        let message = "this build of kinora composes on the CPU only (it lacks the feature `gpu`)";
        Err(Error::new(ErrorKind::Device, message))
    }

    /// Cannot be called.
    pub fn is_software(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self.0 {}
    }
}

/// A compositor on a device, of which there is none.
#[derive(Debug)]
pub struct Compositor(Infallible);

impl Compositor {
    /// Cannot be called.
    pub(crate) fn on(gpu: Gpu, _: Size, _: &Fonts) -> Result<Compositor> {
        match gpu.0 {}
    }

    pub(super) fn submit(&mut self, _: &DrawList, _: &Pictures, _: Frame) -> Result<Option<Frame>> {
        match self.0 {}
    }

    pub(super) fn drain(&mut self) -> Result<Option<Frame>> {
        match self.0 {}
    }

    pub(super) fn name(&self) -> String {
        match self.0 {}
    }
}
