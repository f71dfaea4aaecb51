//! Runs: created with their job and their hold, owned by one attempt at a time, ended once.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tx::{Row, args};
use super::{Db, DbError};
use crate::order::Order;

/// The state of a run; it only moves forward in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RunStatus {
    /// Accepted.
    Queued,
    /// A worker has claimed it.
    Executing,
    /// The video is ready.
    Completed,
    /// It could not be made; nothing was charged.
    Failed,
}

impl Family {
    /// Returns the stored name.
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
    /// All states in order.
    pub const ALL: [RunStatus; 4] = [
        RunStatus::Queued,
        RunStatus::Executing,
        RunStatus::Completed,
        RunStatus::Failed,
    ];

    /// Returns the name used in the API and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Queued => "QUEUED",
            RunStatus::Executing => "EXECUTING",
            RunStatus::Completed => "COMPLETED",
            RunStatus::Failed => "FAILED",
        }
    }

    /// Finds the status of a stored name.
    pub(super) fn from_name(name: &str) -> Result<RunStatus, DbError> {
        let mut all = RunStatus::ALL.into_iter();
        all.find(|status| status.as_str() == name)
            .ok_or_else(|| DbError::Open(format!("a status `{name}`")))
    }
}

/// The family of endpoints of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// `/short`.
    Short,
    /// `/universe/…`.
    Universe,
}

/// The estimate for a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated {
    /// The video's estimated length in milliseconds.
    pub duration_ms: i64,
    /// Credits to hold.
    pub credits: u64,
}

/// The client's `Idempotency-Key`.
#[derive(Clone, Debug)]
pub struct Idempotency {
    /// The key, scoped to the account; separate for its sandbox keys.
    pub name: String,
    /// The hash of the route and the body.
    pub body_hash: String,
}

/// A run to be created.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// `run_…`.
    pub id: String,
    /// `proj_…`.
    pub project_id: String,
    /// Its account.
    pub account_id: String,
    /// The API key used, if any.
    pub key_id: Option<String>,
    /// Its family of endpoints.
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
    /// The URL notified of its end, besides the account's webhooks.
    pub webhook_url: Option<String>,
    /// The client's own data, JSON.
    pub metadata: Option<Value>,
    /// The run that this one retries.
    pub retry_of: Option<String>,
    /// The estimate.
    pub estimated: Estimated,
    /// The client's key, if it sent one.
    pub idempotency: Option<Idempotency>,
    /// The answer, kept for repeated requests with the same key.
    pub answer: Value,
}

/// The result of creating a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Created {
    /// Run, job and hold are stored.
    New,
    /// The same request was made before under the same key: its answer.
    Repeated(Value),
    /// A different request was made before under the same key.
    OtherBody,
    /// The account has too few credits.
    NoCredits {
        /// The account's balance.
        available: u64,
    },
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// 0 to 100, never less than before.
    pub percent: u8,
    /// The current step: a stage of the studio, or `publish`.
    pub stage: String,
    /// Finished scenes in this stage; for `publish`, in the render.
    pub scene_done: u32,
    /// Total scenes; 0 if unknown.
    pub scene_total: u32,
}

/// The output of a completed run; objects are names in the media store.
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
    /// The subtitles as SRT.
    pub srt: Option<String>,
    /// The subtitles as WebVTT.
    pub vtt: Option<String>,
    /// The words with their times, JSON.
    pub words: Option<String>,
    /// Notes for the user: substitutes, and what was not available.
    pub notes: Vec<String>,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFailure {
    /// The error message for people.
    pub message: String,
    /// The same for programs: a failure kind of the studio (`refused`, `unavailable` …), `cancelled`, `storage_full`, `too_many_attempts`.
    pub reason: String,
    /// The stage that failed.
    pub stage: Option<String>,
    /// The provider that failed.
    pub provider: Option<String>,
    /// The provider's HTTP status.
    pub provider_status: Option<u16>,
    /// Whether a retry of the same request may succeed.
    pub retryable: bool,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run as requested; `answer` and `idempotency` are not read back.
    pub asked: NewRun,
    /// Its state.
    pub status: RunStatus,
    /// How often a worker has claimed it.
    pub attempt: u32,
    /// Whether its owner cancelled it.
    pub cancel_asked: bool,
    /// Its progress.
    pub progress: Option<Progress>,
    /// Set for completed runs.
    pub output: Option<Output>,
    /// Set for failed runs.
    pub failure: Option<RunFailure>,
    /// Set for completed runs.
    pub credits_used: Option<u64>,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// When a worker first claimed it.
    pub started_at: Option<i64>,
    /// When it ended.
    pub finished_at: Option<i64>,
}

/// A run claimed by a worker.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The run.
    pub run: Run,
    /// The lease that every write about it must name.
    pub lease: Lease,
    /// Attempts so far that count, including this one.
    pub n_counted: u32,
    /// The time since the first attempt began.
    pub age: Duration,
}

/// The right to write about a run: valid until another attempt begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The run's id.
    pub run_id: String,
    /// The attempt's number.
    pub attempt: u32,
}

impl Db {
    /// Returns one run of an account; with `family`, only if the run belongs to it.
    ///
    /// # Errors
    /// A database error.
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

    /// Returns an account's runs, newest first; `before` is the `created_at` and id of the previous page's last run.
    ///
    /// # Errors
    /// A database error.
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
    // The last heartbeat came before the end.
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
