//! Resolves voice, music and sounds into a mix plan.

use std::ops::{Range, RangeInclusive};

use super::report::Report;
use crate::error::{Problem, Warning};
use crate::facts::Facts;
use crate::scene::mix::{Ducking, Level, MixPlan, Role, Speech, Track, united};
use crate::timeline::{self, Timeline, Trim};
use crate::units::Time;

/// Maximum number of voice pieces.
const MAX_VOICES: usize = 1_000;
/// Maximum number of music pieces.
const MAX_MUSIC: usize = 100;
/// Maximum number of other sounds.
const MAX_SOUNDS: usize = 10_000;
/// Range of times on the timeline, in seconds.
const ON_TIMELINE: RangeInclusive<f64> = 0.0..=3600.0;
/// Range of times in a file, in seconds.
const IN_FILE: RangeInclusive<f64> = 0.0..=86_400.0;
/// Range of fade lengths, in seconds.
const FADE: RangeInclusive<f64> = 0.0..=30.0;
/// Range of playback speeds.
pub(crate) const SPEEDS: RangeInclusive<f64> = 0.25..=4.0;
/// Range of gains, in dB.
const GAIN_DB: RangeInclusive<f64> = -60.0..=20.0;

/// Resolves the sound of a video that lasts until `end`.
pub(crate) fn resolve(
    timeline: &Timeline,
    facts: &Facts,
    end: Time,
    report: &mut Report,
) -> MixPlan {
    let audio = &timeline.audio;
    report.at_most("audio.voice", "pieces", audio.voice.len(), MAX_VOICES);
    report.at_most("audio.music", "pieces", audio.music.len(), MAX_MUSIC);
    report.at_most("audio.sounds", "sounds", audio.sounds.len(), MAX_SOUNDS);
    let loudness = audio
        .loudness
        .map(|lufs| report.number("audio.loudness", lufs, -40.0..=-5.0, " LUFS"));
    let mut scope = Scope {
        facts,
        end,
        report,
        is_mastered: loudness.is_some(),
    };
    let mut tracks = Vec::new();
    for (i, voice) in audio.voice.iter().take(MAX_VOICES).enumerate() {
        tracks.push(scope.voice(voice, &piece("audio.voice", i, audio.voice.len())));
    }
    let speech = speech(timeline, &tracks, facts);
    for (i, music) in audio.music.iter().take(MAX_MUSIC).enumerate() {
        tracks.push(scope.music(music, &piece("audio.music", i, audio.music.len())));
    }
    for (i, sound) in audio.sounds.iter().take(MAX_SOUNDS).enumerate() {
        tracks.push(scope.sound(sound, &format!("audio.sounds[{i}]")));
    }
    let n_samples = samples(end);
    let fade_out = samples(report.time("audio.fade_out", audio.fade_out, FADE));
    MixPlan {
        n_samples,
        tracks,
        speech,
        loudness,
        fade_out: fade_out.min(n_samples),
        has_silent_track: audio.when_silent == timeline::WhenSilent::Track,
    }
}

fn samples(time: Time) -> u64 {
    time.as_samples().max(0) as u64
}

/// Returns the path of piece `i` of `n`; a single piece is written without a list.
pub(crate) fn piece(path: &str, i: usize, n: usize) -> String {
    if n == 1 {
        path.to_owned()
    } else {
        format!("{path}[{i}]")
    }
}

/// Returns the spans of speech: where a word is spoken and a voice piece sounds; without words, wherever the voice sounds.
fn speech(timeline: &Timeline, voices: &[Track], facts: &Facts) -> Speech {
    let words = timeline.captions.iter().flat_map(|c| &c.words);
    let words = words.map(|word| [word.start, word.end]);
    let found = facts.spoken.iter().map(|word| [word.start, word.end]);
    let spoken = |word: [f64; 2]| {
        let [from, to] = word.map(Time::from_secs);
        Some(samples(from?)..samples(to?)).filter(|span| !span.is_empty())
    };
    let words: Vec<Range<u64>> = words.chain(found).filter_map(spoken).collect();
    if words.is_empty() {
        return Speech::InVoice;
    }
    let sounding: Vec<Range<u64>> = voices
        .iter()
        .map(|track| heard_span(track, facts))
        .collect();
    let overlap = |word: &Range<u64>| {
        let clip = |voice: &Range<u64>| word.start.max(voice.start)..word.end.min(voice.end);
        sounding
            .iter()
            .map(clip)
            .filter(|span| !span.is_empty())
            .collect::<Vec<_>>()
    };
    Speech::Spans(united(words.iter().flat_map(overlap).collect()))
}

/// Returns where a track sounds on the timeline, as far as its file's length is known.
pub(crate) fn heard_span(track: &Track, facts: &Facts) -> Range<u64> {
    let known = facts
        .sounds
        .get(&track.asset)
        .and_then(|sound| sound.duration);
    let file_end = known.map_or(u64::MAX, samples);
    let length = match (track.looped, track.trim.end.min(file_end)) {
        (true, _) | (false, u64::MAX) => u64::MAX,
        (false, end) => (end.saturating_sub(track.trim.start) as f64 / track.speed).round() as u64,
    };
    track.start
        ..track
            .end
            .min(track.start.saturating_add(length))
            .max(track.start)
}

