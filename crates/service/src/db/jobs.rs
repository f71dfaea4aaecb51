//! The jobs of the queue. A job only signals that there may be work: our own rows say whether it is still open and who owns it.

use riverqueue::{InsertOpts, JobArgs};
use serde::{Deserialize, Serialize};

/// The queue of runs.
pub const RUNS: &str = "runs";
/// The queue of deliveries.
pub const DELIVERIES: &str = "deliveries";
/// So high that our own limit of attempts always applies first.
const MAX_ATTEMPTS: i32 = 1000;

/// The job to make a run's video: [`super::Db::claim`] decides whether it is still needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunJob {
    /// The run's id.
    pub run_id: String,
}

impl JobArgs for RunJob {
    const KIND: &'static str = "run";

    fn default_insert_opts() -> InsertOpts {
        InsertOpts::default()
            .with_queue(RUNS)
            .with_max_attempts(MAX_ATTEMPTS)
    }
}

/// The job to send a message to a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryJob {
    /// The delivery's id.
    pub delivery_id: String,
}

impl JobArgs for DeliveryJob {
    const KIND: &'static str = "delivery";

    fn default_insert_opts() -> InsertOpts {
        InsertOpts::default()
            .with_queue(DELIVERIES)
            .with_max_attempts(MAX_ATTEMPTS)
    }
}
