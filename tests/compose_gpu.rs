//! The GPU back end by itself, and against the CPU back end scene by scene. Skipped where there is no adapter, a software one included.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod compose_scenes;

use std::sync::Arc;

use compose_scenes::{NOISE, Scene, color, faded, layer, list, picture, scenes};
use kinora::compose::{Backend, Compositor, Pictures, gpu};
use kinora::error::ErrorKind;
use kinora::frame::Frame;
use kinora::media::Picture;
use kinora::scene::draw::Blend;
use kinora::scene::draw::{Content, DrawList, Edge, Group, Homography, Layer, PictureId, Pose};
use kinora::text::Fonts;
use kinora::units::{Color, PixelRect, Size};

/// A compositor on whatever adapter there is.
fn compositor(size: Size) -> Option<Compositor> {
    match Compositor::new(Backend::Gpu, size, &Fonts::default()) {
        Ok(compositor) => Some(compositor),
        Err(e) => {
            assert_eq!(e.kind(), ErrorKind::Device);
            assert!(e.to_string().contains("mesa-vulkan-drivers"), "{e}");
            println!("skipped: {e}");
            None
        }
    }
}

fn draw(compositor: &mut Compositor, size: Size, list: &DrawList, pictures: &Pictures) -> Frame {
    let early = compositor
        .submit(list, pictures, Frame::black(size))
        .unwrap();
    early.or_else(|| compositor.drain().unwrap()).unwrap()
}

/// Rule 12 of the working space, for one color.
fn yuv(c: Color) -> [u8; 3] {
    let y = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
    let byte = |v: f32| (v + 0.5).floor() as u8;
    [
        byte(16.0 + 219.0 * y),
        byte(128.0 + 224.0 * (c.b - y) / 1.8556),
        byte(128.0 + 224.0 * (c.r - y) / 1.5748),
    ]
}

#[test]
fn solid_colors_are_exact_at_every_size() {
    for (width, height) in [(16, 16), (18, 20), (24, 18), (1078, 34), (130, 258)] {
        let size = Size::new(width, height).unwrap();
        let Some(mut gpu) = compositor(size) else {
            return;
        };
        for text in ["#000000", "#ffffff", "#2080f0", "#ff0000"] {
            let background = color(text);
            let blank = DrawList {
                frame: 0,
                background,
                layers: Vec::new(),
            };
            let frame = draw(&mut gpu, size, &blank, &Pictures::new());
            for (plane, want) in frame.planes().into_iter().zip(yuv(background)) {
                assert!(
                    plane.iter().all(|&v| v == want),
                    "{text} at {size}: {:?} is not {want}",
                    &plane[..8]
                );
            }
        }
    }
}

#[test]
fn a_picture_in_place_is_copied() {
    let size = Size::new(66, 34).unwrap();
    let Some(mut gpu) = compositor(size) else {
        return;
    };
    // Gray, so that luma is the picture, and in blocks of 2x2, so that chroma is exact.
    let gray = |x: u32, y: u32| (((x / 2) * 37 + (y / 2) * 59) % 256) as u8;
    let rgba = (0..34)
        .flat_map(|y| (0..66).flat_map(move |x| [gray(x, y), gray(x, y), gray(x, y), 255]))
        .collect();
    let id = PictureId(0);
    let source = Picture {
        width: 66,
        height: 34,
        rgba,
        opaque: true,
    };
    let pictures = Pictures::from([(id, Arc::new(source))]);
    let grouped = Layer {
        content: Content::Group(Group {
            content: None,
            bounds: PixelRect {
                x: 0,
                y: 0,
                width: 66,
                height: 34,
            },
            pose: Pose::at(Homography::IDENTITY),
            layers: vec![picture(id, Homography::IDENTITY)],
        }),
        ..picture(id, Homography::IDENTITY)
    };
    for shown in [picture(id, Homography::IDENTITY), grouped] {
        let frame = draw(&mut gpu, size, &list(vec![shown]), &pictures);
        for (i, &got) in frame.planes()[0].iter().enumerate() {
            let v = f32::from(gray(i as u32 % 66, i as u32 / 66)) / 255.0;
            // Half floats of the canvas are good to 0.11 of a luma step (some drivers cut instead of rounding): only a value that near to a tie may round the other way.
            let exact = 16.0 + 219.0 * v;
            assert!(
                (f32::from(got) - exact).abs() <= 0.61,
                "px {i}: {got} for {exact}"
            );
        }
    }
}

