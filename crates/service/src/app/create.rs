//! Creates runs, for API keys and the dashboard alike: turns a body into an order, holds the estimated credits, and stores everything together.

use kinora_studio::estimate::{Estimate, Input, Makers, estimate_by};
use kinora_studio::request::{FieldWarning, MAX_VIDEO_SECS, Parsed, ShortRequest, UniverseRequest};
use serde::Serialize;
use serde_json::{Value, json};

use super::asker::Asker;
use super::extras::Extras;
use super::title::title;
use super::{cast, languages, runs, substitutions, universes, uploads};
use crate::db::{Account, Created, Estimated, Family, Idempotency, NewRun, RunStatus, Upload};
use crate::error::{Answer, ApiError, Code};
use crate::ids;
use crate::order::{Asked, Order, Recorded};
use crate::state::App;
use axum::http::StatusCode;

/// A create request as received.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// JSON.
    pub body: &'a [u8],
    /// The client's `Idempotency-Key`, checked.
    pub idempotency: Option<&'a str>,
}

/// A run without its ids.
struct Draft {
    family: Family,
    universe: Option<String>,
    title: String,
    order: Order,
    warnings: Vec<FieldWarning>,
    extras: Extras,
    retry_of: Option<String>,
    /// The estimated length and credits.
    estimate: Estimate,
    /// The key and the hash of the request.
    idempotency: Option<Idempotency>,
}

/// Estimates a Short; also returns warnings about fields with no effect or an unexpected one.
///
/// # Errors
/// 400, 503.
pub async fn estimate_short(
    app: &App,
    asker: &Asker,
    body: &[u8],
) -> Answer<(Estimate, Vec<FieldWarning>)> {
    let (parsed, _) = Extras::beside(app, body, ShortRequest::parse(body))?;
    let (estimate, warnings) = looked_at(app, asker, &parsed).await;
    Ok((estimate, warnings))
}

/// Returns the price of a Short with all warnings.
async fn looked_at(
    app: &App,
    asker: &Asker,
    parsed: &Parsed<ShortRequest>,
) -> (Estimate, Vec<FieldWarning>) {
    let outlook = substitutions::of_short(app, asker, &parsed.request).await;
    let mut warnings = parsed.warnings.clone();
    warnings.extend(outlook.warnings);
    let input = Input::of_short(&parsed.request);
    (priced(app, asker, &input, &outlook.makers), warnings)
}

