//! An operation of the API as data: both the router and the OpenAPI document are built from it.

use axum::routing::MethodRouter;
use schemars::{Schema, SchemaGenerator};

use crate::state::App;

/// A type's schema, by reference.
pub type Shape = fn(&mut SchemaGenerator) -> Schema;

/// An operation.
#[derive(Clone, Copy)]
pub struct Operation {
    /// The method, in lower case.
    pub method: &'static str,
    /// The path below `/api/v1`.
    pub path: &'static str,
    /// Its name in generated clients.
    pub id: &'static str,
    /// The group it belongs to.
    pub tag: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Parameters.
    pub params: &'static [Param],
    /// The request body.
    pub body: Sent,
    /// The answer.
    pub answer: Answered,
    /// Its error statuses besides those of all operations.
    pub refusals: &'static [u16],
    /// Follow-up operations: their id, a parameter, and where the answer holds its value.
    pub links: &'static [(&'static str, &'static str, &'static str)],
    /// Its handler.
    pub handler: fn() -> MethodRouter<App>,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// `path`, `query` or `header`.
    pub place: &'static str,
    /// Whether it is required.
    pub is_required: bool,
    /// Its format, a regular expression.
    pub pattern: &'static str,
    /// One line.
    pub about: &'static str,
}

/// A request body.
#[derive(Clone, Copy)]
pub enum Sent {
    /// Nothing.
    Nothing,
    /// JSON.
    Json(Shape),
    /// A form with a file and an optional text.
    Form {
        /// The part with the file.
        file: &'static str,
        /// The optional text part.
        text: Option<&'static str>,
    },
}

/// An answer.
#[derive(Clone, Copy)]
pub enum Answered {
    /// 200 with the envelope around this.
    Data(Shape),
    /// 204.
    Nothing,
    /// 200 with server-sent events.
    Events,
}
