//! What an encoder tells the container of its stream.

/// Stream parameters of the video that the container needs.
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

/// Stream parameters of the sound (48 kHz stereo) that the container needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AudioConfig {
    /// Opus; `pre_skip` samples at 48 kHz precede the sound.
    Opus {
        /// Priming in samples.
        pre_skip: u16,
    },
    /// AAC-LC.
    Aac {
        /// AudioSpecificConfig (ISO/IEC 14496-3).
        config: Vec<u8>,
        /// Encoder delay: samples that precede the sound.
        priming: u32,
        /// Average bitrate in bit/s.
        bitrate: u32,
    },
}

impl AudioConfig {
    /// Returns the number of samples that the player must drop at the start.
    pub fn priming(&self) -> u32 {
        match self {
            AudioConfig::Opus { pre_skip } => u32::from(*pre_skip),
            AudioConfig::Aac { priming, .. } => *priming,
        }
    }
}
