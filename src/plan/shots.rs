//! Shots and cuts resolved: spans in whole frames, the pictures they need, and their layers at any instant.

use super::draw::{Content, Edge, Homography, Known, Layer, LayerId, PictureId, Pose};
use super::motion::{self, Path};
use super::pictures::{PictureTable, Wanted};
use super::report::Report;
use super::seed::Seed;
use super::transitions::{self, Row};
use crate::error::Problem;
use crate::media::Facts;
use crate::timeline::{self, Blend, Fit, NameOr, Timeline};
use crate::units::{FrameRate, Size, Time};

/// A transition takes at most this share of the shorter of its shots.
const MAX_SHARE: f64 = 0.4;
/// How far a contained picture floats inside its place, as a share of the zoom it would have when cropped.
const CONTAINED_FLOAT: f64 = 0.5;
/// The backdrop of a contained picture: blur as a fraction of the canvas's shorter side, and brightness.
const BACKDROP_BLUR: f64 = 0.035;
const BACKDROP_BRIGHTNESS: f32 = 0.55;

/// A shot resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shot {
    /// First frame after the cut that begins it.
    pub first_frame: u64,
    /// The cut that ends it.
    pub end_frame: u64,
    /// When any of it is first seen: its cut, or the start of the transition into it.
    pub seen_from: Time,
    /// When nothing of it is seen any more.
    pub seen_to: Time,
    stack: Vec<Pane>,
}

/// A picture of a shot: where it goes and how it moves.
#[derive(Clone, Debug, PartialEq)]
struct Pane {
    id: LayerId,
    picture: PictureId,
    path: Path,
    /// Picture px per base-view width and height, and the base view's corner in picture px.
    base: [f64; 4],
    /// The place on the canvas: `[x, y, width, height]`.
    place: [f64; 4],
    edge: Edge,
}

/// The change from shot `after - 1` to shot `after`.
#[derive(Clone)]
pub(crate) struct Cut {
    /// Index of the shot that comes.
    pub after: usize,
    /// The transition's row.
    pub row: &'static Row,
    /// First instant of the overlap.
    pub start: Time,
    /// Its end; equal to the start for a hard cut.
    pub end: Time,
}

impl std::fmt::Debug for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} into shot {} [{}, {})",
            self.row.name, self.after, self.start, self.end
        )
    }
}

/// What all shots share while they are resolved.
pub(crate) struct Scope<'a> {
    pub timeline: &'a Timeline,
    pub facts: &'a Facts,
    pub size: Size,
    pub rate: FrameRate,
}

/// Resolves every shot and cut, and puts the pictures they need into `table`.
pub(crate) fn resolve(
    scope: &Scope,
    frames: &[u64],
    table: &mut PictureTable,
    report: &mut Report,
) -> (Vec<Shot>, Vec<Cut>) {
    let cuts = resolve_cuts(scope, frames, report);
    let mut shots = Vec::new();
    for (i, shot) in scope.timeline.shots.iter().enumerate() {
        let Some(span) = frames.get(i..i + 2) else {
            break;
        };
        let overlap = |after: usize| {
            let at = cuts.binary_search_by_key(&after, |cut| cut.after).ok()?;
            Some(&cuts[at])
        };
        let seen_from = overlap(i).map_or(Time::ZERO, |cut| cut.start);
        let seen_to = overlap(i + 1).map_or(scope.rate.time_of(span[1]), |cut| cut.end);
        let path = resolve_motion(scope, i, (seen_to - seen_from).as_secs(), report);
        let mut resolved = Shot {
            first_frame: span[0],
            end_frame: span[1],
            seen_from,
            seen_to,
            stack: Vec::new(),
        };
        for axis in 0..2 {
            report.number(
                &format!("shots[{i}].focus[{axis}]"),
                shot.focus[axis],
                0.0..=1.0,
                "",
            );
        }
        if scope.facts.pictures.contains_key(&shot.picture) {
            resolved.stack = panes(scope, i, path, &resolved, table);
        }
        shots.push(resolved);
    }
    (shots, cuts)
}

