//! Files that are cut, wrong, huge or made to hurt: an error that names the file, never a panic, never a picture that is half there.

use image::{DynamicImage, GrayImage, ImageFormat};
use kinora::error::ErrorKind;
use kinora::media::clip::ClipLimits;
use kinora::media::{Limited, PictureLimits, load};
use kinora::{Named, probe};

use crate::samples::{
    FORMATS, Noise, assets, blocks, encoded, facts_in, facts_of, load_whole, noise, whole,
};

#[test]
fn cut_files_are_errors_or_complete() {
    for format in FORMATS {
        let bytes = encoded(&noise(48, 40), format);
        let complete = load_whole(&bytes).unwrap();
        let step = (bytes.len() / 150).max(1);
        let near_the_end = bytes.len().saturating_sub(20)..bytes.len();
        let lengths = (0..40)
            .chain((40..bytes.len()).step_by(step))
            .chain(near_the_end);
        let mut n_errors = 0;
        for len in lengths {
            let cut = assets(&[("cut.file", &bytes[..len])]);
            let _ = facts_of(&bytes[..len]);
            match load(&whole("cut.file", 48, 40), &cut) {
                // Formats may end in bytes that carry no pixels.
                Ok(picture) => assert_eq!(picture.rgba, complete.rgba, "{format:?} cut to {len}"),
                Err(e) => {
                    n_errors += 1;
                    assert_eq!(e.kind(), ErrorKind::Media, "{format:?} cut to {len}: {e}");
                    let text = e.to_string();
                    assert!(
                        text.contains("`cut.file`") && text.contains("shots[0]"),
                        "{text}"
                    );
                }
            }
        }
        assert!(n_errors > 150, "{format:?}: {n_errors}");
    }
}

/// A ramp of 16x16 px, gray, progressive, as Pillow writes it at quality 30: bytes in hexadecimal.
const PROGRESSIVE: &str = "\
    ffd8ffe000104a46494600010100000100010000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a3d30\
    42605565645f555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffc2000b08001000100101\
    1100ffc4001500010100000000000000000000000000000504ffda0008010100000001913313ffc400151001010000000000\
    0000000000000000000003ffda00080101000105029a69a6ffc40014100100000000000000000000000000000020ffda0008\
    010100063f021fffc40014100100000000000000000000000000000020ffda0008010100013f2101ffda0008010100000010\
    ff00ffc4001510010100000000000000000000000000000041ffda0008010100013f1084210fffd9";

#[test]
fn progressive_jpegs_are_read_and_checked_for_their_end_too() {
    let digits: Vec<u8> = PROGRESSIVE
        .chars()
        .map(|c| c.to_digit(16).unwrap() as u8)
        .collect();
    let bytes: Vec<u8> = digits.chunks(2).map(|d| d[0] * 16 + d[1]).collect();
    let picture = load_whole(&bytes).unwrap();
    for (x, p) in picture.rgba[..64].chunks(4).enumerate() {
        assert!(p[0].abs_diff(x as u8 * 16) <= 16, "{x}: {p:?}");
    }
    for len in 2..bytes.len() {
        let e = load_whole(&bytes[..len]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Media, "cut to {len}: {e}");
    }
}

#[test]
fn mutants_never_panic() {
    for format in FORMATS {
        let good = encoded(&noise(24, 20), format);
        let mut random = Noise(format as u64 + 99);
        for _ in 0..200 {
            let mut bytes = good.clone();
            for _ in 0..=random.below(4) {
                let reach = [64, usize::MAX][random.below(2)];
                let at = random.below(bytes.len().min(reach));
                bytes[at] = [0, 0xff, 0x7f, random.next() as u8][random.below(4)];
            }
            let files = Limited {
                assets: assets(&[("p", &bytes)]),
                pictures: PictureLimits::strict(),
                clips: ClipLimits::strict(),
            };
            let _ = facts_in(&files);
            match load(&whole("p", 4, 4), &files) {
                Ok(picture) => assert_eq!(picture.rgba.len(), 64),
                Err(e) => assert!(e.to_string().contains("`p`"), "{e}"),
            }
        }
    }
}

