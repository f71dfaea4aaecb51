//! The same service on a port, for clients that are no test: nothing works off its queue, so that the answers stay as they are.

use kinora_service::edge;
use tokio::net::TcpListener;

use crate::client::Service;

/// `KINORA_LISTEN=127.0.0.1:8090 cargo test -p kinora-service --test api_routes -- --ignored --nocapture served` prints the two arguments of
/// `crates/service/tests/schemathesis.sh` and serves until it is killed.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "serves until it is killed"]
async fn until_killed() {
    let address = std::env::var("KINORA_LISTEN").unwrap_or_else(|_| "127.0.0.1:8090".into());
    let service = Service::with(|config| {
        config.server.requests_per_minute = 1_000_000;
        config.server.public_url = Some(format!("http://{address}"));
    })
    .await;
    let own = r#"{"name": "Mine", "slug": "mine", "aiStyleByDefault": true}"#;
    assert!(service.post("/universes", own).await.status.is_success());
    let listener = TcpListener::bind(&address).await.unwrap();
    println!("http://{address} {}", service.key("creator"));
    let (router, server) = (service.router.clone(), service.app.config.server.clone());
    edge::serve(listener, router, &server, std::future::pending())
        .await
        .unwrap();
}
