//! A city across the river at night, window by window.

use crate::brush::{Color, Point, add, gradient, hex, light, mix, noise, ramp, stars};

const WATERLINE: f32 = 1.34;

/// A row of houses, from the farthest to the nearest.
struct Row {
    /// Width of a house's lot.
    lot: f32,
    /// Height of the tallest above the waterline.
    tall: f32,
    /// Width of a window with its wall.
    window: f32,
    wall: u32,
    seed: i32,
}

const ROWS: [Row; 4] = [
    Row {
        lot: 0.055,
        tall: 0.78,
        window: 0.0052,
        wall: 0x3A_3466,
        seed: 1,
    },
    Row {
        lot: 0.085,
        tall: 0.66,
        window: 0.0075,
        wall: 0x27_2752,
        seed: 2,
    },
    Row {
        lot: 0.120,
        tall: 0.46,
        window: 0.0105,
        wall: 0x18_1B3E,
        seed: 3,
    },
    Row {
        lot: 0.160,
        tall: 0.24,
        window: 0.0150,
        wall: 0x0C_1029,
        seed: 4,
    },
];

pub fn color_at(p: Point) -> Color {
    if p.y < WATERLINE { shore(p) } else { river(p) }
}

fn shore(p: Point) -> Color {
    let mut color = sky(p);
    for row in &ROWS {
        color = houses(row, p, color);
        let haze = 0.30 * ramp(WATERLINE - 0.40, WATERLINE, p.y) * (1.0 - row.seed as f32 / 4.0);
        color = mix(color, hex(0xB0_5C86), haze);
    }
    // The promenade's lamps.
    let lamp = ((p.x * 26.0).fract() - 0.5) / 26.0;
    let distance = lamp.hypot(p.y - (WATERLINE - 0.022));
    color = light(
        color,
        hex(0xFF_D79A),
        (-(distance / 0.0032).powi(2)).exp() + 0.30 * (-(distance / 0.013).powi(2)).exp(),
    );
    mix(
        color,
        hex(0x05_0816),
        ramp(WATERLINE - 0.010, WATERLINE - 0.008, p.y),
    )
}

fn sky(p: Point) -> Color {
    let color = gradient(
        &[
            (0.0, hex(0x05_0A24)),
            (0.40, hex(0x14_1B4D)),
            (0.80, hex(0x4A_3277)),
            (1.1, hex(0xA2_4E7E)),
            (WATERLINE, hex(0xF0_8A6C)),
        ],
        p.y,
    );
    let cloud = noise::fractal(p.x * 1.8, p.y * 6.0, 71, 5);
    let color = mix(
        color,
        hex(0x8E_4C82),
        ramp(0.02, 0.35, cloud) * 0.45 * ramp(0.1, 0.7, p.y),
    );
    add(color, [1.0, 0.97, 0.92], stars(p, 3) * ramp(0.7, 0.1, p.y))
}

/// The houses of a row over what lies behind.
fn houses(row: &Row, p: Point, behind: Color) -> Color {
    let shifted = p.x / row.lot + row.seed as f32 * 0.37;
    let lot = shifted.floor() as i32;
    let within = shifted - shifted.floor();
    let pick = |salt: i32| noise::lattice(lot, salt, 200 + row.seed);
    let middle = 1.0 - ((lot as f32 + 0.5 - row.seed as f32 * 0.37) * row.lot - 0.52).abs() * 1.1;
    let height = row.tall * (0.30 + 0.70 * pick(0)) * middle.max(0.35);
    let (left, right) = (0.02 + 0.10 * pick(1), 0.98 - 0.10 * pick(2));
    let (top, stepped) = (WATERLINE - height, pick(3) > 0.45);
    let inset = if stepped && p.y < top + height * 0.16 {
        0.17
    } else {
        0.0
    };
    let edge = 0.0008 / row.lot;
    let side = ramp(left + inset - edge, left + inset + edge, within)
        * ramp(right - inset + edge, right - inset - edge, within);
    let cover = side * ramp(top - 0.0008, top + 0.0008, p.y);
    let mut color = behind;
    if stepped && pick(4) > 0.4 {
        color = antenna(
            Point {
                x: (within - 0.5) * row.lot,
                y: p.y - top,
            },
            row,
            color,
        );
    }
    let shade = 0.75 + 0.5 * (within - left) / (right - left);
    let wall = hex(row.wall).map(|c| c * shade);
    mix(
        color,
        facade(
            row,
            lot,
            Point {
                x: within * row.lot,
                y: p.y - top,
            },
            wall,
        ),
        cover,
    )
}

/// A wall with its windows, some of them lit.
fn facade(row: &Row, lot: i32, at: Point, wall: Color) -> Color {
    let (w, h) = (row.window, row.window * 1.5);
    let (column, floor) = ((at.x / w).floor() as i32, (at.y / h).floor() as i32);
    let (u, v) = ((at.x / w).fract(), (at.y / h).fract());
    let pane =
        ramp(0.14, 0.24, u) * ramp(0.86, 0.76, u) * ramp(0.20, 0.30, v) * ramp(0.84, 0.74, v);
    let id = lot * 1000 + column;
    let busy = noise::lattice(lot, floor / 5, 300 + row.seed);
    let chance = noise::lattice(id, floor, 310 + row.seed);
    if floor < 1 || chance > 0.14 + 0.36 * busy {
        return mix(wall, wall.map(|c| c * 0.72), pane);
    }
    let warmth = noise::lattice(id, floor, 320 + row.seed);
    let lamp = gradient(
        &[
            (0.0, hex(0xFF_9E4F)),
            (0.45, hex(0xFF_CF87)),
            (0.8, hex(0xFF_EFCF)),
            (1.0, hex(0xBF_E3FF)),
        ],
        warmth,
    );
    let bright = 0.45 + 0.55 * noise::lattice(id, floor, 330 + row.seed);
    light(mix(wall, lamp, pane * bright), lamp, 0.05 * bright)
}

/// A mast with a red lamp.
fn antenna(at: Point, row: &Row, behind: Color) -> Color {
    let mast = 0.34 * row.lot;
    let stem = ramp(0.0012, 0.0006, at.x.abs()) * ramp(-mast, -mast + 0.001, at.y);
    let color = mix(behind, hex(row.wall), stem);
    let lamp = at.x.hypot(at.y + mast);
    light(
        color,
        hex(0xFF_4A3D),
        (-(lamp / 0.0022).powi(2)).exp() + 0.35 * (-(lamp / 0.008).powi(2)).exp(),
    )
}

/// The shore upside down, drawn out by the ripples.
fn river(p: Point) -> Color {
    let below = p.y - WATERLINE;
    let near = below / (1.78 - WATERLINE);
    let wave = noise::fractal(
        p.x * (9.0 - 5.0 * near),
        below * 90.0 / (0.35 + near),
        61,
        4,
    );
    let sway = wave * (0.010 + 0.034 * near);
    let mut color = [0.0; 3];
    // Ripples smear reflections along the line of sight.
    for tap in 0..5 {
        let reach = below * (0.82 + 0.17 * tap as f32) + wave * 0.05 * (0.2 + near);
        color = add(
            color,
            shore(Point {
                x: p.x + sway,
                y: (WATERLINE - 0.012 - reach).max(0.0),
            }),
            0.2,
        );
    }
    let color = mix(color, hex(0x07_0C26), 0.10 + 0.38 * near);
    light(color, hex(0xE5_8AA0), 0.14 * ramp(0.10, 0.30, wave))
}
