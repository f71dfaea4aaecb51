//! Cuts, overlaps, keyframes and sound: counted in whole frames, without drift, at every rate.

use kinora::plan::Plan;
use kinora::units::{TICKS_PER_SAMPLE, Time};
use serde_json::{Value, json};

use super::fixture::plan;

/// 24, 25, 29.97, 30 and 60 frames per second.
fn rates() -> [Value; 5] {
    [
        json!(24),
        json!(25),
        json!("30000/1001"),
        json!(30),
        json!(60),
    ]
}

/// Lengths that are no whole number of frames at any rate.
fn lengths() -> Vec<f64> {
    (0..130)
        .map(|i| [4.337, 5.019, 4.6061, 3.3333, 7.1][i % 5] - 0.25)
        .collect()
}

fn ten_minutes(fps: &Value) -> Plan {
    let shot = |secs: &f64| json!({ "picture": "wide.png", "duration": secs });
    let shots: Vec<Value> = lengths().iter().map(shot).collect();
    plan(&json!({
        "version": 1,
        "output": { "width": 96, "height": 160, "fps": fps },
        "transition": { "name": "fade", "duration": 1.3 },
        "shots": shots,
    }))
}

/// The frame of each cut, first and last included, from the lengths as written.
fn cuts(plan: &Plan) -> Vec<u64> {
    let mut end = 0.0;
    let ends = lengths().into_iter().map(|secs| {
        end += secs;
        plan.rate.nearest_frame(Time::from_secs(end).unwrap())
    });
    std::iter::once(0).chain(ends).collect()
}

#[test]
fn cuts_do_not_drift_and_transitions_take_no_time() {
    let total: f64 = lengths().iter().sum();
    assert!(total > 590.0);
    for fps in rates() {
        let plan = ten_minutes(&fps);
        let cuts = cuts(&plan);
        assert_eq!(plan.n_frames, *cuts.last().unwrap(), "{fps}");
        let off = plan.duration().as_secs() - total;
        assert!(
            off.abs() <= 0.5 / plan.rate.as_f64() + 1e-6,
            "{fps}: {off} s"
        );
        for cut in &cuts[..cuts.len() - 1] {
            assert!(
                plan.keyframes.binary_search(cut).is_ok(),
                "{fps}: cut {cut}"
            );
        }
    }
}

#[test]
fn keyframes_begin_with_the_first_frame_and_are_never_far_apart() {
    for fps in rates() {
        let plan = ten_minutes(&fps);
        assert_eq!(plan.keyframes[0], 0);
        let mut ends = plan.keyframes.clone();
        ends.push(plan.n_frames);
        for pair in ends.windows(2) {
            assert!(pair[0] < pair[1], "{fps}: they rise");
            let gap = plan.rate.time_of(pair[1]) - plan.rate.time_of(pair[0]);
            assert!(
                gap <= Time::from_millis(5000),
                "{fps}: {gap} at {}",
                pair[0]
            );
        }
    }
}

#[test]
fn overlaps_lie_around_their_cut_and_leave_most_of_each_shot_alone() {
    for fps in rates() {
        let plan = ten_minutes(&fps);
        let cuts = cuts(&plan);
        for i in 1..cuts.len() - 1 {
            let (from, to) = (plan.pictures[i].first_frame, plan.pictures[i - 1].end_frame);
            let (before, after) = (cuts[i] - from, to - cuts[i]);
            assert!(
                before.abs_diff(after) <= 1,
                "{fps}: {before} and {after} frames around cut {i}"
            );
            let shorter = (cuts[i] - cuts[i - 1]).min(cuts[i + 1] - cuts[i]);
            // Frames are counted where they start, so a span of n frames may hold n + 1 starts.
            assert!(
                (to - from) as f64 <= 0.4 * shorter as f64 + 1.0,
                "{fps}: cut {i}"
            );
            assert!(
                (to - from) as f64 >= 1.2 * plan.rate.as_f64() - 1.0,
                "{fps}: cut {i}"
            );
        }
    }
}

#[test]
fn the_overlap_of_short_shots_is_40_percent_of_the_shorter() {
    let document = json!({
        "version": 1,
        "output": { "width": 96, "height": 160, "fps": 60 },
        "transition": { "name": "fade", "duration": 5 },
        "shots": [
            { "picture": "wide.png", "duration": 10 },
            { "picture": "tall.png", "duration": 1 },
            { "picture": "wide.png", "duration": 3 }
        ],
    });
    let plan = plan(&document);
    assert_eq!(plan.n_frames, 14 * 60);
    let spans: Vec<_> = plan
        .pictures
        .iter()
        .map(|p| (p.first_frame, p.end_frame))
        .collect();
    assert_eq!(spans, [(0, 612), (588, 672), (648, 840)]);
}

#[test]
fn sound_is_as_long_as_the_picture_within_half_a_sample() {
    for fps in rates() {
        for secs in [0.1, 1.0, 3.337, 59.99, 600.01] {
            let plan = plan(&json!({
                "version": 1,
                "output": { "width": 96, "height": 160, "fps": fps },
                "shots": [{ "picture": "wide.png", "duration": secs }],
            }));
            let off = plan.mix.n_samples as i64 * TICKS_PER_SAMPLE - plan.duration().0;
            assert!(
                2 * off.abs() <= TICKS_PER_SAMPLE,
                "{fps}, {secs} s: {off} ticks"
            );
        }
    }
}

#[test]
fn spoken_words_set_the_cuts() {
    let word = |i: usize| json!({ "text": "w", "start": 0.4 + i as f64 * 0.71, "end": 1.0 + i as f64 * 0.71 });
    let plan = plan(&json!({
        "version": 1,
        "output": { "width": 96, "height": 160, "fps": 25 },
        "transition": "none",
        "shots": [
            { "picture": "wide.png", "words": 3 },
            { "picture": "tall.png", "duration": 2 },
            { "picture": "wide.png", "words": 4 }
        ],
        "captions": { "words": (0..7).map(word).collect::<Vec<_>>() },
    }));
    // The fourth word starts at 2.53 s, the last ends at 5.26 s.
    let spans: Vec<_> = plan
        .pictures
        .iter()
        .map(|p| (p.first_frame, p.end_frame))
        .collect();
    assert_eq!(spans, [(0, 63), (63, 113), (113, 132)]);
}

#[test]
fn the_tail_comes_after_the_last_word() {
    let of_shots = |shots: Value, tail: f64| {
        let word =
            |text: &str, start: f64| json!({ "text": text, "start": start, "end": start + 0.5 });
        plan(&json!({
            "version": 1,
            "output": { "width": 96, "height": 160, "fps": 30 },
            "shots": shots,
            "captions": { "words": [word("one", 0.5), word("two", 1.0), word("three", 2.0)] },
            "tail": tail,
        }))
    };
    let by_words =
        json!([{ "picture": "wide.png", "words": 1 }, { "picture": "tall.png", "words": 2 }]);
    let open = json!([{ "picture": "wide.png", "duration": 1 }, { "picture": "tall.png" }]);
    let fixed =
        json!([{ "picture": "wide.png", "duration": 1 }, { "picture": "tall.png", "duration": 2 }]);
    for (shots, tail, n_frames) in [
        (&by_words, 0.0, 75),
        (&by_words, 1.5, 120),
        (&open, 0.0, 75),
        (&open, 1.5, 120),
        (&fixed, 1.5, 90),
    ] {
        assert_eq!(
            of_shots(shots.clone(), tail).n_frames,
            n_frames,
            "{shots} {tail}"
        );
    }
}
