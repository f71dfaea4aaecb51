//! Reads a script line by line, and reports everything that is not canonical.

use super::diagnostic::{DiagnosticCode, Diagnostics, Place};
use super::elements::{Kind, Section, Use};
use super::handle::{MAX_HANDLE_CHARS, mentions};
use super::heading::{self, MAX_SECS, Wrong};
use super::line::{Form, description_problem, form, label, quotation, trimmed};
use super::{Canonical, CanonicalScene, CanonicalShot, Diagnostic, Elements, Reading, Speech};

/// Largest difference between the lengths of a scene and of its shots, in seconds.
const TOLERANCE_SECS: f64 = 0.5;

/// Reads a canonical script.
///
/// # Errors
/// Everything that is not canonical, in the order of the text, together with warnings.
pub fn parse(text: &str) -> Result<Reading, Vec<Diagnostic>> {
    let text = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .replace("\r\n", "\n");
    let lines = || {
        text.split([
            '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
        ])
        .zip(1..)
    };
    if !lines().any(|(line, _)| is_scene(line)) {
        return Err(raw_prose(lines()));
    }
    let mut parser = Parser::default();
    for (line, number) in lines() {
        parser.line(line, number);
    }
    parser.end()
}

fn is_scene(line: &str) -> bool {
    matches!(form(trimmed(line)), Form::Heading(2, text) if !heading::is_elements(text))
}

/// Returns the only diagnostic of a text that is not meant to be canonical.
fn raw_prose<'t>(mut lines: impl Iterator<Item = (&'t str, usize)>) -> Vec<Diagnostic> {
    let first = lines.find(|(line, _)| !trimmed(line).is_empty());
    let place = Place {
        line: first.map_or(1, |(_, number)| number),
        column: 1,
    };
    let mut found = Diagnostics::default();
    found.add(DiagnosticCode::RawProse, place, || {
        "no scene heading in the whole text: write `## Scene 1: Title (12s)`, then `#### Shot 1.1 (4s)`, what is seen, and `@Handle: \"text\"` for \
         what is said; or have the text rewritten"
            .into()
    });
    found.end()
}

/// The part of the script that the next line belongs to.
#[derive(Clone, Copy, Default, PartialEq)]
enum At {
    #[default]
    Start,
    Scene,
    Shot,
    Elements,
}

#[derive(Default)]
struct Parser {
    scenes: Vec<CanonicalScene>,
    /// For each scene: the position of its heading, and whether all its lengths are known.
    headings: Vec<(Place, bool)>,
    at: At,
    /// The numbers of the last scene and shot, as written.
    numbers: (u32, u32),
    shot_place: Option<Place>,
    section: Option<Section>,
    uses: Vec<Use>,
    told_misplaced: Option<(At, usize)>,
    found: Diagnostics,
}

/// A line with its number, to convert offsets to positions.
#[derive(Clone, Copy)]
struct Source<'t> {
    whole: &'t str,
    number: usize,
}

impl Source<'_> {
    /// Returns the position of a part of the line.
    fn place(&self, part: &str) -> Place {
        let offset = (part.as_ptr() as usize).saturating_sub(self.whole.as_ptr() as usize);
        let before = self.whole.get(..offset).unwrap_or_default();
        Place {
            line: self.number,
            column: before.chars().count() + 1,
        }
    }
}

impl Parser {
    fn line(&mut self, whole: &str, number: usize) {
        let source = Source { whole, number };
        let line = trimmed(whole);
        match form(line) {
            Form::Blank => {}
            Form::Heading(2, text) if heading::is_elements(text) => self.elements_heading(source.place(line)),
            Form::Heading(2, text) => self.scene_heading(text, source.place(line)),
            Form::Heading(4, text) => self.shot_heading(text, source.place(line)),
            Form::Heading(level, _) => self.found.add(DiagnosticCode::Heading, source.place(line), || {
                format!("a heading of level {level}: scenes and the elements have level 2 (`##`), shots level 4 (`####`), and no other levels are allowed")
            }),
            Form::Speech(..) | Form::Text if self.at == At::Elements => self.elements_line(line, source),
            Form::Speech(handle, said) if self.at == At::Shot => self.speech(handle, said, source),
            Form::Text if self.at == At::Shot => self.description(line, source),
            Form::Speech(..) | Form::Text => self.misplaced(source.place(line)),
        }
    }

