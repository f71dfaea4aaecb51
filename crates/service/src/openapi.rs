//! The OpenAPI 3.1 document, built from the table of operations and the types' schemas.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::routes::operation::{Answered, Operation, Param, Sent};
use crate::routes::{OPERATIONS, PREFIX};

/// Error statuses of every operation.
const ALWAYS: &[u16] = &[400, 401, 403, 429, 500, 503];
/// Error statuses of every operation with a body.
const OF_BODIES: &[u16] = &[408, 413, 415];

/// The interface's version, independent of the program's.
const VERSION: &str = "1.0.0";

/// Returns the whole document; URLs begin with `public_url`.
pub fn document(public_url: &str) -> Value {
    let settings = || {
        SchemaSettings::draft2020_12().with(|settings| {
            settings.meta_schema = None;
            settings.definitions_path = "/components/schemas".into();
        })
    };
    // Requests may omit fields that have a default; responses have every field.
    let mut sent = settings().into_generator();
    let mut answered = settings().for_serialize().into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for operation in OPERATIONS {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = described(operation, &mut sent, &mut answered);
    }
    let mut schemas = answered.take_definitions(true);
    schemas.extend(sent.take_definitions(true));
    schemas.values_mut().for_each(for_generators);
    schemas.insert("Error".into(), error_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "kinora",
            "version": VERSION,
            "description": "Videos from a prompt, a script or a recording. Create a run, poll its status until `isCompleted`, download `output.url`.",
        },
        "servers": [{ "url": format!("{public_url}{PREFIX}") }],
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "x-api-key" } },
            "schemas": schemas,
        },
    })
}

/// Rewrites a schema for client generators: removes alternatives that only concern which fields are present, as they would become union types, and defaults of
/// objects.
fn for_generators(schema: &mut Value) {
    if schema["type"] == "object"
        && let Some(object) = schema.as_object_mut()
    {
        for keyword in ["oneOf", "anyOf"] {
            if let Some(alternatives) = object.remove(keyword) {
                object.insert("not".into(), json!({ "not": { keyword: alternatives } }));
            }
        }
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            if property.get("default").is_some_and(Value::is_object) {
                property.remove("default");
            }
        }
    }
}

fn described(
    operation: &Operation,
    sent: &mut SchemaGenerator,
    answered: &mut SchemaGenerator,
) -> Value {
    let mut row = json!({
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "responses": responses(operation, answered),
    });
    if !operation.params.is_empty() {
        let params: Vec<Value> = operation.params.iter().map(parameter).collect();
        row["parameters"] = params.into();
    }
    match operation.body {
        Sent::Nothing => {}
        Sent::Json(shape) => {
            row["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": shape(sent) } } });
        }
        Sent::Form { file, text } => {
            let mut properties = json!({ file: { "type": "string", "contentMediaType": "application/octet-stream", "format": "binary" } });
            if let Some(text) = text {
                properties[text] =
                    json!({ "type": "string", "maxLength": 50_000, "pattern": "^[^\\x00]*$" });
            }
            let schema = json!({ "type": "object", "properties": properties, "required": [file] });
            row["requestBody"] = json!({ "required": true, "content": { "multipart/form-data": { "schema": schema } } });
        }
    }
    row
}

fn parameter(param: &Param) -> Value {
    json!({
        "name": param.name,
        "in": param.place,
        "required": param.is_required,
        "description": param.about,
        "schema": { "type": "string", "pattern": param.pattern },
    })
}

fn responses(operation: &Operation, answered: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let (status, mut good) = match operation.answer {
        Answered::Nothing => ("204", json!({ "description": "Done." })),
        Answered::Events => (
            "200",
            json!({ "description": "Events named `status`.", "content": { "text/event-stream": {} } }),
        ),
        Answered::Data(shape) => {
            let envelope = json!({
                "type": "object",
                "properties": { "data": shape(answered), "requestId": { "type": "string", "description": "Identifies this response in the log." } },
                "required": ["data", "requestId"],
            });
            (
                "200",
                json!({ "description": "Done.", "content": { "application/json": { "schema": envelope } } }),
            )
        }
    };
    for (id, param, pointer) in operation.links {
        good["links"][id] = json!({ "operationId": id, "parameters": { *param: format!("$response.body#{pointer}") } });
    }
    responses.insert(status.into(), good);
    let of_body: &[u16] = match operation.body {
        Sent::Nothing => &[],
        _ => OF_BODIES,
    };
    for status in ALWAYS.iter().chain(of_body).chain(operation.refusals) {
        responses.insert(status.to_string(), refusal(*status));
    }
    Value::Object(responses)
}

fn refusal(status: u16) -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Error" });
    let mut refusal = json!({
        "description": axum::http::StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason()).unwrap_or("Refused"),
        "content": { "application/json": { "schema": schema } },
    });
    if status == 429 {
        refusal["headers"] = json!({ "Retry-After": { "description": "Seconds.", "schema": { "type": "integer", "minimum": 1 } } });
    }
    refusal
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "Describes an error.",
        "required": ["error"],
        "properties": { "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": { "type": "string", "enum": crate::error::Code::ALL.map(crate::error::Code::as_str) },
                "message": { "type": "string" },
                "details": { "type": "object" },
                "requestId": { "type": "string" },
            },
        } },
    })
}
