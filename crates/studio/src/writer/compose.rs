//! Composes a script: which sentences it has at this length, and in which order.

use std::collections::HashSet;

use super::bodies::{INFORM, LIGHTS, OBJECTS, PORTRAIT, REFLECTIONS, TALE, TALK, THEME};
use super::grammar::{self, Section, Template, section};
use super::random::Random;
use super::styles::Style;
use super::topic::{Mode, Topic};
use super::worlds::{self, World};
use crate::script::{n_words, sentences};

/// The hours of a day, named like the sections of the lights.
pub(super) const HOURS: [&str; 4] = ["dawn", "day", "dusk", "night"];
/// The parts of a story in several orders; those that a short story needs most come first.
const STAGES: [[usize; 9]; 5] = [
    [2, 8, 4, 1, 5, 3, 7, 9, 6],
    [2, 3, 8, 5, 1, 7, 4, 9, 6],
    [1, 2, 8, 5, 3, 7, 9, 4, 6],
    [2, 9, 5, 8, 1, 4, 3, 7, 6],
    [4, 8, 2, 6, 1, 3, 9, 5, 7],
];
/// Scripts of up to this many words are a single line.
const MAX_LINE_WORDS: usize = 20;

/// A sentence of the script.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) text: String,
    pub(super) n_words: usize,
    pub(super) place: Place,
    /// Whether it describes a picture.
    pub(super) is_view: bool,
}

/// A unit's position in the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Opening,
    Premise,
    /// From the prompt itself.
    Given,
    /// A part of the body and the line in it.
    Body(usize, usize),
    /// Anywhere in between, at an hour.
    Between(usize),
    Turn,
    Close,
}

/// A finished text: its paragraphs.
pub(super) struct Text {
    pub(super) paragraphs: Vec<Vec<Unit>>,
    pub(super) world: &'static World,
    /// The hours that it covers, as indices of [`HOURS`].
    pub(super) hours: Vec<usize>,
}

/// Writes about `n_words` words.
pub(super) fn compose(topic: &Topic, style: &Style, n_words: usize, random: &mut Random) -> Text {
    let sections = grammar::read(style.grammar);
    let world = worlds::fitting(topic, random);
    let hours = hours(topic, n_words, random);
    let mut writer = Composer {
        topic: topic.clone(),
        style,
        sections,
        world,
        hours,
        target: n_words,
        n_words: 0,
        units: Vec::new(),
        said: HashSet::new(),
    };
    let premise_words = crate::script::n_words(&topic.premise);
    if premise_words * 3 > n_words + 12 {
        writer.topic = topic.short();
    }
    let paragraphs = if n_words <= MAX_LINE_WORDS {
        let line = writer.line(topic, random);
        vec![vec![line]]
    } else {
        writer.frame(random);
        writer.fill(random);
        writer.arranged()
    };
    Text {
        paragraphs,
        world,
        hours: writer.hours,
    }
}

/// Returns the hours that a story of this length covers, starting at the prompt's hour or in the morning.
fn hours(topic: &Topic, n_words: usize, random: &mut Random) -> Vec<usize> {
    let n_hours = match n_words {
        0..150 => 1,
        150..350 => 2,
        350..700 => 3,
        _ => 4,
    };
    let start = topic
        .hour
        .unwrap_or_else(|| if n_hours < 3 { random.below(3) } else { 0 });
    (0..n_hours).map(|h| (start + h) % 4).collect()
}

struct Composer<'a> {
    topic: Topic,
    style: &'a Style,
    sections: Vec<Section>,
    world: &'static World,
    hours: Vec<usize>,
    target: usize,
    n_words: usize,
    units: Vec<Unit>,
    /// Sentences used so far, in lower case.
    said: HashSet<String>,
}

