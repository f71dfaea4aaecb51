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
async fn a_form_that_is_sent_again_makes_nothing_more() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/keys").await;
    let nonce = page.hidden("nonce");
    let typed = [
        ("nonce", nonce.as_str()),
        ("name", "my robot"),
        ("kind", "live"),
    ];
    let made = client.send("/keys", &page, &typed).await;
    assert!(made.text.contains("new-key"));
    let again = client.send("/keys", &page, &typed).await;
    assert_eq!(again.location(), "/keys?done=key-sent-before");
    let account = account(&service).await;
    assert_eq!(service.app.db.keys(&account).await.unwrap().len(), 1);

    let page = client.get("/webhooks").await;
    let nonce = page.hidden("nonce");
    let wrong = [("nonce", nonce.as_str()), ("url", "nowhere")];
    let right = [
        ("nonce", nonce.as_str()),
        ("url", "https://example.org/hook"),
    ];
    client.send("/webhooks", &page, &wrong).await;
    let made = client.send("/webhooks", &page, &right).await;
    assert!(
        made.text.contains("secret"),
        "a form that was wrong was not sent yet"
    );
    let again = client.send("/webhooks", &page, &right).await;
    assert_eq!(again.location(), "/webhooks?done=webhook-sent-before");
    assert_eq!(service.app.db.webhooks(&account).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_message_that_is_tried_again_is_not_yet_lost() {
    let service = Service::new().await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/webhooks").await;
    client
        .send("/webhooks", &page, &[("url", "https://example.org/hook")])
        .await;
    let form = client.get("/new").await;
    let run = client
        .send("/new", &form, &[("prompt", "A lake"), ("trial", "true")])
        .await;
    let run = run.location().split('?').next().unwrap().to_owned();
    client.send(&format!("{run}/cancel"), &form, &[]).await;
    let (db, account) = (&service.app.db, account(&service).await);
    let id = db.deliveries(&account, 1).await.unwrap()[0].id.clone();
    for (n, told) in [
        (0, "Waiting"),
        (1, "Trying again"),
        (7, "Trying again"),
        (8, "Given up"),
    ] {
        while db.delivery(&id).await.unwrap().unwrap().n_attempts < n {
            db.attempted(&id, Some(500), Some("the response is not a success"), false)
                .await
                .unwrap();
        }
        let log = client.get("/webhooks").await.text;
        assert!(log.contains(told), "{n}: {log}");
        assert_eq!(log.contains("badge failed"), n == 8, "{n}");
    }
    db.attempted(&id, Some(204), None, true).await.unwrap();
    assert!(
        client
            .get("/webhooks")
            .await
            .text
            .contains("Delivered (204)")
    );
}

#[tokio::test]
async fn a_free_plan_has_trial_keys_only() {
    let service = Service::with(|config| config.server.welcome_plan = Plan::Free).await;
    let mut client = service.member("ada@example.org").await;
    let page = client.get("/keys").await;
    assert!(!page.text.contains("Live: costs credits"));
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
    assert!(page.text.contains("Returned") && page.text.contains("1,600"));
}