#[test]
fn frames_come_out_in_order_and_depend_on_nothing_else() {
    let size = Size::new(64, 48).unwrap();
    let Some(mut gpu) = compositor(size) else {
        return;
    };
    let pictures = compose_scenes::pictures::all();
    let at = |frame: u64| DrawList {
        frame,
        ..list(vec![picture(
            NOISE,
            Homography::shift(-(frame as f64) * 1.3, 0.0),
        )])
    };
    let mut out = Vec::new();
    for frame in 0..7 {
        out.extend(
            gpu.submit(&at(frame), &pictures, Frame::black(size))
                .unwrap(),
        );
    }
    while let Some(frame) = gpu.drain().unwrap() {
        out.push(frame);
    }
    assert_eq!(
        out.iter().map(|f| f.index).collect::<Vec<_>>(),
        (0..7).collect::<Vec<_>>()
    );
    for index in [4, 1] {
        let alone = draw(&mut gpu, size, &at(index), &pictures);
        assert_eq!(alone, out[index as usize]);
    }
}

#[test]
fn two_compositors_live_side_by_side() {
    let (small, large) = (Size::new(32, 32).unwrap(), Size::new(64, 64).unwrap());
    let (Some(mut a), Some(mut b)) = (compositor(small), compositor(large)) else {
        return;
    };
    let white = DrawList {
        frame: 3,
        background: Color::WHITE,
        layers: Vec::new(),
    };
    let none = Pictures::new();
    assert_eq!(draw(&mut a, small, &white, &none).planes()[0][0], 235);
    drop(a);
    assert_eq!(draw(&mut b, large, &white, &none).planes()[0][0], 235);
}

#[test]
fn what_cannot_be_drawn_is_an_error_and_the_next_frame_is_drawn() {
    let size = Size::new(32, 32).unwrap();
    let Some(mut gpu) = compositor(size) else {
        return;
    };
    let none = Pictures::new();
    let missing = list(vec![picture(PictureId(9), Homography::IDENTITY)]);
    let e = gpu.submit(&missing, &none, Frame::black(size)).unwrap_err();
    assert!(e.to_string().contains("picture 9"), "{e}");
    let huge = layer(
        1,
        Content::Group(Group {
            content: Some(1),
            bounds: PixelRect {
                x: 0,
                y: 0,
                width: 1 << 20,
                height: 4,
            },
            pose: Pose::at(Homography::IDENTITY),
            layers: Vec::new(),
        }),
    );
    let e = gpu
        .submit(&list(vec![huge]), &none, Frame::black(size))
        .unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Device);
    assert!(e.to_string().contains("1048576x4"), "{e}");
    let other = Frame::black(Size::new(16, 16).unwrap());
    assert!(gpu.submit(&list(Vec::new()), &none, other).is_err());
    let frame = draw(&mut gpu, size, &list(Vec::new()), &none);
    assert_eq!(frame.planes()[0][0], yuv(color("#102030"))[0]);
}

