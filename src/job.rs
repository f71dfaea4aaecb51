//! A job: a document with its assets and fonts, resolved once and rendered any number of times.

use std::sync::Arc;

use crate::caught::caught;
use crate::compose::{Backend, Compositor, Pictures};
use crate::encode::{self, AudioCodec, VideoCodec, VideoEncoderName};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Problem, Result, Warning};
use crate::frame::Frame;
use crate::media::{self, Assets, Loader};
use crate::named::named_in;
use crate::options::{Control, Render};
use crate::plan::Plan;
use crate::preflight;
use crate::probe::probe_until;
use crate::spoken;
use crate::text::Fonts;
use crate::timeline::{self, Codec, Timeline};
use crate::units::{Time, within};

/// A document resolved against its assets and fonts, ready to be rendered.
#[derive(Clone)]
pub struct Job {
    plan: Arc<Plan>,
    warnings: Vec<Warning>,
    codec: Option<VideoCodec>,
    assets: Arc<dyn Assets>,
    /// The engine's fonts and the document's own.
    fonts: Fonts,
    engine: Engine,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Checks the document and its assets and resolves them. Fails with every problem at once ([`ErrorKind::Document`]); nothing is rendered.
    /// Cancelling `control` ends it with [`ErrorKind::Cancelled`], also while it finds words in a long voice.
    pub fn job(
        &self,
        timeline: &Timeline,
        assets: Arc<dyn Assets>,
        control: &Control,
    ) -> Result<Job> {
        caught(|| Job::prepared(self, timeline, assets, control))
    }

    /// Like [`Engine::job`], for a document as JSON text: unknown, mistyped and missing fields are listed together with all other problems.
    pub fn job_from_json(
        &self,
        text: &str,
        assets: Arc<dyn Assets>,
        control: &Control,
    ) -> Result<Job> {
        let (timeline, mut problems) = timeline::read(text);
        let job = timeline.map(|timeline| self.job(&timeline, assets, control));
        match job {
            Some(job) if problems.is_empty() => job,
            Some(Err(e)) if e.kind() != ErrorKind::Document => Err(e),
            Some(Err(e)) => {
                let own = e.problems().iter().filter(|p| !follows(p, &problems));
                let own: Vec<Problem> = own.cloned().collect();
                problems.extend(own);
                Err(Error::document(problems))
            }
            _ => Err(Error::document(problems)),
        }
    }
}

impl Job {
    /// Checks and resolves the document and its assets. Fails with all problems together ([`ErrorKind::Document`]); nothing is rendered.
    pub fn new(timeline: &Timeline, assets: Arc<dyn Assets>, fonts: Fonts) -> Result<Job> {
        let engine = Engine::builder().fonts(fonts).build();
        engine.job(timeline, assets, &Control::default())
    }

    fn prepared(
        engine: &Engine,
        timeline: &Timeline,
        assets: Arc<dyn Assets>,
        control: &Control,
    ) -> Result<Job> {
        let named = named_in(timeline);
        let (mut facts, mut problems) = probe_until(&named, &*assets, &control.cancel)?;
        facts.spoken =
            spoken::words_of(timeline, &facts, &*assets, (&mut problems, &control.cancel))?;
        let fonts = with_fonts(
            engine.fonts().clone(),
            &timeline.fonts,
            &*assets,
            &mut problems,
        );
        control.check()?;
        match Plan::resolve(timeline, &facts, &fonts) {
            Ok((plan, mut warnings)) if problems.is_empty() => {
                warnings.extend(preflight::check(&plan, &named, &facts));
                Ok(Job {
                    plan: Arc::new(plan),
                    warnings,
                    codec: timeline.output.codec.map(|codec| match codec {
                        Codec::H264 => VideoCodec::H264,
                        Codec::Av1 => VideoCodec::Av1,
                    }),
                    assets,
                    fonts,
                    engine: engine.clone(),
                })
            }
            Ok(_) => Err(Error::document(problems)),
            Err(e) => {
                problems.splice(0..0, e.problems().iter().cloned());
                Err(Error::document(problems))
            }
        }
    }

    /// Like [`Job::new`], for a document as JSON text: unknown, mistyped and missing fields are listed together with all other problems.
    pub fn from_json(text: &str, assets: Arc<dyn Assets>, fonts: Fonts) -> Result<Job> {
        let engine = Engine::builder().fonts(fonts).build();
        engine.job_from_json(text, assets, &Control::default())
    }

    /// Returns the resolved video.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the warnings: findings that did not stop the work.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the video codec set in the document (`output.codec`), which [`Render::codec`] overrides.
    pub fn codec(&self) -> Option<VideoCodec> {
        self.codec
    }

