//! People: limbs by the angles of a pose, clothes over them, a face where there is room for one.

use crate::canvas::{Canvas, Ink, polygon};
use crate::color::Color;
use crate::light::Light;
use crate::look::{Garment, Hair, Look, Person};
use crate::noise::{cos_turns, sin_turns};
use crate::shape::{Dye, Stand, limb, shade, shadow, shape};

/// A pose: lean of the body, height of the hip, then thigh and shin of the far and the near leg, and upper and lower arm, as turns from straight down
/// (forward is positive).
struct Pose {
    name: &'static str,
    lean: f32,
    hip: f32,
    legs: [[f32; 2]; 2],
    arms: [[f32; 2]; 2],
}

const POSES: [Pose; 6] = [
    Pose {
        name: "stand",
        lean: 0.0,
        hip: 54.0,
        legs: [[0.012, 0.0], [-0.014, -0.006]],
        arms: [[0.035, 0.045], [-0.03, 0.015]],
    },
    Pose {
        name: "walk",
        lean: 0.008,
        hip: 54.5,
        legs: [[0.068, 0.03], [-0.05, -0.1]],
        arms: [[-0.075, -0.03], [0.06, 0.11]],
    },
    Pose {
        name: "run",
        lean: 0.035,
        hip: 52.0,
        legs: [[0.15, -0.02], [-0.07, -0.21]],
        arms: [[-0.13, 0.07], [0.09, 0.28]],
    },
    Pose {
        name: "sit",
        lean: -0.005,
        hip: 84.0,
        legs: [[0.33, 0.06], [0.31, 0.08]],
        arms: [[0.1, 0.17], [0.07, 0.15]],
    },
    Pose {
        name: "raise",
        lean: 0.0,
        hip: 54.0,
        legs: [[0.018, 0.006], [-0.02, -0.01]],
        arms: [[0.39, 0.43], [-0.05, 0.02]],
    },
    Pose {
        name: "sad",
        lean: 0.022,
        hip: 54.5,
        legs: [[0.01, 0.0], [-0.012, -0.006]],
        arms: [[0.03, 0.03], [0.02, 0.03]],
    },
];

/// A person's joints in frame px.
struct Body<'a> {
    person: &'a Person,
    stand: Stand,
    /// Px of a hundredth of the body.
    s: f32,
    lean: f32,
    hip: (f32, f32),
    neck: (f32, f32),
    head: (f32, f32),
    /// Radius of the head, px.
    r: f32,
}

impl Body<'_> {
    /// A point `along` hundredths from the hip toward the neck and `aside` forward.
    fn torso(&self, along: f32, aside: f32) -> (f32, f32) {
        let (sin, cos) = (sin_turns(self.lean), cos_turns(self.lean));
        let (dx, dy) = (along * sin + aside * cos, -along * cos + aside * sin);
        (
            self.hip.0 + dx * self.s * self.stand.facing,
            self.hip.1 + dy * self.s,
        )
    }

    fn from(&self, p: (f32, f32), turns: f32, length: f32) -> (f32, f32) {
        (
            p.0 + sin_turns(turns) * length * self.s * self.stand.facing,
            p.1 + cos_turns(turns) * length * self.s,
        )
    }
}

/// Draws someone standing, walking, sitting …; `stand.height` is a grown person's height, `pose` a row of the table.
pub(crate) fn draw(canvas: &mut Canvas, light: &Light, stand: &Stand, who: (&Look, &str)) {
    match who.0 {
        Look::Creature(name, dye) => {
            if let Some(shape) = shape(name) {
                let stand = Stand {
                    height: stand.height * (shape.size / 100.0).clamp(0.3, 1.3),
                    ..*stand
                };
                shape.shadow(canvas, light, &stand);
                shape.draw(canvas, light, &stand, dye);
            }
        }
        Look::Person(person) => draw_person(canvas, light, stand, (person, who.1)),
    }
}

