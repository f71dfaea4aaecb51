//! The encoder's thread, watched: a call into a library that never returns must not hold up the render, nor the program.
//!
//! The encoder works on a thread that can be left behind. Whoever waits for it asks now and then whether it is stuck: inside one call for longer than
//! the limit without a packet finished meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::error::{Error, ErrorKind, Result};

/// How often a waiting thread looks whether it should go on waiting.
pub(crate) const TICK: Duration = Duration::from_millis(50);
/// How long a thread may take to clean up after a render that failed or was cancelled, before it is left behind.
const CLEAN_UP: Duration = Duration::from_secs(1);

/// What the watched thread tells of itself.
#[derive(Clone)]
pub(crate) struct Calls {
    start: Instant,
    /// Milliseconds from the start at which the running call began, plus 1; 0 between calls.
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

    /// How long the running call has taken.
    fn running(&self) -> Option<Duration> {
        let began = self.began.load(Ordering::Relaxed).checked_sub(1)?;
        Some(
            self.start
                .elapsed()
                .saturating_sub(Duration::from_millis(began)),
        )
    }
}

/// A thread that works with calls that may never return.
pub(crate) struct Watched<T> {
    calls: Calls,
    /// Counts finished packets.
    pulse: Arc<AtomicU64>,
    /// The last count that was seen, and when it was new.
    seen: std::cell::Cell<(u64, Instant)>,
    limit: Duration,
    done: Receiver<Result<T>>,
    thread: JoinHandle<()>,
}

impl<T: Send + 'static> Watched<T> {
    /// Starts `work`, whose result is there before what it leaves behind is cleaned up. `pulse` counts finished packets.
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
                // Nobody waits after a failure elsewhere.
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

    /// Whether the thread is stuck in a call.
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

    /// Waits for the result. `check` is asked at every tick whether to go on.
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

    /// Waits for the thread to end. One that is stuck, or cleans up for too long after a failure, is left behind. Gives a panic of the thread.
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
