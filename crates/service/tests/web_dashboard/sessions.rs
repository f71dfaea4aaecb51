//! Signing up, in and out: cookies, tokens, limits, and what strangers may learn.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};

use crate::client::{PASSWORD, Service};
use crate::support::Store;

#[tokio::test]
async fn a_new_account_is_signed_in_and_out_again() {
    let service = Service::new().await;
    let mut client = service.member("Ada@Example.org").await;
    let start = client.get("/").await;
    assert_eq!(start.status, StatusCode::OK);
    assert!(start.text.contains("100 credits"), "{}", start.text);
    let session = client.cookies["kinora"].clone();
    let kept = std::fs::read(service.folder.path().join("kinora.db")).unwrap();
    let is_kept = |secret: &str| {
        kept.windows(secret.len())
            .any(|bytes| bytes == secret.as_bytes())
    };
    assert!(!is_kept(&session), "the token itself is nowhere");

    let out = client.send("/sign-out", &start, &[]).await;
    assert_eq!(out.location(), "/sign-in");
    client.cookies.insert("kinora".into(), session);
    assert_eq!(
        client.get("/").await.location(),
        "/sign-in",
        "the session has ended, not only its cookie"
    );

    let page = client.get("/sign-in?next=/keys").await;
    let next = page.hidden("next");
    let back = client
        .send(
            "/sign-in",
            &page,
            &[
                ("email", " ada@example.ORG "),
                ("password", PASSWORD),
                ("next", &next),
            ],
        )
        .await;
    assert_eq!(back.location(), "/keys");
}

#[tokio::test]
async fn cookies_are_for_this_host_and_no_script() {
    let service =
        Service::with(|config| config.server.public_url = Some("https://video.example.org".into()))
            .await;
    let mut client = service.visitor();
    let page = client.get("/sign-up").await;
    let answer = client
        .send(
            "/sign-up",
            &page,
            &[("email", "a@b.org"), ("password", PASSWORD)],
        )
        .await;
    let cookies: Vec<_> = answer
        .headers
        .get_all(header::SET_COOKIE)
        .iter()
        .map(|line| line.to_str().unwrap())
        .collect();
    let session = cookies
        .iter()
        .find(|line| line.starts_with("__Host-kinora="))
        .unwrap();
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Lax", "; Secure"] {
        assert!(session.contains(part), "{session}");
    }
    assert!(!session.contains("Domain"));
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_are_answered_alike() {
    let service = Service::new().await;
    service.member("known@example.org").await;
    let mut answers = Vec::new();
    for email in ["known@example.org", "unkno@example.org"] {
        let mut client = service.visitor();
        let page = client.get("/sign-in").await;
        let token = page.hidden("csrf");
        let answer = client
            .send(
                "/sign-in",
                &page,
                &[("email", email), ("password", "not the password")],
            )
            .await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        assert!(!client.cookies.contains_key("kinora"));
        answers.push(answer.text.replace(email, "").replace(&token, ""));
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn accounts_need_an_address_that_is_free_and_a_password_that_is_long() {
    let service = Service::new().await;
    service.member("taken@example.org").await;
    for (email, password, told) in [
        ("taken@example.org", PASSWORD, "No account can be made"),
        ("new@example.org", "too short", "at least 10 characters"),
        ("nothing", PASSWORD, "not an email address"),
    ] {
        let mut client = service.visitor();
        let page = client.get("/sign-up").await;
        let answer = client
            .send(
                "/sign-up",
                &page,
                &[("email", email), ("password", password)],
            )
            .await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer.text.contains(told), "{email}: {}", answer.text);
        assert!(
            !answer.text.contains(password),
            "a password is never sent back"
        );
        assert!(!client.cookies.contains_key("kinora"));
    }
    let closed = Service::with(|config| config.server.sign_up = false).await;
    assert_eq!(
        closed.visitor().get("/sign-up").await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn tries_are_counted_for_an_account_and_for_a_network_address() {
    let service = Service::new().await;
    service.member("ada@example.org").await;
    let mut client = service.visitor();
    let page = client.get("/sign-in").await;
    let wrong = [
        ("email", "ada@example.org"),
        ("password", "not the password"),
    ];
    for _ in 0..10 {
        assert_eq!(
            client.send("/sign-in", &page, &wrong).await.status,
            StatusCode::UNAUTHORIZED
        );
    }
    assert_eq!(
        client.send("/sign-in", &page, &wrong).await.status,
        StatusCode::TOO_MANY_REQUESTS
    );
    let right = [("email", "ada@example.org"), ("password", PASSWORD)];
    assert_eq!(
        client.send("/sign-in", &page, &right).await.status,
        StatusCode::TOO_MANY_REQUESTS
    );

    let mut stranger = service.visitor();
    stranger.from = Some("192.0.2.7:5000".parse().unwrap());
    let page = stranger.get("/sign-up").await;
    for _ in 0..30 {
        let answer = stranger
            .send("/sign-up", &page, &[("email", "x"), ("password", "x")])
            .await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let answer = stranger
        .send("/sign-up", &page, &[("email", "x"), ("password", "x")])
        .await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn nothing_is_done_without_the_forms_token() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let mut other = service.member("eve@example.org").await;
    let foreign = other.get("/keys").await.hidden("csrf");
    for path in [
        "/sign-out",
        "/keys",
        "/keys/key_1/revoke",
        "/new",
        "/new/estimate",
        "/runs/run_1/cancel",
        "/runs/run_1/retry",
        "/universes",
        "/universes/a",
        "/universes/a/delete",
        "/universes/a/new",
        "/universes/a/new/estimate",
        "/characters/a/voice",
        "/characters/a/delete",
        "/uploads/a/delete",
        "/webhooks",
        "/webhooks/a/delete",
        "/account/password",
    ] {
        for token in ["", "nonsense", &foreign] {
            let answer = client.post(path, &[("csrf", token), ("name", "x")]).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {token}");
        }
        let answer = service.visitor().post(path, &[("csrf", &foreign)]).await;
        assert_eq!(answer.location(), "/sign-in?ended=1", "{path}");
    }
    for path in ["/characters", "/uploads"] {
        let body = "--b\r\ncontent-disposition: form-data; name=\"csrf\"\r\n\r\nnonsense\r\n--b\r\n\
                    content-disposition: form-data; name=\"NAME\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n";
        let body = body.replace("NAME", if path == "/uploads" { "file" } else { "image" });
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=b")
            .body(Body::from(body));
        assert_eq!(
            client.call(request.unwrap()).await.status,
            StatusCode::FORBIDDEN,
            "{path}"
        );
    }
    let keys = client.get("/keys").await;
    assert_eq!(keys.status, StatusCode::OK, "still signed in");
    assert!(keys.text.contains("No keys yet"));
    let mut fresh = service.visitor();
    for path in ["/sign-in", "/sign-up"] {
        let answer = fresh
            .post(
                path,
                &[("email", "ada@example.org"), ("password", PASSWORD)],
            )
            .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
    }
}

#[tokio::test]
async fn who_sends_a_form_after_the_session_is_told_and_comes_back() {
    let service = Service::new().await;
    let mut stranger = service.visitor();
    let request = Request::post("/new")
        .header(header::REFERER, "http://127.0.0.1:8080/new?from=run_1")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from("csrf=old"));
    let answer = stranger.call(request.unwrap()).await;
    assert_eq!(
        answer.location(),
        "/sign-in?ended=1&next=%2Fnew%3Ffrom%3Drun_1"
    );
    let page = stranger.get(answer.location()).await;
    assert!(
        page.text.contains("Your session has ended"),
        "{}",
        page.text
    );
    assert_eq!(page.hidden("next"), "/new?from=run_1");
}

#[tokio::test]
async fn who_signs_in_where_no_cookie_is_kept_is_told_where_to_go() {
    let there = "https://video.example.org";
    let service = Service::with(|config| config.server.public_url = Some(there.into())).await;
    for (origin, told) in [
        (
            "http://192.0.2.7:8080",
            "configured for https://video.example.org",
        ),
        (there, "was open for more than an hour"),
    ] {
        let mut visitor = service.visitor();
        let token = visitor.get("/sign-in").await.hidden("csrf");
        // What a browser does with a cookie that is for https only.
        visitor.cookies.clear();
        let request = Request::post("/sign-in")
            .header(header::HOST, "192.0.2.7:8080")
            .header(header::ORIGIN, origin)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(format!(
                "csrf={token}&email=a%40b.org&password=x"
            )));
        let answer = visitor.call(request.unwrap()).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
        assert!(answer.text.contains(told), "{origin}: {}", answer.text);
    }
}

#[tokio::test]
async fn forms_of_other_sites_are_refused_even_with_a_token() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let token = client.get("/keys").await.hidden("csrf");
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let request = Request::post("/keys")
            .header(header::HOST, "127.0.0.1:8080")
            .header(name, value)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(format!("csrf={token}&name=stolen")));
        assert_eq!(
            client.call(request.unwrap()).await.status,
            StatusCode::FORBIDDEN,
            "{name}: {value}"
        );
    }
    assert!(!client.get("/keys").await.text.contains("stolen"));
}

