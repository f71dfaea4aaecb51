//! The muxing stage: writes packets of video and sound into the container, in time order.

use std::io::{Seek, Write};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::watch::TICK;
use crate::encode::{AudioConfig, VideoConfig};
use crate::error::Result;
use crate::frame::Packet;
use crate::mux::Mp4Writer;
use crate::units::Time;

/// A destination for packets in time order; the first one is a video packet.
pub(crate) trait Container {
    type Out;

    fn video(&mut self, packet: Packet) -> Result<()>;

    fn audio(&mut self, packet: Packet) -> Result<()>;

    /// Completes the container; returns the output.
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

/// Writes packets in time order, always from the track that is behind, until both tracks have ended.
pub(super) fn interleave(
    writer: &mut impl Container,
    (video, sound): (Receiver<Packet>, Receiver<Packet>),
    check: &dyn Fn() -> Result<()>,
    progress: impl Fn(u64),
) -> Result<Duration> {
    let (mut next_video, mut next_sound, mut n_frames) = (Some(Time::ZERO), Some(Time::ZERO), 0);
    let mut busy = Duration::ZERO;
    while next_video.is_some() || next_sound.is_some() {
        let video_is_due =
            next_sound.is_none_or(|sound| next_video.is_some_and(|video| video <= sound));
        let packet = receive(if video_is_due { &video } else { &sound }, check)?;
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

/// Returns the next packet, or `None` when the track has ended. While waiting, `check` decides whether to continue.
fn receive(from: &Receiver<Packet>, check: &dyn Fn() -> Result<()>) -> Result<Option<Packet>> {
    loop {
        match from.recv_timeout(TICK) {
            Ok(packet) => return Ok(Some(packet)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => check()?,
        }
    }
}