    /// Reports misplaced text, once for each section.
    fn misplaced(&mut self, place: Place) {
        let here = (self.at, self.scenes.len());
        if self.told_misplaced.replace(here) == Some(here) {
            return;
        }
        self.found.add(DiagnosticCode::Misplaced, place, || match self.at {
            At::Start => "text before the first scene: begin with `## Scene 1: Title (12s)`".into(),
            _ => "text between a scene's heading and its first shot: write `#### Shot 1.1 (4s)` before it".into(),
        });
    }

    fn scene_heading(&mut self, text: &str, place: Place) {
        self.close_scene();
        self.reopen();
        let mut wrong = Vec::new();
        let heading = heading::scene(text, &mut wrong);
        let expected = self.numbers.0.saturating_add(1);
        let number = heading.number.unwrap_or(expected);
        if number != expected {
            let told = format!(
                "scene {number} follows scene {}: write `## Scene {expected}: ...`",
                self.numbers.0
            );
            wrong.push((DiagnosticCode::Numbering, told));
        }
        self.tell(wrong, place);
        self.numbers = (number, 0);
        self.at = At::Scene;
        self.headings.push((place, heading.secs.is_some()));
        self.scenes.push(CanonicalScene {
            title: heading.title,
            secs: heading.secs.unwrap_or_default(),
            shots: Vec::new(),
        });
    }

    fn shot_heading(&mut self, text: &str, place: Place) {
        self.close_shot();
        self.reopen();
        let mut wrong = Vec::new();
        let heading = heading::shot(text, &mut wrong);
        let expected = (self.numbers.0, self.numbers.1.saturating_add(1));
        let numbers = heading.numbers.unwrap_or(expected);
        if self.scenes.is_empty() {
            let told = "a shot before the first scene: begin with `## Scene 1: Title (12s)`";
            self.found
                .add(DiagnosticCode::Misplaced, place, || told.into());
            return;
        }
        if numbers != expected {
            let told = format!(
                "shot {}.{} where {}.{} is expected: write `#### Shot {}.{} (4s)`",
                numbers.0, numbers.1, expected.0, expected.1, expected.0, expected.1
            );
            wrong.push((DiagnosticCode::Numbering, told));
        }
        if let Some((_, wrong)) = Some(&heading.words)
            .filter(|words| !words.is_empty())
            .and_then(|words| description_problem(words))
        {
            self.found.add(wrong.0, place, || wrong.1);
        }
        self.tell(wrong, place);
        // A wrong scene number is reported once; the following shots continue with the expected number.
        self.numbers.1 = if numbers.0 == expected.0 {
            numbers.1
        } else {
            expected.1
        };
        self.at = At::Shot;
        self.shot_place = Some(place);
        for (_, handle) in mentions(&heading.words) {
            self.mention(handle, false, place);
        }
        let known = heading.secs.is_some();
        if let (Some(scene), Some((_, is_known))) =
            (self.scenes.last_mut(), self.headings.last_mut())
        {
            *is_known &= known;
            scene.shots.push(CanonicalShot {
                secs: heading.secs.unwrap_or_default(),
                description: Some(heading.words)
                    .filter(|words| !words.is_empty())
                    .into_iter()
                    .collect(),
                speech: Vec::new(),
            });
        }
    }

    fn speech(&mut self, handle: &str, said: &str, source: Source<'_>) {
        self.mention(handle, true, source.place(trimmed(source.whole)));
        let text = quotation(said).unwrap_or_else(|(at, wrong)| {
            self.found
                .add(wrong.0, source.place(&said[at..]), || wrong.1);
            String::new()
        });
        if let Some(shot) = self.shot() {
            let handle = handle.to_owned();
            shot.speech.push(Speech { handle, text });
        }
    }

    fn description(&mut self, line: &str, source: Source<'_>) {
        if let Some((at, wrong)) = description_problem(line) {
            self.found
                .add(wrong.0, source.place(&line[at..]), || wrong.1);
        }
        // Columns are counted from mention to mention, because a line may have very many.
        let (mut place, mut done) = (source.place(line), 0);
        for (at, handle) in mentions(line) {
            place.column += line[done..at].chars().count();
            done = at;
            self.mention(handle, false, place);
        }
        if let Some(shot) = self.shot() {
            shot.description.push(line.to_owned());
        }
    }

    fn mention(&mut self, handle: &str, speaks: bool, place: Place) {
        if handle.is_empty() {
            let told = "an `@` without a handle: write letters, digits, `_` and `-` after it, or leave it out";
            self.found
                .add(DiagnosticCode::BadHandle, place, || told.into());
        } else if handle.chars().nth(MAX_HANDLE_CHARS).is_some() {
            self.found.add(DiagnosticCode::BadHandle, place, || {
                format!("a handle has more than {MAX_HANDLE_CHARS} characters")
            });
        } else {
            let handle = handle.to_owned();
            self.uses.push(Use {
                handle,
                speaks,
                place,
            });
        }
    }

