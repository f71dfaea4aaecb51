//! People and things, and their position in the picture: eyes are in the upper two thirds, a third from the side.

use crate::Figure;
use crate::brief::{Brief, Thing};
use crate::canvas::Canvas;
use crate::color::Color;
use crate::light::Light;
use crate::look::{dye, is_creature, look};
use crate::noise::Rng;
use crate::people::draw as draw_person;
use crate::plants::{PLANTS, draw as draw_plant};
use crate::shape::{Anchor, Shape, Stand, shape};
use crate::vocabulary::Weather;

/// The ground under people's feet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    /// Its y, px.
    pub y: f32,
    pub depth: f32,
}

/// Returns an adult's height, px.
pub(crate) fn stature(canvas: &Canvas) -> f32 {
    let share = if canvas.w > canvas.h { 0.34 } else { 0.27 };
    (canvas.h * share).min(canvas.w * 0.44).max(canvas.h * 0.2)
}

/// Returns the shape of a thing; `None` for plants.
fn drawn(thing: &Thing) -> Option<&'static Shape> {
    shape(thing.name)
}

fn of_anchor<'a>(
    brief: &'a Brief,
    anchors: &'a [Anchor],
) -> impl Iterator<Item = (&'a Thing, &'static Shape)> {
    brief
        .things
        .iter()
        .filter_map(|t| Some((t, drawn(t)?)))
        .filter(|(_, s)| anchors.contains(&s.anchor))
}

/// Draws flying things.
pub(crate) fn aloft(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("aloft");
    let stature = stature(canvas);
    for (i, (thing, shape)) in of_anchor(brief, &[Anchor::Sky]).enumerate() {
        let small = shape.size < 30.0;
        let n = match thing.n {
            1 if small => 3,
            n => n,
        };
        let center = (
            canvas.w * (0.5 - light.side * rng.range(0.12, 0.22)),
            canvas.h * (0.24 + 0.1 * i as f32),
        );
        for k in 0..n {
            let spread = if k == 0 { 0.0 } else { 1.0 };
            let height = stature
                * (shape.size / 100.0).clamp(0.2, 1.2)
                * rng.range(0.85, 1.15)
                * if k == 0 { 1.0 } else { 0.7 };
            let x = center.0 + spread * rng.range(-0.26, 0.26) * canvas.w;
            let y = center.1 + spread * rng.range(-0.1, 0.1) * canvas.h + height * 0.5;
            let stand = Stand {
                x,
                y,
                height,
                facing: -light.side,
                depth: 0.74 - 0.1 * spread,
            };
            shape.draw(canvas, light, &stand, &dye(thing.name, thing.color));
        }
    }
    let quiet = brief.weather != Weather::Storm
        && !light.night
        && brief.things.iter().all(|t| t.name != "bird");
    if quiet && rng.chance(0.55) {
        flock(canvas, light, &mut rng);
    }
}

/// Draws distant birds, two strokes each.
fn flock(canvas: &mut Canvas, light: &Light, rng: &mut Rng) {
    let center = (
        canvas.w * rng.range(0.25, 0.75),
        canvas.h * rng.range(0.2, 0.34),
    );
    let color = light.palette.dark.mix(light.palette.haze, 0.35);
    for _ in 0..rng.below(5) + 4 {
        let (x, y) = (
            center.0 + rng.range(-90.0, 90.0) * canvas.u,
            center.1 + rng.range(-34.0, 34.0) * canvas.u,
        );
        let r = canvas.u * rng.range(5.0, 11.0);
        let lift = rng.range(0.25, 0.6);
        for side in [-1.0, 1.0] {
            let knots = [
                [x, y, r * 0.1],
                [x + side * r * 0.5, y - r * lift, r * 0.085],
                [x + side * r * 1.15, y - r * lift * 0.55, r * 0.02],
            ];
            if let Some(path) = crate::shape::limb(&knots) {
                canvas.fill(&path, crate::canvas::Ink::Flat(color, 0.85));
            }
        }
    }
}