/// CRC-32 of PNG (ISO 3309), bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &b| {
        (0..8).fold(crc ^ u32::from(b), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 * (crc & 1))
        })
    })
}

/// A good file of each format whose header then claims a huge picture.
fn giant(format: ImageFormat) -> Vec<u8> {
    let mut bytes = encoded(&blocks(1, 1), format);
    let put =
        |bytes: &mut Vec<u8>, at: usize, new: &[u8]| bytes[at..at + new.len()].copy_from_slice(new);
    match format {
        ImageFormat::Png => {
            put(&mut bytes, 16, &[0, 0, 255, 255, 0, 0, 255, 255]);
            let crc = crc(&bytes[12..29]);
            put(&mut bytes, 29, &crc.to_be_bytes());
        }
        ImageFormat::Jpeg => {
            let frame = bytes.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
            put(&mut bytes, frame + 5, &[255, 220, 255, 220]);
        }
        ImageFormat::Gif => put(&mut bytes, 6, &[255, 255, 255, 255]),
        ImageFormat::Bmp => put(&mut bytes, 18, &[255, 255, 0, 0, 255, 255, 0, 0]),
        // VP8L: 14 bits each of width - 1 and height - 1 (16,382) after the signature byte.
        ImageFormat::WebP => put(&mut bytes, 21, &[0xfe, 0xbf, 0xff, 0x0f]),
        _ => {
            let ifd = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
            let n_entries = usize::from(bytes[ifd]);
            for entry in (0..n_entries).map(|i| ifd + 2 + i * 12) {
                // Width, height, and as many rows in the one strip.
                if matches!([bytes[entry], bytes[entry + 1]], [0, 1] | [1, 1] | [22, 1]) {
                    let n_bytes = if bytes[entry + 2] == 3 { 2 } else { 4 };
                    put(&mut bytes, entry + 8, &[255, 255, 0, 0][..n_bytes]);
                }
            }
        }
    }
    bytes
}

#[test]
fn giants_are_refused_from_the_header_alone() {
    for format in FORMATS {
        let bytes = giant(format);
        let problem = facts_of(&bytes).unwrap_err();
        assert_eq!(problem.code, "too_large", "{format:?}: {problem}");
        let e = load_whole(&bytes).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Media, "{format:?}: {e}");
    }
}

#[test]
fn a_jpeg_too_short_for_its_size_is_refused() {
    // Within all limits and with its end marker: only its length gives it away.
    let mut bytes = encoded(&blocks(1, 1), ImageFormat::Jpeg);
    let frame = bytes.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
    bytes[frame + 5..frame + 9].copy_from_slice(&[0x17, 0, 0x17, 0]);
    assert_eq!(facts_of(&bytes).unwrap().width, 0x1700);
    let e = load_whole(&bytes).unwrap_err();
    assert!(e.to_string().contains("cut short"), "{e}");
}

#[test]
fn bombs_within_the_limits_only_take_their_pixels() {
    let black = DynamicImage::ImageLuma8(GrayImage::new(5000, 4000));
    let bytes = encoded(&black, ImageFormat::Png);
    assert!(bytes.len() < 1_000_000, "{}", bytes.len());
    let files = assets(&[("bomb", &bytes)]);
    let mut small = whole("bomb", 5000, 4000);
    (small.width, small.height) = (2, 2);
    assert_eq!(load(&small, &files).unwrap().rgba, [0, 0, 0, 255].repeat(4));
    let mut limits = PictureLimits::strict();
    limits.n_pixels = 10_000_000;
    let strict = Limited {
        assets: files,
        pictures: limits,
        clips: ClipLimits::strict(),
    };
    assert!(
        load(&small, &strict)
            .unwrap_err()
            .to_string()
            .contains("5000x4000")
    );
}

