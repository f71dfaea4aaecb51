//! What only a browser shows: forms that are sent whatever is folded up, what was typed after a session has ended, tables on a phone, the menu while scrolling.

use std::time::Duration;

use crate::browser::{DESKTOP, PHONE, Served, click, serve, sign_up, typed};
use crate::chromium::Chromium;
use crate::client::PASSWORD;

/// What a page takes to change.
const SOON: Duration = Duration::from_secs(10);

/// Runs in a browser of someone who is signed in.
async fn with_browser(use_it: impl FnOnce(&Chromium, &Served) + Send + 'static) {
    let served = serve().await;
    let stopping = served.service.app.stopping.clone();
    let done = tokio::task::spawn_blocking(move || {
        if let Some(browser) = Chromium::start() {
            sign_up(&browser, &served.base);
            use_it(&browser, &served);
        }
    });
    done.await.unwrap();
    stopping.cancel();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_is_sent_whatever_is_folded_up() {
    with_browser(|browser, served| {
        browser.go(&format!("{}/new", served.base));
        browser.value(&typed("f-prompt", "A quiet lake"));
        browser.value(&typed("f-musicConfig-volume", "0.33"));
        browser.value(&typed("f-scriptConfig-targetLengthInWords", "many"));
        assert_eq!(
            browser.value("document.querySelectorAll('details[open]').length"),
            0
        );
        browser.and_load(&click(".order .primary"));
        let shown =
            "document.getElementById('f-scriptConfig-targetLengthInWords').checkVisibility()";
        assert_eq!(
            browser.value(shown),
            true,
            "the group with the mistake is open"
        );
        browser.value(&typed("f-scriptConfig-targetLengthInWords", "12"));
        browser.and_load(&click(".order .primary"));
        let path = browser.value("location.pathname");
        assert!(path.as_str().unwrap().starts_with("/runs/run_"), "{path}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_typed_outlives_the_session() {
    with_browser(|browser, served| {
        browser.go(&format!("{}/new", served.base));
        browser.value(&typed("f-prompt", "A quiet lake"));
        browser.value(&click("#f-captionsConfig-captionsEnabled"));
        // Somebody signs out everywhere.
        let db = &served.service.app.db;
        tokio::runtime::Handle::current().block_on(async {
            let (account, kept) = db.account_by_email("ada@example.org").await.unwrap().unwrap();
            db.set_password(&account.id, &kept).await.unwrap();
        });
        browser.and_load(&click(".order .primary"));
        let said = browser.value("document.querySelector('.ended').textContent");
        assert!(said.as_str().unwrap().contains("has ended"), "{said}");
        browser.value(&typed("email", "ada@example.org"));
        browser.value(&typed("password", PASSWORD));
        browser.and_load(&click("main form button"));
        assert_eq!(browser.value("location.pathname"), "/new");
        let back = "[document.getElementById('f-prompt').value, document.getElementById('f-captionsConfig-captionsEnabled').checked]";
        assert_eq!(browser.value(back), serde_json::json!(["A quiet lake", false]));
        browser.go(&format!("{}/new", served.base));
        assert_eq!(browser.value("document.getElementById('f-prompt').value"), "", "once");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_fit_and_the_menu_stays() {
    with_browser(|browser, served| {
        let db = &served.service.app.db;
        tokio::runtime::Handle::current().block_on(async {
            let (account, _) = db.account_by_email("ada@example.org").await.unwrap().unwrap();
            let url = format!("https://example.org/{}", "x".repeat(300));
            db.add_webhook(&account.id, &url, "secret").await.unwrap();
            db.add_key(&account.id, "a key with a name of some length", "kin_test_0123456789", true).await.unwrap();
        });
        for (path, button) in [("/keys", "form[action$=revoke] button"), ("/webhooks", ".table form button")] {
            for size in [PHONE, DESKTOP] {
                browser.look(size, "light");
                browser.go(&format!("{}{path}", served.base));
                let right = browser.value(&format!("innerWidth - document.querySelector('{button}').getBoundingClientRect().right"));
                assert!(right.as_f64().unwrap() >= 0.0, "{path} {size:?}: {right}");
                let beyond = browser.value("document.querySelector('.table').scrollWidth - document.querySelector('.table').clientWidth");
                assert!(beyond.as_i64().unwrap() <= 0, "{path} {size:?}: {beyond}");
            }
        }
        browser.go(&format!("{}/new", served.base));
        browser.value("scrollTo(0, 700); true");
        browser.until("scrollY > 300 && document.querySelector('.menu').getBoundingClientRect().top > 0", SOON);
    })
    .await;
}
