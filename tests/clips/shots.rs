//! Clips as shots: which frame of the clip each frame of the video shows, and how it gets there.

use std::sync::Arc;

use kinora::compose::Backend;
use kinora::frame::Frame;
use kinora::text::Fonts;
use kinora::units::Time;
use kinora::{Job, Render};
use serde_json::{Value, json};

use crate::{fixtures, open};

fn job(document: &Value) -> Job {
    Job::from_json(
        &document.to_string(),
        Arc::new(fixtures()),
        Fonts::default(),
    )
    .unwrap_or_else(|e| panic!("{e}"))
}

fn on_cpu() -> Render {
    Render {
        backend: Backend::Cpu,
        threads: 1,
        ..Render::default()
    }
}

/// A shot of a clip on a canvas of the fixtures' size.
fn document(fps: &Value, clip: &Value, secs: Option<f64>) -> Value {
    let mut shot = json!({ "clip": clip });
    if let Some(secs) = secs {
        shot["duration"] = json!(secs);
    }
    json!({ "version": 1, "output": { "width": 64, "height": 48, "fps": fps }, "shots": [shot] })
}

/// Mean codes of the picture's middle.
fn codes(frame: &Frame) -> [f64; 3] {
    let size = frame.size;
    let [y, u, v] = frame.planes();
    let mean = |plane: &[u8], width: u32, height: u32| {
        let rows = plane
            .chunks_exact(width as usize)
            .skip(height as usize / 4)
            .take(height as usize / 2);
        let middle = rows.flat_map(|row| row[width as usize / 4..3 * width as usize / 4].iter());
        let codes: Vec<f64> = middle.map(|code| f64::from(*code)).collect();
        codes.iter().sum::<f64>() / codes.len() as f64
    };
    [
        mean(y, size.width, size.height),
        mean(u, size.width / 2, size.height / 2),
        mean(v, size.width / 2, size.height / 2),
    ]
}

/// The codes that each frame of a clip has on screen: its colors as BT.709, limited range.
fn palette(name: &str) -> Vec<[f64; 3]> {
    let mut clip = open(name);
    let starts = clip.facts().starts.clone();
    starts
        .iter()
        .map(|start| {
            let rgba = clip.frame_at(*start).unwrap().to_rgba();
            let px = rgba.get_pixel(rgba.width() / 2, rgba.height() / 2);
            let [r, g, b] = [0, 1, 2].map(|c| f64::from(px[c]) / 255.0);
            let luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
            [
                16.0 + 219.0 * luma,
                128.0 + 224.0 * (b - luma) / 1.8556,
                128.0 + 224.0 * (r - luma) / 1.5748,
            ]
        })
        .collect()
}

/// The frames of the clip that are on screen, each of which must be told from all others.
fn shown(job: &Job, palette: &[[f64; 3]]) -> Vec<usize> {
    let frames = job.frames(&on_cpu()).unwrap();
    frames
        .map(|frame| {
            let got = codes(&frame.unwrap_or_else(|e| panic!("{e}")));
            let off = |wanted: &[f64; 3]| {
                let offs = got.iter().zip(wanted).map(|(a, b)| (a - b).abs());
                offs.fold(0.0, f64::max)
            };
            let mut nearest: Vec<(f64, usize)> = palette.iter().map(off).zip(0..).collect();
            nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(
                nearest[0].0 < 2.5,
                "{got:?} is no frame's color: {:?}",
                nearest[0]
            );
            nearest[0].1
        })
        .collect()
}

#[test]
fn no_frame_is_wrong_at_any_rate_or_speed() {
    for (fps, rate) in [
        ("24", json!(24)),
        ("25", json!(25)),
        ("30000", json!("30000/1001")),
        ("30", json!(30)),
        ("60", json!(60)),
    ] {
        for name in ["h264-NN.mp4", "vp9-NN.webm", "av1-NN.mp4"].map(|name| name.replace("NN", fps))
        {
            let palette = palette(&name);
            let starts = open(&name).facts().starts.clone();
            let whole = job(&document(&rate, &json!({ "file": name }), None));
            assert_eq!(
                shown(&whole, &palette),
                (0..100).collect::<Vec<_>>(),
                "{name}"
            );
            let trim = json!({ "start": starts[10].as_secs(), "end": starts[90].as_secs() });
            for (speed, n_frames, frame_of) in [
                (0.5, 160, (|i| 10 + i / 2) as fn(usize) -> usize),
                (1.0, 80, |i| 10 + i),
                (2.0, 40, |i| 10 + 2 * i),
            ] {
                let clip = json!({ "file": name, "trim": trim, "speed": speed });
                let wanted: Vec<usize> = (0..n_frames).map(frame_of).collect();
                assert_eq!(
                    shown(&job(&document(&rate, &clip, None)), &palette),
                    wanted,
                    "{name} at {speed}"
                );
            }
        }
    }
}

#[test]
fn variable_rates_turned_and_trimmed_clips_are_right() {
    for name in ["h264-variable.mp4", "vp9-variable.webm"] {
        let clip = open(name);
        let starts = clip.facts().starts.clone();
        let rate = json!(50);
        let frames = shown(
            &job(&document(&rate, &json!({ "file": name }), None)),
            &palette(name),
        );
        for (i, frame) in frames.iter().enumerate() {
            let at = Time::from_millis(20 * i as i64);
            let wanted = starts.iter().rposition(|start| *start <= at).unwrap();
            assert_eq!(*frame, wanted, "{name} at {at}");
        }
    }
}

