//! Describes characters from a picture: with a multimodal model if one is configured, else by measurements.

use super::progress::Watch;
use super::store::{StepKey, address};
use super::{Made, Studio};
use crate::failure::{Failure, FailureKind, Stage};
use crate::offline::measured;
use crate::providers::openai::CharacterSheet;
use crate::providers::{Answer, checks};

impl Studio {
    /// Returns the characters in a picture (PNG, JPEG or WebP). `name` is used for a character without a visible name.
    ///
    /// # Errors
    /// `BadInput` for an unusable picture; a failure of stage `Request` if a configured model failed for good.
    pub fn characters_in(
        &self,
        file: Vec<u8>,
        name: &str,
        watch: &Watch,
    ) -> Result<Answer<Vec<CharacterSheet>>, Failure> {
        let bad = |what: &str| {
            Failure::new(
                Stage::Request,
                FailureKind::BadInput,
                format!("the picture {what}"),
            )
        };
        let (picture, pixels) = checks::picture_and_pixels(file).map_err(bad)?;
        let models: Vec<&str> = self.eyes.iter().map(|eye| eye.model()).collect();
        let key = StepKey::of(
            Stage::Request,
            &("characters", models, address(&picture.file), name),
        );
        let (step, _) = self.step(&key, (watch, None), |call| {
            let mut notes = Vec::new();
            for eye in &self.eyes {
                match eye.characters(&picture.file, call) {
                    Ok(answer) if !answer.value.is_empty() => {
                        notes.extend(answer.notes);
                        return Ok(Made::bare((answer.value, notes)));
                    }
                    Ok(_) => notes.push("the model found no character in the picture".to_owned()),
                    Err(failure)
                        if matches!(
                            failure.kind,
                            FailureKind::Cancelled | FailureKind::BadInput
                        ) =>
                    {
                        return Err(failure);
                    }
                    Err(failure) => notes.push(failure.message),
                }
            }
            notes.push(
                "described from measured colors and framing, not recognized; a `vision` provider could describe the character"
                    .to_owned(),
            );
            let sheets = vec![measured(&pixels.to_rgb8(), name)];
            Ok(Made::bare((sheets, notes)))
        })?;
        let (value, notes) = step.value;
        Ok(Answer::noted(value, notes))
    }
}
