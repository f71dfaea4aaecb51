//! Built-in transitions, motions and caption styles by name, for lists and galleries.

use super::{motion, styles, transitions};

/// A built-in transition, motion or caption style.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Look {
    /// Its name in a timeline.
    pub name: &'static str,
    /// One-line description for users.
    pub description: String,
    /// A transition's default length in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_ms: Option<i64>,
}

/// Returns every built-in transition.
pub fn transitions() -> Vec<Look> {
    let look = |row: &transitions::Row| Look {
        name: row.name,
        description: row.description.to_owned(),
        default_ms: Some(row.default_ms),
    };
    transitions::TABLE.iter().map(look).collect()
}

/// Returns every built-in motion.
pub fn motions() -> Vec<Look> {
    let look = |row: &motion::Row| Look {
        name: row.name,
        description: row.description.to_owned(),
        default_ms: None,
    };
    motion::TABLE.iter().map(look).collect()
}

/// Returns every built-in caption style.
pub fn caption_styles() -> Vec<Look> {
    let look = |name| Look {
        name,
        description: styles::style(name)
            .map(|row| row.description.clone())
            .unwrap_or_default(),
        default_ms: None,
    };
    styles::style_names().map(look).collect()
}
