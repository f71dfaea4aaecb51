//! `Idempotency-Key`: the same request gives the same run, another one is refused, keys are an account's own.

use axum::body::Body;
use axum::http::Request;

use crate::client::{Reply, Service};

async fn keyed(service: &Service, who: &str, path: &str, key: &str, body: &str) -> Reply {
    keyed_by(service, service.key(who), path, key, body).await
}

async fn keyed_by(service: &Service, by: &str, path: &str, key: &str, body: &str) -> Reply {
    let request = Request::post(format!("/api/v1{path}"))
        .header("x-api-key", by)
        .header("content-type", "application/json")
        .header("idempotency-key", key)
        .body(Body::from(body.to_owned()))
        .unwrap();
    service.send(request).await
}

#[tokio::test]
async fn the_same_request_makes_one_run() {
    let service = Service::new().await;
    let body = r#"{"prompt": "A"}"#;
    let first = keyed(&service, "creator", "/short", "once", body).await;
    let again = keyed(&service, "creator", "/short", "once", body).await;
    assert_eq!(first.at("/data"), again.at("/data"));
    assert_ne!(first.text("/requestId"), again.text("/requestId"));
    let runs = service.get("/runs").await;
    assert_eq!(runs.at("/data/runs").as_array().unwrap().len(), 1);
    for (path, body) in [
        ("/short", r#"{"prompt": "B"}"#),
        ("/universe/noir/create", body),
    ] {
        let other = keyed(&service, "creator", path, "once", body).await;
        other.assert_refused(422, "VAL_INVALID_FORMAT");
    }
    let strangers = keyed(&service, "other", "/short", "once", body).await;
    assert_ne!(strangers.text("/data/id"), first.text("/data/id"));
}

#[tokio::test]
async fn many_at_once_make_one_run() {
    let service = Service::new().await;
    let calls = (0..16).map(|_| keyed(&service, "creator", "/short", "once", r#"{"prompt": "A"}"#));
    let replies = futures_util::future::join_all(calls).await;
    let ids: Vec<String> = replies.iter().map(|reply| reply.text("/data/id")).collect();
    assert!(ids[0].starts_with("run_"), "{:?}", replies[0].body);
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[tokio::test]
async fn keys_have_1_to_255_visible_characters() {
    let service = Service::new().await;
    for (key, is_right) in [
        ("x".repeat(255), true),
        ("x".repeat(256), false),
        (String::new(), false),
        ("a b".into(), false),
    ] {
        let reply = keyed(&service, "creator", "/short", &key, r#"{"prompt": "A"}"#).await;
        if is_right {
            assert!(reply.status.is_success());
        } else {
            reply.assert_refused(400, "VAL_INVALID_FORMAT");
            assert_eq!(reply.text("/error/details/field"), "Idempotency-Key");
        }
    }
}

#[tokio::test]
async fn a_sandbox_key_of_the_account_has_keys_of_its_own() {
    let service = Service::new().await;
    let sandbox = service.sandbox_key_of("creator").await;
    let body = r#"{"prompt": "A"}"#;
    let tried = keyed_by(&service, &sandbox, "/short", "once", body).await;
    assert_eq!(tried.at("/data/estimatedCredits"), 0);
    let paid = keyed(&service, "creator", "/short", "once", body).await;
    assert_ne!(paid.text("/data/id"), tried.text("/data/id"));
    assert_ne!(paid.at("/data/estimatedCredits"), 0);
    let again = keyed_by(&service, &sandbox, "/short", "once", body).await;
    assert_eq!(again.at("/data"), tried.at("/data"));
}

#[tokio::test]
async fn the_answer_stays_when_what_it_names_is_deleted() {
    let service = Service::new().await;
    let own = r#"{"name": "Mine", "slug": "mine", "aiStyleByDefault": true}"#;
    assert!(service.post("/universes", own).await.status.is_success());
    let (path, body) = ("/universe/mine/create", r#"{"prompt": "A"}"#);
    let first = keyed(&service, "creator", path, "once", body).await;
    let gone = service.call("creator", "DELETE /universe/mine", "").await;
    assert_eq!(gone.status.as_u16(), 204);
    let again = keyed(&service, "creator", path, "once", body).await;
    assert_eq!(first.at("/data"), again.at("/data"));
    let other = keyed(&service, "creator", path, "twice", body).await;
    other.assert_refused(404, "BIZ_RESOURCE_NOT_FOUND");
}