impl Composer<'_> {
    /// Returns the allowed deviation of the length, in words.
    fn tolerance(&self) -> usize {
        (self.target / 10).max(6)
    }

    /// Returns the line closest to the wanted length, with the complete premise or the figure alone.
    fn line(&self, whole: &Topic, random: &mut Random) -> Unit {
        let mut lines: Vec<String> = Vec::new();
        let templates = section(&self.sections, "line")
            .iter()
            .filter(|t| t.fits(whole, self.style.family));
        for template in templates {
            for topic in [whole.clone(), whole.short()] {
                if whole.mode != Mode::Tale
                    && topic.premise == whole.premise
                    && !template.names_premise()
                {
                    continue;
                }
                let line = template.expand(&topic, None, random);
                lines.push(line.clone());
                for opening in section(&self.sections, "hook")
                    .iter()
                    .chain(section(&self.sections, "aside"))
                {
                    if opening.fits(whole, self.style.family) {
                        lines.push(format!("{line} {}", opening.expand(&topic, None, random)));
                    }
                }
            }
        }
        if self.target < 4 {
            lines.push(format!("{}.", grammar::upper_first(&whole.subject)));
        }
        random.shuffle(&mut lines);
        // A single sentence is better than one with an afterthought.
        lines.sort_by_key(|line| {
            let off = n_words(line).abs_diff(self.target);
            let n_sentences = sentences(line, "en").len();
            if off <= 3 { n_sentences } else { off + 2 }
        });
        let text = lines
            .into_iter()
            .next()
            .unwrap_or_else(|| whole.subject.clone());
        Unit {
            n_words: n_words(&text),
            text,
            place: Place::Premise,
            is_view: false,
        }
    }

    /// Adds opening, premise and close.
    fn frame(&mut self, random: &mut Random) {
        for (name, place) in [
            ("premise", Place::Premise),
            ("close", Place::Close),
            ("hook", Place::Opening),
        ] {
            let room = (self.target + self.tolerance()).saturating_sub(self.n_words);
            let mut units = self.expanded(name, place, random);
            random.shuffle(&mut units);
            let fits = |u: &Unit| {
                u.n_words <= room
                    && (place != Place::Opening || u.n_words + self.n_words <= self.target)
            };
            let at = units.iter().position(fits).or_else(|| {
                let shortest = (0..units.len()).min_by_key(|i| units[*i].n_words);
                shortest.filter(|_| place == Place::Premise)
            });
            if let Some(at) = at {
                let unit = units.swap_remove(at);
                self.push(unit);
            }
        }
    }

    fn expanded(&self, name: &str, place: Place, random: &mut Random) -> Vec<Unit> {
        section(&self.sections, name)
            .iter()
            .filter(|t| t.fits(&self.topic, self.style.family))
            .map(|t| self.unit(t, place, random))
            .collect()
    }

    fn unit(&self, template: &Template, place: Place, random: &mut Random) -> Unit {
        let object = self.topic.objects.first().map(String::as_str);
        let text = match self.topic.called() {
            // A figure of two words is sometimes called by the last one.
            Some(topic)
                if matches!(place, Place::Body(..) | Place::Turn) && random.below(5) < 3 =>
            {
                template.expand(&topic, object, random)
            }
            _ => template.expand(&self.topic, object, random),
        };
        Unit {
            n_words: n_words(&text),
            text,
            place,
            is_view: false,
        }
    }

    /// Adds a unit if none of its sentences was used before.
    fn push(&mut self, unit: Unit) -> bool {
        let parts: Vec<String> = sentences(&unit.text, "en")
            .iter()
            .map(|s| s.to_lowercase())
            .collect();
        if parts.iter().any(|p| self.said.contains(p)) {
            return false;
        }
        self.said.extend(parts);
        self.n_words += unit.n_words;
        self.units.push(unit);
        true
    }

    /// Fills up to the target: takes a sentence of each kind in turn, as long as one fits.
    fn fill(&mut self, random: &mut Random) {
        let mut queues = self.queues(random);
        // given, turn, detail, body, aside, object, light, reflection
        const PATTERN: [usize; 22] = [
            0, 3, 2, 1, 3, 5, 3, 4, 2, 3, 6, 3, 0, 3, 7, 3, 2, 5, 3, 4, 6, 3,
        ];
        let most = self.target + self.tolerance() / 3;
        let mut idle = 0;
        for step in 0.. {
            let kind = PATTERN[step % PATTERN.len()];
            if self.n_words >= self.target || idle > 2 * PATTERN.len() {
                break;
            }
            // Turns are rare: one, and one more for each 400 words.
            let n_turns = self.units.iter().filter(|u| u.place == Place::Turn).count();
            if kind == 1 && n_turns > self.target / 400 {
                idle += 1;
                continue;
            }
            let next = queues[kind]
                .iter()
                .position(|u| u.n_words + self.n_words <= most && self.is_ready(u));
            match next {
                Some(at) => {
                    let unit = queues[kind].remove(at);
                    idle = if self.push(unit) { 0 } else { idle + 1 };
                }
                None => idle += 1,
            }
        }
    }

    /// Returns whether a unit may follow: a line of the body needs the one before it.
    fn is_ready(&self, unit: &Unit) -> bool {
        match unit.place {
            Place::Body(stage, line) if line % 10 > 0 => {
                let before = Place::Body(stage, line - 1);
                self.units.iter().any(|u| u.place == before)
            }
            _ => true,
        }
    }

    /// Returns the available units by kind, in the order of use.
    fn queues(&self, random: &mut Random) -> [Vec<Unit>; 8] {
        let given = self.topic.given.iter().map(|text| Unit {
            n_words: n_words(text),
            text: text.clone(),
            place: Place::Given,
            is_view: false,
        });
        let mut turns = self.expanded("turn", Place::Turn, random);
        let mut asides = self.expanded("aside", Place::Between(0), random);
        random.shuffle(&mut turns);
        random.shuffle(&mut asides);
        let mut details: Vec<Unit> = self
            .world
            .details
            .iter()
            .map(|text| view(text, 0))
            .collect();
        random.shuffle(&mut details);
        let mut reflections: Vec<Unit> = section(&REFLECTIONS, "any")
            .iter()
            .map(|t| self.unit(t, Place::Between(0), random))
            .collect();
        random.shuffle(&mut reflections);
        [
            given.collect(),
            turns,
            details,
            self.body(random),
            asides,
            self.objects(random),
            self.lights(random),
            reflections,
        ]
    }

    /// Returns the body's lines: the first of each part, then the second of each, and so on, so that a line never comes without the one before it.
    fn body(&self, random: &mut Random) -> Vec<Unit> {
        let own: &[Section] = match self.topic.mode {
            Mode::Tale => &TALE,
            Mode::Portrait => &PORTRAIT,
            Mode::Theme => &THEME,
        };
        let sources: Vec<&[Section]> = match self.style.family {
            'C' => vec![&TALK, own],
            'I' => vec![&INFORM, own],
            _ => vec![own],
        };
        let stages = STAGES[random.below(STAGES.len())];
        let mut found = Vec::new();
        for round in 0..8 {
            for (index, source) in sources.iter().enumerate() {
                for stage in stages {
                    let lines = section(source, &stage.to_string());
                    let template = lines
                        .iter()
                        .filter(|t| t.fits(&self.topic, self.style.family))
                        .nth(round);
                    found.extend(
                        template
                            .map(|t| self.unit(t, Place::Body(stage, index * 10 + round), random)),
                    );
                }
            }
        }
        found
    }

    fn objects(&self, random: &mut Random) -> Vec<Unit> {
        let mut templates: Vec<&Template> = section(&OBJECTS, "any").iter().collect();
        random.shuffle(&mut templates);
        let objects = self.topic.objects.iter().take(4);
        objects
            .zip(templates)
            .map(|(object, template)| {
                let text = template.expand(&self.topic, Some(object), random);
                Unit {
                    n_words: n_words(&text),
                    text,
                    place: Place::Between(0),
                    is_view: false,
                }
            })
            .collect()
    }

    /// Returns views by hour, alternating between the hours.
    fn lights(&self, random: &mut Random) -> Vec<Unit> {
        let is_here = |unit: &Unit| {
            let mut words = unit.text.split(|c: char| !c.is_alphabetic());
            !words.any(|w| self.world.without.contains(&w.to_lowercase().as_str()))
        };
        let mut by_hour: Vec<Vec<Unit>> = Vec::new();
        for (at, hour) in self.hours.iter().enumerate() {
            let mut units: Vec<Unit> = section(&LIGHTS, HOURS[*hour])
                .iter()
                .map(|t| view(&t.expand(&self.topic, None, random), at))
                .filter(is_here)
                .collect();
            random.shuffle(&mut units);
            by_hour.push(units);
        }
        let longest = by_hour.iter().map(Vec::len).max().unwrap_or_default();
        (0..longest)
            .flat_map(|i| {
                by_hour
                    .iter()
                    .filter_map(move |units| units.get(i).cloned())
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Arranges the units in paragraphs: the body in order, the rest spread evenly in between, lights at their hours.
    fn arranged(&mut self) -> Vec<Vec<Unit>> {
        let mut units = std::mem::take(&mut self.units);
        let take = |units: &mut Vec<Unit>, wanted: fn(Place) -> bool| -> Vec<Unit> {
            let (found, rest) = std::mem::take(units)
                .into_iter()
                .partition(|u| wanted(u.place));
            *units = rest;
            found
        };
        let mut opening = take(&mut units, |p| {
            matches!(p, Place::Opening | Place::Premise | Place::Given)
        });
        opening.sort_by_key(|u| u.place);
        let closing = take(&mut units, |p| p == Place::Close);
        let mut turns = take(&mut units, |p| p == Place::Turn);
        let mut body = take(&mut units, |p| matches!(p, Place::Body(..)));
        body.sort_by_key(|u| u.place);
        let between = spread(units, self.hours.len());
        let mut paragraphs = vec![opening];
        let mut current: Vec<Unit> = Vec::new();
        let n_body = body.len();
        let n_between = between.len();
        let mut rest = between.into_iter();
        let mut n_placed = 0;
        let mut stage = 0;
        let turn_at = n_body - n_body / 4;
        for (index, unit) in body.into_iter().enumerate() {
            let due = (index + 1) * n_between / (n_body + 1);
            while n_placed < due {
                current.extend(rest.next());
                n_placed += 1;
            }
            let own = if let Place::Body(stage, _) = unit.place {
                stage
            } else {
                0
            };
            if (own != stage && current.len() > 1) || current.len() >= 5 {
                paragraphs.push(std::mem::take(&mut current));
            }
            stage = own;
            if index == turn_at && !turns.is_empty() {
                current.push(turns.remove(0));
            }
            current.push(unit);
        }
        current.extend(rest);
        current.extend(turns);
        paragraphs.push(current);
        paragraphs.push(closing);
        paragraphs.retain(|p| !p.is_empty());
        paragraphs
    }
}

fn view(text: &str, hour: usize) -> Unit {
    Unit {
        n_words: n_words(text),
        text: text.to_string(),
        place: Place::Between(hour),
        is_view: true,
    }
}

/// Orders the units without a fixed position: by kind in turn, with the lights in the order of the hours.
fn spread(units: Vec<Unit>, n_hours: usize) -> Vec<Unit> {
    let n = units.len().max(1);
    let mut keyed: Vec<(usize, Unit)> = units
        .into_iter()
        .enumerate()
        .map(|(index, unit)| {
            let hour = if let Place::Between(hour) = unit.place {
                hour
            } else {
                0
            };
            let key = if hour > 0 {
                hour * n / n_hours.max(1) + index / n_hours.max(1)
            } else {
                index
            };
            (key, unit)
        })
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, unit)| unit).collect()
}
