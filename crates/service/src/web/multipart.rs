//! Forms with a file: read by the API's form reader, with the form's token among the parts.

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

/// Reads a form with a character's picture.
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

/// Reads a form with a recording.
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

/// Refuses a form without its token; a form that could not be read returns its error.
fn checked(visitor: &Visitor, form: Answer<Form>) -> Result<Answer<Form>, Refused> {
    match form {
        Ok(form) if !is_same(form.csrf.as_deref().unwrap_or_default(), &visitor.csrf) => {
            Err(Refused::stale_form())
        }
        other => Ok(other),
    }
}

/// Returns the problem of a file, to show in its form; other errors become pages.
pub(super) fn problem(error: ApiError) -> Result<String, Refused> {
    if error.status.is_client_error() {
        return Ok(error.message);
    }
    Err(error.into())
}

/// Returns the page with its form, with status 422 if there was a problem.
pub(super) fn answered(page: Markup, problem: Option<&str>) -> Response {
    let status = if problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    (status, page).into_response()
}
