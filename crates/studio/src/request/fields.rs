//! Reads the fields of an object one by one, and reports everything that is wrong with each.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::json::short;
use super::names::WireName;
use super::problem::{FieldProblem, ProblemCode, Report, UNKNOWN, none_of, quoted};
use super::texts::is_left_out;
use crate::text_problem::{is_blank, nearest, quoted_text};

/// A range of numbers; its start may be exclusive.
pub(super) struct Span {
    pub(super) start: f64,
    pub(super) holds_start: bool,
    pub(super) end: f64,
}

impl Span {
    /// Creates a range that includes both ends.
    pub(super) const fn closed(start: f64, end: f64) -> Span {
        let holds_start = true;
        Span {
            start,
            holds_start,
            end,
        }
    }

    /// Creates a range of more than 0, up to and including `end`.
    pub(super) const fn up_to(end: f64) -> Span {
        let (start, holds_start) = (0.0, false);
        Span {
            start,
            holds_start,
            end,
        }
    }

    fn holds(&self, number: f64) -> bool {
        let after_start = number > self.start || (self.holds_start && number == self.start);
        after_start && number <= self.end
    }

    fn told(&self) -> String {
        let start = if self.holds_start {
            "from"
        } else {
            "more than"
        };
        let end = if self.holds_start {
            "to"
        } else {
            "and at most"
        };
        format!("{start} {} {end} {}", self.start, self.end)
    }
}

/// An object being read. `null` and empty texts count as missing. Fields that are never read are reported as warnings by [`Fields::end`].
pub(super) struct Fields<'v, 'r> {
    path: String,
    map: Option<&'v Map<String, Value>>,
    asked: Vec<&'static str>,
    report: &'r mut Report,
}

impl<'v, 'r> Fields<'v, 'r> {
    /// Reads the fields of `map` at `path`; a missing object has no fields.
    pub(super) fn new(
        path: String,
        map: Option<&'v Map<String, Value>>,
        report: &'r mut Report,
    ) -> Self {
        let asked = Vec::new();
        Fields {
            path,
            map,
            asked,
            report,
        }
    }

