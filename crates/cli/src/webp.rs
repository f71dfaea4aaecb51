//! Lossy WebP pictures and animations with libwebp (bundled with its crate).

use kinora::encode::Quality;
use kinora::error::{Error, ErrorKind, Result};
use webp_animation::{ColorMode, Encoder, EncoderOptions, EncodingConfig};

/// libwebp's effort, 0 to 6.
const METHOD: usize = 4;

/// An animation under construction; with a single frame it becomes a plain picture. It loops forever.
pub(crate) struct Animation(Encoder);

impl Animation {
    /// Creates an animation of `size` (width, height).
    ///
    /// # Errors
    /// `Encoder` when libwebp refuses the size.
    pub(crate) fn new(size: (u32, u32), quality: Quality) -> Result<Animation> {
        let config = EncodingConfig {
            method: METHOD,
            ..EncodingConfig::new_lossy(match quality {
                Quality::Low => 50.0,
                Quality::Medium => 70.0,
                Quality::High => 88.0,
            })
        };
        let options = EncoderOptions {
            color_mode: ColorMode::Rgb,
            encoding_config: Some(config),
            ..EncoderOptions::default()
        };
        Encoder::new_with_options(size, options)
            .map(Animation)
            .map_err(failed)
    }

    /// Adds a frame of 8-bit RGB, shown from `at_ms` on.
    ///
    /// # Errors
    /// `Encoder` when libwebp fails.
    pub(crate) fn frame(&mut self, rgb: &[u8], at_ms: u64) -> Result<()> {
        self.0.add_frame(rgb, millis(at_ms)).map_err(failed)
    }

    /// Returns the file; the last frame is shown until `end_ms`.
    ///
    /// # Errors
    /// `Encoder` when libwebp fails.
    pub(crate) fn finish(self, end_ms: u64) -> Result<Vec<u8>> {
        let data = self.0.finalize(millis(end_ms)).map_err(failed)?;
        Ok(data.to_vec())
    }
}

fn millis(ms: u64) -> i32 {
    i32::try_from(ms).unwrap_or(i32::MAX)
}

fn failed(e: webp_animation::Error) -> Error {
    Error::new(ErrorKind::Encoder, "the WebP encoder failed").with_source(format!("{e:?}"))
}
