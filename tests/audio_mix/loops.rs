//! Looped sounds: no clicks, no drift, no hang.

use crate::signals::*;

/// Frames of the crossfade at the join.
const CROSSFADE: usize = 2_400;

fn looped(asset: &str) -> kinora::plan::mix::Track {
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
fn the_period_is_exact_over_ten_minutes() {
    // A pulse in the middle of a short file, and of one too long to be kept in memory.
    for (n, rate) in [(24_000_usize, RATE), (8_000 * 61, 8_000)] {
        let mut sound = vec![0.0; n];
        sound[n / 2] = 0.5;
        let files = assets([("a", wav(rate, 1, &sound))]);
        let total = 600 * 48_000;
        let scale = (RATE / rate) as usize;
        let mix = left(&mixed(&plan(total, [looped("a")]), &files).unwrap());
        let period = n * scale - CROSSFADE;
        let mut at = n / 2 * scale;
        let mut n_pulses = 0;
        while at < mix.len() {
            assert!(mix[at].abs() > 0.05, "pulse {n_pulses} at {at}");
            at += period;
            n_pulses += 1;
        }
        let heard = mix.iter().filter(|s| s.abs() > 0.3).count();
        assert!(heard == n_pulses || rate != RATE, "{heard}, {n_pulses}");
    }
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
