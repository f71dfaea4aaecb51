//! Voice and music resolved into a mix plan.

use super::mix::{Level, MixPlan, Track};
use super::report::Report;
use crate::error::Warning;
use crate::timeline::Audio;
use crate::units::Time;

/// Resolves the sound of a video that lasts until `end`.
pub(crate) fn resolve(audio: &Audio, end: Time, report: &mut Report) -> MixPlan {
    let samples = |time: Time| time.as_samples().max(0) as u64;
    let mut tracks = Vec::new();
    if let Some(voice) = &audio.voice {
        let start = report.time("audio.voice.start", voice.start, 0.0..=3600.0);
        if start >= end && end > Time::ZERO {
            report.warn(Warning::new(
                "unheard_voice",
                "audio.voice.start",
                format!("the voice begins at {start}, after the video's end at {end}"),
            ));
        }
        tracks.push(Track {
            asset: voice.file.clone(),
            path: "audio.voice.file".into(),
            start: samples(start),
            level: Level::GainDb(report.number(
                "audio.voice.gain_db",
                voice.gain_db,
                -60.0..=20.0,
                " dB",
            )),
            looped: false,
            fade_in: 0,
        });
    }
    if let Some(music) = &audio.music {
        let track = audio.voice.is_some().then_some(0);
        let volume = report.number("audio.music.volume", music.volume, 0.0..=1.0, "");
        tracks.push(Track {
            asset: music.file.clone(),
            path: "audio.music.file".into(),
            start: 0,
            level: Level::RelativeTo { track, volume },
            looped: music.looped,
            fade_in: samples(report.time("audio.music.fade_in", music.fade_in, 0.0..=30.0)),
        });
    }
    let n_samples = samples(end);
    let fade_out =
        samples(report.time("audio.fade_out", audio.fade_out, 0.0..=30.0)).min(n_samples);
    MixPlan {
        n_samples,
        tracks,
        fade_out,
    }
}
