//! The service as a whole: opens its parts, serves and works until it receives a signal, and stops in order.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::admin::{self, AdminError, FirstAccount};
use crate::config::Config;
use crate::scratch::make_folder;
use crate::state::App;
use crate::work::Workers;
use crate::{documentation, edge, observe, routes, web};

/// Why the service cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration.
    #[error("{0}")]
    Config(String),
    /// The data folder.
    #[error("the data folder {0}: {1}")]
    Data(String, io::Error),
    /// The database or the media store.
    #[error("{0}")]
    Open(String),
    /// The first account.
    #[error("{0}")]
    Admin(#[from] AdminError),
    /// The address to listen on.
    #[error("cannot listen on {0}: {1}; choose another address with --listen")]
    Listen(SocketAddr, io::Error),
    /// The workers.
    #[error("the workers: {0}")]
    Work(String),
    /// The runtime or its signals.
    #[error("the runtime: {0}")]
    Runtime(io::Error),
}

/// What a server reports when it is ready.
#[derive(Clone, Debug)]
pub struct Started {
    /// Its URL, without a trailing slash.
    pub url: String,
    /// Whether that URL works only on this machine although the server listens on every address.
    pub is_local_only: bool,
    /// The account created on the first start.
    pub first_account: Option<FirstAccount>,
}

/// Serves until SIGINT or SIGTERM; a second signal ends the process immediately. `on_start` is called when the server accepts requests.
///
/// # Errors
/// What cannot be opened or listened on.
pub fn run(config: Config, on_start: impl FnOnce(&Started)) -> Result<(), ServeError> {
    block_on(async {
        let mut config = config;
        let address = config.server.listen;
        let listener = TcpListener::bind(address)
            .await
            .map_err(|e| ServeError::Listen(address, e))?;
        // With port 0 the system chose one, and URLs must name it.
        config.server.listen = listener
            .local_addr()
            .map_err(|e| ServeError::Listen(address, e))?;
        let app = opened(config).await?;
        let first_account = admin::first_account(&app.db).await?;
        stop_on_signals(app.stopping.clone())?;
        let n_runs = app.config.worker.n_in_server;
        let workers = start_workers(&app, n_runs).await?;
        on_start(&Started {
            url: app.config.public_url(),
            is_local_only: app.config.is_local_only(),
            first_account,
        });
        let router = router(app.clone());
        let stopping = app.stopping.clone().cancelled_owned();
        let served = edge::serve(listener, router, &app.config.server, stopping).await;
        if let Some(workers) = workers {
            workers.stop().await;
        }
        served.map_err(ServeError::Runtime)
    })
}

/// Returns the router of the whole service.
pub fn router(app: App) -> Router {
    let config = app.config.clone();
    let router = Router::new()
        .nest(routes::PREFIX, routes::interface(app.clone()))
        .merge(routes::media::router(app.clone()))
        .merge(routes::health::router(app.clone()))
        .merge(documentation::router(app.clone()))
        .merge(observe::router(app.clone()))
        .merge(web::router(app))
        // Every body reader sets its own limit.
        .layer(DefaultBodyLimit::disable());
    edge::layered(router, &config.server)
}

/// Works on runs until SIGINT or SIGTERM.
///
/// # Errors
/// What cannot be opened.
pub fn run_worker(config: Config) -> Result<(), ServeError> {
    block_on(async {
        let app = opened(config).await?;
        stop_on_signals(app.stopping.clone())?;
        let workers = start_workers(&app, app.config.worker.n_runs.max(1)).await?;
        tracing::info!("working");
        app.stopping.cancelled().await;
        if let Some(workers) = workers {
            workers.stop().await;
        }
        Ok(())
    })
}

async fn opened(config: Config) -> Result<App, ServeError> {
    // The file was checked when it was read, but the command line overrides it.
    let problems = config.problems();
    if !problems.is_empty() {
        return Err(ServeError::Config(problems.join("\n")));
    }
    let told = |e| ServeError::Data(config.data.display().to_string(), e);
    make_folder(&config.data).map_err(told)?;
    let app = App::open(config).await.map_err(ServeError::Open)?;
    tokio::spawn(observe::keep_up(app.stopping.clone()));
    Ok(app)
}

async fn start_workers(app: &App, n_runs: usize) -> Result<Option<Workers>, ServeError> {
    if n_runs == 0 {
        return Ok(None);
    }
    let started = Workers::start(app.clone(), n_runs).await;
    started
        .map(Some)
        .map_err(|e| ServeError::Work(e.to_string()))
}

/// Runs a future to its end on its own runtime.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("the system gives threads and an event queue");
    let value = runtime.block_on(future);
    // Threads that still block (a render asked to stop) do not delay the exit.
    runtime.shutdown_timeout(Duration::from_secs(1));
    value
}

/// The first signal asks to stop, the second ends the process.
fn stop_on_signals(stopping: CancellationToken) -> Result<(), ServeError> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::Runtime)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Runtime)?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if stopping.is_cancelled() {
                tracing::warn!(
                    "second stop signal: exiting immediately; leases expire and other workers take over"
                );
                // Not `std::process::exit`: exit handlers of libraries can wait for threads that are still busy.
                // SAFETY: `_exit` takes a number and does not return.
                unsafe { libc::_exit(1) };
            }
            tracing::info!("stopping");
            stopping.cancel();
        }
    });
    Ok(())
}
