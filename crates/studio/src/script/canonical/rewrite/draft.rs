//! A script as understood so far, without lengths, handles and numbers.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::plain::{has_problem, plain_said, plain_seen, plain_title};
use crate::script::canonical::handle::{MAX_HANDLE_CHARS, folded, leading, mentions};
use crate::script::canonical::heading::MAX_SECS;
use crate::script::canonical::{
    Canonical, CanonicalScene, CanonicalShot, Elements, NARRATOR, Speech,
};
use crate::script::pace::spoken_secs;

/// A shot.
#[derive(Default)]
pub(super) struct DraftShot {
    /// What is seen.
    pub(super) seen: Vec<String>,
    /// Speakers and their speech; `None` is the narrator.
    pub(super) said: Vec<(Option<String>, String)>,
    /// In seconds, if the text gives a length.
    pub(super) secs: Option<f64>,
}

/// A scene.
#[derive(Default)]
pub(super) struct DraftScene {
    pub(super) title: String,
    pub(super) shots: Vec<DraftShot>,
}

/// A script.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) scenes: Vec<DraftScene>,
    /// Names of locations and objects.
    pub(super) locations: Vec<String>,
    pub(super) objects: Vec<String>,
}

/// With more scenes or shots, the pictures would change more often than every two seconds.
const MAX_SCENES: usize = 100;
const MAX_SHOTS: usize = 300;

/// The shortest shot in milliseconds: if a long text is compressed to ten minutes, and otherwise.
const MIN_PRESSED_MS: u64 = 50;
const MIN_MS: u64 = 1000;

impl Draft {
    /// Returns the last shot of the last scene, created if missing.
    pub(super) fn shot(&mut self) -> &mut DraftShot {
        let scene = self.scene();
        if scene.shots.is_empty() {
            scene.shots.push(DraftShot::default());
        }
        let last = scene.shots.len() - 1;
        &mut scene.shots[last]
    }

    /// Returns the last scene, created if missing.
    pub(super) fn scene(&mut self) -> &mut DraftScene {
        if self.scenes.is_empty() {
            self.scenes.push(DraftScene::default());
        }
        let last = self.scenes.len() - 1;
        &mut self.scenes[last]
    }

    /// Cleans the texts, and adds handles and lengths.
    pub(super) fn finish(self) -> Canonical {
        let mut cast = Cast::default();
        let mentioned = self.mentioned();
        let mut scenes: Vec<CanonicalScene> = self
            .scenes
            .into_iter()
            .filter_map(|scene| scene.finish(&mut cast))
            .collect();
        if scenes.is_empty() {
            let shot = CanonicalShot {
                description: vec!["An empty frame.".into()],
                ..CanonicalShot::default()
            };
            scenes.push(CanonicalScene {
                title: "1".into(),
                shots: vec![shot],
                ..CanonicalScene::default()
            });
        }
        let mut scenes = merge_scenes(scenes);
        merge_shots(&mut scenes);
        set_lengths(&mut scenes);
        let mut taken: HashSet<String> = cast.by_folded.keys().cloned().collect();
        let elements = Elements {
            locations: free_handles(&self.locations, &mut taken),
            objects: free_handles(&self.objects, &mut taken),
            characters: cast.handles,
        };
        let listed = elements.locations.iter().chain(&elements.objects);
        let linked: Vec<&String> = listed
            .filter(|handle| mentioned.contains(handle.as_str()))
            .collect();
        let shots = scenes.iter_mut().flat_map(|scene| &mut scene.shots);
        for line in shots.flat_map(|shot| &mut shot.description) {
            link(line, &linked);
        }
        Canonical { scenes, elements }
    }

    /// Returns the handles that the descriptions mention with `@`.
    fn mentioned(&self) -> HashSet<String> {
        let shots = self.scenes.iter().flat_map(|scene| &scene.shots);
        let lines = shots.flat_map(|shot| &shot.seen);
        lines
            .flat_map(|line| mentions(line).map(|(_, handle)| handle.to_owned()))
            .collect()
    }
}

/// Restores the `@` of handles in a line, so that they are mentions again.
fn link(line: &mut String, handles: &[&String]) {
    for handle in handles {
        let mut linked = String::with_capacity(line.len() + 8);
        let mut rest = line.as_str();
        while let Some(at) = rest.find(handle.as_str()) {
            let is_start = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '@');
            linked.push_str(&rest[..at]);
            if is_start && leading(&rest[at..]) == handle.as_str() {
                linked.push('@');
            }
            linked.push_str(handle);
            rest = &rest[at + handle.len()..];
        }
        linked.push_str(rest);
        if !has_problem(&linked) {
            *line = linked;
        }
    }
}

impl DraftScene {
    fn finish(self, cast: &mut Cast) -> Option<CanonicalScene> {
        let shots: Vec<CanonicalShot> = self
            .shots
            .into_iter()
            .filter_map(|shot| shot.finish(cast))
            .collect();
        let first = shots.first()?;
        let title = plain_title(&self.title).or_else(|| {
            let seen = first.description.first().map(String::as_str);
            let said = first.speech.first().map(|speech| speech.text.as_str());
            plain_title(seen.or(said).unwrap_or_default())
        });
        Some(CanonicalScene {
            title: title.unwrap_or_else(|| "1".into()),
            secs: 0.0,
            shots,
        })
    }
}

