//! Keys: whatever is not one valid key in its header is refused before anything else is looked at; rates; what costs how much.

use axum::body::Body;
use axum::http::Request;
use kinora_service::routes::OPERATIONS;

use crate::client::{CREDITS, Service};

/// A path of an operation with something in its place for every parameter.
fn path_of(path: &str) -> String {
    path.replace("{slug}", "noir")
        .replace("{id}", "run_0")
        .replace("{key}", "aud_0")
}

#[tokio::test]
async fn what_is_no_key_opens_nothing_and_is_told_before_the_body_is_read() {
    let service = Service::new().await;
    let key = service.key("creator").to_owned();
    let revoked = kinora_service::ids::secret("kin_");
    let account = &service.account("creator").id;
    let db = &service.app.db;
    let added = db.add_key(account, "old", &revoked, false).await.unwrap();
    assert!(db.revoke_key(account, &added.id).await.unwrap());
    let long = "k".repeat(10 << 10);
    let upper = key.to_uppercase();
    let spaced = format!("{key} {key}");
    let cases: Vec<Vec<&[u8]>> = vec![
        vec![],
        vec![b""],
        vec![b"kin_0000"],
        vec![&key.as_bytes()[..key.len() - 1]],
        vec![upper.as_bytes()],
        vec![spaced.as_bytes()],
        vec![revoked.as_bytes()],
        vec![key.as_bytes(), key.as_bytes()],
        vec![long.as_bytes()],
        vec![b"' OR 1=1 --"],
        vec![b"\xff\xfe"],
    ];
    for keys in &cases {
        for operation in OPERATIONS {
            let uri = format!("/api/v1{}?x-api-key={key}", path_of(operation.path));
            let mut request = Request::builder()
                .method(&*operation.method.to_uppercase())
                .uri(uri);
            for key in keys {
                request = request.header("x-api-key", *key);
            }
            let request = request.body(Body::from("{\"broken\": ")).unwrap();
            let reply = service.send(request).await;
            reply.assert_refused(401, "AUTH_INVALID_KEY");
        }
    }
}

#[tokio::test]
async fn a_key_that_is_revoked_is_refused_at_once() {
    let service = Service::new().await;
    assert!(service.get("/account").await.status.is_success());
    let account = &service.account("creator").id;
    let keys = service.app.db.keys(account).await.unwrap();
    assert!(
        service
            .app
            .db
            .revoke_key(account, &keys[0].id)
            .await
            .unwrap()
    );
    let reply = service.get("/account").await;
    reply.assert_refused(401, "AUTH_INVALID_KEY");
}

#[tokio::test]
async fn a_key_may_call_as_often_as_its_plan_says_and_is_told_when_again() {
    let service = Service::with(|config| config.server.requests_per_minute = 5).await;
    for _ in 0..5 {
        assert!(service.get("/account").await.status.is_success());
    }
    let reply = service.get("/account").await;
    reply.assert_refused(429, "RATE_TOO_MANY_REQUESTS");
    let after = reply.at("/error/details/retryAfter").as_u64().unwrap();
    assert!((1..=60).contains(&after), "{after}");
    assert_eq!(reply.header("retry-after"), after.to_string());
    // Refused before the body is read, and another key is not disturbed.
    let reply = service.post("/short", "{").await;
    reply.assert_refused(429, "RATE_TOO_MANY_REQUESTS");
    assert!(
        service
            .call("starter", "GET /account", "")
            .await
            .status
            .is_success()
    );
    // An account may have a limit of its own.
    let (other, plan) = (service.account("other"), service.account("other").plan);
    assert!(
        service
            .app
            .db
            .set_plan(&other.id, plan, Some(7))
            .await
            .unwrap()
    );
    for _ in 0..7 {
        assert!(
            service
                .call("other", "GET /account", "")
                .await
                .status
                .is_success()
        );
    }
    let reply = service.call("other", "GET /account", "").await;
    reply.assert_refused(429, "RATE_TOO_MANY_REQUESTS");
}

#[tokio::test]
async fn a_create_holds_its_estimate_and_is_refused_without_the_credits() {
    let service = Service::new().await;
    let account = service.account("creator").id.clone();
    let db = &service.app.db;
    let made = service
        .post(
            "/universe/noir/create",
            r#"{"prompt": "A", "duration": "30"}"#,
        )
        .await;
    let credits = made.at("/data/estimatedCredits").as_u64().unwrap();
    assert_eq!(credits, 6);
    let balance = async || db.account(&account).await.unwrap().unwrap().balance;
    assert_eq!(balance().await, CREDITS - credits);
    // An estimate holds nothing.
    let body = r#"{"prompt": "A", "duration": "30"}"#;
    assert!(
        service
            .post("/universe/noir/estimate", body)
            .await
            .status
            .is_success()
    );
    assert_eq!(balance().await, CREDITS - credits);
    db.grant(&account, 3 - balance().await as i64, "to 3")
        .await
        .unwrap();
    let reply = service.post("/universe/noir/create", body).await;
    reply.assert_refused(402, "BIZ_INSUFFICIENT_CREDITS");
    assert_eq!(reply.at("/error/details/required"), 6);
    assert_eq!(reply.at("/error/details/available"), 3);
    assert_eq!(balance().await, 3);
    let reply = service.post("/short", r#"{"prompt": "A"}"#).await;
    reply.assert_refused(402, "BIZ_INSUFFICIENT_CREDITS");
}
