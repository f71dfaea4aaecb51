//! The mix plan: the whole sound as data, in samples and gains.

/// What is heard, from the first sample to the last.
#[derive(Clone, Debug, PartialEq)]
pub struct MixPlan {
    /// Length of the mix in samples at 48 kHz: the video's length, rounded to the nearest sample.
    pub n_samples: u64,
    /// What is mixed.
    pub tracks: Vec<Track>,
    /// Samples over which the whole mix fades out before its end.
    pub fade_out: u64,
}

/// One sound on the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The asset's name.
    pub asset: String,
    /// The path of the file's name in the document, for errors.
    pub path: String,
    /// First sample on the timeline.
    pub start: u64,
    /// How loud.
    pub level: Level,
    /// Begins again when it ends.
    pub looped: bool,
    /// Samples over which it fades in.
    pub fade_in: u64,
}

/// How the gain of a track is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// This many dB on the samples as they are.
    GainDb(f64),
    /// As loud as track `track` (integrated loudness, EBU R128) times the amplitude `volume` (0 silent, 1 as loud).
    /// When that track is silent or `None`, relative to -16 LUFS.
    RelativeTo {
        /// Index into [`MixPlan::tracks`].
        track: Option<usize>,
        /// Amplitude factor, 0 to 1.
        volume: f64,
    },
}
