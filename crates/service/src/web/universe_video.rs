//! A new video in a universe.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use axum::routing::{get, post};
use kinora_studio::estimate::Input;
use kinora_studio::request::{FieldProblem, UniverseRequest};
use maud::html;
use serde_json::{Value, json};

use super::composer::{self, Composer, Looks, Wish, asker};
use super::create::to_run;
use super::form::Said;
use super::page::{Refused, Shown};
use super::session::{Asked, Fields, Posted, Visitor};
use super::universe_form::{self, Around};
use super::{Web, form, run};
use crate::db::Universe;

use crate::app::create::{self as maker, Wanted};
use crate::app::languages;
use crate::app::rewrite::rewrite;
use crate::app::substitutions;
use crate::app::universes;
use crate::order::Asked as Order;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/universes/{slug}/new", get(show).post(send))
        .route("/universes/{slug}/new/estimate", post(estimate))
}

/// A universe with what its videos may use.
struct Place {
    universe: Universe,
    around: Around,
}

impl Place {
    async fn find(web: &Web, visitor: &Visitor, slug: &str) -> Result<Place, Refused> {
        let account = &visitor.account;
        let mut universe = universes::find(&web.app, account, slug).await?;
        let asker = asker(account, false);
        let languages = &mut universe.settings.languages;
        *languages = languages::had(&web.app, &asker, languages, false).await;
        Ok(Place {
            universe,
            around: Around {
                characters: web.app.db.characters(&account.id).await?,
                uploads: web.app.db.uploads(&account.id).await?,
                may_remove_watermark: account.plan.may_remove_watermark(),
            },
        })
    }

    /// Returns the composer with a request.
    fn composer<'a>(
        &self,
        web: &'a Web,
        visitor: &'a Visitor,
        request: Value,
        is_trial: bool,
    ) -> Composer<'a> {
        let settings = &self.universe.settings;
        let path = format!("/universes/{}", settings.slug);
        Composer {
            web,
            visitor,
            title: format!("New video in {}", self.universe.name).into(),
            lead: html! { p.lead { "Whatever you leave unset follows " a href=(path) { "the universe" } "." } },
            action: format!("{path}/new"),
            call: format!("/api/v1/universe/{}/create", settings.slug),
            groups: universe_form::video(settings, &self.around),
            body: request,
            is_trial,
            can_rewrite: true,
            looks: Looks {
                style: settings.captions_style,
                position: settings.captions_position,
                format: settings.video_format,
                transition: None,
            },
            said: None,
        }
    }

    /// Converts typed values into a request.
    fn typed(&self, fields: &Fields) -> Value {
        let groups = universe_form::video(&self.universe.settings, &self.around);
        universe_form::request_of(form::body(&groups, fields))
    }

    async fn told(
        &self,
        (web, visitor): (&Web, &Visitor),
        request: &Value,
        is_trial: bool,
    ) -> Result<String, Vec<FieldProblem>> {
        let request = UniverseRequest::from_value(request)?.request;
        request.resolve(&self.universe.settings)?;
        let upload = self
            .around
            .uploads
            .iter()
            .find(|upload| request.voiceover_key.as_ref() == Some(&upload.id));
        let secs = upload.map(|upload| upload.duration_ms as f64 / 1000.0);
        let asker = asker(&visitor.account, is_trial);
        let outlook = substitutions::of_universe(&web.app, &asker, &request).await;
        let input = Input::of_universe(&request, secs);
        Ok(composer::told(web, &input, &outlook.makers, is_trial))
    }
}

async fn show(
    visitor: Visitor,
    State(web): State<Web>,
    Path(slug): Path<String>,
    Query(asked): Asked,
) -> Shown {
    let place = Place::find(&web, &visitor, &slug).await?;
    let fields = Fields(asked);
    let (mut request, mut is_trial) = (json!({ "duration": "60" }), visitor.account.balance == 0);
    if !fields.get("from").is_empty() {
        let run = run::find(&web, &visitor, fields.get("from")).await?;
        is_trial = run.asked.is_sandbox;
        if let Order::Universe { request: asked, .. } = &run.asked.order.asked {
            request = json!(asked);
        }
    }
    let composer = place.composer(&web, &visitor, universe_form::form_of(request), is_trial);
    Ok(composer.page(&[], None))
}

