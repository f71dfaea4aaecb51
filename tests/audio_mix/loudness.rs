//! The whole mix at its loudness, whatever it is made of.

use kinora::audio::Mixer;
use kinora::scene::mix::{Level, MixPlan, Track};

use crate::signals::*;

const SECS: usize = 8;

fn files() -> kinora::media::MemoryAssets {
    let soft: Vec<f32> = busy(1, 0.02, 48_000 * SECS);
    assets([
        ("soft", wav(RATE, 1, &soft)),
        ("voice", wav(RATE, 1, &busy(2, 0.6, 48_000 * SECS))),
        ("music", wav(44_100, 2, &noise(3, 0.2, 2 * 44_100 * 3))),
        ("silence", wav(RATE, 1, &vec![0.0; 48_000])),
        ("blip", wav(RATE, 1, &sine(RATE, 900.0, 0.05, 4_000))),
    ])
}

fn normalized(asset: &str) -> Track {
    Track {
        level: Level::Normalized { gain_db: 0.0 },
        ..voice(asset)
    }
}

fn music() -> Track {
    Track {
        level: Level::RelativeToVoice { volume: 0.3 },
        looped: true,
        ..track("music")
    }
}

fn aimed<const N: usize>(target: f64, tracks: [Track; N]) -> MixPlan {
    MixPlan {
        loudness: Some(target),
        ..plan(48_000 * SECS as u64, tracks)
    }
}

#[test]
fn the_target_is_met_whatever_is_mixed() {
    let files = files();
    for target in [-14.0, -23.0, -16.0] {
        for tracks in [
            vec![normalized("voice"), music()],
            vec![normalized("soft"), music()],
            vec![normalized("voice")],
            vec![music()],
            vec![track("soft")],
            vec![
                Track {
                    pan: -1.0,
                    ..track("voice")
                },
                music(),
            ],
        ] {
            let mut whole = aimed(target, []);
            whole.tracks = tracks;
            let mix = mixed(&whole, &files).unwrap();
            let heard = lufs(&mix);
            assert!(
                (heard - target).abs() < 0.2,
                "{heard} LUFS, not {target}: {:?}",
                whole.tracks
            );
            assert!(true_peak_db(&mix) <= -1.8, "{} dBTP", true_peak_db(&mix));
            let told = Mixer::new(&whole, &files).unwrap().loudness().unwrap();
            assert!((told - heard).abs() < 0.2, "{told} was told of {heard}");
        }
    }
}

#[test]
fn silence_stays_silent_and_short_sounds_are_not_blown_up() {
    let files = files();
    for tracks in [
        vec![],
        vec![normalized("silence")],
        vec![Track {
            start: 10_000_000,
            ..track("voice")
        }],
    ] {
        let mut whole = aimed(-14.0, []);
        whole.tracks = tracks;
        assert!(mixed(&whole, &files).unwrap().iter().all(|s| *s == 0.0));
        assert_eq!(Mixer::new(&whole, &files).unwrap().loudness(), None);
    }
    let whole = MixPlan {
        n_samples: 5_000,
        ..aimed(-14.0, [track("blip")])
    };
    let mix = mixed(&whole, &files).unwrap();
    assert!(mix.iter().all(|s| s.abs() < 0.9));
    assert!(rms(&mix) > 0.05);
}

#[test]
fn a_loudness_beyond_reach_is_told() {
    let files = files();
    let mixer_plan = aimed(-5.0, [normalized("voice")]);
    let mixer = Mixer::new(&mixer_plan, &files).unwrap();
    let told = mixer.loudness().unwrap();
    let heard = lufs(&mixed(&mixer_plan, &files).unwrap());
    assert!((told - heard).abs() < 0.5, "{told} was told of {heard}");
}

#[test]
fn the_first_error_of_the_check_ends_the_preparation() {
    let files = files();
    let whole = aimed(-14.0, [normalized("voice")]);
    for n_good in [0, 1, 20, 100] {
        let n = std::cell::Cell::new(0);
        let check = || {
            n.set(n.get() + 1);
            match n.get() > n_good {
                true => Err(kinora::error::Error::new(
                    kinora::error::ErrorKind::Cancelled,
                    "stop",
                )),
                false => Ok(()),
            }
        };
        let stopped = Mixer::for_encoder(&whole, &files, 1.0, &check).unwrap_err();
        assert_eq!(stopped.kind(), kinora::error::ErrorKind::Cancelled);
    }
}

#[test]
fn whatever_is_far_too_loud_is_brought_down_to_the_target() {
    // Floats at the scale of 16 and of 32 bits, as some programs write them.
    let scaled = |by: f32| {
        let samples: Vec<f32> = busy(2, 0.6, 48_000 * SECS).iter().map(|s| s * by).collect();
        wav(RATE, 1, &samples)
    };
    let files = assets([
        ("usual", scaled(1.0)),
        ("words", scaled(32_768.0)),
        ("longs", scaled(2e9)),
    ]);
    let louder = |asset: &str, gain_db| Track {
        level: Level::GainDb(gain_db),
        ..track(asset)
    };
    for target in [-40.0, -25.0, -14.0] {
        for tracks in [
            vec![louder("usual", 20.0)],
            vec![louder("usual", 20.0), louder("usual", 20.0)],
            vec![louder("words", 0.0)],
            vec![louder("words", 20.0)],
            vec![louder("longs", 20.0)],
            vec![normalized("words"), louder("usual", -20.0)],
            vec![normalized("longs")],
        ] {
            let mut whole = aimed(target, []);
            whole.tracks = tracks;
            let mix = mixed(&whole, &files).unwrap();
            let heard = lufs(&mix);
            let case = format!("{heard} LUFS, not {target}: {:?}", whole.tracks);
            assert!((heard - target).abs() < 0.3, "{case}");
            assert!(true_peak_db(&mix) <= -1.8, "{case}");
        }
    }
}
