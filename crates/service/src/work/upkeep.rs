//! Periodic upkeep: orphaned runs are requeued, leftovers of attempts deleted, expired data removed. Requeueing waits only for the database, never for a
//! bucket, and neither delays a stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kinora_studio::stages::Store;

use super::lease::lease_for;
use super::publish;
use super::queue::Crew;
use crate::app::webhooks::ATTEMPTS;
use crate::db::DbError;
use crate::ids;
use crate::media::MediaError;

/// Maximum pause between two rounds.
const ROUND: Duration = Duration::from_secs(5);
/// Pause between two cleanups of expired data.
const HOUR: Duration = Duration::from_secs(3600);
/// How long unused results of the studio are kept.
const STEPS_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// Runs handled in one batch.
const BATCH: u32 = 50;
/// Seconds of a day.
const DAY_SECS: u64 = 24 * 3600;

/// Why a round was not finished; the next one continues.
#[derive(Debug, thiserror::Error)]
enum Put {
    #[error("the database: {0}")]
    Db(#[from] DbError),
    #[error("{0}")]
    Media(#[from] MediaError),
}

/// Recovers runs and messages that lost their worker, until the process stops.
pub(super) async fn sweep_on(crew: Arc<Crew>) {
    let round = round(&crew);
    let rounds = async {
        loop {
            tokio::time::sleep(jittered(round)).await;
            told("sweep", sweep(&crew).await);
        }
    };
    let _: Option<()> = crew.stopping.run_until_cancelled(rounds).await;
}

/// Deletes what is no longer needed, until the process stops.
pub(super) async fn keep_up(crew: Arc<Crew>) {
    let round = round(&crew);
    let rounds = async {
        let mut hour_at: Option<Instant> = None;
        loop {
            tokio::time::sleep(jittered(round)).await;
            told("tidy", tidy(&crew).await);
            if hour_at.is_none_or(|at| at.elapsed() >= HOUR) {
                hour_at = Some(Instant::now());
                told("clean", crew.app.db.clean().await.map_err(Put::from));
                told("retention", forget_old(&crew).await);
                told("leftovers", sweep_folders(&crew).await);
                told("steps", remove_steps(&crew).await);
            }
        }
    };
    let _: Option<()> = crew.stopping.run_until_cancelled(rounds).await;
}

/// Returns the maximum pause between two rounds.
fn round(crew: &Crew) -> Duration {
    (lease_for(&crew.app.config.worker) / 4).min(ROUND)
}

/// Returns a random time between half of `wait` and all of it, so that processes do not run in step.
pub(super) fn jittered(wait: Duration) -> Duration {
    let [byte] = ids::random();
    wait.mul_f64(0.5 + f64::from(byte) / 510.0)
}

fn told(what: &str, done: Result<(), Put>) {
    if let Err(error) = done {
        tracing::warn!(%error, what, "upkeep");
    }
}

/// Requeues what lost its worker, and removes what that worker left on this machine.
async fn sweep(crew: &Crew) -> Result<(), Put> {
    let (db, worker) = (&crew.app.db, &crew.app.config.worker);
    db.mend_times(lease_for(worker)).await?;
    let n_messages = db.sweep_deliveries(ATTEMPTS).await?;
    if n_messages > 0 {
        tracing::warn!(n_messages, "requeued messages that had lost their worker");
    }
    let n_found = db.sweep(worker.max_attempts).await?;
    if n_found == 0 {
        return Ok(());
    }
    tracing::warn!(n_found, "requeued runs that had lost their worker");
    sweep_folders(crew).await
}

async fn sweep_folders(crew: &Crew) -> Result<(), Put> {
    // A folder that cannot be removed does not keep the others from being swept.
    if let Err(error) = crew.scratch.sweep() {
        tracing::warn!(%error, "unfinished work could not be removed");
    }
    Ok(crew.app.media.sweep().await?)
}

/// Deletes leftovers of ended runs once none of their attempts can be running, and objects that only these runs needed.
async fn tidy(crew: &Crew) -> Result<(), Put> {
    let (db, media) = (&crew.app.db, &crew.app.media);
    let age = lease_for(&crew.app.config.worker) * 2;
    for ended in db.untidy(age, BATCH).await? {
        let (id, n_attempts) = (&ended.run_id, ended.n_attempts);
        publish::tidy(media, id, n_attempts, ended.output.as_ref()).await?;
        for object in &ended.taken {
            if !db.is_needed(&ended.account_id, object).await? {
                media.delete(object).await?;
            }
        }
        db.tidied(id).await?;
    }
    Ok(())
}

/// Deletes videos after their retention time.
async fn forget_old(crew: &Crew) -> Result<(), Put> {
    let days = u64::from(crew.app.config.worker.retention_days);
    if days == 0 {
        return Ok(());
    }
    let (db, media) = (&crew.app.db, &crew.app.media);
    loop {
        let age = Duration::from_secs(days * DAY_SECS);
        let old = db.old_outputs(age, BATCH).await?;
        for (run_id, output) in &old {
            publish::delete(media, output).await?;
            db.forget_output(run_id).await?;
        }
        if old.is_empty() {
            return Ok(());
        }
    }
}

/// Removes studio results that no run has used lately, here and in the bucket.
async fn remove_steps(crew: &Crew) -> Result<(), Put> {
    let studios = crew.app.studios.clone();
    let removed = tokio::task::spawn_blocking(move || {
        for is_sandbox in [false, true] {
            let Ok(setup) = studios.setup(is_sandbox) else {
                continue;
            };
            let removed = Store::open(setup.work).map(|store| store.remove_unused(STEPS_KEPT));
            if let Ok(Ok(n_removed @ 1..)) = removed {
                tracing::info!(n_removed, "removed unused steps of the studio");
            }
        }
    });
    if let Err(error) = removed.await {
        tracing::error!(%error, "steps of the studio could not be removed");
    }
    if let n_removed @ 1.. = crew.app.media.delete_old_steps(STEPS_KEPT).await? {
        tracing::info!(n_removed, "removed old steps in the bucket");
    }
    Ok(())
}
