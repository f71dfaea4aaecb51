//! Forms of videos and universes: what is typed is what the interface would be sent, and what is wrong stands at its field.

use axum::http::StatusCode;
use kinora_service::order::Asked;
use kinora_studio::request::{CaptionStyle, Transition, UniverseSettings, WireName};
use serde_json::Value;

use crate::client::{Page, Service};

async fn order(service: &Service, page: &Page) -> Asked {
    let id = page
        .location()
        .strip_prefix("/runs/")
        .unwrap()
        .split('?')
        .next()
        .unwrap();
    let account = service
        .app
        .db
        .account_by_email("ada@example.org")
        .await
        .unwrap()
        .unwrap()
        .0;
    let run = service
        .app
        .db
        .run(&account.id, id, None)
        .await
        .unwrap()
        .unwrap();
    run.asked.order.asked
}

/// The fields of a form as a browser would send it untouched.
fn untouched(page: &Page) -> Vec<(String, String)> {
    let form = page
        .text
        .split("class=\"composer\"")
        .nth(1)
        .unwrap()
        .split("</form>")
        .next()
        .unwrap();
    let attribute = |tag: &str, name: &str| {
        let value = tag.split(&format!(" {name}=\"")).nth(1)?;
        Some(value.split('"').next().unwrap().replace("&amp;", "&"))
    };
    let mut fields = Vec::new();
    for tag in form.split('<') {
        let name = attribute(tag, "name");
        match (tag.split([' ', '>']).next().unwrap(), name) {
            ("select", Some(name)) => fields.push((name, String::new())),
            ("option", _) if tag.contains(" selected") => {
                fields.last_mut().unwrap().1 = attribute(tag, "value").unwrap()
            }
            ("input", Some(name))
                if attribute(tag, "type").unwrap() != "checkbox" || tag.contains(" checked") =>
            {
                fields.push((name, attribute(tag, "value").unwrap_or_default()));
            }
            ("textarea", Some(name)) => {
                fields.push((name, tag.split('>').nth(1).unwrap().trim().to_owned()))
            }
            _ => {}
        }
    }
    fields
}

#[tokio::test]
async fn an_untouched_form_asks_for_the_defaults() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/new?prompt=A+quiet+lake").await;
    let fields = untouched(&page);
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let made = client.post("/new", &fields).await;
    let Asked::Short { request } = order(&service, &made).await else {
        panic!("no Short");
    };
    let due = kinora_studio::request::ShortRequest {
        prompt: Some("A quiet lake".into()),
        ..Default::default()
    };
    assert_eq!(*request, due);

    let again = client.post("/new", &fields).await;
    assert_eq!(
        again.location(),
        made.location(),
        "the same form sent twice is one video"
    );
    let other = client.get("/new?prompt=A+quiet+lake").await;
    let made_again = client
        .send(
            "/new",
            &other,
            &[
                ("nonce", &other.hidden("nonce")),
                ("prompt", "A quiet lake"),
            ],
        )
        .await;
    assert_ne!(made_again.location(), made.location());
}

#[tokio::test]
async fn a_form_that_takes_up_a_run_asks_for_the_same() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/new").await;
    // A browser would refuse fields by itself, in groups that are folded up.
    assert!(page.text.contains("<form class=\"composer\" novalidate"));
    let typed = [
        ("prompt", "A lake"),
        ("musicConfig.volume", "0,33"),
        ("musicConfig.enabled", "true"),
    ];
    let made = client.send("/new", &page, &typed).await;
    let run = made.location().split(['/', '?']).nth(2).unwrap().to_owned();
    let again = client.get(&format!("/new?from={run}")).await;
    let fields = untouched(&again);
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let made_again = client.post("/new", &fields).await;
    assert_ne!(
        made_again.location(),
        made.location(),
        "{}",
        made_again.text
    );
    let (Asked::Short { request: first }, Asked::Short { request: second }) = (
        order(&service, &made).await,
        order(&service, &made_again).await,
    ) else {
        panic!("no Shorts");
    };
    assert_eq!((first.music_config.volume, first), (0.33, second));
}

