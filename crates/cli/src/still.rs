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

    /// The time in seconds; the frame visible at that time is written
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    at: f64,

    /// The picture to write, as .png, .jpg or .webp; - for stdout
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,

    /// The picture format for stdout [default: png]
    #[arg(long, value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    options: Options,
}

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lossless
    Png,
    /// Small, works everywhere
    Jpg,
    /// Smallest
    Webp,
}

impl Format {
    const ENDINGS: [(&'static str, Format); 4] = [
        ("png", Format::Png),
        ("jpg", Format::Jpg),
        ("jpeg", Format::Jpg),
        ("webp", Format::Webp),
    ];

    /// Returns the format for a file's extension, after checking that the file can be created.
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
                "--format: it does not match the extension of {}; leave the option out",
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
    /// JPEG quality, 1 to 100.
    const JPEG_QUALITY: u8 = 90;
    let mut out = BufWriter::new(file);
    let (width, height) = (frame.size.width, frame.size.height);
    let rgb = frame.to_rgb();
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