fn resolve_cuts(scope: &Scope, frames: &[u64], report: &mut Report) -> Vec<Cut> {
    let timeline = scope.timeline;
    // The document's own transition is checked once, under its own name, even when no cut uses it.
    transition_of(&timeline.transition, "transition", report);
    let mut cuts = Vec::new();
    for (i, shot) in timeline.shots.iter().enumerate() {
        let path = format!("shots[{i}].transition");
        if i == 0 {
            if shot.transition.is_some() {
                let problem = Problem::new(
                    "first_shot_transition",
                    path,
                    "the first shot replaces nothing",
                );
                report.problem(
                    problem.hint("put the transition on the shot that comes after the cut"),
                );
            }
            continue;
        }
        let chosen = match &shot.transition {
            Some(own) => transition_of(own, &path, report),
            None => transition_of(&timeline.transition, "transition", &mut Report::default()),
        };
        let (Some((row, length)), Some(around)) = (chosen, frames.get(i - 1..i + 2)) else {
            continue;
        };
        let shorter = (around[1] - around[0]).min(around[2] - around[1]);
        let longest = Time((scope.rate.time_of(shorter).0 as f64 * MAX_SHARE) as i64);
        let half = Time(length.min(longest).0 / 2);
        let cut = scope.rate.time_of(around[1]);
        cuts.push(Cut {
            after: i,
            row,
            start: cut - half,
            end: cut + half,
        });
    }
    cuts
}

/// The row and length of a transition as written; `None` (and a problem) for an unknown name.
fn transition_of(
    written: &NameOr<timeline::Transition>,
    path: &str,
    report: &mut Report,
) -> Option<(&'static Row, Time)> {
    let (name, secs) = match written {
        NameOr::Name(name) => (name, None),
        NameOr::Inline(t) => (&t.name, t.duration),
    };
    let length = secs.map(|secs| report.time(&format!("{path}.duration"), secs, 0.0..=5.0));
    match transitions::row(name) {
        Some(row) => Some((row, length.unwrap_or(Time::from_millis(row.default_ms)))),
        None => {
            let known: Vec<&str> = transitions::TABLE.iter().map(|row| row.name).collect();
            report.unknown_name(&path_of_name(written, path), "transition", name, &known);
            None
        }
    }
}

/// Where the name of a row stands, written by itself or in an object.
fn path_of_name<T>(written: &NameOr<T>, path: &str) -> String {
    match written {
        NameOr::Name(_) => path.to_owned(),
        NameOr::Inline(_) => format!("{path}.name"),
    }
}

fn resolve_motion(scope: &Scope, i: usize, secs: f64, report: &mut Report) -> Path {
    let (written, path) = match &scope.timeline.shots[i].motion {
        Some(own) => (own, format!("shots[{i}].motion")),
        None => (&scope.timeline.motion, "motion".to_owned()),
    };
    // The document's own motion is reported once.
    let mut silent = Report::default();
    let report = if path == "motion" && i > 0 {
        &mut silent
    } else {
        report
    };
    let (name, amount) = match written {
        NameOr::Name(name) => (name, None),
        NameOr::Inline(m) => (&m.name, m.amount),
    };
    let amount = amount.map_or(1.0, |amount| {
        report.number(&format!("{path}.amount"), amount, 0.0..=3.0, "")
    });
    match motion::row(name) {
        Some(row) => (row.path)(
            secs,
            amount,
            &mut Seed::new(scope.timeline.seed, "motion", i as u64),
        ),
        None => {
            let known: Vec<&str> = motion::TABLE.iter().map(|row| row.name).collect();
            report.unknown_name(&path_of_name(written, &path), "motion", name, &known);
            Path::STILL
        }
    }
}