    fn shot(&mut self) -> Option<&mut CanonicalShot> {
        self.scenes
            .last_mut()
            .and_then(|scene| scene.shots.last_mut())
    }

    fn elements_heading(&mut self, place: Place) {
        self.close_scene();
        self.at = At::Elements;
        if self.section.is_some() {
            self.found.add(DiagnosticCode::Elements, place, || {
                "`## Reusable Elements` appears twice: write it once, at the end".into()
            });
        } else {
            self.section = Some(Section::new(place));
        }
    }

    fn elements_line(&mut self, line: &str, source: Source<'_>) {
        let place = source.place(line);
        let labeled =
            label(line).and_then(|(label, list)| Kind::of_label(label).map(|kind| (kind, list)));
        match (labeled, &mut self.section) {
            (Some((kind, list)), Some(section)) => section.line(kind, list, place, &mut self.found),
            _ => self.found.add(DiagnosticCode::Misplaced, place, || {
                "only lines that begin with `Characters:`, `Locations:` or `Objects:` belong to the elements".into()
            }),
        }
    }

    /// Reports a scene or a shot after the elements.
    fn reopen(&mut self) {
        if self.at == At::Elements {
            let place = self
                .section
                .as_ref()
                .map_or(Place { line: 1, column: 1 }, Section::place);
            self.at = At::Scene;
            self.found.add(DiagnosticCode::Elements, place, || {
                "`## Reusable Elements` is not the last section: move it to the end".into()
            });
        }
    }

    fn tell(&mut self, wrong: Vec<Wrong>, place: Place) {
        for (code, told) in wrong {
            self.found.add(code, place, || told);
        }
    }

    fn close_shot(&mut self) {
        let Some(place) = self.shot_place.take() else {
            return;
        };
        if self
            .shot()
            .is_some_and(|shot| shot.description.is_empty() && shot.speech.is_empty())
        {
            let told = "a shot in which nothing is seen or said: write what is seen on the line below its heading";
            self.found
                .add(DiagnosticCode::EmptyShot, place, || told.into());
        }
    }

    fn close_scene(&mut self) {
        self.close_shot();
        // The elements have already closed the last scene.
        if self.at == At::Elements {
            return;
        }
        let (Some(scene), Some((place, is_known))) = (self.scenes.last(), self.headings.last())
        else {
            return;
        };
        let shots: f64 = scene.shots.iter().map(|shot| shot.secs).sum();
        if scene.shots.is_empty() {
            let told = "a scene without shots: write `#### Shot 1.1 (4s)` and what is seen below its heading";
            self.found
                .add(DiagnosticCode::EmptyScene, *place, || told.into());
        } else if *is_known && (shots - scene.secs).abs() > TOLERANCE_SECS + 1e-9 {
            let told = || {
                format!(
                    "the scene is {} s long, but its shots add up to {shots:.3} s: using the shots",
                    scene.secs
                )
            };
            self.found.add(DiagnosticCode::LengthsDiffer, *place, told);
        }
    }

    fn end(mut self) -> Result<Reading, Vec<Diagnostic>> {
        self.close_scene();
        let last = self
            .headings
            .last()
            .map_or(Place { line: 1, column: 1 }, |(place, _)| *place);
        let shots = self.scenes.iter().flat_map(|scene| &scene.shots);
        let secs: f64 = shots.map(|shot| shot.secs).sum();
        if secs > MAX_SECS + 1e-6 {
            let told = || {
                format!(
                    "all shots together last {secs:.1} s; a video lasts up to {MAX_SECS} s: shorten or leave out shots"
                )
            };
            self.found.add(DiagnosticCode::TooLong, last, told);
        }
        let elements = match self.section {
            Some(section) => section.end(&self.uses, &mut self.found),
            None => {
                let told = "the elements are missing: write `## Reusable Elements` at the end, and below it the lines `Characters:`, `Locations:` and \
                            `Objects:` with handles or `(none)`";
                self.found
                    .add(DiagnosticCode::Elements, last, || told.into());
                Elements::default()
            }
        };
        let diagnostics = self.found.end();
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(diagnostics);
        }
        let script = Canonical {
            scenes: self.scenes,
            elements,
        };
        Ok(Reading {
            script,
            warnings: diagnostics,
        })
    }
}
