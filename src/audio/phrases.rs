//! Finds where a sound can be split: at the ends of pauses in speech, at strong beats in songs.

use std::io;

use super::align::RATE_HZ;
use super::bars::Bars;
use super::container::invalid;
use super::spoken::voice_samples;
use crate::media::AssetRead;

/// Samples between points: 10 ms.
const HOP: usize = RATE_HZ / 100;
/// Points before a cut that should be quiet: 0.2 s.
const QUIET_POINTS: usize = 20;
/// Points over which the sound rises at a cut: 50 ms.
const RISE_POINTS: usize = 5;
/// Cost of a stretch that is half or twice as long as requested, in dB of quiet and rise.
const OFF_DB: f64 = 12.0;
/// Level of inaudible sound, in dB of full scale; lower levels are raised to it.
const FLOOR_DB: f64 = -60.0;

/// A sound's length and the times at which it can be split.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrases {
    /// Length in seconds.
    pub secs: f64,
    /// Split times in ascending order, inside the sound.
    pub cuts: Vec<f64>,
}

/// Splits speech or song into stretches of about `every_secs` (0.6 to 1.6 times), where the sound resumes after a pause or with a strong beat.
///
/// # Errors
/// `InvalidData` when the sound cannot be decoded or lasts more than 30 minutes. `name` is included in the message.
pub fn phrases(stream: Box<dyn AssetRead>, name: &str, every_secs: f64) -> io::Result<Phrases> {
    let samples =
        voice_samples(stream).map_err(|e| io::Error::new(e.kind(), format!("{name} {e}")))?;
    if every_secs.is_nan() || every_secs <= 0.0 {
        return Err(invalid("the length of a stretch must be above 0 s"));
    }
    Ok(Phrases {
        secs: samples.len() as f64 / RATE_HZ as f64,
        cuts: cuts(&scores(&levels(&samples)), every_secs),
    })
}

/// Splits a song at bars, about `every_secs` apart, if its tempo is clear; otherwise does what [`phrases`] does.
///
/// # Errors
/// Same as [`phrases`].
pub fn song_phrases(
    stream: Box<dyn AssetRead>,
    name: &str,
    every_secs: f64,
) -> io::Result<Phrases> {
    let samples =
        voice_samples(stream).map_err(|e| io::Error::new(e.kind(), format!("{name} {e}")))?;
    if every_secs.is_nan() || every_secs <= 0.0 {
        return Err(invalid("the length of a stretch must be above 0 s"));
    }
    let secs = samples.len() as f64 / RATE_HZ as f64;
    Ok(Phrases {
        secs,
        cuts: match Bars::of(&samples, RATE_HZ) {
            Some(bars) => bars.cuts(secs, every_secs),
            None => cuts(&scores(&levels(&samples)), every_secs),
        },
    })
}

/// Returns the level of each point in dB.
fn levels(samples: &[f32]) -> Vec<f64> {
    let points = samples.chunks(HOP);
    points
        .map(|hop| {
            let energy: f64 = hop.iter().map(|s| f64::from(s * s)).sum();
            (10.0 * (energy / hop.len() as f64).log10()).max(FLOOR_DB)
        })
        .collect()
}

/// Scores a split before each point: how quiet the sound was before, relative to its mean level, and how much it rises.
fn scores(levels: &[f64]) -> Vec<f64> {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let own = mean(levels);
    (0..levels.len())
        .map(|i| {
            let before = &levels[i.saturating_sub(QUIET_POINTS)..i];
            let after = &levels[i..(i + RISE_POINTS).min(levels.len())];
            let quiet = (own - mean(before)).max(0.0);
            quiet + (mean(after) - mean(before)).max(0.0)
        })
        .collect()
}

/// Chooses the best cuts, one after the other: each weighs its score against the length it creates.
fn cuts(scores: &[f64], every_secs: f64) -> Vec<f64> {
    let every = (every_secs * 100.0).max(1.0);
    let (least, most) = ((every * 0.6).ceil() as usize, (every * 1.6) as usize);
    let mut cuts = Vec::new();
    let mut last = 0;
    // The rest after the last cut must also be a full stretch.
    while last + most < scores.len() {
        let end = (last + most).min(scores.len().saturating_sub(least));
        let best = (last + least..end).max_by(|&a, &b| {
            let worth = |at: usize| {
                let off = ((at - last) as f64 / every).log2().abs();
                scores[at] - OFF_DB * off
            };
            worth(a).total_cmp(&worth(b))
        });
        let Some(best) = best else {
            break;
        };
        cuts.push(best as f64 / 100.0);
        last = best;
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::tests::wav_of;
    use std::io::Cursor;

    /// Generates a tone at 48 kHz that is audible where `is_heard` returns true.
    fn tone(secs: f64, is_heard: impl Fn(f64) -> bool) -> Box<Cursor<Vec<u8>>> {
        let samples = (0..(secs * 48_000.0) as usize).map(|i| {
            let at = i as f64 / 48_000.0;
            let level = if is_heard(at) { 9_000.0 } else { 0.0 };
            ((at * 1_500.0).sin() * level) as i16
        });
        Box::new(Cursor::new(wav_of(1, samples)))
    }

    #[test]
    fn speech_is_parted_where_it_begins_again() {
        // Pauses of 0.4 s end at 4.4, 9.0, 15.0; the requested length is 5.
        let pauses = [4.0..4.4, 8.6..9.0, 14.6..15.0];
        let found = phrases(
            tone(19.0, |at| !pauses.iter().any(|p| p.contains(&at))),
            "it",
            5.0,
        )
        .expect("a good file");
        assert!((found.secs - 19.0).abs() < 0.01, "{found:?}");
        assert_eq!(found.cuts.len(), 3, "{found:?}");
        for (cut, end) in found.cuts.iter().zip([4.4, 9.0, 15.0]) {
            assert!((cut - end).abs() < 0.05, "{found:?}");
        }
    }

    #[test]
    fn stretches_have_about_the_wanted_length_whatever_is_heard() {
        for sound in [tone(60.0, |_| true), tone(60.0, |_| false)] {
            let found = phrases(sound, "it", 5.0).expect("a good file");
            let ends = found.cuts.iter().copied().chain([found.secs]);
            let mut last = 0.0;
            for end in ends {
                assert!((2.9..=8.1).contains(&(end - last)), "{found:?}");
                last = end;
            }
        }
        assert!(
            phrases(tone(2.0, |_| true), "it", 5.0)
                .expect("good")
                .cuts
                .is_empty()
        );
        let broken = Box::new(Cursor::new(vec![1, 2, 3]));
        let e = phrases(broken, "`a.mp3`", 5.0).expect_err("no sound");
        assert!(e.to_string().starts_with("`a.mp3` "), "{e}");
    }
}