fn draw_person(canvas: &mut Canvas, light: &Light, stand: &Stand, who: (&Person, &str)) {
    let (person, pose) = who;
    let pose = POSES.iter().find(|p| p.name == pose).unwrap_or(&POSES[0]);
    let s = stand.height * person.scale / 100.0;
    let lean = pose.lean + if person.old { 0.018 } else { 0.0 };
    let hip = (stand.x, stand.y - (100.0 - pose.hip) * s);
    let mut body = Body {
        person,
        stand: *stand,
        s,
        lean,
        hip,
        neck: hip,
        head: hip,
        r: s * if person.child { 9.4 } else { 7.3 },
    };
    body.neck = body.torso(33.0, 0.0);
    let bow = if pose.name == "sad" { 2.6 } else { 0.6 };
    body.head = body.torso(33.0 + body.r / s * 0.98, bow);
    shadow(canvas, light, (stand.x, stand.y), s * 26.0);
    let arm = |body: &Body<'_>, i: usize| {
        let shoulder = body.torso(29.5, if i == 0 { 2.2 } else { -1.4 });
        let elbow = body.from(shoulder, pose.arms[i][0], 15.5);
        (shoulder, elbow, body.from(elbow, pose.arms[i][1], 14.0))
    };
    if person.cape {
        cape(canvas, light, &body);
    }
    hair_behind(canvas, light, &body);
    draw_arm(canvas, light, &body, (arm(&body, 0), 0.72));
    draw_leg(canvas, light, &body, (pose.legs[0], 0.78));
    draw_leg(canvas, light, &body, (pose.legs[1], 1.0));
    clothes(canvas, light, &body);
    head(canvas, light, &body);
    let near = arm(&body, 1);
    draw_arm(canvas, light, &body, (near, 1.0));
    let hand = if pose.name == "raise" {
        arm(&body, 0).2
    } else {
        near.2
    };
    prop(canvas, light, &body, hand);
}

fn fill_limb(canvas: &mut Canvas, light: &Light, depth: f32, limb_of: (&[[f32; 3]], Color)) {
    if let Some(path) = limb(limb_of.0) {
        let ink = shade(light, &path, limb_of.1, depth);
        canvas.fill(&path, ink);
    }
}

fn draw_leg(canvas: &mut Canvas, light: &Light, body: &Body<'_>, leg: ([f32; 2], f32)) {
    let (angles, tone) = leg;
    let (s, w) = (body.s, body.person.width);
    let skirt = matches!(body.person.garment, Garment::Dress);
    let knee = body.from(body.hip, angles[0], 22.5);
    let ankle = body.from(knee, angles[1], 21.0);
    let cloth = match body.person.garment {
        Garment::Dress => body.person.skin,
        Garment::Spacesuit | Garment::Armor => body.person.cloth,
        _ => body.person.legs,
    };
    let thick = if skirt { 0.62 } else { 1.0 } * w * s;
    let knots = [
        [body.hip.0, body.hip.1, 6.0 * thick],
        [knee.0, knee.1, 4.4 * thick],
        [ankle.0, ankle.1, 3.1 * thick],
    ];
    fill_limb(canvas, light, body.stand.depth, (&knots, cloth.scale(tone)));
    let f = body.stand.facing;
    let toe = (ankle.0 + 6.6 * s * f, ankle.1 + 2.2 * s);
    let shoe = [
        [ankle.0 - 0.6 * s * f, ankle.1 + 1.6 * s, 3.0 * s],
        [toe.0, toe.1, 1.9 * s],
    ];
    let leather = Color::hex(0x3a2d2a).scale(tone);
    fill_limb(canvas, light, body.stand.depth, (&shoe, leather));
}

type Arm = ((f32, f32), (f32, f32), (f32, f32));

fn draw_arm(canvas: &mut Canvas, light: &Light, body: &Body<'_>, arm: (Arm, f32)) {
    let ((shoulder, elbow, hand), tone) = arm;
    let person = body.person;
    let bare = matches!(person.garment, Garment::Dress | Garment::Apron) && !person.old;
    let sleeve = match person.garment {
        Garment::Apron => person.accent,
        _ => person.cloth,
    };
    let k = body.s * person.width;
    let depth = body.stand.depth;
    fill_limb(
        canvas,
        light,
        depth,
        (
            &[[elbow.0, elbow.1, 2.6 * k], [hand.0, hand.1, 2.3 * k]],
            person.skin.scale(tone),
        ),
    );
    let end = if bare { elbow } else { hand };
    let cuff = (
        elbow.0 + (end.0 - elbow.0) * 0.86,
        elbow.1 + (end.1 - elbow.1) * 0.86,
    );
    let wide = if person.garment == Garment::Robe {
        1.5
    } else {
        1.0
    };
    fill_limb(
        canvas,
        light,
        depth,
        (
            &[
                [shoulder.0, shoulder.1, 4.3 * k],
                [elbow.0, elbow.1, 3.5 * k],
                [cuff.0, cuff.1, 3.0 * k * wide],
            ],
            sleeve.scale(tone * 0.85),
        ),
    );
}