/// Creates a run of the Short interface; returns the `data` of the answer.
///
/// # Errors
/// 400, 402, 422, 503.
pub async fn short(app: &App, asker: &Asker, wanted: &Wanted<'_>) -> Answer<Value> {
    let idempotency = identity(asker, wanted, "short");
    if let Some(answer) = replayed(app, asker, idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let (parsed, extras) = Extras::beside(app, wanted.body, ShortRequest::parse(wanted.body))?;
    let (estimate, warnings) = looked_at(app, asker, &parsed).await;
    let request = parsed.request;
    let title = title(&[request.prompt.as_deref(), request.script.as_deref()]);
    let draft = Draft {
        family: Family::Short,
        universe: None,
        title,
        order: asker.order(Asked::Short {
            request: Box::new(request),
        }),
        warnings,
        extras,
        retry_of: None,
        estimate,
        idempotency,
    };
    // Orders are large, and without the box every future around this one would contain them.
    Box::pin(write_down(app, asker, draft)).await
}

/// Creates a run in a universe; returns the `data` of the answer.
///
/// # Errors
/// 400, 402, 403 for `removeWatermark`, 404 for the universe, 422, 503.
pub async fn universe(app: &App, asker: &Asker, slug: &str, wanted: &Wanted<'_>) -> Answer<Value> {
    let idempotency = identity(asker, wanted, slug);
    if let Some(answer) = replayed(app, asker, idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let ready = Box::pin(in_universe(app, asker, slug, wanted.body)).await?;
    let draft = Draft {
        idempotency,
        ..ready
    };
    Box::pin(write_down(app, asker, draft)).await
}

/// Estimates a run in a universe.
///
/// # Errors
/// As [`universe`], except for credits.
pub async fn estimate(
    app: &App,
    asker: &Asker,
    slug: &str,
    body: &[u8],
) -> Answer<(Estimate, Vec<FieldWarning>)> {
    let ready = Box::pin(in_universe(app, asker, slug, body)).await?;
    Ok((ready.estimate, ready.warnings))
}

/// Retries a failed run as a new run with the same order; finished steps are reused.
///
/// # Errors
/// 402, 404, 409 for a run that has not failed, 422, 503.
pub async fn retry(app: &App, asker: &Asker, id: &str, idempotency: Option<&str>) -> Answer<Value> {
    let wanted = Wanted {
        body: id.as_bytes(),
        idempotency,
    };
    let idempotency = identity(asker, &wanted, "retry");
    if let Some(answer) = replayed(app, asker, idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let run = runs::find(app, &asker.account, id, None, "id").await?;
    if run.status != RunStatus::Failed {
        let message = "only a failed run can be retried";
        return Err(ApiError::conflict("id", message));
    }
    let asked = run.asked;
    let input = match &asked.order.asked {
        Asked::Short { request } => Input::of_short(request),
        Asked::Universe {
            request, recording, ..
        } => Input::of_universe(request, recording.as_ref().and_then(|r| r.secs)),
    };
    let mut warnings: Vec<FieldWarning> =
        serde_json::from_value(asked.warnings).unwrap_or_default();
    warnings.retain(|warning| warning.field != REMOVE_WATERMARK);
    if let Asked::Universe { request, .. } = &asked.order.asked {
        warnings.extend(watermark_stays(asker, request));
    }
    let makers = substitutions::of_order(app, asker, &asked.order.asked).await;
    let makers = makers.makers;
    let draft = Draft {
        family: asked.family,
        universe: asked.universe,
        title: asked.title,
        // Uses the current caller's watermark rule, since they also pay for the run.
        order: asker.order(asked.order.asked),
        warnings,
        extras: Extras {
            webhook_url: asked.webhook_url,
            metadata: asked.metadata,
        },
        retry_of: Some(id.to_owned()),
        estimate: priced(app, asker, &input, &makers),
        idempotency,
    };
    Box::pin(write_down(app, asker, draft)).await
}

/// Checks everything about a run in a universe that is known before making it.
async fn in_universe(app: &App, asker: &Asker, slug: &str, body: &[u8]) -> Answer<Draft> {
    let account = &asker.account;
    let settings = universes::find(app, account, slug).await?.settings;
    let (parsed, extras) = Extras::beside(app, body, UniverseRequest::parse(body))?;
    let Parsed {
        request,
        mut warnings,
    } = parsed;
    let (settings, told) = languages::narrowed(app, asker, &request, settings).await?;
    request.resolve(&settings)?;
    warnings.extend(told);
    if request.remove_watermark && !account.plan.may_remove_watermark() {
        let message = "only the creator and enterprise plans can remove the watermark";
        let refused = ApiError::new(Code::PlanRequired, StatusCode::FORBIDDEN, message);
        return Err(refused.with("field", REMOVE_WATERMARK));
    }
    warnings.extend(request.without_effect(&settings));
    warnings.extend(watermark_stays(asker, &request));
    let cast = cast::members(app, account, &request).await?;
    let upload = recording(app, account, request.voiceover_key.as_deref()).await?;
    let measured = upload
        .as_ref()
        .map(|upload| upload.duration_ms as f64 / 1e3);
    let secs = measured.filter(|secs| *secs > 0.0);
    warnings.extend(other_length(&request, secs));
    let outlook = substitutions::of_universe(app, asker, &request).await;
    warnings.extend(outlook.warnings);
    let input = Input::of_universe(&request, secs);
    let estimate = priced(app, asker, &input, &outlook.makers);
    Ok(Draft {
        family: Family::Universe,
        universe: Some(slug.to_owned()),
        title: title(&[
            request.prompt.as_deref(),
            request.user_script.as_deref(),
            upload.as_ref().map(|upload| upload.name.as_str()),
        ]),
        order: asker.order(Asked::Universe {
            request: Box::new(request),
            settings,
            cast,
            recording: upload.map(|upload| Recorded {
                object: upload.object,
                spoken: upload.spoken,
                secs,
            }),
        }),
        warnings,
        extras,
        retry_of: None,
        estimate,
        idempotency: None,
    })
}

/// Warns about a length that differs from the recording's.
fn other_length(request: &UniverseRequest, measured: Option<f64>) -> Option<FieldWarning> {
    /// Differences up to this may be rounding, in seconds.
    const ROUNDED: f64 = 1.0;
    let (said, measured) = (request.voiceover_duration?, measured?);
    ((said - measured).abs() > ROUNDED).then(|| FieldWarning {
        field: "voiceoverDuration".to_owned(),
        message: format!(
            "has no effect, because the recording lasts {measured:.1} s and not {said} s"
        ),
    })
}

const REMOVE_WATERMARK: &str = "removeWatermark";

/// Warns that `removeWatermark` has no effect for this caller.
fn watermark_stays(asker: &Asker, request: &UniverseRequest) -> Option<FieldWarning> {
    (request.remove_watermark && asker.keeps_mark()).then(|| FieldWarning {
        field: REMOVE_WATERMARK.to_owned(),
        message: match asker.is_sandbox {
            true => "has no effect, because videos made with sandbox keys always have a watermark",
            false => "has no effect, because it requires the creator or enterprise plan",
        }
        .to_owned(),
    })
}

async fn recording(app: &App, account: &Account, key: Option<&str>) -> Answer<Option<Upload>> {
    let Some(key) = key else {
        return Ok(None);
    };
    let Some(upload) = uploads::find(app, account, key).await? else {
        let reason = "there is no uploaded audio with this key; POST /uploads returns keys";
        return Err(ApiError::invalid("voiceoverKey", reason));
    };
    if upload.duration_ms as f64 > MAX_VIDEO_SECS * 1e3 {
        let reason = format!(
            "the audio lasts {} s, but a video can last at most {MAX_VIDEO_SECS} s",
            upload.duration_ms / 1000
        );
        return Err(ApiError::invalid("voiceoverKey", reason));
    }
    Ok(Some(upload))
}

/// Returns the estimate; runs of sandbox keys are free.
fn priced(app: &App, asker: &Asker, input: &Input, makers: &Makers) -> Estimate {
    let estimate = estimate_by(input, makers, &app.config.credits);
    Estimate {
        credits: if asker.is_sandbox {
            0
        } else {
            estimate.credits
        },
        ..estimate
    }
}

/// Returns the identity of a request with an `Idempotency-Key`. Names of sandbox keys have a prefix that no client can send.
fn identity(asker: &Asker, wanted: &Wanted<'_>, route: &str) -> Option<Idempotency> {
    let name = wanted.idempotency?;
    let what = [route.as_bytes(), b"\n", wanted.body].concat();
    Some(Idempotency {
        name: match asker.is_sandbox {
            true => format!("sandbox {name}"),
            false => name.to_owned(),
        },
        body_hash: ids::hash_bytes(&what),
    })
}

/// Returns the earlier answer to the same request, even if objects it names have been deleted since.
async fn replayed(
    app: &App,
    asker: &Asker,
    identity: Option<&Idempotency>,
) -> Answer<Option<Value>> {
    match identity {
        Some(identity) => Ok(app.db.remembered(&asker.account.id, identity).await?),
        None => Ok(None),
    }
}

async fn write_down(app: &App, asker: &Asker, draft: Draft) -> Answer<Value> {
    let (id, project_id) = (ids::run(), ids::project());
    let answer = answer(&draft, &id, &project_id);
    let credits = draft.estimate.credits;
    let run = NewRun {
        id,
        project_id,
        account_id: asker.account.id.clone(),
        key_id: asker.key_id.clone(),
        family: draft.family,
        universe: draft.universe,
        title: draft.title,
        is_sandbox: asker.is_sandbox,
        order: draft.order,
        warnings: json!(draft.warnings),
        webhook_url: draft.extras.webhook_url,
        metadata: draft.extras.metadata,
        retry_of: draft.retry_of,
        estimated: Estimated {
            duration_ms: (draft.estimate.duration_secs * 1e3).round() as i64,
            credits,
        },
        idempotency: draft.idempotency,
        answer: answer.clone(),
    };
    match Box::pin(app.db.create_run(&run)).await? {
        Created::New => Ok(answer),
        Created::Repeated(answer) => Ok(answer),
        Created::NoCredits { available } => Err(ApiError::no_credits(credits, available)),
        Created::OtherBody => {
            let reason =
                "this Idempotency-Key was used for a different request in the last 24 hours";
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Err(ApiError::unfit(status, "Idempotency-Key", reason))
        }
    }
}

/// The answer to a create of the Short interface.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShortCreated {
    /// `run_…`: the `runId` for the status query.
    id: String,
    /// `proj_…`.
    project_id: String,
    #[serde(flatten)]
    accepted: Accepted,
}

/// The answer to a create in a universe.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UniverseCreated {
    /// `run_…`: the `requestId` for the status query.
    request_id: String,
    #[serde(flatten)]
    accepted: Accepted,
}

/// The common fields of both answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Accepted {
    /// `QUEUED`.
    #[schemars(schema_with = "super::schemas::status")]
    status: RunStatus,
    /// The estimated length of the video in seconds.
    estimated_duration: f64,
    /// Credits on hold, the most that will be charged.
    estimated_credits: u64,
    /// Fields of the request without effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<FieldWarning>,
    /// The run that this one retries.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_of: Option<String>,
}

/// Builds the `data` of the answer; our additional fields follow the interface's own.
fn answer(draft: &Draft, id: &str, project_id: &str) -> Value {
    let accepted = Accepted {
        status: RunStatus::Queued,
        estimated_duration: draft.estimate.duration_secs,
        estimated_credits: draft.estimate.credits,
        warnings: draft.warnings.clone(),
        retry_of: draft.retry_of.clone(),
    };
    let id = id.to_owned();
    match draft.family {
        Family::Short => json!(ShortCreated {
            id,
            project_id: project_id.to_owned(),
            accepted,
        }),
        Family::Universe => json!(UniverseCreated {
            request_id: id,
            accepted,
        }),
    }
}
