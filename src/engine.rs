//! What many jobs share: fonts, a graphics device, an encoder that the caller brings.

use std::sync::{Arc, Mutex, PoisonError};

use crate::compose::gpu::Gpu;
use crate::compose::{Backend, Compositor};
use crate::encode::{VideoEncoder, VideoSettings};
use crate::error::Result;
use crate::text::Fonts;
use crate::units::Size;

/// Opens a video encoder of the caller's for each render. It makes packets of [`VideoSettings::codec`] and starts a key frame at every
/// [`VideoSettings::keyframes`].
pub type EncoderFactory =
    Arc<dyn Fn(&VideoSettings) -> Result<Box<dyn VideoEncoder>> + Send + Sync>;

/// Shared by any number of jobs; clones share everything. All parts are optional:
///
/// ```
/// use std::sync::Arc;
/// use kinora::{Control, Engine, media::FolderAssets, text::Fonts};
///
/// # fn main() -> kinora::Result<()> {
/// let engine = Engine::builder().fonts(Fonts::default()).build();
/// let document = r#"{"version": 1, "output": {"width": 320, "height": 180}, "shots": [{"picture": "1-sea.jpg", "duration": 0.5}]}"#;
/// let assets = Arc::new(FolderAssets::new("examples/first-light"));
/// let job = engine.job_from_json(document, assets, &Control::default())?;
/// assert_eq!(job.plan().n_frames, 15);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Engine {
    fonts: Fonts,
    gpu: Device,
    encoder: Option<EncoderFactory>,
}

/// The graphics device of an engine.
#[derive(Clone)]
enum Device {
    /// Brought by the caller.
    #[cfg(feature = "gpu")]
    Given(Box<Gpu>),
    /// Opened when it is first needed, and again after a failure.
    Own(Arc<Mutex<Option<Gpu>>>),
}

impl Default for Device {
    fn default() -> Device {
        Device::Own(Arc::default())
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

/// Collects the parts of an [`Engine`].
#[derive(Debug, Default)]
pub struct EngineBuilder(Engine);

impl EngineBuilder {
    /// Sets the fonts of every job; a document may add its own.
    #[must_use]
    pub fn fonts(mut self, fonts: Fonts) -> EngineBuilder {
        self.0.fonts = fonts;
        self
    }

    /// Composes on this device, even if it works in software, unless a render asks for the CPU. Without it, a device is opened when it is first needed.
    #[cfg(feature = "gpu")]
    #[must_use]
    pub fn gpu(mut self, device: wgpu::Device, queue: wgpu::Queue) -> EngineBuilder {
        self.0.gpu = Device::Given(Box::new(Gpu::of(device, queue)));
        self
    }

    /// Encodes video with an encoder of the caller's; [`crate::Render::encoder`] no longer applies.
    #[must_use]
    pub fn encoder(mut self, factory: EncoderFactory) -> EngineBuilder {
        self.0.encoder = Some(factory);
        self
    }

    /// Returns the engine.
    #[must_use]
    pub fn build(self) -> Engine {
        self.0
    }
}

impl Engine {
    /// Starts with no parts set.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn fonts(&self) -> &Fonts {
        &self.fonts
    }

    pub(crate) fn encoder(&self) -> Option<&EncoderFactory> {
        self.encoder.as_ref()
    }

    /// Creates a compositor on the engine's device.
    pub(crate) fn compositor(
        &self,
        backend: Backend,
        size: Size,
        fonts: &Fonts,
    ) -> Result<Compositor> {
        Compositor::with_devices(backend, size, fonts, |software_allowed| {
            self.device(software_allowed)
        })
    }

    fn device(&self, software_allowed: bool) -> Result<Gpu> {
        let opened = match &self.gpu {
            #[cfg(feature = "gpu")]
            Device::Given(gpu) => return Ok(Gpu::clone(gpu)),
            Device::Own(opened) => opened,
        };
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        let usable = opened
            .as_ref()
            .filter(|gpu| gpu.check().is_ok() && (software_allowed || !gpu.is_software()));
        if let Some(gpu) = usable {
            return Ok(gpu.clone());
        }
        let gpu = Gpu::open(software_allowed)?;
        *opened = Some(gpu.clone());
        Ok(gpu)
    }
}
