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
        let is_told = reply.text("/error/message").contains("POST /rewrite");
        assert_eq!(is_told, code == "needs_canonical_rewrite");
    }
}

/// Without a model that sees, a character is measured colors: marked, and nothing that a provider is told.
#[tokio::test]
async fn a_character_that_is_only_measured_says_so_until_it_is_described() {
    let service = Service::new().await;
    let small = png(200, 260);
    let reply = service
        .form("creator", "/characters", ("image", "Mara.png", &small))
        .await;
    assert!(reply.status.is_success(), "{:?}", reply.body);
    assert_eq!(reply.at("/data/characters/0/isMeasured"), true);
    let notes = reply.at("/data/notes").to_string();
    assert!(notes.contains("200x260 px and was enlarged"), "{notes}");
    assert!(notes.contains("measured colors"), "{notes}");
    let path = format!("PATCH /characters/{}", reply.text("/data/characters/0/id"));
    let named = service.call("creator", &path, r#"{"name": "Ada"}"#).await;
    assert_eq!(
        named.at("/data/isMeasured"),
        true,
        "a name describes nothing"
    );
    let body = r#"{"description": "keeps the light", "appearance": "", "clothing": "a red coat"}"#;
    let told = service.call("creator", &path, body).await;
    assert_eq!(told.at("/data/isMeasured"), false);
    assert_eq!(
        told.text("/data/characterPrompt"),
        "keeps the light; a red coat"
    );
    let tiny = service
        .form("creator", "/characters", ("image", "a.png", &png(40, 300)))
        .await;
    tiny.assert_refused(400, "VAL_INVALID_FORMAT");
}
