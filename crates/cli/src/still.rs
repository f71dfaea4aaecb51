//! `kinora still`: one frame of a timeline as a PNG.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use kinora::error::Error;
use kinora::frame::Frame;
use kinora::units::Time;

use crate::console;
use crate::failure::{Done, Failure};
use crate::options::Options;
use crate::output;
use crate::source::Source;

/// Write one frame of a timeline as a PNG
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,

    /// The instant in seconds; the frame shown then is written
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    at: f64,

    /// The PNG to write
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,

    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(args: &Args) -> Done {
    output::check(&args.output, "png")?;
    let job = args.source.job()?;
    let end = job.plan().duration();
    let at = Time::from_secs(args.at)
        .filter(|at| (Time::ZERO..end).contains(at))
        .ok_or_else(|| {
            Failure::Usage(format!(
                "--at {}: the video lasts from 0 to {:.3} s",
                args.at,
                end.as_secs()
            ))
        })?;
    let frame = job.still(at, &args.options.to_render())?;
    console::say_warnings(job.warnings());
    output::write(&args.output, |file| {
        encode_png(&frame, file).map_err(|e| Error::from(std::io::Error::other(e)))
    })
}

fn encode_png(frame: &Frame, file: &mut File) -> image::ImageResult<()> {
    let mut out = BufWriter::new(file);
    let (width, height) = (frame.size.width, frame.size.height);
    PngEncoder::new(&mut out).write_image(
        &rgb_from_frame(frame),
        width,
        height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(out.flush()?)
}

/// 8-bit RGB, row by row, of a BT.709 limited-range frame (ITU-R BT.709-6, 3.4 and 3.5); chroma is interpolated from the centers of its 2x2 blocks.
pub(crate) fn rgb_from_frame(frame: &Frame) -> Vec<u8> {
    let (width, height) = (frame.size.width as usize, frame.size.height as usize);
    let [luma, cb, cr] = frame.planes();
    let mut rgb = Vec::with_capacity(width * height * 3);
    for row in 0..height {
        for column in 0..width {
            let y = (f32::from(luma[row * width + column]) - 16.0) / 219.0;
            let u = (chroma_at(cb, [width / 2, height / 2], [column, row]) - 128.0) / 224.0;
            let v = (chroma_at(cr, [width / 2, height / 2], [column, row]) - 128.0) / 224.0;
            let r = y + 1.5748 * v;
            let g = y - 0.1873 * u - 0.4681 * v;
            let b = y + 1.8556 * u;
            rgb.extend([r, g, b].map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8));
        }
    }
    rgb
}

/// Bilinear chroma at a luma pixel: the nearer block counts 3/4, its neighbor 1/4, on each axis.
fn chroma_at(plane: &[u8], [width, height]: [usize; 2], [column, row]: [usize; 2]) -> f32 {
    let taps = |at: usize, n: usize| {
        let near = at / 2;
        let far = if at.is_multiple_of(2) {
            near.saturating_sub(1)
        } else {
            (near + 1).min(n - 1)
        };
        [(near, 0.75), (far, 0.25)]
    };
    let mut sum = 0.0;
    for (y, weight_y) in taps(row, height) {
        for (x, weight_x) in taps(column, width) {
            sum += f32::from(plane[y * width + x]) * weight_x * weight_y;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinora::units::Size;

    #[test]
    fn colors_come_back() {
        let size = Size::new(16, 16).unwrap();
        for (yuv, rgb) in [
            ([16, 128, 128], [0, 0, 0]),
            ([235, 128, 128], [255, 255, 255]),
            ([63, 102, 240], [255, 0, 0]),
            ([173, 42, 26], [0, 255, 0]),
            ([32, 240, 118], [0, 0, 255]),
        ] {
            let mut frame = Frame::black(size);
            for (plane, value) in frame.planes_mut().into_iter().zip(yuv) {
                plane.fill(value);
            }
            for (got, wanted) in rgb_from_frame(&frame)
                .chunks(3)
                .flatten()
                .zip(rgb.iter().cycle())
            {
                assert!(
                    got.abs_diff(*wanted) <= 2,
                    "{yuv:?} gives {got} where {wanted} is wanted"
                );
            }
        }
    }

    #[test]
    fn chroma_is_interpolated_between_blocks() {
        let plane = [0, 100];
        let row: Vec<f32> = (0..4).map(|x| chroma_at(&plane, [2, 1], [x, 0])).collect();
        assert_eq!(row, [0.0, 25.0, 75.0, 100.0]);
    }
}
