//! A service without a port, with accounts of every plan, and a client that calls it.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use bytes::Bytes;
use http_body_util::BodyExt;
use kinora_service::config::Config;
use kinora_service::db::{Account, Plan};
use kinora_service::state::App;
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;

/// Credits of every account.
pub const CREDITS: u64 = 10_000_000;

pub struct Service {
    pub app: App,
    pub router: Router,
    pub people: Vec<(&'static str, Account, String)>,
    _folder: TempDir,
}

pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {:?} {:?}", self.status, self.body))
    }

    pub fn at(&self, pointer: &str) -> Value {
        self.json().pointer(pointer).cloned().unwrap_or_default()
    }

    pub fn text(&self, pointer: &str) -> String {
        self.at(pointer).as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// The error envelope with this status and code.
    #[track_caller]
    pub fn assert_refused(&self, status: u16, code: &str) {
        assert_eq!(self.status.as_u16(), status, "{:?}", self.body);
        assert_eq!(self.text("/error/code"), code, "{:?}", self.body);
        assert!(!self.text("/error/message").is_empty());
        assert!(self.text("/error/requestId").starts_with("req_"));
        assert_eq!(self.text("/error/requestId"), self.header("x-request-id"));
    }
}

impl Service {
    pub async fn new() -> Service {
        Service::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Config)) -> Service {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::local(folder.path());
        config.server.requests_per_minute = 100_000;
        config.server.public_url = Some("https://video.example.org".into());
        change(&mut config);
        let app = App::open(config).await.unwrap();
        let mut people = Vec::new();
        for (name, plan, is_sandbox) in [
            ("creator", Plan::Creator, false),
            ("starter", Plan::Starter, false),
            ("free", Plan::Free, false),
            ("sandbox", Plan::Free, true),
            ("other", Plan::Creator, false),
        ] {
            let email = format!("{name}@example.org");
            let made = app.db.add_account(&email, "no hash", plan, CREDITS).await;
            let account = made.unwrap().unwrap();
            let key = kinora_service::ids::secret("kin_");
            let added = app.db.add_key(&account.id, name, &key, is_sandbox).await;
            added.unwrap();
            people.push((name, account, key));
        }
        Service {
            router: kinora_service::serve::router(app.clone()),
            app,
            people,
            _folder: folder,
        }
    }

    pub fn account(&self, name: &str) -> &Account {
        let found = self.people.iter().find(|(known, ..)| *known == name);
        &found.unwrap_or_else(|| panic!("nobody is called {name}")).1
    }

    pub fn key(&self, name: &str) -> &str {
        let found = self.people.iter().find(|(known, ..)| *known == name);
        &found.unwrap_or_else(|| panic!("nobody is called {name}")).2
    }

    /// A new sandbox key of someone who has another one.
    pub async fn sandbox_key_of(&self, name: &str) -> String {
        let key = kinora_service::ids::secret("kin_");
        let account = &self.account(name).id;
        let added = self.app.db.add_key(account, "sandbox", &key, true);
        added.await.unwrap();
        key
    }

    pub async fn send(&self, request: Request<Body>) -> Reply {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        Reply {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    /// A call below `/api/v1` by `who`'s key, with JSON where `body` is not empty.
    pub async fn call(&self, who: &str, line: &str, body: &str) -> Reply {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"));
        request = match who {
            "nobody" => request,
            "stranger" => request.header("x-api-key", "kin_0000"),
            who => request.header("x-api-key", self.key(who)),
        };
        if !body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        self.send(request).await
    }

    pub async fn post(&self, path: &str, body: &str) -> Reply {
        self.call("creator", &format!("POST {path}"), body).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.call("creator", &format!("GET {path}"), "").await
    }

    /// A form with one file, by `who`'s key.
    pub async fn form(&self, who: &str, path: &str, part: (&str, &str, &[u8])) -> Reply {
        let (name, file_name, bytes) = part;
        let mut body = format!(
            "--edge\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n--edge--\r\n");
        let request = Request::post(format!("/api/v1{path}"))
            .header("x-api-key", self.key(who))
            .header("content-type", "multipart/form-data; boundary=edge")
            .body(Body::from(body))
            .unwrap();
        self.send(request).await
    }
}
