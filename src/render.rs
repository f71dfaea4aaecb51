//! The pipeline: pictures decode ahead, frames are composed, encoded and muxed, and the sound is mixed and encoded, all at once over bounded channels.
//!
//! Takes: a [`Job`], a [`Container`], options, a [`Control`]. Gives: the finished file's bytes in the output and a [`Report`]. Never: decides anything about the video.
//!
//! ```text
//! media::Loader ─ pictures ─▶ compose ─ Composed ─▶ encode ─ Packet ─▶ mux (the caller's thread) ─▶ output
//!                               ▲ Frame buffers ◀────┘                  ▲
//!                                             mix + encode ─ Packet ────┘
//! ```
//! Every channel is short, so memory does not grow with the video's length. A stage that ends early (an error, a cancel) drops its ends of the channels;
//! its neighbors see that, stop without an error of their own, and the first error is the one the caller gets.

use std::collections::VecDeque;
use std::io::{Seek, Write};
use std::sync::Arc;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::audio::Mixer;
use crate::compose::Compositor;
use crate::encode::{self, AudioConfig, AudioEncoder, VideoConfig, VideoEncoder, VideoSettings};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Frame, Packet};
use crate::job::{Control, Job, Render, Report, Stage};
use crate::media::Loader;
use crate::mux::{Layout, Mp4Writer};
use crate::plan::Plan;
use crate::plan::draw::DrawList;
use crate::units::Time;

/// Pictures held beyond those on screen.
const PICTURES_AHEAD: usize = 2;
/// Frames between composing and encoding.
const FRAMES_AHEAD: usize = 3;
/// Packets between the encoders and the container.
const PACKETS_AHEAD: usize = 64;

/// A composed frame on its way to the encoder, with what is known about it.
struct Composed {
    frame: Frame,
    list: DrawList,
}

/// What a stage leaves behind: how long it worked, and what the next one must know at the end (`None` when it was stopped early).
struct Ended<T> {
    busy: Duration,
    result: Option<T>,
}

/// Everything that works on a render.
struct Crew<'a> {
    painter: Painter<'a>,
    video: Box<dyn VideoEncoder>,
    /// `None` when the file has no sound track.
    audio: Option<Box<dyn AudioEncoder>>,
}

impl<'a> Crew<'a> {
    fn new(job: &'a Job, options: &Render) -> Result<Crew<'a>> {
        let plan = job.plan();
        let painter = Painter {
            plan,
            compositor: Compositor::new(options.backend, plan.size, job.fonts())?,
            pool: options.pool()?,
            loader: Loader::start(plan.sources(), Arc::clone(job.assets()), PICTURES_AHEAD)?,
        };
        Ok(Crew {
            painter,
            video: encode::video_encoder(&video_settings(job, options))?,
            audio: match plan.mix.has_track() {
                true => Some(encode::audio_encoder(
                    options.codecs(job).1,
                    options.quality,
                )?),
                false => None,
            },
        })
    }
}

/// Where packets go, in the order of their times: the first one is of video.
pub(crate) trait Container {
    type Out;

    fn video(&mut self, packet: Packet) -> Result<()>;

    fn audio(&mut self, packet: Packet) -> Result<()>;

    /// Completes it; gives the output back.
    fn finish(self, video: &VideoConfig, audio: Option<&AudioConfig>) -> Result<Self::Out>;
}

impl<W: Write + Seek> Container for Mp4Writer<W> {
    type Out = W;

    fn video(&mut self, packet: Packet) -> Result<()> {
        Mp4Writer::video(self, packet)
    }

    fn audio(&mut self, packet: Packet) -> Result<()> {
        Mp4Writer::audio(self, packet)
    }

