//! Land as bands behind each other: a ridge line, its facets, grass or sand, and fog at the base.

use crate::canvas::Canvas;
use crate::color::Color;
use crate::light::Light;
use crate::noise::{Rng, cloudy, grain, smooth, wave};

/// The shape of a ridge line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Peaks,
    Volcano,
    Hills,
    Dunes,
    Mesas,
    Flat,
}

/// A band of land.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    pub form: Form,
    /// The mean y of its ridge, px.
    pub y: f32,
    /// How far it rises and falls, px.
    pub rise: f32,
    pub local: Color,
    /// 0 far to 1 near.
    pub depth: f32,
    /// How much of it is snow, 0 to 1.
    pub snow: f32,
    /// The lowest y at which it may be visible, px.
    pub foot: f32,
}

/// A ridge line: its y at each column, margin included, px.
pub(crate) struct Ridge {
    tops: Vec<f32>,
    margin: f32,
}

impl Ridge {
    /// Returns the y of the ridge at `x`, frame px.
    pub fn at(&self, x: f32) -> f32 {
        let i = (x + self.margin).max(0.0) as usize;
        let i = i.min(self.tops.len().saturating_sub(1));
        self.tops.get(i).copied().unwrap_or(0.0)
    }

    fn slope(&self, x: f32, step: f32) -> f32 {
        (self.at(x + step) - self.at(x - step)) / (2.0 * step)
    }
}

/// Builds the ridge line of a band.
pub(crate) fn ridge(canvas: &Canvas, band: &Band, rng: &mut Rng) -> Ridge {
    let seed = rng.bits() as u32;
    let scale = 1.0 / (canvas.u * 1000.0);
    let phase = rng.range(0.0, 100.0);
    let hero = canvas.w * rng.range(0.25, 0.75);
    let n = (canvas.w + 2.0 * canvas.margin) as usize + 2;
    let tops = (0..n)
        .map(|i| {
            let px = i as f32 - canvas.margin;
            let x = px * scale + phase;
            let v = match band.form {
                Form::Peaks => peaks(x, seed) * (0.7 + 0.45 * bump((px - hero) * scale * 3.0)),
                Form::Volcano => {
                    let d = ((px - hero) * scale * 2.6).abs();
                    let cone =
                        1.25 / (1.0 + 1.6 * d + 2.0 * d * d) + 0.04 * (wave(x * 60.0, seed) - 0.5);
                    cone.min(0.98 + 0.05 * wave(x * 40.0, seed))
                }
                Form::Hills => {
                    wave(x * 2.2, seed) * 0.66
                        + wave(x * 5.3, seed + 1) * 0.26
                        + wave(x * 60.0, seed + 2) * 0.02
                }
                Form::Dunes => dunes(x * 2.4, seed) * 0.8 + dunes(x * 5.1, seed + 9) * 0.2,
                Form::Mesas => mesas(x, seed),
                Form::Flat => wave(x * 3.0, seed) * 0.5 + wave(x * 90.0, seed + 1) * 0.06,
            };
            band.y + band.rise * (0.5 - v)
        })
        .collect();
    Ridge {
        tops,
        margin: canvas.margin,
    }
}

fn bump(x: f32) -> f32 {
    1.0 / (1.0 + x * x)
}

fn peaks(x: f32, seed: u32) -> f32 {
    let fold = |f: f32, s: u32| 1.0 - (2.0 * wave(x * f, seed + s) - 1.0).abs();
    fold(3.1, 0) * 0.55
        + fold(7.3, 1) * 0.26
        + fold(17.0, 2) * 0.12
        + fold(43.0, 3) * 0.06
        + wave(x * 110.0, seed + 4) * 0.03
}

/// Returns a profile with a long windward side and a short lee side.
fn dunes(x: f32, seed: u32) -> f32 {
    let x = x + 0.5 * wave(x * 0.7, seed + 3);
    let i = x.floor();
    let t = x - i;
    let rise = if t < 0.72 {
        smooth(0.0, 0.95, t) * 1.25
    } else {
        1.0 - smooth(0.72, 1.0, t)
    };
    let crest = 0.5 + 0.5 * wave(i * 1.7 + 0.5, seed);
    rise.min(1.0) * crest
}

fn mesas(x: f32, seed: u32) -> f32 {
    let n = wave(x * 3.4, seed) * 0.8 + wave(x * 8.0, seed + 1) * 0.2;
    let step = smooth(0.46, 0.5, n) * 0.55 + smooth(0.62, 0.65, n) * 0.35;
    step + 0.06 * wave(x * 30.0, seed + 2) + 0.05
}

