//! Signing up, in and out.

use axum::extract::{ConnectInfo, FromRequestParts, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use maud::{Markup, html};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use super::page::{Refused, Shown, plain};
use super::session::{self, Asked, FORM, Fields, Posted, SESSION};
use super::{Web, guard};
use crate::db::Admission;
use crate::error::ApiError;
use crate::{ids, password};

/// Attempts within `WINDOW_MS`: per network address, and per account.
const TRIES_OF_ADDRESS: u32 = 30;
const TRIES_FOR_ACCOUNT: u32 = 10;
const WINDOW_MS: i64 = 15 * 60 * 1000;

/// How long a form stays valid, in seconds.
const FORM_SECS: u32 = 3600;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/sign-in", get(show_in).post(sign_in))
        .route("/sign-up", get(show_up).post(sign_up))
        .route("/sign-out", post(sign_out))
}

/// The browser's network address, if known. Behind a proxy it is the proxy's address: set rate limits there.
pub(super) struct Caller(pub(super) Option<IpAddr>);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, Infallible> {
        let told = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Ok(Caller(told.map(|told| told.0.ip())))
    }
}

/// The content of a sign-in or sign-up form.
#[derive(Default)]
struct Card<'a> {
    is_new: bool,
    email: &'a str,
    next: &'a str,
    problem: Option<&'a str>,
    /// Whether a form was sent after its session had ended.
    has_ended: bool,
}

async fn show_in(State(web): State<Web>, headers: HeaderMap, Query(asked): Asked) -> Response {
    let fields = Fields(asked);
    let card = Card {
        next: fields.get("next"),
        has_ended: fields.has("ended"),
        ..Card::default()
    };
    with_form(&web, &headers, StatusCode::OK, &card)
}

async fn show_up(State(web): State<Web>, headers: HeaderMap) -> Shown {
    if !web.app.config.server.sign_up {
        return Err(closed());
    }
    let card = Card {
        is_new: true,
        ..Card::default()
    };
    Ok(with_form(&web, &headers, StatusCode::OK, &card))
}

fn closed() -> Refused {
    let message = "Accounts on this server are created by its operator: kinora admin add-account.";
    Refused::new(StatusCode::FORBIDDEN, "By invitation", message)
}

/// Returns the form, with a cookie for the token that it sends back.
fn with_form(web: &Web, headers: &HeaderMap, status: StatusCode, card: &Card) -> Response {
    let token = session::form_token(headers, web).unwrap_or_else(|| ids::secret(""));
    let cookie = session::cookie(web, FORM, &token, FORM_SECS);
    let title = if card.is_new {
        "Make an account"
    } else {
        "Sign in"
    };
    let page = plain(title, &form(web, &token, card, title));
    (status, AppendHeaders([(header::SET_COOKIE, cookie)]), page).into_response()
}

