//! The written form of a track: the JSON in `tracks/`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One track. Everything that sets it apart from another is in this data; the code only reads it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    pub(crate) title: String,
    /// A few words that help people choose.
    pub(crate) mood: Vec<String>,
    /// Tonic and mode, such as `D phrygian dominant`.
    pub(crate) key: String,
    /// Beats per minute: quarters in n/4, dotted quarters in n/8.
    pub(crate) tempo: f64,
    /// Such as `4/4` or `6/8`.
    pub(crate) meter: String,
    /// Whether a listener can tap the tempo.
    #[serde(default = "yes")]
    pub(crate) pulse: bool,
    /// 0 is straight, 1 is triplets.
    #[serde(default)]
    pub(crate) swing: f64,
    /// How far notes stray from their time, in ms.
    #[serde(default = "six")]
    pub(crate) humanize_ms: f64,
    pub(crate) seed: u64,
    pub(crate) space: Space,
    /// The players, by name.
    pub(crate) parts: BTreeMap<String, Part>,
    /// The form, from start to end; then it loops.
    pub(crate) sections: Vec<Section>,
}

/// The room that all parts share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Space {
    /// Size in meters, 10 to 30.
    pub(crate) size_m: f32,
    /// Time to -60 dB.
    pub(crate) seconds: f32,
    /// Frequency above which the reverberation gets dark.
    pub(crate) bright_hz: f32,
    /// Level of the reverberation against the direct sound.
    pub(crate) level_db: f32,
}

/// How the lines of a part are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// The harmony in voices. Lines are rhythms; without lines the chords are held.
    Chords,
    /// Degrees over the harmony, a character per step: basses, arpeggios, ostinatos.
    Steps,
    /// Notes, or motifs that follow the harmony.
    Melody,
    /// Rows of instruments, a character per step or `@bar`.
    Drums,
}

/// One player (or drum kit) and what it can play.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    pub(crate) role: Role,
    /// A name of `instruments.json`; drum rows name their own.
    #[serde(default)]
    pub(crate) instrument: String,
    /// What it plays, by the letters that sections use; `a` by default.
    #[serde(default)]
    pub(crate) lines: BTreeMap<char, String>,
    /// Middle of voicings and motifs.
    #[serde(default = "c4")]
    pub(crate) center: String,
    /// Lowest root that steps may have.
    #[serde(default = "e1")]
    pub(crate) low: String,
    /// Steps per unit of the meter.
    #[serde(default)]
    pub(crate) grid: Option<u32>,
    /// Voices of chords.
    #[serde(default = "four")]
    pub(crate) voices: usize,
    /// Whether every second voice of a chord is an octave higher.
    #[serde(default)]
    pub(crate) open: bool,
    /// Time between the voices of a chord, from the lowest up.
    #[serde(default)]
    pub(crate) strum_ms: f64,
    /// Share of its written length that a note sounds.
    #[serde(default = "nearly")]
    pub(crate) gate: f64,
    /// Velocities of steps, as digits 1 to 9, repeated.
    #[serde(default)]
    pub(crate) accents: String,
    #[serde(default)]
    pub(crate) gain_db: f32,
    /// -1 is left, 1 is right.
    #[serde(default)]
    pub(crate) pan: f32,
    /// Level of the send to the room, against the direct sound.
    #[serde(default = "send")]
    pub(crate) send_db: f32,
    #[serde(default)]
    pub(crate) echo: Option<Echo>,
    /// Share of a chorus, 0 to 1.
    #[serde(default)]
    pub(crate) chorus: f32,
}

/// Repeats in time with the music, alternating between the sides.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Echo {
    /// Distance in units of the meter.
    pub(crate) units: f64,
    pub(crate) level_db: f32,
    /// Each repeat against the one before, 0 to 0.8.
    pub(crate) feedback: f32,
}

/// A stretch of the form.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Section {
    pub(crate) name: String,
    /// `Am | F G`: chords of a bar share it equally, `%` repeats the bar before.
    pub(crate) chords: String,
    /// How many times the chords go round.
    #[serde(default = "one")]
    pub(crate) repeat: usize,
    /// Names of parts, with the letters of their lines: `pad bass lead:abac`.
    pub(crate) parts: String,
    /// Level at the section's start and at its end.
    #[serde(default)]
    pub(crate) level_db: [f32; 2],
}

fn yes() -> bool {
    true
}
fn one() -> usize {
    1
}
fn four() -> usize {
    4
}
fn six() -> f64 {
    6.0
}
fn nearly() -> f64 {
    0.95
}
fn send() -> f32 {
    -10.0
}
fn c4() -> String {
    "c4".to_owned()
}
fn e1() -> String {
    "e1".to_owned()
}

impl Description {
    /// Reads a description. The error message gives line and column.
    pub(crate) fn parse(json: &str) -> Result<Description, String> {
        let description: Description = serde_json::from_str(json).map_err(|e| e.to_string())?;
        let checks = [
            (
                (30.0..=240.0).contains(&description.tempo),
                "tempo must be 30 to 240",
            ),
            (
                (0.0..=1.0).contains(&description.swing),
                "swing must be 0 to 1",
            ),
            (
                (0.0..=50.0).contains(&description.humanize_ms),
                "humanize_ms must be 0 to 50",
            ),
            (
                (10.0..=30.0).contains(&description.space.size_m),
                "space.size_m must be 10 to 30",
            ),
            (
                (0.1..=10.0).contains(&description.space.seconds),
                "space.seconds must be 0.1 to 10",
            ),
            (!description.sections.is_empty(), "sections are missing"),
        ];
        match checks.iter().find(|(holds, _)| !holds) {
            Some((_, rule)) => Err((*rule).to_owned()),
            None => Ok(description),
        }
    }
}
