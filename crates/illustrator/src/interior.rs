//! Rooms: a back wall and a floor, a window or a lamp for light, furniture by the kind of room.

use crate::brief::Brief;
use crate::canvas::{Canvas, Ink};
use crate::color::{Color, ramp};
use crate::light::Light;
use crate::look::dye;
use crate::noise::{cloudy, grain, smooth, wave};
use crate::shape::{Stand, shape};
use crate::subjects::{self, Floor, stature};

/// A kind of room: colors of wall and floor, its furniture (shape, position across, relative size, whether it hangs on the wall), whether it has a window.
struct Room {
    name: &'static str,
    wall: u32,
    floor: u32,
    items: &'static [(&'static str, f32, f32, bool)],
    window: bool,
}

#[rustfmt::skip]
const ROOMS: [Room; 10] = [
    Room { name: "room", wall: 0xc9a88a, floor: 0x9a6a48, window: true, items: &[("picture", 0.2, 0.8, true), ("sofa", 0.24, 1.0, false), ("plantpot", 0.86, 1.0, false), ("lamp", 0.7, 1.5, false)] },
    Room { name: "library", wall: 0x8d6a52, floor: 0x7a4f38, window: true, items: &[("bookshelf", 0.1, 1.25, false), ("bookshelf", 0.34, 1.25, false), ("bookshelf", 0.9, 1.25, false), ("armchair", 0.8, 1.0, false), ("globe", 0.62, 1.0, false)] },
    Room { name: "kitchen", wall: 0xd9c29a, floor: 0xb0825a, window: true, items: &[("bookshelf", 0.1, 0.9, false), ("stove", 0.85, 1.0, false), ("table", 0.34, 1.0, false), ("bowl", 0.34, 1.0, false), ("clock", 0.2, 0.7, true)] },
    Room { name: "office", wall: 0xa9b5b8, floor: 0x7f7a78, window: true, items: &[("board", 0.2, 0.5, true), ("desk", 0.28, 1.0, false), ("computer", 0.27, 1.0, false), ("plantpot", 0.9, 1.1, false), ("chair", 0.5, 1.0, false)] },
    Room { name: "laboratory", wall: 0xa8c0c0, floor: 0x7f8f94, window: true, items: &[("bookshelf", 0.9, 1.0, false), ("table", 0.3, 1.1, false), ("flask", 0.2, 0.9, false), ("microscope", 0.4, 0.9, false), ("board", 0.24, 0.5, true)] },
    Room { name: "classroom", wall: 0xd0c39a, floor: 0xa5764c, window: false, items: &[("board", 0.5, 1.1, true), ("desk", 0.2, 1.0, false), ("globe", 0.18, 0.9, false), ("chair", 0.86, 1.1, false), ("clock", 0.88, 0.6, true)] },
    Room { name: "workshop", wall: 0x9a8068, floor: 0x6f5540, window: true, items: &[("desk", 0.26, 1.1, false), ("gear", 0.2, 0.7, true), ("gear", 0.34, 0.5, true), ("chest", 0.84, 1.0, false), ("lamp", 0.2, 1.0, false)] },
    Room { name: "hospital", wall: 0xb5cdd0, floor: 0x93a8a8, window: true, items: &[("bed", 0.28, 1.0, false), ("plantpot", 0.9, 1.0, false), ("chart", 0.2, 0.6, true)] },
    Room { name: "stage", wall: 0x5a2530, floor: 0x7a4a34, window: false, items: &[] },
    Room { name: "throne", wall: 0x7f6a78, floor: 0x8f5a52, window: true, items: &[("flag", 0.12, 1.0, false), ("flag", 0.9, 1.0, false), ("armchair", 0.5, 1.7, false)] },
];

