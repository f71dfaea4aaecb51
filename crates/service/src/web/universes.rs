//! Universes: the built-in ones and the visitor's own.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use kinora_studio::request::{FieldProblem, UniverseSettings, WireName};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::composer::{self, Looks, previews};
use super::form::Filled;
use super::page::{Page, Refused, Shown, token};
use super::session::{Asked, Fields, Posted, Visitor};
use super::{Web, form, text, universe_form, words};
use crate::app::universes as api;
use crate::db::Universe;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/universes", get(list).post(add))
        .route("/universes/new", get(show_new))
        .route("/universes/{slug}", get(show).post(change))
        .route("/universes/{slug}/edit", get(show_edit))
        .route("/universes/{slug}/delete", post(delete))
}

fn is_built_in(universe: &Universe) -> bool {
    universe.created_at == 0
}

async fn list(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let all = api::all(&web.app, &visitor.account).await?;
    let (built_in, own): (Vec<_>, Vec<_>) = all.into_iter().partition(is_built_in);
    let fields = Fields(asked);
    let page = Page {
        notice: fields.get("done"),
        ..Page::new("Universes", "/universes", &visitor)
    };
    let content = html! {
        div.head { h1 { "Universes" } a.button.primary href="/universes/new" { "New universe" } }
        p.lead { "A universe gives a series its own look, captions and music." }
        @if !own.is_empty() { h2 { "Yours" } (tiles(&own)) }
        @if !built_in.is_empty() { h2 { "Ready to use" } (tiles(&built_in)) }
    };
    Ok(page.show(content).into_response())
}

fn tiles(universes: &[Universe]) -> Markup {
    html! {
        ul.tiles {
            @for universe in universes {
                li { a href=(format!("/universes/{}", universe.settings.slug)) {
                    strong { (universe.name) }
                    span.meta { code { (universe.settings.slug) } }
                    span.meta { (told(&universe.settings)) }
                } }
            }
        }
    }
}

/// Describes a universe in one line.
fn told(settings: &UniverseSettings) -> String {
    let looks = match settings.visual_styles.len() {
        0 => "invented looks".to_owned(),
        n => text::count(n as u64, "look", "looks"),
    };
    format!(
        "{}, {looks}, {}",
        settings.video_format,
        settings.languages.join(" ")
    )
}

async fn show(
    visitor: Visitor,
    State(web): State<Web>,
    Path(slug): Path<String>,
    Query(asked): Asked,
) -> Shown {
    let universe = api::find(&web.app, &visitor.account, &slug).await?;
    let fields = Fields(asked);
    let page = Page {
        notice: fields.get("done"),
        ..Page::new(&universe.name, "/universes", &visitor)
    };
    let settings = &universe.settings;
    let content = html! {
        p.crumb { a href="/universes" { "Universes" } }
        div.head { h1 { (universe.name) } a.button.primary href=(format!("/universes/{slug}/new")) { "New video in it" } }
        (facts(settings))
        @if !settings.visual_styles.is_empty() {
            h2 { "Looks" }
            ul.looks { @for style in &settings.visual_styles { li { strong { (style.name) } p { (style.style) } p.meta { code { (style.id) } } } } }
        }
        div.actions {
            a.button href=(format!("/universes/new?copy={slug}")) { "Copy it" }
            @if !is_built_in(&universe) {
                a.button href=(format!("/universes/{slug}/edit")) { "Change it" }
                form method="post" action=(format!("/universes/{slug}/delete")) {
                    (token(&visitor))
                    button.quiet.danger type="submit" data-confirm=(format!("Delete the universe “{}”?", universe.name)) { "Delete" }
                }
            } @else { p.hint { "It comes with the service. To change it, make a copy." } }
        }
    };
    Ok(page.show(content).into_response())
}

fn facts(settings: &UniverseSettings) -> Markup {
    let music = settings
        .music
        .as_ref()
        .map(|music| match music.music_slug.as_str() {
            "" => "one that fits".to_owned(),
            slug => text::title(slug),
        });
    html! {
        dl.facts.panel {
            dt { "Slug" } dd { code { (settings.slug) } }
            dt { "Format" } dd { (settings.video_format) }
            dt { "Languages" } dd { (settings.languages.join(", ")) }
            dt { "Captions" } dd {
                @if settings.captions { (text::title(settings.captions_style.as_str())) ", " (settings.captions_position) } @else { "off" }
            }
            dt { "Music" } dd { (music.as_deref().unwrap_or("none")) }
            @if settings.thinks_up_styles() { dt { "Look" } dd { "invented for each video that names none" } }
        }
    }
}

