//! The jobs of the queue. A job only says that there is something to do: whether it still is, and whose it is, stands in our own rows.

use riverqueue::{InsertOpts, JobArgs};
use serde::{Deserialize, Serialize};

/// The queue of runs.
pub const RUNS: &str = "runs";
/// The queue of deliveries.
pub const DELIVERIES: &str = "deliveries";
/// The queue's own limit of attempts is never met before ours.
const MAX_ATTEMPTS: i32 = 1000;

/// Make a run's video: [`super::Db::claim`] says whether it is still to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunJob {
    /// Which run.
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

/// Send a message to a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryJob {
    /// Which delivery.
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
