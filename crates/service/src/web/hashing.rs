//! Password hashing off the threads that answer, a few at a time.

use tokio::sync::Semaphore;

use crate::error::{Answer, ApiError};
use crate::password;

/// Each takes 19 MiB while it is hashed.
static AT_ONCE: Semaphore = Semaphore::const_new(4);

/// What is kept of a new password.
pub(super) async fn hash(password: String) -> Answer<String> {
    on_a_thread(move || password::hash(&password)).await
}

/// Whether this is the password of a kept hash; without a hash it takes as long and is not. One that nobody can have is not looked at.
pub(super) async fn is_right(password: String, kept: Option<String>) -> Answer<bool> {
    if password.len() > password::MAX_BYTES {
        return Ok(false);
    }
    on_a_thread(move || password::is_right(&password, kept.as_deref())).await
}

async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Answer<T> {
    let turn = AT_ONCE.acquire().await.expect("it is never closed");
    let done = tokio::task::spawn_blocking(work).await;
    drop(turn);
    done.map_err(|error| {
        tracing::error!(%error, "hashing");
        ApiError::internal()
    })
}
