//! Who is signed in: a cookie whose token only the browser has, and the token that each form sends back.

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

/// Someone who is signed in. Anybody else is sent to the sign-in page.
#[derive(Clone, Debug)]
pub(super) struct Visitor {
    pub(super) account: Account,
    /// What each form sends back.
    pub(super) csrf: String,
    /// The session.
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

/// Where to sign in, and to come back from there where that makes sense. Who sent a form is told that its session has ended.
fn sign_in_first(parts: &Parts) -> Redirect {
    let (path, ended) = match parts.method {
        Method::GET => (path_of(&parts.uri.to_string()), ""),
        // The page that the form is on.
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

/// Path and query of a URL.
fn path_of(url: &str) -> String {
    let uri = url.parse::<axum::http::Uri>().unwrap_or_default();
    uri.path_and_query()
        .map_or("/", |path| path.as_str())
        .to_owned()
}

/// The fields of a form, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    /// A field's text without white space around it; empty where it is not there.
    pub(super) fn get(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// The same as it was typed, for passwords.
    pub(super) fn raw(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(known, _)| known == name);
        field.map_or("", |(_, value)| value)
    }

    /// Every value of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Whether it is there at all: how switches are sent.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }
}

/// A form of someone who is signed in, whose token is right.
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

/// For how long a form is known that was sent, milliseconds.
const KNOWN_MS: i64 = 24 * 3600 * 1000;

/// The hidden field by which a form is known that is sent twice.
pub(super) const NONCE: &str = "nonce";

/// What a form was given to be known by, if it is one of ours.
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
    /// Whether this form was not sent before, on any server; asked once.
    pub(super) async fn is_first(&self, web: &Web) -> Answer<bool> {
        let Some(nonce) = nonce(&self.fields) else {
            return Ok(true);
        };
        let name = format!("{}:{nonce}", self.visitor.account.id);
        let admission = web.app.db.admit(&name, 1, KNOWN_MS).await?;
        Ok(admission == Admission::Admitted)
    }
}

/// Whether a form sent this token back; no token is nobody's.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    !b.is_empty() && ids::is_same(a, b)
}

/// Begins a session and gives the cookie that carries it.
pub(super) async fn begin(web: &Web, account: &str) -> Answer<HeaderValue> {
    let token = ids::secret("ses_");
    let csrf = ids::secret("");
    web.app
        .db
        .add_session(&ids::hash(&token), account, &csrf, SESSION_SECS)
        .await?;
    Ok(cookie(web, SESSION, &token, SESSION_SECS))
}

/// The cookie that carries a session.
pub(super) const SESSION: &str = "kinora";
/// The cookie that goes with forms of people who are not signed in.
pub(super) const FORM: &str = "kinora-form";

fn is_https(web: &Web) -> bool {
    web.app.config.public_url().starts_with("https://")
}

/// Over https a cookie's name says that nobody but this host can have set it.
fn cookie_name(web: &Web, name: &str) -> String {
    if is_https(web) {
        format!("__Host-{name}")
    } else {
        name.to_owned()
    }
}

/// A cookie of `secs`; of 0 it is taken away.
pub(super) fn cookie(web: &Web, name: &str, value: &str, secs: u32) -> HeaderValue {
    let name = cookie_name(web, name);
    let secure = if is_https(web) { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={secs}{secure}");
    HeaderValue::from_str(&text).expect("names and tokens are plain letters and digits")
}

/// The session's token as the browser sent it.
pub(super) fn token(headers: &HeaderMap, web: &Web) -> Option<String> {
    read_cookie(headers, &cookie_name(web, SESSION))
}

/// The token that goes with forms before there is a session.
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

/// What a link's query says, as fields.
pub(super) type Asked = Query<Vec<(String, String)>>;
