//! Shaping, line breaking and rasterizing, checked by measured areas, centers and widths.

use std::sync::Arc;

use swash::text::Codepoint;

use super::glyph::{GlyphKey, N_BINS, draw};
use super::widen::pieces_of;
use super::*;
use crate::scene::draw::{Glyph, GlyphRun, Paint};
use crate::units::Color;

fn font(family: &str, weight: u16) -> FontRequest {
    FontRequest {
        family: family.into(),
        weight,
        italic: false,
        letter_spacing_em: 0.0,
    }
}

fn heavy() -> FontRequest {
    font("Montserrat", 800)
}

fn request<'a>(text: &'a str, font: &'a FontRequest, max_width_px: f32) -> TextRequest<'a> {
    TextRequest {
        text,
        font,
        size_px: 72.0,
        line_height: 1.2,
        max_width_px,
        max_lines: 2,
        align: Align::Center,
        context: Context::of([text]),
    }
}

fn block(fonts: &Fonts, text: &str) -> TextBlock {
    fonts.layout(&request(text, &heavy(), 10_000.0))
}

fn run(glyphs: &[Glyph]) -> GlyphRun {
    GlyphRun {
        glyphs: Arc::from(glyphs),
        range: 0..glyphs.len(),
        spread_px: 0.0,
        blur_px: 0.0,
        offset: [500.0, 500.0],
        paint: Paint::Solid(Color::WHITE),
    }
}

/// Returns the covered area in px, and its center of gravity on the canvas.
fn measure(mask: &RunMask) -> (f64, [f64; 2]) {
    let (mut area, mut center) = (0.0, [0.0; 2]);
    for (i, v) in mask.coverage.iter().enumerate() {
        let v = f64::from(*v) / 255.0;
        area += v;
        center[0] += v * (f64::from(mask.x) + (i as u32 % mask.width) as f64 + 0.5);
        center[1] += v * (f64::from(mask.y) + (i as u32 / mask.width) as f64 + 0.5);
    }
    (area, center.map(|c| c / area))
}

#[test]
fn coverage_is_the_area_of_the_outline() {
    let fonts = Fonts::default();
    for (text, size) in [
        ("I", 20.0),
        ("L", 72.0),
        ("o", 72.0),
        ("S", 190.0),
        ("o", 400.0),
    ] {
        let mut glyph = block(&fonts, text).glyphs[0];
        glyph.size_px = size;
        let face = fonts.face(glyph.font).unwrap();
        // Letters whose contours do not overlap. Size 0 gives font units: scaled outlines are rounded to 1/64 px.
        let pieces = face.scale(0.0, |s| {
            pieces_of(s.scale_outline(glyph.id).unwrap().path())
        });
        let twice: f64 = pieces
            .iter()
            .map(|[a, b]| f64::from(a.x * b.y - a.y * b.x))
            .sum();
        let area = twice / 2.0 * f64::from(size / 1000.0).powi(2);
        for (dx, dy) in [(0.0, 0.0), (0.25, 0.5), (0.75, 0.25)] {
            let mut moved = run(&[glyph]);
            moved.offset = [500.0 + dx, 500.0 + dy];
            let (covered, _) = measure(&fonts.rasterize(&moved));
            let error = covered / area.abs() - 1.0;
            assert!(error.abs() < 0.006, "{text} at {size}: {covered} of {area}");
        }
    }
}

#[test]
fn a_quarter_pixel_moves_the_center_by_a_quarter_pixel() {
    let fonts = Fonts::default();
    for size in [24.0, 72.0, 300.0] {
        let mut glyph = block(&fonts, "R").glyphs[0];
        (glyph.size_px, glyph.x, glyph.y) = (size, 0.0, 0.0);
        let center = |dx: f32, dy: f32| {
            let mut moved = run(&[glyph]);
            moved.offset = [100.0 + dx, 400.0 + dy];
            measure(&fonts.rasterize(&moved)).1
        };
        let rest = center(0.0, 0.0);
        for step in -5..=5 {
            let shift = step as f32 / N_BINS as f32;
            let (right, down) = (center(shift, 0.0), center(0.0, shift));
            assert!((right[0] - rest[0] - f64::from(shift)).abs() < 0.02);
            assert!((down[1] - rest[1] - f64::from(shift)).abs() < 0.02);
            assert!((right[1] - rest[1]).abs() < 0.02 && (down[0] - rest[0]).abs() < 0.02);
        }
    }
}

