//! The account page: plan and password.

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect};
use axum::routing::{get, post};
use maud::html;

use super::page::{Page, Shown, token};
use super::session::{self, Asked, Fields, Posted, Visitor};
use super::{Web, sign, text};
use crate::error::ApiError;
use crate::password;

/// Attempts to change an account's password per quarter of an hour.
const TRIES: u32 = 10;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/account", get(show))
        .route("/account/password", post(change))
}

async fn show(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    Ok(page(&web, &visitor, fields.get("done"), None))
}

fn page(
    web: &Web,
    visitor: &Visitor,
    notice: &str,
    problem: Option<&str>,
) -> axum::response::Response {
    let account = &visitor.account;
    let yes = |is: bool| if is { "included" } else { "not included" };
    let per_minute = account
        .requests_per_minute
        .unwrap_or(web.app.config.server.requests_per_minute);
    let content = html! {
        h1 { "Account" }
        dl.facts.panel {
            dt { "Email address" } dd { (account.email) }
            dt { "Plan" } dd { (text::title(account.plan.as_str())) }
            dt { "API access" } dd { (yes(account.plan.has_api())) }
            dt { "Videos without a watermark" } dd { (yes(account.plan.may_remove_watermark())) }
            dt { "Requests" } dd { (per_minute) " per minute for each key" }
            dt { "Since" } dd { (text::time(account.created_at)) }
        }
        p.hint { "Plans and credits are set by this server's operator." }
        section.panel {
            h2 { "Change the password" }
            @if let Some(problem) = problem { p.problem role="alert" #password-problem { (problem) } }
            form method="post" action="/account/password" {
                (token(visitor))
                input.hidden type="text" name="email" value=(account.email) autocomplete="username" tabindex="-1" aria-hidden="true" readonly;
                @for (name, label, autocomplete) in [
                    ("current", "Current password", "current-password"),
                    ("new", "New password", "new-password"),
                    ("again", "New password again", "new-password"),
                ] {
                    div.field {
                        label for=(name) { (label) }
                        input id=(name) name=(name) type="password" autocomplete=(autocomplete) required
                            aria-describedby=[problem.map(|_| "password-problem")];
                    }
                }
                button.primary type="submit" { "Change the password" }
                p.hint { "All other sessions will be signed out." }
            }
        }
    };
    let page = Page {
        notice,
        ..Page::new("Account", "/account", visitor)
    };
    let status = if problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    (status, page.show(content)).into_response()
}

async fn change(State(web): State<Web>, posted: Posted) -> Shown {
    let Posted { visitor, fields } = posted;
    let account = &visitor.account;
    sign::admit(&web, &format!("password:{}", account.id), TRIES).await?;
    let kept = web.app.db.account_by_email(&account.email).await?;
    let is_right = password::is_right(fields.raw("current").to_owned(), kept.map(|(_, kept)| kept))
        .await
        .ok_or_else(ApiError::internal)?;
    let new = fields.raw("new");
    let problem = match () {
        () if !is_right => Some("The current password is not correct.".to_owned()),
        () if new != fields.raw("again") => Some("The two new passwords do not match.".to_owned()),
        () => password::problem(new),
    };
    if problem.is_some() {
        return Ok(page(&web, &visitor, "", problem.as_deref()));
    }
    let hash = password::hash(new.to_owned())
        .await
        .ok_or_else(ApiError::internal)?;
    web.app.db.set_password(&account.id, &hash).await?;
    let cookie = session::begin(&web, &account.id).await?;
    let to = Redirect::to("/account?done=password-changed");
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), to).into_response())
}
