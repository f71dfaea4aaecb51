//! Watches the encoder's thread: a library call that never returns must block neither the render nor the program.
//!
//! The encoder works on a thread that can be abandoned. Waiting threads regularly check whether it is stuck: inside one call for longer than
//! the limit, with no packet finished meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::error::{Error, ErrorKind, Result};

/// Interval at which a waiting thread checks whether to continue.
pub(crate) const TICK: Duration = Duration::from_millis(50);
/// Time a thread may take to clean up after a failed or cancelled render before it is abandoned.
const CLEAN_UP: Duration = Duration::from_secs(1);

/// The watched thread's state, as it reports it.
#[derive(Clone)]
pub(crate) struct Calls {
    start: Instant,
    /// Start of the running call in milliseconds since `start`, plus 1; 0 between calls.
    began: Arc<AtomicU64>,
}

impl Calls {
    /// Runs a call into the encoder.
    pub(crate) fn run<T>(&self, call: impl FnOnce() -> T) -> T {
        let now = self.start.elapsed().as_millis() as u64 + 1;
        self.began.store(now, Ordering::Relaxed);
        let result = call();
        self.began.store(0, Ordering::Relaxed);
        result
    }

    /// Returns how long the running call has taken.
    fn running(&self) -> Option<Duration> {
        let began = self.began.load(Ordering::Relaxed).checked_sub(1)?;
        Some(
            self.start
                .elapsed()
                .saturating_sub(Duration::from_millis(began)),
        )
    }
}

/// A thread whose calls may never return.
pub(crate) struct Watched<T> {
    calls: Calls,
    /// Counts finished packets.
    pulse: Arc<AtomicU64>,
    /// The last count seen, and when it changed.
    seen: std::cell::Cell<(u64, Instant)>,
    limit: Duration,
    done: Receiver<Result<T>>,
    thread: JoinHandle<()>,
}

impl<T: Send + 'static> Watched<T> {
    /// Starts `work`; its result is available before the data it leaves behind is cleaned up. `pulse` counts finished packets.
    pub(crate) fn spawn<L: Send + 'static>(
        name: &str,
        (limit, pulse): (Duration, Arc<AtomicU64>),
        work: impl FnOnce(&Calls) -> (Result<T>, L) + Send + 'static,
    ) -> Result<Watched<T>> {
        let calls = Calls {
            start: Instant::now(),
            began: Arc::new(AtomicU64::new(0)),
        };
        let (to, done) = bounded(1);
        let own = calls.clone();
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                let (result, left) = work(&own);
                // After a failure elsewhere, no one waits for the result.
                let _ = to.send(result);
                own.run(|| drop(left));
            })
            .map_err(|e| {
                Error::new(ErrorKind::Internal, "a thread could not be started").with_source(e)
            })?;
        Ok(Watched {
            calls,
            seen: (pulse.load(Ordering::Relaxed), Instant::now()).into(),
            pulse,
            limit,
            done,
            thread,
        })
    }

    /// Returns whether the thread is stuck in a call.
    pub(crate) fn is_stuck(&self) -> bool {
        let (count, mut since) = self.seen.get();
        let now = self.pulse.load(Ordering::Relaxed);
        if now != count {
            since = Instant::now();
            self.seen.set((now, since));
        }
        let running = self.calls.running();
        running.is_some_and(|running| running.min(since.elapsed()) > self.limit)
    }

    /// Waits for the result. `check` decides at every tick whether to continue.
    pub(crate) fn finish(&self, check: impl Fn() -> Result<()>) -> Option<Result<T>> {
        loop {
            match self.done.recv_timeout(TICK) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(e) = check() {
                        return Some(Err(e));
                    }
                }
            }
        }
    }

    /// Waits for the thread to end. A thread that is stuck, or cleans up for too long after a failure, is abandoned. Returns the thread's panic, if any.
    pub(crate) fn join(self, is_failed: bool) -> std::thread::Result<()> {
        let start = Instant::now();
        while !self.thread.is_finished() {
            if self.is_stuck() || (is_failed && start.elapsed() > CLEAN_UP) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.thread.join()
    }
}
