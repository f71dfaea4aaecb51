//! Textures that are drawn on or sampled: the layout of their mip levels, and a pool of reusable textures.

use super::device::{CANVAS_FORMAT, Gpu};
use crate::compose::sampling::level_size;
use crate::error::Result;

/// Bytes of unused sheets kept for the next frame.
const KEPT_BYTES: u64 = 512 << 20;

/// Maximum bytes of sheets held by one frame: far above any real timeline.
const FRAME_BYTES: u64 = 3 << 30;

/// A texture with the mip levels of one image side by side.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub view: wgpu::TextureView,
    /// Bind group 1 with this texture first.
    pub bind: wgpu::BindGroup,
    /// Columns and rows of the texture.
    pub texture_size: [u32; 2],
    /// Column, row, columns, rows of each level.
    pub levels: Vec<[i32; 4]>,
}

impl Sheet {
    /// Columns and rows of level 0.
    pub fn size(&self) -> [u32; 2] {
        [self.levels[0][2] as u32, self.levels[0][3] as u32]
    }

    fn n_bytes(&self) -> u64 {
        u64::from(self.texture_size[0]) * u64::from(self.texture_size[1]) * 8
    }
}

/// Lays out `n_levels` levels in one texture: level 0, then the others beyond its end on the shorter axis.
/// Returns the texture's size and each level's column, row, columns, rows.
pub(super) fn atlas(width: u32, height: u32, n_levels: u32) -> ([u32; 2], Vec<[i32; 4]>) {
    let mut total = [width, height];
    let mut regions = Vec::new();
    // The other levels form a column right of a tall image, or a row below a wide one.
    let across = usize::from(height >= width);
    let mut along = 0;
    for level in 0..n_levels {
        let [w, h] = level_size(width, height, level);
        if level == 0 {
            regions.push([0, 0, w as i32, h as i32]);
            continue;
        }
        let corner = if across == 1 {
            [width, along]
        } else {
            [along, height]
        };
        regions.push([corner[0] as i32, corner[1] as i32, w as i32, h as i32]);
        total = [total[0].max(corner[0] + w), total[1].max(corner[1] + h)];
        along += [w, h][across];
    }
    (total, regions)
}

/// A pool that creates textures and keeps the free ones.
#[derive(Debug)]
pub(super) struct Sheets {
    layout: wgpu::BindGroupLayout,
    blank: wgpu::TextureView,
    free: Vec<Sheet>,
    /// Sheets in use by the frame being planned.
    taken: Vec<Sheet>,
}

