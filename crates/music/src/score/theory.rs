//! Pitches, scales and chords, as written in descriptions.

/// Semitones above the tonic, for the degrees of each mode.
const MODES: &[(&str, &[u8])] = &[
    ("major", &[0, 2, 4, 5, 7, 9, 11]),
    ("minor", &[0, 2, 3, 5, 7, 8, 10]),
    ("harmonic minor", &[0, 2, 3, 5, 7, 8, 11]),
    ("melodic minor", &[0, 2, 3, 5, 7, 9, 11]),
    ("dorian", &[0, 2, 3, 5, 7, 9, 10]),
    ("phrygian", &[0, 1, 3, 5, 7, 8, 10]),
    ("phrygian dominant", &[0, 1, 4, 5, 7, 8, 10]),
    ("double harmonic", &[0, 1, 4, 5, 7, 8, 11]),
    ("lydian", &[0, 2, 4, 6, 7, 9, 11]),
    ("mixolydian", &[0, 2, 4, 5, 7, 9, 10]),
    ("major pentatonic", &[0, 2, 4, 7, 9]),
    ("minor pentatonic", &[0, 3, 5, 7, 10]),
    ("blues", &[0, 3, 5, 6, 7, 10]),
];

/// Semitones above the root of each chord quality, in thirds from below.
const QUALITIES: &[(&str, &[u8])] = &[
    ("", &[0, 4, 7]),
    ("m", &[0, 3, 7]),
    ("5", &[0, 7]),
    ("dim", &[0, 3, 6]),
    ("aug", &[0, 4, 8]),
    ("sus2", &[0, 2, 7]),
    ("sus4", &[0, 5, 7]),
    ("6", &[0, 4, 7, 9]),
    ("m6", &[0, 3, 7, 9]),
    ("7", &[0, 4, 7, 10]),
    ("m7", &[0, 3, 7, 10]),
    ("maj7", &[0, 4, 7, 11]),
    ("mmaj7", &[0, 3, 7, 11]),
    ("dim7", &[0, 3, 6, 9]),
    ("m7b5", &[0, 3, 6, 10]),
    ("7sus4", &[0, 5, 7, 10]),
    ("7b9", &[0, 4, 7, 10, 13]),
    ("add9", &[0, 4, 7, 14]),
    ("madd9", &[0, 3, 7, 14]),
    ("9", &[0, 4, 7, 10, 14]),
    ("m9", &[0, 3, 7, 10, 14]),
    ("maj9", &[0, 4, 7, 11, 14]),
    ("69", &[0, 4, 7, 9, 14]),
];

/// A tonic and its scale.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// Pitch classes of the scale, from the tonic up; 0 is C.
    scale: Vec<u8>,
}

/// A chord as sounding pitch classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chord {
    /// Pitch class of the root.
    pub(crate) root: u8,
    /// Pitch class in the bass; the root unless the chord is written `C/E`.
    pub(crate) bass: u8,
    /// Semitones above the root.
    pub(crate) tones: Vec<u8>,
}

/// Reads the note name at the start of `text`: semitones above C (`b#` is 12, `cb` -1), and the rest of the text.
fn note_name(text: &str) -> Option<(i32, &str)> {
    let natural = match text.chars().next()?.to_ascii_lowercase() {
        'c' => 0,
        'd' => 2,
        'e' => 4,
        'f' => 5,
        'g' => 7,
        'a' => 9,
        'b' => 11,
        _ => return None,
    };
    let (mut class, mut rest): (i32, &str) = (natural, &text[1..]);
    loop {
        let step = match rest.as_bytes().first() {
            Some(b'#') => 1,
            Some(b'b') => -1,
            _ => return Some((class, rest)),
        };
        class += step;
        rest = &rest[1..];
    }
}

/// Reads a note name like [`note_name`], but as a pitch class.
fn pitch_class(text: &str) -> Option<(u8, &str)> {
    note_name(text).map(|(name, rest)| (name.rem_euclid(12) as u8, rest))
}

