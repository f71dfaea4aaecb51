//! `kinora still`: one frame of a timeline as a PNG, JPEG or WebP.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use kinora::encode::Quality;
use kinora::error::{Error, Result};
use kinora::frame::Frame;
use kinora::units::Time;

use crate::failure::{Done, Failure};
use crate::options::Options;
use crate::source::Source;
use crate::{console, output, webp};

/// Write one frame of a timeline as a picture
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,

    /// The instant in seconds; the frame shown then is written
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    at: f64,

    /// The picture to write, by its ending .png, .jpg or .webp; - for stdout
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,

    /// The kind of picture for stdout [default: png]
    #[arg(long, value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    options: Options,
}

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Without loss
    Png,
    /// Small, shown everywhere
    Jpg,
    /// Smaller
    Webp,
}

impl Format {
    const ENDINGS: [(&'static str, Format); 4] = [
        ("png", Format::Png),
        ("jpg", Format::Jpg),
        ("jpeg", Format::Jpg),
        ("webp", Format::Webp),
    ];

    /// The kind that a file's name asks for, once a file can be made there.
    fn of_file(path: &Path) -> std::result::Result<Format, Failure> {
        let given = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let mut known = Format::ENDINGS.iter();
        match known.find(|(ending, _)| given.eq_ignore_ascii_case(ending)) {
            Some((ending, format)) => {
                output::check(path, ending)?;
                Ok(*format)
            }
            None if path.is_dir() => Err(output::folder(path, "still.png")),
            None => Err(Failure::Usage(format!(
                "{}: a still is a .png, .jpg or .webp file; name it {}",
                path.display(),
                path.with_extension("png").display()
            ))),
        }
    }
}

pub(crate) fn run(args: &Args) -> Done {
    let pipe = match output::is_pipe(&args.output) {
        true => Some(output::pipe(
            "kinora still timeline.json --at 1 -o - > still.png",
        )?),
        false => None,
    };
    let format = match (&pipe, args.format) {
        (Some(_), format) => format.unwrap_or(Format::Png),
        (None, None) => Format::of_file(&args.output)?,
        (None, Some(format)) if Format::of_file(&args.output)? == format => format,
        (None, Some(_)) => {
            return Err(Failure::Usage(format!(
                "--format: the ending of {} says something else; leave the option out",
                args.output.display()
            )));
        }
    };
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
    match pipe {
        Some(mut pipe) => Ok(encode(&frame, format, &mut pipe).map_err(|e| e.at("stdout"))?),
        None => output::write(&args.output, |file| encode(&frame, format, file)),
    }
}

/// Writes a frame as a picture.
fn encode(frame: &Frame, format: Format, file: &mut File) -> Result<()> {
    /// JPEG's scale, 1 to 100.
    const JPEG_QUALITY: u8 = 90;
    let mut out = BufWriter::new(file);
    let (width, height) = (frame.size.width, frame.size.height);
    let rgb = rgb_from_frame(frame);
    let color = ExtendedColorType::Rgb8;
    let failed = |e: image::ImageError| Error::from(std::io::Error::other(e));
    match format {
        Format::Png => PngEncoder::new(&mut out)
            .write_image(&rgb, width, height, color)
            .map_err(failed)?,
        Format::Jpg => JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY)
            .write_image(&rgb, width, height, color)
            .map_err(failed)?,
        Format::Webp => {
            let mut picture = webp::Animation::new((width, height), Quality::High)?;
            picture.frame(&rgb, 0)?;
            out.write_all(&picture.finish(1)?)?;
        }
    }
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
