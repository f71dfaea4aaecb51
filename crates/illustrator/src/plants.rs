//! Plants: pines, leafy trees, bare trees, palms, cacti, bushes, grass and flowers.

use crate::canvas::{Canvas, Ink, polygon};
use crate::color::Color;
use crate::light::Light;
use crate::noise::{Rng, cos_turns, sin_turns};
use crate::shape::{Stand, limb, shade};

/// The plants that words may name.
pub(crate) const PLANTS: [&str; 6] = ["tree", "pine", "palm", "cactus", "bare", "bush"];

/// Picks a color of leaves by season.
fn leaves(season: &str, rng: &mut Rng) -> Color {
    let of: &[u32] = match season {
        "autumn" => &[0xcf7a35, 0xd99a3f, 0xb5532e, 0xc4683a, 0x9a7a3a],
        "winter" => &[0xdfe6ea, 0xcfd9e0],
        "spring" => &[0x8fb35a, 0xe3a3b5, 0xa3bf62, 0xefc4cc],
        _ => &[0x5f9050, 0x6f9c4c, 0x4d8257, 0x7fa04f],
    };
    Color::hex(rng.pick(of).unwrap_or(0x5f9050))
}

/// Draws a plant by name.
pub(crate) fn draw(canvas: &mut Canvas, light: &Light, stand: &Stand, of: (&str, &str, &mut Rng)) {
    let (name, season, rng) = of;
    match name {
        "pine" => pine(canvas, light, stand, (season, rng)),
        "palm" => palm(canvas, light, stand, rng),
        "cactus" => cactus(canvas, light, stand),
        "bare" => bare(canvas, light, stand, rng),
        "bush" => crown(
            canvas,
            light,
            &Stand {
                y: stand.y - stand.height * 0.3,
                ..*stand
            },
            (leaves(season, rng), rng),
        ),
        _ if season == "winter" => bare(canvas, light, stand, rng),
        _ => leafy(canvas, light, stand, (season, rng)),
    }
}

fn pine(canvas: &mut Canvas, light: &Light, stand: &Stand, of: (&str, &mut Rng)) {
    let (season, rng) = of;
    let (x, y, h) = (stand.x, stand.y, stand.height);
    let wide = h * rng.range(0.17, 0.24);
    let n = 7 + rng.below(4);
    let mut right = Vec::new();
    let mut left = Vec::new();
    for i in 0..n {
        let t = i as f32 / n as f32;
        let reach = wide * (0.12 + 0.88 * t) * rng.range(0.82, 1.12);
        let top = y - h * (1.0 - t * 0.9);
        let drop = h * 0.9 / n as f32;
        right.push((x + reach * 0.3, top + drop * 0.25));
        right.push((x + reach, top + drop * rng.range(0.95, 1.25)));
        left.push((x - reach * 0.3, top + drop * 0.25));
        left.push((
            x - reach * rng.range(0.9, 1.1),
            top + drop * rng.range(0.95, 1.25),
        ));
    }
    left.reverse();
    let mut points = vec![(x, y - h)];
    points.extend(right);
    points.extend(left);
    let bark = light.at(Color::hex(0x54382c), stand.depth);
    canvas.rect(
        (x - h * 0.018, y - h * 0.14),
        (h * 0.036, h * 0.14),
        Ink::Flat(bark, 1.0),
    );
    let green = Color::hex(
        rng.pick(&[0x3d6b4c, 0x466f47, 0x355f52])
            .unwrap_or(0x3d6b4c),
    );
    let local = if season == "winter" {
        green.mix(Color::hex(0xeef2f4), 0.45)
    } else {
        green
    };
    if let Some(path) = polygon(&points) {
        canvas.fill(&path, shade(light, &path, local, stand.depth));
    }
}

fn leafy(canvas: &mut Canvas, light: &Light, stand: &Stand, of: (&str, &mut Rng)) {
    let (season, rng) = of;
    let (x, y, h) = (stand.x, stand.y, stand.height);
    let bark = Color::hex(0x5f4434);
    let bend = rng.range(-0.05, 0.05) * h;
    let branches = [
        [
            [x, y, h * 0.05],
            [x + bend * 0.4, y - h * 0.25, h * 0.034],
            [x + bend, y - h * 0.62, h * 0.014],
        ],
        [
            [x, y - h * 0.22, h * 0.026],
            [x - h * 0.1, y - h * 0.4, h * 0.018],
            [x - h * 0.2, y - h * 0.56, h * 0.008],
        ],
        [
            [x, y - h * 0.26, h * 0.026],
            [x + h * 0.1, y - h * 0.42, h * 0.017],
            [x + h * 0.19, y - h * 0.6, h * 0.008],
        ],
    ];
    for knots in branches {
        if let Some(path) = limb(&knots) {
            canvas.fill(&path, shade(light, &path, bark, stand.depth));
        }
    }
    let top = Stand {
        x: x + bend,
        y: y - h * 0.66,
        height: h,
        ..*stand
    };
    crown(canvas, light, &top, (leaves(season, rng), rng));
}

