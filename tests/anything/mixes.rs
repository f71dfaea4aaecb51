//! Any mix of any signals, through the real readers: no panic, no number that is none, no peak above the ceiling.

use std::collections::HashMap;
use std::io::{self, Cursor};

use ebur128::{EbuR128, Mode};
use kinora::audio::Mixer;
use kinora::media::{AssetRead, Assets};
use kinora::scene::mix::{Ducking, Level, MixPlan, Role, Speech, Track};
use serde_json::{Value, json};

use crate::choices::Choices;
use crate::runner;

/// The mixer leaves 1 dB below -1 dBTP to encoders; the meter interpolates by other filters, which differ most on noise.
const CEILING_DBTP: f64 = -1.5;

struct Signals(HashMap<String, Vec<u8>>);

impl Assets for Signals {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        Ok(Box::new(Cursor::new(self.0[name].clone())))
    }
}

/// `KIND-RATE-CHANNELS-FRAMES`.
fn signal(choices: &mut Choices) -> Value {
    const KINDS: [&str; 13] = [
        "sine", "noise", "silence", "dc", "nan", "inf", "words", "longs", "spike", "tiny", "clip",
        "bursts", "negative",
    ];
    let kind = choices.pick(&KINDS);
    let rate = choices.pick(&[48_000, 44_100, 8_000, 192_000, 11_025]);
    let channels = choices.pick(&[1, 2, 6, 3]);
    let frames = match choices.below(6) {
        0 => rate / 4,
        1 => 1,
        2 => choices.whole(2, 40),
        3 => rate,
        _ => choices.whole(1, rate / 2),
    };
    json!(format!("{kind}-{rate}-{channels}-{frames}"))
}

fn sample(kind: &str, i: usize) -> f32 {
    let noise = (i as u32).wrapping_mul(2_654_435_761).rotate_left(13);
    let noise = noise.wrapping_mul(2_246_822_519) as f32 / u32::MAX as f32 * 2.0 - 1.0;
    let sine = (i as f32 * 0.05).sin();
    match kind {
        "noise" => noise,
        "silence" => 0.0,
        "dc" => 0.9,
        "nan" if i % 7 == 3 => f32::NAN,
        "inf" if i % 11 == 5 => f32::INFINITY,
        "inf" if i % 11 == 6 => -3e38,
        "words" => 32_767.0 * sine,
        "longs" => 2e9 * noise,
        "spike" if i == 40 => 1e6,
        "spike" => 0.01 * sine,
        "tiny" => 1e-39 * noise,
        "clip" => (sine * 1e9).clamp(-1.0, 1.0),
        "bursts" if !(i / 3000).is_multiple_of(3) => 0.0,
        "negative" => -1.0,
        _ => 0.5 * sine,
    }
}

fn file(name: &str) -> Vec<u8> {
    let parts: Vec<&str> = name.split('-').collect();
    let [rate, channels, frames] = [1, 2, 3].map(|i| parts[i].parse::<u32>().unwrap());
    let spec = hound::WavSpec {
        channels: channels as u16,
        sample_rate: rate,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut bytes, spec).unwrap();
    for i in 0..(frames * channels) as usize {
        writer.write_sample(sample(parts[0], i)).unwrap();
    }
    writer.finalize().unwrap();
    bytes.into_inner()
}

/// A mix as data, to be printed.
fn mix(choices: &mut Choices) -> Value {
    let n = choices.below(5);
    let tracks: Vec<Value> = (0..n).map(|_| track(choices)).collect();
    let mut mix = json!({
        "n_samples": match choices.below(5) {
            0 => 24_000,
            1 => 1,
            2 => choices.whole(1, 2_000),
            _ => choices.whole(1, 72_000),
        },
        "tracks": tracks,
        "fade_out": choices.pick(&[0, 48_000, 1, 480]),
    });
    if choices.one_in(2) {
        mix["loudness"] = json!(choices.number(-14.0, [-40.0, -5.0]));
    }
    if choices.one_in(3) {
        let start = choices.whole(0, 20_000);
        mix["speech"] = json!([start, start + choices.whole(1, 20_000)]);
    }
    mix
}

