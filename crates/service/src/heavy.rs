//! CPU-heavy work: untrusted media, scripts, passwords. A few jobs run at a time, off the threads that serve requests.

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Concurrent decoding jobs; more wait.
static CORES: Semaphore = Semaphore::const_new(2);
/// Concurrent provider calls, which are slow but need no core.
static CALLS: Semaphore = Semaphore::const_new(32);

/// Concurrent password hashes: each takes 19 MiB.
static HASHES: Semaphore = Semaphore::const_new(4);

/// Returns the result of `work`; `None` if it panicked, as decoders of untrusted media may.
pub(crate) async fn heavy<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    aside(&CORES, work).await
}

/// The same for work that may call a provider, so that slow providers do not delay uploads.
pub(crate) async fn asking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    aside(&CALLS, work).await
}

/// The same for hashing a password.
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
    // The work owns the permit: it continues if the client disconnects.
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
