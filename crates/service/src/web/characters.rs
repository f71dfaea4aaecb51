//! Saved characters: created from a picture, shown, changed, given a voice, deleted.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use kinora_studio::request::FieldProblem;
use maud::{Markup, html};

use super::composer::{self, asker};
use super::page::{Page, Refused, Shown, token};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{Web, multipart, text, voices, words};
use crate::app::characters::{self as api, CharacterChange};
use crate::db::Character;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        // The form reader sets its own limits.
        .route(
            "/characters",
            get(list).post(add).layer(DefaultBodyLimit::disable()),
        )
        .route("/characters/{id}", get(show).post(change))
        .route("/characters/{id}/voice", post(set_voice))
        .route("/characters/{id}/delete", post(delete))
}

/// Returns the path of a character's picture, which is valid for a limited time.
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
            div.empty { p { "No characters yet. Upload a picture, and the characters in it are described for you." } }
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
                    p.hint #image-hint { "PNG, JPEG or WebP, up to " (megabytes) " MiB. If no model can suggest a better name, the file's name becomes the character's." }
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
        Ok((saved, _)) => {
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
    let sheet = Sheet::of(&visitor, &character);
    Ok(sheet.page(&web, fields.get("done")).await)
}

/// A character's page.
struct Sheet<'a> {
    visitor: &'a Visitor,
    character: &'a Character,
    /// The content of its form; as typed, if it was invalid.
    change: CharacterChange,
    problems: Vec<FieldProblem>,
}

impl<'a> Sheet<'a> {
    fn of(visitor: &'a Visitor, character: &'a Character) -> Sheet<'a> {
        let told = &character.told;
        Sheet {
            visitor,
            character,
            change: CharacterChange {
                name: Some(told.name.clone()),
                description: Some(told.description.clone()),
                appearance: Some(told.appearance.clone()),
                clothing: Some(told.clothing.clone()),
                voice_id: Some(character.voice.clone()),
            },
            problems: Vec::new(),
        }
    }

    async fn page(&self, web: &Web, notice: &str) -> Response {
        let Sheet {
            visitor, character, ..
        } = self;
        let told = &character.told;
        let page = Page {
            notice,
            ..Page::new(&told.name, "/characters", visitor)
        };
        let content = html! {
            p.crumb { a href="/characters" { "Characters" } }
            h1 { (told.name) }
            div.beside {
                div {
                    img.portrait src=(picture(web, character)) alt=(format!("The picture of {}", told.name));
                    p.hint { "Id for API calls: " code { (character.id) } }
                }
                div {
                    (self.told())
                    (self.voice().await)
                    form method="post" action=(format!("/characters/{}/delete", character.id)) {
                        (token(visitor))
                        button.quiet.danger type="submit" data-confirm=(format!("Delete {}?", told.name)) { "Delete this character" }
                    }
                }
            }
        };
        let status = match self.problems.is_empty() {
            true => StatusCode::OK,
            false => StatusCode::UNPROCESSABLE_ENTITY,
        };
        (status, page.show(content)).into_response()
    }

    /// Returns the problem of a field.
    fn problem(&self, field: &str) -> Option<&str> {
        let problem = self.problems.iter().find(|one| one.field == field);
        problem.map(|one| one.reason.as_str())
    }

    fn told(&self) -> Markup {
        let change = &self.change;
        html! {
            section.panel {
                h2 { "Who it is" }
                form method="post" action=(format!("/characters/{}", self.character.id)) novalidate {
                    (token(self.visitor))
                    @for (name, label, value) in [
                        ("name", "Name", &change.name),
                        ("description", "Role and personality", &change.description),
                        ("appearance", "Appearance", &change.appearance),
                        ("clothing", "Clothing", &change.clothing),
                    ] {
                        @let problem = self.problem(name);
                        @let value = value.as_deref().unwrap_or_default();
                        div.field.wrong[problem.is_some()] {
                            label for=(name) { (label) }
                            @if name == "name" {
                                input id=(name) name=(name) type="text" value=(value) autocomplete="off" aria-invalid=[problem.map(|_| "true")]
                                    aria-describedby=[problem.map(|_| "name-problem")];
                            } @else {
                                textarea id=(name) name=(name) rows="2" aria-invalid=[problem.map(|_| "true")]
                                    aria-describedby=[problem.map(|_| format!("{name}-problem"))] { "\n" (value) }
                            }
                            @if let Some(problem) = problem { p.problem role="alert" id=(format!("{name}-problem")) { (problem) } }
                        }
                    }
                    p.hint { "Prompt for pictures: " (self.character.told.prompt) }
                    button type="submit" { "Save" }
                }
            }
        }
    }

    async fn voice(&self) -> Markup {
        let known = voices::choices().await;
        let here = self.change.voice_id.as_ref().and_then(Option::as_deref);
        let here = here.unwrap_or_default();
        let problem = self.problem("voiceId");
        let told_by = match problem {
            Some(_) => "voice-problem voice-hint",
            None => "voice-hint",
        };
        html! {
            section.panel {
                h2 { "Voice" }
                form method="post" action=(format!("/characters/{}/voice", self.character.id)) {
                    (token(self.visitor))
                    div.field.wrong[problem.is_some()] {
                        label for="voice" { "Voice" }
                        input #voice name="voice" type="text" value=(here) list="voices" autocomplete="off" placeholder="One that fits" data-shows="voice"
                            aria-invalid=[problem.map(|_| "true")] aria-describedby=(told_by);
                        datalist #voices { @for row in &known { option value=(row.value) { (row.label) } } }
                        @if let Some(problem) = problem { p.problem #voice-problem role="alert" { (problem) } }
                        p.hint #voice-hint { "The id of a voice. If empty, a suitable one is chosen for each video." }
                    }
                    button type="submit" { "Save the voice" }
                }
                @if known.iter().any(|row| row.value == here) {
                    audio controls preload="none" src=(format!("/voices/{here}/sample.wav")) aria-label=(format!("How {here} sounds")) {}
                }
            }
        }
    }
}

