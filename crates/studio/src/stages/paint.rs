//! The stages of pictures and clips: one of each per scene, several in parallel.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::brief::{Brief, Character, ClipChoice};
use super::progress::Watch;
use super::store::{StepKey, address};
use super::{Made, Studio};
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::CostClass;
use crate::providers::checks::picture_extension;
use crate::providers::{ClipAsk, Figure, Picture, PictureAsk};
use crate::scene::{Scene, Script};

/// Largest reference picture that is read, in bytes.
const MAX_REFERENCE_BYTES: u64 = 20 << 20;

/// A scene's picture on disk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Painted {
    pub ask: PictureAsk,
    pub file: PathBuf,
    pub size: [u32; 2],
    pub notes: Vec<String>,
    pub class: Option<CostClass>,
}

/// A scene's clip on disk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Animated {
    pub file: PathBuf,
    pub notes: Vec<String>,
    pub class: Option<CostClass>,
}

/// The stored facts about a picture or clip.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    file: String,
    size: [u32; 2],
    notes: Vec<String>,
    /// The cost class of the maker; `None`: that of the requested model.
    #[serde(default)]
    class: Option<CostClass>,
}

/// A request for a picture, and the files of its figures' reference pictures.
pub(crate) type Wanted = (PictureAsk, Vec<Vec<u8>>);

/// Returns the request for each scene, with its references. `seen` replaces the briefs for providers that read sentences.
pub(crate) fn asks(
    brief: &Brief,
    script: &Script,
    seen: &[Option<String>],
) -> Result<Vec<Wanted>, Failure> {
    let references = brief.characters.iter().map(reference);
    let references: Vec<Option<Vec<u8>>> = references.collect::<Result<_, _>>()?;
    let cast: Vec<(&Character, Option<&Vec<u8>>)> = brief
        .characters
        .iter()
        .zip(references.iter().map(Option::as_ref))
        .collect();
    let scenes = script.scenes.iter().enumerate();
    Ok(scenes
        .map(|(i, scene)| {
            let told = seen.get(i).and_then(Option::as_ref);
            let words = told.unwrap_or(&scene.brief);
            let seen = cast
                .iter()
                .filter(|(c, _)| brief.characters.len() == 1 || is_seen(c, scene, words));
            let (mut figures, mut files) = (Vec::new(), Vec::new());
            for (character, file) in seen {
                figures.push(Figure {
                    name: character.name.clone(),
                    descriptor: character.descriptor.clone(),
                    reference: file.map(|bytes| address(bytes)),
                    is_measured: character.is_measured,
                });
                files.extend(file.cloned());
            }
            let ask = PictureAsk {
                brief: words.clone(),
                keywords: told.map_or_else(String::new, |_| scene.brief.clone()),
                notes: brief.notes.clone().or_else(|| script.notes.clone()),
                model: brief.pictures.model.clone(),
                style: brief.pictures.style.clone(),
                figures,
                width: brief.size[0],
                height: brief.size[1],
                // A place keeps its look: its seed is that of the video.
                seed: match &scene.place {
                    Some(_) => brief.seed,
                    None => brief.seed.wrapping_add(i as u64),
                },
                place: scene.place.clone().unwrap_or_default(),
            };
            (ask, files)
        })
        .collect())
}

fn reference(character: &Character) -> Result<Option<Vec<u8>>, Failure> {
    let Some(path) = &character.reference else {
        return Ok(None);
    };
    let bad = |why: String| {
        let message = format!("the picture {} of {} {why}", path.display(), character.name);
        Failure::new(Stage::Pictures, FailureKind::BadInput, message)
    };
    let length = fs::metadata(path)
        .map_err(|e| bad(format!("cannot be read: {e}")))?
        .len();
    if length > MAX_REFERENCE_BYTES {
        return Err(bad(format!(
            "is larger than {} MiB",
            MAX_REFERENCE_BYTES >> 20
        )));
    }
    let bytes = fs::read(path).map_err(|e| bad(format!("cannot be read: {e}")))?;
    Ok(Some(bytes))
}

