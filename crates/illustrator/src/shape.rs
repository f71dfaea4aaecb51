//! Shapes as rows of data: paths, tapered limbs and ellipses in a box 100 high, drawn at any position and size, in any light.
//!
//! A row of `data/*.txt` opens with `= NAME SIZE ANCHOR` (size: height in hundredths of an adult's), followed by its parts, far ones first: `p ROLE M.. L.. C..
//! Q.. Z` a filled path, `t ROLE x,y,r x,y,r ..` a limb through points with radii, `e ROLE cx,cy,rx,ry` an ellipse, `l ROLE width M.. L..` a line. Y points
//! down, the ground is at 100, the middle at x 50, and creatures look to the right.

use std::sync::OnceLock;

use tiny_skia::{Path, PathBuilder, Transform};

use crate::canvas::{Canvas, Ink};
use crate::color::Color;
use crate::light::Light;
use crate::noise::{cos_turns, sin_turns};

/// Where a thing belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// Stands on the ground among people.
    Ground,
    /// Stands in the distance, larger than people.
    Land,
    /// Flies.
    Sky,
    /// Floats on the water.
    Water,
    /// Swims under water.
    Deep,
    /// Lies on a table, is held, or symbolizes an idea.
    Hand,
}

const ANCHORS: [(&str, Anchor); 6] = [
    ("ground", Anchor::Ground),
    ("land", Anchor::Land),
    ("sky", Anchor::Sky),
    ("water", Anchor::Water),
    ("deep", Anchor::Deep),
    ("hand", Anchor::Hand),
];

struct Part {
    role: char,
    path: Path,
    /// Width of a line; 0 means filled.
    stroke: f32,
}

/// A drawing of a thing or a creature.
pub(crate) struct Shape {
    pub name: &'static str,
    /// Height in hundredths of an adult's.
    pub size: f32,
    pub anchor: Anchor,
    parts: Vec<Part>,
}

/// The position of a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    /// X of its middle, px.
    pub x: f32,
    /// Y of the ground, px.
    pub y: f32,
    /// Height of its box, px.
    pub height: f32,
    /// 1 faces right, -1 left.
    pub facing: f32,
    /// 0 far to 1 near.
    pub depth: f32,
}

/// The colors of a shape, for the roles that leave a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dye {
    /// Roles `A`, `D`, `L`.
    pub main: Color,
    /// Role `B`.
    pub second: Color,
}

/// The colors of the fixed roles by day.
const ROLES: [(char, Color); 14] = [
    ('K', Color::hex(0x2b2a33)),
    ('W', Color::hex(0xf2ecdd)),
    ('Y', Color::hex(0xffd873)),
    ('N', Color::hex(0x8a5f40)),
    ('M', Color::hex(0x8f98a3)),
    ('G', Color::hex(0x5f8f55)),
    ('S', Color::hex(0xb3a794)),
    ('R', Color::hex(0xb8483c)),
    ('U', Color::hex(0x56749a)),
    ('O', Color::hex(0xdd8a3d)),
    ('P', Color::hex(0xd98f96)),
    ('F', Color::hex(0xd9a57e)),
    ('C', Color::hex(0x9fc6cf)),
    ('E', Color::hex(0x17161c)),
];

/// Returns every shape of the tables.
pub(crate) fn shapes() -> &'static [Shape] {
    static SHAPES: OnceLock<Vec<Shape>> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let mut all = parse(include_str!("../data/things.txt"));
        all.extend(parse(include_str!("../data/places.txt")));
        all.extend(parse(include_str!("../data/animals.txt")));
        all
    })
}

/// Returns the shape of that name.
pub(crate) fn shape(name: &str) -> Option<&'static Shape> {
    shapes().iter().find(|s| s.name == name)
}

fn parse(text: &'static str) -> Vec<Shape> {
    let mut all: Vec<Shape> = Vec::new();
    for row in text.lines() {
        let mut words = row.split_whitespace();
        match words.next() {
            Some("=") => {
                let name = words.next().unwrap_or_default();
                let size = words.next().and_then(|w| w.parse().ok()).unwrap_or(100.0);
                let of = words.next().unwrap_or_default();
                let anchor = ANCHORS.iter().find(|a| a.0 == of);
                all.push(Shape {
                    name,
                    size,
                    anchor: anchor.map_or(Anchor::Ground, |a| a.1),
                    parts: Vec::new(),
                });
            }
            Some(kind @ ("p" | "t" | "e" | "l")) => {
                if let (Some(shape), Some(part)) = (all.last_mut(), part(kind, row)) {
                    shape.parts.push(part);
                }
            }
            _ => {}
        }
    }
    all
}

