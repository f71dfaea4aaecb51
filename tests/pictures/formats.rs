//! Each format, depth and orientation decodes to the expected pixels; crop, size, blur and brightness are honored.

use image::{DynamicImage, GrayImage, ImageBuffer, ImageFormat, Luma, Rgba, RgbaImage};
use kinora::error::ErrorKind;
use kinora::media::load;
use kinora::scene::PictureUse;

use crate::samples::{FORMATS, assets, blocks, encoded, facts_of, load_whole, whole, worst};

#[test]
fn every_format_gives_the_same_pixels() {
    let picture = blocks(5, 3);
    for format in FORMATS {
        let picture = if format == ImageFormat::Bmp {
            DynamicImage::ImageRgb8(picture.to_rgb8())
        } else {
            picture.clone()
        };
        let bytes = encoded(&picture, format);
        let facts = facts_of(&bytes).unwrap();
        assert_eq!((facts.width, facts.height), (40, 24), "{format:?}");
        let loaded = load_whole(&bytes).unwrap();
        assert!(loaded.opaque, "{format:?}");
        let tolerance = match format {
            ImageFormat::Jpeg => 6,
            ImageFormat::Gif => 2,
            _ => 0,
        };
        let difference = worst(&loaded.rgba, picture.to_rgba8().as_raw());
        assert!(difference <= tolerance, "{format:?}: {difference}");
    }
}

#[test]
fn gray_and_16_bits_become_8_bit_rgba() {
    let gray = GrayImage::from_fn(9, 5, |x, y| Luma([(x * 25 + y) as u8]));
    let deep: ImageBuffer<Rgba<u16>, Vec<u16>> = ImageBuffer::from_fn(9, 5, |x, y| {
        Rgba([x as u16 * 7000, y as u16 * 16_000, 65_535, 65_535])
    });
    for picture in [
        DynamicImage::ImageLuma8(gray),
        DynamicImage::ImageRgba16(deep),
    ] {
        for format in [ImageFormat::Png, ImageFormat::Tiff] {
            let loaded = load_whole(&encoded(&picture, format)).unwrap();
            assert!(loaded.opaque);
            assert!(
                worst(&loaded.rgba, picture.to_rgba8().as_raw()) <= 1,
                "{format:?}"
            );
        }
    }
}

#[test]
fn a_palette_with_transparency_is_read() {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 4, 1);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Two);
    encoder.set_palette(vec![255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]);
    encoder.set_trns(vec![255, 128, 0]);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0b00_01_10_11]).unwrap();
    writer.finish().unwrap();
    assert!(facts_of(&bytes).unwrap().has_alpha);
    let loaded = load_whole(&bytes).unwrap();
    assert!(!loaded.opaque);
    assert_eq!(
        loaded.rgba,
        [255, 0, 0, 255, 0, 128, 0, 128, 0, 0, 0, 0, 9, 9, 9, 255]
    );
}

#[test]
fn alpha_is_premultiplied_and_resampled_so() {
    // Opaque red beside fully transparent green: no green may bleed into the edge.
    let picture = RgbaImage::from_fn(16, 16, |x, _| {
        if x < 8 {
            Rgba([255, 0, 0, 255])
        } else {
            Rgba([0, 255, 0, 0])
        }
    });
    let bytes = encoded(&DynamicImage::ImageRgba8(picture), ImageFormat::Png);
    for side in [16, 5, 40] {
        let wanted = PictureUse {
            width: side,
            height: side,
            ..whole("p", 16, 16)
        };
        let loaded = load(&wanted, &assets(&[("p", &bytes)])).unwrap();
        assert!(!loaded.opaque);
        for p in loaded.rgba.chunks(4) {
            assert_eq!((p[1], p[2]), (0, 0));
            assert!(p[0] <= p[3] && p[3] - p[0] <= 1, "{p:?}");
        }
    }
}

/// The picture as a camera stores it under an orientation, straight from the table in EXIF 2.32, 4.6.4, tag 0x0112:
/// which side of the scene row 0 and column 0 show.
fn stored_as(upright: &RgbaImage, orientation: u8) -> RgbaImage {
    let (row_0, column_0) = [
        ("top", "left"),
        ("top", "right"),
        ("bottom", "right"),
        ("bottom", "left"),
        ("left", "top"),
        ("right", "top"),
        ("right", "bottom"),
        ("left", "bottom"),
    ][usize::from(orientation) - 1];
    let (w, h) = upright.dimensions();
    let (width, height) = if orientation >= 5 { (h, w) } else { (w, h) };
    RgbaImage::from_fn(width, height, |column, row| {
        let (mut x, mut y) = (0, 0);
        for (side, i) in [(row_0, row), (column_0, column)] {
            match side {
                "top" => y = i,
                "bottom" => y = h - 1 - i,
                "left" => x = i,
                _ => x = w - 1 - i,
            }
        }
        *upright.get_pixel(x, y)
    })
}

/// Inserts an EXIF segment with nothing but the orientation.
fn with_orientation(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe1, 0, exif.len() as u8 + 2];
    bytes.extend(exif);
    bytes.extend(&jpeg[2..]);
    bytes
}

