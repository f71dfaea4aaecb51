//! The pictures a plan needs: each a part of an asset at the size at which it is seen, for as long as it is seen.

use super::PictureUse;
use super::draw::PictureId;

/// A picture as a shot or layer asks for it.
pub(crate) struct Wanted<'a> {
    /// The asset's name.
    pub asset: &'a str,
    /// Where in the document it is named.
    pub path: String,
    /// Part of the upright source, px.
    pub crop: [f64; 4],
    /// Size to which that part is resampled.
    pub width: u32,
    /// See `width`.
    pub height: u32,
    /// Blur after resampling, px.
    pub blur_px: f32,
    /// Factor on the color.
    pub brightness: f32,
    /// First frame that draws it, and one past the last.
    pub frames: (u64, u64),
}

/// Pictures by id.
#[derive(Default)]
pub(crate) struct PictureTable {
    pictures: Vec<PictureUse>,
}

impl PictureTable {
    /// The id of the picture that answers the wish.
    pub fn add(&mut self, wanted: Wanted) -> PictureId {
        let picture = PictureUse {
            asset: wanted.asset.to_owned(),
            path: wanted.path,
            crop: wanted.crop,
            width: wanted.width,
            height: wanted.height,
            blur_px: wanted.blur_px,
            brightness: wanted.brightness,
            first_frame: wanted.frames.0,
            end_frame: wanted.frames.1,
        };
        self.pictures.push(picture);
        PictureId(self.pictures.len() as u32 - 1)
    }

    /// All pictures; index = id.
    pub fn finish(self) -> Vec<PictureUse> {
        self.pictures
    }
}
