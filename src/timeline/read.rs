//! Parses JSON into a [`Timeline`] and finds every structural problem of the document.
//!
//! serde stops at the first error. The document is therefore read again after each one, with the offending value removed
//! (or a placeholder inserted for a missing field), until it parses. Placeholders leave this file only along with problems.

use serde_json::Value;

use super::{Timeline, arrays};
use crate::error::{Error, ErrorKind, Problem, Result};

/// Maximum number of problems reported for one document.
const MAX_PROBLEMS: usize = 100;

/// Maximum number of times a document is read: a problem takes one pass, and a few more if its placeholder lacks required fields.
const MAX_PASSES: usize = 4 * MAX_PROBLEMS;

impl Timeline {
    /// Parses a document. Fails with all unknown, mistyped and missing fields together ([`ErrorKind::Document`]).
    pub fn from_json(text: &str) -> Result<Timeline> {
        let (timeline, problems) = read(text);
        match timeline {
            Some(timeline) if problems.is_empty() => Ok(timeline),
            _ => Err(Error::document(problems)),
        }
    }

    /// Returns the document as JSON text, indented by two spaces.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self).map_err(|e| {
            Error::new(ErrorKind::Internal, "a timeline cannot be written as JSON").with_source(e)
        })
    }
}

/// Reads as much of `text` as possible; returns it with the structural problems. The timeline is `None` if `text` is not JSON or cannot be repaired.
pub(crate) fn read(text: &str) -> (Option<Timeline>, Vec<Problem>) {
    let mut value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(e) => {
            let place = format!("line {}, column {}", e.line(), e.column());
            return (
                None,
                vec![Problem::new(
                    "not_json",
                    place,
                    format!("the document is not JSON: {e}"),
                )],
            );
        }
    };
    let mut problems: Vec<Problem> = Vec::new();
    for _ in 0..MAX_PASSES {
        let error = match serde_path_to_error::deserialize::<_, Timeline>(&value) {
            Ok(timeline) => {
                stray_arrays(&value, "", false, &mut problems);
                problems.truncate(MAX_PROBLEMS);
                return (Some(timeline), problems);
            }
            Err(error) => error,
        };
        let path = Path::new(error.path());
        let message = error.inner().to_string();
        let (problem, mended) = mend(&mut value, &path, &message);
        // Fields missing from a placeholder are not missing from the document.
        if !problems.iter().any(|told| problem.is_within(&told.path)) {
            problems.push(problem);
        }
        if !mended || problems.len() == MAX_PROBLEMS {
            break;
        }
    }
    (None, problems)
}

/// Reports arrays where objects are expected: serde would read their elements as the fields, in declaration order.
fn stray_arrays(value: &Value, path: &str, is_list: bool, problems: &mut Vec<Problem>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let dot = if path.is_empty() { "" } else { "." };
                let is_list = arrays::is_array(key);
                stray_arrays(inner, &format!("{path}{dot}{key}"), is_list, problems);
            }
        }
        Value::Array(items) if is_list => {
            for (i, inner) in items.iter().enumerate() {
                stray_arrays(inner, &format!("{path}[{i}]"), false, problems);
            }
        }
        Value::Array(_) => problems.push(Problem::new(
            "wrong_type",
            path,
            format!(
                "expected an object, not an array (found {})",
                shorten(&value.to_string())
            ),
        )),
        _ => {}
    }
}

/// The path from the root to a value.
struct Path(Vec<Step>);

#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

impl Path {
    fn new(path: &serde_path_to_error::Path) -> Path {
        use serde_path_to_error::Segment;
        Path(
            path.iter()
                .filter_map(|segment| match segment {
                    Segment::Seq { index } => Some(Step::Index(*index)),
                    Segment::Map { key } => Some(Step::Key(key.clone())),
                    Segment::Enum { variant } => Some(Step::Key(variant.clone())),
                    Segment::Unknown => None,
                })
                .collect(),
        )
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if i == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

fn step_into<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_str()),
        Step::Index(index) => value.get_mut(*index),
    })
}

/// Returns the text between the first and second backquote of a serde message.
fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

