//! Forms as data: a field knows its path in the request's JSON, how it is shown, and how typed text becomes JSON.
//!
//! A form sends what was typed. Invalid numbers stay text, so that the request parser reports them at their field.

use kinora_studio::request::{FieldProblem, WireName};
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::session::Fields;
use super::text;

/// An option of a closed list.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: String,
}

impl Choice {
    pub(super) fn new(value: impl Into<String>, label: impl Into<String>) -> Choice {
        Choice {
            value: value.into(),
            label: label.into(),
        }
    }
}

/// Returns every name of an API list.
pub(super) fn names<T: WireName>() -> Vec<Choice> {
    T::names()
        .map(|name| Choice::new(name, text::title(name)))
        .collect()
}

/// The same after an option that leaves the field open.
pub(super) fn names_or<T: WireName>(open: &str) -> Vec<Choice> {
    let mut rows = vec![Choice::new("", open)];
    rows.extend(names::<T>().into_iter().filter(|row| !row.value.is_empty()));
    rows
}

/// The input kind of a field.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// One line; the list is of suggestions.
    Line(Vec<Choice>),
    /// Many lines.
    Area { rows: u8, max_chars: usize },
    /// One of a list; an empty value is not sent.
    One(Vec<Choice>),
    /// Any of a list: an array of texts.
    Many(Vec<Choice>),
    /// On or off.
    Switch,
    /// On, off, or the inherited value.
    Three { open: &'static str },
    /// A hidden value, kept from page to page.
    Hidden,
    /// A number; the request parser checks its bounds.
    Number,
}

/// A field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The path in the JSON, such as `musicConfig.volume`; also its name in the form.
    pub(super) path: String,
    pub(super) label: String,
    pub(super) hint: &'static str,
    pub(super) kind: Kind,
    /// The text of the empty option.
    pub(super) empty: &'static str,
    /// The part of its group; empty for none.
    pub(super) part: String,
    /// The preview that a script shows for it: `caption`, `transition`, `voice`.
    pub(super) shows: Option<&'static str>,
}

/// Creates a field without a hint.
pub(super) fn field(path: impl Into<String>, label: impl Into<String>, kind: Kind) -> Field {
    Field {
        path: path.into(),
        label: label.into(),
        hint: "",
        kind,
        empty: "",
        part: String::new(),
        shows: None,
    }
}

impl Field {
    pub(super) fn hint(mut self, hint: &'static str) -> Field {
        self.hint = hint;
        self
    }

    pub(super) fn empty(mut self, stands_for: &'static str) -> Field {
        self.empty = stands_for;
        self
    }

    pub(super) fn part(mut self, name: impl Into<String>) -> Field {
        self.part = name.into();
        self
    }

    pub(super) fn shows(mut self, what: &'static str) -> Field {
        self.shows = Some(what);
        self
    }

    /// Returns the typed value as JSON; `None` if there is none.
    fn value(&self, fields: &Fields) -> Option<Value> {
        let typed = fields.get(&self.path);
        match &self.kind {
            Kind::Switch => Some(Value::Bool(fields.has(&self.path))),
            Kind::Many(_) => {
                let all: Vec<Value> = fields.all(&self.path).map(Value::from).collect();
                (!all.is_empty()).then_some(Value::Array(all))
            }
            _ if typed.is_empty() => None,
            Kind::Three { .. } => Some(Value::Bool(typed == "true")),
            Kind::Number => Some(number(typed)),
            // Browsers send line ends as CR LF.
            Kind::Line(_) | Kind::Area { .. } | Kind::One(_) | Kind::Hidden => {
                Some(Value::from(typed.replace("\r\n", "\n")))
            }
        }
    }

