//! The queue: what is sent, what is followed, and what is done with jobs that end badly.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use kinora_studio::failure::Failure;
use kinora_studio::failure::FailureKind;
use kinora_studio::providers::http::Clock;
use kinora_studio::providers::{Answer, ClipAsk, ClipProvider, Picture, PictureProvider};
use serde_json::{Value, json};

use crate::files::{mp4, png};
use crate::setup::{Setup, picture_ask};
use crate::stub::{self, Act, Seen, Stub, send};
use FailureKind::{BadAnswer, NotConfigured, Refused, TimedOut, Unavailable};

/// What the queue does, but for the addresses of its jobs.
#[derive(Clone)]
struct Queue {
    /// States in their order, the last for ever.
    states: Vec<&'static str>,
    /// The result; `STUB` stands for its address.
    result: (u16, Value),
    file: Act,
    /// Endpoints that are gone.
    gone: Vec<&'static str>,
    /// The host of the job's addresses, if not its own.
    elsewhere: Option<String>,
}

impl Queue {
    fn of(result: Value, file: Act) -> Queue {
        Queue {
            states: vec!["IN_QUEUE", "IN_PROGRESS", "COMPLETED"],
            result: (200, result),
            file,
            gone: vec![],
            elsewhere: None,
        }
    }

    fn start(self) -> Stub {
        let n_looks = std::sync::atomic::AtomicUsize::new(0);
        Stub::start(move |seen, _| {
            let own = format!("http://{}", seen.header("host").unwrap_or_default());
            let base = self.elsewhere.clone().unwrap_or(own.clone());
            let job = format!("{base}/fal-ai/flux/requests/r1");
            match (seen.method.as_str(), seen.path.as_str()) {
                ("POST", path) if self.gone.iter().any(|gone| path.ends_with(gone)) => {
                    send(404, "application/json", b"{\"detail\":\"gone\"}")
                }
                ("POST", _) => stub::json(
                    200,
                    &json!({
                        "status": "IN_QUEUE", "request_id": "r1", "queue_position": 0,
                        "response_url": job, "status_url": format!("{job}/status"), "cancel_url": format!("{job}/cancel"),
                    }),
                ),
                ("PUT", _) => send(202, "application/json", b"{}"),
                (_, path) if path.ends_with("/status") => {
                    let n = n_looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    stub::json(
                        200,
                        &json!({"status": self.states[n.min(self.states.len() - 1)]}),
                    )
                }
                (_, "/file") => self.file.clone(),
                _ => {
                    let body = self.result.1.to_string().replace("STUB", &own);
                    send(self.result.0, "application/json", body.as_bytes())
                }
            }
        })
    }
}

fn picture_result() -> Value {
    json!({"images": [{"url": "STUB/file", "width": 1, "height": 1, "content_type": "image/jpeg"}], "has_nsfw_concepts": [false]})
}

fn good() -> Queue {
    Queue::of(picture_result(), send(200, "image/png", &png(300, 400)))
}

fn paint(setup: &Setup, stub: &Stub, model: &str) -> Result<Answer<Picture>, Failure> {
    setup
        .fal(stub)
        .paint(&picture_ask(model), &[], &setup.call())
}

fn paths(seen: &[Seen]) -> Vec<String> {
    seen.iter()
        .map(|s| format!("{} {}", s.method, s.path))
        .collect()
}

#[test]
fn a_picture_is_put_in_looked_at_and_taken_out() {
    let (stub, setup) = (good().start(), Setup::new());
    let answer = paint(&setup, &stub, "flux_schnell").unwrap();
    assert_eq!(
        (answer.value.width, answer.value.height, answer.notes.len()),
        (300, 400, 0)
    );
    let seen = stub.seen();
    let job = "/fal-ai/flux/requests/r1";
    let status = format!("GET {job}/status");
    let wanted = [
        "POST /fal-ai/flux/schnell",
        &status,
        &status,
        &status,
        &format!("GET {job}"),
        "GET /file",
    ];
    assert_eq!(paths(&seen), wanted);
    assert!(seen[..5].iter().all(|s| {
        s.header("authorization")
            .unwrap()
            .starts_with("Key sk-canary")
    }));
    assert_eq!(
        seen[5].header("authorization"),
        None,
        "the key stays with the queue"
    );
    assert_eq!(
        seen[0].json()["image_size"],
        json!({"width": 1088, "height": 1920})
    );
    // Waits of 1, 1.25 and 1.5625 s, less the time that passed meanwhile.
    let slept = setup.clock.slept().as_secs_f64();
    assert!((3.3..=3.8126).contains(&slept), "{slept}");
}

