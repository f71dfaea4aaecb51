//! Uploaded audio: the `voiceoverKey`s of an account.

use serde::Serialize;

use super::form::{Form, Rules};
use super::{audio, in_use};
use crate::db::{Account, Upload};
use crate::error::{Answer, ApiError};
use crate::heavy::heavy;
use crate::ids;
use crate::ids::is_id;
use crate::state::App;

/// The form part with the file.
pub(crate) const FILE: &str = "file";
/// The form part with an optional transcript.
pub(crate) const TEXT: &str = "text";
/// Maximum length of the transcript, in bytes.
const MAX_TEXT: usize = 200_000;
/// Maximum number of uploads per account.
const MAX_OF_ACCOUNT: usize = 1000;

/// Uploaded audio.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadRecord {
    /// The `voiceoverKey`.
    key: String,
    /// The name of the uploaded file.
    name: String,
    /// Its length in seconds.
    duration: f64,
    /// The stored size in bytes.
    size: u64,
    /// Milliseconds since 1970.
    created_at: i64,
}

/// All uploads of an account.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct UploadList {
    /// The uploads, newest first.
    pub(crate) uploads: Vec<UploadRecord>,
}

impl From<Upload> for UploadRecord {
    fn from(upload: Upload) -> UploadRecord {
        UploadRecord {
            key: upload.id,
            name: upload.name,
            duration: upload.duration_ms as f64 / 1e3,
            size: upload.n_bytes,
            created_at: upload.created_at,
        }
    }
}

/// Finds an account's uploaded audio by its key.
pub(super) async fn find(app: &App, account: &Account, key: &str) -> Answer<Option<Upload>> {
    match is_id(key) {
        true => Ok(app.db.upload(&account.id, key).await?),
        false => Ok(None),
    }
}

/// Checks audio by decoding all of it, re-encodes it in our own format, and stores it.
///
/// # Errors
/// 400 if it is not audio or too long; 503.
pub async fn add(app: &App, account: &Account, form: Form) -> Answer<Upload> {
    if app.db.uploads(&account.id).await?.len() >= MAX_OF_ACCOUNT {
        return Err(ApiError::conflict(
            "uploads",
            "at most 1000 uploads per account",
        ));
    }
    let extension = audio::KEPT.extension();
    let kept = format!("kept.{extension}");
    let folder = form.folder.path().to_owned();
    let name = kept.clone();
    let media = app.config.media.clone();
    let secs = heavy(move || audio::written_anew(&folder, &name, &media)).await;
    let secs = secs
        .unwrap_or_else(|| Err("cannot be decoded".into()))
        .map_err(|why| ApiError::invalid(FILE, why))?;
    let path = form.folder.path().join(kept);
    let n_bytes = tokio::fs::metadata(&path)
        .await
        .map_or(0, |file| file.len());
    let object = app.media.publish("audio", extension, &path).await?;
    let upload = Upload {
        id: ids::prefixed("aud_"),
        name: form.name,
        object,
        n_bytes,
        duration_ms: (secs * 1e3).round() as i64,
        spoken: form.text.filter(|text| !text.trim().is_empty()),
        created_at: 0,
    };
    app.db.add_upload(&account.id, &upload).await?;
    let written = app.db.upload(&account.id, &upload.id).await?;
    Ok(written.unwrap_or(upload))
}

/// Deletes audio; accepted runs that use it keep it until they end.
///
/// # Errors
/// 404.
pub async fn delete(app: &App, account: &Account, key: &str) -> Answer<()> {
    let deleted = match is_id(key) {
        true => app.db.delete_upload(&account.id, key).await?,
        false => None,
    };
    let object = deleted.ok_or_else(|| ApiError::not_found("upload", "key", key))?;
    in_use::delete_unless(app, account, &object).await
}

/// Returns the rules for the upload form.
pub fn rules(app: &App) -> Rules {
    Rules {
        file: FILE,
        max_bytes: app.config.server.max_audio,
        text: Some(TEXT),
        max_text: MAX_TEXT,
    }
}
