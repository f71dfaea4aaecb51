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
        ("l.mov", "-c:a pcm_mulaw"),
        ("m.mov", "-c:a alac"),
        // A bitrate that the standard does not have for one channel.
        ("n.mp4", "-c:a mp2 -b:a 384k"),
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
fn what_is_read_or_no_sound_never_goes_there() {
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
fn mixed_blocks_are_found_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let settings = "-c:a libmp3lame -b:a 128k -ac 1 -write_xing 0 -id3v2_version 0";
    if !made(folder.path(), "a.mp3", settings) {
        return;
    }
    let path = folder.path().join("a.mp3");
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes[..2], [0xff, 0xfb]);
    // Both blocks of the 21st frame: windows switched, of the type 2, mixed.
    let frame = 20 * 384;
    assert_eq!(bytes[frame..frame + 2], [0xff, 0xfb]);
    for block in 0..2 {
        for (i, bit) in [1, 1, 0, 1].into_iter().enumerate() {
            let at = 8 * (frame + 4) + 18 + 59 * block + 33 + i;
            let mask = 0x80 >> (at % 8);
            bytes[at / 8] = (bytes[at / 8] & !mask) | (mask * bit);
        }
    }
    std::fs::write(&path, bytes).unwrap();
    let own = FolderAssets::new(folder.path());
    let e = asset_facts("a.mp3", &own).unwrap_err().to_string();
    assert!(
        e.contains("mixed-block MP3") && e.contains("convert it first"),
        "{e}"
    );
    let files = own.with_ffmpeg(Ffmpeg::on_path());
    let (_, told) = asset_facts("a.mp3", &files).unwrap();
    assert!(told.is_some_and(|told| told.contains("ffmpeg")));
    let mix = left(&mixed(&plan(96_000, [track("a.mp3")]), &files).unwrap());
    assert!(rms(&mix[9_600..20_000]) > 0.1);
}

#[test]
fn quicktime_names_its_sound() {
    let folder = tempfile::tempdir().unwrap();
    let own = FolderAssets::new(folder.path());
    for (name, settings, words) in [
        ("a.mov", "-c:a ac3", "Dolby Digital (AC-3)"),
        ("b.mov", "-c:a pcm_alaw", "A-law"),
        ("c.mov", "-c:a adpcm_ima_qt", "IMA ADPCM"),
    ] {
        if made(folder.path(), name, settings) {
            let e = asset_facts(name, &own).unwrap_err().to_string();
            assert!(e.contains(words), "{e}");
        }
    }
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
