//! Renders into a pipe: a fragmented MP4, sent while frames are still being composed.

use std::io::Write;

use crossbeam_channel::Receiver;

use crate::caught::caught;
use crate::encode::{AudioConfig, VideoConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Packet;
use crate::job::Job;
use crate::mux::{FragmentWriter, Layout};
use crate::options::{Control, Render, Report};
use crate::render::{self, Container, Heads};

impl Job {
    /// Renders into a pipe or another output without seeking: a fragmented MP4, sent in pieces of a few seconds at most while the render runs.
    pub fn stream<W: Write>(
        &self,
        out: W,
        options: &Render,
        control: &Control,
    ) -> Result<(W, Report)> {
        caught(|| run(self, out, options, control))
    }
}

/// Renders a job into `out`, which need not be seekable.
fn run<W: Write>(job: &Job, out: W, options: &Render, control: &Control) -> Result<(W, Report)> {
    let open = |heads: Heads| {
        Ok(Stream::Waiting {
            out,
            layout: heads.layout,
            video: heads.video,
            audio: heads.audio,
        })
    };
    render::run_into(job, open, options, control)
}

/// The container; the video's configuration arrives with the first packet.
enum Stream<W: Write> {
    Waiting {
        out: W,
        layout: Layout,
        video: Receiver<VideoConfig>,
        audio: Option<AudioConfig>,
    },
    Running(Box<FragmentWriter<W>>),
    /// Opening the writer failed.
    Broken,
}

impl<W: Write> Stream<W> {
    fn writer(&mut self) -> Result<&mut FragmentWriter<W>> {
        let lost = || Error::new(ErrorKind::Internal, "the stream was not started");
        if matches!(self, Stream::Waiting { .. })
            && let Stream::Waiting {
                out,
                layout,
                video,
                audio,
            } = std::mem::replace(self, Stream::Broken)
        {
            let video = video.recv().map_err(|_| lost())?;
            let writer = FragmentWriter::new(out, &layout, video, audio)?;
            *self = Stream::Running(Box::new(writer));
        }
        match self {
            Stream::Running(writer) => Ok(writer),
            _ => Err(lost()),
        }
    }
}

impl<W: Write> Container for Stream<W> {
    type Out = W;

    fn video(&mut self, packet: Packet) -> Result<()> {
        self.writer()?.video(packet)
    }

    fn audio(&mut self, packet: Packet) -> Result<()> {
        self.writer()?.audio(packet)
    }

    fn finish(mut self, video: &VideoConfig, audio: Option<&AudioConfig>) -> Result<W> {
        self.writer()?;
        match self {
            Stream::Running(writer) => writer.finish(video, audio),
            _ => Err(Error::new(
                ErrorKind::Internal,
                "the stream was not started",
            )),
        }
    }
}
