//! Runs: made together with their job and their hold, owned by one attempt at a time, ended once.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tx::{Row, args};
use super::{Db, DbError};
use crate::order::Order;

/// The state of a run; it only moves down this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RunStatus {
    /// Accepted.
    Queued,
    /// A worker has taken it up.
    Executing,
    /// The video is there.
    Completed,
    /// It could not be made; nothing was charged.
    Failed,
}

impl Family {
    /// As in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Family::Short => "short",
            Family::Universe => "universe",
        }
    }

    fn from_name(name: &str) -> Option<Family> {
        [Family::Short, Family::Universe]
            .into_iter()
            .find(|family| family.as_str() == name)
    }
}

impl RunStatus {
    /// In their order.
    pub const ALL: [RunStatus; 4] = [
        RunStatus::Queued,
        RunStatus::Executing,
        RunStatus::Completed,
        RunStatus::Failed,
    ];

    /// As on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Queued => "QUEUED",
            RunStatus::Executing => "EXECUTING",
            RunStatus::Completed => "COMPLETED",
            RunStatus::Failed => "FAILED",
        }
    }

    /// Of its name.
    pub(super) fn from_name(name: &str) -> Result<RunStatus, DbError> {
        let mut all = RunStatus::ALL.into_iter();
        all.find(|status| status.as_str() == name)
            .ok_or_else(|| DbError::Open(format!("a status `{name}`")))
    }
}

/// Which endpoints it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// `/short`.
    Short,
    /// `/universe/…`.
    Universe,
}

/// What a run was estimated to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated {
    /// How long the video becomes, in milliseconds.
    pub duration_ms: i64,
    /// Credits that are held.
    pub credits: u64,
}

/// The client's `Idempotency-Key`.
#[derive(Clone, Debug)]
pub struct Idempotency {
    /// The key; an account's own, and apart for its sandbox keys.
    pub name: String,
    /// The hash of route and body.
    pub body_hash: String,
}

/// A run to be made.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// `run_…`.
    pub id: String,
    /// `proj_…`.
    pub project_id: String,
    /// Whose it is.
    pub account_id: String,
    /// Which key asked, if one.
    pub key_id: Option<String>,
    /// Its endpoints.
    pub family: Family,
    /// Its universe's slug.
    pub universe: Option<String>,
    /// The beginning of its prompt or script, for lists.
    pub title: String,
    /// Whether it costs nothing and is made offline.
    pub is_sandbox: bool,
    /// What to make.
    pub order: Order,
    /// Warnings of the request, as JSON.
    pub warnings: Value,
    /// Where its end is told, beside the account's webhooks.
    pub webhook_url: Option<String>,
    /// What the client wants to find again, JSON.
    pub metadata: Option<Value>,
    /// The run that this one takes up again.
    pub retry_of: Option<String>,
    /// What is held.
    pub estimated: Estimated,
    /// The client's key, if it sent one.
    pub idempotency: Option<Idempotency>,
    /// What the client is answered, kept for repeated requests with the same key.
    pub answer: Value,
}

/// What became of a create.
#[derive(Clone, Debug, PartialEq)]
pub enum Created {
    /// Run, job and hold are written down.
    New,
    /// The same was asked before under the same key: what was answered then.
    Repeated(Value),
    /// Something else was asked before under the same key.
    OtherBody,
    /// The account has fewer credits.
    NoCredits {
        /// What it has.
        available: u64,
    },
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// 0 to 100, never less than before.
    pub percent: u8,
    /// What is being done: a stage of the studio, or `publish`.
    pub stage: String,
    /// Scenes that are done in this stage, in `publish` in the render.
    pub scene_done: u32,
    /// Scenes in all; 0 where not known.
    pub scene_total: u32,
}