/// Draws floating things, with their reflections.
pub(crate) fn afloat(canvas: &mut Canvas, light: &Light, brief: &Brief, shore: &Floor) {
    let mut rng = brief.rng.fork("afloat");
    let stature = stature(canvas);
    for (thing, shape) in of_anchor(brief, &[Anchor::Water, Anchor::Deep]) {
        if shape.anchor == Anchor::Deep && !["whale", "dolphin", "shark"].contains(&shape.name) {
            continue;
        }
        for k in 0..thing.n {
            let near = if k == 0 { 1.0 } else { rng.range(0.35, 0.7) };
            let height = stature * (shape.size / 100.0).clamp(0.22, 1.25) * near;
            let x = canvas.w
                * if k == 0 {
                    0.5 - light.side * rng.range(0.08, 0.18)
                } else {
                    rng.range(0.1, 0.9)
                };
            let y = shore.y + canvas.h * (0.03 + 0.08 * near);
            let stand = Stand {
                x,
                y,
                height,
                facing: light.side,
                depth: shore.depth + 0.25 * near,
            };
            let dye = dye(thing.name, thing.color);
            canvas.ellipse(
                (x, y),
                (height * 0.55, height * 0.05),
                crate::canvas::Ink::Flat(light.palette.dark, 0.28),
            );
            shape.draw(canvas, light, &stand, &dye);
            foam(canvas, light, (x, y, height), &mut rng);
        }
    }
}

fn foam(canvas: &mut Canvas, light: &Light, of: (f32, f32, f32), rng: &mut Rng) {
    let (x, y, size) = of;
    let tone = light.palette.sky[3].mix(Color::gray(1.0), 0.4);
    for i in 0..16 {
        let at = (
            x + rng.range(-0.75, 0.75) * size,
            y + rng.range(-0.02, 0.05) * size,
        );
        let reach = size * rng.range(0.05, 0.16);
        let alpha = if i % 2 == 0 { 0.5 } else { 0.26 };
        canvas.ellipse(
            at,
            (reach, size * 0.009),
            crate::canvas::Ink::Flat(tone, alpha),
        );
    }
}

/// Draws the buildings named by the words, on the far edge of the ground.
pub(crate) fn distant(canvas: &mut Canvas, light: &Light, brief: &Brief, floor: &Floor) {
    let mut rng = brief.rng.fork("distant");
    let stature = stature(canvas);
    let people = !brief.cast.looks.is_empty();
    for (i, (thing, shape)) in of_anchor(brief, &[Anchor::Land]).enumerate() {
        let side = if i % 2 == 0 { -light.side } else { light.side };
        let off = if people { 0.2 } else { 0.1 } + 0.12 * (i / 2) as f32;
        for k in 0..thing.n {
            let x = canvas.w * (0.5 + side * off + k as f32 * rng.range(0.14, 0.2) * -side);
            let height = (stature * shape.size / 100.0 * 0.46)
                .min(canvas.h * 0.4)
                .max(stature * 0.55)
                * if k == 0 { 1.0 } else { 0.7 };
            let stand = Stand {
                x,
                y: floor.y + canvas.h * 0.03,
                height,
                facing: rng.sign(),
                depth: floor.depth + 0.28,
            };
            shape.draw(canvas, light, &stand, &dye(thing.name, thing.color));
        }
    }
}

/// Draws people, animals and things on the ground.
pub(crate) fn paint(canvas: &mut Canvas, light: &Light, brief: &Brief, floor: &Floor) {
    let mut rng = brief.rng.fork("subjects");
    let tall = stature(canvas);
    if brief.close && !brief.cast.looks.is_empty() {
        portrait(canvas, light, brief);
        return;
    }
    if brief.cast.crowd {
        crowd(canvas, light, brief, floor);
    }
    let focus = canvas.w * (0.5 + light.side * rng.range(0.06, 0.14));
    things(canvas, light, brief, &(focus, *floor));
    let n = brief.cast.looks.len();
    for (i, look) in brief.cast.looks.iter().enumerate() {
        let spread = (canvas.w * 0.68 / n as f32).min(tall * 0.42);
        let x = focus + (i as f32 - (n as f32 - 1.0) * 0.5) * spread;
        let x = x.min(canvas.w * 0.86).max(canvas.w * 0.14);
        let facing = if n > 1 {
            if i * 2 < n { 1.0 } else { -1.0 }
        } else {
            -light.side
        };
        let y = floor.y + canvas.h * 0.012 * (i % 2) as f32;
        let stand = Stand {
            x,
            y,
            height: tall,
            facing,
            depth: floor.depth,
        };
        backlight(canvas, light, &stand);
        draw_person(canvas, light, &stand, (look, brief.cast.pose));
    }
}

