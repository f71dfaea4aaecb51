//! `kinora preview`: a span of a timeline as an animated GIF or WebP.

mod gif;
mod palette;
mod shrink;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use kinora::error::{Error, ErrorKind};
use kinora::units::{TICKS_PER_SECOND, Time};
use kinora::{CancelToken, Job, Render};

use self::shrink::Shrinker;
use crate::console::{self, Steps};
use crate::failure::{Done, Failure};
use crate::options::{BackendArg, QualityArg, threads};
use crate::source::Source;
use crate::{interrupt, output, webp};

/// Default width.
const WIDTH: u32 = 360;
/// Maximum width: wider animations are larger than the video they show.
const MAX_WIDTH: i64 = 1080;
/// Default length.
const SPAN: Time = Time::from_millis(3000);
const MAX_SPAN: Time = Time::from_millis(60_000);
/// Players show a GIF frame for at least two hundredths of a second.
const MAX_FPS: i64 = 50;

/// Write a span of a timeline as a looping animated GIF or WebP
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,

    /// The animation to write; WebP is several times smaller and has all colors, GIF plays everywhere
    #[arg(short, long, value_name = "OUT.gif|OUT.webp")]
    output: PathBuf,

    /// Start of the span in seconds
    #[arg(
        long,
        value_name = "SECS",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    from: f64,

    /// End of the span in seconds; at most 60 s after its start [default: 3 s after the start, or the end of the video]
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    to: Option<f64>,

    /// Width in pixels, at most that of the video; the height follows [default: 360]
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(16..=MAX_WIDTH))]
    width: Option<u32>,

    /// Frames per second
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=MAX_FPS))]
    fps: u32,

    /// Quality and file size, for WebP
    #[arg(long, value_enum, default_value_t = QualityArg::Medium)]
    quality: QualityArg,

    /// What composes the frames
    #[arg(long, value_enum, default_value_t = BackendArg::Auto)]
    backend: BackendArg,

    /// Worker threads, 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    threads: usize,
}

/// The frames of the animation, resolved.
struct Span {
    start: Time,
    end: Time,
    fps: u32,
    size: (u32, u32),
    /// The timeline's frame for each frame of the animation.
    indexes: Vec<u64>,
}

pub(crate) fn run(args: &Args) -> Done {
    let is_gif = is_gif(&args.output)?;
    let job = args.source.job()?;
    let span = Span::of(args, &job)?;
    let maker = Maker {
        job: &job,
        span: &span,
        render: Render {
            backend: args.backend.to_backend(),
            quality: args.quality.to_quality(),
            threads: args.threads,
            ..Render::default()
        },
        cancel: CancelToken::default(),
        steps: Steps::new(span.indexes.len()),
    };
    interrupt::cancel_on_signal(maker.cancel.clone())?;
    let written = output::write(&args.output, |file| match is_gif {
        true => maker.gif(file),
        false => maker.webp(file),
    });
    maker.steps.clear();
    written?;
    console::say_warnings(job.warnings());
    let n_bytes = std::fs::metadata(&args.output).map_or(0, |file| file.len());
    console::say(&format!(
        "{}: {:.2} s, {} frames of {}x{} at {} fps, {:.2} MB",
        args.output.display(),
        (span.end - span.start).as_secs(),
        span.indexes.len(),
        span.size.0,
        span.size.1,
        span.fps,
        n_bytes as f64 / 1e6,
    ));
    Ok(())
}

fn is_gif(path: &Path) -> Result<bool, Failure> {
    let extension = path.extension().and_then(|e| e.to_str());
    let is = |wanted: &str| extension.is_some_and(|e| e.eq_ignore_ascii_case(wanted));
    if !path.is_dir() && !is("gif") && !is("webp") {
        return Err(Failure::Usage(format!(
            "{}: a preview is a .gif or a .webp file; name it {} or {}",
            path.display(),
            path.with_extension("gif").display(),
            path.with_extension("webp").display(),
        )));
    }
    let extension = if is("webp") { "webp" } else { "gif" };
    output::check(path, extension)?;
    Ok(extension == "gif")
}

