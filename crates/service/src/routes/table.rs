//! All operations of the API.

use axum::routing::{delete, get, patch, post, put};
use kinora_studio::request::{ShortRequest, UniverseRequest};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::operation::{Answered, Operation, Sent};
use super::params::{BEFORE, ID, IDEMPOTENCY, KEY, REQUEST_ID, RUN_ID, SLUG};
use super::{
    account, characters, events, lists, rewrite, runs, universes, uploads, videos, webhooks,
};
use crate::app;

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The common values of most rows.
const READ: Operation = Operation {
    method: "get",
    path: "",
    id: "",
    tag: "",
    summary: "",
    params: &[],
    body: Sent::Nothing,
    answer: Answered::Nothing,
    refusals: &[],
    links: &[],
    handler: || get(axum::http::StatusCode::NOT_FOUND),
};

/// All operations, in the order of the documentation.
pub const OPERATIONS: &[Operation] = &[
    Operation {
        method: "post",
        path: "/short",
        id: "createShort",
        tag: "Short",
        summary: "Create a video from a prompt or a script",
        params: &[IDEMPOTENCY],
        body: Sent::Json(app::schemas::with_extras::<ShortRequest>),
        answer: Answered::Data(of::<app::create::ShortCreated>),
        refusals: &[402, 422],
        links: &[
            ("getShort", "runId", "/data/id"),
            ("getRun", "id", "/data/id"),
        ],
        handler: || post(videos::create_short),
    },
    Operation {
        method: "post",
        path: "/short/estimate",
        id: "estimateShort",
        tag: "Short",
        summary: "Estimate a Short without making it",
        body: Sent::Json(app::schemas::with_extras::<ShortRequest>),
        answer: Answered::Data(of::<videos::EstimateAnswer>),
        handler: || post(videos::estimate_short),
        ..READ
    },
    Operation {
        path: "/short",
        id: "getShort",
        tag: "Short",
        summary: "Status of a run of the Short interface",
        params: &[RUN_ID],
        answer: Answered::Data(of::<app::runs::RunState>),
        refusals: &[404],
        handler: || get(videos::short_status),
        ..READ
    },
    Operation {
        method: "post",
        path: "/universe/{slug}/create",
        id: "createInUniverse",
        tag: "Universe",
        summary: "Create a video in a universe",
        params: &[SLUG, IDEMPOTENCY],
        body: Sent::Json(app::schemas::with_extras::<UniverseRequest>),
        answer: Answered::Data(of::<app::create::UniverseCreated>),
        refusals: &[402, 404, 422],
        links: &[
            ("getUniverseRun", "requestId", "/data/requestId"),
            ("cancelRun", "id", "/data/requestId"),
        ],
        handler: || post(videos::create_in_universe),
    },
    Operation {
        method: "post",
        path: "/universe/{slug}/estimate",
        id: "estimate",
        tag: "Universe",
        summary: "Estimate a video in a universe without making it",
        params: &[SLUG],
        body: Sent::Json(app::schemas::with_extras::<UniverseRequest>),
        answer: Answered::Data(of::<videos::EstimateAnswer>),
        refusals: &[404],
        handler: || post(videos::estimate),
        ..READ
    },
    Operation {
        path: "/universe/status",
        id: "getUniverseRun",
        tag: "Universe",
        summary: "Status of a run of the Universe interface",
        params: &[REQUEST_ID],
        answer: Answered::Data(of::<app::runs::RunState>),
        refusals: &[404],
        handler: || get(videos::universe_status),
        ..READ
    },
    Operation {
        method: "post",
        path: "/characters",
        id: "createCharacters",
        tag: "Characters",
        summary: "Save the characters in a picture (PNG, JPEG, WebP)",
        body: Sent::Form {
            file: app::characters::IMAGE,
            text: None,
        },
        answer: Answered::Data(of::<app::characters::CharacterList>),
        links: &[
            ("getCharacter", "id", "/data/characters/0/id"),
            ("changeCharacter", "id", "/data/characters/0/id"),
            ("deleteCharacter", "id", "/data/characters/0/id"),
        ],
        refusals: &[409],
        handler: || post(characters::post),
        ..READ
    },
    Operation {
        path: "/characters",
        id: "listCharacters",
        tag: "Characters",
        summary: "All saved characters",
        answer: Answered::Data(of::<app::characters::CharacterList>),
        handler: || get(characters::get_all),
        ..READ
    },
    Operation {
        path: "/characters/{id}",
        id: "getCharacter",
        tag: "Characters",
        summary: "A saved character",
        params: &[ID],
        answer: Answered::Data(of::<app::characters::CharacterRecord>),
        refusals: &[404],
        handler: || get(characters::get_one),
        ..READ
    },
    Operation {
        method: "patch",
        path: "/characters/{id}",
        id: "changeCharacter",
        tag: "Characters",
        summary: "Change a character's description or voice",
        params: &[ID],
        body: Sent::Json(of::<app::characters::CharacterChange>),
        answer: Answered::Data(of::<app::characters::CharacterRecord>),
        refusals: &[404],
        handler: || patch(characters::patch),
        ..READ
    },
    Operation {
        method: "delete",
        path: "/characters/{id}",
        id: "deleteCharacter",
        tag: "Characters",
        summary: "Delete a character",
        params: &[ID],
        refusals: &[404],
        handler: || delete(characters::remove),
        ..READ
    },
    Operation {
        method: "post",
        path: "/universes",
        id: "createUniverse",
        tag: "Universes",
        summary: "Create a universe",
        body: Sent::Json(app::schemas::new_universe),
        answer: Answered::Data(of::<app::universes::UniverseRecord>),
        refusals: &[409],
        links: &[
            ("getUniverse", "slug", "/data/slug"),
            ("setUniverse", "slug", "/data/slug"),
            ("createInUniverse", "slug", "/data/slug"),
            ("estimate", "slug", "/data/slug"),
            ("deleteUniverse", "slug", "/data/slug"),
        ],
        handler: || post(universes::post),
        ..READ
    },
    Operation {
        path: "/universes",
        id: "listUniverses",
        tag: "Universes",
        summary: "All universes: those that come with the service, and the account's own",
        answer: Answered::Data(of::<app::universes::UniverseList>),
        handler: || get(universes::get_all),
        ..READ
    },
    Operation {
        path: "/universe/{slug}",
        id: "getUniverse",
        tag: "Universes",
        summary: "A universe",
        params: &[SLUG],
        answer: Answered::Data(of::<app::universes::UniverseRecord>),
        refusals: &[404],
        handler: || get(universes::get_one),
        ..READ
    },
    Operation {
        method: "put",
        path: "/universe/{slug}",
        id: "setUniverse",
        tag: "Universes",
        summary: "Change a universe of the account",
        params: &[SLUG],
        body: Sent::Json(app::schemas::universe_change),
        answer: Answered::Data(of::<app::universes::UniverseRecord>),
        refusals: &[404],
        handler: || put(universes::put),
        ..READ
    },
    Operation {
        method: "delete",
        path: "/universe/{slug}",
        id: "deleteUniverse",
        tag: "Universes",
        summary: "Delete a universe of the account",
        params: &[SLUG],
        refusals: &[404],
        handler: || delete(universes::remove),
        ..READ
    },
    Operation {
        method: "post",
        path: "/uploads",
        id: "upload",
        tag: "Uploads",
        summary: "Upload audio for `voiceoverKey`, and optionally the text that is spoken in it",
        body: Sent::Form {
            file: app::uploads::FILE,
            text: Some(app::uploads::TEXT),
        },
        answer: Answered::Data(of::<app::uploads::UploadRecord>),
        links: &[("deleteUpload", "key", "/data/key")],
        refusals: &[409],
        handler: || post(uploads::post),
        ..READ
    },
    Operation {
        path: "/uploads",
        id: "listUploads",
        tag: "Uploads",
        summary: "All uploaded audio",
        answer: Answered::Data(of::<app::uploads::UploadList>),
        handler: || get(uploads::get_all),
        ..READ
    },
    Operation {
        method: "delete",
        path: "/uploads/{key}",
        id: "deleteUpload",
        tag: "Uploads",
        summary: "Delete uploaded audio",
        params: &[KEY],
        refusals: &[404],
        handler: || delete(uploads::remove),
        ..READ
    },
    Operation {
        method: "post",
        path: "/rewrite",
        id: "rewrite",
        tag: "Scripts",
        summary: "Turn prose or a play into a canonical script",
        body: Sent::Json(of::<app::rewrite::RewriteWanted>),
        answer: Answered::Data(of::<app::rewrite::Rewritten>),
        handler: || post(rewrite::post),
        ..READ
    },
    Operation {
        path: "/voices",
        id: "listVoices",
        tag: "Lists",
        summary: "Voices",
        answer: Answered::Data(of::<lists::VoiceList>),
        handler: || get(lists::voices),
        ..READ
    },
    Operation {
        path: "/music",
        id: "listMusic",
        tag: "Lists",
        summary: "Music tracks",
        answer: Answered::Data(of::<lists::TrackList>),
        handler: || get(lists::music),
        ..READ
    },
    Operation {
        path: "/captions",
        id: "listCaptions",
        tag: "Lists",
        summary: "Caption styles",
        answer: Answered::Data(of::<lists::CaptionList>),
        handler: || get(lists::captions),
        ..READ
    },
    Operation {
        path: "/transitions",
        id: "listTransitions",
        tag: "Lists",
        summary: "Transitions",
        answer: Answered::Data(of::<lists::TransitionList>),
        handler: || get(lists::transitions),
        ..READ
    },
    Operation {
        path: "/models",
        id: "listModels",
        tag: "Lists",
        summary: "Models for pictures and clips, and their substitutes",
        answer: Answered::Data(of::<lists::ModelList>),
        handler: || get(lists::models),
        ..READ
    },
    Operation {
        path: "/styles",
        id: "listStyles",
        tag: "Lists",
        summary: "Styles of scripts and pictures",
        answer: Answered::Data(of::<lists::StyleList>),
        handler: || get(lists::styles),
        ..READ
    },
    Operation {
        path: "/runs",
        id: "listRuns",
        tag: "Runs",
        summary: "Runs of both interfaces, newest first",
        params: &[BEFORE],
        answer: Answered::Data(of::<app::runs::RunPage>),
        handler: || get(runs::get_all),
        ..READ
    },
    Operation {
        path: "/runs/{id}",
        id: "getRun",
        tag: "Runs",
        summary: "A run of either interface",
        params: &[ID],
        answer: Answered::Data(of::<app::runs::RunRecord>),
        refusals: &[404],
        handler: || get(runs::get_one),
        ..READ
    },
    Operation {
        method: "post",
        path: "/runs/{id}/cancel",
        id: "cancelRun",
        tag: "Runs",
        summary: "Cancel a run; its credits are returned",
        params: &[ID],
        answer: Answered::Data(of::<app::runs::RunRecord>),
        refusals: &[404, 409],
        handler: || post(runs::cancel),
        ..READ
    },
    Operation {
        method: "post",
        path: "/runs/{id}/retry",
        id: "retryRun",
        tag: "Runs",
        summary: "Retry a failed run as a new run; finished parts are not made again",
        params: &[ID, IDEMPOTENCY],
        answer: Answered::Data(app::schemas::created),
        refusals: &[402, 404, 409, 422],
        handler: || post(runs::retry),
        ..READ
    },
    Operation {
        path: "/runs/{id}/events",
        id: "watchRun",
        tag: "Runs",
        summary: "A run's state as server-sent events, until it has ended",
        params: &[ID],
        answer: Answered::Events,
        refusals: &[404],
        handler: || get(events::get),
        ..READ
    },
    Operation {
        method: "post",
        path: "/webhooks",
        id: "createWebhook",
        tag: "Webhooks",
        summary: "Add a webhook that is called when a run ends",
        body: Sent::Json(of::<app::webhooks::WebhookWanted>),
        answer: Answered::Data(of::<app::webhooks::WebhookRecord>),
        links: &[("deleteWebhook", "id", "/data/id")],
        refusals: &[409],
        handler: || post(webhooks::post),
        ..READ
    },
    Operation {
        path: "/webhooks",
        id: "listWebhooks",
        tag: "Webhooks",
        summary: "All webhooks",
        answer: Answered::Data(of::<app::webhooks::WebhookList>),
        handler: || get(webhooks::get_all),
        ..READ
    },
    Operation {
        method: "delete",
        path: "/webhooks/{id}",
        id: "deleteWebhook",
        tag: "Webhooks",
        summary: "Delete a webhook",
        params: &[ID],
        refusals: &[404],
        handler: || delete(webhooks::remove),
        ..READ
    },
    Operation {
        path: "/webhooks/deliveries",
        id: "listDeliveries",
        tag: "Webhooks",
        summary: "The latest messages to webhooks, and their results",
        answer: Answered::Data(of::<app::webhooks::DeliveryList>),
        handler: || get(webhooks::deliveries),
        ..READ
    },
    Operation {
        path: "/account",
        id: "getAccount",
        tag: "Account",
        summary: "The account of this key: plan and credits",
        answer: Answered::Data(of::<account::AccountRecord>),
        handler: || get(account::get),
        ..READ
    },
];
