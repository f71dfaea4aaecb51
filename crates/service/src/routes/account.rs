//! The account of a key.

use axum::Extension;
use axum::extract::State;
use serde::Serialize;

use super::read::Data;
use crate::app::asker::Asker;
use crate::db::Plan;
use crate::state::App;

/// The account of a key.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountRecord {
    /// `acc_…`.
    id: String,
    /// The plan of the account.
    #[schemars(schema_with = "crate::app::schemas::plan")]
    plan: Plan,
    /// Credits left to spend.
    balance: u64,
    /// Whether this is a sandbox key: its runs are made offline, watermarked and free.
    is_sandbox: bool,
    /// Requests per minute with this key.
    requests_per_minute: u32,
}

pub(super) async fn get(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
) -> Data<AccountRecord> {
    let account = asker.account;
    let usual = app.config.server.requests_per_minute;
    Data(AccountRecord {
        id: account.id,
        plan: account.plan,
        balance: account.balance,
        is_sandbox: asker.is_sandbox,
        requests_per_minute: account.requests_per_minute.unwrap_or(usual),
    })
}
