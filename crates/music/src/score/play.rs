//! How a part plays a section: each role reads its lines over the form.

use super::chance::Chance;
use super::description::{Part, Role};
use super::form::{Form, Stretch};
use super::notation::{self, Hits, Row, Step, Token, Tone};
use super::theory::pitch;

/// A note before it is placed in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    /// In units from the track's start.
    pub(crate) start: f64,
    /// In units.
    pub(crate) length: f64,
    /// MIDI number.
    pub(crate) pitch: i32,
    pub(crate) velocity: f32,
    /// Which voice of a chord, from the lowest: the order of a strum.
    pub(crate) voice: usize,
}

/// Notes for one instrument.
pub(crate) type Score = Vec<(String, Vec<Played>)>;

/// Velocity of notes without an accent.
const PLAIN: f32 = 0.72;

/// Returns what `part` plays in `stretch` from the lines `letters`.
pub(crate) fn play(
    part: &Part,
    letters: &str,
    stretch: &Stretch<'_>,
    form: &Form<'_>,
) -> Result<Score, String> {
    let lines = lines_of(part, letters)?;
    let one = |notes: Vec<Played>| vec![(part.instrument.clone(), notes)];
    match part.role {
        Role::Chords => Ok(one(chords(part, &lines, stretch, form)?)),
        Role::Steps => Ok(one(degrees(part, &lines, stretch, form)?)),
        Role::Melody => Ok(one(melody(part, &lines, stretch, form)?)),
        Role::Drums => drums(part, &lines, stretch, form),
    }
}

fn lines_of<'p>(part: &'p Part, letters: &str) -> Result<Vec<&'p str>, String> {
    if letters.is_empty() && part.role == Role::Chords && part.lines.is_empty() {
        return Ok(vec!["-"]);
    }
    let letters = if letters.is_empty() { "a" } else { letters };
    letters
        .chars()
        .map(|letter| {
            let line = part.lines.get(&letter).map(String::as_str);
            line.ok_or_else(|| format!("it has no line `{letter}`"))
        })
        .collect()
}

/// Returns the part's steps per unit; the track's by default.
fn grid_of(part: &Part, form: &Form<'_>) -> f64 {
    f64::from(part.grid.unwrap_or(form.grid))
}

/// The steps of several lines in a row, at least one step.
struct Steps {
    steps: Vec<Step>,
    /// Steps per unit.
    grid: f64,
}

impl Steps {
    fn read(part: &Part, lines: &[&str], form: &Form<'_>) -> Result<Steps, String> {
        let mut steps = Vec::new();
        for line in lines {
            steps.extend(notation::steps(line)?);
        }
        if steps.is_empty() {
            return Err("a line is empty".to_owned());
        }
        let grid = grid_of(part, form);
        Ok(Steps { steps, grid })
    }

    /// Returns the steps of a stretch: index, position in units, step.
    fn over<'s>(&'s self, stretch: &Stretch<'_>) -> impl Iterator<Item = (usize, f64, Step)> + 's {
        let (start, grid) = (stretch.start, self.grid);
        let n = ((stretch.end - start) * grid).round() as usize;
        let places = self.steps.iter().cycle().take(n).enumerate();
        places.map(move |(i, step)| (i, start + i as f64 / grid, *step))
    }
}