#[test]
fn a_shot_longer_than_its_clip_holds_loops_or_slows() {
    let (name, rate) = ("h264-25.mp4", json!(25));
    let palette = palette(name);
    let frames = |fill: &str| {
        let clip = json!({ "file": name, "trim": { "start": 0.4, "end": 1.2 }, "fill": fill });
        shown(&job(&document(&rate, &clip, Some(2.0))), &palette)
    };
    let held: Vec<usize> = (10..30).chain([29; 30]).collect();
    assert_eq!(frames("hold"), held);
    let looped: Vec<usize> = (0..50).map(|i| 10 + i % 20).collect();
    assert_eq!(frames("loop"), looped);
    let slow = frames("slow");
    assert_eq!((slow[0], slow[40], slow[49]), (10, 29, 29));
    assert!(
        slow.is_sorted() && slow.windows(2).all(|w| w[1] - w[0] <= 1),
        "{slow:?}"
    );
}

#[test]
fn a_still_is_the_frame_of_the_render() {
    let (name, rate) = ("av1-30.mp4", json!(30));
    let job = job(&document(
        &rate,
        &json!({ "file": name, "speed": 1.5 }),
        None,
    ));
    let all: Vec<Frame> = job.frames(&on_cpu()).unwrap().map(Result::unwrap).collect();
    for index in [40_usize, 3, 66, 20] {
        let at = job.plan().rate.time_of(index as u64);
        let still = job.still(at, &on_cpu()).unwrap();
        assert_eq!(still.planes(), all[index].planes(), "frame {index}");
    }
}

#[test]
fn transitions_motions_and_both_fits_work_over_clips() {
    let shot = |file: &str, more: Value| {
        let mut shot = json!({ "clip": { "file": file }, "duration": 1.0 });
        shot.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        shot
    };
    let document = json!({
        "version": 1,
        "output": { "width": 48, "height": 96, "fps": 25 },
        "shots": [
            shot("h264-25.mp4", json!({ "motion": "zoom-in" })),
            shot("vp9-odd-size.webm", json!({ "fit": "contain", "transition": "slide" })),
            shot("av1-odd-size.mp4", json!({ "transition": "SpinClockwise" })),
            shot("h264-turned-90.mp4", json!({ "transition": "zoom-out", "focus": [0.0, 1.0] })),
        ],
        "captions": { "words": [{ "text": "moving", "start": 0.2, "end": 3.0 }] },
    });
    let job = job(&document);
    let frames: Vec<Frame> = job.frames(&on_cpu()).unwrap().map(Result::unwrap).collect();
    assert_eq!(frames.len(), 100);
    // A new frame of a clip every frame: no two neighbors are alike.
    for pair in frames.windows(2) {
        assert_ne!(
            pair[0].planes(),
            pair[1].planes(),
            "frame {}",
            pair[1].index
        );
    }
}

#[test]
fn what_cannot_be_played_is_refused_before_any_work() {
    let refused = |clip: Value| {
        let document = document(&json!(25), &clip, Some(1.0)).to_string();
        let e = Job::from_json(&document, Arc::new(fixtures()), Fonts::default()).unwrap_err();
        e.problems()
            .iter()
            .map(|p| format!("{}@{}", p.code, p.path))
            .collect::<Vec<_>>()
            .join("+")
    };
    let file = "h264-25.mp4";
    let trim =
        |start: f64, end: f64| json!({ "file": file, "trim": { "start": start, "end": end } });
    assert_eq!(refused(trim(1.0, 1.0)), "empty_trim@shots[0].clip.trim");
    assert_eq!(refused(trim(2.0, 1.0)), "empty_trim@shots[0].clip.trim");
    assert_eq!(
        refused(trim(0.0, 4.5)),
        "out_of_range@shots[0].clip.trim.end"
    );
    assert_eq!(
        refused(trim(-1.0, 1.0)),
        "out_of_range@shots[0].clip.trim.start"
    );
    assert_eq!(
        refused(json!({ "file": file, "speed": 8 })),
        "out_of_range@shots[0].clip.speed"
    );
    assert_eq!(
        refused(json!({ "file": file, "gain_db": 90 })),
        "out_of_range@shots[0].clip.gain_db"
    );
    assert_eq!(
        refused(json!({ "file": "none.mp4" })),
        "missing_file@shots[0].clip.file"
    );
    for unplayable in [
        "hevc.mp4",
        "mpeg4.mp4",
        "prores.mov",
        "vp8.webm",
        "sound-only.mp4",
        "h264-encrypted.mp4",
        "h264-interlaced.mp4",
    ] {
        let told = refused(json!({ "file": unplayable }));
        assert!(
            told.ends_with("@shots[0].clip.file"),
            "{unplayable}: {told}"
        );
    }
}

#[test]
fn a_clip_alone_tells_how_long_its_shot_is() {
    let clip = json!({ "file": "h264-30.mp4", "trim": { "start": 1.0 }, "speed": 0.5 });
    let job = job(&document(&json!(30), &clip, None));
    assert_eq!(job.plan().n_frames, 140);
}
