//! The database: accounts, keys, credits, runs, universes, characters, uploads, webhooks, request rates.
//!
//! Takes and returns values; a method is one transaction unless it says otherwise. It knows nothing of HTTP.
//!
//! SQLite (WAL, `synchronous` FULL) or PostgreSQL, with the same SQL. Anything that a client names by id is looked up together with its account in one query.
//! All times come from the database's clock.

mod accounts;
mod attempts;
mod characters;
mod create;
mod credits;
mod endings;
mod error;
pub mod jobs;
mod keys;
mod migrate;
mod pool;
mod rates;
mod runs;
mod settings;
mod tx;
mod universes;
mod untidy;
mod upkeep;
mod uploads;
mod webhooks;

pub use accounts::{Account, Plan, Session};
pub use characters::{Character, NewCharacter};
pub use credits::Entry;
pub use error::DbError;
pub use keys::{ApiKey, Caller};
pub use pool::{Db, DbOptions};
pub use rates::Admission;
pub use runs::{
    Claim, Created, Estimated, Family, Idempotency, Lease, NewRun, Output, Progress, Run,
    RunFailure, RunStatus,
};
pub use universes::Universe;
pub use untidy::Untidy;
pub use uploads::Upload;
pub use webhooks::{DELETED, Delivery, Webhook};
