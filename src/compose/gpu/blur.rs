//! Render passes for Gaussian blurs and mip levels of sheets.

use bytemuck::{Pod, Zeroable};

use super::painter::Painter;
use super::params::{Mode, Place};
use super::passes::Pass;
use super::pipelines::{Kind, Mix};
use super::sample::edge_code;
use super::sheets::{Sheet, atlas};
use crate::compose::sampling::{BlurPlan, level_size};
use crate::error::Result;
use crate::scene::draw::Edge;

// ---- gpu_data

/// Twin of `BlurParams` in shaders/blur.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BlurParams {
    /// Where it is drawn.
    pub place: Place,
    /// Column, row, columns, rows of the image in the texture.
    pub region: [i32; 4],
    /// Step along the filtered axis.
    pub step: [i32; 2],
    /// Columns and rows added before the image.
    pub margin: i32,
    /// An [`edge_code`].
    pub edge: u32,
    /// Source px per target px.
    pub scale: f32,
    /// Taps on each side.
    pub radius: i32,
    /// Padding: WGSL aligns the weights to 16 bytes.
    pub pad: [u32; 2],
    /// Weights of the taps.
    pub weights: [[f32; 4]; 7],
}

// ---- per frame

/// An image read by the next step.
#[derive(Clone, Debug)]
struct Image {
    bind: wgpu::BindGroup,
    region: [i32; 4],
    edge: Edge,
    margin: u32,
}

impl Image {
    fn whole(sheet: &Sheet, edge: Edge) -> Image {
        Image {
            bind: sheet.bind.clone(),
            region: sheet.levels[0],
            edge,
            margin: 0,
        }
    }

    fn params(&self) -> BlurParams {
        BlurParams {
            region: self.region,
            margin: self.margin as i32,
            edge: edge_code(self.edge),
            ..Zeroable::zeroed()
        }
    }
}

impl Painter {
    /// Returns level 0 of `source` blurred, and the number of px by which it grew on every side: `plan.margin_px` with a transparent edge, else 0.
    /// The result is taken from the pool; intermediate sheets are released.
    pub(super) fn blurred(
        &mut self,
        source: &Sheet,
        edge: Edge,
        plan: &BlurPlan,
    ) -> Result<(Sheet, u32)> {
        let margin = if edge == Edge::Transparent {
            plan.margin_px
        } else {
            0
        };
        let mark = self.sheets.mark();
        let full = source.size().map(|side| side.saturating_add(2 * margin));
        let mut image = Image {
            margin,
            ..Image::whole(source, edge)
        };
        // With the margin part of the image, its border is transparent and can be repeated.
        let later = if edge == Edge::Transparent {
            Edge::Clamp
        } else {
            edge
        };
        for level in 1..=plan.n_halvings {
            let params = image.params();
            let sheet = self.step_to(
                level_size(full[0], full[1], level),
                &image,
                (Kind::Halve, params),
            )?;
            image = Image::whole(&sheet, later);
        }
        let small = level_size(full[0], full[1], plan.n_halvings);
        let mut done = None;
        for step in [[1, 0], [0, 1]] {
            let mut params = BlurParams {
                step,
                radius: plan.radius as i32,
                ..image.params()
            };
            for (slot, weight) in params
                .weights
                .as_flattened_mut()
                .iter_mut()
                .zip(&plan.weights)
            {
                *slot = *weight;
            }
            let sheet = self.step_to(small, &image, (Kind::Gauss, params))?;
            image = Image::whole(&sheet, later);
            done = Some(sheet);
        }
        if plan.n_halvings > 0 {
            let params = BlurParams {
                scale: 0.5f32.powi(plan.n_halvings as i32),
                ..image.params()
            };
            done = Some(self.step_to(full, &image, (Kind::Expand, params))?);
        }
        self.sheets.release(mark, done.as_ref());
        Ok((done.expect("both axes were filtered"), margin))
    }

    /// Returns the sheet with mip levels 0 to `last_level`, each created on the device.
    pub(super) fn with_levels(&mut self, source: Sheet, last_level: u32) -> Result<Sheet> {
        if source.levels.len() > last_level as usize {
            return Ok(source);
        }
        let mark = self.sheets.mark();
        let [width, height] = source.size();
        let (total, regions) = atlas(width, height, last_level + 1);
        let all = self.sheets.take(&self.gpu, total, regions.clone())?;
        let mut images = vec![Image::whole(&source, Edge::Clamp)];
        for level in 1..=last_level {
            let image = &images[level as usize - 1];
            let step = (Kind::Halve, image.params());
            let sheet = self.step_to(level_size(width, height, level), image, step)?;
            images.push(Image::whole(&sheet, Edge::Clamp));
        }
        let mut pass = Pass::cleared(&all, [0.0; 4]);
        for (image, region) in images.iter().zip(&regions) {
            let params = BlurParams {
                scale: 1.0,
                ..image.params()
            };
            self.step_into(&mut pass, &all, *region, (image, Kind::Expand, params));
        }
        self.passes.push(pass);
        self.sheets.release(mark, Some(&all));
        Ok(all)
    }

    /// Records one pass onto a new sheet of `size`.
    fn step_to(
        &mut self,
        size: [u32; 2],
        image: &Image,
        (kind, params): (Kind, BlurParams),
    ) -> Result<Sheet> {
        let sheet = self.sheets.take_plain(&self.gpu, size)?;
        let mut pass = Pass::cleared(&sheet, [0.0; 4]);
        self.step_into(&mut pass, &sheet, sheet.levels[0], (image, kind, params));
        self.passes.push(pass);
        Ok(sheet)
    }

    fn step_into(
        &mut self,
        pass: &mut Pass,
        sheet: &Sheet,
        region: [i32; 4],
        (image, kind, params): (&Image, Kind, BlurParams),
    ) {
        let [x, y, w, h] = region.map(|v| v as f32);
        let params = BlurParams {
            place: Place {
                rect: [x, y, x + w, y + h],
                origin: [-x, -y],
                size: sheet.texture_size.map(|side| side as f32),
                mode: Mode::Plain as u32,
                opacity: 1.0,
                pad: [0; 2],
            },
            ..params
        };
        self.add(pass, (kind, Mix::Replace), &image.bind, &params);
    }
}
