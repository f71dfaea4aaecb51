//! Decodes animated pictures with `image`, one frame at a time, composited on black.
//!
//! Its frame iterator cannot move between threads, so it stays on one thread, which decodes one frame ahead and ends with the decoder.

use std::io::Cursor;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use image::codecs::gif::GifDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::{AnimationDecoder, Frames, ImageDecoder, ImageResult, Limits, RgbaImage};

use super::{check_same_size, not_decoded};
use crate::media::clip::animation::{Animation, Kind};
use crate::media::clip::codec::Description;
use crate::media::clip::frame::{Picture, Plane, Subsampling};
use crate::media::clip::refuse::damaged;
use crate::media::refusal::Refusal;

/// Maximum number of canvases in a decoder: the last and the next one, a frame before it is composited, and the input of decompression.
const CANVASES: u64 = 6;
/// Additional bytes for tables and a decompressor's lines.
const SPARE_BYTES: u64 = 16 << 20;

pub(in crate::media::clip) struct Animated {
    frames: Receiver<Result<RgbaImage, String>>,
    about: Description,
}

impl Animated {
    pub(super) fn new(animation: &Animation, about: &Description) -> Result<Animated, Refusal> {
        let (to, frames) = sync_channel(0);
        let animation = animation.clone();
        thread::Builder::new()
            .name("animation".into())
            .spawn(move || play(&animation, &to))
            .map_err(|e| Refusal::of_read(&e))?;
        Ok(Animated {
            frames,
            about: *about,
        })
    }

    /// Returns the next frame. It needs no input, because the decoder has the whole file.
    pub(super) fn decode(&mut self) -> Result<Option<Picture>, Refusal> {
        let frame = self.frames.recv();
        let frame = frame.map_err(|_| damaged("it has fewer frames than its header says"))?;
        let frame = frame.map_err(not_decoded)?;
        check_same_size(&self.about, frame.width(), frame.height())?;
        Ok(Some(picture(&frame)))
    }
}

/// Sends each frame until there are no more or the receiver is gone. A panic ends the thread, which the receiver sees as missing frames.
fn play(animation: &Animation, to: &SyncSender<Result<RgbaImage, String>>) {
    let send = |frame: Result<RgbaImage, String>| to.send(frame).is_ok();
    let frames = match frames(animation) {
        Ok(frames) => frames,
        Err(e) => {
            send(Err(e.to_string()));
            return;
        }
    };
    for frame in frames {
        let is_good = frame.is_ok();
        let frame = frame.map(|frame| frame.into_buffer());
        if !send(frame.map_err(|e| e.to_string())) || !is_good {
            return;
        }
    }
}

fn frames(animation: &Animation) -> ImageResult<Frames<'static>> {
    let file = Cursor::new(animation.file.clone());
    let canvas = u64::from(animation.width) * u64::from(animation.height) * 4;
    let mut limits = Limits::default();
    limits.max_image_width = Some(animation.width);
    limits.max_image_height = Some(animation.height);
    limits.max_alloc = Some(canvas * CANVASES + SPARE_BYTES);
    Ok(match animation.kind {
        Kind::Gif => {
            let mut decoder = GifDecoder::new(file)?;
            decoder.set_limits(limits)?;
            decoder.into_frames()
        }
        Kind::WebP => {
            let mut decoder = WebPDecoder::new(file)?;
            decoder.set_limits(limits)?;
            decoder.into_frames()
        }
        Kind::Png => PngDecoder::with_limits(file, limits)?.apng()?.into_frames(),
    })
}

/// Converts to planes of G, B and R over black.
fn picture(frame: &RgbaImage) -> Picture {
    let plane = |channel: usize| {
        let codes = frame.pixels().map(|px| {
            let (code, alpha) = (u32::from(px.0[channel]), u32::from(px.0[3]));
            ((code * alpha + 127) / 255) as u8
        });
        Plane {
            width: frame.width(),
            height: frame.height(),
            data: codes.collect(),
        }
    };
    Picture {
        planes: [plane(1), plane(2), plane(0)],
        subsampling: Subsampling::Yuv444,
    }
}
