//! The grammars that all styles share: bodies by what is told of, pictures of the hours, reflections, things.

use std::sync::LazyLock;

use super::grammar::{self, Section};

/// A day of an invented figure.
pub(super) static TALE: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/tale.txt")));
/// Somebody with a name, without claims.
pub(super) static PORTRAIT: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/portrait.txt")));
/// A thing, a place, a thought.
pub(super) static THEME: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/theme.txt")));
/// Said to the viewer.
pub(super) static TALK: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/talk.txt")));
/// Said by a reporter or a teacher.
pub(super) static INFORM: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/inform.txt")));
/// Said between the parts.
pub(super) static REFLECTIONS: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/reflections.txt")));
/// Said of things that the prompt names.
pub(super) static OBJECTS: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/objects.txt")));
/// Pictures of the hours.
pub(super) static LIGHTS: LazyLock<Vec<Section>> =
    LazyLock::new(|| grammar::read(include_str!("data/lights.txt")));
