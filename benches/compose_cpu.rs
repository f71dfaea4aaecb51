//! CPU compositor at 1080x1920: each primitive on the general path, and the short way. Names: `compose/cpu/<what>/1080x1920`.
//! One thread (`RAYON_NUM_THREADS` sets another number), so that times are CPU time.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../tests/compose_scenes/mod.rs"]
mod compose_scenes;

use std::hint::black_box;
use std::sync::Arc;

use compose_scenes::*;
use criterion::{Criterion, criterion_group, criterion_main};
use kinora::compose::Pictures;
use kinora::compose::cpu::Compositor;
use kinora::frame::Frame;
use kinora::scene::draw::*;
use kinora::text::Fonts;
use kinora::units::{Color, PixelRect, Size};

const FULL: Size = Size {
    width: 1080,
    height: 1920,
};

fn shots() -> Pictures {
    Pictures::from([
        (NOISE, Arc::new(pictures::noise(1080, 1920))),
        (ZONE, Arc::new(pictures::zone_plate(1080, 1920))),
        (ALPHA, Arc::new(pictures::alpha_disc(400, 400))),
    ])
}

fn zoom(scale: f64) -> Homography {
    Homography::scale_shift(scale, scale, -540.3 * (scale - 1.0), -960.7 * (scale - 1.0))
}

fn caption() -> Layer {
    let bounds = PixelRect {
        x: 60,
        y: 1300,
        width: 960,
        height: 260,
    };
    layer(30, caption_group(bounds, Pose::at(Homography::IDENTITY)))
}

/// A shot as transitions draw it: its floating picture on a sheet of the canvas's size.
fn shot(id: PictureId, pose: Pose) -> Layer {
    let bounds = PixelRect {
        x: 0,
        y: 0,
        width: FULL.width,
        height: FULL.height,
    };
    let inside = Pose {
        edge: Edge::Clamp,
        ..Pose::at(zoom(1.06))
    };
    let group = Group {
        content: None,
        bounds,
        pose,
        layers: vec![layer(id.0, Content::Picture(id, inside))],
    };
    layer(id.0, Content::Group(group))
}

/// `n` instants of a shutter.
fn open(n: u8, edge: Edge, at: impl Fn(f64) -> Homography) -> Pose {
    Pose {
        maps: (0..n)
            .map(|i| at(f64::from(i) / f64::from(n.max(2) - 1)))
            .collect(),
        edge,
        ..Pose::at(Homography::IDENTITY)
    }
}

/// Frames out of the middle of transitions, both shots on the canvas.
fn transitions() -> Vec<(&'static str, bool, Vec<Layer>)> {
    let both = |a: Pose, b: Pose| vec![shot(NOISE, a), faded(0.5, shot(ZONE, b))];
    let centered = |map: Homography| {
        Homography::shift(540.0, 960.0)
            .after(map)
            .after(Homography::shift(-540.0, -960.0))
    };
    let whirl = |t: f64, from: f64| {
        let scale = Homography::scale_shift(1.9, 1.9, 0.0, 0.0);
        centered(Homography::turn(from + 0.2 * t).after(scale))
    };
    let spin = |n, from: f64| open(n, Edge::Mirror, |t| whirl(t, from));
    let slide = |edge, x: f64| open(8, edge, |t| Homography::shift(x + 70.0 * t, 0.0));
    let card = |t: f64| {
        let (sin, cos) = (0.6 + 0.1 * t).sin_cos();
        centered(Homography([
            cos,
            0.0,
            0.0,
            0.0,
            1.0,
            0.0,
            sin / 1080.0,
            0.0,
            1.0,
        ]))
    };
    let streaks = |scale: f64| {
        open(16, Edge::Mirror, |t| {
            let scale = scale * (1.0 + 0.12 * t);
            centered(Homography::scale_shift(scale, scale, 0.0, 0.0))
        })
    };
    let blurred = || Pose {
        blur_px: 14.0,
        ..spin(1, 0.3)
    };
    vec![
        ("spin-1", true, vec![shot(NOISE, spin(1, 0.3))]),
        ("spin-1-two", true, both(spin(1, 0.3), spin(1, -0.3))),
        ("spin-4-two", true, both(spin(4, 0.3), spin(4, -0.3))),
        ("spin-16", true, vec![shot(NOISE, spin(16, 0.3))]),
        ("spin-16-two", true, both(spin(16, 0.3), spin(16, -0.3))),
        (
            "slide-8-two",
            true,
            both(slide(Edge::Clamp, -500.0), slide(Edge::Transparent, 580.0)),
        ),
        (
            "flip-12",
            true,
            vec![shot(NOISE, open(12, Edge::Transparent, card))],
        ),
        ("zoom-blur-16-two", true, both(streaks(1.8), streaks(0.7))),
        ("pose-blur", true, vec![shot(NOISE, blurred())]),
        ("pose-blur-two", true, both(blurred(), blurred())),
    ]
}

