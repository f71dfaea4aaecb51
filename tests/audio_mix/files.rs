//! Files of every format, and broken ones. The tones in `tests/media` are 0.5 s of a synthesized 1 kHz sine at 44.1 kHz, mono.

use std::io::Cursor;

use kinora::audio::sound_facts;
use kinora::error::ErrorKind;
use kinora::facts::SoundFacts;
use kinora::media::MemoryAssets;
use kinora::units::Time;

use crate::signals::*;

fn tones() -> [(&'static str, Vec<u8>); 4] {
    ["tone.mp3", "tone.m4a", "tone.flac", "tone.ogg"].map(|name| {
        let path = format!("{}/tests/media/{name}", env!("CARGO_MANIFEST_DIR"));
        (name, std::fs::read(path).unwrap())
    })
}

fn facts(bytes: Vec<u8>) -> std::io::Result<SoundFacts> {
    sound_facts(Box::new(Cursor::new(bytes)), "a sound")
}

#[test]
fn every_format_is_gapless_aligned_and_as_loud() {
    let reference = sine(RATE, 1_000.0, 0.5, 24_000);
    for (name, bytes) in tones() {
        let known = facts(bytes.clone()).unwrap();
        assert_eq!((known.channels, known.rate_hz), (1, 44_100), "{name}");
        assert_eq!(known.duration, Time::from_secs(0.5), "{name}");
        let files = assets([(name, bytes)]);
        let mix = left(&mixed(&plan(48_000, [track(name)]), &files).unwrap());
        let level = 20.0 * (rms(&mix[2_400..21_600]) / (0.5 / 2f64.sqrt())).log10();
        // LAME encodes at 0.95 of the amplitude, -0.45 dB.
        assert!(level.abs() < 0.5, "{name}: {level} dB");
        // Neither late nor early by a tenth of a period: what is left after taking the tone away is small.
        let rest: Vec<f32> = mix[2_400..21_600]
            .iter()
            .zip(&reference[2_400..])
            .map(|(m, r)| m - r)
            .collect();
        assert!(rms(&rest) < 0.1, "{name}: {}", rms(&rest));
        assert!(rms(&mix[24_100..]) < 1e-4, "{name} rings on");
        assert!(rms(&mix[23_000..23_700]) > 0.3, "{name} ends early");
    }
}

#[test]
fn facts_of_wav_files() {
    let stereo = facts(wav(22_050, 2, &vec![0.1; 44_100])).unwrap();
    assert_eq!(stereo.duration, Time::from_secs(1.0));
    assert_eq!((stereo.channels, stereo.rate_hz), (2, 22_050));
    let endless = wav_with(3, 48_000, (1, 4), u32::MAX, &vec![0; 48_000]);
    let claimed = facts(endless).unwrap().duration.unwrap();
    assert!(claimed <= Time::from_millis(260), "{claimed}");
}

#[test]
fn what_is_no_sound_is_an_error_that_says_so() {
    let text = b"Once upon a time there was a text file. ".repeat(200);
    let zeros = vec![0; 10_000];
    for (what, bytes) in [
        ("empty", Vec::new()),
        ("text", text),
        ("zeros", zeros),
        ("header only", wav(48_000, 1, &[])),
        ("no channels", wav_with(3, 48_000, (0, 4), 400, &[0; 400])),
        ("no rate", wav_with(3, 0, (1, 4), 400, &[0; 400])),
        ("slow", wav_with(3, 100, (1, 4), 400, &[0; 400])),
        ("fast", wav_with(3, u32::MAX, (1, 4), 400, &[0; 400])),
        ("no block", wav_with(3, 48_000, (1, 0), 400, &[0; 400])),
        (
            "many channels",
            wav_with(3, 48_000, (16, 64), 6_400, &[0; 6_400]),
        ),
        (
            "strange codec",
            wav_with(0x7777, 48_000, (1, 4), 400, &[0; 400]),
        ),
    ] {
        let files = assets([("bad", bytes.clone())]);
        let known = facts(bytes);
        let Err(e) = mixed(&plan(4_800, [track("bad")]), &files) else {
            // A reader may mend the size of a block from the other fields.
            assert_eq!(what, "no block");
            continue;
        };
        assert_eq!(e.kind(), ErrorKind::Media, "{what}");
        assert!(known.unwrap_err().to_string().contains("a sound"), "{what}");
        let said = e.to_string();
        println!("{what}: {said}");
        assert!(
            said.contains("audio.bad.file") && said.contains("`bad`"),
            "{said}"
        );
    }
    let e = mixed(&plan(960, [track("gone")]), &MemoryAssets::default()).unwrap_err();
    assert!(e.to_string().contains("`gone`"), "{e}");
}

#[test]
fn cut_off_and_scrambled_files_end_in_sound_or_an_error() {
    let mut all = tones().to_vec();
    all.push((
        "tone.wav",
        wav(44_100, 1, &sine(44_100, 1_000.0, 0.5, 5_000)),
    ));
    for (name, whole) in all {
        for n in [1, 10, 50, 200, whole.len() / 2, whole.len() - 3] {
            let files = assets([(name, whole[..n].to_vec())]);
            let mut placed = track(name);
            placed.looped = true;
            let _ = mixed(&plan(48_000, [placed]), &files);
        }
        for seed in 0..40 {
            let mut bytes = whole.clone();
            for at in noise(seed + 1, 1.0, 8) {
                let at = ((at.abs() * bytes.len() as f32) as usize).min(bytes.len() - 1);
                bytes[at] ^= (seed as u8).wrapping_mul(37) | 1;
            }
            let files = assets([(name, bytes)]);
            if let Ok(mix) = mixed(&plan(48_000, [track(name)]), &files) {
                assert!(mix.iter().all(|s| s.abs() <= 1.0), "{name}, seed {seed}");
            }
        }
    }
}

#[test]
fn half_a_file_is_heard_as_far_as_it_goes() {
    for (name, whole) in tones() {
        // The table of contents of the one comes last, and the other is a single page.
        if matches!(name, "tone.m4a" | "tone.ogg") {
            continue;
        }
        let files = assets([(name, whole[..whole.len() / 2].to_vec())]);
        let mix = left(&mixed(&plan(48_000, [track(name)]), &files).unwrap());
        assert!(rms(&mix[2_400..7_200]) > 0.2, "{name}");
    }
}

#[test]
fn surround_is_mixed_down() {
    let mut frames = Vec::new();
    for s in sine(RATE, 500.0, 0.4, 9_600) {
        frames.extend([0.0, 0.0, s, 0.0, 0.0, 0.0]);
    }
    let files = assets([("a", wav(RATE, 6, &frames))]);
    let mix = mixed(&plan(9_600, [track("a")]), &files).unwrap();
    let expected = 0.4 / 2.0;
    assert!((rms(&mix) - expected).abs() < 0.002, "{}", rms(&mix));
}
