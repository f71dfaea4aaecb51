//! The tracks of a mix, ready to be played: lengths, levels, seams and ducking are determined, with no further decoding needed.

use std::f64::consts::FRAC_PI_4;
use std::ops::Range;
use std::sync::Arc;

use super::duck::Curve;
use super::library::{Library, Recording};
use super::looped::Seam;
use super::loudness::STEP;
use super::seam;
use crate::error::Result;
use crate::media::Assets;
use crate::scene::mix::{Ducking, Level, MixPlan, Role, Speech, Track, united};

/// Target loudness of a voice; also replaces that of a missing or silent voice, in LUFS.
pub(crate) const VOICE_LUFS: f64 = -16.0;
/// Maximum gain from loudness matching, in dB: more would amplify noise.
const MAX_LIFT_DB: f64 = 40.0;
/// Speech starts when a voice rises above the first of these levels relative to its own loudness, and ends below the second, in LU.
const SPEECH_LU: [f64; 2] = [-14.0, -24.0];
/// A first or last sample below this (-60 dBFS) causes no click.
const CLICK: f32 = 0.001;

/// An audible track.
#[derive(Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) track: &'a Track,
    pub(crate) recording: Arc<Recording>,
    /// How it repeats.
    pub(crate) seam: Option<Seam>,
    /// Factors of the left and the right channel.
    pub(crate) amplitudes: [f32; 2],
    /// End on the timeline (exclusive).
    pub(crate) end: u64,
    pub(crate) curve: Option<Arc<Curve>>,
    /// Whether it begins and whether it ends in the middle of its signal.
    pub(crate) ramps: [bool; 2],
}

/// Everything needed to play a mix, any number of times.
pub(crate) struct Score<'a> {
    pub(crate) plan: &'a MixPlan,
    pub(crate) assets: &'a dyn Assets,
    /// The tracks in the order of their starts.
    pub(crate) tracks: Vec<Placed<'a>>,
    /// Approximate loudness of the mix before mastering, in LUFS; `None` for silence.
    pub(crate) expected_lufs: Option<f64>,
}

impl<'a> Score<'a> {
    /// Decodes the sounds of `plan` and determines its levels.
    pub(crate) fn new(
        plan: &'a MixPlan,
        assets: &'a dyn Assets,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Score<'a>> {
        let library = Library::listen(plan, assets, check)?;
        let mut tracks: Vec<Placed> = Vec::new();
        for track in &plan.tracks {
            if let Some(recording) = library
                .get(track)
                .filter(|_| track.is_heard(plan.n_samples))
            {
                check()?;
                tracks.extend(place(track, recording, plan.n_samples));
            }
        }
        let expected_lufs = set_levels(&mut tracks);
        set_curves(&mut tracks, plan);
        tracks.sort_by_key(|placed| placed.track.start);
        Ok(Score {
            plan,
            assets,
            tracks,
            expected_lufs,
        })
    }
}

/// Returns the trimmed part of a recording.
fn part(track: &Track, recording: &Recording) -> Range<u64> {
    let end = track.trim.end.min(recording.n_frames());
    track.trim.start.min(end)..end
}

/// Places a track on the timeline; returns `None` when nothing of it is audible.
fn place<'a>(track: &'a Track, recording: &Arc<Recording>, n_samples: u64) -> Option<Placed<'a>> {
    let part = part(track, recording);
    let length = (part.end - part.start) as f64 / track.speed;
    let natural_end = match track.looped {
        true => u64::MAX,
        false => track.start.saturating_add(length.round() as u64),
    };
    let end = natural_end.min(track.end).min(n_samples);
    if part.is_empty() || end <= track.start {
        return None;
    }
    let is_needed = track.looped && length < (end - track.start) as f64;
    let is_loud = |at: u64| {
        let mut frame = Vec::new();
        let chunks = recording.chunks.as_ref();
        let chunk =
            chunks.and_then(|chunks| chunks.get((at / super::library::CHUNK as u64) as usize));
        if let Some(chunk) = chunk {
            chunk.copy((at % super::library::CHUNK as u64) as usize, 1, &mut frame);
        }
        frame.is_empty() || frame.iter().any(|s| s.abs() > CLICK)
    };
    let ends_by_itself = natural_end <= track.end.min(n_samples) && track.speed == 1.0;
    Some(Placed {
        track,
        recording: Arc::clone(recording),
        seam: is_needed.then(|| seam::find(recording, part.clone())),
        amplitudes: [1.0; 2],
        end,
        curve: None,
        ramps: [
            is_loud(part.start),
            !ends_by_itself || is_loud(part.end - 1),
        ],
    })
}

