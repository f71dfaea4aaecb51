//! Our additional fields of create requests: a webhook for the end of the run, and metadata of the client.

use kinora_studio::request::{FieldProblem, FieldWarning, Parsed};
use serde_json::Value;

use super::webhook_url::webhook_url;
use crate::error::Answer;
use crate::state::App;

const WEBHOOK_URL: &str = "webhookUrl";
const METADATA: &str = "metadata";

/// Maximum size of the metadata, in bytes of JSON.
const MAX_METADATA: usize = 4 << 10;

/// The extra fields of a create request.
#[derive(Clone, Debug, Default)]
pub(super) struct Extras {
    pub(super) webhook_url: Option<String>,
    pub(super) metadata: Option<Value>,
}

impl Extras {
    /// Reads them besides a request, whose problems come first. The request's parser warns about these unknown fields, so those warnings are removed.
    pub(super) fn beside<T>(
        app: &App,
        body: &[u8],
        parsed: Result<Parsed<T>, Vec<FieldProblem>>,
    ) -> Answer<(Parsed<T>, Extras)> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        // The request parser reports a body that is not JSON.
        let fields: Value = serde_json::from_slice(body).unwrap_or_default();
        let mut problems = Vec::new();
        let extras = Extras {
            webhook_url: webhook_of(app, &fields[WEBHOOK_URL], &mut problems),
            metadata: metadata_of(&fields[METADATA], &mut problems),
        };
        match parsed {
            Ok(mut parsed) if problems.is_empty() => {
                let is_known = |warning: &FieldWarning| {
                    [WEBHOOK_URL, METADATA].contains(&warning.field.as_str())
                };
                parsed.warnings.retain(|warning| !is_known(warning));
                Ok((parsed, extras))
            }
            Ok(_) => Err(problems.into()),
            Err(mut all) => {
                all.extend(problems);
                Err(all.into())
            }
        }
    }
}

fn webhook_of(app: &App, value: &Value, problems: &mut Vec<FieldProblem>) -> Option<String> {
    let told = match value {
        Value::Null => return None,
        Value::String(url) if url.trim().is_empty() => return None,
        Value::String(url) => webhook_url(app, url),
        _ => Err("is not a string".to_owned()),
    };
    told.map_err(|reason| problems.push(FieldProblem::invalid(WEBHOOK_URL, reason)))
        .ok()
}

fn metadata_of(value: &Value, problems: &mut Vec<FieldProblem>) -> Option<Value> {
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return None;
    }
    let n_bytes = value.to_string().len();
    if n_bytes > MAX_METADATA {
        let reason = format!("has {n_bytes} bytes of JSON; at most {MAX_METADATA} are allowed");
        problems.push(FieldProblem::invalid(METADATA, reason));
    }
    Some(value.clone())
}
