//! A running `kinora-x264`: frames go through shared memory, messages through a socket. The program ends with the session, however that ends.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::program::{ADVICE, PROGRAM};
use super::wire::{self, Broken, PROTOCOL, Wire};
use crate::encode::groups::{GroupEncoder, Unit, Waiting};
use crate::encode::sequence::encoder_error;
use crate::error::{Error, Result};
use crate::units::Size;

/// Longest wait for an answer after a frame; a frame takes it some milliseconds.
const LIMIT: Duration = Duration::from_secs(30);
/// Longest wait for its answer which library it has loaded.
const ASK_LIMIT: Duration = Duration::from_secs(10);
/// Frames in the shared memory: one is encoded while the next one is written.
const N_SLOTS: u64 = 2;
/// Maximum size of a message in bytes, except for packets.
const MAX_WORDS: usize = 4096;

/// Size and settings for encoding every group.
pub(super) struct Video {
    pub(super) size: Size,
    pub(super) parameters: Vec<(&'static str, String)>,
}

impl Video {
    fn frame_bytes(&self) -> usize {
        self.size.area() * 3 / 2
    }

    /// Builds the first message: versions, sizes, and settings as lines.
    fn opening(&self) -> Vec<u8> {
        let numbers = [PROTOCOL, self.size.width, self.size.height, N_SLOTS as u32];
        let mut message: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        for (name, value) in &self.parameters {
            message.extend_from_slice(format!("{name}={value}\n").as_bytes());
        }
        message
    }
}

/// The running program.
struct Running {
    child: Child,
    stream: UnixStream,
}

impl Running {
    /// Starts the program; `memory` becomes its standard output.
    fn start(program: &Path, memory: Stdio) -> std::io::Result<Running> {
        let (stream, theirs) = UnixStream::pair()?;
        let child = Command::new(program)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(memory)
            .stderr(Stdio::null())
            // Ctrl-C must only reach kinora, which then shuts the program down in order.
            .process_group(0)
            .spawn()?;
        Ok(Running { child, stream })
    }

