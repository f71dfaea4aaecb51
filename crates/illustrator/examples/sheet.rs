//! Writes a contact sheet: `sheet OUT.png scenes|styles|words|figures [WIDTH HEIGHT]`; `sheet OUT.png "words" [WIDTH HEIGHT] [STYLE] [SEED]` writes one picture.

use image::{RgbImage, imageops};
use kinora_illustrator::{Ask, Figure, paint_flat, styles, subject_words};

const SCENES: [&str; 24] = [
    "A lone wanderer walks toward the mountains at dawn",
    "A quiet lake with a small red sailboat at sunset",
    "A fox in an autumn forest",
    "The old lighthouse in a storm at night",
    "A city skyline at night in the rain",
    "A village in winter, snow falling on the roofs",
    "A camel caravan crosses the desert, a pyramid far away",
    "An astronaut drifts past a ringed planet",
    "A whale and fish in the deep ocean underwater",
    "A girl in a red dress in a garden of flowers, butterflies",
    "An old library with a scholar reading a book by candle",
    "A scientist in a laboratory with a flask",
    "Hope begins with one small idea",
    "Fear crept through the haunted forest",
    "The king sat in the castle, the crown on his head",
    "A crowd of people in the street market",
    "Two children and a dog run over the hills in summer",
    "Soldiers in the fog of war",
    "Love: a couple on the beach at sunset",
    "Time passes like sand in the hourglass",
    "A rocket launches to the stars",
    "A dragon flies over the ancient temple ruins",
    "A singer on stage with a guitar",
    "The portrait of an old man with a white beard and hat",
];

const STYLED: &str =
    "A woman in a red coat stands by a lake below the mountains, a small house, evening";

const FIGURES: [Figure<'static>; 3] = [
    Figure {
        name: "Ada",
        descriptor: "a young woman with long black hair and a green coat",
    },
    Figure {
        name: "Max",
        descriptor: "an old man with a beard and a red scarf",
    },
    Figure {
        name: "Rex",
        descriptor: "a brown dog",
    },
];

fn main() -> Result<(), image::ImageError> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = |i: usize, default: &'static str| args.get(i).map_or(default, String::as_str);
    let number =
        |i: usize, default: u32| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let ask = Ask {
        words: STYLED,
        notes: "",
        figures: &[],
        style: "",
        width: number(2, 270),
        height: number(3, 480),
        seed: 3,
        place: "",
    };
    let scenes = SCENES.iter().zip(0..);
    let pictures: Vec<RgbImage> = match text(1, "scenes") {
        "scenes" => scenes
            .map(|(words, seed)| paint_flat(&Ask { words, seed, ..ask }))
            .collect(),
        "figures" => scenes
            .map(|(words, seed)| {
                paint_flat(&Ask {
                    words,
                    seed,
                    figures: &FIGURES,
                    ..ask
                })
            })
            .collect(),
        "styles" => styles()
            .iter()
            .map(|s| {
                paint_flat(&Ask {
                    style: s.name,
                    ..ask
                })
            })
            .collect(),
        "words" => subject_words()
            .iter()
            .map(|(_, words)| paint_flat(&Ask { words, ..ask }))
            .collect(),
        words => vec![paint_flat(&Ask {
            words,
            style: text(4, ""),
            seed: number(5, 1).into(),
            ..ask
        })],
    };
    sheet(&pictures).save(text(0, "sheet.png"))
}

/// The pictures in rows.
fn sheet(pictures: &[RgbImage]) -> RgbImage {
    let (width, height) = pictures.first().map_or((1, 1), RgbImage::dimensions);
    let cols = (2400 / (width + 6)).max(1).min(pictures.len() as u32);
    let rows = (pictures.len() as u32).div_ceil(cols.max(1));
    let mut sheet = RgbImage::new(cols * (width + 6), rows * (height + 6));
    for (picture, i) in pictures.iter().zip(0u32..) {
        let (x, y) = (i % cols, i / cols);
        imageops::replace(
            &mut sheet,
            picture,
            i64::from(x * (width + 6)),
            i64::from(y * (height + 6)),
        );
    }
    sheet
}
