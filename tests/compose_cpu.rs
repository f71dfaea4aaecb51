//! The CPU back end draws exactly what the draw list means, by either way and on any pool.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod compose_scenes;

use std::sync::Arc;

use compose_scenes::*;
use kinora::compose::Pictures;
use kinora::compose::cpu::Compositor;
use kinora::error::ErrorKind;
use kinora::frame::Frame;
use kinora::scene::draw::*;
use kinora::text::Fonts;
use kinora::units::{Color, PixelRect, Size};

fn size(width: u32, height: u32) -> Size {
    Size::new(width, height).unwrap()
}

/// Both ways: the default and the reference.
fn drawn(size: Size, layers: Vec<Layer>, pictures: &Pictures) -> [Frame; 2] {
    let (list, fonts) = (list(layers), Fonts::default());
    [
        Compositor::new(size, &fonts),
        Compositor::reference(size, &fonts),
    ]
    .map(|mut c| c.draw(&list, pictures, Frame::black(size)).unwrap())
}

/// BT.709 limited range, from the text of the recommendation: luma of each px, chroma of each 2x2 mean.
fn expected_yuv(size: Size, px: impl Fn(u32, u32) -> [f64; 3]) -> Vec<u8> {
    let luma = |[r, g, b]: [f64; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let round = |v: f64| (v + 0.5).floor() as u8;
    let (w, h) = (size.width, size.height);
    let mut out: Vec<u8> = (0..w * h)
        .map(|i| round(16.0 + 219.0 * luma(px(i % w, i / w))))
        .collect();
    for plane in 0..2 {
        for i in 0..w * h / 4 {
            let (x, y) = (i % (w / 2) * 2, i / (w / 2) * 2);
            let of = |c: usize| {
                [(0, 0), (1, 0), (0, 1), (1, 1)]
                    .map(|(dx, dy)| px(x + dx, y + dy)[c])
                    .iter()
                    .sum::<f64>()
                    / 4.0
            };
            let mean = [of(0), of(1), of(2)];
            out.push(round(match plane {
                0 => 128.0 + 224.0 * (mean[2] - luma(mean)) / 1.8556,
                _ => 128.0 + 224.0 * (mean[0] - luma(mean)) / 1.5748,
            }));
        }
    }
    out
}

fn largest_difference(a: &[u8], b: &[u8]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

#[test]
fn an_identity_pose_copies_exactly() {
    let pictures = pictures::all();
    let noise = pictures[&NOISE].clone();
    for (dx, dy) in [(0u32, 0u32), (7, 3)] {
        let canvas = size(200, 150);
        let shift = Homography::shift(-f64::from(dx), -f64::from(dy));
        let [short, reference] = drawn(canvas, vec![picture(NOISE, shift)], &pictures);
        let expected = expected_yuv(canvas, |x, y| {
            let at = ((y + dy) * noise.width + x + dx) as usize * 4;
            std::array::from_fn(|c| f64::from(noise.rgba[at + c]) / 255.0)
        });
        assert_eq!(reference.as_bytes(), expected);
        assert_eq!(short.planes()[0], &expected[..canvas.area()]);
        assert!(largest_difference(short.as_bytes(), &expected) <= 1);
    }
}

#[test]
fn flat_colors_stay_flat() {
    let canvas = size(64, 48);
    let gray = pictures::made(80, 60, |_, _| [200, 100, 50, 255]);
    let pictures = Pictures::from([(NOISE, Arc::new(gray))]);
    let poses = [
        Homography::scale_shift(1.07, 1.07, -3.1, -2.2),
        turn_about(32.0, 24.0, 0.1).after(Homography::scale_shift(1.2, 1.2, -16.0, -12.0)),
        Homography::scale_shift(0.9, 0.9, -1.0, -1.0),
    ];
    let expected = expected_yuv(canvas, |_, _| [200.0, 100.0, 50.0].map(|v| v / 255.0));
    for map in poses {
        for frame in drawn(canvas, vec![picture(NOISE, map)], &pictures) {
            assert_eq!(frame.as_bytes(), expected, "{map:?}");
        }
    }
}

/// A frosted pane over a picture, and a line of text's worth of color over the pane.
#[test]
fn panes_are_the_same_both_ways() {
    let pictures = Pictures::from([(NOISE, Arc::new(pictures::noise(240, 180)))]);
    let straight = Homography::scale_shift(0.9, 0.9, -4.3, -2.2);
    for map in [straight, turn_about(100.0, 75.0, 0.2).after(straight)] {
        panes_over(&picture(NOISE, map), &pictures);
    }
}

fn panes_over(back: &Layer, pictures: &Pictures) {
    let canvas = size(200, 150);
    let back = || back.clone();
    for (rect, sigma) in [
        ([24.5, 30.0, 110.0, 41.0], 9.0),
        ([24.5, 31.0, 110.0, 41.0], 1.5),
        ([-30.0, 120.0, 300.0, 60.0], 20.0),
        ([10.0, 10.0, 50.0, 50.0], 0.0),
        ([500.0, 10.0, 50.0, 50.0], 8.0),
    ] {
        let glass = rounded(rect, 12.0, Color::parse("#ffffff40").unwrap());
        let pane = Layer {
            opacity: 0.8,
            ..layer(1, Content::BackdropBlur(glass, sigma))
        };
        let bar = rounded(
            [40.0, 44.0, 60.0, 8.0],
            4.0,
            Color::parse("#a3e635").unwrap(),
        );
        let layers = vec![back(), pane, layer(2, Content::Box(bar))];
        let [short, reference] = drawn(canvas, layers, pictures);
        let [alone, _] = drawn(canvas, vec![back()], pictures);
        let most = largest_difference(short.planes()[0], reference.planes()[0]);
        assert!(most <= 2, "{rect:?}: {most}");
        let in_pane = |frame: &Frame| frame.planes()[0][60 * 200 + 30];
        let frosts = rect[1] == 30.0 || rect[1] == 31.0;
        assert_eq!(in_pane(&short) != in_pane(&alone), frosts, "{rect:?}");
    }
}

/// What an opaque picture hides costs nothing and changes nothing: the same frame without it.
#[test]
fn hidden_layers_leave_no_trace() {
    let canvas = size(200, 150);
    let pictures = Pictures::from([
        (NOISE, Arc::new(pictures::noise(240, 180))),
        (ZONE, Arc::new(pictures::zone_plate(240, 180))),
    ]);
    let turned = turn_about(100.0, 75.0, 0.2);
    let whole = |id: PictureId, map| {
        let pose = Pose {
            edge: Edge::Clamp,
            ..Pose::at(map)
        };
        layer(id.0, Content::Picture(id, pose))
    };
    let below = whole(NOISE, turned);
    let above = whole(
        ZONE,
        turned.after(Homography::scale_shift(1.2, 1.2, -30.0, -20.0)),
    );
    let [both, _] = drawn(canvas, vec![below.clone(), above.clone()], &pictures);
    let [only, _] = drawn(canvas, vec![above], &pictures);
    assert_eq!(both.as_bytes(), only.as_bytes());
    // Half of the canvas is covered: the other half stays as it is.
    let half = picture(ZONE, Homography::scale_shift(1.2, 1.2, 100.0, -20.0));
    let [both, _] = drawn(canvas, vec![below.clone(), half], &pictures);
    let [alone, _] = drawn(canvas, vec![below], &pictures);
    let rows = both.planes()[0]
        .chunks(200)
        .zip(alone.planes()[0].chunks(200));
    for (both, alone) in rows {
        assert_eq!(both[..99], alone[..99]);
        assert_ne!(both[101..], alone[101..]);
    }
}

#[test]
fn background_and_fills_mix_by_opacity() {
    // Sides that fill neither a band nor a vector.
    let canvas = size(18, 38);
    let fill = faded(0.25, layer(1, Content::Fill(color("#ff8000"))));
    let back = [16.0, 32.0, 48.0].map(|v| v / 255.0);
    let front = [1.0, 128.0 / 255.0, 0.0];
    let expected = expected_yuv(canvas, |_, _| {
        std::array::from_fn(|c| back[c] * 0.75 + front[c] * 0.25)
    });
    for frame in drawn(canvas, vec![fill], &Pictures::new()) {
        assert_eq!(frame.as_bytes(), expected);
    }
}

/// Where the short way is taken it equals the general path within one code: luma everywhere, chroma where no edge of an overlay crosses the 2x2 block.
#[test]
fn the_short_way_equals_the_general_path() {
    for scene in scenes() {
        let [short, reference] = drawn(scene.size, scene.list.layers.clone(), &scene.pictures);
        let [y, u, v] = short.planes();
        let [y_ref, u_ref, v_ref] = reference.planes();
        assert!(largest_difference(y, y_ref) <= 1, "luma of {}", scene.name);
        for (chroma, chroma_ref) in [(u, u_ref), (v, v_ref)] {
            let off = chroma
                .iter()
                .zip(chroma_ref)
                .filter(|(a, b)| a.abs_diff(**b) > 1)
                .count();
            let allowed = if scene.list.layers.len() > 1 {
                chroma.len() / 100
            } else {
                0
            };
            assert!(
                off <= allowed,
                "chroma of {}: {off} of {}",
                scene.name,
                chroma.len()
            );
            assert!(
                largest_difference(chroma, chroma_ref) <= 6,
                "chroma of {}",
                scene.name
            );
        }
    }
}

#[test]
fn frames_are_the_same_bytes_on_any_pool() {
    for scene in scenes() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| drawn(scene.size, scene.list.layers.clone(), &scene.pictures))
        };
        let one = on(1);
        assert_eq!(one, on(2), "{}", scene.name);
        assert_eq!(one, on(4), "{}", scene.name);
    }
}

