//! Forms that send a file: read by the interface's reader, with the form's token among the parts.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::Markup;

use super::Web;
use super::page::Refused;
use super::session::{Visitor, is_same};
use crate::app::form::Form;
use crate::app::{characters, uploads};
use crate::error::{Answer, ApiError};

/// A picture of a character.
pub(super) async fn image(
    web: &Web,
    visitor: &Visitor,
    request: Request,
) -> Result<Answer<Form>, Refused> {
    checked(
        visitor,
        Form::read(&web.app, request, &characters::rules(&web.app)).await,
    )
}

/// A recording.
pub(super) async fn audio(
    web: &Web,
    visitor: &Visitor,
    request: Request,
) -> Result<Answer<Form>, Refused> {
    checked(
        visitor,
        Form::read(&web.app, request, &uploads::rules(&web.app)).await,
    )
}

/// Nothing is done with a form that does not hold its token; one that could not be read at all says why.
fn checked(visitor: &Visitor, form: Answer<Form>) -> Result<Answer<Form>, Refused> {
    match form {
        Ok(form) if !is_same(form.csrf.as_deref().unwrap_or_default(), &visitor.csrf) => {
            Err(Refused::stale_form())
        }
        other => Ok(other),
    }
}

/// What was wrong with a file, for its form; anything else is a page of its own.
pub(super) fn problem(error: ApiError) -> Result<String, Refused> {
    if error.status.is_client_error() {
        return Ok(error.message);
    }
    Err(error.into())
}

/// The page with its form, and whether the form was right.
pub(super) fn answered(page: Markup, problem: Option<&str>) -> Response {
    let status = if problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    (status, page).into_response()
}