/// How far a garment reaches below the hip and how wide its hem is, in hundredths.
fn hem(garment: Garment) -> (f32, f32) {
    match garment {
        Garment::Shirt | Garment::Armor | Garment::Spacesuit => (4.0, 7.9),
        Garment::Suit => (8.0, 8.6),
        Garment::Apron => (12.0, 9.0),
        Garment::Coat => (23.0, 13.5),
        Garment::Dress => (26.0, 17.0),
        Garment::Robe => (42.0, 15.5),
    }
}

fn clothes(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    let person = body.person;
    let w = person.width * if person.child { 0.95 } else { 1.0 };
    let (mut below, wide) = hem(person.garment);
    if person.stand_is_low(body) {
        below = below.min(9.0);
    }
    let waist = if person.garment == Garment::Dress {
        6.4
    } else {
        8.0
    };
    let sides = [
        (32.5, 2.6),
        (30.5, 7.4),
        (24.0, 8.2),
        (10.0, waist),
        (0.0, waist * 0.6 + wide * 0.4),
        (-below, wide),
    ];
    let mut points: Vec<(f32, f32)> = sides
        .iter()
        .map(|(along, half)| body.torso(*along, half * w))
        .collect();
    let s = body.s;
    let bottom = body.torso(-below, 0.0);
    points.push((bottom.0, bottom.1 + 1.6 * s));
    points.extend(
        sides
            .iter()
            .rev()
            .map(|(along, half)| body.torso(*along, -half * w)),
    );
    if let Some(path) = polygon(&rounded(&points)) {
        let ink = shade(light, &path, person.cloth, body.stand.depth);
        canvas.fill(&path, ink);
    }
    details(canvas, light, body, below);
}

impl Person {
    /// Whether long clothes would reach below the ground.
    fn stand_is_low(&self, body: &Body<'_>) -> bool {
        body.stand.y - body.hip.1 < 30.0 * body.s
    }
}

/// Lapels, belts, buttons, collars.
fn details(canvas: &mut Canvas, light: &Light, body: &Body<'_>, below: f32) {
    let person = body.person;
    let depth = body.stand.depth;
    let flat = |c: Color| Ink::Flat(light.at(c, depth), 1.0);
    let quad = |canvas: &mut Canvas, at: [(f32, f32); 4], c: Color| {
        let points = at.map(|p| body.torso(p.0, p.1));
        canvas.polygon(&points, flat(c));
    };
    let line = person.cloth.scale(0.72);
    match person.garment {
        Garment::Coat => {
            quad(
                canvas,
                [(31.0, 0.6), (31.0, 5.0), (19.0, 3.2), (18.0, 2.0)],
                person.accent,
            );
            quad(
                canvas,
                [(18.0, 1.8), (18.0, 2.9), (-below, 3.4), (-below, 2.4)],
                line,
            );
            quad(
                canvas,
                [(8.5, -8.3), (8.5, 8.3), (5.5, 8.6), (5.5, -8.6)],
                line,
            );
        }
        Garment::Suit => {
            quad(
                canvas,
                [(31.5, 0.0), (31.0, 6.0), (14.0, 4.2), (16.0, 1.6)],
                Color::hex(0xf2efe8),
            );
            quad(
                canvas,
                [(30.0, 2.4), (30.0, 4.4), (17.0, 4.0), (18.0, 2.6)],
                person.accent,
            );
        }
        Garment::Dress => {
            quad(
                canvas,
                [(9.5, -6.8), (9.5, 6.8), (6.5, 7.6), (6.5, -7.6)],
                person.accent,
            );
        }
        Garment::Robe => {
            quad(
                canvas,
                [(9.0, -8.4), (9.0, 8.4), (6.0, 9.0), (6.0, -9.0)],
                person.accent,
            );
            quad(
                canvas,
                [(31.0, 1.0), (31.0, 5.0), (10.0, 3.4), (10.0, 1.8)],
                line,
            );
        }
        Garment::Apron => {
            quad(
                canvas,
                [(31.0, -6.0), (31.0, -3.6), (20.0, -3.6), (20.0, -6.0)],
                line,
            );
            quad(
                canvas,
                [(30.0, -8.6), (30.0, 8.6), (22.0, 8.6), (22.0, -8.6)],
                person.accent,
            );
            quad(
                canvas,
                [(31.0, 3.0), (31.0, 5.6), (20.0, 5.6), (20.0, 3.0)],
                line,
            );
        }
        Garment::Armor => {
            quad(
                canvas,
                [(24.0, -8.8), (24.0, 8.8), (22.6, 8.8), (22.6, -8.8)],
                line,
            );
            quad(
                canvas,
                [(8.0, -8.4), (8.0, 8.4), (4.0, 8.8), (4.0, -8.8)],
                Color::hex(0x5a4434),
            );
        }
        Garment::Spacesuit => {
            quad(
                canvas,
                [(22.0, -1.0), (22.0, 6.0), (14.0, 6.0), (14.0, -1.0)],
                Color::hex(0x9aa3ad),
            );
            quad(
                canvas,
                [(4.0, -9.0), (4.0, 9.0), (2.0, 9.2), (2.0, -9.2)],
                Color::hex(0xd9783a),
            );
        }
        Garment::Shirt => {
            quad(
                canvas,
                [(-0.5, -7.0), (-0.5, 7.0), (-3.0, 7.4), (-3.0, -7.4)],
                Color::hex(0x4d3a2e),
            );
        }
    }
}

