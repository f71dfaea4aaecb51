//! Our additional fields of create requests: a webhook for the end of the run, and metadata of the client.

use kinora_studio::request::{FieldProblem, FieldWarning, Parsed};
use serde_json::Value;
use url::{Host, Url};

use crate::error::Answer;
use crate::state::App;
use crate::work::deliver;

const WEBHOOK_URL: &str = "webhookUrl";
const METADATA: &str = "metadata";

/// Maximum length of the URL, in bytes.
const MAX_URL: usize = deliver::MAX_URL;
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

/// Checks a webhook URL and returns its stored form. Its address is checked when it is called.
pub(super) fn webhook_url(app: &App, url: &str) -> Result<String, String> {
    if url.len() > MAX_URL {
        return Err(format!("is longer than {MAX_URL} bytes"));
    }
    let is_private_ok = app.config.worker.private_webhooks;
    let is_scheme_ok = url.starts_with("https://") || (is_private_ok && url.starts_with("http://"));
    if !is_scheme_ok {
        return Err("does not begin with https://".to_owned());
    }
    let parsed = Url::parse(url).map_err(|_| "is not a URL".to_owned())?;
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
    if matches!(parsed.host(), Some(Host::Domain(name)) if !name.bytes().all(is_letter)) {
        return Err("names a host that cannot be".to_owned());
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("names a user or a password; check the signature instead".to_owned());
    }
    if parsed.as_str().len() > MAX_URL {
        return Err(format!("is longer than {MAX_URL} bytes"));
    }
    if deliver::check_url(parsed.as_str(), &app.config).is_err() {
        let reason = "names an address of a private network, where nothing is sent; name a public host (the service's operator can allow private ones)";
        return Err(reason.to_owned());
    }
    Ok(parsed.into())
}

fn metadata_of(value: &Value, problems: &mut Vec<FieldProblem>) -> Option<Value> {
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return None;
    }
    let n_bytes = value.to_string().len();
    if n_bytes > MAX_METADATA {
        let reason = format!("takes {n_bytes} bytes of JSON; {MAX_METADATA} are allowed");
        problems.push(FieldProblem::invalid(METADATA, reason));
    }
    Some(value.clone())
}
