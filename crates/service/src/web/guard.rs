//! Protection of all pages: forms must come from our own pages, and headers restrict what a browser may do with a page.

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Web;
use super::page::Refused;

/// Allows only our own files; no inline scripts or styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // Forms of our own pages must be able to send their origin.
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Refuses forms from other sites and sets default headers.
pub(super) async fn check(State(web): State<Web>, request: Request, next: Next) -> Response {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
    let response = if is_safe || is_ours(request.headers(), &web.app.config.public_url()) {
        next.run(request).await
    } else {
        Refused::foreign_form().into()
    };
    dressed(response)
}

/// Adds the headers of a page.
fn dressed(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Answers unknown paths: a page for browsers, the API's envelope for others.
pub(super) async fn nothing_here(headers: HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT).map(HeaderValue::as_bytes);
    let wants_page =
        accepted.is_some_and(|kinds| kinds.windows(9).any(|kind| kind == b"text/html"));
    match wants_page {
        true => dressed(Refused::no_page().into()),
        false => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Whether a form comes from an address for which browsers do not keep this service's cookies: it is configured for https but was opened over http.
pub(super) fn is_elsewhere(headers: &HeaderMap, public_url: &str) -> bool {
    let origin = headers.get(header::ORIGIN);
    let origin = origin.and_then(|origin| origin.to_str().ok());
    public_url.starts_with("https://") && origin.is_some_and(|origin| origin.starts_with("http://"))
}

/// Judges by the browser's headers; a request without them still needs the form's token.
fn is_ours(headers: &HeaderMap, public_url: &str) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site")) {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(header::ORIGIN) else {
        return true;
    };
    let host = text(header::HOST).unwrap_or_default();
    let named = origin.split_once("://").map(|(_, host)| host);
    named == Some(host) || origin == origin_of(public_url)
}

/// Returns `https://host:port` of a URL.
fn origin_of(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find('/').map_or(url.len(), |at| start + at);
    &url[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(rows: &[(&'static str, &'static str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in rows {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        is_ours(&headers, "https://video.example.org/kinora")
    }

    #[test]
    fn forms_of_other_sites_are_told_by_what_the_browser_says() {
        assert!(ours(&[
            ("sec-fetch-site", "same-origin"),
            ("origin", "null")
        ]));
        assert!(!ours(&[("sec-fetch-site", "same-site")]));
        assert!(!ours(&[
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://video.example.org")
        ]));
        assert!(ours(&[
            ("origin", "http://127.0.0.1:8080"),
            ("host", "127.0.0.1:8080")
        ]));
        assert!(ours(&[
            ("origin", "https://video.example.org"),
            ("host", "10.0.0.1")
        ]));
        assert!(!ours(&[
            ("origin", "https://evil.example"),
            ("host", "127.0.0.1:8080")
        ]));
        assert!(!ours(&[("origin", "null"), ("host", "127.0.0.1:8080")]));
        assert!(ours(&[("host", "127.0.0.1:8080")]));
    }
}
