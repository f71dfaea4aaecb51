//! An operation of the interface as data: what the router serves and what the OpenAPI document says are both made of it.

use axum::routing::MethodRouter;
use schemars::{Schema, SchemaGenerator};

use crate::state::App;

/// A type's schema, as a reference to it.
pub type Shape = fn(&mut SchemaGenerator) -> Schema;

/// An operation.
#[derive(Clone, Copy)]
pub struct Operation {
    /// In lower case.
    pub method: &'static str,
    /// Below `/api/v1`.
    pub path: &'static str,
    /// What clients that are generated call it.
    pub id: &'static str,
    /// The group it belongs to.
    pub tag: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Parameters.
    pub params: &'static [Param],
    /// What it is sent.
    pub body: Sent,
    /// What it answers.
    pub answer: Answered,
    /// Its own refusals, beside those of all operations.
    pub refusals: &'static [u16],
    /// Operations that go on with what it answers: their ids, a parameter, and where its value is.
    pub links: &'static [(&'static str, &'static str, &'static str)],
    /// What does it.
    pub handler: fn() -> MethodRouter<App>,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// `path`, `query` or `header`.
    pub place: &'static str,
    /// Whether it has to be there.
    pub is_required: bool,
    /// What it may look like, a regular expression.
    pub pattern: &'static str,
    /// One line.
    pub about: &'static str,
}

/// What an operation is sent.
#[derive(Clone, Copy)]
pub enum Sent {
    /// Nothing.
    Nothing,
    /// JSON.
    Json(Shape),
    /// A form with a file, and perhaps a text.
    Form {
        /// The part that is the file.
        file: &'static str,
        /// The part that may be a text.
        text: Option<&'static str>,
    },
}

/// What an operation answers.
#[derive(Clone, Copy)]
pub enum Answered {
    /// 200 with the envelope around this.
    Data(Shape),
    /// 204.
    Nothing,
    /// 200 with server-sent events.
    Events,
}
