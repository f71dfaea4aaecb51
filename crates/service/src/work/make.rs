//! Makes the video: the studio's production, the render, the check of the file, the poster and the subtitles. Blocks until done.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinora::timeline::{Captions, Fps, Timeline, Word};
use kinora::{CancelToken, Control, Job, OnProgress, Render, Report, SubtitleFormat};
use kinora_studio::estimate::Makers;
use kinora_studio::failure::Stage;
use kinora_studio::stages::{Brief, Production, Span, Watch};

use super::poster::poster;
use super::progress::Shown;
use super::trouble::Trouble;
use crate::observe;
use crate::studios::Studios;

/// Frames per second of a video at full scale.
const FPS: u32 = 30;
/// How much a file's length may differ from its plan, in seconds.
const TOLERANCE_SECS: f64 = 0.1;

/// What to make, and where.
pub(super) struct Task {
    pub run_id: String,
    pub studios: Studios,
    pub is_sandbox: bool,
    pub brief: Brief,
    pub render: Render,
    pub scale_down: u32,
    /// The attempt's own folder.
    pub folder: PathBuf,
    pub cancel: CancelToken,
    pub shown: Arc<Shown>,
}

/// The result: `out.mp4`, `out.jpg` and, if words are spoken, `out.srt`, `out.vtt` and `out.json` in the folder.
#[derive(Debug)]
pub(super) struct Made {
    pub size: u64,
    pub secs: f64,
    pub notes: Vec<String>,
    /// Each scene's duration and makers.
    pub makers: Vec<(f64, Makers)>,
}

/// Returns the path of an output file.
pub(super) fn file(folder: &Path, extension: &str) -> PathBuf {
    folder.join("out").with_extension(extension)
}

impl Task {
    pub fn make(&self) -> Result<Made, Trouble> {
        let made = self
            .production()
            .and_then(|production| self.video(&production));
        made.map_err(|trouble| trouble.without(&self.folder))
    }

    fn production(&self) -> Result<Production, Trouble> {
        let studio = self.studios.studio(self.is_sandbox)?;
        let shown = Arc::clone(&self.shown);
        let watch = Watch {
            cancel: self.cancel.clone(),
            progress: Some(Box::new(move |progress| {
                shown.scenes(progress.stage, (progress.n_done, progress.n_all));
            })),
        };
        let folder = self.folder.join("production");
        let mut production = studio.produce_in((&self.run_id, &folder), &self.brief, &watch)?;
        if self.scale_down > 1 {
            let fps = (FPS / self.scale_down).max(1);
            production.timeline.output.fps = Fps::Whole(fps);
        }
        Ok(production)
    }

    fn video(&self, production: &Production) -> Result<Made, Trouble> {
        let job = production.job()?;
        let control = Control {
            cancel: self.cancel.clone(),
            progress: Some(self.render_progress(&job, production)),
        };
        let path = file(&self.folder, "mp4");
        let report = kinora::render_to_file(&job, &path, &self.render, &control)?;
        observe::encoded(report.n_frames, report.elapsed);
        let secs = check(&job, &report, &path)?;
        let still = poster(&job, &production.spans, &self.render)?;
        fs::write(file(&self.folder, "jpg"), still)?;
        self.words(production, &job)?;
        let spans = production.spans.iter().map(Span::secs);
        Ok(Made {
            size: fs::metadata(&path)?.len(),
            secs,
            notes: production.notes.clone(),
            makers: spans.zip(production.makers.iter().copied()).collect(),
        })
    }

    /// Reports the render's progress: frames, and scenes whose last frame is drawn.
    fn render_progress(&self, job: &Job, production: &Production) -> OnProgress {
        let secs = job.plan().duration().as_secs();
        let ends: Vec<f64> = production
            .spans
            .iter()
            .map(|span| span.end / secs)
            .collect();
        let shown = Arc::clone(&self.shown);
        shown.render(0.0, (0, ends.len()));
        Box::new(move |progress| {
            let done = progress.frame as f64 / progress.n_frames.max(1) as f64;
            let n_done = match done < 1.0 {
                true => ends.iter().filter(|end| **end <= done).count(),
                false => ends.len(),
            };
            shown.render(done, (n_done, ends.len()));
        })
    }

    /// Writes subtitles, even if the video does not show them: people may add them elsewhere.
    fn words(&self, production: &Production, job: &Job) -> Result<(), Trouble> {
        let without;
        let job = match job.has_captions() {
            true => job,
            false if production.words.is_empty() => return Ok(()),
            false => {
                let timeline = captioned(production);
                without = Production {
                    timeline,
                    ..production.clone()
                }
                .job()?;
                &without
            }
        };
        let formats = [
            SubtitleFormat::Srt,
            SubtitleFormat::Vtt,
            SubtitleFormat::Json,
        ];
        for format in formats {
            fs::write(
                file(&self.folder, format.extension()),
                job.subtitles(format),
            )?;
        }
        Ok(())
    }
}

/// Returns the same video with captions.
fn captioned(production: &Production) -> Timeline {
    let words = production.words.iter();
    let words = words.map(|word| Word::new(&word.text, word.start, word.end));
    let mut timeline = production.timeline.clone();
    timeline.captions = Some(Captions::new(words.collect()));
    timeline
}

/// Reads the finished file back, checks it against the plan and returns its length in seconds.
fn check(job: &Job, report: &Report, path: &Path) -> Result<f64, Trouble> {
    let wrong = |why: String| {
        tracing::error!(why, "the finished file failed its check");
        Err(Trouble::internal().at(Stage::Render))
    };
    let file = File::open(path)?;
    let facts = kinora::mux::check(BufReader::new(file))?;
    if !facts.problems.is_empty() {
        return wrong(facts.problems.join("; "));
    }
    let plan = job.plan();
    let video = facts.tracks.iter().find(|track| track.video.is_some());
    let n_frames = video.map_or(0, |track| track.n_samples);
    if n_frames != report.n_frames || n_frames != plan.n_frames {
        return wrong(format!("{n_frames} frames instead of {}", plan.n_frames));
    }
    let has_sound = facts.tracks.iter().any(|track| track.audio.is_some());
    if has_sound != plan.mix.has_track() {
        return wrong(format!("has an audio track: {has_sound}"));
    }
    let planned = plan.duration().as_secs();
    if (facts.duration_secs - planned).abs() > TOLERANCE_SECS {
        return wrong(format!("{} s instead of {planned} s", facts.duration_secs));
    }
    Ok(facts.duration_secs)
}
