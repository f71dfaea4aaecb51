//! Turns a description into notes in seconds for each player.

use std::collections::BTreeMap;

use super::chance::Chance;
use super::description::{Description, Part, Space};
use super::form::{Form, Stretch};
use super::play::{self, Played};

/// A note as an instrument plays it.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    /// From the track's start; slightly negative for notes that come early there.
    pub(crate) start_secs: f64,
    pub(crate) secs: f64,
    /// MIDI number.
    pub(crate) pitch: f64,
    /// 0 to 1: how hard it is played, which also sets the brightness.
    pub(crate) velocity: f32,
    /// The section's level, as a factor.
    pub(crate) amplitude: f32,
}

/// An instrument with its notes and its place in the mix.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    pub(crate) name: String,
    pub(crate) instrument: String,
    pub(crate) notes: Vec<Note>,
    pub(crate) gain_db: f32,
    pub(crate) pan: f32,
    pub(crate) send_db: f32,
    pub(crate) chorus: f32,
    pub(crate) echo: Option<Repeats>,
}

/// An echo in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeats {
    pub(crate) secs: f64,
    /// Level of the first repeat, as a factor.
    pub(crate) amplitude: f32,
    /// Factor of each repeat against the one before.
    pub(crate) feedback: f32,
}

/// Everything that is heard.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    pub(crate) secs: f64,
    pub(crate) space: Space,
    pub(crate) players: Vec<Player>,
}

/// Arranges a description. The error message says where it is wrong.
pub(crate) fn arrange(description: &Description) -> Result<Arrangement, String> {
    let form = Form::new(description)?;
    let mut players: BTreeMap<(String, String), Player> = BTreeMap::new();
    for stretch in &form.stretches {
        for word in stretch.section.parts.split_whitespace() {
            let (name, letters) = word.split_once(':').unwrap_or((word, ""));
            let wrong =
                |e: String| format!("section `{}`, part `{name}`: {e}", stretch.section.name);
            let part = description
                .parts
                .get(name)
                .ok_or_else(|| wrong("there is no such part".to_owned()))?;
            for (instrument, played) in play::play(part, letters, stretch, &form).map_err(wrong)? {
                let id = (name.to_owned(), instrument.clone());
                let player = players
                    .entry(id)
                    .or_insert_with(|| player(name, &instrument, part, &form));
                player
                    .notes
                    .extend(placed(&played, description, (part, stretch, &form)));
            }
        }
    }
    let mut players: Vec<Player> = players.into_values().collect();
    for player in &mut players {
        humanize(player, description);
    }
    Ok(Arrangement {
        secs: form.secs(form.end()),
        space: description.space.clone(),
        players,
    })
}

fn player(name: &str, instrument: &str, part: &Part, form: &Form<'_>) -> Player {
    Player {
        name: name.to_owned(),
        instrument: instrument.to_owned(),
        notes: Vec::new(),
        gain_db: part.gain_db,
        pan: part.pan,
        send_db: part.send_db,
        chorus: part.chorus,
        echo: part.echo.as_ref().map(|echo| Repeats {
            secs: form.secs(1.0) * echo.units,
            amplitude: amplitude_from_db(echo.level_db),
            feedback: echo.feedback.clamp(0.0, 0.8),
        }),
    }
}

fn placed(
    played: &[Played],
    description: &Description,
    (part, stretch, form): (&Part, &Stretch<'_>, &Form<'_>),
) -> Vec<Note> {
    let [from, to] = stretch.section.level_db;
    let strum = part.strum_ms.clamp(0.0, 120.0) / 1000.0;
    let early = description.humanize_ms / 1000.0;
    played
        .iter()
        .map(|note| {
            let progress = ((note.start - stretch.start) / (stretch.end - stretch.start)) as f32;
            let (start, end) = (form.secs(note.start), form.secs(note.start + note.length));
            Note {
                start_secs: start + strum * note.voice as f64,
                secs: ((end - start) * part.gate).max(early).max(0.02),
                pitch: f64::from(note.pitch),
                velocity: note.velocity,
                amplitude: amplitude_from_db(from + (to - from) * progress.clamp(0.0, 1.0)),
            }
        })
        .collect()
}

