//! The stages of the reference job, each run alone on the same material.

use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use kinora::compose::{Compositor, Pictures};
use kinora::encode::{self, AudioConfig, VideoConfig, VideoSettings};
use kinora::error::{Error, ErrorKind, Result};
use kinora::frame::{Frame, Packet};
use kinora::media::{self, FolderAssets};
use kinora::mux::{Layout, Mp4Writer};
use kinora::scene::draw::PictureId;
use kinora::text::Fonts;
use kinora::{CancelToken, Control, Job, Render, Report};

use super::Args;
use super::material::Material;
use super::measure::{self, Cost, cost_of};
use crate::console;
use crate::failure::Failure;
use crate::interrupt;

/// Maximum length of the raw file, in seconds: for a longer job, only the first minute is encoded alone.
const MAX_RAW_SECS: f64 = 60.0;

/// All measurements.
pub(super) struct Figures {
    /// The report of the whole job.
    pub(super) report: Report,
    /// The whole job, from the document to the file.
    pub(super) whole: Cost,
    /// Peak memory during the whole job.
    pub(super) peak_bytes: u64,
    /// Size of the file.
    pub(super) n_bytes: u64,
    /// Number of frames in the stages below.
    pub(super) n_frames: u64,
    /// Probing and resolving.
    pub(super) plan: Cost,
    /// Decoding and resampling the pictures.
    pub(super) decode: Cost,
    /// Composing alone.
    pub(super) compose: Cost,
    /// Encoding the same frames alone.
    pub(super) encode: Cost,
    /// Mixing and encoding the sound.
    pub(super) sound: Cost,
    /// Writing the MP4 into memory.
    pub(super) mux: Cost,
}

/// The packets of one track and its parameters for the container.
struct Track<C> {
    packets: Vec<Packet>,
    config: C,
    packet_samples: u32,
}

/// Runs the stages: the job and how it is rendered.
struct Bench<'a> {
    job: &'a Job,
    assets: &'a FolderAssets,
    options: Render,
    n_threads: usize,
    n_frames: u64,
}

/// Runs the whole job, then every stage alone.
pub(super) fn run(material: &Material, args: &Args) -> std::result::Result<Figures, Failure> {
    let options = &args.options;
    let say = |what: &str| {
        if !args.json {
            console::say(what)
        }
    };
    let temp = tempfile::tempdir()
        .map_err(|e| Failure::Io(format!("cannot create a temporary folder: {e}")))?;
    let assets = FolderAssets::new(&material.folder);
    let control = Control {
        cancel: CancelToken::default(),
        progress: None,
    };
    interrupt::cancel_on_signal(control.cancel.clone())?;

    say("the whole job");
    let folder = args.keep.as_deref().unwrap_or(temp.path());
    std::fs::create_dir_all(folder).map_err(Error::from)?;
    let path = folder.join("whole.mp4");
    measure::reset_peak_memory();
    let (done, whole) = cost_of(|| {
        let job = new_job(material, &assets)?;
        let report = kinora::render_to_file(&job, &path, &options.to_render(), &control)?;
        Ok::<_, Error>((job, report))
    });
    let (job, report) = done?;
    let peak_bytes = measure::peak_memory_bytes();
    let n_bytes = std::fs::metadata(&path).map_err(Error::from)?.len();
    let (again, plan) = cost_of(|| new_job(material, &assets));
    again?;

    let n_frames = raw_frames(&job, folder);
    let bench = Bench {
        job: &job,
        assets: &assets,
        options: options.to_render(),
        n_threads: options.n_threads(),
        n_frames,
    };
    let mut raw = new_raw_file(folder)?;
    say("composing alone");
    let (decode, compose) = bench.compose(&mut raw, &control.cancel)?;
    say("encoding alone");
    let (video, encode) = bench.encode(raw, &control.cancel)?;
    say("sound and container");
    let (audio, sound) = cost_of(|| bench.sound());
    let audio = audio?;
    let (written, mux) = cost_of(|| bench.mux(video, audio));
    written?;
    Ok(Figures {
        report,
        whole,
        peak_bytes,
        n_bytes,
        n_frames,
        plan,
        decode,
        compose,
        encode,
        sound,
        mux,
    })
}

/// Opens the file for the raw frames, for writing and reading back.
fn new_raw_file(folder: &Path) -> Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(true);
    Ok(options.open(folder.join("frames.yuv"))?)
}

fn new_job(material: &Material, assets: &FolderAssets) -> Result<Job> {
    Job::new(
        &material.timeline,
        Arc::new(assets.clone()),
        Fonts::default(),
    )
}

/// Returns the number of frames in the raw file: a minute, or what fits into half the free space.
fn raw_frames(job: &Job, folder: &Path) -> u64 {
    let plan = job.plan();
    let room =
        measure::free_bytes(folder).unwrap_or(u64::MAX) / 2 / (plan.size.area() as u64 * 3 / 2);
    let minute = (MAX_RAW_SECS * plan.rate.as_f64()).round() as u64;
    plan.n_frames.min(minute).min(room).max(1)
}

fn stop_if(cancel: &CancelToken) -> Result<()> {
    if cancel.is_cancelled() {
        Err(Error::new(ErrorKind::Cancelled, "cancelled"))
    } else {
        Ok(())
    }
}

