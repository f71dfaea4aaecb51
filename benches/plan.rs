//! From JSON to draw lists, on the first-light example: reading, resolving (fonts included), and one frame's draw list.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use kinora::Job;
use kinora::media::FolderAssets;
use kinora::text::Fonts;
use kinora::timeline::Timeline;

fn plan(c: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/first-light");
    let text = std::fs::read_to_string(folder.join("timeline.json")).unwrap();
    let assets = Arc::new(FolderAssets::new(folder));
    let document = Timeline::from_json(&text).unwrap();

    let mut group = c.benchmark_group("plan");
    group.bench_function("read", |b| b.iter(|| Timeline::from_json(black_box(&text))));
    group.bench_function("probe+resolve", |b| {
        b.iter(|| Job::new(&document, assets.clone(), Fonts::default()).unwrap());
    });
    let job = Job::new(&document, assets.clone(), Fonts::default()).unwrap();
    let n_frames = job.plan().n_frames;
    let mut index = 0;
    group.bench_function("draw-list", |b| {
        b.iter(|| {
            index = (index + 1) % n_frames;
            job.plan().at(black_box(index))
        });
    });
}

criterion_group!(benches, plan);
criterion_main!(benches);
