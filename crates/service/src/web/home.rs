//! The start page: the latest videos, and the first steps with the API.

use axum::Router;
use axum::extract::{Query, State};
use axum::response::IntoResponse;
use axum::routing::get;
use maud::{Markup, html};

use super::page::{Page, Shown};
use super::session::{Asked, Fields, Visitor};
use super::{Web, runs};

/// Number of videos on the start page.
const LATEST: u32 = 4;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/", get(start))
        .route("/first-steps", get(first_steps))
}

async fn start(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    let latest = web.app.db.runs(&visitor.account.id, None, LATEST).await?;
    let page = Page {
        notice: fields.get("done"),
        ..Page::new("Start", "/", &visitor)
    };
    let content = html! {
        h1.display { "What shall we make?" }
        form.quick method="get" action="/new" {
            label.hidden for="quick" { "Prompt" }
            textarea #quick name="prompt" rows="2" maxlength="2000" placeholder="The lighthouse keeper who taught the sea to whisper" {}
            button.primary type="submit" { "Continue" }
        }
        @if latest.is_empty() {
            section.steps { h2 { "Ways to begin" } (ways()) }
        } @else {
            div.head { h2 { "Latest videos" } a href="/runs" { "All videos" } }
            (runs::cards(&web, &latest))
        }
    };
    Ok(page.show(content).into_response())
}

fn ways() -> Markup {
    let rows = [
        (
            "/new",
            "Make a Short",
            "A sentence or a script becomes a video of up to ten minutes, with every option at hand.",
        ),
        (
            "/universes",
            "Open a universe",
            "A world with its own look, captions and music, for a consistent series.",
        ),
        (
            "/first-steps",
            "Call it from a program",
            "Make a key, then make and download a video with three curl commands.",
        ),
    ];
    html! {
        ul.ways {
            @for (path, title, text) in rows {
                li { a href=(path) { strong { (title) } span { (text) } } }
            }
        }
    }
}

async fn first_steps(visitor: Visitor, State(web): State<Web>) -> Shown {
    let base = web.app.config.public_url();
    let has_keys = web
        .app
        .db
        .keys(&visitor.account.id)
        .await?
        .iter()
        .any(|key| key.revoked_at.is_none());
    let content = html! {
        h1 { "First steps" }
        p { "The service speaks JSON over HTTP. Every call carries your key in the header " code { "x-api-key" } "." }
        ol.lesson {
            li {
                h2 { "A key" }
                @if has_keys { p { "You have one. " a href="/keys" { "Make another" } " if you did not keep it." } }
                @else { p { a.button.primary href="/keys" { "Make a key" } } p.hint { "A trial key costs nothing: videos are made offline and carry a watermark." } }
                p { "In the shell, with your key in place of the dots:" }
                (code_block("export KINORA_KEY=kin_…"))
            }
            li {
                h2 { "Make a video" }
                (code_block(&create_call(&base, "$KINORA_KEY")))
                p { "The answer's " code { "data.id" } " names the run. Keep it:" }
                (code_block("RUN=run_…"))
            }
            li {
                h2 { "Wait for it" }
                (code_block(&format!("curl -s \"{base}/api/v1/short?runId=$RUN\" -H \"x-api-key: $KINORA_KEY\"")))
                p { "Repeat this every few seconds until " code { "data.isCompleted" } " is true. Then " code { "data.output.url" } " is the video's address. Keep it:" }
                (code_block(&format!("URL={base}/media/videos/….mp4")))
            }
            li {
                h2 { "Fetch it" }
                (code_block("curl -o video.mp4 \"$URL\""))
                p { "The address can be embedded and shared." }
            }
        }
        h2 { "More" }
        ul {
            li { a href="/docs" { "All calls" } ", also as " a href="/openapi.json" { "OpenAPI" } " for code generators and no-code tools." }
            li { a href="/webhooks" { "Webhooks" } " notify your server when a video is done." }
            li { "With the header " code { "Idempotency-Key" } " a repeated call never makes a second video." }
        }
    };
    Ok(Page::new("First steps", "/first-steps", &visitor)
        .show(content)
        .into_response())
}

fn create_call(base: &str, key: &str) -> String {
    format!(
        "curl -s {base}/api/v1/short \\\n  -H \"x-api-key: {key}\" \\\n  -H 'content-type: application/json' \\\n  -d '{{\"prompt\": \"Why the moon follows us home\"}}'"
    )
}

/// Shows the first call with a new key.
pub(super) fn first_call(web: &Web, key: &str) -> Markup {
    html! {
        p { "Try it:" }
        (code_block(&create_call(&web.app.config.public_url(), key)))
    }
}

/// Shows lines with a copy button.
pub(super) fn code_block(text: &str) -> Markup {
    html! {
        div.code-block {
            pre.code tabindex="0" { (text) }
            button.quiet type="button" data-copy=(text) hidden { "Copy" }
        }
    }
}
