//! What a render writes: a file that passes the check, with every frame, keyframes at the cuts, tracks of one length, and the same bytes every time.

use std::io::Cursor;
use std::sync::{Arc, Mutex};

use kinora::{Control, Progress, Stage};

use super::{document, encoders, job, quick, rendered, still_document};

#[test]
fn every_encoder_writes_a_whole_file() {
    let job = job(&document());
    let plan = job.plan();
    assert_eq!((plan.n_frames, &plan.keyframes[..]), (42, &[0, 12, 30][..]));
    for options in encoders() {
        let (_, facts, report) = rendered(&job, &options);
        let name = &report.video_encoder;
        assert_eq!(report.n_frames, plan.n_frames, "{name}");
        let [video, audio] = &facts.tracks[..] else {
            panic!("{facts}")
        };
        assert_eq!(video.n_samples, plan.n_frames, "{name}");
        assert_eq!(
            video.sync_samples.as_deref(),
            Some(&[0, 12, 30][..]),
            "{name}"
        );
        let shown = video.video.as_ref().unwrap();
        assert_eq!(
            (shown.width, shown.height, shown.rate),
            (128, 96, Some((24, 1)))
        );
        assert_eq!(video.duration_secs, 1.75, "{name}");
        assert_eq!(audio.duration_secs, 1.75, "{name}");
        let heard = audio.audio.as_ref().unwrap();
        assert_eq!(heard.heard_samples, 84_000, "{name}");
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let job = job(&document());
    for options in encoders() {
        let with = |threads| {
            rendered(
                &job,
                &kinora::Render {
                    threads,
                    ..options.clone()
                },
            )
        };
        let (one, _, report) = with(1);
        for threads in [2, 4] {
            assert!(
                with(threads).0 == one,
                "{}: {threads} threads",
                report.video_encoder
            );
        }
    }
}

#[test]
fn two_renders_at_once_do_not_disturb_each_other() {
    let job = job(&document());
    let alone = rendered(&job, &quick()).0;
    let both = std::thread::scope(|scope| {
        [0, 1]
            .map(|_| scope.spawn(|| rendered(&job, &quick()).0))
            .map(|thread| thread.join().unwrap())
    });
    assert!(both.iter().all(|file| *file == alone));
}

#[test]
fn progress_rises_to_the_last_frame() {
    let seen: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let heard = Arc::clone(&seen);
    let control = Control {
        progress: Some(Box::new(move |progress| {
            heard.lock().unwrap().push(progress.clone())
        })),
        ..Control::default()
    };
    let job = job(&still_document(30));
    job.render(Cursor::new(Vec::new()), &quick(), &control)
        .unwrap();
    let seen = seen.lock().unwrap();
    let stages: Vec<Stage> = seen.iter().map(|p| p.stage).collect();
    let mut due = vec![Stage::Render; 32];
    (due[0], due[31]) = (Stage::Prepare, Stage::Finish);
    assert_eq!(stages, due);
    let frames: Vec<u64> = seen.iter().map(|p| p.frame).collect();
    assert_eq!(frames, (0..=30).chain([30]).collect::<Vec<_>>());
    for (before, after) in seen.iter().zip(&seen[1..]) {
        assert!(before.elapsed <= after.elapsed);
    }
    assert!(seen.iter().all(|p| p.n_frames == 30 && p.fps.is_finite()));
    assert!(seen[0].remaining.is_none() && seen[31].remaining.is_some_and(|left| left.is_zero()));
}

#[test]
fn a_render_may_begin_anywhere_in_its_output() {
    let job = job(&still_document(5));
    let alone = rendered(&job, &quick()).0;
    let mut out = Cursor::new(b"before".to_vec());
    out.set_position(6);
    let (out, _) = job.render(out, &quick(), &Control::default()).unwrap();
    assert!(out.get_ref().starts_with(b"before"));
    let mut at = Cursor::new(out.into_inner());
    at.set_position(6);
    assert_eq!(kinora::mux::check(at).unwrap().n_bytes, alone.len() as u64);
}
