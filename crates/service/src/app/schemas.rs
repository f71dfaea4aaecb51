//! JSON Schemas of the database's types as they appear in the API.

use std::borrow::Cow;
use std::marker::PhantomData;

use kinora_studio::request::UniverseSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::create::{ShortCreated, UniverseCreated};
use crate::db::{Family, Plan, RunStatus};

/// Returns the schema of the four states of a run.
pub(crate) fn status(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [RunStatus::Queued, RunStatus::Executing, RunStatus::Completed, RunStatus::Failed] })
}

/// Returns the schema of the two interfaces.
pub(crate) fn family(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [Family::Short, Family::Universe] })
}

/// Returns the schema of the plans.
pub(crate) fn plan(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [Plan::Free, Plan::Starter, Plan::Creator, Plan::Enterprise] })
}

/// Returns the schema of a create request with our additional fields, under the request's name.
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
            "webhookUrl": { "type": ["string", "null"], "maxLength": 2048, "pattern": super::webhooks::URL_PATTERN, "description": "Notified when this run ends, in addition to the account's webhooks." },
            "metadata": { "description": "Returned in the status and in webhooks; at most 4 KiB of JSON.", "type": ["string", "object", "null"], "maxLength": 500, "maxProperties": 10, "additionalProperties": { "type": ["string", "number", "boolean", "null"], "maxLength": 50 }, "propertyNames": { "maxLength": 50 } },
        });
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        if let (Some(properties), Value::Object(ours)) = (properties, ours) {
            properties.extend(ours);
        }
        schema
    }
}

/// Returns the schema of either create answer.
pub(crate) fn created(generator: &mut SchemaGenerator) -> Schema {
    let short = generator.subschema_for::<ShortCreated>();
    let universe = generator.subschema_for::<UniverseCreated>();
    json_schema!({ "anyOf": [short, universe] })
}

/// Returns the schema for creating a universe.
pub(crate) fn new_universe(generator: &mut SchemaGenerator) -> Schema {
    universe(generator, &["name", "slug"])
}

/// Returns the schema for changing one: its slug comes from the path.
pub(crate) fn universe_change(generator: &mut SchemaGenerator) -> Schema {
    universe(generator, &["name"])
}

/// Returns a schema with the settings and a name on one level.
fn universe(generator: &mut SchemaGenerator, required: &[&str]) -> Schema {
    let mut schema = UniverseSettings::json_schema(generator);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let text = json!({ "type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^\\x00\\s]+$", "description": "Its display name." });
        properties.insert("name".into(), text);
        properties.insert(
            "isBuiltIn".into(),
            json!({ "type": "boolean", "description": "Has no effect." }),
        );
        if !required.contains(&"slug") {
            properties.remove("slug");
        }
    }
    schema.insert("required".into(), json!(required));
    schema
}
