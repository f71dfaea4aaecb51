//! `docs/timeline.md` says of every field what the schema says: the page is made from the types, and this test keeps it so.
//!
//! `UPDATE=1 cargo test --test timeline_docs` writes it anew.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

const HEAD: &str = r#"# The timeline, field by field

Made from the types in `src/timeline`; `kinora schema` prints the same as JSON Schema. Fields that are not listed are refused.
Times are seconds, positions and sizes are shares of the frame unless a field says otherwise. The smallest useful document:

```json
MINIMAL
```
"#;

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn the_page_says_what_the_types_say() {
    let page = page(&kinora::timeline::schema());
    let path = root("docs/timeline.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == page,
        "docs/timeline.md is out of date: run UPDATE=1 cargo test --test timeline_docs"
    );
}

/// Objects and choices of the schema by name, the document itself first.
fn types(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let defs = schema["$defs"].as_object().unwrap();
    let below = defs.iter().map(|(name, def)| (name.as_str(), def));
    std::iter::once(("Timeline", schema)).chain(below)
}

fn page(schema: &Value) -> String {
    let minimal = std::fs::read_to_string(root("examples/first-light/timeline-minimal.json"));
    let mut page = HEAD.replace("MINIMAL", minimal.unwrap().trim_end());
    for (name, def) in types(schema) {
        writeln!(page, "\n## {name}\n\n{}", text(def)).unwrap();
        if let Some(fields) = def["properties"].as_object() {
            let required = def["required"].as_array().cloned().unwrap_or_default();
            page.push_str("\n| field | type | default | what |\n|---|---|---|---|\n");
            for (field, value) in fields {
                let default = match value.get("default") {
                    _ if required.contains(&field.as_str().into()) => "required".to_owned(),
                    None | Some(Value::Null | Value::Object(_)) => String::new(),
                    Some(default) => format!("`{default}`"),
                };
                let kind = kind(value);
                writeln!(page, "| `{field}` | {kind} | {default} | {} |", text(value)).unwrap();
            }
        }
        if let Some(choices) = def["oneOf"].as_array().or(def["anyOf"].as_array()) {
            page.push_str("\n| value | what |\n|---|---|\n");
            for choice in choices {
                writeln!(page, "| {} | {} |", kind(choice), text(choice)).unwrap();
            }
        }
    }
    page
}

/// A description on one line of a table.
fn text(of: &Value) -> String {
    let text = of["description"].as_str().unwrap_or_default();
    text.replace("\n\n", " ")
        .replace('\n', " ")
        .replace('|', r"\|")
}

/// A type in words.
fn kind(value: &Value) -> String {
    if let Some(name) = value["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(word) = value.get("const") {
        return format!("`{word}`");
    }
    if let Some(any) = value["anyOf"].as_array().or(value["oneOf"].as_array()) {
        let kinds = any.iter().filter(|one| one["type"] != "null");
        return kinds.map(kind).collect::<Vec<_>>().join(" or ");
    }
    if let Some(words) = value["enum"].as_array() {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        return words.join(", ");
    }
    if let Some(fields) = value["properties"].as_object() {
        let fields = fields
            .iter()
            .map(|(key, value)| format!("`{key}`: {}", kind(value)));
        return format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "));
    }
    let name = match &value["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            names
                .filter(|name| *name != "null")
                .collect::<Vec<_>>()
                .join(" or ")
        }
        _ => "any".to_owned(),
    };
    match value.get("items") {
        Some(items) => format!("list of {}", kind(items)),
        None => name,
    }
}