    /// Returns its problem: at its own path, or below it.
    fn problem<'p>(&self, problems: &'p [FieldProblem]) -> Option<&'p FieldProblem> {
        problems.iter().find(|problem| self.has(problem))
    }

    pub(super) fn has(&self, problem: &FieldProblem) -> bool {
        // `visualStyles[0].name` is `visualStyles.0.name` here.
        let place = problem.field.replace('[', ".").replace(']', "");
        let rest = place.strip_prefix(&self.path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn id(&self) -> String {
        id_of(&self.path)
    }

    /// Returns its label with its part's, for use outside the group.
    pub(super) fn name(&self) -> String {
        match self.part.as_str() {
            "" => self.label.clone(),
            part => format!("{part}, {}", self.label),
        }
    }

    fn show(&self, filled: &Filled) -> Markup {
        let problem = self.problem(filled.problems);
        let said = filled.said.filter(|said| said.path == self.path);
        let id = self.id();
        let named = |part: &str| format!("{id}-{part}");
        let (hint_id, problem_id, said_id) = (named("hint"), named("problem"), named("said"));
        let told_by: Vec<&str> = [
            problem.map(|_| problem_id.as_str()),
            said.map(|_| said_id.as_str()),
            (!self.hint.is_empty()).then_some(&hint_id),
        ]
        .into_iter()
        .flatten()
        .collect();
        let told_by = (!told_by.is_empty()).then(|| told_by.join(" "));
        let shown = Shown {
            id: &id,
            told_by: told_by.as_deref(),
            is_wrong: problem.is_some(),
            is_new: said.is_some(),
            value: at(filled.body, &self.path),
        };
        if matches!(self.kind, Kind::Hidden) {
            return html! { input type="hidden" name=(self.path) value=(shown.typed()); };
        }
        let is_switch = matches!(self.kind, Kind::Switch);
        let is_list = matches!(self.kind, Kind::Many(_));
        html! {
            div.field.switch[is_switch].wrong[problem.is_some()] {
                @if is_switch { (self.control(&shown)) }
                @if is_list { p.label id=(format!("{id}-label")) { (self.label) } }
                @else { label for=(id) { (self.label) } }
                @if let Some(said) = said { div.said id=(said_id) role="status" { (said.text) } }
                @if !is_switch { (self.control(&shown)) }
                @if let Some(problem) = problem { p.problem id=(problem_id) { (problem.reason) } }
                @if !self.hint.is_empty() { p.hint id=(hint_id) { (self.hint) } }
            }
        }
    }

    fn control(&self, shown: &Shown) -> Markup {
        let wrong = shown.is_wrong.then_some("true");
        let typed = shown.typed();
        let Shown { id, told_by, .. } = *shown;
        match &self.kind {
            Kind::Line(known) => html! {
                input id=(id) name=(self.path) type="text" value=(typed) maxlength="200" list=[(!known.is_empty()).then(|| format!("{id}-known"))]
                    autocomplete="off" placeholder=[(!self.empty.is_empty()).then_some(self.empty)]
                    data-shows=[self.shows] aria-describedby=[told_by] aria-invalid=[wrong];
                @if !known.is_empty() {
                    datalist id=(format!("{id}-known")) {
                        @for row in known { option value=(row.value) { (row.label) } }
                    }
                }
            },
            Kind::Area { rows, max_chars } => html! {
                textarea id=(id) name=(self.path) rows=(rows) maxlength=(max_chars) autofocus[shown.is_new] aria-describedby=[told_by] aria-invalid=[wrong] { "\n" (typed) }
            },
            Kind::One(rows) => html! {
                select id=(id) name=(self.path) data-shows=[self.shows] aria-describedby=[told_by] aria-invalid=[wrong] {
                    @for row in rows { option value=(row.value) selected[row.value == typed] { (row.label) } }
                }
            },
            Kind::Three { open } => html! {
                select id=(id) name=(self.path) aria-describedby=[told_by] aria-invalid=[wrong] {
                    @for (value, label) in [("", *open), ("true", "On"), ("false", "Off")] {
                        option value=(value) selected[value == typed] { (label) }
                    }
                }
            },
            Kind::Many(rows) => html! {
                div.choices id=(id) role="group" tabindex="-1" aria-labelledby=(format!("{id}-label")) aria-describedby=[told_by] {
                    @for row in rows {
                        label { input type="checkbox" name=(self.path) value=(row.value) checked[shown.holds(&row.value)]; (row.label) }
                    }
                }
            },
            Kind::Switch => html! {
                input id=(id) name=(self.path) type="checkbox" value="true" checked[typed == "true"] aria-describedby=[told_by] aria-invalid=[wrong];
            },
            Kind::Hidden => html! {},
            // A field of the type `number` sends nothing if its text is invalid.
            Kind::Number => html! {
                input.number-field id=(id) name=(self.path) type="text" inputmode="decimal" autocomplete="off" maxlength="40" value=(typed)
                    aria-describedby=[told_by] aria-invalid=[wrong];
            },
        }
    }
}

/// A field's state in a page.
struct Shown<'a> {
    id: &'a str,
    told_by: Option<&'a str>,
    is_wrong: bool,
    /// Just written by the service.
    is_new: bool,
    value: &'a Value,
}

