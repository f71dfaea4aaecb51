//! The protocol between kinora and `kinora-x264`; the other end, `crates/x264/src/wire.rs`, describes it.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Version of the protocol. Changes when one end could misunderstand the other.
pub(super) const PROTOCOL: u32 = 1;

/// Kinds of messages.
pub(super) const QUERY: u8 = b'Q';
pub(super) const OPEN: u8 = b'O';
pub(super) const FRAME: u8 = b'F';
pub(super) const END: u8 = b'Z';
pub(super) const HELLO: u8 = b'H';
pub(super) const PACKET: u8 = b'P';
pub(super) const READY: u8 = b'R';
pub(super) const ERROR: u8 = b'E';

/// How often cancellation is checked.
const POLL: Duration = Duration::from_millis(50);

/// Reason why the exchange failed.
#[derive(Debug)]
pub(super) enum Broken {
    /// The other end closed the connection.
    Closed,
    /// No answer within the limit.
    Silent(Duration),
    /// The answer is no longer wanted.
    Cancelled,
    /// The other end sent something impossible, or reported an error.
    Said(String),
    /// The system failed.
    Io(std::io::Error),
}

/// One end of the wire.
pub(super) struct Wire<'a> {
    pub(super) stream: &'a UnixStream,
    /// Longest wait for an answer.
    pub(super) limit: Duration,
    pub(super) is_cancelled: &'a AtomicBool,
}

impl Wire<'_> {
    /// Sends a message made of the parts.
    pub(super) fn send(&self, kind: u8, parts: &[&[u8]]) -> Result<(), Broken> {
        let n_bytes: usize = parts.iter().map(|part| part.len()).sum();
        let length = u32::try_from(n_bytes).map_err(|_| said("a message is too long"))?;
        let mut message = vec![kind];
        message.extend_from_slice(&length.to_le_bytes());
        for part in parts {
            message.extend_from_slice(part);
        }
        let sent = self
            .stream
            .set_write_timeout(Some(self.limit))
            .and_then(|()| (&mut { self.stream }).write_all(&message));
        sent.map_err(|e| match e.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Broken::Closed,
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Broken::Silent(self.limit),
            _ => Broken::Io(e),
        })
    }

    /// Waits for a message of at most `max_bytes`.
    pub(super) fn receive(&self, max_bytes: usize) -> Result<(u8, Vec<u8>), Broken> {
        let until = Instant::now() + self.limit;
        let mut head = [0; 5];
        self.fill(&mut head, until)?;
        let [kind, length @ ..] = head;
        let n_bytes = u32::from_le_bytes(length) as usize;
        if n_bytes > max_bytes {
            return Err(said(&format!(
                "it sent a message of {n_bytes} bytes, which is too long"
            )));
        }
        let mut body = vec![0; n_bytes];
        self.fill(&mut body, until)?;
        if kind == ERROR {
            let text = String::from_utf8_lossy(&body);
            let text: String = text.chars().filter(|c| !c.is_control()).take(300).collect();
            return Err(Broken::Said(text));
        }
        Ok((kind, body))
    }

    fn fill(&self, mut buffer: &mut [u8], until: Instant) -> Result<(), Broken> {
        self.stream
            .set_read_timeout(Some(POLL))
            .map_err(Broken::Io)?;
        while !buffer.is_empty() {
            match (&mut { self.stream }).read(buffer) {
                Ok(0) => return Err(Broken::Closed),
                Ok(n) => buffer = &mut buffer[n..],
                Err(e) => match e.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::ConnectionReset => return Err(Broken::Closed),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => {}
                    _ => return Err(Broken::Io(e)),
                },
            }
            if self.is_cancelled.load(Ordering::Relaxed) {
                return Err(Broken::Cancelled);
            }
            if !buffer.is_empty() && Instant::now() >= until {
                return Err(Broken::Silent(self.limit));
            }
        }
        Ok(())
    }
}

fn said(what: &str) -> Broken {
    Broken::Said(what.to_owned())
}
