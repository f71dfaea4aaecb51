//! Runs whose attempts may have left something in the media.

use std::time::Duration;

use super::runs::Output;
use super::tx::args;
use super::{Db, DbError};

impl Db {
    /// Runs that ended more than `age` ago and whose leftovers were not looked for yet, with how many attempts they had and their output.
    ///
    /// # Errors
    /// The database.
    pub async fn untidy(
        &self,
        age: Duration,
        limit: u32,
    ) -> Result<Vec<(String, u32, Option<Output>)>, DbError> {
        let sql = "SELECT id, attempt, output FROM runs
            WHERE is_tidy = 0 AND finished_at <= now_ms() - $1 ORDER BY finished_at LIMIT $2";
        let ms = i64::try_from(age.as_millis()).unwrap_or(i64::MAX / 4);
        let rows = self.rows(sql, args![ms, limit]).await?;
        let run = |row: &super::tx::Row| {
            Ok((
                row.get("id")?,
                row.small("attempt")?,
                row.opt_json("output")?,
            ))
        };
        rows.iter().map(run).collect()
    }

    /// Nothing is left of a run's attempts but its output.
    ///
    /// # Errors
    /// The database.
    pub async fn tidied(&self, run_id: &str) -> Result<(), DbError> {
        let sql = "UPDATE runs SET is_tidy = 1 WHERE id = $1";
        self.execute(sql, args![run_id]).await?;
        Ok(())
    }
}
