//! Saved characters: made from a picture, shown, given a voice, deleted.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use kinora_studio::request::MAX_NAME_CHARS;
use maud::{Markup, html};

use super::composer::asker;
use super::page::{Page, Refused, Shown, token};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{Web, multipart, text, voices};
use crate::db::Character;
use crate::routes::characters as api;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        // The form's reader has limits of its own.
        .route(
            "/characters",
            get(list).post(add).layer(DefaultBodyLimit::disable()),
        )
        .route("/characters/{id}", get(show))
        .route("/characters/{id}/voice", post(set_voice))
        .route("/characters/{id}/delete", post(delete))
}

/// The path of a character's picture, which opens for a while.
fn picture(web: &Web, character: &Character) -> String {
    let url = web.app.media.signed_url(&character.told.image);
    text::local(&url, &web.app.config.public_url())
}

async fn list(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    show_list(&web, &visitor, fields.get("done"), None).await
}

async fn show_list(web: &Web, visitor: &Visitor, notice: &str, problem: Option<&str>) -> Shown {
    let all = web.app.db.characters(&visitor.account.id).await?;
    let page = Page {
        notice,
        ..Page::new("Characters", "/characters", visitor)
    };
    let content = html! {
        h1 { "Characters" }
        p.lead { "Someone who looks and sounds the same in every video of a universe." }
        (form(web, visitor, problem))
        @if all.is_empty() {
            div.empty { p { "No character yet. Upload a picture, and who is in it is described for you." } }
        } @else {
            ul.tiles {
                @for character in &all {
                    li { a href=(format!("/characters/{}", character.id)) {
                        img src=(picture(web, character)) alt="" loading="lazy";
                        strong { (character.told.name) }
                        span.meta { @match &character.voice { Some(voice) => { "Voice " (voice) } None => "No voice of its own" } }
                    } }
                }
            }
        }
    };
    Ok(multipart::answered(page.show(content), problem))
}

fn form(web: &Web, visitor: &Visitor, problem: Option<&str>) -> Markup {
    let megabytes = web.app.config.server.max_image >> 20;
    html! {
        section.panel {
            h2 { "From a picture" }
            @if let Some(problem) = problem { p.problem role="alert" #image-problem { (problem) } }
            form method="post" action="/characters" enctype="multipart/form-data" {
                (token(visitor))
                div.field {
                    label for="image" { "Picture" }
                    input #image type="file" name="image" accept="image/png,image/jpeg,image/webp" required
                        aria-describedby=(if problem.is_some() { "image-problem image-hint" } else { "image-hint" });
                    p.hint #image-hint { "PNG, JPEG or WebP, up to " (megabytes) " MiB. The file's name becomes the character's where nobody sees a better one." }
                }
                button.primary type="submit" { "Make a character" }
            }
        }
    }
}

async fn add(visitor: Visitor, State(web): State<Web>, request: Request) -> Shown {
    let form = multipart::image(&web, &visitor, request).await?;
    let saved = match form {
        Ok(form) => api::add(&web.app, &asker(&visitor.account, false), form).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(saved) => {
            let to = match saved.as_slice() {
                [one] => format!("/characters/{}?done=character-saved", one.id),
                _ => "/characters?done=character-saved".to_owned(),
            };
            Ok(Redirect::to(&to).into_response())
        }
        Err(error) => show_list(&web, &visitor, "", Some(&multipart::problem(error)?)).await,
    }
}

async fn show(
    visitor: Visitor,
    State(web): State<Web>,
    Path(id): Path<String>,
    Query(asked): Asked,
) -> Shown {
    let character = api::find(&web.app, &visitor.account, &id).await?;
    let fields = Fields(asked);
    let page = Page {
        notice: fields.get("done"),
        ..Page::new(&character.told.name, "/characters", &visitor)
    };
    let told = &character.told;
    let content = html! {
        p.crumb { a href="/characters" { "Characters" } }
        h1 { (told.name) }
        div.beside {
            img.portrait src=(picture(&web, &character)) alt=(format!("The picture of {}", told.name));
            div {
                dl.facts {
                    @for (label, text) in [("Role", &told.description), ("Appearance", &told.appearance), ("Clothing", &told.clothing), ("In prompts", &told.prompt)] {
                        @if !text.is_empty() { dt { (label) } dd { (text) } }
                    }
                    dt { "Id" } dd { code { (character.id) } }
                }
                (voice(&visitor, &character).await)
                form method="post" action=(format!("/characters/{}/delete", character.id)) {
                    (token(&visitor))
                    button.quiet.danger type="submit" data-confirm=(format!("Delete {}?", told.name)) { "Delete this character" }
                }
            }
        }
    };
    Ok(page.show(content).into_response())
}

async fn voice(visitor: &Visitor, character: &Character) -> Markup {
    let known = voices::choices().await;
    let here = character.voice.as_deref().unwrap_or_default();
    html! {
        section.panel {
            h2 { "Voice" }
            form method="post" action=(format!("/characters/{}/voice", character.id)) {
                (token(visitor))
                div.field {
                    label for="voice" { "Voice" }
                    input #voice name="voice" type="text" value=(here) maxlength=(MAX_NAME_CHARS) list="voices" autocomplete="off" data-shows="voice" aria-describedby="voice-hint";
                    datalist #voices { @for row in &known { option value=(row.value) { (row.label) } } }
                    p.hint #voice-hint { "The id of a voice. Empty: one that fits is chosen for each video." }
                }
                button type="submit" { "Save the voice" }
            }
            @if known.iter().any(|row| row.value == here) {
                audio controls preload="none" src=(format!("/voices/{here}/sample.wav")) aria-label=(format!("How {here} sounds")) {}
            }
        }
    }
}

async fn set_voice(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    let Posted { visitor, fields } = posted;
    let character = api::find(&web.app, &visitor.account, &id).await?;
    let voice = fields.get("voice");
    let is_fine = voice.len() <= MAX_NAME_CHARS && voice.bytes().all(|b| b.is_ascii_graphic());
    if !is_fine {
        let message = format!("A voice's id has up to {MAX_NAME_CHARS} visible ASCII characters.");
        return Err(Refused::new(
            axum::http::StatusCode::UNPROCESSABLE_ENTITY,
            "No voice",
            message,
        ));
    }
    let voice = (!voice.is_empty()).then_some(voice);
    web.app
        .db
        .set_voice(&visitor.account.id, character.id, voice)
        .await?;
    Ok(Redirect::to(&format!("/characters/{}?done=voice-saved", character.id)).into_response())
}

async fn delete(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    api::delete(&web.app, &posted.visitor.account, &id).await?;
    Ok(Redirect::to("/characters?done=character-deleted").into_response())
}