#[test]
fn retired_and_forgotten_models_have_substitutes_that_are_named() {
    let (stub, setup) = (good().start(), Setup::new());
    let answer = paint(&setup, &stub, "reve-v1").unwrap();
    assert_eq!(
        answer.notes,
        ["the model reve-v1 is retired; using flux_pro_ultra instead"]
    );
    assert_eq!(stub.seen()[0].path, "/fal-ai/flux-pro/v1.1-ultra");

    let queue = Queue {
        gone: vec!["v1.1-ultra", "v1.1"],
        ..good()
    };
    let (stub, setup) = (queue.start(), Setup::new());
    let answer = paint(&setup, &stub, "midjourney").unwrap();
    let notes: Vec<&str> = answer.notes.iter().map(String::as_str).collect();
    assert_eq!(
        notes,
        [
            "the model midjourney has no public API; using flux_pro_ultra instead",
            "fal no longer has the model flux_pro_ultra; used flux_pro instead",
            "fal no longer has the model flux_pro; used flux_schnell instead",
        ]
    );

    let queue = Queue {
        gone: vec![""],
        ..good()
    };
    let (stub, setup) = (queue.start(), Setup::new());
    assert_eq!(
        paint(&setup, &stub, "sdxl").unwrap_err().kind,
        NotConfigured
    );
    assert_eq!(stub.n_seen(), 1);
}

#[test]
fn jobs_that_end_badly_are_failures_of_their_kind() {
    let detail = |kind: &str| json!({"detail": [{"loc": ["body", "prompt"], "msg": "words of theirs", "type": kind}]});
    let nsfw = json!({"images": [{"url": "STUB/file"}], "has_nsfw_concepts": [true]});
    let file = send(200, "image/png", &png(300, 400));
    let rows: Vec<(&str, Queue, FailureKind)> = vec![
        (
            "refused",
            Queue {
                result: (422, detail("content_policy_violation")),
                ..good()
            },
            Refused,
        ),
        (
            "not accepted",
            Queue {
                result: (422, detail("value_error")),
                ..good()
            },
            BadAnswer,
        ),
        (
            "broken",
            Queue {
                result: (500, detail("internal_server_error")),
                ..good()
            },
            Unavailable,
        ),
        ("blackened", Queue::of(nsfw, file.clone()), Refused),
        (
            "no file",
            Queue::of(json!({"images": []}), file.clone()),
            BadAnswer,
        ),
        ("no result", Queue::of(json!(7), file.clone()), BadAnswer),
        (
            "an unknown state",
            Queue {
                states: vec!["FAILED"],
                ..good()
            },
            BadAnswer,
        ),
        (
            "never done",
            Queue {
                states: vec!["IN_QUEUE"],
                ..good()
            },
            TimedOut,
        ),
        (
            "a file that is none",
            Queue::of(picture_result(), send(200, "image/png", b"none")),
            BadAnswer,
        ),
    ];
    for (name, queue, kind) in rows {
        let (stub, setup) = (queue.start(), Setup::new());
        let failure = paint(&setup, &stub, "flux_schnell").unwrap_err();
        assert_eq!(failure.kind, kind, "{name}: {failure}");
        assert!(!failure.message.contains("theirs"), "{name}");
    }
}

