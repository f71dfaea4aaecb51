//! Accounts: who may do what, and the sessions of the dashboard.

use super::{Db, DbError};

/// What an account has paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// The dashboard, and no access by key but the sandbox's.
    Free,
    /// Access by key.
    Starter,
    /// The same, and videos without a watermark.
    Creator,
    /// The same, and limits of its own.
    Enterprise,
}

impl Plan {
    /// As written down.
    pub fn as_str(self) -> &'static str {
        match self {
            Plan::Free => "free",
            Plan::Starter => "starter",
            Plan::Creator => "creator",
            Plan::Enterprise => "enterprise",
        }
    }

    /// Of its name.
    pub fn from_name(name: &str) -> Option<Plan> {
        [Plan::Free, Plan::Starter, Plan::Creator, Plan::Enterprise]
            .into_iter()
            .find(|plan| plan.as_str() == name)
    }

    /// Whether keys of this plan open the interface.
    pub fn has_api(self) -> bool {
        self != Plan::Free
    }

    /// Whether `removeWatermark` may be asked for.
    pub fn may_remove_watermark(self) -> bool {
        matches!(self, Plan::Creator | Plan::Enterprise)
    }
}

/// An account.
#[derive(Clone, Debug)]
pub struct Account {
    /// `acc_…`.
    pub id: String,
    /// What its owner signs in with, in lower case.
    pub email: String,
    /// What it has paid for.
    pub plan: Plan,
    /// Requests a minute for each key, where it is not the usual 100.
    pub requests_per_minute: Option<u32>,
    /// Credits that may still be spent.
    pub balance: u64,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// Someone who is signed in.
#[derive(Clone, Debug)]
pub struct Session {
    /// Whose it is.
    pub account: Account,
    /// What each form has to send back.
    pub csrf: String,
}

impl Db {
    /// A new account; `None` if the address is taken. `password` is already an argon2 hash. `credits` are granted.
    pub async fn add_account(
        &self,
        email: &str,
        password: &str,
        plan: Plan,
        credits: u64,
    ) -> Result<Option<Account>, DbError> {
        later()
    }
    /// By its address, with its password's hash.
    pub async fn account_by_email(
        &self,
        email: &str,
    ) -> Result<Option<(Account, String)>, DbError> {
        later()
    }
    /// By its id.
    pub async fn account(&self, id: &str) -> Result<Option<Account>, DbError> {
        later()
    }
    /// All of them, the newest first.
    pub async fn accounts(&self, limit: u32) -> Result<Vec<Account>, DbError> {
        later()
    }
    /// Changes the plan and the limit of requests; whether there is such an account.
    pub async fn set_plan(
        &self,
        account: &str,
        plan: Plan,
        requests_per_minute: Option<u32>,
    ) -> Result<bool, DbError> {
        later()
    }
    /// Changes the password (an argon2 hash) and ends all sessions.
    pub async fn set_password(&self, account: &str, password: &str) -> Result<bool, DbError> {
        later()
    }
    /// Begins a session of `secs` under the hash of its token.
    pub async fn add_session(
        &self,
        hash: &str,
        account: &str,
        csrf: &str,
        secs: u32,
    ) -> Result<(), DbError> {
        later()
    }
    /// The session of a token's hash, unless it has ended.
    pub async fn session(&self, hash: &str) -> Result<Option<Session>, DbError> {
        later()
    }
    /// Ends a session.
    pub async fn end_session(&self, hash: &str) -> Result<(), DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
