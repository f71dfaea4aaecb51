//! Keys are shown once and end when they are revoked; webhooks and credits.

use axum::http::StatusCode;
use kinora_service::db::Plan;

use crate::client::Service;

#[tokio::test]
async fn a_key_is_shown_once_and_opens_until_it_is_revoked() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/keys").await;
    let made = client
        .send("/keys", &page, &[("name", "my robot"), ("kind", "live")])
        .await;
    let key = made
        .text
        .split("id=\"new-key\">")
        .nth(1)
        .unwrap()
        .split('<')
        .next()
        .unwrap()
        .to_owned();
    assert!(key.starts_with("kin_live_"), "{key}");
    let caller = service.app.db.caller(&key).await.unwrap().unwrap();
    assert_eq!(
        (caller.account.email.as_str(), caller.is_sandbox),
        ("ada@example.org", false)
    );
    let page = client.get("/keys").await;
    assert!(page.text.contains("my robot") && !page.text.contains(&key));

    let revoke = page
        .text
        .split("action=\"")
        .find(|part| part.contains("/revoke\""))
        .unwrap();
    let revoke = revoke.split('"').next().unwrap().to_owned();
    let done = client.send(&revoke, &page, &[]).await;
    assert_eq!(done.location(), "/keys?done=key-revoked");
    assert!(service.app.db.caller(&key).await.unwrap().is_none());
    assert_eq!(
        client.send(&revoke, &page, &[]).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_free_plan_has_trial_keys_only() {
    let service = Service::with(|config| config.server.welcome_plan = Plan::Free).await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/keys").await;
    assert!(!page.text.contains("Live: takes credits"));
    let made = client
        .send("/keys", &page, &[("name", "x"), ("kind", "live")])
        .await;
    assert!(made.text.contains("kin_test_") && !made.text.contains("kin_live_"));
}

#[tokio::test]
async fn webhooks_are_checked_shown_once_and_deleted() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/webhooks").await;
    for bad in [
        "not a url",
        "http://example.org/hook",
        "file:///etc/passwd",
        "https://me:secret@example.org/",
    ] {
        let answer = client.send("/webhooks", &page, &[("url", bad)]).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
        assert!(answer.text.contains("url-problem"));
    }
    let made = client
        .send("/webhooks", &page, &[("url", "https://example.org/hook")])
        .await;
    let secret = service
        .app
        .db
        .webhooks(&account(&service).await)
        .await
        .unwrap()[0]
        .secret
        .clone();
    assert!(made.text.contains(&secret));
    let page = client.get("/webhooks").await;
    assert!(page.text.contains("https://example.org/hook") && !page.text.contains(&secret));
    let delete = page
        .text
        .split("action=\"")
        .find(|part| part.contains("/delete\""))
        .unwrap();
    let delete = delete.split('"').next().unwrap().to_owned();
    assert_eq!(
        client.send(&delete, &page, &[]).await.location(),
        "/webhooks?done=webhook-deleted"
    );
    assert!(
        !client
            .get("/webhooks")
            .await
            .text
            .contains("https://example.org/hook\"")
    );
}

async fn account(service: &Service) -> String {
    let found = service
        .app
        .db
        .account_by_email("ada@example.org")
        .await
        .unwrap();
    found.unwrap().0.id
}

#[tokio::test]
async fn the_ledger_says_what_changed_the_balance() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    service
        .app
        .db
        .grant(&account(&service).await, 1500, "from a friend")
        .await
        .unwrap();
    let page = client.get("/credits").await;
    for text in ["1,600", "+1,500", "from a friend", "Granted"] {
        assert!(page.text.contains(text), "{text}");
    }
    let form = client.get("/new").await;
    let run = client
        .send("/new", &form, &[("prompt", "A quiet lake")])
        .await;
    assert!(run.location().starts_with("/runs/"), "{}", run.text);
    let page = client.get("/credits").await;
    assert!(
        page.text.contains("Held") && page.text.contains("−5"),
        "{}",
        page.text
    );
    let page = client.get("/runs").await;
    let cancelled = client
        .send(
            &format!("{}/cancel", run.location().split('?').next().unwrap()),
            &page,
            &[],
        )
        .await;
    assert!(cancelled.location().ends_with("?done=cancelled"));
    let page = client.get("/credits").await;
    assert!(page.text.contains("Given back") && page.text.contains("1,600"));
}