fn lists() -> Vec<(&'static str, bool, Vec<Layer>)> {
    let floating = || picture(NOISE, zoom(1.06));
    let turned = || turn_about(540.0, 960.0, 0.05).after(zoom(1.2));
    let pose = |pose| layer(0, Content::Picture(NOISE, pose));
    let shutter = Pose {
        maps: (0..4)
            .map(|i| turned().after(Homography::shift(f64::from(i), 0.0)))
            .collect(),
        ..Pose::at(Homography::IDENTITY)
    };
    let blurred = Pose {
        blur_px: 12.0,
        edge: Edge::Clamp,
        ..Pose::at(zoom(1.06))
    };
    let glass = rounded([140.0, 700.0, 800.0, 500.0], 40.0, color("#ffffff30"));
    let gradient_box = BoxShape {
        paint: gradient([100.0, 100.0], [900.0, 1700.0]),
        border: Some((6.0, Color::WHITE)),
        ..rounded([90.0, 160.0, 900.0, 1600.0], 60.0, Color::BLACK)
    };
    vec![
        ("short-floating", true, vec![floating()]),
        ("short-floating-caption", true, vec![floating(), caption()]),
        (
            "short-fade-caption",
            true,
            vec![floating(), faded(0.4, picture(ZONE, zoom(1.03))), caption()],
        ),
        (
            "general-floating-caption",
            false,
            vec![floating(), caption()],
        ),
        ("turned", true, vec![picture(NOISE, turned())]),
        ("motion-4", true, vec![pose(shutter)]),
        ("picture-blur", true, vec![pose(blurred)]),
        ("box", false, vec![layer(1, Content::Box(gradient_box))]),
        (
            "backdrop-blur",
            true,
            vec![floating(), layer(1, Content::BackdropBlur(glass, 14.0))],
        ),
        // Background to planar YUV and nothing else.
        ("yuv", false, vec![]),
        (
            "fill",
            false,
            vec![layer(1, Content::Fill(color("#20406080")))],
        ),
    ]
}

fn compose(c: &mut Criterion) {
    let threads = std::env::var("RAYON_NUM_THREADS")
        .ok()
        .and_then(|n| n.parse().ok());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(1))
        .build()
        .unwrap();
    let (shots, fonts) = (shots(), Fonts::default());
    for (what, short, layers) in lists().into_iter().chain(transitions()) {
        let list = list(layers);
        let mut compositor = if short {
            Compositor::new(FULL, &fonts)
        } else {
            Compositor::reference(FULL, &fonts)
        };
        let mut buffer = Some(Frame::black(FULL));
        c.bench_function(&format!("compose/cpu/{what}/1080x1920"), |b| {
            b.iter(|| {
                let frame = buffer.take().unwrap();
                let drawn = pool.install(|| compositor.draw(black_box(&list), &shots, frame));
                buffer = Some(drawn.unwrap());
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(15).warm_up_time(std::time::Duration::from_millis(500)).measurement_time(std::time::Duration::from_millis(1500));
    targets = compose
}
criterion_main!(benches);
