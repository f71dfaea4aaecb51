//! Reads raw JSON: no duplicate keys, at most 128 levels (serde_json's limit against stack overflows), nothing after the value.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::problem::{FieldProblem, Report};
use crate::text_problem::quoted_text;

/// Reads a body; `None`, with a problem reported, if it is not JSON. Duplicate keys are reported, and their first value counts.
pub(super) fn read(body: &[u8], report: &mut Report) -> Option<Value> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if body.iter().all(u8::is_ascii_whitespace) {
        return Some(Value::Object(Map::new()));
    }
    let mut path = String::new();
    let mut reader = serde_json::Deserializer::from_slice(body);
    let node = Node {
        path: &mut path,
        report,
    };
    let value = node
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    match value {
        Ok(value) => Some(value),
        Err(error) => {
            let reason = format!("not valid JSON: {error}");
            report.problem(FieldProblem::invalid("body", reason));
            None
        }
    }
}

/// A value at a path.
struct Node<'a> {
    path: &'a mut String,
    report: &'a mut Report,
}

impl Node<'_> {
    /// Runs `work` one level further down.
    fn below<T>(&mut self, step: &str, work: impl FnOnce(Node<'_>) -> T) -> T {
        let len = self.path.len();
        if !self.path.is_empty() && !step.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(step);
        let result = work(Node {
            path: self.path,
            report: self.report,
        });
        self.path.truncate(len);
        result
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        loop {
            let step = format!("[{}]", values.len());
            match self.below(&step, |node| items.next_element_seed(node))? {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = self.below(&key, |node| entries.next_value_seed(node))?;
            if map.contains_key(&key) {
                let reason = format!("the key {} appears twice", quoted_text(&key));
                let field = self.below(&short(&key), |node| node.path.clone());
                self.report.problem(FieldProblem::invalid(field, reason));
            } else {
                map.insert(key, value);
            }
        }
        Ok(Value::Object(map))
    }
}

/// Returns an untrusted key as a step of a path.
pub(super) fn short(key: &str) -> String {
    let shown = quoted_text(key);
    shown[1..shown.len() - 1].to_owned()
}
