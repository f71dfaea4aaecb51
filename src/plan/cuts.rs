//! Cuts: the transition around each cut, and the layers during it.

use std::sync::Arc;

use super::report::Report;
use super::shots::{Scope, Shot};
use super::transitions::{self, Custom, Drawn, How, Part, Row, Source, Stage};
use crate::error::Problem;
use crate::scene::draw::Blend;
use crate::scene::draw::{
    BoxShape, Content, Edge, Group, Homography, Known, Layer, LayerId, Paint, Pose,
};
use crate::timeline::{self, NameOr};
use crate::units::{Color, PixelRect, Rect, Size, Time};

/// A transition takes at most this share of the shorter of its shots.
const MAX_SHARE: f64 = 0.4;
/// Default length of a transition defined in the document.
const CUSTOM_LENGTH: Time = Time::from_millis(500);
/// Id of the first sheet of shot 0 while it is posed by a transition.
const SHEET_ID: u32 = 2_000_000;
/// Number of ids reserved for a shot's sheets and their shadows.
const SHEETS: u32 = 16;
/// Offset of a shadow below the part that casts it, and the standard deviation of its blur, as fractions of the canvas's shorter side.
const SHADOW_DROP: f64 = 0.012;
const SHADOW_BLUR: f64 = 0.035;

/// The change from shot `after - 1` to shot `after`.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// Index of the incoming shot.
    pub after: usize,
    /// The transition's name.
    pub name: &'static str,
    /// Index of the shot whose blurred copy is drawn behind the transition.
    pub backdrop: Option<usize>,
    /// First instant of the overlap.
    pub start: Time,
    /// Its end; equal to the start for a hard cut.
    pub end: Time,
    poses: Poses,
}

#[derive(Clone)]
enum Poses {
    Row(How),
    Own(Arc<Custom>),
}

impl std::fmt::Debug for Poses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Poses::Row(_) => "row",
            Poses::Own(_) => "own",
        })
    }
}

/// A transition as chosen for a cut.
enum Chosen {
    Row(&'static Row),
    Own(Arc<Custom>),
}

/// Resolves the transition of every cut.
pub(crate) fn resolve(scope: &Scope, frames: &[u64], report: &mut Report) -> Vec<Cut> {
    let timeline = scope.timeline;
    // The document's default transition is checked once, under its own path, even if no cut uses it.
    choose(&timeline.transition, "transition", report);
    let mut cuts: Vec<Cut> = Vec::new();
    for (i, shot) in timeline.shots.iter().enumerate() {
        let path = format!("shots[{i}].transition");
        if i == 0 {
            if shot.transition.is_some() {
                let problem = Problem::new(
                    "first_shot_transition",
                    path,
                    "there is no shot before the first one",
                );
                report.problem(
                    problem.hint("put the transition on the shot that comes after the cut"),
                );
            }
            continue;
        }
        let chosen = match &shot.transition {
            Some(own) => choose(own, &path, report),
            None => choose(&timeline.transition, "transition", &mut Report::default()),
        };
        let (Some((chosen, length)), Some(around)) = (chosen, frames.get(i - 1..i + 2)) else {
            continue;
        };
        let before = cuts.last().map(|cut| cut.name);
        let (name, backdrop, poses) = settle(chosen, (timeline.seed, i), before);
        let shorter = (around[1] - around[0]).min(around[2] - around[1]);
        let longest = Time((scope.rate.time_of(shorter).0 as f64 * MAX_SHARE) as i64);
        let half = Time(length.min(longest).0 / 2);
        let at = scope.rate.time_of(around[1]);
        cuts.push(Cut {
            after: i,
            name,
            backdrop,
            start: at - half,
            end: at + half,
            poses,
        });
    }
    cuts
}

/// Returns a cut's name, backdrop shot and poses; random transitions are drawn here.
fn settle(
    chosen: Chosen,
    (seed, cut): (u64, usize),
    before: Option<&str>,
) -> (&'static str, Option<usize>, Poses) {
    let row = match chosen {
        Chosen::Own(own) => return ("poses", None, Poses::Own(own)),
        Chosen::Row(Row {
            how: How::Random, ..
        }) => transitions::random(seed, cut, before),
        Chosen::Row(row) => row,
    };
    let shot = |source| match source {
        Source::A => cut - 1,
        Source::B | Source::Backdrop => cut,
    };
    (row.name, row.backdrop.map(shot), Poses::Row(row.how))
}

/// Returns the transition as written and its length, or `None` (and a problem) for an unknown name.
fn choose(
    written: &NameOr<timeline::Transition>,
    path: &str,
    report: &mut Report,
) -> Option<(Chosen, Time)> {
    let own = match written {
        NameOr::Name(name) => {
            return named(name, path, report).map(|row| (Chosen::Row(row), row.length()));
        }
        NameOr::Inline(own) => own,
    };
    let length = own
        .duration
        .map(|secs| report.time(&format!("{path}.duration"), secs, 0.0..=5.0));
    match (&own.name, &own.poses) {
        (Some(name), None) => {
            let row = named(name, &format!("{path}.name"), report)?;
            Some((Chosen::Row(row), length.unwrap_or(row.length())))
        }
        (None, Some(poses)) => {
            let custom = Custom::resolve(poses, &format!("{path}.poses"), report);
            Some((
                Chosen::Own(Arc::new(custom)),
                length.unwrap_or(CUSTOM_LENGTH),
            ))
        }
        _ => {
            report.one_of(path, "name", "poses");
            None
        }
    }
}

fn named(name: &str, path: &str, report: &mut Report) -> Option<&'static Row> {
    let row = transitions::row(name);
    if row.is_none() {
        let known: Vec<&str> = transitions::TABLE.iter().map(|row| row.name).collect();
        report.unknown_name(path, "transition", name, &known);
    }
    row
}

