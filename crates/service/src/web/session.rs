//! Sessions: a cookie with a token that only the browser has, and the token that each form sends back.

use axum::Form;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::Web;
use super::page::Refused;
use crate::db::{Account, Admission};
use crate::error::Answer;
use crate::ids;

/// How long a session lasts, in seconds: two weeks.
const SESSION_SECS: u32 = 14 * 24 * 3600;

/// A signed-in visitor. Others are redirected to the sign-in page.
#[derive(Clone, Debug)]
pub(super) struct Visitor {
    pub(super) account: Account,
    /// The token that each form sends back.
    pub(super) csrf: String,
    /// The hash of the session's token.
    pub(super) hash: String,
}

impl FromRequestParts<Web> for Visitor {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Visitor, Response> {
        let to_sign_in = || sign_in_first(parts).into_response();
        let token = token(&parts.headers, web).ok_or_else(to_sign_in)?;
        let hash = ids::hash(&token);
        let found = web.app.db.session(&hash).await;
        let session = found
            .map_err(|error| Refused::from(crate::error::ApiError::from(error)).into_response())?;
        let session = session.ok_or_else(to_sign_in)?;
        Ok(Visitor {
            account: session.account,
            csrf: session.csrf,
            hash,
        })
    }
}

/// Redirects to the sign-in page, with a way back if possible. Forms get a note that the session has ended.
fn sign_in_first(parts: &Parts) -> Redirect {
    let (path, ended) = match parts.method {
        Method::GET => (path_of(&parts.uri.to_string()), ""),
        // The page that contains the form.
        _ => {
            let from = parts.headers.get(header::REFERER);
            let from = from.and_then(|from| from.to_str().ok());
            (from.map_or("/".to_owned(), path_of), "ended=1&")
        }
    };
    if path == "/" {
        let ended = ended.trim_end_matches('&');
        let query = if ended.is_empty() { "" } else { "?" };
        return Redirect::to(&format!("/sign-in{query}{ended}"));
    }
    let next: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
    Redirect::to(&format!("/sign-in?{ended}next={next}"))
}

/// Returns the path and query of a URL.
fn path_of(url: &str) -> String {
    let uri = url.parse::<axum::http::Uri>().unwrap_or_default();
    uri.path_and_query()
        .map_or("/", |path| path.as_str())
        .to_owned()
}

/// The fields of a form, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    /// Returns a field's trimmed text; empty if missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// Returns a field's untrimmed text, for passwords.
    pub(super) fn raw(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(known, _)| known == name);
        field.map_or("", |(_, value)| value)
    }

    /// Returns every value of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Whether the field is present: switches are sent this way.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }
}

/// A form of a signed-in visitor with a valid token.
#[derive(Debug)]
pub(super) struct Posted {
    pub(super) visitor: Visitor,
    pub(super) fields: Fields,
}

impl FromRequest<Web> for Posted {
    type Rejection = Response;

    async fn from_request(request: Request, web: &Web) -> Result<Posted, Response> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, web).await?;
        let request = Request::from_parts(parts, body);
        let Form(fields) = Form::from_request(request, web)
            .await
            .map_err(IntoResponse::into_response)?;
        let fields = Fields(fields);
        if !is_same(fields.get("csrf"), &visitor.csrf) {
            return Err(Refused::stale_form().into());
        }
        Ok(Posted { visitor, fields })
    }
}

/// How long a sent form is remembered, in milliseconds.
const KNOWN_MS: i64 = 24 * 3600 * 1000;

/// The hidden field that identifies a form, to detect that it was sent twice.
pub(super) const NONCE: &str = "nonce";

/// Returns a form's nonce, if we issued it.
pub(super) fn nonce(fields: &Fields) -> Option<&str> {
    let nonce = fields.get(NONCE);
    let is_ours = nonce.starts_with("form_")
        && nonce.len() < 64
        && nonce
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_ours.then_some(nonce)
}

impl Posted {
    /// Whether this form was not sent before, on any server. Each call counts as sending.
    pub(super) async fn is_first(&self, web: &Web) -> Answer<bool> {
        let Some(nonce) = nonce(&self.fields) else {
            return Ok(true);
        };
        let name = format!("{}:{nonce}", self.visitor.account.id);
        let admission = web.app.db.admit(&name, 1, KNOWN_MS).await?;
        Ok(admission == Admission::Admitted)
    }
}

/// Whether a form sent the right token; an empty token never matches.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    !b.is_empty() && ids::is_same(a, b)
}

/// Starts a session and returns its cookie.
pub(super) async fn begin(web: &Web, account: &str) -> Answer<HeaderValue> {
    let token = ids::secret("ses_");
    let csrf = ids::secret("");
    web.app
        .db
        .add_session(&ids::hash(&token), account, &csrf, SESSION_SECS)
        .await?;
    Ok(cookie(web, SESSION, &token, SESSION_SECS))
}

/// The session cookie.
pub(super) const SESSION: &str = "kinora";
/// The cookie for forms of visitors who are not signed in.
pub(super) const FORM: &str = "kinora-form";

fn is_https(web: &Web) -> bool {
    web.app.config.public_url().starts_with("https://")
}

/// Returns a cookie's name. Over https, its prefix ensures that only this host can set it.
fn cookie_name(web: &Web, name: &str) -> String {
    if is_https(web) {
        format!("__Host-{name}")
    } else {
        name.to_owned()
    }
}

/// Returns a cookie valid for `secs` seconds; 0 removes it.
pub(super) fn cookie(web: &Web, name: &str, value: &str, secs: u32) -> HeaderValue {
    let name = cookie_name(web, name);
    let secure = if is_https(web) { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={secs}{secure}");
    HeaderValue::from_str(&text).expect("names and tokens are plain letters and digits")
}

/// Returns the session token sent by the browser.
pub(super) fn token(headers: &HeaderMap, web: &Web) -> Option<String> {
    read_cookie(headers, &cookie_name(web, SESSION))
}

/// Returns the token for forms before sign-in.
pub(super) fn form_token(headers: &HeaderMap, web: &Web) -> Option<String> {
    read_cookie(headers, &cookie_name(web, FORM))
}

fn read_cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    let mut values = pairs.filter_map(|pair| {
        let (known, value) = pair.trim().split_once('=')?;
        (known == name && !value.is_empty() && value.len() <= 128).then(|| value.to_owned())
    });
    values.next()
}

/// The query of a link, as fields.
pub(super) type Asked = Query<Vec<(String, String)>>;
