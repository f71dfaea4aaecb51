//! What operators see: structured logs and Prometheus metrics. Neither ever holds a key, a password or a client's text.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use crate::db::RunStatus;
use crate::ids;
use crate::state::App;

const REQUESTS: &str = "kinora_http_requests_total";
const REQUEST_SECS: &str = "kinora_http_request_seconds";
const RUNS: &str = "kinora_runs";
const OLDEST: &str = "kinora_oldest_queued_run_seconds";
const ENDED: &str = "kinora_runs_ended_total";
const STAGE_SECS: &str = "kinora_stage_seconds";
const ENCODER_FPS: &str = "kinora_encoder_frames_per_second";

/// How often measurements are moved into their buckets.
const UPKEEP: Duration = Duration::from_secs(5);

/// The variable for the log level, such as `info` or `kinora_service=debug`.
const LOG_VARIABLE: &str = "KINORA_LOG";
/// The variable for the token that opens `/metrics` to other machines.
const TOKEN_VARIABLE: &str = "KINORA_METRICS_TOKEN";

/// Starts logging to stderr: JSON lines, or text for people. A second call changes nothing.
pub fn start_logs(json: bool) {
    let filter = EnvFilter::try_from_env(LOG_VARIABLE).unwrap_or_else(|_| {
        EnvFilter::new("info,sqlx=warn,riverqueue=warn,hyper=warn,object_store=warn")
    });
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = if json {
        logs.json().flatten_event(true).try_init()
    } else {
        logs.with_target(false).try_init()
    };
    // A program that embeds the service may already log in its own way.
    drop(started);
}

/// Returns the process's metrics.
fn recorder() -> &'static PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(|| {
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(
                Matcher::Full(REQUEST_SECS.into()),
                &[0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0],
            )
            .and_then(|b| {
                b.set_buckets_for_metric(
                    Matcher::Full(STAGE_SECS.into()),
                    &[0.1, 0.5, 2.0, 10.0, 30.0, 120.0, 600.0],
                )
            })
            .and_then(|b| {
                b.set_buckets_for_metric(
                    Matcher::Full(ENCODER_FPS.into()),
                    &[5.0, 15.0, 30.0, 60.0, 120.0, 240.0],
                )
            })
            .expect("the lists of buckets are not empty")
            .build_recorder();
        let handle = recorder.handle();
        // A program that embeds the service may have its own recorder, which then gets the metrics; `/metrics` stays empty.
        let _ = metrics::set_global_recorder(recorder);
        describe_counter!(REQUESTS, "requests answered, by method, route and status");
        describe_histogram!(
            REQUEST_SECS,
            Unit::Seconds,
            "time to the response header, by route"
        );
        describe_gauge!(RUNS, "queued and executing runs, on all machines");
        describe_gauge!(
            OLDEST,
            Unit::Seconds,
            "how long the oldest queued run has waited"
        );
        describe_counter!(ENDED, "runs that ended here, by status, reason and stage");
        describe_histogram!(STAGE_SECS, Unit::Seconds, "time of a stage of a run");
        describe_histogram!(ENCODER_FPS, "frames encoded a second, by run");
        handle
    })
}

/// Moves measurements into their buckets until `stopping`: otherwise they would pile up until the next scrape.
pub async fn keep_up(stopping: CancellationToken) {
    let rounds = async {
        loop {
            tokio::time::sleep(UPKEEP).await;
            recorder().run_upkeep();
        }
    };
    let _: Option<()> = stopping.run_until_cancelled(rounds).await;
}

/// Returns the label of a method: clients may send any word.
fn known(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
    ];
    let known = KNOWN.into_iter().find(|known| *known == method.as_str());
    known.unwrap_or("other")
}

/// Counts an answered request; `route` is the route's pattern, never a path as sent.
pub fn answered(method: &Method, route: &str, status: StatusCode, took: Duration) {
    recorder();
    counter!(REQUESTS, "method" => known(method), "route" => route.to_owned(), "status" => status.as_u16().to_string()).increment(1);
    histogram!(REQUEST_SECS, "route" => route.to_owned()).record(took.as_secs_f64());
}

