//! The page of one video: progress, player, result.

use axum::Router;
use axum::extract::Query;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use kinora_studio::request::AspectRatio;
use maud::{Markup, html};
use serde_json::Value;

use super::Web;
use super::page::{Page, Refused, Shown, token};
use super::runs::{LIVE_MS, badge, format, is_open, kind, meter, title};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{create, text};
use crate::db::{Family, Output, Run, RunFailure, RunStatus};
use crate::ids::is_id;
use crate::order::Asked as Order;

/// The stages in order, with their labels.
const STAGES: &[(&str, &str)] = &[
    ("script", "Script"),
    ("scenes", "Scenes"),
    ("voice", "Voice"),
    ("pictures", "Pictures"),
    ("clips", "Clips"),
    ("timeline", "Timeline"),
    ("render", "Render"),
    ("publish", "Publish"),
];

/// Advice for a failure, by its reason.
const ADVICE: &[(&str, &str)] = &[
    (
        "bad_input",
        "Change what the message names, and make the video again.",
    ),
    (
        "not_configured",
        "This server does not have what was requested. Choose another model or voice, or ask its operator.",
    ),
    (
        "unauthorized",
        "A provider rejected this server's key. Only its operator can change that.",
    ),
    (
        "refused",
        "A provider refused the content. Put it in other words, or choose another model.",
    ),
    (
        "rate_limited",
        "A provider is busy. Try again in a few minutes: finished parts are kept and not paid for twice.",
    ),
    (
        "unavailable",
        "A provider could not be reached. Try again: finished parts are kept and not paid for twice.",
    ),
    (
        "timed_out",
        "A provider took too long. Try again, or choose a faster model.",
    ),
    (
        "bad_answer",
        "A provider returned something unusable. Try again, or choose another model.",
    ),
    (
        "cancelled",
        "You cancelled it. Try again to continue from where it stopped.",
    ),
    (
        "storage",
        "The server's disk could not be used. Tell its operator, then try again.",
    ),
    (
        "storage_full",
        "The server's disk is full. Tell its operator, then try again.",
    ),
    (
        "too_many_attempts",
        "It was tried several times and broke off each time. Give the server's operator the id of the run.",
    ),
];

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/runs/{id}", get(show))
        .route("/runs/{id}/live", get(live))
        .route("/runs/{id}/cancel", post(cancel))
        .route("/runs/{id}/retry", post(retry))
}

/// Returns a run of the visitor.
pub(super) async fn find(web: &Web, visitor: &Visitor, id: &str) -> Result<Run, Refused> {
    let run = match is_id(id) {
        true => web.app.db.run(&visitor.account.id, id, None).await?,
        false => None,
    };
    run.ok_or_else(|| Refused::not_found("video"))
}

async fn show(
    visitor: Visitor,
    State(web): State<Web>,
    Path(id): Path<String>,
    Query(asked): Asked,
) -> Shown {
    let run = find(&web, &visitor, &id).await?;
    let fields = Fields(asked);
    let page = Page {
        // The `created` notice says that the video is on its way, so it is dropped when the run has ended.
        notice: if is_open(&run) || fields.get("done") != "created" {
            fields.get("done")
        } else {
            ""
        },
        reload_secs: is_open(&run).then_some(3),
        ..Page::new(title(&run), "/runs", &visitor)
    };
    let content = html! {
        p.crumb { a href="/runs" { "Videos" } }
        h1.run-title { (title(&run)) }
        div data-live=(format!("/runs/{id}/live")) data-every=(LIVE_MS) {
            (now(&web, &visitor, &run))
        }
        (asked_for(&run))
    };
    Ok(page.show(content).into_response())
}

/// Answers an open page with the parts that change while the video is made.
async fn live(visitor: Visitor, State(web): State<Web>, Path(id): Path<String>) -> Shown {
    let run = find(&web, &visitor, &id).await?;
    // The run may have ended and released its hold since the visitor was loaded.
    let session = web.app.db.session(&visitor.hash).await?;
    let balance = session.map_or(visitor.account.balance, |session| session.account.balance);
    let now = html! { (now(&web, &visitor, &run)) span hidden data-balance=(text::count(balance, "credit", "credits")) {} };
    Ok(now.into_response())
}

fn now(web: &Web, visitor: &Visitor, run: &Run) -> Markup {
    let said = said(run);
    html! {
        div.run data-open[is_open(run)] data-said=(said) {
            p.meta { (badge(run)) " " (kind(run)) " · " (text::time(run.created_at)) }
            @match (&run.output, &run.failure) {
                (Some(output), _) => (player(web, run, output)),
                (None, Some(failure)) => (failed(visitor, run, failure)),
                (None, None) if is_open(run) => (making(visitor, run)),
                (None, None) => div.empty { p { "The video has expired and was deleted." } },
            }
        }
    }
}

