//! What the studio's commands share: the work folder, who does the work, how far it is, and the render at its end.

pub(crate) mod character;
pub(crate) mod estimate;
pub(crate) mod lists;
pub(crate) mod script;
pub(crate) mod short;
pub(crate) mod storyboard;
pub(crate) mod universe;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use kinora::encode::Quality;
use kinora::{CancelToken, Control, Job, Render, Report};
use kinora_studio::failure::Stage;
use kinora_studio::providers::config::{FolderSettings, Kind, Named, ProvidersConfig};
use kinora_studio::stages::{self, Brief, Production, Progress, Setup, Studio, Watch};
use serde_json::{Value, json};

use crate::console::{self, Meter, Steps};
use crate::failure::{Done, Failure};
use crate::options::{BackendArg, CodecArg, EncoderArg, SubtitlesArg, threads};
use crate::{interrupt, music, output};

/// Who does the work and where results are kept.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Place {
    /// Providers, prices and keys' names [default: kinora.toml in the current folder, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The folder that keeps what was made, so that nothing is made twice [default: ~/.cache/kinora/studio]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,

    /// Your own pictures and clips, matched to scenes by name (01.jpg, lighthouse.png) and else taken in order
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
}

impl Place {
    /// Opens the studio.
    pub(crate) fn studio(&self) -> Result<Studio, Failure> {
        let work = self.work.clone().or_else(stages::default_work_folder);
        let work = work.ok_or_else(|| {
            Failure::Usage(
                "no home folder is known: name the folder for results with --work DIR".into(),
            )
        })?;
        let mut setup = self.setup()?;
        setup.work = work;
        if let Some(folder) = &self.pictures {
            let own = Named {
                name: "pictures".into(),
                kind: Kind::Folder(FolderSettings {
                    path: std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
                }),
            };
            setup.config.pictures.insert(0, own);
        }
        Ok(Studio::open(&setup)?)
    }

    /// As the configuration file says, or with the defaults: everything offline.
    pub(crate) fn setup(&self) -> Result<Setup, Failure> {
        let mut setup = Setup {
            work: PathBuf::new(),
            config: ProvidersConfig::default(),
            folder: PathBuf::new(),
            music: Arc::new(music::open(None)?),
        };
        let usual = Path::new("kinora.toml");
        let path = match &self.config {
            Some(path) => path,
            None if usual.is_file() => usual,
            None => return Ok(setup),
        };
        let text = read_text(path, MAX_CONFIG_BYTES)?;
        setup.config = ProvidersConfig::read(&text).map_err(|problems| {
            let problems: Vec<String> = problems
                .iter()
                .map(|problem| format!("  {problem}"))
                .collect();
            Failure::Usage(format!("{}:\n{}", path.display(), problems.join("\n")))
        })?;
        setup.folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(setup)
    }
}

const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// How the video is encoded, and what is written beside it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Encoding {
    /// What composes the frames: a GPU if there is a real one (auto), a GPU or its software stand-in, or the CPU
    #[arg(long, value_enum, default_value_t = BackendArg::Auto)]
    backend: BackendArg,

    /// Video codec: av1 is royalty-free and smaller, h264 plays on the oldest devices [default: av1]
    #[arg(long, value_enum)]
    codec: Option<CodecArg>,

    /// Video encoder; auto takes the fastest one there for the codec
    #[arg(long, value_enum, default_value_t = EncoderArg::Auto)]
    encoder: EncoderArg,

    /// Worker threads, 0 for all cores; the file does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    threads: usize,

    /// Also write the captions beside the output, as OUT.srt, OUT.vtt or OUT.json; may be given more than once
    #[arg(long, value_enum, value_name = "FORMAT")]
    subtitles: Vec<SubtitlesArg>,
}

impl Encoding {
    fn to_render(&self, quality: Quality) -> Render {
        Render {
            backend: self.backend.to_backend(),
            codec: CodecArg::to_codec(self.codec),
            encoder: self.encoder.to_encoder(),
            audio_codec: None,
            quality,
            threads: self.threads,
        }
    }
}

/// A video to make.
pub(crate) struct Order<'a> {
    pub(crate) brief: &'a Brief,
    pub(crate) quality: Quality,
    pub(crate) output: &'a Path,
    pub(crate) encoding: &'a Encoding,
    pub(crate) json: bool,
}

