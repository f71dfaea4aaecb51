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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let out = args.first().map_or("sheet.png", String::as_str);
    let what = args.get(1).map_or("scenes", String::as_str);
    let side = |i: usize, default: u32| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (width, height) = (side(2, 270), side(3, 480));
    let figures = [
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
    let ask = |words: &'static str, style: &'static str, seed: u64| Ask {
        words,
        notes: "",
        figures: &[],
        style,
        width,
        height,
        seed,
    };
    let pictures: Vec<RgbImage> = match what {
        "scenes" => SCENES
            .iter()
            .enumerate()
            .map(|(i, w)| paint_flat(&ask(w, "", i as u64)))
            .collect(),
        "styles" => styles()
            .iter()
            .map(|s| paint_flat(&ask(STYLED, s.name, 3)))
            .collect(),
        "words" => subject_words()
            .iter()
            .map(|(_, w)| paint_flat(&ask(w, "", 1)))
            .collect(),
        "figures" => SCENES
            .iter()
            .take(12)
            .map(|w| {
                paint_flat(&Ask {
                    figures: &figures,
                    ..ask(w, "", 5)
                })
            })
            .collect(),
        words => {
            let style = args.get(4).map_or("", String::as_str);
            let one = Ask {
                words,
                notes: "",
                figures: &[],
                style,
                width,
                height,
                seed: u64::from(side(5, 1)),
            };
            let start = std::time::Instant::now();
            paint_flat(&one).save(out)?;
            eprintln!("{:?}", start.elapsed());
            return Ok(());
        }
    };
    let cols = (2400 / (width + 6)).clamp(1, 16).min(pictures.len() as u32);
    let rows = (pictures.len() as u32).div_ceil(cols);
    let mut sheet = RgbImage::new(cols * (width + 6), rows * (height + 6));
    for (i, picture) in pictures.iter().enumerate() {
        let (x, y) = (i as u32 % cols, i as u32 / cols);
        imageops::replace(
            &mut sheet,
            picture,
            i64::from(x * (width + 6)),
            i64::from(y * (height + 6)),
        );
    }
    sheet.save(out)?;
    Ok(())
}
