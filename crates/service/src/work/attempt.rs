//! One attempt at a run: claimed, made, published, ended; or stopped early and handed back.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kinora::{CancelToken, Render};
use kinora_studio::stages::crash_point;
use riverqueue::WorkOutcome;
use tokio_util::sync::CancellationToken;

use super::lease::{Keeper, lease_for};
use super::make::{Made, Task};
use super::progress::{PUBLISH, Shown};
use super::publish;
use super::queue::Crew;
use super::trouble::Trouble;
use super::{brief, upkeep};
use crate::config::Config;
use crate::db::{Claim, DbError, Output, RunStatus};
use crate::observe;

/// How long work may take to stop after it was asked to; after that it is detached.
const GRACE: Duration = Duration::from_secs(10);
/// Pause between two attempts to write an end.
const INSIST_EVERY: Duration = Duration::from_millis(300);
/// How often a write may fail for a reason other than an unavailable database.
const REFUSALS: u32 = 20;
/// The wait before the second attempt; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_secs(5);

/// How an attempt went.
enum End {
    /// The video is published; also its credits.
    Made(Output, u64),
    /// It could not be made.
    Failed(Trouble),
    /// Another attempt owns the run.
    Lost,
    /// This process is stopping.
    Stopped,
}

/// Makes a run, if it can be claimed.
pub(super) async fn take_up(crew: Arc<Crew>, run_id: String) -> Result<WorkOutcome, DbError> {
    let (crew, run_id) = (&*crew, run_id.as_str());
    let worker = &crew.app.config.worker;
    let db = &crew.app.db;
    let claim = db.claim(run_id, &crew.owner, lease_for(worker), worker.max_attempts);
    let Some(claim) = claim.await? else {
        return Ok(WorkOutcome::Complete);
    };
    crash_point();
    tracing::info!(run = run_id, attempt = claim.lease.attempt, "started");
    let shown = Arc::new(Shown::new());
    let keeper = Keeper::start(db, &claim.lease, worker, Arc::clone(&shown));
    let attempt = Attempt {
        crew,
        claim,
        shown,
        cancel: CancelToken::default(),
    };
    let end = attempt.run(&keeper).await;
    attempt.shown.end();
    if let Err(error) = attempt.write_down(end, &keeper.lost).await {
        // The lease expires, and a sweep finds the run.
        tracing::error!(run = run_id, %error, "an attempt's end could not be saved");
    }
    Ok(WorkOutcome::Complete)
}

struct Attempt<'a> {
    crew: &'a Crew,
    claim: Claim,
    shown: Arc<Shown>,
    cancel: CancelToken,
}