    /// Explains why it does not continue, for people.
    fn explain(&mut self, broken: Broken) -> String {
        match broken {
            Broken::Closed => {
                let status = self.child.wait().map(|status| status.to_string());
                format!("it ended ({})", status.unwrap_or_default())
            }
            Broken::Silent(limit) => {
                format!(
                    "it did not answer for {} s and was stopped",
                    limit.as_secs()
                )
            }
            Broken::Cancelled => "the video was cancelled".to_owned(),
            Broken::Said(text) => text,
            Broken::Io(e) => e.to_string(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; either way no process is left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks which build of libx264 the program loads.
pub(super) fn ask_build(program: &Path) -> std::result::Result<u32, String> {
    let place = program.display();
    let mut running = Running::start(program, Stdio::null())
        .map_err(|e| format!("{place} cannot be started: {e}"))?;
    let is_cancelled = AtomicBool::new(false);
    let wire = Wire {
        stream: &running.stream,
        limit: ASK_LIMIT,
        is_cancelled: &is_cancelled,
    };
    let answer = wire.send(wire::QUERY, &[]).and_then(|()| hello(&wire));
    answer.map_err(|broken| {
        let said = running.explain(broken);
        format!("x264 is not usable on this machine: {said} ({ADVICE})")
    })
}

/// Waits for the greeting; returns the build of the library.
fn hello(wire: &Wire<'_>) -> std::result::Result<u32, Broken> {
    let (kind, body) = wire.receive(MAX_WORDS)?;
    let (&[protocol, build], []) = body.as_chunks::<4>() else {
        return Err(unexpected(kind));
    };
    if kind != wire::HELLO || u32::from_le_bytes(protocol) != PROTOCOL {
        let message = format!("{PROGRAM} has a different version from kinora: build both together");
        return Err(Broken::Said(message));
    }
    Ok(u32::from_le_bytes(build))
}

fn unexpected(kind: u8) -> Broken {
    let kind = kind.escape_ascii();
    Broken::Said(format!("it sent an unexpected message of kind {kind}"))
}

/// Encodes one group of pictures.
pub(super) struct Session {
    running: Running,
    memory: File,
    limit: Duration,
    is_cancelled: Arc<AtomicBool>,
    frame_bytes: usize,
    first: u64,
    /// Frames sent, and frames that the program has read.
    n_sent: u64,
    n_done: u64,
    /// Whether each frame's packet has arrived.
    came: Vec<bool>,
}

impl Session {
    /// Starts the program for the group whose first frame has index `first`.
    pub(super) fn open(
        program: &Path,
        video: &Video,
        first: u64,
        is_cancelled: &Arc<AtomicBool>,
    ) -> Result<Session> {
        let failed = |e: std::io::Error| {
            encoder_error(format!("{} cannot be started", program.display())).with_source(e)
        };
        let memory = shared_memory().map_err(failed)?;
        memory
            .set_len(N_SLOTS * video.frame_bytes() as u64)
            .map_err(failed)?;
        let theirs = memory.try_clone().map_err(failed)?;
        let running = Running::start(program, Stdio::from(theirs)).map_err(failed)?;
        let mut session = Session {
            running,
            memory,
            limit: LIMIT,
            is_cancelled: is_cancelled.clone(),
            frame_bytes: video.frame_bytes(),
            first,
            n_sent: 0,
            n_done: 0,
            came: Vec::new(),
        };
        let opened = session
            .wire()
            .send(wire::OPEN, &[&video.opening()])
            .and_then(|()| hello(&session.wire()));
        opened.map_err(|broken| session.error(broken))?;
        Ok(session)
    }

    fn wire(&self) -> Wire<'_> {
        Wire {
            stream: &self.running.stream,
            limit: self.limit,
            is_cancelled: &self.is_cancelled,
        }
    }

    fn error(&mut self, broken: Broken) -> Error {
        let (first, n_sent) = (self.first, self.n_sent);
        let said = self.running.explain(broken);
        encoder_error(format!(
            "{PROGRAM} stopped {n_sent} frames after key frame {first}: {said}"
        ))
    }

    fn send_frame(&mut self, frame: &Waiting, is_key: bool) -> std::result::Result<(), Broken> {
        let slot = self.n_sent % N_SLOTS;
        let at = slot * self.frame_bytes as u64;
        self.memory
            .write_all_at(frame.as_bytes(), at)
            .map_err(Broken::Io)?;
        let slot = (slot as u32).to_le_bytes();
        let number = self.n_sent.to_le_bytes();
        self.wire()
            .send(wire::FRAME, &[&slot, &number, &[u8::from(is_key)]])?;
        self.n_sent += 1;
        self.came.push(false);
        Ok(())
    }

    /// Reads messages up to one of the kind `last`.
    fn receive_until(&mut self, last: u8, out: &mut Vec<Unit>) -> std::result::Result<(), Broken> {
        let max_bytes = self.frame_bytes * 2 + (1 << 16);
        loop {
            let (kind, body) = self.wire().receive(max_bytes)?;
            match kind {
                wire::PACKET => out.push(self.unit(&body)?),
                wire::READY if self.n_done < self.n_sent => self.n_done += 1,
                wire::END if last == wire::END && self.n_done == self.n_sent => {}
                _ => return Err(unexpected(kind)),
            }
            if kind == last {
                return Ok(());
            }
        }
    }

    /// Parses a packet: the number of the frame that it shows, and its bytes.
    fn unit(&mut self, body: &[u8]) -> std::result::Result<Unit, Broken> {
        let (number, data) = body
            .split_first_chunk::<8>()
            .ok_or_else(|| unexpected(wire::PACKET))?;
        let number = u64::from_le_bytes(*number);
        let came = usize::try_from(number)
            .ok()
            .and_then(|number| self.came.get_mut(number))
            .filter(|came| !**came);
        let Some(came) = came else {
            let message = format!("it returned frame {number}, which was not expected");
            return Err(Broken::Said(message));
        };
        *came = true;
        Ok(Unit {
            data: data.to_vec(),
            shown: self.first + number,
        })
    }

    fn end(&mut self, out: &mut Vec<Unit>) -> std::result::Result<(), Broken> {
        while self.n_done < self.n_sent {
            self.receive_until(wire::READY, out)?;
        }
        self.wire().send(wire::END, &[])?;
        self.receive_until(wire::END, out)?;
        let n_missing = self.came.iter().filter(|came| !**came).count();
        if n_missing > 0 {
            let message = format!("it returned no packets for {n_missing} frames");
            return Err(Broken::Said(message));
        }
        Ok(())
    }
}

impl GroupEncoder for Session {
    fn encode(&mut self, frame: Waiting, is_key: bool, out: &mut Vec<Unit>) -> Result<()> {
        let sent = self.send_frame(&frame, is_key);
        drop(frame);
        let done = sent.and_then(|()| {
            if self.n_sent - self.n_done < N_SLOTS {
                return Ok(());
            }
            self.receive_until(wire::READY, out)
        });
        done.map_err(|broken| self.error(broken))
    }

    fn finish(&mut self, out: &mut Vec<Unit>) -> Result<()> {
        self.end(out).map_err(|broken| self.error(broken))
    }
}

/// Creates anonymous memory that can be passed to another process.
fn shared_memory() -> std::io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        Ok(rustix::fs::memfd_create("kinora-x264", flags)?.into())
    }
    #[cfg(not(target_os = "linux"))]
    tempfile::tempfile()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    use super::*;
    use crate::error::ErrorKind;

    const FRAME_BYTES: usize = 64 * 48 * 3 / 2;

    /// Creates a session with two frames sent to a program that does nothing; its messages are written into the other end of the socket.
    fn session(limit: Duration) -> (Session, UnixStream) {
        let child = Command::new("sleep").arg("100").spawn().unwrap();
        let (stream, theirs) = UnixStream::pair().unwrap();
        let session = Session {
            running: Running { child, stream },
            memory: shared_memory().unwrap(),
            limit,
            is_cancelled: Arc::default(),
            frame_bytes: FRAME_BYTES,
            first: 60,
            n_sent: 2,
            n_done: 0,
            came: vec![false; 2],
        };
        (session, theirs)
    }

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len()).unwrap().to_le_bytes();
        [&[kind], &length[..], body].concat()
    }

