//! One run of `ffmpeg` or `ffprobe`: within limits, killed with its reader, with bounded messages and output.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for the next bytes.
const MAX_SILENCE: Duration = Duration::from_secs(30);
/// How often a wait checks whether it was stopped.
const GLANCE: Duration = Duration::from_millis(50);
/// Maximum time to exit after the last byte.
const TIME_TO_END: Duration = Duration::from_secs(5);
/// Maximum bytes kept of its messages.
const MAX_WORDS: usize = 2048;
/// Maximum length of a line of its messages.
const MAX_LINE: u64 = 1024;
/// Maximum number of timestamps that wait for their frames.
const MAX_STAMPS: usize = 1024;
/// Size of the pipe in bytes: a large one means fewer switches between the two processes.
#[cfg(target_os = "linux")]
const PIPE_BYTES: libc::c_int = 1 << 20;

/// A request to the readers of a clip to stop soon. Clones share the same request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Resource limits of a child.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Address space in bytes.
    pub(super) memory: u64,
    /// CPU time in seconds.
    pub(super) cpu_secs: u64,
}

impl Limits {
    /// Limits for reading headers and scanning a file.
    pub(super) const PROBE: Limits = Limits {
        memory: 4 << 30,
        cpu_secs: 300,
    };

    /// Returns limits for decoding this many seconds of picture or sound: at most four cores, a minute per second of 4K.
    pub(super) fn decode(secs: f64) -> Limits {
        Limits {
            cpu_secs: 600 + (secs.max(0.0) * 60.0) as u64,
            ..Limits::PROBE
        }
    }
}

/// A running child.
#[derive(Debug)]
pub(super) struct Child {
    out: ChildStdout,
    minded: Arc<Minded>,
    /// Timestamps of frames, in the order of the frames.
    stamps: Receiver<i64>,
    stop: Stop,
}

/// State shared by the reader and the monitor thread.
#[derive(Debug, Default)]
struct Minded {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Its process group, until it has been waited for.
    group: Option<libc::pid_t>,
    ended: Option<ExitStatus>,
    words: String,
}

impl Child {
    /// Starts `program` with `input` as its standard input.
    ///
    /// A separate thread starts it and waits for its end: the system kills the child when that thread ends, that is, when this process ends.
    pub(super) fn start(
        program: &Path,
        arguments: &[String],
        input: Option<File>,
        (limits, stop): (Limits, Stop),
    ) -> io::Result<Child> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            // Each arena reserves address space, which is limited.
            .env("MALLOC_ARENA_MAX", "2")
            .current_dir("/")
            .process_group(0)
            .stdin(input.map_or_else(Stdio::null, Stdio::from))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // SAFETY: between fork and exec `confine` only makes system calls and allocates nothing.
        unsafe { command.pre_exec(move || confine(limits)) };
        let minded = Arc::new(Minded::default());
        let (tell_started, started) = mpsc::sync_channel(1);
        let (tell_stamp, stamps) = mpsc::sync_channel(MAX_STAMPS);
        let minder = Arc::clone(&minded);
        thread::Builder::new()
            .name("ffmpeg".into())
            .spawn(move || mind(command, &minder, &tell_started, &tell_stamp))?;
        let out = started
            .recv()
            .map_err(|_| io::Error::other("it could not be started"))??;
        #[cfg(target_os = "linux")]
        // SAFETY: the descriptor is open, and the call only changes the size of its buffer. If it fails, the default size is sufficient.
        unsafe {
            libc::fcntl(out.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE_BYTES);
        }
        Ok(Child {
            out,
            minded,
            stamps,
            stop,
        })
    }

    /// Fills `out`; returns `false` when the output ended before the first byte.
    pub(super) fn read_exact(&mut self, out: &mut [u8]) -> io::Result<bool> {
        let mut n = 0;
        while n < out.len() {
            match self.read_some(&mut out[n..])? {
                0 if n == 0 => return Ok(false),
                0 => {
                    let why = self.why_ended();
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        format!("ffmpeg stopped unexpectedly{why}"),
                    ));
                }
                read => n += read,
            }
        }
        Ok(true)
    }

    /// Reads the next bytes; returns 0 at the end.
    pub(super) fn read_some(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let since = Instant::now();
        loop {
            let mut wait = libc::pollfd {
                fd: self.out.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: `wait` is one valid entry for the whole call.
            let n = unsafe { libc::poll(&raw mut wait, 1, GLANCE.as_millis() as libc::c_int) };
            if n > 0 {
                return self.out.read(out);
            }
            self.check(since)?;
        }
    }

    /// Returns the timestamp of the next frame, in microseconds.
    pub(super) fn next_stamp(&mut self) -> io::Result<i64> {
        let since = Instant::now();
        loop {
            match self.stamps.recv_timeout(GLANCE) {
                Ok(stamp) => return Ok(stamp),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let why = self.why_ended();
                    return Err(io::Error::other(format!(
                        "ffmpeg returned a frame without a timestamp{why}"
                    )));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => self.check(since)?,
            }
        }
    }

    /// Returns an error after too long a wait or a request to stop.
    fn check(&self, since: Instant) -> io::Result<()> {
        if self.stop.is_asked() {
            return Err(io::Error::other("reading it was stopped"));
        }
        if since.elapsed() > MAX_SILENCE {
            self.minded.kill();
            return Err(io::Error::other(format!(
                "ffmpeg produced no output for {} s and was stopped",
                MAX_SILENCE.as_secs()
            )));
        }
        Ok(())
    }

    /// Reads all output, at most `most` bytes.
    pub(super) fn read_all(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let (mut all, mut piece) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            let n = self.read_some(&mut piece)?;
            if n == 0 {
                break;
            }
            all.extend_from_slice(&piece[..n]);
            if all.len() > most {
                self.minded.kill();
                return Err(io::Error::other(
                    "ffmpeg produced more output than a valid file requires",
                ));
            }
        }
        self.finish()?;
        Ok(all)
    }

    /// Waits for the exit after the last byte; returns an error when the child failed.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let since = Instant::now();
        while self.minded.ended().is_none() {
            if since.elapsed() > TIME_TO_END {
                self.minded.kill();
                return Err(io::Error::other("ffmpeg did not exit and was stopped"));
            }
            thread::sleep(Duration::from_millis(1));
        }
        match self.minded.ended() {
            Some(status) if status.success() => Ok(()),
            _ => Err(io::Error::other(format!(
                "ffmpeg failed{}",
                self.why_ended()
            ))),
        }
    }

    /// Returns its exit status and last message, to follow a sentence.
    fn why_ended(&self) -> String {
        let since = Instant::now();
        while self.minded.ended().is_none() && since.elapsed() < Duration::from_secs(1) {
            thread::sleep(Duration::from_millis(1));
        }
        let state = self.minded.lock();
        let words = last_words(&state.words);
        match state.ended {
            _ if !words.is_empty() => format!(": {words}"),
            Some(status) => format!(" ({status})"),
            None => String::new(),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.minded.kill();
    }
}

