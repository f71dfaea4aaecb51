//! Pieces of voice, and any other sounds: trims, places, pan, fades, joins.

use kinora::scene::mix::{Level, MixPlan, Role, Track};

use crate::signals::*;

fn tone() -> kinora::media::MemoryAssets {
    assets([
        ("tone", wav(RATE, 1, &sine(RATE, 300.0, 0.5, 96_000))),
        ("stereo", wav(44_100, 2, &noise(5, 0.3, 2 * 44_100))),
    ])
}

#[test]
fn a_trimmed_part_is_heard_at_its_place() {
    let mut pulses = vec![0.0; 96_000];
    (pulses[10_000], pulses[50_000], pulses[90_000]) = (0.5, 0.4, 0.3);
    for (rate, scale) in [(RATE, 1), (24_000, 2)] {
        let files = assets([("a", wav(rate, 1, &pulses))]);
        let placed = Track {
            start: 7_000,
            trim: 45_000 * scale..60_000 * scale,
            ..track("a")
        };
        let mix = left(&mixed(&plan(100_000, [placed]), &files).unwrap());
        let loud: Vec<usize> = (0..mix.len()).filter(|i| mix[*i].abs() > 0.15).collect();
        let expected = 7_000 + 5_000 * scale as usize;
        assert!(
            !loud.is_empty() && loud.iter().all(|at| at.abs_diff(expected) <= 1),
            "{loud:?}"
        );
    }
}

#[test]
fn joins_of_pieces_do_not_click() {
    // Cut anywhere and put together anew, in other orders, with and without gaps.
    let files = tone();
    let cuts = [
        (0, 0..17_003),
        (17_003, 40_011..61_000),
        (40_000, 3_333..30_000),
        (66_700, 70_001..96_000),
    ];
    let pieces = cuts.map(|(start, trim)| Track {
        start,
        trim,
        ..voice("tone")
    });
    let mix = left(&mixed(&plan(96_000, pieces), &files).unwrap());
    let slope = (std::f64::consts::TAU * 300.0 / 48_000.0 * 0.5) as f32;
    assert!(
        greatest_step(&mix) < 1.3 * slope,
        "{} against {slope}",
        greatest_step(&mix)
    );
    assert!(rms(&mix[20_000..30_000]) > 0.35);
}

#[test]
fn pieces_of_several_recordings_are_equally_loud() {
    let files = assets([
        ("loud", wav(RATE, 1, &busy(1, 0.5, 144_000))),
        ("soft", wav(RATE, 1, &busy(2, 0.05, 144_000))),
    ]);
    let piece = |asset, start| Track {
        start,
        level: Level::Normalized { gain_db: 0.0 },
        ..voice(asset)
    };
    let mix = mixed(
        &plan(288_000, [piece("loud", 0), piece("soft", 144_000)]),
        &files,
    )
    .unwrap();
    let (first, second) = (lufs(&mix[..288_000]), lufs(&mix[288_000..]));
    assert!((first - second).abs() < 0.5, "{first} and {second} LUFS");
    assert!((first + 16.0).abs() < 0.5, "{first} LUFS");
}

#[test]
fn pan_keeps_the_power() {
    let files = tone();
    for asset in ["tone", "stereo"] {
        let power = |pan: f64| {
            let placed = Track {
                pan,
                ..track(asset)
            };
            let mix = mixed(&plan(40_000, [placed]), &files).unwrap();
            let right: Vec<f32> = mix.iter().skip(1).step_by(2).copied().collect();
            [rms(&left(&mix)).powi(2), rms(&right).powi(2)]
        };
        let [l, r] = power(0.0);
        for pan in [-1.0, -0.4, 0.7, 1.0] {
            let [left, right] = power(pan);
            assert!(
                ((left + right) / (l + r) - 1.0).abs() < 0.05,
                "{asset} at {pan}"
            );
            assert!((left < right) == (pan > 0.0), "{asset} at {pan}");
        }
        assert!(power(1.0)[0] < 1e-9 && power(-1.0)[1] < 1e-9, "{asset}");
    }
}

#[test]
fn a_sound_fades_out_where_it_ends() {
    let files = tone();
    for (end, trim, expected_end) in [
        (60_000, 0..u64::MAX, 60_000),
        (u64::MAX, 0..30_000, 31_000),
        (u64::MAX, 0..u64::MAX, 97_000),
    ] {
        let placed = Track {
            start: 1_000,
            end,
            trim,
            fade_out: 9_600,
            ..track("tone")
        };
        let mix = left(&mixed(&plan(120_000, [placed]), &files).unwrap());
        let full = 0.5 / 2f64.sqrt();
        assert!(mix[expected_end..].iter().all(|s| *s == 0.0));
        assert!((rms(&mix[expected_end - 14_400..expected_end - 9_600]) / full - 1.0).abs() < 0.02);
        let middle = rms(&mix[expected_end - 5_280..expected_end - 4_320]);
        assert!((middle / full - 0.5f64.sqrt()).abs() < 0.02, "{middle}");
        assert!(rms(&mix[expected_end - 480..expected_end]) < 0.06 * full);
    }
}

#[test]
fn the_end_of_the_video_fades_all_but_the_voice() {
    let files = tone();
    for (role, expected) in [(Role::Voice, 1.0), (Role::Sound, 0.5f64.sqrt())] {
        let whole = MixPlan {
            fade_out: 24_000,
            ..plan(
                72_000,
                [Track {
                    role,
                    ..track("tone")
                }],
            )
        };
        let mix = left(&mixed(&whole, &files).unwrap());
        let level = rms(&mix[59_520..60_480]) / (0.5 / 2f64.sqrt());
        assert!((level - expected).abs() < 0.02, "{role:?}: {level}");
        assert_eq!(mix[71_999], 0.0);
    }
}

#[test]
fn thousands_of_effects_cost_one_file() {
    let files = assets([("hit", wav(44_100, 1, &noise(3, 0.01, 2_000)))]);
    let tracks = (0..5_000).map(|i| Track {
        start: 37 * i,
        ..track("hit")
    });
    let mut whole = plan(200_000, []);
    whole.tracks = tracks.collect();
    let mix = mixed(&whole, &files).unwrap();
    assert!(rms(&mix[60_000..300_000]) > 0.01);
}