async fn send(State(web): State<Web>, Path(slug): Path<String>, posted: Posted) -> Shown {
    let Posted { visitor, fields } = posted;
    let place = Place::find(&web, &visitor, &slug).await?;
    let request = place.typed(&fields);
    let sent = Sent {
        web: &web,
        visitor: &visitor,
        place: &place,
        is_trial: composer::is_trial(&fields),
    };
    match composer::wish(&fields) {
        Wish::Estimate => Ok(
            match place.told((&web, &visitor), &request, sent.is_trial).await {
                Ok(told) => sent.composer(&request).page(&[], Some(&told)),
                Err(problems) => sent.wrong(problems, &request),
            },
        ),
        Wish::Rewrite => sent.rewritten(request).await,
        Wish::Make => sent.made(&fields, request).await,
    }
}

/// A sent form.
struct Sent<'a> {
    web: &'a Web,
    visitor: &'a Visitor,
    place: &'a Place,
    is_trial: bool,
}

impl Sent<'_> {
    fn composer(&self, request: &Value) -> Composer<'_> {
        let form = universe_form::form_of(request.clone());
        self.place
            .composer(self.web, self.visitor, form, self.is_trial)
    }

    fn wrong(&self, problems: Vec<FieldProblem>, request: &Value) -> Response {
        self.composer(request)
            .page(&universe_form::placed(problems, request), None)
    }

    async fn made(&self, fields: &Fields, request: Value) -> Shown {
        let body = request.to_string();
        let idempotency = composer::idempotency(fields, body.as_bytes());
        let wanted = Wanted {
            body: body.as_bytes(),
            idempotency: idempotency.as_deref(),
        };
        let asker = asker(&self.visitor.account, self.is_trial);
        let slug = &self.place.universe.settings.slug;
        match maker::universe(&self.web.app, &asker, slug, &wanted).await {
            Ok(answer) => Ok(to_run(&answer)),
            Err(error) => {
                Ok(self.wrong(composer::problems(error).map_err(Refused::from)?, &request))
            }
        }
    }

    /// Returns the form with its script rewritten as a canonical script.
    async fn rewritten(&self, mut request: Value) -> Shown {
        let text = request["userScript"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let asker = asker(&self.visitor.account, self.is_trial);
        match rewrite(&self.web.app, &asker, text).await {
            Ok(written) => {
                request["userScript"] = written.script.into();
                let told = self
                    .place
                    .told((self.web, self.visitor), &request, self.is_trial)
                    .await;
                let composer = Composer {
                    said: Some(rewritten(&written.notes)),
                    ..self.composer(&request)
                };
                Ok(composer.page(&[], told.ok().as_deref()))
            }
            Err(error) => {
                let at_script = |problem| FieldProblem {
                    field: "userScript".to_owned(),
                    ..problem
                };
                let problems = composer::problems(error).map_err(Refused::from)?;
                Ok(self.wrong(problems.into_iter().map(at_script).collect(), &request))
            }
        }
    }
}

/// Returns the message at the rewritten script.
fn rewritten(notes: &[String]) -> Said {
    let text = html! {
        p { "The script was rewritten: read it through, then create the video." }
        @if !notes.is_empty() { ul { @for note in notes { li { (note) } } } }
    };
    Said {
        path: "userScript",
        text,
    }
}

async fn estimate(State(web): State<Web>, Path(slug): Path<String>, posted: Posted) -> Shown {
    let Posted { visitor, fields } = posted;
    let place = Place::find(&web, &visitor, &slug).await?;
    let request = place.typed(&fields);
    let is_trial = composer::is_trial(&fields);
    let told = place.told((&web, &visitor), &request, is_trial).await;
    let told = told.map_err(|problems| universe_form::placed(problems, &request));
    // The call shown is the request's, not the form's.
    Ok(place.composer(&web, &visitor, request, is_trial).live(told))
}
