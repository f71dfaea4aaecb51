//! A universe's settings, in TOML or JSON: what applies if a request does not say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::names::{AspectRatio, CaptionPosition, CaptionStyle, MusicSlug};
use super::problem::FieldProblem;
use super::texts::{MAX_NAME_CHARS, MAX_NOTES_CHARS};
use super::universe_read::is_language;
use crate::text_problem::{is_blank, quoted_text};

/// Most visual styles of a universe.
pub const MAX_STYLES: usize = 100;

/// A visual style of a universe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VisualStyle {
    /// The value for `visualStyleId`. If missing, it is derived from the universe's slug and the style's name, always the same.
    pub id: Uuid,
    /// The display name.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"\S"))]
    pub name: String,
    /// Text that is added to every picture's prompt.
    #[schemars(length(min = 1, max = 5_000), regex(pattern = r"\S"))]
    pub style: String,
}

/// A universe's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UniverseSettings {
    /// Its name in paths: lower-case letters, digits and hyphens.
    #[schemars(regex(pattern = r"^[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?$"))]
    pub slug: String,
    /// Its visual styles; the first is the default. At least one, unless a style is invented for each video.
    #[serde(default)]
    pub visual_styles: Vec<VisualStyle>,
    /// Whether a style is invented for each video that names none.
    #[serde(default)]
    pub ai_style_by_default: bool,
    /// Whether captions are shown. Default true.
    #[serde(default = "yes")]
    pub captions: bool,
    /// The style of captions.
    #[serde(default)]
    pub captions_style: CaptionStyle,
    /// The position of captions.
    #[serde(default)]
    pub captions_position: CaptionPosition,
    /// Its music; no music if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub music: Option<UniverseTrack>,
    /// The shape of its pictures.
    #[serde(default)]
    pub video_format: AspectRatio,
    /// Its languages, two lower-case letters each; the first is the default. Default English only.
    #[serde(default = "english")]
    #[schemars(length(min = 1), inner(regex(pattern = r"^[a-z]{2}$")))]
    pub languages: Vec<String>,
}

/// A universe's own music.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UniverseTrack {
    /// The track; the empty name leaves the choice to the director.
    #[serde(default)]
    pub music_slug: MusicSlug,
    /// Volume relative to the voice, 0 to 1. Default 0.3.
    #[serde(default = "quiet")]
    #[schemars(range(min = 0, max = 1))]
    pub volume: f64,
    /// Whether the track restarts when it ends. Default true.
    #[serde(default = "yes")]
    pub r#loop: bool,
}

fn yes() -> bool {
    true
}

fn quiet() -> f64 {
    super::MusicConfig::default().volume
}

fn english() -> Vec<String> {
    vec!["en".into()]
}

impl UniverseSettings {
    /// Creates a universe with defaults only, which invents a style for each video.
    pub fn new(slug: impl Into<String>) -> UniverseSettings {
        UniverseSettings {
            slug: slug.into(),
            visual_styles: Vec::new(),
            ai_style_by_default: true,
            captions: true,
            captions_style: CaptionStyle::default(),
            captions_position: CaptionPosition::default(),
            music: None,
            video_format: AspectRatio::default(),
            languages: english(),
        }
    }

    /// Returns the settings if they are valid.
    ///
    /// # Errors
    /// All problems of the settings.
    pub fn checked(self) -> Result<UniverseSettings, Vec<FieldProblem>> {
        let problems = self.problems();
        if problems.is_empty() {
            Ok(self)
        } else {
            Err(problems)
        }
    }

    pub(super) fn problems(&self) -> Vec<FieldProblem> {
        let mut problems = Vec::new();
        if !is_slug(&self.slug) {
            let reason = format!(
                "{} is not a slug: use 1 to 100 lower-case letters, digits and hyphens",
                quoted_text(&self.slug)
            );
            problems.push(FieldProblem::invalid("slug", reason));
        }
        if self.visual_styles.is_empty() && !self.thinks_up_styles() {
            let reason = "at least one is required, unless `aiStyleByDefault` is true";
            problems.push(FieldProblem::missing("visualStyles", reason));
        }
        for (index, style) in self.visual_styles.iter().enumerate() {
            if self.visual_styles[..index]
                .iter()
                .any(|other| other.id == style.id)
            {
                let field = format!("visualStyles[{index}].id");
                problems.push(FieldProblem::invalid(
                    field,
                    format!("`{}` appears twice", style.id),
                ));
            }
            for (name, text, max) in [
                ("name", &style.name, MAX_NAME_CHARS),
                ("style", &style.style, MAX_NOTES_CHARS),
            ] {
                if is_blank(text) || text.chars().count() > max {
                    let field = format!("visualStyles[{index}].{name}");
                    problems.push(FieldProblem::invalid(
                        field,
                        format!("must have 1 to {max} characters"),
                    ));
                }
            }
        }
        if let Some(music) = self
            .music
            .as_ref()
            .filter(|music| !(0.0..=1.0).contains(&music.volume))
        {
            let reason = format!("`{}` is out of range: must be from 0 to 1", music.volume);
            problems.push(FieldProblem::invalid("music.volume", reason));
        }
        problems.extend(self.language_problems());
        problems
    }

    fn language_problems(&self) -> Vec<FieldProblem> {
        if self.languages.is_empty() {
            return vec![FieldProblem::missing(
                "languages",
                "at least one is required, such as `en`",
            )];
        }
        let mut problems = Vec::new();
        for (index, language) in self.languages.iter().enumerate() {
            let field = format!("languages[{index}]");
            if !is_language(language) || language.bytes().any(|b| b.is_ascii_uppercase()) {
                let reason = format!(
                    "{} is not a language code of two lower-case letters such as `en`",
                    quoted_text(language)
                );
                problems.push(FieldProblem::invalid(field, reason));
            } else if self.languages[..index].contains(language) {
                problems.push(FieldProblem::invalid(
                    field,
                    format!("`{language}` appears twice"),
                ));
            }
        }
        problems
    }

    /// Returns whether a style is invented if none is named: never in the pixel-art universe, which keeps its own.
    pub fn thinks_up_styles(&self) -> bool {
        const PIXEL_ART: &str = "service-pixel-art";
        self.ai_style_by_default && self.slug != PIXEL_ART
    }
}

fn is_slug(text: &str) -> bool {
    (1..=100).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}
