//! The times of sound and pictures: the sound determines the lengths.

use serde::{Deserialize, Serialize};

use super::speak::Utterance;
use crate::failure::{Failure, FailureKind, Stage};
use crate::limits::MAX_VIDEO_SECS;
use crate::providers::SpokenToken;
use crate::scene::Script;
use crate::script::pace;

/// The highest speed of a voice, used to keep a video within its maximum length.
const MOST_SPEED: f64 = 1.25;

/// A scene's time in the video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// In seconds.
    pub start: f64,
    /// In seconds, after `start`.
    pub end: f64,
}

impl Span {
    /// The length in seconds.
    pub fn secs(&self) -> f64 {
        self.end - self.start
    }
}

/// A voice's time in the video.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spoken<'a> {
    pub utterance: &'a Utterance,
    /// In seconds.
    pub start: f64,
}

/// When everything is heard and seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schedule<'a> {
    /// One for each scene, without gaps, from 0.
    pub scenes: Vec<Span>,
    pub spoken: Vec<Spoken<'a>>,
    /// The playback speed of voices, with their pitch kept.
    pub speed: f64,
}

impl Schedule<'_> {
    /// Returns the words of all lines at their times in the video.
    pub fn words(&self) -> Vec<SpokenToken> {
        let words = self.spoken.iter().flat_map(|spoken| {
            let words = spoken.utterance.words.iter();
            words.map(|word| SpokenToken {
                text: word.text.clone(),
                start: word.start / self.speed + spoken.start,
                end: word.end / self.speed + spoken.start,
            })
        });
        words.collect()
    }

    /// Speeds everything up if it is longer than a video may be; returns a note about it.
    ///
    /// # Errors
    /// `BadInput` if it would have to be more than a quarter faster.
    pub fn fit(&mut self) -> Result<Option<String>, Failure> {
        let secs = self.scenes.last().map_or(0.0, |last| last.end);
        let speed = secs / MAX_VIDEO_SECS;
        if speed <= 1.0 {
            return Ok(None);
        }
        let [minutes, most] = [secs, MAX_VIDEO_SECS].map(|secs| secs / 60.0);
        if speed > MOST_SPEED {
            let message = format!(
                "the video would last {minutes:.1} minutes; the maximum is {most:.0}: shorten the script, or choose a faster voice"
            );
            return Err(Failure::new(Stage::Voice, FailureKind::BadInput, message));
        }
        for span in &mut self.scenes {
            span.start /= speed;
            span.end /= speed;
        }
        for spoken in &mut self.spoken {
            spoken.start /= speed;
        }
        self.speed = speed;
        let percent = (speed - 1.0) * 100.0;
        Ok(Some(format!(
            "the video would last {minutes:.1} minutes; the maximum is {most:.0}, so it plays {percent:.1} % faster"
        )))
    }
}

/// Lays out lines and scenes one after the other. A scene is as long as its speech, at least [`pace::LEAST_SCENE_SECS`], and longer if its script says so.
pub(crate) fn lay<'a>(script: &Script, lines: &'a [Vec<Utterance>]) -> Schedule<'a> {
    let mut schedule = Schedule {
        scenes: Vec::new(),
        spoken: Vec::new(),
        speed: 1.0,
    };
    let n_scenes = script.scenes.len();
    let mut start = 0.0;
    for (i, (scene, lines)) in script.scenes.iter().zip(lines).enumerate() {
        let place = (i == 0, i + 1 == n_scenes);
        let mut at = start + pace::lead_secs(place.0);
        for utterance in lines {
            schedule.spoken.push(Spoken {
                utterance,
                start: at,
            });
            at += utterance.secs + pace::LINE_PAUSE_SECS;
        }
        let said: Vec<f64> = lines.iter().map(|utterance| utterance.secs).collect();
        let end = start + pace::scene_secs(scene.secs, &said, place);
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
        assert!(
            schedule
                .scenes
                .iter()
                .all(|span| span.secs() >= pace::LEAST_SCENE_SECS)
        );
    }
    #[test]
    fn what_lasts_a_little_too_long_goes_faster_and_what_lasts_far_too_long_is_refused() {
        let script = Script {
            scenes: vec![Scene::default(); 2],
            ..Script::default()
        };
        let fitted = |secs: f64| {
            let lines = [vec![utterance(secs)], vec![utterance(secs)]];
            let mut schedule = lay(&script, &lines);
            let told = schedule.fit();
            let ends: Vec<f64> = schedule.scenes.iter().map(|span| span.end).collect();
            let last = schedule.words().last().map_or(0.0, |word| word.end);
            (told, ends, last, schedule.speed)
        };
        let (told, ends, last, speed) = fitted(299.0);
        assert!(
            told.is_ok_and(|note| note.is_none())
                && speed == 1.0
                && ends[1] < 600.0
                && last < ends[1]
        );
        let (told, ends, last, speed) = fitted(330.0);
        assert!(told.is_ok_and(|note| note.is_some_and(|note| note.contains("10.3 % faster"))));
        assert!(
            (ends[1] - MAX_VIDEO_SECS).abs() < 1e-9 && (speed * MAX_VIDEO_SECS - 661.7).abs() < 0.1
        );
        assert!(
            (ends[1] - last - 1.0 / speed).abs() < 1e-9,
            "the pause at the end"
        );
        let refused = fitted(380.0).0.map_err(|failure| failure.to_string());
        assert!(refused.is_err_and(|why| why.contains("12.7 minutes")));
    }
}