impl DraftShot {
    fn finish(self, cast: &mut Cast) -> Option<CanonicalShot> {
        let description: Vec<String> = self
            .seen
            .iter()
            .filter_map(|line| plain_seen(line))
            .collect();
        let mut speech = Vec::new();
        for (name, text) in &self.said {
            if let Some(text) = plain_said(text) {
                let handle = cast.handle(name.as_deref());
                speech.push(Speech { handle, text });
            }
        }
        (!description.is_empty() || !speech.is_empty()).then(|| CanonicalShot {
            secs: self.secs.unwrap_or_default(),
            description,
            speech,
        })
    }
}

/// The speakers: a handle for each name; names that look the same share one.
#[derive(Default)]
struct Cast {
    /// In the order of their first speech.
    handles: Vec<String>,
    by_folded: HashMap<String, String>,
    by_name: HashMap<String, String>,
}

impl Cast {
    fn handle(&mut self, name: Option<&str>) -> String {
        let name = name.unwrap_or(NARRATOR);
        if let Some(known) = self.by_name.get(name) {
            return known.clone();
        }
        let wanted = handle_from_name(name).unwrap_or_else(|| NARRATOR.into());
        let handle = match self.by_folded.entry(folded(&wanted)) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(free) => {
                self.handles.push(wanted.clone());
                free.insert(wanted).clone()
            }
        };
        self.by_name.insert(name.to_owned(), handle.clone());
        handle
    }
}

/// Makes a handle: `old  tom's dog` gives `old_tom_s_dog`; `None` for a name without a letter.
fn handle_from_name(name: &str) -> Option<String> {
    let mut words = Vec::new();
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let word = leading(rest);
        words.extend((!word.is_empty()).then_some(word));
        rest = &rest[word.len().max(c.len_utf8())..];
    }
    let handle: String = words.join("_").chars().take(MAX_HANDLE_CHARS - 4).collect();
    // Truncation may have separated a mark from its letter.
    Some(leading(&handle).to_owned()).filter(|handle| !handle.is_empty())
}

/// Returns a handle that is not in use for each name, without duplicates.
fn free_handles(names: &[String], taken: &mut HashSet<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut handles = Vec::new();
    for handle in names.iter().filter_map(|name| handle_from_name(name)) {
        if !seen.insert(folded(&handle)) {
            continue;
        }
        let numbered = (2..=99).map(|n| format!("{handle}_{n}"));
        if let Some(free) = std::iter::once(handle.clone())
            .chain(numbered)
            .find(|h| !taken.contains(&folded(h)))
        {
            taken.insert(folded(&free));
            handles.push(free);
        }
    }
    handles
}

fn merge_scenes(scenes: Vec<CanonicalScene>) -> Vec<CanonicalScene> {
    let size = scenes.len().div_ceil(MAX_SCENES).max(1);
    let mut merged: Vec<CanonicalScene> = Vec::new();
    for (index, scene) in scenes.into_iter().enumerate() {
        match merged.last_mut().filter(|_| index % size != 0) {
            Some(last) => last.shots.extend(scene.shots),
            None => merged.push(scene),
        }
    }
    merged
}

fn merge_shots(scenes: &mut [CanonicalScene]) {
    let n_shots: usize = scenes.iter().map(|scene| scene.shots.len()).sum();
    let size = n_shots.div_ceil(MAX_SHOTS).max(1);
    for scene in scenes {
        let mut merged: Vec<CanonicalShot> = Vec::new();
        for (index, shot) in std::mem::take(&mut scene.shots).into_iter().enumerate() {
            match merged.last_mut().filter(|_| index % size != 0) {
                Some(last) => {
                    last.description.extend(shot.description);
                    last.speech.extend(shot.speech);
                    last.secs += shot.secs;
                }
                None => merged.push(shot),
            }
        }
        scene.shots = merged;
    }
}

/// Sets lengths in whole milliseconds, so that shots add up to their scene.
fn set_lengths(scenes: &mut [CanonicalScene]) {
    let shots = || scenes.iter().flat_map(|scene| &scene.shots);
    let wanted: Vec<u64> = shots().map(wanted_ms).collect();
    let total: u64 = wanted.iter().sum();
    let max = (MAX_SECS * 1000.0) as u64;
    let max_without_least = max - MIN_PRESSED_MS * wanted.len() as u64;
    let pressed = |ms: u64| {
        if total <= max {
            ms
        } else {
            ms * max_without_least / total + MIN_PRESSED_MS
        }
    };
    let mut lengths = wanted.into_iter().map(pressed);
    for scene in scenes {
        let mut sum = 0;
        for (shot, ms) in scene.shots.iter_mut().zip(&mut lengths) {
            sum += ms;
            shot.secs = ms as f64 / 1000.0;
        }
        scene.secs = sum as f64 / 1000.0;
    }
}

/// Returns the longest of the written length, the speech, and the time to see the picture, rounded up to a tenth of a second.
fn wanted_ms(shot: &CanonicalShot) -> u64 {
    const MAX_LOOK_SECS: f64 = 5.0;
    let look = if shot.speech.is_empty() && shot.secs == 0.0 {
        let secs: f64 = shot.description.iter().map(|line| spoken_secs(line)).sum();
        secs.clamp(2.0, MAX_LOOK_SECS)
    } else {
        0.0
    };
    let secs = shot.secs.max(shot.spoken_secs()).max(look);
    ((secs * 10.0).ceil() as u64 * 100).max(MIN_MS)
}
