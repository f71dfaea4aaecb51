//! Shared parts of the studio's commands: the work folder, providers, progress, and the final render.

pub(crate) mod about;
pub(crate) mod character;
pub(crate) mod estimate;
pub(crate) mod lists;
pub(crate) mod script;
pub(crate) mod short;
pub(crate) mod storyboard;
mod substitutes;
pub(crate) mod universe;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use kinora::encode::{Quality, VideoCodec};
use kinora::timeline::Codec;
use kinora::{CancelToken, Job, Render, Report};
use kinora_studio::failure::Stage;
use kinora_studio::providers::config::{FolderSettings, Kind, Named, ProvidersConfig};
use kinora_studio::stages::{Brief, Production, Progress, Setup, Studio, Watch};
use kinora_studio::video::Video;
use serde_json::{Value, json};

use self::substitutes::{Early, Substitute};
use crate::console::{self, Meter, Steps};
use crate::failure::{Done, Failure};
use crate::options::{Engine, SubtitlesArg, threads};
use crate::{encoders, folders, input, interrupt, music, output};

/// The providers and the folder for results.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Place {
    /// Providers, prices and the names of key variables [default: kinora.toml in the current folder, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The folder for intermediate results, so that nothing is made twice [default: ~/.cache/kinora/studio]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,

    /// A folder with your own pictures and clips, matched to scenes by name (01.jpg, lighthouse.png), the others used in order
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
}

impl Place {
    /// Opens the studio.
    pub(crate) fn studio(&self) -> Result<Studio, Failure> {
        let work = self.work.clone().or_else(default_work).ok_or_else(|| {
            Failure::Usage(
                "no home folder was found: name the folder for results with --work DIR".into(),
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

    /// Returns the codec of the configuration, or H.264, which plays everywhere.
    fn codec(&self) -> Result<Codec, Failure> {
        #[derive(Default, serde::Deserialize)]
        struct Encoded {
            #[serde(default)]
            video: Video,
        }
        Ok(input::tables::<Encoded>(self.config.as_deref())?
            .video
            .codec)
    }

    /// Returns the setup of the configuration file, or the defaults: everything offline.
    pub(crate) fn setup(&self) -> Result<Setup, Failure> {
        let mut setup = Setup {
            work: PathBuf::new(),
            config: ProvidersConfig::default(),
            folder: PathBuf::new(),
            music: Arc::new(music::open(None)?),
            remote: None,
        };
        let Some((path, text)) = input::configuration(self.config.as_deref())? else {
            return Ok(setup);
        };
        setup.config =
            ProvidersConfig::read(&text).map_err(|problems| refused(path.display(), &problems))?;
        setup.folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(setup)
    }
}

/// Returns the default folder for results.
fn default_work() -> Option<PathBuf> {
    Some(folders::cache()?.join("studio"))
}

/// The encoding of the video, and the files written beside it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Encoding {
    #[command(flatten)]
    engine: Engine,

    /// Worker threads, 0 for all cores; does not affect the output
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    threads: usize,

    /// Also write the captions beside the output, as OUT.srt, OUT.vtt or OUT.json; may be repeated
    #[arg(long, value_enum, value_name = "FORMAT")]
    subtitles: Vec<SubtitlesArg>,
}

impl Encoding {
    /// Returns the codec of the video: of the option, else of the named encoder, else of the configuration.
    pub(crate) fn codec(&self, place: &Place) -> Result<Codec, Failure> {
        self.engine.check()?;
        let render = self.engine.to_render();
        match render.codec.or(render.encoder.codec()) {
            Some(VideoCodec::H264) => Ok(Codec::H264),
            Some(VideoCodec::Av1) => Ok(Codec::Av1),
            None => place.codec(),
        }
    }

    fn to_render(&self, quality: Quality) -> Render {
        Render {
            quality,
            threads: self.threads,
            ..self.engine.to_render()
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

impl Order<'_> {
    fn slower_encoder(&self, options: &Render) -> Option<Substitute> {
        let codec = match self.brief.codec {
            Some(Codec::H264) => VideoCodec::H264,
            Some(Codec::Av1) | None => VideoCodec::Av1,
        };
        let line = encoders::slower(codec, options)?;
        let stage = Stage::Render;
        Some(Substitute { stage, line })
    }
}

/// Makes a video and reports the result.
pub(crate) fn make(order: &Order<'_>, studio: &Studio) -> Done {
    output::check(order.output, "mp4")?;
    let cancel = CancelToken::default();
    interrupt::cancel_on_signal(cancel.clone())?;
    let options = order.encoding.to_render(order.quality);
    let mut early = substitutes::of(order.brief, studio);
    early.extend(order.slower_encoder(&options));
    let early = Early::say(early, order.json);
    let production = produce(order.brief, studio, &cancel, order.json)?;
    let job = production.job()?;
    let (meter, control) = Meter::watching(order.json, cancel);
    let report = kinora::render_to_file(&job, order.output, &options, &control);
    meter.clear();
    let report = report?;
    production.finish()?;
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
    tell(order, (&production, &early), (&job, &report), &subtitles);
    Ok(())
}

/// Produces everything up to the render, and shows the progress.
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

/// The bar of the current stage.
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
    (production, early): (&Production, &Early),
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
    early.say_others(&production.notes);
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

/// Reads a text file, or stdin for `-`, of at most [`MAX_TEXT_BYTES`].
fn read_text(path: &Path) -> Result<String, Failure> {
    input::read_text("", path, MAX_TEXT_BYTES)
}

/// Maximum size of a request, script or settings file, in bytes.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Returns the failure with all problems of `what`, one per line.
fn refused(what: impl Display, problems: &[impl Display]) -> Failure {
    let problems = problems.iter().map(|problem| format!("\n  {problem}"));
    Failure::Usage(format!("{what}:{}", problems.collect::<String>()))
}

/// The subject for [`refused`] with requests.
const IN_REQUEST: &str = "the request has problems";

/// Prints the notes for the user.
fn say_notes(notes: &[String]) {
    for note in notes {
        console::say(&format!("note: {note}"));
    }
}
