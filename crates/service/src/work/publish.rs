//! Publishes results in the media store under names derived from their run and attempt, so that leftovers of any attempt can be found and deleted.

use std::path::Path;

use super::make::{Made, file};
use crate::db::{Lease, Output};
use crate::media::{Media, MediaError};

/// The files that an attempt publishes, by folder and extension; the video comes last.
const PARTS: [(&str, &str); 5] = [
    ("posters", "jpg"),
    ("words", "srt"),
    ("words", "vtt"),
    ("words", "json"),
    ("videos", "mp4"),
];

/// Publishes everything in an attempt's folder. After an error, some of it may already be published.
pub(super) async fn publish(
    media: &Media,
    lease: &Lease,
    (folder, made): (&Path, &Made),
) -> Result<Output, MediaError> {
    let mut published = Vec::new();
    for ((_, extension), name) in PARTS.iter().zip(names(media, &lease.run_id, lease.attempt)) {
        let path = file(folder, extension);
        let is_there = tokio::fs::try_exists(&path).await?;
        if is_there {
            media.publish_as(&name, &path).await?;
        }
        published.push(is_there.then_some(name));
    }
    let mut take = |extension: &str| {
        let at = PARTS.iter().position(|(_, of)| *of == extension);
        at.and_then(|at| published[at].take())
    };
    Ok(Output {
        video: take("mp4").ok_or(MediaError::NotFound)?,
        size: made.size,
        duration_ms: (made.secs * 1000.0).round() as i64,
        poster: take("jpg"),
        srt: take("srt"),
        vtt: take("vtt"),
        words: take("json"),
        notes: made.notes.clone(),
    })
}

/// Deletes what an attempt has published.
pub(super) async fn withdraw(media: &Media, lease: &Lease) {
    for name in names(media, &lease.run_id, lease.attempt) {
        if let Err(error) = media.delete(&name).await {
            tracing::warn!(run = lease.run_id, %error, "published files could not be removed yet");
        }
    }
}

/// Deletes what the attempts of an ended run left besides its output.
pub(super) async fn tidy(
    media: &Media,
    run_id: &str,
    n_attempts: u32,
    output: Option<&Output>,
) -> Result<(), MediaError> {
    for attempt in 1..=n_attempts {
        let names = names(media, run_id, attempt);
        if output.is_some_and(|output| names.contains(&output.video)) {
            continue;
        }
        for name in names {
            media.delete(&name).await?;
        }
    }
    Ok(())
}

/// Deletes the output of a run.
pub(super) async fn delete(media: &Media, output: &Output) -> Result<(), MediaError> {
    let others = [&output.poster, &output.srt, &output.vtt, &output.words];
    for name in others.into_iter().flatten() {
        media.delete(name).await?;
    }
    media.delete(&output.video).await
}

fn names(media: &Media, run_id: &str, attempt: u32) -> [String; 5] {
    let part = format!("{run_id}/{attempt}");
    PARTS.map(|(folder, extension)| media.name_of(folder, extension, &part))
}
