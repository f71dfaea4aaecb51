//! The small languages of a description's lines: melodies, steps, rhythms, drum rows.

use super::theory::pitch;

/// What a token of a melody plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Silence.
    Rest,
    /// A written note, as a MIDI number.
    Written(i32),
    /// Steps of the scale from the harmony's tone nearest to the part's center.
    Motif(i32),
}

/// A token of a melody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) tone: Tone,
    /// Length in units of the meter.
    pub(crate) units: f64,
    /// Louder than its neighbors (`>`).
    pub(crate) is_accented: bool,
    /// Begins with a quick turn to the upper neighbor (`~`).
    pub(crate) is_turned: bool,
}

/// A character of a rhythm or a row of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// Silence (`.`).
    Rest,
    /// The previous note continues (`-`).
    Hold,
    /// A hit: its degree (1 for rhythms) and velocity.
    Hit(i32, f32),
}

/// Reads `d5:1 e5>:1/2 r:0.5 +2~`: notes, rests or motif steps. A length applies until another is given.
pub(crate) fn melody(line: &str) -> Result<Vec<Token>, String> {
    let mut units = 1.0;
    let words = line.split_whitespace().filter(|word| *word != "|");
    words
        .map(|word| {
            let (head, length) = match word.split_once(':') {
                Some((head, length)) => (head, Some(length)),
                None => (word, None),
            };
            if let Some(length) = length {
                units = length_in_units(length).ok_or_else(|| {
                    format!("`{word}`: the length must be a number such as 1.5 or 1/3")
                })?;
            }
            let bare = head.trim_end_matches(['>', '~']);
            Ok(Token {
                tone: tone(bare)?,
                units,
                is_accented: head.contains('>'),
                is_turned: head.contains('~'),
            })
        })
        .collect()
}

fn tone(text: &str) -> Result<Tone, String> {
    match text.as_bytes().first() {
        Some(b'r') if text.len() == 1 => Ok(Tone::Rest),
        Some(b'+' | b'-') => {
            let steps = text.parse().ok().filter(|n| (-21..=21).contains(n));
            steps
                .map(Tone::Motif)
                .ok_or_else(|| format!("`{text}` is not a step of a motif, +0 to +21 or -21"))
        }
        _ => pitch(text).map(Tone::Written),
    }
}

fn length_in_units(text: &str) -> Option<f64> {
    let length = match text.split_once('/') {
        Some((over, under)) => over.parse::<f64>().ok()? / under.parse::<f64>().ok()?,
        None => text.parse().ok()?,
    };
    (length > 0.0 && length <= 64.0).then_some(length)
}

/// Reads `X-x.o...` (rhythms) or `1.5-8...` (degrees, `a` is 10). Bars and spaces are only for readability.
pub(crate) fn steps(line: &str) -> Result<Vec<Step>, String> {
    let marks = line.chars().filter(|c| !c.is_whitespace() && *c != '|');
    marks
        .map(|mark| match mark {
            '.' => Ok(Step::Rest),
            '-' => Ok(Step::Hold),
            'X' => Ok(Step::Hit(1, 1.0)),
            'x' => Ok(Step::Hit(1, 0.75)),
            'o' => Ok(Step::Hit(1, 0.5)),
            '1'..='9' | 'a'..='f' => Ok(Step::Hit(mark.to_digit(16).unwrap_or(1) as i32, 0.75)),
            _ => Err(format!(
                "`{mark}` is not a step: . rest, - hold, X x o hits, 1 to 9 and a to f degrees"
            )),
        })
        .collect()
}

/// A row of a drum line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) instrument: String,
    pub(crate) hits: Hits,
}

/// When a drum sounds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Hits {
    /// A pattern on the part's grid, repeated.
    Steps(Vec<Step>),
    /// Bars of the section; negative ones count from its end.
    Bars(Vec<f64>),
}

/// Reads `kick X...x... ; crash @0 @-1`.
pub(crate) fn rows(line: &str) -> Result<Vec<Row>, String> {
    line.split(';')
        .map(|row| {
            let row = row.trim();
            let (instrument, hits) = row
                .split_once(' ')
                .ok_or_else(|| format!("`{row}`: a row must be an instrument and its hits"))?;
            let hits = match hits.contains('@') {
                true => Hits::Bars(bars(hits)?),
                false => Hits::Steps(steps(hits)?),
            };
            Ok(Row {
                instrument: instrument.to_owned(),
                hits,
            })
        })
        .collect()
}

fn bars(text: &str) -> Result<Vec<f64>, String> {
    text.split_whitespace()
        .map(|word| {
            let bar = word.strip_prefix('@').and_then(|bar| bar.parse().ok());
            bar.ok_or_else(|| format!("`{word}` is not a bar such as @0 or @-1.5"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn melodies_are_read() {
        let tokens = melody("d5:1/2 e5> | r +2~:2").unwrap();
        let lengths: Vec<f64> = tokens.iter().map(|token| token.units).collect();
        assert_eq!(lengths, [0.5, 0.5, 0.5, 2.0]);
        assert_eq!(tokens[0].tone, Tone::Written(74));
        assert!(tokens[1].is_accented && tokens[3].is_turned);
        assert_eq!(
            (tokens[2].tone, tokens[3].tone),
            (Tone::Rest, Tone::Motif(2))
        );
        for wrong in ["x4", "d5:", "d5:0", "d5:1/0", "+99", "r2"] {
            assert!(melody(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_are_read() {
        let read = rows("kick X.o- ; crash @0 @-1.5").unwrap();
        let kick = [Step::Hit(1, 1.0), Step::Rest, Step::Hit(1, 0.5), Step::Hold];
        assert_eq!(read[0].hits, Hits::Steps(kick.to_vec()));
        assert_eq!(read[1].hits, Hits::Bars(vec![0.0, -1.5]));
        assert!(rows("kick").is_err() && rows("kick z").is_err() && rows("kick @x").is_err());
    }
}