impl Cut {
    /// Returns the layers of both shots at an instant of the overlap; `frame` is the duration of one frame.
    pub fn layers(&self, shots: &[Shot], t: Time, (size, frame): (Size, Time)) -> Vec<Layer> {
        let stage = Stage::new(size);
        // Half a frame: a 180-degree shutter.
        let open = 0.5 * frame.0 as f64 / (self.end - self.start).0.max(1) as f64;
        let at = (t.progress_in(self.start, self.end), open);
        let parts = transitions::drawn(|p| self.parts(p, &stage), at, &stage);
        let mut layers = Vec::new();
        for (k, drawn) in parts.into_iter().enumerate() {
            let shot = match drawn.part.source {
                Source::A => self.after - 1,
                Source::B => self.after,
                Source::Backdrop => {
                    let behind = self.backdrop.and_then(|shot| shots[shot].backdrop(t));
                    layers.extend(behind);
                    continue;
                }
            };
            let id = LayerId(SHEET_ID + SHEETS * shot as u32 + 2 * k as u32);
            if drawn.part.shadow > 0.0 {
                layers.push(shadow(&drawn.part, LayerId(id.0 + 1), &stage));
            }
            layers.extend(posed(shots[shot].layers(t), drawn, (id, size), &stage));
        }
        layers
    }

    fn parts(&self, p: f64, stage: &Stage) -> Vec<Part> {
        match &self.poses {
            Poses::Row(how) => how.parts(p, stage),
            Poses::Own(own) => own.parts(p, stage),
        }
    }
}

/// Returns the soft shadow slightly below a part that is moved, turned or scaled, but not tilted.
fn shadow(part: &Part, id: LayerId, stage: &Stage) -> Layer {
    let (x, y) = part.map.apply(stage.w / 2.0, stage.h / 2.0);
    let (right, down) = part.map.apply(stage.w / 2.0 + 1.0, stage.h / 2.0);
    let scale = (right - x).hypot(down - y);
    let size = [stage.w * scale, stage.h * scale];
    let short = stage.w.min(stage.h);
    let shape = BoxShape {
        rect: Rect {
            x: (x - size[0] / 2.0) as f32,
            y: (y - size[1] / 2.0 + SHADOW_DROP * short) as f32,
            width: size[0] as f32,
            height: size[1] as f32,
        },
        radius: 0.0,
        rotate: (down - y).atan2(right - x) as f32,
        paint: Paint::Solid(Color::BLACK),
        border: None,
        blur_px: (SHADOW_BLUR * short) as f32,
    };
    Layer {
        id,
        known: Known::New,
        opacity: (part.shadow * part.opacity) as f32,
        blend: Blend::Normal,
        content: Content::Box(shape),
    }
}

/// Wraps a shot's layers as one part of a transition.
fn posed(
    mut layers: Vec<Layer>,
    drawn: Drawn,
    (id, size): (LayerId, Size),
    stage: &Stage,
) -> Vec<Layer> {
    let Drawn { part, maps } = drawn;
    if part.zoom != 1.0 {
        zoom_in(&mut layers, stage.turned(0.0, part.zoom));
    }
    let stays = maps == [Homography::IDENTITY] && part.blur_px == 0.0;
    match &mut layers[..] {
        // A single picture that fills the canvas takes the opacity, brightness and wipe itself, and the movement too if its border cannot show. No sheet is needed.
        [
            Layer {
                opacity,
                content: Content::Picture(_, pose),
                ..
            },
        ] if (stays || part.edge != Edge::Transparent) && part.blur_px == 0.0 => {
            *opacity *= part.opacity as f32;
            pose.brightness *= part.brightness as f32;
            pose.wipe = part.wipe;
            if !stays {
                let inner = pose.maps[0];
                pose.maps = maps.iter().map(|map| map.after(inner)).collect();
                pose.edge = part.edge;
            }
            return layers;
        }
        _ if stays && part.opacity == 1.0 && part.brightness == 1.0 && part.wipe.is_none() => {
            return layers;
        }
        _ => {}
    }
    let pose = Pose {
        maps,
        brightness: part.brightness as f32,
        edge: part.edge,
        wipe: part.wipe,
        blur_px: part.blur_px as f32,
    };
    let bounds = PixelRect {
        x: 0,
        y: 0,
        width: size.width,
        height: size.height,
    };
    let group = Group {
        content: None,
        bounds,
        pose,
        layers,
    };
    vec![Layer {
        id,
        known: Known::New,
        opacity: part.opacity as f32,
        blend: Blend::Normal,
        content: Content::Group(group),
    }]
}

/// Zooms into the pictures of a shot.
fn zoom_in(layers: &mut [Layer], closer: Homography) {
    for layer in layers {
        if let Content::Picture(_, pose) = &mut layer.content {
            for map in &mut pose.maps {
                *map = closer.after(*map);
            }
        }
    }
}
