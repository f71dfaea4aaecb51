//! The film: the examples of all looks in sequence, with their names written into the picture, as one silent MP4.

use std::fs::File;
use std::io::BufWriter;

use kinora::encode::{self, Quality, VideoCodec, VideoEncoderName, VideoSettings};
use kinora::error::Result;
use kinora::mux::{Layout, Mp4Writer};
use kinora::plan::looks::Look;
use kinora::units::Size;
use kinora::{Job, Render};

use super::examples::Examples;
use crate::failure::Failure;
use crate::looks::Kind;

/// Size of the film.
pub(super) const SIZE: Size = Size {
    width: 540,
    height: 960,
};

/// Returns the example of every look, in order.
pub(super) fn jobs(
    kind: Kind,
    looks: &[Look],
    examples: &Examples,
) -> std::result::Result<Vec<Job>, Failure> {
    let job = |(i, look)| examples.of(kind, look, i).map(|example| example.job);
    looks.iter().enumerate().map(job).collect()
}

/// Encodes the jobs in sequence into `file`, as H.264, which every player supports. `progress` is called for each job.
pub(super) fn write(
    jobs: &[Job],
    file: &mut File,
    options: &Render,
    progress: &dyn Fn(usize) -> Result<()>,
) -> Result<()> {
    let Some(first) = jobs.first() else {
        return Ok(());
    };
    let (size, rate) = (first.plan().size, first.plan().rate);
    let (mut keyframes, mut n_frames) = (Vec::new(), 0);
    for job in jobs {
        keyframes.extend(job.plan().keyframes.iter().map(|index| n_frames + index));
        n_frames += job.plan().n_frames;
    }
    let settings = VideoSettings {
        codec: VideoCodec::H264,
        encoder: VideoEncoderName::Auto,
        quality: Quality::Medium,
        size,
        rate,
        threads: options.threads,
        n_frames,
        keyframes,
    };
    let layout = Layout {
        size,
        rate,
        n_frames,
        n_samples: None,
        packet_samples: 0,
    };
    let mut encoder = encode::video_encoder(&settings)?;
    let mut writer = Mp4Writer::new(BufWriter::new(file), &layout)?;
    let (mut index, mut packets) = (0, Vec::new());
    for (i, job) in jobs.iter().enumerate() {
        progress(i)?;
        for (own, frame) in (0..).zip(job.frames(options)?) {
            let (mut frame, mut list) = (frame?, job.plan().at(own));
            (frame.index, list.frame) = (index, index);
            encoder.encode(&frame, &list, &mut packets)?;
            packets
                .drain(..)
                .try_for_each(|packet| writer.video(packet))?;
            index += 1;
        }
    }
    encoder.finish(&mut packets)?;
    packets
        .drain(..)
        .try_for_each(|packet| writer.video(packet))?;
    writer.finish(&encoder.config()?, None)?;
    Ok(())
}
