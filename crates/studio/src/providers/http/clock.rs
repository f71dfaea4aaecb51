//! The clock for deadlines, and the waits between attempts.

use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use kinora::units::within;

/// Longest wait requested by a provider; its call fails if it asks for more.
pub const MAX_ASKED_WAIT: Duration = Duration::from_secs(60);
/// Shortest and longest backoff.
const WAITS_SECS: [f64; 2] = [0.5, 30.0];

/// A clock and its sleep. Tests use one that does not sleep.
pub trait Clock: Debug + Send + Sync {
    /// Returns the monotonic time.
    fn now(&self) -> Instant;
    /// Returns the time of day, for comparison with HTTP dates.
    fn time_of_day(&self) -> SystemTime;
    /// Waits, on this thread.
    fn sleep(&self, wait: Duration);
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn time_of_day(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, wait: Duration) {
        thread::sleep(wait);
    }
}

/// Returns the wait before attempt `n` + 1, with full jitter: between half a second and 2, 4, 8 … 30 s, so that callers that failed together do not retry
/// together.
pub fn backoff(n: u32) -> Duration {
    let [least, most] = WAITS_SECS;
    let ceiling = within(2f64.powi(n.min(16) as i32), least, most);
    // Each hasher of the standard library has a new seed; its upper bits serve as random numbers.
    let dice = (RandomState::new().hash_one(n) >> 11) as f64 / (1u64 << 53) as f64;
    Duration::from_secs_f64(least + dice * (ceiling - least))
}

/// Parses a `Retry-After` header (RFC 9110, 10.2.3), in whole seconds or as a date. `None` if it is neither, or a past date.
pub fn asked_wait(header: &str, time_of_day: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if !header.is_empty() && header.bytes().all(|b| b.is_ascii_digit()) {
        return header.parse().ok().map(Duration::from_secs);
    }
    let date = httpdate::parse_http_date(header).ok()?;
    date.duration_since(time_of_day).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_differ() {
        for (n, most) in [(1, 2.0), (2, 4.0), (3, 8.0), (9, 30.0), (900, 30.0)] {
            let waits: Vec<f64> = (0..200).map(|_| backoff(n).as_secs_f64()).collect();
            assert!(waits.iter().all(|w| (0.5..=most).contains(w)), "{n}");
            let (low, high) = waits
                .iter()
                .fold((f64::MAX, 0f64), |(l, h), w| (l.min(*w), h.max(*w)));
            assert!(
                low < 0.5 + most * 0.2 && high > most * 0.8,
                "{n}: {low} {high}"
            );
        }
    }

    #[test]
    fn only_waits_that_can_be_meant_are_heeded() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let secs = |header: &str| asked_wait(header, now).map(|w| w.as_secs());
        assert_eq!(secs("1"), Some(1));
        assert_eq!(secs(" 60 "), Some(60));
        assert_eq!(secs("99999"), Some(99_999));
        assert_eq!(secs("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10));
        for ignored in [
            "-1",
            "",
            "soon",
            "1.5",
            "99999999999999999999999",
            "Sun, 06 Nov 1994 08:49:27 GMT",
        ] {
            assert_eq!(secs(ignored), None, "{ignored}");
        }
    }
}
