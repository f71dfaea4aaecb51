//! The reusable elements: their three lines, and the check that every handle means exactly one element.

use std::collections::{HashMap, HashSet};

use super::Elements;
use super::diagnostic::{DiagnosticCode, Diagnostics, Place};
use super::handle::{MAX_HANDLE_CHARS, folded, leading};
use crate::text_problem::{nearest, quoted_text};

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Character,
    Location,
    Object,
}

impl Kind {
    const ALL: [(Kind, &str); 3] = [
        (Kind::Character, "Characters"),
        (Kind::Location, "Locations"),
        (Kind::Object, "Objects"),
    ];

    /// Returns the kind whose line begins with this label.
    pub(super) fn of_label(label: &str) -> Option<Kind> {
        let row = Self::ALL
            .iter()
            .find(|(_, known)| label.eq_ignore_ascii_case(known));
        row.map(|(kind, _)| *kind)
    }

    fn label(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A listed element.
struct Listed {
    kind: Kind,
    handle: String,
    place: Place,
}

/// A use of a handle.
pub(super) struct Use {
    pub(super) handle: String,
    pub(super) speaks: bool,
    pub(super) place: Place,
}

/// The section as read so far.
pub(super) struct Section {
    heading: Place,
    lines: Vec<Kind>,
    listed: Vec<Listed>,
}

impl Section {
    pub(super) fn new(heading: Place) -> Section {
        let (lines, listed) = (Vec::new(), Vec::new());
        Section {
            heading,
            lines,
            listed,
        }
    }

    /// Returns the position of its heading.
    pub(super) fn place(&self) -> Place {
        self.heading
    }

    /// Reads the list after a label.
    pub(super) fn line(&mut self, kind: Kind, list: &str, place: Place, found: &mut Diagnostics) {
        if self.lines.contains(&kind) {
            found.add(DiagnosticCode::Elements, place, || {
                format!(
                    "`{}:` appears twice: write one line for each kind",
                    kind.label()
                )
            });
        }
        self.lines.push(kind);
        let told = || {
            format!(
                "write `{}:` and handles such as `@Anna, @Old_Tom`, or `(none)`",
                kind.label()
            )
        };
        let bare = list.trim_matches(['(', ')', '（', '）']).trim();
        if bare.eq_ignore_ascii_case("none") {
            return;
        }
        let n_before = self.listed.len();
        for part in list
            .split([',', ';', '、', '，'])
            .flat_map(str::split_whitespace)
        {
            let handle = part.strip_prefix('@').map_or("", leading);
            if handle.is_empty() || handle.len() + 1 != part.len() {
                found.add(DiagnosticCode::Elements, place, || {
                    format!("{} is not a handle: {}", quoted_text(part), told())
                });
            } else if handle.chars().nth(MAX_HANDLE_CHARS).is_some() {
                found.add(DiagnosticCode::BadHandle, place, || {
                    format!("a handle has more than {MAX_HANDLE_CHARS} characters")
                });
            } else {
                let handle = handle.to_owned();
                self.listed.push(Listed {
                    kind,
                    handle,
                    place,
                });
            }
        }
        if list.is_empty() && self.listed.len() == n_before {
            found.add(DiagnosticCode::Elements, place, || {
                format!("nothing is listed: {}", told())
            });
        }
    }

    /// Checks the section and every use of a handle.
    pub(super) fn end(self, uses: &[Use], found: &mut Diagnostics) -> Elements {
        for (kind, label) in Kind::ALL {
            if !self.lines.contains(&kind) {
                let told = || {
                    format!(
                        "the line `{label}:` is missing: write handles such as `@Anna`, or `{label}: (none)`"
                    )
                };
                found.add(DiagnosticCode::Elements, self.heading, told);
            }
        }
        self.check_listed(found);
        self.check_uses(uses, found);
        let of = |kind: Kind| -> Vec<String> {
            self.listed
                .iter()
                .filter(|e| e.kind == kind)
                .map(|e| e.handle.clone())
                .collect()
        };
        Elements {
            characters: of(Kind::Character),
            locations: of(Kind::Location),
            objects: of(Kind::Object),
        }
    }

    /// Checks that every handle is listed once and that none can be confused with another.
    fn check_listed(&self, found: &mut Diagnostics) {
        let mut first_by_name: HashMap<String, &Listed> = HashMap::new();
        for element in &self.listed {
            let first = *first_by_name
                .entry(folded(&element.handle))
                .or_insert(element);
            if std::ptr::eq(first, element) {
                continue;
            }
            let (handle, other) = (&element.handle, &first.handle);
            let (code, told) = if handle != other {
                (
                    DiagnosticCode::AmbiguousHandle,
                    format!(
                        "`@{other}` and `@{handle}` differ only by case, accents or hyphens: give one of them another name"
                    ),
                )
            } else if element.kind == first.kind {
                (
                    DiagnosticCode::HandleCollision,
                    format!(
                        "`@{handle}` is listed twice under `{}:`: list each element once, each with its own handle",
                        element.kind.label()
                    ),
                )
            } else {
                let (a, b) = (first.kind.label(), element.kind.label());
                (
                    DiagnosticCode::HandleCollision,
                    format!(
                        "`@{handle}` is listed under `{a}:` and `{b}:`: give one of them another name"
                    ),
                )
            };
            found.add(code, element.place, || told);
        }
    }

    fn check_uses(&self, uses: &[Use], found: &mut Diagnostics) {
        let by_handle: HashMap<&str, Kind> = self
            .listed
            .iter()
            .rev()
            .map(|e| (e.handle.as_str(), e.kind))
            .collect();
        let by_name: HashMap<String, &str> = self
            .listed
            .iter()
            .map(|e| (folded(&e.handle), e.handle.as_str()))
            .collect();
        // Each unlisted handle is reported once, at its first use.
        let mut told = HashSet::new();
        for one in uses {
            match by_handle.get(one.handle.as_str()) {
                Some(Kind::Character) => {}
                Some(kind) if one.speaks && told.insert(&one.handle) => {
                    found.add(DiagnosticCode::Speaker, one.place, || {
                        format!(
                            "`@{}` speaks, but is listed under `{}:`: only characters speak",
                            one.handle,
                            kind.label()
                        )
                    })
                }
                Some(_) => {}
                None if !told.insert(&one.handle) => {}
                None => match by_name.get(&folded(&one.handle)) {
                    Some(known) => found.add(DiagnosticCode::AmbiguousHandle, one.place, || {
                        format!(
                            "`@{}` is listed as `@{known}`: write it the same everywhere",
                            one.handle
                        )
                    }),
                    None => found.add(DiagnosticCode::UnlistedHandle, one.place, || {
                        self.unlisted(one)
                    }),
                },
            }
        }
    }

    fn unlisted(&self, one: &Use) -> String {
        let label = if one.speaks {
            "`Characters:`"
        } else {
            "`Characters:`, `Locations:` or `Objects:`"
        };
        let mut told = format!("`@{}` is not listed: list it under {label}", one.handle);
        // For a malicious list, only the start is compared.
        let known = self.listed.iter().take(1000).map(|e| e.handle.as_str());
        if let Some(near) = nearest(&one.handle, known) {
            told += &format!("; did you mean `@{near}`?");
        }
        told
    }
}
