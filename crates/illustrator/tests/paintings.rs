//! Pictures are deterministic, of the asked size, different where the words differ, and the same people look the same.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use image::RgbImage;
use kinora_illustrator::{Ask, Figure, paint, paint_flat, styles};

fn ask<'a>(words: &'a str, style: &'a str) -> Ask<'a> {
    Ask {
        words,
        notes: "",
        figures: &[],
        style,
        width: 180,
        height: 320,
        seed: 7,
        place: "",
    }
}

/// Mean distance of two pictures of one size, 0 to 255.
fn distance(a: &RgbImage, b: &RgbImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let sum: u64 = a
        .iter()
        .zip(b.iter())
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / a.len() as f64
}

const SCENE: &str = "A woman in a red coat by a lake below the mountains";

#[test]
fn the_same_ask_gives_the_same_bytes_on_any_number_of_threads() {
    let threads = |n: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .unwrap()
    };
    for words in [
        SCENE,
        "a planet in space",
        "a library at night",
        "rain in the city",
    ] {
        let one = threads(1).install(|| paint_flat(&ask(words, "watercolor")));
        let four = threads(4).install(|| paint_flat(&ask(words, "watercolor")));
        assert!(one == four, "{words}");
    }
}

#[test]
fn every_style_differs_from_every_other() {
    let pictures: Vec<(&str, RgbImage)> = styles()
        .iter()
        .map(|s| (s.name, paint_flat(&ask(SCENE, s.name))))
        .collect();
    for (i, (a, first)) in pictures.iter().enumerate() {
        for (b, second) in &pictures[i + 1..] {
            let d = distance(first, second);
            assert!(d > 1.5, "{a} and {b} are {d} apart");
        }
    }
}

#[test]
fn the_interface_s_styles_have_rows() {
    let names = "realistic_image digital_illustration realistic_image/b_and_w realistic_image/hard_flash realistic_image/hdr realistic_image/natural_light \
        realistic_image/studio_portrait realistic_image/enterprise realistic_image/motion_blur digital_illustration/pixel_art digital_illustration/hand_drawn \
        digital_illustration/grain digital_illustration/infantile_sketch digital_illustration/2d_art_poster digital_illustration/handmade_3d \
        digital_illustration/hand_drawn_outline digital_illustration/engraving_color digital_illustration/2d_art_poster_2 ghibsky-comic-book colour-sketches \
        sketch-paint 90s-anime 2000s-crime-thrillers xno-symbol-flux THREE_D_RENDER ACRYLIC ANIME_GENERAL BOKEH CINEMATIC CINEMATIC_CONCEPT CREATIVE DYNAMIC \
        FASHION GAME_CONCEPT GRAPHIC_DESIGN_3D GRAPHIC_DESIGN_POP_ART GRAPHIC_DESIGN_VECTOR HDR ILLUSTRATION MACRO MINIMALIST MOODY PORTRAIT PORTRAIT_CINEMATIC \
        PRO_BW_PHOTOGRAPHY PRO_COLOR_PHOTOGRAPHY PRO_FILM_PHOTOGRAPHY PORTRAIT_FASHION RAY_TRACED SKETCH_BW SKETCH_COLOR STOCK_PHOTO VIBRANT WATERCOLOR";
    for name in names.split_whitespace() {
        assert!(styles().iter().any(|s| s.name == name), "{name}");
    }
    let house = paint_flat(&ask(SCENE, ""));
    for other in ["any", "NONE", "no such style", "🦀"] {
        assert!(house == paint_flat(&ask(SCENE, other)), "{other}");
    }
}

#[test]
fn a_figure_wears_the_same_in_every_scene() {
    let figures = [Figure {
        name: "Vera",
        descriptor: "a woman in a purple coat",
    }];
    let count = |words: &str, seed: u64, figures: &[Figure<'_>]| {
        let picture = paint_flat(&Ask {
            figures,
            seed,
            ..ask(words, "")
        });
        let purple = picture
            .pixels()
            .filter(|p| p[2] > p[1].saturating_add(28) && p[0] > p[1].saturating_add(8));
        purple.count()
    };
    for (words, seed) in [("a meadow at noon", 1), ("a farm at noon in summer", 2)] {
        let (with, without) = (count(words, seed, &figures), count(words, seed, &[]));
        assert!(with > without + 250, "{words}: {with} {without}");
    }
}

#[test]
fn two_seeds_are_two_compositions_of_one_mood() {
    let a = paint_flat(&ask(SCENE, ""));
    let b = paint_flat(&Ask {
        seed: 8,
        ..ask(SCENE, "")
    });
    assert!(distance(&a, &b) > 4.0);
}

#[test]
fn a_place_with_a_name_is_the_same_place_whatever_is_seen_there() {
    let words = [
        "A fox by a lake below the mountains at noon",
        "A deer by a lake below the mountains at noon",
    ];
    let apart = |place: &str| {
        let [a, b] = words.map(|words| {
            paint_flat(&Ask {
                place,
                ..ask(words, "")
            })
        });
        distance(&a, &b)
    };
    let (same, other) = (apart("Pine Lake"), apart(""));
    assert!(same < other * 0.6, "{same} {other}");
}

#[test]
fn hostile_asks_are_painted_too() {
    let long = "mountain ".repeat(120_000);
    let crowd: Vec<Figure<'_>> = (0..40)
        .map(|_| Figure {
            name: "",
            descriptor: "🐉 dragon robot old man",
        })
        .collect();
    let words = [
        "",
        " ",
        "🦀🦀",
        "\u{0}\u{202e}",
        "العربية",
        "中文の言葉",
        "9999 !!!",
        long.as_str(),
    ];
    for words in words {
        for (width, height) in [(0, 0), (64, 64), (64, 400), (401, 97)] {
            let picture = paint_flat(&Ask {
                width,
                height,
                figures: &crowd,
                style: "\u{0}/🎨",
                notes: words,
                seed: u64::MAX,
                ..ask(words, "")
            });
            assert_eq!(picture.dimensions(), (width.max(64), height.max(64)));
        }
    }
}

#[test]
fn layers_lie_over_each_other_like_the_flat_picture() {
    for words in [
        SCENE,
        "an office",
        "a planet in space",
        "fish underwater",
        "a cave",
    ] {
        let painting = paint(&ask(words, ""));
        let flat = paint_flat(&ask(words, ""));
        let d = distance(&painting.flatten(), &flat);
        // Grain and paper lie elsewhere on the larger sheets; shapes do not.
        assert!(d < 4.0, "{words}: {d}");
        let back = &painting.layers[0].picture;
        assert!(
            back.pixels().all(|p| p[3] == 255),
            "{words}: the sky has holes"
        );
        assert_eq!(back.width(), 180 + 2 * painting.margin);
        assert!(
            painting
                .layers
                .windows(2)
                .all(|l| l[0].depth <= l[1].depth + 0.3),
            "{words}"
        );
    }
}

#[test]
fn sizes_are_as_asked() {
    for (width, height) in [(1920, 108), (108, 1920), (333, 777)] {
        let picture = paint_flat(&Ask {
            width,
            height,
            ..ask(SCENE, "oil")
        });
        assert_eq!(picture.dimensions(), (width, height));
    }
}