    /// Returns the path of a field.
    pub(super) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// Returns the value of a field, if it is present. A text of white space only counts as missing, whatever the field's type: no-code tools send one for each
    /// unfilled field.
    pub(super) fn value(&mut self, name: &'static str) -> Option<&'v Value> {
        self.asked.push(name);
        self.map?.get(name).filter(|value| !is_absent(value))
    }

    /// Returns whether the field is present, valid or not.
    pub(super) fn is_written(&mut self, name: &'static str) -> bool {
        self.value(name).is_some()
    }

    /// Reports a value that cannot be used.
    pub(super) fn invalid(&mut self, name: &str, reason: impl Into<String>) {
        self.add(ProblemCode::InvalidFormat, name, reason.into());
    }

    /// Reports a missing field.
    pub(super) fn missing(&mut self, name: &str, reason: impl Into<String>) {
        self.add(ProblemCode::MissingField, name, reason.into());
    }

    /// Reports that one of several fields is needed: a problem without a field path.
    pub(super) fn missing_any(&mut self, reason: impl Into<String>) {
        self.report.problem(FieldProblem::missing("", reason));
    }

    /// Reports a problem of a field.
    pub(super) fn add(&mut self, code: ProblemCode, name: &str, reason: String) {
        let field = self.path_of(name);
        self.report.problem(FieldProblem {
            code,
            field,
            reason,
        });
    }

    /// Warns about a field without effect.
    pub(super) fn warn(&mut self, name: &str, message: impl Into<String>) {
        let field = self.path_of(name);
        self.report.warn(field, || message.into());
    }

    /// Warns about each of these fields that is given, as `because` leaves them without effect.
    pub(super) fn unused(&mut self, because: &str, given: &[(&str, bool)]) {
        for (name, _) in given.iter().filter(|(_, is_given)| *is_given) {
            self.warn(name, format!("has no effect, because {because}"));
        }
    }

    /// Reads `true` or `false`.
    pub(super) fn boolean(&mut self, name: &'static str) -> Option<bool> {
        let value = self.value(name)?;
        if value.as_bool().is_none() {
            self.invalid(
                name,
                format!("{} is not a boolean: must be true or false", quoted(value)),
            );
        }
        value.as_bool()
    }

    /// Reads a number within a range. A number in a text is refused.
    pub(super) fn number(&mut self, name: &'static str, span: &Span) -> Option<f64> {
        let value = self.value(name)?;
        match value.as_f64() {
            // Adding 0 removes the sign of -0.
            Some(number) if span.holds(number) => return Some(number + 0.0),
            Some(_) => self.invalid(
                name,
                format!("{} is out of range: must be {}", quoted(value), span.told()),
            ),
            None => self.invalid(
                name,
                format!("{} is not a number {}", quoted(value), span.told()),
            ),
        }
        None
    }

    /// Reads a whole number within a range, in any notation (`70`, `70.0`, `7e1`).
    pub(super) fn integer(
        &mut self,
        name: &'static str,
        range: RangeInclusive<u32>,
    ) -> Option<u32> {
        let value = self.value(name)?;
        let (start, end) = (*range.start(), *range.end());
        match value.as_f64() {
            Some(number) if number.fract() != 0.0 => {
                self.invalid(
                    name,
                    format!(
                        "{} is not a whole number from {start} to {end}",
                        quoted(value)
                    ),
                );
            }
            Some(number) if (f64::from(start)..=f64::from(end)).contains(&number) => {
                return Some(number as u32);
            }
            Some(_) => self.invalid(
                name,
                format!(
                    "{} is out of range: must be from {start} to {end}",
                    quoted(value)
                ),
            ),
            None => self.invalid(
                name,
                format!(
                    "{} is not a whole number from {start} to {end}",
                    quoted(value)
                ),
            ),
        }
        None
    }

    /// Reads a text of at most `max_chars`; one of white space only counts as missing.
    pub(super) fn text(&mut self, name: &'static str, max_chars: usize) -> Option<String> {
        let value = self.value(name)?;
        let Value::String(text) = value else {
            self.invalid(name, format!("{} is not a string", quoted(value)));
            return None;
        };
        if text.contains('\0') {
            self.invalid(name, "the text contains a NUL character");
            return None;
        }
        let n_chars = text.chars().count();
        if n_chars > max_chars {
            self.invalid(
                name,
                format!("the text has {n_chars} characters; at most {max_chars} are allowed"),
            );
            return None;
        }
        let n_left_out = text.chars().filter(|c| is_left_out(*c)).count();
        if n_left_out > 0 {
            self.warn(
                name,
                format!("{n_left_out} control characters were removed"),
            );
        }
        let text: String = text.chars().filter(|c| !is_left_out(*c)).collect();
        (!is_blank(&text)).then_some(text)
    }

    /// Reads an identifier: a text without white space and invisible characters.
    pub(super) fn identifier(&mut self, name: &'static str, max_chars: usize) -> Option<String> {
        let text = self.text(name, max_chars)?;
        let id = text.trim();
        if id.chars().all(|c| c.is_ascii_graphic()) {
            return Some(id.to_owned());
        }
        let reason = format!(
            "{} is not an identifier: use ASCII letters, digits and punctuation, without spaces",
            quoted_text(id)
        );
        self.invalid(name, reason);
        None
    }

    /// Reads a name of an enumeration.
    pub(super) fn choice<T: WireName>(&mut self, name: &'static str) -> Option<T> {
        self.choice_or(name, &[])
    }

    /// Reads a name of an enumeration, or one of its `aliases`.
    pub(super) fn choice_or<T: WireName>(
        &mut self,
        name: &'static str,
        aliases: &[(&str, T)],
    ) -> Option<T> {
        let is_empty = |value: &Value| value.as_str().is_some_and(str::is_empty);
        if self.map.and_then(|map| map.get(name)).is_some_and(is_empty) {
            self.asked.push(name);
            // In the one list with an empty name, an empty text means that name.
            return T::parse("");
        }
        let value = self.value(name)?;
        let Value::String(text) = value else {
            let known: Vec<&str> = T::names().filter(|name| !name.is_empty()).collect();
            self.invalid(
                name,
                format!(
                    "{} is not a string: must be one of: {}",
                    quoted(value),
                    known.join(", ")
                ),
            );
            return None;
        };
        let alias = aliases.iter().find(|(alias, _)| alias == text);
        let found = T::parse(text).or(alias.map(|(_, value)| *value));
        if found.is_none() {
            let mut reason = none_of::<T>(text);
            if !aliases.is_empty() {
                let forms = aliases.iter();
                let forms = forms.map(|(alias, value)| format!("{alias} ({})", value.as_str()));
                reason += &format!("; short forms: {}", forms.collect::<Vec<_>>().join(", "));
            }
            self.invalid(name, reason);
        }
        found
    }

    /// Reads an object by `read`; a missing one is read as an object without fields.
    pub(super) fn object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'v, '_>) -> T,
    ) -> T {
        let map = match self.value(name) {
            None => None,
            Some(Value::Object(map)) => Some(map),
            Some(other) => {
                self.invalid(name, format!("{} is not an object", quoted(other)));
                None
            }
        };
        self.inner(name, map, read)
    }

    /// Reads an optional object.
    pub(super) fn optional_object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'v, '_>) -> T,
    ) -> Option<T> {
        match self.value(name)? {
            Value::Object(map) => Some(self.inner(name, Some(map), read)),
            other => {
                self.invalid(name, format!("{} is not an object", quoted(other)));
                None
            }
        }
    }

    /// Reads an object at `step` below this one, such as an element of an array.
    pub(super) fn inner<T>(
        &mut self,
        step: &str,
        map: Option<&'v Map<String, Value>>,
        read: impl FnOnce(&mut Fields<'v, '_>) -> T,
    ) -> T {
        let mut fields = Fields::new(self.path_of(step), map, self.report);
        let result = read(&mut fields);
        fields.end();
        result
    }

    /// Warns about every field that was never read.
    pub(super) fn end(self) {
        let Fields {
            path,
            map,
            asked,
            report,
        } = self;
        let strange = map
            .into_iter()
            .flat_map(Map::keys)
            .filter(|key| !asked.contains(&key.as_str()));
        for key in strange {
            let step = short(key);
            let field = if path.is_empty() {
                step
            } else {
                format!("{path}.{step}")
            };
            report.warn(field, || match nearest(key, asked.iter().copied()) {
                Some(near) => {
                    format!("{UNKNOWN}, ignored; did you mean `{near}`?")
                }
                None => format!("{UNKNOWN}, ignored"),
            });
        }
    }
}

/// Returns whether a value counts as missing.
pub(super) fn is_absent(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(is_blank)
}

/// Reads a whole body with `read`.
pub(super) fn whole<'v, T>(
    body: &'v Value,
    report: &mut Report,
    read: impl FnOnce(&mut Fields<'v, '_>) -> T,
) -> Option<T> {
    let Value::Object(map) = body else {
        let reason = format!("{} is not an object: the body must be one", quoted(body));
        report.problem(FieldProblem::invalid("body", reason));
        return None;
    };
    let mut fields = Fields::new(String::new(), Some(map), report);
    let result = read(&mut fields);
    fields.end();
    Some(result)
}
