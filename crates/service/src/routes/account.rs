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
    /// What it has paid for.
    #[schemars(schema_with = "crate::app::schemas::plan")]
    plan: Plan,
    /// Credits that may still be spent.
    balance: u64,
    /// Whether this is a sandbox key: offline, with a watermark, for no credits.
    is_sandbox: bool,
    /// Requests a minute with this key.
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
