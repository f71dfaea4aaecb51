//! Kinds of files beside those of the crate `image`: AVIF, HEIC, JPEG XL, SVG, QOI. Files of `tests/pictures/files`, or made here.

use image::{DynamicImage, ImageFormat, RgbaImage, imageops};
use kinora::error::Result;
use kinora::media::clip::ClipLimits;
use kinora::media::{Limited, Picture, PictureLimits, load};

use crate::samples::{
    Noise, assets, blocks, encoded, facts_in, facts_of, load_whole, noise, whole, worst,
};

const LOSSLESS: &[u8] = include_bytes!("files/lossless.avif");
const HALF_COLOR: &[u8] = include_bytes!("files/420.avif");
const TEN_BITS: &[u8] = include_bytes!("files/ten.avif");
const GRID: &[u8] = include_bytes!("files/grid.avif");
const GRID_WITH_ALPHA: &[u8] = include_bytes!("files/gridalpha.avif");
const ALPHA: &[u8] = include_bytes!("files/alpha.avif");
const TURNED: &[u8] = include_bytes!("files/turned.avif");
const GRAY: &[u8] = include_bytes!("files/gray.avif");
const JXL: &[u8] = include_bytes!("files/plain.jxl");
const JXL_ALPHA: &[u8] = include_bytes!("files/alpha.jxl");
const JXL_GRAY: &[u8] = include_bytes!("files/gray.jxl");
const JXL_ANIMATED: &[u8] = include_bytes!("files/animated.jxl");
const JXL_IN_BOXES: &[u8] = include_bytes!("files/box.jxl");
const HEIC: &[u8] = include_bytes!("files/plain.heic");
const HEIC_ALPHA: &[u8] = include_bytes!("files/alpha.heic");

/// Whether this machine has the library for a kind; where not, the refusal must say what to install.
fn is_read(file: &[u8], package: &str) -> bool {
    match facts_of(file) {
        Err(problem) if problem.code == "missing_library" => {
            let text = problem.to_string();
            assert!(
                text.contains("apt-get install") && text.contains(package),
                "{text}"
            );
            println!("skipped: no {package} here");
            false
        }
        _ => true,
    }
}

/// The blocks with the alpha of the AVIF and HEIC files, premultiplied.
fn with_alpha() -> Vec<u8> {
    let mut picture = blocks(20, 16).to_rgba8();
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        let alpha = match (x < 80, y < 64) {
            (true, _) => 128,
            (false, true) => 0,
            (false, false) => 255,
        };
        for value in &mut pixel.0[..3] {
            *value = (u32::from(*value) * alpha / 255) as u8;
        }
        pixel.0[3] = alpha as u8;
    }
    picture.into_raw()
}

fn mean(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum: u64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / a.len() as f64
}

#[test]
fn avif_of_each_depth_and_division_is_read() {
    if !is_read(LOSSLESS, "libdav1d") {
        return;
    }
    let expected = blocks(20, 16).to_rgba8();
    for (name, file, most) in [
        ("lossless", LOSSLESS, 1),
        ("ten bits", TEN_BITS, 3),
        ("grid", GRID, 3),
    ] {
        let facts = facts_of(file).unwrap();
        assert_eq!(
            (facts.width, facts.height, facts.has_alpha),
            (160, 128, false),
            "{name}"
        );
        let loaded = load_whole(file).unwrap();
        assert!(loaded.opaque);
        let difference = worst(&loaded.rgba, expected.as_raw());
        assert!(difference <= most, "{name}: {difference}");
    }
    // Color of half the size is blurred at the blocks' edges.
    let loaded = load_whole(HALF_COLOR).unwrap();
    let difference = mean(&loaded.rgba, expected.as_raw());
    assert!(difference < 6.0, "{difference}");
    let gray = load_whole(GRAY).unwrap();
    assert!(gray.rgba.chunks(4).all(|p| p[0] == p[1] && p[1] == p[2]));
}

#[test]
fn alpha_of_avif_is_read() {
    if !is_read(ALPHA, "libdav1d") {
        return;
    }
    for (name, file) in [("alpha", ALPHA), ("in a grid", GRID_WITH_ALPHA)] {
        assert!(facts_of(file).unwrap().has_alpha, "{name}");
        let loaded = load_whole(file).unwrap();
        assert!(!loaded.opaque, "{name}");
        let difference = worst(&loaded.rgba, &with_alpha());
        assert!(difference <= 3, "{name}: {difference}");
    }
}

#[test]
fn avif_is_cut_turned_and_mirrored() {
    if !is_read(TURNED, "libdav1d") {
        return;
    }
    let picture = blocks(20, 16).to_rgba8();
    let part = imageops::crop_imm(&picture, 8, 16, 96, 64).to_image();
    let upright = imageops::flip_horizontal(&imageops::rotate270(&part));
    let facts = facts_of(TURNED).unwrap();
    assert_eq!((facts.width, facts.height), (64, 96));
    let loaded = load_whole(TURNED).unwrap();
    let difference = worst(&loaded.rgba, upright.as_raw());
    assert!(difference <= 3, "{difference}");
}

