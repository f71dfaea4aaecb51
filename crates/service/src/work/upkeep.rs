//! What is done again and again beside the runs: those that lost their worker are queued anew, what attempts left is deleted, old things are forgotten.
//! The first waits for the database only, never for a bucket, and neither holds up a stop.

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

/// Between two rounds at most.
const ROUND: Duration = Duration::from_secs(5);
/// Between two times that old things are looked for.
const HOUR: Duration = Duration::from_secs(3600);
/// How long results of the studio are kept that nobody asks for.
const STEPS_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// Runs that are looked at in one go.
const BATCH: u32 = 50;
/// Seconds of a day.
const DAY_SECS: u64 = 24 * 3600;

/// Why a round was not finished; the next goes on.
#[derive(Debug, thiserror::Error)]
enum Put {
    #[error("the database: {0}")]
    Db(#[from] DbError),
    #[error("{0}")]
    Media(#[from] MediaError),
}

/// Finds runs and messages that lost their worker, until the process is to stop.
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

/// Deletes what is not needed any more, until the process is to stop.
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

/// Between two rounds at most.
fn round(crew: &Crew) -> Duration {
    (lease_for(&crew.app.config.worker) / 4).min(ROUND)
}

/// Between half of it and all of it, so that processes do not keep step.
pub(super) fn jittered(wait: Duration) -> Duration {
    let [byte] = ids::random();
    wait.mul_f64(0.5 + f64::from(byte) / 510.0)
}

fn told(what: &str, done: Result<(), Put>) {
    if let Err(error) = done {
        tracing::warn!(%error, what, "upkeep");
    }
}

/// Queues anew what lost its worker, and removes what that worker left on this machine.
async fn sweep(crew: &Crew) -> Result<(), Put> {
    let (db, worker) = (&crew.app.db, &crew.app.config.worker);
    db.mend_times(lease_for(worker)).await?;
    let n_messages = db.sweep_deliveries(ATTEMPTS).await?;
    if n_messages > 0 {
        tracing::warn!(n_messages, "messages had lost their worker");
    }
    let n_found = db.sweep(worker.max_attempts).await?;
    if n_found == 0 {
        return Ok(());
    }
    tracing::warn!(n_found, "runs had lost their worker");
    sweep_folders(crew).await
}

async fn sweep_folders(crew: &Crew) -> Result<(), Put> {
    // A folder that cannot be removed is no reason not to look at the others.
    if let Err(error) = crew.scratch.sweep() {
        tracing::warn!(%error, "unfinished work stays");
    }
    Ok(crew.app.media.sweep().await?)
}

/// Deletes what attempts of ended runs left, once none of them can be at work any more, and what only these runs still needed.
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

/// Deletes videos that were kept long enough.
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

/// Removes results of the studios that no run asked for lately, here and in the bucket.
async fn remove_steps(crew: &Crew) -> Result<(), Put> {
    let studios = crew.app.studios.clone();
    let removed = tokio::task::spawn_blocking(move || {
        for is_sandbox in [false, true] {
            let Ok(setup) = studios.setup(is_sandbox) else {
                continue;
            };
            let removed = Store::open(setup.work).map(|store| store.remove_unused(STEPS_KEPT));
            if let Ok(Ok(n_removed @ 1..)) = removed {
                tracing::info!(n_removed, "unused steps of the studio");
            }
        }
    });
    if let Err(error) = removed.await {
        tracing::error!(%error, "steps of the studio");
    }
    if let n_removed @ 1.. = crew.app.media.delete_old_steps(STEPS_KEPT).await? {
        tracing::info!(n_removed, "old steps in the bucket");
    }
    Ok(())
}
