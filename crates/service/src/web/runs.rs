//! The list of videos.

use axum::Router;
use axum::extract::{Query, State};
use axum::response::IntoResponse;
use axum::routing::get;
use kinora_studio::request::AspectRatio;
use maud::{Markup, html};

use super::Web;
use super::page::{Page, Refused, Shown};
use super::session::{Asked, Fields, Visitor};
use super::text;
use crate::db::{Family, Run, RunStatus};
use crate::ids::is_id;
use crate::order::Asked as Order;

/// Videos per page.
const PER_PAGE: u32 = 24;
/// Refresh interval of an open page while something is being made, in milliseconds.
pub(super) const LIVE_MS: u32 = 1500;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/runs", get(list))
        .route("/runs/live", get(live))
}

/// Returns a state's CSS class and label.
pub(super) fn state(run: &Run) -> (&'static str, &'static str) {
    match run.status {
        RunStatus::Queued => ("waiting", "Waiting"),
        RunStatus::Executing if run.cancel_asked => ("making", "Stopping"),
        RunStatus::Executing => ("making", "Making"),
        RunStatus::Completed => ("done", "Done"),
        RunStatus::Failed
            if run
                .failure
                .as_ref()
                .is_some_and(|f| f.reason == "cancelled") =>
        {
            ("cancelled", "Cancelled")
        }
        RunStatus::Failed => ("failed", "Failed"),
    }
}

pub(super) fn badge(run: &Run) -> Markup {
    let (class, label) = state(run);
    html! { span class=(format!("badge {class}")) { (label) } }
}

pub(super) fn is_open(run: &Run) -> bool {
    matches!(run.status, RunStatus::Queued | RunStatus::Executing)
}

/// Returns the video's aspect ratio.
pub(super) fn format(run: &Run) -> AspectRatio {
    match &run.asked.order.asked {
        Order::Short { request } => request.aspect_ratio,
        Order::Universe {
            request, settings, ..
        } => request.video_format.unwrap_or(settings.video_format),
    }
}

/// Shows the progress of a run that is being made.
pub(super) fn meter(run: &Run) -> Markup {
    let percent = run.progress.as_ref().map_or(0, |progress| progress.percent);
    html! {
        progress max="100" value=(percent) aria-label="Progress" { (percent) " %" }
    }
}

/// Parses the last row of the previous page: `created_at` and id.
fn before(fields: &Fields) -> Option<(i64, String)> {
    let (at, id) = fields.get("before").split_once(',')?;
    Some((at.parse().ok()?, is_id(id).then(|| id.to_owned())?))
}

struct Rows {
    runs: Vec<Run>,
    older: Option<String>,
}

async fn rows(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<Rows, Refused> {
    let before = before(fields);
    let before = before.as_ref().map(|(at, id)| (*at, id.as_str()));
    let mut runs = web
        .app
        .db
        .runs(&visitor.account.id, before, PER_PAGE + 1)
        .await?;
    let has_more = runs.len() > PER_PAGE as usize;
    runs.truncate(PER_PAGE as usize);
    let last = runs.last().filter(|_| has_more);
    let older = last.map(|run| format!("/runs?before={},{}", run.created_at, run.asked.id));
    Ok(Rows { runs, older })
}

async fn list(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    let rows = rows(&web, &visitor, &fields).await?;
    let page = Page {
        notice: fields.get("done"),
        reload_secs: rows.runs.iter().any(is_open).then_some(5),
        ..Page::new("Videos", "/runs", &visitor)
    };
    let live = format!("/runs/live?before={}", fields.get("before"));
    let content = html! {
        div.head {
            h1 { "Videos" }
            a.button.primary href="/new" { "New video" }
        }
        @if rows.runs.is_empty() {
            (nothing(fields.has("before")))
        } @else {
            div data-live=(live) data-every=(LIVE_MS) { (cards(&web, &rows.runs)) }
        }
        nav.pages aria-label="Pages" {
            @if fields.has("before") { a href="/runs" { "Newest" } }
            @if let Some(older) = &rows.older { a href=(older) rel="next" { "Older" } }
        }
    };
    Ok(page.show(content).into_response())
}

/// Answers an open page with the rows alone.
async fn live(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let rows = rows(&web, &visitor, &Fields(asked)).await?;
    Ok(cards(&web, &rows.runs).into_response())
}

fn nothing(is_older: bool) -> Markup {
    html! {
        div.empty {
            @if is_older { p { "There are no older videos." } }
            @else {
                p { "You have not made any videos yet." }
                p.hint { "A sentence is enough: the script, the voice, the pictures and the captions are made from it." }
                a.button.primary href="/new" { "Make the first one" }
            }
        }
    }
}

/// Shows runs as cards; `data-open` tells the script to keep refreshing.
pub(super) fn cards(web: &Web, runs: &[Run]) -> Markup {
    let is_live = runs.iter().any(is_open);
    html! {
        ul.cards data-open[is_live] { @for run in runs { (card(web, run)) } }
    }
}

fn card(web: &Web, run: &Run) -> Markup {
    let public_url = web.app.config.public_url();
    let poster = run
        .output
        .as_ref()
        .and_then(|output| output.poster.as_ref());
    let poster = poster.map(|name| text::media_path(&web.app.media, &public_url, name));
    let is_wide = format(run) == AspectRatio::Landscape;
    html! {
        li {
            a.card-link href=(format!("/runs/{}", run.asked.id)) {
                span.thumb.wide[is_wide] {
                    @if let Some(poster) = poster { img src=(poster) alt="" loading="lazy"; }
                    @if let Some(output) = &run.output {
                        span.length { (text::secs(output.duration_ms as f64 / 1000.0)) }
                    }
                }
                span.about {
                    strong.title { (title(run)) }
                    span.meta { (badge(run)) " " (kind(run)) }
                    span.meta { (text::time(run.created_at)) }
                    @if is_open(run) { (meter(run)) }
                }
            }
        }
    }
}

/// Returns its title, or a placeholder.
pub(super) fn title(run: &Run) -> &str {
    let title = run.asked.title.trim();
    if title.is_empty() { "Untitled" } else { title }
}

/// Shows the interface and whether it is a trial.
pub(super) fn kind(run: &Run) -> Markup {
    html! {
        @match (run.asked.family, &run.asked.universe) {
            (Family::Universe, Some(slug)) => { "in " (slug) }
            _ => "Short",
        }
        @if run.asked.is_sandbox { " · trial" }
    }
}
