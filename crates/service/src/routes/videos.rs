//! The interface's own video endpoints: `/short` and `/universe/…`.

use axum::Extension;
use axum::extract::State;
use kinora_studio::estimate::Estimate;
use kinora_studio::request::FieldWarning;
use serde::Serialize;
use serde_json::Value;

use super::read::{Data, IdempotencyKey, JsonBody, PathId, QueryValues};
use crate::app::asker::Asker;
use crate::app::create::{self, Wanted};
use crate::app::runs::{self, RunState};
use crate::db::Family;
use crate::error::{Answer, ApiError};
use crate::state::App;

/// The prefix of run ids.
const RUN_PREFIX: &str = "run_";

/// The estimate of a run.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimateAnswer {
    /// The estimated length of the video in seconds.
    estimated_duration: f64,
    /// The credits that a create holds, and the most that it charges.
    estimated_credits: u64,
    /// Fields of the request with no effect, or an unexpected one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<FieldWarning>,
}

impl From<(Estimate, Vec<FieldWarning>)> for EstimateAnswer {
    fn from((estimate, warnings): (Estimate, Vec<FieldWarning>)) -> EstimateAnswer {
        EstimateAnswer {
            estimated_duration: estimate.duration_secs,
            estimated_credits: estimate.credits,
            warnings,
        }
    }
}

pub(super) async fn estimate_short(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    JsonBody(body): JsonBody,
) -> Answer<Data<EstimateAnswer>> {
    let estimate = create::estimate_short(&app, &asker, &body).await?;
    Ok(Data(estimate.into()))
}

pub(super) async fn create_short(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(body): JsonBody,
) -> Answer<Data<Value>> {
    let wanted = Wanted {
        body: &body,
        idempotency: key.as_deref(),
    };
    Ok(Data(create::short(&app, &asker, &wanted).await?))
}

pub(super) async fn short_status(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    query: QueryValues,
) -> Answer<Data<RunState>> {
    let id = query.need("runId", "the `data.id` of the create response")?;
    let run = runs::find(&app, &asker.account, id, Some(Family::Short), "runId").await?;
    Ok(Data(RunState::of(&app, &run)))
}

pub(super) async fn create_in_universe(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(slug): PathId,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(body): JsonBody,
) -> Answer<Data<Value>> {
    let wanted = Wanted {
        body: &body,
        idempotency: key.as_deref(),
    };
    Ok(Data(create::universe(&app, &asker, &slug, &wanted).await?))
}

pub(super) async fn estimate(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(slug): PathId,
    JsonBody(body): JsonBody,
) -> Answer<Data<EstimateAnswer>> {
    let estimate = create::estimate(&app, &asker, &slug, &body).await?;
    Ok(Data(estimate.into()))
}

pub(super) async fn universe_status(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    query: QueryValues,
) -> Answer<Data<RunState>> {
    let what = "the `data.requestId` of the create response";
    let id = query.need("requestId", what)?;
    if !id.starts_with(RUN_PREFIX) {
        let reason = format!("is not {what}, which begins with {RUN_PREFIX}");
        return Err(ApiError::invalid("requestId", reason));
    }
    let family = Some(Family::Universe);
    let run = runs::find(&app, &asker.account, id, family, "requestId").await?;
    Ok(Data(RunState::of(&app, &run)))
}