    fn packet(number: u64) -> Vec<u8> {
        message(
            b'P',
            &[&number.to_le_bytes()[..], b"\0\0\0\x01\x65"].concat(),
        )
    }

    /// Returns what the end of a group makes of the messages.
    fn end_with(messages: &[Vec<u8>]) -> Result<Vec<u64>> {
        let (mut session, mut theirs) = session(Duration::from_secs(5));
        theirs.write_all(&messages.concat()).unwrap();
        let mut units = Vec::new();
        // The program's end stays open: it has not died, it lied about being complete.
        let ended = session.finish(&mut units);
        ended.map(|()| units.iter().map(|unit| unit.shown).collect())
    }

    #[test]
    fn packets_may_come_late_and_in_any_order_of_showing() {
        let (ready, end) = (message(b'R', b""), message(b'Z', b""));
        let shown = end_with(&[ready.clone(), packet(1), ready, packet(0), end]).unwrap();
        assert_eq!(shown, [61, 60]);
    }

    #[test]
    fn lies_are_errors_that_name_the_program() {
        let (ready, end) = (message(b'R', b""), message(b'Z', b""));
        let mut long = message(b'P', b"");
        long[1..5].copy_from_slice(&u32::MAX.to_le_bytes());
        let control = message(b'E', b"no\x1b[31m memory\n");
        for (messages, due) in [
            (vec![packet(2)], "frame 2, which was not expected"),
            (vec![packet(u64::MAX)], "which was not expected"),
            (
                vec![packet(0), packet(0)],
                "frame 0, which was not expected",
            ),
            (vec![message(b'P', b"short")], "kind P"),
            (vec![message(b'H', b"")], "kind H"),
            (vec![message(0xff, b"")], "kind \\xff"),
            (vec![end.clone()], "kind Z"),
            (vec![ready.clone(), ready.clone(), ready.clone()], "kind R"),
            (vec![long], "4294967295 bytes"),
            (vec![control], "no[31m memory"),
            (
                vec![ready.clone(), ready, packet(1), end],
                "no packets for 1 frames",
            ),
        ] {
            let error = end_with(&messages).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Encoder);
            let text = error.to_string();
            assert!(
                text.contains(PROGRAM) && text.contains(due),
                "{due}: {text}"
            );
        }
    }

    #[test]
    fn silence_is_an_error_and_cancelling_ends_it() {
        let (mut silent, _theirs) = session(Duration::from_millis(200));
        let error = silent.finish(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("did not answer"), "{error}");
        let (mut cancelled, _theirs) = session(Duration::from_secs(60));
        cancelled.is_cancelled.store(true, Ordering::Relaxed);
        let clock = Instant::now();
        assert!(cancelled.finish(&mut Vec::new()).is_err());
        drop(cancelled);
        assert!(clock.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn a_program_of_another_version_is_refused() {
        let (session, mut theirs) = session(Duration::from_secs(5));
        let numbers = [PROTOCOL + 1, 164].map(u32::to_le_bytes).concat();
        theirs.write_all(&message(b'H', &numbers)).unwrap();
        let Err(Broken::Said(text)) = hello(&session.wire()) else {
            panic!("it was taken");
        };
        assert!(text.contains("a different version"), "{text}");
    }
}
