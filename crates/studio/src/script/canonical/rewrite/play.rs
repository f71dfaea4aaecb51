//! Plays: `NAME: text`, names on lines of their own, `INT. PLACE - DAY`, directions in parentheses; and scripts that are almost canonical.

use super::draft::{Draft, DraftScene, DraftShot};
use super::plain::one_line;
use crate::script::canonical::elements::Kind;
use crate::script::canonical::handle::mentions;
use crate::script::canonical::heading;
use crate::script::canonical::line::{
    Form, LABELS, NARRATOR_LABELS, form, is_list_item, is_shouted, label, trimmed,
};

/// The words with which plays introduce a place.
const PLACES: &[&str] = &[
    "INT./EXT.",
    "INT/EXT.",
    "INT/EXT",
    "I/E.",
    "INT.",
    "EXT.",
    "INT ",
    "EXT ",
];

/// Cuts between scenes, which show nothing.
const CUTS: &[&str] = &[
    "CUT TO",
    "FADE IN",
    "FADE OUT",
    "FADE TO",
    "SMASH CUT",
    "DISSOLVE TO",
];

/// A speaker, with an aside, and the speech.
struct Cue<'t> {
    /// `None` is the narrator.
    name: Option<&'t str>,
    aside: &'t str,
    said: &'t str,
}

/// Returns whether the text is written as a play: it has places or scene headings, or a third of its lines are cues.
pub(super) fn is_play(text: &str) -> bool {
    let lines: Vec<&str> = text
        .lines()
        .map(trimmed)
        .filter(|line| !line.is_empty())
        .collect();
    let is_heading = |line: &&str| {
        place(line).is_some()
            || announces_elements(line)
            || matches!(form(line), Form::Heading(2 | 4, text) if text.contains(|c: char| c.is_ascii_digit()))
    };
    if lines.iter().any(is_heading) {
        return true;
    }
    let names = lines.iter().filter_map(|line| cue(line));
    let (mut n_cues, mut n_shouted) = (0, 0);
    for cue in names {
        n_cues += 1;
        n_shouted += usize::from(cue.name.is_none_or(is_shouted));
    }
    let n_alone = lines
        .windows(2)
        .filter(|pair| is_name_alone(pair[0]) && !is_name_alone(pair[1]))
        .count();
    let is_clear = n_shouted > 0 || n_cues > 1 || n_alone > 1;
    is_clear && (n_cues + 2 * n_alone) * 3 >= lines.len()
}

/// Reads a play.
pub(super) fn read(text: &str) -> Draft {
    let mut reader = Reader::default();
    let lines: Vec<&str> = text
        .split([
            '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
        ])
        .map(trimmed)
        .collect();
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).copied().unwrap_or_default();
        reader.line(line, next);
    }
    reader.draft
}