async fn change(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    let typed = |name: &str| Some(posted.fields.get(name).to_owned());
    let change = CharacterChange {
        name: typed("name"),
        description: typed("description"),
        appearance: typed("appearance"),
        clothing: typed("clothing"),
        voice_id: None,
    };
    changed(&web, &posted.visitor, &id, (change, "character-changed")).await
}

async fn set_voice(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    let voice = posted.fields.get("voice");
    let change = CharacterChange {
        voice_id: Some((!voice.is_empty()).then(|| voice.to_owned())),
        ..CharacterChange::default()
    };
    changed(&web, &posted.visitor, &id, (change, "voice-saved")).await
}

/// Changes a character, or shows its page with the typed values and their problems.
async fn changed(
    web: &Web,
    visitor: &Visitor,
    id: &str,
    (change, done): (CharacterChange, &str),
) -> Shown {
    let error = match api::change(&web.app, &visitor.account, id, change.clone()).await {
        Ok(_) => return Ok(Redirect::to(&format!("/characters/{id}?done={done}")).into_response()),
        Err(error) => error,
    };
    let problems = composer::problems(error).map_err(Refused::from)?;
    let character = api::find(&web.app, &visitor.account, id).await?;
    let kept = Sheet::of(visitor, &character);
    let sheet = Sheet {
        change: CharacterChange {
            name: change.name.or(kept.change.name),
            description: change.description.or(kept.change.description),
            appearance: change.appearance.or(kept.change.appearance),
            clothing: change.clothing.or(kept.change.clothing),
            voice_id: change.voice_id.or(kept.change.voice_id),
        },
        problems: words::told(&[], &problems),
        ..kept
    };
    Ok(sheet.page(web, "").await)
}

async fn delete(State(web): State<Web>, Path(id): Path<String>, posted: Posted) -> Shown {
    api::delete(&web.app, &posted.visitor.account, &id).await?;
    Ok(Redirect::to("/characters?done=character-deleted").into_response())
}
