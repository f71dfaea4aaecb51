//! What belongs to another account is as unknown as what nobody has: the same answers, but for the ids in them.

use serde_json::{Value, json};

use crate::client::{Reply, Service};
use crate::files::{png, wav};

/// An answer without what differs by request.
fn bare(reply: &Reply, id: &str) -> (u16, String) {
    let mut body = reply.json();
    body["error"]["requestId"] = Value::Null;
    (reply.status.as_u16(), body.to_string().replace(id, "ID"))
}

#[tokio::test]
async fn a_stranger_learns_nothing_by_asking() {
    let service = Service::new().await;
    let short = service
        .post("/short", r#"{"prompt": "secret"}"#)
        .await
        .text("/data/id");
    let made = service
        .post("/universe/noir/create", r#"{"prompt": "secret"}"#)
        .await;
    let universe = made.text("/data/requestId");
    let own = r#"{"name": "Mine", "slug": "mine", "aiStyleByDefault": true}"#;
    assert!(service.post("/universes", own).await.status.is_success());
    let saved = service
        .form(
            "creator",
            "/characters",
            ("image", "Anna.png", &png(300, 300)),
        )
        .await;
    let character = saved.text("/data/characters/0/id");
    let sent = service
        .form("creator", "/uploads", ("file", "voice.wav", &wav(1.0)))
        .await;
    let upload = sent.text("/data/key");
    let hook = service
        .post("/webhooks", r#"{"url": "https://example.org/"}"#)
        .await;
    let webhook = hook.text("/data/id");
    let unknown_run = "run_ffffffffffffffffffffffffffffffff";
    let cases: Vec<(&str, String, &str, Value)> = vec![
        (
            "GET /short?runId=ID",
            short.clone(),
            unknown_run,
            Value::Null,
        ),
        (
            "GET /universe/status?requestId=ID",
            universe,
            unknown_run,
            Value::Null,
        ),
        ("GET /runs/ID", short.clone(), unknown_run, Value::Null),
        (
            "GET /runs/ID/events",
            short.clone(),
            unknown_run,
            Value::Null,
        ),
        (
            "POST /runs/ID/cancel",
            short.clone(),
            unknown_run,
            Value::Null,
        ),
        ("POST /runs/ID/retry", short, unknown_run, Value::Null),
        ("GET /universe/ID", "mine".into(), "thine", Value::Null),
        (
            "PUT /universe/ID",
            "mine".into(),
            "thine",
            json!({ "name": "x", "aiStyleByDefault": true }),
        ),
        ("DELETE /universe/ID", "mine".into(), "thine", Value::Null),
        (
            "POST /universe/ID/create",
            "mine".into(),
            "thine",
            json!({ "prompt": "A" }),
        ),
        (
            "POST /universe/ID/estimate",
            "mine".into(),
            "thine",
            json!({ "prompt": "A" }),
        ),
        (
            "GET /characters/ID",
            character.clone(),
            "00000000-0000-4000-8000-0000000000ff",
            Value::Null,
        ),
        (
            "PATCH /characters/ID",
            character.clone(),
            "00000000-0000-4000-8000-0000000000ff",
            json!({ "voiceId": "flite:slt" }),
        ),
        (
            "DELETE /characters/ID",
            character.clone(),
            "00000000-0000-4000-8000-0000000000ff",
            Value::Null,
        ),
        (
            "POST /universe/noir/create",
            character,
            "00000000-0000-4000-8000-0000000000ff",
            json!({ "prompt": "A", "characters": ["ID"] }),
        ),
        (
            "DELETE /uploads/ID",
            upload.clone(),
            "aud_ffffffffffffffffffffffffffffffff",
            Value::Null,
        ),
        (
            "POST /universe/noir/create",
            upload,
            "aud_ffffffffffffffffffffffffffffffff",
            json!({ "voiceoverKey": "ID" }),
        ),
        (
            "DELETE /webhooks/ID",
            webhook,
            "wh_ffffffffffffffffffffffffffffffff",
            Value::Null,
        ),
    ];
    for (line, foreign, unknown, body) in cases {
        assert!(!foreign.is_empty(), "{line}");
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let ask = async |id: &str| {
            let reply = service
                .call("other", &line.replace("ID", id), &body.replace("ID", id))
                .await;
            assert!(reply.status.is_client_error(), "{line}: {}", reply.status);
            bare(&reply, id)
        };
        assert_eq!(ask(&foreign).await, ask(unknown).await, "{line}");
    }
    // Nothing of it was changed or shows up in lists.
    for list in [
        "/runs",
        "/characters",
        "/uploads",
        "/webhooks",
        "/webhooks/deliveries",
    ] {
        let reply = service.call("other", &format!("GET {list}"), "").await;
        let data = reply.at("/data");
        let lists = data
            .as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_array);
        assert!(lists.into_iter().all(Vec::is_empty), "{list}: {data}");
        let own = service.get(list).await.at("/data");
        let n = own
            .as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_array)
            .map(Vec::len)
            .sum::<usize>();
        assert!(n > 0 || list.ends_with("deliveries"), "{list}: {own}");
    }
    assert_eq!(
        service.get("/universe/mine").await.text("/data/name"),
        "Mine"
    );
}
