//! A provider that is down, and many who call it: few retries, a probe a second, and back at once when it is back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kinora_studio::failure::FailureKind;
use kinora_studio::providers::ScriptProvider;
use kinora_studio::providers::http::Clock;

use crate::faults::{chat, script};
use crate::setup::{Setup, script_ask};
use crate::stub::{self, Stub, send};

#[test]
fn an_outage_of_five_minutes_costs_a_probe_a_second() {
    let is_up = Arc::new(AtomicBool::new(false));
    let up = is_up.clone();
    let stub = Stub::start(move |_, _| match up.load(Ordering::SeqCst) {
        true => stub::json(200, &chat(&script())),
        false => send(503, "text/plain", b"down"),
    });
    let setup = Setup::new();
    let writer = setup.openai(&stub).writer(&setup.http);
    // A hundred runs, one every three seconds.
    for run in 0..100 {
        let failure = writer.write(&script_ask(), &setup.call()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unavailable, "{run}");
        assert!(failure.is_retryable());
        setup.clock.sleep(Duration::from_secs(3));
    }
    let n_seen = stub.n_seen();
    assert!(n_seen <= 110, "{n_seen} requests for 100 runs");
    is_up.store(true, Ordering::SeqCst);
    setup.clock.sleep(Duration::from_secs(1));
    assert!(
        writer.write(&script_ask(), &setup.call()).is_ok(),
        "the first after it is back"
    );
    for _ in 0..20 {
        assert!(writer.write(&script_ask(), &setup.call()).is_ok());
    }
}

#[test]
fn a_crowd_at_once_makes_few_requests_and_fails_at_once() {
    let stub = Stub::script(vec![send(503, "text/plain", b"down")]);
    let setup = Setup::new();
    let writer = setup.openai(&stub).writer(&setup.http);
    let start = setup.clock.now();
    for _ in 0..100 {
        let _ = writer.write(&script_ask(), &setup.call());
    }
    let secs = (setup.clock.now() - start).as_secs_f64();
    assert!(
        (stub.n_seen() as f64) <= 7.0 + secs,
        "{} requests in {secs} s",
        stub.n_seen()
    );
    let told = writer.write(&script_ask(), &setup.call()).unwrap_err();
    assert!(
        told.message.contains("paused after repeated failures"),
        "{told}"
    );
}

#[test]
fn retries_stay_below_a_tenth_when_every_other_request_fails() {
    let stub = Stub::start(|_, n| match n % 2 {
        0 => send(503, "text/plain", b"busy"),
        _ => stub::json(200, &chat(&script())),
    });
    let setup = Setup::new();
    let writer = setup.openai(&stub).writer(&setup.http);
    let n_calls = 300;
    for _ in 0..n_calls {
        let _ = writer.write(&script_ask(), &setup.call());
    }
    // Over all, not a minute: the clock runs on by the waits.
    let n_retries = stub.n_seen() - n_calls;
    let minutes = setup.clock.slept().as_secs_f64() / 60.0 + 1.0;
    assert!(
        n_retries as f64 <= n_calls as f64 * 0.1 + 2.0 * minutes.ceil(),
        "{n_retries} retries, {minutes} min"
    );
    assert!(n_retries >= 10, "{n_retries} retries");
}

#[test]
fn providers_do_not_share_their_troubles() {
    let down = Stub::script(vec![send(503, "text/plain", b"down")]);
    let up = Stub::script(vec![stub::json(200, &chat(&script()))]);
    let setup = Setup::new();
    let mut other = setup.openai(&up);
    other.endpoint.name = "other".into();
    let (first, second) = (
        setup.openai(&down).writer(&setup.http),
        other.writer(&setup.http),
    );
    for _ in 0..10 {
        assert!(first.write(&script_ask(), &setup.call()).is_err());
        assert!(second.write(&script_ask(), &setup.call()).is_ok());
    }
}