#[tokio::test]
async fn a_new_password_ends_every_other_session() {
    let service = Service::new().await;
    let mut here = service.member("ada@example.org").await;
    let mut there = service.visitor();
    let page = there.get("/sign-in").await;
    there
        .send(
            "/sign-in",
            &page,
            &[("email", "ada@example.org"), ("password", PASSWORD)],
        )
        .await;
    assert_eq!(there.get("/").await.status, StatusCode::OK);

    let page = here.get("/account").await;
    let new = "another long password";
    for (current, again, told) in [
        ("wrong", new, "current password is not correct"),
        (PASSWORD, "different", "do not match"),
        (PASSWORD, "", "do not match"),
    ] {
        let answer = here
            .send(
                "/account/password",
                &page,
                &[("current", current), ("new", new), ("again", again)],
            )
            .await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer.text.contains(told), "{told}");
    }
    let answer = here
        .send(
            "/account/password",
            &page,
            &[("current", PASSWORD), ("new", new), ("again", new)],
        )
        .await;
    assert_eq!(answer.location(), "/account?done=password-changed");
    assert_eq!(here.get("/").await.status, StatusCode::OK);
    assert_eq!(there.get("/").await.location(), "/sign-in");
}

/// PostgreSQL knows no NUL: what holds one is nobody's.
#[tokio::test]
async fn a_nul_names_nothing() {
    let Some(store) = Store::postgres().await else {
        return;
    };
    let service = Service::with(|config| config.database = store.options.clone()).await;
    let mut visitor = service.visitor();
    let page = visitor.get("/sign-in").await;
    let fields = [("email", "a\0@b.org"), ("password", PASSWORD)];
    let refused = visitor.send("/sign-in", &page, &fields).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);

    let mut client = service.member("ada@example.org").await;
    assert_eq!(client.get("/runs/%00").await.status, StatusCode::NOT_FOUND);
    assert_eq!(
        client.get("/runs?before=1,%00").await.status,
        StatusCode::OK
    );
    let page = client.get("/keys").await;
    for path in [
        "/runs/%00/cancel",
        "/runs/%00/retry",
        "/keys/%00/revoke",
        "/webhooks/%00/delete",
    ] {
        let answer = client.send(path, &page, &[]).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}
