//! The poses of every built-in transition. Curves and numbers are specific to this project; those that differ from the first design looked better.

use std::f64::consts::PI;

use super::super::easing::*;
use super::{Part, Source, Stage};
use crate::scene::draw::{Edge, Homography, Wipe};

/// B replaces A at the midpoint, without blending.
pub(super) fn cut(p: f64, _: &Stage) -> Vec<Part> {
    vec![Part::of(if p < 0.5 { Source::A } else { Source::B })]
}

pub(super) fn fade(p: f64, _: &Stage) -> Vec<Part> {
    vec![
        Part::of(Source::A),
        Part::of(Source::B).opacity(in_out_sine(p)),
    ]
}

/// Push: B shoves A out to the left.
pub(super) fn slide(p: f64, stage: &Stage) -> Vec<Part> {
    let e = in_out_cubic(p);
    // A's border pixels continue below B's edge, so that nothing shows through the seam.
    let a = Part::of(Source::A)
        .map(Homography::shift(-e * stage.w, 0.0))
        .edge(Edge::Clamp);
    let b = Part::of(Source::B).map(Homography::shift((1.0 - e) * stage.w, 0.0));
    vec![a, b]
}

pub(super) fn wipe(p: f64, stage: &Stage) -> Vec<Part> {
    const SOFT: f64 = 0.06;
    let softness = SOFT * stage.w;
    let edge = (1.0 + SOFT) * stage.w * in_out_sine(p) - softness;
    let wipe = Wipe {
        line: [1.0, 0.0, -edge as f32],
        softness_px: softness as f32,
    };
    vec![Part::of(Source::A), Part::of(Source::B).wipe(wipe)]
}

/// A card that turns about its vertical center line.
pub(super) fn flip(p: f64, stage: &Stage) -> Vec<Part> {
    // A card seen edge-on is a line, so neither side is turned further than this.
    const EDGE_ON: f64 = 0.49 * PI;
    let turn = PI * in_out_cubic(p);
    let lift = 1.0 - 0.14 * (PI * p).sin();
    let card = |source, angle: f64| {
        let angle = angle.clamp(-EDGE_ON, EDGE_ON);
        let (sin, cos) = angle.sin_cos();
        let turned = Homography([cos, 0.0, 0.0, 0.0, 1.0, 0.0, sin / stage.w, 0.0, 1.0]);
        let map = stage.about_center(Homography::scale_shift(lift, lift, 0.0, 0.0).after(turned));
        Part::of(source).map(map).brightness(1.0 - 0.35 * sin.abs())
    };
    let a = card(Source::A, turn).opacity(if p < 0.5 { 1.0 } else { 0.0 });
    let b = card(Source::B, turn - PI).opacity(if p < 0.5 { 0.0 } else { 1.0 });
    vec![stage.backdrop(), a, b]
}

/// Flies into A and out of it into B.
pub(super) fn zoom_in(p: f64, stage: &Stage) -> Vec<Part> {
    let s = in_out_sine(((p - 0.4) / 0.2).clamp(0.0, 1.0));
    vec![
        zoomed(stage, Source::A, nearing(p), p),
        zoomed(stage, Source::B, arriving(p), p).opacity(s),
    ]
}

/// `zoom_in` reversed.
pub(super) fn zoom_out(p: f64, stage: &Stage) -> Vec<Part> {
    let s = in_out_sine(((p - 0.4) / 0.2).clamp(0.0, 1.0));
    vec![
        zoomed(stage, Source::A, arriving(1.0 - p), p),
        zoomed(stage, Source::B, nearing(1.0 - p), p).opacity(s),
    ]
}

fn nearing(p: f64) -> f64 {
    1.0 + 1.5 * in_cubic(p / 0.5)
}

fn arriving(p: f64) -> f64 {
    0.6 + 0.4 * out_cubic((p - 0.5) / 0.5)
}

fn zoomed(stage: &Stage, source: Source, scale: f64, p: f64) -> Part {
    let streaks = 0.12 * (PI * p).sin().powi(2);
    Part::of(source)
        .map(stage.turned(0.0, scale))
        .edge(Edge::Mirror)
        .streaks(streaks)
}

