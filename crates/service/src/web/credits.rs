//! Credits: the balance and its changes.

use axum::Router;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::get;
use maud::{Markup, html};

use super::page::{Page, Shown};
use super::session::Visitor;
use super::{Web, text};
use crate::db::Entry;

/// Number of ledger entries shown.
const LINES: u32 = 200;

pub(super) fn routes() -> Router<Web> {
    Router::new().route("/credits", get(show))
}

async fn show(visitor: Visitor, State(web): State<Web>) -> Shown {
    let entries = web.app.db.ledger(&visitor.account.id, LINES).await?;
    let rates = &web.app.config.credits;
    let content = html! {
        h1 { "Credits" }
        p.figure { strong { (text::grouped(visitor.account.balance)) } " " @if visitor.account.balance == 1 { "credit" } @else { "credits" } }
        p.hint {
            "When you create a video, its estimated credits are held. When it is done, you pay only for what it used; if it fails, everything is returned. A Short with quick pictures costs "
            (rates.images.economy) " for every " (rates.secs_per_step) " seconds, and at least " (rates.minimum)
            ". A trial costs nothing. This server's operator grants credits."
        }
        (table(&entries))
    };
    Ok(Page::new("Credits", "/credits", &visitor)
        .show(content)
        .into_response())
}

fn label(kind: &str) -> &str {
    match kind {
        "grant" => "Granted",
        "hold" => "Held",
        "capture" => "Settled",
        "release" => "Returned",
        other => other,
    }
}

fn table(entries: &[Entry]) -> Markup {
    html! {
        div.table { table {
            caption.hidden { "Changes of the balance, newest first" }
            thead { tr { th scope="col" { "When" } th scope="col" { "What" } th.number scope="col" { "Change" } th.number scope="col" { "Balance" } } }
            tbody {
                @for entry in entries {
                    tr {
                        td data-label="When" { (text::time(entry.created_at)) }
                        td data-label="What" {
                            (label(&entry.kind))
                            @if let Some(run) = &entry.run_id { " · " a href=(format!("/runs/{run}")) { "video" } }
                            @if !entry.note.is_empty() { " · " span.meta { (note(entry)) } }
                        }
                        td.number data-label="Change" { (signed(entry.amount)) }
                        td.number data-label="Balance" { (text::grouped(entry.balance)) }
                    }
                }
                @if entries.is_empty() { tr { td colspan="4" { "Nothing yet." } } }
            }
        } }
    }
}

/// Returns the reason for a change; a capture of 0 means that the video used its whole hold.
fn note(entry: &Entry) -> &str {
    match (entry.kind.as_str(), entry.amount) {
        ("capture", 0) => "all held credits were used",
        _ => &entry.note,
    }
}

/// `+5`, `−5`, `0`.
fn signed(amount: i64) -> String {
    let digits = text::grouped(amount.unsigned_abs());
    match amount {
        0 => digits,
        1.. => format!("+{digits}"),
        _ => format!("−{digits}"),
    }
}
