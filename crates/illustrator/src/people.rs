//! People: limbs from the angles of a pose; clothes and heads are drawn over them.

use crate::body::{Body, fill_limb};
use crate::canvas::{Canvas, Ink};
use crate::color::Color;
use crate::dress::{cape, clothes};
use crate::heads::{hair_behind, head};
use crate::light::Light;
use crate::look::{Garment, Look, Person};
use crate::shape::{Dye, Stand, limb, shadow, shape};

/// A pose: lean of the body, height of the hip in hundredths, then thigh and shin of the far and the near leg, and upper and lower arm. Angles are turns from
/// straight down (forward is positive).
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

/// Draws someone standing, walking, sitting …; `stand.height` is an adult's height, `pose` a row of the table.
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
            sleeve.scale(tone * 0.9),
        ),
    );
}

/// Draws what the hand holds.
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
