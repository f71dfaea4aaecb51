//! Runs from the queue to a video: what is made, what is charged, how they are stopped, and what a worker that lost its run may not do.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[macro_use]
mod support;
mod small_disk;
mod worked;

use std::time::Duration;

use kinora_service::db::{RunStatus, Upload};
use kinora_service::media::Media;
use kinora_service::order::{Asked, Member, Order, Recorded};
use kinora_service::work::Workers;
use kinora_studio::request::{UniverseRequest, UniverseSettings};
use serde_json::json;
use small_disk::SmallDisk;
use support::Store;
use support::oracle::invariants;
use worked::{config, create, ended, get, order, output, plays, silent, until};

/// A script that takes long enough for something to happen to it.
const LONG: &str = "The keeper climbs the stairs. The lamp turns all night. Ships pass far away. A storm comes from the west. The light holds. At dawn the sea is still. Gulls come back. The keeper sleeps at last.";

async fn a_video_is_made(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let (app, owner) = worked::open(config(&store.options, temp.path())).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let spoken = order(&json!({
        "script": "A lighthouse stands in the storm.",
        "quality": "low",
        "videoConfig": { "enabled": true, "model": "veo2" },
    }));
    let spoken = create(&app.db, &worked::run(&owner, spoken, 40)).await;
    let request = silent("A lighthouse stands in the storm.");
    let mut free = worked::run(&owner, order(&request), 0);
    free.is_sandbox = true;
    let free = create(&app.db, &free).await;

    let run = ended(&app.db, &owner, &spoken).await;
    // By veo2 this would take 25 credits of the 40 that were held; what the program makes in its place takes the least.
    assert_eq!(run.credits_used, Some(5), "{:?}", run.failure);
    assert_eq!(run.attempt, 1);
    let spoken = output(run);
    plays(&app.media, &spoken).await;
    let poster = worked::bytes(&app.media, spoken.poster.as_ref().unwrap()).await;
    let poster = image::load_from_memory(&poster).unwrap();
    assert_eq!((poster.width(), poster.height()), (134, 240));
    let srt = worked::bytes(&app.media, spoken.srt.as_ref().unwrap()).await;
    assert!(String::from_utf8(srt).unwrap().contains("lighthouse"));
    let words = worked::bytes(&app.media, spoken.words.as_ref().unwrap()).await;
    let words: serde_json::Value = serde_json::from_slice(&words).unwrap();
    assert_eq!(words["words"].as_array().unwrap().len(), 6);
    assert!(spoken.vtt.is_some());

    let run = ended(&app.db, &owner, &free).await;
    assert_eq!(run.credits_used, Some(0), "{:?}", run.failure);
    let free = output(run);
    plays(&app.media, &free).await;
    let balance = app.db.account(&owner.id).await.unwrap().unwrap().balance;
    assert_eq!(balance, 995);
    workers.stop().await;
    worked::nothing_else_lies_in(&app.config, &[spoken, free]);
    invariants(&store.options).await;
}

async fn a_universe_takes_its_material_from_the_media(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let (app, owner) = worked::open(config(&store.options, temp.path())).await;
    let picture = image::RgbImage::from_pixel(64, 64, image::Rgb([200, 40, 40]));
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let image = app
        .media
        .publish_bytes("characters", "png", png.into_inner().into())
        .await
        .unwrap();
    let sound = app
        .media
        .publish_bytes("audio", "wav", wav(2.0).into())
        .await
        .unwrap();
    let request = json!({
        "voiceoverKey": "aud_1",
        "audioKind": "song",
        "prompt": "a lighthouse and Mara",
        "characters": ["11111111-1111-4111-8111-111111111111"],
    });
    let asked = |recording: &str| Asked::Universe {
        request: Box::new(UniverseRequest::from_value(&request).unwrap().request),
        settings: UniverseSettings::new("mine"),
        cast: vec![Member {
            name: "Mara".into(),
            prompt: "an old keeper in a red coat".into(),
            voice: None,
            image: image.clone(),
            is_measured: false,
        }],
        recording: Some(Recorded {
            object: recording.to_owned(),
            spoken: None,
            secs: Some(2.0),
        }),
    };
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let order = |recording: &str| Order {
        asked: asked(recording),
        watermark: false,
    };
    let made = create(&app.db, &worked::run(&owner, order(&sound), 40)).await;
    let missing = sound.replace(char::is_numeric, "0");
    let unmade = create(&app.db, &worked::run(&owner, order(&missing), 40)).await;
    let made = output(ended(&app.db, &owner, &made).await);
    plays(&app.media, &made).await;
    assert!((1900..2200).contains(&made.duration_ms), "{made:?}");

    // A recording that is gone: nothing that another attempt could change.
    let run = ended(&app.db, &owner, &unmade).await;
    assert_eq!((run.status, run.attempt), (RunStatus::Failed, 1));
    let failure = run.failure.unwrap();
    assert_eq!(failure.reason, "bad_input");
    let folder = temp.path().to_str().unwrap();
    assert!(!failure.message.contains(folder), "{}", failure.message);
    is_deleted(&app.media, &[&image, &sound]).await;
    workers.stop().await;
    worked::nothing_else_lies_in(&app.config, &[made]);
    invariants(&store.options).await;
}