impl Attempt<'_> {
    fn config(&self) -> &Config {
        &self.crew.app.config
    }

    /// Works until the video is published or the attempt must stop.
    async fn run(&self, keeper: &Keeper) -> End {
        let secs = self.config().worker.run_secs;
        let left = Duration::from_secs(secs).saturating_sub(self.claim.age);
        let mut work = std::pin::pin!(self.work());
        let why = tokio::select! {
            done = &mut work => return done.map_or_else(End::Failed, |(output, credits)| End::Made(output, credits)),
            () = keeper.lost.cancelled() => End::Lost,
            () = keeper.unwanted.cancelled() => End::Failed(Trouble::cancelled()),
            () = self.crew.stopping.cancelled() => End::Stopped,
            () = tokio::time::sleep(left) => End::Failed(Trouble::late(secs)),
        };
        self.cancel.cancel();
        if tokio::time::timeout(GRACE, work).await.is_err() {
            tracing::warn!(
                run = self.claim.lease.run_id,
                "cancelled work is still running"
            );
        }
        why
    }

    async fn work(&self) -> Result<(Output, u64), Trouble> {
        let folder = tempfile::tempdir_in(self.crew.scratch.path())?;
        let made = self.make(folder.path()).await?;
        let app = &self.crew.app;
        if self.cancel.is_cancelled() {
            return Err(Trouble::cancelled());
        }
        self.shown.publish(0.0);
        let published = publish::publish(&app.media, &self.claim.lease, (folder.path(), &made));
        let output = published.await.map_err(|e| Trouble::from(e).at(PUBLISH))?;
        self.shown.publish(1.0);
        let asked = &self.claim.run.asked;
        let credits = brief::credits(&asked.order, &made, &app.config.credits);
        Ok((output, credits.min(asked.estimated.credits)))
    }

    async fn make(&self, folder: &Path) -> Result<Made, Trouble> {
        let (app, asked) = (&self.crew.app, &self.claim.run.asked);
        let video = &app.config.video;
        let brief = brief::brief(&asked.order, &app.media, video, folder)
            .await
            .map_err(|trouble| trouble.without(folder))?;
        let task = Task {
            run_id: self.claim.lease.run_id.clone(),
            studios: app.studios.clone(),
            is_sandbox: asked.is_sandbox,
            brief,
            render: Render {
                quality: brief::quality(&asked.order),
                threads: app.config.worker.threads,
                ..Render::default()
            },
            scale_down: video.scale_down,
            folder: folder.to_owned(),
            cancel: self.cancel.clone(),
            shown: Arc::clone(&self.shown),
        };
        match tokio::task::spawn_blocking(move || task.make()).await {
            Ok(made) => made,
            Err(error) => {
                tracing::error!(%error, "the work panicked");
                let stage = self.shown.now().stage;
                Err(Trouble::internal().at(stage))
            }
        }
    }

    /// Writes how the attempt went, as long as the run is ours.
    async fn write_down(&self, end: End, lost: &CancellationToken) -> Result<(), DbError> {
        let (db, media, lease) = (&self.crew.app.db, &self.crew.app.media, &self.claim.lease);
        match end {
            End::Made(output, credits) => {
                crash_point();
                let is_ours = insist(lost, || db.complete(lease, &output, credits)).await?;
                crash_point();
                // If a commit was done but not acknowledged, the retry finds a run that has already ended.
                let is_done =
                    is_ours || insist(lost, || db.is_completed_with(lease, &output)).await?;
                match is_done {
                    true => {
                        tracing::info!(run = lease.run_id, credits, "completed");
                        observe::ended(RunStatus::Completed, "", "");
                    }
                    false => publish::withdraw(media, lease).await,
                }
            }
            End::Failed(trouble) => {
                publish::withdraw(media, lease).await;
                self.fail(trouble, lost).await?;
            }
            End::Lost => {
                tracing::warn!(
                    run = lease.run_id,
                    attempt = lease.attempt,
                    "lost to another worker"
                );
                publish::withdraw(media, lease).await;
            }
            End::Stopped => {
                publish::withdraw(media, lease).await;
                insist(lost, || db.hand_back(lease, Duration::ZERO, true)).await?;
                tracing::info!(run = lease.run_id, "returned to the queue");
            }
        }
        Ok(())
    }

    async fn fail(&self, trouble: Trouble, lost: &CancellationToken) -> Result<(), DbError> {
        let (db, lease) = (&self.crew.app.db, &self.claim.lease);
        let Trouble { failure, passes } = trouble;
        tracing::warn!(
            run = lease.run_id,
            attempt = lease.attempt,
            ?failure,
            "failed"
        );
        if passes && self.claim.n_counted < self.config().worker.max_attempts {
            let doublings = self.claim.n_counted.saturating_sub(1).min(6);
            let wait = upkeep::jittered(FIRST_WAIT * (1 << doublings));
            insist(lost, || db.hand_back(lease, wait, false)).await?;
        } else if insist(lost, || db.fail(lease, &failure)).await? {
            let stage = failure.stage.as_deref().unwrap_or_default();
            observe::ended(RunStatus::Failed, &failure.reason, stage);
        }
        crash_point();
        Ok(())
    }
}

/// Retries a write until the database takes it or another attempt has the run. Gives up after repeated refusals, unless the database is unavailable.
async fn insist<T, F: Future<Output = Result<T, DbError>>>(
    lost: &CancellationToken,
    write: impl Fn() -> F,
) -> Result<T, DbError> {
    let mut n_refused = 0;
    loop {
        match write().await {
            Err(error) if !lost.is_cancelled() && n_refused < REFUSALS => {
                n_refused += u32::from(!error.is_unavailable());
                tracing::warn!(%error, "trying again");
                tokio::time::sleep(INSIST_EVERY).await;
            }
            done => return done,
        }
    }
}