fn chords(
    part: &Part,
    lines: &[&str],
    stretch: &Stretch<'_>,
    form: &Form<'_>,
) -> Result<Vec<Played>, String> {
    let center = pitch(&part.center)?;
    let steps = Steps::read(part, lines, form)?;
    let mut notes: Vec<Played> = Vec::new();
    let mut voices: Vec<i32> = Vec::new();
    // A line that begins with a hold plays the first chord.
    let mut sounding = Some(PLAIN);
    let mut n_open = 0;
    for (_, at, step) in steps.over(stretch) {
        let span = form.chord(at);
        let changes = (span.start - at).abs() < 1e-6;
        let velocity = match step {
            Step::Hit(_, velocity) => Some(velocity),
            Step::Hold if changes => sounding,
            Step::Hold => {
                extend(&mut notes, n_open, 1.0 / steps.grid);
                continue;
            }
            Step::Rest => None,
        };
        sounding = velocity;
        n_open = 0;
        if let Some(velocity) = velocity {
            voices = span.chord.voicing(part.voices.clamp(1, 8), center, &voices);
            n_open = voices.len();
            notes.extend(voices.iter().enumerate().map(|(voice, pitch)| Played {
                start: at,
                length: 1.0 / steps.grid,
                pitch: pitch + if part.open && voice % 2 == 1 { 12 } else { 0 },
                velocity,
                voice,
            }));
        }
    }
    Ok(notes)
}

fn extend(notes: &mut [Played], n: usize, units: f64) {
    let from = notes.len() - n;
    notes[from..]
        .iter_mut()
        .for_each(|note| note.length += units);
}

fn degrees(
    part: &Part,
    lines: &[&str],
    stretch: &Stretch<'_>,
    form: &Form<'_>,
) -> Result<Vec<Played>, String> {
    let low = pitch(&part.low)?;
    let steps = Steps::read(part, lines, form)?;
    let accents: Vec<f32> = part
        .accents
        .chars()
        .filter_map(|c| c.to_digit(10))
        .map(|d| d as f32 / 9.0)
        .collect();
    let mut notes: Vec<Played> = Vec::new();
    let mut is_open = false;
    for (i, at, step) in steps.over(stretch) {
        match step {
            Step::Rest => is_open = false,
            Step::Hold => extend(&mut notes, usize::from(is_open), 1.0 / steps.grid),
            Step::Hit(degree, velocity) => {
                let chord = &form.chord(at).chord;
                let root = low + (i32::from(chord.bass) - low).rem_euclid(12);
                is_open = true;
                notes.push(Played {
                    start: at,
                    length: 1.0 / steps.grid,
                    pitch: root + chord.degree(degree, &form.key),
                    velocity: if accents.is_empty() {
                        velocity
                    } else {
                        accents[i % accents.len()]
                    },
                    voice: 0,
                });
            }
        }
    }
    Ok(notes)
}

fn melody(
    part: &Part,
    lines: &[&str],
    stretch: &Stretch<'_>,
    form: &Form<'_>,
) -> Result<Vec<Played>, String> {
    let center = pitch(&part.center)?;
    let phrases: Vec<Vec<Token>> = lines
        .iter()
        .map(|line| notation::melody(line))
        .collect::<Result<_, _>>()?;
    let lengths: Vec<f64> = phrases
        .iter()
        .map(|phrase| phrase.iter().map(|token| token.units).sum())
        .collect();
    let (total, room) = (lengths.iter().sum::<f64>(), stretch.end - stretch.start);
    let rounds = room / total;
    if total <= 0.0 || (rounds - rounds.round()).abs() > 1e-6 || rounds < 0.5 {
        return Err(format!(
            "its lines last {lengths:?} = {total} units, but the section lasts {room}"
        ));
    }
    let mut notes = Vec::new();
    let mut at = stretch.start;
    for phrase in phrases
        .iter()
        .cycle()
        .take(phrases.len() * rounds.round() as usize)
    {
        let anchor = form.chord(at).chord.nearest(center);
        let n_tokens = phrase.len().max(2) as f32 - 1.0;
        for (i, token) in phrase.iter().enumerate() {
            let arc = (std::f32::consts::PI * i as f32 / n_tokens).sin() * 0.1;
            let downbeat =
                on(at, form.bar) as u8 as f32 * 0.06 + token.is_accented as u8 as f32 * 0.15;
            let velocity = PLAIN + arc + downbeat;
            if let Some(pitch) = pitch_of(token, anchor, at, form) {
                turn(token, pitch, at, form, &mut notes);
                notes.push(Played {
                    start: at,
                    length: token.units,
                    pitch,
                    velocity,
                    voice: 0,
                });
            }
            at += token.units;
        }
    }
    Ok(notes)
}

