//! Colors, rotation, shape of pixels: what a frame looks like.

use image::{Rgb, RgbaImage};
use kinora::media::clip::{
    ChromaSiting, ClipColor, ClipFrame, ColorMatrix, ColorRange, Plane, Subsampling,
};
use kinora::units::Time;

use crate::{numbers, open};

/// Straight from ITU-R BT.601 and BT.709: codes to R'G'B' in floating point.
fn reference(codes: [f64; 3], color: ClipColor) -> [f64; 3] {
    let (kr, kb) = match color.matrix {
        ColorMatrix::Bt601 => (0.299, 0.114),
        ColorMatrix::Bt2020 => (0.2627, 0.0593),
        _ => (0.2126, 0.0722),
    };
    let (y, c) = match color.range {
        ColorRange::Limited => ((codes[0] - 16.0) / 219.0, 224.0),
        ColorRange::Full => (codes[0] / 255.0, 255.0),
    };
    let (cb, cr) = ((codes[1] - 128.0) / c, (codes[2] - 128.0) / c);
    let (r, b) = (y + 2.0 * (1.0 - kr) * cr, y + 2.0 * (1.0 - kb) * cb);
    let g = (y - kr * r - kb * b) / (1.0 - kr - kb);
    [r, g, b].map(|v| (v * 255.0).clamp(0.0, 255.0))
}

fn plane(width: u32, height: u32, code: impl Fn(u32, u32) -> u8) -> Plane {
    let data = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    Plane {
        width,
        height,
        data: data.map(|(x, y)| code(x, y)).collect(),
    }
}

const COLOR: ClipColor = ClipColor {
    matrix: ColorMatrix::Bt709,
    range: ColorRange::Limited,
    siting: ChromaSiting::Left,
};

fn frame(planes: [Plane; 3], subsampling: Subsampling, color: ClipColor) -> ClipFrame {
    ClipFrame {
        planes,
        subsampling,
        color,
        is_mirrored: false,
        quarter_turns: 0,
        pixel_aspect: (1, 1),
    }
}

#[test]
fn colors_are_within_one_code_of_the_formula() {
    let ramp = |a: u32, b: u32| move |x: u32, y: u32| ((x * a + y * b) % 256) as u8;
    for matrix in [ColorMatrix::Bt601, ColorMatrix::Bt709, ColorMatrix::Bt2020] {
        for range in [ColorRange::Limited, ColorRange::Full] {
            let color = ClipColor {
                matrix,
                range,
                ..COLOR
            };
            let planes = [
                plane(61, 37, ramp(7, 13)),
                plane(61, 37, ramp(11, 3)),
                plane(61, 37, ramp(5, 17)),
            ];
            let shown = frame(planes.clone(), Subsampling::Yuv444, color).to_rgba();
            for (i, px) in shown.pixels().enumerate() {
                let codes = [0, 1, 2].map(|p: usize| f64::from(planes[p].data[i]));
                for (got, wanted) in px.0.iter().zip(reference(codes, color)) {
                    assert!(
                        (f64::from(*got) - wanted).abs() <= 0.55,
                        "{matrix:?} {range:?} {codes:?}: {px:?}, {wanted}"
                    );
                }
                assert_eq!(px.0[3], 255);
            }
        }
    }
}

#[test]
fn color_lies_where_its_siting_says() {
    // Chroma that rises by 8 a sample: each pixel's is told by its place alone.
    let rise = |siting, subsampling, width: u32, height: u32| {
        let color = ClipColor { siting, ..COLOR };
        let planes = [
            plane(32, 32, |_, _| 126),
            plane(width, height, |x, y| (64 + 4 * x + 2 * y) as u8),
            plane(width, height, |_, _| 128),
        ];
        let shown = frame(planes, subsampling, color).to_rgba();
        move |x: u32, y: u32| shown.get_pixel(x, y).0[2]
    };
    let expected = |cb: f64| reference([126.0, cb, 128.0], COLOR)[2];
    for (siting, dx, dy) in [
        (ChromaSiting::Left, 0.0, 0.5),
        (ChromaSiting::Center, 0.5, 0.5),
        (ChromaSiting::TopLeft, 0.0, 0.0),
    ] {
        let blue = rise(siting, Subsampling::Yuv420, 16, 16);
        for (x, y) in [(5, 6), (6, 6), (7, 9), (12, 11)] {
            let cb = 64.0 + 2.0 * (f64::from(x) - dx) + (f64::from(y) - dy);
            let off = f64::from(blue(x, y)) - expected(cb);
            assert!(off.abs() <= 0.55, "{siting:?} {x} {y}: {off}");
        }
    }
    let blue = rise(ChromaSiting::Left, Subsampling::Yuv422, 16, 32);
    assert!((f64::from(blue(9, 20)) - expected(64.0 + 18.0 + 40.0)).abs() <= 0.55);
}

