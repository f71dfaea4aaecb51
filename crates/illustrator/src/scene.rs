//! Paints a picture from its brief: light, then the place from far to near, then people and things, then the weather.

use crate::Ask;
use crate::brief::{Brief, brief};
use crate::canvas::{Canvas, Ink};
use crate::color::Color;
use crate::land::{Painter, tint};
use crate::light::Light;
use crate::noise::sin_turns;
use crate::places::{Tint, place};
use crate::plants::tuft;
use crate::scheme::choose;
use crate::subjects::{self, Floor};
use crate::vocabulary::{Time, Weather};
use crate::{interior, realms, reef, sky, weather};

/// Paints everything but the style. Returns the weather, so that it can be animated.
pub(crate) fn compose(canvas: &mut Canvas, ask: &Ask<'_>) -> Weather {
    let brief = brief(ask);
    paint_brief(canvas, &brief);
    brief.weather
}

fn paint_brief(canvas: &mut Canvas, brief: &Brief) {
    let light = light(canvas, brief);
    match brief.place {
        "space" => realms::space(canvas, &light, brief),
        "underwater" => reef::underwater(canvas, &light, brief),
        "cave" => realms::cave(canvas, &light, brief),
        _ if brief.indoors => interior::paint(canvas, &light, brief),
        _ => outdoors(canvas, &light, brief),
    }
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

/// Paints dark leaves and grass at the edges, which frame the view and keep the captions' background calm.
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

/// Paints a leaf from its stalk: length, direction in turns, color.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Rng;
    use crate::words::subject_words;

    /// Paints with the same seed for any words, so that only their meaning makes a difference.
    fn painted(words: &str) -> Vec<u8> {
        let ask = Ask {
            words,
            notes: "",
            figures: &[],
            style: "",
            width: 90,
            height: 160,
            seed: 1,
            place: "",
        };
        let mut brief = brief(&ask);
        brief.rng = Rng::new(1);
        let mut canvas = Canvas::new(90, 160, None);
        paint_brief(&mut canvas, &brief);
        canvas.finish()[0].pixmap.data().to_vec()
    }

    #[test]
    fn every_subject_word_is_seen() {
        let plain = painted("hills at noon, clear, summer");
        assert!(plain == painted("hills at noon, clear, summer, xyzzy"));
        for (kind, word) in subject_words() {
            let words = match kind {
                "place" => format!("{word} at noon, clear, summer"),
                "time" => format!("hills, {word}, clear, summer"),
                "season" => format!("hills at noon, clear, {word}"),
                _ => format!("hills at noon, clear, summer, {word}"),
            };
            let usual = ["hill", "day", "clear", "summer"].contains(&word);
            let n_changed = painted(&words)
                .iter()
                .zip(&plain)
                .filter(|(a, b)| a.abs_diff(**b) > 8)
                .count();
            assert!(usual == (n_changed == 0), "{kind} {word}: {n_changed}");
        }
    }
}