/// Returns whether `at` falls on a multiple of `units`.
fn on(at: f64, units: f64) -> bool {
    let part = at / units;
    (part - part.round()).abs() < 1e-6
}

/// Returns the pitch of a token. Motifs snap to the harmony where it is heard: on downbeats and in long notes.
fn pitch_of(token: &Token, anchor: i32, at: f64, form: &Form<'_>) -> Option<i32> {
    match token.tone {
        Tone::Rest => None,
        Tone::Written(pitch) => Some(pitch),
        Tone::Motif(steps) => {
            let pitch = form.key.step(anchor, steps);
            let is_heard = on(at, form.bar / 2.0) || token.units >= 1.5;
            Some(if is_heard {
                form.chord(at).chord.nearest(pitch)
            } else {
                pitch
            })
        }
    }
}

/// Adds the two short notes before a turned one: itself and its upper neighbor, on the beat, an eighth of a unit each.
fn turn(token: &Token, pitch: i32, at: f64, form: &Form<'_>, notes: &mut Vec<Played>) {
    if token.is_turned {
        let length = (token.units / 4.0).min(0.125);
        for (i, pitch) in [pitch, form.key.step(pitch, 1)].into_iter().enumerate() {
            let start = at - length * (2 - i) as f64;
            notes.push(Played {
                start,
                length,
                pitch,
                velocity: PLAIN - 0.1,
                voice: 0,
            });
        }
    }
}

fn drums(
    part: &Part,
    lines: &[&str],
    stretch: &Stretch<'_>,
    form: &Form<'_>,
) -> Result<Score, String> {
    let grid = grid_of(part, form);
    let mut score: Score = Vec::new();
    let hit = |start: f64, velocity: f32| Played {
        start,
        length: 1.0 / grid,
        pitch: 60,
        velocity,
        voice: 0,
    };
    let mut at = stretch.start;
    // Drum lines follow each other, each as long as its longest row. A line with bars only is as long as the section.
    'lines: for line in lines.iter().cycle() {
        let rows = notation::rows(line)?;
        let n_steps = rows.iter().map(steps_in).max().unwrap_or(0);
        let end = if n_steps == 0 {
            stretch.end
        } else {
            (at + n_steps as f64 / grid).min(stretch.end)
        };
        for row in rows {
            let notes = match &row.hits {
                Hits::Bars(bars) => bars
                    .iter()
                    .map(|bar| {
                        if *bar < 0.0 {
                            end + bar * form.bar
                        } else {
                            at + bar * form.bar
                        }
                    })
                    .filter(|start| (stretch.start..stretch.end).contains(start))
                    .map(|start| hit(start, 0.9))
                    .collect(),
                Hits::Steps(steps) => steps
                    .iter()
                    .cycle()
                    .enumerate()
                    .map(|(i, step)| (at + i as f64 / grid, step))
                    .take_while(|(start, _)| *start < end - 1e-6)
                    .filter_map(|(start, step)| match step {
                        Step::Hit(_, velocity) => Some(hit(start, *velocity)),
                        Step::Rest | Step::Hold => None,
                    })
                    .collect::<Vec<_>>(),
            };
            score.push((row.instrument, notes));
        }
        at = end;
        if at >= stretch.end - 1e-6 {
            break 'lines;
        }
    }
    Ok(score)
}

fn steps_in(row: &Row) -> usize {
    match &row.hits {
        Hits::Steps(steps) => steps.len(),
        Hits::Bars(_) => 0,
    }
}

/// Returns the small deviations of a human player: of the time in ms, and of the velocity as a share.
pub(crate) fn touch(chance: &mut Chance, humanize_ms: f64) -> (f64, f32) {
    (
        chance.bell() * humanize_ms / 1000.0,
        1.0 + 0.12 * chance.bell() as f32,
    )
}