/// Makes a video and says how it went.
pub(crate) fn make(order: &Order<'_>, studio: &Studio) -> Done {
    output::check(order.output, "mp4")?;
    let cancel = CancelToken::default();
    interrupt::cancel_on_signal(cancel.clone())?;
    let production = produce(order.brief, studio, &cancel, order.json)?;
    let job = production.job()?;
    let meter = Arc::new(Meter::new(order.json));
    let shown = Arc::clone(&meter);
    let control = Control {
        cancel,
        progress: Some(Box::new(move |progress| shown.show(progress))),
    };
    let options = order.encoding.to_render(order.quality);
    let report = kinora::render_to_file(&job, order.output, &options, &control);
    meter.clear();
    let report = report?;
    let mut subtitles = Vec::new();
    for format in order
        .encoding
        .subtitles
        .iter()
        .map(|format| format.to_format())
    {
        let path = order.output.with_extension(format.extension());
        if !subtitles.contains(&path) && job.has_captions() {
            output::write_text(&path, &job.subtitles(format))?;
            subtitles.push(path);
        }
    }
    tell(order, &production, (&job, &report), &subtitles);
    Ok(())
}

/// Everything up to the render, with its progress shown.
pub(crate) fn produce(
    brief: &Brief,
    studio: &Studio,
    cancel: &CancelToken,
    json: bool,
) -> Result<Production, Failure> {
    let shown = Mutex::new(Shown {
        stage: None,
        bar: None,
    });
    let shown = Arc::new(shown);
    let inner = Arc::clone(&shown);
    let watch = Watch {
        cancel: cancel.clone(),
        progress: Some(Box::new(move |progress| {
            if let Ok(mut shown) = inner.lock() {
                shown.show(progress, json);
            }
        })),
    };
    let made = studio.produce(brief, &watch);
    if let Ok(mut shown) = shown.lock() {
        shown.clear();
    }
    Ok(made?)
}

/// The bar of the stage that is at work.
struct Shown {
    stage: Option<Stage>,
    bar: Option<Steps>,
}

impl Shown {
    fn show(&mut self, progress: &Progress, json: bool) {
        if json {
            console::json_line(&json!({
                "event": "progress",
                "stage": progress.stage,
                "n_done": progress.n_done,
                "n_all": progress.n_all,
                "is_kept": progress.is_kept,
            }));
            return;
        }
        if self.stage != Some(progress.stage) {
            self.clear();
            self.stage = Some(progress.stage);
            self.bar = Some(Steps::new(progress.n_all));
        }
        if let Some(bar) = &self.bar {
            bar.show(stage_name(progress.stage), progress.n_done);
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.clear();
        }
    }
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Request | Stage::Script => "script",
        Stage::Scenes => "scenes",
        Stage::Voice => "voice",
        Stage::Pictures => "pictures",
        Stage::Clips => "clips",
        Stage::Timeline => "timeline",
        Stage::Render => "render",
    }
}

fn tell(
    order: &Order<'_>,
    production: &Production,
    (job, report): (&Job, &Report),
    subtitles: &[PathBuf],
) {
    let n_bytes = std::fs::metadata(order.output).map_or(0, |file| file.len());
    let secs = job.plan().duration().as_secs();
    if order.json {
        let warnings = job.warnings().iter().map(console::warning_json);
        console::json_line(&json!({
            "event": "result",
            "output": order.output,
            "n_bytes": n_bytes,
            "duration_secs": secs,
            "n_frames": report.n_frames,
            "n_scenes": production.script.scenes.len(),
            "timing": production.timing,
            "elapsed_secs": report.elapsed.as_secs_f64(),
            "timeline": production.folder.join("timeline.json"),
            "subtitles": subtitles,
            "notes": production.notes,
            "warnings": warnings.collect::<Vec<Value>>(),
        }));
        return;
    }
    for note in &production.notes {
        console::say(&format!("note: {note}"));
    }
    console::say_warnings(job.warnings());
    console::say(&format!(
        "{}: {secs:.1} s, {} scenes, {:.1} MB; rendered in {:.1} s ({}; {})\n  timeline: {}",
        order.output.display(),
        production.script.scenes.len(),
        n_bytes as f64 / 1e6,
        report.elapsed.as_secs_f64(),
        report.video_encoder,
        report.audio_encoder,
        production.folder.join("timeline.json").display(),
    ));
    for path in subtitles {
        console::say(&format!("  {}", path.display()));
    }
}

/// A text file, or stdin for `-`.
pub(crate) fn read_text(path: &Path, max_bytes: u64) -> Result<String, Failure> {
    use std::io::Read;
    let name = path.display();
    let cannot = |e: std::io::Error| Failure::Usage(format!("{name} cannot be read: {e}"));
    let mut text = String::new();
    let reader: Box<dyn Read> = if output::is_pipe(path) {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).map_err(cannot)?)
    };
    let n = reader
        .take(max_bytes + 1)
        .read_to_string(&mut text)
        .map_err(cannot)?;
    if n as u64 > max_bytes {
        return Err(Failure::Usage(format!(
            "{name} is larger than {} KiB",
            max_bytes >> 10
        )));
    }
    Ok(text)
}
