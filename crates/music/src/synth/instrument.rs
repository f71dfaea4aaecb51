//! All instruments by name, as `instruments.json` describes them, each brought to the same loudness.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use super::bank::Bank;
use super::drum::Drum;
use super::fm::Fm;
use super::pluck::Pluck;
use super::table::Table;
use super::wave::Wave;
use super::{SAMPLE_RATE, Strike};
use crate::score::arrange::amplitude_from_db;
use crate::score::theory::{hz_from_pitch, pitch};

/// The table as text; part of what a cached track depends on.
pub(crate) const TABLE: &str = include_str!("../../instruments.json");

/// A row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// A note in the middle of its range, used to measure its loudness.
    #[serde(default = "middle")]
    middle: String,
    /// Its level among the others; 0 dB is that of melody instruments.
    #[serde(default)]
    level_db: f32,
    sound: Engine,
}

fn middle() -> String {
    "c4".to_owned()
}

/// How it makes sound.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Engine {
    Wave(Wave),
    Pluck(Pluck),
    Bank(Bank),
    Fm(Fm),
    Drum(Drum),
}

/// An instrument that can be played.
pub(crate) struct Instrument {
    engine: Engine,
    table: Option<Arc<Table>>,
    /// Gain that brings a note of velocity 0.8 in the middle of the range to [`LOUDNESS`] and its level.
    gain: f32,
}

/// Target root mean square of the loudest tenth of a second.
const LOUDNESS: f32 = 0.1;

impl Instrument {
    fn new(row: &Row) -> Result<Instrument, String> {
        let table = match &row.sound {
            Engine::Wave(wave) => Some(wave.table()),
            _ => None,
        };
        let mut instrument = Instrument {
            engine: row.sound.clone(),
            table,
            gain: 1.0,
        };
        let hz = hz_from_pitch(f64::from(pitch(&row.middle)?)) as f32;
        let mut sound = Vec::new();
        instrument.sound(
            &Strike {
                hz,
                secs: 0.8,
                velocity: 0.8,
                seed: 1,
            },
            &mut sound,
        );
        let loudest = sound
            .chunks(SAMPLE_RATE as usize / 10)
            .map(|chunk| chunk.iter().flatten().map(|v| v * v).sum::<f32>() / (SAMPLE_RATE * 0.2))
            .fold(0.0, f32::max);
        instrument.gain = amplitude_from_db(row.level_db) * LOUDNESS / loudest.sqrt().max(1e-6);
        Ok(instrument)
    }

    /// Appends a note to `out`, from its first sample until it has died away.
    pub(crate) fn sound(&self, strike: &Strike, out: &mut Vec<[f32; 2]>) {
        let first = out.len();
        match (&self.engine, &self.table) {
            (Engine::Wave(wave), Some(table)) => wave.sound(table, strike, out),
            (Engine::Wave(wave), None) => wave.sound(&wave.table(), strike, out),
            (Engine::Pluck(pluck), _) => pluck.sound(strike, out),
            (Engine::Bank(bank), _) => bank.sound(strike, out),
            (Engine::Fm(fm), _) => fm.sound(strike, out),
            (Engine::Drum(drum), _) => drum.sound(strike, out),
        }
        let gain = self.gain * strike.velocity.powf(1.3);
        out[first..]
            .iter_mut()
            .flatten()
            .for_each(|side| *side *= gain);
    }
}

/// The instruments, each created on first use.
pub(crate) struct Orchestra {
    rows: BTreeMap<String, Row>,
    made: BTreeMap<String, OnceLock<Result<Instrument, String>>>,
}

impl Orchestra {
    /// Reads the table.
    pub(crate) fn new() -> Result<Orchestra, String> {
        let rows: BTreeMap<String, Row> =
            serde_json::from_str(TABLE).map_err(|e| format!("instruments.json: {e}"))?;
        let made = rows
            .keys()
            .map(|name| (name.clone(), OnceLock::new()))
            .collect();
        Ok(Orchestra { rows, made })
    }

    /// Returns the instrument with this name.
    pub(crate) fn get(&self, name: &str) -> Result<&Instrument, String> {
        match (self.rows.get(name), self.made.get(name)) {
            (Some(row), Some(made)) => made
                .get_or_init(|| Instrument::new(row))
                .as_ref()
                .map_err(Clone::clone),
            _ => Err(format!(
                "there is no instrument `{name}` in instruments.json"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instrument_sounds_ends_and_stays_finite() {
        let orchestra = Orchestra::new().unwrap();
        for (name, row) in &orchestra.rows {
            let instrument = orchestra
                .get(name)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let middle = hz_from_pitch(f64::from(pitch(&row.middle).unwrap())) as f32;
            for hz in [middle / 2.0, middle, middle * 2.0] {
                let mut sound = Vec::new();
                instrument.sound(
                    &Strike {
                        hz,
                        secs: 0.3,
                        velocity: 0.9,
                        seed: 5,
                    },
                    &mut sound,
                );
                let peak = sound
                    .iter()
                    .flatten()
                    .fold(0.0_f32, |peak, v| peak.max(v.abs()));
                assert!(
                    sound.iter().flatten().all(|v| v.is_finite()),
                    "{name} at {hz} Hz"
                );
                assert!(
                    (0.02..4.0).contains(&peak),
                    "{name} at {hz} Hz peaks at {peak}"
                );
                let last = sound.last().unwrap().map(f32::abs);
                assert!(
                    last[0].max(last[1]) < 0.01 * peak,
                    "{name} at {hz} Hz ends with a click"
                );
                assert!(
                    sound.len() < 15 * 48_000,
                    "{name} at {hz} Hz lasts {} samples",
                    sound.len()
                );
            }
        }
    }

    #[test]
    fn pitched_instruments_are_in_tune() {
        let orchestra = Orchestra::new().unwrap();
        for name in [
            "nylon_guitar",
            "piano",
            "flute",
            "electric_piano",
            "strings",
        ] {
            for wanted in [146.83_f32, 440.0] {
                let mut sound = Vec::new();
                let strike = Strike {
                    hz: wanted,
                    secs: 1.0,
                    velocity: 0.7,
                    seed: 3,
                };
                orchestra.get(name).unwrap().sound(&strike, &mut sound);
                let mono: Vec<f32> = sound[9_600..33_600].iter().map(|s| s[0] + s[1]).collect();
                // How well the sound repeats after `period` samples; a third of a percent off is 6 cents.
                let likeness = |period: f32| {
                    let (whole, part) = (period as usize, period.fract());
                    let n = mono.len() - whole - 1;
                    (0..n)
                        .map(|i| {
                            mono[i] * (mono[i + whole] * (1.0 - part) + mono[i + whole + 1] * part)
                        })
                        .sum::<f32>()
                };
                let eight = 8.0 * 48_000.0 / wanted;
                let own = likeness(eight);
                assert!(
                    own > likeness(eight * 1.006) && own > likeness(eight / 1.006),
                    "{name} at {wanted} Hz"
                );
            }
        }
    }
}