#[test]
fn every_blend_in_a_sheet_equals_the_formula() {
    let size = Size::new(16, 16).unwrap();
    let Some(mut gpu) = compositor(size) else {
        return;
    };
    let (below, above) = (color("#c0804080"), color("#4060c0a0"));
    let (cb, cs) = (below.premultiplied(), above.premultiplied());
    for blend in [Blend::Normal, Blend::Multiply, Blend::Screen, Blend::Add] {
        let fill = |blend, c| Layer {
            blend,
            ..layer(1, Content::Fill(c))
        };
        let sheet = Content::Group(Group {
            content: None,
            bounds: PixelRect {
                x: 0,
                y: 0,
                width: 16,
                height: 16,
            },
            pose: Pose::at(Homography::IDENTITY),
            layers: vec![fill(Blend::Normal, below), fill(blend, above)],
        });
        let white = DrawList {
            frame: 0,
            background: Color::WHITE,
            layers: vec![layer(2, sheet)],
        };
        let mixed = |i: usize| match blend {
            Blend::Normal => cs[i] + cb[i] * (1.0 - cs[3]),
            Blend::Multiply => cs[i] * (1.0 - cb[3]) + cb[i] * (1.0 - cs[3]) + cs[i] * cb[i],
            Blend::Screen => cs[i] + cb[i] - cs[i] * cb[i],
            Blend::Add => cs[i] + cb[i],
        };
        let alpha = match blend {
            Blend::Add => (cs[3] + cb[3]).min(1.0),
            _ => cs[3] + cb[3] - cs[3] * cb[3],
        };
        let over_white = |i: usize| mixed(i) + 1.0 - alpha;
        let want = yuv(Color {
            r: over_white(0),
            g: over_white(1),
            b: over_white(2),
            a: 1.0,
        });
        let frame = draw(&mut gpu, size, &white, &Pictures::new());
        for (plane, want) in frame.planes().into_iter().zip(want) {
            assert!(
                plane[5].abs_diff(want) <= 1,
                "{blend:?}: {} is not {want}",
                plane[5]
            );
        }
    }
}

#[test]
fn a_missing_adapter_says_what_to_install() {
    // Software adapters are refused, so that this fails on machines without a GPU and passes on others.
    if let Err(e) = gpu::Compositor::new(Size::new(16, 16).unwrap(), &Fonts::default(), false) {
        assert_eq!(e.kind(), ErrorKind::Device);
        assert!(
            e.to_string()
                .contains("apt-get install mesa-vulkan-drivers"),
            "{e}"
        );
    }
}

/// Mean difference over all planes and the greatest one.
fn difference(a: &Frame, b: &Frame) -> (f64, u8) {
    let pairs = a.as_bytes().iter().zip(b.as_bytes());
    let diffs: Vec<u8> = pairs.map(|(a, b)| a.abs_diff(*b)).collect();
    let sum: f64 = diffs.iter().map(|&d| f64::from(d)).sum();
    (sum / diffs.len() as f64, diffs.into_iter().max().unwrap())
}

/// Both back ends on a scene.
fn both(scene: &Scene) -> Option<(Frame, Frame)> {
    let mut gpu = compositor(scene.size)?;
    let mut cpu = Compositor::new(Backend::Cpu, scene.size, &Fonts::default()).unwrap();
    Some((
        draw(&mut gpu, scene.size, &scene.list, &scene.pictures),
        draw(&mut cpu, scene.size, &scene.list, &scene.pictures),
    ))
}

#[test]
fn both_back_ends_agree() {
    let mut failures = Vec::new();
    for scene in scenes() {
        let Some((gpu, cpu)) = both(&scene) else {
            return;
        };
        let (mean, max) = difference(&gpu, &cpu);
        println!("{:28} mean {mean:.4} max {max}", scene.name);
        if mean > 0.5 || max > 6 {
            failures.push(format!("{}: mean {mean:.3}, max {max}", scene.name));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn edges_and_levels_of_sheets_agree() {
    let bounds = PixelRect {
        x: 3,
        y: 5,
        width: 121,
        height: 87,
    };
    for (i, edge) in [Edge::Transparent, Edge::Clamp, Edge::Mirror]
        .into_iter()
        .enumerate()
    {
        let maps = [0.9, 0.55, 0.2].map(|s| Homography::scale_shift(s, s, 9.3, 7.1));
        let pose = Pose {
            edge,
            maps: maps.to_vec(),
            ..Pose::at(Homography::IDENTITY)
        };
        let group = Content::Group(Group {
            content: (i > 0).then_some(7),
            bounds,
            pose,
            layers: vec![picture(NOISE, Homography::scale_shift(0.6, 0.6, -7.0, 0.0))],
        });
        let scene = Scene {
            name: "sheet",
            size: Size::new(150, 110).unwrap(),
            list: list(vec![faded(0.8, layer(1, group))]),
            pictures: compose_scenes::pictures::all(),
            has_glyphs: false,
        };
        let Some((gpu, cpu)) = both(&scene) else {
            return;
        };
        let (mean, max) = difference(&gpu, &cpu);
        assert!(
            mean <= 0.5 && max <= 6,
            "{edge:?}: mean {mean:.3}, max {max}"
        );
    }
}
