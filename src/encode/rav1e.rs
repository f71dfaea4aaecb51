//! AV1 by rav1e, built in: closed groups of pictures, each in an encoder of its own, several at a time.
//!
//! The key frames are known beforehand, so groups do not depend on each other, and the bytes do not depend on the number of threads. Raw frames
//! that wait are bounded: a thread that is busy with one group is fed no further than what keeps the others at work.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, unbounded};
use rav1e::prelude as av1;

use crate::encode::obu;
use crate::encode::sequence::{Sequence, encoder_error};
use crate::encode::{VideoConfig, VideoEncoder, VideoSettings};
use crate::error::Result;
use crate::frame::{Frame, Packet};
use crate::plan::draw::DrawList;

/// A row of settings.
#[derive(Clone, Copy)]
struct Row {
    /// Speed preset, 10 the fastest.
    speed: u8,
    /// Base quantizer index, 0..=255, less is better.
    quantizer: usize,
}

/// Low, medium, high.
const ROWS: [Row; 3] = [
    Row {
        speed: 10,
        quantizer: 170,
    },
    Row {
        speed: 10,
        quantizer: 120,
    },
    Row {
        speed: 9,
        quantizer: 70,
    },
];

/// Version of the library.
pub(super) fn version() -> String {
    rav1e::version::short()
}

/// The encoder.
pub(super) struct Rav1e {
    config: av1::Config,
    row: Row,
    n_threads: usize,
    sequence: Sequence,
    groups: VecDeque<Group>,
    /// One token per raw frame that waits.
    tokens: (Sender<()>, Receiver<()>),
    is_cancelled: Arc<AtomicBool>,
    sequence_header: Option<Vec<u8>>,
}

/// A group of pictures on its thread.
struct Group {
    /// Gone once all frames of the group were sent.
    frames: Option<Sender<Waiting>>,
    packets: Receiver<Result<Vec<u8>>>,
    thread: JoinHandle<()>,
}

/// A raw frame on its way to a thread; gives its token back when it is dropped, wherever that is.
struct Waiting {
    frame: Frame,
    tokens: Receiver<()>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let returned = self.tokens.try_recv();
        debug_assert!(returned.is_ok(), "every waiting frame holds a token");
    }
}

impl Rav1e {
    /// Fails on settings that the library refuses.
    pub(super) fn new(settings: &VideoSettings) -> Result<Rav1e> {
        let sequence = Sequence::new(settings)?;
        let row = ROWS[settings.quality.row()];
        let config = av1::Config::new()
            .with_encoder_config(encoder_config(settings, row))
            .with_threads(1);
        config
            .validate()
            .map_err(|e| encoder_error("rav1e refused the settings").with_source(e))?;
        let n_threads = settings.threads.max(1);
        Ok(Rav1e {
            config,
            row,
            n_threads,
            sequence,
            groups: VecDeque::new(),
            tokens: bounded(n_waiting(settings, n_threads)),
            is_cancelled: Arc::new(AtomicBool::new(false)),
            sequence_header: None,
        })
    }

    /// Ends the newest group and starts the next one, once a thread is free.
    fn start_group(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        self.close_group();
        while self.groups.len() >= self.n_threads {
            self.take_oldest(out)?;
        }
        let (frame_sender, frame_receiver) = unbounded();
        let (packet_sender, packet_receiver) = unbounded();
        let (config, is_cancelled) = (self.config.clone(), self.is_cancelled.clone());
        let thread = std::thread::Builder::new()
            .name("encode-rav1e".into())
            .spawn(move || {
                if let Err(error) =
                    encode_group(&config, &frame_receiver, &packet_sender, &is_cancelled)
                {
                    let sent = packet_sender.send(Err(error));
                    debug_assert!(sent.is_ok() || is_cancelled.load(Ordering::Relaxed));
                }
            })
            .map_err(|e| encoder_error("no thread could be started").with_source(e))?;
        self.groups.push_back(Group {
            frames: Some(frame_sender),
            packets: packet_receiver,
            thread,
        });
        Ok(())
    }

    fn close_group(&mut self) {
        if let Some(group) = self.groups.back_mut() {
            group.frames = None;
        }
    }

    /// Waits for the oldest group to end.
    fn take_oldest(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        let Some(group) = self.groups.pop_front() else {
            return Ok(());
        };
        for packet in &group.packets {
            self.add(&packet?, out)?;
        }
        group
            .thread
            .join()
            .map_err(|_| encoder_error("rav1e panicked"))
    }

    /// Takes the packets that are ready, in order.
    fn take_ready(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        while let Some(group) = self.groups.front() {
            match group.packets.try_recv() {
                Ok(packet) => self.add(&packet?, out)?,
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => self.take_oldest(out)?,
            }
        }
        Ok(())
    }

    fn add(&mut self, bytes: &[u8], out: &mut Vec<Packet>) -> Result<()> {
        let unit = obu::temporal_unit(bytes)
            .ok_or_else(|| encoder_error("rav1e gave a broken temporal unit"))?;
        if let Some(header) = unit.sequence_header {
            let first = self.sequence_header.get_or_insert_with(|| header.clone());
            if *first != header {
                return Err(encoder_error("rav1e gave two different sequence headers"));
            }
        }
        out.push(self.sequence.stamp(unit.data, unit.is_sync)?);
        Ok(())
    }
}

