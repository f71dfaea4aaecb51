//! `kinora render`: renders a timeline to an MP4, a stream of MP4 on stdout, or its sound alone.

use std::path::PathBuf;

use kinora::error::Warning;
use kinora::{CancelToken, Control, Job, Report, SoundReport, SubtitleFormat};
use serde_json::{Value, json};

use crate::console::{self, Meter};
use crate::failure::{Done, Failure};
use crate::options::{Options, SubtitlesArg, WavBitsArg};
use crate::source::Source;
use crate::target::{OutputArgs, Target};
use crate::{encoders, interrupt, output};

/// Render a timeline to an MP4, to a stream, or its sound alone
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,

    /// The file to write, which appears only when it is complete: .mp4, or the sound alone as .m4a (AAC), .opus or .wav; - sends a fragmented MP4 to stdout
    /// while rendering
    #[arg(short, long, value_name = "OUT.mp4")]
    output: PathBuf,

    /// Also write the captions beside the output, as OUT.srt, OUT.vtt or OUT.json (times of words and pages); may be repeated
    #[arg(long, value_enum, value_name = "FORMAT")]
    subtitles: Vec<SubtitlesArg>,

    #[command(flatten)]
    options: Options,

    /// Bits per sample of a .wav [default: 16]
    #[arg(long, value_enum)]
    wav_bits: Option<WavBitsArg>,

    /// Print progress (at most 4 lines a second) and a final result or error as JSON lines on stdout (on stderr with -o -)
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: Args) -> Done {
    args.options.engine.check()?;
    let target = Target::of(OutputArgs {
        output: &args.output,
        options: &args.options,
        wav_bits: args.wav_bits,
    })?;
    let subtitles = subtitle_files(&args)?;
    let job = args.source.job()?;
    if !subtitles.is_empty() && !job.has_captions() {
        return Err(Failure::Usage(
            "--subtitles: the timeline shows no captions; give it `captions` with words, or leave the option out".into(),
        ));
    }
    let cancel = CancelToken::default();
    interrupt::cancel_on_signal(cancel.clone())?;
    let slower = slower_encoder(&args, &job, &target);
    if let Some(line) = slower.as_ref().filter(|_| !args.json) {
        console::say(&format!("note: {line}"));
    }
    let (meter, control) = Meter::watching(args.json, cancel);
    let made = make(&args, &job, target, &control);
    meter.clear();
    let made = made?;
    for (format, path) in &subtitles {
        output::write_text(path, &job.subtitles(*format))?;
    }
    let n_bytes = match made {
        Made::Stream(_) => None,
        Made::File(_) | Made::Sound(_) => Some(
            std::fs::metadata(&args.output)
                .map_err(|e| {
                    Failure::Io(format!("{} no longer exists: {e}", args.output.display()))
                })?
                .len(),
        ),
    };
    if args.json {
        let mut result = made.to_json(&job);
        result["event"] = json!("result");
        result["output"] = json!(args.output);
        result["n_bytes"] = json!(n_bytes);
        result["subtitles"] = subtitles.iter().map(|(_, path)| json!(path)).collect();
        let warnings = made.warnings(&job).iter().map(console::warning_json);
        result["warnings"] = warnings.collect();
        result["notes"] = slower.into_iter().collect();
        console::json_line(&result);
    } else {
        console::say_warnings(made.warnings(&job));
        let size = n_bytes.map_or(String::new(), |n| format!(", {:.1} MB", n as f64 / 1e6));
        let (what, how) = made.summary(&job);
        console::say(&format!("{}: {what}{size}\n  {how}", args.output.display()));
        for (_, path) in &subtitles {
            console::say(&format!("  {}", path.display()));
        }
    }
    Ok(())
}

/// Returns the note about a fallback encoder for this render.
fn slower_encoder(args: &Args, job: &Job, target: &Target) -> Option<String> {
    let options = args.options.to_render();
    match target {
        Target::Sound(_) => None,
        Target::Mp4 | Target::Pipe(_) => encoders::slower(job.codecs(&options).0, &options),
    }
}

/// The result of a render.
enum Made {
    File(Report),
    Stream(Report),
    Sound(SoundReport),
}

fn make(args: &Args, job: &Job, target: Target, control: &Control) -> Result<Made, Failure> {
    let options = args.options.to_render();
    Ok(match target {
        Target::Mp4 => Made::File(kinora::render_to_file(
            job,
            &args.output,
            &options,
            control,
        )?),
        Target::Sound(format) => Made::Sound(kinora::render_sound_to_file(
            job,
            &args.output,
            format,
            &options,
            control,
        )?),
        Target::Pipe(pipe) => {
            let sent = job.stream(pipe, &options, control);
            Made::Stream(sent.map_err(|e| e.at("stdout"))?.1)
        }
    })
}

/// Returns the requested subtitle files, each once, checked before any work.
fn subtitle_files(args: &Args) -> Result<Vec<(SubtitleFormat, PathBuf)>, Failure> {
    let mut files = Vec::new();
    for format in args.subtitles.iter().map(|format| format.to_format()) {
        if output::is_pipe(&args.output) {
            return Err(Failure::Usage(
                "--subtitles writes next to the output file, and -o - has none: leave it out, or render to a file".into(),
            ));
        }
        let path = args.output.with_extension(format.extension());
        output::check(&path, format.extension())?;
        if args.source.is_file(&path) {
            let name = path.display();
            return Err(Failure::Usage(format!(
                "--subtitles would replace the timeline {name} itself: give the output another name"
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

impl Made {
    /// Returns the warnings of the document, and those of the render.
    fn warnings<'a>(&'a self, job: &'a Job) -> &'a [Warning] {
        match self {
            Made::File(report) | Made::Stream(report) => &report.warnings,
            Made::Sound(_) => job.warnings(),
        }
    }

    /// Describes the output, and how it was made.
    fn summary(&self, job: &Job) -> (String, String) {
        let plan = job.plan();
        let secs = plan.duration().as_secs();
        match self {
            Made::File(report) | Made::Stream(report) => (
                format!(
                    "{secs:.2} s, {} frames of {} at {} fps",
                    report.n_frames, plan.size, plan.rate
                ),
                format!(
                    "in {:.1} s ({:.0} fps): {}; {}; {}",
                    report.elapsed.as_secs_f64(),
                    fps(report),
                    report.compositor,
                    report.video_encoder,
                    report.audio_encoder,
                ),
            ),
            Made::Sound(report) => (
                format!("{secs:.2} s of sound"),
                format!(
                    "in {:.1} s: {}",
                    report.elapsed.as_secs_f64(),
                    report.encoder
                ),
            ),
        }
    }

    fn to_json(&self, job: &Job) -> Value {
        let plan = job.plan();
        match self {
            Made::File(report) | Made::Stream(report) => {
                let stages: Value = report
                    .stages
                    .iter()
                    .map(|(name, busy)| ((*name).to_owned(), json!(busy.as_secs_f64())))
                    .collect::<serde_json::Map<_, _>>()
                    .into();
                json!({
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
                })
            }
            Made::Sound(report) => json!({
                "duration_secs": plan.duration().as_secs(),
                "n_samples": report.n_samples,
                "elapsed_secs": report.elapsed.as_secs_f64(),
                "audio_encoder": report.encoder,
            }),
        }
    }
}
