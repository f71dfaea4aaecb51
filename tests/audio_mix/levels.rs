//! Loudness of one track against another.

use kinora::scene::mix::{Level, Track};

use crate::signals::*;

const SECS: usize = 6;

fn voice_and_music() -> kinora::media::MemoryAssets {
    assets([
        ("voice", wav(44_100, 1, &busy(3, 0.4, 44_100 * SECS))),
        ("music", wav(32_000, 2, &noise(4, 0.9, 32_000 * 2 * SECS))),
        ("silence", wav(48_000, 1, &vec![0.0; 48_000 * SECS])),
        ("blip", wav(48_000, 1, &noise(5, 0.2, 4_800))),
    ])
}

fn relative(asset: &str, volume: f64) -> Track {
    let mut placed = track(asset);
    placed.level = Level::RelativeToVoice { volume };
    placed
}

/// Loudness of the music alone, as it is mixed beside the voice.
fn music_lufs(spoken: Track, volume: f64) -> f64 {
    let files = voice_and_music();
    let n = 48_000 * SECS as u64;
    let both = mixed(
        &plan(n, [spoken.clone(), relative("music", volume)]),
        &files,
    )
    .unwrap();
    let alone = mixed(&plan(n, [spoken]), &files).unwrap();
    let rest: Vec<f32> = both.iter().zip(&alone).map(|(b, a)| b - a).collect();
    lufs(&rest)
}

#[test]
fn volume_one_is_as_loud_as_the_voice_and_less_is_in_proportion() {
    for gain_db in [0.0, -6.0] {
        let mut spoken = voice("voice");
        spoken.level = Level::GainDb(gain_db);
        let files = voice_and_music();
        let n = 48_000 * SECS as u64;
        let reference = lufs(&mixed(&plan(n, [spoken.clone()]), &files).unwrap());
        for volume in [1.0, 0.3, 0.1] {
            let difference = music_lufs(spoken.clone(), volume) - reference;
            let expected = 20.0 * f64::log10(volume);
            assert!(
                (difference - expected).abs() < 0.5,
                "{volume}: {difference} LU, not {expected}"
            );
        }
    }
}

#[test]
fn volume_zero_is_silent_and_changes_nothing() {
    let files = voice_and_music();
    let alone = mixed(&plan(96_000, [voice("voice")]), &files).unwrap();
    let both = plan(96_000, [voice("voice"), relative("music", 0.0)]);
    assert_eq!(mixed(&both, &files).unwrap(), alone);
}

#[test]
fn without_a_voice_music_is_set_against_minus_16_lufs() {
    let files = voice_and_music();
    let n = 48_000 * SECS as u64;
    for tracks in [
        vec![relative("music", 0.5)],
        vec![relative("music", 0.5), voice("silence")],
    ] {
        let mut whole = plan(n, []);
        whole.tracks = tracks;
        let heard = lufs(&mixed(&whole, &files).unwrap());
        assert!((heard - (-16.0 - 6.02)).abs() < 0.5, "{heard} LUFS");
    }
}

#[test]
fn gain_is_in_decibels() {
    let files = voice_and_music();
    let n = 48_000 * SECS as u64;
    let mut softer = track("voice");
    softer.level = Level::GainDb(-12.0);
    let full = lufs(&mixed(&plan(n, [track("voice")]), &files).unwrap());
    let less = lufs(&mixed(&plan(n, [softer]), &files).unwrap());
    assert!((full - less - 12.0).abs() < 0.05);
}

#[test]
fn silent_or_very_short_music_has_a_level_too() {
    let files = voice_and_music();
    let mut whole = plan(96_000, [relative("silence", 1.0)]);
    assert!(mixed(&whole, &files).unwrap().iter().all(|s| *s == 0.0));
    let mut blip = relative("blip", 1.0);
    blip.looped = true;
    whole.tracks = vec![blip];
    let heard = lufs(&mixed(&whole, &files).unwrap());
    assert!((heard + 16.0).abs() < 0.7, "{heard} LUFS");
}