/// The pictures of a shot, back to front.
fn panes(scope: &Scope, i: usize, path: Path, span: &Shot, table: &mut PictureTable) -> Vec<Pane> {
    let shot = &scope.timeline.shots[i];
    let facts = scope.facts.pictures[&shot.picture];
    let source = (f64::from(facts.width), f64::from(facts.height));
    let canvas = (f64::from(scope.size.width), f64::from(scope.size.height));
    let frames = (
        scope.rate.frame_at_or_after(span.seen_from),
        scope.rate.frame_at_or_after(span.seen_to),
    );
    let whole = [0.0, 0.0, canvas.0, canvas.1];
    let mut pane = |layer: u32, place: [f64; 4], path: Path, blur_px: f32, edge: Edge| {
        let base = cover(source, (place[2], place[3]), shot.focus);
        let hull = path.hull();
        let crop = [
            base[0] + hull[0] * base[2],
            base[1] + hull[1] * base[3],
            hull[2] * base[2],
            hull[3] * base[3],
        ];
        let pixels =
            |share: f64, side: f64| (share * side * path.max_zoom()).round().max(1.0) as u32;
        let (width, height) = (pixels(hull[2], place[2]), pixels(hull[3], place[3]));
        let picture = table.add(Wanted {
            asset: &shot.picture,
            path: format!("shots[{i}].picture"),
            crop,
            width,
            height,
            blur_px,
            brightness: if blur_px > 0.0 {
                BACKDROP_BRIGHTNESS
            } else {
                1.0
            },
            frames,
        });
        let (w, h) = (f64::from(width) / hull[2], f64::from(height) / hull[3]);
        Pane {
            id: LayerId(2 * i as u32 + layer),
            picture,
            path,
            base: [-hull[0] * w, -hull[1] * h, w, h],
            place,
            edge,
        }
    };
    match shot.fit {
        Fit::Cover => vec![pane(0, whole, path, 0.0, Edge::Clamp)],
        Fit::Contain => {
            let blur = (BACKDROP_BLUR * canvas.0.min(canvas.1)) as f32;
            let inside = contain(source, canvas);
            vec![
                pane(0, whole, Path::STILL, blur, Edge::Clamp),
                pane(1, inside, Path::STILL, 0.0, Edge::Transparent).floating_inside(path),
            ]
        }
    }
}

/// The largest rectangle of the source with the place's shape, around the focus: `[x, y, width, height]` in source px.
pub(crate) fn cover(source: (f64, f64), place: (f64, f64), focus: [f64; 2]) -> [f64; 4] {
    let scale = (source.0 / place.0).min(source.1 / place.1);
    let (w, h) = (place.0 * scale, place.1 * scale);
    let at =
        |focus: f64, side: f64, room: f64| (focus * side - (side - room) / 2.0).clamp(0.0, room);
    [
        at(focus[0], source.0, source.0 - w),
        at(focus[1], source.1, source.1 - h),
        w,
        h,
    ]
}

/// The largest rectangle with the source's shape in the middle of the canvas.
pub(crate) fn contain(source: (f64, f64), canvas: (f64, f64)) -> [f64; 4] {
    let scale = (canvas.0 / source.0).min(canvas.1 / source.1);
    let (w, h) = (
        (source.0 * scale).round().max(1.0),
        (source.1 * scale).round().max(1.0),
    );
    [
        ((canvas.0 - w) / 2.0).round(),
        ((canvas.1 - h) / 2.0).round(),
        w,
        h,
    ]
}

impl Pane {
    /// The pane as a whole grows or shrinks a little instead of being cropped: as the path zooms, and for a path along one zoom as it turns out.
    fn floating_inside(mut self, path: Path) -> Pane {
        let view = |zoom: f64| motion::View {
            zoom,
            ..motion::View::WHOLE
        };
        let small = view(1.0 / (1.0 + (path.max_zoom() - 1.0) * CONTAINED_FLOAT));
        let (from, to) = (path.from, path.to);
        let grows = (from.zoom, from.x + from.y) < (to.zoom, to.x + to.y);
        self.path = match grows {
            true => Path {
                from: small,
                to: motion::View::WHOLE,
            },
            false => Path {
                from: motion::View::WHOLE,
                to: small,
            },
        };
        self
    }

    /// Picture pixels to canvas pixels at progress `u`.
    fn map(&self, u: f64) -> Homography {
        let view = self.path.rect(u);
        let axis = |i: usize| {
            let (corner, side) = (self.base[i], self.base[i + 2]);
            let scale = self.place[i + 2] / (view[i + 2] * side);
            (scale, self.place[i] - (view[i] * side + corner) * scale)
        };
        let ((sx, tx), (sy, ty)) = (axis(0), axis(1));
        Homography::scale_shift(sx, sy, tx, ty)
    }
}

impl Shot {
    /// The shot's layers at an instant in which it is seen, as it is without any transition.
    pub fn layers(&self, t: Time) -> Vec<Layer> {
        let u = t.progress_in(self.seen_from, self.seen_to);
        self.stack
            .iter()
            .map(|pane| Layer {
                id: pane.id,
                known: Known::New,
                opacity: 1.0,
                blend: Blend::Normal,
                content: Content::Picture(
                    pane.picture,
                    Pose {
                        edge: pane.edge,
                        ..Pose::at(pane.map(u))
                    },
                ),
            })
            .collect()
    }
}
