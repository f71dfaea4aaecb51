//! Draw lists to passes: sheets first, then what is drawn with them; one pass per target wherever nothing has to be read back in between.

use std::sync::Arc;

use bytemuck::Pod;

use super::caches::{GroupCache, MaskCache};
use super::device::Gpu;
use super::params::{Mode, Params, Placed};
use super::passes::{Draw, Pass, Target};
use super::pictures::PictureCache;
use super::pipelines::{Kind, Mix, Pipelines};
use super::sheets::{Sheet, Sheets};
use super::{sample, shape};
use crate::compose::Pictures;
use crate::compose::sampling::{blur_plan, sampled_maps};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::draw::{BoxShape, Content, DrawList, Edge, Group, Layer, PictureId, Pose};
use crate::units::{Color, Rect};

// ---- long-lived

/// The device and everything kept on it.
#[derive(Debug)]
pub(super) struct Painter {
    pub gpu: Gpu,
    pub sheets: Sheets,
    params: Params,
    pipelines: Pipelines,
    pictures: PictureCache,
    pub masks: MaskCache,
    groups: GroupCache,
    /// Bind group 1 of draws that read no texture.
    no_textures: wgpu::BindGroup,
    /// The frame so far, in order.
    pub passes: Vec<Pass>,
}

impl Painter {
    /// Takes over an open device.
    pub fn new(gpu: Gpu, fonts: &crate::text::Fonts) -> Painter {
        let params = Params::new(&gpu);
        let sheets = Sheets::new(&gpu);
        Painter {
            pipelines: Pipelines::new(&gpu, params.layout(), sheets.layout()),
            no_textures: sheets.bind(&gpu, sheets.blank(), sheets.blank()),
            params,
            sheets,
            pictures: PictureCache::default(),
            masks: MaskCache::new(fonts),
            groups: GroupCache::new(),
            passes: Vec::new(),
            gpu,
        }
    }

    /// Records the passes that draw a frame on `canvas`.
    pub fn paint(
        &mut self,
        list: &DrawList,
        pictures: &Pictures,
        canvas: &Sheet,
    ) -> Result<wgpu::CommandEncoder> {
        self.params.clear();
        self.passes.clear();
        self.masks.begin_frame();
        self.groups.begin_frame();
        self.pictures.keep_only(pictures);
        let background = [list.background.r, list.background.g, list.background.b, 1.0];
        let target = Target {
            pass: Pass::cleared(canvas, background),
            sheet: canvas.clone(),
            origin: [0, 0],
            opaque: true,
        };
        let planned = self.layers(target, &list.layers, pictures);
        self.sheets.end_frame();
        if let Err(e) = planned {
            // Sheets may be remembered whose passes will never run.
            self.groups = GroupCache::new();
            return Err(e);
        }
        self.params.upload(&self.gpu);
        let mut encoder = self
            .gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for pass in &self.passes {
            pass.record(&mut encoder, self.params.bind());
        }
        Ok(encoder)
    }

    fn layers(&mut self, mut target: Target, layers: &[Layer], pictures: &Pictures) -> Result<()> {
        for layer in layers {
            // NaN is not visible either.
            let visible = layer.opacity > 0.0;
            if !visible {
                continue;
            }
            match &layer.content {
                Content::Picture(id, pose) => {
                    self.picture(&mut target, layer, (*id, pose), pictures)?
                }
                Content::Fill(color) => self.fill(&mut target, layer, *color),
                Content::Box(shape) => self.shape(&mut target, layer, shape),
                Content::Glyphs(run) => {
                    if let Some(mask) = self.masks.get(&self.gpu, &self.sheets, run)? {
                        let area = Rect {
                            x: mask.area.x as f32,
                            y: mask.area.y as f32,
                            width: mask.area.width as f32,
                            height: mask.area.height as f32,
                        };
                        let params = shape::glyphs(&run.paint, &mask);
                        self.draw(
                            &mut target,
                            layer,
                            (Kind::Glyphs, &mask.bind, Some(area)),
                            params,
                        );
                    }
                }
                Content::BackdropBlur(shape, sigma_px) => {
                    self.frost(&mut target, layer, shape, *sigma_px)?
                }
                Content::Group(group) => self.group(&mut target, layer, group, pictures)?,
            }
        }
        self.passes.push(target.pass);
        Ok(())
    }

    /// Adds a draw to a pass.
    pub(super) fn add<T: Pod>(
        &mut self,
        pass: &mut Pass,
        (kind, mix): (Kind, Mix),
        textures: &wgpu::BindGroup,
        params: &T,
    ) {
        pass.draws.push(Draw {
            pipeline: self.pipelines.get(&self.gpu, kind, mix),
            textures: textures.clone(),
            params: self.params.push(params),
        });
    }

