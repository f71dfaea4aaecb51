//! A still picture for a video: of a few frames, the one with the most contrast.

use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use kinora::frame::Frame;
use kinora::units::{Time, within};
use kinora::{Job, Render};
use kinora_studio::stages::Span;

use super::trouble::Trouble;

/// Number of scenes considered.
const N_SCENES: usize = 4;
/// JPEG quality, 1 to 100.
const QUALITY: u8 = 85;

/// Returns a JPEG of a frame from the middle of one of the first scenes, outside any transition.
pub(super) fn poster(job: &Job, spans: &[Span], render: &Render) -> Result<Vec<u8>, Trouble> {
    let end = job.plan().duration().as_secs();
    let mut best: Option<(f64, Frame)> = None;
    for span in spans.iter().take(N_SCENES) {
        let middle = (span.start + span.end) / 2.0;
        let at = Time::from_secs(within(middle, 0.0, end)).unwrap_or(Time::ZERO);
        let frame = job.still(at, render)?;
        let contrast = contrast(&frame);
        if best.as_ref().is_none_or(|(most, _)| contrast > *most) {
            best = Some((contrast, frame));
        }
    }
    let frame = match best {
        Some((_, frame)) => frame,
        None => job.still(Time::ZERO, render)?,
    };
    let mut jpeg = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut jpeg, QUALITY);
    let written = image::ImageEncoder::write_image(
        encoder,
        &frame.to_rgb(),
        frame.size.width,
        frame.size.height,
        ExtendedColorType::Rgb8,
    );
    written.map_err(|error| {
        tracing::error!(%error, "poster");
        Trouble::internal().at("render")
    })?;
    Ok(jpeg)
}

/// Returns the variance of the luma: 0 for a black frame, high for a picture with light and dark parts.
fn contrast(frame: &Frame) -> f64 {
    let [luma, ..] = frame.planes();
    let n = luma.len().max(1) as f64;
    let mean = luma.iter().map(|y| f64::from(*y)).sum::<f64>() / n;
    let squares = luma.iter().map(|y| (f64::from(*y) - mean).powi(2));
    squares.sum::<f64>() / n
}