/// Returns the text that a screen reader announces on changes.
fn said(run: &Run) -> String {
    match (run.status, &run.progress) {
        (RunStatus::Queued, _) => "Waiting for its turn".to_owned(),
        (RunStatus::Executing, Some(progress)) => format!("Now: {}", stage_label(&progress.stage)),
        (RunStatus::Executing, None) => "It has started".to_owned(),
        (RunStatus::Completed, _) => "The video is done".to_owned(),
        (RunStatus::Failed, _) => "The video was not made".to_owned(),
    }
}

fn stage_label(stage: &str) -> &str {
    let known = STAGES.iter().find(|(name, _)| *name == stage);
    known.map_or(stage, |(_, label)| label)
}

fn has_clips(run: &Run) -> bool {
    match &run.asked.order.asked {
        Order::Short { request } => request.video_config.enabled,
        Order::Universe { request, .. } => {
            request.preset() != kinora_studio::request::AnimationPreset::JustStoryboard
        }
    }
}

fn making(visitor: &Visitor, run: &Run) -> Markup {
    let stage = run
        .progress
        .as_ref()
        .map_or("", |progress| progress.stage.as_str());
    let stages: Vec<_> = STAGES
        .iter()
        .filter(|(name, _)| *name != "clips" || has_clips(run))
        .collect();
    let here = stages.iter().position(|(name, _)| *name == stage);
    let percent = run.progress.as_ref().map_or(0, |progress| progress.percent);
    html! {
        div.under-way {
            p.percent { strong { (percent) } " %" }
            (meter(run))
            ol.stages {
                @for (i, (_, label)) in stages.iter().enumerate() {
                    @let is_done = here.is_some_and(|here| i < here);
                    li.past[is_done] aria-current=[(here == Some(i)).then_some("step")] {
                        (label)
                        @if let Some(progress) = run.progress.as_ref().filter(|progress| here == Some(i) && progress.scene_total > 0) {
                            " " span.meta { (progress.scene_done) " of " (progress.scene_total) }
                        }
                    }
                }
            }
            @if run.status == RunStatus::Queued {
                p.hint { "It is waiting for its turn. You can close this page; the video will still be made." }
            }
            @if run.cancel_asked {
                p.hint { "It is being cancelled and will stop at the next step." }
            } @else {
                (action(visitor, run, "cancel", "Cancel", "danger"))
            }
        }
    }
}

/// Returns a button for an action on this run.
fn action(visitor: &Visitor, run: &Run, what: &str, label: &str, class: &str) -> Markup {
    html! {
        form method="post" action=(format!("/runs/{}/{what}", run.asked.id)) {
            (token(visitor))
            button class=(class) type="submit" { (label) }
        }
    }
}

/// Describes a failure as a sentence; a provider's message starts with its name.
fn told(failure: &RunFailure) -> String {
    let message = failure.message.trim_end_matches('.');
    match &failure.provider {
        Some(provider) => format!("{provider}: {message}."),
        None => {
            let mut letters = message.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string());
            format!("{}{}.", first.unwrap_or_default(), letters.as_str())
        }
    }
}

fn failed(visitor: &Visitor, run: &Run, failure: &RunFailure) -> Markup {
    let advice = ADVICE.iter().find(|(reason, _)| *reason == failure.reason);
    html! {
        div.failure {
            h2 { @if failure.reason == "cancelled" { "It was cancelled" } @else { "It could not be made" } }
            p { (told(failure)) }
            @if let Some((_, advice)) = advice { p { strong { "What to do: " } (advice) } }
            dl.facts {
                dt { "Reason" } dd { code { (failure.reason) } }
                @if let Some(stage) = &failure.stage { dt { "Stage" } dd { (stage_label(stage)) } }
                @if let Some(provider) = &failure.provider {
                    dt { "Provider" }
                    dd { (provider) @if let Some(status) = failure.provider_status { " (HTTP " (status) ")" } }
                }
                dt { "Charged" } dd { "nothing; the credits were returned" }
            }
            div.actions {
                (action(visitor, run, "retry", "Try again", "primary"))
                a.button href=(create::again(run)) { "Change and make again" }
            }
        }
    }
}