/// Returns the MIDI number of a note such as `f#4`; 60 is `c4`.
pub(crate) fn pitch(text: &str) -> Result<i32, String> {
    let wrong = || format!("`{text}` is not a note: write one like `f#4`");
    let (name, octave) = note_name(text).ok_or_else(wrong)?;
    let octave: i32 = octave.parse().map_err(|_| wrong())?;
    let number = 12 * octave.saturating_add(1).clamp(-1, 99) + name;
    (12..=120)
        .contains(&number)
        .then_some(number)
        .ok_or_else(wrong)
}

/// Returns the frequency of a MIDI number, in Hz (equal temperament, a4 = 440 Hz).
pub(crate) fn hz_from_pitch(pitch: f64) -> f64 {
    440.0 * ((pitch - 69.0) / 12.0).exp2()
}

impl Key {
    /// Reads `D phrygian dominant`.
    pub(crate) fn parse(text: &str) -> Result<Key, String> {
        let (tonic, mode) = text.split_once(' ').unwrap_or((text, "major"));
        let tonic = match pitch_class(tonic) {
            Some((class, "")) => class,
            _ => return Err(format!("key `{text}`: `{tonic}` is not a tonic")),
        };
        let found = MODES.iter().find(|(name, _)| *name == mode);
        let (_, steps) = found.ok_or_else(|| {
            let names: Vec<&str> = MODES.iter().map(|(name, _)| *name).collect();
            format!("key `{text}`: the mode must be one of {}", names.join(", "))
        })?;
        let scale = steps.iter().map(|step| (tonic + step) % 12).collect();
        Ok(Key { scale })
    }

    /// Returns the pitch `steps` degrees of the scale above (below) `from`, which is first rounded down into the scale.
    pub(crate) fn step(&self, from: i32, steps: i32) -> i32 {
        let contains = |pitch: i32| self.scale.contains(&(pitch.rem_euclid(12) as u8));
        let mut pitch = from;
        while !contains(pitch) {
            pitch -= 1;
        }
        let direction = steps.signum();
        for _ in 0..steps.abs() {
            pitch += direction;
            while !contains(pitch) {
                pitch += direction;
            }
        }
        pitch
    }
}

impl Chord {
    /// Reads `F#m7b5` or `C/E`.
    pub(crate) fn parse(text: &str) -> Result<Chord, String> {
        let wrong = || format!("`{text}` is not a chord: write one like `F#m7` or `C/E`");
        let (upper, bass) = match text.split_once('/') {
            Some((upper, bass)) => (upper, Some(bass)),
            None => (text, None),
        };
        let (root, quality) = pitch_class(upper).ok_or_else(wrong)?;
        let found = QUALITIES.iter().find(|(name, _)| *name == quality);
        let (_, tones) = found.ok_or_else(wrong)?;
        let bass = match bass.map(pitch_class) {
            None => root,
            Some(Some((class, ""))) => class,
            Some(_) => return Err(wrong()),
        };
        Ok(Chord {
            root,
            bass,
            tones: tones.to_vec(),
        })
    }

    /// Returns whether a pitch belongs to the chord.
    pub(crate) fn contains(&self, pitch: i32) -> bool {
        let above = (pitch - i32::from(self.root)).rem_euclid(12) as u8;
        self.tones.iter().any(|tone| tone % 12 == above)
    }

    /// Returns the chord tone nearest to `pitch`; of two equally near ones, the lower.
    pub(crate) fn nearest(&self, pitch: i32) -> i32 {
        (0..12)
            .flat_map(|away| [pitch - away, pitch + away])
            .find(|near| self.contains(*near))
            .unwrap_or(pitch)
    }