impl Span {
    fn of(args: &Args, job: &Job) -> Result<Span, Failure> {
        let plan = job.plan();
        let video_end = plan.duration();
        let lasts = || format!("the video lasts from 0 to {:.3} s", video_end.as_secs());
        let start = Time::from_secs(args.from)
            .filter(|start| (Time::ZERO..video_end).contains(start))
            .ok_or_else(|| Failure::Usage(format!("--from {}: {}", args.from, lasts())))?;
        let end = match args.to {
            None => (start + SPAN).min(video_end),
            Some(to) => Time::from_secs(to)
                // A typed length has fewer decimals than the video's.
                .map(|end| {
                    if end.0 - video_end.0 < TICKS_PER_SECOND / 1000 {
                        end.min(video_end)
                    } else {
                        end
                    }
                })
                .filter(|end| (Time::ZERO..=video_end).contains(end))
                .ok_or_else(|| Failure::Usage(format!("--to {to}: {}", lasts())))?,
        };
        if end <= start {
            let (from, to) = (args.from, end.as_secs());
            return Err(Failure::Usage(format!(
                "--from {from} --to {to}: the span must end after it starts"
            )));
        }
        if end - start > MAX_SPAN {
            let (secs, most) = ((end - start).as_secs(), MAX_SPAN.as_secs());
            return Err(Failure::Usage(format!(
                "a preview of {secs:.1} s is too long: at most {most} s are allowed; for more, render an MP4"
            )));
        }
        let step = plan.rate.frame_duration().0;
        let index = |time: Time| (time.0 / step) as u64;
        let times = (0..).map(|i| time_of(start, i, args.fps));
        let times = times.take_while(|time| *time < end);
        Ok(Span {
            start,
            end,
            fps: args.fps,
            size: size(args.width, (plan.size.width, plan.size.height))?,
            indexes: times
                .map(|time| index(time).min(plan.n_frames - 1))
                .collect(),
        })
    }

    /// Returns the start time of frame `i`, in `units` per second from the start of the animation, rounded so that errors do not add up.
    fn shown_at(&self, i: usize, units: i64) -> u64 {
        let time = time_of(self.start, i as i64, self.fps).min(self.end) - self.start;
        ((i128::from(time.0) * i128::from(units) + i128::from(TICKS_PER_SECOND / 2))
            / i128::from(TICKS_PER_SECOND)) as u64
    }
}

fn time_of(start: Time, i: i64, fps: u32) -> Time {
    Time(start.0 + i * TICKS_PER_SECOND / i64::from(fps))
}

/// Returns the size for a width, in the video's aspect ratio.
fn size(width: Option<u32>, video: (u32, u32)) -> Result<(u32, u32), Failure> {
    if let Some(width) = width.filter(|width| *width > video.0) {
        return Err(Failure::Usage(format!(
            "--width {width}: the video is {} wide; a preview is not enlarged",
            video.0
        )));
    }
    let width = width.unwrap_or(WIDTH.min(video.0));
    let height = (f64::from(width) * f64::from(video.1) / f64::from(video.0)).round();
    Ok((width, (height as u32).max(1)))
}

/// Renders the frames and the file.
struct Maker<'a> {
    job: &'a Job,
    span: &'a Span,
    render: Render,
    cancel: CancelToken,
    steps: Steps,
}

impl Maker<'_> {
    /// Composes the frames and passes on each one, shrunk, with its number.
    fn each(&self, mut take: impl FnMut(usize, Vec<u8>) -> Result<(), Error>) -> Result<(), Error> {
        let mut shrinker = Shrinker::new(self.span.size);
        let frames = self
            .job
            .frames_at(self.span.indexes.clone(), &self.render)?;
        for (i, frame) in frames.enumerate() {
            if self.cancel.is_cancelled() {
                return Err(Error::new(
                    ErrorKind::Cancelled,
                    "the preview was cancelled",
                ));
            }
            take(i, shrinker.shrink(&frame?)?)?;
            self.steps.show("rendering", i + 1);
        }
        Ok(())
    }

    fn gif(&self, file: &mut File) -> Result<(), Error> {
        let span = self.span;
        let size = (span.size.0 as u16, span.size.1 as u16);
        let mut animation = gif::Animation::new(BufWriter::new(file), size)?;
        self.each(|i, rgb| animation.frame(rgb, span.shown_at(i, 100)))?;
        let end = span.shown_at(span.indexes.len(), 100);
        Ok(animation.finish(end)?.flush()?)
    }

    fn webp(&self, file: &mut File) -> Result<(), Error> {
        let span = self.span;
        let mut animation = webp::Animation::new(span.size, self.render.quality)?;
        self.each(|i, rgb| animation.frame(&rgb, span.shown_at(i, 1000)))?;
        let end = span.shown_at(span.indexes.len(), 1000);
        Ok(file.write_all(&animation.finish(end)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_add_up_to_the_span() {
        let span = Span {
            start: Time::from_millis(500),
            end: Time::from_millis(3500),
            fps: 12,
            size: (16, 16),
            indexes: Vec::new(),
        };
        let at: Vec<u64> = (0..=36).map(|i| span.shown_at(i, 100)).collect();
        assert_eq!((at[0], at[1], at[2], at[36]), (0, 8, 17, 300));
        assert!(
            at.windows(2)
                .all(|pair| (8..=9).contains(&(pair[1] - pair[0])))
        );
        // At any rate, the last frame ends with the span.
        assert_eq!(span.shown_at(100, 1000), 3000);
    }

    #[test]
    fn the_shape_is_kept_and_nothing_is_enlarged() {
        assert_eq!(size(None, (1080, 1920)).unwrap(), (360, 640));
        assert_eq!(size(None, (180, 320)).unwrap(), (180, 320));
        assert_eq!(size(Some(100), (1920, 1080)).unwrap(), (100, 56));
        assert!(size(Some(181), (180, 320)).is_err());
    }
}
