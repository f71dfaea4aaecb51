//! Settings of a script: the words that select them, their views, and sentences about them.

use std::sync::LazyLock;

use super::random::Random;
use super::topic::{Mode, Topic};
use crate::script::lexicon;

/// A setting.
pub(super) struct World {
    name: &'static str,
    words: Vec<&'static str>,
    /// Words for things that it does not have.
    pub(super) without: Vec<&'static str>,
    /// Its views, as briefs.
    pub(super) views: Vec<&'static str>,
    /// Its views, as sentences.
    pub(super) details: Vec<&'static str>,
}

static WORLDS: LazyLock<Vec<World>> = LazyLock::new(|| {
    let mut worlds: Vec<World> = Vec::new();
    for line in include_str!("data/worlds.txt")
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            worlds.push(World {
                name,
                words: Vec::new(),
                without: Vec::new(),
                views: Vec::new(),
                details: Vec::new(),
            });
        } else if let Some(world) = worlds.last_mut() {
            match line.split_once(": ") {
                Some(("words", words)) => world.words = words.split(' ').collect(),
                Some(("without", words)) => world.without = words.split(' ').collect(),
                Some(("views", views)) => world.views = views.split('|').collect(),
                _ => world.details.push(line),
            }
        }
    }
    worlds
});

/// Returns the world that most words of the prompt select; words of its subject weigh 3 instead of 2. If none match, a random one that suits every topic.
pub(super) fn fitting(topic: &Topic, random: &mut Random) -> &'static World {
    let subject = topic.subject.to_lowercase();
    let score = |world: &World| -> usize {
        topic
            .words
            .iter()
            .filter(|w| {
                world.words.contains(&w.as_str())
                    || world.words.contains(&lexicon::singular(w).as_str())
            })
            .map(|w| if subject.contains(w.as_str()) { 3 } else { 2 })
            .sum()
    };
    let best = WORLDS
        .iter()
        .rev()
        .max_by_key(|w| score(w))
        .filter(|w| score(w) > 0);
    best.unwrap_or_else(|| {
        let names: &[&str] = match topic.mode {
            Mode::Portrait => &["home", "workshop", "city"],
            _ => &["home", "city", "field"],
        };
        let name = names[random.below(names.len())];
        WORLDS.iter().find(|w| w.name == name).unwrap_or(&WORLDS[0])
    })
}
