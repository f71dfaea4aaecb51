//! The edge by raw sockets: requests that are smuggled, slow, too large or cut off, and how a connection ends.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use kinora_service::config::Server;
use kinora_service::edge;
use kinora_service::error::ApiError;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Long enough for anything that is not stuck.
const PATIENCE: Duration = Duration::from_secs(20);
const MAX_BODY: usize = 1000;

struct Door {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<std::io::Result<()>>,
}

async fn length(headers: HeaderMap, body: Body) -> Result<String, ApiError> {
    let body = edge::read_whole(&headers, body, MAX_BODY).await?;
    Ok(format!("{} bytes", body.len()))
}

async fn slow() -> &'static str {
    sleep(Duration::from_millis(700)).await;
    "done"
}

async fn panics() -> &'static str {
    panic!("on purpose")
}

async fn open(config: Server) -> Door {
    let router = Router::new()
        .route("/", get(|| async { "hello" }))
        .route("/length", post(length))
        .route("/slow", get(slow))
        .route("/panic", get(panics));
    let router = edge::layered(router, &config);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let served = tokio::spawn(async move {
        let stopped = async {
            let _ = stopped.await;
        };
        edge::serve(listener, router, &config, stopped).await
    });
    Door {
        address,
        stop: Some(stop),
        served,
    }
}

fn quick() -> Server {
    Server {
        header_secs: 1,
        idle_secs: 1,
        ..Server::default()
    }
}

impl Door {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Everything that comes back until the connection closes.
    async fn exchange(&self, sent: &[u8]) -> String {
        let mut stream = self.connect().await;
        // The server may answer and close before it has read everything.
        let _ = stream.write_all(sent).await;
        rest(&mut stream).await
    }
}

async fn rest(stream: &mut TcpStream) -> String {
    let mut got = Vec::new();
    // A reset after the answer is an end, too.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut got))
        .await
        .expect("the connection closes");
    String::from_utf8_lossy(&got).into_owned()
}

/// The answer's head and body; it is the error envelope with this status.
fn assert_refused(answer: &str, status: u16) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    assert!(
        head.starts_with(&format!("HTTP/1.1 {status} ")),
        "{answer:?}"
    );
    assert!(head.contains("content-type: application/json"), "{head}");
    let body: serde_json::Value =
        serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {answer}"));
    assert!(body["error"]["code"].is_string(), "{answer}");
    assert!(
        body["error"]["requestId"]
            .as_str()
            .unwrap()
            .starts_with("req_"),
        "{answer}"
    );
}

#[tokio::test]
async fn requests_with_two_lengths_are_refused_and_the_connection_closes() {
    let door = open(quick()).await;
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    let forms = [
        format!("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("Content-Length: 0\r\nContent-Length: 44\r\n\r\n{smuggled}"),
        format!("Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello{smuggled}"),
        format!("Content-Length: 5, 6\r\n\r\nhello{smuggled}"),
        format!("Content-Length: +5\r\n\r\nhello{smuggled}"),
        format!("Content-Length: 5\r\nTransfer-Encoding : chunked\r\n\r\nhello{smuggled}"),
        format!("Transfer-Encoding: xchunked\r\n\r\nhello{smuggled}"),
        format!(
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n{smuggled}"
        ),
        format!("Content-Length: 5\r\n Transfer-Encoding: chunked\r\n\r\nhello{smuggled}"),
    ];
    for form in forms {
        let sent = format!("POST /length HTTP/1.1\r\nHost: a\r\n{form}");
        let answer = door.exchange(sent.as_bytes()).await;
        assert_refused(&answer, 400);
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{form:?}: {answer}");
    }
}

/// The same behind another request, together with it or while it is being answered.
#[tokio::test]
async fn what_comes_early_is_looked_at_too() {
    let door = open(quick()).await;
    let smuggler = "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    let behind = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    let firsts = [
        "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    ];
    for first in firsts {
        for pause in [None, Some(200)] {
            let mut stream = door.connect().await;
            let both = format!("{first}{smuggler}{behind}");
            let (now, later) = both.split_at(pause.map_or(both.len(), |_| first.len()));
            stream.write_all(now.as_bytes()).await.unwrap();
            sleep(Duration::from_millis(pause.unwrap_or(0))).await;
            let _ = stream.write_all(later.as_bytes()).await;
            let answer = rest(&mut stream).await;
            let (good, bad) = answer.split_at(answer.rfind("HTTP/1.1").unwrap());
            assert!(good.starts_with("HTTP/1.1 200"), "{first:?}: {answer}");
            assert_refused(bad, 400);
            assert_eq!(answer.matches("HTTP/1.1").count(), 2, "{answer}");
        }
    }
    // Behind a body in chunks nothing is read at all.
    let chunked = "POST /length HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let answer = door
        .exchange(format!("{chunked}{smuggler}{behind}").as_bytes())
        .await;
    assert!(answer.contains("5 bytes"), "{answer}");
    assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{answer}");
}

#[tokio::test]
async fn honest_requests_may_come_early() {
    let door = open(quick()).await;
    let first = "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    let last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = door
        .exchange(format!("{first}{first}{last}").as_bytes())
        .await;
    assert_eq!(answer.matches("5 bytes").count(), 2, "{answer}");
    assert!(answer.ends_with("hello"), "{answer}");
}

/// Requests and the status of their refusal.
fn refused() -> Vec<(String, u16)> {
    let post = "POST /length HTTP/1.1\r\nHost: a\r\n";
    vec![
        (
            format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(64 << 10)),
            431,
        ),
        (
            format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(64 << 10)),
            431,
        ),
        (
            format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(200)),
            431,
        ),
        ("NONSENSE\r\n\r\n".into(), 400),
        ("GET / HTTP/1.1\r\nX: \0\r\n\r\n".into(), 400),
        ("GET / HTTP/9.9\r\n\r\n".into(), 400),
        (
            format!("{post}Content-Length: 1001\r\nConnection: close\r\n\r\n"),
            413,
        ),
        (
            format!("{post}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"),
            413,
        ),
        (
            format!(
                "{post}Content-Encoding: gzip\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            ),
            415,
        ),
        (
            "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".into(),
            404,
        ),
        (
            "DELETE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".into(),
            405,
        ),
        (
            "GET /panic HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".into(),
            500,
        ),
    ]
}