/// Draws one or two heads and shoulders that fill the upper part of the picture.
fn portrait(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let height = (canvas.h * 1.7).min(canvas.w * 3.0);
    let n = brief.cast.looks.len().min(2);
    for (i, look) in brief.cast.looks.iter().take(n).enumerate() {
        let x = canvas.w
            * if n == 1 {
                0.5 + light.side * 0.06
            } else {
                0.32 + 0.36 * i as f32
            };
        let facing = if n == 1 {
            -light.side
        } else {
            1.0 - 2.0 * i as f32
        };
        let height = if n == 1 { height } else { height * 0.8 };
        let stand = Stand {
            x,
            y: canvas.h * 0.36 + height * 0.88,
            height,
            facing,
            depth: 1.0,
        };
        draw_person(canvas, light, &stand, (look, "stand"));
    }
}

fn crowd(canvas: &mut Canvas, light: &Light, brief: &Brief, floor: &Floor) {
    let mut rng = brief.rng.fork("crowd");
    const KINDS: [&str; 6] = [
        "a man",
        "a woman",
        "a man in a coat",
        "a girl",
        "an old man",
        "a woman in a coat",
    ];
    let soldiers = brief.place == "battlefield" || brief.mood.name == "war";
    for row in 0..3 {
        let near = row as f32 / 2.0;
        let tall = stature(canvas) * (0.42 + 0.2 * near);
        let n = (canvas.w / (tall * 0.4)) as usize;
        for i in 0..n {
            let x = (i as f32 + rng.range(0.1, 0.9)) * tall * 0.4;
            let name = format!("crowd {}", rng.below(40));
            let descriptor = if soldiers {
                "soldier"
            } else {
                rng.pick(&KINDS).unwrap_or("a man")
            };
            let someone = look(&Figure {
                name: &name,
                descriptor,
            });
            let y = floor.y - canvas.h * (0.055 - 0.02 * near) + rng.range(0.0, 0.01) * canvas.h;
            let stand = Stand {
                x,
                y,
                height: tall,
                facing: rng.sign(),
                depth: 0.58 + 0.14 * near,
            };
            draw_person(canvas, light, &stand, (&someone, "stand"));
        }
    }
}

/// Draws things beside the people; without people, the first thing is the main subject.
fn things(canvas: &mut Canvas, light: &Light, brief: &Brief, at: &(f32, Floor)) {
    let (focus, floor) = *at;
    let mut rng = brief.rng.fork("things");
    let tall = stature(canvas);
    let alone = brief.cast.looks.is_empty();
    let places = [Anchor::Ground, Anchor::Hand, Anchor::Deep, Anchor::Water];
    let mut rank = 0;
    for thing in &brief.things {
        let of = drawn(thing);
        let plant = PLANTS.contains(&thing.name);
        let wet = ["sea", "lake", "river", "beach"].contains(&brief.place);
        let here = plant
            || of.is_some_and(|s| {
                places.contains(&s.anchor)
                    && !(wet && [Anchor::Deep, Anchor::Water].contains(&s.anchor))
            });
        if !here {
            continue;
        }
        let hero = alone && rank == 0;
        let size = of.map_or(230.0, |s| s.size) / 100.0;
        let held = of.is_some_and(|s| s.anchor == Anchor::Hand);
        let fit = match (held, hero) {
            (true, true) => 0.86,
            (true, false) => size.max(0.42),
            (false, true) => (size * 1.1).clamp(0.6, 1.2),
            (false, false) => size.min(if plant { 2.2 } else { 1.2 }).max(0.26),
        };
        let n = if hero && held { 1 } else { thing.n };
        for k in 0..n {
            let slot = rank as f32 + k as f32 * 0.8;
            let side = if (rank + k) % 2 == 0 {
                -light.side
            } else {
                light.side
            };
            let off = if hero && k == 0 {
                0.0
            } else {
                0.24 + 0.07 * slot
            };
            let x = (focus + side * off * canvas.w)
                .min(canvas.w * 0.88)
                .max(canvas.w * 0.12);
            let height = tall * fit * if k == 0 { 1.0 } else { rng.range(0.66, 0.9) };
            let y = floor.y + canvas.h * if hero { 0.0 } else { rng.range(-0.022, 0.016) };
            let stand = Stand {
                x,
                y,
                height,
                facing: -side,
                depth: floor.depth,
            };
            put(canvas, light, &stand, (thing, brief, &mut rng));
        }
        rank += 1;
    }
}

