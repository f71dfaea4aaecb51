//! The queue's working clients: they take jobs until the process stops, and are restarted if they end by themselves.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use kinora_studio::failure::Failure;
use riverqueue::{
    BoxError, Job, MaintenanceConfig, QueueConfig, RunHandle, WorkContext, WorkOutcome, Worker,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::deliver::Sender;
use super::{attempt, upkeep};
use crate::db::DbError;
use crate::db::jobs::{DELIVERIES, DeliveryJob, RUNS, RunJob};
use crate::ids;
use crate::scratch::Scratch;
use crate::state::App;

/// Poll interval for jobs without a notification.
const POLL: Duration = Duration::from_millis(500);
/// Poll interval for jobs scheduled for later.
const SCHEDULE: Duration = Duration::from_secs(1);
/// Messages sent concurrently.
const N_DELIVERIES: usize = 8;
/// Delay of a job that came while the process was stopping or the database was unavailable.
const AGAIN: Duration = Duration::from_secs(2);

/// Why workers cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The folder for unfinished work cannot be created.
    #[error("the folder of unfinished work: {0}")]
    Folder(#[from] io::Error),
    /// The queue refuses.
    #[error("the queue: {0}")]
    Queue(#[from] riverqueue::Error),
    /// The client for messages cannot be created.
    #[error("{0}")]
    Sender(#[from] reqwest::Error),
    /// A studio cannot be opened as configured.
    #[error("{0}")]
    Studio(#[from] Failure),
}

/// The state shared by all jobs of this process.
pub(super) struct Crew {
    pub app: App,
    /// This process's name in the rows of its runs.
    pub owner: String,
    pub scratch: Scratch,
    pub sender: Sender,
    pub stopping: CancellationToken,
    /// Running attempts. They outlive a queue client that ends because the database is unavailable.
    pub attempts: TaskTracker,
}

/// Running workers.
#[derive(Debug)]
pub struct Workers {
    stopping: CancellationToken,
    tasks: [(&'static str, JoinHandle<()>); 3],
}

impl Workers {
    /// Starts working on `n_runs` runs at a time. The workers also stop when the app stops.
    ///
    /// # Errors
    /// The folder, the queue or a provider cannot be used as configured.
    pub async fn start(app: App, n_runs: usize) -> Result<Workers, StartError> {
        let studios = app.studios.clone();
        let folder = app.config.data.join("work");
        let opened = tokio::task::spawn_blocking(move || {
            // A missing key is better reported now than by every run.
            studios.studio(false)?;
            Ok::<_, StartError>(Scratch::open(&folder)?)
        });
        let scratch = opened.await.map_err(io::Error::other)??;
        let stopping = app.stopping.child_token();
        let crew = Arc::new(Crew {
            owner: format!("{}@{}", std::process::id(), ids::prefixed("")),
            scratch,
            sender: Sender::new(&app.config)?,
            stopping: stopping.clone(),
            attempts: TaskTracker::new(),
            app,
        });
        let first = start(&crew, n_runs)?;
        Ok(Workers {
            stopping,
            tasks: [
                (
                    "queue",
                    tokio::spawn(supervise(Arc::clone(&crew), n_runs, first)),
                ),
                ("sweep", tokio::spawn(upkeep::sweep_on(Arc::clone(&crew)))),
                ("upkeep", tokio::spawn(upkeep::keep_up(crew))),
            ],
        })
    }

    /// Takes no new jobs, stops running ones and hands them back; returns when that is done, within `worker.stop_secs`.
    pub async fn stop(self) {
        self.stopping.cancel();
        for (name, task) in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, name, "a task of the workers ended early");
            }
        }
    }
}

fn start(crew: &Arc<Crew>, n_runs: usize) -> Result<RunHandle, riverqueue::Error> {
    let mut workers = riverqueue::Workers::new();
    workers.add::<RunJob, _>(Runs(Arc::clone(crew)))?;
    workers.add::<DeliveryJob, _>(Deliveries(Arc::clone(crew)))?;
    let queue = |n| QueueConfig::new(n).with_fetch_poll_interval(POLL);
    let client = crew
        .app
        .db
        .queue_builder()
        .workers(workers)
        .queue(RUNS, queue(n_runs.max(1)))
        .queue(DELIVERIES, queue(N_DELIVERIES))
        .maintenance(MaintenanceConfig::default().with_scheduler_interval(SCHEDULE))
        // Runs have their own deadline and messages a time limit; jobs whose process is lost are found by sweeps of our own rows.
        .without_job_timeout()
        .build()?;
    client.start()
}

/// Keeps the queue's client running until the process stops.
async fn supervise(crew: Arc<Crew>, n_runs: usize, first: RunHandle) {
    let mut client = Some(first);
    while !crew.stopping.is_cancelled() {
        if let Some(running) = &mut client {
            tokio::select! {
                ended = running.wait() => {
                    tracing::error!(?ended, "the queue's client ended; restarting it");
                    client = None;
                }
                () = crew.stopping.cancelled() => break,
            }
        }
        tokio::select! {
            () = tokio::time::sleep(AGAIN) => {}
            () = crew.stopping.cancelled() => break,
        }
        match start(&crew, n_runs) {
            Ok(started) => client = Some(started),
            Err(error) => tracing::error!(%error, "the queue's client cannot start"),
        }
    }
    let limit = Duration::from_secs(crew.app.config.worker.stop_secs);
    let stopped = tokio::time::timeout(limit, async {
        if let Some(mut running) = client
            && let Err(error) = running.stop().await
        {
            tracing::error!(%error, "the queue's client ended");
        }
        crew.attempts.close();
        crew.attempts.wait().await;
    });
    if stopped.await.is_err() {
        tracing::error!("jobs did not stop in time; their leases will expire");
    }
}

struct Runs(Arc<Crew>);

impl Worker<RunJob> for Runs {
    type Error = BoxError;

    async fn work(&self, _: WorkContext, job: Job<RunJob>) -> Result<WorkOutcome, BoxError> {
        if self.0.stopping.is_cancelled() {
            return Ok(WorkOutcome::Snooze(AGAIN));
        }
        let attempt = attempt::take_up(Arc::clone(&self.0), job.args.run_id);
        or_again(self.0.attempts.spawn(attempt).await?)
    }
}

struct Deliveries(Arc<Crew>);

impl Worker<DeliveryJob> for Deliveries {
    type Error = BoxError;

    async fn work(&self, _: WorkContext, job: Job<DeliveryJob>) -> Result<WorkOutcome, BoxError> {
        if self.0.stopping.is_cancelled() {
            return Ok(WorkOutcome::Snooze(AGAIN));
        }
        let crew = &self.0;
        or_again(crew.sender.deliver(&crew.app, &job.args.delivery_id).await)
    }
}

/// Snoozes the job if the database is unavailable, which is not a failure of the job.
fn or_again(done: Result<WorkOutcome, DbError>) -> Result<WorkOutcome, BoxError> {
    match done {
        Err(error) if error.is_unavailable() => {
            tracing::warn!(%error, "the database is not reachable");
            Ok(WorkOutcome::Snooze(AGAIN))
        }
        done => Ok(done?),
    }
}
