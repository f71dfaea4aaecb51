//! Every status that a server can answer with, and what becomes of it: how often it is asked again, how long that takes, and what is said.

use std::time::{Duration, Instant, SystemTime};

use kinora_studio::failure::{Failure, FailureKind, Stage};
use kinora_studio::providers::ScriptProvider;
use serde_json::{Value, json};

use crate::setup::{Setup, script_ask};
use crate::stub::{self, Act, Stub, reply, send};
use FailureKind::{BadAnswer, NotConfigured, RateLimited, Refused, Unauthorized, Unavailable};

/// Real time that any of these may take.
const MAX_TIME: Duration = Duration::from_secs(3);

/// What is done, what becomes of it (`None`: a script), how many requests that takes, and the least and most seconds that are waited between them.
pub type Row = (&'static str, Vec<Act>, Option<FailureKind>, usize, [f64; 2]);

pub const NO_WAIT: [f64; 2] = [0.0, 0.0];
pub const TWO_WAITS: [f64; 2] = [1.0, 6.0];

pub fn chat(content: &str) -> Value {
    json!({"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": content}}]})
}

pub fn script() -> String {
    json!({"title": "Lights", "scenes": [
        {"lines": [{"speaker": null, "text": "Lighthouses keep ships safe."}], "picture": "A lighthouse."},
        {"lines": [{"speaker": "ada", "text": "I keep the lamp."}], "picture": "A keeper."},
    ]})
    .to_string()
}

pub fn good() -> Act {
    stub::json(200, &chat(&script()))
}

fn status(status: u16) -> Act {
    send(
        status,
        "application/json",
        b"{\"error\":{\"message\":\"words of theirs\"}}",
    )
}

fn code(status: u16, code: &str) -> Act {
    stub::json(
        status,
        &json!({"error": {"message": "words of theirs", "type": "t", "code": code}}),
    )
}

fn later(status: u16, retry_after: &str) -> Act {
    Act::Send(reply(
        status,
        "text/plain",
        &format!("Retry-After: {retry_after}\r\n"),
        b"busy",
    ))
}

fn date(secs: u64) -> String {
    httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(secs))
}

fn statuses() -> Vec<Row> {
    vec![
        ("500 once", vec![status(500), good()], None, 2, [0.5, 2.0]),
        (
            "500 twice",
            vec![status(500), status(500), good()],
            None,
            3,
            TWO_WAITS,
        ),
        ("500", vec![status(500)], Some(Unavailable), 3, TWO_WAITS),
        ("502", vec![status(502)], Some(Unavailable), 3, TWO_WAITS),
        ("503", vec![status(503)], Some(Unavailable), 3, TWO_WAITS),
        ("504", vec![status(504)], Some(Unavailable), 3, TWO_WAITS),
        ("408", vec![status(408)], Some(Unavailable), 3, TWO_WAITS),
        ("425", vec![status(425), good()], None, 2, [0.5, 2.0]),
        (
            "501 is not worth a retry",
            vec![status(501)],
            Some(Unavailable),
            1,
            NO_WAIT,
        ),
        ("401", vec![status(401)], Some(Unauthorized), 1, NO_WAIT),
        ("402", vec![status(402)], Some(Unauthorized), 1, NO_WAIT),
        ("403", vec![status(403)], Some(Unauthorized), 1, NO_WAIT),
        ("404", vec![status(404)], Some(NotConfigured), 1, NO_WAIT),
        (
            "400, then the same in plain words",
            vec![status(400), good()],
            None,
            2,
            NO_WAIT,
        ),
        (
            "400 either way",
            vec![status(400)],
            Some(BadAnswer),
            2,
            NO_WAIT,
        ),
        ("413", vec![status(413)], Some(BadAnswer), 1, NO_WAIT),
        (
            "400 of its filter",
            vec![code(400, "content_policy_violation")],
            Some(Refused),
            1,
            NO_WAIT,
        ),
        (
            "302",
            vec![stub::redirect("/v1/elsewhere")],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "429 of an empty account",
            vec![code(429, "insufficient_quota")],
            Some(RateLimited),
            1,
            NO_WAIT,
        ),
    ]
}

