//! Accounts, their plans, and the dashboard's sessions.

use super::credits::Line;
use super::tx::{Row, args, transaction};
use super::{Db, DbError};
use crate::ids;

/// An account's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// The dashboard, and API access only with a sandbox key.
    Free,
    /// API access.
    Starter,
    /// API access, and videos without a watermark.
    Creator,
    /// The same as Creator, with individual limits.
    Enterprise,
}

impl Plan {
    /// Returns the stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Plan::Free => "free",
            Plan::Starter => "starter",
            Plan::Creator => "creator",
            Plan::Enterprise => "enterprise",
        }
    }

    /// Finds the plan of a stored name.
    pub fn from_name(name: &str) -> Option<Plan> {
        [Plan::Free, Plan::Starter, Plan::Creator, Plan::Enterprise]
            .into_iter()
            .find(|plan| plan.as_str() == name)
    }

    /// Whether keys of this plan may use the API.
    pub fn has_api(self) -> bool {
        self != Plan::Free
    }

    /// Whether requests may set `removeWatermark`.
    pub fn may_remove_watermark(self) -> bool {
        matches!(self, Plan::Creator | Plan::Enterprise)
    }
}

/// An account.
#[derive(Clone, Debug)]
pub struct Account {
    /// `acc_…`.
    pub id: String,
    /// The sign-in address, in lower case.
    pub email: String,
    /// Its plan.
    pub plan: Plan,
    /// Requests per minute for each key, if not the default of 100.
    pub requests_per_minute: Option<u32>,
    /// Credits left to spend.
    pub balance: u64,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// A signed-in session.
#[derive(Clone, Debug)]
pub struct Session {
    /// The account that is signed in.
    pub account: Account,
    /// The token that each form must send back.
    pub csrf: String,
}

impl Db {
    /// Creates an account with `credits`; `None` if the address is taken. `password` is already an argon2 hash.
    pub async fn add_account(
        &self,
        email: &str,
        password: &str,
        plan: Plan,
        credits: u64,
    ) -> Result<Option<Account>, DbError> {
        let id = ids::prefixed("acc_");
        let secret = ids::secret("whsec_");
        let email = email.to_lowercase();
        transaction!(self.begin(), tx => {
            let sql = "INSERT INTO accounts
                (id, email, password, plan, webhook_secret, balance, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, now_ms())
                ON CONFLICT (email) DO NOTHING
                RETURNING id, email, plan, requests_per_minute, balance, created_at";
            let args = args![&id, &email, password, plan.as_str(), &secret, credits];
            let Some(row) = tx.row(sql, args).await? else {
                return Ok(None);
            };
            if credits > 0 {
                let line = Line {
                    account: &id,
                    run: None,
                    kind: "grant",
                    amount: row.get("balance")?,
                    balance: row.get("balance")?,
                    note: "welcome",
                };
                line.write(tx).await?;
            }
            account(&row).map(Some)
        })
    }
    /// Finds an account by its address, with its password's hash.
    pub async fn account_by_email(
        &self,
        email: &str,
    ) -> Result<Option<(Account, String)>, DbError> {
        let sql = "SELECT * FROM accounts WHERE email = $1";
        let row = self.row(sql, args![&email.to_lowercase()]).await?;
        row.map(|row| Ok((account(&row)?, row.get("password")?)))
            .transpose()
    }
    /// Finds an account by its id.
    pub async fn account(&self, id: &str) -> Result<Option<Account>, DbError> {
        let sql = "SELECT * FROM accounts WHERE id = $1";
        let row = self.row(sql, args![id]).await?;
        row.as_ref().map(account).transpose()
    }
    /// Returns all accounts, newest first.
    pub async fn accounts(&self, limit: u32) -> Result<Vec<Account>, DbError> {
        let sql = "SELECT * FROM accounts ORDER BY created_at DESC, id DESC LIMIT $1";
        self.rows(sql, args![limit])
            .await?
            .iter()
            .map(account)
            .collect()
    }
    /// Changes the plan and the request limit; returns whether the account exists.
    pub async fn set_plan(
        &self,
        account: &str,
        plan: Plan,
        requests_per_minute: Option<u32>,
    ) -> Result<bool, DbError> {
        let sql = "UPDATE accounts SET plan = $2, requests_per_minute = $3 WHERE id = $1";
        let limit = requests_per_minute.map(i64::from);
        let n = self
            .execute(sql, args![account, plan.as_str(), limit])
            .await?;
        Ok(n > 0)
    }
    /// Changes the password (an argon2 hash) and ends all sessions.
    pub async fn set_password(&self, account: &str, password: &str) -> Result<bool, DbError> {
        transaction!(self.begin(), tx => {
            let sql = "UPDATE accounts SET password = $2 WHERE id = $1";
            let n = tx.execute(sql, args![account, password]).await?;
            let sql = "DELETE FROM sessions WHERE account_id = $1";
            tx.execute(sql, args![account]).await?;
            Ok(n > 0)
        })
    }
    /// Starts a session of `secs` seconds under the hash of its token.
    pub async fn add_session(
        &self,
        hash: &str,
        account: &str,
        csrf: &str,
        secs: u32,
    ) -> Result<(), DbError> {
        let sql = "INSERT INTO sessions (hash, account_id, csrf, expires_at)
            VALUES ($1, $2, $3, now_ms() + $4)";
        let ms = i64::from(secs) * 1000;
        self.execute(sql, args![hash, account, csrf, ms]).await?;
        Ok(())
    }
    /// Returns the session of a token's hash, unless it has expired.
    pub async fn session(&self, hash: &str) -> Result<Option<Session>, DbError> {
        let sql = "SELECT accounts.*, sessions.csrf FROM sessions
            JOIN accounts ON accounts.id = sessions.account_id
            WHERE sessions.hash = $1 AND sessions.expires_at > now_ms()";
        let row = self.row(sql, args![hash]).await?;
        row.map(|row| {
            Ok(Session {
                account: account(&row)?,
                csrf: row.get("csrf")?,
            })
        })
        .transpose()
    }
    /// Returns the secret that signs messages to the `webhook_url` of an account's runs.
    ///
    /// # Errors
    /// A database error.
    pub async fn signing_secret(&self, account: &str) -> Result<Option<String>, DbError> {
        let sql = "SELECT webhook_secret FROM accounts WHERE id = $1";
        let row = self.row(sql, args![account]).await?;
        row.map(|row| row.get("webhook_secret")).transpose()
    }
    /// Ends a session.
    pub async fn end_session(&self, hash: &str) -> Result<(), DbError> {
        let sql = "DELETE FROM sessions WHERE hash = $1";
        self.execute(sql, args![hash]).await?;
        Ok(())
    }
}

pub(super) fn account(row: &Row) -> Result<Account, DbError> {
    let plan: String = row.get("plan")?;
    let limit: Option<i64> = row.get("requests_per_minute")?;
    Ok(Account {
        id: row.get("id")?,
        email: row.get("email")?,
        plan: Plan::from_name(&plan).ok_or_else(|| DbError::Open(format!("a plan `{plan}`")))?,
        requests_per_minute: limit.map(|n| u32::try_from(n).unwrap_or(0)),
        balance: row.count("balance")?,
        created_at: row.get("created_at")?,
    })
}
