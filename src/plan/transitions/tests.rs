//! The contract of every row: exactly A, then exactly B, nothing bare, no jumps, correct mirror images.

use super::*;
use crate::units::Size;

const SIZES: [(u32, u32); 2] = [(1080, 1920), (1920, 1080)];
const STEPS: u32 = 60;

fn stages() -> impl Iterator<Item = Stage> {
    SIZES
        .into_iter()
        .map(|(w, h)| Stage::new(Size::new(w, h).unwrap()))
}

fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(|row| !matches!(row.how, How::Random))
}

fn at(row: &Row, step: u32, stage: &Stage) -> Vec<Drawn> {
    let p = f64::from(step) / f64::from(STEPS);
    drawn(
        |p| row.how.parts(p, stage),
        (p, 0.5 / f64::from(STEPS)),
        stage,
    )
}

/// Returns whether a part fully paints the canvas pixel at (x, y) at every sample.
fn covers(drawn: &Drawn, (x, y): (f64, f64), stage: &Stage) -> bool {
    let Drawn { part, maps } = drawn;
    let inside = |map: &Homography| {
        let (u, v) = map
            .inverse()
            .map_or((f64::NAN, 0.0), |back| back.apply(x, y));
        (0.0..=stage.w).contains(&u) && (0.0..=stage.h).contains(&v)
    };
    part.opacity >= 1.0
        && part.wipe.is_none()
        && (part.edge != Edge::Transparent || maps.iter().all(inside))
}

/// Returns points of the canvas: a grid that includes the corners.
fn points(stage: &Stage) -> Vec<(f64, f64)> {
    let along = |side: f64| (0..=12).map(move |i| 0.5 + (side - 1.0) * f64::from(i) / 12.0);
    along(stage.w)
        .flat_map(|x| along(stage.h).map(move |y| (x, y)))
        .collect()
}

/// Returns whether only this source is visible, unchanged.
fn is_alone(parts: &[Drawn], source: Source, stage: &Stage) -> bool {
    let near = |map: &Homography| {
        points(stage).iter().all(|&(x, y)| {
            let (u, v) = map.apply(x, y);
            (u - x).hypot(v - y) < 1e-6
        })
    };
    // The topmost visible part hides all below it.
    let seen = |d: &&Drawn| {
        let all: Vec<_> = points(stage);
        all.iter().any(|at| covers(d, *at, stage)) || d.part.wipe.is_some() || d.part.opacity < 1.0
    };
    let Some(top) = parts.iter().rev().find(seen) else {
        return false;
    };
    let wiped = top.part.wipe.is_none_or(|wipe| {
        points(stage)
            .iter()
            .all(|&(x, y)| wipe.line[0] * x as f32 + wipe.line[1] * y as f32 + wipe.line[2] <= 1e-3)
    });
    let Part {
        opacity,
        brightness,
        blur_px,
        zoom,
        ..
    } = top.part;
    let look = [opacity, brightness, zoom]
        .iter()
        .all(|v| (v - 1.0).abs() < 1e-9);
    top.part.source == source
        && wiped
        && look
        && blur_px == 0.0
        && top.maps.len() == 1
        && near(&top.maps[0])
}

#[test]
fn every_row_begins_with_exactly_a_and_ends_with_exactly_b() {
    for stage in stages() {
        for row in rows() {
            let start: Vec<Drawn> = at(row, 0, &stage)
                .into_iter()
                .filter(|d| visible_at_start(d, &stage))
                .collect();
            assert!(
                is_alone(&start, Source::A, &stage),
                "{}: {start:#?}",
                row.name
            );
            let end = at(row, STEPS, &stage);
            assert!(is_alone(&end, Source::B, &stage), "{}: {end:#?}", row.name);
        }
    }
}

/// Returns whether a part paints anything; a wipe not yet begun or a part off the canvas does not.
fn visible_at_start(d: &Drawn, stage: &Stage) -> bool {
    let touched = |&(x, y): &(f64, f64)| match d.part.wipe {
        Some(Wipe { line, softness_px }) => {
            line[0] * x as f32 + line[1] * y as f32 + line[2] < softness_px
        }
        None => {
            let (u, v) = d.maps[0]
                .inverse()
                .map_or((f64::NAN, 0.0), |back| back.apply(x, y));
            d.part.edge != Edge::Transparent
                || ((0.0..=stage.w).contains(&u) && (0.0..=stage.h).contains(&v))
        }
    };
    points(stage).iter().any(touched)
}

#[test]
fn opaque_shots_leave_nothing_bare() {
    for stage in stages() {
        for row in rows() {
            for step in 0..=STEPS {
                let parts = at(row, step, &stage);
                for point in points(&stage) {
                    assert!(
                        parts.iter().any(|d| covers(d, point, &stage)),
                        "{} step {step} at {point:?}",
                        row.name
                    );
                }
            }
        }
    }
}

