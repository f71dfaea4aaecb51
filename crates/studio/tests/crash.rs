//! A run that is killed at any of its durable steps and started again gives the same video, and asks no provider again for what it had finished.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod cast;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kinora_studio::stages::{Brief, ClipChoice, MusicChoice, Watch, address};

/// Names the work folder of the run that the child makes.
const WORK: &str = "KINORA_CRASH_WORK";

/// The run that is killed: not a test by itself.
#[test]
#[ignore = "run by the test below, in a process of its own"]
fn child() {
    let work = std::env::var_os(WORK).unwrap();
    let work = Path::new(&work);
    let studio = cast::studio(work);
    let production = studio.produce(&brief(), &Watch::default()).unwrap();
    production.job().unwrap();
    // What a video is made from, file by file.
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&production.folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        files.insert(name, address(&fs::read(entry.path()).unwrap()));
    }
    fs::write(
        work.join("made.json"),
        serde_json::to_string(&files).unwrap(),
    )
    .unwrap();
}

fn brief() -> Brief {
    let mut brief = cast::brief();
    brief.clips = Some(ClipChoice {
        model: "luma_ray2".into(),
        notes: None,
        secs: None,
    });
    brief.music = None::<MusicChoice>;
    brief
}

fn run(work: &Path, crash_at: Option<u32>) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["child", "--exact", "--ignored", "--nocapture"])
        .env(WORK, work);
    if let Some(at) = crash_at {
        command.env("KINORA_CRASH_AT", at.to_string());
    }
    command.output().unwrap()
}

#[test]
fn killed_anywhere_it_goes_on_from_there() {
    let temp = tempfile::tempdir().unwrap();
    let whole = temp.path().join("whole");
    assert!(run(&whole, None).status.success());
    let made = fs::read(whole.join("made.json")).unwrap();
    let calls = cast::calls(&whole);
    assert!(
        calls.len() >= 10 && calls.values().all(|n| *n == 1),
        "{calls:?}"
    );
    let mut n_crashes = 0;
    for at in 1.. {
        let work = temp.path().join(at.to_string());
        let first = run(&work, Some(at));
        if first.status.success() {
            break;
        }
        n_crashes += 1;
        assert!(!work.join("made.json").exists());
        let before = cast::calls(&work);
        assert!(run(&work, None).status.success(), "after a crash at {at}");
        assert_eq!(
            fs::read(work.join("made.json")).unwrap(),
            made,
            "after a crash at {at}"
        );
        // Only what was not yet on the disk may be asked for again, and with the same key.
        let after = cast::calls(&work);
        let again: Vec<_> = after.iter().filter(|(_, n)| **n > 1).collect();
        assert!(
            again.len() <= 1 && again.iter().all(|(_, n)| **n == 2),
            "crash at {at}: {again:?}"
        );
        assert_eq!(
            after.keys().collect::<Vec<_>>(),
            calls.keys().collect::<Vec<_>>()
        );
        assert!(before.len() <= after.len());
    }
    // Every step passes four: before it is asked for, when it is there, before and after it is in its place.
    assert_eq!(n_crashes, calls.len() * 4);
}
