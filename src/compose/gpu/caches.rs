//! Masks of glyph runs and finished group sheets, cached between frames.

use super::device::Gpu;
use super::sheets::{Sheet, Sheets, texture, write};
use crate::compose::cache::Lru;
use crate::error::Result;
use crate::scene::draw::GlyphRun;
use crate::text::{Fonts, RunKey, RunMask};
use crate::units::PixelRect;

/// Bytes of cached masks in addition to those on screen.
const MASK_BYTES: usize = 16 << 20;

/// Bytes of cached group sheets in addition to those on screen.
const GROUP_BYTES: usize = 64 << 20;

/// A run's mask on the device.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    /// Its area on the canvas.
    pub area: PixelRect,
    pub has_color: bool,
    /// Binds coverage, then emoji.
    pub bind: wgpu::BindGroup,
}

/// Masks of runs. Empty runs are cached too.
#[derive(Debug)]
pub(super) struct MaskCache {
    fonts: Fonts,
    masks: Lru<RunKey, Option<Mask>>,
}

impl MaskCache {
    pub fn new(fonts: &Fonts) -> MaskCache {
        MaskCache {
            fonts: fonts.clone(),
            masks: Lru::new(MASK_BYTES),
        }
    }

    /// Starts a frame: masks used only by earlier frames may now be evicted.
    pub fn begin_frame(&mut self) {
        self.masks.begin_frame();
    }

    /// Returns the mask of a run, or `None` if it covers nothing.
    pub fn get(&mut self, gpu: &Gpu, sheets: &Sheets, run: &GlyphRun) -> Result<Option<Mask>> {
        let key = RunKey::new(run);
        if let Some(mask) = self.masks.get(&key) {
            return Ok(mask);
        }
        let raster = self.fonts.rasterize(run);
        let is_empty = raster.width == 0 || raster.height == 0;
        let mask = if is_empty {
            None
        } else {
            Some(upload(gpu, sheets, &raster)?)
        };
        let n_bytes = key.n_bytes() + raster.n_bytes();
        self.masks.insert(key, mask.clone(), n_bytes);
        Ok(mask)
    }
}

fn upload(gpu: &Gpu, sheets: &Sheets, mask: &RunMask) -> Result<Mask> {
    let size = [mask.width, mask.height];
    gpu.fits(mask.width, mask.height, "a run of glyphs")?;
    let view = |format, bytes: &[u8]| {
        let texture = texture(gpu, format, size);
        write(gpu, &texture, [0, 0], size, bytes);
        texture.create_view(&wgpu::TextureViewDescriptor::default())
    };
    let coverage = view(wgpu::TextureFormat::R8Unorm, &mask.coverage);
    let color = mask
        .color
        .as_ref()
        .map(|rgba| view(wgpu::TextureFormat::Rgba8Unorm, rgba));
    Ok(Mask {
        area: PixelRect {
            x: mask.x,
            y: mask.y,
            width: mask.width,
            height: mask.height,
        },
        has_color: color.is_some(),
        bind: sheets.bind(gpu, &coverage, color.as_ref().unwrap_or(sheets.blank())),
    })
}

/// Sheets of groups with a content number.
#[derive(Debug)]
pub(super) struct GroupCache {
    sheets: Lru<(u64, PixelRect), Sheet>,
}

impl GroupCache {
    pub fn new() -> GroupCache {
        GroupCache {
            sheets: Lru::new(GROUP_BYTES),
        }
    }

    /// Starts a frame: sheets used only by earlier frames may now be evicted.
    pub fn begin_frame(&mut self) {
        self.sheets.begin_frame();
    }

    /// Returns the finished sheet of that content.
    pub fn get(&mut self, content: u64, bounds: PixelRect) -> Option<Sheet> {
        self.sheets.get(&(content, bounds))
    }

    /// Stores a sheet that does not belong to the pool.
    pub fn insert(&mut self, content: u64, bounds: PixelRect, sheet: Sheet) {
        let n_bytes = 8 * bounds.width as usize * bounds.height as usize;
        self.sheets.insert((content, bounds), sheet, n_bytes);
    }
}
