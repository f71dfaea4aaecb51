//! Finds fields of a request that have no effect in its universe, so that a create call can warn about them.

use super::names::{AudioKind, MusicSlug};
use super::problem::FieldWarning;
use super::resolve::{ResolvedStyle, ResolvedUniverse, UniverseInput};
use super::settings::UniverseSettings;
use super::universe::UniverseRequest;

impl UniverseRequest {
    /// Returns a warning for each given field that changes nothing in this universe; none if the request cannot be resolved.
    pub fn without_effect(&self, universe: &UniverseSettings) -> Vec<FieldWarning> {
        let Ok(resolved) = self.resolve(universe) else {
            return Vec::new();
        };
        let mut warnings = self.of_captions(&resolved);
        warnings.extend(self.of_music(&resolved));
        warnings.extend(self.of_style(&resolved));
        warnings
    }

    fn of_captions(&self, resolved: &ResolvedUniverse) -> Vec<FieldWarning> {
        if resolved.captions.enabled {
            return Vec::new();
        }
        let because = match self.captions {
            Some(_) => "`captions` is false",
            None => "the universe shows no captions and `captions` is not true",
        };
        unused(
            because,
            &[
                ("captionsStyle", self.captions_style.is_some()),
                ("captionsPosition", self.captions_position.is_some()),
            ],
        )
    }

    fn of_music(&self, resolved: &ResolvedUniverse) -> Vec<FieldWarning> {
        let Some(asked) = &self.music_config else {
            return Vec::new();
        };
        let is_song = matches!(
            resolved.input,
            UniverseInput::Audio {
                kind: AudioKind::Song,
                ..
            }
        );
        let because = match (is_song, resolved.music.enabled, asked.enabled) {
            (true, ..) => "a song is its own music",
            (_, true, _) => return Vec::new(),
            (_, _, Some(false)) => "`musicConfig.enabled` is false",
            _ => "the universe has no music and no track is named",
        };
        let has_track = asked
            .music_slug
            .is_some_and(|slug| slug != MusicSlug::Unset);
        unused(
            because,
            &[
                ("musicConfig.musicSlug", has_track),
                (
                    "musicConfig.enabled",
                    is_song && asked.enabled == Some(true),
                ),
                ("musicConfig.volume", asked.volume.is_some()),
                ("musicConfig.loop", asked.r#loop.is_some()),
            ],
        )
    }

    fn of_style(&self, resolved: &ResolvedUniverse) -> Vec<FieldWarning> {
        let Some(is_preferred) = self.prefer_ai_style else {
            return Vec::new();
        };
        let is_thought_up = resolved.style == ResolvedStyle::Ai;
        if is_preferred == is_thought_up {
            return Vec::new();
        }
        let because = match self.visual_style_id {
            Some(_) => "`visualStyleId` is given",
            None => "the universe chooses the style: set `visualStyleId` to choose another",
        };
        unused(because, &[("preferAiStyle", true)])
    }
}

fn unused(because: &str, given: &[(&str, bool)]) -> Vec<FieldWarning> {
    let given = given.iter().filter(|(_, is_given)| *is_given);
    given
        .map(|(field, _)| FieldWarning {
            field: (*field).to_owned(),
            message: format!("has no effect, because {because}"),
        })
        .collect()
}
