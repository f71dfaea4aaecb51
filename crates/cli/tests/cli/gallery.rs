//! `kinora gallery` and `kinora bench looks`: every look of the tables is there, however many they are.

use std::fs;
use std::path::Path;

use image::{Rgb, RgbImage};
use serde_json::Value;

use super::{code, kinora, lines, names_in, stderr};

/// How many looks a list has.
fn n_looks(list: &str) -> usize {
    let output = kinora(Path::new("."), &[list, "--json"]);
    let listed = lines(&output).pop().unwrap();
    listed[list].as_array().unwrap().len()
}

/// Two small photographs, so that none need be drawn.
fn photographs(folder: &Path) {
    for (name, blue) in [("a.jpg", 60), ("b.JPG", 190)] {
        let picture = RgbImage::from_fn(180, 320, |x, y| Rgb([x as u8, (y / 2) as u8, blue]));
        let format = image::ImageFormat::Jpeg;
        picture.save_with_format(folder.join(name), format).unwrap();
    }
}

#[test]
fn the_sheet_and_the_film_show_every_look() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("photos")).unwrap();
    photographs(&folder.path().join("photos"));
    let args = [
        "gallery",
        "motions",
        "-o",
        "out/deep",
        "--media",
        "photos",
        "--backend",
        "cpu",
    ];
    let output = kinora(folder.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let out = folder.path().join("out/deep");
    assert_eq!(names_in(&out), ["motions.mp4", "motions.png"]);
    let sheet = image::open(out.join("motions.png")).unwrap().into_rgb8();
    let n_rows = n_looks("motions").div_ceil(4) as u32;
    assert!(sheet.height() > n_rows * 400, "{:?}", sheet.dimensions());
    // Names are light on dark, below the stills of the first row.
    let band = (0..sheet.width()).flat_map(|x| (525..575).map(move |y| (x, y)));
    let brightest = band.map(|(x, y)| sheet.get_pixel(x, y).0[0]).max().unwrap();
    assert!(brightest > 240, "no name is written: {brightest}");
    let probed = kinora(&out, &["probe", "motions.mp4", "--json"]);
    assert_eq!(code(&probed), 0, "{}", stderr(&probed));
    let secs = lines(&probed)[0]["facts"]["duration_secs"]
        .as_f64()
        .unwrap();
    assert!(secs >= 2.0 * n_looks("motions") as f64, "{secs}");
}

#[test]
fn a_gallery_without_pictures_is_bad_usage() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["gallery", "motions", "-o", "out", "--media", "."][..],
        &["gallery", "motions", "-o", "out", "--media", "gone"],
        &["gallery", "paintings", "-o", "out"],
        &["gallery", "motions"],
        &["bench", "paintings"],
    ] {
        let output = kinora(folder.path(), args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn captions_are_shown_on_drawn_pictures_too() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "gallery",
        "captions",
        "-o",
        ".",
        "--sheet-only",
        "--backend",
        "cpu",
    ];
    let output = kinora(folder.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(names_in(folder.path()), ["captions.png"]);
}

#[test]
#[ignore = "composes every look at full size: minutes without optimization"]
fn every_look_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    photographs(folder.path());
    let output = kinora(folder.path(), &["bench", "--media", ".", "looks", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result = lines(&output).pop().unwrap();
    for list in ["transitions", "captions"] {
        let rows = result[list].as_array().unwrap();
        assert_eq!(rows.len(), n_looks(list));
        let is_cost = |row: &Value| row["cpu_ms_per_frame"].as_f64().unwrap() > 0.0;
        assert!(rows.iter().all(is_cost), "{result}");
    }
}