/// B sways into place over a dimming A.
pub(super) fn sway_in(p: f64, stage: &Stage) -> Vec<Part> {
    // The last tenth brings it to rest.
    let calm = 1.0 - in_out_sine(((p - 0.9) / 0.1).clamp(0.0, 1.0));
    let left = (-3.2 * p).exp() * calm;
    let angle = radians(-20.0) * left * (3.0 * PI * p).cos();
    let shift = Homography::shift(-0.1 * stage.w * left, 0.0);
    let b = Part::of(Source::B)
        .map(shift.after(stage.turned(angle, stage.cover(angle))))
        .edge(Edge::Mirror);
    let a = Part::of(Source::A)
        .map(stage.turned(0.0, 1.0 + 0.05 * p))
        .edge(Edge::Clamp);
    vec![
        a.brightness(1.0 - 0.3 * p),
        b.opacity(in_out_sine((p / 0.25).min(1.0))),
    ]
}

/// A quarter turn of A continues into a quarter turn of B.
pub(super) fn spin(p: f64, stage: &Stage) -> Vec<Part> {
    let quarter = PI / 2.0;
    let swell = 1.0 + 0.25 * (PI * p).sin();
    let part = |source, angle: f64| whirled(stage, source, angle, swell);
    let a = part(Source::A, quarter * in_quart(p / 0.5));
    let b = part(Source::B, -quarter * (1.0 - out_quart((p - 0.5) / 0.5)));
    vec![a, b.opacity(swap(p))]
}

/// Spins out with A and back with B, overshooting slightly.
pub(super) fn spin_boomerang(p: f64, stage: &Stage) -> Vec<Part> {
    let far = radians(100.0);
    let swell = 1.0 + 0.15 * (PI * p).sin();
    let a = whirled(stage, Source::A, far * in_cubic(p / 0.5), swell);
    let b = whirled(
        stage,
        Source::B,
        far * (1.0 - out_back((p - 0.5) / 0.5, 1.4)),
        swell,
    );
    vec![a, b.opacity(swap(p))]
}

fn whirled(stage: &Stage, source: Source, angle: f64, swell: f64) -> Part {
    Part::of(source)
        .map(stage.turned(angle, stage.cover(angle) * swell))
        .edge(Edge::Mirror)
}

/// The short blend in the middle of a whirl.
fn swap(p: f64) -> f64 {
    in_out_sine(((p - 0.45) / 0.1).clamp(0.0, 1.0))
}

/// Both shots hang from a point above: A swings away, B swings in and settles.
pub(super) fn pendulum(p: f64, stage: &Stage) -> Vec<Part> {
    /// Times and angles of B's turning points.
    const SWING: [(f64, f64); 5] = [
        (0.25, -65.0),
        (0.62, 8.0),
        (0.82, -3.0),
        (1.0, 0.0),
        (2.0, 0.0),
    ];
    let hung = |source, degrees: f64| {
        let (x, y) = (0.5 * stage.w, -0.25 * stage.h);
        let turn = Homography::turn(radians(degrees));
        Part::of(source).map(
            Homography::shift(x, y)
                .after(turn)
                .after(Homography::shift(-x, -y)),
        )
    };
    let swing = SWING
        .windows(2)
        .find(|pair| p < pair[1].0)
        .map_or(0.0, |pair| {
            let [(from, start), (to, end)] = [pair[0], pair[1]];
            start + (end - start) * in_out_sine(((p - from) / (to - from)).clamp(0.0, 1.0))
        });
    let b = hung(Source::B, swing).opacity(if p > SWING[0].0 { 1.0 } else { 0.0 });
    vec![
        stage.backdrop(),
        b,
        hung(Source::A, (65.0 * in_cubic(p / 0.55)).min(180.0)),
    ]
}

