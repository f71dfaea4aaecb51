//! What a shot shows: a picture, or a clip.

use std::sync::Arc;

use super::clips::Playback;
use super::report::Report;
use super::shots::{Scope, Shot};
use crate::error::{Problem, Warning};
use crate::scene::Played;
use crate::scene::mix::Track;

/// The source of a shot's panes.
pub(crate) struct Source<'a> {
    /// The asset's name.
    pub asset: &'a str,
    /// Document path where it is named.
    pub path: String,
    /// Width and height as shown, px.
    pub size: (f64, f64),
    /// Sound of a clip.
    pub sound: Option<Track>,
    /// Which clip frames are shown when; `None` for a picture.
    pub played: Option<Arc<Played>>,
}

/// Resolves the source of shot `i` for the time it is visible (`seen`); `None` if it cannot be shown.
pub(crate) fn resolve<'a>(
    scope: &Scope<'a>,
    i: usize,
    seen: &Shot,
    report: &mut Report,
) -> Option<Source<'a>> {
    let shot = &scope.timeline.shots[i];
    match (&shot.picture, &shot.clip) {
        (Some(name), None) => {
            let facts = scope.facts.pictures.get(name)?;
            Some(Source {
                asset: name,
                path: format!("shots[{i}].picture"),
                size: (facts.width.into(), facts.height.into()),
                sound: None,
                played: None,
            })
        }
        (None, Some(clip)) => {
            let playback = Playback::of_shot(scope, i, report)?;
            let facts = scope.facts.clips.get(&clip.file)?;
            let span = (seen.seen_from, seen.seen_to);
            let frames = (
                scope.rate.frame_at_or_after(span.0),
                scope.rate.frame_at_or_after(span.1),
            );
            let path = format!("shots[{i}].clip.file");
            let sound = playback.sound(clip, &path, span);
            if sound.is_some() && !facts.has_sound {
                let message = format!("`{}` has no sound, so `gain_db` has no effect", clip.file);
                report.warn(Warning::new(
                    "silent_clip",
                    format!("shots[{i}].clip.gain_db"),
                    message,
                ));
            }
            let played = playback.played(&facts.starts, frames, span, scope.rate);
            Some(Source {
                asset: &clip.file,
                path,
                size: (facts.width.into(), facts.height.into()),
                sound: sound.filter(|_| facts.has_sound),
                played: Some(Arc::new(played)),
            })
        }
        (picture, _) => {
            let message = match picture {
                Some(_) => "both `picture` and `clip` are given",
                None => "neither `picture` nor `clip` is given",
            };
            report.problem(Problem::new("shot_source", format!("shots[{i}]"), message));
            None
        }
    }
}
