//! Looped sounds: no clicks, no drift, no hang.

use std::f64::consts::TAU;

use crate::signals::*;

fn looped(asset: &str) -> kinora::scene::mix::Track {
    let mut placed = track(asset);
    placed.looped = true;
    placed
}

#[test]
fn a_loop_has_no_click_at_its_joins() {
    // Ends in the middle of a swing, so a bare repeat would jump.
    let hz = 441.3;
    let sound = sine(RATE, hz, 0.5, 30_011);
    let jump = (sound[30_010] - sound[0]).abs();
    let files = assets([("a", wav(RATE, 1, &sound))]);
    let mix = left(&mixed(&plan(300_000, [looped("a")]), &files).unwrap());
    let slope = (std::f64::consts::TAU * hz / 48_000.0 * 0.5) as f32;
    assert!(jump > 3.0 * slope, "the test's own signal must jump");
    // At the join two sines add up with equal power: at most sqrt(2) times the slope.
    let step = greatest_step(&mix[300..299_000]);
    assert!(step < 1.5 * slope, "{step} against {slope}");
    // And no hole: the level holds through the joins.
    for part in mix[300..299_000].chunks_exact(2_400) {
        assert!(rms(part) > 0.1, "{}", rms(part));
    }
}

#[test]
fn the_period_of_a_beat_is_exact_over_ten_minutes() {
    // One click and silence: the silence is rhythm.
    let mut sound = vec![0.0; 24_000];
    sound[12_000] = 0.5;
    let files = assets([("a", wav(RATE, 1, &sound))]);
    let mix = left(&mixed(&plan(600 * 48_000, [looped("a")]), &files).unwrap());
    for (i, s) in mix.iter().enumerate() {
        assert_eq!(s.abs() > 0.3, i % 24_000 == 12_000, "{i}");
    }
}

/// Two bars of chords over and over at 120 beats a minute, a hit on every beat, the first of a bar accented; mono.
fn song(n: usize) -> Vec<f32> {
    let hits = noise(21, 1.0, 24_000);
    (0..n)
        .map(|i| {
            let (beat, in_beat) = (i / 24_000, i % 24_000);
            let root = [220.0, 261.6, 196.0, 246.9][beat / 4 % 4];
            let t = i as f64 / 48_000.0;
            let chord: f64 = [1.0, 1.25, 1.5]
                .iter()
                .map(|f| (t * root * f * TAU).sin())
                .sum();
            let hit = (-(in_beat as f64) / 1_500.0).exp() * f64::from(hits[in_beat]);
            (0.06 * chord + if beat.is_multiple_of(4) { 0.4 } else { 0.2 } * hit) as f32
        })
        .collect()
}

/// Instants of the hits in samples: where the level of 5 ms rises steeply in the heights, in which the chords have no part.
fn hits(mix: &[f32]) -> Vec<usize> {
    let high: Vec<f32> = mix.windows(2).map(|w| w[1] - w[0]).collect();
    let levels: Vec<f64> = high.chunks_exact(240).map(rms).collect();
    let mut found: Vec<usize> = Vec::new();
    for i in 2..levels.len() {
        let rises = levels[i] > 0.06 && levels[i] > 1.8 * levels[i - 2];
        if rises && found.last().is_none_or(|last| 240 * i - last > 9_600) {
            found.push(240 * i);
        }
    }
    found
}

#[test]
fn a_file_made_to_repeat_is_repeated_as_it_is() {
    // Eight bars; every chord begins at phase 0 only by chance, so the file's end is shaped to run on.
    let n = 32 * 24_000;
    let sound = song(n);
    let files = assets([(
        "a",
        wav(
            RATE,
            2,
            &sound.iter().flat_map(|s| [*s; 2]).collect::<Vec<_>>(),
        ),
    )]);
    let mix = left(&mixed(&plan(3 * n as u64, [looped("a")]), &files).unwrap());
    assert_eq!(mix[300..n], sound[300..]);
    assert_eq!(mix[n..2 * n], sound[..]);
}

