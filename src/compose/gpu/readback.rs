//! Converts the canvas to planar YUV on the device, and reads it back through a ring of buffers.

use std::collections::VecDeque;
use std::sync::mpsc;
use std::time::Duration;

use bytemuck::{Pod, Zeroable};

use super::device::Gpu;
use super::pipelines::module;
use super::shaders::Shader;
use crate::error::Result;
use crate::frame::Frame;
use crate::units::Size;

/// Maximum number of frames in flight.
const N_SLOTS: usize = 3;

/// A frame that takes longer is considered lost. Software adapters on a busy machine need seconds at most.
const PATIENCE: Duration = Duration::from_secs(120);

// ---- gpu_data

/// Twin of `YuvParams` in shaders/yuv.wgsl: rows padded to 8 px, so that every word belongs to one invocation.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct YuvParams {
    /// Columns of the canvas.
    pub width: u32,
    /// Rows of the canvas.
    pub height: u32,
    /// Words per row of luma.
    pub luma_stride: u32,
    /// Words per row of chroma.
    pub chroma_stride: u32,
    /// First word of Cb.
    pub u_start: u32,
    /// First word of Cr.
    pub v_start: u32,
}

impl YuvParams {
    fn new(size: Size) -> YuvParams {
        let chroma_stride = size.width.div_ceil(8);
        let luma_stride = 2 * chroma_stride;
        let u_start = luma_stride * size.height;
        YuvParams {
            width: size.width,
            height: size.height,
            luma_stride,
            chroma_stride,
            u_start,
            v_start: u_start + chroma_stride * size.height / 2,
        }
    }

    fn n_bytes(&self) -> u64 {
        4 * u64::from(self.v_start + self.chroma_stride * self.height / 2)
    }
}

// ---- per frame

/// A submitted frame.
#[derive(Debug)]
struct InFlight {
    slot: usize,
    submission: wgpu::SubmissionIndex,
    frame: Frame,
    mapped: mpsc::Receiver<std::result::Result<(), wgpu::BufferAsyncError>>,
}

// ---- long-lived

/// The compute pipeline and the ring.
#[derive(Debug)]
pub(super) struct Readback {
    layout: YuvParams,
    pipeline: wgpu::ComputePipeline,
    bind: wgpu::BindGroup,
    planes: wgpu::Buffer,
    slots: [wgpu::Buffer; N_SLOTS],
    next: usize,
    flying: VecDeque<InFlight>,
}

impl Readback {
    /// Creates the ring for a canvas of `size`.
    pub fn new(gpu: &Gpu, size: Size, canvas: &wgpu::TextureView) -> Readback {
        let layout = YuvParams::new(size);
        let pipeline = gpu
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("yuv"),
                layout: None,
                module: &module(gpu, Shader::Yuv),
                entry_point: Some("planar"),
                compilation_options: Default::default(),
                cache: None,
            });
        let buffer = |size, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("yuv"),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let planes = buffer(
            layout.n_bytes(),
            wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        );
        let uniform = buffer(
            size_of::<YuvParams>() as u64,
            wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        );
        gpu.queue
            .write_buffer(&uniform, 0, bytemuck::bytes_of(&layout));
        let bind = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("yuv"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::TextureView(canvas),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: planes.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 2,
                    resource: uniform.as_entire_binding(),
                },
            ],
        });
        let readable = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        Readback {
            layout,
            pipeline,
            bind,
            planes,
            slots: std::array::from_fn(|_| buffer(layout.n_bytes(), readable)),
            next: 0,
            flying: VecDeque::new(),
        }
    }

    /// Returns whether every buffer of the ring is in use, so that a frame must be collected before the next is drawn.
    pub fn is_full(&self) -> bool {
        self.flying.len() == N_SLOTS
    }

    /// Appends the conversion to the frame's commands and submits them.
    pub fn launch(&mut self, gpu: &Gpu, mut encoder: wgpu::CommandEncoder, frame: Frame) {
        let slot = self.next;
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.bind, &[]);
            // One invocation writes 8x2 px; a workgroup has 8x8 invocations.
            pass.dispatch_workgroups(
                self.layout.width.div_ceil(64),
                self.layout.height.div_ceil(16),
                1,
            );
        }
        encoder.copy_buffer_to_buffer(&self.planes, 0, &self.slots[slot], 0, self.layout.n_bytes());
        let (sender, mapped) = mpsc::channel();
        encoder.map_buffer_on_submit(&self.slots[slot], wgpu::MapMode::Read, .., move |outcome| {
            // If the receiver is gone, so is the compositor, and the frame is not needed.
            let _ = sender.send(outcome);
        });
        let submission = gpu.queue.submit([encoder.finish()]);
        self.next = (slot + 1) % N_SLOTS;
        self.flying.push_back(InFlight {
            slot,
            submission,
            frame,
            mapped,
        });
    }

    /// Waits for the oldest frame in flight.
    pub fn collect(&mut self, gpu: &Gpu) -> Result<Option<Frame>> {
        let Some(mut oldest) = self.flying.pop_front() else {
            return Ok(None);
        };
        gpu.device
            .poll(wgpu::PollType::Wait {
                submission_index: Some(oldest.submission),
                timeout: Some(PATIENCE),
            })
            .map_err(|e| gpu.error(e))?;
        gpu.check()?;
        match oldest.mapped.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(e)) => return Err(gpu.error(e)),
            Err(_) => return Err(gpu.error("a finished frame could not be mapped")),
        }
        let buffer = &self.slots[oldest.slot];
        let view = buffer.get_mapped_range(..).map_err(|e| gpu.error(e))?;
        self.layout.unpack(&view, &mut oldest.frame);
        drop(view);
        buffer.unmap();
        Ok(Some(oldest.frame))
    }
}

impl YuvParams {
    /// Copies the planes out of the padded rows.
    fn unpack(&self, padded: &[u8], frame: &mut Frame) {
        if self.width.is_multiple_of(8) {
            frame.as_bytes_mut().copy_from_slice(padded);
            return;
        }
        let starts = [0, self.u_start, self.v_start];
        let strides = [self.luma_stride, self.chroma_stride, self.chroma_stride];
        let widths = [self.width, self.width / 2, self.width / 2];
        for (i, plane) in frame.planes_mut().into_iter().enumerate() {
            let from = padded[4 * starts[i] as usize..].chunks(4 * strides[i] as usize);
            for (row, padded_row) in plane.chunks_exact_mut(widths[i] as usize).zip(from) {
                row.copy_from_slice(&padded_row[..row.len()]);
            }
        }
    }
}
