//! Evening over the sea: afterglow, moon, and its path on the water.

use crate::brush::{Color, Point, add, glow, gradient, hex, light, mix, noise, ramp, stars};

const HORIZON: f32 = 0.98;
const MOON: Point = Point { x: 0.64, y: 0.42 };
const MOON_RADIUS: f32 = 0.066;

pub fn color_at(p: Point) -> Color {
    let picture = if p.y < HORIZON { sky(p) } else { water(p) };
    shore(p, picture)
}

fn sky(p: Point) -> Color {
    let color = gradient(
        &[
            (0.0, hex(0x0A_1030)),
            (0.35, hex(0x1C_1F55)),
            (0.62, hex(0x55_3A77)),
            (0.80, hex(0xB8_5F7C)),
            (0.91, hex(0xEE_8F6E)),
            (HORIZON, hex(0xFF_CB8A)),
        ],
        p.y,
    );
    let color = add(color, hex(0xFF_F4E0), stars(p, 7) * ramp(0.75, 0.1, p.y));
    moon(p, clouds(p, color))
}

/// Long, thin clouds, lit from below near the horizon.
fn clouds(p: Point, sky: Color) -> Color {
    let bend = noise::fractal(p.x * 2.0, p.y * 3.0, 11, 3);
    let field = noise::fractal(p.x * 1.7 + bend, p.y * 9.0 + bend * 2.0, 5, 6);
    let cover = ramp(0.02, 0.30, field + 0.16 * ramp(0.3, 0.9, p.y)) * ramp(0.12, 0.5, p.y);
    let lit = gradient(
        &[
            (0.2, hex(0x38_3566)),
            (0.7, hex(0xA5_5580)),
            (0.88, hex(0xFF_9A73)),
            (0.97, hex(0xFF_D9A0)),
        ],
        p.y,
    );
    mix(sky, lit, cover * 0.75)
}

fn moon(p: Point, sky: Color) -> Color {
    let distance = p.to(MOON.x, MOON.y);
    let halo = light(
        sky,
        hex(0xFF_E9C8),
        0.42 * glow(distance, 0.07) + 0.16 * glow(distance, 0.25),
    );
    let seas = noise::fractal(p.x * 22.0, p.y * 22.0, 21, 4);
    let face = mix(hex(0xFF_F3DC), hex(0xE4_CBB4), ramp(0.0, 0.22, seas));
    mix(
        halo,
        face,
        ramp(MOON_RADIUS + 0.0012, MOON_RADIUS - 0.0012, distance),
    )
}

fn water(p: Point) -> Color {
    // 1 at the shore, 0 at the horizon: waves grow and spread with nearness.
    let near = ((p.y - HORIZON) / (1.78 - HORIZON)).clamp(0.0005, 1.0);
    let depth = 0.055 / (near + 0.02);
    let wave = noise::fractal(p.x * depth * 7.0 + 3.0, depth * 21.0, 31, 4);
    let ripple = noise::fractal(p.x * depth * 30.0, depth * 85.0, 37, 3);
    let swing = wave * 0.5 + ripple * 0.35;
    let mirrored =
        (HORIZON - (p.y - HORIZON) * 0.9 + swing * 0.36 * near.powf(0.6)).clamp(0.0, HORIZON);
    let seen = gradient(
        &[
            (0.0, hex(0x0A_1030)),
            (0.35, hex(0x1C_1F55)),
            (0.62, hex(0x50_3672)),
            (0.80, hex(0xA6_5776)),
            (0.93, hex(0xE5_8C70)),
            (HORIZON, hex(0xFF_C489)),
        ],
        mirrored,
    );
    let color = mix(seen, hex(0x0D_1638), 0.25 + 0.45 * near);
    let color = add(color, [1.0; 3], 0.10 * ripple * (0.3 + near));
    // The moon's path: sparks where a wave leans the right way.
    let spread = 0.035 + 0.14 * near;
    let across = (-((p.x - MOON.x + wave * 0.08) / spread).powi(2)).exp();
    let spark = ramp(0.02, 0.16, ripple + wave * 0.5) * across * (1.0 - 0.45 * near);
    light(color, hex(0xFF_E6BF), spark * 0.95 + across * 0.10)
}

/// Dark stones in the near corner keep the eye in the picture.
fn shore(p: Point, picture: Color) -> Color {
    let bumps = noise::fractal(p.x * 5.0, 0.0, 51, 6);
    let top = 1.66 + 0.13 * (p.x - 0.1).powi(2) * 4.0 - 0.10 * bumps - 0.07 * ramp(0.45, 0.0, p.x);
    let stone = noise::fractal(p.x * 16.0, p.y * 16.0, 57, 5);
    let rim = ramp(0.035, 0.0, p.y - top) * ramp(0.0, 0.25, stone + 0.08);
    let color = mix(
        mix(hex(0x0A_0D1F), hex(0x1B_1F3B), stone + 0.4),
        hex(0xC4_7C74),
        rim * 0.55,
    );
    mix(
        picture,
        color,
        ramp(-0.0015, 0.0015, p.y - top + 0.004 * stone),
    )
}
