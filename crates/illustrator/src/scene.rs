//! A picture from its brief: light, then the place from far to near, then who and what is in it, then the weather.

use crate::Ask;
use crate::brief::{Brief, Time, Weather, brief};
use crate::canvas::{Canvas, Ink};
use crate::city::{Skyline, skyline, street, village};
use crate::color::Color;
use crate::light::Light;
use crate::noise::{Rng, sin_turns, smooth};
use crate::palette::choose;
use crate::places::{Place, Step, Tint, place};
use crate::plants::{blossom, draw as plant, tuft};
use crate::shape::{Dye, Stand, shape};
use crate::subjects::{self, Floor};
use crate::terrain::{Band, Form, Ground, Ridge, ground, paint as paint_band, ridge};
use crate::water::{Water, paint as paint_water};
use crate::{interior, realms, sky, weather};

/// Paints everything but the style. Gives the weather for those who would set it in motion.
pub(crate) fn compose(canvas: &mut Canvas, ask: &Ask<'_>) -> Weather {
    let brief = brief(ask);
    let light = light(canvas, &brief);
    match brief.place {
        "space" => realms::space(canvas, &light, &brief),
        "underwater" => realms::underwater(canvas, &light, &brief),
        "cave" => realms::cave(canvas, &light, &brief),
        _ if brief.indoors => interior::paint(canvas, &light, &brief),
        _ => outdoors(canvas, &light, &brief),
    }
    brief.weather
}

fn light(canvas: &Canvas, brief: &Brief) -> Light {
    let mut rng = brief.rng.fork("light");
    let palette = choose(brief, &mut rng);
    let side = rng.sign();
    let x = canvas.w * (0.5 + side * rng.range(0.1, 0.3));
    let high = match brief.time {
        Time::Dawn | Time::Sunset => rng.range(0.33, 0.42),
        Time::Day => rng.range(0.1, 0.18),
        Time::Night => rng.range(0.12, 0.22),
    };
    Light {
        palette,
        sun: (x, canvas.h * high),
        side,
        haze: match brief.weather {
            Weather::Fog => 0.85,
            Weather::Rain => 0.36,
            Weather::Snow => 0.16,
            Weather::Storm => 0.25,
            _ => 0.08,
        },
        night: brief.time == Time::Night || ["teal", "plum", "violet"].contains(&palette.name),
    }
}

fn outdoors(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let place = place(brief.place);
    let mut rng = brief.rng.fork("place");
    let mut painter = Painter {
        light,
        brief,
        place,
        drift: rng.range(-0.025, 0.025),
        depth: 0.0,
        ridge: None,
        local: Color::gray(0.5),
    };
    sky::paint(canvas, light, brief, canvas.h * (0.56 + painter.drift));
    subjects::aloft(canvas, light, brief);
    for i in 0..place.steps.len() {
        painter.step(canvas, i, &mut rng);
    }
    let floor = Floor {
        y: canvas.h * place.floor,
        depth: 0.92,
    };
    canvas.layer("subjects", 0.85);
    subjects::paint(canvas, light, brief, &floor);
    canvas.layer("front", 1.0);
    front(canvas, light, brief);
    canvas.layer("weather", 1.0);
    weather::paint(canvas, light, brief);
}

/// The color of a kind of land.
fn tint(tint: Tint, season: &str) -> Color {
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
struct Painter<'a> {
    light: &'a Light,
    brief: &'a Brief,
    place: &'a Place,
    /// How far the horizon is moved, of the height.
    drift: f32,
    depth: f32,
    ridge: Option<Ridge>,
    local: Color,
}

