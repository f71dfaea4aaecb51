//! The accept loop: a cap on connections, time limits on each, and a stop that lets running requests end.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::body::Ended;
use super::socket::{Limits, Phase, Socket};
use crate::config::Server;

/// Maximum bytes of a request's line and headers; more is answered with 431.
const MAX_HEAD_BYTES: usize = 32 << 10;
/// Maximum number of request headers.
const MAX_HEADERS: usize = 100;
/// How long running requests may take to end after a stop.
const STOP: Duration = Duration::from_secs(10);
/// Pause after a failed accept: the process is out of descriptors, and retrying immediately would not help.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

/// Serves until `shutdown`; then accepts no more connections and gives running requests 10 s to end.
///
/// # Errors
/// The listener's address cannot be read, which never happens in practice.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    config: &Server,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    tracing::info!(%address, "listening");
    let slots = Arc::new(Semaphore::new(config.connections));
    let limits = Limits {
        header: Duration::from_secs(config.header_secs),
        idle: Duration::from_secs(config.idle_secs),
    };
    let stop = Stop::default();
    let running = TaskTracker::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            next = next => next,
            () = &mut shutdown => break,
        };
        let slot = slot.expect("the semaphore is never closed");
        match accepted {
            Ok(accepted) => {
                running.spawn(connection(
                    accepted,
                    router.clone(),
                    limits,
                    stop.clone(),
                    slot,
                ));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(AFTER_FAILED_ACCEPT).await;
            }
        }
    }
    drop(listener);
    stop.soon.cancel();
    running.close();
    if tokio::time::timeout(STOP, running.wait()).await.is_err() {
        tracing::warn!(n_connections = running.len(), "connections were cut off");
        stop.now.cancel();
    }
    Ok(())
}

/// Signals for connections to end.
#[derive(Clone, Default)]
struct Stop {
    /// After the request that is being answered.
    soon: CancellationToken,
    /// Immediately.
    now: CancellationToken,
}

async fn connection(
    (stream, peer): (TcpStream, SocketAddr),
    router: Router,
    limits: Limits,
    stop: Stop,
    slot: OwnedSemaphorePermit,
) {
    let _slot = slot;
    // Small answers are sent without delay; if the option cannot be set, the connection is served all the same.
    let _ = stream.set_nodelay(true);
    let phase = Arc::new(Phase::default());
    let socket = Socket::new(stream, Arc::clone(&phase), limits);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        // Only hyper knows where a chunked body ends, so the head after it could not be checked.
        let is_last = request.headers().contains_key(header::TRANSFER_ENCODING);
        phase.begin();
        let ended = Ended::new(Arc::clone(&phase));
        let answer = router.clone().oneshot(request.map(Body::new));
        async move {
            let mut response = answer.await.unwrap_or_else(|never| match never {});
            if is_last {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
            }
            Ok::<Response<_>, Infallible>(response.map(|body| ended.with(body)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // The socket measures time, because hyper counts the pause between two requests as part of the next header.
        .header_read_timeout(None)
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(socket), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.soon.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection => ended,
                () = stop.now.cancelled() => Ok(()),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended badly");
    }
}