    /// Draws a layer's content with its blend, inside `rect` of the canvas.
    fn draw<T: Placed>(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        (kind, textures, rect): (Kind, &wgpu::BindGroup, Option<Rect>),
        params: T,
    ) {
        let Some(rect) = target.clip(rect) else {
            return;
        };
        for &(mix, mode) in Mix::of(layer.blend, target.opaque) {
            let place = target.place(rect, layer.opacity, mode);
            self.add(&mut target.pass, (kind, mix), textures, &params.at(place));
        }
    }

    fn fill(&mut self, target: &mut Target, layer: &Layer, color: Color) {
        let params = shape::fill(color);
        let textures = self.no_textures.clone();
        self.draw(target, layer, (Kind::Fill, &textures, None), params);
    }

    fn shape(&mut self, target: &mut Target, layer: &Layer, shape: &BoxShape) {
        let params = shape::shape(shape);
        let textures = self.no_textures.clone();
        let rect = Some(shape::reach(shape));
        self.draw(target, layer, (Kind::Shape, &textures, rect), params);
    }

    fn picture(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        (id, pose): (PictureId, &Pose),
        pictures: &Pictures,
    ) -> Result<()> {
        let picture = Arc::clone(pictures.get(&id).ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                format!("picture {} was not handed over", id.0),
            )
        })?);
        let last_level = if blur_plan(pose.blur_px).is_some() {
            0
        } else {
            sampled_maps(pose, [0.0; 2], picture.width, picture.height)
                .iter()
                .flatten()
                .map(|m| m.level)
                .max()
                .unwrap_or(0)
        };
        let source = self
            .pictures
            .get(&self.gpu, &self.sheets, (id, &picture), last_level)?;
        self.posed(target, layer, (source, [0.0; 2]), pose)
    }

    /// Draws a source whose px (0, 0) lies at `origin` in the space the pose maps from.
    fn posed(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        (mut source, mut origin): (Sheet, [f64; 2]),
        pose: &Pose,
    ) -> Result<()> {
        if let Some(plan) = blur_plan(pose.blur_px) {
            let (blurred, margin) = self.blurred(&source, pose.edge, &plan)?;
            source = blurred;
            origin = origin.map(|v| v - f64::from(margin));
        }
        let size = source.size();
        let maps = sampled_maps(pose, origin, size[0], size[1]);
        let last_level = maps.iter().flatten().map(|m| m.level).max().unwrap_or(0);
        source = self.with_levels(source, last_level)?;
        let Some(params) = sample::params(pose, &maps, &source) else {
            return Ok(());
        };
        let rect = sample::reach(pose, origin, size);
        self.draw(target, layer, (Kind::Sample, &source.bind, rect), params);
        Ok(())
    }

    fn group(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        group: &Group,
        pictures: &Pictures,
    ) -> Result<()> {
        let bounds = group.bounds;
        if bounds.width == 0 || bounds.height == 0 {
            return Ok(());
        }
        let size = [bounds.width, bounds.height];
        let kept = group
            .content
            .and_then(|content| self.groups.get(content, bounds));
        let sheet = match kept {
            Some(sheet) => sheet,
            None => {
                let sheet = match group.content {
                    Some(_) => {
                        let levels = vec![[0, 0, size[0] as i32, size[1] as i32]];
                        self.sheets.create(&self.gpu, size, levels)?
                    }
                    None => self.sheets.take_plain(&self.gpu, size)?,
                };
                let mark = self.sheets.mark();
                let inner = Target {
                    pass: Pass::cleared(&sheet, [0.0; 4]),
                    sheet: sheet.clone(),
                    origin: [bounds.x, bounds.y],
                    opaque: false,
                };
                self.layers(inner, &group.layers, pictures)?;
                self.sheets.release(mark, None);
                if let Some(content) = group.content {
                    self.groups.insert(content, bounds, sheet.clone());
                }
                sheet
            }
        };
        let origin = [f64::from(bounds.x), f64::from(bounds.y)];
        self.posed(target, layer, (sheet, origin), &group.pose)
    }

    /// Blurs what is drawn so far inside a box, then draws the box.
    fn frost(
        &mut self,
        target: &mut Target,
        layer: &Layer,
        shape: &BoxShape,
        sigma_px: f32,
    ) -> Result<()> {
        if let Some(plan) = blur_plan(sigma_px)
            && let Some(rect) = target.clip(Some(shape::reach(shape)))
        {
            let next = Pass::continued(&target.sheet);
            self.passes.push(std::mem::replace(&mut target.pass, next));
            let (blurred, _) = self.blurred(&target.sheet, Edge::Clamp, &plan)?;
            let params = shape::shape(shape);
            for (mix, mode) in [(Mix::Fade, Mode::Alpha), (Mix::Add, Mode::Plain)] {
                let place = target.place(rect, layer.opacity, mode);
                self.add(
                    &mut target.pass,
                    (Kind::Frost, mix),
                    &blurred.bind,
                    &params.at(place),
                );
            }
        }
        self.shape(target, layer, shape);
        Ok(())
    }
}
