//! Characters: voices that there may be, and names that stand for one.

use crate::client::Service;
use crate::files::png;

/// A saved character of that name.
async fn saved(service: &Service, name: &str) -> String {
    let file = format!("{name}.png");
    let reply = service
        .form("creator", "/characters", ("image", &file, &png(300, 300)))
        .await;
    assert_eq!(reply.text("/data/characters/0/name"), name);
    reply.text("/data/characters/0/id")
}

#[tokio::test]
async fn a_character_has_a_voice_that_there_may_be() {
    let service = Service::new().await;
    let path = format!("PATCH /characters/{}", saved(&service, "Anna").await);
    for (id, is_known) in [
        ("nope", false),
        ("alloy", true),
        ("zWDA589rUKXuLnPRDtAG", true),
        ("cast:1:woman", true),
    ] {
        let body = format!(r#"{{"voiceId": "{id}"}}"#);
        let reply = service.call("creator", &path, &body).await;
        if is_known {
            assert_eq!(reply.text("/data/voiceId"), id);
        } else {
            reply.assert_refused(400, "VAL_INVALID_FORMAT");
            assert_eq!(reply.text("/error/details/field"), "voiceId");
        }
    }
}

/// Rule 5: a handle stands for one character, location or object.
#[tokio::test]
async fn names_that_stand_for_two_are_refused_before_anything_is_made() {
    let service = Service::new().await;
    let (anna, twin) = (saved(&service, "Anna").await, saved(&service, "Anna").await);
    let script = |characters: &str, locations: &str| {
        format!(
            "## Scene 1: A (2s)\n#### Shot 1.1 (2s)\n@Anna in the fog.\n## Reusable Elements\nCharacters: {characters}\nLocations: {locations}\nObjects: (none)"
        )
    };
    let (as_one, as_place) = (script("@Anna", "(none)"), script("(none)", "@Anna"));
    let inline = serde_json::json!({ "name": "ANNA", "description": "a keeper" });
    let both = serde_json::json!([anna, twin]);
    let mixed = serde_json::json!([inline, anna]);
    let alone = serde_json::json!([anna]);
    let cases = [
        (None, &alone, None),
        (Some(&as_one), &alone, None),
        (None, &both, Some(("VAL_INVALID_FORMAT", "characters[1]"))),
        (None, &mixed, Some(("VAL_INVALID_FORMAT", "characters[1]"))),
        (
            Some(&as_one),
            &both,
            Some(("needs_canonical_rewrite", "userScript")),
        ),
        (
            Some(&as_one),
            &mixed,
            Some(("needs_canonical_rewrite", "userScript")),
        ),
        (
            Some(&as_place),
            &alone,
            Some(("needs_canonical_rewrite", "userScript")),
        ),
    ];
    for (script, characters, refused) in cases {
        let mut body = serde_json::json!({ "characters": characters });
        match script {
            Some(script) => body["userScript"] = script.as_str().into(),
            None => body["prompt"] = "A".into(),
        }
        let path = "/universe/noir/create";
        let reply = service.post(path, &body.to_string()).await;
        let Some((code, field)) = refused else {
            assert!(reply.status.is_success(), "{:?}", reply.body);
            continue;
        };
        reply.assert_refused(400, code);
        assert_eq!(reply.text("/error/details/field"), field);
        assert!(!reply.text("/error/details/reason").is_empty());
    }
}