/// Sets every track's amplitudes. Returns the approximate loudness of their sum, in LUFS.
fn set_levels(tracks: &mut [Placed]) -> Option<f64> {
    let mut voice = Power::default();
    let mut whole = Power::default();
    // The voice first, because the others may depend on it.
    for role in [Role::Voice, Role::Sound] {
        let reference = voice.lufs().unwrap_or(VOICE_LUFS);
        for placed in tracks.iter_mut().filter(|placed| placed.track.role == role) {
            let own = placed
                .recording
                .profile
                .integrated(part(placed.track, &placed.recording));
            let lift = |wanted: f64| own.map_or(0.0, |own| (wanted - own).min(MAX_LIFT_DB));
            let gain_db = match placed.track.level {
                Level::GainDb(db) => db,
                Level::Normalized { gain_db } => lift(VOICE_LUFS) + gain_db,
                Level::RelativeToVoice { volume } => lift(reference) + 20.0 * volume.log10(),
            };
            let span = placed.track.start..placed.end;
            for power in [
                Some(&mut whole),
                (role == Role::Voice).then_some(&mut voice),
            ] {
                if let (Some(power), Some(own)) = (power, own) {
                    power.add(own + gain_db, span.clone());
                }
            }
            let angle = (placed.track.pan + 1.0) * FRAC_PI_4;
            let amplitude = 2f64.sqrt() * 10f64.powf(gain_db / 20.0);
            placed.amplitudes = match placed.track.pan {
                0.0 => [10f64.powf(gain_db / 20.0) as f32; 2],
                _ => [
                    (amplitude * angle.cos()) as f32,
                    (amplitude * angle.sin()) as f32,
                ],
            };
        }
    }
    whole.lufs()
}

/// The combined power of several tracks over the time in which they play.
#[derive(Default)]
struct Power {
    energy: f64,
    n_frames: u64,
    /// From the first sample of any track to the last.
    span: Option<Range<u64>>,
}

impl Power {
    fn add(&mut self, lufs: f64, span: Range<u64>) {
        let n = span.end - span.start;
        self.energy += 10f64.powf(lufs / 10.0) * n as f64;
        self.n_frames += n;
        let all = self.span.get_or_insert(span.clone());
        *all = all.start.min(span.start)..all.end.max(span.end);
    }

    fn lufs(&self) -> Option<f64> {
        let span = self.span.as_ref()?;
        let n = self.n_frames.min(span.end - span.start);
        (self.energy > 0.0).then(|| 10.0 * (self.energy / n as f64).log10())
    }
}

/// Sets the curves of the tracks that are ducked under speech.
fn set_curves(tracks: &mut [Placed], plan: &MixPlan) {
    let mut found = None;
    let mut curves: Vec<(Ducking, Arc<Curve>)> = Vec::new();
    for i in 0..tracks.len() {
        let Some(ducking) = tracks[i].track.ducking else {
            continue;
        };
        let speech = match &plan.speech {
            Speech::Spans(spans) => spans,
            Speech::InVoice => found.get_or_insert_with(|| speech_in(tracks)),
        };
        let known = curves.iter().find(|(of, _)| *of == ducking);
        let curve = match known {
            Some((_, curve)) => Arc::clone(curve),
            None => Arc::new(Curve::new(speech, &ducking)),
        };
        if known.is_none() {
            curves.push((ducking, Arc::clone(&curve)));
        }
        tracks[i].curve = Some(curve);
    }
}

/// Finds when the voice tracks speak: spans of steps that begin near the track's own loudness and end far below it.
fn speech_in(tracks: &[Placed]) -> Vec<Range<u64>> {
    let mut spans: Vec<Range<u64>> = Vec::new();
    for placed in tracks
        .iter()
        .filter(|placed| placed.track.role == Role::Voice)
    {
        let (track, profile) = (placed.track, &placed.recording.profile);
        let part = part(track, &placed.recording);
        let Some(own) = profile.integrated(part.clone()) else {
            continue;
        };
        let on_timeline = |frame: u64| {
            let played = (frame.saturating_sub(part.start)) as f64 / track.speed;
            (track.start + played.round() as u64).min(placed.end)
        };
        let [begins, ends] = SPEECH_LU.map(|lu| own + lu);
        let mut start = None;
        for step in part.start / STEP..=part.end / STEP {
            let loudness = profile.momentary(step as usize);
            let is_last = step == part.end / STEP;
            match start {
                None if loudness > begins => start = Some(step),
                Some(first) if loudness < ends || is_last => {
                    spans.push(on_timeline(first * STEP)..on_timeline(step * STEP));
                    start = None;
                }
                _ => {}
            }
        }
    }
    spans.retain(|span| !span.is_empty());
    united(spans)
}
