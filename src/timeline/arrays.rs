//! Array fields of a document and their element types, read from the schema so that new fields are covered automatically.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

/// Replacement for an element that cannot be read, by the name of the array's field.
static ARRAYS: LazyLock<HashMap<String, Value>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    gather(&super::schema(), &mut found);
    found
});

/// Returns whether fields of this name hold arrays.
pub(super) fn is_array(field: &str) -> bool {
    ARRAYS.contains_key(field)
}

/// Returns the replacement for an element of the array in this field.
pub(super) fn element_of(field: &str) -> Value {
    let empty = || Value::Object(serde_json::Map::new());
    ARRAYS.get(field).cloned().unwrap_or_else(empty)
}

fn gather(schema: &Value, found: &mut HashMap<String, Value>) {
    let fields = schema["properties"].as_object();
    for (name, field) in fields.into_iter().flatten() {
        let forms = field["anyOf"].as_array().into_iter().flatten();
        for items in forms.chain([field]).filter_map(|form| form.get("items")) {
            let element = match items["type"].as_str() {
                Some("number" | "integer") => Value::from(0.0),
                Some("string") => Value::from(""),
                Some("array") => Value::Array(Vec::new()),
                _ => Value::Object(serde_json::Map::new()),
            };
            found.insert(name.clone(), element);
        }
    }
    let inner = schema["$defs"].as_object().into_iter().flatten();
    inner.for_each(|(_, def)| gather(def, found));
}