/// Paints a room and its furniture.
pub(crate) fn paint(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("room");
    let room = ROOMS
        .iter()
        .find(|r| r.name == brief.place)
        .unwrap_or(&ROOMS[0]);
    let y = canvas.h * rng.range(0.615, 0.645);
    let flip = rng.chance(0.5);
    let window = canvas.w * if flip { 0.3 } else { 0.7 };
    walls(canvas, light, room, (y, window));
    if room.name == "stage" {
        stage(canvas, light, y);
    } else if room.window {
        pane(canvas, light, brief, (window, y));
    }
    canvas.layer("furniture", 0.6);
    let tall = stature(canvas);
    for (name, across, size, hangs) in room.items {
        let Some(shape) = shape(name) else {
            continue;
        };
        let x = canvas.w * if flip { 1.0 - across } else { *across };
        let small = ["bowl", "computer", "flask", "microscope", "globe"].contains(name);
        let height = tall * shape.size / 100.0 * size * 0.86;
        let foot = if *hangs {
            canvas.h * 0.38 + height * 0.5
        } else if small {
            y + canvas.h * 0.025 - tall * 0.36
        } else {
            y + canvas.h * 0.03
        };
        let stand = Stand {
            x,
            y: foot,
            height,
            facing: 1.0,
            depth: 0.8,
        };
        if !hangs && !small {
            shape.shadow(canvas, light, &stand);
        }
        shape.draw(canvas, light, &stand, &dye(name, None));
    }
    if room.window {
        shaft(canvas, light, (window, y));
    }
    canvas.layer("subjects", 0.9);
    subjects::aloft(
        canvas,
        &Light {
            night: true,
            ..*light
        },
        brief,
    );
    let floor = Floor {
        y: canvas.h * 0.725,
        depth: 0.97,
    };
    subjects::paint(canvas, light, brief, &floor);
    vignette(canvas, light);
}

fn walls(canvas: &mut Canvas, light: &Light, room: &Room, at: (f32, f32)) {
    let (y, window) = at;
    let (u, w, h) = (canvas.u, canvas.w, canvas.h);
    let bottom = h + canvas.margin;
    let (noise, speck) = (cloudy(), grain());
    let (wall, floor) = (Color::hex(room.wall), Color::hex(room.floor));
    let at = |c: Color, k: f32| light.lit(c, k);
    let lamp = (window, h * 0.38);
    let warm = light.palette.light;
    canvas.wash(-canvas.margin, bottom, |x, py| {
        let (dx, dy) = ((x - lamp.0) / (u * 430.0), (py - lamp.1) / (u * 430.0));
        let pool = 1.0 / (1.0 + 1.5 * (dx * dx + dy * dy));
        let rough = noise.sample(x / (u * 2.6), py / (u * 2.6)) - 0.5;
        let dust = speck.at(x as i32, py as i32) * 0.012;
        if py < y {
            let corner =
                smooth(0.32, 0.52, (x / w - 0.5).abs()) * 0.25 + smooth(0.25, 0.0, py / h) * 0.3;
            let stripe = if ((x / (u * 42.0)).floor() as i32) % 2 == 0 {
                0.035
            } else {
                0.0
            };
            let dado = if py > y - u * 150.0 { 0.13 } else { 0.0 };
            let rail = if (py - (y - u * 150.0)).abs() < u * 5.0 || py > y - u * 18.0 {
                0.16
            } else {
                0.0
            };
            let k = (0.18 + pool * 0.95 - corner + rough * 0.14).clamp(0.0, 1.0);
            let c = at(wall.scale(0.62 - dado), 0.0).mix(at(wall.scale(1.0 - dado), 1.0), k);
            (
                c.lift(stripe + dust + rail * 0.5).mix(warm, pool * 0.1),
                1.0,
            )
        } else {
            let d = (py - y) / (h - y);
            let z = 1.0 / (d + 0.25);
            let plank = ((x - w * 0.5) * z / (u * 52.0)).floor();
            let tone = noise.at((plank * 37.0) as i32, 11) - 0.5;
            let seam = (((x - w * 0.5) * z / (u * 52.0)).fract().abs() < 0.03) as i32 as f32;
            let vein = noise.sample(x * z / (u * 3.0) + plank * 31.0, py / (u * 9.0)) - 0.5;
            let k = (0.25 + pool * 0.9 + tone * 0.25 + vein * 0.18 - d * 0.3).clamp(0.0, 1.0);
            let c = at(floor.scale(0.5), 0.0).mix(at(floor, 1.0), k);
            (
                c.mix(light.palette.dark, seam * 0.3 + smooth(0.3, 1.0, d) * 0.4)
                    .lift(dust),
                1.0,
            )
        }
    });
}

