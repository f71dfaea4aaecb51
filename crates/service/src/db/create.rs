//! Creates a run, its job, its hold, its ledger entry and the idempotency key in one transaction.

use kinora_studio::stages::crash_point;
use serde_json::Value;

use super::credits::Line;
use super::jobs::RunJob;
use super::runs::{Created, Idempotency, NewRun};
use super::tx::{Tx, args, transaction};
use super::{Db, DbError};

/// How long an idempotency key is kept, in milliseconds: 24 h.
pub(super) const KEY_MS: i64 = 24 * 3600 * 1000;

impl Db {
    /// Stores a run, its job in the queue and its hold: all three or none.
    ///
    /// # Errors
    /// A database error. If the connection is lost during the commit, the run may or may not exist: a retry with the same key returns the same run.
    pub async fn create_run(&self, run: &NewRun) -> Result<Created, DbError> {
        let created = transaction!(self.begin(), tx => {
            let created = create(tx, self.queue(), run).await?;
            if created != Created::New {
                tx.undo();
            }
            crash_point();
            Ok(created)
        });
        crash_point();
        created
    }

    /// Returns the stored answer to an earlier request with this key, if any.
    ///
    /// # Errors
    /// A database error.
    pub async fn remembered(
        &self,
        account: &str,
        key: &Idempotency,
    ) -> Result<Option<Value>, DbError> {
        let sql = "SELECT answer FROM idempotency
            WHERE account_id = $1 AND name = $2 AND body_hash = $3 AND created_at > now_ms() - $4";
        let args = args![account, &key.name, &key.body_hash, KEY_MS];
        let kept = self.row(sql, args).await?;
        kept.map(|row| row.json("answer")).transpose()
    }
}

async fn create(tx: &mut Tx, queue: &riverqueue::Client, run: &NewRun) -> Result<Created, DbError> {
    if let Some(key) = &run.idempotency
        && let Some(known) = remember(tx, run, key).await?
    {
        return Ok(known);
    }
    let amount = if run.is_sandbox {
        0
    } else {
        i64::try_from(run.estimated.credits).unwrap_or(i64::MAX)
    };
    let sql = "UPDATE accounts SET balance = balance - $2
        WHERE id = $1 AND balance >= $2 RETURNING balance";
    let Some(account) = tx.row(sql, args![&run.account_id, amount]).await? else {
        let sql = "SELECT balance FROM accounts WHERE id = $1";
        let account = tx.row(sql, args![&run.account_id]).await?;
        let available = account.map_or(Ok(0), |row| row.count("balance"))?;
        return Ok(Created::NoCredits { available });
    };
    write_run(tx, run).await?;
    let sql = "INSERT INTO holds (run_id, account_id, amount, state, captured)
        VALUES ($1, $2, $3, 'open', 0)";
    tx.execute(sql, args![&run.id, &run.account_id, amount])
        .await?;
    let line = Line {
        account: &run.account_id,
        run: Some(&run.id),
        kind: "hold",
        amount: -amount,
        balance: account.get("balance")?,
        note: &run.title,
    };
    line.write(tx).await?;
    let job = RunJob {
        run_id: run.id.clone(),
    };
    tx.insert_job(queue, job, riverqueue::InsertOpts::default())
        .await?;
    Ok(Created::New)
}

/// Stores the answer under the idempotency key, or returns the one stored before. Of two concurrent requests, the second waits here for the first to end.
async fn remember(
    tx: &mut Tx,
    run: &NewRun,
    key: &Idempotency,
) -> Result<Option<Created>, DbError> {
    let answer = serde_json::to_string(&run.answer)?;
    let sql = "INSERT INTO idempotency (account_id, name, body_hash, answer, created_at)
        VALUES ($1, $2, $3, $4, now_ms())
        ON CONFLICT (account_id, name) DO UPDATE
        SET body_hash = excluded.body_hash, answer = excluded.answer, created_at = excluded.created_at
        WHERE idempotency.created_at <= excluded.created_at - $5";
    let args = args![&run.account_id, &key.name, &key.body_hash, &answer, KEY_MS];
    if tx.execute(sql, args).await? > 0 {
        return Ok(None);
    }
    let sql = "SELECT body_hash, answer FROM idempotency WHERE account_id = $1 AND name = $2";
    let kept = tx.row(sql, args![&run.account_id, &key.name]).await?;
    let kept = kept.ok_or(sqlx::Error::RowNotFound)?;
    if kept.get::<String>("body_hash")? != key.body_hash {
        return Ok(Some(Created::OtherBody));
    }
    Ok(Some(Created::Repeated(kept.json::<Value>("answer")?)))
}

async fn write_run(tx: &mut Tx, run: &NewRun) -> Result<(), DbError> {
    let order = serde_json::to_string(&run.order)?;
    let warnings = serde_json::to_string(&run.warnings)?;
    let metadata = run.metadata.as_ref().map(Value::to_string);
    let sql = "INSERT INTO runs
        (id, project_id, account_id, key_id, family, universe, title, is_sandbox, asked, warnings,
         webhook_url, metadata, retry_of, estimated_ms, estimated_credits,
         status, attempt, n_free, cancel_asked, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
                'QUEUED', 0, 0, 0, now_ms())";
    let args = args![
        &run.id,
        &run.project_id,
        &run.account_id,
        &run.key_id,
        run.family.as_str(),
        &run.universe,
        &run.title,
        run.is_sandbox,
        &order,
        &warnings,
        &run.webhook_url,
        &metadata,
        &run.retry_of,
        run.estimated.duration_ms,
        run.estimated.credits,
    ];
    tx.execute(sql, args).await?;
    Ok(())
}