#[test]
fn all_orientations_stand_upright() {
    let upright = blocks(5, 3).to_rgba8();
    let plain = encoded(
        &DynamicImage::ImageRgba8(upright.clone()),
        ImageFormat::Jpeg,
    );
    for orientation in 1..=8 {
        let stored = DynamicImage::ImageRgba8(stored_as(&upright, orientation));
        let bytes = with_orientation(&encoded(&stored, ImageFormat::Jpeg), orientation);
        let facts = facts_of(&bytes).unwrap();
        assert_eq!((facts.width, facts.height), (40, 24), "{orientation}");
        let loaded = load_whole(&bytes).unwrap();
        let difference = worst(&loaded.rgba, upright.as_raw());
        assert!(difference <= 6, "{orientation}: {difference}");

        let part = PictureUse {
            crop: [3.25, 9.5, 30.5, 12.75],
            width: 61,
            height: 17,
            ..whole("p", 40, 24)
        };
        let expected = load(&part, &assets(&[("p", &plain)])).unwrap();
        let loaded = load(&part, &assets(&[("p", &bytes)])).unwrap();
        let difference = worst(&loaded.rgba, &expected.rgba);
        assert!(difference <= 8, "{orientation}, part: {difference}");
    }
}

#[test]
fn a_part_is_cut_at_fractions_of_a_pixel() {
    let ramp = GrayImage::from_fn(101, 8, |x, _| Luma([(x * 2) as u8]));
    let bytes = encoded(&DynamicImage::ImageLuma8(ramp), ImageFormat::Png);
    let wanted = PictureUse {
        crop: [20.3, 0.0, 40.0, 8.0],
        width: 40,
        height: 8,
        ..whole("p", 101, 8)
    };
    let loaded = load(&wanted, &assets(&[("p", &bytes)])).unwrap();
    for (x, p) in loaded.rgba[..160].chunks(4).enumerate() {
        let expected = 2.0 * (20.3 + x as f64);
        assert!(
            (f64::from(p[0]) - expected).abs() <= 1.0,
            "{x}: {} for {expected}",
            p[0]
        );
    }
}

#[test]
fn impossible_wishes_are_errors_of_the_plan() {
    let bytes = encoded(&blocks(1, 1), ImageFormat::Png);
    let good = whole("p", 8, 8);
    for bad in [
        PictureUse {
            width: 0,
            ..good.clone()
        },
        PictureUse {
            width: u32::MAX,
            height: u32::MAX,
            ..good.clone()
        },
        PictureUse {
            crop: [0.0, 0.0, f64::NAN, 8.0],
            ..good.clone()
        },
        PictureUse {
            crop: [4.0, 0.0, 8.0, 8.0],
            ..good.clone()
        },
        PictureUse {
            crop: [0.0, 0.0, 0.0, 8.0],
            ..good.clone()
        },
        PictureUse {
            blur_px: f32::INFINITY,
            ..good.clone()
        },
    ] {
        let e = load(&bad, &assets(&[("p", &bytes)])).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Internal, "{bad:?}");
    }
    assert!(load(&good, &assets(&[("p", &bytes)])).is_ok());
}

#[test]
fn blur_and_brightness_keep_what_they_should() {
    // Half black, half white: blurred, the edge becomes the Gaussian's integral.
    let edge = GrayImage::from_fn(80, 40, |x, _| Luma([if x < 40 { 0 } else { 255 }]));
    let bytes = encoded(&DynamicImage::ImageLuma8(edge), ImageFormat::Png);
    let files = assets(&[("p", &bytes)]);
    let blurred = load(
        &PictureUse {
            blur_px: 6.0,
            ..whole("p", 80, 40)
        },
        &files,
    )
    .unwrap();
    let row: Vec<u8> = blurred.rgba[80 * 4 * 20..][..320]
        .iter()
        .step_by(4)
        .copied()
        .collect();
    // Values of the normal distribution at 1 and 2 standard deviations: 15.9 %, 2.3 %.
    for (x, expected) in [
        (40 - 12, 0.0228),
        (40 - 6, 0.1587),
        (40 + 6, 0.8413),
        (40 + 12, 0.9772),
    ] {
        let here = (f64::from(row[x - 1]) + f64::from(row[x])) / 2.0;
        assert!((here - expected * 255.0).abs() <= 3.0, "{x}: {here}");
    }
    assert!(row.windows(2).all(|w| w[0] <= w[1]), "{row:?}");
    let dark = load(
        &PictureUse {
            brightness: 0.5,
            ..whole("p", 80, 40)
        },
        &files,
    )
    .unwrap();
    assert_eq!(&dark.rgba[316..320], [128, 128, 128, 255]);
    let bright = load(
        &PictureUse {
            brightness: 3.0,
            ..whole("p", 80, 40)
        },
        &files,
    )
    .unwrap();
    assert_eq!(&bright.rgba[316..320], [255, 255, 255, 255]);
}

#[test]
fn the_first_frame_of_an_animation_is_taken() {
    let mut bytes = Vec::new();
    let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
    for color in [[200, 0, 0, 255], [0, 200, 0, 255]] {
        let frame = image::Frame::new(RgbaImage::from_pixel(6, 4, Rgba(color)));
        encoder.encode_frame(frame).unwrap();
    }
    drop(encoder);
    let loaded = load_whole(&bytes).unwrap();
    assert!(worst(&loaded.rgba, &[200, 0, 0, 255].repeat(24)) <= 2);
}
