//! The reference job as a timeline: 12 pictures in shots of 5 s, captions by word, voice and looped music.

use std::fs;
use std::path::{Path, PathBuf};

use kinora::timeline::Timeline;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Length of a shot, and of the voice and words before they repeat, in seconds.
const SHOT_SECS: u32 = 5;
const BLOCK_SECS: u32 = 60;

/// The job and the folder of its assets.
#[derive(Debug)]
pub(super) struct Material {
    /// The assets' folder.
    pub(super) folder: PathBuf,
    /// The job.
    pub(super) timeline: Timeline,
}

impl Material {
    /// Creates the job of `secs` seconds from the files in `folder`.
    ///
    /// Pictures and words repeat every minute, so a longer job has as much work per frame; the voice is played once.
    pub(super) fn new(folder: &Path, secs: u32) -> Result<Material, Failure> {
        let name = folder.join("words.json");
        let bad = |why: String| Failure::Usage(format!("{}: {why}", name.display()));
        let text = fs::read_to_string(&name).map_err(|e| bad(format!("cannot be read: {e}")))?;
        let words: Vec<Value> = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
        let words = (0..secs.div_ceil(BLOCK_SECS))
            .flat_map(|block| {
                words
                    .iter()
                    .map(move |word| (word, f64::from(block * BLOCK_SECS)))
            })
            .map(|(word, offset)| shifted(word, offset))
            .collect::<Option<Vec<Value>>>()
            .ok_or_else(|| bad("every word needs \"word\", \"start\" and \"end\"".into()))?;
        let shown: Vec<Value> = words
            .into_iter()
            .filter(|word| {
                word["end"]
                    .as_f64()
                    .is_some_and(|end| end <= f64::from(secs))
            })
            .collect();
        // Built as a document, so that unset options get the engine's defaults.
        let document = json!({
            "version": Timeline::VERSION,
            "seed": 1,
            "shots": shots(secs),
            "captions": { "words": shown },
            "audio": { "voice": { "file": "voice.wav" }, "music": { "file": music(folder), "volume": 0.3 } },
        });
        let timeline = Timeline::from_json(&document.to_string())?;
        Ok(Material {
            folder: folder.to_owned(),
            timeline,
        })
    }
}

fn music(folder: &Path) -> &'static str {
    let wav = "music.wav";
    if folder.join(wav).exists() {
        wav
    } else {
        "music.ogg"
    }
}

fn shots(secs: u32) -> Vec<Value> {
    (0..secs.div_ceil(SHOT_SECS))
        .map(|i| json!({ "picture": format!("{:02}.jpg", i % 12 + 1), "duration": SHOT_SECS.min(secs - i * SHOT_SECS) }))
        .collect()
}

fn shifted(word: &Value, offset: f64) -> Option<Value> {
    let time = |key: &str| word[key].as_f64().map(|secs| secs + offset);
    Some(json!({ "text": word["word"].as_str()?, "start": time("start")?, "end": time("end")? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_is_as_long_as_asked_and_words_repeat() {
        let folder = tempfile::tempdir().unwrap();
        let words = r#"[{"word":"one","start":1,"end":2},{"word":"late","start":58,"end":59}]"#;
        fs::write(folder.path().join("words.json"), words).unwrap();
        let timeline = Material::new(folder.path(), 63).unwrap().timeline;
        let secs: f64 = timeline.shots.iter().filter_map(|shot| shot.duration).sum();
        assert_eq!((timeline.shots.len(), secs), (13, 63.0));
        let starts: Vec<f64> = timeline
            .captions
            .unwrap()
            .words
            .iter()
            .map(|word| word.start)
            .collect();
        assert_eq!(starts, [1.0, 58.0, 61.0]);
    }

    #[test]
    fn words_without_times_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("words.json"), r#"[{"word":"one"}]"#).unwrap();
        assert_eq!(Material::new(folder.path(), 5).unwrap_err().exit_code(), 2);
    }
}
