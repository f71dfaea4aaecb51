//! Outdoor places, step by step from far to near.

use crate::brief::Brief;
use crate::canvas::{Canvas, Ink};
use crate::city::{Skyline, skyline, street, village};
use crate::color::Color;
use crate::light::Light;
use crate::noise::{Rng, cos_turns, sin_turns, smooth, wave};
use crate::places::{Place, Step, Tint};
use crate::plants::{blossom, draw as plant, tuft};
use crate::shape::{Dye, Stand, shape};
use crate::subjects::{self, Floor};
use crate::terrain::{Band, Form, Ground, Ridge, ground, paint as paint_band, ridge};
use crate::vocabulary::Weather;
use crate::water::{Water, paint as paint_water};

/// Returns the color of a kind of land.
pub(crate) fn tint(tint: Tint, season: &str) -> Color {
    let winter = season == "winter";
    let autumn = season == "autumn";
    Color::hex(match tint {
        Tint::Grass | Tint::Wheat | Tint::Wood if winter => 0xe9eef2,
        Tint::Grass if autumn => 0xb59a4c,
        Tint::Grass if season == "spring" => 0x93bd5f,
        Tint::Grass => 0x7fa657,
        Tint::Wood if autumn => 0xb56a38,
        Tint::Wood => 0x4f7f5a,
        Tint::Rock => 0x857f92,
        Tint::RedRock => 0xb5684a,
        Tint::Sand => 0xe6c38a,
        Tint::Snow => 0xeef2f5,
        Tint::Ash => 0x5f5a60,
        Tint::Soil => 0x8d6a4c,
        Tint::Wheat if autumn => 0xc9a24f,
        Tint::Wheat => 0xd9bd62,
        Tint::Pave => 0xa39d98,
    })
}

/// The state between the steps of a place.
pub(crate) struct Painter<'a> {
    pub light: &'a Light,
    pub brief: &'a Brief,
    pub place: &'a Place,
    /// Shift of the horizon, as a fraction of the height.
    pub drift: f32,
    pub depth: f32,
    pub ridge: Option<Ridge>,
    pub local: Color,
}

