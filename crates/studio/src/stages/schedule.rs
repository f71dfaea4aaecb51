//! When everything is heard and seen: lengths come from the sound.

use serde::{Deserialize, Serialize};

use super::speak::Utterance;
use crate::providers::SpokenToken;
use crate::scene::Script;

/// Before the first word.
const LEAD_SECS: f64 = 0.3;
/// Between two lines of a scene.
const LINE_PAUSE_SECS: f64 = 0.25;
/// Between two scenes; the cut lies in its middle.
const SCENE_PAUSE_SECS: f64 = 0.4;
/// After the last word.
const TAIL_SECS: f64 = 1.0;
/// A scene in which nothing is said and that names no length.
const SILENT_SECS: f64 = 4.0;
/// The shortest scene: a picture is seen that long at least.
const LEAST_SECS: f64 = 1.2;

/// A scene's place in the video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Seconds.
    pub start: f64,
    /// Seconds, after `start`.
    pub end: f64,
}

impl Span {
    /// Seconds.
    pub fn secs(&self) -> f64 {
        self.end - self.start
    }
}

/// A voice's place in the video.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spoken<'a> {
    pub utterance: &'a Utterance,
    /// Seconds.
    pub start: f64,
}

/// When everything is heard and seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schedule<'a> {
    /// One for each scene, without gaps, from 0.
    pub scenes: Vec<Span>,
    pub spoken: Vec<Spoken<'a>>,
}

impl Schedule<'_> {
    /// The words of all lines at their times in the video.
    pub fn words(&self) -> Vec<SpokenToken> {
        let words = self.spoken.iter().flat_map(|spoken| {
            let words = spoken.utterance.words.iter();
            words.map(|word| SpokenToken {
                text: word.text.clone(),
                start: word.start + spoken.start,
                end: word.end + spoken.start,
            })
        });
        words.collect()
    }
}

/// Lays lines and scenes one after the other. A scene lasts as long as what is said in it, at least [`LEAST_SECS`], and longer where its script asks for it.
pub(crate) fn lay<'a>(script: &Script, lines: &'a [Vec<Utterance>]) -> Schedule<'a> {
    let mut schedule = Schedule {
        scenes: Vec::new(),
        spoken: Vec::new(),
    };
    let n_scenes = script.scenes.len();
    let mut start = 0.0;
    for (i, (scene, lines)) in script.scenes.iter().zip(lines).enumerate() {
        let mut at = start
            + if i == 0 {
                LEAD_SECS
            } else {
                SCENE_PAUSE_SECS / 2.0
            };
        for (n, utterance) in lines.iter().enumerate() {
            at += if n > 0 { LINE_PAUSE_SECS } else { 0.0 };
            schedule.spoken.push(Spoken {
                utterance,
                start: at,
            });
            at += utterance.secs;
        }
        let after = if i + 1 == n_scenes {
            TAIL_SECS
        } else {
            SCENE_PAUSE_SECS / 2.0
        };
        let said = at + after - start;
        let secs = match (lines.is_empty(), scene.secs) {
            (true, secs) => secs.unwrap_or(SILENT_SECS),
            (false, secs) => said.max(secs.unwrap_or(0.0)),
        };
        let end = start + secs.max(LEAST_SECS);
        schedule.scenes.push(Span { start, end });
        start = end;
    }
    schedule
}

#[cfg(test)]
mod tests {
    use super::super::speak::Timing;
    use super::*;
    use crate::scene::Scene;

    fn utterance(secs: f64) -> Utterance {
        let word = SpokenToken {
            text: "word".into(),
            start: 0.1,
            end: secs,
        };
        Utterance {
            file: None,
            secs,
            words: vec![word],
            timing: Timing::Exact,
        }
    }

    #[test]
    fn scenes_last_as_long_as_what_is_said() {
        let scene = |secs| Scene {
            secs,
            ..Scene::default()
        };
        let script = Script {
            scenes: vec![
                scene(None),
                scene(Some(9.0)),
                scene(None),
                scene(Some(2.5)),
                scene(Some(0.1)),
            ],
            ..Script::default()
        };
        let lines = vec![
            vec![utterance(3.0), utterance(2.0)],
            vec![utterance(1.0)],
            vec![],
            vec![],
            vec![utterance(4.0)],
        ];
        let schedule = lay(&script, &lines);
        let secs: Vec<f64> = schedule
            .scenes
            .iter()
            .map(|s| (s.secs() * 100.0).round() / 100.0)
            .collect();
        assert_eq!(secs, [5.75, 9.0, 4.0, 2.5, 5.2]);
        let joined = schedule
            .scenes
            .windows(2)
            .all(|pair| pair[0].end == pair[1].start);
        assert!(joined && schedule.scenes[0].start == 0.0);
        let starts: Vec<f64> = schedule
            .words()
            .iter()
            .map(|w| (w.start * 100.0).round() / 100.0)
            .collect();
        assert_eq!(starts, [0.4, 3.65, 6.05, 21.55]);
    }

    #[test]
    fn nothing_lasts_too_short_to_be_seen() {
        let script = Script {
            scenes: vec![
                Scene {
                    secs: Some(0.0),
                    ..Scene::default()
                };
                2
            ],
            ..Script::default()
        };
        let lines = [vec![], vec![utterance(0.05)]];
        let schedule = lay(&script, &lines);
        assert!(schedule.scenes.iter().all(|span| span.secs() >= LEAST_SECS));
    }
}
