//! Heads: hair, a face if there is room for one, hats.

use crate::body::{Body, fill_limb, rounded};
use crate::canvas::{Canvas, Ink, polygon};
use crate::color::Color;
use crate::light::Light;
use crate::look::{Garment, Hair};
use crate::shape::shade;

/// Draws the long hair that falls behind the shoulders.
pub(crate) fn hair_behind(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    if body.person.style != Hair::Long || body.person.garment == Garment::Spacesuit {
        return;
    }
    let (x, y, r, f) = (body.head.0, body.head.1, body.r, body.stand.facing);
    let knots = [
        [x - r * 0.25 * f, y - r * 0.3, r * 0.95],
        [x - r * 0.75 * f, y + r * 0.9, r * 0.72],
        [x - r * 0.95 * f, y + r * 2.3, r * 0.4],
    ];
    fill_limb(
        canvas,
        light,
        body.stand.depth,
        (&knots, body.person.hair.scale(0.85)),
    );
}

/// Draws neck, head, face, hair and hat.
pub(crate) fn head(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    let (person, depth) = (body.person, body.stand.depth);
    let (x, y, r, f) = (body.head.0, body.head.1, body.r, body.stand.facing);
    let at = |c: Color, k: f32| light.air(light.lit(c, k), depth);
    let neck = [[body.neck.0, body.neck.1, r * 0.44], [x, y, r * 0.42]];
    fill_limb(canvas, light, depth, (&neck, person.skin.scale(0.86)));
    let lit_left = light.side < 0.0;
    let (from, to) = if lit_left {
        (x - r, x + r)
    } else {
        (x + r, x - r)
    };
    let skin = Ink::Blend {
        from: (from, y),
        to: (to, y + r),
        colors: [at(person.skin, 1.0), at(person.skin, 0.25)],
        alphas: [1.0, 1.0],
    };
    canvas.ellipse((x, y), (r * 0.9, r * 1.04), skin);
    fill_limb(
        canvas,
        light,
        depth,
        (
            &[
                [x + r * 0.1 * f, y + r * 0.55, r * 0.62],
                [x + r * 0.2 * f, y + r * 0.66, r * 0.5],
            ],
            person.skin,
        ),
    );
    if person.garment == Garment::Spacesuit {
        canvas.ellipse(
            (x, y),
            (r * 1.45, r * 1.45),
            Ink::Flat(at(person.cloth, 0.8), 1.0),
        );
        canvas.ellipse(
            (x + r * 0.3 * f, y),
            (r * 1.02, r * 0.92),
            Ink::Flat(at(Color::hex(0x2c3f5f), 0.8), 1.0),
        );
        canvas.ellipse(
            (x + r * 0.55 * f, y - r * 0.3),
            (r * 0.4, r * 0.24),
            Ink::Flat(at(Color::hex(0xf0d9a0), 1.0), 0.75),
        );
        return;
    }
    canvas.ellipse(
        (x - r * 0.28 * f, y + r * 0.12),
        (r * 0.16, r * 0.22),
        Ink::Flat(at(person.skin.scale(0.92), 0.5), 1.0),
    );
    face(canvas, light, body);
    hair(canvas, light, body);
    hat(canvas, light, body);
}

fn face(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    let (person, depth) = (body.person, body.stand.depth);
    let (x, y, r, f) = (body.head.0, body.head.1, body.r, body.stand.facing);
    let dark = light.at(Color::hex(0x2b2230), depth);
    if person.beard {
        let knots = [
            [x - r * 0.35 * f, y + r * 0.5, r * 0.3],
            [x + r * 0.12 * f, y + r * 0.98, r * 0.46],
            [x + r * 0.5 * f, y + r * 0.86, r * 0.3],
        ];
        fill_limb(canvas, light, depth, (&knots, person.hair));
    }
    if r < 5.0 {
        return;
    }
    let blush = light.at(person.skin.mix(Color::hex(0xd9524a), 0.45), depth);
    canvas.ellipse(
        (x + r * 0.08 * f, y + r * 0.36),
        (r * 0.17, r * 0.11),
        Ink::Flat(blush, 0.4),
    );
    for dx in [0.18, 0.66] {
        canvas.ellipse(
            (x + r * dx * f, y + r * 0.04),
            (r * 0.085, r * 0.13),
            Ink::Flat(dark, 0.95),
        );
    }
    let nose = light.at(person.skin.scale(0.8), depth);
    canvas.ellipse(
        (x + r * 0.55 * f, y + r * 0.3),
        (r * 0.085, r * 0.06),
        Ink::Flat(nose, 0.7),
    );
    {
        let mouth = light.at(Color::hex(0x9a4038), depth);
        canvas.ellipse(
            (x + r * 0.45 * f, y + r * 0.58),
            (r * 0.17, r * 0.045),
            Ink::Flat(mouth, 0.9),
        );
    }
    if person.glasses {
        for dx in [0.14, 0.68] {
            canvas.ellipse(
                (x + r * dx * f, y + r * 0.06),
                (r * 0.26, r * 0.26),
                Ink::Flat(dark, 0.35),
            );
        }
    }
}

