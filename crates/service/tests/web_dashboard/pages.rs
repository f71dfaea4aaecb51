//! Every page of a fresh account; what strangers see; what is escaped; what headers say.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};

use crate::client::{Client, Service};

/// Every page that has no id in its path.
pub const PAGES: &[&str] = &[
    "/",
    "/first-steps",
    "/new",
    "/runs",
    "/universes",
    "/universes/new",
    "/universes/new?copy=service-pixel-art",
    "/universes/service-pixel-art",
    "/universes/service-pixel-art/new",
    "/characters",
    "/uploads",
    "/keys",
    "/webhooks",
    "/credits",
    "/account",
];

#[tokio::test]
async fn every_page_of_a_fresh_account_is_there() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    for path in PAGES {
        let page = client.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.text);
        assert!(page.text.contains("<h1"), "{path}");
        assert!(page.text.contains("Skip to the content"), "{path}");
        let policy = page.headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .unwrap();
        assert!(
            policy.contains("script-src 'self'") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(page.headers[header::CACHE_CONTROL], "no-store");
        for inline in [
            "<style",
            " style=",
            " onclick=",
            "javascript:",
            "src=\"http",
            "href=\"http",
        ] {
            assert!(!page.text.contains(inline), "{path}: {inline}");
        }
        assert!(!page.text.contains("<script>"), "{path}");
    }
}

#[tokio::test]
async fn strangers_are_sent_to_the_door_and_come_back() {
    let service = Service::new().await;
    let mut stranger = service.visitor();
    for path in PAGES.iter().filter(|path| **path != "/") {
        let answer = stranger.get(path).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{path}");
        let next: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
        assert_eq!(answer.location(), format!("/sign-in?next={next}"), "{path}");
    }
    for path in [
        "/preview/caption/default",
        "/voices/flite:slt/sample.wav",
        "/runs/run_1/live",
    ] {
        assert!(
            stranger.get(path).await.location().starts_with("/sign-in"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_mistyped_address_is_a_page_for_browsers_only() {
    let service = Service::new().await;
    for (accept, kind) in [
        ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html"),
        ("*/*", ""),
    ] {
        let request = Request::get("/universs").header(header::ACCEPT, accept);
        let answer = service
            .visitor()
            .call(request.body(Body::empty()).unwrap())
            .await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        let found = answer.headers.get(header::CONTENT_TYPE);
        assert!(
            found
                .map_or("", |found| found.to_str().unwrap())
                .starts_with(kind)
        );
        assert_eq!(
            answer.headers.contains_key(header::CONTENT_SECURITY_POLICY),
            !kind.is_empty()
        );
    }
}

#[tokio::test]
async fn files_of_pages_are_kept_for_ever_and_others_are_not_there() {
    let service = Service::new().await;
    let mut stranger = service.visitor();
    let page = stranger.get("/sign-in").await;
    let paths = page
        .text
        .split('"')
        .filter(|part| part.starts_with("/assets/"));
    let paths: Vec<_> = paths.map(str::to_owned).collect();
    assert_eq!(paths.len(), 3, "icon, style, script");
    for path in paths {
        let file = stranger.get(&path).await;
        assert_eq!(file.status, StatusCode::OK, "{path}");
        assert_eq!(
            file.headers[header::CACHE_CONTROL],
            "public, max-age=31536000, immutable"
        );
        assert_eq!(file.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
    for path in [
        "/assets/style.css",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/style.0000000000000000.css",
    ] {
        assert_eq!(
            stranger.get(path).await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
}

/// What someone has made, all of it called by one name.
struct Made {
    /// The path of a video.
    run: String,
    key_id: String,
}

/// A key, the universe `mine` and a video.
async fn furnish(client: &mut Client, name: &str) -> Made {
    let page = client.get("/keys").await;
    let made = client
        .send("/keys", &page, &[("name", name), ("kind", "trial")])
        .await;
    assert_eq!(made.status, StatusCode::OK);
    let key_id = made
        .text
        .split("/keys/")
        .nth(1)
        .unwrap()
        .split('/')
        .next()
        .unwrap();
    let page = client.get("/universes/new").await;
    let universe = [
        ("name", name),
        ("slug", "mine"),
        ("languages", "en"),
        ("visualStyles.0.name", name),
        ("visualStyles.0.style", name),
    ];
    let saved = client.send("/universes", &page, &universe).await;
    assert_eq!(
        saved.location(),
        "/universes/mine?done=universe-saved",
        "{}",
        saved.text
    );
    let page = client.get("/new").await;
    let run = client
        .send("/new", &page, &[("prompt", name), ("trial", "true")])
        .await;
    assert!(run.location().starts_with("/runs/run_"), "{}", run.text);
    Made {
        run: run.location().split('?').next().unwrap().to_owned(),
        key_id: key_id.to_owned(),
    }
}

#[tokio::test]
async fn names_are_text_wherever_they_stand() {
    const NAME: &str = "<img src=x onerror=alert(1)>\"'&";
    let service = Service::new().await;
    let mut client = service.member("\"><b>@example.org").await;
    assert!(!client.get("/account").await.text.contains("<b>"));
    let made = furnish(&mut client, NAME).await;
    let pages = [
        "/keys",
        "/universes",
        "/universes/mine",
        "/universes/mine/edit",
        "/universes/mine/new",
        "/runs",
        "/runs/live",
        "/",
    ];
    for path in pages.into_iter().chain([made.run.as_str()]) {
        let page = client.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(
            page.text.contains("&lt;img src=x onerror=alert(1)&gt;"),
            "{path}: {}",
            page.text
        );
        assert!(!page.text.contains("<img src=x"), "{path}");
    }
    let page = client.get("/new").await;
    let wrong = client
        .send("/new", &page, &[("prompt", NAME), ("quality", NAME)])
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!wrong.text.contains("<img src=x"));
    let asked = client
        .get("/runs?done=%3Cscript%3E&before=%3Cscript%3E,%3Cscript%3E")
        .await;
    assert!(!asked.text.contains("<script>"));
}

#[tokio::test]
async fn what_is_another_accounts_is_not_there() {
    let service = Service::new().await;
    let mut ada = service.member("ada@example.org").await;
    let mut eve = service.member("eve@example.org").await;
    let Made { run, key_id } = furnish(&mut ada, "a quiet lake").await;
    assert_eq!(ada.get(&run).await.status, StatusCode::OK);

    let unknown = eve.get("/runs/run_00000000000000000000000000000000").await;
    let foreign = eve.get(&run).await;
    assert_eq!(
        (foreign.status, &foreign.text),
        (StatusCode::NOT_FOUND, &unknown.text)
    );
    let own = "/universes/mine";
    for path in [
        format!("{run}/live"),
        own.into(),
        format!("{own}/edit"),
        format!("{own}/new"),
        format!("/new?from={}", &run[6..]),
    ] {
        assert_eq!(eve.get(&path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let page = eve.get("/keys").await;
    let fields = [
        ("name", "x"),
        ("languages", "en"),
        ("aiStyleByDefault", "true"),
    ];
    for path in [
        format!("{run}/cancel"),
        format!("{run}/retry"),
        own.into(),
        format!("{own}/delete"),
        format!("/keys/{key_id}/revoke"),
    ] {
        let answer = eve.send(&path, &page, &fields).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    for path in ["/", "/runs", "/keys", "/universes", "/credits"] {
        assert!(!eve.get(path).await.text.contains("quiet lake"), "{path}");
    }
    assert!(ada.get(own).await.text.contains("quiet lake"));
    assert!(ada.get("/keys").await.text.contains("Revoke the key"));
}