/// What only runs that have ended still needed goes with them.
async fn is_deleted(media: &Media, objects: &[&str]) {
    for object in objects {
        until("the material is deleted", async || {
            media.known(object).await.is_err().then_some(())
        })
        .await;
    }
}

async fn what_has_a_name_or_an_open_run_is_needed(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let (app, owner) = worked::open(config(&store.options, temp.path())).await;
    let sound = "audio/00112233445566778899aabbccddeeff.m4a";
    let is_needed = async || app.db.is_needed(&owner.id, sound).await.unwrap();
    assert!(!is_needed().await);
    let upload = Upload {
        id: "aud_1".into(),
        name: "a.wav".into(),
        object: sound.into(),
        n_bytes: 1,
        duration_ms: 1000,
        spoken: None,
        created_at: 0,
    };
    app.db.add_upload(&owner.id, &upload).await.unwrap();
    assert!(is_needed().await);
    let request = json!({ "voiceoverKey": "aud_1" });
    let order = Order {
        asked: Asked::Universe {
            request: Box::new(UniverseRequest::from_value(&request).unwrap().request),
            settings: UniverseSettings::new("mine"),
            cast: Vec::new(),
            recording: Some(Recorded {
                object: sound.into(),
                spoken: None,
                secs: Some(1.0),
            }),
        },
        watermark: false,
    };
    assert_eq!(order.objects(), [sound]);
    let id = create(&app.db, &worked::run(&owner, order, 40)).await;
    let deleted = app.db.delete_upload(&owner.id, "aud_1").await;
    assert_eq!(deleted.unwrap().as_deref(), Some(sound));
    assert!(is_needed().await);
    app.db.cancel_run(&owner.id, &id).await.unwrap();
    assert!(!is_needed().await);
    let left = app.db.untidy(Duration::ZERO, 9).await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].taken, [sound]);
}

/// A tone.
fn wav(secs: f64) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut bytes, spec).unwrap();
    for i in 0..(secs * 16_000.0) as u32 {
        let tone = (f64::from(i) * 0.17).sin() * 8000.0;
        writer.write_sample(tone as i16).unwrap();
    }
    writer.finalize().unwrap();
    bytes.into_inner()
}

async fn its_owner_stops_it(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let mut config = config(&store.options, temp.path());
    config.video.scale_down = 2;
    let (app, owner) = worked::open(config).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let request = json!({ "script": LONG, "voiceoverConfig": { "enabled": false } });
    let id = create(&app.db, &worked::run(&owner, order(&request), 40)).await;
    worked::under_way(&app.db, &owner, &id).await;
    assert_eq!(app.db.cancel_run(&owner.id, &id).await.unwrap(), Some(true));
    let run = ended(&app.db, &owner, &id).await;
    assert_eq!(run.status, RunStatus::Failed);
    assert_eq!(run.failure.unwrap().reason, "cancelled");
    let balance = app.db.account(&owner.id).await.unwrap().unwrap().balance;
    assert_eq!(balance, 1000);
    workers.stop().await;
    worked::nothing_else_lies_in(&app.config, &[]);
    invariants(&store.options).await;
}

async fn who_stops_gives_back_what_it_has(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let mut config = config(&store.options, temp.path());
    config.video.scale_down = 2;
    config.worker.max_attempts = 1;
    let (app, owner) = worked::open(config.clone()).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let request = json!({ "script": LONG, "voiceoverConfig": { "enabled": false } });
    let id = create(&app.db, &worked::run(&owner, order(&request), 40)).await;
    worked::under_way(&app.db, &owner, &id).await;
    workers.stop().await;
    let run = get(&app.db, &owner, &id).await;
    assert_eq!(run.status, RunStatus::Executing);
    worked::nothing_else_lies_in(&app.config, &[]);

    // Another takes it up at once, and its one attempt was not used up.
    let other = kinora_service::state::App::open(config).await.unwrap();
    let workers = Workers::start(other.clone(), 1).await.unwrap();
    let run = ended(&other.db, &owner, &id).await;
    assert_eq!(run.attempt, 2);
    let output = output(run);
    plays(&other.media, &output).await;
    workers.stop().await;
    worked::nothing_else_lies_in(&app.config, &[output]);
    invariants(&store.options).await;
}