/// Context for checking sounds.
struct Scope<'a> {
    facts: &'a Facts,
    end: Time,
    report: &'a mut Report,
    is_mastered: bool,
}

impl Scope<'_> {
    fn voice(&mut self, voice: &timeline::Voice, path: &str) -> Track {
        let gain_db = self.gain_db(path, voice.gain_db);
        let mut track = self.track(&voice.file, path, (voice.start, None), &voice.trim);
        track.role = Role::Voice;
        track.speed = self
            .report
            .number(&format!("{path}.speed"), voice.speed, SPEEDS, "");
        track.level = match self.is_mastered {
            true => Level::Normalized { gain_db },
            false => Level::GainDb(gain_db),
        };
        let heard = heard_span(&track, self.facts);
        let is_known = heard.end < u64::MAX && self.end > Time::ZERO;
        let late = Time::from_samples(heard.end.min(1 << 40) as i64) - self.end;
        // Rounding, and silence at the end of a recording, are no loss.
        if is_known && late > Time::from_millis(100) && heard.start < samples(self.end) {
            let message = format!(
                "the voice continues for {late} after the video's end at {}: make the shots longer, or trim the voice",
                self.end
            );
            self.report
                .warn(Warning::new("voice_cut_off", path, message));
        }
        track
    }

    fn music(&mut self, music: &timeline::Music, path: &str) -> Track {
        let volume = self
            .report
            .number(&format!("{path}.volume"), music.volume, 0.0..=1.0, "");
        let mut track = self.track(&music.file, path, (music.start, music.end), &music.trim);
        track.level = Level::RelativeToVoice { volume };
        track.looped = music.looped;
        track.fade_in = self.samples(path, "fade_in", music.fade_in, FADE);
        track.fade_out = self.samples(path, "fade_out", music.fade_out, FADE);
        track.ducking = music.ducking.as_ref().map(|ducking| {
            let path = &format!("{path}.ducking");
            Ducking {
                amount_db: self.report.number(
                    &format!("{path}.amount_db"),
                    ducking.amount_db,
                    0.0..=40.0,
                    " dB",
                ),
                attack: self.samples(path, "attack", ducking.attack, 0.0..=5.0),
                hold: self.samples(path, "hold", ducking.hold, 0.0..=30.0),
                release: self.samples(path, "release", ducking.release, 0.0..=10.0),
            }
        });
        track
    }

    fn sound(&mut self, sound: &timeline::Sound, path: &str) -> Track {
        let mut track = self.track(&sound.file, path, (sound.start, sound.end), &sound.trim);
        let gain_db = self.gain_db(path, sound.gain_db);
        track.level = Level::GainDb(gain_db);
        track.pan = self
            .report
            .number(&format!("{path}.pan"), sound.pan, -1.0..=1.0, "");
        track.fade_in = self.samples(path, "fade_in", sound.fade_in, FADE);
        track.fade_out = self.samples(path, "fade_out", sound.fade_out, FADE);
        track.looped = sound.looped;
        track
    }

    /// Resolves the file, its timeline span (start and end in seconds) and the part of it that is played.
    fn track(
        &mut self,
        file: &str,
        path: &str,
        (start, end): (f64, Option<f64>),
        trim: &Trim,
    ) -> Track {
        let mut track = Track::new(file, format!("{path}.file"));
        let from = self.time(path, "start", start, ON_TIMELINE);
        track.start = samples(from);
        if from >= self.end && self.end > Time::ZERO {
            let message = format!("it begins at {from}, after the video's end at {}", self.end);
            self.report.warn(Warning::new(
                "unheard_sound",
                format!("{path}.start"),
                message,
            ));
        }
        if let Some(end) = end {
            let to = self.time(path, "end", end, ON_TIMELINE);
            track.end = samples(to);
            self.not_empty(&format!("{path}.end"), (from, to));
        }
        let trim_path = &format!("{path}.trim");
        let from = self.time(trim_path, "start", trim.start, IN_FILE);
        track.trim.start = samples(from);
        if let Some(end) = trim.end {
            let to = self.time(trim_path, "end", end, IN_FILE);
            track.trim.end = samples(to);
            self.not_empty(&format!("{trim_path}.end"), (from, to));
        }
        let known = self.facts.sounds.get(file).and_then(|sound| sound.duration);
        if let Some(length) = known.filter(|length| from >= *length && from > Time::ZERO) {
            let message = format!("{from} is after the sound's end at {length}");
            self.report.problem(Problem::new(
                "empty_span",
                format!("{trim_path}.start"),
                message,
            ));
        }
        track
    }

    fn not_empty(&mut self, path: &str, (from, to): (Time, Time)) {
        if to <= from {
            let message = format!("it ends at {to}, which is not after its start at {from}");
            self.report
                .problem(Problem::new("empty_span", path, message));
        }
    }

    fn gain_db(&mut self, path: &str, gain_db: f64) -> f64 {
        let path = format!("{path}.gain_db");
        self.report.number(&path, gain_db, GAIN_DB, " dB")
    }

    fn time(&mut self, path: &str, field: &str, secs: f64, range: RangeInclusive<f64>) -> Time {
        self.report.time(&format!("{path}.{field}"), secs, range)
    }

    fn samples(&mut self, path: &str, field: &str, secs: f64, range: RangeInclusive<f64>) -> u64 {
        samples(self.time(path, field, secs, range))
    }
}