fn waits() -> Vec<Row> {
    vec![
        ("429", vec![status(429)], Some(RateLimited), 3, TWO_WAITS),
        (
            "429, 1 s",
            vec![later(429, "1")],
            Some(RateLimited),
            3,
            [2.0, 6.0],
        ),
        (
            "429, 7 s",
            vec![later(429, "7"), good()],
            None,
            2,
            [7.0, 7.0],
        ),
        (
            "429, 60 s",
            vec![later(429, "60"), good()],
            None,
            2,
            [60.0, 60.0],
        ),
        (
            "429, 61 s",
            vec![later(429, "61")],
            Some(RateLimited),
            1,
            NO_WAIT,
        ),
        (
            "429, 99999 s",
            vec![later(429, "99999")],
            Some(RateLimited),
            1,
            NO_WAIT,
        ),
        (
            "429, a date soon",
            vec![later(429, &date(30)), good()],
            None,
            2,
            [25.0, 31.0],
        ),
        (
            "429, a date tomorrow",
            vec![later(429, &date(86_400))],
            Some(RateLimited),
            1,
            NO_WAIT,
        ),
        (
            "429, a date gone by",
            vec![later(429, "Sun, 06 Nov 1994 08:49:37 GMT"), good()],
            None,
            2,
            [0.5, 2.0],
        ),
        (
            "429, -1",
            vec![later(429, "-1"), good()],
            None,
            2,
            [0.5, 2.0],
        ),
        (
            "429, nonsense",
            vec![later(429, "soon"), good()],
            None,
            2,
            [0.5, 2.0],
        ),
        (
            "503, 20 s",
            vec![later(503, "20"), good()],
            None,
            2,
            [20.0, 20.0],
        ),
    ]
}

pub fn run(
    (name, acts, kind, n_requests, [least, most]): Row,
    timeout: Duration,
) -> Option<Failure> {
    let (stub, setup) = (Stub::script(acts), Setup::new().timeout(timeout));
    let writer = setup.openai(&stub).writer(&setup.http);
    let start = Instant::now();
    let result = writer.write(&script_ask(), &setup.call());
    let real = start.elapsed();
    assert_eq!(
        result.as_ref().err().map(|f| f.kind),
        kind,
        "{name}: {result:?}"
    );
    assert_eq!(stub.n_seen(), n_requests, "{name}: requests");
    let slept = setup.clock.slept().as_secs_f64();
    // Its clock is real time and all that was slept.
    let waited = slept + real.as_secs_f64();
    assert!(waited >= least && slept <= most + 1e-6, "{name}: {slept} s");
    assert!(real < MAX_TIME, "{name}: took {real:?}");
    let failure = result.err();
    if let Some(failure) = &failure {
        assert_eq!(
            (failure.stage, failure.provider.as_deref()),
            (Stage::Script, Some("openai")),
            "{name}"
        );
        assert!(!failure.to_string().contains("theirs"), "{name}: {failure}");
    }
    failure
}

#[test]
fn every_status_has_its_failure_and_its_attempts() {
    for row in statuses() {
        run(row, Duration::from_secs(180));
    }
    let failure = run(
        ("503", vec![status(503)], Some(Unavailable), 3, TWO_WAITS),
        Duration::from_secs(180),
    )
    .unwrap();
    assert_eq!(
        failure.to_string(),
        "script, openai (HTTP 503): server error"
    );
}

#[test]
fn waits_that_are_asked_for_are_kept_up_to_a_minute() {
    for row in waits() {
        run(row, Duration::from_secs(180));
    }
}

#[test]
fn no_wait_goes_past_the_deadline() {
    run(
        (
            "60 s of 30",
            vec![later(429, "60")],
            Some(RateLimited),
            1,
            NO_WAIT,
        ),
        Duration::from_secs(30),
    );
}
