//! The id of the current request, for logs and answers.

use crate::ids;

tokio::task_local! {
    /// Set by the edge around each request.
    pub(crate) static REQUEST_ID: String;
}

/// Returns the id of the request that this task answers; a new one outside of requests.
pub fn request_id() -> String {
    REQUEST_ID
        .try_with(String::clone)
        .unwrap_or_else(|_| ids::request())
}
