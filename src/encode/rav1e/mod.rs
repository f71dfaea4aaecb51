//! AV1 by rav1e, built in: closed groups of pictures, each in an encoder of its own, several at a time.
//!
//! The key frames are known beforehand, so groups do not depend on each other, and the bytes do not depend on the number of threads. Raw frames
//! that wait are bounded: a thread that is busy with one group is fed no further than what keeps the others at work.

mod group;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, unbounded};
use group::{Row, Waiting, encode_group, encoder_config};
use rav1e::prelude as av1;

use crate::encode::obu;
use crate::encode::sequence::{Sequence, encoder_error};
use crate::encode::{VideoConfig, VideoEncoder, VideoSettings};
use crate::error::Result;
use crate::frame::{Frame, Packet};
use crate::plan::draw::DrawList;

/// Low, medium, high.
const ROWS: [Row; 3] = [
    Row {
        speed: 10,
        quantizer: 150,
    },
    Row {
        speed: 10,
        quantizer: 100,
    },
    Row {
        speed: 9,
        quantizer: 60,
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

    fn pulse(&self) -> Arc<AtomicU64> {
        self.sequence.pulse()
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

/// Raw frames that may wait for a thread.
///
/// Groups start one after the other as frames come, so that those at work are spread evenly over the length of a group; of all but the newest
/// half is left on average. With fewer waiting the threads run dry now and then, which is the price of bounded memory for large pictures.
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
    let n_spare = n_threads.min(settings.keyframes.len()) - 1;
    let n_useful = usize::try_from(longest)
        .unwrap_or(usize::MAX)
        .saturating_mul(n_spare)
        / 2;
    let n_affordable = MAX_WAITING_BYTES * n_spare / (settings.size.area() * 3 / 2);
    n_useful.min(n_affordable) + 2 * n_threads
}

/// Most bytes of raw frames that wait for each thread but the first.
const MAX_WAITING_BYTES: usize = 64 << 20;
