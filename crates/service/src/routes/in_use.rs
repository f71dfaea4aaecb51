//! Objects that runs still need.

use crate::db::{Account, Run, RunStatus};
use crate::error::Answer;
use crate::order::Asked;
use crate::state::App;

/// Runs that are looked at; no account has more that are open.
const LOOKED_AT: u32 = 1000;

/// Deletes an object that nobody names any more, unless an open run was accepted with it.
pub(super) async fn delete_unless(app: &App, account: &Account, object: &str) -> Answer<()> {
    let runs = app.db.runs(&account.id, None, LOOKED_AT).await?;
    let is_needed = runs
        .iter()
        .any(|run| run.status < RunStatus::Completed && names(run, object));
    if !is_needed {
        app.media.delete(object).await?;
    }
    Ok(())
}

fn names(run: &Run, object: &str) -> bool {
    match &run.asked.order.asked {
        Asked::Short { .. } => false,
        Asked::Universe {
            cast, recording, ..
        } => {
            cast.iter().any(|member| member.image == object)
                || recording.as_ref().is_some_and(|r| r.object == object)
        }
    }
}
