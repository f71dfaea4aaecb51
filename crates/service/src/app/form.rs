//! Multipart forms: one file, kept in a temporary folder, and a few short texts.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::extract::multipart::Field;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::{StreamExt, TryStreamExt};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

use crate::edge::{BodyError, check_headers};
use crate::error::{Answer, ApiError};
use crate::state::App;

/// Maximum number of parts.
const MAX_PARTS: usize = 16;
/// Bytes of a form besides its file: headers, boundaries, texts.
const BESIDE: u64 = 512 << 10;
/// The part with the CSRF token of a page's form.
const CSRF: &str = "csrf";
/// Maximum length of a token, in bytes.
const MAX_CSRF: usize = 200;
/// Maximum length of a stored file name, in characters.
const MAX_NAME: usize = 100;

/// The allowed parts of a form.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The part with the file.
    pub file: &'static str,
    /// The file's maximum size in bytes.
    pub max_bytes: usize,
    /// The optional text part.
    pub text: Option<&'static str>,
    /// The text's maximum size in bytes.
    pub max_text: usize,
}

/// A parsed form.
#[derive(Debug)]
pub struct Form {
    /// Holds only the file, and is removed with this value.
    pub folder: TempDir,
    /// The name of the uploaded file; for display only.
    pub name: String,
    /// The file's size in bytes.
    pub n_bytes: u64,
    /// The text, if there was one.
    pub text: Option<String>,
    /// The CSRF token, if a page sent the form.
    pub csrf: Option<String>,
}

impl Form {
    /// The file's name in `folder`.
    pub const FILE: &'static str = "upload";

    /// Returns the file's path.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(Form::FILE)
    }

    /// Reads a request's form.
    ///
    /// # Errors
    /// 400, 408, 413, 415, 503.
    pub async fn read(app: &App, request: Request, rules: &Rules) -> Answer<Form> {
        check_type(request.headers())?;
        let max = rules.max_bytes as u64 + BESIDE;
        check_headers(request.headers(), max)?;
        let broken = Arc::new(OnceLock::new());
        let request = bounded(request, max, Arc::clone(&broken));
        let told = |error: axum::extract::multipart::MultipartError| match broken.get() {
            Some(error) => ApiError::from(*error),
            None => ApiError::invalid("body", format!("not a valid form: {error}")),
        };
        let mut parts = Multipart::from_request(request, &())
            .await
            .map_err(|e| ApiError::invalid("body", e.to_string()))?;
        let mut form = Form {
            folder: folder(app)?,
            name: String::new(),
            n_bytes: 0,
            text: None,
            csrf: None,
        };
        let mut has_file = false;
        for n in 0.. {
            let Some(mut part) = parts.next_field().await.map_err(told)? else {
                break;
            };
            if n == MAX_PARTS {
                let reason = format!("has more than {MAX_PARTS} parts");
                return Err(ApiError::invalid("body", reason));
            }
            let name = part.name().unwrap_or_default().to_owned();
            if name == rules.file && !has_file {
                has_file = true;
                form.name = plain_name(part.file_name().unwrap_or_default());
                form.n_bytes = keep(&mut part, &form.path(), rules.max_bytes as u64, told).await?;
            } else if name == rules.file {
                return Err(ApiError::invalid(rules.file, "appears twice"));
            } else if rules.text == Some(name.as_str()) {
                form.text = Some(text_of(&mut part, &name, rules.max_text, told).await?);
            } else if name == CSRF {
                form.csrf = Some(text_of(&mut part, &name, MAX_CSRF, told).await?);
            }
        }
        if !has_file {
            let reason = format!("a part `{}` with a file is required", rules.file);
            return Err(ApiError::missing(rules.file, reason));
        }
        Ok(form)
    }
}

/// Limits the body to `max` bytes. The cause of an error is stored in `broken`, because form parsers hide it.
fn bounded(request: Request, max: u64, broken: Arc<OnceLock<BodyError>>) -> Request {
    request.map(|body| {
        let mut n_read = 0;
        let stream = body.into_data_stream().map(move |part| {
            let part: Result<Bytes, BodyError> = part.map_err(|e| BodyError::of(&e));
            let part = part.and_then(|bytes| {
                n_read += bytes.len() as u64;
                match n_read > max {
                    true => Err(BodyError::TooLarge(max)),
                    false => Ok(bytes),
                }
            });
            part.inspect_err(|error| {
                // The first error is the cause of the others.
                let _ = broken.set(*error);
            })
        });
        Body::from_stream(stream.into_stream())
    })
}

fn check_type(headers: &HeaderMap) -> Answer<()> {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let is_form = kind.is_some_and(|kind| {
        let essence = kind.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("multipart/form-data")
    });
    if is_form {
        return Ok(());
    }
    let message = "the body must be a form: send content-type: multipart/form-data";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(ApiError::unfit(status, "content-type", message))
}

fn folder(app: &App) -> Answer<TempDir> {
    TempDir::new_in(app.arrivals.path()).map_err(cannot_keep)
}

fn cannot_keep(error: std::io::Error) -> ApiError {
    tracing::error!(%error, "an upload could not be stored");
    ApiError::unavailable()
}

async fn keep(
    part: &mut Field<'_>,
    path: &Path,
    max: u64,
    told: impl Fn(axum::extract::multipart::MultipartError) -> ApiError,
) -> Answer<u64> {
    let mut file = tokio::fs::File::create(path).await.map_err(cannot_keep)?;
    let mut n_bytes = 0;
    while let Some(bytes) = part.chunk().await.map_err(&told)? {
        n_bytes += bytes.len() as u64;
        if n_bytes > max {
            return Err(BodyError::TooLarge(max).into());
        }
        file.write_all(&bytes).await.map_err(cannot_keep)?;
    }
    file.flush().await.map_err(cannot_keep)?;
    Ok(n_bytes)
}

async fn text_of(
    part: &mut Field<'_>,
    name: &str,
    max: usize,
    told: impl Fn(axum::extract::multipart::MultipartError) -> ApiError,
) -> Answer<String> {
    let mut bytes = Vec::new();
    while let Some(more) = part.chunk().await.map_err(&told)? {
        bytes.extend_from_slice(&more);
        if bytes.len() > max {
            let reason = format!("is longer than {max} bytes");
            return Err(ApiError::invalid(name, reason));
        }
    }
    let text = String::from_utf8(bytes).ok();
    text.filter(|text| !text.contains('\0'))
        .ok_or_else(|| ApiError::invalid(name, "is not UTF-8 text without NUL characters"))
}

/// Returns an untrusted file name for display: its last component, without control characters.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown = last.chars().filter(|c| !c.is_control());
    let name: String = shown.take(MAX_NAME).collect();
    name.trim().to_owned()
}