#[derive(Default)]
struct Reader<'t> {
    draft: Draft,
    /// The speaker of the following lines, until a blank one.
    speaker: Option<Option<&'t str>>,
    in_elements: bool,
    /// The kind of element whose list continues on the following lines.
    listing: Option<Kind>,
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: &'t str, next: &'t str) {
        if announces_elements(line) {
            (self.speaker, self.in_elements, self.listing) = (None, true, None);
        } else if let Form::Heading(level, text) = form(line) {
            self.heading(level, text);
        } else if matches!(form(line), Form::Blank) {
            self.speaker = None;
        } else if self.in_elements || element_label(line).is_some() {
            self.speaker = None;
            self.element(line);
        } else if let Some(place) = place(line) {
            self.place(place);
        } else if CUTS.iter().any(|cut| line.starts_with(cut)) {
            self.speaker = None;
        } else if let Some(direction) = direction(line) {
            self.seen(direction);
        } else if let Some(cue) = cue(line) {
            self.speaker = None;
            self.said(&cue);
        } else if let Some(seen) = labeled(line) {
            self.seen(seen);
        } else if let Some(name) = self.speaker {
            let (aside, said) = ("", line);
            self.said(&Cue { name, aside, said });
        } else if is_name_alone(line) && !next.is_empty() && place(next).is_none() {
            self.speaker = Some(name_alone(line));
        } else {
            self.seen(line);
        }
    }

    /// Reads the heading of a scene, a shot or the elements; other headings are descriptions.
    fn heading(&mut self, level: usize, text: &str) {
        self.speaker = None;
        let listing = Kind::of_label(bare(text));
        if self.in_elements && listing.is_some() {
            self.listing = listing;
            return;
        }
        (self.in_elements, self.listing) = (false, None);
        let mut wrong = Vec::new();
        if level <= 3 {
            let title = heading::scene(text, &mut wrong).title;
            self.scene(title);
            return;
        }
        let shot = heading::shot(text, &mut wrong);
        let seen = if shot.numbers.is_some() {
            shot.words
        } else {
            text.to_owned()
        };
        self.draft.scene().shots.push(DraftShot {
            seen: vec![seen],
            said: Vec::new(),
            secs: shot.secs,
        });
    }

    fn scene(&mut self, title: String) {
        let shots = Vec::new();
        self.draft.scenes.push(DraftScene { title, shots });
    }

    /// Reads a place, such as `HARBOR - DAY` after `EXT.`
    fn place(&mut self, text: &str) {
        self.speaker = None;
        let title = title_case(text);
        let name = text
            .split([',', '–', '—'])
            .next()
            .and_then(|name| name.split(" - ").next())
            .unwrap_or(text);
        self.draft.locations.push(title_case(trimmed(name)));
        self.scene(title.clone());
        self.draft.shot().seen.push(title);
    }

    /// Adds a description; after speech it starts a new shot.
    fn seen(&mut self, text: &str) {
        if !self.draft.shot().said.is_empty() {
            self.draft.scene().shots.push(DraftShot::default());
        }
        self.draft.shot().seen.push(text.to_owned());
    }

    /// Adds speech. Each speech has its own shot, which shows the speaker unless something else is described.
    fn said(&mut self, cue: &Cue<'_>) {
        if !self.draft.shot().said.is_empty() {
            self.draft.scene().shots.push(DraftShot::default());
        }
        let name = cue.name.map(as_written);
        let seen = match (&name, cue.aside) {
            (Some(name), "") => name.clone(),
            (Some(name), aside) => format!("{name}, {aside}"),
            (None, _) => cue.said.to_owned(),
        };
        let shot = self.draft.shot();
        if shot.seen.iter().all(String::is_empty) || !cue.aside.is_empty() {
            shot.seen.push(seen);
        }
        shot.said.push((name, one_line(cue.said)));
    }

    fn element(&mut self, line: &str) {
        let (kind, list) = match (element_label(line), self.listing) {
            (Some(labeled), _) => labeled,
            // A list with one line per element.
            (None, Some(kind)) => (kind, without_bullet(line)),
            (None, None) => return,
        };
        self.listing = Some(kind).filter(|_| self.in_elements);
        let names = names_in(list);
        match kind {
            // Characters without speech are not part of a script's cast.
            Kind::Character => {}
            Kind::Location => self.draft.locations.extend(names),
            Kind::Object => self.draft.objects.extend(names),
        }
    }
}

/// Removes emphasis marks around words.
fn bare(text: &str) -> &str {
    trimmed(text.trim_matches(['*', '_', '#', ' ', ':', '：']))
}

/// Returns whether a line announces the elements, as a heading or on a line of its own.
fn announces_elements(line: &str) -> bool {
    heading::is_elements(bare(line))
}

/// Reads `Locations: @Harbor`, with any marks around it.
fn element_label(line: &str) -> Option<(Kind, &str)> {
    let (label, list) = label(without_bullet(line))?;
    Some((Kind::of_label(bare(label))?, list))
}

/// Returns the elements of a list: their handles, or names without their descriptions.
fn names_in(list: &str) -> Vec<String> {
    if list.contains('@') {
        let handles = mentions(list).map(|(_, handle)| handle.to_owned());
        return handles.filter(|handle| !handle.is_empty()).collect();
    }
    let names = list.split([',', ';']).map(|name| {
        let end = name.find(['(', '（', ':', '：']).unwrap_or(name.len());
        let name = name[..end].split(" - ").next().unwrap_or_default();
        trimmed(name).to_owned()
    });
    names
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("none"))
        .collect()
}