impl Bench<'_> {
    /// Composes every frame into `raw`; returns the costs of decoding and of composing.
    fn compose(&self, raw: &mut File, cancel: &CancelToken) -> Result<(Cost, Cost)> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.n_threads)
            .build()
            .map_err(|e| {
                Error::new(ErrorKind::Internal, "cannot create a thread pool").with_source(e)
            })?;
        let size = self.job.plan().size;
        let mut compositor = Compositor::new(self.options.backend, size, &Fonts::default())?;
        let mut pictures = Pictures::new();
        let (mut decode, mut compose) = (Cost::default(), Cost::default());
        let mut spare = Vec::new();
        for index in 0..self.n_frames {
            stop_if(cancel)?;
            let (held, cost) = cost_of(|| self.hold_pictures(index, &mut pictures));
            held?;
            decode += cost;
            let into = spare.pop().unwrap_or_else(|| Frame::black(size));
            let (frame, cost) = cost_of(|| {
                pool.install(|| compositor.submit(&self.job.plan().at(index), &pictures, into))
            });
            compose += cost;
            if let Some(frame) = frame? {
                raw.write_all(frame.as_bytes())?;
                spare.push(frame);
            }
        }
        loop {
            let (frame, cost) = cost_of(|| pool.install(|| compositor.drain()));
            compose += cost;
            match frame? {
                Some(frame) => raw.write_all(frame.as_bytes())?,
                None => return Ok((decode, compose)),
            }
        }
    }

    /// Loads the pictures that frame `index` draws and drops those no longer needed.
    fn hold_pictures(&self, index: u64, pictures: &mut Pictures) -> Result<()> {
        for (id, wanted) in (0..).map(PictureId).zip(&self.job.plan().pictures) {
            if !(wanted.first_frame..wanted.end_frame).contains(&index) {
                pictures.remove(&id);
            } else if let Entry::Vacant(place) = pictures.entry(id) {
                place.insert(media::load(wanted, self.assets)?);
            }
        }
        Ok(())
    }

    /// Encodes the frames of `raw`. A second thread reads ahead; its CPU time is not counted.
    fn encode(&self, mut raw: File, cancel: &CancelToken) -> Result<(Track<VideoConfig>, Cost)> {
        raw.seek(SeekFrom::Start(0))?;
        let plan = self.job.plan();
        let lists: Vec<_> = (0..self.n_frames).map(|index| plan.at(index)).collect();
        let (send, frames) = sync_channel(4);
        let (give_back, spare) = sync_channel(8);
        for _ in 0..8 {
            // The receiver lives in this function: the channel is open and has room.
            let _ = give_back.send(Frame::black(plan.size));
        }
        let n_frames = self.n_frames;
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || read_ahead(raw, n_frames, &spare, &send));
            let (track, mut cost) = cost_of(|| {
                let mut encoder = encode::video_encoder(&self.video_settings())?;
                let mut packets = Vec::new();
                for (list, frame) in lists.iter().zip(frames) {
                    stop_if(cancel)?;
                    let frame: Frame = frame?;
                    encoder.encode(&frame, list, &mut packets)?;
                    // The reader has ended once it has read all frames.
                    let _ = give_back.send(frame);
                }
                encoder.finish(&mut packets)?;
                Ok::<_, Error>(Track {
                    packets,
                    config: encoder.config()?,
                    packet_samples: 0,
                })
            });
            drop(give_back);
            let reading = reader.join().unwrap_or_default();
            cost.cpu = cost.cpu.saturating_sub(reading);
            Ok((track?, cost))
        })
    }

    fn video_settings(&self) -> VideoSettings {
        let plan = self.job.plan();
        VideoSettings {
            codec: self.job.codecs(&self.options).0,
            encoder: self.options.encoder,
            quality: self.options.quality,
            size: plan.size,
            rate: plan.rate,
            threads: self.n_threads,
            n_frames: self.n_frames,
            keyframes: plan
                .keyframes
                .iter()
                .copied()
                .filter(|index| *index < self.n_frames)
                .collect(),
        }
    }

    /// Mixes and encodes the whole sound.
    fn sound(&self) -> Result<Track<AudioConfig>> {
        let codec = self.job.codecs(&self.options).1;
        let mut encoder = encode::audio_encoder(codec, self.options.quality)?;
        let mut mixer = kinora::audio::Mixer::new(&self.job.plan().mix, self.assets)?;
        let mut packets = Vec::new();
        while let Some(block) = mixer.next_block()? {
            encoder.encode(&block, &mut packets)?;
        }
        encoder.finish(&mut packets)?;
        Ok(Track {
            packets,
            config: encoder.config(),
            packet_samples: encoder.packet_samples(),
        })
    }

    /// Writes both tracks into memory, in the order of their times.
    fn mux(&self, video: Track<VideoConfig>, audio: Track<AudioConfig>) -> Result<()> {
        let plan = self.job.plan();
        let layout = Layout {
            size: plan.size,
            rate: plan.rate,
            n_frames: self.n_frames,
            n_samples: Some(plan.mix.n_samples),
            packet_samples: audio.packet_samples,
        };
        let mut writer = Mp4Writer::new(Cursor::new(Vec::new()), &layout)?;
        let mut sounds = audio.packets.into_iter().peekable();
        for packet in video.packets {
            while let Some(sound) = sounds.next_if(|sound| sound.dts <= packet.dts) {
                writer.audio(sound)?;
            }
            writer.video(packet)?;
        }
        sounds.try_for_each(|sound| writer.audio(sound))?;
        writer.finish(&video.config, Some(&audio.config))?;
        Ok(())
    }
}

/// Reads frames into the spare buffers; returns the CPU time used.
fn read_ahead(
    mut raw: File,
    n_frames: u64,
    spare: &Receiver<Frame>,
    send: &SyncSender<Result<Frame>>,
) -> std::time::Duration {
    for index in 0..n_frames {
        let Ok(mut frame) = spare.recv() else { break };
        frame.index = index;
        let read = raw
            .read_exact(frame.as_bytes_mut())
            .map(|()| frame)
            .map_err(Error::from);
        if send.send(read).is_err() {
            break;
        }
    }
    measure::thread_cpu()
}