/// Paints a window with a piece of the world behind it.
fn pane(canvas: &mut Canvas, light: &Light, brief: &Brief, at: (f32, f32)) {
    let (x, y) = at;
    let (w, h) = ((canvas.w * 0.3).min(canvas.u * 300.0), canvas.h * 0.24);
    let top = y - canvas.h * 0.42;
    let left = x - w * 0.5;
    let frame = light.lit(Color::hex(0xe9dfcc), 0.55);
    let edge = canvas.u * 13.0;
    canvas.rect(
        (left - edge, top - edge),
        (w + 2.0 * edge, h + 2.0 * edge),
        Ink::Flat(frame, 1.0),
    );
    let p = &light.palette;
    canvas.wash(top, top + h, |px, py| {
        let inside = px > left && px < left + w && py > top && py < top + h;
        (ramp(&p.sky, (py - top) / h), f32::from(u8::from(inside)))
    });
    let mut rng = brief.rng.fork("pane");
    let orb = (left + w * rng.range(0.3, 0.7), top + h * 0.35);
    canvas.glow(orb, w * 0.3, p.sun, 0.7);
    canvas.ellipse(orb, (w * 0.07, w * 0.07), Ink::Flat(p.sun, 0.95));
    let shift = rng.range(0.0, 50.0);
    let hills: Vec<(f32, f32)> = (0..=20)
        .map(|i| {
            let t = i as f32 / 20.0;
            let rise = 0.62 + 0.2 * wave(t * 4.0 + shift, 4);
            (left + w * t, top + h * rise)
        })
        .chain([(left + w, top + h), (left, top + h)])
        .collect();
    canvas.polygon(&hills, Ink::Flat(light.at(Color::hex(0x5f8a6a), 0.45), 1.0));
    let bar = canvas.u * 7.0;
    canvas.rect((x - bar * 0.5, top), (bar, h), Ink::Flat(frame, 1.0));
    canvas.rect((left, top + h * 0.42), (w, bar), Ink::Flat(frame, 1.0));
    canvas.rect(
        (left - edge * 1.8, top + h + edge),
        (w + edge * 3.6, edge * 1.2),
        Ink::Flat(light.lit(Color::hex(0xf2e9d8), 0.9), 1.0),
    );
    curtains(canvas, light, brief, (x, top, w, h));
}

/// Paints curtains beside a window: its middle, top, width and height.
fn curtains(canvas: &mut Canvas, light: &Light, brief: &Brief, at: (f32, f32, f32, f32)) {
    let (x, top, w, h) = at;
    let edge = canvas.u * 13.0;
    let cloth = light.lit(
        dye(brief.place, None).main.mix(light.palette.accent, 0.4),
        0.6,
    );
    for side in [-1.0f32, 1.0] {
        let a = x + side * (w * 0.5 + edge * 3.0);
        let b = x + side * w * 0.3;
        let folds = [
            (a, top - edge * 2.5),
            (b, top - edge * 2.5),
            (x + side * w * 0.36, top + h * 0.5),
            (x + side * (w * 0.5 - edge), top + h * 0.62),
            (x + side * w * 0.44, top + h * 1.25),
            (a, top + h * 1.25),
        ];
        canvas.polygon(
            &folds,
            Ink::Blend {
                from: (b, 0.0),
                to: (a, 0.0),
                colors: [cloth, cloth.scale(0.72)],
                alphas: [1.0, 1.0],
            },
        );
    }
}

