//! Files that are uncommon but good, and what looks good but is not: the right pixels, or a refusal that says which it is.

use std::io::Cursor;

use image::ImageFormat;
use kinora::media::load;

use crate::samples::{assets, blocks, encoded, facts_of, load_whole, noise, whole, worst};

const BASELINE: &[u8] = include_bytes!("files/baseline.jpg");
const SCANS: &[u8] = include_bytes!("files/scans.jpg");
const PROGRESSIVE: &[u8] = include_bytes!("files/progressive.jpg");
const RESTARTS: &[u8] = include_bytes!("files/restart.jpg");

/// Where the frame header of a JPEG begins.
fn frame_of(jpeg: &[u8]) -> usize {
    let starts = |w: &[u8]| matches!(w, [0xff, 0xc0 | 0xc2]);
    jpeg.windows(2).position(starts).unwrap()
}

#[test]
fn jpegs_with_a_scan_for_each_color_show_the_same() {
    let baseline = load_whole(BASELINE).unwrap();
    let luma = |rgba: &[u8]| -> Vec<u8> { rgba.iter().skip(1).step_by(4).copied().collect() };
    for (name, file) in [("scans", SCANS), ("progressive", PROGRESSIVE)] {
        let loaded = load_whole(file).unwrap();
        let difference = worst(&loaded.rgba, &baseline.rgba);
        assert!(difference <= 2, "{name}: {difference}");
    }
    let restarts = load_whole(RESTARTS).unwrap();
    let expected = blocks(20, 16).to_rgba8();
    let (got, expected) = (luma(&restarts.rgba), luma(expected.as_raw()));
    let sum: u64 = got
        .iter()
        .zip(&expected)
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    assert!(sum / (got.len() as u64) < 12, "{sum}");
}

#[test]
fn jpegs_that_end_early_with_an_end_marker_are_damaged() {
    let noisy = encoded(&noise(160, 120), ImageFormat::Jpeg);
    for (name, file) in [
        ("baseline", BASELINE),
        ("scans", SCANS),
        ("progressive", PROGRESSIVE),
        ("restarts", RESTARTS),
        ("noise", &noisy),
    ] {
        assert!(load_whole(file).is_ok(), "{name}");
        let scan = file.windows(2).position(|w| w == [0xff, 0xda]).unwrap() + 14;
        for part in [1, 2, 3] {
            let end = scan + (file.len() - scan) * part / 4;
            let mut cut = file[..end].to_vec();
            if cut.last() == Some(&0xff) {
                cut.pop();
            }
            cut.extend([0xff, 0xd9]);
            // A progressive file of fewer scans is a good one.
            let Err(e) = load_whole(&cut) else {
                assert_eq!(name, "progressive", "{part}");
                continue;
            };
            assert!(e.to_string().contains("damaged"), "{name} {part}: {e}");
        }
    }
}

#[test]
fn jpegs_that_leave_out_the_usual_tables_are_read() {
    // Motion JPEG: those of ITU-T T.81, annex K, which the encoder of `image` writes.
    let whole = encoded(&blocks(5, 3), ImageFormat::Jpeg);
    let mut bare = whole[..2].to_vec();
    bare.extend(b"\xff\xe0\0\x10AVI1\0\0\0\0\0\0\0\0\0\0");
    let mut at = 2;
    while whole[at + 1] != 0xda {
        let length = usize::from(u16::from_be_bytes([whole[at + 2], whole[at + 3]]));
        if !matches!(whole[at + 1], 0xc4 | 0xe0) {
            bare.extend(&whole[at..at + 2 + length]);
        }
        at += 2 + length;
    }
    bare.extend(&whole[at..]);
    assert_eq!(
        load_whole(&bare).unwrap().rgba,
        load_whole(&whole).unwrap().rgba
    );
}

#[test]
fn kinds_of_jpeg_that_are_not_read_are_named() {
    let frame = frame_of(BASELINE);
    for (marker, bits, word) in [
        (0xc9, 8, "arithmetic"),
        (0xc1, 12, "12 bits"),
        (0xc5, 8, "hierarchical"),
    ] {
        let mut bytes = BASELINE.to_vec();
        bytes[frame + 1] = marker;
        bytes[frame + 4] = bits;
        let problem = facts_of(&bytes).unwrap_err();
        assert_eq!(problem.code, "unsupported_picture", "{problem}");
        assert!(problem.message.contains(word), "{problem}");
        let hint = problem.hint.unwrap();
        assert!(hint.contains("PNG"), "{hint}");
    }
}