impl Sheets {
    /// Creates an empty pool.
    pub fn new(gpu: &Gpu) -> Sheets {
        let entry = |binding| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            count: None,
        };
        let layout = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("textures"),
                entries: &[entry(0), entry(1)],
            });
        let blank = texture(gpu, wgpu::TextureFormat::Rgba8Unorm, [1, 1])
            .create_view(&wgpu::TextureViewDescriptor::default());
        Sheets {
            layout,
            blank,
            free: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Returns the layout of bind group 1.
    pub fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.layout
    }

    /// Returns a view that no shader reads, for draws without a texture.
    pub fn blank(&self) -> &wgpu::TextureView {
        &self.blank
    }

    /// Creates bind group 1.
    pub fn bind(
        &self,
        gpu: &Gpu,
        first: &wgpu::TextureView,
        second: &wgpu::TextureView,
    ) -> wgpu::BindGroup {
        let entry = |binding, view| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        };
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("textures"),
            layout: &self.layout,
            entries: &[entry(0, first), entry(1, second)],
        })
    }

    /// Creates a sheet outside the pool.
    pub fn create(
        &self,
        gpu: &Gpu,
        texture_size: [u32; 2],
        levels: Vec<[i32; 4]>,
    ) -> Result<Sheet> {
        gpu.fits(texture_size[0], texture_size[1], "a sheet of layers")?;
        let view = texture(gpu, CANVAS_FORMAT, texture_size)
            .create_view(&wgpu::TextureViewDescriptor::default());
        Ok(Sheet {
            bind: self.bind(gpu, &view, &self.blank),
            view,
            texture_size,
            levels,
        })
    }

    /// Takes a sheet for this frame, with undefined content. Returned with [`Sheets::release`].
    pub fn take(
        &mut self,
        gpu: &Gpu,
        texture_size: [u32; 2],
        levels: Vec<[i32; 4]>,
    ) -> Result<Sheet> {
        let sheet = match self
            .free
            .iter()
            .position(|s| s.texture_size == texture_size)
        {
            Some(i) => Sheet {
                levels,
                ..self.free.swap_remove(i)
            },
            None => self.create(gpu, texture_size, levels)?,
        };
        self.taken.push(sheet.clone());
        if self.taken.iter().map(Sheet::n_bytes).sum::<u64>() > FRAME_BYTES {
            return Err(gpu.error(
                "a frame needs more than 3 GiB for its layers: draw fewer groups and blurs at once",
            ));
        }
        Ok(sheet)
    }

    /// Takes a sheet with one level.
    pub fn take_plain(&mut self, gpu: &Gpu, [width, height]: [u32; 2]) -> Result<Sheet> {
        self.take(gpu, [width, height], atlas(width, height, 1).1)
    }

    /// Returns the number of sheets taken, for [`Sheets::release`].
    pub fn mark(&self) -> usize {
        self.taken.len()
    }

    /// Returns the sheets taken since `mark`, except `kept`, to the pool. Passes run in order, so a sheet whose readers are all planned may be written again.
    pub fn release(&mut self, mark: usize, kept: Option<&Sheet>) {
        for sheet in self.taken.split_off(mark) {
            if kept.is_some_and(|k| k.view == sheet.view) {
                self.taken.push(sheet);
            } else {
                self.free.push(sheet);
            }
        }
    }

    /// Ends a frame; the pool keeps the most recently used sheets.
    pub fn end_frame(&mut self) {
        self.release(0, None);
        let mut kept = 0;
        let sizes: Vec<u64> = self.free.iter().map(Sheet::n_bytes).collect();
        let first = sizes.iter().rposition(|bytes| {
            kept += bytes;
            kept > KEPT_BYTES
        });
        if let Some(i) = first {
            self.free.drain(..=i);
        }
    }
}

/// Creates a texture that can be drawn on, sampled and written to.
pub(super) fn texture(
    gpu: &Gpu,
    format: wgpu::TextureFormat,
    [width, height]: [u32; 2],
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("kinora"),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_DST
            | wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    })
}

/// Writes pixels into a part of a texture.
pub(super) fn write(
    gpu: &Gpu,
    texture: &wgpu::Texture,
    at: [u32; 2],
    size: [u32; 2],
    bytes: &[u8],
) {
    let [width, height] = size;
    gpu.queue.write_texture(
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: 0,
            origin: wgpu::Origin3d {
                x: at[0],
                y: at[1],
                z: 0,
            },
            aspect: wgpu::TextureAspect::All,
        },
        bytes,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some((bytes.len() / height as usize) as u32),
            rows_per_image: None,
        },
        wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_never_overlap() {
        for (w, h) in [(1, 1), (5, 3), (3, 5), (1080, 1920), (1919, 1081), (1, 700)] {
            let (total, regions) = atlas(w, h, 12);
            for (i, a) in regions.iter().enumerate() {
                assert!(a[0] + a[2] <= total[0] as i32 && a[1] + a[3] <= total[1] as i32);
                for b in &regions[..i] {
                    let apart = |k: usize| a[k] >= b[k] + b[k + 2] || b[k] >= a[k] + a[k + 2];
                    assert!(apart(0) || apart(1), "{w}x{h}: {a:?} and {b:?}");
                }
            }
        }
    }
}
