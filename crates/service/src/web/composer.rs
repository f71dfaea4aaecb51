//! The page for composing a video: the form, previews, the estimate, and the equivalent API call.

use std::borrow::Cow;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use kinora_studio::estimate::{Estimate, Input, Makers, estimate_by};
use kinora_studio::request::{
    AspectRatio, CaptionPosition, CaptionStyle, FieldProblem, ProblemCode, Transition, WireName,
};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::form::{self, Filled, Group, Said, at};
use super::page::{Page, Refused, once, token};
use super::session::{Fields, Visitor, nonce};
use super::{Web, text, words};
use crate::app::asker::Asker;
use crate::db::Account;
use crate::error::ApiError;
use crate::ids;

/// The name of the switch that makes a video a trial.
const TRIAL: &str = "trial";

/// A form for a video with its content.
#[derive(Debug)]
pub(super) struct Composer<'a> {
    pub(super) web: &'a Web,
    pub(super) visitor: &'a Visitor,
    pub(super) title: Cow<'a, str>,
    pub(super) lead: Markup,
    /// The form's target; estimates are requested from `…/estimate`.
    pub(super) action: String,
    /// The path of the equivalent API call.
    pub(super) call: String,
    pub(super) groups: Vec<Group>,
    /// The content of the form.
    pub(super) body: Value,
    pub(super) is_trial: bool,
    /// Whether the page offers to rewrite a text as a canonical script.
    pub(super) can_rewrite: bool,
    /// The styles previewed where the form leaves them open.
    pub(super) looks: Looks,
    /// A message about a changed field.
    pub(super) said: Option<Said>,
}

/// The styles of captions and transitions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looks {
    pub(super) style: CaptionStyle,
    pub(super) position: CaptionPosition,
    pub(super) format: AspectRatio,
    /// `None` if it cannot be chosen.
    pub(super) transition: Option<Transition>,
}

/// Returns the caller for a request from the dashboard.
pub(super) fn asker(account: &Account, is_trial: bool) -> Asker {
    Asker {
        account: account.clone(),
        key_id: None,
        is_sandbox: is_trial,
    }
}

pub(super) fn is_trial(fields: &Fields) -> bool {
    fields.has(TRIAL)
}

/// The purpose of a sent form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// The video.
    Make,
    /// The estimate.
    Estimate,
    /// A canonical script.
    Rewrite,
}

pub(super) fn wish(fields: &Fields) -> Wish {
    match fields.get("do") {
        "estimate" => Wish::Estimate,
        "rewrite" => Wish::Rewrite,
        _ => Wish::Make,
    }
}

/// Returns an idempotency key: a form sent twice makes one video, a changed form another.
pub(super) fn idempotency(fields: &Fields, body: &[u8]) -> Option<String> {
    let nonce = nonce(fields)?;
    Some(format!("{nonce}-{}", &ids::hash_bytes(body)[..32]))
}

/// Returns the field problems of an error; the error itself if it has none.
pub(super) fn problems(error: ApiError) -> Result<Vec<FieldProblem>, ApiError> {
    let said = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let problem = |value: &Value| FieldProblem {
        code: ProblemCode::InvalidFormat,
        field: said(value, "field"),
        reason: said(value, "reason"),
    };
    let details = Value::Object(error.details.clone());
    match &details["problems"] {
        Value::Array(all) => Ok(all.iter().map(problem).collect()),
        _ if error.status == StatusCode::BAD_REQUEST && details["field"].is_string() => {
            Ok(vec![problem(&details)])
        }
        _ if error.status == StatusCode::BAD_REQUEST => {
            Ok(vec![FieldProblem::missing("", error.message)])
        }
        _ if error.status == StatusCode::PAYMENT_REQUIRED => {
            let n = |name: &str| details[name].as_u64().unwrap_or_default();
            let reason = format!(
                "This needs {}, but you have {}. Turn on “Trial” to make it offline for free, with a watermark, or ask this server's operator for credits.",
                text::count(n("required"), "credit", "credits"),
                text::grouped(n("available"))
            );
            Ok(vec![FieldProblem::invalid("", reason)])
        }
        _ => Err(error),
    }
}

