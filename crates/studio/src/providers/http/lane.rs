//! State shared by all calls to one provider: the retry budget, and whether calls are worthwhile.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The window over which retries are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// Number of calls that allow one retry.
const CALLS_PER_RETRY: usize = 10;
/// Retries that need no previous calls, so that a single call may make both of its own.
const RESERVE: usize = 2;
/// Failures in a row after which a provider is paused.
const MAX_FAILURES: u32 = 5;
/// While it is paused, one attempt per interval is let through as a probe.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// The state of one provider: a retry budget and a circuit breaker.
#[derive(Debug, Default)]
pub struct Lane(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    calls: VecDeque<Instant>,
    retries: VecDeque<Instant>,
    n_failures: u32,
    next_probe: Option<Instant>,
}

impl Lane {
    /// Counts a new call.
    pub fn begin(&self, now: Instant) {
        let mut state = self.state();
        forget(&mut state.calls, now);
        state.calls.push_back(now);
    }

    /// Returns whether an attempt may be made now; one attempt a second while the provider fails.
    pub fn admits(&self, now: Instant) -> bool {
        let mut state = self.state();
        if state.n_failures < MAX_FAILURES {
            return true;
        }
        let is_due = state.next_probe.is_none_or(|at| now >= at);
        if is_due {
            state.next_probe = Some(now + PROBE_EVERY);
        }
        is_due
    }

    /// Returns whether it failed so often that attempts are only probes, which are not retried.
    pub fn is_open(&self) -> bool {
        self.state().n_failures >= MAX_FAILURES
    }

    /// Records the outcome of an attempt. Anything but a server failure shows that the provider is up.
    pub fn report(&self, is_up: bool, now: Instant) {
        let mut state = self.state();
        match is_up {
            true => {
                state.n_failures = 0;
                state.next_probe = None;
            }
            false => {
                state.n_failures = state.n_failures.saturating_add(1);
                state.next_probe = Some(now + PROBE_EVERY);
            }
        }
    }

    /// Takes one retry from the budget: a tenth of the last minute's calls plus a small reserve.
    pub fn take_retry(&self, now: Instant) -> bool {
        let mut state = self.state();
        forget(&mut state.calls, now);
        forget(&mut state.retries, now);
        let budget = state.calls.len() / CALLS_PER_RETRY + RESERVE;
        let may = state.retries.len() < budget;
        if may {
            state.retries.push_back(now);
        }
        may
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The counters are valid after every statement, so a panic elsewhere does no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn forget(times: &mut VecDeque<Instant>, now: Instant) {
    while times.front().is_some_and(|at| now >= *at + WINDOW) {
        times.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_are_a_tenth_of_calls_and_a_reserve() {
        let (lane, start) = (Lane::default(), Instant::now());
        let taken = |lane: &Lane, now| (0..1000).filter(|_| lane.take_retry(now)).count();
        lane.begin(start);
        assert_eq!(taken(&lane, start), 2);
        for _ in 1..100 {
            lane.begin(start);
        }
        assert_eq!(taken(&lane, start), 10);
        assert_eq!(taken(&lane, start + Duration::from_secs(59)), 0);
        assert_eq!(taken(&lane, start + Duration::from_secs(61)), 2);
    }

    #[test]
    fn a_failing_provider_is_probed_once_a_second_until_it_is_back() {
        let (lane, start) = (Lane::default(), Instant::now());
        for _ in 0..MAX_FAILURES {
            assert!(lane.admits(start));
            lane.report(false, start);
        }
        // A hundred calls over ten seconds, with nine full probe intervals.
        let mut n_probes = 0;
        for tick in 0..100 {
            let now = start + Duration::from_millis(100 * tick);
            if lane.admits(now) {
                n_probes += 1;
                lane.report(false, now);
            }
        }
        assert_eq!(n_probes, 9);
        let back = start + Duration::from_secs(30);
        assert!(lane.admits(back));
        assert!(!lane.admits(back), "one probe at a time");
        lane.report(true, back);
        assert!((0..50).all(|_| lane.admits(back)));
    }
}
