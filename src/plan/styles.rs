//! The built-in caption styles: rows of data by name.

use std::sync::LazyLock;

use crate::timeline::CaptionStyle;

/// Name and row of each style, in listing order. The rows are files that users may copy and change.
const FILES: [(&str, &str); 20] = [
    ("default", include_str!("../../assets/styles/default.json")),
    ("minimal", include_str!("../../assets/styles/minimal.json")),
    (
        "subtitle",
        include_str!("../../assets/styles/subtitle.json"),
    ),
    ("tiktok", include_str!("../../assets/styles/tiktok.json")),
    (
        "highlight",
        include_str!("../../assets/styles/highlight.json"),
    ),
    ("karaoke", include_str!("../../assets/styles/karaoke.json")),
    (
        "gradient",
        include_str!("../../assets/styles/gradient.json"),
    ),
    (
        "cinematic",
        include_str!("../../assets/styles/cinematic.json"),
    ),
    ("modern", include_str!("../../assets/styles/modern.json")),
    (
        "intellectual",
        include_str!("../../assets/styles/intellectual.json"),
    ),
    ("neon", include_str!("../../assets/styles/neon.json")),
    ("fancy", include_str!("../../assets/styles/fancy.json")),
    ("vida", include_str!("../../assets/styles/vida.json")),
    ("bounce", include_str!("../../assets/styles/bounce.json")),
    ("popcorn", include_str!("../../assets/styles/popcorn.json")),
    ("retro", include_str!("../../assets/styles/retro.json")),
    ("gaming", include_str!("../../assets/styles/gaming.json")),
    (
        "typewriter",
        include_str!("../../assets/styles/typewriter.json"),
    ),
    (
        "handwritten",
        include_str!("../../assets/styles/handwritten.json"),
    ),
    (
        "manuscripts",
        include_str!("../../assets/styles/manuscripts.json"),
    ),
];

static STYLES: LazyLock<Vec<(&'static str, CaptionStyle)>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|(name, json)| {
            let row = serde_json::from_str(json).expect("a test reads every built-in row");
            (*name, row)
        })
        .collect()
});

/// Returns the built-in style of this name.
pub(crate) fn style(name: &str) -> Option<&'static CaptionStyle> {
    STYLES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, row)| row)
}

/// Returns the names of all built-in styles.
pub(crate) fn style_names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_and_the_first_is_what_fields_left_out_mean() {
        assert_eq!(STYLES.len(), FILES.len());
        for name in style_names() {
            let row = style(name).unwrap();
            let described = (10..90).contains(&row.description.len());
            assert!(described && !row.description.contains('\n'), "{name}");
        }
        let written: serde_json::Value = serde_json::from_str(FILES[0].1).unwrap();
        let implied = serde_json::to_value(CaptionStyle::default()).unwrap();
        let (written, implied) = (written.as_object().unwrap(), implied.as_object().unwrap());
        assert!(
            written.keys().eq(implied.keys()),
            "every field is spelled out"
        );
        let unnamed = style(FILES[0].0).map(|row| CaptionStyle {
            description: String::new(),
            ..row.clone()
        });
        assert_eq!(unnamed, Some(CaptionStyle::default()));
        assert_eq!(style("no such style"), None);
    }
}
