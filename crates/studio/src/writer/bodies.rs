//! The grammars shared by all styles: bodies for each kind of topic, views of the hours, reflections, things.

use std::sync::LazyLock;

use super::grammar::{self, Section};

/// A day of an invented figure.
pub(super) static TALE: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/tale.txt")));
/// A named person, without factual claims.
pub(super) static PORTRAIT: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/portrait.txt")));
/// A thing, a place, a thought.
pub(super) static THEME: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/theme.txt")));
/// Addressed to the viewer.
pub(super) static TALK: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/talk.txt")));
/// In the voice of a reporter or a teacher.
pub(super) static INFORM: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/inform.txt")));
/// Between the parts.
pub(super) static REFLECTIONS: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/reflections.txt")));
/// About things that the prompt names.
pub(super) static OBJECTS: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/objects.txt")));
/// Views by hour of the day.
pub(super) static LIGHTS: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/lights.txt")));