/// Records the end of a run's stage.
pub fn stage(stage: &str, took: Duration) {
    recorder();
    histogram!(STAGE_SECS, "stage" => stage.to_owned()).record(took.as_secs_f64());
}

/// Records the encoding of a run.
pub fn encoded(n_frames: u64, took: Duration) {
    recorder();
    histogram!(ENCODER_FPS).record(n_frames as f64 / took.as_secs_f64().max(1e-3));
}

/// Counts an ended run; `reason` and `stage` are empty unless it failed.
pub fn ended(status: RunStatus, reason: &str, stage: &str) {
    recorder();
    counter!(ENDED, "status" => status.as_str(), "reason" => reason.to_owned(), "stage" => stage.to_owned()).increment(1);
}

/// Returns the routes of `/metrics`: open to callers on this machine, and to others with `Authorization: Bearer` and the token of `KINORA_METRICS_TOKEN`.
pub fn router(app: App) -> Router {
    Router::new().route("/metrics", get(scrape)).with_state(app)
}

async fn scrape(
    State(app): State<App>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
) -> Response {
    if !may_scrape(
        peer.map(|Extension(ConnectInfo(peer))| peer),
        &headers,
        std::env::var(TOKEN_VARIABLE).ok().as_deref(),
    ) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let recorder = recorder();
    if let Ok((depths, oldest_ms)) = app.db.queue_depth().await {
        for status in [RunStatus::Queued, RunStatus::Executing] {
            let n = depths
                .iter()
                .find(|(of, _)| *of == status)
                .map_or(0, |(_, n)| *n);
            gauge!(RUNS, "status" => status.as_str()).set(n as f64);
        }
        gauge!(OLDEST).set(oldest_ms as f64 / 1e3);
    }
    (
        [(
            header::CONTENT_TYPE,
            "text/plain; version=0.0.4; charset=utf-8",
        )],
        recorder.render(),
    )
        .into_response()
}

/// Behind a proxy every caller has a local address; the header that proxies add shows that it is remote.
fn may_scrape(peer: Option<SocketAddr>, headers: &HeaderMap, token: Option<&str>) -> bool {
    if let Some(token) = token.filter(|token| !token.is_empty()) {
        let given = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let given = given
            .and_then(|value| value.strip_prefix("Bearer "))
            .unwrap_or_default();
        return ids::is_same(given, token);
    }
    let is_forwarded = ["x-forwarded-for", "forwarded", "x-real-ip", "via"]
        .iter()
        .any(|name| headers.contains_key(*name));
    peer.is_some_and(|peer| peer.ip().is_loopback()) && !is_forwarded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_clients_are_no_labels() {
        assert_eq!(known(&Method::PATCH), "PATCH");
        for word in ["BREW", "get", "M-17"] {
            let method = Method::from_bytes(word.as_bytes()).expect("a token");
            assert_eq!(known(&method), "other");
        }
    }

    #[test]
    fn strangers_see_no_metrics() {
        let here = Some(SocketAddr::from(([127, 0, 0, 1], 9)));
        let there = Some(SocketAddr::from(([192, 0, 2, 7], 9)));
        let bare = HeaderMap::new();
        assert!(may_scrape(here, &bare, None));
        assert!(!may_scrape(there, &bare, None));
        assert!(!may_scrape(None, &bare, None));
        let mut proxied = HeaderMap::new();
        proxied.insert("x-forwarded-for", "192.0.2.7".parse().expect("a header"));
        assert!(!may_scrape(here, &proxied, None));
        let mut bearer = HeaderMap::new();
        bearer.insert(
            header::AUTHORIZATION,
            "Bearer abc".parse().expect("a header"),
        );
        assert!(may_scrape(there, &bearer, Some("abc")));
        assert!(!may_scrape(here, &bearer, Some("abd")));
        assert!(!may_scrape(here, &bare, Some("abc")));
    }
}
