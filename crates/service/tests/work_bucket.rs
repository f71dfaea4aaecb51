//! Media in a bucket of an S3-compatible server: the same promises as in a folder.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod bucket;

use std::time::Duration;

use futures_util::TryStreamExt;
use kinora_service::config::{Config, Storage};
use kinora_service::media::{Media, MediaError, SharedSteps};

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn a_bucket_keeps_media() {
    let Some(server) = bucket::BucketServer::start() else {
        return;
    };
    for (name, value) in server.environment() {
        // SAFETY: this is the only test of its process, and no other thread has been started.
        unsafe { std::env::set_var(name, value) };
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(keeps_media());
}

async fn keeps_media() {
    let temp = tempfile::tempdir().unwrap();
    let mut config = Config::local(temp.path());
    config.storage = Storage::S3 {
        bucket: "kinora".into(),
        prefix: "videos of mine".into(),
    };
    let media = Media::open(&config, "secret").await.unwrap();
    // One that is sent in pieces, one in a single piece, and one of bytes.
    for n_bytes in [20 << 20, 1000] {
        let data: Vec<u8> = (0..n_bytes as u32).map(|i| (i / 7) as u8).collect();
        let file = temp.path().join("made.mp4");
        std::fs::write(&file, &data).unwrap();
        let name = media.publish("videos", "mp4", &file).await.unwrap();
        assert_eq!(media.known(&name).await.unwrap().size, n_bytes);
        let part: Vec<_> = media
            .read(&name, 100..900)
            .await
            .unwrap()
            .try_collect()
            .await
            .unwrap();
        assert_eq!(part.concat(), data[100..900]);
        let copy = temp.path().join("copy");
        media.fetch(&name, &copy).await.unwrap();
        assert_eq!(std::fs::read(&copy).unwrap(), data);
        media.delete(&name).await.unwrap();
        media.delete(&name).await.unwrap();
        assert!(matches!(
            media.known(&name).await,
            Err(MediaError::NotFound)
        ));
        assert!(matches!(
            media.read(&name, 0..1).await.map(drop),
            Err(MediaError::NotFound)
        ));
    }
    let name = media
        .publish_bytes("words", "srt", "1".into())
        .await
        .unwrap();
    assert_eq!(media.known(&name).await.unwrap().size, 1);
    // Steps are old after a while, and nothing else is.
    let step = media.publish_bytes("steps", "tar", "1".into()).await;
    assert_eq!(media.delete_old_steps(HOUR).await.unwrap(), 0);
    assert_eq!(media.known(step.as_ref().unwrap()).await.unwrap().size, 1);
    // Stores tell the time of a write in whole seconds.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(media.delete_old_steps(Duration::ZERO).await.unwrap(), 1);
    let gone = media.known(&step.unwrap()).await;
    assert!(matches!(gone, Err(MediaError::NotFound)));
    assert_eq!(media.known(&name).await.unwrap().size, 1);
    shares_steps(&media).await;
}

/// Two machines that made the same step at the same time: one of both stays.
async fn shares_steps(media: &Media) {
    let machines = [media, media].map(|media| SharedSteps::of(media).unwrap());
    for i in 0..40 {
        let name = format!("step{i}");
        let made = machines.clone().into_iter().zip([1000, 2000]);
        let kept = made.map(|(machine, n_bytes)| {
            let name = name.clone();
            tokio::task::spawn_blocking(move || machine.keep(&name, vec![7; n_bytes]))
        });
        for kept in kept.collect::<Vec<_>>() {
            kept.await.unwrap();
        }
        let machine = machines[0].clone();
        let found = tokio::task::spawn_blocking(move || machine.fetch(&name));
        let n_bytes = found.await.unwrap().map(|found| found.len());
        assert!(matches!(n_bytes, Some(1000 | 2000)), "{i}: {n_bytes:?}");
    }
}