/// A form for a universe.
struct Sheet<'a> {
    visitor: &'a Visitor,
    /// The universe to change; `None` for a new one.
    slug: Option<&'a str>,
    /// The form's content.
    body: Value,
}

impl Sheet<'_> {
    fn page(&self, problems: &[FieldProblem]) -> Response {
        let (title, action) = match self.slug {
            Some(slug) => ("Change the universe", format!("/universes/{slug}")),
            None => ("New universe", "/universes".to_owned()),
        };
        let groups = universe_form::settings(&self.body, self.slug.is_none());
        let problems = &words::told(&groups, problems);
        let filled = Filled {
            body: &self.body,
            problems,
            said: None,
        };
        let content = html! {
            p.crumb { a href="/universes" { "Universes" } }
            h1 { (title) }
            (form::summary(&groups, problems))
            form.composer novalidate method="post" action=(action) {
                (token(self.visitor))
                div.sheet { @for group in &groups { (group.show(&filled)) } }
                aside.side aria-label="Preview" {
                    (previews(&self.body, Looks::default()))
                    button.primary.wide type="submit" { "Save" }
                }
            }
        };
        let status = if problems.is_empty() {
            StatusCode::OK
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        (
            status,
            Page::new(title, "/universes", self.visitor).show(content),
        )
            .into_response()
    }
}

/// Converts a universe into the form's content.
fn form_of(universe: &Universe) -> Value {
    let mut body = json!(universe.settings);
    body["name"] = universe.name.as_str().into();
    universe_form::form_of_settings(body)
}

async fn show_new(visitor: Visitor, State(web): State<Web>, Query(asked): Asked) -> Shown {
    let fields = Fields(asked);
    let mut body = universe_form::form_of_settings(json!(UniverseSettings::new("")));
    if !fields.get("copy").is_empty() {
        let copied = api::find(&web.app, &visitor.account, fields.get("copy")).await?;
        body = form_of(&copied);
        body["name"] = format!("{} copy", copied.name).into();
        body["slug"] = format!("{}-copy", copied.settings.slug).into();
    }
    let visitor = &visitor;
    Ok(Sheet {
        visitor,
        slug: None,
        body,
    }
    .page(&[]))
}

async fn show_edit(visitor: Visitor, State(web): State<Web>, Path(slug): Path<String>) -> Shown {
    let universe = api::find(&web.app, &visitor.account, &slug).await?;
    let sheet = Sheet {
        visitor: &visitor,
        slug: Some(&slug),
        body: form_of(&universe),
    };
    Ok(sheet.page(&[]))
}

/// Converts typed values into API JSON. The number of looks is capped, since our own forms never have more.
fn typed(fields: &Fields, is_new: bool) -> Value {
    const MOST_LOOKS: usize = 50;
    let room = json!({ "visualStyles": vec![Value::Null; MOST_LOOKS] });
    universe_form::settings_of(form::body(&universe_form::settings(&room, is_new), fields))
}

async fn add(State(web): State<Web>, posted: Posted) -> Shown {
    let Posted { visitor, fields } = posted;
    let body = typed(&fields, true);
    match api::add(&web.app, &visitor.account, body.to_string().as_bytes()).await {
        Ok(_) => Ok(saved(body["slug"].as_str().unwrap_or_default())),
        Err(error) => wrong(&visitor, None, body, error),
    }
}

async fn change(State(web): State<Web>, Path(slug): Path<String>, posted: Posted) -> Shown {
    let Posted { visitor, fields } = posted;
    let body = typed(&fields, false);
    match api::set(
        &web.app,
        &visitor.account,
        &slug,
        body.to_string().as_bytes(),
    )
    .await
    {
        Ok(_) => Ok(saved(&slug)),
        Err(error) => wrong(&visitor, Some(&slug), body, error),
    }
}

fn saved(slug: &str) -> Response {
    Redirect::to(&format!("/universes/{slug}?done=universe-saved")).into_response()
}

fn wrong(
    visitor: &Visitor,
    slug: Option<&str>,
    body: Value,
    error: crate::error::ApiError,
) -> Shown {
    let taken = (error.status == StatusCode::CONFLICT)
        .then(|| vec![FieldProblem::invalid("slug", error.message.clone())]);
    let problems = match taken {
        Some(problems) => problems,
        None => composer::problems(error).map_err(Refused::from)?,
    };
    let body = universe_form::form_of_settings(body);
    Ok(Sheet {
        visitor,
        slug,
        body,
    }
    .page(&problems))
}

async fn delete(State(web): State<Web>, Path(slug): Path<String>, posted: Posted) -> Shown {
    api::delete(&web.app, &posted.visitor.account, &slug).await?;
    Ok(Redirect::to("/universes?done=universe-deleted").into_response())
}