/// A form's path, what is typed, what is said at the top.
const WRONG: &[(&str, &str, &str)] = &[
    ("/new", "", "Write a prompt, or a script of your own."),
    (
        "/new",
        "prompt=a&script=b",
        "Write either a prompt or a script",
    ),
    (
        "/new",
        "prompt=a&musicConfig.volume=loud",
        "“loud” is not a number",
    ),
    (
        "/new",
        "prompt=a&scriptConfig.targetLengthInWords=700",
        "Turn on “Trial”",
    ),
    (
        "/universes/noir/new",
        "",
        "Write a prompt or a script, or choose a recording.",
    ),
    (
        "/universes",
        "languages=en&aiStyleByDefault=true",
        "A slug is required, such as “my-series”.",
    ),
    (
        "/universes",
        "name=x&slug=new&languages=en&aiStyleByDefault=true",
        "“new” is a reserved path of the service; choose another.",
    ),
    (
        "/universes",
        "name=x&slug=y&languages=en",
        "Describe at least one look",
    ),
];

#[tokio::test]
async fn what_is_wrong_is_said_in_the_words_of_the_form() {
    let service = Service::with(|config| config.server.welcome_credits = 6).await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/new").await;
    for (path, typed, told) in WRONG {
        let typed: Vec<_> = url::form_urlencoded::parse(typed.as_bytes()).collect();
        let typed: Vec<_> = typed
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let answer = client.send(path, &page, &typed).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
        let (_, summary) = answer.text.split_once("class=\"summary\"").unwrap();
        let summary = summary.split("</div>").next().unwrap();
        assert!(summary.contains(told), "{path}: {told}: {summary}");
        for sign in ["`", "line 1", "body:"] {
            assert!(!summary.contains(sign), "{path}: {summary}");
        }
    }
    let live = client
        .send("/new/estimate", &page, &[("trial", "true")])
        .await;
    let live: Value = serde_json::from_str(&live.text).unwrap();
    assert_eq!(live["told"], "Write a prompt, or a script of your own.");
    let call = live["call"].as_str().unwrap();
    assert!(call.contains("a trial key"), "{call}");
}

#[tokio::test]
async fn every_option_of_a_short_is_in_the_form() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/new").await;
    let schema = serde_json::to_value(kinora_studio::request::ShortRequest::default()).unwrap();
    let mut paths = Vec::new();
    leaves(&schema, "", &mut paths);
    paths.extend(
        [
            "prompt",
            "script",
            "directorNotes",
            "imageConfig.recraftStyle",
            "imageConfig.loraConfig.loraSlug",
        ]
        .map(str::to_owned),
    );
    for path in paths {
        assert!(page.text.contains(&format!("name=\"{path}\"")), "{path}");
    }
    for name in CaptionStyle::names().chain(Transition::names()) {
        assert!(
            page.text.contains(&format!("<option value=\"{name}\"")),
            "{name}"
        );
    }
}

fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                leaves(value, &path, found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

#[tokio::test]
async fn what_is_wrong_stands_at_its_field_and_what_was_typed_stays() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/new").await;
    let typed = [
        ("prompt", "kept words"),
        ("script", "both"),
        ("musicConfig.volume", "loud"),
        ("scriptConfig.targetLengthInWords", "0"),
        ("aspectRatio", "16:9"),
    ];
    let answer = client.send("/new", &page, &typed).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    for id in [
        "f-script-problem",
        "f-musicConfig-volume-problem",
        "f-scriptConfig-targetLengthInWords-problem",
    ] {
        assert!(answer.text.contains(&format!("id=\"{id}\"")), "{id}");
    }
    assert!(answer.text.contains("href=\"#f-musicConfig-volume\""));
    assert!(
        answer.text.contains("kept words")
            && answer.text.contains("<option value=\"16:9\" selected>")
    );
    assert!(
        answer.text.contains("<details class=\"group\" open>"),
        "the folded group with a problem is open"
    );
}

#[tokio::test]
async fn an_estimate_makes_nothing_and_too_few_credits_are_told() {
    let service = Service::with(|config| config.server.welcome_credits = 6).await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/new").await;
    let estimate = client
        .send("/new", &page, &[("prompt", "A lake"), ("do", "estimate")])
        .await;
    assert!(
        estimate.text.contains("Your video is about") && estimate.text.contains("5 credits"),
        "{}",
        estimate.text
    );
    let live = client
        .send(
            "/new/estimate",
            &page,
            &[
                ("prompt", "A lake"),
                ("scriptConfig.targetLengthInWords", "700"),
            ],
        )
        .await;
    let live: Value = serde_json::from_str(&live.text).unwrap();
    assert!(live["told"].as_str().unwrap().contains("min"), "{live}");
    assert!(
        live["call"]
            .as_str()
            .unwrap()
            .contains("\"targetLengthInWords\": 700")
    );
    assert!(client.get("/runs").await.text.contains("any videos yet"));

    let dear = client
        .send(
            "/new",
            &page,
            &[
                ("prompt", "A lake"),
                ("scriptConfig.targetLengthInWords", "700"),
            ],
        )
        .await;
    assert_eq!(dear.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(dear.text.contains("but you have 6."), "{}", dear.text);
    let trial = client
        .send(
            "/new",
            &page,
            &[
                ("prompt", "A lake"),
                ("scriptConfig.targetLengthInWords", "700"),
                ("trial", "true"),
            ],
        )
        .await;
    assert!(trial.location().starts_with("/runs/"));
}

/// The untouched fields without one of them, which is typed anew.
fn with<'a>(
    fields: &'a [(String, String)],
    name: &'a str,
    value: &'a str,
) -> Vec<(&'a str, &'a str)> {
    let kept = fields.iter().filter(|(known, _)| known != name);
    let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
    kept.chain([(name, value)]).collect()
}