#[test]
fn gray_has_no_color_and_gbr_is_only_sorted() {
    let y = plane(9, 5, |x, y| (16 + x * 20 + y) as u8);
    let gray = frame(
        [y.clone(), Plane::default(), Plane::default()],
        Subsampling::Gray,
        COLOR,
    )
    .to_rgba();
    assert!(
        gray.pixels()
            .all(|px| px.0[0] == px.0[1] && px.0[1] == px.0[2])
    );
    let color = ClipColor {
        matrix: ColorMatrix::Identity,
        range: ColorRange::Full,
        ..COLOR
    };
    let planes = [
        plane(9, 5, |_, _| 20),
        plane(9, 5, |_, _| 30),
        plane(9, 5, |_, _| 10),
    ];
    let gbr = frame(planes, Subsampling::Yuv444, color).to_rgba();
    assert!(gbr.pixels().all(|px| px.0 == [10, 20, 30, 255]));
}

#[test]
fn frames_are_mirrored_and_turned() {
    // Odd sizes, more rows than are turned at once; a number at each pixel.
    let y = plane(37, 53, |x, y| (16 + (x * 53 + y * 7) % 219) as u8);
    let upright = frame(
        [y, Plane::default(), Plane::default()],
        Subsampling::Gray,
        COLOR,
    );
    let expected = upright.to_rgba();
    for quarter_turns in 0..4 {
        for is_mirrored in [false, true] {
            let turned = ClipFrame {
                quarter_turns,
                is_mirrored,
                ..upright.clone()
            };
            let mut wanted: RgbaImage = expected.clone();
            if is_mirrored {
                wanted = image::imageops::flip_horizontal(&wanted);
            }
            for _ in 0..quarter_turns {
                wanted = image::imageops::rotate90(&wanted);
            }
            assert!(turned.to_rgba() == wanted, "{quarter_turns} {is_mirrored}");
        }
    }
}

#[test]
fn containers_and_bitstreams_tell_rotation_shape_and_color() {
    let look = |name: &str| {
        let mut clip = open(name);
        let size = (clip.facts().width, clip.facts().height);
        let frame = clip.frame_at(Time::ZERO).unwrap();
        (
            size,
            frame.quarter_turns,
            frame.pixel_aspect,
            frame.color.matrix,
            frame.color.range,
        )
    };
    use ColorMatrix::{Bt601, Bt709};
    use ColorRange::{Full, Limited};
    for (name, expected) in [
        ("h264-25.mp4", ((64, 48), 0, (1, 1), Bt601, Limited)),
        ("h264-turned-90.mp4", ((48, 64), 3, (1, 1), Bt601, Limited)),
        ("h264-turned-180.mp4", ((64, 48), 2, (1, 1), Bt601, Limited)),
        ("h264-turned-270.mp4", ((48, 64), 1, (1, 1), Bt601, Limited)),
        (
            "h264-wide-pixels.mp4",
            ((85, 48), 0, (4, 3), Bt601, Limited),
        ),
        ("h264-full-range.mp4", ((64, 48), 0, (1, 1), Bt601, Full)),
        ("h264-601.mp4", ((64, 48), 0, (1, 1), Bt601, Limited)),
        ("h264-709.mp4", ((64, 48), 0, (1, 1), Bt709, Limited)),
        ("vp9-odd-size.webm", ((65, 49), 0, (1, 1), Bt601, Limited)),
    ] {
        assert_eq!(look(name), expected, "{name}");
    }
}

#[test]
fn a_frame_of_one_color_is_that_color() {
    for name in [
        "h264-25.mp4",
        "h264-full-range.mp4",
        "h264-709.mp4",
        "vp9-444.webm",
        "av1-10-bits.mp4",
    ] {
        let mut clip = open(name);
        let frame = clip.frame_at(Time::ZERO).unwrap();
        assert_eq!(numbers::number_of(&frame), 0, "{name}");
        let codes = [0, 1, 2].map(|i: usize| f64::from(frame.planes[i].data[40]));
        let wanted = Rgb(reference(codes, frame.color));
        let shown = frame.to_rgba();
        let got = shown.get_pixel(20, 20).0;
        for (got, wanted) in got.iter().zip(wanted.0) {
            assert!(
                (f64::from(*got) - wanted).abs() <= 2.0,
                "{name}: {got} {wanted}"
            );
        }
    }
}
