//! Encodes frames and sound to packets.
//!
//! Takes: [`Frame`]s and [`AudioBlock`]s in order. Gives: [`Packet`]s and the stream facts that the container needs. Never: handles the container's boxes.

mod aac;
mod av1;
mod avc;
mod choose;
mod grouped;
mod groups;
#[cfg(feature = "openh264")]
mod openh264;
#[cfg(not(feature = "openh264"))]
#[path = "absent.rs"]
mod openh264;
mod opus;
#[cfg(feature = "rav1e")]
mod rav1e;
#[cfg(not(feature = "rav1e"))]
#[path = "absent.rs"]
mod rav1e;
mod samples;
mod sequence;
mod svt;
mod x264;

pub use choose::{EncoderInfo, audio_encoder, available, opus_library, video_encoder};
pub(crate) use choose::{open, preferred, strike};

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub use crate::bitstream::{AudioConfig, VideoConfig};
use crate::error::Result;
use crate::frame::{AudioBlock, Frame, Packet};
use crate::scene::draw::DrawList;
use crate::units::{FrameRate, Size};

/// A video codec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VideoCodec {
    /// AV1: royalty-free, better quality per bit.
    #[default]
    Av1,
    /// H.264: plays on the oldest devices.
    H264,
}

impl VideoCodec {
    /// Returns the audio codec that players expect with it.
    pub fn usual_audio(self) -> AudioCodec {
        match self {
            VideoCodec::Av1 => AudioCodec::Opus,
            VideoCodec::H264 => AudioCodec::Aac,
        }
    }
}

/// An audio codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AudioCodec {
    /// Opus.
    Opus,
    /// AAC-LC.
    Aac,
}

/// Encoder that produces the video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VideoEncoderName {
    /// The fastest encoder of the codec on this machine.
    #[default]
    Auto,
    /// SVT-AV1 from the machine's shared library.
    SvtAv1,
    /// rav1e, built in.
    Rav1e,
    /// openh264, built in.
    OpenH264,
    /// x264, run by the program `kinora-x264` with the machine's shared library.
    X264,
}

impl VideoEncoderName {
    /// Returns the codec that it produces; `None` for [`VideoEncoderName::Auto`].
    pub fn codec(self) -> Option<VideoCodec> {
        match self {
            VideoEncoderName::Auto => None,
            VideoEncoderName::SvtAv1 | VideoEncoderName::Rav1e => Some(VideoCodec::Av1),
            VideoEncoderName::X264 | VideoEncoderName::OpenH264 => Some(VideoCodec::H264),
        }
    }
}

/// Trade-off between picture quality and file size; selects a row of settings in each encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Small files, visible loss on busy pictures.
    Low,
    /// The default trade-off.
    #[default]
    Medium,
    /// Near transparent.
    High,
}

/// Settings of a video encoder.
#[derive(Clone, Debug)]
pub struct VideoSettings {
    /// Codec.
    pub codec: VideoCodec,
    /// Encoder.
    pub encoder: VideoEncoderName,
    /// Quality row.
    pub quality: Quality,
    /// Size of every frame.
    pub size: Size,
    /// Frames per second.
    pub rate: FrameRate,
    /// Worker threads; the output bytes do not depend on their number.
    pub threads: usize,
    /// Total number of frames.
    pub n_frames: u64,
    /// Frames that must be key frames, ascending, the first 0; already at most 5 s apart.
    pub keyframes: Vec<u64>,
}

/// Turns frames into packets. Implement it to use your own encoder.
pub trait VideoEncoder: Send {
    /// Encodes the next frame of the timeline. `known` is the draw list that the frame was made from: it shows which layers have the same picture as in
    /// the frame before, and by what exact transform they moved. Finished packets are added to `out` in decoding order, now or in a later call.
    fn encode(&mut self, frame: &Frame, known: &DrawList, out: &mut Vec<Packet>) -> Result<()>;

    /// Ends the stream: adds every remaining packet to `out`.
    fn finish(&mut self, out: &mut Vec<Packet>) -> Result<()>;

    /// Returns the parameters for the container; complete once the first packet is out.
    fn config(&self) -> Result<VideoConfig>;

    /// Returns the name and version, for people and the log: `SVT-AV1 1.4.1, preset 12, crf 38`.
    fn name(&self) -> String;

    /// Returns a counter of finished packets that another thread may read during a call, to tell a slow encoder from a stuck one. Without it, a single
    /// call that takes longer than [`crate::Render::encoder_timeout`] counts as stuck.
    fn pulse(&self) -> Arc<AtomicU64> {
        Arc::default()
    }
}

/// Turns sound into packets.
pub trait AudioEncoder: Send {
    /// Encodes the next samples of the mix.
    fn encode(&mut self, block: &AudioBlock, out: &mut Vec<Packet>) -> Result<()>;

    /// Ends the stream: adds every remaining packet to `out`, so that decoding gives every sample that went in.
    fn finish(&mut self, out: &mut Vec<Packet>) -> Result<()>;

    /// Returns the parameters for the container.
    fn config(&self) -> AudioConfig;

    /// Returns the samples per packet.
    fn packet_samples(&self) -> u32;

    /// Returns by how many dB the true peak may rise through encoding and decoding, on limited speech and music.
    fn overshoot_db(&self) -> f64 {
        1.0
    }

    /// Returns the name and bitrate, for people and the log.
    fn name(&self) -> String;
}
