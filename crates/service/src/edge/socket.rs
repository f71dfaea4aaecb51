//! A connection's socket with its time limits: for the header, the pause between requests, and an answer that the client does not read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::head::HeadReader;
use super::layers::bare_refusal;

/// How long an answer may wait until its client reads any byte of it.
const STALL: Duration = Duration::from_secs(30);

/// Time limits of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// From a request's first byte (for the first request, from the start of the connection) to the end of its header.
    pub(super) header: Duration,
    /// Between an answer and the next request.
    pub(super) idle: Duration,
}

/// Whether a connection is answering a request; shared with the service that answers.
#[derive(Debug, Default)]
pub(super) struct Phase {
    is_busy: AtomicBool,
    n_ended: AtomicU64,
}

impl Phase {
    /// Marks a header as complete.
    pub(super) fn begin(&self) {
        self.is_busy.store(true, Ordering::Release);
    }

    /// Marks an answer as complete.
    pub(super) fn end(&self) {
        self.n_ended.fetch_add(1, Ordering::AcqRel);
        self.is_busy.store(false, Ordering::Release);
    }
}

/// A socket that closes when its client is too slow.
pub(super) struct Socket {
    stream: TcpStream,
    phase: Arc<Phase>,
    limits: Limits,
    /// The number of answers finished when `deadline` was set.
    n_ended: u64,
    is_in_head: bool,
    head: HeadReader,
    deadline: Pin<Box<Sleep>>,
    stall: Pin<Box<Sleep>>,
    is_stalled: bool,
    /// The bytes that replace one of hyper's own answers, and how many have been sent.
    own: Option<(Vec<u8>, usize)>,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, phase: Arc<Phase>, limits: Limits) -> Socket {
        Socket {
            stream,
            phase,
            limits,
            n_ended: 0,
            is_in_head: true,
            head: HeadReader::default(),
            deadline: Box::pin(sleep(limits.header)),
            stall: Box::pin(sleep(STALL)),
            is_stalled: false,
            own: None,
        }
    }

    /// Handles incoming bytes: of a request or a body, or of the next request while this one is being answered.
    fn arrived(&mut self, bytes: &mut [u8]) {
        if !self.phase.is_busy.load(Ordering::Acquire) && !self.is_in_head {
            self.is_in_head = true;
            let until = Instant::now() + self.limits.header;
            self.deadline.as_mut().reset(until);
        }
        if let Some(at) = self.head.read(bytes) {
            // Zero bytes are not a valid request: hyper refuses it and closes.
            bytes[at..].fill(0);
        }
    }

    /// Ends the connection when its time is over.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let n_ended = self.phase.n_ended.load(Ordering::Acquire);
        if n_ended != self.n_ended {
            self.n_ended = n_ended;
            self.is_in_head = false;
            self.deadline
                .as_mut()
                .reset(Instant::now() + self.limits.idle);
        }
        self.deadline.as_mut().poll(cx)
    }

    /// Writes the bytes that replace one of hyper's own answers.
    fn poll_own(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some((bytes, at)) = &mut self.own {
            let n = ready!(Pin::new(&mut self.stream).poll_write(cx, &bytes[*at..]))?;
            *at += n;
            if *at >= bytes.len() || n == 0 {
                self.own = None;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let socket = self.get_mut();
        let is_busy = socket.phase.is_busy.load(Ordering::Acquire);
        // An end of input makes hyper close the connection.
        let is_late = !is_busy && socket.poll_deadline(cx).is_ready();
        let before = buf.filled().len();
        match Pin::new(&mut socket.stream).poll_read(cx, buf) {
            Poll::Pending if is_late => Poll::Ready(Ok(())),
            Poll::Ready(Ok(())) if is_late && socket.is_in_head => {
                buf.set_filled(before);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Ok(())) => {
                socket.arrived(&mut buf.filled_mut()[before..]);
                Poll::Ready(Ok(()))
            }
            other => other,
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let socket = self.get_mut();
        if socket.own.is_none()
            && let Some(status) = automatic(buf)
        {
            socket.own = Some((bare_refusal(status), 0));
        }
        let written = if socket.own.is_some() {
            socket.poll_own(cx).map_ok(|()| buf.len())
        } else {
            Pin::new(&mut socket.stream).poll_write(cx, buf)
        };
        if written.is_ready() {
            socket.is_stalled = false;
            return written;
        }
        if !socket.is_stalled {
            socket.is_stalled = true;
            socket.stall.as_mut().reset(Instant::now() + STALL);
        }
        ready!(socket.stall.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// Returns the status if these bytes are hyper's own answer to a head that it could not read: a whole head without a body and without a request id.
fn automatic(bytes: &[u8]) -> Option<StatusCode> {
    const LONGEST: usize = 300;
    let is_refusal = bytes.starts_with(b"HTTP/1.1 4") && bytes.ends_with(b"\r\n\r\n");
    if !is_refusal || bytes.len() > LONGEST {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let is_bare = text.contains("content-length: 0\r\n") && !text.contains("x-request-id");
    let status = text.get(9..12)?.as_bytes();
    is_bare
        .then(|| StatusCode::from_bytes(status).ok())
        .flatten()
}
