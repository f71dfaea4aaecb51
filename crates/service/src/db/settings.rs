//! What a service decides once, for all of its machines.

use super::tx::{args, transaction};
use super::{Db, DbError};
use crate::ids;

impl Db {
    /// A secret of the service by its name: made when it is first asked for, and the same for everybody from then on.
    ///
    /// # Errors
    /// The database.
    pub async fn secret(&self, name: &str) -> Result<String, DbError> {
        let new = ids::secret("");
        let row = transaction!(self.begin(), tx => {
            // Of two that ask first at once, the second gives back the first one's.
            let sql = "INSERT INTO secrets (name, secret) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET secret = secrets.secret RETURNING secret";
            tx.row(sql, args![name, &new]).await
        })?;
        row.ok_or(sqlx::Error::RowNotFound)?.get("secret")
    }
}
