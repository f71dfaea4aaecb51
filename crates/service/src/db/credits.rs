//! Credits: the ledger of an account. Holds, captures and releases belong to runs and are written with them.

use super::{Db, DbError};

/// A line of the ledger.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Which run, if one.
    pub run_id: Option<String>,
    /// `grant`, `hold`, `capture`, `release`.
    pub kind: String,
    /// What it changed the balance by.
    pub amount: i64,
    /// The balance after it.
    pub balance: u64,
    /// Why.
    pub note: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

impl Db {
    /// Grants credits (or takes them, if negative, never below 0); the balance after it, `None` without such an account or credits.
    pub async fn grant(
        &self,
        account: &str,
        amount: i64,
        note: &str,
    ) -> Result<Option<u64>, DbError> {
        later()
    }
    /// The ledger, the newest first.
    pub async fn ledger(&self, account: &str, limit: u32) -> Result<Vec<Entry>, DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