    pub(crate) fn assets(&self) -> &Arc<dyn Assets> {
        &self.assets
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Creates a compositor for this video.
    pub(crate) fn compositor(&self, backend: Backend) -> Result<Compositor> {
        self.engine.compositor(backend, self.plan.size, &self.fonts)
    }

    /// Returns the video and audio codecs with which it is rendered.
    pub fn codecs(&self, options: &Render) -> (VideoCodec, AudioCodec) {
        let chosen = options.codec.or(options.encoder.codec()).or(self.codec);
        let video = chosen.unwrap_or_default();
        (video, options.audio_codec.unwrap_or(video.usual_audio()))
    }

    /// Returns the encoder that `options` select for this job.
    pub(crate) fn preferred_encoder(&self, options: &Render) -> VideoEncoderName {
        match options.encoder {
            VideoEncoderName::Auto => encode::preferred(self.codecs(options).0, self.plan.size),
            name => name,
        }
    }

    /// Returns the frame on screen at `at`, as composed for the encoder.
    pub fn still(&self, at: Time, options: &Render) -> Result<Frame> {
        let step = self.plan.rate.frame_duration().0;
        let index = within(at.0.div_euclid(step), 0, self.plan.n_frames as i64 - 1) as u64;
        caught(|| self.draw_still(index, options)).map_err(|e| e.at(self.plan.place_of(index)))
    }

    fn draw_still(&self, index: u64, options: &Render) -> Result<Frame> {
        let pictures = media::load_frame(self.plan.sources(), index, &*self.assets)?;
        let mut compositor = self.compositor(options.backend)?;
        let list = self.plan.at(index);
        let black = Frame::black(self.plan.size);
        let drawn = options
            .pool()?
            .install(|| compositor.submit(&list, &pictures, black))?;
        match drawn {
            Some(frame) => Ok(frame),
            None => compositor
                .drain()?
                .ok_or_else(|| Error::new(ErrorKind::Internal, "the compositor lost a frame")),
        }
    }

    /// Returns every frame in order, for callers with their own encoder. Ends after the first error.
    pub fn frames(&self, options: &Render) -> Result<Frames> {
        self.frames_at((0..self.plan.n_frames).collect(), options)
    }

    /// Like [`Job::frames`], but only frames of the given indexes, which should rise (going back decodes pictures again).
    ///
    /// # Errors
    /// Returns `Internal` if an index has no frame.
    pub fn frames_at(&self, indexes: Vec<u64>, options: &Render) -> Result<Frames> {
        if let Some(index) = indexes.iter().find(|index| **index >= self.plan.n_frames) {
            let n = self.plan.n_frames;
            let message = format!("frame {index} was requested, but the video has {n} frames");
            return Err(Error::new(ErrorKind::Internal, message));
        }
        Ok(Frames {
            compositor: self.compositor(options.backend)?,
            pool: options.pool()?,
            loader: Loader::start(self.plan.sources(), Arc::clone(&self.assets), 2)?,
            plan: Arc::clone(&self.plan),
            due: indexes.into_iter(),
            current: 0,
            failed: false,
        })
    }
}

/// The iterator of [`Job::frames`] and [`Job::frames_at`].
#[derive(Debug)]
pub struct Frames {
    plan: Arc<Plan>,
    compositor: Compositor,
    pool: rayon::ThreadPool,
    loader: Loader,
    due: std::vec::IntoIter<u64>,
    current: u64,
    failed: bool,
}

impl Frames {
    fn advance(&mut self) -> Result<Option<Frame>> {
        for index in self.due.by_ref() {
            let list = self.plan.at(index);
            self.current = index;
            let pictures: &Pictures = self.loader.for_frame(list.frame)?;
            let (compositor, black) = (&mut self.compositor, Frame::black(self.plan.size));
            if let Some(frame) = self
                .pool
                .install(|| compositor.submit(&list, pictures, black))?
            {
                return Ok(Some(frame));
            }
        }
        self.compositor.drain()
    }
}

impl Iterator for Frames {
    type Item = Result<Frame>;

    fn next(&mut self) -> Option<Result<Frame>> {
        if self.failed {
            return None;
        }
        let frame = caught(|| self.advance());
        let frame = frame.map_err(|e| e.at(self.plan.place_of(self.current)));
        self.failed = frame.is_err();
        frame.transpose()
    }
}

/// Returns whether a problem only follows from a value that was unreadable and left out or replaced, so that the author did not cause it.
fn follows(problem: &Problem, unread: &[Problem]) -> bool {
    unread.iter().any(|value| {
        // A shot's length depends on its own fields, and with `words` also on the captions.
        let field = value.path.strip_prefix(&problem.path);
        let is_length = matches!(field, Some(".duration" | ".words"));
        let is_by_words = problem.path.starts_with("shots[")
            && problem.path.ends_with("].words")
            && value.is_within("captions");
        // A shot has no source because its source could not be read.
        let is_source = problem.code == "shot_source"
            && field
                .is_some_and(|field| field.starts_with(".picture") || field.starts_with(".clip"));
        // Words that are all unreadable look like no words.
        let is_no_words = problem.path == "captions.words" && value.is_within("captions.words");
        problem.is_within(&value.path) || is_length || is_by_words || is_no_words || is_source
    })
}

/// Maximum number of font files in a document.
const MAX_FONTS: usize = 16;

/// Adds the fonts that a document names.
fn with_fonts(
    mut fonts: Fonts,
    names: &[String],
    assets: &dyn Assets,
    problems: &mut Vec<Problem>,
) -> Fonts {
    if names.len() > MAX_FONTS {
        let message = format!(
            "{} font files; at most {MAX_FONTS} are allowed",
            names.len()
        );
        problems.push(Problem::new("too_many", "fonts", message));
        return fonts;
    }
    for (i, name) in names.iter().enumerate() {
        let path = format!("fonts[{i}]");
        let open = |bytes: Vec<u8>| fonts.clone().with_font(bytes).map_err(|e| e.to_string());
        match media::font_file(name, &path, assets, open) {
            Ok(more) => fonts = more,
            Err(problem) => problems.push(problem),
        }
    }
    fonts
}