#[test]
fn a_song_with_an_end_is_joined_in_time_and_without_a_hole() {
    // 1 s of silence before, a fade-out over 3 s after 20.3 s, then silence: cut anywhere but at a beat.
    let n = 974_400;
    let mut sound = vec![0.0; 48_000];
    let body = song(n).into_iter().enumerate();
    sound.extend(body.map(|(i, s)| s * ((n - i) as f32 / 144_000.0).min(1.0).powi(2)));
    sound.extend(vec![0.0; 60_000]);
    for rate in [RATE, 44_100] {
        let files = assets([("a", wav(rate, 1, &sound))]);
        let secs = 60 * 48_000;
        let mix = left(&mixed(&plan(secs, [looped("a")]), &files).unwrap());
        let first = (53_000.0 * 48_000.0 / f64::from(rate)) as usize;
        let heard = &mix[first..mix.len() - 2_400];
        // No hole and no bump at any join: every beat is as loud as beats are.
        let beat = 24_000.0 * 48_000.0 / f64::from(rate);
        let levels: Vec<f64> = heard.chunks_exact(beat as usize).map(rms).collect();
        let mean = levels.iter().sum::<f64>() / levels.len() as f64;
        for level in &levels {
            let db = 20.0 * (level / mean).log10();
            assert!(db.abs() < 4.5, "{db} dB");
        }
        // And the beat goes on.
        for pair in hits(heard).windows(2) {
            let n_beats = (pair[1] - pair[0]) as f64 / beat;
            assert!(
                (n_beats - n_beats.round()).abs() < 0.05,
                "{n_beats} beats at {}",
                pair[0]
            );
        }
        assert!(hits(heard).len() as f64 > heard.len() as f64 / beat * 0.9);
    }
}

#[test]
fn short_fades_at_both_ends_leave_no_hole() {
    // As many files are exported: 0.3 s up, 0.3 s down, on a tone that swells slowly.
    let n = 19 * 48_000;
    let sound: Vec<f32> = (0..n)
        .map(|i| {
            let t = f64::from(i) / 48_000.0;
            let edge = (i.min(n - 1 - i) as f32 / 14_400.0).min(1.0);
            edge * (0.2 * (1.0 + 0.3 * (t * 1.5).sin()) * (t * 1_382.0).sin()) as f32
        })
        .collect();
    let files = assets([("a", wav(RATE, 1, &sound))]);
    let mix = left(&mixed(&plan(48_000 * 60, [looped("a")]), &files).unwrap());
    for part in mix[19_200..].chunks_exact(960) {
        assert!(rms(part) > 0.055, "{}", rms(part));
    }
}

#[test]
fn the_seam_is_no_event_in_the_spectrum() {
    // A pad without beats, cut at any place: bands move no more at joins than elsewhere.
    let pad: Vec<f32> = (0..48_000 * 13 + 1_234)
        .map(|i| {
            let t = f64::from(i) / 48_000.0;
            let swell = 0.75 + 0.25 * (t * 1.1).sin();
            let tones = [110.0, 165.3, 277.2, 415.0, 661.0];
            let sum: f64 = tones.iter().map(|hz| (t * hz * TAU + hz).sin()).sum();
            (0.08 * swell * sum) as f32
        })
        .collect();
    let files = assets([("a", wav(RATE, 1, &pad))]);
    let mix = left(&mixed(&plan(48_000 * 60, [looped("a")]), &files).unwrap());
    let once = left(&mixed(&plan(48_000 * 12, [looped("a")]), &files).unwrap());
    let flux = |samples: &[f32]| {
        // Energies above 1.5 kHz, where this pad has nothing, by a second difference; and the level of all.
        let splash = samples
            .windows(3)
            .map(|w| w[2] - 2.0 * w[1] + w[0])
            .collect::<Vec<_>>();
        splash.chunks_exact(960).map(rms).fold(0.0, f64::max)
    };
    assert!(flux(&mix[960..mix.len() - 960]) < 1.5 * flux(&once[960..570_000]));
    let levels: Vec<f64> = mix[4_800..].chunks_exact(9_600).map(rms).collect();
    let lowest = levels.iter().copied().fold(f64::MAX, f64::min);
    let highest = levels.iter().copied().fold(0.0, f64::max);
    assert!(
        20.0 * (highest / lowest).log10() < 9.0,
        "{lowest} to {highest}"
    );
}

#[test]
fn tiny_and_empty_loops_end_in_time() {
    for n in [0_usize, 1, 2, 3, 100, 4_799] {
        let files = assets([("a", wav(RATE, 1, &vec![0.25; n]))]);
        match mixed(&plan(48_000 * 20, [looped("a")]), &files) {
            Ok(mix) => {
                assert!(n > 0);
                assert!(mix[2_000..].iter().take(1_000).all(|s| *s >= 0.24), "{n}");
            }
            Err(e) => {
                assert_eq!(n, 0, "{e}");
                assert!(e.to_string().contains("audio.a.file"), "{e}");
            }
        }
    }
}

#[test]
fn a_sound_that_is_not_looped_ends() {
    let files = assets([("a", wav(RATE, 1, &noise(1, 0.2, 10_000)))]);
    let mix = mixed(&plan(48_000, [track("a")]), &files).unwrap();
    assert!(mix[20_000..].iter().all(|s| *s == 0.0));
}