/// Returns whether a scene mentions a character or lets it speak.
fn is_seen(character: &Character, scene: &Scene, brief: &str) -> bool {
    let is_speaker = |speaker: &String| character.is_called(speaker);
    if scene.mentions.iter().any(is_speaker) {
        return true;
    }
    if scene
        .lines
        .iter()
        .filter_map(|line| line.speaker.as_ref())
        .any(is_speaker)
    {
        return true;
    }
    let mut text = brief.to_lowercase();
    for line in &scene.lines {
        text.push(' ');
        text.push_str(&line.text.to_lowercase());
    }
    let first = character
        .name
        .split_whitespace()
        .next()
        .unwrap_or(&character.name)
        .to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word == first) || text.contains(&character.name.to_lowercase())
}

/// Makes every picture.
pub(crate) fn paint(
    studio: &Studio,
    asks: &[Wanted],
    watch: &Watch,
) -> Result<Vec<Painted>, Failure> {
    each(
        studio.n_at_once,
        asks,
        (Stage::Pictures, watch),
        |i, (ask, references)| {
            let key = StepKey::of(
                Stage::Pictures,
                &((studio.pictures.name(), studio.pictures.model()), ask),
            );
            let (step, is_kept) = studio.step(&key, (watch, Some(i)), |call| {
                let answer = studio.pictures.paint(ask, references, call)?;
                let picture = answer.value;
                let kept = Kept {
                    file: format!("picture.{}", picture_extension(&picture.file)),
                    size: [picture.width, picture.height],
                    notes: answer.notes,
                    class: answer.class,
                };
                Ok(Made {
                    file: Some((kept.file.clone(), picture.file)),
                    substitute: answer.substitute,
                    value: kept,
                })
            })?;
            let painted = Painted {
                ask: ask.clone(),
                file: step.folder.join(&step.value.file),
                size: step.value.size,
                notes: step.value.notes,
                class: step.value.class,
            };
            Ok((painted, is_kept))
        },
    )
}

/// Animates every picture, for the length of its scene.
pub(crate) fn animate(
    studio: &Studio,
    choice: &ClipChoice,
    pictures: &[(Painted, f64)],
    watch: &Watch,
) -> Result<Vec<Animated>, Failure> {
    each(
        studio.n_at_once,
        pictures,
        (Stage::Clips, watch),
        |i, (painted, secs)| {
            let ask = ClipAsk {
                picture: painted.ask.clone(),
                model: choice.model.clone(),
                notes: choice.notes.clone(),
                // Measured times are rounded to 0.1 s, so that tiny changes of a voice do not cause new requests.
                secs: choice.secs.unwrap_or((secs * 10.0).ceil() / 10.0),
            };
            let file = fs::read(&painted.file).map_err(|e| {
                let message = format!("{} cannot be read: {e}", painted.file.display());
                Failure::new(Stage::Clips, FailureKind::Storage, message)
            })?;
            let key = StepKey::of(
                Stage::Clips,
                &(
                    (studio.clips.name(), studio.clips.model()),
                    // A different provider may have answered the same request: see `Studio::step`.
                    address(&file),
                    &ask,
                ),
            );
            let (step, is_kept) = studio.step(&key, (watch, Some(i)), |call| {
                let [width, height] = painted.size;
                let picture = Picture {
                    file,
                    width,
                    height,
                };
                let answer = studio.clips.animate(&ask, &picture, call)?;
                let kept = Kept {
                    file: format!("clip.{}", answer.value.extension),
                    size: painted.size,
                    notes: answer.notes,
                    class: answer.class,
                };
                Ok(Made {
                    file: Some((kept.file.clone(), answer.value.file)),
                    substitute: answer.substitute,
                    value: kept,
                })
            })?;
            let animated = Animated {
                file: step.folder.join(&step.value.file),
                notes: step.value.notes,
                class: step.value.class,
            };
            Ok((animated, is_kept))
        },
    )
}

