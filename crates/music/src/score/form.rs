//! The form of a track: its sections, chords and clock.

use super::description::{Description, Section};
use super::theory::{Chord, Key};

/// A chord and when it sounds, in units of the meter from the track's start.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) chord: Chord,
}

/// A section with its position in the track.
#[derive(Clone, Debug)]
pub(crate) struct Stretch<'a> {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) section: &'a Section,
}

/// The structure that all parts follow.
#[derive(Clone, Debug)]
pub(crate) struct Form<'a> {
    pub(crate) key: Key,
    /// Units of the meter in a bar.
    pub(crate) bar: f64,
    /// Steps per unit, unless a part sets its own.
    pub(crate) grid: u32,
    unit_secs: f64,
    swing: f64,
    pub(crate) spans: Vec<Span>,
    pub(crate) stretches: Vec<Stretch<'a>>,
}

impl<'a> Form<'a> {
    /// Reads key, meter and the chords of all sections.
    pub(crate) fn new(description: &'a Description) -> Result<Form<'a>, String> {
        let meter = description.meter.as_str();
        let (count, unit) = meter.split_once('/').unwrap_or((meter, ""));
        let bar: f64 = count
            .parse()
            .ok()
            .filter(|n| (2.0..=12.0).contains(n))
            .ok_or_else(|| format!("meter `{meter}`: write one like 4/4 or 6/8"))?;
        let (units_per_beat, grid) = match unit {
            "4" => (1.0, 4),
            "8" => (3.0, 2),
            _ => return Err(format!("meter `{meter}`: the unit must be 4 or 8")),
        };
        let mut form = Form {
            key: Key::parse(&description.key)?,
            bar,
            grid,
            unit_secs: 60.0 / description.tempo / units_per_beat,
            swing: description.swing,
            spans: Vec::new(),
            stretches: Vec::new(),
        };
        for section in &description.sections {
            form.append(section)
                .map_err(|e| format!("section `{}`: {e}", section.name))?;
        }
        Ok(form)
    }

    fn append(&mut self, section: &'a Section) -> Result<(), String> {
        let start = self.end();
        let mut bars: Vec<Vec<Chord>> = Vec::new();
        for bar in section.chords.split('|') {
            let chords = match bar.trim() {
                "%" => bars.last().cloned().ok_or("`%` has no bar before it")?,
                bar => bar
                    .split_whitespace()
                    .map(Chord::parse)
                    .collect::<Result<_, _>>()?,
            };
            if chords.is_empty() {
                return Err("a bar has no chord; write `%` to repeat the one before".to_owned());
            }
            bars.push(chords);
        }
        let mut at = start;
        for bar in std::iter::repeat_n(&bars, section.repeat).flatten() {
            let units = self.bar / bar.len() as f64;
            for chord in bar {
                self.spans.push(Span {
                    start: at,
                    end: at + units,
                    chord: chord.clone(),
                });
                at += units;
            }
        }
        self.stretches.push(Stretch {
            start,
            end: at,
            section,
        });
        Ok(())
    }

    /// Returns the length of the track in units.
    pub(crate) fn end(&self) -> f64 {
        self.spans.last().map_or(0.0, |span| span.end)
    }

    /// Returns the chord at `unit`.
    pub(crate) fn chord(&self, unit: f64) -> &Span {
        let after = self.spans.partition_point(|span| span.start <= unit + 1e-6);
        &self.spans[after.saturating_sub(1)]
    }

    /// Converts units to seconds from the start, with offbeats delayed by the swing.
    pub(crate) fn secs(&self, unit: f64) -> f64 {
        let (whole, part) = ((unit + 1e-9).floor(), unit - (unit + 1e-9).floor());
        let middle = 0.5 + self.swing / 6.0;
        let swung = match part < 0.5 {
            true => part * middle / 0.5,
            false => middle + (part - 0.5) * (1.0 - middle) / 0.5,
        };
        (whole + swung) * self.unit_secs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(meter: &str, chords: &str, swing: f64) -> Description {
        let json = serde_json::json!({
            "title": "T", "mood": [], "key": "C major", "tempo": 60, "meter": meter, "seed": 1, "swing": swing,
            "space": { "size_m": 10, "seconds": 1, "bright_hz": 5000, "level_db": -10 }, "parts": {},
            "sections": [{ "name": "a", "chords": chords, "repeat": 2, "parts": "" }],
        });
        Description::parse(&json.to_string()).unwrap()
    }

    #[test]
    fn chords_share_their_bar() {
        let description = description("4/4", "C | F G | %", 0.0);
        let form = Form::new(&description).unwrap();
        assert_eq!(form.end(), 24.0);
        assert_eq!(form.chord(6.0).chord, Chord::parse("G").unwrap());
        assert_eq!(form.chord(23.9).chord, Chord::parse("G").unwrap());
        assert_eq!(form.secs(2.5), 2.5);
    }

    #[test]
    fn eighths_are_thirds_of_a_beat_and_swing_delays_offbeats() {
        assert_eq!(
            Form::new(&description("6/8", "C", 0.0)).unwrap().secs(3.0),
            1.0
        );
        let swung = description("4/4", "C", 1.0);
        let secs = Form::new(&swung).unwrap().secs(0.5);
        assert!((secs - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn wrong_forms_are_named() {
        for (meter, chords) in [
            ("4/3", "C"),
            ("0/4", "C"),
            ("4/4", "%"),
            ("4/4", "C || D"),
            ("4/4", "Cx"),
        ] {
            assert!(
                Form::new(&description(meter, chords, 0.0)).is_err(),
                "{meter} {chords}"
            );
        }
    }
}
