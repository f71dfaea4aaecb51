//! The OpenAPI document, and a page that shows it.

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use maud::{DOCTYPE, Markup, html};
use serde_json::Value;

use crate::openapi;
use crate::routes::operation::{Answered, Operation, Sent};
use crate::routes::{OPERATIONS, PREFIX};
use crate::state::App;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1c1c1f;background:#fff}\
code{font:0.9em ui-monospace,monospace;overflow-wrap:anywhere}h2{margin-top:2rem}details{border-top:1px solid #8886;padding:.4rem 0}\
summary{cursor:pointer}section:target{outline:2px solid currentColor;outline-offset:6px}\
pre{overflow:auto;max-height:30rem;background:#8881;padding:.6rem}pre code{overflow-wrap:normal}b{display:inline-block;min-width:4.5rem}\
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem}a{color:#2436b8}\
@media(prefers-color-scheme:dark){body{color:#e8e8ea;background:#16161a}a{color:#9cc4ff}}";

/// The prefix of references to schemas in the document.
const SHAPES: &str = "#/components/schemas/";

pub(super) fn router(app: App) -> Router {
    let document = openapi::document(&app.config.public_url());
    let page = page(&document).into_string();
    Router::new()
        .route("/openapi.json", get(move || shared(document.clone())))
        .route("/docs", get(move || shown(page.clone())))
}

async fn shared(document: Value) -> Json<Value> {
    Json(document)
}

async fn shown(page: String) -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response()
}

fn page(document: &Value) -> Markup {
    let mut tags: Vec<&str> = OPERATIONS.iter().map(|operation| operation.tag).collect();
    tags.dedup();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "kinora: API reference" }
                style { (maud::PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header { p { a href="/" { "To the dashboard" } } }
                main #content tabindex="-1" {
                    h1 { "API reference" }
                    p { "Every call needs a key in the header " code { "x-api-key" } ". The same reference as a machine-readable document: " a href="/openapi.json" { "openapi.json" } "." }
                    (block("How to call", &html! { (example(document)) }))
                    @for tag in tags {
                        h2 { (tag) }
                        @for operation in OPERATIONS.iter().filter(|operation| operation.tag == tag) {
                            (told(operation, document))
                        }
                    }
                    h2 #shapes { "Schemas" }
                    @for (name, schema) in schemas(document) {
                        section id=(name) { h3 { code { (name) } } (block(name, &linked(schema))) }
                    }
                }
            }
        }
    }
}

/// Returns a scrollable block that the keyboard can reach.
fn block(label: &str, lines: &Markup) -> Markup {
    html! { pre tabindex="0" role="group" aria-label=(label) { code { (lines) } } }
}

/// Shows a schema with its references as links to the schemas below.
fn linked(schema: &Value) -> Markup {
    let text = serde_json::to_string_pretty(schema).unwrap_or_default();
    let quoted = format!("\"{SHAPES}");
    let mut pieces = text.split(quoted.as_str());
    let first = pieces.next().unwrap_or_default();
    html! {
        (first)
        @for piece in pieces {
            @let (name, rest) = piece.split_once('"').unwrap_or((piece, ""));
            "\"" a href=(format!("#{name}")) { (name) } "\"" (rest)
        }
    }
}

fn example(document: &Value) -> String {
    let server = document["servers"][0]["url"].as_str().unwrap_or_default();
    format!(
        "curl -X POST {server}/short -H 'x-api-key: <API_KEY>' -H 'content-type: application/json' -d '{{\"prompt\": \"How a lighthouse works\"}}'\n\
         curl '{server}/short?runId=<run_id>' -H 'x-api-key: <API_KEY>'"
    )
}

fn told(operation: &Operation, document: &Value) -> Markup {
    let row = &document["paths"][operation.path][operation.method];
    html! {
        details {
            summary { b { (operation.method.to_uppercase()) } code { (PREFIX) (operation.path) } " " (operation.summary) }
            @for param in operation.params {
                p { code { (param.name) } " (" (param.place) @if param.is_required { ", required" } "): " (param.about) }
            }
            @match operation.body {
                Sent::Nothing => {}
                Sent::Json(_) => { p { "Request body, as JSON:" } (block("Request body", &linked(&row["requestBody"]["content"]["application/json"]["schema"]))) }
                Sent::Form { file, text } => { p { "Request body, as a form: a file " code { (file) } @if let Some(text) = text { ", and optionally a text " code { (text) } } } }
            }
            @match operation.answer {
                Answered::Nothing => { p { "Response: 204." } }
                Answered::Events => { p { "Response: server-sent events named " code { "status" } "." } }
                Answered::Data(_) => {
                    p { "Response, in " code { "data" } ":" }
                    (block("Response", &linked(&row["responses"]["200"]["content"]["application/json"]["schema"]["properties"]["data"])))
                }
            }
        }
    }
}

fn schemas(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let schemas = document["components"]["schemas"].as_object();
    schemas.into_iter().flatten()
}