impl Shown<'_> {
    /// Returns the value as text.
    fn typed(&self) -> String {
        match self.value {
            Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    fn holds(&self, value: &str) -> bool {
        let all = self.value.as_array();
        all.is_some_and(|all| all.iter().any(|one| one == value))
    }
}

/// The content of a form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled<'a> {
    pub(super) body: &'a Value,
    pub(super) problems: &'a [FieldProblem],
    pub(super) said: Option<&'a Said>,
}

/// A message about a field that the service changed.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) path: &'static str,
    pub(super) text: Markup,
}

/// A group of related fields.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) title: &'static str,
    /// Whether it is folded until opened, or until a field in it has a problem.
    pub(super) is_folded: bool,
    pub(super) fields: Vec<Field>,
}

impl Group {
    pub(super) fn new(title: &'static str, fields: Vec<Field>) -> Group {
        Group {
            title,
            is_folded: false,
            fields,
        }
    }

    pub(super) fn folded(mut self) -> Group {
        self.is_folded = true;
        self
    }

    pub(super) fn show(&self, filled: &Filled) -> Markup {
        let is_open = self.fields.iter().any(|field| {
            let is_said = filled.said.is_some_and(|said| said.path == field.path);
            is_said || field.problem(filled.problems).is_some()
        });
        let parts = self.fields.chunk_by(|one, next| one.part == next.part);
        let fields = html! {
            div.fields {
                @for part in parts {
                    @if part[0].part.is_empty() {
                        @for field in part { (field.show(filled)) }
                    } @else {
                        fieldset.fields {
                            legend { (part[0].part) }
                            @for field in part { (field.show(filled)) }
                        }
                    }
                }
            }
        };
        html! {
            @if self.is_folded {
                details.group open[is_open] { summary { h2 { (self.title) } } (fields) }
            } @else {
                section.group { h2 { (self.title) } (fields) }
            }
        }
    }
}

/// Builds the request's JSON from the typed values.
pub(super) fn body(groups: &[Group], fields: &Fields) -> Value {
    let mut body = Value::Object(Map::new());
    for field in groups.iter().flat_map(|group| &group.fields) {
        if let Some(value) = field.value(fields) {
            put(&mut body, &field.path, value);
        }
    }
    body
}

/// Lists the problems at the top, each with a link to its field.
pub(super) fn summary(groups: &[Group], problems: &[FieldProblem]) -> Markup {
    if problems.is_empty() {
        return html! {};
    }
    let owner = |problem: &FieldProblem| {
        let mut fields = groups.iter().flat_map(|group| &group.fields);
        fields.find(|field| field.has(problem))
    };
    html! {
        div.summary role="alert" tabindex="-1" {
            h2 { @if problems.len() == 1 { "One thing is not right yet" } @else { (problems.len()) " things are not right yet" } }
            ul {
                @for problem in problems {
                    li {
                        @match owner(problem) {
                            Some(field) => { a href=(format!("#{}", field.id())) { (field.name()) } ": " (problem.reason) }
                            None => (problem),
                        }
                    }
                }
            }
        }
    }
}

