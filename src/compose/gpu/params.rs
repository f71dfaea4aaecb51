//! Parameters of all draws of a frame in one uniform buffer, addressed by dynamic offset.

use bytemuck::{Pod, Zeroable};

use super::blur::BlurParams;
use super::device::Gpu;
use super::sample::SampleParams;
use super::shape::{FillParams, GlyphParams, ShapeParams};

/// Bytes a shader may read from its offset on: the largest parameter struct, rounded up.
const WINDOW: u64 = 2048;

// ---- gpu_data

/// Twin of `Place` in shaders/place.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Place {
    /// Left, top, right, bottom in target px.
    pub rect: [f32; 4],
    /// Canvas position of the target's px (0, 0).
    pub origin: [f32; 2],
    /// Size of the target in px.
    pub size: [f32; 2],
    /// A [`Mode`].
    pub mode: u32,
    /// 0 to 1.
    pub opacity: f32,
    /// Padding: WGSL rounds the size up to 16 bytes.
    pub pad: [u32; 2],
}

/// Parameters of a draw, with a place.
pub(super) trait Placed: Pod {
    /// Returns the same parameters at a place.
    fn at(self, place: Place) -> Self;
}

macro_rules! placed {
    ($($name:ty),*) => {$(
        impl Placed for $name {
            fn at(mut self, place: Place) -> Self {
                self.place = place;
                self
            }
        }
    )*};
}

placed!(
    BlurParams,
    FillParams,
    GlyphParams,
    SampleParams,
    ShapeParams
);

/// Result of a fragment shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub(super) enum Mode {
    /// The premultiplied color.
    Plain = 0,
    /// The factor of the multiply blend.
    Factor = 1,
    /// Ones.
    Ones = 2,
    /// Alpha in all channels.
    Alpha = 3,
}

// ---- long-lived

/// The buffer and the data to be written to it for this frame.
#[derive(Debug)]
pub(super) struct Params {
    bytes: Vec<u8>,
    step: usize,
    layout: wgpu::BindGroupLayout,
    buffer: wgpu::Buffer,
    bind: wgpu::BindGroup,
}

impl Params {
    /// Creates a buffer with room for a few dozen draws; it grows.
    pub fn new(gpu: &Gpu) -> Params {
        let layout = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("params"),
                entries: &[wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Uniform,
                        has_dynamic_offset: true,
                        min_binding_size: wgpu::BufferSize::new(WINDOW),
                    },
                    count: None,
                }],
            });
        let (buffer, bind) = Self::allocate(gpu, &layout, 64 * 1024);
        Params {
            bytes: Vec::new(),
            step: gpu.device.limits().min_uniform_buffer_offset_alignment as usize,
            layout,
            buffer,
            bind,
        }
    }

    fn allocate(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        size: u64,
    ) -> (wgpu::Buffer, wgpu::BindGroup) {
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("params"),
            size,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bind = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("params"),
            layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &buffer,
                    offset: 0,
                    size: wgpu::BufferSize::new(WINDOW),
                }),
            }],
        });
        (buffer, bind)
    }

    /// Returns the layout of bind group 0 of every drawing shader.
    pub fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.layout
    }

    /// Returns bind group 0. It changes when the buffer grows, so call this after [`Params::upload`].
    pub fn bind(&self) -> &wgpu::BindGroup {
        &self.bind
    }

    /// Adds a draw's parameters; returns their offset.
    pub fn push<T: Pod>(&mut self, value: &T) -> u32 {
        const { assert!(size_of::<T>() as u64 <= WINDOW) };
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::bytes_of(value));
        self.bytes
            .resize(self.bytes.len().next_multiple_of(self.step), 0);
        u32::try_from(offset).expect("a frame's parameters are far below 4 GiB")
    }

    /// Clears the last frame's parameters.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Uploads all parameters to the device, before the next submission.
    pub fn upload(&mut self, gpu: &Gpu) {
        let needed = self.bytes.len() as u64 + WINDOW;
        if needed > self.buffer.size() {
            (self.buffer, self.bind) =
                Self::allocate(gpu, &self.layout, needed.next_power_of_two());
        }
        if !self.bytes.is_empty() {
            gpu.queue.write_buffer(&self.buffer, 0, &self.bytes);
        }
    }
}
