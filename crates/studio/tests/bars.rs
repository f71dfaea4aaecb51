//! Songs are parted at their bars: measured on the library's own tracks, whose tempo and meter their descriptions tell.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use kinora::audio::{phrases, song_phrases};
use kinora_music::{Library, Sound};
use serde_json::Value;

/// Shares of the cuts of a track that lie within 70 ms of a beat and of a bar line, where its tempo was clear.
struct Found {
    slug: String,
    at_beats: f64,
    at_bars: f64,
    has_bars: bool,
}

fn tracks() -> Vec<(String, f64, f64)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../music/tracks");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let track = |path: &Path| {
        let told: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let beat = 60.0 / told["tempo"].as_f64()?;
        let meter = told["meter"].as_str().unwrap_or("4/4");
        let (count, unit) = meter.split_once('/')?;
        // The tempo counts quarters, or dotted quarters in eighths.
        let n_beats = count.parse::<f64>().ok()? / if unit == "8" { 3.0 } else { 1.0 };
        Some((path.file_stem()?.to_str()?.to_owned(), beat, n_beats))
    };
    paths.iter().filter_map(|path| track(path)).collect()
}

fn found((slug, beat, n_beats): &(String, f64, f64)) -> Option<Found> {
    let library = Library::new(None, None).unwrap();
    let sound: Box<dyn FnMut() -> Cursor<Vec<u8>>> = match library.sound(slug).unwrap()? {
        Sound::Wav(bytes) => Box::new(move || Cursor::new(bytes.to_vec())),
        Sound::File(path) => Box::new(move || Cursor::new(fs::read(&path).unwrap())),
    };
    let mut sound = sound;
    let song = song_phrases(Box::new(sound()), slug, 5.0).unwrap();
    let plain = phrases(Box::new(sound()), slug, 5.0).unwrap();
    let share = |unit: f64| {
        let near = song.cuts.iter().filter(|cut| {
            let off = **cut / unit;
            (off - off.round()).abs() * unit < 0.07
        });
        near.count() as f64 / song.cuts.len().max(1) as f64
    };
    Some(Found {
        slug: slug.clone(),
        at_beats: share(*beat),
        at_bars: share(beat * n_beats),
        has_bars: song.cuts != plain.cuts,
    })
}

#[test]
fn tracks_with_a_strong_beat_are_parted_at_beats_and_most_at_bars() {
    // Claps on the off-beats are taken for the first beat of the bar.
    for (slug, at_bars) in [
        ("light_upbeat_melody", true),
        ("news_theme", true),
        ("stomps_and_claps_rhythm_track", false),
    ] {
        let tracks = tracks();
        let track = tracks.iter().find(|(known, ..)| known == slug).unwrap();
        let found = found(track).unwrap();
        assert!(found.has_bars, "{slug}");
        assert!(found.at_beats > 0.9, "{slug}: {}", found.at_beats);
        assert!(!at_bars || found.at_bars > 0.9, "{slug}: {}", found.at_bars);
    }
}

#[test]
#[ignore = "a measurement of all tracks, a minute: cargo test --test bars -- --ignored --nocapture"]
fn measured_on_all_tracks() {
    let (mut n_clear, mut beats, mut bars) = (0, 0.0, 0.0);
    let tracks = tracks();
    for track in &tracks {
        let Some(found) = found(track) else { continue };
        let told = if found.has_bars { "bars" } else { "-" };
        println!(
            "{:44} {told:5} beats {:4.2} bars {:4.2}",
            found.slug, found.at_beats, found.at_bars
        );
        if found.has_bars {
            n_clear += 1;
            beats += found.at_beats;
            bars += found.at_bars;
        }
    }
    let n = f64::from(n_clear).max(1.0);
    println!(
        "{n_clear} of {} tracks have a clear tempo; of their cuts {:.2} at beats, {:.2} at bars",
        tracks.len(),
        beats / n,
        bars / n
    );
    assert!(n_clear > 0 && beats / n > 0.8);
}