#[test]
fn heic_is_read_where_libheif_is() {
    if !is_read(HEIC, "libheif1") {
        return;
    }
    let expected = blocks(20, 16).to_rgba8();
    let loaded = load_whole(HEIC).unwrap();
    assert_eq!(
        (loaded.width, loaded.height, loaded.opaque),
        (160, 128, true)
    );
    let difference = mean(&loaded.rgba, expected.as_raw());
    assert!(difference < 6.0, "{difference}");
    let loaded = load_whole(HEIC_ALPHA).unwrap();
    assert!(!loaded.opaque);
    let difference = mean(&loaded.rgba, &with_alpha());
    assert!(difference < 6.0, "{difference}");
    // A fault of a library in C++ would take a service down with it.
    let files = Limited {
        assets: assets(&[("p", HEIC)]),
        pictures: PictureLimits::strict(),
        clips: ClipLimits::strict(),
    };
    assert_eq!(facts_in(&files).unwrap_err().code, "unsupported_picture");
}

#[test]
fn jpeg_xl_is_read() {
    let expected = blocks(5, 3).to_rgba8();
    for (name, file) in [
        ("plain", JXL),
        ("in boxes", JXL_IN_BOXES),
        ("animated", JXL_ANIMATED),
    ] {
        let facts = facts_of(file).unwrap();
        assert_eq!((facts.width, facts.height), (40, 24), "{name}");
        let difference = worst(&load_whole(file).unwrap().rgba, expected.as_raw());
        // The animation was a GIF before.
        assert!(
            difference <= if name == "animated" { 2 } else { 0 },
            "{name}: {difference}"
        );
    }
    let gray = load_whole(JXL_GRAY).unwrap();
    let reds: Vec<u8> = gray.rgba.iter().step_by(4).copied().collect();
    let expected_reds: Vec<u8> = expected.as_raw().iter().step_by(4).copied().collect();
    assert!(worst(&reds, &expected_reds) <= 1);
    assert!(facts_of(JXL_ALPHA).unwrap().has_alpha);
    let alpha = load_whole(JXL_ALPHA).unwrap();
    assert_eq!((alpha.rgba[3], alpha.rgba[16 * 4 + 3]), (100, 255));
    let first = expected.get_pixel(0, 0).0[0];
    assert!(alpha.rgba[0].abs_diff((u32::from(first) * 100 / 255) as u8) <= 1);
}

#[test]
fn qoi_is_read() {
    let picture = blocks(5, 3);
    let loaded = load_whole(&encoded(&picture, ImageFormat::Qoi)).unwrap();
    assert_eq!(loaded.rgba, picture.to_rgba8().into_raw());
}

fn draw(svg: &str) -> Result<std::sync::Arc<Picture>> {
    let (width, height) = facts_of(svg.as_bytes()).map_or((8, 8), |f| (f.width, f.height));
    let mut wanted = whole("p", width, height);
    (wanted.width, wanted.height) = (width / 40, height / 40);
    load(&wanted, &assets(&[("p", svg.as_bytes())]))
}

#[test]
fn svg_is_drawn_as_large_as_a_video_with_alpha_and_text() {
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 48">
        <rect width="48" height="48" fill="#f00"/>
        <g opacity="0.5"><rect x="48" width="24" height="48" fill="#00f"/></g>
        <text x="2" y="40" font-family="Nobody has this" font-size="40">W</text></svg>"##;
    let facts = facts_of(svg.as_bytes()).unwrap();
    assert_eq!(
        (facts.width, facts.height, facts.has_alpha),
        (3840, 1920, true)
    );
    let picture = draw(svg).unwrap();
    let at = |x: usize, y: usize| &picture.rgba[(y * 96 + x) * 4..][..4];
    assert_eq!(at(46, 4), [255, 0, 0, 255]);
    let half = at(60, 24);
    assert!(
        half[2].abs_diff(128) <= 1 && half[3].abs_diff(128) <= 1,
        "{half:?}"
    );
    assert_eq!(at(90, 24), [0, 0, 0, 0]);
    let is_written = (2..46).any(|x| (10..42).any(|y| at(x, y)[0] < 64));
    assert!(is_written, "the text is missing");
}

#[test]
fn a_png_inside_svg_is_shown_and_another_file_is_refused() {
    use std::fmt::Write;
    let png = encoded(
        &DynamicImage::ImageRgba8(RgbaImage::from_pixel(4, 4, image::Rgba([0, 200, 0, 255]))),
        ImageFormat::Png,
    );
    // `data:` takes bytes in percent signs as well as Base64.
    let data = png.iter().fold(String::new(), |mut text, byte| {
        write!(text, "%{byte:02x}").unwrap();
        text
    });
    let with = |href: &str| {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><image href="{href}" width="80" height="80"/></svg>"#
        )
    };
    let picture = draw(&with(&format!("data:image/png,{data}"))).unwrap();
    assert_eq!(&picture.rgba[(48 * 96 + 48) * 4..][..4], [0, 200, 0, 255]);
    for href in [
        "/etc/passwd",
        "photo.png",
        "https://example.org/a.png",
        "data:image/png,x",
    ] {
        let e = draw(&with(href)).unwrap_err().to_string();
        assert!(e.contains("another file"), "{href}: {e}");
    }
}

