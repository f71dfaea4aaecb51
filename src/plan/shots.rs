//! Resolves shots and cuts: spans in whole frames, the pictures they need, and their layers at any instant.

use super::cuts::{self, Cut};
use super::motion::{self, Path};
use super::pictures::{PictureTable, Shown, Wanted, pixels};
use super::report::Report;
use super::seed::Seed;
use super::source::{self, Source};
use crate::caught::working_on;
use crate::facts::Facts;
use crate::scene::draw::Blend;
use crate::scene::draw::{Content, Edge, Homography, Known, Layer, LayerId, Pose};
use crate::scene::mix::Track;
use crate::timeline::{Fit, NameOr, Timeline};
use crate::units::{FrameRate, Size, Time, within};

/// Float of a contained picture inside its box, as a fraction of the zoom it would have if cropped.
const CONTAINED_FLOAT: f64 = 0.5;
/// The backdrop of a contained picture: blur as a fraction of the canvas's shorter side, and brightness.
const BACKDROP_BLUR: f64 = 0.035;
const BACKDROP_BRIGHTNESS: f32 = 0.55;
/// The blur removes all finer detail, so few pixels are needed.
const BACKDROP_DENSITY: f64 = 0.25;
/// Number of ids reserved for a shot's pictures.
const PANES: u32 = 3;

/// A resolved shot.
#[derive(Clone, Debug)]
pub(crate) struct Shot {
    /// One past its last frame, where the next shot is cut in.
    pub end_frame: u64,
    /// When it is first visible: its cut, or the start of the transition into it.
    pub seen_from: Time,
    /// When it is no longer visible.
    pub seen_to: Time,
    rate: FrameRate,
    /// Sound of its clip.
    pub sound: Option<Track>,
    stack: Vec<Pane>,
    /// A blurred, dark copy that fills the canvas behind transitions that leave part of it uncovered.
    backdrop: Option<Pane>,
}

/// A picture of a shot: its position and movement.
#[derive(Clone, Debug)]
struct Pane {
    id: LayerId,
    shown: Shown,
    path: Path,
    /// Corner of the base view in picture px, then its width and height in picture px.
    base: [f64; 4],
    /// Box on the canvas: `[x, y, width, height]`.
    place: [f64; 4],
    edge: Edge,
}

/// Context shared by all shots during resolution.
pub(crate) struct Scope<'a> {
    pub timeline: &'a Timeline,
    pub facts: &'a Facts,
    pub size: Size,
    pub rate: FrameRate,
}

/// Resolves every shot and cut, and adds the pictures they need to `table`.
pub(crate) fn resolve(
    scope: &Scope,
    frames: &[u64],
    table: &mut PictureTable,
    report: &mut Report,
) -> (Vec<Shot>, Vec<Cut>) {
    let cuts = cuts::resolve(scope, frames, report);
    let mut shots = Vec::new();
    for (i, shot) in scope.timeline.shots.iter().enumerate() {
        let Some(span) = frames.get(i..i + 2) else {
            break;
        };
        let _part = working_on("shots", i);
        let overlap = |after: usize| {
            let at = cuts.binary_search_by_key(&after, |cut| cut.after).ok()?;
            Some(&cuts[at])
        };
        let seen_from = overlap(i).map_or(Time::ZERO, |cut| cut.start);
        let seen_to = overlap(i + 1).map_or(scope.rate.time_of(span[1]), |cut| cut.end);
        let path = resolve_motion(scope, i, (seen_to - seen_from).as_secs(), report);
        let mut resolved = Shot {
            end_frame: span[1],
            seen_from,
            seen_to,
            rate: scope.rate,
            sound: None,
            stack: Vec::new(),
            backdrop: None,
        };
        for axis in 0..2 {
            report.number(
                &format!("shots[{i}].focus[{axis}]"),
                shot.focus[axis],
                0.0..=1.0,
                "",
            );
        }
        if let Some(source) = source::resolve(scope, i, &resolved, report) {
            resolved.sound = source.sound.clone();
            resolved.stack = panes(scope, (i, &source), &path, &resolved, table);
            let shown = cuts.iter().filter(|cut| cut.backdrop == Some(i));
            resolved.backdrop =
                span_of(shown).map(|span| backdrop(scope, (i, &source), span, table));
        }
        shots.push(resolved);
    }
    (shots, cuts)
}