/// Describes the error and changes `value` so that reading gets past it; returns false if it cannot.
fn mend(value: &mut Value, path: &Path, message: &str) -> (Problem, bool) {
    if message.starts_with("missing field") {
        let field = quoted(message).unwrap_or_default().to_owned();
        let place = if path.0.is_empty() {
            field.clone()
        } else {
            format!("{path}.{field}")
        };
        let problem = Problem::new("missing_field", place, format!("`{field}` is missing"));
        let mended = match step_into(value, &path.0) {
            Some(Value::Object(map)) => map.insert(field.clone(), stand_in(&field)).is_none(),
            _ => false,
        };
        return (problem, mended);
    }
    if let Some((name, known)) = unknown(message, "unknown field `") {
        let problem = Problem::new(
            "unknown_field",
            path.to_string(),
            none_of(name, "field", &known),
        );
        return (guess(problem, name, &known), remove(value, &path.0));
    }
    if let Some((name, known)) = unknown(message, "unknown variant `") {
        let problem = Problem::new(
            "unknown_value",
            path.to_string(),
            none_of(name, "value", &known),
        );
        return (guess(problem, name, &known), remove(value, &path.0));
    }
    // A variant written as text is part of the error's path, but has no value in the document.
    let n_there = (0..=path.0.len()).rev();
    let mut n_there = n_there.skip_while(|n| step_into(value, &path.0[..*n]).is_none());
    let path = Path(path.0[..n_there.next().unwrap_or(0)].to_vec());
    let found = step_into(value, &path.0).map(|v| shorten(&v.to_string()));
    let text = format!(
        "{} (found {})",
        shorten_middle(message),
        found.unwrap_or_default()
    );
    (
        Problem::new("wrong_type", path.to_string(), text),
        remove(value, &path.0),
    )
}

/// Returns the unknown name in a serde message that starts with `start`, and the known names.
fn unknown<'m>(message: &'m str, start: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let rest = message.strip_prefix(start)?;
    // From the right, because the name is untrusted and may contain anything.
    let (name, known) = rest.rsplit_once("`, expected ")?;
    Some((name, known.split('`').skip(1).step_by(2).collect()))
}

fn none_of(name: &str, what: &str, known: &[&str]) -> String {
    let name = shorten(name);
    format!(
        "`{name}` is not a known {what}; known: {}",
        known.join(", ")
    )
}

fn guess(problem: Problem, name: &str, known: &[&str]) -> Problem {
    match nearest(name, known.iter().copied()) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem,
    }
}

/// Removes the value at `steps`: deletes a field, or replaces an array element (so that later indices stay right). If neither works,
/// removes the parent instead.
fn remove(value: &mut Value, steps: &[Step]) -> bool {
    let Some((last, parents)) = steps.split_last() else {
        return false;
    };
    let gone = match (step_into(value, parents), last) {
        (Some(Value::Object(map)), Step::Key(key)) => map.remove(key).is_some(),
        (Some(Value::Array(items)), Step::Index(index)) => {
            let stand_in = element_of(parents);
            let item = items.get_mut(*index).filter(|item| **item != stand_in);
            item.map(|item| *item = stand_in).is_some()
        }
        _ => false,
    };
    gone || remove(value, parents)
}

/// Returns a placeholder for an element of the array at `steps`.
fn element_of(steps: &[Step]) -> Value {
    match steps.last() {
        Some(Step::Key(key)) => arrays::element_of(key),
        _ => Value::Object(serde_json::Map::new()),
    }
}

/// Returns a value of the right type for a required field, so that reading can continue.
fn stand_in(field: &str) -> Value {
    match field {
        "version" => Value::from(Timeline::VERSION),
        "start" | "end" => Value::from(0.0),
        array if arrays::is_array(array) => Value::Array(Vec::new()),
        "draw" => serde_json::json!({ "box": { "color": "#000000" } }),
        _ => Value::from(""),
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// Shortens the middle of a serde message: it ends with what was expected and may hold any value before that.
fn shorten_middle(text: &str) -> String {
    let n = text.chars().count();
    if n <= 300 {
        return text.to_owned();
    }
    let (start, end) = (text.chars().take(100), text.chars().skip(n - 100));
    format!(
        "{}...{}",
        start.collect::<String>(),
        end.collect::<String>()
    )
}

/// Returns the known name closest to a mistyped one, if it is close enough to be intended.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = name.to_lowercase();
    known
        .map(|candidate| {
            (
                strsim::jaro_winkler(&wanted, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
