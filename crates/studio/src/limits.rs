//! How long a video and its script may be.

/// The longest video, in seconds.
pub const MAX_VIDEO_SECS: f64 = 600.0;

/// The longest script, in seconds of speech: 10 minutes, and a tenth more because some voices are faster. A slow voice is sped up.
pub const MAX_SPOKEN_SECS: f64 = 660.0;
