//! `kinora serve` and `kinora worker`: run until stopped.

use std::net::SocketAddr;

use kinora_service::serve::{self, ServeError, Started};
use serde_json::json;

use super::Place;
use crate::console;
use crate::failure::{Done, Failure};

/// Serve the video API over HTTP, with the dashboard and a worker; uses SQLite and a folder by default
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,

    /// The address to listen on [default: 127.0.0.1:8080, or as configured]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,

    /// The prefix of URLs in responses [default: http:// and the address, localhost for 0.0.0.0]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,

    /// Print logs and startup messages as JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Process the runs of a service whose database and storage are shared by several machines
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    place: Place,

    /// Print logs as JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Done {
    keep_memory_together();
    let mut config = args.place.config()?;
    if let Some(listen) = args.listen {
        config.server.listen = listen;
    }
    if let Some(url) = &args.public_url {
        config.server.public_url = Some(url.clone());
    }
    kinora_service::observe::start_logs(args.json);
    serve::run(config, |started| tell(started, args.json)).map_err(failed)
}

pub(crate) fn work(args: &WorkerArgs) -> Done {
    keep_memory_together();
    let config = args.place.config()?;
    kinora_service::observe::start_logs(args.json);
    serve::run_worker(config).map_err(failed)
}

/// Limits glibc to one memory arena per core, unless `MALLOC_ARENA_MAX` is set. By default it uses up to eight per core, and each keeps the memory that a
/// render once needed: on two cores a server held 930 MB after 100 short videos, and 356 MB with this limit.
fn keep_memory_together() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if std::env::var_os("MALLOC_ARENA_MAX").is_none() {
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        let n_arenas = libc::c_int::try_from(n_cores).unwrap_or(libc::c_int::MAX);
        // SAFETY: it takes two numbers, and no other thread runs yet.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, n_arenas) };
    }
}

fn failed(error: ServeError) -> Failure {
    match error {
        ServeError::Config(why) => Failure::Usage(why),
        other => Failure::Io(other.to_string()),
    }
}

fn tell(started: &Started, json: bool) {
    let first = started.first_account.as_ref();
    if json {
        console::json_line(&json!({
            "event": "started",
            "url": started.url,
            "is_local_only": started.is_local_only,
            "first_account": first.map(|first| json!({ "email": first.email, "password": first.password, "key": first.key })),
        }));
        return;
    }
    if let Some(first) = first {
        console::print(&format!(
            "A first account was created; these details are shown only once:\n  sign in:   {}\n  password:  {}\n  API key:   {}\n",
            first.email, first.password, first.key
        ));
    }
    let url = &started.url;
    console::print(&format!(
        "kinora is running at {url}  (dashboard {url}/, API {url}/api/v1, documentation {url}/docs); Ctrl-C stops it"
    ));
    if started.is_local_only {
        console::print(
            "It listens on every address, but the URLs in its responses work only on this machine: set the public one with --public-url URL",
        );
    }
}
