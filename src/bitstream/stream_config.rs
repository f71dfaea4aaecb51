//! What an encoder tells the container of its stream.

/// What the container must know of a video stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VideoConfig {
    /// AV1: the sequence header OBU (with its size field), as it goes into `av1C`.
    Av1 {
        /// The OBU.
        sequence_header: Vec<u8>,
    },
    /// H.264: parameter sets without start codes or lengths.
    Avc {
        /// Sequence parameter set NAL unit.
        sps: Vec<u8>,
        /// Picture parameter set NAL unit.
        pps: Vec<u8>,
    },
}

/// What the container must know of a sound stream (48 kHz stereo).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AudioConfig {
    /// Opus; `pre_skip` samples at 48 kHz come before the sound.
    Opus {
        /// Priming in samples.
        pre_skip: u16,
    },
    /// AAC-LC.
    Aac {
        /// AudioSpecificConfig (ISO/IEC 14496-3).
        config: Vec<u8>,
        /// Encoder delay in samples that come before the sound.
        priming: u32,
        /// Average bitrate in bit/s.
        bitrate: u32,
    },
}

impl AudioConfig {
    /// Samples that the player must drop at the start.
    pub fn priming(&self) -> u32 {
        match self {
            AudioConfig::Opus { pre_skip } => u32::from(*pre_skip),
            AudioConfig::Aac { priming, .. } => *priming,
        }
    }
}
