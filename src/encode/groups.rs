//! Closed groups of pictures, each in a separate encoder, several in parallel: shared by rav1e, openh264, x264 and SVT-AV1.
//!
//! The key frames are known beforehand, so groups do not depend on each other, and the bytes do not depend on the number of threads. The number of
//! waiting raw frames is bounded: a thread that is busy with one group gets only as many frames ahead as it takes to keep the others busy.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, unbounded};

use crate::encode::sequence::encoder_error;
use crate::encode::{VideoCodec, VideoSettings};
use crate::error::Result;
use crate::frame::Frame;

/// Maximum bytes of waiting raw frames, for each thread but the first. With fewer frames than a group has, threads wait for each other; encoders of H.264
/// hold little memory themselves, those of AV1 about 300 MiB each at 1080p.
fn max_waiting_bytes_of_thread(codec: VideoCodec) -> usize {
    match codec {
        VideoCodec::H264 => 384 << 20,
        VideoCodec::Av1 => 128 << 20,
    }
}

/// Maximum bytes of all waiting raw frames.
const MAX_WAITING_BYTES: usize = 1 << 30;

/// The encoded form of one frame.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) data: Vec<u8>,
    /// Timeline index of the frame that it shows.
    pub(super) shown: u64,
}

/// Encodes the frames of one group. Lives on one thread.
pub(super) trait GroupEncoder {
    /// Encodes the next frame; finished units are added to `out` in decoding order.
    fn encode(&mut self, frame: Waiting, is_key: bool, out: &mut Vec<Unit>) -> Result<()>;

    /// Ends the group: adds every remaining unit to `out`.
    fn finish(&mut self, out: &mut Vec<Unit>) -> Result<()>;
}

/// Opens the encoder of the group that starts with the frame of this index. The flag is set once the rest is no longer needed.
pub(super) type Open = dyn Fn(u64, &Arc<AtomicBool>) -> Result<Box<dyn GroupEncoder>> + Send + Sync;

/// A raw frame on its way to a thread; returns its token when it is dropped, wherever that is.
pub(super) struct Waiting {
    frame: Frame,
    tokens: Receiver<()>,
}

impl Deref for Waiting {
    type Target = Frame;

    fn deref(&self) -> &Frame {
        &self.frame
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let returned = self.tokens.try_recv();
        debug_assert!(returned.is_ok(), "every waiting frame holds a token");
    }
}

/// The running groups, the oldest first.
pub(super) struct Groups {
    /// Name for messages and threads.
    library: &'static str,
    open: Arc<Open>,
    n_threads: usize,
    starts: Vec<u64>,
    running: VecDeque<Group>,
    /// One token per waiting raw frame.
    tokens: (Sender<()>, Receiver<()>),
    is_cancelled: Arc<AtomicBool>,
    /// Number of units that all groups have finished.
    pulse: Arc<AtomicU64>,
}

/// A group of pictures on its thread.
struct Group {
    /// `None` once all frames of the group have been sent.
    frames: Option<Sender<(Waiting, bool)>>,
    units: Receiver<Result<Unit>>,
    thread: JoinHandle<()>,
}

impl Groups {
    /// Creates the groups. `starts` are the key frames at which a new encoder starts, ascending, the first 0.
    pub(super) fn new(
        library: &'static str,
        settings: &VideoSettings,
        n_threads: usize,
        starts: Vec<u64>,
        open: Arc<Open>,
    ) -> Groups {
        Groups {
            library,
            open,
            n_threads,
            tokens: bounded(n_waiting(settings, n_threads, &starts)),
            starts,
            running: VecDeque::new(),
            is_cancelled: Arc::new(AtomicBool::new(false)),
            pulse: Arc::default(),
        }
    }