fn part(kind: &str, row: &str) -> Option<Part> {
    let mut rest = row.split_whitespace().skip(1);
    let role = rest.next()?.chars().next()?;
    let mut stroke = 0.0;
    if kind == "l" {
        stroke = rest.next()?.parse().ok()?;
    }
    let numbers =
        |word: &str| -> Vec<f32> { word.split(',').filter_map(|n| n.parse().ok()).collect() };
    let path = match kind {
        "t" => {
            let knots: Vec<[f32; 3]> = rest.filter_map(|w| numbers(w).try_into().ok()).collect();
            limb(&knots)
        }
        "e" => {
            let v = numbers(rest.next()?);
            let [cx, cy, rx, ry] = v.try_into().ok()?;
            PathBuilder::from_oval(tiny_skia::Rect::from_xywh(
                cx - rx,
                cy - ry,
                rx * 2.0,
                ry * 2.0,
            )?)
        }
        _ => outline(&rest.collect::<Vec<_>>().join(" ")),
    }?;
    Some(Part { role, path, stroke })
}

/// Parses a path of absolute `M L C Q Z`, as in SVG.
fn outline(text: &str) -> Option<Path> {
    let mut path = PathBuilder::new();
    let mut command = ' ';
    let mut held: Vec<f32> = Vec::new();
    let spaced: String = text
        .chars()
        .flat_map(|c| {
            let letter = c.is_ascii_alphabetic();
            let c = if c == ',' { ' ' } else { c };
            if letter { vec![' ', c, ' '] } else { vec![c] }
        })
        .collect();
    for word in spaced.split_whitespace() {
        if let Ok(number) = word.parse::<f32>() {
            held.push(number);
        } else {
            command = word.chars().next()?;
            held.clear();
        }
        match (command, held.as_slice()) {
            ('M', &[x, y]) => {
                path.move_to(x, y);
                command = 'L';
                held.clear();
            }
            ('L', &[x, y]) => {
                path.line_to(x, y);
                held.clear();
            }
            ('Q', &[a, b, x, y]) => {
                path.quad_to(a, b, x, y);
                held.clear();
            }
            ('C', &[a, b, c, d, x, y]) => {
                path.cubic_to(a, b, c, d, x, y);
                held.clear();
            }
            ('Z', _) => path.close(),
            _ => {}
        }
    }
    path.finish()
}

/// Returns the outline of a limb: a smooth curve through knots `x, y, radius`, as thick as their radii.
pub(crate) fn limb(knots: &[[f32; 3]]) -> Option<Path> {
    let spine = spine(knots);
    let (first, last) = (spine.first()?, spine.last()?);
    let mut left = Vec::with_capacity(spine.len() * 2 + 24);
    let mut right = Vec::with_capacity(spine.len());
    for (i, p) in spine.iter().enumerate() {
        let a = spine[i.saturating_sub(1)];
        let b = spine[(i + 1).min(spine.len() - 1)];
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = (dx * dx + dy * dy).sqrt().max(1e-4);
        let (nx, ny) = (-dy / length * p[2], dx / length * p[2]);
        left.push((p[0] + nx, p[1] + ny));
        right.push((p[0] - nx, p[1] - ny));
    }
    right.reverse();
    left.extend(right);
    let mut path = PathBuilder::new();
    add_polygon(&mut path, &left);
    for end in [first, last] {
        let round: Vec<(f32, f32)> = (0..20)
            .map(|i| {
                let turn = i as f32 / 20.0;
                (
                    end[0] + cos_turns(turn) * end[2],
                    end[1] + sin_turns(turn) * end[2],
                )
            })
            .collect();
        add_polygon(&mut path, &round);
    }
    path.finish()
}

/// Returns points between the knots by Catmull-Rom interpolation.
fn spine(knots: &[[f32; 3]]) -> Vec<[f32; 3]> {
    const STEPS: usize = 8;
    let n = knots.len();
    let mut points = Vec::with_capacity(n * STEPS + 1);
    for i in 0..n.saturating_sub(1) {
        let k = |j: usize| knots[j.min(n - 1)];
        let (a, b, c, d) = (k(i.saturating_sub(1)), k(i), k(i + 1), k(i + 2));
        for step in 0..STEPS {
            let t = step as f32 / STEPS as f32;
            points.push(std::array::from_fn(|e| {
                let v = 2.0 * b[e]
                    + (c[e] - a[e]) * t
                    + (2.0 * a[e] - 5.0 * b[e] + 4.0 * c[e] - d[e]) * t * t
                    + (3.0 * b[e] - a[e] - 3.0 * c[e] + d[e]) * t * t * t;
                v * 0.5
            }));
        }
    }
    points.extend(knots.last());
    for p in &mut points {
        p[2] = p[2].max(0.1);
    }
    points
}

