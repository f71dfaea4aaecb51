//! A lighthouse on its rock while the storm moves off.

use crate::brush::{Color, Point, add, glow, gradient, hex, light, mix, noise, ramp};

const HORIZON: f32 = 1.20;
const TOWER_X: f32 = 0.60;
const LAMP_Y: f32 = 0.585;
const FOOT_Y: f32 = 1.16;

pub fn color_at(p: Point) -> Color {
    let mut color = if p.y < HORIZON { sky(p) } else { water(p) };
    color = beams(p, color);
    color = rock(p, color);
    color = tower(p, color);
    let lamp = p.to(TOWER_X, LAMP_Y);
    light(
        color,
        hex(0xFF_E8B0),
        0.75 * glow(lamp, 0.022) + 0.22 * glow(lamp, 0.11),
    )
}

fn sky(p: Point) -> Color {
    let color = gradient(
        &[
            (0.0, hex(0x0B_1B2E)),
            (0.45, hex(0x1D_3E55)),
            (0.85, hex(0x4E_7A86)),
            (1.08, hex(0xC9_A98A)),
            (HORIZON, hex(0xF5_B97A)),
        ],
        p.y,
    );
    let bend = noise::fractal(p.x * 1.6, p.y * 2.2, 41, 4);
    let cloud = noise::fractal(p.x * 1.9 + bend * 0.5, p.y * 4.6 + bend * 0.8, 43, 7);
    let under = noise::fractal(
        p.x * 1.9 + bend * 0.5,
        (p.y + 0.03) * 4.6 + bend * 0.8,
        43,
        7,
    );
    let cover = ramp(-0.10, 0.16, cloud + 0.12 * ramp(0.9, 0.2, p.y));
    let lit = ramp(-0.02, 0.12, cloud - under);
    let dark = gradient(
        &[
            (0.0, hex(0x0A_1522)),
            (0.7, hex(0x24_3B4B)),
            (1.15, hex(0x6E_6A70)),
        ],
        p.y,
    );
    let bright = gradient(
        &[
            (0.0, hex(0x2F_5064)),
            (0.7, hex(0x86_8C8C)),
            (1.15, hex(0xFF_C48A)),
        ],
        p.y,
    );
    mix(color, mix(dark, bright, lit), cover * 0.86)
}

/// Two beams, opposite each other, that thin out with distance.
fn beams(p: Point, color: Color) -> Color {
    let (dx, dy) = (p.x - TOWER_X, p.y - LAMP_Y);
    let distance = dx.hypot(dy);
    let tilt = -0.20_f32;
    let (along, off) = (
        dx * tilt.cos() + dy * tilt.sin(),
        dy * tilt.cos() - dx * tilt.sin(),
    );
    let width = 0.010 + 0.13 * along.abs();
    let shape = (-(off / width).powi(2) * 2.2).exp() * ramp(0.0, 0.05, distance);
    let dust = 0.8 + 0.7 * noise::fractal(p.x * 5.0, p.y * 9.0, 47, 4);
    let reach = if along < 0.0 { 0.75 } else { 0.6 };
    light(
        color,
        hex(0xFF_EDBE),
        shape * dust * reach * (-distance * 1.35).exp(),
    )
}

fn water(p: Point) -> Color {
    let near = ((p.y - HORIZON) / (1.78 - HORIZON)).clamp(0.001, 1.0);
    let depth = 0.06 / (near + 0.025);
    let swell = noise::fractal(p.x * depth * 5.0 + 9.0, depth * 16.0, 53, 5);
    let fine = noise::fractal(p.x * depth * 26.0, depth * 70.0, 59, 3);
    let color = gradient(
        &[
            (0.0, hex(0xD9_A57C)),
            (0.10, hex(0x6F_8488)),
            (0.40, hex(0x24_4A5A)),
            (1.0, hex(0x08_1E2C)),
        ],
        near,
    );
    let color = add(
        color,
        hex(0x9C_C4C8),
        (swell * 0.55 + fine * 0.30) * (0.25 + 0.5 * near),
    );
    let foam = ramp(0.20, 0.34, swell + fine * 0.4) * near;
    let across = (-((p.x - TOWER_X + swell * 0.1) / (0.03 + 0.12 * near)).powi(2)).exp();
    let color = light(
        color,
        hex(0xFF_DFA6),
        across * ramp(0.0, 0.2, fine + swell * 0.5) * 0.6 * (1.0 - 0.6 * near),
    );
    mix(color, hex(0xCF_DEDC), foam * 0.6)
}

