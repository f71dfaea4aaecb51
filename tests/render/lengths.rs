//! Picture and sound end together: by the plan for long videos at every rate, and in a minute's file at 29.97 fps.

use kinora::units::{MIX_RATE_HZ, TICKS_PER_SECOND};
use serde_json::{Value, json};

use super::{job, quick, rendered};

fn document(fps: Value, secs: f64) -> Value {
    json!({
        "version": 1,
        "motion": "still",
        "output": { "width": 16, "height": 16, "fps": fps },
        "shots": [
            { "picture": "photo-a.png", "duration": secs / 3.0 },
            { "picture": "photo-b.png", "duration": secs / 3.0 },
            { "picture": "bars.png", "duration": secs / 3.0 },
        ],
        "audio": { "voice": { "file": "tone.flac" } },
    })
}

#[test]
fn ten_minutes_of_picture_and_sound_are_of_one_length() {
    for fps in [
        json!(24),
        json!(25),
        json!("30000/1001"),
        json!("29.97"),
        json!(30),
        json!(60),
    ] {
        let job = job(&document(fps.clone(), 600.0));
        let plan = job.plan();
        let (sound, picture) = (plan.mix.n_samples as i64, plan.duration());
        let off = sound * (TICKS_PER_SECOND / i64::from(MIX_RATE_HZ)) - picture.0;
        assert!(
            off.abs() < TICKS_PER_SECOND / i64::from(MIX_RATE_HZ),
            "{fps}: {off} ticks"
        );
        assert!(
            (picture.as_secs() - 600.0).abs() <= plan.rate.frame_duration().as_secs(),
            "{fps}"
        );
        assert!(
            plan.keyframes.windows(2).all(|pair| pair[0] < pair[1]
                && pair[1] - pair[0] <= 5 * plan.rate.as_f64().ceil() as u64)
        );
    }
}

#[test]
fn a_minute_at_29_97_ends_together_in_the_file() {
    let job = job(&document(json!("30000/1001"), 60.0));
    let (_, facts, report) = rendered(&job, &quick());
    assert_eq!(report.n_frames, 1798);
    let [video, audio] = &facts.tracks[..] else {
        panic!("{facts}")
    };
    let heard = audio.audio.as_ref().unwrap().heard_samples;
    assert_eq!(heard, job.plan().mix.n_samples);
    let due = 1798.0 * 1001.0 / 30_000.0;
    // The edit list counts in the clock of the whole file, and is never off by more than one of its units and a sample.
    for track in [video, audio] {
        assert!((track.duration_secs - due).abs() < 0.001, "{facts}");
    }
}
