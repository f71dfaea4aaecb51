//! What belongs to another account is as unknown as what nobody has: the same answers, but for the ids in them.

use serde_json::Value;

use crate::client::{Reply, Service};
use crate::files::{png, wav};

/// An answer without what differs by request.
fn bare(reply: &Reply, id: &str) -> (u16, String) {
    let mut body = reply.json();
    body["error"]["requestId"] = Value::Null;
    (reply.status.as_u16(), body.to_string().replace(id, "ID"))
}

const NO_RUN: &str = "run_ffffffffffffffffffffffffffffffff";
const NO_WEBHOOK: &str = "wh_ffffffffffffffffffffffffffffffff";
const NO_UPLOAD: &str = "aud_ffffffffffffffffffffffffffffffff";
const NO_CHARACTER: &str = "00000000-0000-4000-8000-0000000000ff";

/// What an account has, by ids.
struct Owned {
    short: String,
    universe: String,
    character: String,
    upload: String,
    webhook: String,
}

/// Makes one of each.
async fn owned(service: &Service) -> Owned {
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
    Owned {
        short,
        universe,
        character,
        upload,
        webhook,
    }
}

/// Calls that name a thing, `ID` for its id, and their bodies.
type Calls = &'static [(&'static str, &'static str)];

const SHORT: Calls = &[
    ("GET /short?runId=ID", ""),
    ("GET /runs/ID", ""),
    ("GET /runs/ID/events", ""),
    ("POST /runs/ID/cancel", ""),
    ("POST /runs/ID/retry", ""),
];
const UNIVERSE_RUN: Calls = &[("GET /universe/status?requestId=ID", "")];
const UNIVERSE: Calls = &[
    ("GET /universe/ID", ""),
    (
        "PUT /universe/ID",
        r#"{"name": "x", "aiStyleByDefault": true}"#,
    ),
    ("DELETE /universe/ID", ""),
    ("POST /universe/ID/create", r#"{"prompt": "A"}"#),
    ("POST /universe/ID/estimate", r#"{"prompt": "A"}"#),
];
const CHARACTER: Calls = &[
    ("GET /characters/ID", ""),
    ("PATCH /characters/ID", r#"{"voiceId": "flite:slt"}"#),
    ("DELETE /characters/ID", ""),
    (
        "POST /universe/noir/create",
        r#"{"prompt": "A", "characters": ["ID"]}"#,
    ),
];
const UPLOAD: Calls = &[
    ("DELETE /uploads/ID", ""),
    ("POST /universe/noir/create", r#"{"voiceoverKey": "ID"}"#),
];
const WEBHOOK: Calls = &[("DELETE /webhooks/ID", "")];

/// What another account has, what nobody has instead, and the calls that name it.
fn calls(owned: Owned) -> Vec<(String, &'static str, Calls)> {
    vec![
        (owned.short, NO_RUN, SHORT),
        (owned.universe, NO_RUN, UNIVERSE_RUN),
        ("mine".into(), "thine", UNIVERSE),
        (owned.character, NO_CHARACTER, CHARACTER),
        (owned.upload, NO_UPLOAD, UPLOAD),
        (owned.webhook, NO_WEBHOOK, WEBHOOK),
    ]
}

#[tokio::test]
async fn a_stranger_learns_nothing_by_asking() {
    let service = Service::new().await;
    let owned = Box::pin(owned(&service)).await;
    for (foreign, unknown, calls) in calls(owned) {
        assert!(!foreign.is_empty(), "{calls:?}");
        for (line, body) in calls {
            let ask = async |id: &str| {
                let (line, body) = (line.replace("ID", id), body.replace("ID", id));
                let reply = service.call("other", &line, &body).await;
                assert!(reply.status.is_client_error(), "{line}: {}", reply.status);
                bare(&reply, id)
            };
            assert_eq!(ask(&foreign).await, ask(unknown).await, "{line}");
        }
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