fn rock(p: Point, behind: Color) -> Color {
    let away = (p.x - TOWER_X - 0.05).abs();
    let jag = noise::fractal(p.x * 6.0, 0.0, 63, 6);
    let top = FOOT_Y - 0.02 + 1.15 * (away - 0.10).max(0.0).powf(1.25)
        - 0.16 * jag * ramp(0.04, 0.22, away);
    let bottom = 1.46 + 0.05 * noise::fractal(p.x * 4.0, 7.0, 65, 4);
    let facet = noise::fractal(p.x * 9.0 + p.y * 5.0, p.y * 7.0 - p.x * 4.0, 67, 6);
    let lit = ramp(-0.12, 0.25, facet + 0.10 * (TOWER_X - p.x));
    let color = mix(hex(0x0A_1119), hex(0x47_4A4E), lit);
    let color = mix(
        color,
        hex(0xE7_B183),
        0.40 * lit * ramp(0.05, 0.0, p.y - top),
    );
    // Spray where the swell breaks.
    let spray = noise::fractal(p.x * 14.0, p.y * 14.0, 69, 5);
    let wet =
        (-((p.y - bottom) / 0.030).powi(2)).exp() * ramp(-0.15, 0.2, spray) * ramp(0.62, 0.4, away);
    let cover = ramp(-0.0015, 0.0015, p.y - top) * ramp(0.012, -0.012, p.y - bottom + spray * 0.05);
    light(mix(behind, color, cover), hex(0xE3_EEEC), wet * 0.75)
}

fn tower(p: Point, behind: Color) -> Color {
    let x = p.x - TOWER_X;
    let soft = 0.0012;
    let block = |half: f32, from: f32, to: f32| {
        ramp(half + soft, half - soft, x.abs())
            * ramp(from - soft, from + soft, p.y)
            * ramp(to + soft, to - soft, p.y)
    };
    let body_top = LAMP_Y + 0.045;
    let t = ((p.y - body_top) / (FOOT_Y - body_top)).clamp(0.0, 1.0);
    let half = 0.036 + 0.030 * t.powf(1.4);
    // Round: dark on the right, warm rim on the left.
    let turn = (x / half).clamp(-1.0, 1.0);
    let shade = 0.92 - 0.30 * turn - 0.34 * turn.max(0.0).powi(2);
    let band = (t * 5.0).floor() as i32 % 2 == 1;
    let paint = if band { hex(0xA8_3430) } else { hex(0xE6_DFD2) };
    let wear = noise::fractal(p.x * 60.0, p.y * 18.0, 73, 4);
    let wall = paint.map(|c| c * (shade + wear * 0.12) * 0.80);
    let mut color = mix(behind, wall, block(half, body_top, FOOT_Y + 0.02));
    for (y, height) in [(0.20, 0.022), (0.52, 0.024)] {
        let center = body_top + (FOOT_Y - body_top) * y;
        let pane = ramp(0.0075, 0.0060, (x + 0.004).abs())
            * ramp(height / 2.0, height / 2.0 - 0.002, (p.y - center).abs());
        color = mix(color, hex(0xFF_C873), pane);
    }
    let iron = hex(0x14_1C24);
    color = mix(color, iron, block(0.056, LAMP_Y + 0.034, LAMP_Y + 0.046));
    let rail = block(0.056, LAMP_Y + 0.012, LAMP_Y + 0.0145).max(
        block(0.056, LAMP_Y + 0.014, LAMP_Y + 0.034)
            * ramp(0.30, 0.42, ((x / 0.0085).fract().abs() - 0.5).abs()),
    );
    color = mix(color, iron, rail);
    color = mix(
        color,
        hex(0xFF_F4D2),
        block(0.027, LAMP_Y - 0.030, LAMP_Y + 0.034),
    );
    let bars = ((x / 0.018 + 0.5).fract().abs() - 0.5).abs();
    color = mix(
        color,
        iron,
        block(0.027, LAMP_Y - 0.030, LAMP_Y + 0.034) * ramp(0.44, 0.48, bars) * 0.8,
    );
    // The roof: a dome with a knob.
    let dome = 0.034 * (1.0 - ((LAMP_Y - 0.030 - p.y) / 0.034).clamp(0.0, 1.0).powi(2)).sqrt();
    color = mix(color, iron, block(dome, LAMP_Y - 0.064, LAMP_Y - 0.028));
    mix(
        color,
        iron,
        ramp(0.0075, 0.0060, p.to(TOWER_X, LAMP_Y - 0.068)).max(block(
            0.0016,
            LAMP_Y - 0.105,
            LAMP_Y - 0.064,
        )),
    )
}
