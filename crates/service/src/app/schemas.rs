//! JSON Schemas of what the database's types look like on the wire.

use std::borrow::Cow;
use std::marker::PhantomData;

use kinora_studio::request::UniverseSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::create::{ShortCreated, UniverseCreated};
use crate::db::{Family, Plan, RunStatus};

/// The four states of a run.
pub(crate) fn status(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [RunStatus::Queued, RunStatus::Executing, RunStatus::Completed, RunStatus::Failed] })
}

/// The two interfaces.
pub(crate) fn family(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [Family::Short, Family::Universe] })
}

/// The plans.
pub(crate) fn plan(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [Plan::Free, Plan::Starter, Plan::Creator, Plan::Enterprise] })
}

/// A create request with the fields that are ours, as one schema under a name of its own.
pub(crate) fn with_extras<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<WithExtras<T>>()
}

struct WithExtras<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for WithExtras<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{} with extras", T::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let ours = json!({
            "webhookUrl": { "type": ["string", "null"], "maxLength": 2048, "pattern": super::webhooks::URL_PATTERN, "description": "Told of this run's end, beside the account's webhooks." },
            "metadata": { "description": "Found again in the status and in webhooks; at most 4 KiB of JSON.", "type": ["string", "object", "null"], "maxLength": 500, "maxProperties": 10, "additionalProperties": { "type": ["string", "number", "boolean", "null"], "maxLength": 50 }, "propertyNames": { "maxLength": 50 } },
        });
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        if let (Some(properties), Value::Object(ours)) = (properties, ours) {
            properties.extend(ours);
        }
        schema
    }
}

/// Either of what creates answer.
pub(crate) fn created(generator: &mut SchemaGenerator) -> Schema {
    let short = generator.subschema_for::<ShortCreated>();
    let universe = generator.subschema_for::<UniverseCreated>();
    json_schema!({ "anyOf": [short, universe] })
}

/// A universe as it is made.
pub(crate) fn new_universe(generator: &mut SchemaGenerator) -> Schema {
    universe(generator, &["name", "slug"])
}

/// The same as it is changed: its slug is that of the path.
pub(crate) fn universe_change(generator: &mut SchemaGenerator) -> Schema {
    universe(generator, &["name"])
}

/// Settings and a name, on one level.
fn universe(generator: &mut SchemaGenerator, required: &[&str]) -> Schema {
    let mut schema = UniverseSettings::json_schema(generator);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let text = json!({ "type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^\\x00\\s]+$", "description": "What people call it." });
        properties.insert("name".into(), text);
        properties.insert(
            "isBuiltIn".into(),
            json!({ "type": "boolean", "description": "Of no effect." }),
        );
        if !required.contains(&"slug") {
            properties.remove("slug");
        }
    }
    schema.insert("required".into(), json!(required));
    schema
}
