//! Sounds that kinora cannot read itself, through the machine's ffmpeg, where it is.

use std::path::Path;
use std::process::{Command, Stdio};

use kinora::audio::{asset_facts, phrases, readable};
use kinora::media::{Ffmpeg, FolderAssets};

use crate::signals::*;

/// A second of a tone in `file`; `false` where ffmpeg is absent or cannot write it.
fn made(folder: &Path, file: &str, settings: &str) -> bool {
    if Ffmpeg::on_path().version().is_err() {
        println!("skipped: ffmpeg is absent");
        return false;
    }
    let source = "-v error -nostdin -y -f lavfi -i sine=f=1000:r=48000:d=1,volume=12dB";
    let run = Command::new("ffmpeg")
        .args(source.split(' '))
        .args(settings.split(' '))
        .arg(folder.join(file))
        .stderr(Stdio::null())
        .status();
    let is_made = run.unwrap().success();
    if !is_made {
        println!("skipped: this ffmpeg cannot make {file}");
    }
    is_made
}

#[test]
fn other_formats_are_heard_at_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let files = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());

    for (name, settings) in [
        ("a.wma", "-c:a wmav2 -b:a 128k"),
        ("b.ac3", "-c:a ac3 -b:a 192k"),
        ("c.eac3", "-c:a eac3 -b:a 192k"),
        ("d.spx", "-c:a libspeex -ar 16000 -q:a 9"),
        ("e.wv", "-c:a wavpack"),
        ("f.ts", "-c:a ac3 -b:a 192k"),
        ("g.mka", "-c:a ac3 -b:a 192k"),
        ("i.tta", "-c:a tta"),
        ("j.mov", "-c:a ac3 -b:a 192k"),
        ("k.ac3", "-c:a ac3 -b:a 384k -ac 6"),
    ] {
        if !made(folder.path(), name, settings) {
            continue;
        }
        let (facts, told) = asset_facts(name, &files).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(told.is_some_and(|told| told.contains("ffmpeg")), "{name}");
        let secs = facts.duration.unwrap().as_secs();
        assert!((0.95..1.12).contains(&secs), "{name} lasts {secs} s");
        let mix = left(&mixed(&plan(96_000, [track(name)]), &files).unwrap());
        let heard = rms(&mix[9_600..43_000]);
        assert!(heard > 0.1, "{name}: {heard}");
        assert!(rms(&mix[60_000..]) < 1e-3, "{name} rings on");
        // As a voice: kinora's own decoder hears what ffmpeg gave.
        let stream = readable(name, &files).unwrap();
        let heard = phrases(stream, name, 10.0).unwrap();
        assert!((0.95..1.12).contains(&heard.secs), "{name}: {}", heard.secs);
    }
}

#[test]
fn what_is_read_or_damaged_never_goes_there() {
    let folder = tempfile::tempdir().unwrap();
    let files = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    for name in ["tone.mp3", "tone.m4a", "tone.flac", "tone.ogg"] {
        let from = format!("{}/tests/media/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(from, folder.path().join(name)).unwrap();
        let (_, told) = asset_facts(name, &files).unwrap();
        assert_eq!(told, None, "{name}");
    }
    std::fs::write(
        folder.path().join("text.txt"),
        "Once upon a time. ".repeat(300),
    )
    .unwrap();
    let e = asset_facts("text.txt", &files).unwrap_err();
    assert!(e.to_string().contains("is text, not a sound"), "{e}");
}

#[test]
fn without_it_the_message_says_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    if !made(folder.path(), "a.ac3", "-c:a ac3") {
        return;
    }
    let refused = |files: &FolderAssets| asset_facts("a.ac3", files).unwrap_err().to_string();
    let own = FolderAssets::new(folder.path());
    assert!(!refused(&own).contains("install"), "{}", refused(&own));
    let absent = own.with_ffmpeg(Ffmpeg::in_folder(folder.path()));
    assert!(
        refused(&absent).contains("install ffmpeg"),
        "{}",
        refused(&absent)
    );
}
