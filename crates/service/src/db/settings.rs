//! What a service decides once, for all of its machines.

use super::{Db, DbError};

impl Db {
    /// A secret of the service by its name: made when it is first asked for, and the same for everybody from then on.
    pub async fn secret(&self, name: &str) -> Result<String, DbError> {
        Err(DbError::Open("not yet".into()))
    }
}