impl Minded {
    /// Locks the state; every write leaves it consistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ended(&self) -> Option<ExitStatus> {
        self.lock().ended
    }

    fn kill(&self) {
        if let Some(group) = self.lock().group {
            // SAFETY: the group belongs to the child, which was not waited for yet, so no other process has its number.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
    }
}

/// Runs a child: starts it, reads its messages, waits for its end.
fn mind(
    mut command: Command,
    minded: &Minded,
    tell_started: &SyncSender<io::Result<ChildStdout>>,
    tell_stamp: &SyncSender<i64>,
) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => {
            let _ = tell_started.send(Err(e));
            return;
        }
    };
    minded.lock().group = libc::pid_t::try_from(child.id()).ok();
    let (out, words) = (child.stdout.take(), child.stderr.take());
    let out = out.ok_or_else(|| io::Error::other("it has no output"));
    if tell_started.send(out).is_err() {
        minded.kill();
    }
    if let Some(words) = words {
        hear(words, minded, tell_stamp);
    }
    loop {
        let mut state = minded.lock();
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => {
                state.ended = Some(status);
                state.group = None;
                return;
            }
            Err(_) => {
                state.group = None;
                return;
            }
        }
        drop(state);
        thread::sleep(Duration::from_millis(2));
    }
}

/// Separates its messages into timestamps (printed by `filters::STAMPS`) and complaints, until the stream closes.
fn hear(words: ChildStderr, minded: &Minded, tell_stamp: &SyncSender<i64>) {
    let mut words = BufReader::new(words);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut words).take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        let line = String::from_utf8_lossy(&line);
        if let Some(stamp) = stamp_of(&line) {
            // Without a reader the child is about to be killed.
            let _ = tell_stamp.send(stamp);
        } else if !line.starts_with("kinora=") {
            let mut state = minded.lock();
            state.words.push_str(&line);
            let excess = state.words.len().saturating_sub(MAX_WORDS);
            let cut = (excess..=state.words.len()).find(|i| state.words.is_char_boundary(*i));
            state.words.drain(..cut.unwrap_or(0));
        }
    }
}

/// Parses `frame:0    pts:520000  pts_time:0.52`.
fn stamp_of(line: &str) -> Option<i64> {
    let rest = line.strip_prefix("frame:")?;
    let stamp = rest.split_once("pts:")?.1;
    stamp.split_whitespace().next()?.parse().ok()
}

/// Returns the last meaningful line, without the part that contains a memory address.
fn last_words(words: &str) -> String {
    let line = words.lines().rev().map(str::trim);
    let line = line
        .filter(|line| !line.is_empty() && !line.starts_with("Last message repeated"))
        .find(|line| !line.starts_with("Conversion failed"))
        .unwrap_or_default();
    let said = match line.split_once("] ") {
        Some((place, said)) if place.starts_with('[') => said,
        _ => line,
    };
    let said = said.strip_prefix(&format!("{}: ", super::input::NAME));
    said.unwrap_or(line).escape_debug().take(200).collect()
}

/// Runs in the child before the program starts: lowers its priority, sets limits, and lets it die with its monitor thread.
fn confine(limits: Limits) -> io::Result<()> {
    let most = [
        (libc::RLIMIT_AS, limits.memory),
        (libc::RLIMIT_CPU, limits.cpu_secs),
        // It only writes to pipes.
        (libc::RLIMIT_FSIZE, 0),
        (libc::RLIMIT_CORE, 0),
    ];
    for (what, most) in most {
        let limit = libc::rlimit {
            rlim_cur: most as libc::rlim_t,
            rlim_max: most as libc::rlim_t,
        };
        // SAFETY: `limit` is valid for the call. If a lower limit already applies, that one stays.
        let failed = unsafe { libc::setrlimit(what, &raw const limit) } != 0;
        if failed && io::Error::last_os_error().raw_os_error() != Some(libc::EPERM) {
            return Err(io::Error::last_os_error());
        }
    }
    // SAFETY: plain system calls that affect only this process; nothing relies on their success.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 5);
        #[cfg(target_os = "linux")]
        {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        }
    }
    Ok(())
}
