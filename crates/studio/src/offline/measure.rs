//! Describes a picture of a character without recognizing it: measured colors, light and framing.

use image::imageops::FilterType;

use crate::providers::openai::CharacterSheet;

/// Sides of the grid on which colors are measured.
const GRID: u32 = 36;

/// Names of colors and their sRGB values.
const COLORS: &[(&str, [u8; 3])] = &[
    ("black", [20, 20, 22]),
    ("dark gray", [70, 70, 72]),
    ("gray", [128, 128, 128]),
    ("light gray", [195, 195, 195]),
    ("white", [245, 245, 245]),
    ("dark brown", [70, 45, 30]),
    ("brown", [120, 78, 48]),
    ("tan", [200, 160, 120]),
    ("beige", [230, 214, 186]),
    ("red", [190, 40, 40]),
    ("dark red", [110, 24, 30]),
    ("pink", [232, 150, 175]),
    ("orange", [230, 130, 40]),
    ("yellow", [236, 206, 70]),
    ("olive", [120, 120, 50]),
    ("green", [60, 150, 70]),
    ("dark green", [30, 76, 46]),
    ("teal", [40, 136, 140]),
    ("light blue", [150, 196, 230]),
    ("blue", [50, 96, 190]),
    ("navy", [26, 38, 84]),
    ("purple", [112, 62, 148]),
];

/// Makes a character sheet from a decoded picture. It recognizes nobody, so callers that show it must say so.
pub(crate) fn sheet(picture: &image::RgbImage, name: &str) -> CharacterSheet {
    let (width, height) = picture.dimensions();
    let small = image::imageops::resize(picture, GRID, GRID, FilterType::Triangle);
    let region = |x: std::ops::Range<u32>, y: std::ops::Range<u32>| -> Vec<[u8; 3]> {
        y.flat_map(|y| x.clone().map(move |x| (x, y)))
            .map(|(x, y)| small.get_pixel(x, y).0)
            .collect()
    };
    let (third, all) = (GRID / 3, 0..GRID);
    let head = named(&region(third..2 * third, 2..third));
    let body = named(&region(third..2 * third, third + 4..GRID - 2));
    let around: Vec<[u8; 3]> = [region(0..4, all.clone()), region(GRID - 4..GRID, all)].concat();
    let whole = region(0..GRID, 0..GRID);
    let shape = match width.cmp(&height) {
        std::cmp::Ordering::Less => "upright",
        std::cmp::Ordering::Equal => "square",
        std::cmp::Ordering::Greater => "wide",
    };
    CharacterSheet {
        name: name.to_owned(),
        description: format!(
            "The subject of a{} {shape} picture with {} light.",
            if shape == "upright" { "n" } else { "" },
            light(&whole),
        ),
        appearance: format!(
            "{} above, against a {} background",
            head.join(" and "),
            named(&around)[0]
        ),
        clothing: format!("mostly {}", body.join(" and ")),
        is_measured: true,
    }
}

/// Returns the one or two most frequent color names.
fn named(pixels: &[[u8; 3]]) -> Vec<&'static str> {
    let mut counts = vec![0usize; COLORS.len()];
    for pixel in pixels {
        let distance = |color: &[u8; 3]| -> i32 {
            // Weights of a fast perceptual distance (T. Riemersma's, without its red mean).
            let parts = [2, 4, 3].iter().zip(pixel.iter().zip(color));
            parts
                .map(|(weight, (a, b))| weight * (i32::from(*a) - i32::from(*b)).pow(2))
                .sum()
        };
        let nearest = COLORS
            .iter()
            .enumerate()
            .min_by_key(|(_, (_, color))| distance(color));
        if let Some((i, _)) = nearest {
            counts[i] += 1;
        }
    }
    let mut order: Vec<usize> = (0..COLORS.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(counts[*i]));
    let is_common = |i: &&usize| counts[**i] * 4 >= pixels.len();
    let mut names: Vec<&str> = order
        .iter()
        .take(2)
        .filter(is_common)
        .map(|i| COLORS[*i].0)
        .collect();
    if names.is_empty() {
        names.push(COLORS[order[0]].0);
    }
    names
}

/// Describes brightness and warmth.
fn light(pixels: &[[u8; 3]]) -> String {
    let n = pixels.len().max(1) as f64;
    let mean = |channel: usize| pixels.iter().map(|p| f64::from(p[channel])).sum::<f64>() / n;
    let (red, green, blue) = (mean(0), mean(1), mean(2));
    let bright = match 0.2126 * red + 0.7152 * green + 0.0722 * blue {
        luma if luma < 70.0 => "dark",
        luma if luma < 165.0 => "even",
        _ => "bright",
    };
    let warm = match red - blue {
        warmth if warmth > 18.0 => "warm",
        warmth if warmth < -18.0 => "cool",
        _ => "neutral",
    };
    format!("{bright}, {warm}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    #[test]
    fn a_red_coat_is_seen_and_nobody_is_recognized() {
        let picture = RgbImage::from_fn(90, 160, |x, y| match (x, y) {
            (30..60, 55..) => Rgb([185, 45, 44]),
            (30..60, 8..55) => Rgb([72, 44, 30]),
            _ => Rgb([150, 198, 228]),
        });
        let sheet = sheet(&picture, "Mara");
        assert_eq!(sheet.name, "Mara");
        assert_eq!(sheet.clothing, "mostly red");
        assert!(
            sheet.appearance.starts_with("dark brown")
                && sheet.appearance.ends_with("light blue background"),
            "{}",
            sheet.appearance
        );
        assert!(
            sheet.description.contains("an upright picture"),
            "{}",
            sheet.description
        );
    }

    #[test]
    fn any_picture_has_a_sheet() {
        for (width, height) in [(1, 1), (3000, 2), (2, 900)] {
            let sheet = sheet(&RgbImage::new(width, height), "X");
            assert!(sheet.clothing.contains("black"), "{sheet:?}");
        }
    }
}
