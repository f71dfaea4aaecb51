//! Objects that runs still use.

use crate::db::Account;
use crate::error::Answer;
use crate::state::App;

/// Deletes an object unless another record or an open run uses it. An object kept for a run is deleted when the run ends.
pub(super) async fn delete_unless(app: &App, account: &Account, object: &str) -> Answer<()> {
    if !app.db.is_needed(&account.id, object).await? {
        app.media.delete(object).await?;
    }
    Ok(())
}