    fn finish(self, video: &VideoConfig, audio: Option<&AudioConfig>) -> Result<W> {
        Mp4Writer::finish(self, video, audio)
    }
}

/// What is known of the streams before the first packet.
pub(crate) struct Heads {
    pub(crate) layout: Layout,
    /// `None` when there is no sound track.
    pub(crate) audio: Option<AudioConfig>,
    /// Comes before the first packet of video.
    pub(crate) video: Receiver<VideoConfig>,
}

/// Renders a job into `out`.
pub(crate) fn run<W: Write + Seek>(
    job: &Job,
    out: W,
    options: &Render,
    control: &Control,
) -> Result<(W, Report)> {
    let open = |heads: Heads| Mp4Writer::new(out, &heads.layout);
    run_into(job, open, options, control)
}

/// Renders a job into the container that `open` makes.
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
        video,
        audio,
    } = Crew::new(job, options)?;
    let names = [video.name(), sound_name(audio.as_deref()), painter.name()];
    let (head_to, head_from) = bounded(1);
    let mut writer = open(Heads {
        layout: layout(plan, audio.as_deref()),
        audio: audio.as_ref().map(|audio| audio.config()),
        video: head_from,
    })?;

    let (composed_to, composed_from) = bounded(FRAMES_AHEAD);
    let (spare_to, spare_from) = unbounded();
    let (video_to, video_from) = bounded(PACKETS_AHEAD);
    let (sound_to, sound_from) = bounded(PACKETS_AHEAD);
    let (composed, encoded, sounded, muxed) = thread::scope(|scope| {
        let compose = spawn(scope, "kinora-compose", move || {
            painter.run((composed_to, spare_from), control)
        });
        let encode = spawn(scope, "kinora-encode", move || {
            let to = VideoOut {
                spare: spare_to,
                head: head_to,
                packets: video_to,
            };
            encode_video(plan.n_frames, video, composed_from, &to)
        });
        let sound = spawn(scope, "kinora-sound", move || {
            encode_sound(job, audio, sound_to, control)
        });
        let muxed = interleave(&mut writer, (video_from, sound_from), |frame| {
            progress(Stage::Render, frame)
        });
        (join(compose), join(encode), join(sound), muxed)
    });
    // A stage whose neighbor failed ends without an error, so whichever error there is, is the cause.
    let (mux_busy, composed, encoded, sounded) = (muxed?, composed?, encoded?, sounded?);
    let (Some(video), Some(audio)) = (encoded.result, sounded.result) else {
        return Err(Error::new(
            ErrorKind::Internal,
            "a stage of the pipeline stopped without saying why",
        ));
    };
    progress(Stage::Finish, plan.n_frames);
    let out = writer.finish(&video, audio.as_ref())?;
    let stages = vec![
        ("compose", composed.busy),
        ("encode", encoded.busy),
        ("sound", sounded.busy),
        ("mux", mux_busy),
    ];
    Ok((out, report(job, clock, names, stages)))
}

/// What the caller hears of a finished render; `names` are those of the video encoder, the audio encoder and the compositor.
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

fn video_settings(job: &Job, options: &Render) -> VideoSettings {
    let plan = job.plan();
    VideoSettings {
        codec: options.codecs(job).0,
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

/// Everything that composing needs.
struct Painter<'a> {
    plan: &'a Plan,
    compositor: Compositor,
    pool: rayon::ThreadPool,
    loader: Loader,
}

impl Painter<'_> {
    /// Composes every frame in order, in buffers that come back from the encoder.
    fn run(
        mut self,
        (to, spare): (Sender<Composed>, Receiver<Frame>),
        control: &Control,
    ) -> Result<Ended<()>> {
        let (mut busy, mut lists) = (Duration::ZERO, VecDeque::new());
        for index in 0..self.plan.n_frames {
            control.check()?;
            let buffer = spare
                .try_recv()
                .unwrap_or_else(|_| Frame::black(self.plan.size));
            let clock = Instant::now();
            let list = self.plan.at(index);
            let finished = self
                .draw(&list, buffer)
                .map_err(|e| e.at(self.plan.place_of(index)))?;
            busy += clock.elapsed();
            lists.push_back(list);
            if !send(&to, finished, &mut lists) {
                return Ok(Ended { busy, result: None });
            }
        }
        while let Some(frame) = self.compositor.drain()? {
            if !send(&to, Some(frame), &mut lists) {
                return Ok(Ended { busy, result: None });
            }
        }
        Ok(Ended {
            busy,
            result: Some(()),
        })
    }

    /// The compositor on the workers that it will have.
    fn name(&mut self) -> String {
        let compositor = &mut self.compositor;
        self.pool.install(move || compositor.name())
    }

    fn draw(&mut self, list: &DrawList, buffer: Frame) -> Result<Option<Frame>> {
        let pictures = self.loader.for_frame(list.frame)?;
        let compositor = &mut self.compositor;
        self.pool
            .install(|| compositor.submit(list, pictures, buffer))
    }
}

