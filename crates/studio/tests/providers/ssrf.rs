//! Addresses that a provider gives are never a way into the machine or its network.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use kinora_studio::failure::FailureKind;
use kinora_studio::providers::PictureProvider;
use kinora_studio::providers::http::AllowedHost;
use serde_json::json;

use crate::files::png;
use crate::setup::{Setup, picture_ask, table};
use crate::stub::{self, Stub, redirect, send};

/// Listens on the loopback of both families and counts who comes.
struct Canary {
    port: u16,
    n_visits: Arc<AtomicUsize>,
}

impl Canary {
    fn start() -> Canary {
        let v4 = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = v4.local_addr().unwrap().port();
        let n_visits = Arc::new(AtomicUsize::new(0));
        // Some machines have no IPv6.
        let v6 = TcpListener::bind(("::1", port)).ok();
        for listener in [Some(v4), v6].into_iter().flatten() {
            let n_visits = n_visits.clone();
            thread::spawn(move || {
                for _ in listener.incoming() {
                    n_visits.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        Canary { port, n_visits }
    }
}

/// `PORT` is the canary's.
const ADDRESSES: &[&str] = &[
    "http://127.0.0.1:PORT/",
    "https://127.0.0.1:PORT/",
    "https://127.1:PORT/",
    "https://127.0.1:PORT/",
    "https://2130706433:PORT/",
    "https://0x7f000001:PORT/",
    "https://0x7f.0.0.1:PORT/",
    "https://0177.0.0.1:PORT/",
    "https://017700000001:PORT/",
    "https://127.0.0.1.:PORT/",
    "https://0:PORT/",
    "https://0.0.0.0:PORT/",
    "https://[::]:PORT/",
    "https://[::1]:PORT/",
    "https://[0:0:0:0:0:0:0:1]:PORT/",
    "https://[::ffff:127.0.0.1]:PORT/",
    "https://[::ffff:7f00:1]:PORT/",
    "https://[::127.0.0.1]:PORT/",
    "https://[64:ff9b::7f00:1]:PORT/",
    "https://[2002:7f00:1::]:PORT/",
    "https://localhost:PORT/",
    "http://localhost:PORT/",
    "https://LOCALHOST:PORT/",
    "https://localhost.:PORT/",
    "https://a.localhost:PORT/",
    "https://loop.test:PORT/",
    "https://loop.test.:PORT/",
    "http://loop.test:PORT/",
    "https://loop6.test:PORT/",
    "https://mixed.test:PORT/",
    "https://mapped.test:PORT/",
    "https://private.test:PORT/",
    "https://user@127.0.0.1:PORT/",
    "https://example.com@127.0.0.1:PORT/",
    "https://user:pass@loop.test:PORT/",
    "https://127.0.0.1:PORT\\@example.com/",
    "https://１２７.0.0.1:PORT/",
    "https://ⓛocalhost:PORT/",
    "https://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254/",
    "https://metadata.google.internal/",
    "https://[fd00:ec2::254]/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.0.1/",
    "https://100.64.0.1/",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[fe80::1]/",
    "https://[fc00::1]/",
    "https://[ff02::1]/",
    "https://printer.local/",
    "https://router.lan/",
    "https://unknown.test/",
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "ftp://127.0.0.1:PORT/",
    "gopher://127.0.0.1:PORT/_x",
    "ws://127.0.0.1:PORT/",
    "javascript:alert(1)",
    "data:text/html;base64,PGh0bWw+",
    "data:image/png,raw",
    "data:image/png;base64,%%%",
    "data:,",
    "//127.0.0.1:PORT/",
    "/etc/passwd",
    "127.0.0.1:PORT",
    "",
    " ",
    "https://",
    "https:///",
    "http://[::1",
    "https://127.0.0.1:99999/",
    "https://%31%32%37.0.0.1:PORT/",
    "https://127.0.0.1%2f:PORT/",
    "https://127。0。0。1:PORT/",
    "https://0x7f.1:PORT/",
];

fn painted(
    first: String,
    redirects_to: Option<String>,
    allowed: &[&str],
) -> (Result<(), kinora_studio::failure::Failure>, Stub) {
    let stub = Stub::start(move |seen, _| match (seen.path.as_str(), &redirects_to) {
        ("/hop", Some(to)) => redirect(to),
        ("/pic", _) => send(200, "image/png", &png(256, 256)),
        _ => {
            let own = format!("http://{}", seen.header("host").unwrap_or_default());
            stub::json(
                200,
                &json!({"data": [{"url": first.replace("STUB", &own)}]}),
            )
        }
    });
    let setup = Setup::new().timeout(Duration::from_secs(20));
    let mut settings = setup.openai(&stub);
    settings.endpoint.allowed = allowed
        .iter()
        .map(|host| AllowedHost::read(host).unwrap())
        .collect();
    let painter = settings.painter(&setup.http, table());
    (
        painter
            .paint(&picture_ask(""), &[], &setup.call())
            .map(|_| ()),
        stub,
    )
}

#[test]
fn no_address_leads_inside() {
    let canary = Canary::start();
    for address in ADDRESSES {
        let address = address.replace("PORT", &canary.port.to_string());
        let (result, _) = painted(address.clone(), None, &[]);
        let failure = result.unwrap_err();
        let may = [FailureKind::BadAnswer, FailureKind::Unavailable];
        assert!(may.contains(&failure.kind), "{address}: {failure}");
        assert!(
            address.is_empty() || address == " " || !failure.to_string().contains(&address),
            "{address} is shown"
        );
    }
    thread::sleep(Duration::from_millis(50));
    assert_eq!(canary.n_visits.load(Ordering::SeqCst), 0);
}

#[test]
fn no_redirect_leads_inside() {
    let canary = Canary::start();
    // What is no address of its own is relative to the first, which is harmless.
    for address in ADDRESSES.iter().filter(|a| a.contains("://")) {
        let address = address.replace("PORT", &canary.port.to_string());
        // A header holds ASCII only.
        if !address.is_ascii() {
            continue;
        }
        let (result, stub) = painted("STUB/hop".into(), Some(address.clone()), &[]);
        assert!(result.is_err(), "{address}");
        assert!(stub.n_seen() >= 2, "{address}: the hop was not taken");
    }
    thread::sleep(Duration::from_millis(50));
    assert_eq!(canary.n_visits.load(Ordering::SeqCst), 0);
}

#[test]
fn hosts_of_the_operators_own_are_reached_and_no_others() {
    let media = Stub::script(vec![send(200, "image/png", &png(256, 256))]);
    let address = format!("http://loop.test:{}/a.png", media.port);
    assert!(painted(address.clone(), None, &[]).0.is_err());
    assert!(painted(address.clone(), None, &["other.test"]).0.is_err());
    assert!(painted(address.clone(), None, &["loop.test:1"]).0.is_err());
    assert_eq!(media.n_seen(), 0);
    assert!(painted(address.clone(), None, &["loop.test"]).0.is_ok());
    assert!(
        painted(
            "STUB/hop".into(),
            Some(address),
            &[&format!("loop.test:{}", media.port)]
        )
        .0
        .is_ok()
    );
    assert!(
        painted("STUB/pic".into(), None, &[]).0.is_ok(),
        "the server's own"
    );
    assert!(
        media
            .seen()
            .iter()
            .all(|s| s.header("authorization").is_none())
    );
}

#[test]
fn pictures_in_the_address_itself_are_read() {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(png(256, 256));
    assert!(
        painted(format!("data:image/png;base64,{data}"), None, &[])
            .0
            .is_ok()
    );
    assert!(
        painted(format!("data:text/plain;base64,{data}"), None, &[])
            .0
            .is_err()
    );
}
