//! `kinora render`: a timeline becomes an MP4.

use std::path::PathBuf;
use std::sync::Arc;

use kinora::{CancelToken, Control, Job, Report};
use serde_json::{Value, json};

use crate::console::{self, Meter};
use crate::failure::{Done, Failure};
use crate::interrupt;
use crate::options::Options;
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

    #[command(flatten)]
    options: Options,

    /// One JSON line per progress (at most 4 a second), then a result or error line, on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: Args) -> Done {
    output::check(&args.output, "mp4")?;
    let job = args.source.job()?;
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
    let n_bytes = std::fs::metadata(&args.output)
        .map_err(|e| Failure::Io(format!("{} is gone: {e}", args.output.display())))?
        .len();
    if args.json {
        console::json_line(&result_json(&args, &job, &report, n_bytes));
    } else {
        console::say_warnings(&report.warnings);
        console::say(&summary(&args, &job, &report, n_bytes));
    }
    Ok(())
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