fn track(choices: &mut Choices) -> Value {
    let start = choices.pick(&[0, 0, 1, 480, 23_999, 10_000]);
    let trim = choices.pick(&[0, 0, 1, 100, 9_000]);
    let mut track = json!({
        "signal": signal(choices),
        "is_voice": choices.one_in(2),
        "start": start,
        "trim": [trim, trim + choices.whole(1, 50_000)],
        "speed": choices.number(1.0, [0.25, 4.0]),
        "pan": choices.number(0.0, [-1.0, 1.0]),
        "looped": choices.one_in(2),
        "fade_in": choices.pick(&[0, 1, 480, 1_440_000]),
        "fade_out": choices.pick(&[0, 1, 480, 1_440_000]),
    });
    track[choices.pick(&["gain_db", "normalized"])] = json!(choices.number(0.0, [-60.0, 20.0]));
    if choices.one_in(3) {
        track["volume"] = json!(choices.number(0.3, [0.0, 1.0]));
    }
    if choices.one_in(2) {
        track["end"] = json!(start + choices.whole(1, 40_000));
    }
    if choices.one_in(3) {
        let lengths = [0, 1, 12_000, 240_000, 1_440_000];
        track["ducking"] = json!({
            "amount_db": choices.number(9.0, [0.0, 40.0]),
            "attack": choices.pick(&lengths),
            "hold": choices.pick(&lengths),
            "release": choices.pick(&lengths),
        });
    }
    track
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn track_of(written: &Value) -> Track {
    let ducking = written.get("ducking").map(|d| Ducking {
        amount_db: number(&d["amount_db"]),
        attack: whole(&d["attack"]),
        hold: whole(&d["hold"]),
        release: whole(&d["release"]),
    });
    let level = match (&written["volume"], &written["normalized"]) {
        (Value::Number(volume), _) => Level::RelativeToVoice {
            volume: volume.as_f64().unwrap(),
        },
        (_, Value::Number(gain)) => Level::Normalized {
            gain_db: gain.as_f64().unwrap(),
        },
        _ => Level::GainDb(number(&written["gain_db"])),
    };
    let is_voice = written["is_voice"] == true && ducking.is_none();
    Track {
        role: if is_voice { Role::Voice } else { Role::Sound },
        start: whole(&written["start"]),
        end: written["end"].as_u64().unwrap_or(u64::MAX),
        trim: whole(&written["trim"][0])..whole(&written["trim"][1]),
        speed: number(&written["speed"]),
        level,
        pan: number(&written["pan"]),
        looped: written["looped"] == true,
        fade_in: whole(&written["fade_in"]),
        fade_out: whole(&written["fade_out"]),
        ducking,
        ..Track::new(written["signal"].as_str().unwrap(), "audio")
    }
}

fn holds(written: &Value) {
    let tracks: Vec<Track> = written["tracks"]
        .as_array()
        .unwrap()
        .iter()
        .map(track_of)
        .collect();
    let files = tracks.iter().map(|t| (t.asset.clone(), file(&t.asset)));
    let signals = Signals(files.collect());
    let plan = MixPlan {
        loudness: written["loudness"].as_f64(),
        fade_out: whole(&written["fade_out"]),
        speech: match &written["speech"] {
            Value::Array(span) => {
                Speech::Spans(std::iter::once(whole(&span[0])..whole(&span[1])).collect())
            }
            _ => Speech::InVoice,
        },
        tracks,
        ..MixPlan::silent(whole(&written["n_samples"]))
    };
    let mut mixer = Mixer::new(&plan, &signals).unwrap();
    let told = mixer.loudness();
    assert!(told.is_none_or(f64::is_finite), "{told:?} LUFS");
    let mut samples = Vec::new();
    while let Some(block) = mixer.next_block().unwrap() {
        samples.extend(block.samples);
    }
    assert_eq!(samples.len() as u64, 2 * plan.n_samples);
    let bad = samples.iter().position(|s| !s.is_finite());
    assert!(bad.is_none(), "no number at {bad:?}");
    let mut meter = EbuR128::new(2, 48_000, Mode::TRUE_PEAK).unwrap();
    meter.add_frames_f32(&samples).unwrap();
    let peak = meter.true_peak(0).unwrap().max(meter.true_peak(1).unwrap());
    let peak = 20.0 * peak.log10();
    assert!(peak <= CEILING_DBTP, "{peak} dBTP");
}

#[test]
fn any_mix_is_made() {
    runner::check("mixed", 2_000, mix, |written, _| {
        holds(written);
        true
    });
}
