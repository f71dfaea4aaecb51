//! Embedded profiles become sRGB.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use moxcms::ColorProfile;

use crate::samples::load_whole;

fn png(pixels: &[u8], color: ExtendedColorType, n_channels: usize, profile: Vec<u8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = PngEncoder::new(&mut bytes);
    encoder.set_icc_profile(profile).unwrap();
    let width = (pixels.len() / n_channels) as u32;
    encoder.write_image(pixels, width, 1, color).unwrap();
    bytes
}

fn srgb_from_linear(v: f64) -> f64 {
    let v = v.clamp(0.0, 1.0);
    255.0
        * if v <= 0.003_130_8 {
            12.92 * v
        } else {
            1.055 * v.powf(1.0 / 2.4) - 0.055
        }
}

fn linear_from_srgb(v: u8) -> f64 {
    let v = f64::from(v) / 255.0;
    if v <= 0.04045 {
        v / 12.92
    } else {
        ((v + 0.055) / 1.055).powf(2.4)
    }
}

/// Display P3 to sRGB by the published primaries (SMPTE EG 432-1 and IEC 61966-2-1, both D65, same curve).
fn srgb_from_p3(p: &[u8]) -> [f64; 3] {
    let m = [
        [1.224_940_2, -0.224_940_2, 0.0],
        [-0.042_056_9, 1.042_056_9, 0.0],
        [-0.019_637_6, -0.078_636_1, 1.098_273_7],
    ];
    let linear = [
        linear_from_srgb(p[0]),
        linear_from_srgb(p[1]),
        linear_from_srgb(p[2]),
    ];
    m.map(|row| srgb_from_linear((0..3).map(|i| row[i] * linear[i]).sum()))
}

#[test]
fn display_p3_becomes_srgb() {
    let colors: Vec<u8> = [
        [200, 100, 50],
        [90, 160, 90],
        [128, 128, 128],
        [40, 60, 200],
        [255, 255, 255],
    ]
    .concat();
    let profile = ColorProfile::new_display_p3().encode().unwrap();
    let loaded = load_whole(&png(&colors, ExtendedColorType::Rgb8, 3, profile.clone())).unwrap();
    for (got, p) in loaded.rgba.chunks(4).zip(colors.chunks(3)) {
        let expected = srgb_from_p3(p);
        for c in 0..3 {
            assert!(
                (f64::from(got[c]) - expected[c]).abs() <= 2.0,
                "{p:?}: {got:?}, {expected:?}"
            );
        }
    }
    // The conversion must have done something for the comparison to mean anything.
    assert!(loaded.rgba[0] > 205);

    let mut jpeg = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut jpeg, 100);
    encoder.set_icc_profile(profile).unwrap();
    let flat = [200, 100, 50].repeat(256);
    encoder
        .write_image(&flat, 16, 16, ExtendedColorType::Rgb8)
        .unwrap();
    let loaded = load_whole(&jpeg).unwrap();
    for (c, expected) in srgb_from_p3(&[200, 100, 50]).into_iter().enumerate() {
        assert!(
            (f64::from(loaded.rgba[c]) - expected).abs() <= 4.0,
            "{:?}",
            &loaded.rgba[..4]
        );
    }
}

#[test]
fn profiles_leave_alpha_alone_and_come_before_premultiplication() {
    let profile = ColorProfile::new_display_p3().encode().unwrap();
    let pixels = [200, 100, 50, 255, 200, 100, 50, 128, 200, 100, 50, 0];
    let loaded = load_whole(&png(&pixels, ExtendedColorType::Rgba8, 4, profile)).unwrap();
    let expected = srgb_from_p3(&pixels);
    for (got, alpha) in loaded.rgba.chunks(4).zip([255u8, 128, 0]) {
        assert_eq!(got[3], alpha);
        for (got, expected) in got.iter().zip(expected) {
            let expected = expected * f64::from(alpha) / 255.0;
            assert!((f64::from(*got) - expected).abs() <= 2.0, "{got:?}");
        }
    }
}

#[test]
fn gray_profiles_are_read() {
    let profile = ColorProfile::new_gray_with_gamma(1.8).encode().unwrap();
    let grays = [0, 30, 100, 180, 255];
    let loaded = load_whole(&png(&grays, ExtendedColorType::L8, 1, profile)).unwrap();
    for (got, v) in loaded.rgba.chunks(4).zip(grays) {
        let expected = srgb_from_linear((f64::from(v) / 255.0).powf(1.8));
        assert!(
            (f64::from(got[0]) - expected).abs() <= 2.0,
            "{v}: {got:?}, {expected}"
        );
        assert_eq!((got[0], got[0]), (got[1], got[2]));
    }
}

#[test]
fn srgb_broken_and_foreign_profiles_change_nothing() {
    let colors: Vec<u8> = (0..=255).flat_map(|v| [v, 255 - v, v / 2]).collect();
    let good = ColorProfile::new_display_p3().encode().unwrap();
    let mut profiles = vec![
        ColorProfile::new_srgb().encode().unwrap(),
        ColorProfile::new_gray_with_gamma(2.2).encode().unwrap(),
        b"no profile at all".to_vec(),
        good[..good.len() / 2].to_vec(),
    ];
    let mut cmyk = good;
    cmyk[16..20].copy_from_slice(b"CMYK");
    profiles.push(cmyk);
    for (i, profile) in profiles.into_iter().enumerate() {
        let loaded = load_whole(&png(&colors, ExtendedColorType::Rgb8, 3, profile)).unwrap();
        for (got, p) in loaded.rgba.chunks(4).zip(colors.chunks(3)) {
            assert_eq!(&got[..3], p, "profile {i}");
        }
    }
}