fn was_cancelled(stub: &Stub) -> bool {
    let end = Instant::now() + Duration::from_secs(2);
    while Instant::now() < end {
        if stub
            .seen()
            .iter()
            .any(|s| s.method == "PUT" && s.path.ends_with("/cancel"))
        {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn a_job_that_nobody_waits_for_is_taken_back() {
    let (stub, setup) = (
        Queue {
            states: vec!["IN_PROGRESS"],
            ..good()
        }
        .start(),
        Setup::new(),
    );
    let start = setup.clock.now();
    let failure = paint(&setup, &stub, "flux_schnell").unwrap_err();
    assert_eq!(failure.kind, TimedOut);
    let waited = setup.clock.now() - start;
    assert!((600..620).contains(&waited.as_secs()), "{waited:?}");
    assert!(was_cancelled(&stub));

    let (stub, setup) = (
        Queue {
            states: vec!["IN_PROGRESS"],
            ..good()
        }
        .start(),
        Setup::new(),
    );
    let (fal, call) = (setup.fal(&stub), setup.call());
    let cancel = call.cancel.clone();
    let waiting = thread::spawn(move || {
        fal.paint(&picture_ask("flux_schnell"), &[], &call)
            .unwrap_err()
    });
    while stub.n_seen() < 2 {
        thread::sleep(Duration::from_millis(1));
    }
    cancel.cancel();
    assert_eq!(waiting.join().unwrap().kind, FailureKind::Cancelled);
    assert!(was_cancelled(&stub));
}

#[test]
fn the_key_goes_to_no_other_host() {
    let other = Stub::script(vec![send(
        200,
        "application/json",
        b"{\"status\":\"COMPLETED\"}",
    )]);
    let hosts = [
        other.url(""),
        format!("http://localhost:{}", other.port),
        "https://queue.fal.run.evil.test".into(),
        "http://user:pass@127.0.0.1".into(),
    ];
    for host in hosts {
        let (stub, setup) = (
            Queue {
                elsewhere: Some(host.clone()),
                ..good()
            }
            .start(),
            Setup::new(),
        );
        let failure = paint(&setup, &stub, "flux_schnell").unwrap_err();
        assert_eq!(failure.kind, BadAnswer, "{host}");
        assert_eq!(stub.n_seen(), 1, "{host}");
    }
    assert_eq!(other.n_seen(), 0);
}

#[test]
fn clips_are_clips_or_failures() {
    let result = || json!({"video": {"url": "STUB/file", "content_type": "video/mp4"}});
    let mp4 = Arc::new(mp4());
    let rows: Vec<(&str, Act, Option<FailureKind>)> = vec![
        ("a clip", send(200, "video/mp4", &mp4), None),
        (
            "of no type",
            send(200, "application/octet-stream", &mp4),
            None,
        ),
        (
            "cut",
            send(200, "video/mp4", &mp4[..mp4.len() / 3]),
            Some(BadAnswer),
        ),
        (
            "a picture",
            send(200, "video/mp4", &png(300, 300)),
            Some(BadAnswer),
        ),
        (
            "called a picture",
            send(200, "image/png", &mp4),
            Some(BadAnswer),
        ),
        ("HTML", send(200, "text/html", b"<html>"), Some(BadAnswer)),
        ("gone", send(410, "text/html", b""), Some(BadAnswer)),
    ];
    let picture = Picture {
        file: png(300, 400),
        width: 300,
        height: 400,
    };
    for (name, file, kind) in rows {
        let (stub, setup) = (Queue::of(result(), file).start(), Setup::new());
        let ask = ClipAsk {
            picture: picture_ask(""),
            model: "luma_ray2".into(),
            notes: Some("waves".into()),
            secs: 6.0,
        };
        let found = setup.fal(&stub).animate(&ask, &picture, &setup.call());
        assert_eq!(
            found.as_ref().err().map(|f| f.kind),
            kind,
            "{name}: {found:?}"
        );
        let body = stub.seen()[0].json();
        assert_eq!(
            (&body["duration"], &body["aspect_ratio"]),
            (&json!("9s"), &json!("9:16"))
        );
        assert!(
            body["image_url"]
                .as_str()
                .unwrap()
                .starts_with("data:image/png;base64,")
        );
        assert_eq!(body["prompt"], "A lighthouse at dusk\nwaves");
    }
    let (stub, setup) = (
        Queue::of(
            json!({"video": {"url": "data:video/mp4;base64,AAAA"}}),
            send(500, "", b""),
        )
        .start(),
        Setup::new(),
    );
    let ask = ClipAsk {
        picture: picture_ask(""),
        model: "minimax".into(),
        notes: None,
        secs: 6.0,
    };
    assert_eq!(
        setup
            .fal(&stub)
            .animate(&ask, &picture, &setup.call())
            .unwrap_err()
            .kind,
        BadAnswer,
        "only pictures come inline"
    );
}
