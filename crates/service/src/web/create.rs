//! A new Short.

use std::borrow::Cow;

use axum::Router;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use kinora_studio::estimate::Input;
use kinora_studio::request::{ShortRequest, Transition};
use maud::html;
use serde_json::{Value, json};

use super::composer::{self, Composer, Looks, Wish, asker};
use super::page::{Refused, Shown};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{Web, form, run, short_form, voices};
use crate::app::create::{self as maker, Wanted};
use crate::app::substitutions;
use crate::db::Run;
use crate::order::Asked as Order;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/new", get(show).post(send))
        .route("/new/estimate", post(estimate))
}

/// Returns the path of the form, filled from an earlier run.
pub(super) fn again(run: &Run) -> String {
    format!("{}?from={}", run::form_of(run), run.asked.id)
}

/// Retries a failed run unchanged.
pub(super) async fn again_as_it_was(web: &Web, visitor: &Visitor, run: &Run) -> Shown {
    let asker = asker(&visitor.account, run.asked.is_sandbox);
    let answer = maker::retry(&web.app, &asker, &run.asked.id, None).await?;
    Ok(to_run(&answer))
}

/// Redirects to the page of a new run.
pub(super) fn to_run(answer: &Value) -> Response {
    let id = answer["id"].as_str().or(answer["requestId"].as_str());
    Redirect::to(&format!("/runs/{}?done=created", id.unwrap_or_default())).into_response()
}

async fn composer<'a>(
    web: &'a Web,
    visitor: &'a Visitor,
    body: Value,
    is_trial: bool,
) -> Composer<'a> {
    Composer {
        web,
        visitor,
        title: Cow::Borrowed("New video"),
        lead: html! { p.lead { "A Short, up to ten minutes. For a series with one look, " a href="/universes" { "choose a universe" } "." } },
        action: "/new".to_owned(),
        call: "/api/v1/short".to_owned(),
        groups: short_form::groups(voices::choices().await),
        body,
        is_trial,
        can_rewrite: false,
        looks: Looks {
            transition: Some(Transition::default()),
            ..Looks::default()
        },
        said: None,
    }
}

async fn show(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    let mut body = json!(ShortRequest::default());
    let mut is_trial = visitor.account.balance == 0;
    if !fields.get("from").is_empty() {
        let run = run::find(&web, &visitor, fields.get("from")).await?;
        is_trial = run.asked.is_sandbox;
        if let Order::Short { request } = &run.asked.order.asked {
            body = json!(request);
        }
    }
    if !fields.get("prompt").is_empty() {
        body["prompt"] = fields.get("prompt").into();
    }
    leave_default_voice_open(&mut body);
    Ok(composer(&web, &visitor, body, is_trial)
        .await
        .page(&[], None))
}

/// Clears the default voice: its id means nothing to people.
fn leave_default_voice_open(body: &mut Value) {
    let voice = &mut body["voiceoverConfig"]["voiceId"];
    if *voice == json!(ShortRequest::default())["voiceoverConfig"]["voiceId"] {
        voice.take();
    }
}

/// Returns the composer with the typed values.
async fn typed<'a>(web: &'a Web, posted: &'a Posted) -> Composer<'a> {
    let body = form::body(&short_form::groups(Vec::new()), &posted.fields);
    composer(
        web,
        &posted.visitor,
        body,
        composer::is_trial(&posted.fields),
    )
    .await
}

async fn send(State(web): State<Web>, posted: Posted) -> Shown {
    let composer = typed(&web, &posted).await;
    if composer::wish(&posted.fields) == Wish::Estimate {
        return Ok(match told(&composer).await {
            Ok(told) => composer.page(&[], Some(&told)),
            Err(problems) => composer.page(&problems, None),
        });
    }
    let body = composer.body.to_string();
    let idempotency = composer::idempotency(&posted.fields, body.as_bytes());
    let wanted = Wanted {
        body: body.as_bytes(),
        idempotency: idempotency.as_deref(),
    };
    let asker = asker(&posted.visitor.account, composer.is_trial);
    match maker::short(&web.app, &asker, &wanted).await {
        Ok(answer) => Ok(to_run(&answer)),
        Err(error) => Ok(composer.page(&composer::problems(error).map_err(Refused::from)?, None)),
    }
}

async fn estimate(State(web): State<Web>, posted: Posted) -> Shown {
    let composer = typed(&web, &posted).await;
    Ok(composer.live(told(&composer).await))
}

async fn told(
    composer: &Composer<'_>,
) -> Result<String, Vec<kinora_studio::request::FieldProblem>> {
    let parsed = ShortRequest::from_value(&composer.body)?;
    let asker = asker(&composer.visitor.account, composer.is_trial);
    let outlook = substitutions::of_short(&composer.web.app, &asker, &parsed.request).await;
    Ok(composer::told(
        composer.web,
        &Input::of_short(&parsed.request),
        &outlook.makers,
        composer.is_trial,
    ))
}
