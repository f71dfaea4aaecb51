//! Messages to webhooks: signed, sent only to public addresses, and retried until delivered, at most eight times.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kinora_studio::providers::http::{NotPublic, Resolver, SystemLookup, install_tls};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, redirect};
use riverqueue::WorkOutcome;
use serde::Serialize;

use super::upkeep::jittered;
use crate::app::runs::RunState;
use crate::app::webhook_url::checked;
use crate::app::webhooks::{ATTEMPTS, WAITS};
use crate::config::Config;
use crate::db::{DbError, Delivery};
use crate::ids;
use crate::state::App;

/// `t=UNIX,v1=HEX`: the time of signing, and the HMAC-SHA256 of `UNIX.BODY` under the webhook's secret.
pub const SIGNATURE: &str = "kinora-signature";
/// The delivery's id, the same in every attempt: receivers recognize duplicates by it.
pub const DELIVERY: &str = "kinora-delivery";

/// Time limit of a whole attempt.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the value of [`SIGNATURE`] for a body sent at `unix` seconds since 1970.
pub fn signature(secret: &str, unix: u64, body: &str) -> String {
    let digits = ids::mac(secret, &format!("{unix}.{body}"));
    format!("t={unix},v1={digits}")
}

/// Sends messages.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    client: Client,
    is_open: bool,
}

/// The JSON body of a message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    event: &'a str,
    created_at: i64,
    data: Told<'a>,
}

/// The run that ended.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    run_id: &'a str,
    #[serde(flatten)]
    state: RunState,
}

/// The result of an attempt at a delivery.
struct Tried {
    status: Option<u16>,
    error: Option<&'static str>,
}

impl Sender {
    pub fn new(config: &Config) -> Result<Sender, reqwest::Error> {
        install_tls();
        let is_open = config.worker.private_webhooks;
        let resolver = Resolver {
            lookup: Arc::new(SystemLookup),
            is_guarded: !is_open,
        };
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .referer(false)
            // A proxy would connect to unchecked addresses.
            .no_proxy()
            .retry(reqwest::retry::never())
            .timeout(TIMEOUT)
            .pool_max_idle_per_host(0)
            .dns_resolver(resolver)
            .user_agent(concat!("kinora/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Sender { client, is_open })
    }

    /// Sends a message that was not delivered yet.
    pub async fn deliver(&self, app: &App, id: &str) -> Result<WorkOutcome, DbError> {
        let db = &app.db;
        let Some(mut delivery) = db.delivery(id).await? else {
            return Ok(WorkOutcome::Complete);
        };
        let n_before = delivery.n_attempts as usize;
        if delivery.delivered_at.is_some() || delivery.n_attempts >= ATTEMPTS {
            return Ok(WorkOutcome::Complete);
        }
        if delivery.payload.is_empty() {
            let Some(payload) = payload(app, &delivery).await? else {
                return Ok(WorkOutcome::Complete);
            };
            delivery.payload = db.keep_payload(id, &payload).await?;
        }
        let Tried { status, error } = self.send(&delivery).await;
        db.attempted(id, status, error, error.is_none()).await?;
        match (error, WAITS.get(n_before)) {
            (None, _) => Ok(WorkOutcome::Complete),
            (Some(why), Some(secs)) => {
                tracing::info!(id, why, "a webhook did not accept a message");
                Ok(WorkOutcome::Snooze(jittered(Duration::from_secs(*secs))))
            }
            (Some(why), None) => {
                tracing::warn!(id, why, "giving up on a message");
                Ok(WorkOutcome::Complete)
            }
        }
    }

    async fn send(&self, delivery: &Delivery) -> Tried {
        let Ok(url) = checked(&delivery.url, self.is_open) else {
            return Tried {
                status: None,
                error: Some("the address is not allowed"),
            };
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_secs());
        let sent = self
            .client
            .post(url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(DELIVERY, &delivery.id)
            .header(
                SIGNATURE,
                signature(&delivery.secret, now, &delivery.payload),
            )
            .body(delivery.payload.clone())
            .send()
            .await;
        match sent {
            Ok(answer) if answer.status().is_success() => Tried {
                status: Some(answer.status().as_u16()),
                error: None,
            },
            Ok(answer) => Tried {
                status: Some(answer.status().as_u16()),
                error: Some("the response is not a success"),
            },
            Err(error) => Tried {
                status: None,
                error: Some(reason(&error)),
            },
        }
    }
}

/// Returns the body of a message: the ended run and its state as in its status. `None` if the run is gone.
async fn payload(app: &App, delivery: &Delivery) -> Result<Option<String>, DbError> {
    let run = app.db.run(&delivery.account_id, &delivery.run_id, None);
    let Some(run) = run.await? else {
        return Ok(None);
    };
    let message = Message {
        id: &delivery.id,
        event: &delivery.event,
        created_at: delivery.created_at,
        data: Told {
            run_id: &delivery.run_id,
            state: RunState::of(app, &run),
        },
    };
    Ok(Some(serde_json::to_string(&message)?))
}

/// Describes an error in our own words: the client's text may contain internal addresses.
fn reason(error: &reqwest::Error) -> &'static str {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = source {
        let wrapped = inner
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        if inner.is::<NotPublic>() || wrapped.is_some_and(|inner| inner.is::<NotPublic>()) {
            return "the address is not allowed";
        }
        source = inner.source();
    }
    match error {
        e if e.is_timeout() => "no response in time",
        e if e.is_connect() => "no connection",
        _ => "no response",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_what_others_compute() {
        // printf '%s' '1700000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_1
        let expected =
            "t=1700000000,v1=2bacf7b77f8a947e36777d445799846ce8389284516e77b94f239ef893b8def7";
        assert_eq!(signature("whsec_1", 1_700_000_000, "{\"a\":1}"), expected);
    }
}