#[test]
fn both_rasterizers_draw_the_same() {
    let fonts = Fonts::default();
    let block = block(&fonts, "Rag@8");
    for glyph in &block.glyphs {
        let face = fonts.face(glyph.font).unwrap();
        assert!(face.fontdue().is_some());
        let key = |size: f32| GlyphKey {
            font: glyph.font,
            id: glyph.id,
            size: size.to_bits(),
            bin: [1, 2],
            spread: 0.0_f32.to_bits(),
        };
        // At 256 px fontdue draws; just above, zeno.
        let (a, b) = (
            draw(&face, &key(256.0)).grid,
            draw(&face, &key(256.001)).grid,
        );
        assert_eq!((a.x, a.y), (b.x, b.y));
        let pixels = (0..a.height.min(b.height))
            .flat_map(|y| (0..a.width.min(b.width)).map(move |x| (x, y)));
        let differences: Vec<f64> = pixels
            .map(|(x, y)| (a.coverage[y * a.width + x], b.coverage[y * b.width + x]))
            .filter(|(a, b)| (1..255).contains(a) || (1..255).contains(b))
            .map(|(a, b)| f64::from(a.abs_diff(b)) / 255.0)
            .collect();
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        let worst = differences.iter().copied().fold(0.0, f64::max);
        // zeno's outlines are rounded to 1/64 px, fontdue's curves are flattened coarsely.
        assert!(
            mean < 0.02 && worst < 0.2,
            "glyph {}: {mean} {worst}",
            glyph.id
        );
    }
}

#[test]
fn spread_grows_a_dot_evenly() {
    let fonts = Fonts::default();
    let dot = block(&fonts, ".").glyphs[0];
    let (area, center) = measure(&fonts.rasterize(&run(&[dot])));
    let radius = (area / std::f64::consts::PI).sqrt();
    for spread in [0.4_f32, 1.5, 4.0, 20.0] {
        let mut wide = run(&[dot]);
        wide.spread_px = spread;
        let (grown, middle) = measure(&fonts.rasterize(&wide));
        let want = std::f64::consts::PI * (radius + f64::from(spread)).powi(2);
        // This face's period is a circle to within one percent.
        assert!(
            (grown / want - 1.0).abs() < 0.02,
            "{spread}: {grown} of {want}"
        );
        assert!((middle[0] - center[0]).abs() < 0.05 && (middle[1] - center[1]).abs() < 0.05);
    }
}

#[test]
fn neighbors_are_united_not_summed() {
    let fonts = Fonts::default();
    let glyph = block(&fonts, "o").glyphs[0];
    for spread in [0.0, 6.0] {
        let (mut once, mut twice) = (run(&[glyph]), run(&[glyph, glyph]));
        (once.spread_px, twice.spread_px) = (spread, spread);
        assert_eq!(fonts.rasterize(&once), fonts.rasterize(&twice));
    }
}

#[test]
fn blur_keeps_the_sum_and_grows_the_mask() {
    let fonts = Fonts::default();
    let glyphs = block(&fonts, "Hello").glyphs;
    let sharp = fonts.rasterize(&run(&glyphs));
    let mut soft = run(&glyphs);
    soft.blur_px = 6.0;
    soft.offset = [510.25, 496.0];
    let soft = fonts.rasterize(&soft);
    let ((a, p), (b, q)) = (measure(&sharp), measure(&soft));
    assert!((b / a - 1.0).abs() < 0.01, "{a} {b}");
    assert!((q[0] - p[0] - 10.25).abs() < 0.1 && (q[1] - p[1] + 4.0).abs() < 0.1);
    assert!(soft.width >= sharp.width + 2 * 15);
    let edge = &soft.coverage[..soft.width as usize];
    assert!(edge.iter().all(|v| *v == 0), "the tail is not cut");
}

#[test]
fn the_same_text_gives_the_same_masks() {
    let masks = || {
        let fonts = Fonts::default();
        let mut run = run(&block(&fonts, "Same again, Ελλ").glyphs);
        run.spread_px = 3.0;
        [fonts.rasterize(&run), fonts.rasterize(&run)]
    };
    let (a, b) = (masks(), masks());
    assert_eq!(a[0], a[1]);
    assert_eq!(a, b);
}

