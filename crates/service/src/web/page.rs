//! The frame of every page, and the error page.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use super::assets::{ICON, SCRIPT, STYLE};
use super::notice;
use super::session::{NONCE, Visitor};
use crate::error::ApiError;
use crate::ids;

/// A menu entry.
struct Place {
    path: &'static str,
    label: &'static str,
}

const fn place(path: &'static str, label: &'static str) -> Place {
    Place { path, label }
}

/// The menu, in groups.
const MENU: &[(&str, &[Place])] = &[
    (
        "Make",
        &[place("/new", "New video"), place("/runs", "Videos")],
    ),
    (
        "Library",
        &[
            place("/universes", "Universes"),
            place("/characters", "Characters"),
            place("/uploads", "Recordings"),
        ],
    ),
    (
        "Connect",
        &[
            place("/first-steps", "First steps"),
            place("/keys", "API keys"),
            place("/webhooks", "Webhooks"),
        ],
    ),
    (
        "You",
        &[place("/credits", "Credits"), place("/account", "Account")],
    ),
];

/// A page for a signed-in visitor.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) title: &'a str,
    /// The menu entry of the page.
    pub(super) place: &'static str,
    pub(super) visitor: &'a Visitor,
    /// A name from `notice`; unknown names show nothing.
    pub(super) notice: &'a str,
    /// The reload interval without JavaScript, in seconds.
    pub(super) reload_secs: Option<u32>,
}

impl<'a> Page<'a> {
    pub(super) fn new(title: &'a str, place: &'static str, visitor: &'a Visitor) -> Page<'a> {
        Page {
            title,
            place,
            visitor,
            notice: "",
            reload_secs: None,
        }
    }

    /// Returns the page with its content.
    pub(super) fn show(&self, content: Markup) -> Markup {
        let said = notice::text(self.notice);
        let reload = html! {
            @if let Some(secs) = self.reload_secs {
                noscript { meta http-equiv="refresh" content=(secs); }
            }
        };
        let body = html! {
            body.app {
                a.skip href="#content" { "Skip to the content" }
                header.bar {
                    (wordmark())
                    a.balance href="/credits" { (super::text::count(self.visitor.account.balance, "credit", "credits")) }
                    button.menu-button type="button" popovertarget="menu" { "Menu" }
                }
                (menu(self.place, self.visitor))
                main #content tabindex="-1" {
                    @if let Some(said) = said { p.notice role="status" { (said) } }
                    (content)
                }
            }
        };
        document(self.title, reload, body)
    }
}

fn wordmark() -> Markup {
    html! {
        a.wordmark href="/" aria-label="kinora, start page" {
            span.frame aria-hidden="true" {} "kinora"
        }
    }
}

fn menu(here: &str, visitor: &Visitor) -> Markup {
    html! {
        nav #menu.menu popover aria-label="Menu" {
            @for (group, places) in MENU {
                p.part { (group) }
                ul {
                    @for place in *places {
                        li { a href=(place.path) aria-current=[(place.path == here).then_some("page")] { (place.label) } }
                    }
                }
            }
            form.sign-out method="post" action="/sign-out" {
                (token(visitor))
                button.quiet type="submit" { "Sign out" }
            }
        }
    }
}

/// Returns the hidden CSRF field of every form of a signed-in visitor.
pub(super) fn token(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name="csrf" value=(visitor.csrf); }
}

/// Returns the hidden nonce field of forms that create something.
pub(super) fn once() -> Markup {
    html! { input type="hidden" name=(NONCE) value=(ids::prefixed("form_")); }
}

/// Returns a page for visitors who are not signed in: one card.
pub(super) fn plain(title: &str, content: &Markup) -> Markup {
    let body = html! {
        body.plain {
            header.bar { (wordmark()) }
            main #content tabindex="-1" { (content) }
        }
    };
    document(title, html! {}, body)
}

fn document(title: &str, head: Markup, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · kinora" }
                link rel="icon" href=(ICON.path()) type="image/svg+xml";
                link rel="stylesheet" href=(STYLE.path());
                script src=(SCRIPT.path()) defer {}
                (head)
            }
            (body)
        }
    }
}

/// An error page.
#[derive(Debug)]
pub(super) struct Refused {
    status: StatusCode,
    title: String,
    message: String,
}

impl Refused {
    pub(super) fn new(status: StatusCode, title: &str, message: impl Into<String>) -> Refused {
        Refused {
            status,
            title: title.to_owned(),
            message: message.into(),
        }
    }

    /// For a resource that does not exist or belongs to another account.
    pub(super) fn not_found(what: &str) -> Refused {
        let message = format!(
            "There is no such {what} in your account. It may have been deleted, or the link is incomplete."
        );
        Refused::new(StatusCode::NOT_FOUND, "Not found", message)
    }

    /// For an address without a page.
    pub(super) fn no_page() -> Refused {
        let message = "There is no page at this address. The link may be mistyped or incomplete.";
        Refused::new(StatusCode::NOT_FOUND, "Not found", message)
    }

    pub(super) fn foreign_form() -> Refused {
        let message = "This form came from another site, so nothing was done.";
        Refused::new(StatusCode::FORBIDDEN, "From another site", message)
    }

    pub(super) fn stale_form() -> Refused {
        let message = "This form belongs to a session that has ended, so nothing was done. Go back, reload the page, and send it again.";
        Refused::new(StatusCode::FORBIDDEN, "The form has expired", message)
    }

    /// For a form opened at an address from which browsers cannot send it with cookies.
    pub(super) fn elsewhere(public_url: &str) -> Refused {
        let message = format!(
            "This server is configured for {public_url}. Open it there: browsers keep its sign-in over https only."
        );
        Refused::new(StatusCode::FORBIDDEN, "Wrong address", message)
    }

    pub(super) fn stale_sign_in() -> Refused {
        let message = "The form was open for more than an hour, or this browser does not keep cookies, so nothing was done. Go back, reload the page, and send it again.";
        Refused::new(StatusCode::FORBIDDEN, "The form has expired", message)
    }

    pub(super) fn too_many(retry_after: u64) -> Refused {
        let message = format!(
            "Too many attempts. Try again in {}.",
            super::text::secs(retry_after as f64)
        );
        Refused::new(StatusCode::TOO_MANY_REQUESTS, "Slow down", message)
    }
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Refused {
        match error.status {
            StatusCode::NOT_FOUND => Refused::not_found("thing"),
            StatusCode::INTERNAL_SERVER_ERROR | StatusCode::SERVICE_UNAVAILABLE => {
                Refused::new(error.status, "That did not work", error.message)
            }
            status => Refused::new(status, "Not possible", error.message),
        }
    }
}

impl From<crate::db::DbError> for Refused {
    fn from(error: crate::db::DbError) -> Refused {
        ApiError::from(error).into()
    }
}

impl From<crate::media::MediaError> for Refused {
    fn from(error: crate::media::MediaError) -> Refused {
        tracing::error!(%error, "media");
        ApiError::internal().into()
    }
}

impl From<Refused> for Response {
    fn from(refused: Refused) -> Response {
        refused.into_response()
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let page = plain(
            &self.title,
            &html! {
                section.card {
                    h1 { (self.title) }
                    p { (self.message) }
                    p { a.button href="/" { "To the start page" } }
                }
            },
        );
        (self.status, page).into_response()
    }
}

/// The result of a page's handler.
pub(super) type Shown = Result<Response, Refused>;
