//! The mix plan: all sound as data, in samples and gains.

use std::ops::Range;

/// The complete mix, from first sample to last.
#[derive(Clone, Debug, PartialEq)]
pub struct MixPlan {
    /// Length of the mix in samples at 48 kHz: the video's length, rounded to the nearest sample.
    pub n_samples: u64,
    /// What is mixed.
    pub tracks: Vec<Track>,
    /// Spans of speech.
    pub speech: Speech,
    /// Target integrated loudness of the whole mix in LUFS; `None` leaves every level unchanged.
    pub loudness: Option<f64>,
    /// Length in samples of the fade-out of everything except the voice at the end of the mix.
    pub fade_out: u64,
    /// Whether a video without any sound gets a silent audio track.
    pub has_silent_track: bool,
}

impl MixPlan {
    /// Returns `n_samples` of silence: no tracks, no fade, levels unchanged.
    pub fn silent(n_samples: u64) -> MixPlan {
        MixPlan {
            n_samples,
            tracks: Vec::new(),
            speech: Speech::Spans(Vec::new()),
            loudness: None,
            fade_out: 0,
            has_silent_track: true,
        }
    }

    /// Returns whether the file has an audio track.
    pub fn has_track(&self) -> bool {
        self.has_silent_track
            || self
                .tracks
                .iter()
                .any(|track| track.is_heard(self.n_samples))
    }
}

/// Spans of speech, for tracks that are ducked under it.
#[derive(Clone, Debug, PartialEq)]
pub enum Speech {
    /// In these spans of samples, rising and disjoint, no two touching.
    Spans(Vec<Range<u64>>),
    /// Wherever the voice tracks sound, detected from their energy.
    InVoice,
}

/// One sound on the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The asset's name.
    pub asset: String,
    /// Document path of the file name, for errors.
    pub path: String,
    /// Its role in the mix.
    pub role: Role,
    /// First sample on the timeline.
    pub start: u64,
    /// One past the last sample on the timeline; `u64::MAX` for the sound's own end.
    pub end: u64,
    /// The part of the sound that is played, in its own samples at 48 kHz; an end of `u64::MAX` is the sound's end.
    pub trim: Range<u64>,
    /// Playback speed, 0.25 to 4; the pitch is kept.
    pub speed: f64,
    /// Gain of the track.
    pub level: Level,
    /// Position between the speakers: -1 left, 1 right, constant power.
    pub pan: f64,
    /// Whether the trimmed part repeats.
    pub looped: bool,
    /// Samples over which it fades in.
    pub fade_in: u64,
    /// Length in samples of the fade-out before the track's actual end.
    pub fade_out: u64,
    /// How it is ducked under speech.
    pub ducking: Option<Ducking>,
}

impl Track {
    /// Returns a track that plays the whole sound from the start of the timeline, unchanged.
    pub fn new(asset: impl Into<String>, path: impl Into<String>) -> Track {
        Track {
            asset: asset.into(),
            path: path.into(),
            role: Role::Sound,
            start: 0,
            end: u64::MAX,
            trim: 0..u64::MAX,
            speed: 1.0,
            level: Level::GainDb(0.0),
            pan: 0.0,
            looped: false,
            fade_in: 0,
            fade_out: 0,
            ducking: None,
        }
    }

    /// Returns whether any of it can be heard in a mix of this length.
    pub(crate) fn is_heard(&self, n_samples: u64) -> bool {
        let is_muted = matches!(self.level, Level::RelativeToVoice { volume } if volume <= 0.0);
        !is_muted && self.start < self.end.min(n_samples) && !self.trim.is_empty()
    }
}

/// What a track is in the mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Speech: other levels are relative to it. Never faded at the end of the mix.
    Voice,
    /// Anything else.
    Sound,
}

/// How the gain of a track is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Gain in dB on the original samples.
    GainDb(f64),
    /// Normalized to -16 LUFS (integrated loudness, EBU R128), then changed by a gain in dB.
    Normalized {
        /// Gain after that.
        gain_db: f64,
    },
    /// As loud as all voice tracks together, times the amplitude `volume` (0 silent, 1 equal). Without an audible voice, relative to -16 LUFS.
    RelativeToVoice {
        /// Amplitude factor, 0 to 1.
        volume: f64,
    },
}

/// How a track is ducked under speech. Lengths are in samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ducking {
    /// Reduction under speech, in dB.
    pub amount_db: f64,
    /// Length of the fall before speech begins.
    pub attack: u64,
    /// Pauses up to this long are ducked through.
    pub hold: u64,
    /// Length of the rise after speech ends.
    pub release: u64,
}

/// Returns the spans sorted, with touching ones merged.
pub(crate) fn united(mut spans: Vec<Range<u64>>) -> Vec<Range<u64>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut united: Vec<Range<u64>> = Vec::new();
    for span in spans {
        match united.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => united.push(span),
        }
    }
    united
}