fn resolve_motion(scope: &Scope, i: usize, secs: f64, report: &mut Report) -> Path {
    let shot = &scope.timeline.shots[i];
    let (written, path) = match &shot.motion {
        Some(own) => (own, format!("shots[{i}].motion")),
        // A clip already moves.
        None if shot.clip.is_some() => return Path::still(),
        None => (&scope.timeline.motion, "motion".to_owned()),
    };
    // The document's default motion is reported once.
    let mut silent = Report::default();
    let report = if path == "motion" && i > 0 {
        &mut silent
    } else {
        report
    };
    let seed = Seed::new(scope.timeline.seed, "motion", i as u64);
    let path = match written {
        NameOr::Name(name) => motion::named(name, (secs, 1.0, seed), &path, report),
        NameOr::Inline(own) => motion::written(own, (secs, seed), &path, report),
    };
    path.unwrap_or(Path::still())
}

/// How a shot's picture is drawn.
struct Look {
    /// Box on the canvas: `[x, y, width, height]`.
    place: [f64; 4],
    /// Picture px per canvas px; below 1 where blur hides the detail.
    density: f64,
    /// Blur in canvas px.
    blur_px: f64,
    /// Factor on the color.
    brightness: f32,
    edge: Edge,
}

/// Returns the pictures of a shot, back to front.
fn panes(
    scope: &Scope,
    (i, source): (usize, &Source),
    path: &Path,
    span: &Shot,
    table: &mut PictureTable,
) -> Vec<Pane> {
    let canvas = (f64::from(scope.size.width), f64::from(scope.size.height));
    let look = Look::whole(canvas);
    let span = (span.seen_from, span.seen_to);
    let mut add =
        |part, path: &Path, look| pane(scope, (i, part, source), (path, span), look, table);
    match scope.timeline.shots[i].fit {
        Fit::Cover => vec![add(0, path, look)],
        Fit::Contain => {
            let inside = Look {
                place: contain(source.size, canvas),
                edge: Edge::Transparent,
                ..look
            };
            vec![
                add(0, &Path::still(), look.blurred(canvas)),
                add(1, &Path::still(), inside).floating_inside(path),
            ]
        }
    }
}

/// Returns the shot's picture blurred over the whole canvas.
fn backdrop(
    scope: &Scope,
    (i, source): (usize, &Source),
    span: (Time, Time),
    table: &mut PictureTable,
) -> Pane {
    let canvas = (f64::from(scope.size.width), f64::from(scope.size.height));
    let look = Look::whole(canvas);
    pane(
        scope,
        (i, 2, source),
        (&Path::still(), span),
        look.blurred(canvas),
        table,
    )
}

/// Returns the clip sounds of the given shots.
pub(crate) fn sounds(shots: &[Shot]) -> impl Iterator<Item = Track> {
    shots.iter().filter_map(|shot| shot.sound.clone())
}

/// Returns the span from the first to the last instant of the given cuts.
fn span_of<'a>(cuts: impl Iterator<Item = &'a Cut>) -> Option<(Time, Time)> {
    cuts.map(|cut| (cut.start, cut.end))
        .reduce(|all, cut| (all.0.min(cut.0), all.1.max(cut.1)))
}

impl Look {
    /// Returns the look of a picture that fills the canvas.
    fn whole(canvas: (f64, f64)) -> Look {
        Look {
            place: [0.0, 0.0, canvas.0, canvas.1],
            density: 1.0,
            blur_px: 0.0,
            brightness: 1.0,
            edge: Edge::Clamp,
        }
    }

    /// Returns the look of a backdrop behind a picture that does not fill the canvas.
    fn blurred(self, canvas: (f64, f64)) -> Look {
        Look {
            density: BACKDROP_DENSITY,
            blur_px: BACKDROP_BLUR * canvas.0.min(canvas.1),
            brightness: BACKDROP_BRIGHTNESS,
            ..self
        }
    }
}

/// Builds one picture of shot `i`, moving along `path` during a span.
fn pane(
    scope: &Scope,
    (i, part, source): (usize, u32, &Source),
    (path, span): (&Path, (Time, Time)),
    look: Look,
    table: &mut PictureTable,
) -> Pane {
    let shot = &scope.timeline.shots[i];
    let place = look.place;
    let base = cover(source.size, (place[2], place[3]), shot.focus);
    let hull = path.hull();
    let crop = [
        base[0] + hull[0] * base[2],
        base[1] + hull[1] * base[3],
        hull[2] * base[2],
        hull[3] * base[3],
    ];
    let zoom = path.max_zoom() * look.density;
    let ((width, height), _) = pixels((hull[2] * place[2] * zoom, hull[3] * place[3] * zoom));
    let wanted = Wanted {
        asset: source.asset,
        path: source.path.clone(),
        crop,
        width,
        height,
        blur_px: (look.blur_px * look.density) as f32,
        brightness: look.brightness,
        frames: (
            scope.rate.frame_at_or_after(span.0),
            scope.rate.frame_at_or_after(span.1),
        ),
    };
    let shown = match &source.played {
        None => Shown::Picture(table.add(wanted)),
        Some(played) => table.add_frames(wanted, played.clone()),
    };
    let (w, h) = (f64::from(width) / hull[2], f64::from(height) / hull[3]);
    Pane {
        id: LayerId(PANES * i as u32 + part),
        shown,
        path: path.clone(),
        base: [-hull[0] * w, -hull[1] * h, w, h],
        place,
        edge: look.edge,
    }
}

