//! The pictures a plan needs: for each, the asset, the crop, the display size and the span of frames.

use std::sync::Arc;

use crate::scene::Played;
use crate::scene::draw::PictureId;
use crate::scene::{ClipUse, MAX_PIXELS, MAX_SIDE_PX, PictureUse};

/// Id of the first clip frame; smaller ids are indices into the list of pictures.
const FIRST_CLIP_ID: u32 = 1 << 31;

/// Returns the whole-pixel size of a picture, and the factor by which it was shrunk: extreme zooms would exceed the limits for any asset.
pub(crate) fn pixels((width, height): (f64, f64)) -> ((u32, u32), f64) {
    let (side, n_pixels) = (f64::from(MAX_SIDE_PX), MAX_PIXELS as f64);
    let shrink = (side / width.max(height))
        .min((n_pixels / (width * height)).sqrt())
        .min(1.0);
    let of_side = |side: f64| match shrink < 1.0 {
        true => (side * shrink).floor().max(1.0) as u32,
        false => side.round().max(1.0) as u32,
    };
    ((of_side(width), of_side(height)), shrink)
}

/// A picture as requested by a shot or layer.
pub(crate) struct Wanted<'a> {
    /// The asset's name.
    pub asset: &'a str,
    /// Document path where it is named.
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
    /// First frame that draws it, and one past the last frame.
    pub frames: (u64, u64),
}

/// Pictures by id.
#[derive(Default)]
pub(crate) struct PictureTable {
    pictures: Vec<PictureUse>,
    clips: Vec<ClipUse>,
    n_clip_ids: u32,
}

/// The result of a request: a picture, or the frames of a clip.
#[derive(Clone, Debug)]
pub(crate) enum Shown {
    /// The same picture in every frame.
    Picture(PictureId),
    /// A picture for each clip frame shown, with ids from this one on.
    Frames(PictureId, Arc<Played>),
}

impl Shown {
    /// Returns the picture that a video frame shows.
    pub fn at(&self, frame: u64) -> PictureId {
        match self {
            Shown::Picture(id) => *id,
            Shown::Frames(first, played) => PictureId(first.0 + played.run_at(frame)),
        }
    }
}

impl Wanted<'_> {
    fn into_use(self) -> PictureUse {
        PictureUse {
            asset: self.asset.to_owned(),
            path: self.path,
            crop: self.crop,
            width: self.width,
            height: self.height,
            blur_px: self.blur_px,
            brightness: self.brightness,
            first_frame: self.frames.0,
            end_frame: self.frames.1,
        }
    }
}

impl PictureTable {
    /// Adds a requested picture and returns its id.
    pub fn add(&mut self, wanted: Wanted) -> PictureId {
        self.pictures.push(wanted.into_use());
        PictureId(self.pictures.len() as u32 - 1)
    }

    /// Adds the requested frames of a clip.
    pub fn add_frames(&mut self, wanted: Wanted, played: Arc<Played>) -> Shown {
        let first = PictureId(FIRST_CLIP_ID + self.n_clip_ids);
        // At most one id per frame of an hour, times a few uses: the ids cannot run out.
        self.n_clip_ids += played.n_runs();
        self.clips.push(ClipUse {
            look: wanted.into_use(),
            first_id: first,
            played: played.clone(),
        });
        Shown::Frames(first, played)
    }

    /// Returns all pictures, indexed by id, and all clips.
    pub fn finish(self) -> (Vec<PictureUse>, Vec<ClipUse>) {
        (self.pictures, self.clips)
    }
}
