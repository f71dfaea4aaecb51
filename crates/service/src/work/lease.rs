//! The lease of an attempt: kept alive beside the work, which hears through it when it has to stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kinora::units::within;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::progress::Shown;
use crate::config::Worker;
use crate::db::{Db, Lease};

/// How often progress is written down at most.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// No configured length is longer: a year.
const LONGEST_SECS: f64 = 365.0 * 86_400.0;

/// Keeps a lease until it is dropped.
#[derive(Debug)]
pub(super) struct Keeper {
    /// Cancelled when the run is another's, or the lease has run out unheard.
    pub lost: CancellationToken,
    /// Cancelled when the run's owner wants it to stop.
    pub unwanted: CancellationToken,
    _task: AbortOnDropHandle<()>,
}

/// A lease and what it is kept with.
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

/// How long a lease holds.
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
            // From before the question: when the answer comes, some of the time has passed.
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