/// A WebP with an EXIF chunk that holds `start` and the orientation.
fn webp_with_exif(start: &[u8], orientation: u8) -> Vec<u8> {
    let simple = encoded(&blocks(5, 3), ImageFormat::WebP);
    let mut exif = start.to_vec();
    exif.extend(b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0");
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    if exif.len() % 2 == 1 {
        exif.push(0);
    }
    let mut body = b"WEBPVP8X\x0a\0\0\0\x08\0\0\0".to_vec();
    body.extend([39, 0, 0, 23, 0, 0]);
    body.extend(&simple[12..]);
    body.extend(b"EXIF");
    body.extend((exif.len() as u32).to_le_bytes());
    body.extend(exif);
    let mut file = b"RIFF".to_vec();
    file.extend((body.len() as u32).to_le_bytes());
    file.extend(body);
    file
}

#[test]
fn webp_stands_upright_however_its_exif_begins() {
    let picture = blocks(5, 3).to_rgba8();
    let upright = image::imageops::rotate90(&picture);
    for start in [&b""[..], b"Exif\0\0"] {
        let file = webp_with_exif(start, 6);
        let facts = facts_of(&file).unwrap();
        assert_eq!((facts.width, facts.height), (24, 40), "{start:?}");
        assert_eq!(load_whole(&file).unwrap().rgba, *upright.as_raw());
    }
}

#[test]
fn tiff_with_integers_of_32_bits_is_read() {
    use tiff::encoder::{TiffEncoder, colortype::RGB32};
    let picture = blocks(5, 3).to_rgb8();
    let wide: Vec<u32> = picture
        .as_raw()
        .iter()
        .map(|&v| u32::from(v) * 0x0101_0101)
        .collect();
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    encoder.write_image::<RGB32>(40, 24, &wide).unwrap();
    let mut bytes = file.into_inner();
    // Without the tag SampleFormat (339), samples are unsigned integers.
    let directory = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    let n = usize::from(bytes[directory]);
    let tag = (0..n)
        .map(|i| directory + 2 + i * 12)
        .find(|&at| bytes[at..at + 2] == 339_u16.to_le_bytes())
        .unwrap();
    bytes[tag..tag + 2].copy_from_slice(&65_000_u16.to_le_bytes());
    let loaded = load_whole(&bytes).unwrap();
    let expected = image::DynamicImage::ImageRgb8(picture).to_rgba8();
    assert_eq!(loaded.rgba, *expected.as_raw());
}

#[test]
fn tiff_in_tiles_of_one_color_each_is_not_called_damaged() {
    let entries: [(u16, u16, u32, u32); 10] = [
        (256, 3, 1, 16),
        (257, 3, 1, 16),
        (258, 3, 3, 224),
        (262, 3, 1, 2),
        (277, 3, 1, 3),
        (284, 3, 1, 2),
        (322, 3, 1, 16),
        (323, 3, 1, 16),
        (324, 4, 3, 200),
        (325, 4, 3, 212),
    ];
    let mut file = b"II*\0\x08\0\0\0".to_vec();
    file.extend((entries.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in entries {
        file.extend(tag.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(count.to_le_bytes());
        file.extend(value.to_le_bytes());
    }
    file.resize(200, 0);
    for v in [256, 512, 768, 256, 256, 256_u32] {
        file.extend(v.to_le_bytes());
    }
    file.extend([8, 0, 8, 0, 8, 0]);
    file.resize(1024, 77);
    let problem = facts_of(&file).unwrap_err();
    assert_eq!(problem.code, "unsupported_picture", "{problem}");
    assert!(problem.message.contains("tiled"), "{problem}");
    assert!(load_whole(&file).is_err());
}

#[test]
fn small_files_of_giant_pictures_are_refused_before_they_are_decoded() {
    // 20000x10000 px, one frame with one code.
    let mut gif = b"GIF89a".to_vec();
    gif.extend([
        0x20, 0x4e, 0x10, 0x27, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2c, 0, 0, 0, 0,
    ]);
    gif.extend([0x20, 0x4e, 0x10, 0x27, 0, 2, 2, 0x4c, 1, 0, 0x3b]);
    // 30000x6000 px of 8 bits, run-length coded.
    let mut bmp = b"BM".to_vec();
    bmp.extend([0x36, 8, 0, 0, 0, 0, 0, 0, 0x36, 4, 0, 0, 40, 0, 0, 0]);
    bmp.extend(30_000_u32.to_le_bytes());
    bmp.extend(6000_u32.to_le_bytes());
    bmp.extend([1, 0, 8, 0, 1, 0, 0, 0]);
    bmp.resize(54 + 1024, 0);
    bmp.extend([0, 1].repeat(20));
    // 20000x9000 px of 16 bits take 1440 MB and what they become.
    let mut wide = Vec::new();
    let mut encoder = png::Encoder::new(&mut wide, 20_000, 9000);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Sixteen);
    drop(encoder.write_header().unwrap());
    for (name, file) in [("gif", &gif), ("bmp", &bmp), ("png", &wide)] {
        let whole = whole("p", 8, 8);
        let e = load(&whole, &assets(&[("p", file)]))
            .unwrap_err()
            .to_string();
        let is_named = e.contains("cut short") || e.contains("are allowed");
        assert!(is_named, "{name}: {e}");
    }
}

#[test]
fn photographs_and_panoramas_keep_within_the_limits() {
    // The size of the header alone counts: the frame's is changed, and the facts are read.
    for (name, file) in [("baseline", BASELINE), ("progressive", PROGRESSIVE)] {
        for (width, height) in [
            (6000_u16, 4000_u16),
            (8064, 6048),
            (8000, 6000),
            (16_320, 6120),
        ] {
            let mut bytes = file.to_vec();
            let frame = frame_of(&bytes);
            bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
            bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
            let facts = facts_of(&bytes).unwrap();
            assert_eq!(facts.width, u32::from(width), "{name}");
        }
    }
}

#[test]
fn the_name_of_a_file_in_a_long_path_is_shown() {
    let name = format!("{}/IMG_2041.psd", "a-long-name-of-a-folder/".repeat(9));
    let files = assets(&[(&name, b"8BPS")]);
    let e = load(&whole(&name, 8, 8), &files).unwrap_err().to_string();
    assert!(
        e.contains("/IMG_2041.psd`") && e.contains("export it"),
        "{e}"
    );
}
