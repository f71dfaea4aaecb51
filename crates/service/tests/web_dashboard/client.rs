//! A browser without a screen: keeps cookies, fills in forms, follows nothing by itself.

use std::collections::BTreeMap;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use kinora_service::config::Config;
use kinora_service::state::App;
use tempfile::TempDir;
use tower::ServiceExt;

pub const PASSWORD: &str = "a long enough password";

/// A service over an empty database, gone with it.
pub struct Service {
    pub app: App,
    pub router: Router,
    pub folder: TempDir,
}

impl Service {
    pub async fn new() -> Service {
        Service::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Config)) -> Service {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::local(folder.path());
        change(&mut config);
        let app = App::open(config).await.unwrap();
        let router = kinora_service::web::router(app.clone());
        Service {
            app,
            router,
            folder,
        }
    }

    /// A browser that nobody is signed in with.
    pub fn visitor(&self) -> Client {
        Client {
            router: self.router.clone(),
            cookies: BTreeMap::new(),
            from: None,
        }
    }

    /// A browser of someone with a new account.
    pub async fn member(&self, email: &str) -> Client {
        let mut client = self.visitor();
        let page = client.get("/sign-up").await;
        let fields = [("email", email), ("password", PASSWORD)];
        let answer = client.send("/sign-up", &page, &fields).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        client
    }
}

pub struct Client {
    router: Router,
    pub cookies: BTreeMap<String, String>,
    /// The network address that it comes from.
    pub from: Option<std::net::SocketAddr>,
}

/// What came back.
pub struct Page {
    pub status: StatusCode,
    pub headers: axum::http::HeaderMap,
    pub text: String,
}

impl Page {
    pub fn location(&self) -> &str {
        self.headers
            .get(header::LOCATION)
            .map_or("", |to| to.to_str().unwrap())
    }

    /// The value of a hidden field.
    pub fn hidden(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let Some((_, rest)) = self.text.split_once(&start) else {
            panic!("no field {name}: {}", self.text);
        };
        rest.split('"').next().unwrap().to_owned()
    }
}

impl Client {
    pub async fn get(&mut self, path: &str) -> Page {
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        self.call(request).await
    }

    /// Sends a form of `page`, with the token that it holds.
    pub async fn send(&mut self, path: &str, page: &Page, fields: &[(&str, &str)]) -> Page {
        let csrf = page.hidden("csrf");
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend(fields);
        self.post(path, &all).await
    }

    /// Sends just these fields.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body));
        self.call(request.unwrap()).await
    }

    /// Sends a form with a file: its field, its name and its bytes.
    pub async fn send_file(
        &mut self,
        path: &str,
        csrf: &str,
        fields: &[(&str, &str)],
        (field, name, bytes): &(&str, &str, Vec<u8>),
    ) -> Page {
        let mut body = Vec::new();
        for (field, value) in [("csrf", csrf)].iter().chain(fields) {
            let part = format!(
                "--edge\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n"
            );
            body.extend_from_slice(part.as_bytes());
        }
        let part = format!(
            "--edge\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\r\n"
        );
        body.extend_from_slice(part.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n--edge--\r\n");
        let kind = "multipart/form-data; boundary=edge";
        let request = Request::post(path).header(header::CONTENT_TYPE, kind);
        self.call(request.body(Body::from(body)).unwrap()).await
    }

    pub async fn call(&mut self, mut request: Request<Body>) -> Page {
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if !cookies.is_empty() {
            request
                .headers_mut()
                .insert(header::COOKIE, cookies.join("; ").parse().unwrap());
        }
        if let Some(from) = self.from {
            request
                .extensions_mut()
                .insert(axum::extract::ConnectInfo(from));
        }
        let response = self.router.clone().oneshot(request).await.unwrap();
        self.keep_cookies(&response);
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Page {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    fn keep_cookies(&mut self, response: &Response) {
        for line in response.headers().get_all(header::SET_COOKIE) {
            let line = line.to_str().unwrap();
            let (name, value) = line.split(';').next().unwrap().split_once('=').unwrap();
            if line.contains("Max-Age=0;") || line.ends_with("Max-Age=0") || value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}