/// Returns the text after `INT.` or `EXT.`
fn place(line: &str) -> Option<&str> {
    let rest = PLACES
        .iter()
        .find_map(|start| line.strip_prefix(start))
        .map(trimmed)?;
    rest.contains(char::is_alphanumeric).then_some(rest)
}

/// Returns the content of a line in parentheses or brackets.
fn direction(line: &str) -> Option<&str> {
    let inner = [('(', ')'), ('[', ']'), ('（', '）')]
        .iter()
        .find_map(|(open, close)| line.strip_prefix(*open)?.strip_suffix(*close));
    inner.map(trimmed)
}

/// Returns the description after a label such as `VISUAL:`.
fn labeled(line: &str) -> Option<&str> {
    let (label, rest) = label(without_bullet(line))?;
    LABELS
        .contains(&label.to_lowercase().as_str())
        .then_some(rest)
}

/// Reads `NAME: text`, `NAME (aside): text`, `@Name: text`.
fn cue(line: &str) -> Option<Cue<'_>> {
    let (label, said) = label(without_bullet(line))?;
    let (name, aside) = match label.split_once(['(', '（']) {
        Some((name, aside)) => (trimmed(name), aside.trim_end_matches([')', '）'])),
        None => (label, ""),
    };
    let lower = name.to_lowercase();
    if said.is_empty() || LABELS.contains(&lower.as_str()) {
        return None;
    }
    if NARRATOR_LABELS.contains(&lower.as_str()) {
        let name = None;
        return Some(Cue { name, aside, said });
    }
    let name = name.trim_start_matches('@');
    is_name(name).then_some(Cue {
        name: Some(name),
        aside: trimmed(aside),
        said,
    })
}

fn without_bullet(line: &str) -> &str {
    if is_list_item(line) {
        trimmed(line.trim_start_matches(['-', '*', '+', '•', '–', '—']))
    } else {
        line
    }
}

/// Returns whether a text has up to four words, each with an upper-case first letter if its script has case.
fn is_name(text: &str) -> bool {
    const MAX_WORDS: usize = 4;
    let mut words = text.split_whitespace();
    let is_word = |word: &str| {
        word.chars()
            .next()
            .is_some_and(|c| (c.is_alphabetic() && !c.is_lowercase()) || c.is_numeric())
    };
    let n_words = words.clone().take(MAX_WORDS + 1).count();
    (1..=MAX_WORDS).contains(&n_words)
        && words.all(is_word)
        && text.starts_with(char::is_alphabetic)
        && !text.contains(['.', '!', '?', '"', ','])
}

/// Returns whether a line is a name in capitals, alone or with an aside.
fn is_name_alone(line: &str) -> bool {
    let name = line.split(['(', '（']).next().unwrap_or_default();
    let has_aside = name.len() == line.len() || line.ends_with([')', '）']);
    has_aside
        && is_name(trimmed(name))
        && is_shouted(name)
        && line.chars().nth(40).is_none()
        && place(line).is_none()
}

/// Returns the speaker of the lines below; `None` is the narrator.
fn name_alone(line: &str) -> Option<&str> {
    let name = trimmed(line.split(['(', '（']).next().unwrap_or_default());
    (!NARRATOR_LABELS.contains(&name.to_lowercase().as_str())).then_some(name)
}

/// Returns a name in capitals in normal spelling.
fn as_written(name: &str) -> String {
    if is_shouted(name) {
        title_case(name)
    } else {
        name.to_owned()
    }
}

/// Changes `OLD TOM` to `Old Tom`; a text with lower-case letters stays.
fn title_case(text: &str) -> String {
    if !is_shouted(text) {
        return text.to_owned();
    }
    let mut cased = String::with_capacity(text.len());
    let mut is_start = true;
    for c in text.chars() {
        if is_start {
            cased.push(c);
        } else {
            cased.extend(c.to_lowercase());
        }
        is_start = !(c.is_alphanumeric() || c == '\'' || c == '’');
    }
    cased
}
