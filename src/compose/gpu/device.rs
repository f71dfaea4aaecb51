//! Finds an adapter, opens a device, and turns its failures into errors.

use std::sync::{Arc, Mutex};

use crate::error::{Error, ErrorKind, Result};

/// Environment variable that selects the adapter for benches and goldens: part of its name, case-insensitive.
/// If it is not set, wgpu's own `WGPU_ADAPTER_NAME` applies.
pub const ADAPTER_VARIABLE: &str = "KINORA_ADAPTER";

/// Format of every texture that layers are drawn on.
pub(super) const CANVAS_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

const INSTALL_HINT: &str = "install a Vulkan driver: the vendor's, or a software one with `apt-get install mesa-vulkan-drivers`; or compose on the CPU";

/// An open graphics device and its first failure. Clones share both.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
    /// Largest texture side in px.
    max_side: u32,
    /// The first failure; all later ones follow from it.
    fault: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    /// Opens the best adapter: discrete before integrated before virtual; software adapters only if allowed.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if no adapter can be used; the message says what was found and what to install.
    pub fn open(software_allowed: bool) -> Result<Gpu> {
        let instance =
            wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all());
        let mut adapters = pollster::block_on(instance.enumerate_adapters(backends));
        adapters.sort_by_key(|a| rank(a.get_info().device_type));
        let wanted = std::env::var(ADAPTER_VARIABLE)
            .or_else(|_| std::env::var("WGPU_ADAPTER_NAME"))
            .ok()
            .filter(|name| !name.is_empty());
        let mut refused = Vec::new();
        for adapter in adapters {
            let info = adapter.get_info();
            match refusal(&adapter, wanted.as_deref(), software_allowed) {
                Some(why) => refused.push(format!("{}: {why}", info.name)),
                None => match Self::open_adapter(&adapter, info.clone()) {
                    Ok(gpu) => return Ok(gpu),
                    Err(e) => refused.push(format!("{}: {e}", info.name)),
                },
            }
        }
        let found = if refused.is_empty() {
            "none was found".to_owned()
        } else {
            format!("found {}", refused.join("; "))
        };
        Err(Error::new(
            ErrorKind::Device,
            format!("no graphics adapter can be used: {found} ({INSTALL_HINT})"),
        ))
    }

    /// Takes a device that the caller made. Its handlers of errors stay as they are; with wgpu's default handler, an invalid call panics.
    pub fn of(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        Gpu {
            info: device.adapter_info(),
            max_side: device.limits().max_texture_dimension_2d,
            fault: Arc::default(),
            device,
            queue,
        }
    }

    /// Returns whether the device works in software.
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    fn open_adapter(
        adapter: &wgpu::Adapter,
        info: wgpu::AdapterInfo,
    ) -> std::result::Result<Gpu, wgpu::RequestDeviceError> {
        let limits = wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits());
        let max_side = limits.max_texture_dimension_2d;
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
                label: Some("kinora"),
                required_limits: limits,
                ..Default::default()
            }))?;
        let fault = Arc::new(Mutex::new(None));
        let note = |fault: &Mutex<Option<String>>, what: String| {
            if let Ok(mut first) = fault.lock() {
                first.get_or_insert(what);
            }
        };
        let uncaptured = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| {
            note(&uncaptured, e.to_string())
        }));
        let lost = Arc::clone(&fault);
        device.set_device_lost_callback(move |reason, message| {
            note(&lost, format!("device lost ({reason:?}) {message}"));
        });
        Ok(Gpu {
            device,
            queue,
            info,
            max_side,
            fault,
        })
    }

    /// Returns the first failure since the device was opened as an error.
    pub(crate) fn check(&self) -> Result<()> {
        let fault = self.fault.lock().ok().and_then(|f| f.clone());
        match fault {
            Some(what) => Err(self.error(what)),
            None => Ok(()),
        }
    }

    /// Returns an error of this device.
    pub(super) fn error(&self, what: impl std::fmt::Display) -> Error {
        Error::new(
            ErrorKind::Device,
            format!("the graphics device {} failed: {what}", self.info.name),
        )
    }

    /// Refuses textures larger than the device's limit.
    pub(super) fn fits(&self, width: u32, height: u32, what: &str) -> Result<()> {
        if width.max(height) <= self.max_side {
            return Ok(());
        }
        Err(self.error(format_args!(
            "{what} needs {width}x{height} px, but a side can be at most {} px (use smaller pictures, or compose on the CPU)",
            self.max_side
        )))
    }

    /// Returns adapter, backend and driver.
    pub(super) fn name(&self) -> String {
        let info = &self.info;
        let name = format!(
            "{} ({:?}, {} {}",
            info.name, info.backend, info.driver, info.driver_info
        );
        format!("{})", name.trim_end())
    }
}

/// Returns the order of preference, best first.
fn rank(kind: wgpu::DeviceType) -> u8 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

/// Returns why an adapter cannot be used.
fn refusal(
    adapter: &wgpu::Adapter,
    wanted: Option<&str>,
    software_allowed: bool,
) -> Option<String> {
    let info = adapter.get_info();
    if let Some(name) = wanted
        && !info.name.to_lowercase().contains(&name.to_lowercase())
    {
        return Some(format!("not the requested adapter ({name})"));
    }
    if info.device_type == wgpu::DeviceType::Cpu && !software_allowed {
        return Some(
            "a software adapter, used only when the GPU back end is requested by name".into(),
        );
    }
    let features = adapter.get_texture_format_features(CANVAS_FORMAT);
    let drawable = features
        .allowed_usages
        .contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
        && features
            .flags
            .contains(wgpu::TextureFormatFeatureFlags::BLENDABLE);
    (!drawable).then(|| "cannot blend half-float textures".into())
}