    /// Returns the counter of finished units.
    pub(super) fn pulse(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.pulse)
    }

    /// Sends a frame to its group's thread and collects the units that are ready.
    pub(super) fn encode(
        &mut self,
        frame: &Frame,
        is_key: bool,
        out: &mut Vec<Unit>,
    ) -> Result<()> {
        if self.starts.binary_search(&frame.index).is_ok() {
            self.start_group(frame.index, out)?;
        }
        let closed = || encoder_error("a frame came after the end of the video");
        let (tokens, back) = &self.tokens;
        tokens.send(()).expect("this encoder holds the other end");
        let waiting = Waiting {
            frame: frame.clone(),
            tokens: back.clone(),
        };
        let group = self.running.back().ok_or_else(closed)?;
        let frames = group.frames.as_ref().ok_or_else(closed)?;
        if frames.send((waiting, is_key)).is_ok() {
            return self.take_ready(out);
        }
        // A thread that stopped left its error among the units.
        self.finish(out)?;
        let library = self.library;
        Err(encoder_error(format!(
            "{library} stopped before the end of the video"
        )))
    }

    /// Waits for all groups.
    pub(super) fn finish(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        self.close_group();
        while !self.running.is_empty() {
            self.take_oldest(out)?;
        }
        Ok(())
    }

    /// Ends the newest group and starts the next one as soon as a thread is free.
    fn start_group(&mut self, first: u64, out: &mut Vec<Unit>) -> Result<()> {
        self.close_group();
        while self.running.len() >= self.n_threads {
            self.take_oldest(out)?;
        }
        let (frame_sender, frame_receiver) = unbounded();
        let (unit_sender, unit_receiver) = unbounded();
        let (open, is_cancelled) = (self.open.clone(), self.is_cancelled.clone());
        let pulse = self.pulse();
        let thread = std::thread::Builder::new()
            .name(format!("encode-{}", self.library))
            .spawn(move || {
                let encoded = open(first, &is_cancelled).and_then(|mut encoder| {
                    let ends = Ends {
                        frames: &frame_receiver,
                        units: &unit_sender,
                        pulse: &pulse,
                    };
                    encode_group(&mut *encoder, &ends, &is_cancelled)
                });
                if let Err(error) = encoded {
                    let sent = unit_sender.send(Err(error));
                    debug_assert!(sent.is_ok() || is_cancelled.load(Ordering::Relaxed));
                }
            })
            .map_err(|e| encoder_error("no thread could be started").with_source(e))?;
        self.running.push_back(Group {
            frames: Some(frame_sender),
            units: unit_receiver,
            thread,
        });
        Ok(())
    }

    fn close_group(&mut self) {
        if let Some(group) = self.running.back_mut() {
            group.frames = None;
        }
    }

    /// Waits for the oldest group to end.
    fn take_oldest(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        let Some(group) = self.running.pop_front() else {
            return Ok(());
        };
        for unit in &group.units {
            out.push(unit?);
        }
        let library = self.library;
        group
            .thread
            .join()
            .map_err(|_| encoder_error(format!("{library} panicked")))
    }

    /// Collects the units that are ready, in order.
    fn take_ready(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        while let Some(group) = self.running.front() {
            match group.units.try_recv() {
                Ok(unit) => out.push(unit?),
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => self.take_oldest(out)?,
            }
        }
        Ok(())
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        for group in self.running.drain(..) {
            drop(group.frames);
            // The encoding was abandoned, so a panic on this thread no longer matters.
            group.thread.join().ok();
        }
    }
}

/// The channels of a group: its frames come in, its units go out.
struct Ends<'a> {
    frames: &'a Receiver<(Waiting, bool)>,
    units: &'a Sender<Result<Unit>>,
    pulse: &'a AtomicU64,
}

impl Ends<'_> {
    /// Sends units; returns false when they are no longer wanted.
    fn send(&self, units: &mut Vec<Unit>) -> bool {
        units.drain(..).all(|unit| {
            self.pulse.fetch_add(1, Ordering::Relaxed);
            self.units.send(Ok(unit)).is_ok()
        })
    }
}

/// Encodes one group; stops without an error when cancelled.
fn encode_group(
    encoder: &mut dyn GroupEncoder,
    ends: &Ends<'_>,
    is_cancelled: &AtomicBool,
) -> Result<()> {
    let mut ready = Vec::new();
    for (frame, is_key) in ends.frames {
        if is_cancelled.load(Ordering::Relaxed) {
            return Ok(());
        }
        encoder.encode(frame, is_key, &mut ready)?;
        if !ends.send(&mut ready) {
            return Ok(());
        }
    }
    if is_cancelled.load(Ordering::Relaxed) {
        return Ok(());
    }
    encoder.finish(&mut ready)?;
    ends.send(&mut ready);
    Ok(())
}

/// Returns how many raw frames may wait for a thread.
///
/// Groups start one after the other as frames arrive, so the running ones are spread evenly over the length of a group, and half of each is left on
/// average, except for the newest. With a lower limit threads sometimes run out of frames: the price of bounded memory for large pictures.
fn n_waiting(settings: &VideoSettings, n_threads: usize, starts: &[u64]) -> usize {
    let ends = starts[1..].iter().copied().chain([settings.n_frames]);
    let longest = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| end.saturating_sub(*start))
        .max()
        .unwrap_or(0);
    let n_spare = n_threads.min(starts.len()) - 1;
    let n_useful = usize::try_from(longest)
        .unwrap_or(usize::MAX)
        .saturating_mul(n_spare)
        / 2;
    let n_bytes = (max_waiting_bytes_of_thread(settings.codec) * n_spare).min(MAX_WAITING_BYTES);
    let n_affordable = n_bytes / (settings.size.area() * 3 / 2);
    n_useful.min(n_affordable) + 2 * n_threads
}