#[test]
fn drawings_that_ask_for_too_much_are_refused_in_a_moment() {
    let svg = |inside: &str| {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">{inside}</svg>"#
        )
    };
    let rect = r#"<rect width="9" height="9"/>"#;
    let deep = format!("{}{rect}{}", "<g>".repeat(100_000), "</g>".repeat(100_000));
    let layers = format!(
        "{}{rect}{}",
        r#"<g opacity="0.9">"#.repeat(150),
        "</g>".repeat(150)
    );
    let many = rect.repeat(250_000);
    let uses = (1..12).fold(format!(r#"<g id="a0">{rect}</g>"#), |all, i| {
        let one = format!(r##"<use xlink:href="#a{}"/>"##, i - 1);
        format!(r#"{all}<g id="a{i}">{}</g>"#, one.repeat(10))
    });
    let patterns = (1..9).fold(String::new(), |all, i| {
        let one = format!(r##"<rect width="1" height="1" fill="url(#p{})"/>"##, i - 1);
        let one = one.repeat(12);
        format!(r#"{all}<pattern id="p{i}" width="1" height="1" patternUnits="userSpaceOnUse">{one}</pattern>"#)
    });
    let patterns = format!(
        r##"<pattern id="p0" width="1" height="1" patternUnits="userSpaceOnUse">{rect}</pattern>{patterns}<rect width="9" height="9" fill="url(#p8)"/>"##
    );
    let huge = r##"<pattern id="p" width="90000" height="90000" patternUnits="userSpaceOnUse"><rect width="9" height="9"/></pattern><rect width="9" height="9" fill="url(#p)"/>"##;
    let noise = r##"<filter id="f"><feTurbulence numOctaves="99999999"/></filter><rect width="9" height="9" filter="url(#f)"/>"##;
    for (name, inside) in [
        ("deep", deep.as_str()),
        ("layers", &layers),
        ("many", &many),
        ("uses", &uses),
        ("patterns", &patterns),
        ("huge pattern", huge),
        ("noise", noise),
    ] {
        let problem = facts_of(svg(inside).as_bytes()).unwrap_err();
        assert_eq!(problem.code, "too_large", "{name}: {problem}");
    }
}

#[test]
fn cut_files_of_every_kind_are_errors_or_complete() {
    let qoi = encoded(&noise(12, 10), ImageFormat::Qoi);
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" width="80" height="2"><rect width="9" height="9" fill="#f00"/></svg>"##;
    for (name, file) in [
        ("alpha.avif", ALPHA),
        ("grid.avif", GRID),
        ("plain.jxl", JXL),
        ("alpha.jxl", JXL_ALPHA),
        ("plain.heic", HEIC),
        ("qoi", &qoi),
        ("svg", svg.as_bytes()),
    ] {
        let Ok(complete) = load_whole(file) else {
            continue;
        };
        let size = (complete.width, complete.height);
        let step = (file.len() / 200).max(1);
        for len in (0..file.len()).step_by(step) {
            let cut = assets(&[("p", &file[..len])]);
            match load(&whole("p", size.0, size.1), &cut) {
                Ok(picture) => assert!(picture.rgba == complete.rgba, "{name} cut to {len}"),
                Err(e) => assert!(e.to_string().contains("`p`"), "{name} cut to {len}: {e}"),
            }
        }
    }
}

#[test]
fn mutants_of_every_kind_are_pictures_or_errors() {
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" width="80" height="2"><g opacity="0.5"><rect width="9" height="9" fill="#f00"/></g></svg>"##;
    for (seed, file) in [
        ALPHA,
        GRID,
        TURNED,
        TEN_BITS,
        JXL,
        JXL_ALPHA,
        JXL_ANIMATED,
        svg.as_bytes(),
    ]
    .into_iter()
    .enumerate()
    {
        let mut random = Noise(seed as u64 + 7);
        for _ in 0..60 {
            let mut bytes = file.to_vec();
            for _ in 0..=random.below(3) {
                let reach = [200, usize::MAX][random.below(2)];
                let at = random.below(bytes.len().min(reach));
                bytes[at] ^= 1 << random.below(8);
            }
            let files = assets(&[("p", &bytes)]);
            let _ = facts_in(&files);
            match load(&whole("p", 4, 4), &files) {
                Ok(picture) => assert_eq!(picture.rgba.len(), 64),
                Err(e) => assert!(e.to_string().contains("`p`"), "{e}"),
            }
        }
    }
}
