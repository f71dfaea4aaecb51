//! Pictures on the device, with the mip levels used so far.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::device::Gpu;
use super::sheets::{Sheet, Sheets, atlas, texture, write};
use crate::compose::Pictures;
use crate::compose::sampling::mip_chain;
use crate::error::{Error, ErrorKind, Result};
use crate::media::Picture;
use crate::scene::draw::PictureId;

/// An uploaded picture.
#[derive(Debug)]
struct Uploaded {
    /// The decoded picture; weak, so that its memory is freed with its last user.
    picture: Weak<Picture>,
    sheet: Sheet,
}

/// Uploaded pictures by id.
#[derive(Debug, Default)]
pub(super) struct PictureCache {
    uploaded: HashMap<PictureId, Uploaded>,
}

impl PictureCache {
    /// Drops pictures that are no longer available.
    pub fn keep_only(&mut self, pictures: &Pictures) {
        self.uploaded.retain(|id, up| {
            pictures
                .get(id)
                .is_some_and(|p| std::ptr::eq(Arc::as_ptr(p), up.picture.as_ptr()))
        });
    }

    /// Returns the picture with levels 0 to `last_level`, uploading it if needed.
    pub fn get(
        &mut self,
        gpu: &Gpu,
        sheets: &Sheets,
        (id, picture): (PictureId, &Arc<Picture>),
        last_level: u32,
    ) -> Result<Sheet> {
        if let Some(up) = self.uploaded.get(&id)
            && up.sheet.levels.len() > last_level as usize
        {
            return Ok(up.sheet.clone());
        }
        let sheet = upload(gpu, sheets, picture, last_level)
            .map_err(|e| e.at(format_args!("picture {}", id.0)))?;
        self.uploaded.insert(
            id,
            Uploaded {
                picture: Arc::downgrade(picture),
                sheet: sheet.clone(),
            },
        );
        Ok(sheet)
    }
}

fn upload(gpu: &Gpu, sheets: &Sheets, picture: &Picture, last_level: u32) -> Result<Sheet> {
    let (width, height) = (picture.width, picture.height);
    if width == 0
        || height == 0
        || picture.rgba.len() as u64 != 4 * u64::from(width) * u64::from(height)
    {
        let message = format!(
            "{width}x{height} px do not match {} bytes of RGBA",
            picture.rgba.len()
        );
        return Err(Error::new(ErrorKind::Internal, message));
    }
    let (total, levels) = atlas(width, height, last_level + 1);
    gpu.fits(total[0], total[1], "it")?;
    let texture = texture(gpu, wgpu::TextureFormat::Rgba8Unorm, total);
    write(gpu, &texture, [0, 0], [width, height], &picture.rgba);
    for (level, region) in mip_chain(&picture.rgba, width, height, last_level)
        .iter()
        .zip(&levels[1..])
    {
        let at = [region[0] as u32, region[1] as u32];
        write(gpu, &texture, at, [level.width, level.height], &level.rgba);
    }
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    Ok(Sheet {
        bind: sheets.bind(gpu, &view, sheets.blank()),
        view,
        texture_size: total,
        levels,
    })
}
