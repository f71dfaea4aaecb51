//! `kinora render`: a timeline becomes an MP4.

use std::path::PathBuf;
use std::sync::Arc;

use kinora::{CancelToken, Control, Job, Report, SubtitleFormat};
use serde_json::{Value, json};

use crate::console::{self, Meter};
use crate::failure::{Done, Failure};
use crate::interrupt;
use crate::options::{Options, SubtitlesArg};
use crate::output;
use crate::source::Source;

/// Render a timeline to an MP4
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,

    /// The MP4 to write; it appears under this name only when it is complete
    #[arg(short, long, value_name = "OUT.mp4")]
    output: PathBuf,

    /// Also write the captions beside the MP4, as OUT.srt, OUT.vtt or OUT.json (times of words and pages); may be given more than once
    #[arg(long, value_enum, value_name = "FORMAT")]
    subtitles: Vec<SubtitlesArg>,

    #[command(flatten)]
    options: Options,

    /// One JSON line per progress (at most 4 a second), then a result or error line, on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: Args) -> Done {
    output::check(&args.output, "mp4")?;
    let subtitles = subtitle_files(&args)?;
    let job = args.source.job()?;
    if !subtitles.is_empty() && !job.has_captions() {
        return Err(Failure::Usage(
            "--subtitles: the timeline shows no captions; give it `captions` with words, or leave the option out".into(),
        ));
    }
    let cancel = CancelToken::default();
    interrupt::cancel_on_signal(cancel.clone())?;
    let meter = Arc::new(Meter::new(args.json));
    let shown = Arc::clone(&meter);
    let control = Control {
        cancel,
        progress: Some(Box::new(move |progress| shown.show(progress))),
    };
    let rendered = kinora::render_to_file(&job, &args.output, &args.options.to_render(), &control);
    meter.clear();
    let report = rendered?;
    for (format, path) in &subtitles {
        output::write_text(path, &job.subtitles(*format))?;
    }
    let n_bytes = std::fs::metadata(&args.output)
        .map_err(|e| Failure::Io(format!("{} is gone: {e}", args.output.display())))?
        .len();
    if args.json {
        let mut result = result_json(&args, &job, &report, n_bytes);
        result["subtitles"] = subtitles.iter().map(|(_, path)| json!(path)).collect();
        console::json_line(&result);
    } else {
        console::say_warnings(&report.warnings);
        console::say(&summary(&args, &job, &report, n_bytes));
        for (_, path) in &subtitles {
            console::say(&format!("  {}", path.display()));
        }
    }
    Ok(())
}

/// The subtitle files that are asked for, each once, checked before any work.
fn subtitle_files(args: &Args) -> Result<Vec<(SubtitleFormat, PathBuf)>, Failure> {
    let mut files = Vec::new();
    for format in args.subtitles.iter().map(|format| format.to_format()) {
        let path = args.output.with_extension(format.extension());
        output::check(&path, format.extension())?;
        if args.source.is_file(&path) {
            let name = path.display();
            return Err(Failure::Usage(format!(
                "--subtitles would replace the timeline {name} itself: give the MP4 another name"
            )));
        }
        if !files.contains(&(format, path.clone())) {
            files.push((format, path));
        }
    }
    Ok(files)
}

fn fps(report: &Report) -> f64 {
    report.n_frames as f64 / report.elapsed.as_secs_f64().max(1e-9)
}

fn summary(args: &Args, job: &Job, report: &Report, n_bytes: u64) -> String {
    let plan = job.plan();
    format!(
        "{}: {:.2} s, {} frames of {} at {} fps, {:.1} MB\n  in {:.1} s ({:.0} fps): {}; {}; {}",
        args.output.display(),
        plan.duration().as_secs(),
        report.n_frames,
        plan.size,
        plan.rate,
        n_bytes as f64 / 1e6,
        report.elapsed.as_secs_f64(),
        fps(report),
        report.compositor,
        report.video_encoder,
        report.audio_encoder,
    )
}

fn result_json(args: &Args, job: &Job, report: &Report, n_bytes: u64) -> Value {
    let plan = job.plan();
    let stages: Value = report
        .stages
        .iter()
        .map(|(name, busy)| ((*name).to_owned(), json!(busy.as_secs_f64())))
        .collect::<serde_json::Map<_, _>>()
        .into();
    json!({
        "event": "result",
        "output": args.output,
        "n_bytes": n_bytes,
        "duration_secs": plan.duration().as_secs(),
        "n_frames": report.n_frames,
        "width": plan.size.width,
        "height": plan.size.height,
        "frame_rate": plan.rate.to_string(),
        "elapsed_secs": report.elapsed.as_secs_f64(),
        "fps": (fps(report) * 10.0).round() / 10.0,
        "compositor": report.compositor,
        "video_encoder": report.video_encoder,
        "audio_encoder": report.audio_encoder,
        "stage_busy_secs": stages,
        "warnings": report.warnings.iter().map(console::warning_json).collect::<Vec<_>>(),
    })
}
