//! fal.ai and hosts with a compatible queue: pictures and clips by many models, each with its own endpoint.
//!
//! Source: fal's client and its generated list of endpoints, 2025-03 to 2026-08. The endpoint of each name is data (`models`).

mod inputs;
mod queue;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use serde_json::Value;

use super::http::{Auth, Endpoint, EndpointSettings, Http, Media, MediaKind};
use super::models::ModelTable;
use super::{
    Answer, Call, ClipAsk, ClipFile, ClipProvider, Picture, PictureAsk, PictureProvider, checks,
};
use crate::failure::{Failure, FailureKind, Stage};
use inputs::{Job, clip_job, picture_job};

/// The address of fal's queue.
pub const BASE_URL: &str = "https://queue.fal.run";
/// The variable that usually contains its key.
pub const KEY_ENV: &str = "FAL_KEY";
/// Most substitutes to try when the vendor no longer has a model.
const MAX_SUBSTITUTES: usize = 3;

/// The settings of the queue.
#[derive(Clone, Debug)]
pub struct FalSettings {
    /// The server. Its time limit applies to one request to the queue, not to a job.
    pub endpoint: EndpointSettings,
    /// Time limit of a job, including its wait in the queue.
    pub job_time: Duration,
    /// First and longest interval between two polls of a job.
    pub polls: [Duration; 2],
}

impl FalSettings {
    /// Returns the settings for fal's own queue.
    pub fn new(name: &str) -> FalSettings {
        FalSettings {
            endpoint: EndpointSettings {
                name: name.to_owned(),
                base_url: Url::parse(BASE_URL).expect("an address"),
                key_env: Some(KEY_ENV.to_owned()),
                auth: Auth::Scheme("Key".to_owned()),
                timeout: Duration::from_secs(60),
                allowed: Vec::new(),
                idempotency_header: None,
                ca_file: None,
            },
            job_time: Duration::from_secs(600),
            polls: [Duration::from_secs(1), Duration::from_secs(3)],
        }
    }

    /// Builds the adapter, which makes pictures and clips.
    pub fn build(&self, http: &Http, table: Arc<ModelTable>) -> Fal {
        Fal {
            endpoint: Endpoint::new(http, self.endpoint.clone()),
            job_time: self.job_time,
            polls: self.polls,
            table,
        }
    }
}

/// Makes pictures and clips.
#[derive(Clone, Debug)]
pub struct Fal {
    endpoint: Endpoint,
    job_time: Duration,
    polls: [Duration; 2],
    table: Arc<ModelTable>,
}

/// A job's model, its fallback if the vendor no longer has it, and the notes so far.
struct Chosen {
    job: Job,
    name: String,
    fallback: Option<String>,
    notes: Vec<String>,
}

impl Fal {
    /// Runs the job of `model`, or of its fallback if the vendor no longer has the model.
    fn run(
        &self,
        stage: Stage,
        model: &str,
        call: &Call,
        choose: impl Fn(&str) -> Option<Chosen>,
    ) -> Result<Answer<Value>, Failure> {
        let none = |name: &str| {
            let message =
                format!("no model is available for {name}: add a row to the table of models");
            self.endpoint
                .failure(stage, FailureKind::NotConfigured, message)
        };
        let mut chosen = choose(model).ok_or_else(|| none(model))?;
        let mut notes = std::mem::take(&mut chosen.notes);
        for _ in 0..MAX_SUBSTITUTES {
            let (failure, fallback) = match (self.queue(&chosen.job, stage, call), &chosen.fallback)
            {
                (Err(failure), Some(fallback)) if matches!(failure.status, Some(404 | 410)) => {
                    (failure, fallback.clone())
                }
                (Ok(result), _) => {
                    notes.append(&mut chosen.notes);
                    return Ok(Answer {
                        class: chosen.job.class,
                        ..Answer::noted(result, notes)
                    });
                }
                (Err(failure), _) => return Err(failure),
            };
            let gone = chosen.name;
            chosen = choose(&fallback).ok_or(failure)?;
            notes.push(format!(
                "{} no longer has the model {gone}; used {} instead",
                self.endpoint.name(),
                chosen.name
            ));
        }
        Err(none(model))
    }

    fn fetched(
        &self,
        url: Option<&str>,
        kind: MediaKind,
        stage: Stage,
        call: &Call,
    ) -> Result<Vec<u8>, Failure> {
        let url = url.ok_or_else(|| {
            self.endpoint
                .bad_answer(stage, "its result contains no file")
        })?;
        self.endpoint.fetch(Media { url, kind, stage }, call)
    }
}

/// Returns a picture as a `data:` address.
fn data_uri(file: &[u8]) -> String {
    format!(
        "data:{};base64,{}",
        checks::picture_mime(file),
        STANDARD.encode(file)
    )
}

impl PictureProvider for Fal {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn model(&self) -> &str {
        "queue"
    }

    fn paint(
        &self,
        ask: &PictureAsk,
        references: &[Vec<u8>],
        call: &Call,
    ) -> Result<Answer<Picture>, Failure> {
        let stage = Stage::Pictures;
        let choose = |name: &str| {
            let (row, mut notes) = self.table.live_picture(name)?;
            let job = picture_job(row, ask, references, &self.table, &mut notes);
            Some(Chosen {
                job,
                name: row.name.clone(),
                fallback: row.fallback.clone(),
                notes,
            })
        };
        let answer = self.run(stage, &ask.model, call, choose)?;
        let result = &answer.value;
        if result
            .pointer("/has_nsfw_concepts/0")
            .and_then(Value::as_bool)
            == Some(true)
        {
            let message = "its content filter blacked out the picture; reword the prompt";
            return Err(self.endpoint.failure(stage, FailureKind::Refused, message));
        }
        let places = ["/images/0/url", "/image/url"];
        let url = places
            .iter()
            .find_map(|place| result.pointer(place)?.as_str());
        let file = self.fetched(url, MediaKind::Picture, stage, call)?;
        let value = checks::picture(file).map_err(|what| {
            self.endpoint
                .bad_answer(stage, &format!("its picture {what}"))
        })?;
        Ok(answer.with(value))
    }
}

impl ClipProvider for Fal {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn model(&self) -> &str {
        "queue"
    }

    fn animate(
        &self,
        ask: &ClipAsk,
        picture: &Picture,
        call: &Call,
    ) -> Result<Answer<ClipFile>, Failure> {
        let stage = Stage::Clips;
        let choose = |name: &str| {
            let (row, mut notes) = self.table.live_clip(name)?;
            let job = clip_job(row, ask, picture, &mut notes);
            Some(Chosen {
                job,
                name: row.name.clone(),
                fallback: row.fallback.clone(),
                notes,
            })
        };
        let answer = self.run(stage, &ask.model, call, choose)?;
        let result = &answer.value;
        let url = result.pointer("/video/url").and_then(Value::as_str);
        let file = self.fetched(url, MediaKind::Clip, stage, call)?;
        let (value, _) = checks::clip(file)
            .map_err(|what| self.endpoint.bad_answer(stage, &format!("its clip {what}")))?;
        Ok(answer.with(value))
    }
}
