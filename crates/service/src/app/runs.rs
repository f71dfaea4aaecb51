//! Runs: status in both interfaces' formats, lists, cancelling, retrying.

use serde::Serialize;
use serde_json::Value;

use crate::db::{Account, Family, Output, Progress, Run, RunFailure, RunStatus};
use crate::error::{Answer, ApiError};
use crate::ids::is_id;
use crate::state::App;

/// Runs per page of a list.
pub(crate) const PAGE: u32 = 50;

/// Returns a run of an account.
///
/// # Errors
/// 404 for an unknown run, another account's, or one of the other interface; `name` is the id's name in `details`.
pub async fn find(
    app: &App,
    account: &Account,
    id: &str,
    family: Option<Family>,
    name: &str,
) -> Answer<Run> {
    let run = match is_id(id) {
        true => app.db.run(&account.id, id, family).await?,
        false => None,
    };
    run.ok_or_else(|| ApiError::not_found("run", name, id))
}

/// The output of a completed run. `url` and `size` are the interface's, and for universes `projectId`.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VideoOutput {
    /// The MP4; needs no key.
    url: String,
    /// Its size in bytes.
    size: u64,
    /// Only for universes.
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<String>,
    /// Its length in seconds.
    duration: f64,
    /// A still picture, JPEG.
    poster: Option<String>,
    /// The subtitles of the video.
    subtitles: Subtitles,
    /// The words with their times, JSON.
    words: Option<String>,
    /// Notes: substitutes, and what was not available.
    notes: Vec<String>,
}

/// The subtitles of a video.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Subtitles {
    /// SubRip.
    srt: Option<String>,
    /// WebVTT.
    vtt: Option<String>,
}

/// Why a run failed.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RunError {
    /// A message for people.
    message: String,
    /// Details for programs.
    details: FailureDetails,
}

/// Details of a failure for programs; `reason` is part of the interface.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureDetails {
    /// The reason: `refused`, `unavailable`, `cancelled`, `storage_full`, `too_many_attempts` and others.
    reason: String,
    /// The stage that failed.
    stage: Option<String>,
    /// The provider that failed.
    provider: Option<String>,
    /// The provider's HTTP status.
    provider_status: Option<u16>,
    /// Whether a retry of the same request may succeed.
    retryable: bool,
}

impl From<RunFailure> for RunError {
    fn from(failure: RunFailure) -> RunError {
        RunError {
            message: failure.message,
            details: FailureDetails {
                reason: failure.reason,
                stage: failure.stage,
                provider: failure.provider,
                provider_status: failure.provider_status,
                retryable: failure.retryable,
            },
        }
    }
}

/// The state of a run: the fields of both interfaces, then ours.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    /// Its state.
    #[schemars(schema_with = "super::schemas::status")]
    status: RunStatus,
    /// Whether it has ended.
    is_completed: bool,
    /// Whether the video is ready.
    is_success: bool,
    /// Its output, once ready.
    output: Option<VideoOutput>,
    /// Why it failed, if it did.
    error: Option<RunError>,
    /// Its project.
    project_id: String,
    /// Credits charged for a completed run.
    #[serde(skip_serializing_if = "Option::is_none")]
    credits_used: Option<u64>,
    /// Its progress.
    progress: Option<Progress>,
    /// The client's `metadata`.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
    /// Whether the video was deleted after its retention time.
    is_expired: bool,
}

impl RunState {
    /// Builds the current state of a run.
    pub fn of(app: &App, run: &Run) -> RunState {
        let is_success = run.status == RunStatus::Completed;
        let output = run.output.clone();
        RunState {
            status: run.status,
            is_completed: run.status >= RunStatus::Completed,
            is_success,
            is_expired: is_success && output.is_none(),
            output: output.map(|output| shown(app, run, output)),
            error: run.failure.clone().map(RunError::from),
            project_id: run.asked.project_id.clone(),
            credits_used: run.credits_used.filter(|_| is_success),
            progress: run.progress.clone(),
            metadata: run.asked.metadata.clone(),
        }
    }

    /// Whether the state is final.
    pub fn is_over(&self) -> bool {
        self.is_completed
    }
}

fn shown(app: &App, run: &Run, output: Output) -> VideoOutput {
    let url = |object: Option<String>| object.map(|object| app.media.url(&object));
    VideoOutput {
        url: app.media.url(&output.video),
        size: output.size,
        project_id: (run.asked.family == Family::Universe).then(|| run.asked.project_id.clone()),
        duration: output.duration_ms as f64 / 1e3,
        poster: url(output.poster),
        subtitles: Subtitles {
            srt: url(output.srt),
            vtt: url(output.vtt),
        },
        words: url(output.words),
        notes: output.notes,
    }
}

/// A run in a list, of either interface.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// `run_…`.
    id: String,
    /// The interface that created it.
    #[schemars(schema_with = "super::schemas::family")]
    family: Family,
    /// Its universe's slug.
    universe: Option<String>,
    /// The beginning of its prompt or script.
    title: String,
    /// Whether it was created with a sandbox key.
    is_sandbox: bool,
    /// The run that it retries.
    retry_of: Option<String>,
    /// The estimated length of the video in seconds.
    estimated_duration: f64,
    /// Credits held for it.
    estimated_credits: u64,
    /// Milliseconds since 1970.
    created_at: i64,
    /// When a worker first claimed it.
    started_at: Option<i64>,
    /// When it ended.
    finished_at: Option<i64>,
    /// Its state.
    #[serde(flatten)]
    state: RunState,
}

impl RunRecord {
    /// Builds the current record of a run.
    pub fn of(app: &App, run: &Run) -> RunRecord {
        let asked = &run.asked;
        RunRecord {
            id: asked.id.clone(),
            family: asked.family,
            universe: asked.universe.clone(),
            title: asked.title.clone(),
            is_sandbox: asked.is_sandbox,
            retry_of: asked.retry_of.clone(),
            estimated_duration: asked.estimated.duration_ms as f64 / 1e3,
            estimated_credits: asked.estimated.credits,
            created_at: run.created_at,
            started_at: run.started_at,
            finished_at: run.finished_at,
            state: RunState::of(app, run),
        }
    }
}

/// A page of runs.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct RunPage {
    /// The runs, newest first.
    pub(crate) runs: Vec<RunRecord>,
    /// The value of `before` for the next page; `null` on the last.
    pub(crate) next: Option<String>,
}

/// Parses `MILLISECONDS-ID`, the last run of the previous page.
pub(crate) fn cursor(text: &str) -> Answer<(i64, String)> {
    let parts = text.split_once('-');
    parts
        .and_then(|(at, id)| Some((at.parse().ok()?, id.to_owned())))
        .filter(|(_, id): &(i64, String)| is_id(id))
        .ok_or_else(|| ApiError::invalid("before", "is not the `next` of a page"))
}

/// Asks a run to stop; returns its state after that.
///
/// # Errors
/// 404; 409 if it has ended.
pub async fn stop(app: &App, account: &Account, id: &str) -> Answer<Run> {
    let stopped = match is_id(id) {
        true => app.db.cancel_run(&account.id, id).await?,
        false => None,
    };
    match stopped {
        None => Err(ApiError::not_found("run", "id", id)),
        Some(true) => find(app, account, id, None, "id").await,
        Some(false) => Err(ApiError::conflict("id", "the run has already ended")),
    }
}