async fn the_deadline_ends_it(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let mut config = config(&store.options, temp.path());
    config.video.scale_down = 1;
    config.worker.run_secs = 1;
    let (app, owner) = worked::open(config).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let request = json!({ "script": LONG, "voiceoverConfig": { "enabled": false } });
    let id = create(&app.db, &worked::run(&owner, order(&request), 40)).await;
    let run = ended(&app.db, &owner, &id).await;
    assert_eq!(run.status, RunStatus::Failed);
    assert_eq!(run.failure.unwrap().reason, "deadline");
    workers.stop().await;
    worked::nothing_else_lies_in(&app.config, &[]);
    invariants(&store.options).await;
}

async fn who_lost_a_run_changes_nothing(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let mut config = config(&store.options, temp.path());
    config.video.scale_down = 2;
    let (app, owner) = worked::open(config).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let request = json!({ "script": LONG, "voiceoverConfig": { "enabled": false } });
    let id = create(&app.db, &worked::run(&owner, order(&request), 40)).await;
    worked::under_way(&app.db, &owner, &id).await;
    // As if its worker had slept past its lease: another attempt begins.
    let mut sql = store.sql().await;
    sql.run("UPDATE runs SET lease_until = 0").await;
    let lease = Duration::from_secs(60);
    let claim = app.db.claim(&id, "another", lease, 3).await.unwrap();
    let claim = claim.unwrap();
    assert_eq!(claim.lease.attempt, 2);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let run = get(&app.db, &owner, &id).await;
    assert_eq!((run.status, run.attempt), (RunStatus::Executing, 2));
    worked::nothing_else_lies_in(&app.config, &[]);
    // The other one gives it back, and it is made.
    assert!(
        app.db
            .hand_back(&claim.lease, Duration::ZERO, true)
            .await
            .unwrap()
    );
    let output = output(ended(&app.db, &owner, &id).await);
    plays(&app.media, &output).await;
    workers.stop().await;
    worked::nothing_else_lies_in(&app.config, &[output]);
    invariants(&store.options).await;
}

async fn old_videos_are_deleted(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let config = config(&store.options, temp.path());
    let (app, owner) = worked::open(config.clone()).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let id = create(&app.db, &worked::run(&owner, order(&silent("A lamp.")), 40)).await;
    output(ended(&app.db, &owner, &id).await);
    workers.stop().await;
    let days = i64::from(config.worker.retention_days);
    let mut sql = store.sql().await;
    let past = format!(
        "UPDATE runs SET finished_at = finished_at - {}",
        (days + 1) * 86_400_000
    );
    sql.run(&past).await;
    let app = kinora_service::state::App::open(config).await.unwrap();
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    until("the output is forgotten", async || {
        let run = get(&app.db, &owner, &id).await;
        run.output.is_none().then_some(())
    })
    .await;
    workers.stop().await;
    worked::nothing_else_lies_in(&app.config, &[]);
    assert_eq!(get(&app.db, &owner, &id).await.status, RunStatus::Completed);
}

/// R1: work on a disk that is full.
async fn a_full_disk_fails_a_run_and_nothing_else(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let mut config = config(&store.options, temp.path());
    config.worker.max_attempts = 1;
    let work = config.data.join("work");
    let Some(_disk) = SmallDisk::mount(&work, "4m") else {
        return;
    };
    let (app, owner) = worked::open(config).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let ballast = work.join("ballast");
    std::fs::write(&ballast, vec![1; (4 << 20) - (24 << 10)]).unwrap();
    let id = create(&app.db, &worked::run(&owner, order(&silent("A lamp.")), 40)).await;
    let run = ended(&app.db, &owner, &id).await;
    assert_eq!(run.status, RunStatus::Failed);
    let failure = run.failure.unwrap();
    assert_eq!(
        (&*failure.reason, failure.retryable),
        ("storage_full", true)
    );
    std::fs::remove_file(&ballast).unwrap();
    worked::nothing_else_lies_in(&app.config, &[]);
    // With room again it goes on, in the same process.
    let id = create(&app.db, &worked::run(&owner, order(&silent("A lamp.")), 40)).await;
    let output = output(ended(&app.db, &owner, &id).await);
    plays(&app.media, &output).await;
    workers.stop().await;
    invariants(&store.options).await;
}

on_both!(
    a_full_disk_fails_a_run_and_nothing_else,
    a_video_is_made,
    a_universe_takes_its_material_from_the_media,
    what_has_a_name_or_an_open_run_is_needed,
    its_owner_stops_it,
    who_stops_gives_back_what_it_has,
    the_deadline_ends_it,
    who_lost_a_run_changes_nothing,
    old_videos_are_deleted,
);