fn form(web: &Web, token: &str, card: &Card, title: &str) -> Markup {
    let (action, autocomplete) = match card.is_new {
        true => ("/sign-up", "new-password"),
        false => ("/sign-in", "current-password"),
    };
    html! {
        section.card {
            h1 { (title) }
            @if card.has_ended { p.ended role="status" { "Your session has ended, so nothing was done. Sign in to continue where you were." } }
            @if let Some(problem) = card.problem { p.problem role="alert" #sign-problem { (problem) } }
            form method="post" action=(action) {
                input type="hidden" name="csrf" value=(token);
                input type="hidden" name="next" value=(card.next);
                div.field {
                    label for="email" { "Email address" }
                    input #email type="email" name="email" value=(card.email) autocomplete="username" maxlength="254" required
                        aria-describedby=[card.problem.map(|_| "sign-problem")];
                }
                div.field {
                    label for="password" { "Password" }
                    input #password type="password" name="password" autocomplete=(autocomplete) required
                        minlength=[card.is_new.then_some(password::MIN_CHARS)]
                        aria-describedby=[card.is_new.then_some("password-hint")];
                    @if card.is_new {
                        p.hint #password-hint { "At least " (password::MIN_CHARS) " characters. A phrase of several words works well." }
                    }
                }
                button.primary.wide type="submit" { (title) }
            }
            @if card.is_new {
                p.after { "Already have an account? " a href="/sign-in" { "Sign in" } }
            } @else if web.app.config.server.sign_up {
                p.after { "New here? " a href="/sign-up" { "Make an account" } }
            }
        }
    }
}

/// The fields of both forms, after checking the origin and the rate.
struct Sent {
    email: String,
    password: String,
    next: String,
}

async fn sent(
    web: &Web,
    headers: &HeaderMap,
    from: Option<IpAddr>,
    fields: &Fields,
) -> Result<Sent, Refused> {
    let token = session::form_token(headers, web).unwrap_or_default();
    if !session::is_same(fields.get("csrf"), &token) {
        let public_url = web.app.config.public_url();
        return Err(match guard::is_elsewhere(headers, &public_url) {
            true => Refused::elsewhere(&public_url),
            false => Refused::stale_sign_in(),
        });
    }
    if let Some(ip) = from {
        admit(web, &format!("sign:{ip}"), TRIES_OF_ADDRESS).await?;
    }
    Ok(Sent {
        email: fields.get("email").to_lowercase(),
        password: fields.raw("password").to_owned(),
        next: safe_path(fields.get("next")).to_owned(),
    })
}

/// Counts an attempt.
pub(super) async fn admit(web: &Web, what: &str, limit: u32) -> Result<(), Refused> {
    match web.app.db.admit(what, limit, WINDOW_MS).await? {
        Admission::Admitted => Ok(()),
        Admission::Refused { retry_after } => Err(Refused::too_many(retry_after)),
    }
}

/// Returns a path of this service; anything else becomes the start page.
fn safe_path(next: &str) -> &str {
    let is_path = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains('\\')
        && !next.contains(char::is_control);
    if is_path { next } else { "/" }
}

async fn sign_in(
    State(web): State<Web>,
    from: Caller,
    headers: HeaderMap,
    Form(fields): Form<Vec<(String, String)>>,
) -> Shown {
    let fields = Fields(fields);
    let sent = sent(&web, &headers, from.0, &fields).await?;
    // The address is untrusted text of any length; its hash is not.
    admit(
        &web,
        &format!("sign-in:{}", ids::hash(&sent.email)),
        TRIES_FOR_ACCOUNT,
    )
    .await?;
    let known = match sent.email.contains('\0') {
        true => None,
        false => web.app.db.account_by_email(&sent.email).await?,
    };
    let kept = known.as_ref().map(|(_, kept)| kept.clone());
    let is_right = password::is_right(sent.password, kept)
        .await
        .ok_or_else(ApiError::internal)?;
    let Some((account, _)) = known.filter(|_| is_right) else {
        let card = Card {
            email: &sent.email,
            next: &sent.next,
            problem: Some("The address or the password is not correct."),
            ..Card::default()
        };
        return Ok(with_form(&web, &headers, StatusCode::UNAUTHORIZED, &card));
    };
    enter(&web, &headers, &account.id, &sent.next).await
}

async fn sign_up(
    State(web): State<Web>,
    from: Caller,
    headers: HeaderMap,
    Form(fields): Form<Vec<(String, String)>>,
) -> Shown {
    let server = &web.app.config.server;
    if !server.sign_up {
        return Err(closed());
    }
    let fields = Fields(fields);
    let sent = sent(&web, &headers, from.0, &fields).await?;
    let wrong = address_problem(&sent.email).map(str::to_owned);
    let wrong = wrong.or_else(|| password::problem(&sent.password));
    let made = match &wrong {
        Some(_) => None,
        None => {
            let hash = password::hash(sent.password)
                .await
                .ok_or_else(ApiError::internal)?;
            web.app
                .db
                .add_account(
                    &sent.email,
                    &hash,
                    server.welcome_plan,
                    server.welcome_credits,
                )
                .await?
        }
    };
    let Some(account) = made else {
        let taken = "No account can be made with this address. If it is yours, sign in.";
        let card = Card {
            is_new: true,
            email: &sent.email,
            problem: Some(wrong.as_deref().unwrap_or(taken)),
            ..Card::default()
        };
        return Ok(with_form(
            &web,
            &headers,
            StatusCode::UNPROCESSABLE_ENTITY,
            &card,
        ));
    };
    enter(&web, &headers, &account.id, "/?done=welcome").await
}

/// Returns the problem of an address; only a mail could show whether it works.
fn address_problem(email: &str) -> Option<&'static str> {
    let parts = email.split_once('@');
    let is_fine = parts
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('@'))
        || parts.is_some_and(|(name, host)| !name.is_empty() && host == "localhost");
    let is_plain =
        email.len() <= 254 && !email.contains(|c: char| c.is_whitespace() || c.is_control());
    (!is_fine || !is_plain).then_some("That is not an email address.")
}

/// Ends the browser's current session, if any, starts a new one, and redirects.
async fn enter(web: &Web, headers: &HeaderMap, account: &str, next: &str) -> Shown {
    if let Some(token) = session::token(headers, web) {
        web.app.db.end_session(&ids::hash(&token)).await?;
    }
    let cookie = session::begin(web, account).await?;
    let gone = session::cookie(web, FORM, "", 0);
    let cookies = AppendHeaders([(header::SET_COOKIE, cookie), (header::SET_COOKIE, gone)]);
    Ok((cookies, Redirect::to(next)).into_response())
}

async fn sign_out(State(web): State<Web>, posted: Posted) -> Shown {
    web.app.db.end_session(&posted.visitor.hash).await?;
    let gone = session::cookie(&web, SESSION, "", 0);
    let to = Redirect::to("/sign-in");
    Ok((AppendHeaders([(header::SET_COOKIE, gone)]), to).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_service_are_gone_to() {
        assert_eq!(safe_path("/runs/run_1?a=b"), "/runs/run_1?a=b");
        for foreign in [
            "",
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "/a\r\nSet-Cookie: b",
            "runs",
        ] {
            assert_eq!(safe_path(foreign), "/", "{foreign:?}");
        }
    }

    #[test]
    fn addresses_are_checked_for_their_shape() {
        for fine in ["a@b.org", "a+b@c.example", "root@localhost"] {
            assert_eq!(address_problem(fine), None, "{fine}");
        }
        for bad in [
            "",
            "a",
            "@b.org",
            "a@",
            "a@b",
            "a b@c.org",
            "a@b@c.org",
            "a@b.org\r\nx",
        ] {
            assert!(address_problem(bad).is_some(), "{bad:?}");
        }
    }
}
