//! The pipeline: pictures decode ahead; frames are composed, encoded and muxed, and the sound is mixed and encoded, all concurrently over bounded channels.
//!
//! Input: a [`Job`], a [`Container`], options, a [`Control`]. Output: the finished file's bytes, and a [`Report`]. It decides nothing about the video.
//!
//! ```text
//! media::Loader ─ pictures ─▶ compose ─ Composed ─▶ encode ─ Packet ─▶ mux (the caller's thread) ─▶ output
//!                               ▲ Frame buffers ◀────┘                  ▲
//!                                             mix + encode ─ Packet ────┘
//! ```
//! Every channel is short, so memory does not grow with the video's length. A stage that ends early (an error, a cancel) drops its ends of the channels;
//! its neighbors notice and stop without an error, and the caller gets the first error. The encoder may be a library whose calls never
//! return: its thread is watched and can be abandoned.

mod encoding;
mod interleave;
mod painter;
mod watch;

use std::io::{Seek, Write};
use std::sync::Arc;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};
use encoding::{VideoOut, encode_video};
pub(crate) use interleave::Container;
use interleave::interleave;
use painter::Painter;
use watch::Watched;

use crate::audio::Mixer;
use crate::caught::caught;
use crate::encode::{
    self, AudioConfig, AudioEncoder, VideoConfig, VideoEncoder, VideoEncoderName, VideoSettings,
};
use crate::error::{Error, ErrorKind, Result, Warning};
use crate::frame::{Frame, Packet};
use crate::job::Job;
use crate::media::Loader;
use crate::mux::{Layout, Mp4Writer};
use crate::options::{Control, Render, Report, Stage};
use crate::plan::Plan;
use crate::scene::draw::DrawList;

/// Pictures held in addition to those on screen.
const PICTURES_AHEAD: usize = 2;
/// Frames between composing and encoding.
const FRAMES_AHEAD: usize = 3;
/// Packets between the encoders and the container.
const PACKETS_AHEAD: usize = 64;
/// Time an encoder may take without finishing a packet.
const ENCODER_TIMEOUT: Duration = Duration::from_secs(30);

/// A composed frame on its way to the encoder, with its draw list.
struct Composed {
    frame: Frame,
    list: DrawList,
}

/// The outcome of a stage: its working time, and the data the next stage needs at the end (`None` if it was stopped early).
struct Ended<T> {
    busy: Duration,
    result: Option<T>,
}

/// All workers of a render.
struct Crew<'a> {
    painter: Painter<'a>,
    /// `None` names the caller's own encoder.
    video: (Option<VideoEncoderName>, Box<dyn VideoEncoder>),
    /// `None` if the file has no audio track.
    audio: Option<Box<dyn AudioEncoder>>,
}

