//! Background music: a track as a file.

use std::path::PathBuf;

use kinora_music::Sound;

use super::brief::Brief;
use super::progress::Watch;
use super::store::{StepKey, address};
use super::{Made, Studio};
use crate::failure::{Failure, FailureKind, Stage};

/// Chooses a track if none was named.
pub(super) fn chosen(brief: &Brief) -> Option<String> {
    let music = brief.music.as_ref()?;
    (music.is_chosen && !music.slug.is_empty())
        .then(|| format!("no track was named; using `{}`", music.slug))
}

impl Studio {
    /// Returns the track's file, if there is music.
    pub(super) fn music_of(
        &self,
        brief: &Brief,
        watch: &Watch,
    ) -> Result<Option<PathBuf>, Failure> {
        let failed = |e: String| {
            Failure::new(
                Stage::Timeline,
                FailureKind::BadInput,
                format!("the music: {e}"),
            )
        };
        let Some(choice) = &brief.music else {
            return Ok(None);
        };
        match self
            .music
            .sound(&choice.slug)
            .map_err(|e| failed(e.to_string()))?
        {
            None => Ok(None),
            Some(Sound::File(path)) => Ok(Some(path)),
            Some(Sound::Wav(bytes)) => {
                let key = StepKey::of(Stage::Timeline, &("music", &choice.slug, address(&bytes)));
                let name = "music.wav";
                let (step, _) = self.step(&key, (watch, None), |_| {
                    Ok(Made {
                        file: Some((name.to_owned(), bytes.to_vec())),
                        ..Made::bare(())
                    })
                })?;
                Ok(Some(step.folder.join(name)))
            }
        }
    }
}
