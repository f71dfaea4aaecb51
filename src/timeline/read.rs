//! JSON to [`Timeline`], with every structural problem found in one pass over the document.
//!
//! serde stops at the first error, so the document is read again after each one with the offending value taken out
//! (or, for a missing field, a stand-in put in), until it parses. The stand-ins never leave this file unless there are problems.

use serde_json::Value;

use super::Timeline;
use crate::error::{Error, ErrorKind, Problem, Result};

/// Most problems reported for one document.
const MAX_PROBLEMS: usize = 100;

/// Most times that one document is read: a problem takes one pass, and a few more where its stand-in lacks fields of its own.
const MAX_PASSES: usize = 4 * MAX_PROBLEMS;

impl Timeline {
    /// Parses a document. Fails with every unknown, mistyped and missing field at once ([`ErrorKind::Document`]).
    pub fn from_json(text: &str) -> Result<Timeline> {
        let (timeline, problems) = read(text);
        match timeline {
            Some(timeline) if problems.is_empty() => Ok(timeline),
            _ => Err(Error::document(problems)),
        }
    }

    /// The document as JSON text, indented by two spaces.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self).map_err(|e| {
            Error::new(ErrorKind::Internal, "a timeline cannot be written as JSON").with_source(e)
        })
    }
}

/// What could be read of `text`, and the structural problems. `None` when it is not JSON or is beyond repair.
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
        // What a stand-in lacks is not missing from the document.
        if !problems.iter().any(|told| problem.is_within(&told.path)) {
            problems.push(problem);
        }
        if !mended || problems.len() == MAX_PROBLEMS {
            break;
        }
    }
    (None, problems)
}

/// Fields that are arrays of numbers or of colors; all other arrays hold objects.
const PLAIN: [&str; 5] = ["focus", "padding", "padding_em", "scale", "colors"];

/// Fields that are arrays of objects.
const LISTS: [&str; 4] = ["shots", "words", "layers", "shadows"];

/// Reports arrays in the place of objects: serde would take their elements for the fields in the order in which this crate declares them.
fn stray_arrays(value: &Value, path: &str, is_list: bool, problems: &mut Vec<Problem>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let dot = if path.is_empty() { "" } else { "." };
                let is_list = LISTS.contains(&key.as_str()) || PLAIN.contains(&key.as_str());
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
                "an array stands where an object belongs (found {})",
                shorten(&value.to_string())
            ),
        )),
        _ => {}
    }
}

/// The way from the root to a value.
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

/// The words between the first and second backquote of a serde message.
fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

/// Describes the error and changes `value` so that reading gets past it; false when it cannot.
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
    // A variant written as text has its name on the way to the error, but no value of its own.
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

/// The unknown name in a serde message that starts with `start`, and the known ones.
fn unknown<'m>(message: &'m str, start: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let rest = message.strip_prefix(start)?;
    // From the right, because the name is a stranger's and may hold anything.
    let (name, known) = rest.rsplit_once("`, expected ")?;
    Some((name, known.split('`').skip(1).step_by(2).collect()))
}

fn none_of(name: &str, what: &str, known: &[&str]) -> String {
    let name = shorten(name);
    format!("`{name}` is no known {what}; known: {}", known.join(", "))
}

fn guess(problem: Problem, name: &str, known: &[&str]) -> Problem {
    match nearest(name, known.iter().copied()) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem,
    }
}

/// Gets the value at `steps` out of the way: a field is taken out, an element of an array replaced (so that the indices of those behind it
/// stay right), and where neither helps, what it lies in goes instead.
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

/// What stands in for an element of the array at `steps`.
fn element_of(steps: &[Step]) -> Value {
    match steps.last() {
        Some(Step::Key(key)) if PLAIN.contains(&key.as_str()) => Value::from(0.0),
        _ => Value::Object(serde_json::Map::new()),
    }
}

/// A value of the right type for a required field, so that reading goes on behind it.
fn stand_in(field: &str) -> Value {
    match field {
        "version" => Value::from(Timeline::VERSION),
        "start" | "end" => Value::from(0.0),
        "shots" | "words" | "layers" => Value::Array(Vec::new()),
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

/// What serde says ends with what it expected and may hold any value before that.
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

/// The known name closest to a mistyped one, when it is close enough to be meant.
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
