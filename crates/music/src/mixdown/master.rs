//! The last steps, the same for all tracks: balance, glue, loudness, ceiling.

use fundsp::prelude32::limiter_stereo;

use super::Stereo;
use super::circle::through;
use super::tone;
use crate::synth::SAMPLE_RATE;

/// Loudness of every track, integrated, in LUFS (ITU-R BS.1770-5).
const LOUDNESS: f64 = -18.0;

/// Sample peaks stay below this; true peaks are then at most 1.5 dB higher.
const CEILING: f32 = 0.7;

/// Look-ahead of the limiter, in seconds.
const LOOK_AHEAD: f32 = 0.004;

/// Brings a mix to its final sound.
pub(super) fn master(mix: Stereo) -> Stereo {
    let mut toned = tone::balanced(&mix);
    drop(mix);
    let gain = gain_to_loudness(&toned);
    toned.iter_mut().flatten().for_each(|side| *side *= gain);
    glue(&mut toned);
    let mut gain = gain_to_loudness(&toned);
    let mut limited = limit(&toned, gain);
    // Makes up for the loudness that the limiter takes away, in up to three rounds. Only claps and drums need more than one.
    for _ in 0..3 {
        let missing = gain_to_loudness(&limited);
        if (0.99..1.01).contains(&missing) {
            break;
        }
        gain *= missing;
        limited = limit(&toned, gain);
    }
    limited
}

/// Returns the factor that brings a loop to [`LOUDNESS`]; 1 for silence.
fn gain_to_loudness(sound: &[[f32; 2]]) -> f32 {
    match loudness(sound) {
        Some(lufs) if lufs.is_finite() => 10_f64.powf((LOUDNESS - lufs) / 20.0) as f32,
        _ => 1.0,
    }
}

fn loudness(sound: &[[f32; 2]]) -> Option<f64> {
    let mut meter = ebur128::EbuR128::new(2, SAMPLE_RATE as u32, ebur128::Mode::I).ok()?;
    meter.add_frames_f32(sound.as_flattened()).ok()?;
    meter.loudness_global().ok()
}

/// A slow compressor, 2 to 1 above -17 dB: it evens out the sections and fits peaks into the mix.
fn glue(sound: &mut [[f32; 2]]) {
    const THRESHOLD: f32 = 0.02;
    let rate = |secs: f32| 1.0 - (-1.0 / (secs * SAMPLE_RATE)).exp();
    let (attack, release) = (rate(0.03), rate(0.35));
    let n = sound.len();
    let preroll = (2 * SAMPLE_RATE as usize).min(n);
    let mut power = THRESHOLD;
    let mut follow = |sample: [f32; 2]| {
        let now = 0.5 * (sample[0] * sample[0] + sample[1] * sample[1]);
        power += if now > power { attack } else { release } * (now - power);
        (THRESHOLD / power.max(THRESHOLD)).powf(0.25)
    };
    for sample in &sound[n - preroll..] {
        follow(*sample);
    }
    for sample in sound {
        let gain = follow(*sample);
        *sample = sample.map(|side| side * gain);
    }
}

fn limit(sound: &[[f32; 2]], gain: f32) -> Stereo {
    let scaled: Stereo = sound
        .iter()
        .map(|sample| sample.map(|side| side * gain / CEILING))
        .collect();
    let mut unit = limiter_stereo(LOOK_AHEAD, 0.15);
    let mut limited = through(&mut unit, &scaled, SAMPLE_RATE, SAMPLE_RATE as usize);
    limited
        .iter_mut()
        .flatten()
        .for_each(|side| *side = (*side).clamp(-1.0, 1.0) * CEILING);
    // Undoes the delay of the look-ahead.
    limited.rotate_left((LOOK_AHEAD * SAMPLE_RATE) as usize);
    limited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_and_loud_mixes_come_out_alike() {
        for amplitude in [0.001, 2.0] {
            let mix: Stereo = (0..240_000)
                .map(|i| {
                    [amplitude
                        * (i as f32 * 0.05).sin()
                        * if i % 24_000 < 9_000 { 1.0 } else { 0.2 }; 2]
                })
                .collect();
            let made = master(mix);
            let lufs = loudness(&made).unwrap();
            let peak = made
                .iter()
                .flatten()
                .fold(0.0_f32, |peak, v| peak.max(v.abs()));
            assert!((lufs - LOUDNESS).abs() < 0.3, "{lufs} LUFS");
            assert!(peak <= CEILING + 1e-6, "{peak}");
        }
    }

    #[test]
    fn silence_stays_silence() {
        assert!(
            master(vec![[0.0; 2]; 96_000])
                .iter()
                .flatten()
                .all(|v| *v == 0.0)
        );
    }
}
