//! Frames per second of the GPU back end at 1080x1920. `KINORA_ADAPTER=name` picks the adapter.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../tests/compose_scenes/mod.rs"]
mod compose_scenes;

use std::hint::black_box;
use std::sync::Arc;

use compose_scenes::{caption_group, faded, layer, list, picture, turn_about};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kinora::compose::{Backend, Compositor, Pictures};
use kinora::frame::Frame;
use kinora::media::Picture;
use kinora::scene::draw::{Content, DrawList, Edge, Homography, Layer, PictureId, Pose};
use kinora::text::Fonts;
use kinora::units::{PixelRect, Size};

const WIDTH: u32 = 1180;
const HEIGHT: u32 = 2100;

/// Opaque, with detail everywhere.
fn photo(seed: u32) -> Arc<Picture> {
    let value = |x: u32, y: u32, c: u32| ((x * (3 + c)) ^ (y * 5) ^ ((x * y) >> 7) ^ seed) as u8;
    let rgba = (0..HEIGHT)
        .flat_map(|y| {
            (0..WIDTH).flat_map(move |x| [value(x, y, 0), value(x, y, 1), value(x, y, 2), 255])
        })
        .collect();
    Arc::new(Picture {
        width: WIDTH,
        height: HEIGHT,
        rgba,
        opaque: true,
    })
}

fn floating(id: u32, frame: u64) -> Layer {
    let zoom = 0.95 + 0.0002 * frame as f64;
    picture(
        PictureId(id),
        Homography::scale_shift(zoom, zoom, -20.0, -30.0),
    )
}

fn caption() -> Layer {
    let bounds = PixelRect {
        x: 90,
        y: 1300,
        width: 900,
        height: 220,
    };
    layer(30, caption_group(bounds, Pose::at(Homography::IDENTITY)))
}

fn floating_caption(frame: u64) -> DrawList {
    list(vec![floating(0, frame), caption()])
}

fn fade(frame: u64) -> DrawList {
    list(vec![
        floating(0, frame),
        faded(0.4, floating(1, frame)),
        caption(),
    ])
}

fn motion_blurred(frame: u64) -> DrawList {
    let at = |i: u64| turn_about(590.0, 1050.0, 0.002 * (8 * frame + i) as f64);
    let pose = Pose {
        maps: (0..8).map(at).collect(),
        edge: Edge::Mirror,
        ..Pose::at(Homography::IDENTITY)
    };
    list(vec![layer(1, Content::Picture(PictureId(0), pose))])
}

/// A frame of a moving scene.
type Draw = fn(u64) -> DrawList;

fn compose(c: &mut Criterion) {
    let size = Size::new(1080, 1920).unwrap();
    let mut compositor = match Compositor::new(Backend::Gpu, size, &Fonts::default()) {
        Ok(compositor) => compositor,
        Err(e) => {
            println!("skipped: {e}");
            return;
        }
    };
    println!("adapter: {}", compositor.name());
    let pictures: Pictures = (0..2).map(|i| (PictureId(i), photo(i))).collect();
    let mut group = c.benchmark_group("compose/gpu");
    group.throughput(Throughput::Elements(1)).sample_size(20);
    let kinds: [(&str, Draw); 3] = [
        ("floating_caption/1080x1920", floating_caption),
        ("fade/1080x1920", fade),
        ("motion_blurred/1080x1920", motion_blurred),
    ];
    for (name, draw) in kinds {
        let mut frame = 0;
        let mut spare = Some(Frame::black(size));
        group.bench_function(name, |b| {
            b.iter(|| {
                frame = (frame + 1) % 300;
                let into = spare.take().unwrap_or_else(|| Frame::black(size));
                spare = compositor.submit(&draw(frame), &pictures, into).unwrap();
                black_box(&spare);
            });
        });
        while compositor.drain().unwrap().is_some() {}
    }
}

criterion_group!(benches, compose);
criterion_main!(benches);