impl Painter<'_> {
    /// Paints one step of the place.
    pub fn step(&mut self, canvas: &mut Canvas, i: usize, rng: &mut Rng) {
        let n = self.place.steps.len() as f32;
        let h = canvas.h;
        match self.place.steps[i] {
            Step::Band(form, y, rise, of, snow) => {
                self.depth = 0.17 + 0.66 * (i as f32 / n);
                self.local = tint(of, self.brief.season);
                let winter = self.brief.season == "winter" && form == Form::Peaks;
                let band = Band {
                    form,
                    y: h * (y + self.drift),
                    rise: h * rise * rng.range(0.8, 1.2),
                    local: self.local,
                    depth: self.depth,
                    snow: if winter { snow.max(0.9) } else { snow },
                    foot: h * (self.next_height(i) + self.drift + 0.05),
                };
                canvas.layer("land", self.depth);
                let line = ridge(canvas, &band, rng);
                paint_band(canvas, self.light, &band, &line);
                self.ridge = Some(line);
            }
            Step::Trees(kind, height, dense) => self.trees(canvas, (kind, height, dense), rng),
            Step::Skyline(y, height) => {
                self.depth = 0.24 + 0.7 * (i as f32 / n);
                canvas.layer("city", self.depth);
                let of = Skyline {
                    y: h * (y + self.drift),
                    height: h * height,
                    depth: self.depth,
                };
                skyline(canvas, self.light, &of, rng);
            }
            Step::Village(height) => {
                if let Some(ridge) = &self.ridge {
                    village(canvas, self.light, (ridge, h * height, self.depth), rng);
                }
            }
            Step::Water(y, rough) => self.water(canvas, (i, y, rough)),
            Step::Ground(y, of, patch, furrows) => {
                let season = self.brief.season;
                let of = Ground {
                    local: tint(of, season),
                    patch: tint(patch, season),
                    y: h * (y + self.drift),
                    depth: 0.62,
                    furrows,
                };
                self.ground(canvas, &of, rng);
            }
            Step::Street(y) => self.street(canvas, h * (y + self.drift), rng),
            Step::Path => self.path(canvas, rng),
            Step::Meadow(flowers) => self.meadow(canvas, flowers, rng),
            Step::Stones => self.stones(canvas, rng),
            Step::Landmark(name, height) => self.landmark(canvas, (name, height), rng),
        }
    }

    /// Paints a street that ends at `y` px, and the buildings named by the words at its end.
    fn street(&self, canvas: &mut Canvas, y: f32, rng: &mut Rng) {
        subjects::distant(canvas, self.light, self.brief, &Floor { y, depth: 0.4 });
        canvas.layer("street", 0.6);
        street(canvas, self.light, y, rng);
    }

    /// Paints water and what floats on it. `of` is the step's index, the water's height and its roughness.
    fn water(&mut self, canvas: &mut Canvas, of: (usize, f32, f32)) {
        let (i, y, rough) = of;
        let h = canvas.h;
        canvas.layer("water", 0.5);
        self.depth = 0.5;
        let wild = matches!(self.brief.weather, Weather::Storm | Weather::Wind);
        let water = Water {
            y: h * (y + self.drift),
            rough: if wild { 1.0 } else { rough },
            foot: h * (self.next_height(i) + self.drift + 0.06),
        };
        paint_water(canvas, self.light, &water);
        let floor = Floor {
            y: water.y,
            depth: 0.62,
        };
        subjects::afloat(canvas, self.light, self.brief, &floor);
    }

    /// Paints ground, and the buildings named by the words on its far edge.
    fn ground(&mut self, canvas: &mut Canvas, of: &Ground, rng: &mut Rng) {
        let h = canvas.h;
        self.depth = 0.66;
        self.local = of.local;
        canvas.layer("ground", 0.7);
        let band = Band {
            form: Form::Flat,
            y: of.y,
            rise: h * 0.04,
            local: of.local,
            depth: 0.6,
            snow: 0.0,
            foot: h,
        };
        let line = ridge(canvas, &band, rng);
        let edge = Floor {
            y: of.y + h * 0.008,
            depth: 0.5,
        };
        subjects::distant(canvas, self.light, self.brief, &edge);
        ground(canvas, self.light, of, &line);
        self.ridge = Some(line);
    }

    /// Returns where the next covering step begins, as a fraction of the height.
    fn next_height(&self, i: usize) -> f32 {
        let later = self.place.steps[i + 1..].iter();
        later
            .filter_map(|s| match s {
                Step::Band(_, y, rise, _, _) => Some(y + rise * 0.5),
                Step::Ground(y, ..) => Some(y + 0.04),
                Step::Water(y, _) | Step::Street(y) => Some(*y),
                _ => None,
            })
            .next()
            .unwrap_or(1.0)
    }

    fn trees(&self, canvas: &mut Canvas, of: (&str, f32, f32), rng: &mut Rng) {
        let (kind, height, dense) = of;
        let Some(line) = &self.ridge else {
            return;
        };
        let h = canvas.h * height;
        let mut stands: Vec<(f32, f32, f32, bool)> = Vec::new();
        let n = ((canvas.w * dense / (h * 0.26)) as usize).clamp(3, 240);
        let knot = rng.range(0.0, 50.0);
        for _ in 0..n {
            let x = rng.range(-0.06, 1.06) * canvas.w;
            let group = wave(x / (canvas.u * 120.0) + knot, 3);
            if group + dense * 0.75 < 0.62 {
                continue;
            }
            let down = rng.unit() * rng.unit() * h * 0.4;
            stands.push((
                x,
                line.at(x) + down + h * 0.03,
                h * rng.range(0.55, 1.2),
                rng.chance(0.4),
            ));
        }
        stands.sort_by(|a, b| a.1.total_cmp(&b.1));
        for (x, y, height, other) in stands {
            let stand = Stand {
                x,
                y,
                height,
                facing: 1.0,
                depth: (self.depth + 0.07).min(0.95),
            };
            let name = match kind {
                "mixed" if other => "pine",
                "mixed" => "tree",
                _ => kind,
            };
            plant(canvas, self.light, &stand, (name, self.brief.season, rng));
        }
    }

    /// Paints a winding path from the front to the horizon.
    fn path(&self, canvas: &mut Canvas, rng: &mut Rng) {
        let Some(line) = &self.ridge else {
            return;
        };
        let sand = tint(Tint::Sand, "").mix(self.local, 0.25);
        let (w, h) = (canvas.w, canvas.h + canvas.margin);
        let goal = w * rng.range(0.3, 0.7);
        let start = w * rng.range(0.2, 0.8);
        let y0 = line.at(goal) + 1.0;
        let bend = rng.sign() * w * 0.16;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for i in 0..=40 {
            let t = i as f32 / 40.0;
            let d = t * t;
            let y = y0 + (h - y0) * d;
            let x = goal + (start - goal) * t + bend * sin_turns(t * 0.9) * (0.25 + 0.75 * t);
            let half = w * (0.006 + 0.15 * d);
            let ragged = 1.0 + 0.16 * (wave(t * 9.0, 77) - 0.5);
            left.push((x - half * ragged, y));
            right.push((x + half * (2.0 - ragged), y));
        }
        right.reverse();
        left.extend(right);
        let light = self.light;
        let ink = Ink::Blend {
            from: (0.0, y0),
            to: (0.0, h),
            colors: [
                light.at(sand, 0.66),
                light.at(sand, 1.0).mix(light.palette.dark, 0.3),
            ],
            alphas: [0.95, 0.85],
        };
        canvas.polygon(&left, ink);
    }

    fn meadow(&self, canvas: &mut Canvas, flowers: f32, rng: &mut Rng) {
        let Some(line) = &self.ridge else {
            return;
        };
        let light = self.light;
        let petals = [0xe8605a, 0xf2c14e, 0xf3ecdd, 0xd98ab0, 0x8f7fd0].map(Color::hex);
        let mut family = [light.palette.accent, petals[0]];
        family[1] = rng.pick(&petals).unwrap_or(petals[0]);
        let n = (120.0 * (canvas.w / canvas.u / 750.0)) as usize + 40;
        for i in 0..n {
            let t = i as f32 / n as f32;
            let d = 0.04 + 0.96 * t * t;
            let x = rng.range(-0.04, 1.04) * canvas.w;
            let top = line.at(x);
            let y = top + (canvas.h - top) * d;
            let size = canvas.u * (5.0 + 52.0 * d);
            let shade = light.at(self.local.scale(rng.range(0.55, 0.9)), 0.6 + 0.4 * d);
            let shade = shade.mix(light.palette.dark, smooth(0.4, 1.0, d) * 0.4);
            tuft(canvas, (x, y), (size, shade, 4), rng);
            if rng.chance(flowers * 0.75) && self.brief.season != "winter" {
                let c = light.at(rng.pick(&family).unwrap_or(petals[0]), 0.7 + 0.3 * d);
                blossom(canvas, (x + size * 0.3, y), (size * 0.85, c, shade), rng);
            }
        }
    }

    fn stones(&self, canvas: &mut Canvas, rng: &mut Rng) {
        let Some(line) = &self.ridge else {
            return;
        };
        let base = if self.brief.place == "ice" {
            Color::hex(0xdfe9f0)
        } else {
            tint(Tint::Rock, "").mix(self.local, 0.25)
        };
        for i in 0..22 {
            let d = (i as f32 / 22.0) * (i as f32 / 22.0);
            let x = rng.range(-0.02, 1.02) * canvas.w;
            let y = line.at(x) + (canvas.h - line.at(x)) * (0.03 + 0.95 * d);
            let r = canvas.u * (6.0 + 62.0 * d) * rng.range(0.5, 1.2);
            let points: Vec<(f32, f32)> = (0..9)
                .map(|k| {
                    let turn = 0.5 + k as f32 / 16.0;
                    let reach = r * rng.range(0.8, 1.1);
                    (
                        x + cos_turns(turn) * reach,
                        y + sin_turns(turn) * reach * 0.6,
                    )
                })
                .collect();
            let light = self.light;
            let dark = smooth(0.3, 1.0, d) * 0.4;
            let at = |k: f32| {
                light
                    .air(light.lit(base, k), 0.7 + 0.3 * d)
                    .mix(light.palette.dark, dark)
            };
            let ink = Ink::Blend {
                from: (x + light.side * r, y - r * 0.6),
                to: (x - light.side * r, y),
                colors: [at(0.9), at(0.05).scale(0.8)],
                alphas: [1.0, 1.0],
            };
            canvas.polygon(&points, ink);
        }
    }

    fn landmark(&self, canvas: &mut Canvas, of: (&str, f32), rng: &mut Rng) {
        let (name, height) = of;
        let x = canvas.w
            * if rng.chance(0.5) {
                rng.range(0.06, 0.3)
            } else {
                rng.range(0.7, 0.94)
            };
        let base = self
            .ridge
            .as_ref()
            .map_or(canvas.h * (self.place.floor - 0.05), |line| line.at(x));
        let stand = Stand {
            x,
            y: base + canvas.h * 0.02,
            height: canvas.h * height,
            facing: rng.sign(),
            depth: (self.depth + 0.1).min(0.9),
        };
        match shape(name) {
            Some(shape) => {
                let roof = Color::hex(0xa85a44);
                shape.draw(
                    canvas,
                    self.light,
                    &stand,
                    &Dye {
                        main: roof,
                        second: roof,
                    },
                );
            }
            None => plant(canvas, self.light, &stand, (name, self.brief.season, rng)),
        }
    }
}