    /// Returns semitones above the chord's bass note for a degree of a pattern: odd degrees are chord tones, others steps of the scale.
    pub(crate) fn degree(&self, degree: i32, key: &Key) -> i32 {
        let (octaves, within) = ((degree - 1).div_euclid(7), (degree - 1).rem_euclid(7) + 1);
        let tone = |wanted: &[u8], otherwise: i32| {
            let own = self.tones.iter().find(|tone| wanted.contains(tone));
            own.map_or(otherwise, |tone| i32::from(*tone))
        };
        let root = i32::from(self.root) + 60;
        let semitones = match within {
            1 if octaves == 0 => return 0,
            1 => 0,
            3 => tone(&[3, 4, 2, 5], 7),
            5 => tone(&[7, 6, 8], 7),
            7 => tone(&[10, 11, 9], key.step(root, 6) - root),
            other => key.step(root, other - 1) - root,
        };
        let below = (i32::from(self.root) - i32::from(self.bass)).rem_euclid(12);
        semitones + below + 12 * octaves
    }

    /// Returns `n` close voices with a mean near `center`, which move little from `previous`.
    pub(crate) fn voicing(&self, n: usize, center: i32, previous: &[i32]) -> Vec<i32> {
        let mut classes: Vec<i32> = self
            .tones
            .iter()
            .map(|tone| i32::from(*tone) % 12)
            .collect();
        classes.sort_unstable();
        let cost = |voices: &[i32]| {
            let mean = voices.iter().sum::<i32>() as f64 / voices.len() as f64;
            let moved: i32 = voices
                .iter()
                .zip(previous)
                .map(|(a, b)| (a - b).abs())
                .sum();
            f64::from(moved) + 1.5 * (mean - f64::from(center)).abs()
        };
        let base = center - (center - i32::from(self.root)).rem_euclid(12);
        let candidates = (-2 * classes.len() as i32..=classes.len() as i32).map(|first| {
            (first..first + n as i32)
                .map(|i| {
                    let (octave, tone) = (
                        i.div_euclid(classes.len() as i32),
                        i.rem_euclid(classes.len() as i32),
                    );
                    base + 12 * octave + classes[tone as usize]
                })
                .collect::<Vec<i32>>()
        });
        candidates
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_and_chords_are_read() {
        assert_eq!(pitch("c4"), Ok(60));
        assert_eq!(pitch("Bb3"), Ok(58));
        assert_eq!(pitch("f##2"), Ok(43));
        assert_eq!(pitch("b#4"), pitch("c5"));
        assert!(pitch("h4").is_err() && pitch("c").is_err() && pitch("c99").is_err());
        let chord = Chord::parse("F#m7/C#").unwrap();
        assert_eq!((chord.root, chord.bass), (6, 1));
        assert!(Chord::parse("Cmaj").is_err() && Chord::parse("C/").is_err());
    }

    #[test]
    fn scales_are_walked_in_both_directions() {
        let key = Key::parse("D phrygian dominant").unwrap();
        assert_eq!(key.step(62, 1), 63);
        assert_eq!(key.step(62, 2), 66);
        assert_eq!(key.step(62, -1), 60);
        assert_eq!(key.step(62, 7), 74);
        assert!(Key::parse("D locrian flat").is_err());
    }

    #[test]
    fn degrees_follow_the_chord() {
        let key = Key::parse("C major").unwrap();
        let degrees = |chord: &str, wanted: &[i32]| {
            let chord = Chord::parse(chord).unwrap();
            wanted
                .iter()
                .map(|d| chord.degree(*d, &key))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            degrees("Am", &[1, 2, 3, 5, 7, 8, 10]),
            [0, 2, 3, 7, 10, 12, 15]
        );
        assert_eq!(degrees("C/E", &[1, 3, 5, 8]), [0, 12, 15, 20]);
    }

    #[test]
    fn voices_lead_smoothly() {
        let voices =
            |chord: &str, before: &[i32]| Chord::parse(chord).unwrap().voicing(3, 64, before);
        let c = voices("C", &[]);
        let f = voices("F", &c);
        let moved: i32 = c.iter().zip(&f).map(|(a, b)| (a - b).abs()).sum();
        assert!(moved <= 4, "{c:?} to {f:?}");
    }
}
