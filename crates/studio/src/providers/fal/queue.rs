//! A job in the queue: submitted, polled until it is done, fetched; cancelled when its result is no longer needed.

use std::time::{Duration, Instant};

use reqwest::{Method, Url};
use serde_json::Value;

use super::Fal;
use super::inputs::Job;
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::Call;
use crate::providers::http::{Ask, Reply};

/// Growth of the interval from poll to poll.
const POLL_GROWTH: f64 = 1.25;
/// Time limit for cancelling a job; no caller waits for it.
const CANCEL_PATIENCE: Duration = Duration::from_secs(10);

/// The addresses of a job on the configured host.
struct Ticket {
    status: Url,
    result: Url,
    cancel: Option<Url>,
}

impl Fal {
    /// Runs a job and returns its result.
    ///
    /// # Errors
    /// `TimedOut` after the job's time limit, `Refused` if the vendor's code says so, else as for any call.
    pub(super) fn queue(&self, job: &Job, stage: Stage, call: &Call) -> Result<Value, Failure> {
        let until = call.deadline.min(self.endpoint.now() + self.job_time);
        let call = Call {
            deadline: until,
            ..call.clone()
        };
        let parts: Vec<&str> = job.endpoint.split('/').collect();
        let submit = Ask::post(self.endpoint.url(&parts), job.input.clone()).step("submit");
        let reply = self.endpoint.call(&submit, stage, &call)?;
        let ticket = self.ticket(&reply, stage)?;
        let done = self.wait(&ticket, until, stage, &call);
        if done.is_err() {
            // A result that is not fetched should be neither made nor billed.
            let cancel = ticket.cancel.map(|url| Ask {
                method: Method::PUT,
                ..Ask::get(url)
            });
            cancel
                .iter()
                .for_each(|ask| self.endpoint.tell(ask, stage, &call, CANCEL_PATIENCE));
        }
        done?;
        // The queue has no failed jobs: all end as done, and the result contains the error.
        let reply = self.endpoint.call(&Ask::get(ticket.result), stage, &call)?;
        reply
            .json()
            .ok_or_else(|| self.endpoint.bad_answer(stage, "its result is not JSON"))
    }

    fn ticket(&self, reply: &Reply, stage: Stage) -> Result<Ticket, Failure> {
        let bad = |what| self.endpoint.bad_answer(stage, what);
        let json = reply
            .json()
            .ok_or_else(|| bad("its response is not JSON"))?;
        let url = |field: &str| {
            let url = json[field].as_str().and_then(|text| Url::parse(text).ok());
            let url = url.ok_or_else(|| bad("its response does not say where the job is"))?;
            // Requests to this address carry the key.
            match self.endpoint.is_own(&url) {
                true => Ok(url),
                false => Err(bad(
                    "it returned a job address on another host: check base_url",
                )),
            }
        };
        Ok(Ticket {
            status: url("status_url")?,
            result: url("response_url")?,
            cancel: url("cancel_url").ok(),
        })
    }

    fn wait(
        &self,
        ticket: &Ticket,
        until: Instant,
        stage: Stage,
        call: &Call,
    ) -> Result<(), Failure> {
        let [mut wait, longest] = self.polls;
        loop {
            let left = until.saturating_duration_since(self.endpoint.now());
            if left.is_zero() {
                let message = "the job did not finish in time";
                return Err(self.endpoint.failure(stage, FailureKind::TimedOut, message));
            }
            self.endpoint.sleep(wait.min(left), stage, &call.cancel)?;
            wait = wait.mul_f64(POLL_GROWTH).min(longest);
            let reply = self
                .endpoint
                .call(&Ask::get(ticket.status.clone()), stage, call)?;
            let json = reply.json().unwrap_or_default();
            match json["status"].as_str() {
                Some("COMPLETED") => return Ok(()),
                Some("IN_QUEUE" | "IN_PROGRESS") => {}
                _ => {
                    return Err(self
                        .endpoint
                        .bad_answer(stage, "its job has an unknown status"));
                }
            }
        }
    }
}