impl<'a> Crew<'a> {
    fn new(job: &'a Job, options: &Render) -> Result<Crew<'a>> {
        let plan = job.plan();
        let painter = Painter {
            plan,
            compositor: job.compositor(options.backend)?,
            pool: options.pool()?,
            loader: Loader::start(plan.sources(), Arc::clone(job.assets()), PICTURES_AHEAD)?,
        };
        Ok(Crew {
            painter,
            video: open_video_encoder(job, options)?,
            audio: match plan.mix.has_track() {
                true => Some(encode::audio_encoder(
                    job.codecs(options).1,
                    options.quality,
                )?),
                false => None,
            },
        })
    }
}

/// Stream properties known before the first packet.
pub(crate) struct Heads {
    pub(crate) layout: Layout,
    /// `None` if there is no audio track.
    pub(crate) audio: Option<AudioConfig>,
    /// Arrives before the first video packet.
    pub(crate) video: Receiver<VideoConfig>,
}

impl Job {
    /// Renders an MP4 into any seekable output, from its current position, and returns the output.
    pub fn render<W: Write + Seek>(
        &self,
        out: W,
        options: &Render,
        control: &Control,
    ) -> Result<(W, Report)> {
        caught(|| run(self, out, options, control))
    }
}

/// Renders a job into `out`.
fn run<W: Write + Seek>(
    job: &Job,
    out: W,
    options: &Render,
    control: &Control,
) -> Result<(W, Report)> {
    let open = |heads: Heads| Mp4Writer::new(out, &heads.layout);
    run_into(job, open, options, control)
}

/// Renders a job into the container created by `open`.
pub(crate) fn run_into<C: Container>(
    job: &Job,
    open: impl FnOnce(Heads) -> Result<C>,
    options: &Render,
    control: &Control,
) -> Result<(C::Out, Report)> {
    let (plan, clock) = (job.plan(), Instant::now());
    let progress = |stage, frame| control.report(stage, (frame, plan.n_frames), clock);
    progress(Stage::Prepare, 0);
    let Crew {
        mut painter,
        video: (chosen, video),
        audio,
    } = Crew::new(job, options)?;
    let names = [video.name(), sound_name(audio.as_deref()), painter.name()];
    let (to, ends) = VideoOut::open();
    let mut writer = open(Heads {
        layout: layout(plan, audio.as_deref()),
        audio: audio.as_ref().map(|audio| audio.config()),
        video: ends.head,
    })?;

    let (composed_to, composed_from) = bounded(FRAMES_AHEAD);
    let (sound_to, sound_from) = bounded(PACKETS_AHEAD);
    let (stop_to, stop_from) = bounded(0);
    let limit = options.encoder_timeout.unwrap_or(ENCODER_TIMEOUT);
    let (n_frames, pulse) = (plan.n_frames, video.pulse());
    let work = move |calls: &_| encode_video((n_frames, calls), video, composed_from, &to);
    let encode = Watched::spawn("kinora-encode", (limit, pulse), work)?;
    let watch = || {
        control.check()?;
        let reason = || stuck(chosen, &names[0], limit);
        encode.is_stuck().then(reason).map_or(Ok(()), Err)
    };
    let worked = thread::scope(|scope| {
        let compose = spawn(scope, "kinora-compose", move || {
            painter.run((composed_to, ends.spare, stop_from), control)
        });
        let sound = spawn(scope, "kinora-sound", move || {
            encode_sound(job, audio, sound_to, control)
        });
        let muxed = interleave(&mut writer, (ends.packets, sound_from), &watch, |frame| {
            progress(Stage::Render, frame)
        });
        let encoded = match &muxed {
            Ok(_) => encode.finish(watch),
            Err(_) => None,
        };
        // Composing must not wait for a stuck encoder to take frames.
        drop(stop_to);
        Worked {
            composed: join(compose),
            encoded,
            sounded: join(sound),
            muxed,
        }
    });
    encode.join(worked.is_failed()).map_err(|_| broken())?;
    let results = worked.results()?;
    progress(Stage::Finish, plan.n_frames);
    let out = writer.finish(&results.video, results.audio.as_ref())?;
    let mut report = report(job, clock, names, results.stages);
    report.warnings.extend(results.lost);
    Ok((out, report))
}

/// The outcome of each stage.
struct Worked {
    composed: Result<Ended<Vec<Warning>>>,
    /// `None` if the encoder was abandoned.
    encoded: Option<Result<Ended<VideoConfig>>>,
    sounded: Result<Ended<Option<AudioConfig>>>,
    muxed: Result<Duration>,
}

/// The results of the stages if all succeeded.
struct Results {
    /// Problems of clips found only during decoding.
    lost: Vec<Warning>,
    video: VideoConfig,
    audio: Option<AudioConfig>,
    stages: Vec<(&'static str, Duration)>,
}

impl Worked {
    fn is_failed(&self) -> bool {
        self.muxed.is_err() || !matches!(self.encoded, Some(Ok(_)))
    }

