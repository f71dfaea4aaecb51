//! Objects that runs still need.

use crate::db::Account;
use crate::error::Answer;
use crate::state::App;

/// Deletes an object whose name was deleted, unless another name or an open run has it: then the end of that run deletes it.
pub(super) async fn delete_unless(app: &App, account: &Account, object: &str) -> Answer<()> {
    if !app.db.is_needed(&account.id, object).await? {
        app.media.delete(object).await?;
    }
    Ok(())
}