fn cape(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
    let points = [
        body.torso(31.0, 4.0),
        body.torso(31.0, -8.0),
        body.torso(0.0, -17.0),
        body.torso(-36.0, -24.0),
        body.torso(-38.0, -2.0),
        body.torso(-10.0, 4.0),
    ];
    if let Some(path) = polygon(&points) {
        let ink = shade(light, &path, body.person.accent, body.stand.depth);
        canvas.fill(&path, ink);
    }
}

/// Long hair falls behind the shoulders.
fn hair_behind(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
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

fn head(canvas: &mut Canvas, light: &Light, body: &Body<'_>) {
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
            [x + r * 0.1 * f, y + r * 0.62, r * 0.62],
            [x + r * 0.3 * f, y + r * 1.15, r * 0.36],
        ];
        fill_limb(canvas, light, depth, (&knots, person.hair));
    }
    if r < 5.0 {
        return;
    }
    let blush = light.at(person.skin.mix(Color::hex(0xd9524a), 0.45), depth);
    canvas.ellipse(
        (x + r * 0.38 * f, y + r * 0.36),
        (r * 0.2, r * 0.14),
        Ink::Flat(blush, 0.55),
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
        (r * 0.1, r * 0.07),
        Ink::Flat(nose, 0.9),
    );
    if !person.beard {
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

/// A closed curve near its corners (Chaikin's corner cutting, twice).
fn rounded(points: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let mut points = points.to_vec();
    for _ in 0..2 {
        let n = points.len();
        points = (0..n)
            .flat_map(|i| {
                let (a, b) = (points[i], points[(i + 1) % n]);
                let at = |t: f32| (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t);
                [at(0.25), at(0.75)]
            })
            .collect();
    }
    points
}

/// Hats as outlines in radii of the head, forward is positive; `A` wears the accent.
const HATS: [(&str, u32, &[(f32, f32)]); 9] = [
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

/// What the hand holds.
fn prop(canvas: &mut Canvas, light: &Light, body: &Body<'_>, hand: (f32, f32)) {
    let (s, f, depth) = (body.s, body.stand.facing, body.stand.depth);
    let wood = light.at(Color::hex(0x7a5236), depth);
    let stick = |canvas: &mut Canvas, top: f32| {
        let knots = [
            [hand.0, hand.1 - top * s, s],
            [hand.0 + 2.0 * s * f, body.stand.y, s * 0.8],
        ];
        if let Some(path) = limb(&knots) {
            canvas.fill(&path, Ink::Flat(wood, 1.0));
        }
    };
    match body.person.prop {
        "" => {}
        "cane" => stick(canvas, 1.0),
        "staff" => stick(canvas, 44.0),
        held => {
            if let Some(shape) = shape(held) {
                let stand = Stand {
                    x: hand.0 + 2.0 * s * f,
                    y: hand.1 + if held == "sword" { 6.0 } else { 5.0 } * s,
                    height: s * shape.size.min(46.0) * 0.8,
                    ..body.stand
                };
                let dye = Dye {
                    main: body.person.accent,
                    second: body.person.cloth,
                };
                shape.draw(canvas, light, &stand, &dye);
            }
        }
    }
}
