//! The library's door: the cache, an operator's own tracks, and what is said of what is wrong.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use kinora_music::{Library, Sound};
use tempfile::TempDir;

/// A short track.
const SLUG: &str = "wind_on_our_side";

fn file(library: &Library, slug: &str) -> PathBuf {
    match library.sound(slug).unwrap() {
        Some(Sound::File(path)) => path,
        other => panic!("{slug} is {other:?}"),
    }
}

/// A folder with this manifest and `real.ogg`.
fn folder(manifest: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("manifest.json"), manifest).unwrap();
    fs::write(folder.path().join("real.ogg"), b"OggS and so on").unwrap();
    folder
}

fn with(overrides: &Path) -> Result<Library, kinora_music::Error> {
    Library::new(None, Some(overrides.to_owned()))
}

#[test]
fn a_track_is_rendered_once_and_again_when_its_file_is_damaged() {
    let cache = tempfile::tempdir().unwrap();
    let folder = cache.path().join("kinora/music");
    let open = || Library::new(Some(folder.clone()), None).unwrap();
    // Two processes at once.
    let paths = std::thread::scope(|scope| {
        let both = [
            scope.spawn(|| file(&open(), SLUG)),
            scope.spawn(|| file(&open(), SLUG)),
        ];
        both.map(|thread| thread.join().unwrap())
    });
    assert_eq!(paths[0], paths[1]);
    let path = &paths[0];
    let whole = fs::read(path).unwrap();
    assert_eq!(&whole[..4], b"RIFF");
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        1,
        "something temporary stays behind"
    );

    let written = fs::metadata(path).unwrap().modified().unwrap();
    file(&open(), SLUG);
    assert_eq!(
        fs::metadata(path).unwrap().modified().unwrap(),
        written,
        "a whole file is kept"
    );

    let mut harmed = whole.clone();
    harmed[100_000] ^= 64;
    fs::write(path, &harmed).unwrap();
    file(&open(), SLUG);
    assert!(
        fs::read(path).unwrap() == whole,
        "a damaged file is rendered again, to the same bytes"
    );

    let library = open();
    file(&library, SLUG);
    fs::remove_file(path).unwrap();
    assert!(
        file(&library, SLUG).is_file(),
        "a file that is gone is made again"
    );
}

#[test]
fn without_a_writable_cache_tracks_stay_in_memory() {
    let occupied = tempfile::NamedTempFile::new().unwrap();
    for cache in [None, Some(occupied.path().to_owned())] {
        let library = Library::new(cache, None).unwrap();
        let Some(Sound::Wav(wav)) = library.sound(SLUG).unwrap() else {
            panic!("not in memory")
        };
        assert_eq!(&wav[8..12], b"WAVE");
    }
}

#[test]
fn the_empty_slug_is_silence_and_unknown_ones_get_suggestions() {
    let library = Library::new(None, None).unwrap();
    assert!(library.sound("").unwrap().is_none());
    let message = library.sound("cinematic_into").unwrap_err().to_string();
    assert!(
        message.contains("did you mean `cinematic_intro`"),
        "{message}"
    );
    let message = library.sound("../../etc/passwd").unwrap_err().to_string();
    assert!(message.contains("no track"), "{message}");
}

#[test]
fn an_operators_tracks_replace_and_join_the_built_in_ones() {
    let folder = folder(
        r#"{"tracks": {"news_theme": {"file": "real.ogg", "title": "Our News"}, "own_jingle": {"file": "./real.ogg"}}}"#,
    );
    let library = with(folder.path()).unwrap();
    assert_eq!(library.tracks().len(), 40);
    let named = |slug: &str| {
        library
            .tracks()
            .iter()
            .find(|track| track.slug == slug)
            .unwrap()
    };
    assert_eq!(named("news_theme").title, "Our News");
    assert!(
        named("news_theme").is_override
            && named("own_jingle").is_override
            && !named(SLUG).is_override
    );
    for slug in ["news_theme", "own_jingle"] {
        assert_eq!(fs::read(file(&library, slug)).unwrap(), b"OggS and so on");
    }
}

#[test]
fn a_wrong_manifest_is_refused_with_the_reason() {
    for (manifest, says) in [
        ("", "EOF"),
        (r#"{"track": {}}"#, "unknown field `track`"),
        (
            r#"{"tracks": {"a": {"file": "real.ogg", "titel": "A"}}}"#,
            "unknown field `titel`",
        ),
        (r#"{"tracks": {"a": {}}}"#, "missing field `file`"),
        (
            r#"{"tracks": {"a": {"file": "gone.ogg"}}}"#,
            "tracks.a.file: `gone.ogg` cannot be opened",
        ),
        (
            r#"{"tracks": {"a": {"file": "../real.ogg"}}}"#,
            "without `..`",
        ),
        (
            r#"{"tracks": {"a": {"file": "/etc/hostname"}}}"#,
            "below the manifest's folder",
        ),
        (r#"{"tracks": {"a": {"file": "."}}}"#, "is not a file"),
        (
            r#"{"tracks": {"A b": {"file": "real.ogg"}}}"#,
            "`A b` is not a slug",
        ),
    ] {
        let folder = folder(manifest);
        let message = with(folder.path()).unwrap_err().to_string();
        assert!(
            message.contains(says) && message.contains("manifest.json"),
            "{manifest}: {message}"
        );
    }
    let empty = tempfile::tempdir().unwrap();
    let message = with(empty.path()).unwrap_err().to_string();
    assert!(message.contains("manifest.json"), "{message}");
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_operators_folder() {
    let folder = folder(r#"{"tracks": {"a": {"file": "link.ogg"}}}"#);
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("link.ogg")).unwrap();
    let message = with(folder.path()).unwrap_err().to_string();
    assert!(message.contains("leads out"), "{message}");
}