#[test]
fn hostile_runs_give_empty_masks() {
    let fonts = Fonts::default();
    let good = block(&fonts, "A").glyphs[0];
    for bad in [
        Glyph {
            x: f32::NAN,
            ..good
        },
        Glyph {
            y: f32::INFINITY,
            ..good
        },
        Glyph { x: 1e30, ..good },
        Glyph {
            size_px: 0.0,
            ..good
        },
        Glyph {
            size_px: -5.0,
            ..good
        },
        Glyph {
            size_px: 1e9,
            ..good
        },
        Glyph {
            font: u32::MAX,
            ..good
        },
        Glyph {
            id: u16::MAX,
            ..good
        },
        Glyph { x: 9000.0, ..good },
    ] {
        assert_eq!(
            *fonts.rasterize(&run(&[bad])),
            RunMask::default(),
            "{bad:?}"
        );
    }
    for (spread, blur, dx) in [
        (f32::NAN, 0.0, 0.0),
        (-1.0, 0.0, 0.0),
        (1e9, 0.0, 0.0),
        (0.0, f32::INFINITY, 0.0),
        (0.0, 5000.0, 0.0),
        (0.0, 0.0, f32::NAN),
    ] {
        let mut bad = run(&[good]);
        (bad.spread_px, bad.blur_px, bad.offset[0]) = (spread, blur, dx);
        assert_eq!(*fonts.rasterize(&bad), RunMask::default());
    }
    let mut outside = run(&[good]);
    outside.range = 0..7;
    assert_eq!(*fonts.rasterize(&outside), RunMask::default());
}

#[test]
fn lines_fit_and_are_alike() {
    let fonts = Fonts::default();
    let font = heavy();
    let block = fonts.layout(&request("one hundred and forty two", &font, 800.0));
    assert_eq!((block.lines.len(), block.size_px), (2, 72.0));
    let widths: Vec<f32> = block.lines.iter().map(|l| l.width).collect();
    assert!(widths.iter().all(|w| *w <= 800.0));
    assert!((widths[0] / widths[1] - 1.0).abs() < 0.4, "{widths:?}");
    for line in &block.lines {
        assert!((line.x + line.width / 2.0).abs() < 0.01, "centered");
    }
    assert!((block.lines[1].y - block.lines[0].y - 1.2 * 72.0).abs() < 0.01);
    let middle = (block.baselines[0] - block.cap_height_px + block.baselines[1]) / 2.0;
    assert!(middle.abs() < 0.01, "the capitals' middle is the origin");
}

#[test]
fn text_shrinks_before_it_takes_more_lines_and_never_leaves_the_width() {
    let fonts = Fonts::default();
    let font = heavy();
    let tight = fonts.layout(&request("extraordinarily complicated", &font, 560.0));
    assert_eq!(tight.lines.len(), 2);
    assert!(tight.size_px < 72.0 && tight.size_px >= 0.7 * 72.0);
    let endless = "W".repeat(150);
    for text in [
        "Donaudampfschifffahrtsgesellschaftskapitän",
        &endless,
        "a b c d e f g h i j k l m n o p",
    ] {
        let block = fonts.layout(&request(text, &font, 300.0));
        assert!((block.size_px - 0.7 * 72.0).abs() < 0.01);
        assert!(block.lines.iter().all(|l| l.width <= 300.5), "{text}");
        let shown = text.chars().filter(|c| *c != ' ').count();
        assert!(block.glyphs.len() >= shown * 9 / 10);
    }
}

#[test]
fn edges_align_and_letters_spread() {
    let fonts = Fonts::default();
    let mut font = heavy();
    let mut wanted = request("left edge\nof two lines", &font, 2000.0);
    wanted.align = Align::Start;
    let left = fonts.layout(&wanted);
    assert_eq!(left.lines.len(), 2);
    assert_eq!(left.lines[0].x, left.lines[1].x);
    wanted.align = Align::End;
    let right = fonts.layout(&wanted).lines;
    assert!((right[0].x + right[0].width - right[1].x - right[1].width).abs() < 0.01);
    let plain = fonts.layout(&request("SPACE", &font, 2000.0)).lines[0];
    font.letter_spacing_em = 0.25;
    let spaced = fonts.layout(&request("SPACE", &font, 2000.0)).lines[0];
    let added = spaced.width - plain.width;
    assert!(
        (added - 4.0 * 0.25 * 72.0).abs() < 1.0,
        "four gaps, not five: {added}"
    );
    assert!((spaced.x + spaced.width / 2.0).abs() < 0.01);
}

#[test]
fn each_glyph_knows_its_text() {
    let fonts = Fonts::default();
    let text = "office, Tür";
    let block = block(&fonts, text);
    assert!(block.places.is_sorted_by_key(|p| p.cluster));
    let word = block.glyphs_of(&(0..6));
    assert_eq!(word.start, 0);
    let second = block.glyphs_of(&(8..text.len()));
    assert_eq!(second.end, block.glyphs.len());
    assert!(block.glyphs[second.start].x > block.glyphs[word.end - 1].x);
}

