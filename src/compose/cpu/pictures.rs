//! The available pictures with data derived from them: mip levels, and planes for the short way.

use std::collections::HashMap;
use std::sync::Arc;

use super::planar::Planes;
use super::source::Pixels;
use crate::compose::Pictures;
use crate::compose::sampling::{MipLevel, level_count, mip_chain};
use crate::error::{Error, ErrorKind, Result};
use crate::media::Picture;
use crate::scene::draw::PictureId;

/// Pictures by id. Derived data is dropped with its picture.
#[derive(Debug, Default)]
pub(super) struct PictureStore {
    held: HashMap<PictureId, Held>,
}

#[derive(Debug)]
struct Held {
    picture: Arc<Picture>,
    /// Levels from 1 on.
    mips: Vec<Arc<MipLevel>>,
    /// By level.
    planes: HashMap<u32, Arc<Planes>>,
}

impl PictureStore {
    /// Adds new pictures, and drops those that were replaced or are missing from `pictures`.
    pub fn sync(&mut self, pictures: &Pictures) -> Result<()> {
        self.held.retain(|id, held| {
            pictures
                .get(id)
                .is_some_and(|p| Arc::ptr_eq(p, &held.picture))
        });
        for (id, picture) in pictures {
            if self.held.contains_key(id) {
                continue;
            }
            let pixels = picture.width as usize * picture.height as usize;
            if pixels == 0 || picture.rgba.len() != pixels * 4 {
                let message = format!(
                    "picture {} should be {}x{} px, but it has {} bytes",
                    id.0,
                    picture.width,
                    picture.height,
                    picture.rgba.len()
                );
                return Err(Error::new(ErrorKind::Internal, message));
            }
            let held = Held {
                picture: picture.clone(),
                mips: Vec::new(),
                planes: HashMap::new(),
            };
            self.held.insert(*id, held);
        }
        Ok(())
    }

    fn held(&mut self, id: PictureId) -> Result<&mut Held> {
        self.held.get_mut(&id).ok_or_else(|| missing(id))
    }

    /// Returns the picture of an id.
    pub fn picture(&mut self, id: PictureId) -> Result<Arc<Picture>> {
        Ok(self.held(id)?.picture.clone())
    }

    /// Columns and rows.
    pub fn size(&self, id: PictureId) -> Result<[u32; 2]> {
        let picture = &self.held.get(&id).ok_or_else(|| missing(id))?.picture;
        Ok([picture.width, picture.height])
    }

    /// Returns the pixels of a mip level, created at its first use.
    pub fn level(&mut self, id: PictureId, level: u32) -> Result<Pixels> {
        let held = self.held(id)?;
        let Picture { width, height, .. } = *held.picture;
        let level = level.min(level_count(width, height) - 1) as usize;
        if held.mips.len() < level {
            let chain = mip_chain(&held.picture.rgba, width, height, level as u32);
            held.mips = chain.into_iter().map(Arc::new).collect();
        }
        Ok(match level {
            0 => Pixels::Picture(held.picture.clone()),
            n => Pixels::Mip(held.mips[n - 1].clone()),
        })
    }

    /// Returns the planes of a mip level, created at their first use.
    pub fn planes(&mut self, id: PictureId, level: u32) -> Result<Arc<Planes>> {
        if let Some(planes) = self.held(id)?.planes.get(&level) {
            return Ok(planes.clone());
        }
        let planes = Arc::new(match self.level(id, level)? {
            Pixels::Picture(p) => Planes::new(&p.rgba, p.width as usize, p.height as usize),
            Pixels::Mip(m) => Planes::new(&m.rgba, m.width as usize, m.height as usize),
            // Pictures have no sheets.
            Pixels::Sheet(_) => {
                return Err(Error::new(
                    ErrorKind::Internal,
                    "a picture's level is a sheet",
                ));
            }
        });
        self.held(id)?.planes.insert(level, planes.clone());
        Ok(planes)
    }
}

fn missing(id: PictureId) -> Error {
    let message = format!("the draw list names picture {}, which was not loaded", id.0);
    Error::new(ErrorKind::Internal, message)
}
