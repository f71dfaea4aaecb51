//! Faster and slower at the same pitch, in time with the picture.

use kinora::scene::mix::Track;

use crate::signals::*;

const SPEEDS: [f64; 7] = [0.25, 0.5, 0.8, 1.25, 1.5, 2.0, 4.0];

fn at_speed(asset: &str, speed: f64) -> Track {
    Track {
        speed,
        ..track(asset)
    }
}

/// Rising zero crossings per second.
fn pitch(samples: &[f32]) -> f64 {
    let rising = samples
        .windows(2)
        .filter(|w| w[0] < 0.0 && w[1] >= 0.0)
        .count();
    rising as f64 * 48_000.0 / samples.len() as f64
}

#[test]
fn pitch_and_level_are_kept_and_the_length_is_exact() {
    let files = assets([("a", wav(RATE, 1, &sine(RATE, 220.0, 0.4, 192_000)))]);
    for speed in SPEEDS {
        let mix = left(&mixed(&plan(48_000 * 17, [at_speed("a", speed)]), &files).unwrap());
        let end = (192_000.0 / speed) as usize;
        assert!(mix[end..].iter().all(|s| *s == 0.0), "{speed}");
        let heard = &mix[4_800..end - 4_800];
        assert!(
            (pitch(heard) - 220.0).abs() < 3.0,
            "{speed}: {} Hz",
            pitch(heard)
        );
        let level = 20.0 * (rms(heard) / (0.4 / 2f64.sqrt())).log10();
        assert!(level.abs() < 0.3, "{speed}: {level} dB");
        // A sine's own slope, and a little for the crossfades.
        let slope = (std::f64::consts::TAU * 220.0 / 48_000.0 * 0.4) as f32;
        assert!(
            greatest_step(&mix) < 1.3 * slope,
            "{speed}: {}",
            greatest_step(&mix)
        );
    }
}

#[test]
fn events_stay_in_time_with_the_picture() {
    // Bursts every half second.
    let mut sound = vec![0.0; 480_000];
    for (i, s) in sound.iter_mut().enumerate() {
        let t = i as f64 / 48_000.0;
        let since = (t + 0.25).fract() % 0.5;
        *s = ((-since * 60.0).exp() * (t * 5_000.0).sin() * 0.5) as f32;
    }
    let files = assets([("a", wav(RATE, 1, &sound))]);
    for speed in SPEEDS {
        let mix = left(&mixed(&plan(48_000 * 8, [at_speed("a", speed)]), &files).unwrap());
        for k in 0..6 {
            let due = ((0.25 + 0.5 * f64::from(k)) * 48_000.0 / speed) as usize;
            if due + 9_600 > mix.len() {
                break;
            }
            let from = due.saturating_sub(3_000);
            let window = &mix[from..due + 3_000];
            let peak =
                (0..window.len()).max_by(|a, b| window[*a].abs().total_cmp(&window[*b].abs()));
            let off = from as f64 + peak.unwrap() as f64 - due as f64;
            // A frame at 30 fps is 1600 samples.
            assert!(
                off.abs() < 1_200.0,
                "{speed}, burst {k}: off by {off} samples"
            );
        }
    }
}