#[tokio::test]
async fn what_is_too_large_or_broken_is_refused_in_the_envelope() {
    let door = open(quick()).await;
    for (mut sent, status) in refused() {
        if sent.contains("Transfer-Encoding") {
            // Chunks without an end.
            sent += &("64\r\n".to_owned() + &"x".repeat(100) + "\r\n").repeat(20);
        }
        let answer = door.exchange(sent.as_bytes()).await;
        assert_refused(&answer, status);
    }
    // The process has lived through the panic.
    let answer = door
        .exchange(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        .await;
    assert!(answer.ends_with("hello"), "{answer}");
    for name in [
        "x-content-type-options: nosniff",
        "x-frame-options: DENY",
        "x-request-id: req_",
    ] {
        assert!(answer.contains(name), "{name} in {answer}");
    }
}

#[tokio::test]
async fn a_body_that_ends_before_its_end_is_refused() {
    let door = open(quick()).await;
    let mut stream = door.connect().await;
    let head = "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nonly this";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 400"),
        "{answer}"
    );
}

#[tokio::test]
async fn slow_and_idle_connections_are_closed_and_live_ones_are_not() {
    let door = open(quick()).await;
    let mut silent = door.connect().await;
    let mut slow = door.connect().await;
    slow.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
        .await
        .unwrap();
    let dripping = tokio::spawn(async move {
        // A byte now and then does not buy time.
        while slow.write_all(b"a").await.is_ok() {
            sleep(Duration::from_millis(200)).await;
        }
    });
    let mut kept = door.connect().await;
    for _ in 0..4 {
        kept.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .await
            .unwrap();
        let mut got = vec![0; 4096];
        let n = timeout(PATIENCE, kept.read(&mut got))
            .await
            .unwrap()
            .unwrap();
        assert!(String::from_utf8_lossy(&got[..n]).contains("hello"));
        sleep(Duration::from_millis(500)).await;
    }
    assert_eq!(rest(&mut silent).await, "");
    timeout(PATIENCE, dripping)
        .await
        .expect("the slow one is closed")
        .unwrap();
    // The last one was idle for long enough, too.
    assert_eq!(rest(&mut kept).await, "");
}

#[tokio::test]
async fn connections_beyond_the_cap_wait_and_half_open_ones_give_their_places_back() {
    let door = open(Server {
        connections: 4,
        ..quick()
    })
    .await;
    let mut half_open = Vec::new();
    for _ in 0..12 {
        let mut stream = door.connect().await;
        let _ = stream.write_all(b"GET / HTTP/1.1\r\n").await;
        half_open.push(stream);
    }
    let answer = door
        .exchange(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        .await;
    assert!(answer.ends_with("hello"), "{answer}");
}

#[tokio::test]
async fn a_stop_lets_running_requests_end_and_takes_no_more() {
    let mut door = open(Server::default()).await;
    let mut stream = door.connect().await;
    stream
        .write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    let idle = door.connect().await;
    sleep(Duration::from_millis(200)).await;
    door.stop.take().unwrap().send(()).unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.ends_with("done"), "{answer}");
    drop(idle);
    timeout(PATIENCE, door.served)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(TcpStream::connect(door.address).await.is_err());
}

/// 1,000 connections that send a byte of their header a second, and a client that polls: 35 s.
/// `cargo test --release -p kinora-service --test edge_sockets -- --ignored --nocapture` shows its slowest answer.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "35 s"]
async fn a_thousand_slow_headers_do_not_disturb_a_client() {
    let door = open(Server::default()).await;
    let mut slow = Vec::new();
    for _ in 0..1000 {
        let mut stream = door.connect().await;
        slow.push(tokio::spawn(async move {
            let begun = std::time::Instant::now();
            while stream.write_all(b"G").await.is_ok() && begun.elapsed() < PATIENCE {
                sleep(Duration::from_secs(1)).await;
            }
            begun.elapsed()
        }));
    }
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = std::time::Instant::now();
        let answer = door
            .exchange(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            .await;
        assert!(answer.ends_with("hello"), "{answer}");
        times.push(begun.elapsed());
        sleep(Duration::from_millis(60)).await;
    }
    times.sort();
    println!("median {:?}, slowest {:?}", times[100], times[199]);
    for slow in slow {
        assert!(slow.await.unwrap() < Duration::from_secs(15));
    }
}