/// Returns the largest rectangle of the source with the box's aspect ratio, around the focus: `[x, y, width, height]` in source px.
pub(crate) fn cover(source: (f64, f64), place: (f64, f64), focus: [f64; 2]) -> [f64; 4] {
    let scale = (source.0 / place.0).min(source.1 / place.1);
    // Rounding in the division may make the uncropped side slightly longer or shorter.
    let (w, h) = (
        (place.0 * scale).min(source.0),
        (place.1 * scale).min(source.1),
    );
    let at =
        |focus: f64, side: f64, room: f64| within(focus * side - (side - room) / 2.0, 0.0, room);
    [
        at(focus[0], source.0, source.0 - w),
        at(focus[1], source.1, source.1 - h),
        w,
        h,
    ]
}

/// Returns the largest rectangle with the source's aspect ratio, centered on the canvas.
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
    /// Lets the whole pane grow or shrink slightly instead of being cropped. The direction follows the path's zoom, or its pan if the zoom is constant.
    fn floating_inside(mut self, path: &Path) -> Pane {
        let small = motion::View {
            zoom: 1.0 / (1.0 + (path.max_zoom() - 1.0) * CONTAINED_FLOAT),
            ..motion::View::WHOLE
        };
        let (from, to) = (path.from(), path.to());
        let grows = (from.zoom, from.x + from.y) < (to.zoom, to.x + to.y);
        self.path = if grows {
            Path::new(small, motion::View::WHOLE)
        } else {
            Path::new(motion::View::WHOLE, small)
        };
        self
    }

    /// Returns the map from picture pixels to canvas pixels at progress `u`.
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

    fn layer(&self, u: f64, frame: u64) -> Layer {
        let pose = Pose {
            edge: self.edge,
            ..Pose::at(self.map(u))
        };
        Layer {
            id: self.id,
            known: Known::New,
            opacity: 1.0,
            blend: Blend::Normal,
            content: Content::Picture(self.shown.at(frame), pose),
        }
    }
}

impl Shot {
    /// Returns the shot's layers at an instant when it is visible, without any transition.
    pub fn layers(&self, t: Time) -> Vec<Layer> {
        let u = t.progress_in(self.seen_from, self.seen_to);
        let frame = self.rate.nearest_frame(t);
        self.stack.iter().map(|pane| pane.layer(u, frame)).collect()
    }

    /// Returns the blurred copy drawn behind its transitions.
    pub fn backdrop(&self, t: Time) -> Option<Layer> {
        let frame = self.rate.nearest_frame(t);
        self.backdrop.as_ref().map(|pane| pane.layer(0.0, frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crop_lies_inside_its_picture() {
        let place = |size: (u32, u32)| (f64::from(size.0), f64::from(size.1));
        let mut n_cases = 0;
        for canvas in [
            (1080, 1920),
            (1920, 1080),
            (1080, 1080),
            (16, 3840),
            (360, 640),
        ]
        .map(place)
        {
            for w in (1_u64..8000).step_by(37) {
                let h = ((w * 2_654_435_761) >> 7) % 8000 + 1;
                for (w, h) in [(w, h), (w, w * 2 / 3 + 1), (6000, 4000), (4000, 3000)] {
                    for focus in [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [0.3, 0.7]] {
                        let source = (w as f64, h as f64);
                        let [x, y, cw, ch] = cover(source, canvas, focus);
                        let case = format!("{source:?} in {canvas:?}: {x} {y} {cw} {ch}");
                        assert!(x >= 0.0 && y >= 0.0 && cw > 0.0 && ch > 0.0, "{case}");
                        assert!(x + cw <= source.0 + 1e-9, "{case}");
                        assert!(y + ch <= source.1 + 1e-9, "{case}");
                        let shape = (cw / ch) / (canvas.0 / canvas.1);
                        assert!((shape - 1.0).abs() < 1e-9, "{case}");
                        assert!(
                            cw == source.0
                                || ch == source.1
                                || (cw / source.0).max(ch / source.1) > 1.0 - 1e-12,
                            "{case}"
                        );
                        n_cases += 1;
                    }
                }
            }
        }
        assert!(n_cases > 10_000);
        // The area requested by the focus stays in view.
        assert_eq!(
            cover((6000.0, 4000.0), (1080.0, 1920.0), [0.0, 0.5])[0],
            0.0
        );
        assert_eq!(
            cover((6000.0, 4000.0), (1080.0, 1920.0), [1.0, 0.5])[0],
            6000.0 - 2250.0
        );
    }
}
