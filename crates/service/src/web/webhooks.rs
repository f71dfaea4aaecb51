//! Webhooks: where to report finished videos, and the sent messages.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};

use super::page::{Page, Refused, Shown, once, token};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{Web, composer, text};
use crate::app::webhooks as api;
use crate::app::webhooks::next_attempt;
use crate::db::{DELETED, Delivery, Webhook};
use crate::ids::is_id;

/// Number of deliveries shown.
const DELIVERIES: u32 = 100;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/webhooks", get(list).post(add))
        .route("/webhooks/{id}/delete", post(delete))
}

/// The content above the list.
#[derive(Default)]
struct Above<'a> {
    notice: &'a str,
    /// A newly created webhook.
    new: Option<&'a Webhook>,
    /// The typed URL, and its problem.
    url: &'a str,
    problem: Option<&'a str>,
}

async fn list(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    let above = Above {
        notice: fields.get("done"),
        ..Above::default()
    };
    show(&web, &visitor, &above).await
}

async fn show(web: &Web, visitor: &Visitor, above: &Above<'_>) -> Result<Response, Refused> {
    let account = &visitor.account.id;
    let webhooks = web.app.db.webhooks(account).await?;
    let deliveries = web.app.db.deliveries(account, DELIVERIES).await?;
    let page = Page {
        notice: above.notice,
        ..Page::new("Webhooks", "/webhooks", visitor)
    };
    let content = html! {
        h1 { "Webhooks" }
        p.lead { "Your server is notified when a video is done or has failed, so it need not poll." }
        @if let Some(webhook) = above.new { (made(webhook)) }
        (form(visitor, above))
        (table(visitor, &webhooks))
        h2 { "What was sent" }
        (log(&deliveries))
    };
    let status = if above.problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    Ok((status, page.show(content)).into_response())
}

fn made(webhook: &Webhook) -> Markup {
    html! {
        section.panel.once role="status" {
            h2 { "Your new webhook's secret" }
            p { "Copy it now: it is shown only once. Each message is signed with it, so that you can verify that it is ours." }
            div.secret {
                code { (webhook.secret) }
                button.primary type="button" data-copy=(webhook.secret) hidden { "Copy" }
            }
        }
    }
}

fn form(visitor: &Visitor, above: &Above) -> Markup {
    html! {
        section.panel {
            h2 { "Add a webhook" }
            form method="post" action="/webhooks" {
                (token(visitor))
                (once())
                div.field.wrong[above.problem.is_some()] {
                    label for="url" { "URL" }
                    input #url type="url" name="url" value=(above.url) placeholder="https://example.org/kinora" maxlength="2048" required
                        aria-invalid=[above.problem.map(|_| "true")] aria-describedby=[above.problem.map(|_| "url-problem")];
                    @if let Some(problem) = above.problem { p.problem #url-problem role="alert" { (problem) } }
                }
                button.primary type="submit" { "Add webhook" }
            }
        }
    }
}

fn table(visitor: &Visitor, webhooks: &[Webhook]) -> Markup {
    html! {
        @if !webhooks.is_empty() {
            div.table { table {
                caption.hidden { "Your webhooks" }
                thead { tr { th scope="col" { "URL" } th scope="col" { "Added" } th scope="col" { span.hidden { "Delete" } } } }
                tbody {
                    @for webhook in webhooks {
                        tr {
                            th.url scope="row" data-label="URL" { (webhook.url) }
                            td data-label="Added" { (text::time(webhook.created_at)) }
                            td.end {
                                form method="post" action=(format!("/webhooks/{}/delete", webhook.id)) {
                                    (token(visitor))
                                    button.quiet.danger type="submit" data-confirm="Delete this webhook?" aria-label=(format!("Delete {}", webhook.url)) { "Delete" }
                                }
                            }
                        }
                    }
                }
            } }
        }
    }
}

fn log(deliveries: &[Delivery]) -> Markup {
    html! {
        @if deliveries.is_empty() {
            div.empty { p { "Nothing has been sent yet." } }
        } @else {
            div.table { table {
                caption.hidden { "Messages, newest first" }
                thead { tr { th scope="col" { "When" } th scope="col" { "Event" } th scope="col" { "To" } th scope="col" { "Tries" } th scope="col" { "State" } } }
                tbody { @for delivery in deliveries { (message(delivery)) } }
            } }
        }
    }
}

/// Shows whether it was delivered, and otherwise what happens next.
fn state(delivery: &Delivery) -> Markup {
    let next = next_attempt(delivery.created_at, delivery.n_attempts);
    html! {
        @if delivery.delivered_at.is_some() {
            span.badge.done { "Delivered" @if let Some(status) = delivery.status { " (" (status) ")" } }
        } @else if delivery.error.as_deref() == Some(DELETED) {
            span.badge { "Not sent" } " " span.meta { (DELETED) }
        } @else if delivery.n_attempts == 0 {
            span.badge { "Waiting" }
        } @else {
            @match next {
                Some(at) => { span.badge { "Trying again" } " " span.meta { "about " (text::time(at)) } },
                None => span.badge.failed { "Given up" },
            }
            p.meta {
                "Last time: " (delivery.error.as_deref().unwrap_or("not accepted"))
                @if let Some(status) = delivery.status { " (" (status) ")" }
            }
        }
    }
}

fn message(delivery: &Delivery) -> Markup {
    html! {
        tr {
            td data-label="When" { (text::time(delivery.created_at)) }
            td data-label="Event" { a href=(format!("/runs/{}", delivery.run_id)) { (delivery.event) } }
            td.url data-label="To" { (delivery.url) }
            td data-label="Tries" { (delivery.n_attempts) }
            td data-label="State" { (state(delivery)) }
        }
    }
}

async fn add(State(web): State<Web>, posted: Posted) -> Shown {
    let visitor = &posted.visitor;
    let url = posted.fields.get("url");
    let added = match api::check(&web.app, url) {
        Ok(_) if !posted.is_first(&web).await? => {
            return Ok(Redirect::to("/webhooks?done=webhook-sent-before").into_response());
        }
        Ok(_) => api::add(&web.app, &visitor.account, url).await,
        Err(error) => Err(error),
    };
    match added {
        Ok(webhook) => {
            let new = Some(&webhook);
            show(
                &web,
                visitor,
                &Above {
                    new,
                    ..Above::default()
                },
            )
            .await
        }
        Err(error) => {
            let problems = composer::problems(error)?;
            let problem = problems
                .first()
                .map(|problem| format!("It {}.", problem.reason));
            let problem = problem.as_deref();
            show(
                &web,
                visitor,
                &Above {
                    url,
                    problem,
                    ..Above::default()
                },
            )
            .await
        }
    }
}

async fn delete(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    let account = &posted.visitor.account.id;
    match is_id(&id) && web.app.db.delete_webhook(account, &id).await? {
        true => Ok(Redirect::to("/webhooks?done=webhook-deleted").into_response()),
        false => Err(Refused::not_found("webhook")),
    }
}
