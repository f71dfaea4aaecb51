//! Media in a folder: what is published is whole, private, and opens only by its name.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod small_disk;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use futures_util::TryStreamExt;
use kinora_service::config::Config;
use kinora_service::media::{Media, MediaError, content_type};
use small_disk::SmallDisk;

async fn open(data: &Path) -> Media {
    let mut config = Config::local(data);
    config.server.public_url = Some("https://v.example.org/".into());
    Media::open(&config, "secret").await.unwrap()
}

async fn bytes(media: &Media, name: &str, range: std::ops::Range<u64>) -> Vec<u8> {
    let parts: Vec<_> = media
        .read(name, range)
        .await
        .unwrap()
        .try_collect()
        .await
        .unwrap();
    parts.concat()
}

/// Every file under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => found.push(path),
        }
    }
    found
}

#[tokio::test]
async fn what_is_published_is_read_back_whole_and_in_parts() {
    let temp = tempfile::tempdir().unwrap();
    let media = open(temp.path()).await;
    let file = temp.path().join("made.mp4");
    let data: Vec<u8> = (0..300_000u32).map(|i| i as u8).collect();
    fs::write(&file, &data).unwrap();
    let name = media.publish("videos", "mp4", &file).await.unwrap();
    assert_eq!(
        media.url(&name),
        format!("https://v.example.org/media/{name}")
    );
    let known = media.known(&name).await.unwrap();
    assert_eq!(known.size, 300_000);
    assert!(
        known.etag.starts_with('"') && known.etag.ends_with('"'),
        "{}",
        known.etag
    );
    assert_eq!(bytes(&media, &name, 0..300_000).await, data);
    assert_eq!(
        bytes(&media, &name, 70_000..200_001).await,
        data[70_000..200_001]
    );
    assert_eq!(bytes(&media, &name, 5..5).await, b"");
    let copy = temp.path().join("copy");
    media.fetch(&name, &copy).await.unwrap();
    assert_eq!(fs::read(&copy).unwrap(), data);

    let words = media
        .publish_bytes("words", "vtt", "WEBVTT".into())
        .await
        .unwrap();
    assert_ne!(media.known(&words).await.unwrap().etag, known.etag);
    let root = temp.path().join("media");
    for file in files(&root) {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.display());
    }
    media.delete(&name).await.unwrap();
    media.delete(&name).await.unwrap();
    assert!(matches!(
        media.known(&name).await,
        Err(MediaError::NotFound)
    ));
}

#[tokio::test]
async fn only_names_of_ours_reach_the_disk() {
    let temp = tempfile::tempdir().unwrap();
    let media = open(temp.path()).await;
    fs::write(temp.path().join("canary.mp4"), "canary").unwrap();
    let stem = "0123456789abcdef0123456789abcdef";
    let wrong = [
        "../canary.mp4".to_owned(),
        "videos/../../canary.mp4".to_owned(),
        "/etc/passwd".to_owned(),
        format!("videos/{stem}"),
        format!("videos/{stem}.exe"),
        format!("videos/{stem}.mp4/x"),
        format!("videos/{stem}.mp4\0"),
        format!("videos/{}.mp4", stem.to_uppercase()),
        format!("videos/{stem}0.mp4"),
        format!("other/{stem}.mp4"),
        String::new(),
    ];
    for name in &wrong {
        assert_eq!(content_type(name), None, "{name}");
        assert!(
            matches!(media.known(name).await, Err(MediaError::NotFound)),
            "{name}"
        );
        assert!(
            matches!(media.read(name, 0..9).await, Err(MediaError::NotFound)),
            "{name}"
        );
        media.delete(name).await.unwrap();
    }
    assert!(temp.path().join("canary.mp4").exists());
    assert_eq!(
        content_type(&format!("videos/{stem}.mp4")),
        Some("video/mp4")
    );
    let refused = media.publish_bytes("elsewhere", "mp4", "x".into()).await;
    assert!(refused.is_err());
}

#[tokio::test]
async fn a_signature_opens_one_object_for_a_while() {
    let temp = tempfile::tempdir().unwrap();
    let media = open(temp.path()).await;
    let name = media
        .publish_bytes("characters", "png", "x".into())
        .await
        .unwrap();
    let url = media.signed_url(&name);
    let query = url.split_once('?').unwrap().1;
    let (expires, signature) = query
        .strip_prefix("expires=")
        .and_then(|rest| rest.split_once("&signature="))
        .unwrap();
    let expires: u64 = expires.parse().unwrap();
    assert!(media.is_signed(&name, expires, signature));
    assert!(!media.is_signed(&name, expires + 1, signature));
    for (i, c) in signature.char_indices() {
        let mut changed = signature.to_owned();
        changed.replace_range(i..=i, if c == '0' { "1" } else { "0" });
        assert!(!media.is_signed(&name, expires, &changed));
    }
    assert!(!media.is_signed(&name, expires, ""));
    let other = media
        .publish_bytes("characters", "png", "y".into())
        .await
        .unwrap();
    assert!(!media.is_signed(&other, expires, signature));

    // An old one, rightly signed.
    let mut config = Config::local(temp.path());
    config.server.signed_secs = 0;
    let media = Media::open(&config, "secret").await.unwrap();
    let url = media.signed_url(&name);
    let (expires, signature) = url
        .split_once("expires=")
        .and_then(|(_, rest)| rest.split_once("&signature="))
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(!media.is_signed(&name, expires.parse().unwrap(), signature));
}

#[tokio::test]
async fn names_of_parts_are_the_same_everywhere_and_secret() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (media, other) = (open(one.path()).await, open(two.path()).await);
    let name = media.name_of("videos", "mp4", "run_1/1");
    assert_eq!(name, other.name_of("videos", "mp4", "run_1/1"));
    assert_ne!(name, media.name_of("videos", "mp4", "run_1/2"));
    let config = Config::local(one.path());
    let stranger = Media::open(&config, "guess").await.unwrap();
    assert_ne!(name, stranger.name_of("videos", "mp4", "run_1/1"));
    assert!(content_type(&name).is_some());
}

#[tokio::test]
async fn a_full_disk_is_told_and_leaves_nothing_half_written() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("media");
    let Some(_disk) = SmallDisk::mount(&root, "2m") else {
        return;
    };
    let media = open(temp.path()).await;
    let file = temp.path().join("made.mp4");
    fs::write(&file, vec![7; 3 << 20]).unwrap();
    let full = media.publish("videos", "mp4", &file).await;
    assert!(matches!(full, Err(MediaError::Full)), "{full:?}");
    let full = media
        .publish_bytes("videos", "mp4", vec![7; 3 << 20].into())
        .await;
    assert!(matches!(full, Err(MediaError::Full)), "{full:?}");
    let left: u64 = files(&root)
        .iter()
        .map(|file| fs::metadata(file).unwrap().len())
        .sum();
    assert_eq!(left, 0, "{:?}", files(&root));
    // With room again it goes on.
    media
        .publish_bytes("videos", "mp4", vec![7; 1 << 20].into())
        .await
        .unwrap();
}