/// Draws a thing with its shadow. Small symbols of an idea glow softly.
fn put(canvas: &mut Canvas, light: &Light, stand: &Stand, of: (&Thing, &Brief, &mut Rng)) {
    let (thing, brief, rng) = of;
    match shape(thing.name) {
        Some(shape) => {
            if shape.anchor == Anchor::Hand {
                let center = (stand.x, stand.y - stand.height * 0.5);
                canvas.glow(center, stand.height * 1.25, light.palette.sun, 0.5);
            }
            backlight(canvas, light, stand);
            shape.shadow(canvas, light, stand);
            let known = is_creature(thing.name) || thing.color.is_some();
            let mut dye = dye(thing.name, thing.color);
            if !known {
                dye.main = dye.main.mix(light.palette.accent, 0.45);
            }
            shape.draw(canvas, light, stand, &dye);
        }
        None => draw_plant(canvas, light, stand, (thing.name, brief.season, rng)),
    }
}

/// Draws a little bright air behind someone, so that the outline is visible against a dark background.
fn backlight(canvas: &mut Canvas, light: &Light, stand: &Stand) {
    let alpha = if light.night { 0.34 } else { 0.16 };
    let center = (stand.x, stand.y - stand.height * 0.5);
    let color = light.palette.sky[3];
    canvas.glow(center, stand.height * 0.8, color, alpha);
}

/// Draws every thing and person floating freely, for places without ground.
pub(crate) fn adrift(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("adrift");
    let tall = stature(canvas);
    let n_people = brief.cast.looks.len();
    for (i, thing) in brief.things.iter().enumerate() {
        let Some(shape) = shape(thing.name) else {
            continue;
        };
        for k in 0..thing.n {
            let size = (shape.size / 100.0).clamp(0.32, 1.35) * if k == 0 { 1.0 } else { 0.75 };
            let slot = n_people + i + 2 * k;
            let mut stand = drift(canvas, light, slot, &mut rng);
            stand.height = tall * size;
            backlight(canvas, light, &stand);
            shape.draw(canvas, light, &stand, &dye(thing.name, thing.color));
        }
    }
    for (slot, who) in brief.cast.looks.iter().enumerate() {
        let mut stand = drift(canvas, light, slot, &mut rng);
        stand.y += tall * 0.15;
        draw_person(canvas, light, &stand, (who, brief.cast.pose));
    }
}

/// Returns the position of a floating figure by its number: the first near the middle, the others on alternating sides.
fn drift(canvas: &Canvas, light: &Light, slot: usize, rng: &mut Rng) -> Stand {
    let side = if slot % 2 == 1 {
        light.side
    } else {
        -light.side
    };
    let off = if slot == 0 {
        0.04
    } else {
        0.22 + 0.03 * slot as f32
    };
    let row = 0.54 + 0.05 * (slot % 3) as f32 + rng.range(-0.03, 0.03);
    Stand {
        x: canvas.w * (0.5 + side * off.min(0.36)),
        y: canvas.h * row,
        height: stature(canvas),
        facing: -side,
        depth: 0.95,
    }
}
