//! The program `kinora-espeak`: found, started without a shell, limited in time and in the size of its answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::NAME;
use crate::failure::{Failure, FailureKind};
use crate::providers::Call;
use crate::voice::{MAX_SECS, check_time, failure, too_long};

/// The environment variable with the program's path, if it is not next to kinora.
const VARIABLE: &str = "KINORA_ESPEAK";
const PROGRAM: &str = "kinora-espeak";
/// What to do when the library or its data are missing.
const ADVICE: &str = "on Debian 12: apt-get install libespeak-ng1 espeak-ng-data";
/// Most bytes of the line of JSON.
const MAX_LINE: u64 = 8 << 20;
/// Most bytes of the WAV file: 16 bits at 22,050 Hz, and its header.
const MAX_WAV: u64 = MAX_SECS as u64 * 22_050 * 2 + 1024;
/// How often cancellation is checked.
const POLL: Duration = Duration::from_millis(10);

/// The program's answer.
pub(super) struct Heard {
    /// The line of JSON.
    pub(super) line: Vec<u8>,
    /// The WAV file after it, of the length given in the line.
    pub(super) wav: Vec<u8>,
}

/// The only parts of the line that matter here.
#[derive(Deserialize)]
struct Lengths {
    #[serde(default)]
    wav_bytes: u64,
    error: Option<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    kind: String,
    message: String,
}

/// Returns the program's path: `$KINORA_ESPEAK`, next to the running program, or on the `PATH`.
pub(super) fn find() -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    let here = std::env::current_exe().ok();
    let beside = here.as_ref().and_then(|exe| exe.parent());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = beside
        .map(PathBuf::from)
        .into_iter()
        .chain(std::env::split_paths(&path).filter(|folder| folder.is_absolute()));
    let file = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    folders
        .find_map(|folder| Some(folder.join(&file)).filter(|path| path.is_file()))
        .ok_or_else(|| {
            let message = format!(
                "the program {PROGRAM} is neither beside kinora nor on the PATH; build it (`cargo build --release -p kinora-espeak`, which ./kinora does) \
                 or name it in {VARIABLE}; it also needs eSpeak NG ({ADVICE})"
            );
            failure(NAME, FailureKind::NotConfigured, message)
        })
}

/// Runs the program and waits for its complete answer, at most `limit` and not beyond the call's deadline.
pub(super) fn run(
    path: &PathBuf,
    arguments: &[&str],
    input: Vec<u8>,
    limit: Duration,
    call: Option<&Call>,
) -> Result<Heard, Failure> {
    let mut child = Command::new(path)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| {
            let message = format!("{} cannot be started: {e}", path.display());
            failure(NAME, FailureKind::NotConfigured, message)
        })?;
    let answer = listen(&mut child, input);
    let until = Instant::now() + limit;
    let heard = wait(&answer, until, call);
    // A program that answered has ended or ends now; any other is no longer needed.
    let status = ended(
        &mut child,
        until.min(Instant::now() + Duration::from_millis(500)),
        heard.is_ok(),
    );
    judge(heard?, status)
}

/// Starts threads that write the input and read the answer. They end with the pipes.
fn listen(child: &mut Child, input: Vec<u8>) -> Receiver<Result<Heard, String>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stdin) = child.stdin.take() {
        std::thread::spawn(move || {
            // If the program does not read its input, its answer shows the error.
            let _ = stdin.write_all(&input);
        });
    }
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            // After a cancellation, the receiver is gone.
            let _ = sender.send(read(stdout));
        });
    }
    receiver
}

/// Reads a line and the number of bytes that it announces.
fn read(stdout: ChildStdout) -> Result<Heard, String> {
    let mut stdout = BufReader::new(stdout);
    let mut line = Vec::new();
    let broken = |e: std::io::Error| format!("its answer cannot be read: {e}");
    Read::take(&mut stdout, MAX_LINE)
        .read_until(b'\n', &mut line)
        .map_err(broken)?;
    let mut wav = Vec::new();
    if let Ok(lengths) = serde_json::from_slice::<Lengths>(&line) {
        let n_bytes = lengths.wav_bytes;
        if n_bytes > MAX_WAV {
            return Err(format!("it announced too many bytes: {n_bytes}"));
        }
        let n_read = Read::take(&mut stdout, n_bytes).read_to_end(&mut wav);
        if n_read.map_err(broken)? as u64 != n_bytes {
            return Err(format!("it sent {} of {n_bytes} bytes", wav.len()));
        }
    }
    Ok(Heard { line, wav })
}

/// Waits for the answer, the limit, or the end of the call.
fn wait(
    answer: &Receiver<Result<Heard, String>>,
    until: Instant,
    call: Option<&Call>,
) -> Result<Heard, Failure> {
    loop {
        match answer.recv_timeout(POLL) {
            Ok(heard) => {
                return heard.map_err(|reason| {
                    failure(NAME, FailureKind::BadAnswer, format!("{PROGRAM}: {reason}"))
                });
            }
            Err(RecvTimeoutError::Disconnected) => {
                let message = format!("{PROGRAM} gave no answer");
                return Err(failure(NAME, FailureKind::BadAnswer, message));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(call) = call {
            check_time(NAME, call)?;
        }
        if Instant::now() >= until {
            let message = format!("{PROGRAM} did not answer in time and was stopped");
            return Err(failure(NAME, FailureKind::TimedOut, message));
        }
    }
}

/// Returns the exit status if the program ended by itself; else kills it.
fn ended(child: &mut Child, until: Instant, answered: bool) -> Option<ExitStatus> {
    while answered && Instant::now() < until {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // It may have ended just now; in either case no process remains.
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// Rejects an answer that is an error or empty.
fn judge(heard: Heard, status: Option<ExitStatus>) -> Result<Heard, Failure> {
    let Ok(lengths) = serde_json::from_slice::<Lengths>(&heard.line) else {
        let ending = match status {
            Some(status) if !status.success() => format!(" ({status})"),
            _ => String::new(),
        };
        let message = format!(
            "{PROGRAM} gave an unexpected answer{ending}; is it the same version as kinora?"
        );
        return Err(failure(NAME, FailureKind::BadAnswer, message));
    };
    let Some(problem) = lengths.error else {
        return Ok(heard);
    };
    let said: String = problem
        .message
        .chars()
        .filter(|c| !c.is_control())
        .take(300)
        .collect();
    let (kind, message) = match problem.kind.as_str() {
        "no_library" | "no_data" => {
            let message = format!("eSpeak NG is not usable on this machine: {said} ({ADVICE})");
            (FailureKind::NotConfigured, message)
        }
        "too_long" => return Err(too_long(NAME)),
        "no_voice" => (FailureKind::BadInput, said),
        _ => (FailureKind::BadAnswer, format!("{PROGRAM}: {said}")),
    };
    Err(failure(NAME, kind, message))
}