/// What a completed run gives; objects are names in the media store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The MP4.
    pub video: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its length in milliseconds.
    pub duration_ms: i64,
    /// A still picture, JPEG.
    pub poster: Option<String>,
    /// The words as SRT.
    pub srt: Option<String>,
    /// The words as WebVTT.
    pub vtt: Option<String>,
    /// The words at their times, JSON.
    pub words: Option<String>,
    /// What its user should know: substitutes, what could not be had.
    pub notes: Vec<String>,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFailure {
    /// What was wrong, for people.
    pub message: String,
    /// The same for programs: a kind of failure of the studio (`refused`, `unavailable` …), `cancelled`, `storage_full`, `too_many_attempts`.
    pub reason: String,
    /// In which stage.
    pub stage: Option<String>,
    /// At which provider.
    pub provider: Option<String>,
    /// The provider's HTTP status.
    pub provider_status: Option<u16>,
    /// Whether the same may succeed later without a change.
    pub retryable: bool,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// As it was asked for; `answer` and `idempotency` are not read back.
    pub asked: NewRun,
    /// Its state.
    pub status: RunStatus,
    /// How often a worker took it up.
    pub attempt: u32,
    /// Whether its owner wants it to stop.
    pub cancel_asked: bool,
    /// How far it is.
    pub progress: Option<Progress>,
    /// Of a completed run.
    pub output: Option<Output>,
    /// Of a failed run.
    pub failure: Option<RunFailure>,
    /// Of a completed run.
    pub credits_used: Option<u64>,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// When a worker first took it up.
    pub started_at: Option<i64>,
    /// When it ended.
    pub finished_at: Option<i64>,
}

/// A run in a worker's hands.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The run.
    pub run: Run,
    /// What every write about it has to name.
    pub lease: Lease,
    /// Attempts so far that count, this one included.
    pub n_counted: u32,
    /// How long ago the first attempt began.
    pub age: Duration,
}

/// The right to write about a run: holds until another attempt begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Which run.
    pub run_id: String,
    /// Which attempt.
    pub attempt: u32,
}

impl Db {
    /// One of an account; `family` where only one of its endpoints may ask.
    ///
    /// # Errors
    /// The database.
    pub async fn run(
        &self,
        account: &str,
        id: &str,
        family: Option<Family>,
    ) -> Result<Option<Run>, DbError> {
        let sql =
            "SELECT * FROM runs WHERE account_id = $1 AND id = $2 AND ($3 = '' OR family = $3)";
        let family = family.map_or("", Family::as_str);
        let row = self.row(sql, args![account, id, family]).await?;
        row.as_ref().map(of_row).transpose()
    }

    /// An account's runs, the newest first; `before` is the `created_at` and id of the last one of the page before.
    ///
    /// # Errors
    /// The database.
    pub async fn runs(
        &self,
        account: &str,
        before: Option<(i64, &str)>,
        limit: u32,
    ) -> Result<Vec<Run>, DbError> {
        let sql = "SELECT * FROM runs
            WHERE account_id = $1 AND (created_at < $2 OR (created_at = $2 AND id < $3))
            ORDER BY created_at DESC, id DESC LIMIT $4";
        let (at, id) = before.unwrap_or((i64::MAX, ""));
        let rows = self.rows(sql, args![account, at, id, limit]).await?;
        rows.iter().map(of_row).collect()
    }
}

pub(super) fn of_row(row: &Row) -> Result<Run, DbError> {
    let (family, status): (String, String) = (row.get("family")?, row.get("status")?);
    let status = RunStatus::from_name(&status)?;
    let mut progress: Option<Progress> = row.opt_json("progress")?;
    // The last sign of life came before the end.
    if let Some(progress) = progress.as_mut().filter(|_| status == RunStatus::Completed) {
        progress.percent = 100;
        progress.scene_done = progress.scene_total;
    }
    let asked = NewRun {
        id: row.get("id")?,
        project_id: row.get("project_id")?,
        account_id: row.get("account_id")?,
        key_id: row.get("key_id")?,
        family: Family::from_name(&family)
            .ok_or_else(|| DbError::Open(format!("a family `{family}`")))?,
        universe: row.get("universe")?,
        title: row.get("title")?,
        is_sandbox: row.flag("is_sandbox")?,
        order: row.json("asked")?,
        warnings: row.json("warnings")?,
        webhook_url: row.get("webhook_url")?,
        metadata: row.opt_json("metadata")?,
        retry_of: row.get("retry_of")?,
        estimated: Estimated {
            duration_ms: row.get("estimated_ms")?,
            credits: row.count("estimated_credits")?,
        },
        idempotency: None,
        answer: Value::Null,
    };
    let credits_used: Option<i64> = row.get("credits_used")?;
    Ok(Run {
        asked,
        status,
        attempt: row.small("attempt")?,
        cancel_asked: row.flag("cancel_asked")?,
        progress,
        output: row.opt_json("output")?,
        failure: row.opt_json("failure")?,
        credits_used: credits_used.map(i64::unsigned_abs),
        created_at: row.get("created_at")?,
        started_at: row.get("started_at")?,
        finished_at: row.get("finished_at")?,
    })
}
