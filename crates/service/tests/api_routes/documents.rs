//! The OpenAPI document, its page, and what stands beside the interface.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::Request;
use kinora_service::routes::OPERATIONS;
use serde_json::Value;

use crate::client::{Reply, Service};

async fn get(service: &Service, path: &str) -> Reply {
    service
        .send(Request::get(path).body(Body::empty()).unwrap())
        .await
}

/// Every `$ref` of a document.
fn references<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str));
            map.values().for_each(|value| references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[tokio::test]
async fn the_document_names_every_operation_and_leads_nowhere_that_is_not() {
    let service = Service::new().await;
    let document = get(&service, "/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "1.0.0");
    assert_eq!(
        document["servers"][0]["url"],
        "https://video.example.org/api/v1"
    );
    let mut ids = BTreeSet::new();
    for operation in OPERATIONS {
        let row = &document["paths"][operation.path][operation.method];
        assert_eq!(row["operationId"], operation.id, "{}", operation.path);
        assert!(ids.insert(operation.id), "{} stands twice", operation.id);
        for name in operation.path.split(['{', '}']).skip(1).step_by(2) {
            assert!(
                operation
                    .params
                    .iter()
                    .any(|p| p.name == name && p.place == "path"),
                "{name}"
            );
        }
        for (to, param, _) in operation.links {
            let to = OPERATIONS.iter().find(|o| o.id == *to).unwrap();
            assert!(
                to.params.iter().any(|p| p.name == *param),
                "{param} of {}",
                to.id
            );
        }
    }
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 20);
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    // What is served is what is told: every other method of a path is refused.
    for (path, row) in document["paths"].as_object().unwrap() {
        let path = path
            .replace("{slug}", "noir")
            .replace("{id}", "x")
            .replace("{key}", "x");
        let path = if path == "/universe/status" {
            "/universe/status?requestId=run_0".into()
        } else {
            path
        };
        for method in ["get", "post", "put", "patch", "delete"] {
            let line = format!("{} {path}", method.to_uppercase());
            let is_told = row.get(method).is_some();
            let status = service.call("creator", &line, "").await.status.as_u16();
            assert_eq!(status != 405, is_told, "{line}: {status}");
        }
    }
}

#[tokio::test]
async fn the_page_shows_every_operation_without_scripts() {
    let service = Service::new().await;
    let page = get(&service, "/docs").await;
    let text = String::from_utf8(page.body.to_vec()).unwrap();
    assert!(OPERATIONS.iter().all(|o| text.contains(o.summary)));
    assert!(!text.contains("<script"));
    assert!(text.contains("<main") && text.contains("<a href=\"/\">"));
    assert_eq!(
        text.matches("<pre").count(),
        text.matches("<pre tabindex=\"0\"").count()
    );
    let links: BTreeSet<&str> = text
        .split("href=\"#")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(links.len() > 20, "references are links");
    for id in links {
        assert!(text.contains(&format!(" id=\"{id}\"")), "{id}");
    }
    assert!(
        page.header("content-security-policy")
            .contains("default-src 'none'")
    );
}

#[tokio::test]
async fn probes_say_whether_to_send_requests() {
    let service = Service::new().await;
    assert_eq!(get(&service, "/healthz").await.status.as_u16(), 200);
    assert_eq!(get(&service, "/readyz").await.status.as_u16(), 200);
    service.app.stopping.cancel();
    assert_eq!(get(&service, "/readyz").await.status.as_u16(), 503);
    assert_eq!(get(&service, "/healthz").await.status.as_u16(), 200);
}

#[tokio::test]
async fn lists_have_every_name_of_the_interface() {
    let service = Service::new().await;
    for (path, pointer, n) in [
        ("/music", "/data/tracks", 39),
        ("/captions", "/data/captions", 20),
        ("/transitions", "/data/transitions", 23),
        ("/models", "/data/models", 52),
        ("/styles", "/data/scripts", 11),
    ] {
        let reply = service.get(path).await;
        let list = reply.at(pointer);
        let list = list
            .as_array()
            .unwrap_or_else(|| panic!("{path}: {:?}", reply.body));
        assert_eq!(list.len(), n, "{path}");
    }
    assert!(service.get("/voices").await.status.is_success());
    // Offline, what nobody makes here is told as such.
    assert!(
        service
            .get("/models")
            .await
            .at("/data/models")
            .as_array()
            .unwrap()
            .iter()
            .all(|m| m["isAvailable"] == false)
    );
    assert!(
        service
            .get("/captions")
            .await
            .at("/data/captions")
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["isAvailable"] == true)
    );
}

#[tokio::test]
async fn a_runs_events_end_with_it() {
    let service = Service::new().await;
    let id = service
        .post("/short", r#"{"prompt": "A"}"#)
        .await
        .text("/data/id");
    assert!(
        service
            .post(&format!("/runs/{id}/cancel"), "")
            .await
            .status
            .is_success()
    );
    let reply = service.get(&format!("/runs/{id}/events")).await;
    assert_eq!(reply.header("content-type"), "text/event-stream");
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let data = text
        .lines()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["status"], "FAILED");
    assert!(text.starts_with("event: status\n"), "{text}");
}

#[tokio::test]
async fn browsers_of_other_origins_may_call() {
    let service = Service::new().await;
    let request = Request::builder()
        .method("OPTIONS")
        .uri("/api/v1/short")
        .header("origin", "https://example.org")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "x-api-key,content-type")
        .body(Body::empty())
        .unwrap();
    let reply = service.send(request).await;
    assert!(reply.status.is_success());
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert!(reply.header("access-control-allow-credentials").is_empty());
    assert!(
        reply
            .header("access-control-allow-headers")
            .contains("x-api-key")
    );
}
