//! Documents made to hurt: endless, bottomless, huge. They are refused or done, in a moment, and never panic.

use std::fmt::Write;

use serde_json::json;

use super::fixture::{changed, found, job, problems_of};

/// Problems that need a document too long for the table.
pub const CODES: [&str; 2] = ["too_many", "too_deep"];

fn nested_groups(n: usize) -> String {
    let (open, close) = (r#"{"draw":{"group":{"layers":["#, "]}}}");
    let inner = r##"{"draw":{"box":{"color":"#fff"}}}"##;
    format!("[{}{inner}{}]", open.repeat(n), close.repeat(n))
}

#[test]
fn bottomless_nesting_is_refused() {
    for text in [
        "[".repeat(100_000),
        r#"{"shots":"#.repeat(100_000),
        format!(r#"{{"layers":{}}}"#, nested_groups(1000)),
    ] {
        let problems = problems_of(&text);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].code, "not_json");
        assert!(problems[0].message.contains("recursion"), "{}", problems[0]);
    }
    assert_eq!(
        problems_of(&changed(&[("/layers", &nested_groups(16))])),
        []
    );
    let problems = problems_of(&changed(&[("/layers", &nested_groups(20))]));
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code, "too_deep");
    assert!(problems[0].path.ends_with(".draw.group.layers"));
}

#[test]
fn ten_thousand_shots_of_one_frame_are_a_video() {
    let shot = json!({ "picture": "a.png", "duration": 1.0 / 30.0 });
    let document = json!({
        "version": 1,
        "output": { "width": 64, "height": 64 },
        "shots": vec![shot; 10_000],
    });
    let job = job(&document.to_string()).unwrap();
    let plan = job.plan();
    assert_eq!(plan.n_frames, 10_000);
    assert_eq!(plan.keyframes.len(), 10_000);
    for frame in [0, 1, 5_000, 9_999] {
        assert!(!plan.at(frame).layers.is_empty());
    }
}

#[test]
fn an_hour_is_allowed_and_no_more() {
    let shots = |n: usize, secs: f64| {
        let shot = json!({ "picture": "a.png", "duration": secs });
        json!({ "version": 1, "shots": vec![shot; n] }).to_string()
    };
    assert_eq!(problems_of(&shots(1, 3600.0)), []);
    assert_eq!(problems_of(&shots(3600, 1.0)), []);
    for (n, secs) in [(2, 1800.1), (3601, 1.0), (5_000, 3600.0)] {
        assert_eq!(found(&problems_of(&shots(n, secs))), ["too_long@shots"]);
    }
}

#[test]
fn times_beyond_all_bounds_are_told_where_they_stand() {
    let far = r#"{ "text": "far", "start": 1e8, "end": 999999999 }"#;
    assert_eq!(
        found(&problems_of(&changed(&[("/captions/words/2", far)]))),
        [
            "out_of_range@captions.words[2].start",
            "out_of_range@captions.words[2].end"
        ]
    );
}

#[test]
fn words_without_end_are_refused() {
    let word = json!({ "text": "w", "start": 4.0, "end": 5.5 });
    let words = json!(vec![word; 20_001]).to_string();
    assert_eq!(
        found(&problems_of(&changed(&[("/captions/words", &words)]))),
        ["too_many@captions.words"]
    );
}

#[test]
fn a_list_of_problems_is_bounded_and_in_order() {
    let mut document = String::from(r#"{"version":1,"shots":["#);
    for i in 0..3000 {
        write!(
            document,
            r#"{}{{"picture":{i},"x":1}}"#,
            if i > 0 { "," } else { "" }
        )
        .unwrap();
    }
    document.push_str("]}");
    let problems = problems_of(&document);
    assert_eq!(problems.len(), 100);
    assert_eq!(problems[0].path, "shots[0].picture");
    assert_eq!(problems[1].path, "shots[0].x");
    assert_eq!(problems[99].path, "shots[49].x");
}

#[test]
fn long_names_do_not_make_long_messages() {
    let long = "`, expected `x`".repeat(10_000);
    let quoted = json!(long).to_string();
    for pointer in [
        "/transition",
        "/seed",
        "/audio/voice",
        "/motion",
        "/output/background",
        "/output/fps",
        "/captions/style",
        "/captions/style/fill",
        "/captions/position",
        "/shots/0/picture",
        "/layers/2/draw/box/color",
    ] {
        let problems = problems_of(&changed(&[(pointer, &quoted)]));
        assert_eq!(problems.len(), 1, "{pointer}: {problems:?}");
    }
    let unknown = json!({ "version": 1, "shots": [], long: 1 }).to_string();
    let problems = problems_of(&unknown);
    assert_eq!(problems[0].code, "unknown_field");
    assert!(problems[0].message.contains("known: version, output"));
}