/// Four pictures on rails: A, closer A, closer B, B.
pub(super) fn train(p: f64, stage: &Stage) -> Vec<Part> {
    const GAP: f64 = 0.02;
    const CLOSER: f64 = 1.12;
    let pitch = (1.0 + GAP) * stage.w;
    let e = in_out_quint(p);
    let way = 3.0 * pitch * e;
    // Couplings shake the carriages, which are slightly enlarged while they move.
    let calm = (PI * e).sin();
    let bob = 0.004 * stage.h * (6.0 * PI * e).sin() * calm;
    let scale = 1.0 + 0.008 * calm;
    let carriage = |source, place: f64, zoom: f64| {
        let shift = Homography::shift(place * pitch - way, bob);
        Part::of(source)
            .map(shift.after(stage.turned(0.0, scale)))
            .zoom(zoom)
    };
    vec![
        stage.backdrop(),
        carriage(Source::A, 0.0, 1.0),
        carriage(Source::A, 1.0, CLOSER),
        carriage(Source::B, 2.0, CLOSER),
        carriage(Source::B, 3.0, 1.0),
    ]
}

pub(super) fn fall_left(p: f64, stage: &Stage) -> Vec<Part> {
    const TILT: f64 = -25.0;
    let g = in_quad(p);
    // Far enough down that the raised corner is also off the canvas.
    let (sin, cos) = radians(TILT).sin_cos();
    let down = (0.55 + 0.5 * (cos - sin * stage.w / stage.h)).max(1.25);
    fall(p, stage, [-0.35 * g, down * g], TILT * g)
}

pub(super) fn fall_down(p: f64, stage: &Stage) -> Vec<Part> {
    let g = in_cubic(p);
    fall(p, stage, [0.0, 1.2 * g], 4.0 * g)
}

/// A accelerates away; B waits below.
fn fall(p: f64, stage: &Stage, offset: [f64; 2], degrees: f64) -> Vec<Part> {
    let e = out_cubic(p);
    let b = Part::of(Source::B)
        .map(stage.turned(0.0, 1.06 - 0.06 * e))
        .edge(Edge::Clamp)
        .brightness(0.85 + 0.15 * e);
    let shift = Homography::shift(offset[0] * stage.w, offset[1] * stage.h);
    let a = Part::of(Source::A).map(shift.after(stage.turned(radians(degrees), 1.0)));
    // At first it lies flat, without a shadow.
    vec![b, a.shadow(0.55 * (6.0 * p).min(1.0))]
}

pub(super) fn rise_up(p: f64, stage: &Stage) -> Vec<Part> {
    let e = out_expo(p);
    rise(e, stage, [0.0, 1.0 - e], 0.0, [0.0, -0.25 * e])
}

pub(super) fn rise_left(p: f64, stage: &Stage) -> Vec<Part> {
    const TILT: f64 = 8.0;
    let e = out_expo(p);
    let left = 1.0 - e;
    // Far enough down that the raised corner also starts off the canvas.
    let down = 1.0 + 0.5 * radians(TILT).sin() * stage.w / stage.h;
    let a = [-0.12 * e, -0.1 * e];
    rise(e, stage, [0.6 * left, down * left], TILT * left, a)
}

pub(super) fn rise_down(p: f64, stage: &Stage) -> Vec<Part> {
    let e = out_back(p, 0.8);
    rise(e, stage, [0.0, e - 1.0], 0.0, [0.0, 0.25 * e])
}

/// B arrives over A, decelerating; A moves aside and dims.
fn rise(e: f64, stage: &Stage, b: [f64; 2], degrees: f64, a: [f64; 2]) -> Vec<Part> {
    let shift = |of: [f64; 2]| Homography::shift(of[0] * stage.w, of[1] * stage.h);
    let b = Part::of(Source::B).map(shift(b).after(stage.turned(radians(degrees), 1.0)));
    // When it overshoots, the uncovered border shows its own mirror image.
    let b = b.edge(if e > 1.0 {
        Edge::Mirror
    } else {
        Edge::Transparent
    });
    let a = Part::of(Source::A)
        .map(shift(a))
        .edge(Edge::Mirror)
        .brightness(1.0 - 0.35 * e.min(1.0));
    vec![a, b]
}

fn radians(degrees: f64) -> f64 {
    degrees.to_radians()
}