/// Describes the length and price of a video.
pub(super) fn told(web: &Web, input: &Input, makers: &Makers, is_trial: bool) -> String {
    let Estimate {
        duration_secs,
        credits,
    } = estimate_by(input, makers, &web.app.config.credits);
    let price = if is_trial {
        "nothing (trial)".to_owned()
    } else {
        text::count(credits, "credit", "credits")
    };
    format!("about {} long and costs {price}", text::secs(duration_secs))
}

impl Composer<'_> {
    /// Returns the page; `estimate` is the one requested without JavaScript, if any.
    pub(super) fn page(&self, problems: &[FieldProblem], estimate: Option<&str>) -> Response {
        let page = Page::new(&self.title, "/new", self.visitor);
        let problems = &words::told(&self.groups, problems);
        let filled = Filled {
            body: &self.body,
            problems,
            said: self.said.as_ref(),
        };
        let content = html! {
            h1 { (self.title) }
            (self.lead)
            (form::summary(&self.groups, problems))
            // A browser could not show its own validation error in a folded group, so the server validates.
            form.composer novalidate method="post" action=(self.action) data-estimate=(format!("{}/estimate", self.action)) {
                (token(self.visitor))
                (once())
                div.sheet { @for group in &self.groups { (group.show(&filled)) } }
                aside.side aria-label="Preview and cost" {
                    (self.previews())
                    (self.order(estimate))
                }
            }
            details.group {
                summary { h2 { "The same as an API call" } }
                div.fields { pre.code tabindex="0" data-call { (self.curl()) } }
            }
        };
        let status = if problems.is_empty() {
            StatusCode::OK
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        (status, page.show(content)).into_response()
    }

    fn order(&self, estimate: Option<&str>) -> Markup {
        html! {
            div.order {
                p.estimate role="status" data-told { @if let Some(estimate) = estimate { "Your video is " (estimate) "." } }
                div.field.switch {
                    input #trial type="checkbox" name=(TRIAL) value="true" checked[self.is_trial] aria-describedby="trial-hint";
                    label for="trial" { "Trial" }
                    p.hint #trial-hint { "Made offline, with a watermark, for free." }
                }
                button.primary.wide type="submit" { "Create video" }
                button.quiet.wide.no-script type="submit" name="do" value="estimate" { "Estimate first" }
                @if self.can_rewrite { button.quiet.wide type="submit" name="do" value="rewrite" { "Rewrite the script" } }
                p.hint { "You have " (text::count(self.visitor.account.balance, "credit", "credits")) "." }
            }
        }
    }

    fn previews(&self) -> Markup {
        html! { (previews(&self.body, self.looks)) }
    }

    fn curl(&self) -> String {
        let call = curl(&self.web.app.config.public_url(), &self.call, &self.body);
        if self.is_trial {
            return format!("# A trial: KINORA_KEY is a trial key (kin_test_…).\n{call}");
        }
        call
    }

    /// Explains why there is no estimate.
    fn not_yet(&self, problems: &[FieldProblem]) -> String {
        let Some(problem) = problems.first() else {
            return String::new();
        };
        let mut fields = self.groups.iter().flat_map(|group| &group.fields);
        let field = fields.find(|field| field.has(problem));
        let is_named = |label: &str| {
            problem
                .reason
                .to_lowercase()
                .contains(&label.to_lowercase())
        };
        match field.filter(|field| !is_named(&field.label)) {
            Some(field) => format!("{}: {}", field.name(), problem.reason),
            None => problem.reason.clone(),
        }
    }

    /// Answers the requests of the page's script while the form is filled in.
    pub(super) fn live(&self, told: Result<String, Vec<FieldProblem>>) -> Response {
        let (told, problems) = match told {
            Ok(told) => (format!("Your video is {told}."), Vec::new()),
            Err(problems) => {
                let problems = words::told(&self.groups, &problems);
                (self.not_yet(&problems), problems)
            }
        };
        Json(json!({ "told": told, "problems": problems, "call": self.curl() })).into_response()
    }
}