impl Painter<'_> {
    fn step(&mut self, canvas: &mut Canvas, i: usize, rng: &mut Rng) {
        let n = self.place.steps.len() as f32;
        let season = self.brief.season;
        let (light, h) = (self.light, canvas.h);
        match self.place.steps[i] {
            Step::Band(form, y, rise, of, snow) => {
                self.depth = 0.17 + 0.66 * (i as f32 / n);
                self.local = tint(of, season);
                let snow = if season == "winter" && form == Form::Peaks {
                    snow.max(0.9)
                } else {
                    snow
                };
                let band = Band {
                    form,
                    y: h * (y + self.drift),
                    rise: h * rise * rng.range(0.8, 1.2),
                    local: self.local,
                    depth: self.depth,
                    snow,
                    foot: h * (self.next_height(i) + self.drift + 0.05),
                };
                canvas.layer("land", self.depth);
                let line = ridge(canvas, &band, rng);
                paint_band(canvas, light, &band, &line);
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
                skyline(canvas, light, &of, rng);
            }
            Step::Village(height) => {
                if let Some(ridge) = &self.ridge {
                    village(canvas, light, (ridge, h * height, self.depth), rng);
                }
            }
            Step::Water(y, rough) => {
                canvas.layer("water", 0.5);
                self.depth = 0.5;
                let rough = if matches!(self.brief.weather, Weather::Storm | Weather::Wind) {
                    1.0
                } else {
                    rough
                };
                let water = Water {
                    y: h * (y + self.drift),
                    rough,
                    foot: h * (self.next_height(i) + self.drift + 0.06),
                };
                paint_water(canvas, light, &water);
                let floor = Floor {
                    y: h * (y + self.drift),
                    depth: 0.62,
                };
                subjects::afloat(canvas, light, self.brief, &floor);
            }
            Step::Ground(y, of, patch, furrows) => {
                self.depth = 0.66;
                canvas.layer("ground", 0.7);
                let of = Ground {
                    local: tint(of, season),
                    patch: tint(patch, season),
                    y: h * (y + self.drift),
                    depth: 0.62,
                    furrows,
                };
                self.local = of.local;
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
                subjects::distant(
                    canvas,
                    light,
                    self.brief,
                    &Floor {
                        y: of.y + h * 0.008,
                        depth: 0.5,
                    },
                );
                ground(canvas, light, &of, &line);
                self.ridge = Some(line);
            }
            Step::Street(y) => {
                canvas.layer("street", 0.6);
                street(canvas, light, h * (y + self.drift), rng);
            }
            Step::Path => self.path(canvas, rng),
            Step::Meadow(flowers) => self.meadow(canvas, flowers, rng),
            Step::Stones => self.stones(canvas, rng),
            Step::Landmark(name, height) => self.landmark(canvas, (name, height), rng),
        }
    }

    /// Where the next thing that covers what lies below begins, of the height.
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
            let group = crate::noise::wave(x / (canvas.u * 120.0) + knot, 3);
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

    /// A path in bends from the front to the horizon.
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
            let ragged = 1.0 + 0.16 * (crate::noise::wave(t * 9.0, 77) - 0.5);
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
                        x + crate::noise::cos_turns(turn) * reach,
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

/// Dark leaves and grass at the edges, which frame the view and keep the captions' ground calm.
fn front(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("front");
    let dark = light.palette.dark.mix(
        light.at(tint(Tint::Wood, brief.season).scale(0.7), 1.0),
        0.45,
    );
    let (w, h, u) = (canvas.w, canvas.h, canvas.u);
    let bare = ["city", "street", "ice", "desert", "volcano", "sea"].contains(&brief.place);
    if !bare {
        for i in 0..46 {
            let x = w * (i as f32 / 45.0) + rng.range(-20.0, 20.0) * u;
            let edge = ((x / w - 0.5).abs() * 2.0).clamp(0.0, 1.0);
            let size = u * (34.0 + 120.0 * edge * edge) * rng.range(0.7, 1.2);
            tuft(
                canvas,
                (x, h + u * 26.0 + canvas.margin),
                (size + canvas.margin, dark, 5),
                &mut rng,
            );
        }
    }
    if bare || rng.chance(0.45) {
        return;
    }
    let side = -light.side;
    let corner = (w * (0.5 + side * 0.56), -u * 20.0);
    for _ in 0..3 {
        let drop = rng.range(0.1, 0.24) * h;
        let reach = rng.range(0.12, 0.34) * w * -side;
        let end = (corner.0 + reach, drop);
        let mid = (corner.0 + reach * 0.55, drop * 0.35);
        if let Some(path) = crate::shape::limb(&[
            [corner.0, corner.1, u * 9.0],
            [mid.0, mid.1, u * 5.0],
            [end.0, end.1, u * 1.4],
        ]) {
            canvas.fill(&path, Ink::Flat(dark, 1.0));
        }
        for k in 0..18 {
            let t = 0.15 + 0.85 * k as f32 / 17.0;
            let a = (
                corner.0 + (mid.0 - corner.0) * t,
                corner.1 + (mid.1 - corner.1) * t,
            );
            let b = (mid.0 + (end.0 - mid.0) * t, mid.1 + (end.1 - mid.1) * t);
            let p = (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t);
            leaf(
                canvas,
                p,
                (
                    u * rng.range(15.0, 27.0),
                    rng.unit(),
                    dark.scale(rng.range(0.9, 1.35)),
                ),
            );
        }
    }
}

/// A leaf from its stalk: length, direction in turns, color.
fn leaf(canvas: &mut Canvas, at: (f32, f32), of: (f32, f32, Color)) {
    let (length, turn, color) = of;
    let (dx, dy) = (
        crate::noise::cos_turns(turn) * length,
        sin_turns(turn) * length,
    );
    if let Some(path) = crate::shape::limb(&[
        [at.0, at.1, length * 0.03],
        [at.0 + dx * 0.5, at.1 + dy * 0.5, length * 0.22],
        [at.0 + dx, at.1 + dy, length * 0.02],
    ]) {
        canvas.fill(&path, Ink::Flat(color, 1.0));
    }
}