impl VideoEncoder for Rav1e {
    fn encode(&mut self, frame: &Frame, _known: &DrawList, out: &mut Vec<Packet>) -> Result<()> {
        if self.sequence.admit(frame)? {
            self.start_group(out)?;
        }
        let closed = || encoder_error("a frame came after the end of the video");
        let (tokens, back) = &self.tokens;
        tokens.send(()).expect("this encoder holds the other end");
        let waiting = Waiting {
            frame: frame.clone(),
            tokens: back.clone(),
        };
        let group = self.groups.back().ok_or_else(closed)?;
        // A thread that stopped left its error among the packets.
        let is_sent = group
            .frames
            .as_ref()
            .ok_or_else(closed)?
            .send(waiting)
            .is_ok();
        self.take_ready(out)?;
        if is_sent {
            Ok(())
        } else {
            Err(encoder_error("rav1e stopped before the end of the video"))
        }
    }

    fn finish(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        self.sequence.check_not_empty()?;
        self.close_group();
        while !self.groups.is_empty() {
            self.take_oldest(out)?;
        }
        self.sequence.check_complete()
    }

    fn config(&self) -> Result<VideoConfig> {
        self.sequence_header
            .clone()
            .map(|sequence_header| VideoConfig::Av1 { sequence_header })
            .ok_or_else(|| encoder_error("the sequence header comes with the first packet"))
    }

    fn name(&self) -> String {
        format!(
            "rav1e {}, speed {}, quantizer {}",
            version(),
            self.row.speed,
            self.row.quantizer
        )
    }
}

impl Drop for Rav1e {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        for group in self.groups.drain(..) {
            drop(group.frames);
            // A panic on a thread that nobody waits for any more changes nothing.
            group.thread.join().ok();
        }
    }
}

/// Raw frames that may wait for a thread. Groups are started one after the other as frames come, so that at work they are spread evenly over the
/// length of a group; the frames that are left of all but the newest are then half of each, on average.
fn n_waiting(settings: &VideoSettings, n_threads: usize) -> usize {
    let ends = settings.keyframes[1..]
        .iter()
        .copied()
        .chain([settings.n_frames]);
    let longest = settings
        .keyframes
        .iter()
        .zip(ends)
        .map(|(start, end)| end.saturating_sub(*start))
        .max()
        .unwrap_or(0);
    let n_groups = n_threads.min(settings.keyframes.len());
    let longest = usize::try_from(longest)
        .unwrap_or(usize::MAX)
        .min(MAX_GROUP);
    longest * n_groups.saturating_sub(1) / 2 + 2 * n_threads
}

/// Longest group that is reckoned with, in frames: 2 s at 120 frames per second.
const MAX_GROUP: usize = 240;

fn encoder_config(settings: &VideoSettings, row: Row) -> av1::EncoderConfig {
    let mut config = av1::EncoderConfig::with_speed_preset(row.speed);
    config.width = settings.size.width as usize;
    config.height = settings.size.height as usize;
    config.time_base = av1::Rational::new(settings.rate.den().into(), settings.rate.num().into());
    config.pixel_range = av1::PixelRange::Limited;
    config.color_description = Some(av1::ColorDescription {
        color_primaries: av1::ColorPrimaries::BT709,
        transfer_characteristics: av1::TransferCharacteristics::BT709,
        matrix_coefficients: av1::MatrixCoefficients::BT709,
    });
    config.quantizer = row.quantizer;
    // Key frames only at the start of a group.
    config.set_key_frame_interval(0, 0);
    config.speed_settings.scene_detection_mode = av1::SceneDetectionSpeed::None;
    config.low_latency = true;
    config.speed_settings.rdo_lookahead_frames = 1;
    config
}

/// Encodes one group; stops without an error when cancelled.
fn encode_group(
    config: &av1::Config,
    frames: &Receiver<Waiting>,
    packets: &Sender<Result<Vec<u8>>>,
    is_cancelled: &AtomicBool,
) -> Result<()> {
    let mut context: av1::Context<u8> = config
        .new_context()
        .map_err(|e| encoder_error("rav1e refused the settings").with_source(e))?;
    for waiting in frames {
        let frame = picture(&context, &waiting.frame);
        drop(waiting);
        context
            .send_frame(frame)
            .map_err(|e| encoder_error("rav1e refused a frame").with_source(e))?;
        receive(&mut context, packets, is_cancelled)?;
    }
    context.flush();
    receive(&mut context, packets, is_cancelled)
}

/// Takes every packet that is ready.
fn receive(
    context: &mut av1::Context<u8>,
    packets: &Sender<Result<Vec<u8>>>,
    is_cancelled: &AtomicBool,
) -> Result<()> {
    while !is_cancelled.load(Ordering::Relaxed) {
        match context.receive_packet() {
            Ok(packet) => {
                if packets.send(Ok(packet.data)).is_err() {
                    return Ok(());
                }
            }
            Err(av1::EncoderStatus::Encoded) => {}
            Err(av1::EncoderStatus::NeedMoreData | av1::EncoderStatus::LimitReached) => break,
            Err(e) => return Err(encoder_error("rav1e failed").with_source(e)),
        }
    }
    Ok(())
}

fn picture(context: &av1::Context<u8>, frame: &Frame) -> av1::Frame<u8> {
    let mut picture = context.new_frame();
    let width = frame.size.width as usize;
    let strides = [width, width / 2, width / 2];
    for ((target, plane), stride) in picture.planes.iter_mut().zip(frame.planes()).zip(strides) {
        target.copy_from_raw_u8(plane, stride, 1);
    }
    picture
}
