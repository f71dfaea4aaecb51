//! The dashboard's pages in Chromium: no error on the console, nothing wider than a phone, and no serious fault by an accessibility checker where one is at
//! hand (`AXE_PATH=…/axe.min.js`). `SCREENSHOTS=FOLDER` keeps pictures of all pages in two sizes and schemes.

use std::path::Path;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::chromium::Chromium;
use crate::client::{PASSWORD, Service};
use crate::pages::PAGES;

pub const DESKTOP: (u32, u32) = (1280, 860);
pub const PHONE: (u32, u32) = (360, 740);

/// A service on a port; it stops with `service.app.stopping`.
pub struct Served {
    pub base: String,
    pub service: Service,
}

pub async fn serve() -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let service = Service::with(|config| {
        config.server.public_url = Some(base.clone());
        config.video.scale_down = 4;
    })
    .await;
    let app = service.app.clone();
    let router = kinora_service::serve::router(app.clone());
    tokio::spawn(async move {
        let stop = app.stopping.clone().cancelled_owned();
        kinora_service::edge::serve(listener, router, &app.config.server, stop).await
    });
    Served { base, service }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_is_without_a_fault() {
    let served = serve().await;
    let base = served.base.clone();
    let done = tokio::task::spawn_blocking(move || {
        if let Some(browser) = Chromium::start() {
            sign_up(&browser, &base);
            for path in PAGES {
                browser.go(&format!("{base}{path}"));
                let name = path.trim_matches('/').replace(['/', '?', '='], "-");
                check(&browser, if name.is_empty() { "start" } else { &name });
            }
            assert_eq!(
                *browser.errors.borrow(),
                Vec::<String>::new(),
                "the console says nothing"
            );
        }
    });
    done.await.unwrap();
    served.service.app.stopping.cancel();
}

/// A new account, signed in.
pub fn sign_up(browser: &Chromium, base: &str) {
    browser.look(DESKTOP, "light");
    browser.go(&format!("{base}/sign-up"));
    check(browser, "sign-up");
    browser.value(&typed("email", "ada@example.org"));
    browser.value(&typed("password", PASSWORD));
    browser.and_load(&click("form button[type=submit]"));
    assert_eq!(browser.value("location.pathname"), "/");
    browser.until(
        "document.querySelector('.notice').textContent.includes('Welcome')",
        Duration::from_secs(5),
    );
}

/// Types into a field as people do: the page hears of it.
pub fn typed(id: &str, text: &str) -> String {
    format!(
        "{{ const field = document.getElementById('{id}'); field.value = '{text}'; field.dispatchEvent(new Event('input', {{ bubbles: true }})); field.dispatchEvent(new Event('change', {{ bubbles: true }})); true }}"
    )
}

pub fn click(selector: &str) -> String {
    format!("(() => {{ document.querySelector(`{selector}`).click(); return true; }})()")
}

/// The page in both sizes and schemes: no line is wider than a phone, and the checker finds nothing serious.
pub fn check(browser: &Chromium, name: &str) {
    for (size, size_name) in [(DESKTOP, "desktop"), (PHONE, "phone")] {
        for scheme in ["light", "dark"] {
            browser.look(size, scheme);
            if let Ok(folder) = std::env::var("SCREENSHOTS") {
                std::thread::sleep(Duration::from_millis(250));
                std::fs::write(
                    Path::new(&folder).join(format!("{name}-{size_name}-{scheme}.webp")),
                    browser.picture(),
                )
                .unwrap();
            }
            let faults = accessibility(browser);
            assert!(
                faults.is_empty(),
                "{name}, {size_name}, {scheme}:\n{}",
                faults.join("\n")
            );
        }
        let wide = browser.value("document.documentElement.scrollWidth - innerWidth");
        assert!(
            wide.as_i64().unwrap() <= 0,
            "{name}, {size_name}: {wide} px too wide"
        );
    }
    browser.look(DESKTOP, "light");
}

/// Faults that are serious or worse, in lines.
fn accessibility(browser: &Chromium) -> Vec<String> {
    let Ok(path) = std::env::var("AXE_PATH") else {
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| {
            println!("skipped: no accessibility checker; AXE_PATH=…/axe.min.js names one")
        });
        return Vec::new();
    };
    if browser.value("typeof axe") != "object" {
        browser.value(&format!("{}; true", std::fs::read_to_string(path).unwrap()));
    }
    let found = browser.value("axe.run().then((all) => all.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html + ' ' + node.any.map((any) => any.message)).join(' | ')}`))");
    found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap().to_owned())
        .collect()
}