#[test]
fn a_profile_that_inflates_to_much_is_bounded() {
    let mut bytes = Vec::new();
    let mut info = png::Info::with_size(1, 1);
    info.color_type = png::ColorType::Rgb;
    info.icc_profile = Some(vec![0; 40 << 20].into());
    let mut writer = png::Encoder::with_info(&mut bytes, info)
        .unwrap()
        .write_header()
        .unwrap();
    writer.write_image_data(&[1, 2, 3]).unwrap();
    writer.finish().unwrap();
    let mut limits = PictureLimits::strict();
    limits.decoded_bytes = 1 << 20;
    let files = Limited {
        assets: assets(&[("p", &bytes)]),
        pictures: limits,
        clips: ClipLimits::strict(),
    };
    // Without its profile or refused, but never 40 MiB.
    match load(&whole("p", 1, 1), &files) {
        Ok(picture) => assert_eq!(picture.rgba, [1, 2, 3, 255]),
        Err(e) => assert_eq!(e.kind(), ErrorKind::Media),
    }
}

#[test]
fn long_files_are_refused_unread() {
    let mut bytes = encoded(&blocks(1, 1), ImageFormat::Png);
    bytes.resize(5000, 0);
    let mut limits = PictureLimits::strict();
    limits.file_bytes = 4999;
    let files = Limited {
        assets: assets(&[("p", &bytes)]),
        pictures: limits,
        clips: ClipLimits::strict(),
    };
    assert_eq!(facts_in(&files).unwrap_err().code, "too_large");
    assert!(load(&whole("p", 8, 8), &files).is_err());
}

#[test]
fn every_place_of_a_bad_name_is_told_with_what_to_do() {
    let png = encoded(&blocks(1, 1), ImageFormat::Png);
    let files = assets(&[
        ("photo.png", &png),
        ("a.psd", b"8BPS\0\x01"),
        ("a.txt", b"hello"),
        ("none", b""),
    ]);
    let named = |names: &[&str]| -> Vec<(String, String)> {
        let place = |(i, name): (usize, &&str)| (name.to_string(), format!("shots[{i}].picture"));
        names.iter().enumerate().map(place).collect()
    };
    let pictures = named(&[
        "photo.png",
        "Photo.jpg",
        "a.psd",
        "a.txt",
        "none",
        "Photo.jpg",
    ]);
    let names = Named {
        pictures,
        sounds: named(&["song.mp3"]),
        ..Named::default()
    };
    let (facts, problems) = probe(&names, &files);
    assert_eq!(facts.pictures.len(), 1);
    let told: Vec<(&str, &str)> = problems.iter().map(|p| (p.code, p.path.as_str())).collect();
    assert_eq!(
        told,
        [
            ("missing_file", "shots[1].picture"),
            ("unsupported_picture", "shots[2].picture"),
            ("not_a_picture", "shots[3].picture"),
            ("not_a_picture", "shots[4].picture"),
            ("missing_file", "shots[5].picture"),
            ("missing_file", "shots[0].picture"),
        ]
    );
    assert_eq!(
        problems[0].hint.as_deref(),
        Some("did you mean `photo.png`?")
    );
    assert!(problems[1].message.contains("Photoshop"), "{}", problems[1]);
    assert!(
        problems[4].message.contains("`Photo.jpg`"),
        "{}",
        problems[4]
    );
}

#[test]
fn slender_and_tiny_pictures_load() {
    for (width, height) in [(1, 1), (1, 300), (300, 1)] {
        for format in FORMATS {
            let bytes = encoded(&noise(width, height), format);
            let mut wanted = whole("p", width, height);
            (wanted.width, wanted.height, wanted.blur_px) = (54, 96, 4.0);
            let picture = load(&wanted, &assets(&[("p", &bytes)])).unwrap();
            assert_eq!(
                picture.rgba.len(),
                54 * 96 * 4,
                "{format:?} {width}x{height}"
            );
            assert!(picture.opaque);
        }
    }
}
