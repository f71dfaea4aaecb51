//! A video as people make it in Chromium: a key, the form, its progress, the player, the key revoked.

use std::path::Path;
use std::time::Duration;

use kinora_service::work::Workers;

use crate::browser::{DESKTOP, PHONE, check, click, serve, sign_up, typed};
use crate::chromium::Chromium;

/// What a small video takes, on a slow machine with others at work.
const MAKING: Duration = Duration::from_secs(240);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_make_and_see_a_video() {
    let served = serve().await;
    let workers = Workers::start(served.service.app.clone(), 1).await.unwrap();
    let base = served.base.clone();
    let done = tokio::task::spawn_blocking(move || {
        if let Some(browser) = Chromium::start() {
            use_it(&browser, &base);
        }
    });
    done.await.unwrap();
    served.service.app.stopping.cancel();
    workers.stop().await;
}

fn use_it(browser: &Chromium, base: &str) {
    sign_up(browser, base);
    let key = make_key(browser, base);
    make_video(browser, base);
    play(browser, base);

    browser.go(&format!("{base}/keys"));
    browser.value("window.confirm = () => true; true");
    browser.and_load(&click("form[action$=revoke] button"));
    browser.until(
        "document.querySelector('.notice').textContent.includes('revoked')",
        Duration::from_secs(5),
    );
    let status = format!(
        "fetch('/api/v1/runs', {{ headers: {{ 'x-api-key': '{key}' }} }}).then((answer) => answer.status)"
    );
    let errors_before = browser.errors.borrow().len();
    assert_eq!(browser.value(&status), 401);
    // The browser itself notes the 401 that was asked for.
    browser.errors.borrow_mut().truncate(errors_before);
    assert_eq!(
        *browser.errors.borrow(),
        Vec::<String>::new(),
        "the console says nothing"
    );
}

fn make_key(browser: &Chromium, base: &str) -> String {
    browser.go(&format!("{base}/keys"));
    browser.value(&typed("name", "my robot"));
    browser.and_load(&click("form[action='/keys'] button"));
    check(browser, "new-key");
    let key = browser.value("document.getElementById('new-key').textContent");
    let key = key.as_str().unwrap().to_owned();
    let status = format!(
        "fetch('/api/v1/runs', {{ headers: {{ 'x-api-key': '{key}' }} }}).then((answer) => answer.status)"
    );
    assert_eq!(browser.value(&status), 200);
    key
}

fn make_video(browser: &Chromium, base: &str) {
    browser.go(&format!("{base}/new"));
    browser.until(
        "document.querySelectorAll('.previews video')[1].readyState >= 2",
        Duration::from_secs(60),
    );
    browser.value(&typed("f-prompt", "Why the moon follows us home"));
    browser.value(&typed("f-scriptConfig-targetLengthInWords", "12"));
    let style = "document.getElementById('f-captionsConfig-captionsStyle')";
    let style = browser.value(&format!("{style}.options[5].value"));
    let style = style.as_str().unwrap();
    browser.value(&typed("f-captionsConfig-captionsStyle", style));
    browser.until(
        "document.querySelector('[data-told]').textContent.includes('credits')",
        Duration::from_secs(20),
    );
    browser.until(
        "document.querySelector('[data-call]').textContent.includes('follows us home')",
        Duration::from_secs(20),
    );
    browser.until(
        "document.querySelectorAll('.previews video')[0].readyState >= 2",
        Duration::from_secs(60),
    );
    check(browser, "new-filled");
    browser.and_load(&click(".order .primary"));
    assert!(
        browser
            .value("location.pathname")
            .as_str()
            .unwrap()
            .starts_with("/runs/run_")
    );
    browser.until(
        "document.querySelector('progress, video') !== null",
        Duration::from_secs(20),
    );
    browser.until("document.querySelector('progress')?.value > 5 || document.querySelector('.player') !== null", MAKING);
    keep(browser, "making");
    // The page comes to the player by itself.
    browser.until("document.querySelector('.player video') !== null", MAKING);
}

fn play(browser: &Chromium, base: &str) {
    // So does the balance: 5 of 100 credits were taken.
    browser.until(
        "document.querySelector('.balance').textContent === '95 credits'",
        Duration::from_secs(5),
    );
    check(browser, "done");
    let played = "(async () => { const video = document.querySelector('.player video'); video.muted = true; await video.play(); \
        await new Promise((done) => { video.addEventListener('timeupdate', () => { if (video.currentTime > 0.5) done(); }); }); video.pause(); \
        return video.videoWidth > 0 && video.duration > 2; })()";
    assert_eq!(browser.value(played), true);
    let loaded = browser.value("fetch(document.querySelector('a[download]').href).then((file) => file.blob()).then((blob) => [blob.type, blob.size > 10000])");
    assert_eq!(loaded, serde_json::json!(["video/mp4", true]));
    browser.go(&format!("{base}/runs"));
    browser.until(
        "document.querySelector('.badge.done') !== null",
        Duration::from_secs(5),
    );
    check(browser, "runs-one");
}

fn keep(browser: &Chromium, name: &str) {
    if let Ok(folder) = std::env::var("SCREENSHOTS") {
        for (size, size_name) in [(DESKTOP, "desktop"), (PHONE, "phone")] {
            browser.look(size, "dark");
            std::fs::write(
                Path::new(&folder).join(format!("{name}-{size_name}-dark.webp")),
                browser.picture(),
            )
            .unwrap();
        }
        browser.look(DESKTOP, "light");
    }
}
