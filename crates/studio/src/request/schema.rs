//! JSON Schema that matches the reader: every optional field may be `null`.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// Lets every property that is not required also be `null`.
pub(super) fn nullable(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    let required = object
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let Some(Value::Object(properties)) = object.get_mut("properties") else {
        return;
    };
    for (name, property) in properties {
        if let Value::Object(property) = property
            && !required.iter().any(|known| known == name)
        {
            allow_null(property);
        }
    }
}

/// Requires a text with more than white space.
pub(super) fn one(name: &str) -> Value {
    json!({ "required": [name], "properties": { name: { "type": "string", "pattern": "\\S" } } })
}

fn allow_null(property: &mut Map<String, Value>) {
    let is_null_allowed = |kinds: &Value| {
        kinds == "null"
            || kinds
                .as_array()
                .is_some_and(|kinds| kinds.contains(&json!("null")))
    };
    match property.get_mut("type") {
        Some(kinds) if is_null_allowed(kinds) => {}
        Some(Value::Array(kinds)) => kinds.push(json!("null")),
        Some(kind) => *kind = json!([kind.take(), "null"]),
        None => {
            if let Some(reference) = property.remove("$ref") {
                property.insert(
                    "anyOf".into(),
                    json!([{ "$ref": reference }, { "type": "null" }]),
                );
            }
        }
    }
}