fn hair(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    let (person, depth) = (body.person, body.stand.depth);
    let (x, y, r, f) = (body.head.0, body.head.1, body.r, body.stand.facing);
    let cap: &[(f32, f32)] = match person.style {
        Hair::Bald => &[(-0.95, 0.1), (-0.9, -0.25), (-0.62, -0.1), (-0.6, 0.5)],
        _ => &[
            (0.82, -0.28),
            (0.86, -0.62),
            (0.5, -1.12),
            (-0.1, -1.24),
            (-0.72, -1.02),
            (-1.06, -0.45),
            (-1.04, 0.25),
            (-0.72, 0.66),
            (-0.5, 0.3),
            (-0.38, -0.1),
            (-0.2, -0.32),
            (0.3, -0.42),
        ],
    };
    let knots: Vec<(f32, f32)> = cap.iter().map(|p| (x + p.0 * r * f, y + p.1 * r)).collect();
    let smooth = rounded(&knots);
    if let Some(path) = polygon(&smooth) {
        let ink = shade(light, &path, person.hair, depth);
        canvas.fill(&path, ink);
    }
    if person.style == Hair::Bun {
        let c = light.at(person.hair, depth);
        canvas.ellipse(
            (x - r * 0.75 * f, y - r * 0.95),
            (r * 0.42, r * 0.42),
            Ink::Flat(c, 1.0),
        );
    }
}

/// Name, color (0 is the person's accent), outline.
type Hat = (&'static str, u32, &'static [(f32, f32)]);

/// Hats as outlines in radii of the head; forward is positive.
#[rustfmt::skip]
const HATS: [Hat; 9] = [
    (
        "hat",
        0,
        &[
            (-1.7, -0.42),
            (-0.92, -0.62),
            (-0.78, -1.6),
            (0.0, -1.5),
            (0.74, -1.6),
            (0.9, -0.62),
            (1.7, -0.42),
            (0.9, -0.3),
            (-0.9, -0.3),
        ],
    ),
    (
        "cap",
        0,
        &[
            (-1.0, -0.35),
            (-0.9, -1.05),
            (0.0, -1.32),
            (0.8, -0.95),
            (0.95, -0.5),
            (1.65, -0.42),
            (1.6, -0.26),
            (0.7, -0.3),
        ],
    ),
    (
        "tall",
        0x2b2a33,
        &[
            (-1.4, -0.5),
            (-0.8, -0.6),
            (-0.86, -2.3),
            (0.86, -2.3),
            (0.8, -0.6),
            (1.4, -0.5),
            (1.3, -0.36),
            (-1.3, -0.36),
        ],
    ),
    (
        "helmet",
        0x77808a,
        &[
            (-1.12, 0.4),
            (-1.14, -0.6),
            (-0.6, -1.32),
            (0.2, -1.4),
            (0.9, -1.0),
            (1.1, -0.3),
            (0.5, -0.26),
            (-0.4, -0.2),
            (-0.6, 0.5),
        ],
    ),
    (
        "hood",
        0,
        &[
            (-1.2, 1.2),
            (-1.34, -0.4),
            (-0.7, -1.4),
            (0.2, -1.5),
            (0.86, -0.9),
            (0.5, -0.72),
            (-0.2, -0.5),
            (-0.5, 0.2),
            (-0.3, 1.1),
        ],
    ),
    (
        "crown",
        0xf0c24a,
        &[
            (-0.86, -0.6),
            (-1.04, -1.6),
            (-0.5, -1.12),
            (0.0, -1.8),
            (0.5, -1.12),
            (1.04, -1.6),
            (0.86, -0.6),
        ],
    ),
    (
        "straw",
        0xdcb866,
        &[
            (-2.0, -0.34),
            (-0.95, -0.62),
            (-0.7, -1.36),
            (0.0, -1.5),
            (0.7, -1.36),
            (0.95, -0.62),
            (2.0, -0.34),
            (0.0, -0.24),
        ],
    ),
    (
        "wizard",
        0x3d4a8f,
        &[
            (-1.9, -0.36),
            (-0.9, -0.62),
            (-0.3, -2.0),
            (-0.7, -3.1),
            (0.3, -2.2),
            (0.9, -0.62),
            (1.9, -0.36),
            (0.0, -0.24),
        ],
    ),
    (
        "chef",
        0xf6f3ea,
        &[
            (-0.86, -0.5),
            (-0.86, -1.1),
            (-1.4, -1.5),
            (-0.9, -2.1),
            (0.0, -2.2),
            (0.9, -2.1),
            (1.4, -1.5),
            (0.86, -1.1),
            (0.86, -0.5),
        ],
    ),
];

fn hat(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    let Some(row) = HATS.iter().find(|h| h.0 == body.person.hat) else {
        return;
    };
    let (x, y, r, f) = (body.head.0, body.head.1, body.r, body.stand.facing);
    let points: Vec<(f32, f32)> = row
        .2
        .iter()
        .map(|p| (x + p.0 * r * f, y + p.1 * r))
        .collect();
    let points = if row.0 == "crown" {
        points
    } else {
        rounded(&points)
    };
    let color = if row.1 == 0 {
        body.person.accent
    } else {
        Color::hex(row.1)
    };
    if let Some(path) = polygon(&points) {
        let ink = shade(light, &path, color, body.stand.depth);
        canvas.fill(&path, ink);
    }
}