/// Makes something from each item, `n_at_once` in parallel, and returns results in the items' order. After the first failure no further items are started;
/// started ones are finished and kept.
fn each<T: Sync, R: Send>(
    n_at_once: usize,
    items: &[T],
    (stage, watch): (Stage, &Watch),
    make: impl Fn(usize, &T) -> Result<(R, bool), Failure> + Sync,
) -> Result<Vec<R>, Failure> {
    let (next, n_done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let made: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let failed: Mutex<Option<Failure>> = Mutex::new(None);
    let lock = "no thread panics while it holds this";
    let work = || loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(item) = items.get(i) else { break };
        let result = watch.check(stage).and_then(|()| make(i, item));
        match result {
            Ok((result, is_kept)) => {
                made.lock().expect(lock).push((i, result));
                let n = n_done.fetch_add(1, Ordering::Relaxed) + 1;
                watch.report(stage, (n, items.len()), is_kept);
            }
            Err(failure) => {
                next.store(items.len(), Ordering::Relaxed);
                failed
                    .lock()
                    .expect(lock)
                    .get_or_insert(failure.in_scene(i));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..n_at_once.min(items.len()).max(1) {
            scope.spawn(work);
        }
        work();
    });
    if let Some(failure) = failed.into_inner().expect(lock) {
        return Err(failure);
    }
    let mut made = made.into_inner().expect(lock);
    made.sort_by_key(|(i, _)| *i);
    Ok(made.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_their_chance_and_handles_bring_their_characters() {
        let scene = |brief: &str, place: Option<&str>, mentions: &[&str]| Scene {
            brief: brief.into(),
            place: place.map(str::to_owned),
            mentions: mentions.iter().map(|m| (*m).to_owned()).collect(),
            ..Scene::default()
        };
        let script = Script {
            scenes: vec![
                scene("Old Tom at the Pier.", Some("Pier"), &["OldTom", "Pier"]),
                scene("Rain.", Some("Pier"), &[]),
                scene("A kitchen.", None, &[]),
            ],
            ..Script::default()
        };
        let character = |name: &str| Character {
            name: name.into(),
            descriptor: format!("{name}; in a red coat"),
            voice: None,
            reference: None,
            is_measured: false,
        };
        let mut brief = Brief::new(crate::stages::Source::Scenes(script.clone()));
        brief.characters = vec![character("Old-Tom"), character("Ada")];
        let asks = asks(&brief, &script, &[]).expect("no pictures are read");
        let told: Vec<_> = asks
            .iter()
            .map(|(ask, _)| (ask.seed, ask.place.as_str(), ask.figures.len()))
            .collect();
        assert_eq!(told, [(0, "Pier", 1), (0, "Pier", 0), (2, "", 0)]);
        assert_eq!(asks[0].0.figures[0].descriptor, "Old-Tom; in a red coat");
    }

    #[test]
    fn items_come_back_in_their_order_and_the_first_failure_ends_it() {
        let watch = Watch::default();
        let items: Vec<u64> = (0..20).collect();
        let doubled = each(4, &items, (Stage::Pictures, &watch), |_, n| {
            std::thread::sleep(std::time::Duration::from_millis((20 - n) / 4));
            Ok((n * 2, false))
        });
        assert_eq!(
            doubled.expect("all are made"),
            (0..20).map(|n| n * 2).collect::<Vec<_>>()
        );
        let begun = AtomicUsize::new(0);
        let failure = each(1, &items, (Stage::Clips, &watch), |_, n| {
            begun.fetch_add(1, Ordering::Relaxed);
            match n {
                3 => Err(Failure::new(Stage::Clips, FailureKind::Refused, "no")),
                n => Ok((*n, false)),
            }
        })
        .expect_err("the fourth is refused");
        assert_eq!((failure.scene, begun.into_inner()), (Some(3), 4));
        watch.cancel.cancel();
        let failure =
            each(2, &items, (Stage::Clips, &watch), |_, n| Ok((*n, false))).expect_err("cancelled");
        assert_eq!(failure.kind, FailureKind::Cancelled);
    }
}