/// Draws foliage around a point: shade below, half light, light on the sunny side.
fn crown(canvas: &mut Canvas, light: &Light, stand: &Stand, of: (Color, &mut Rng)) {
    let (local, rng) = of;
    let r = stand.height * 0.3;
    let clumps: Vec<(f32, f32, f32)> = (0..15)
        .map(|i| {
            let turn = i as f32 / 15.0 + rng.range(0.0, 0.06);
            let out = rng.range(0.35, 0.95);
            (
                cos_turns(turn) * out * r * 1.1,
                sin_turns(turn) * out * r * 0.86,
                r * rng.range(0.3, 0.46),
            )
        })
        .collect();
    let tone = |k: f32, c: Color| light.air(light.lit(c, k), stand.depth);
    let layers = [
        (0.0, 1.12, tone(0.0, local.scale(0.66)), 1.0),
        (0.12, 0.92, tone(0.45, local.scale(0.9)), 1.0),
        (
            0.3,
            0.6,
            tone(1.0, local.mix(light.palette.light, 0.16)),
            0.92,
        ),
    ];
    for (shift, size, color, alpha) in layers {
        for (i, (dx, dy, cr)) in clumps.iter().enumerate() {
            if shift > 0.2 && (dx * light.side < -r * 0.25 || i % 4 == 3) {
                continue;
            }
            let center = (
                stand.x + dx + light.side * shift * r,
                stand.y + dy - shift * r * 0.8,
            );
            blob(canvas, (center, cr * size), Ink::Flat(color, alpha), rng);
        }
        if shift < 0.1 {
            blob(
                canvas,
                ((stand.x, stand.y), r * 0.8),
                Ink::Flat(color, 1.0),
                rng,
            );
        }
    }
}

/// Draws a round patch with a leafy edge.
fn blob(canvas: &mut Canvas, of: ((f32, f32), f32), ink: Ink, rng: &mut Rng) {
    let ((x, y), r) = of;
    let n = ((r / canvas.u * 0.5) as usize).clamp(14, 46);
    let points: Vec<(f32, f32)> = (0..n)
        .map(|i| {
            let turn = i as f32 / n as f32;
            let lobe = 0.07 * sin_turns(turn * 7.0 + x * 0.13);
            let k = r * (lobe + rng.range(0.92, 1.07));
            (x + cos_turns(turn) * k, y + sin_turns(turn) * k * 0.92)
        })
        .collect();
    canvas.polygon(&points, ink);
}

fn bare(canvas: &mut Canvas, light: &Light, stand: &Stand, rng: &mut Rng) {
    let bark = Color::hex(0x4f3f3b);
    let mut todo = vec![(
        stand.x,
        stand.y,
        0.5 + rng.range(-0.01, 0.01),
        stand.height * 0.34,
        stand.height * 0.042,
    )];
    while let Some((x, y, turn, length, thick)) = todo.pop() {
        let bend = turn + rng.range(-0.03, 0.03);
        let mid = (
            x + sin_turns(turn) * length * 0.5,
            y + cos_turns(turn) * length * 0.5,
        );
        let end = (
            mid.0 + sin_turns(bend) * length * 0.5,
            mid.1 + cos_turns(bend) * length * 0.5,
        );
        if let Some(path) = limb(&[
            [x, y, thick],
            [mid.0, mid.1, thick * 0.8],
            [end.0, end.1, thick * 0.6],
        ]) {
            canvas.fill(&path, shade(light, &path, bark, stand.depth));
        }
        if length > stand.height * 0.06 && todo.len() < 60 {
            for side in [-1.0, 1.0] {
                let turn = bend + side * rng.range(0.04, 0.1);
                todo.push((
                    end.0,
                    end.1,
                    turn,
                    length * rng.range(0.62, 0.8),
                    thick * 0.58,
                ));
            }
        }
    }
}