#[tokio::test]
async fn a_universe_is_copied_changed_and_deleted() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let fields = untouched(&client.get("/universes/new?copy=service-pixel-art").await);
    let wrong = client
        .post("/universes", &with(&fields, "slug", "Not A Slug"))
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.text.contains("f-slug-problem"));
    let saved = client
        .post("/universes", &with(&fields, "slug", "mine"))
        .await;
    assert_eq!(
        saved.location(),
        "/universes/mine?done=universe-saved",
        "{}",
        saved.text
    );
    let taken = client
        .post("/universes", &with(&fields, "slug", "mine"))
        .await;
    assert!(taken.text.contains("f-slug-problem"));

    let before = settings(&service, "mine").await;
    let edit = client.get("/universes/mine/edit").await;
    let fields = untouched(&edit);
    client
        .post("/universes/mine", &with(&fields, "name", "The same"))
        .await;
    assert_eq!(
        settings(&service, "mine").await,
        before,
        "looks keep their ids"
    );
    client
        .post("/universes/mine", &with(&fields, "languages", "en, de"))
        .await;
    assert_eq!(settings(&service, "mine").await.languages, ["en", "de"]);

    let built_in = client
        .send("/universes/service-pixel-art/delete", &edit, &[])
        .await;
    assert_eq!(built_in.status, StatusCode::FORBIDDEN);
    let deleted = client.send("/universes/mine/delete", &edit, &[]).await;
    assert_eq!(deleted.location(), "/universes?done=universe-deleted");
    assert_eq!(
        client.get("/universes/mine").await.status,
        StatusCode::NOT_FOUND
    );
}

async fn settings(service: &Service, slug: &str) -> UniverseSettings {
    let account = service.app.db.account_by_email("ada@example.org").await;
    let account = account.unwrap().unwrap().0.id;
    service
        .app
        .db
        .universe(&account, slug)
        .await
        .unwrap()
        .unwrap()
        .settings
}

#[tokio::test]
async fn a_video_in_a_universe_has_new_characters_and_a_canonical_script() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let path = "/universes/service-pixel-art/new";
    let page = client.get(path).await;
    let typed = [
        ("prompt", "A trip to the sea"),
        ("duration", "15"),
        ("new.1.name", "Mo"),
        ("new.1.description", "a sailor"),
        ("trial", "true"),
    ];
    let made = client.send(path, &page, &typed).await;
    let Asked::Universe {
        request, settings, ..
    } = order(&service, &made).await
    else {
        panic!("no universe");
    };
    assert_eq!(
        (
            settings.slug.as_str(),
            request.target_secs(),
            request.characters.len()
        ),
        ("service-pixel-art", 15, 1)
    );
    let wrong = client
        .send(path, &page, &[("prompt", "x"), ("new.0.name", "Mo")])
        .await;
    assert!(
        wrong.text.contains("f-new-0-description-problem"),
        "{}",
        wrong.text
    );

    let prose = "The keeper lights the lamp. The sea grows calm.";
    let refused = client.send(path, &page, &[("userScript", prose)]).await;
    assert!(refused.text.contains("f-userScript-problem"));
    let rewritten = client
        .send(
            path,
            &page,
            &[("userScript", prose), ("do", "rewrite"), ("trial", "true")],
        )
        .await;
    assert_eq!(rewritten.status, StatusCode::OK, "{}", rewritten.text);
    let (before, script) = rewritten
        .text
        .split_once("id=\"f-userScript-said\"")
        .unwrap();
    assert!(script.contains("The script was rewritten"));
    assert!(
        script.contains("Reusable Elements") && script.contains(" autofocus "),
        "{script}"
    );
    assert!(before.ends_with("<div class=\"said\" "), "{before}");
    assert!(
        before.contains("<details class=\"group\" open>"),
        "its group stays open"
    );
}