fn id_of(path: &str) -> String {
    format!("f-{}", path.replace('.', "-"))
}

/// Returns the value at a path.
pub(super) fn at<'v>(body: &'v Value, path: &str) -> &'v Value {
    path.split('.')
        .fold(body, |value, name| match name.parse::<usize>() {
            Ok(index) if value.is_array() => &value[index],
            _ => &value[name],
        })
}

fn put(body: &mut Value, path: &str, value: Value) {
    let mut place = body;
    for name in path.split('.') {
        place = &mut place[name];
    }
    *place = value;
}

/// Parses a typed number, as an integer if it is whole; invalid numbers stay text. The decimal separator may be a comma.
fn number(typed: &str) -> Value {
    let dotted = typed.replacen(',', ".", 1);
    let number = dotted.parse::<f64>();
    let whole = typed.parse::<i64>().map(Value::from);
    whole.unwrap_or_else(|_| {
        let number = number.ok().and_then(serde_json::Number::from_f64);
        number.map_or_else(|| Value::from(typed), Value::Number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn groups() -> Vec<Group> {
        vec![Group::new(
            "All",
            vec![
                field("a.b", "B", Kind::Number),
                field("a.c", "C", Kind::Switch),
                field(
                    "d",
                    "D",
                    Kind::Many(vec![Choice::new("x", "X"), Choice::new("y", "Y")]),
                ),
                field("e", "E", Kind::Line(Vec::new())),
                field("f", "F", Kind::Three { open: "as it is" }),
            ],
        )]
    }

    fn typed(rows: &[(&str, &str)]) -> Value {
        let rows = rows
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        body(&groups(), &Fields(rows.collect()))
    }

    #[test]
    fn what_was_typed_becomes_json() {
        let all = typed(&[
            ("a.b", "0.5"),
            ("a.c", "true"),
            ("d", "x"),
            ("d", "y"),
            ("e", " text "),
            ("f", "false"),
            ("other", "1"),
        ]);
        assert_eq!(
            all,
            json!({ "a": { "b": 0.5, "c": true }, "d": ["x", "y"], "e": "text", "f": false })
        );
        assert_eq!(
            typed(&[("a.b", ""), ("e", " ")]),
            json!({ "a": { "c": false } })
        );
        assert_eq!(typed(&[("a.b", "much")])["a"]["b"], "much");
        assert_eq!(typed(&[("a.b", "NaN")])["a"]["b"], "NaN");
        assert_eq!(typed(&[("a.b", "7")])["a"]["b"], 7);
        assert_eq!(typed(&[("a.b", "0,33")])["a"]["b"], 0.33);
    }

    #[test]
    fn problems_stand_at_their_fields_and_values_are_escaped() {
        let body = json!({ "a": { "b": "<script>" }, "e": "\"><b>" });
        let problems = [
            FieldProblem::invalid("a.b", "no number"),
            FieldProblem::invalid("d[1]", "who?"),
        ];
        let filled = Filled {
            body: &body,
            problems: &problems,
            said: None,
        };
        let page = groups()[0].show(&filled).into_string();
        assert!(page.contains("id=\"f-a-b-problem\">no number<"), "{page}");
        assert!(page.contains("id=\"f-d-problem\">who?<"));
        assert!(page.contains("aria-invalid=\"true\""));
        assert!(!page.contains("<script>") && !page.contains("<b>"));
        let summary = summary(&groups(), &problems).into_string();
        assert!(summary.contains("href=\"#f-a-b\""));
    }
}