fn palm(canvas: &mut Canvas, light: &Light, stand: &Stand, rng: &mut Rng) {
    let (x, y, h) = (stand.x, stand.y, stand.height);
    let lean = rng.sign() * h * rng.range(0.08, 0.2);
    let top = (x + lean, y - h * 0.84);
    let trunk = [
        [x, y, h * 0.026],
        [x + lean * 0.3, y - h * 0.4, h * 0.018],
        [top.0, top.1, h * 0.014],
    ];
    if let Some(path) = limb(&trunk) {
        canvas.fill(
            &path,
            shade(light, &path, Color::hex(0x8a6a4a), stand.depth),
        );
    }
    for i in 0..9 {
        let turn = 0.25 + i as f32 / 9.0 + rng.range(-0.03, 0.03);
        let reach = h * rng.range(0.26, 0.36);
        let (dx, dy) = (cos_turns(turn), sin_turns(turn) * 0.55 - 0.35);
        let mid = (top.0 + dx * reach * 0.55, top.1 + dy * reach * 0.8);
        let end = (top.0 + dx * reach, top.1 + (dy + 0.62) * reach * 0.8);
        let frond = [
            [top.0, top.1, h * 0.008],
            [mid.0, mid.1, h * 0.024],
            [end.0, end.1, h * 0.002],
        ];
        if let Some(path) = limb(&frond) {
            let green = Color::hex(0x5b8f4d).scale(if i % 2 == 0 { 1.0 } else { 0.78 });
            canvas.fill(&path, shade(light, &path, green, stand.depth));
        }
    }
}

fn cactus(canvas: &mut Canvas, light: &Light, stand: &Stand) {
    let (x, y, h) = (stand.x, stand.y, stand.height);
    let at = |dx: f32, dy: f32, r: f32| [x + dx * h, y - dy * h, r * h];
    let arms = [
        vec![at(0.0, 0.0, 0.09), at(0.0, 0.5, 0.1), at(0.0, 0.92, 0.08)],
        vec![
            at(0.0, 0.4, 0.06),
            at(0.22, 0.44, 0.06),
            at(0.25, 0.72, 0.055),
        ],
        vec![
            at(0.0, 0.28, 0.05),
            at(-0.2, 0.32, 0.05),
            at(-0.22, 0.54, 0.045),
        ],
    ];
    for knots in arms {
        if let Some(path) = limb(&knots) {
            canvas.fill(
                &path,
                shade(light, &path, Color::hex(0x5f8a5a), stand.depth),
            );
        }
    }
}

/// Draws a tuft of grass at a point.
pub(crate) fn tuft(canvas: &mut Canvas, at: (f32, f32), of: (f32, Color, usize), rng: &mut Rng) {
    let (height, color, n) = of;
    for _ in 0..n {
        let x = at.0 + rng.range(-0.5, 0.5) * height * 0.9;
        let tip = height * rng.range(0.55, 1.1);
        let lean = rng.range(-0.45, 0.45) * tip;
        let w = height * 0.045;
        let points = [
            (x - w, at.1),
            (x + lean * 0.4 - w * 0.5, at.1 - tip * 0.6),
            (x + lean, at.1 - tip),
            (x + lean * 0.4 + w * 0.6, at.1 - tip * 0.55),
            (x + w, at.1),
        ];
        canvas.polygon(&points, Ink::Flat(color.scale(rng.range(0.86, 1.12)), 1.0));
    }
}

/// Draws a blossom on a stalk.
pub(crate) fn blossom(canvas: &mut Canvas, at: (f32, f32), of: (f32, Color, Color), rng: &mut Rng) {
    let (height, petal, stalk) = of;
    let head = (at.0 + rng.range(-0.2, 0.2) * height, at.1 - height);
    if let Some(path) = limb(&[
        [at.0, at.1, height * 0.025],
        [head.0, head.1, height * 0.02],
    ]) {
        canvas.fill(&path, Ink::Flat(stalk, 1.0));
    }
    let r = height * 0.13;
    let spin = rng.unit();
    for i in 0..5 {
        let turn = spin + i as f32 / 5.0;
        let center = (
            head.0 + cos_turns(turn) * r,
            head.1 + sin_turns(turn) * r * 0.7,
        );
        let tone = petal.scale(if i < 3 { 1.0 } else { 0.86 });
        canvas.ellipse(center, (r * 0.85, r * 0.66), Ink::Flat(tone, 1.0));
    }
    canvas.ellipse(
        head,
        (r * 0.5, r * 0.4),
        Ink::Flat(Color::hex(0xf0c050).mix(petal, 0.25), 1.0),
    );
}
