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
    let place = places
        .acquire()
        .await
        .expect("the semaphore is never closed");
    // The place is the work's: nobody stops it when its client hangs up.
    let work = move || {
        let _place = place;
        work()
    };
    spawn_blocking(work)
        .await
        .inspect_err(|error| tracing::warn!(%error, "heavy work was lost"))
        .ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn work_keeps_its_place_when_nobody_waits_for_it() {
        static PLACES: Semaphore = Semaphore::const_new(1);
        static IS_OVER: AtomicBool = AtomicBool::new(false);
        let first = aside(&PLACES, || {
            thread::sleep(Duration::from_millis(300));
            IS_OVER.store(true, Ordering::SeqCst);
        });
        let waited = tokio::time::timeout(Duration::from_millis(50), first);
        assert!(waited.await.is_err());
        let was_over = aside(&PLACES, || IS_OVER.load(Ordering::SeqCst)).await;
        assert_eq!(was_over, Some(true), "two at once in one place");
    }
}
