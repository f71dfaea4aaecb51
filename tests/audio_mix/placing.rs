//! Lengths, offsets, fades and ramps.

use crate::signals::*;

#[test]
fn length_is_exact_whatever_the_sound() {
    let short = assets([("a", wav(44_100, 1, &noise(1, 0.1, 10_000)))]);
    for n in [0, 1, 959, 960, 961, 48_000, 100_003] {
        mixed(&plan(n, []), &short).unwrap();
        mixed(&plan(n, [track("a")]), &short).unwrap();
    }
}

#[test]
fn below_the_ceiling_a_48_khz_sound_passes_bit_for_bit() {
    let sound = noise(7, 0.4, 20_000)
        .into_iter()
        .map(|s| s + 0.0)
        .collect::<Vec<_>>();
    let mut quiet_ends = sound.clone();
    let n = quiet_ends.len();
    quiet_ends[..2].fill(0.0);
    quiet_ends[n - 2..].fill(0.0);
    let files = assets([("a", wav(RATE, 2, &quiet_ends))]);
    let mix = mixed(&plan(20_000, [track("a")]), &files).unwrap();
    assert_eq!(mix[..n], quiet_ends);
    assert!(mix[n..].iter().all(|s| *s == 0.0));
}

#[test]
fn a_track_starts_at_its_sample() {
    for rate in [8_000, 22_050, 44_100, 48_000, 96_000] {
        let mut pulse = vec![0.0; rate as usize / 2];
        pulse[rate as usize / 10] = 0.5;
        let files = assets([("a", wav(rate, 1, &pulse))]);
        for start in [0_u64, 1, 5_000, 95_000] {
            let mut placed = track("a");
            placed.start = start;
            let mix = left(&mixed(&plan(96_000, [placed]), &files).unwrap());
            let expected = start as usize + 4_800;
            let peak = (0..mix.len()).max_by(|a, b| mix[*a].abs().total_cmp(&mix[*b].abs()));
            if expected < mix.len() {
                assert!(peak.unwrap().abs_diff(expected) <= 1, "{rate} Hz, {start}");
            }
        }
    }
}

#[test]
fn beginnings_and_ends_in_mid_signal_do_not_click() {
    // A constant is all click: it jumps at both ends.
    let files = assets([("a", wav(RATE, 1, &vec![0.5; 20_000]))]);
    let mut placed = track("a");
    placed.start = 3_000;
    for n in [48_000, 10_000] {
        let mix = left(&mixed(&plan(n, [placed.clone()]), &files).unwrap());
        assert!(greatest_step(&mix) < 0.01, "{n}: {}", greatest_step(&mix));
        assert_eq!(mix[2_999], 0.0);
        assert_eq!(mix[3_400], 0.5);
        assert!(mix.last().unwrap().abs() < 0.01);
    }
}

#[test]
fn fade_in_rises_and_fade_out_ends_at_silence() {
    let files = assets([("a", wav(RATE, 1, &sine(RATE, 500.0, 0.5, 96_000)))]);
    let mut faded = track("a");
    faded.fade_in = 24_000;
    let mut whole = plan(96_000, [faded]);
    whole.fade_out = 48_000;
    let mix = left(&mixed(&whole, &files).unwrap());
    let full = 0.5 / 2f64.sqrt();
    assert!(rms(&mix[..960]) < 0.06 * full);
    assert!((rms(&mix[11_520..12_480]) / full - 0.5f64.sqrt()).abs() < 0.02);
    assert!((rms(&mix[30_720..31_680]) / full - 1.0).abs() < 0.01);
    assert!((rms(&mix[71_520..72_480]) / full - 0.5f64.sqrt()).abs() < 0.02);
    assert!(rms(&mix[95_904..]) < 0.005 * full);
    assert_eq!(mix[95_999], 0.0);
    whole.fade_out = 1_000_000;
    let mix = left(&mixed(&whole, &files).unwrap());
    assert_eq!(mix[95_999], 0.0);
}

#[test]
fn the_same_plan_gives_the_same_bits() {
    let files = assets([
        ("a", wav(44_100, 1, &busy(1, 3.0, 60_000))),
        ("b", wav(22_050, 2, &noise(2, 0.3, 30_000))),
    ]);
    let mut bed = track("b");
    bed.looped = true;
    let whole = plan(100_000, [track("a"), bed]);
    assert_eq!(
        mixed(&whole, &files).unwrap(),
        mixed(&whole, &files).unwrap()
    );
}
