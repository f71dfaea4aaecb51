//! Coverage of glyph runs and finished group sheets, kept from frame to frame.

use std::collections::HashMap;
use std::hash::Hash;

use super::device::Gpu;
use super::sheets::{Sheet, Sheets, texture, write};
use crate::error::Result;
use crate::plan::draw::GlyphRun;
use crate::text::{Fonts, RunMask};
use crate::units::PixelRect;

/// Bytes of masks that are kept.
const MASK_BYTES: u64 = 64 << 20;

/// Bytes of group sheets that are kept.
const GROUP_BYTES: u64 = 256 << 20;

/// A cache that forgets what was not used for longest.
#[derive(Debug)]
struct Lru<K, V> {
    entries: HashMap<K, (V, u64, u64)>,
    clock: u64,
    n_bytes: u64,
    max_bytes: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> Lru<K, V> {
    fn new(max_bytes: u64) -> Lru<K, V> {
        Lru {
            entries: HashMap::new(),
            clock: 0,
            n_bytes: 0,
            max_bytes,
        }
    }

    fn get(&mut self, key: &K) -> Option<V> {
        self.clock += 1;
        let (value, used, _) = self.entries.get_mut(key)?;
        *used = self.clock;
        Some(value.clone())
    }

    fn insert(&mut self, key: K, value: V, n_bytes: u64) {
        self.clock += 1;
        self.n_bytes += n_bytes;
        if let Some((_, _, old)) = self.entries.insert(key, (value, self.clock, n_bytes)) {
            self.n_bytes -= old;
        }
        while self.n_bytes > self.max_bytes && self.entries.len() > 1 {
            let oldest = self.entries.iter().min_by_key(|(_, (_, used, _))| *used);
            let key = oldest.expect("more than one is left").0.clone();
            if let Some((_, _, bytes)) = self.entries.remove(&key) {
                self.n_bytes -= bytes;
            }
        }
    }
}

/// A run's mask on the device.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    /// Where it lies on the canvas.
    pub area: PixelRect,
    pub has_color: bool,
    /// Coverage first, emoji second.
    pub bind: wgpu::BindGroup,
}

/// Masks of runs. An empty run is remembered too.
#[derive(Debug)]
pub(super) struct MaskCache {
    fonts: Fonts,
    masks: Lru<Vec<u32>, Option<Mask>>,
}

impl MaskCache {
    pub fn new(fonts: &Fonts) -> MaskCache {
        MaskCache {
            fonts: fonts.clone(),
            masks: Lru::new(MASK_BYTES),
        }
    }

    /// The mask of a run; `None` when it covers nothing.
    pub fn get(&mut self, gpu: &Gpu, sheets: &Sheets, run: &GlyphRun) -> Result<Option<Mask>> {
        let key = mask_key(run);
        if let Some(mask) = self.masks.get(&key) {
            return Ok(mask);
        }
        let raster = self.fonts.rasterize(run);
        self.keep(gpu, sheets, key, &raster)
    }

    /// Uploads a rasterized run.
    fn keep(
        &mut self,
        gpu: &Gpu,
        sheets: &Sheets,
        key: Vec<u32>,
        raster: &RunMask,
    ) -> Result<Option<Mask>> {
        let key_bytes = 4 * key.len() as u64;
        if raster.width == 0 || raster.height == 0 {
            self.masks.insert(key, None, key_bytes);
            return Ok(None);
        }
        let mask = upload(gpu, sheets, raster)?;
        let area = u64::from(raster.width) * u64::from(raster.height);
        let n_bytes = key_bytes + if mask.has_color { 5 * area } else { area };
        self.masks.insert(key, Some(mask.clone()), n_bytes);
        Ok(Some(mask))
    }
}

#[cfg(test)]
impl MaskCache {
    /// Takes a mask as that of a run, whatever the fonts say.
    pub fn plant(&mut self, gpu: &Gpu, sheets: &Sheets, run: &GlyphRun, raster: &RunMask) {
        self.keep(gpu, sheets, mask_key(run), raster)
            .expect("a small mask");
    }
}

/// All of a run that its mask depends on.
fn mask_key(run: &GlyphRun) -> Vec<u32> {
    let glyphs = run.glyphs.get(run.range.clone()).unwrap_or_default();
    let mut key = vec![
        run.spread_px.to_bits(),
        run.blur_px.to_bits(),
        run.offset[0].to_bits(),
        run.offset[1].to_bits(),
    ];
    for g in glyphs {
        key.extend([
            g.font,
            u32::from(g.id),
            g.size_px.to_bits(),
            g.x.to_bits(),
            g.y.to_bits(),
        ]);
    }
    key
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

/// Sheets of groups whose content has a name.
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

    /// The finished sheet of that content.
    pub fn get(&mut self, content: u64, bounds: PixelRect) -> Option<Sheet> {
        self.sheets.get(&(content, bounds))
    }

    /// Keeps a sheet that does not belong to the pool.
    pub fn insert(&mut self, content: u64, bounds: PixelRect, sheet: Sheet) {
        let n_bytes = 8 * u64::from(bounds.width) * u64::from(bounds.height);
        self.sheets.insert((content, bounds), sheet, n_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_stays() {
        let mut lru = Lru::new(10);
        lru.insert('a', 1, 5);
        lru.insert('b', 2, 5);
        assert_eq!(lru.get(&'a'), Some(1));
        lru.insert('c', 3, 5);
        assert_eq!(lru.get(&'b'), None);
        assert_eq!(lru.get(&'a'), Some(1));
        lru.insert('a', 4, 3);
        assert_eq!((lru.n_bytes, lru.get(&'a')), (8, Some(4)));
        lru.insert('d', 5, 100);
        assert_eq!(lru.entries.len(), 1);
        assert_eq!(lru.get(&'d'), Some(5));
    }
}
