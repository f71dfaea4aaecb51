//! Settings shared by all machines of a service, each decided once.

use super::tx::{args, transaction};
use super::{Db, DbError};
use crate::ids;

impl Db {
    /// Returns a secret of the service by its name: created on first use, the same for all processes after that.
    ///
    /// # Errors
    /// A database error.
    pub async fn secret(&self, name: &str) -> Result<String, DbError> {
        let new = ids::secret("");
        let row = transaction!(self.begin(), tx => {
            // Of two concurrent first uses, the second returns the first one's secret.
            let sql = "INSERT INTO secrets (name, secret) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET secret = secrets.secret RETURNING secret";
            tx.row(sql, args![name, &new]).await
        })?;
        row.ok_or(sqlx::Error::RowNotFound)?.get("secret")
    }
}
