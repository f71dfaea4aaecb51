//! Answers that are none, connections that fail in every way, and cancels.

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use kinora_studio::failure::FailureKind;
use kinora_studio::providers::ScriptProvider;
use kinora_studio::providers::http::{Http, HttpOptions};
use serde_json::{Value, json};

use crate::faults::{NO_WAIT, Row, TWO_WAITS, chat, good, run, script};
use crate::setup::{Setup, script_ask};
use crate::stub::{self, Act, Stub, send};
use FailureKind::{BadAnswer, Refused, TimedOut, Unavailable};

fn answers() -> Vec<Row> {
    let choice = |reason: &str, message: Value| {
        stub::json(
            200,
            &json!({"choices": [{"finish_reason": reason, "message": message}]}),
        )
    };
    let said = |content: &str| stub::json(200, &chat(content));
    vec![
        (
            "HTML",
            vec![send(200, "text/html", b"<html>Sign in</html>")],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "half of a JSON",
            vec![send(200, "application/json", b"{\"choices\":[")],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "nothing",
            vec![send(200, "application/json", b"")],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "no choices",
            vec![stub::json(200, &json!({"choices": []}))],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "no text",
            vec![choice("stop", json!({"content": null}))],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "filtered",
            vec![choice("content_filter", json!({"content": "x"}))],
            Some(Refused),
            1,
            NO_WAIT,
        ),
        (
            "declined",
            vec![choice("stop", json!({"content": null, "refusal": "no"}))],
            Some(Refused),
            1,
            NO_WAIT,
        ),
        (
            "too long for it",
            vec![choice("length", json!({"content": "{"}))],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "prose",
            vec![said("Here is a script: ...")],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "another object",
            vec![said("{\"a\": 1}")],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "no scenes",
            vec![said("{\"scenes\": []}")],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "nothing said",
            vec![said("{\"scenes\": [{\"lines\": [], \"picture\": \"A\"}]}")],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "a fence",
            vec![said(&format!("Sure!\n```json\n{}\n```", script()))],
            None,
            1,
            NO_WAIT,
        ),
        (
            "parts",
            vec![choice(
                "stop",
                json!({"content": [{"type": "text", "text": script()}]}),
            )],
            None,
            1,
            NO_WAIT,
        ),
    ]
}

fn wires() -> Vec<Row> {
    let head = |len: &str| {
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len}\r\n\r\n"
        )
        .into_bytes()
    };
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let chunk = [b"10000\r\n".to_vec(), vec![b' '; 0x10000], b"\r\n".to_vec()].concat();
    let lie = [head("5000"), b"{\"choices\"".to_vec()].concat();
    let millis = Duration::from_millis;
    vec![
        (
            "silence",
            vec![Act::Stall(Vec::new())],
            Some(TimedOut),
            1,
            NO_WAIT,
        ),
        (
            "silence after half of the head",
            vec![Act::Stall(b"HTTP/1.1 200 OK\r\nConte".to_vec())],
            Some(TimedOut),
            1,
            NO_WAIT,
        ),
        (
            "silence in the body",
            vec![Act::Stall(lie.clone())],
            Some(TimedOut),
            1,
            NO_WAIT,
        ),
        (
            "a drip",
            vec![Act::Drip(
                [head("300"), vec![b' '; 300]].concat(),
                millis(10),
            )],
            Some(TimedOut),
            1,
            NO_WAIT,
        ),
        (
            "a drip of a head",
            vec![Act::Drip(vec![b'H'; 300], millis(10))],
            Some(TimedOut),
            1,
            NO_WAIT,
        ),
        (
            "torn down",
            vec![Act::Reset],
            Some(Unavailable),
            3,
            TWO_WAITS,
        ),
        (
            "torn down once",
            vec![Act::Reset, good()],
            None,
            2,
            [0.5, 2.0],
        ),
        (
            "closed at once",
            vec![Act::Send(Vec::new())],
            Some(Unavailable),
            3,
            TWO_WAITS,
        ),
        (
            "cut short",
            vec![Act::Send(lie)],
            Some(Unavailable),
            3,
            TWO_WAITS,
        ),
        (
            "cut short once",
            vec![Act::Send(head("9")), good()],
            None,
            2,
            [0.5, 2.0],
        ),
        (
            "no HTTP",
            vec![Act::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())],
            Some(Unavailable),
            3,
            TWO_WAITS,
        ),
        (
            "10 GB announced",
            vec![Act::Stall(head("10000000000"))],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
        (
            "a body without an end",
            vec![Act::Endless(chunked, chunk)],
            Some(BadAnswer),
            1,
            NO_WAIT,
        ),
    ]
}

#[test]
fn answers_that_are_none_are_not_asked_for_again() {
    for row in answers() {
        run(row, Duration::from_secs(180));
    }
}

#[test]
fn whatever_happens_on_the_wire_ends_in_time() {
    // At once, as each takes its time limit.
    let rows = wires().into_iter().map(|row| {
        let secs = if row.2 == Some(TimedOut) { 0.4 } else { 20.0 };
        thread::spawn(move || run(row, Duration::from_secs_f64(secs)))
    });
    let rows: Vec<_> = rows.collect();
    for row in rows {
        row.join().unwrap();
    }
}

#[test]
fn nobody_there_is_told_as_that() {
    let stub = Stub::script(vec![good()]);
    let gone = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let setup = Setup::new();
    let mut settings = setup.openai(&stub);
    settings.endpoint.base_url.set_port(Some(gone)).unwrap();
    let failure = settings
        .writer(&setup.http)
        .write(&script_ask(), &setup.call())
        .unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (Unavailable, "could not be reached")
    );
}

#[test]
fn a_cancel_is_heard_within_half_a_second_wherever_it_waits() {
    for (name, act) in [
        ("for an answer", Act::Stall(Vec::new())),
        (
            "for the rest",
            Act::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_vec()),
        ),
    ] {
        let (stub, setup) = (Stub::script(vec![act]), Setup::new());
        let writer = setup.openai(&stub).writer(&setup.http);
        let call = setup.call();
        let cancel = call.cancel.clone();
        let waiting = thread::spawn(move || writer.write(&script_ask(), &call).unwrap_err());
        while stub.n_seen() == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        let start = Instant::now();
        cancel.cancel();
        assert_eq!(
            waiting.join().unwrap().kind,
            FailureKind::Cancelled,
            "{name}"
        );
        assert!(
            start.elapsed() < Duration::from_millis(500),
            "{name}: {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn a_cancel_is_heard_between_attempts() {
    let busy = Act::Send(stub::reply(429, "text/plain", "Retry-After: 30\r\n", b""));
    let (stub, setup) = (Stub::script(vec![busy]), Setup::new());
    let options = HttpOptions {
        keys: Arc::new(|_| Some("key".into())),
        uses_proxy: false,
        ..HttpOptions::default()
    };
    let writer = setup.openai(&stub).writer(&Http::new(options).unwrap());
    let call = setup.call();
    let cancel = call.cancel.clone();
    let waiting = thread::spawn(move || writer.write(&script_ask(), &call).unwrap_err());
    while stub.n_seen() == 0 {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    cancel.cancel();
    assert_eq!(waiting.join().unwrap().kind, FailureKind::Cancelled);
    assert!(start.elapsed() < Duration::from_millis(500));
    assert_eq!(stub.n_seen(), 1);
}
