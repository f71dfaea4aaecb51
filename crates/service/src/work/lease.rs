//! The lease of an attempt: renewed while the work runs, and the way the work learns that it must stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kinora::units::within;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::progress::Shown;
use crate::config::Worker;
use crate::db::{Db, Lease};

/// Minimum time between two writes of progress.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The maximum of all configured durations: a year.
const LONGEST_SECS: f64 = 365.0 * 86_400.0;

/// Renews a lease until dropped.
#[derive(Debug)]
pub(super) struct Keeper {
    /// Cancelled when another attempt has the run, or the lease has expired without an answer.
    pub lost: CancellationToken,
    /// Cancelled when the run's owner cancels it.
    pub unwanted: CancellationToken,
    _task: AbortOnDropHandle<()>,
}

/// A lease and the means to renew it.
struct Kept {
    db: Db,
    lease: Lease,
    lease_for: Duration,
    every: Duration,
    shown: Arc<Shown>,
}

impl Keeper {
    pub fn start(db: &Db, lease: &Lease, worker: &Worker, shown: Arc<Shown>) -> Keeper {
        let kept = Kept {
            db: db.clone(),
            lease: lease.clone(),
            lease_for: lease_for(worker),
            every: Duration::from_secs_f64(within(worker.heartbeat_secs, 0.01, LONGEST_SECS)),
            shown,
        };
        let (lost, unwanted) = (CancellationToken::new(), CancellationToken::new());
        let signals = (lost.clone(), unwanted.clone());
        let task = tokio::spawn(async move {
            kept.keep(&signals.1).await;
            signals.0.cancel();
        });
        Keeper {
            lost,
            unwanted,
            _task: AbortOnDropHandle::new(task),
        }
    }
}

/// Returns the duration of a lease.
pub(super) fn lease_for(worker: &Worker) -> Duration {
    Duration::from_secs_f64(within(worker.lease_secs, 0.1, LONGEST_SECS))
}

impl Kept {
    /// Returns when the lease is lost.
    async fn keep(&self, unwanted: &CancellationToken) {
        let mut kept_at = Instant::now();
        let mut written = None;
        loop {
            tokio::time::sleep(self.every.min(LOOK_EVERY)).await;
            let progress = self.shown.now();
            let news = (written.as_ref() != Some(&progress)).then_some(&progress);
            if news.is_none() && kept_at.elapsed() < self.every {
                continue;
            }
            // Measured before the call, since some of the lease has passed when the answer comes.
            let asked_at = Instant::now();
            match self.db.heartbeat(&self.lease, self.lease_for, news).await {
                Ok(None) => return,
                Ok(Some(is_unwanted)) => {
                    kept_at = asked_at;
                    written = Some(progress);
                    if is_unwanted {
                        unwanted.cancel();
                    }
                }
                Err(error) => {
                    tracing::warn!(run = self.lease.run_id, %error, "no heartbeat");
                    if kept_at.elapsed() >= self.lease_for {
                        return;
                    }
                }
            }
        }
    }
}
