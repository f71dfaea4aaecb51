//! Whatever a valid document says: it is planned, drawn and mixed without a panic, and what comes out holds what it should.
//!
//! A failure prints the plainest document that shows it and where that lies, ready for `kinora render`. `KINORA_CASES=10` runs ten times as many cases,
//! `KINORA_SEED=7` others.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod bounds;
mod choices;
mod document;
mod holds;
mod layers;
mod media;
mod mixes;
mod runner;
mod sound;
mod words;

use std::sync::{Arc, LazyLock};

use kinora::compose::{Backend, Compositor};
use kinora::frame::Frame;
use kinora::plan::Plan;
use kinora::text::Fonts;
use kinora::timeline::Timeline;
use kinora::units::Time;
use kinora::{ErrorKind, Job, Render};
use serde_json::Value;

use choices::Choices;
use document::{PLANNED, Room, document};
use media::{Made, facts_of, pictures_of};

/// For frames, which are drawn.
const DRAWN: Room = Room {
    side: 160,
    ..PLANNED
};
/// For frames whose pictures are read from files.
const READ: Room = Room {
    side: 64,
    picture: 300,
    with_clips: false,
    with_all: true,
};

static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::default);

static POOL: LazyLock<rayon::ThreadPool> = LazyLock::new(|| {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
    let pool = pool.thread_name(|i| format!("{}{i}", runner::QUIET_THREADS));
    pool.build().unwrap()
});

/// The plan of a document; `None` where it is refused with reasons.
fn planned(document: &Value) -> Option<Plan> {
    let timeline: Timeline = serde_json::from_value(document.clone()).unwrap();
    let facts = facts_of(document);
    match Plan::resolve(&timeline, &facts, &FONTS) {
        Ok((plan, _)) => {
            holds::plan(&plan, &facts);
            Some(plan)
        }
        Err(e) => {
            assert!(!e.problems().is_empty(), "refused without a reason");
            if std::env::var_os("KINORA_REFUSED").is_some() {
                eprintln!("{e}");
            }
            None
        }
    }
}

/// Some frames of a plan: its ends, around its cuts, and anywhere.
fn instants(plan: &Plan, n: usize, choices: &mut Choices) -> Vec<u64> {
    let last = plan.n_frames - 1;
    let any = |choices: &mut Choices| match choices.below(4) {
        0 => 0,
        1 => last,
        2 => (choices.pick(&plan.keyframes) + choices.below(7) as u64).saturating_sub(3),
        _ => (last as f64 * choices.number(0.5, [0.0, 1.0])) as u64,
    };
    (0..n).map(|_| any(choices).min(last)).collect()
}

fn holds_as_plan(document: &Value, choices: &mut Choices) -> bool {
    let Some(plan) = planned(document) else {
        return false;
    };
    for index in instants(&plan, 4, choices) {
        holds::list(&plan, &plan.at(index));
    }
    true
}

/// A frame as it is drawn, of pictures that were not read.
fn drawn(plan: &Plan, index: u64) -> Frame {
    let (list, pictures) = (plan.at(index), pictures_of(plan, index));
    let black = Frame::black(plan.size);
    let mut compositor = Compositor::new(Backend::Cpu, plan.size, &FONTS).unwrap();
    let frame = POOL.install(|| compositor.submit(&list, &pictures, black));
    let frame = frame.unwrap().unwrap();
    holds::frame(plan, index, &frame);
    frame
}

fn holds_as_frame(document: &Value, choices: &mut Choices) -> bool {
    let Some(plan) = planned(document) else {
        return false;
    };
    for index in instants(&plan, 1, choices) {
        drawn(&plan, index);
    }
    true
}

/// Nothing but shots, which fill the canvas at any instant.
fn holds_without_holes(document: &Value, choices: &mut Choices) -> bool {
    let Some(plan) = planned(document) else {
        return false;
    };
    for index in instants(&plan, 1, choices) {
        let frame = drawn(&plan, index);
        // Keyframes of one's own may fade both shots away.
        if !document.to_string().contains("\"poses\"") {
            holds::no_hole(&frame);
        }
    }
    true
}

/// From files to a frame, as `kinora still` does it.
fn holds_as_still(document: &Value, choices: &mut Choices) -> bool {
    let assets = Arc::new(Made);
    let job = match Job::from_json(&document.to_string(), assets, FONTS.clone()) {
        Ok(job) => job,
        Err(e) => {
            assert_eq!(e.kind(), ErrorKind::Document, "{e}");
            return false;
        }
    };
    let options = Render {
        backend: Backend::Cpu,
        threads: 1,
        ..Render::default()
    };
    let secs = choices.number(0.0, [-1.0, 20.0]);
    let frame = job.still(Time::from_secs(secs).unwrap(), &options).unwrap();
    assert_eq!(frame.size, job.plan().size);
    true
}

#[test]
fn any_document_is_planned() {
    let make = |choices: &mut Choices| document(choices, PLANNED);
    runner::check("planned", 100_000, make, holds_as_plan);
}

#[test]
fn any_frame_is_drawn() {
    let make = |choices: &mut Choices| document(choices, DRAWN);
    runner::check("drawn", 1_000, make, holds_as_frame);
}

#[test]
fn shots_leave_no_hole() {
    let room = Room {
        with_all: false,
        ..DRAWN
    };
    let make = |choices: &mut Choices| document(choices, room);
    runner::check("covered", 1_000, make, holds_without_holes);
}

#[test]
fn any_still_comes_from_its_files() {
    let make = |choices: &mut Choices| document(choices, READ);
    runner::check("still", 300, make, holds_as_still);
}

/// Every document that ever failed, as lines of JSON.
#[test]
fn what_failed_before_holds() {
    let seen = include_str!("seen.jsonl");
    assert!(seen.lines().count() > 3);
    for line in seen.lines() {
        let document: Value = serde_json::from_str(line).unwrap();
        let plan = planned(&document).unwrap_or_else(|| panic!("is refused: {line}"));
        let step = (plan.n_frames / 40).max(1) as usize;
        for index in (0..plan.n_frames).step_by(step) {
            holds::list(&plan, &plan.at(index));
        }
        if plan.size.area() <= 400 * 400 {
            drawn(&plan, 0);
            drawn(&plan, plan.n_frames / 2);
        }
    }
}
