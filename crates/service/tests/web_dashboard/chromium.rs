//! Chromium without a screen, driven by its DevTools protocol over two pipes: messages are JSON, each ended by NUL.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

const ANSWER_TIME: Duration = Duration::from_secs(60);

/// A browser with one page; ended with the test.
pub struct Chromium {
    child: Child,
    to: RefCell<ChildStdin>,
    from: Receiver<Value>,
    waiting: RefCell<VecDeque<Value>>,
    next: RefCell<u64>,
    session: String,
    /// What the page said was wrong.
    pub errors: RefCell<Vec<String>>,
    _profile: TempDir,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const FLAGS: &str = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync --hide-scrollbars \
    --disable-background-networking --disable-component-update --disable-dev-shm-usage --autoplay-policy=no-user-gesture-required \
    --remote-debugging-pipe";

/// The browser reads what we say from descriptor 3 and answers on 4.
fn spawned(program: &str, profile: &Path) -> Child {
    let profile = profile.display();
    let line = format!(
        "exec {program} {FLAGS} --user-data-dir='{profile}' about:blank 3<&0 4>&1 </dev/null >/dev/null"
    );
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &line])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    shell.spawn().unwrap()
}

fn messages(from: ChildStdout) -> Receiver<Value> {
    let (told, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for message in BufReader::new(from).split(0).map_while(Result::ok) {
            if told
                .send(serde_json::from_slice(&message).unwrap())
                .is_err()
            {
                break;
            }
        }
    });
    heard
}

impl Chromium {
    /// Starts it; `None`, said in a line, where none is installed.
    pub fn start() -> Option<Chromium> {
        let programs = ["chromium", "chromium-browser", "google-chrome"];
        let is_there = |name: &&&str| {
            Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok()
        };
        let Some(program) = programs.iter().find(is_there) else {
            println!("skipped: no Chromium on this machine");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut child = spawned(program, profile.path());
        let from = messages(child.stdout.take().unwrap());
        let mut browser = Chromium {
            to: RefCell::new(child.stdin.take().unwrap()),
            child,
            from,
            waiting: RefCell::default(),
            next: RefCell::new(0),
            session: String::new(),
            errors: RefCell::default(),
            _profile: profile,
        };
        let target =
            browser.ask("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session = browser.ask(
            "Target.attachToTarget",
            json!({ "targetId": target, "flatten": true }),
        );
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "DOM"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Asks and waits for the answer; what the page says meanwhile is noted.
    pub fn ask(&self, method: &str, params: Value) -> Value {
        let id = {
            let mut next = self.next.borrow_mut();
            *next += 1;
            *next
        };
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.borrow_mut().write_all(&bytes).unwrap();
        loop {
            let told = self
                .from
                .recv_timeout(ANSWER_TIME)
                .unwrap_or_else(|e| panic!("{method}: {e}"));
            if told["id"] == id {
                assert!(told["error"].is_null(), "{method}: {}", told["error"]);
                return told["result"].clone();
            }
            self.note(told);
        }
    }

    fn note(&self, told: Value) {
        let params = &told["params"];
        let error = match told["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if params["type"] == "error" => {
                Some(params["args"].to_string())
            }
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                Some(params["entry"].to_string())
            }
            _ => None,
        };
        self.errors.borrow_mut().extend(error);
        self.waiting.borrow_mut().push_back(told);
    }

    /// Waits for something that the page tells from now on.
    fn await_event(&self, method: &str) {
        let end = Instant::now() + ANSWER_TIME;
        loop {
            let is_it = |told: &Value| told["method"] == method;
            if self.waiting.borrow_mut().drain(..).any(|told| is_it(&told)) {
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            let told = self
                .from
                .recv_timeout(left)
                .unwrap_or_else(|e| panic!("{method}: {e}"));
            self.note(told);
        }
    }

    pub fn go(&self, url: &str) {
        self.waiting.borrow_mut().clear();
        self.ask("Page.navigate", json!({ "url": url }));
        self.await_event("Page.loadEventFired");
    }

    /// What an expression is, promises awaited.
    pub fn value(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true });
        let answer = self.ask("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// Does something that leads to another page.
    pub fn and_load(&self, expression: &str) {
        self.waiting.borrow_mut().clear();
        self.value(expression);
        self.await_event("Page.loadEventFired");
    }

    /// Waits until an expression is true.
    pub fn until(&self, expression: &str, time: Duration) {
        let end = Instant::now() + time;
        while self.value(expression) != true {
            assert!(
                Instant::now() < end,
                "never: {expression}\n{}",
                self.value("document.body.innerText")
            );
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Columns and rows of the window, and the color scheme.
    pub fn look(&self, (width, height): (u32, u32), scheme: &str) {
        self.ask("Emulation.setDeviceMetricsOverride", json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 }));
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// The window as a WebP file.
    pub fn picture(&self) -> Vec<u8> {
        let shot = self.ask(
            "Page.captureScreenshot",
            json!({ "format": "webp", "quality": 80 }),
        );
        base64::engine::general_purpose::STANDARD
            .decode(shot["data"].as_str().unwrap())
            .unwrap()
    }
}
