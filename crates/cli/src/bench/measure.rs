//! Clocks: wall time, CPU seconds of the process or of one thread, and the process's peak memory.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// The cost of some work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    /// Elapsed time.
    pub(super) wall: Duration,
    /// CPU time of all threads, user and system.
    pub(super) cpu: Duration,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

/// Runs `work` and measures its cost to the process.
pub(super) fn cost_of<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (wall, cpu) = (Instant::now(), process_cpu());
    let value = work();
    let cost = Cost {
        wall: wall.elapsed(),
        cpu: process_cpu().saturating_sub(cpu),
    };
    (value, cost)
}

/// Returns the CPU time so far of this process (all threads, user and system) and of the child programs that have ended.
fn process_cpu() -> Duration {
    // SAFETY: an all-zero rusage is a valid value of this plain C struct.
    let mut children: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `children` is writable for the whole call; on failure it stays zero.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut children) };
    let time = |time: libc::timeval| {
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
    };
    clock(libc::CLOCK_PROCESS_CPUTIME_ID) + time(children.ru_utime) + time(children.ru_stime)
}

/// Returns the CPU time of the calling thread so far.
pub(super) fn thread_cpu() -> Duration {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn clock(id: libc::clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid, writable timespec for the whole call; on failure it stays zero.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

/// Returns the peak memory of this process in bytes (`VmHWM`); 0 if the kernel does not report it.
pub(super) fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|n| n.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Resets the peak (proc(5), `clear_refs`) if the kernel allows it.
pub(super) fn reset_peak_memory() {
    // If not allowed, the peak covers the whole process: too high, never too low.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the free bytes on the file system of `path`.
pub(super) fn free_bytes(path: &std::path::Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: an all-zero statvfs is a valid value of this plain C struct.
    let mut facts: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: `path` is a NUL-terminated string and `facts` is writable, both for the whole call.
    let failed = unsafe { libc::statvfs(path.as_ptr(), &raw mut facts) } != 0;
    (!failed).then(|| facts.f_bavail * facts.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_count_work_and_memory_is_known() {
        let (sum, cost) =
            cost_of(|| (0..20_000_000_u64).fold(0, |a, b| std::hint::black_box(a ^ b)));
        std::hint::black_box(sum);
        assert!(cost.cpu > Duration::ZERO && cost.wall > Duration::ZERO);
        assert!(thread_cpu() > Duration::ZERO);
        assert!(peak_memory_bytes() > 1 << 20);
        assert!(free_bytes(std::path::Path::new("/")).is_some());
        assert_eq!(free_bytes(std::path::Path::new("/no/such/folder")), None);
    }
}
