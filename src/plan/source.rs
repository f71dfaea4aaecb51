//! What a shot shows: a picture, or a clip.

use std::sync::Arc;

use super::clips::{Playback, Played};
use super::report::Report;
use super::shots::{Scope, Shot};
use crate::error::Problem;

/// The source of a shot's panes.
pub(crate) struct Source<'a> {
    /// The asset's name.
    pub asset: &'a str,
    /// Where in the document it is named.
    pub path: String,
    /// Width and height as shown, px.
    pub size: (f64, f64),
    /// Which frames of a clip are shown when; `None` for a picture.
    pub played: Option<Arc<Played>>,
}

/// The source of shot `i`, which is seen as long as `seen` says; `None` when it cannot be shown.
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
            let played = playback.played(&facts.starts, frames, span, scope.rate);
            Some(Source {
                asset: &clip.file,
                path: format!("shots[{i}].clip.file"),
                size: (facts.width.into(), facts.height.into()),
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