fn player(web: &Web, run: &Run, output: &Output) -> Markup {
    let public_url = web.app.config.public_url();
    let path = |name: &str| text::media_path(&web.app.media, &public_url, name);
    let poster = output.poster.as_deref().map(path);
    let is_wide = format(run) == AspectRatio::Landscape;
    let video = path(&output.video);
    html! {
        div.player.wide[is_wide] {
            video controls playsinline preload="metadata" poster=[poster] aria-label=(title(run)) {
                source src=(video) type="video/mp4";
                @if let Some(vtt) = &output.vtt { track kind="captions" src=(path(vtt)) label="Captions"; }
                p { "This browser cannot play the video. " a href=(video) { "Download it" } "." }
            }
            div.details {
                div.actions {
                    a.button.primary href=(video) download { "Download MP4" }
                    button.quiet type="button" data-copy=(web.app.media.url(&output.video)) hidden { "Copy link" }
                    a.button href=(create::again(run)) { "Make another like it" }
                }
                (facts(run, output))
                @let files = [("SRT", &output.srt), ("WebVTT", &output.vtt), ("Word times (JSON)", &output.words)];
                @if files.iter().any(|(_, file)| file.is_some()) {
                    h2 { "Subtitles" }
                    ul.files {
                        @for (label, file) in files {
                            @if let Some(file) = file { li { a href=(path(file)) download { (label) } } }
                        }
                    }
                }
                @if !output.notes.is_empty() {
                    h2 { "Notes" }
                    ul { @for note in &output.notes { li { (note) } } }
                }
            }
        }
    }
}

fn facts(run: &Run, output: &Output) -> Markup {
    let took = run
        .started_at
        .zip(run.finished_at)
        .map(|(start, end)| (end - start) as f64 / 1000.0);
    html! {
        dl.facts {
            dt { "Length" } dd { (text::secs(output.duration_ms as f64 / 1000.0)) }
            dt { "Size" } dd { (text::size(output.size)) }
            @if let Some(credits) = run.credits_used {
                dt { "Cost" } dd { (text::count(credits, "credit", "credits")) }
            }
            @if let Some(secs) = took { dt { "Made in" } dd { (text::secs(secs)) } }
        }
    }
}

/// Shows the request as API JSON.
fn asked_for(run: &Run) -> Markup {
    let (path, request) = match &run.asked.order.asked {
        Order::Short { request } => ("/api/v1/short".to_owned(), serde_json::to_value(request)),
        Order::Universe {
            request, settings, ..
        } => (
            format!("/api/v1/universe/{}/create", settings.slug),
            serde_json::to_value(request),
        ),
    };
    let request = request.unwrap_or(Value::Null);
    html! {
        details.group {
            summary { h2 { "What was requested" } }
            div.fields {
                dl.facts {
                    dt { "Run" } dd { code { (run.asked.id) } }
                    dt { "Project" } dd { code { (run.asked.project_id) } }
                    @if let Some(before) = &run.asked.retry_of {
                        dt { "Continues from" } dd { a href=(format!("/runs/{before}")) { "an earlier attempt" } }
                    }
                    dt { "Interface" } dd { code { "POST " (path) } }
                }
                pre.code tabindex="0" { (format!("{request:#}")) }
                @if let Some(warnings) = run.asked.warnings.as_array().filter(|all| !all.is_empty()) {
                    h3 { "Warnings" }
                    ul { @for warning in warnings { li { code { (warning["field"].as_str().unwrap_or_default()) } ": " (warning["message"].as_str().unwrap_or_default()) } } }
                }
            }
        }
    }
}

async fn cancel(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    let account = &posted.visitor.account.id;
    let cancelled = match is_id(&id) {
        true => web.app.db.cancel_run(account, &id).await?,
        false => None,
    };
    let done = match cancelled {
        None => return Err(Refused::not_found("video")),
        Some(true) => "cancelled",
        Some(false) => "ended",
    };
    Ok(Redirect::to(&format!("/runs/{id}?done={done}")).into_response())
}

async fn retry(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    let run = find(&web, &posted.visitor, &id).await?;
    create::again_as_it_was(&web, &posted.visitor, &run).await
}

/// Returns the path of the form for this run's family.
pub(super) fn form_of(run: &Run) -> String {
    match (run.asked.family, &run.asked.universe) {
        (Family::Universe, Some(slug)) => format!("/universes/{slug}/new"),
        _ => "/new".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_say_who_could_not() {
        for (provider, message, due) in [
            (
                Some("fal"),
                "could not be reached",
                "fal: could not be reached.",
            ),
            (
                None,
                "the video was not made within 5 s",
                "The video was not made within 5 s.",
            ),
        ] {
            let failure = RunFailure {
                message: message.into(),
                reason: "unavailable".into(),
                stage: None,
                provider: provider.map(str::to_owned),
                provider_status: None,
                retryable: true,
            };
            assert_eq!(told(&failure), due);
        }
    }
}
