//! Work that takes a core for a while: strangers' media, scripts. A few at a time, away from the threads that answer.

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// At a time; more wait.
const N_AT_ONCE: usize = 2;

static PLACES: Semaphore = Semaphore::const_new(N_AT_ONCE);

/// What `work` gives; `None` where it panicked, which decoders of strangers' media may.
pub(super) async fn heavy<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let _place = PLACES
        .acquire()
        .await
        .expect("the semaphore is never closed");
    spawn_blocking(work)
        .await
        .inspect_err(|error| tracing::warn!(%error, "heavy work was lost"))
        .ok()
}
