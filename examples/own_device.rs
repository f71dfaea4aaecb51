//! Composes on a graphics device that the caller made: `cargo run --example own_device -- TIMELINE.json OUT.mp4`
#![allow(missing_docs, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use kinora::{Control, Engine, Render, media::FolderAssets};

fn main() -> kinora::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(std::path::PathBuf::from);
    let (Some(timeline), Some(output)) = (arguments.next(), arguments.next()) else {
        panic!("usage: own_device TIMELINE.json OUT.mp4");
    };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let adapter = adapters.first().expect("there is a Vulkan driver");
    let wanted = wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits()),
        ..Default::default()
    };
    let opened = pollster::block_on(adapter.request_device(&wanted));
    let (device, queue) = opened.expect("the device opens");
    let engine = Engine::builder().gpu(device.clone(), queue).build();

    let text = std::fs::read_to_string(&timeline).expect("the timeline can be read");
    let assets = Arc::new(FolderAssets::new(
        timeline.parent().expect("it lies in a folder"),
    ));
    let control = Control::default();
    let job = engine.job_from_json(&text, assets, &control)?;
    let report = kinora::render_to_file(&job, &output, &Render::default(), &control)?;
    println!("{} frames on {}", report.n_frames, report.compositor);
    drop(device); // Still ours: the engine only shared it.
    Ok(())
}
