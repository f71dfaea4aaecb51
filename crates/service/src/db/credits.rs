//! Credits: the ledger of an account. Holds, captures and releases belong to runs and are stored with them.

use uuid::Uuid;

use super::tx::{Row, Tx, args, transaction};
use super::{Db, DbError};

/// The highest possible balance.
const MOST: i64 = 1_000_000_000_000;

/// A line of the ledger.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its run, if any.
    pub run_id: Option<String>,
    /// `grant`, `hold`, `capture`, `release`.
    pub kind: String,
    /// The change in the balance.
    pub amount: i64,
    /// The balance after it.
    pub balance: u64,
    /// Why.
    pub note: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

impl Db {
    /// Grants credits (or takes them if negative). Returns the new balance; `None` if the account is missing, or the balance would become negative or too large.
    pub async fn grant(
        &self,
        account: &str,
        amount: i64,
        note: &str,
    ) -> Result<Option<u64>, DbError> {
        if amount.unsigned_abs() > MOST.unsigned_abs() {
            return Ok(None);
        }
        transaction!(self.begin(), tx => {
            let sql = "UPDATE accounts SET balance = balance + $2
                WHERE id = $1 AND balance + $2 BETWEEN 0 AND $3 RETURNING balance";
            let Some(row) = tx.row(sql, args![account, amount, MOST]).await? else {
                return Ok(None);
            };
            let line = Line {
                account,
                run: None,
                kind: "grant",
                amount,
                balance: row.get("balance")?,
                note,
            };
            line.write(tx).await?;
            row.count("balance").map(Some)
        })
    }
    /// Returns the ledger, newest first.
    pub async fn ledger(&self, account: &str, limit: u32) -> Result<Vec<Entry>, DbError> {
        let sql = "SELECT * FROM ledger WHERE account_id = $1
            ORDER BY created_at DESC, id DESC LIMIT $2";
        let rows = self.rows(sql, args![account, limit]).await?;
        rows.iter().map(entry).collect()
    }
}

/// A ledger entry to write in the transaction that changes the balance.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub account: &'a str,
    pub run: Option<&'a str>,
    pub kind: &'static str,
    /// The change in the balance.
    pub amount: i64,
    /// The balance after it.
    pub balance: i64,
    pub note: &'a str,
}

impl Line<'_> {
    pub(super) async fn write(&self, tx: &mut Tx) -> Result<(), DbError> {
        // Ids grow with time, so entries of the same millisecond stay in order.
        let id = Uuid::now_v7().to_string();
        let sql =
            "INSERT INTO ledger (id, account_id, run_id, kind, amount, balance, note, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, now_ms())";
        let args = args![
            &id,
            self.account,
            self.run,
            self.kind,
            self.amount,
            self.balance,
            self.note,
        ];
        tx.execute(sql, args).await?;
        Ok(())
    }
}

fn entry(row: &Row) -> Result<Entry, DbError> {
    Ok(Entry {
        run_id: row.get("run_id")?,
        kind: row.get("kind")?,
        amount: row.get("amount")?,
        balance: row.count("balance")?,
        note: row.get("note")?,
        created_at: row.get("created_at")?,
    })
}
