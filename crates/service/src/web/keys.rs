//! API keys: created, shown once, revoked.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use maud::{Markup, html};

use super::page::{Page, Refused, Shown, once, token};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{Web, home, text};
use crate::admin;
use crate::db::{ApiKey, Plan};
use crate::ids::is_id;

/// Maximum length of a key's name, and maximum number of valid keys.
const MAX_NAME_CHARS: usize = 60;
const MAX_KEYS: usize = 50;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/keys", get(list).post(add))
        .route("/keys/{id}/revoke", post(revoke))
}

async fn list(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    show(&web, &visitor, fields.get("done"), html! {}).await
}

async fn show(web: &Web, visitor: &Visitor, notice: &str, above: Markup) -> Shown {
    let keys = web.app.db.keys(&visitor.account.id).await?;
    let page = Page {
        notice,
        ..Page::new("API keys", "/keys", visitor)
    };
    let content = html! {
        h1 { "API keys" }
        (above)
        (form(visitor))
        (table(visitor, &keys))
    };
    Ok(page.show(content).into_response())
}

fn form(visitor: &Visitor) -> Markup {
    let has_api = visitor.account.plan.has_api();
    html! {
        section.panel {
            h2 { "Make a key" }
            @if !has_api {
                p.hint { "Your plan (" (visitor.account.plan.as_str()) ") includes trial keys. Keys that make real videos come with the plan " (Plan::Starter.as_str()) " and above." }
            }
            form.row method="post" action="/keys" {
                (token(visitor))
                (once())
                div.field {
                    label for="name" { "What it is for" }
                    input #name name="name" type="text" maxlength=(MAX_NAME_CHARS) placeholder="my automation" required;
                }
                div.field {
                    label for="kind" { "Kind" }
                    select #kind name="kind" {
                        @if has_api { option value="live" { "Live: costs credits" } }
                        option value="trial" { "Trial: made offline, watermark, free" }
                    }
                }
                button.primary type="submit" { "Make key" }
            }
        }
    }
}

fn table(visitor: &Visitor, keys: &[ApiKey]) -> Markup {
    html! {
        @if keys.is_empty() {
            div.empty { p { "No keys yet. Programs use a key to call the service." } a href="/first-steps" { "See the first steps" } }
        } @else {
            div.table { table {
                caption.hidden { "Your keys" }
                thead { tr { th scope="col" { "Name" } th scope="col" { "Begins with" } th scope="col" { "Kind" } th scope="col" { "Made" } th scope="col" { span.hidden { "Revoke" } } } }
                tbody {
                    @for key in keys {
                        tr.off[key.revoked_at.is_some()] {
                            th scope="row" data-label="Name" { (key.name) }
                            td data-label="Begins with" { code { (key.shown) "…" } }
                            td data-label="Kind" { @if key.is_sandbox { "Trial" } @else { "Live" } }
                            td data-label="Made" { (text::time(key.created_at)) }
                            td.end {
                                @if let Some(at) = key.revoked_at { "Revoked " (text::time(at)) }
                                @else {
                                    form method="post" action=(format!("/keys/{}/revoke", key.id)) {
                                        (token(visitor))
                                        button.quiet.danger type="submit" data-confirm=(format!("Revoke the key “{}”? Programs that use it will stop working.", key.name)) aria-label=(format!("Revoke {}", key.name)) { "Revoke" }
                                    }
                                }
                            }
                        }
                    }
                }
            } }
        }
    }
}

async fn add(State(web): State<Web>, posted: Posted) -> Shown {
    let name: String = posted
        .fields
        .get("name")
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_NAME_CHARS)
        .collect();
    let name = if name.is_empty() { "unnamed" } else { &name };
    let visitor = &posted.visitor;
    let open = web.app.db.keys(&visitor.account.id).await?;
    if open.iter().filter(|key| key.revoked_at.is_none()).count() >= MAX_KEYS {
        let message = format!(
            "An account can have at most {MAX_KEYS} keys. Revoke one that is no longer used."
        );
        return Err(Refused::new(
            axum::http::StatusCode::CONFLICT,
            "Too many keys",
            message,
        ));
    }
    if !posted.is_first(&web).await? {
        return Ok(Redirect::to("/keys?done=key-sent-before").into_response());
    }
    let is_sandbox = posted.fields.get("kind") != "live" || !visitor.account.plan.has_api();
    let account = &visitor.account.id;
    let secret = admin::add_key(&web.app.db, account, name, is_sandbox)
        .await?
        .secret;
    let above = html! {
        section.panel.once role="status" {
            h2 { "Your new key" }
            p { "Copy it now: it is shown only once, and only its hash is stored." }
            div.secret {
                code #new-key { (secret) }
                button.primary type="button" data-copy=(secret) hidden { "Copy" }
            }
            (home::first_call(&web, &secret))
        }
    };
    show(&web, visitor, "", above).await
}

async fn revoke(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    let account = &posted.visitor.account.id;
    match is_id(&id) && web.app.db.revoke_key(account, &id).await? {
        true => Ok(Redirect::to("/keys?done=key-revoked").into_response()),
        false => Err(Refused::not_found("key")),
    }
}