#[test]
fn a_second_frame_from_the_caches_is_the_same() {
    for scene in scenes() {
        let mut compositor = Compositor::new(scene.size, &Fonts::default());
        let mut draw = || {
            compositor
                .draw(&scene.list, &scene.pictures, Frame::black(scene.size))
                .unwrap()
        };
        assert_eq!(draw(), draw(), "{}", scene.name);
    }
}

#[test]
fn mirrored_edges_are_symmetric() {
    let canvas = size(96, 80);
    let pose = |shift| Pose {
        edge: Edge::Mirror,
        ..Pose::at(Homography::shift(shift, 0.0))
    };
    // Mirrored about column 48: the source's left border lies there.
    let shown = layer(0, Content::Picture(NOISE, pose(48.0)));
    for frame in drawn(canvas, vec![shown], &pictures::all()) {
        for row in frame.planes()[0].chunks_exact(96) {
            let mirrored: Vec<u8> = row.iter().rev().copied().collect();
            assert_eq!(row, mirrored);
        }
    }
}

#[test]
fn hostile_poses_draw_nothing_or_clamp() {
    let canvas = size(48, 32);
    let numbers = [
        f64::NAN,
        f64::INFINITY,
        1e300,
        -1e300,
        1e-300,
        0.0,
        1e18,
        -1.0,
    ];
    let pictures = pictures::all();
    let mut maps: Vec<Homography> = Vec::new();
    for v in numbers {
        maps.push(Homography::scale_shift(v, v, 0.0, 0.0));
        maps.push(Homography::scale_shift(1.0, 1.0, v, v));
        maps.push(Homography([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, v, v, 1.0]));
        maps.push(Homography([v; 9]));
    }
    for map in maps {
        for edge in [Edge::Transparent, Edge::Clamp, Edge::Mirror] {
            let pose = Pose {
                edge,
                ..Pose::at(map)
            };
            let group = caption_group(
                PixelRect {
                    x: i32::MIN,
                    y: -7,
                    width: u32::MAX,
                    height: u32::MAX,
                },
                pose.clone(),
            );
            let layers = vec![layer(0, Content::Picture(NOISE, pose)), layer(1, group)];
            drawn(canvas, layers, &pictures);
        }
    }
}