fn humanize(player: &mut Player, description: &Description) {
    let mut chance = Chance::new(
        description.seed,
        &format!("{} {}", player.name, player.instrument),
    );
    for note in &mut player.notes {
        let (secs, factor) = play::touch(&mut chance, description.humanize_ms);
        note.start_secs += secs;
        note.velocity = (note.velocity * factor).clamp(0.05, 1.0);
    }
}

/// Returns the linear factor of a gain.
pub(crate) fn amplitude_from_db(db: f32) -> f32 {
    10_f32.powf(db / 20.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn arranged(parts: Value, play: &str) -> Result<Arrangement, String> {
        let json = json!({
            "title": "T", "mood": [], "key": "A minor", "tempo": 60, "meter": "4/4", "seed": 1, "humanize_ms": 0,
            "space": { "size_m": 10, "seconds": 1, "bright_hz": 5000, "level_db": -10 }, "parts": parts,
            "sections": [{ "name": "one", "chords": "Am | F G", "parts": play, "level_db": [-6, 0] }],
        });
        arrange(&Description::parse(&json.to_string())?)
    }

    /// Returns start and pitch of each note of the only player.
    fn notes(arrangement: &Arrangement) -> Vec<(f64, f64)> {
        let notes = &arrangement.players[0].notes;
        notes
            .iter()
            .map(|note| (note.start_secs, note.pitch))
            .collect()
    }

    #[test]
    fn steps_take_their_pitches_from_the_chord() {
        let bass = json!({ "bass": { "role": "steps", "instrument": "x", "low": "a1", "grid": 1, "lines": { "a": "1-5." } } });
        let arranged = arranged(bass, "bass").unwrap();
        assert_eq!(arranged.secs, 8.0);
        assert_eq!(
            notes(&arranged),
            [(0.0, 33.0), (2.0, 40.0), (4.0, 41.0), (6.0, 38.0 + 12.0)]
        );
        let first = &arranged.players[0].notes[0];
        assert!((first.secs - 1.9).abs() < 1e-9 && (first.amplitude - 0.501).abs() < 1e-3);
    }

    #[test]
    fn held_chords_change_with_the_harmony() {
        let pad =
            json!({ "pad": { "role": "chords", "instrument": "x", "voices": 3, "center": "a3" } });
        let arranged = arranged(pad, "pad").unwrap();
        let starts: Vec<f64> = notes(&arranged).iter().map(|note| note.0).collect();
        assert_eq!(starts, [0.0, 0.0, 0.0, 4.0, 4.0, 4.0, 6.0, 6.0, 6.0]);
    }

    #[test]
    fn motifs_follow_the_harmony_and_written_notes_stay() {
        let lead = json!({ "lead": { "role": "melody", "instrument": "x", "center": "a4",
            "lines": { "a": "+0:1 +1 +2:2", "b": "c5:2 b4~" } } });
        let arranged = arranged(lead, "lead:ab").unwrap();
        assert_eq!(
            notes(&arranged)[..3],
            [(0.0, 69.0), (1.0, 71.0), (2.0, 72.0)]
        );
        assert_eq!(notes(&arranged).len(), 3 + 2 + 2, "the turn adds two");
    }

    #[test]
    fn drums_hit_steps_and_bars() {
        let kit = json!({ "kit": { "role": "drums", "grid": 1, "lines": { "a": "kick X.x.", "b": "boom @0 @-0.5" } } });
        let at = |play: &str| {
            notes(&arranged(kit.clone(), play).unwrap())
                .iter()
                .map(|n| n.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(at("kit"), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(at("kit:b"), [0.0, 6.0]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let lead = |line: &str| json!({ "lead": { "role": "melody", "instrument": "x", "lines": { "a": line } } });
        for (line, play, says) in [
            ("c5:3", "lead", "section `one`, part `lead`"),
            ("c5:8", "lead:b", "no line `b`"),
            ("c5:8", "led", "no such part"),
            ("q5:8", "lead", "`q5` is not a note"),
        ] {
            let message = arranged(lead(line), play).unwrap_err();
            assert!(message.contains(says), "{message}");
        }
    }
}
