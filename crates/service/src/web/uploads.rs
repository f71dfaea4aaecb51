//! Recordings: uploaded voices and songs.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use maud::{Markup, html};

use super::page::{Page, Shown, token};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{Web, multipart, text};
use crate::app::uploads as api;
use crate::db::Upload;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        // The form reader sets its own limits.
        .route(
            "/uploads",
            get(list).post(add).layer(DefaultBodyLimit::disable()),
        )
        .route("/uploads/{key}/delete", post(delete))
}

async fn list(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    show(&web, &visitor, fields.get("done"), &Typed::default()).await
}

/// The values of a form with a problem.
#[derive(Default)]
struct Typed {
    text: String,
    problem: Option<String>,
}

async fn show(web: &Web, visitor: &Visitor, notice: &str, typed: &Typed) -> Shown {
    let all = web.app.db.uploads(&visitor.account.id).await?;
    let page = Page {
        notice,
        ..Page::new("Recordings", "/uploads", visitor)
    };
    let content = html! {
        h1 { "Recordings" }
        p.lead { "A recorded voice or a song becomes the soundtrack of a video in a universe." }
        (form(web, visitor, typed))
        (table(visitor, &all))
    };
    let problem = typed.problem.as_deref();
    Ok(multipart::answered(page.show(content), problem))
}

fn form(web: &Web, visitor: &Visitor, typed: &Typed) -> Markup {
    let problem = typed.problem.as_deref();
    let megabytes = web.app.config.server.max_audio >> 20;
    html! {
        section.panel {
            h2 { "Upload" }
            @if let Some(problem) = problem { p.problem role="alert" #file-problem { (problem) } }
            form method="post" action="/uploads" enctype="multipart/form-data" {
                (token(visitor))
                div.field {
                    label for="file" { "Audio file" }
                    input #file type="file" name="file" accept="audio/*" required
                        aria-describedby=(if problem.is_some() { "file-problem file-hint" } else { "file-hint" });
                    p.hint #file-hint { "MP3, M4A, WAV, FLAC, Ogg or Opus, up to " (megabytes) " MiB." }
                }
                div.field {
                    label for="text" { "What is said or sung (optional)" }
                    textarea #text name="text" rows="3" aria-describedby="text-hint" { "\n" (typed.text) }
                    p.hint #text-hint { "With it, the captions show exactly these words at the right times." }
                }
                button.primary type="submit" { "Upload" }
            }
        }
    }
}

fn table(visitor: &Visitor, all: &[Upload]) -> Markup {
    html! {
        @if all.is_empty() {
            div.empty { p { "No recordings yet." } }
        } @else {
            div.table { table {
                caption.hidden { "Your recordings" }
                thead { tr { th scope="col" { "Name" } th scope="col" { "Length" } th scope="col" { "Words" } th scope="col" { "Key" } th scope="col" { "Uploaded" } th scope="col" { span.hidden { "Delete" } } } }
                tbody {
                    @for upload in all {
                        tr {
                            th scope="row" data-label="Name" { (upload.name) }
                            td data-label="Length" { (text::secs(upload.duration_ms as f64 / 1000.0)) }
                            td data-label="Words" { @if upload.spoken.is_some() { "Known" } @else { "Not given" } }
                            td data-label="Key" { code { (upload.id) } }
                            td data-label="Uploaded" { (text::time(upload.created_at)) }
                            td.end {
                                form method="post" action=(format!("/uploads/{}/delete", upload.id)) {
                                    (token(visitor))
                                    button.quiet.danger type="submit" data-confirm=(format!("Delete “{}”?", upload.name)) aria-label=(format!("Delete {}", upload.name)) { "Delete" }
                                }
                            }
                        }
                    }
                }
            } }
        }
    }
}

async fn add(visitor: Visitor, State(web): State<Web>, request: Request) -> Shown {
    let form = multipart::audio(&web, &visitor, request).await?;
    let mut text = String::new();
    let saved = match form {
        Ok(form) => {
            text = form.text.clone().unwrap_or_default();
            api::add(&web.app, &visitor.account, form).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(Redirect::to("/uploads?done=upload-saved").into_response()),
        Err(error) => {
            let problem = Some(multipart::problem(error)?);
            show(&web, &visitor, "", &Typed { text, problem }).await
        }
    }
}

async fn delete(State(web): State<Web>, Path(key): Path<String>, posted: Posted) -> Shown {
    api::delete(&web.app, &posted.visitor.account, &key).await?;
    Ok(Redirect::to("/uploads?done=upload-deleted").into_response())
}