#[test]
fn right_to_left_words_go_right_to_left() {
    let fonts = Fonts::default();
    let text = "שלום עולם";
    let block = block(&fonts, text);
    if !block.missing.is_empty() {
        println!("skipped: no Hebrew font here");
        return;
    }
    let first = block.glyphs[block.glyphs_of(&(0..8)).start].x;
    let second = block.glyphs[block.glyphs_of(&(9..text.len())).start].x;
    assert!(first > second);
}

#[test]
fn characters_of_other_scripts_are_drawn_or_told() {
    let fonts = Fonts::default();
    for (text, bundled) in [
        ("Привет", true),
        ("Γειά σου", true),
        ("Tiếng Việt", true),
        ("हिन्दी", true),
        ("مرحبا", false),
        ("漢字", false),
        ("😀", false),
        ("สวัสดี", false),
    ] {
        let block = block(&fonts, text);
        assert!(
            !bundled || block.missing.is_empty(),
            "{text}: {:?}",
            block.missing
        );
        let letters = text
            .chars()
            .filter(|c| c.combining_class() == 0 && *c != ' ')
            .count();
        let told = block.missing.len();
        assert!(
            block.glyphs.len() + told >= letters / 2 && block.glyphs.len() + told > 0,
            "{text}"
        );
        assert!(
            block.glyphs.iter().all(|g| g.id != 0),
            "no box for a missing glyph"
        );
    }
    let nowhere = block(&fonts, "a\u{10fffd}b");
    assert_eq!(
        (nowhere.missing, nowhere.glyphs.len()),
        (vec!['\u{10fffd}'], 2)
    );
}

#[test]
fn a_word_is_set_in_one_face() {
    let fonts = Fonts::default();
    // Montserrat has μ, but not the rest.
    let block = block(&fonts, "Hello Κόσμε");
    let faces = |bytes| {
        block.glyphs[block.glyphs_of(&bytes)]
            .iter()
            .map(|g| g.font)
            .collect::<Vec<_>>()
    };
    let (latin, greek) = (faces(0..5), faces(6..17));
    assert!(latin.iter().all(|f| *f == latin[0]));
    assert!(greek.iter().all(|f| *f == greek[0]));
    assert_ne!(latin[0], greek[0]);
}

#[test]
fn hostile_text_is_bounded() {
    let fonts = Fonts::default();
    for text in [
        "\u{301}".repeat(10_000),
        format!("a{}", "\u{200d}👩".repeat(5_000)),
        "x".repeat(1 << 20),
        "\u{202e}\u{2066}\u{0}\u{7f}".repeat(1000),
        "اً".repeat(3000),
        "\n".repeat(5000),
        " ".repeat(100_000),
        "\u{fffd}\u{ffff}\u{1f3fb}".repeat(99),
        String::new(),
    ] {
        let clean = clean(&text, 200, true);
        let block = block(&fonts, &clean.text);
        assert!(block.glyphs.len() <= 800 && block.lines.len() <= 210);
        let mask = fonts.rasterize(&run(&block.glyphs));
        assert!(mask.coverage.len() <= 4352 * 4352);
    }
    // Without cleaning it is still bounded.
    assert!(block(&fonts, &"x ".repeat(1 << 19)).glyphs.len() <= 16 * 1024);
}

#[test]
fn fonts_are_added_by_their_bytes() {
    let error = Fonts::default().with_font(vec![0_u8; 100]).unwrap_err();
    assert_eq!(error.kind(), crate::error::ErrorKind::Media);
    let bytes = include_bytes!("../../assets/fonts/NotoSans-SemiBold.ttf");
    let fonts = Fonts::default().with_font(bytes.to_vec()).unwrap();
    assert_eq!(fonts.weight_at_hand(&font("Noto Sans", 600)), Some(600.0));
    assert_eq!(fonts.weight_at_hand(&font("Montserrat", 300)), Some(800.0));
    assert_eq!(fonts.weight_at_hand(&font("No Such Family 7", 400)), None);
}

#[test]
fn slanted_text_leans_right() {
    let fonts = Fonts::default();
    let mut font = heavy();
    let upright = fonts.layout(&request("I", &font, 500.0));
    font.italic = true;
    let slanted = fonts.layout(&request("I", &font, 500.0));
    let shape = |block: &TextBlock| {
        let mask = fonts.rasterize(&run(&block.glyphs));
        (mask.width, measure(&mask).0)
    };
    let ((w, a), (v, b)) = (shape(&upright), shape(&slanted));
    assert!(v > w + 5, "{v} {w}");
    assert!((b / a - 1.0).abs() < 0.02, "a shear keeps the area");
}
