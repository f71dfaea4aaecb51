//! A run that is taken up again: at the price and with the watermark of whoever asks for it now.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use kinora_service::db::{Plan, RunFailure};

use crate::client::{Reply, Service};

async fn call(service: &Service, key: &str, path: &str, body: &str) -> Reply {
    let request = Request::post(format!("/api/v1{path}"))
        .header("x-api-key", key)
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap();
    service.send(request).await
}

/// The id of a run that has failed.
async fn failed(service: &Service, key: &str, path: &str, body: &str) -> String {
    let made = call(service, key, path, body).await;
    assert!(made.status.is_success(), "{:?}", made.body);
    let id = made.text("/data/id") + &made.text("/data/requestId");
    let lease = Duration::from_secs(60);
    let claim = service.app.db.claim(&id, "a test", lease, 3).await;
    let failure = RunFailure {
        message: "it did not work".into(),
        reason: "refused".into(),
        stage: None,
        provider: None,
        provider_status: None,
        retryable: true,
    };
    let lease = claim.unwrap().unwrap().lease;
    assert!(service.app.db.fail(&lease, &failure).await.unwrap());
    id
}

/// Whether the run that takes this one up has a watermark, and what it holds.
async fn retried(service: &Service, key: &str, id: &str) -> (bool, u64) {
    let made = call(service, key, &format!("/runs/{id}/retry"), "").await;
    assert!(made.status.is_success(), "{:?}", made.body);
    let id = made.text("/data/id") + &made.text("/data/requestId");
    let account = &service.account("creator").id;
    let run = service.app.db.run(account, &id, None).await.unwrap();
    let asked = run.unwrap().asked;
    (asked.order.watermark, asked.estimated.credits)
}

#[tokio::test]
async fn a_watermark_goes_with_the_price() {
    let service = Service::new().await;
    let (live, sandbox) = (
        service.key("creator").to_owned(),
        service.sandbox_key_of("creator").await,
    );
    let short = r#"{"script": "A lamp."}"#;
    let universe = r#"{"prompt": "A lamp.", "removeWatermark": true}"#;
    let path = "/universe/noir/create";
    let paid = [
        failed(&service, &live, "/short", short).await,
        failed(&service, &live, path, universe).await,
    ];
    let free = [
        failed(&service, &sandbox, "/short", short).await,
        failed(&service, &sandbox, path, universe).await,
    ];
    for id in &paid {
        assert_eq!(retried(&service, &sandbox, id).await, (true, 0));
    }
    for id in paid.iter().chain(&free) {
        let (is_marked, credits) = retried(&service, &live, id).await;
        assert!(!is_marked && credits > 0, "{id}");
    }
    // The plan of now decides, not that of the first attempt.
    let account = &service.account("creator").id;
    let set = service.app.db.set_plan(account, Plan::Starter, None).await;
    assert!(set.unwrap());
    assert!(!retried(&service, &live, &paid[0]).await.0);
    assert!(retried(&service, &live, &paid[1]).await.0);
}