/// Paints the light that falls from the window through dust onto the floor.
fn shaft(canvas: &mut Canvas, light: &Light, at: (f32, f32)) {
    let (x, y) = at;
    let w = (canvas.w * 0.3).min(canvas.u * 300.0) * 0.5;
    let top = y - canvas.h * 0.42;
    let slide = if x < canvas.w * 0.5 { 1.0 } else { -1.0 } * canvas.w * 0.24;
    let alpha = if light.night { 0.12 } else { 0.2 };
    let ink = Ink::Blend {
        from: (x, top),
        to: (x + slide, canvas.h * 0.8),
        colors: [light.palette.sun, light.palette.sun],
        alphas: [alpha, 0.0],
    };
    canvas.polygon(
        &[
            (x - w, top),
            (x + w, top),
            (x + w + slide * 1.2, canvas.h * 0.8),
            (x - w + slide, canvas.h * 0.8),
        ],
        ink,
    );
    let low = y + canvas.h * 0.04;
    let patch = [
        (x - w + slide * 0.72, low),
        (x + w + slide * 0.72, low),
        (x + w * 1.25 + slide, low + canvas.h * 0.08),
        (x - w * 1.1 + slide, low + canvas.h * 0.08),
    ];
    canvas.polygon(&patch, Ink::Flat(light.palette.sun, alpha * 0.55));
}

/// Paints stage curtains and a cone of light.
fn stage(canvas: &mut Canvas, light: &Light, y: f32) {
    let (w, h, m) = (canvas.w, canvas.h, canvas.margin);
    let red = Color::hex(0xa5333c);
    let mut fold = |from: f32, to: f32, top: f32, low: f32, i: usize| {
        let c = light.lit(red, if i.is_multiple_of(2) { 0.75 } else { 0.1 });
        let ink = Ink::Blend {
            from: (from, 0.0),
            to: (to, 0.0),
            colors: [c, c.scale(0.55)],
            alphas: [1.0, 1.0],
        };
        canvas.polygon(&[(from, top), (to, top), (to, low), (from, low)], ink);
    };
    let n = 7;
    for i in 0..n {
        let width = w * 0.19 / n as f32;
        for side in [0.0f32, 1.0] {
            let at = if side < 0.5 {
                -m + i as f32 * (width + m / n as f32)
            } else {
                w + m - (i + 1) as f32 * (width + m / n as f32)
            };
            fold(at, at + width + m / n as f32 + 1.0, -m, y + h * 0.05, i);
        }
    }
    for i in 0..13 {
        let at = -m + (w + 2.0 * m) * i as f32 / 13.0;
        fold(
            at,
            at + (w + 2.0 * m) / 13.0 + 1.0,
            -m,
            h * 0.1 + h * 0.02 * (i % 2) as f32,
            i,
        );
    }
    let sun = Color::hex(0xffedc0);
    let top = (w * 0.5, h * 0.08);
    let ink = Ink::Blend {
        from: top,
        to: (w * 0.5, h * 0.74),
        colors: [sun, sun],
        alphas: [0.5, 0.12],
    };
    canvas.polygon(
        &[
            (top.0 - w * 0.03, top.1),
            (top.0 + w * 0.03, top.1),
            (w * 0.5 + w * 0.3, h * 0.735),
            (w * 0.5 - w * 0.3, h * 0.735),
        ],
        ink,
    );
    canvas.ellipse(
        (w * 0.5, h * 0.735),
        (w * 0.3, h * 0.032),
        Ink::Flat(sun, 0.42),
    );
}

/// Darkens the corners, to lead the eye and to keep the captions readable.
fn vignette(canvas: &mut Canvas, light: &Light) {
    let (w, h) = (canvas.w, canvas.h);
    let dark = light.palette.dark;
    let deep = if light.night { 0.5 } else { 0.3 };
    canvas.wash(-canvas.margin, h + canvas.margin, |x, y| {
        let (dx, dy) = (x / w - 0.5, y / h - 0.44);
        (dark, smooth(0.12, 0.5, dx * dx * 1.1 + dy * dy) * deep)
    });
}
