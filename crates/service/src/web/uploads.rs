//! Recordings: uploaded voices and songs.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use maud::{Markup, html};

use super::page::{Page, Shown, token};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{Web, multipart, text};
use crate::db::Upload;
use crate::routes::uploads as api;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        // The form's reader has limits of its own.
        .route(
            "/uploads",
            get(list).post(add).layer(DefaultBodyLimit::disable()),
        )
        .route("/uploads/{key}/delete", post(delete))
}

async fn list(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    show(&web, &visitor, fields.get("done"), None).await
}

async fn show(web: &Web, visitor: &Visitor, notice: &str, problem: Option<&str>) -> Shown {
    let all = web.app.db.uploads(&visitor.account.id).await?;
    let page = Page {
        notice,
        ..Page::new("Recordings", "/uploads", visitor)
    };
    let content = html! {
        h1 { "Recordings" }
        p.lead { "A voice that you recorded, or a song, becomes the sound of a video in a universe." }
        (form(web, visitor, problem))
        (table(visitor, &all))
    };
    Ok(multipart::answered(page.show(content), problem))
}

fn form(web: &Web, visitor: &Visitor, problem: Option<&str>) -> Markup {
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
                    label for="text" { "What is said or sung (not needed)" }
                    textarea #text name="text" rows="3" aria-describedby="text-hint" {}
                    p.hint #text-hint { "With the words, captions follow the recording." }
                }
                button.primary type="submit" { "Upload" }
            }
        }
    }
}

fn table(visitor: &Visitor, all: &[Upload]) -> Markup {
    html! {
        @if all.is_empty() {
            div.empty { p { "No recording yet." } }
        } @else {
            div.table { table {
                caption.hidden { "Your recordings" }
                thead { tr { th scope="col" { "Name" } th scope="col" { "Length" } th scope="col" { "Words" } th scope="col" { "Key" } th scope="col" { "Uploaded" } th scope="col" { span.hidden { "Delete" } } } }
                tbody {
                    @for upload in all {
                        tr {
                            th scope="row" { (upload.name) }
                            td { (text::secs(upload.duration_ms as f64 / 1000.0)) }
                            td { @if upload.spoken.is_some() { "Known" } @else { "Not told" } }
                            td { code { (upload.id) } }
                            td { (text::time(upload.created_at)) }
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
    let saved = match form {
        Ok(form) => api::add(&web.app, &visitor.account, form).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(Redirect::to("/uploads?done=upload-saved").into_response()),
        Err(error) => show(&web, &visitor, "", Some(&multipart::problem(error)?)).await,
    }
}

async fn delete(State(web): State<Web>, Path(key): Path<String>, posted: Posted) -> Shown {
    api::delete(&web.app, &posted.visitor.account, &key).await?;
    Ok(Redirect::to("/uploads?done=upload-deleted").into_response())
}