#[test]
fn rows_draw_the_same_parts_in_the_same_order_all_the_time_and_know_their_backdrop() {
    let stage = Stage::new(Size::new(1080, 1920).unwrap());
    for row in rows().filter(|row| row.name != "none") {
        let sources = |p: f64| -> Vec<Source> {
            row.how
                .parts(p, &stage)
                .iter()
                .map(|part| part.source)
                .collect()
        };
        let first = sources(0.0);
        assert_eq!(
            first.contains(&Source::Backdrop),
            row.backdrop.is_some(),
            "{}",
            row.name
        );
        for step in 0..=STEPS {
            assert_eq!(
                sources(f64::from(step) / f64::from(STEPS)),
                first,
                "{}",
                row.name
            );
        }
    }
}

#[test]
fn no_part_jumps() {
    let stage = Stage::new(Size::new(1080, 1920).unwrap());
    // A fifth power over three widths in 0.7 s is the fastest: half a width per 1/240 of the way.
    let fine = 2000;
    for row in rows().filter(|row| row.name != "none") {
        for step in 0..fine {
            let [a, b] =
                [step, step + 1].map(|s| row.how.parts(f64::from(s) / f64::from(fine), &stage));
            for (a, b) in a
                .iter()
                .zip(&b)
                .filter(|(a, b)| a.opacity > 0.0 && b.opacity > 0.0)
            {
                let center = |part: &Part| part.map.apply(stage.w / 2.0, stage.h / 2.0);
                let ((ax, ay), (bx, by)) = (center(a), center(b));
                let moved = (ax - bx).hypot(ay - by);
                assert!(
                    moved < 0.012 * stage.h,
                    "{} at {step}/{fine}: {moved} px",
                    row.name
                );
                assert!(
                    (a.opacity - b.opacity).abs() < 0.02
                        && (a.brightness - b.brightness).abs() < 0.02,
                    "{}",
                    row.name
                );
            }
        }
    }
}

#[test]
fn left_and_right_are_mirror_images() {
    let stage = Stage::new(Size::new(1080, 1920).unwrap());
    for row in rows().filter(|row| row.name.ends_with("Left")) {
        let other = super::row(&row.name.replace("Left", "Right")).unwrap();
        for step in 0..=STEPS {
            let (left, right) = (at(row, step, &stage), at(other, step, &stage));
            assert_eq!(left.len(), right.len());
            for (l, r) in left.iter().zip(&right) {
                assert_eq!(
                    (l.part.opacity, l.part.brightness),
                    (r.part.opacity, r.part.brightness)
                );
                assert_eq!(l.maps.len(), r.maps.len());
                for ((lm, rm), (x, y)) in l.maps.iter().zip(&r.maps).zip(points(&stage)) {
                    let (lx, ly) = lm.apply(x, y);
                    let (rx, ry) = rm.apply(stage.w - x, y);
                    assert!(
                        (lx - (stage.w - rx)).abs() < 1e-6 && (ly - ry).abs() < 1e-6,
                        "{}",
                        row.name
                    );
                }
            }
        }
    }
}

#[test]
fn fast_motion_is_sampled_and_stillness_is_not() {
    let stage = Stage::new(Size::new(1080, 1920).unwrap());
    let samples = |name: &str, step| -> usize {
        let row = super::row(name).unwrap();
        at(row, step, &stage)
            .iter()
            .map(|d| d.maps.len())
            .max()
            .unwrap()
    };
    assert_eq!(samples("fade", STEPS / 2), 1);
    assert_eq!(samples("wipe", STEPS / 2), 1);
    assert_eq!(samples("SpinClockwise", STEPS / 2), 11);
    assert!(samples("slide", STEPS / 2) > 4);
    assert!(samples("slide", 1) <= 2);
}

#[test]
fn random_is_drawn_by_the_seed_among_what_moves_and_never_twice_running() {
    let draw = |seed| {
        let mut names: Vec<&str> = Vec::new();
        for cut in 1..400 {
            names.push(random(seed, cut, names.last().copied()).name);
        }
        names
    };
    let (one, again, other) = (draw(1), draw(1), draw(2));
    assert_eq!(one, again);
    assert_ne!(one, other);
    assert!(one.windows(2).all(|pair| pair[0] != pair[1]));
    let drawn: std::collections::BTreeSet<&str> = one.into_iter().collect();
    assert_eq!(drawn.len(), 19, "{drawn:?}");
    assert!(
        ["none", "fade", "wipe", "Random"]
            .iter()
            .all(|still| !drawn.contains(still))
    );
}