#[test]
fn hostile_numbers_draw_nothing_or_clamp() {
    let canvas = size(48, 32);
    for v in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 0.0] {
        let shape = BoxShape {
            radius: v,
            rotate: v,
            border: Some((v, Color::WHITE)),
            ..rounded([v, 4.0, v, 20.0], 3.0, Color::BLACK)
        };
        let glass = rounded([4.0, 4.0, 30.0, 20.0], v, Color::BLACK);
        let pose = Pose {
            brightness: v,
            blur_px: v,
            wipe: Some(Wipe {
                line: [v, 0.0, 1.0],
                softness_px: v,
            }),
            ..Pose::at(Homography::IDENTITY)
        };
        let layers = vec![
            faded(v, layer(0, Content::Fill(color("#ffffff")))),
            layer(1, Content::Box(shape)),
            layer(2, Content::BackdropBlur(glass, v)),
            layer(3, Content::BackdropBlur(shape, 2.0)),
            layer(4, Content::Picture(ALPHA, pose)),
        ];
        drawn(canvas, layers, &pictures::all());
    }
}

#[test]
fn a_missing_picture_is_an_error() {
    let canvas = size(48, 32);
    let mut compositor = Compositor::new(canvas, &Fonts::default());
    let list = list(vec![picture(PictureId(99), Homography::IDENTITY)]);
    let failed = compositor.draw(&list, &pictures::all(), Frame::black(canvas));
    let error = failed.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    assert!(error.to_string().contains("99"), "{error}");
}

/// Center of the light of a blurred dot, px, in the luma plane.
fn centroid(frame: &Frame) -> f64 {
    let width = frame.size.width as usize;
    let (mut sum, mut moment) = (0.0, 0.0);
    for row in frame.planes()[0].chunks_exact(width) {
        for (x, &y) in row.iter().enumerate() {
            let light = f64::from(y) - 16.0;
            sum += light;
            moment += light * (x as f64 + 0.5);
        }
    }
    moment / sum
}

#[test]
fn a_slow_zoom_moves_smoothly() {
    let canvas = size(160, 96);
    let dot = pictures::made(180, 108, |x, y| {
        let (dx, dy) = (f64::from(x) + 0.5 - 130.0, f64::from(y) + 0.5 - 50.0);
        let v = (255.0 * (-(dx * dx + dy * dy) / 50.0).exp()).round() as u8;
        [v, v, v, 255]
    });
    let pictures = Pictures::from([(NOISE, Arc::new(dot))]);
    let mut places = [Vec::new(), Vec::new()];
    for frame in 0..60 {
        let scale = 1.0 + f64::from(frame) * 0.0004;
        let map = Homography::scale_shift(scale, scale, -10.0, -6.0);
        for (places, frame) in
            places
                .iter_mut()
                .zip(drawn(canvas, vec![picture(NOISE, map)], &pictures))
        {
            places.push(centroid(&frame));
        }
    }
    for places in places {
        let steps: Vec<f64> = places.windows(2).map(|p| p[1] - p[0]).collect();
        assert!(
            steps.iter().all(|&step| step > 0.0),
            "never backwards: {steps:?}"
        );
        let bend = steps
            .windows(2)
            .map(|s| (s[1] - s[0]).abs())
            .fold(0.0, f64::max);
        assert!(bend <= 0.02, "second difference {bend}");
    }
}
