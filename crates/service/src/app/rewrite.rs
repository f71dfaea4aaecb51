//! Turns prose and plays into canonical scripts.

use kinora_studio::request::MAX_SCRIPT_CHARS;
use serde::Serialize;

use super::asker::Asker;
use crate::error::{Answer, ApiError};
use crate::heavy::asking;
use crate::state::App;

/// A text to convert.
#[derive(Debug, schemars::JsonSchema)]
pub struct RewriteWanted {
    /// Prose or a play.
    #[schemars(length(min = 1, max = 50_000))]
    pub text: String,
}

/// A canonical script.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Rewritten {
    /// A `userScript`.
    pub script: String,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Converts a text into a canonical script, off the threads that serve requests. Takes a while if a model is used.
///
/// # Errors
/// 400; 503 if a configured provider does not answer.
pub async fn rewrite(app: &App, asker: &Asker, text: String) -> Answer<Rewritten> {
    let n_chars = text.chars().count();
    if n_chars > MAX_SCRIPT_CHARS {
        let reason = format!("has {n_chars} characters; at most {MAX_SCRIPT_CHARS} are allowed");
        return Err(ApiError::invalid("text", reason));
    }
    if text.contains('\0') {
        return Err(ApiError::invalid("text", "contains a NUL character"));
    }
    if !text.chars().any(char::is_alphanumeric) {
        return Err(ApiError::missing("text", "contains no word"));
    }
    let (studios, is_sandbox) = (app.studios.clone(), asker.is_sandbox);
    let written = asking(move || studios.answering(is_sandbox)?.rewrite(&text)).await;
    let (script, notes) = written.ok_or_else(ApiError::internal)?.map_err(|failure| {
        tracing::error!(%failure, "a script could not be rewritten");
        ApiError::unavailable()
    })?;
    Ok(Rewritten { script, notes })
}
