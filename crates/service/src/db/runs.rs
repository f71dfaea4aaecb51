//! Runs: made together with their job and their hold, owned by one attempt at a time, ended once.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// The key; an account's own.
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
    /// Scenes that are done in this stage.
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
    /// Writes down a run, its job in the queue and its hold: all three or none.
    pub async fn create_run(&self, run: &NewRun) -> Result<Created, DbError> {
        later()
    }
    /// One of an account; `family` where only one of its endpoints may ask.
    pub async fn run(
        &self,
        account: &str,
        id: &str,
        family: Option<Family>,
    ) -> Result<Option<Run>, DbError> {
        later()
    }
    /// An account's runs, the newest first; `before` is the `created_at` and id of the last one of the page before.
    pub async fn runs(
        &self,
        account: &str,
        before: Option<(i64, &str)>,
        limit: u32,
    ) -> Result<Vec<Run>, DbError> {
        later()
    }
    /// Asks the run's worker to stop, or ends it at once where none has it (FAILED, reason `cancelled`, hold released). `None`: no such run;
    /// `Some(false)`: it had ended.
    pub async fn cancel_run(&self, account: &str, id: &str) -> Result<Option<bool>, DbError> {
        later()
    }

    /// Takes up a run for `lease_for`: the next attempt. `None` when it has ended, another attempt's lease holds, or this was the last attempt
    /// that it may have (`max_attempts`), which fails it (`too_many_attempts`, hold released).
    pub async fn claim(
        &self,
        run_id: &str,
        owner: &str,
        lease_for: Duration,
        max_attempts: u32,
    ) -> Result<Option<Claim>, DbError> {
        later()
    }
    /// Keeps the lease for another `lease_for`, and writes down progress. `None` when another attempt has begun or the run has ended: stop at once;
    /// else whether its owner wants it to stop.
    pub async fn heartbeat(
        &self,
        lease: &Lease,
        lease_for: Duration,
        progress: Option<&Progress>,
    ) -> Result<Option<bool>, DbError> {
        later()
    }
    /// COMPLETED: captures `credits_used` of the hold, gives the rest back, makes deliveries and their jobs. `false`: not ours any more, nothing changed.
    pub async fn complete(
        &self,
        lease: &Lease,
        output: &Output,
        credits_used: u64,
    ) -> Result<bool, DbError> {
        later()
    }
    /// FAILED: releases the hold, makes deliveries and their jobs. `false` as for `complete`.
    pub async fn fail(&self, lease: &Lease, failure: &RunFailure) -> Result<bool, DbError> {
        later()
    }
    /// Gives a run back unfinished: its lease ends now and a new job is queued, to be taken up after `delay`. Where `is_free`, the attempt does not
    /// count (a worker that was asked to stop). `false` as for `complete`.
    pub async fn hand_back(
        &self,
        lease: &Lease,
        delay: Duration,
        is_free: bool,
    ) -> Result<bool, DbError> {
        later()
    }
    /// Queues anew what lost its worker (its lease has ended), or fails it after `max_attempts`; how many were found.
    pub async fn sweep(&self, max_attempts: u32) -> Result<usize, DbError> {
        later()
    }
    /// How many runs there are by state, and how old the oldest queued one is, in milliseconds.
    pub async fn queue_depth(&self) -> Result<(Vec<(RunStatus, u64)>, i64), DbError> {
        later()
    }
    /// Forgets idempotency keys after 24 h, ended sessions, deliveries after 30 days.
    pub async fn clean(&self) -> Result<(), DbError> {
        later()
    }
    /// The output objects of runs that ended more than `age` ago, to be deleted by retention; their output is forgotten when `forget_output` is told.
    pub async fn old_outputs(
        &self,
        age: Duration,
        limit: u32,
    ) -> Result<Vec<(String, Output)>, DbError> {
        later()
    }
    /// After its objects were deleted: the run's output says so no more.
    pub async fn forget_output(&self, run_id: &str) -> Result<(), DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