/// Paints a band under its ridge.
pub(crate) fn paint(canvas: &mut Canvas, light: &Light, band: &Band, ridge: &Ridge) {
    let u = canvas.u;
    let noise = cloudy();
    let speck = grain();
    let fade = band.foot - (band.y - band.rise * 0.5);
    let rocky = matches!(band.form, Form::Peaks | Form::Volcano | Form::Mesas);
    let step = u * if rocky { 7.0 } else { 22.0 };
    let colors = tones(light, band);
    let from = band.y - band.rise * 1.2;
    let bottom = if canvas.is_layered() {
        canvas.h + canvas.margin
    } else {
        band.foot + u * 30.0
    };
    let shift = band.depth * 311.0;
    canvas.wash(from, bottom, |x, y| {
        let top = ridge.at(x);
        let cover = y - top + 0.5;
        if cover <= 0.0 {
            return (colors.lit, 0.0);
        }
        let v = y - top;
        let rough = noise.sample(x / (u * 3.2) + shift, y / (u * 4.4));
        let fine = noise.sample(x / (u * 0.9), y / (u * 0.8) + shift);
        let lit = if rocky {
            let left = noise.sample((x + v * 0.75) / (u * 1.7) + shift, v / (u * 5.0));
            let right = noise.sample((x - v * 0.75) / (u * 1.7) + shift, v / (u * 5.0));
            let bend = (rough - 0.5) * u * 16.0;
            let slope = ridge.slope(x + bend, step) * light.side / (1.0 + v / (u * 46.0));
            let facet = (left - right) * light.side * (0.5 + v / (v + u * 60.0));
            smooth(-0.16, 0.16, facet + slope * 0.5 + (fine - 0.5) * 0.1)
        } else {
            let slope = ridge.slope(x, step) * light.side;
            let rim = 1.0 / (1.0 + v / (u * 16.0));
            (0.42 + slope * 0.55 + rim * 0.34 + (rough - 0.5) * 0.36 + (fine - 0.5) * 0.16)
                .clamp(0.0, 1.0)
        };
        let mut c = colors.shade.mix(colors.lit, lit);
        if band.snow > 0.0 {
            let line = band.y + band.rise * (band.snow * 1.3 - 0.62);
            let snow = smooth(
                u * 9.0,
                -u * 9.0,
                y - line + (rough - 0.5) * band.rise * 0.5 + (fine - 0.5) * u * 40.0,
            );
            c = c.mix(colors.snow_shade.mix(colors.snow_lit, lit), snow);
        }
        let fog = smooth(0.1, 1.0, v / fade) * (1.0 - band.depth) * 0.62;
        let dust = speck.at(x as i32, y as i32) * 0.012;
        (c.mix(light.palette.haze, fog).lift(dust), cover.min(1.0))
    });
}

struct Tones {
    lit: Color,
    shade: Color,
    snow_lit: Color,
    snow_shade: Color,
}

fn tones(light: &Light, band: &Band) -> Tones {
    let snow = Color::hex(0xf7f5f2);
    let at = |c: Color, k: f32| light.air(light.lit(c, k), band.depth);
    Tones {
        lit: at(band.local.mix(light.palette.light, 0.12), 1.0),
        shade: at(band.local.scale(0.74), 0.0),
        snow_lit: at(snow, 1.0),
        snow_shade: at(snow.scale(0.9), 0.1),
    }
}

/// Ground that comes toward the viewer: from its ridge to the bottom of the picture, with strokes that grow toward the front.
pub(crate) struct Ground {
    pub local: Color,
    /// A second color in patches.
    pub patch: Color,
    pub y: f32,
    pub depth: f32,
    /// Strength of furrows that meet at the horizon, 0 to 1.
    pub furrows: f32,
}

/// Paints ground under a ridge.
pub(crate) fn ground(canvas: &mut Canvas, light: &Light, of: &Ground, ridge: &Ridge) {
    let u = canvas.u;
    let (noise, speck) = (cloudy(), grain());
    let (w, h) = (canvas.w, canvas.h);
    let bottom = h + canvas.margin;
    let at = |c: Color, k: f32, d: f32| light.air(light.lit(c, k), d);
    let far = [
        at(of.local.scale(0.8), 0.1, of.depth),
        at(of.local, 1.0, of.depth),
    ];
    let near = [at(of.local.scale(0.68), 0.1, 1.0), at(of.local, 1.0, 1.0)];
    let patch = [
        at(of.patch, 0.8, of.depth),
        at(of.patch.scale(0.8), 0.5, 1.0),
    ];
    let vanish = w * 0.5 + light.side * w * 0.15;
    canvas.wash(of.y - u * 80.0, bottom, |x, y| {
        let top = ridge.at(x);
        let cover = y - top + 0.5;
        if cover <= 0.0 {
            return (near[0], 0.0);
        }
        let d = ((y - top) / (h - of.y).max(1.0)).clamp(0.0, 1.0);
        let z = 1.0 / (d + 0.09);
        let gx = (x - vanish) * z / (u * 26.0);
        let broad = noise.sample(gx * 1.6 + 200.0, z * 16.0 + y / (u * 9.0));
        let fine = noise.sample(x / (u * (0.7 + 1.6 * d)), y / (u * (0.5 + 2.6 * d)));
        let rim = 1.0 / (1.0 + (y - top) / (u * 10.0));
        let mut lit = 0.5 + (broad - 0.5) * 0.95 + (fine - 0.5) * (0.22 + 0.34 * d) + rim * 0.25;
        if of.furrows > 0.0 {
            let furrow = wave((x - vanish) * z / (u * 24.0), 5);
            lit += (smooth(0.35, 0.65, furrow) - 0.5) * of.furrows * smooth(0.02, 0.2, d);
        }
        let shade = smooth(0.4, 1.0, d) * 0.24;
        let lit = (lit - shade * 0.8).clamp(0.0, 1.0);
        let c = far[0]
            .mix(far[1], lit)
            .mix(near[0].mix(near[1], lit), smooth(0.0, 0.55, d));
        let spots = smooth(0.56, 0.7, noise.sample(gx * 0.9 + 90.0, z * 9.0 + 300.0)) * 0.55;
        let c = c.mix(patch[0].mix(patch[1], d), spots);
        let c = c.mix(light.palette.dark, shade);
        (c.lift(speck.at(x as i32, y as i32) * 0.014), cover.min(1.0))
    });
}
