//! Work that takes a core for a while: strangers' media, scripts, passwords. A few at a time, away from the threads that answer.

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Decoding at a time; more wait.
static CORES: Semaphore = Semaphore::const_new(2);
/// Asking providers at a time, which takes long and costs no core.
static CALLS: Semaphore = Semaphore::const_new(32);

/// Passwords hashed at a time: each takes 19 MiB.
static HASHES: Semaphore = Semaphore::const_new(4);

/// What `work` gives; `None` where it panicked, which decoders of strangers' media may.
pub(crate) async fn heavy<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    aside(&CORES, work).await
}

/// The same for what may ask a provider, so that slow ones do not keep others from their uploads.
pub(crate) async fn asking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    aside(&CALLS, work).await
}

/// The same for the hash of a password.
pub(crate) async fn hashing<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    aside(&HASHES, work).await
}

async fn aside<T: Send + 'static>(
    places: &'static Semaphore,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let _place = places
        .acquire()
        .await
        .expect("the semaphore is never closed");
    spawn_blocking(work)
        .await
        .inspect_err(|error| tracing::warn!(%error, "heavy work was lost"))
        .ok()
}