/// Returns a call as a shell command.
fn curl(base: &str, call: &str, body: &Value) -> String {
    let body = format!("{body:#}").replace('\'', "'\\''");
    format!(
        "curl {base}{call} \\\n  -H \"x-api-key: $KINORA_KEY\" \\\n  -H 'content-type: application/json' \\\n  -d '{body}'"
    )
}

/// Shows the captions and transition set in the form; the page's script updates them.
pub(super) fn previews(body: &Value, looks: Looks) -> Markup {
    let named = |paths: [&str; 2]| paths.into_iter().find_map(|path| at(body, path).as_str());
    let style =
        named(["captionsConfig.captionsStyle", "captionsStyle"]).unwrap_or(looks.style.as_str());
    let position = named(["captionsConfig.captionsPosition", "captionsPosition"])
        .unwrap_or(looks.position.as_str());
    let format = named(["aspectRatio", "videoFormat"]).unwrap_or(looks.format.as_str());
    let wish = format!("?format={format}&position={position}");
    let transition = looks
        .transition
        .map(|default| named(["effectsConfig.transition", ""]).unwrap_or(default.as_str()));
    let film = |what: &str, name: &str, label: &str, default: &str| {
        html! {
            figure {
                video muted loop playsinline autoplay data-preview=(what) data-default=(default) src=(format!("/preview/{what}/{name}{wish}"))
                    aria-label=(format!("{label}: {}", text::title(name))) {}
                figcaption { (label) }
            }
        }
    };
    html! {
        div.previews.wide[format == AspectRatio::Landscape.as_str()] data-format=(looks.format.as_str()) data-position=(looks.position.as_str()) {
            (film("caption", style, "Captions", looks.style.as_str()))
            @if let Some(transition) = transition { (film("transition", transition, "Transition", transition)) }
        }
    }
}

impl From<Vec<FieldProblem>> for Refused {
    fn from(problems: Vec<FieldProblem>) -> Refused {
        ApiError::from(problems).into()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn calls_are_quoted_for_the_shell() {
        let call = curl(
            "https://a.example",
            "/api/v1/short",
            &json!({ "prompt": "it's" }),
        );
        assert!(call.contains(r#""prompt": "it'\''s""#), "{call}");
    }

    #[test]
    fn answers_become_problems_of_fields() {
        let one = problems(ApiError::invalid("a.b", "no")).unwrap();
        assert_eq!(
            (one[0].field.as_str(), one[0].reason.as_str()),
            ("a.b", "no")
        );
        let two = problems(ApiError::of_problems(&[
            FieldProblem::invalid("a", "x"),
            FieldProblem::invalid("b", "y"),
        ]))
        .unwrap();
        assert_eq!(two.len(), 2);
        assert_eq!(problems(ApiError::no_credits(9, 1)).unwrap().len(), 1);
        assert_eq!(
            problems(ApiError::internal()).unwrap_err().status,
            StatusCode::INTERNAL_SERVER_ERROR
        );
    }

    #[test]
    fn the_same_form_has_the_same_name_and_a_strange_one_has_none() {
        let fields = |nonce: &str| Fields(vec![("nonce".into(), nonce.into())]);
        let name = |nonce: &str, body: &[u8]| idempotency(&fields(nonce), body);
        assert_eq!(name("form_1", b"a"), name("form_1", b"a"));
        assert_ne!(name("form_1", b"a"), name("form_1", b"b"));
        assert_eq!(name("form_1 \r\n", b"a"), name("form_1", b"a"));
        assert_eq!(name("", b"a"), None);
        assert_eq!(name("form_\"", b"a"), None);
    }
}
