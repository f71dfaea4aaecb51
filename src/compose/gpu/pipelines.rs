//! Render pipelines, one per kind of drawable and blending, built at first use.

use std::collections::HashMap;

use super::device::{CANVAS_FORMAT, Gpu};
use super::params::Mode;
use super::shaders::Shader;
use crate::scene::draw::Blend;

/// The shader entry point of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Fill,
    Shape,
    Frost,
    Glyphs,
    Sample,
    Halve,
    Gauss,
    Expand,
}

impl Kind {
    fn entry(self) -> (Shader, &'static str) {
        match self {
            Kind::Fill => (Shader::Fill, "fill"),
            Kind::Shape => (Shader::Shape, "shape"),
            Kind::Frost => (Shader::Shape, "frost"),
            Kind::Glyphs => (Shader::Glyphs, "glyphs"),
            Kind::Sample => (Shader::Sample, "sample"),
            Kind::Halve => (Shader::Blur, "halve"),
            Kind::Gauss => (Shader::Blur, "gauss"),
            Kind::Expand => (Shader::Blur, "expand"),
        }
    }
}

/// How a draw blends with the target: fixed-function blending, so that no backdrop is ever copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mix {
    /// Overwrites.
    Replace,
    /// Source over.
    Over,
    /// Screen.
    Screen,
    /// Multiply over an opaque backdrop.
    MultiplyOpaque,
    /// The backdrop's color times the source; alpha is unchanged. First half of multiply over a sheet.
    Scale,
    /// The source where the backdrop is not yet opaque. Second half of multiply over a sheet.
    Under,
    /// Sums of color; alpha is unchanged.
    AddOpaque,
    /// Sums of color and alpha. First half of add over a sheet, second half of frosted glass.
    Add,
    /// Alpha at most the source's. Second half of add over a sheet.
    CapAlpha,
    /// The backdrop times one minus the source's alpha. First half of frosted glass.
    Fade,
}

impl Mix {
    /// Returns the draws of a blend, over a backdrop that is opaque or not. Over a sheet (colors premultiplied; s source, b backdrop):
    /// multiply is `cb(1 - as + cs)`, then `+ cs(1 - ab)`; add sums everything, then caps alpha at 1.
    pub fn of(blend: Blend, opaque: bool) -> &'static [(Mix, Mode)] {
        match (blend, opaque) {
            (Blend::Normal, _) => &[(Mix::Over, Mode::Plain)],
            (Blend::Screen, _) => &[(Mix::Screen, Mode::Plain)],
            (Blend::Multiply, true) => &[(Mix::MultiplyOpaque, Mode::Plain)],
            (Blend::Multiply, false) => &[(Mix::Scale, Mode::Factor), (Mix::Under, Mode::Plain)],
            (Blend::Add, true) => &[(Mix::AddOpaque, Mode::Plain)],
            (Blend::Add, false) => &[(Mix::Add, Mode::Plain), (Mix::CapAlpha, Mode::Ones)],
        }
    }

    fn state(self) -> Option<wgpu::BlendState> {
        use wgpu::BlendFactor::{
            Dst, One, OneMinusDstAlpha, OneMinusSrc, OneMinusSrcAlpha, Src, Zero,
        };
        use wgpu::BlendOperation::{Add, Min};
        let part = |src_factor, dst_factor, operation| wgpu::BlendComponent {
            src_factor,
            dst_factor,
            operation,
        };
        let over = part(One, OneMinusSrcAlpha, Add);
        let keep = part(Zero, One, Add);
        let sum = part(One, One, Add);
        let (color, alpha) = match self {
            Mix::Replace => return None,
            Mix::Over => (over, over),
            Mix::Screen => (part(One, OneMinusSrc, Add), over),
            Mix::MultiplyOpaque => (part(Dst, OneMinusSrcAlpha, Add), keep),
            Mix::Scale => (part(Zero, Src, Add), keep),
            Mix::Under => (part(OneMinusDstAlpha, One, Add), over),
            Mix::AddOpaque => (sum, keep),
            Mix::Add => (sum, sum),
            Mix::CapAlpha => (keep, part(One, One, Min)),
            Mix::Fade => {
                let fade = part(Zero, OneMinusSrcAlpha, Add);
                (fade, fade)
            }
        };
        Some(wgpu::BlendState { color, alpha })
    }
}

// ---- long-lived

/// Modules and pipelines built so far.
#[derive(Debug)]
pub(super) struct Pipelines {
    layout: wgpu::PipelineLayout,
    modules: HashMap<Shader, wgpu::ShaderModule>,
    pipelines: HashMap<(Kind, Mix), wgpu::RenderPipeline>,
}

impl Pipelines {
    /// Creates an empty set of pipelines. Group 0 holds parameters, group 1 textures.
    pub fn new(
        gpu: &Gpu,
        params: &wgpu::BindGroupLayout,
        textures: &wgpu::BindGroupLayout,
    ) -> Pipelines {
        let layout = gpu
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("draw"),
                bind_group_layouts: &[Some(params), Some(textures)],
                immediate_size: 0,
            });
        Pipelines {
            layout,
            modules: HashMap::new(),
            pipelines: HashMap::new(),
        }
    }

    /// Returns the pipeline of a draw.
    pub fn get(&mut self, gpu: &Gpu, kind: Kind, mix: Mix) -> wgpu::RenderPipeline {
        if let Some(pipeline) = self.pipelines.get(&(kind, mix)) {
            return pipeline.clone();
        }
        let (shader, entry) = kind.entry();
        let module = self
            .modules
            .entry(shader)
            .or_insert_with(|| module(gpu, shader));
        let pipeline = gpu
            .device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(entry),
                layout: Some(&self.layout),
                vertex: wgpu::VertexState {
                    module,
                    entry_point: Some("vertex"),
                    compilation_options: Default::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState {
                    topology: wgpu::PrimitiveTopology::TriangleStrip,
                    ..Default::default()
                },
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module,
                    entry_point: Some(entry),
                    compilation_options: Default::default(),
                    targets: &[Some(wgpu::ColorTargetState {
                        format: CANVAS_FORMAT,
                        blend: mix.state(),
                        write_mask: wgpu::ColorWrites::ALL,
                    })],
                }),
                multiview_mask: None,
                cache: None,
            });
        self.pipelines.insert((kind, mix), pipeline.clone());
        pipeline
    }
}

/// Compiles a shader.
pub(super) fn module(gpu: &Gpu, shader: Shader) -> wgpu::ShaderModule {
    gpu.device
        .create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("kinora"),
            source: wgpu::ShaderSource::Wgsl(shader.source().into()),
        })
}