    /// Returns the results or the error. A stage whose neighbor failed ends without an error, so any error is the cause.
    fn results(self) -> Result<Results> {
        let (mux_busy, composed, sounded) = (self.muxed?, self.composed?, self.sounded?);
        let encoded = self.encoded.unwrap_or_else(|| Err(silent()))?;
        let stages = vec![
            ("compose", composed.busy),
            ("encode", encoded.busy),
            ("sound", sounded.busy),
            ("mux", mux_busy),
        ];
        match (composed.result, encoded.result, sounded.result) {
            (Some(lost), Some(video), Some(audio)) => Ok(Results {
                lost,
                video,
                audio,
                stages,
            }),
            _ => Err(silent()),
        }
    }
}

/// Returns the error for a stage that ended with neither a result nor an error.
fn silent() -> Error {
    let message = "a stage of the pipeline stopped without giving a reason";
    Error::new(ErrorKind::Internal, message)
}

/// Returns the error for an encoder call that does not return; `Auto` does not choose that encoder again in this process.
fn stuck(name: Option<VideoEncoderName>, version: &str, limit: Duration) -> Error {
    let seconds = limit.as_secs_f64();
    let message = format!(
        "{version} is stuck: it has not finished a packet for {seconds:.0} s; choose another encoder, or another version of the library"
    );
    if let Some(name) = name {
        encode::strike(name, &message);
    }
    Error::new(ErrorKind::Encoder, message)
}

/// Builds the report of a finished render; the names are those of the video encoder, the audio encoder and the compositor.
fn report(
    job: &Job,
    clock: Instant,
    [video_encoder, audio_encoder, compositor]: [String; 3],
    stages: Vec<(&'static str, Duration)>,
) -> Report {
    Report {
        n_frames: job.plan().n_frames,
        video_encoder,
        audio_encoder,
        compositor,
        elapsed: clock.elapsed(),
        stages,
        warnings: job.warnings().to_vec(),
    }
}

/// Opens the encoder of the engine's factory, else the one that the options choose.
fn open_video_encoder(
    job: &Job,
    options: &Render,
) -> Result<(Option<VideoEncoderName>, Box<dyn VideoEncoder>)> {
    let settings = video_settings(job, options);
    match job.engine().encoder() {
        Some(factory) => Ok((None, factory(&settings)?)),
        None => encode::open(&settings).map(|(name, encoder)| (Some(name), encoder)),
    }
}

fn video_settings(job: &Job, options: &Render) -> VideoSettings {
    let plan = job.plan();
    VideoSettings {
        codec: job.codecs(options).0,
        encoder: options.encoder,
        quality: options.quality,
        size: plan.size,
        rate: plan.rate,
        threads: options.n_threads(),
        n_frames: plan.n_frames,
        keyframes: plan.keyframes.clone(),
    }
}

fn sound_name(audio: Option<&dyn AudioEncoder>) -> String {
    audio.map_or("none".into(), AudioEncoder::name)
}

fn layout(plan: &Plan, audio: Option<&dyn AudioEncoder>) -> Layout {
    Layout {
        size: plan.size,
        rate: plan.rate,
        n_frames: plan.n_frames,
        n_samples: audio.map(|_| plan.mix.n_samples),
        packet_samples: audio.map_or(0, AudioEncoder::packet_samples),
    }
}

/// Mixes and encodes the sound. The measurements the mix needs first are also made here, while frames are already being composed.
fn encode_sound(
    job: &Job,
    encoder: Option<Box<dyn AudioEncoder>>,
    to: Sender<Packet>,
    control: &Control,
) -> Result<Ended<Option<AudioConfig>>> {
    let (mut busy, mut packets) = (Duration::ZERO, Vec::new());
    let Some(mut encoder) = encoder else {
        return Ok(Ended {
            busy,
            result: Some(None),
        });
    };
    let clock = Instant::now();
    let (mix, assets) = (&job.plan().mix, &**job.assets());
    let check = || control.check();
    let mut mixer = Mixer::for_encoder(mix, assets, encoder.overshoot_db(), &check)?;
    busy += clock.elapsed();
    loop {
        control.check()?;
        let clock = Instant::now();
        let block = mixer.next_block()?;
        match &block {
            Some(block) => encoder.encode(block, &mut packets)?,
            None => encoder.finish(&mut packets)?,
        }
        busy += clock.elapsed();
        if packets.drain(..).any(|packet| to.send(packet).is_err()) {
            return Ok(Ended { busy, result: None });
        }
        if block.is_none() {
            return Ok(Ended {
                busy,
                result: Some(Some(encoder.config())),
            });
        }
    }
}

type Running<'scope, T> = std::io::Result<ScopedJoinHandle<'scope, Result<T>>>;

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> Result<T> + Send + 'scope,
) -> Running<'scope, T> {
    thread::Builder::new()
        .name(name.into())
        .spawn_scoped(scope, move || caught(work))
}

/// Returns the thread's result.
fn join<T>(running: Running<'_, T>) -> Result<T> {
    let thread = running.map_err(|e| {
        Error::new(ErrorKind::Internal, "a thread could not be started").with_source(e)
    })?;
    thread.join().unwrap_or_else(|_| Err(broken()))
}

/// Returns the error for a panic outside guarded work; panics inside it are caught on the thread itself.
fn broken() -> Error {
    let message = "a stage of the pipeline failed; please report this";
    Error::new(ErrorKind::Internal, message)
}