/// Sends a finished frame with its draw list; false when nobody takes it any more.
fn send(to: &Sender<Composed>, frame: Option<Frame>, lists: &mut VecDeque<DrawList>) -> bool {
    let Some(frame) = frame else { return true };
    let list = lists
        .pop_front()
        .expect("a frame comes out for each list that went in");
    to.send(Composed { frame, list }).is_ok()
}

/// Where the video's encoder puts what it is done with.
struct VideoOut {
    spare: Sender<Frame>,
    head: Sender<VideoConfig>,
    packets: Sender<Packet>,
}

impl VideoOut {
    /// Sends packets, the configuration before the first; false when nobody takes them any more.
    fn send(&self, packets: &mut Vec<Packet>, encoder: &dyn VideoEncoder) -> Result<bool> {
        if packets.first().is_some_and(|packet| packet.is_sync) {
            // Only the first one is waited for.
            let _ = self.head.try_send(encoder.config()?);
        }
        Ok(!packets
            .drain(..)
            .any(|packet| self.packets.send(packet).is_err()))
    }
}

fn encode_video(
    n_frames: u64,
    mut encoder: Box<dyn VideoEncoder>,
    from: Receiver<Composed>,
    to: &VideoOut,
) -> Result<Ended<VideoConfig>> {
    let (mut busy, mut n_taken, mut packets) = (Duration::ZERO, 0, Vec::new());
    for Composed { frame, list } in from {
        let clock = Instant::now();
        encoder
            .encode(&frame, &list, &mut packets)
            .map_err(|e| e.at(format!("frame {}", frame.index)))?;
        busy += clock.elapsed();
        n_taken += 1;
        // The buffer may come too late, when composing is over.
        let _ = to.spare.send(frame);
        if !to.send(&mut packets, &*encoder)? {
            break;
        }
    }
    if n_taken < n_frames {
        return Ok(Ended { busy, result: None });
    }
    let clock = Instant::now();
    encoder.finish(&mut packets)?;
    busy += clock.elapsed();
    let config = if to.send(&mut packets, &*encoder)? {
        Some(encoder.config()?)
    } else {
        None
    };
    Ok(Ended {
        busy,
        result: config,
    })
}

/// Mixes and encodes the sound; what the mix must know of it beforehand is found here too, while frames are already composed.
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

/// Writes packets in the order of their times, always of the track that is behind, until both tracks have ended.
fn interleave(
    writer: &mut impl Container,
    (video, sound): (Receiver<Packet>, Receiver<Packet>),
    progress: impl Fn(u64),
) -> Result<Duration> {
    let (mut next_video, mut next_sound, mut n_frames) = (Some(Time::ZERO), Some(Time::ZERO), 0);
    let mut busy = Duration::ZERO;
    while next_video.is_some() || next_sound.is_some() {
        let video_is_due =
            next_sound.is_none_or(|sound| next_video.is_some_and(|video| video <= sound));
        let packet = if video_is_due {
            video.recv()
        } else {
            sound.recv()
        }
        .ok();
        let next = packet.as_ref().map(|packet| packet.dts + packet.duration);
        let clock = Instant::now();
        if video_is_due {
            next_video = next;
            if let Some(packet) = packet {
                writer.video(packet)?;
                n_frames += 1;
                progress(n_frames);
            }
        } else {
            next_sound = next;
            if let Some(packet) = packet {
                writer.audio(packet)?;
            }
        }
        busy += clock.elapsed();
    }
    Ok(busy)
}

type Running<'scope, T> = std::io::Result<ScopedJoinHandle<'scope, Result<T>>>;

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> Result<T> + Send + 'scope,
) -> Running<'scope, T> {
    thread::Builder::new()
        .name(name.into())
        .spawn_scoped(scope, work)
}

/// What the thread returned; a panic in it is an error of the render, not of the process.
fn join<T>(running: Running<'_, T>) -> Result<T> {
    let failed = |what: &str| Error::new(ErrorKind::Internal, what);
    let thread = running.map_err(|e| failed("a thread could not be started").with_source(e))?;
    thread.join().unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let said = said
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(failed("a stage of the pipeline broke; please report this").with_source(said))
    })
}
