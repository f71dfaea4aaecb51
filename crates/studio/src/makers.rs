//! Predicts from the configuration which provider makes what a request names. A create call warns by it, and estimates use it.

use crate::estimate::Makers;
use crate::offers::Makes;
use crate::providers::CostClass;
use crate::providers::config::{Kind, Named, ProvidersConfig};
use crate::providers::models::ModelTable;
use crate::request::{
    CharacterRef, FieldWarning, ImageConfig, ShortRequest, UniverseRequest, WireName,
};
use crate::stages::preset_clips;

/// The provider expected to make something.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The cost class of the maker; `None`: that of the requested model.
    pub class: Option<CostClass>,
    /// What the user should know; `None` if the requested model itself is used.
    pub note: Option<String>,
}

/// The providers of this service and its table of models.
#[derive(Clone, Copy, Debug)]
pub struct Configured<'a> {
    /// Providers by task.
    pub config: &'a ProvidersConfig,
    /// Models by their interface names.
    pub table: &'a ModelTable,
}

impl Configured<'_> {
    /// Returns the maker expected for the model of this name.
    pub fn expected(&self, name: &str, makes: Makes) -> Expected {
        let makers = match makes {
            Makes::Picture => &self.config.pictures,
            Makes::Clip => &self.config.clips,
        };
        let found = makers.iter().find_map(|maker| self.by(maker, name, makes));
        found.unwrap_or_else(|| offline(name, "offline"))
    }

    fn by(&self, maker: &Named, name: &str, makes: Makes) -> Option<Expected> {
        match &maker.kind {
            Kind::Fal(_) => {
                let (class, notes) = match makes {
                    Makes::Picture => {
                        let (row, notes) = self.table.live_picture(name)?;
                        (row.class(), notes)
                    }
                    Makes::Clip => {
                        let (row, notes) = self.table.live_clip(name)?;
                        (row.class(), notes)
                    }
                };
                let note = notes.first().cloned();
                Some(Expected { class, note })
            }
            Kind::OpenAi(settings) => {
                let plain = |name: &str| name.replace('_', "-");
                let own = &settings.picture_model;
                let note = (plain(name) != plain(own)).then(|| {
                    format!(
                        "`{name}` is not available here; `{}` uses `{own}` instead",
                        maker.name
                    )
                });
                Some(Expected { class: None, note })
            }
            _ => Some(offline(name, &maker.name)),
        }
    }

    /// Returns the makers of a Short.
    pub fn makers_of_short(&self, request: &ShortRequest) -> Makers {
        let clip = &request.video_config;
        let clips = || self.expected(clip.model.as_str(), Makes::Clip).class;
        let image = request.image_config.model.as_str();
        Makers {
            pictures: self.expected(image, Makes::Picture).class,
            clips: if clip.enabled { clips() } else { None },
            briefs: request.script.is_some() && self.writes_briefs(clip.enabled),
        }
    }

    /// Returns the makers of a video in a universe.
    pub fn makers_of_universe(&self, request: &UniverseRequest) -> Makers {
        let clip = preset_clips(request.preset());
        let model = ImageConfig::default().model.as_str();
        let own = self.expected(model, Makes::Picture).class;
        let pictures = match has_pictures(request) {
            true => self.class_of_reference(model).or(own),
            false => own,
        };
        Makers {
            pictures,
            clips: clip.and_then(|model| self.expected(model, Makes::Clip).class),
            briefs: request.voiceover_key.is_some() && self.writes_briefs(clip.is_some()),
        }
    }

    /// Returns the cost class of a picture with characters, if it is higher than that of the model itself.
    fn class_of_reference(&self, model: &str) -> Option<CostClass> {
        let is_fal = |named: &Named| matches!(named.kind, Kind::Fal(_));
        self.config.pictures.first().filter(|first| is_fal(first))?;
        let (row, _) = self.table.live_picture(model)?;
        row.reference.as_ref()?.class
    }

    /// Returns whether a script provider will describe the pictures: if one is configured that can, and a maker reads its text.
    fn writes_briefs(&self, has_clips: bool) -> bool {
        let reads = |list: &[Named]| {
            list.iter()
                .any(|named| !matches!(named.kind, Kind::Offline | Kind::Folder(_)))
        };
        let is_read = reads(&self.config.pictures) || (has_clips && reads(&self.config.clips));
        is_read && reads(&self.config.script)
    }

    /// Warns about a Short's models that are not available as requested. Says nothing about pictures if no model is named.
    pub fn warnings_of_short(&self, request: &ShortRequest) -> Vec<FieldWarning> {
        let picture = request.image_config.model;
        let is_named = picture != ImageConfig::default().model;
        let picture = is_named.then(|| ("imageConfig.model", picture.as_str(), Makes::Picture));
        let clip = &request.video_config;
        let is_named = clip.enabled;
        let clips = is_named.then(|| ("videoConfig.model", clip.model.as_str(), Makes::Clip));
        let mut warnings: Vec<FieldWarning> = picture
            .into_iter()
            .chain(clips)
            .filter_map(|(field, name, makes)| {
                let message = self.expected(name, makes).note?;
                Some(warning(field, message))
            })
            .collect();
        if clip.enabled {
            warnings.extend(self.without_effect_on_clips(request));
        }
        warnings
    }

    /// Warns about parts of `videoConfig` that the chosen model does not take.
    fn without_effect_on_clips(&self, request: &ShortRequest) -> Vec<FieldWarning> {
        let clip = &request.video_config;
        let is_fal = |named: &Named| matches!(named.kind, Kind::Fal(_));
        let by_fal = self.config.clips.first().is_some_and(is_fal);
        let row = self.table.live_clip(clip.model.as_str());
        let row = row.map(|(row, _)| row).filter(|_| by_fal);
        let has_notes = clip.video_director_notes.is_some();
        let takes_notes = row.map_or(by_fal, |row| row.prompt);
        let takes_secs = row.is_none_or(|row| row.frames.is_some() || row.duration.len() > 1);
        let mut warnings = Vec::new();
        if has_notes && !takes_notes {
            let message =
                "has no effect, because the provider of these clips does not accept notes";
            warnings.push(warning("videoConfig.videoDirectorNotes", message));
        }
        if let (Some(_), false, Some(row)) = (clip.duration, takes_secs, row) {
            let message = format!(
                "has no effect, because `{}` makes clips of a fixed length",
                row.name
            );
            warnings.push(warning("videoConfig.duration", message));
        }
        warnings
    }

    /// Warns about the same in a universe's video.
    pub fn warnings_of_universe(&self, request: &UniverseRequest) -> Vec<FieldWarning> {
        let mut warnings = Vec::new();
        let field = match request.animation_preset {
            Some(_) => "animationPreset",
            None => "animation",
        };
        let clip = preset_clips(request.preset());
        let note = clip.and_then(|model| self.expected(model, Makes::Clip).note);
        warnings.extend(note.map(|message| warning(field, message)));
        let model = ImageConfig::default().model;
        let class = self.class_of_reference(model.as_str());
        let dearer =
            class.filter(|class| has_pictures(request) && *class > CostClass::of_images(model));
        warnings.extend(dearer.map(|class| {
            let message = format!(
                "pictures of saved characters require another model, at the price of a {} model",
                class.as_str()
            );
            warning("characters", message)
        }));
        warnings
    }
}

/// Returns whether a character has a reference picture: saved ones do.
fn has_pictures(request: &UniverseRequest) -> bool {
    let mut characters = request.characters.iter();
    characters.any(|character| matches!(character, CharacterRef::Saved(_)))
}

/// Returns the maker for what is made by the program or taken from the user's own files, whatever model is named.
fn offline(name: &str, maker: &str) -> Expected {
    Expected {
        class: Some(CostClass::Offline),
        note: Some(format!("`{name}` is not available here; using `{maker}`")),
    }
}

fn warning(field: &str, message: impl Into<String>) -> FieldWarning {
    FieldWarning {
        field: field.to_owned(),
        message: message.into(),
    }
}
