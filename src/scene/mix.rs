//! The mix plan: the whole sound as data, in samples and gains.

use std::ops::Range;

/// What is heard, from the first sample to the last.
#[derive(Clone, Debug, PartialEq)]
pub struct MixPlan {
    /// Length of the mix in samples at 48 kHz: the video's length, rounded to the nearest sample.
    pub n_samples: u64,
    /// What is mixed.
    pub tracks: Vec<Track>,
    /// When there is speech.
    pub speech: Speech,
    /// Integrated loudness of the whole in LUFS; `None` leaves every level as it is.
    pub loudness: Option<f64>,
    /// Samples over which all but the voice fades out before the end of the mix.
    pub fade_out: u64,
    /// Whether a video without any sound gets a silent track.
    pub has_silent_track: bool,
}

impl MixPlan {
    /// `n_samples` of silence: no tracks, no fade, levels as they are.
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

    /// Whether the file has a sound track.
    pub fn has_track(&self) -> bool {
        self.has_silent_track
            || self
                .tracks
                .iter()
                .any(|track| track.is_heard(self.n_samples))
    }
}

/// When there is speech, for tracks that give way to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Speech {
    /// In these spans of samples, rising, none touching the next.
    Spans(Vec<Range<u64>>),
    /// Whenever the tracks of the voice sound, found from their energy.
    InVoice,
}

/// One sound on the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The asset's name.
    pub asset: String,
    /// The path of the file's name in the document, for errors.
    pub path: String,
    /// What it is in the mix.
    pub role: Role,
    /// First sample on the timeline.
    pub start: u64,
    /// One past the last sample on the timeline; `u64::MAX`: as far as it goes.
    pub end: u64,
    /// The part of the sound that is heard, in its own samples at 48 kHz; the end `u64::MAX` is the sound's end.
    pub trim: Range<u64>,
    /// How fast it is played, 0.25 to 4, its pitch kept.
    pub speed: f64,
    /// How loud.
    pub level: Level,
    /// Between the speakers: -1 left, 1 right, by constant power.
    pub pan: f64,
    /// The trimmed part begins again when it ends.
    pub looped: bool,
    /// Samples over which it fades in.
    pub fade_in: u64,
    /// Samples over which it fades out before its end, wherever that is.
    pub fade_out: u64,
    /// How it gives way to speech.
    pub ducking: Option<Ducking>,
}

impl Track {
    /// The whole sound from the start of the timeline, as it is.
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

    /// Whether anything of it may be heard in a mix of this length.
    pub(crate) fn is_heard(&self, n_samples: u64) -> bool {
        let is_muted = matches!(self.level, Level::RelativeToVoice { volume } if volume <= 0.0);
        !is_muted && self.start < self.end.min(n_samples) && !self.trim.is_empty()
    }
}

/// What a track is in the mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Spoken: what levels are relative to. Never faded at the end of the mix.
    Voice,
    /// Anything else.
    Sound,
}

/// How the gain of a track is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// This many dB on the samples as they are.
    GainDb(f64),
    /// Brought to -16 LUFS (integrated loudness, EBU R128), then this many dB.
    Normalized {
        /// Gain after that.
        gain_db: f64,
    },
    /// As loud as all tracks of the voice together times the amplitude `volume` (0 silent, 1 as loud); without a voice that sounds, relative to -16 LUFS.
    RelativeToVoice {
        /// Amplitude factor, 0 to 1.
        volume: f64,
    },
}

/// How a track gives way to speech. Lengths are in samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ducking {
    /// How much softer it is under speech, in dB.
    pub amount_db: f64,
    /// It falls over so many before speech begins.
    pub attack: u64,
    /// Pauses up to this long are ducked through.
    pub hold: u64,
    /// It rises over so many when speech has ended.
    pub release: u64,
}

/// The spans in order, those that touch made one.
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