/// Adds a polygon with a fixed orientation, so that overlapping ones join under the winding rule.
fn add_polygon(path: &mut PathBuilder, points: &[(f32, f32)]) {
    let n = points.len();
    let area: f32 = (0..n)
        .map(|i| {
            let (a, b) = (points[i], points[(i + 1) % n]);
            a.0 * b.1 - b.0 * a.1
        })
        .sum();
    let mut add = |i: usize, p: (f32, f32)| {
        if i == 0 {
            path.move_to(p.0, p.1);
        } else {
            path.line_to(p.0, p.1);
        }
    };
    if area >= 0.0 {
        points.iter().enumerate().for_each(|(i, p)| add(i, *p));
    } else {
        points
            .iter()
            .rev()
            .enumerate()
            .for_each(|(i, p)| add(i, *p));
    }
    path.close();
}

impl Stand {
    /// Returns the transform from the box of 100 to the frame.
    pub fn transform(&self) -> Transform {
        let s = self.height / 100.0;
        Transform::from_row(
            s * self.facing,
            0.0,
            0.0,
            s,
            self.x - 50.0 * s * self.facing,
            self.y - 100.0 * s,
        )
    }
}

impl Dye {
    /// Returns a role's own color, before any light.
    pub fn role(&self, role: char) -> Color {
        match role {
            'A' => self.main,
            'D' => self.main.scale(0.72),
            'L' => self.main.mix(Color::hex(0xfff3dc), 0.35),
            'B' => self.second,
            _ => ROLES
                .iter()
                .find(|r| r.0 == role)
                .map_or(Color::gray(0.5), |r| r.1),
        }
    }
}

impl Shape {
    /// Draws it, lit from the light's side.
    pub fn draw(&self, canvas: &mut Canvas, light: &Light, stand: &Stand, dye: &Dye) {
        for part in &self.parts {
            let Some(path) = part.path.clone().transform(stand.transform()) else {
                continue;
            };
            let shines = part.role == 'Y';
            let local = dye.role(part.role);
            let ink = if shines {
                Ink::Flat(light.lamp(local), 1.0)
            } else {
                shade(light, &path, local, stand.depth)
            };
            if part.stroke > 0.0 {
                canvas.stroke(&path, part.stroke * stand.height / 100.0, ink);
            } else {
                canvas.fill(&path, ink);
            }
            if shines && light.night {
                let b = path.bounds();
                let center = ((b.left() + b.right()) / 2.0, (b.top() + b.bottom()) / 2.0);
                let radius = b.width().max(b.height()).max(stand.height * 0.04) * 1.6;
                canvas.glow(center, radius, light.lamp(local), 0.4);
            }
        }
    }

    /// Draws a soft patch of shade under the shape.
    pub fn shadow(&self, canvas: &mut Canvas, light: &Light, stand: &Stand) {
        let reach = stand.height * 0.42;
        shadow(canvas, light, (stand.x, stand.y), reach);
    }
}

/// Draws a soft patch of shade on the ground, away from the light.
pub(crate) fn shadow(canvas: &mut Canvas, light: &Light, foot: (f32, f32), reach: f32) {
    let color = light.palette.dark;
    let x = foot.0 - light.side * reach * 0.35;
    for (k, alpha) in [(1.0, 0.16), (0.7, 0.18), (0.42, 0.2)] {
        canvas.ellipse(
            (x, foot.1),
            (reach * k, reach * k * 0.13),
            Ink::Flat(color, alpha),
        );
    }
}

/// Returns the fill of a part: lighter toward the light, darker and cooler away from it and toward the ground.
pub(crate) fn shade(light: &Light, path: &Path, local: Color, depth: f32) -> Ink {
    let b = path.bounds();
    let (near, far) = if light.side < 0.0 {
        (b.left(), b.right())
    } else {
        (b.right(), b.left())
    };
    Ink::Blend {
        from: (near, b.top()),
        to: (far, b.bottom()),
        colors: [
            light.air(light.lit(local, 1.0), depth),
            light.air(light.lit(local, 0.15), depth),
        ],
        alphas: [1.0, 1.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_part_and_every_name_is_there_once() {
        let text = [
            include_str!("../data/things.txt"),
            include_str!("../data/places.txt"),
            include_str!("../data/animals.txt"),
        ]
        .concat();
        for row in text.lines() {
            let kind = row.split_whitespace().next().unwrap_or("#");
            match kind {
                "=" => assert_eq!(row.split_whitespace().count(), 4, "{row}"),
                "#" => {}
                _ => {
                    let part = part(kind, row).expect(row);
                    let known =
                        "ADLB".contains(part.role) || ROLES.iter().any(|r| r.0 == part.role);
                    assert!(known, "{row}");
                }
            }
        }
        let mut names: Vec<_> = shapes().iter().map(|s| s.name).collect();
        assert!(shapes().iter().all(|s| !s.parts.is_empty()));
        names.sort_unstable();
        let n = names.len();
        names.dedup();
        assert_eq!(n, names.len());
    }
}
