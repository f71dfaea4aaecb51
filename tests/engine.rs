//! What an embedder brings: an encoder, a graphics device, and the wish to stop while a job is prepared.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kinora::compose::Backend;
use kinora::encode::{
    Quality, VideoConfig, VideoEncoder, VideoEncoderName, VideoSettings, video_encoder,
};
use kinora::frame::{Frame, Packet};
use kinora::media::{FolderAssets, MemoryAssets};
use kinora::scene::draw::DrawList;
use kinora::{CancelToken, Control, Engine, ErrorKind, Render};

const DOCUMENT: &str = r#"{"version": 1, "output": {"width": 160, "height": 96, "fps": 10}, "shots": [{"picture": "1-sea.jpg", "duration": 1}]}"#;

fn assets() -> Arc<FolderAssets> {
    Arc::new(FolderAssets::new("examples/first-light"))
}

/// Counts the frames on their way into a built-in encoder.
struct Counting(Box<dyn VideoEncoder>, Arc<AtomicU64>);

impl VideoEncoder for Counting {
    fn encode(
        &mut self,
        frame: &Frame,
        known: &DrawList,
        out: &mut Vec<Packet>,
    ) -> kinora::Result<()> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.encode(frame, known, out)
    }

    fn finish(&mut self, out: &mut Vec<Packet>) -> kinora::Result<()> {
        self.0.finish(out)
    }

    fn config(&self) -> kinora::Result<VideoConfig> {
        self.0.config()
    }

    fn name(&self) -> String {
        "counting".into()
    }
}

#[test]
fn an_encoder_of_the_callers_makes_the_video() {
    let n_encoded = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&n_encoded);
    let factory = move |settings: &VideoSettings| {
        assert_eq!(settings.n_frames, 10);
        assert_eq!(settings.quality, Quality::Low);
        let settings = VideoSettings {
            encoder: VideoEncoderName::Auto,
            ..settings.clone()
        };
        let inner = video_encoder(&settings)?;
        Ok(Box::new(Counting(inner, Arc::clone(&counted))) as Box<dyn VideoEncoder>)
    };
    let engine = Engine::builder().encoder(Arc::new(factory)).build();
    let control = Control::default();
    let job = engine.job_from_json(DOCUMENT, assets(), &control).unwrap();
    let options = Render {
        backend: Backend::Cpu,
        quality: Quality::Low,
        ..Render::default()
    };
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("own.mp4");
    let report = kinora::render_to_file(&job, &file, &options, &control).unwrap();
    assert_eq!(report.video_encoder, "counting");
    assert_eq!(n_encoded.load(Ordering::Relaxed), 10);
}

#[test]
fn an_encoder_that_cannot_be_opened_fails_the_render() {
    let factory = |_: &VideoSettings| {
        Err(kinora::Error::new(
            ErrorKind::Encoder,
            "the license has expired",
        ))
    };
    let engine = Engine::builder().encoder(Arc::new(factory)).build();
    let control = Control::default();
    let job = engine.job_from_json(DOCUMENT, assets(), &control).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("own.mp4");
    let e = kinora::render_to_file(&job, &file, &Render::default(), &control).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Encoder);
    assert!(!file.exists());
}

#[test]
fn a_device_of_the_callers_is_used_by_several_jobs() {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let Some(adapter) = adapters.first() else {
        println!("skipped: no Vulkan driver");
        return;
    };
    let wanted = wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits()),
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&wanted)).unwrap();
    let engine = Engine::builder().gpu(device.clone(), queue).build();
    let options = Render::default();
    let frames: Vec<Frame> = std::thread::scope(|scope| {
        let draw = || {
            let job = engine.job_from_json(DOCUMENT, assets(), &Control::default());
            let mut frames = job.unwrap().frames_at(vec![5], &options).unwrap();
            frames.next().unwrap().unwrap()
        };
        let threads = [scope.spawn(draw), scope.spawn(draw)];
        threads.map(|thread| thread.join().unwrap()).into()
    });
    assert_eq!(frames[0].planes(), frames[1].planes());
    let job = engine
        .job_from_json(DOCUMENT, assets(), &Control::default())
        .unwrap();
    let report = job
        .render(
            std::io::Cursor::new(Vec::new()),
            &options,
            &Control::default(),
        )
        .unwrap()
        .1;
    assert!(
        report.compositor.contains(&adapter.get_info().name),
        "{}",
        report.compositor
    );
    drop(device);
}

/// Half an hour of bursts of noise at 8 kHz, as a WAV file.
fn long_voice() -> Vec<u8> {
    const N: u32 = 1790 * 8000;
    let mut state = 1u32;
    let samples = (0..N).flat_map(|i| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let is_loud = i / 1600 % 3 != 0;
        let value = (state >> 18) as i16 - 8192;
        (if is_loud { value } else { value / 200 }).to_le_bytes()
    });
    let mut file = b"RIFF".to_vec();
    file.extend((36 + 2 * N).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend([1u16, 1].map(u16::to_le_bytes).concat());
    file.extend([8000u32, 16000].map(u32::to_le_bytes).concat());
    file.extend([2u16, 16].map(u16::to_le_bytes).concat());
    file.extend(b"data");
    file.extend((2 * N).to_le_bytes());
    file.extend(samples);
    file
}

#[test]
fn preparing_a_job_with_a_long_voice_is_cancelled() {
    let text = "the keeper climbs the stairs and the lamp turns all night ".repeat(400);
    let document = format!(
        r#"{{"version": 1, "output": {{"width": 160, "height": 96, "fps": 10}}, "shots": [{{"picture": "p.jpg", "duration": 1790}}],
            "audio": {{"voice": {{"file": "v.wav"}}}}, "captions": {{"text": "{text}"}}}}"#
    );
    let picture = std::fs::read("examples/first-light/1-sea.jpg").unwrap();
    let mut assets = MemoryAssets::default();
    assets.insert("p.jpg", picture);
    assets.insert("v.wav", long_voice());
    let assets = Arc::new(assets);
    let cancel = CancelToken::default();
    let control = Control {
        cancel: cancel.clone(),
        progress: None,
    };
    let worker = std::thread::spawn(move || {
        let job = Engine::default().job_from_json(&document, assets, &control);
        (job.map(drop), Instant::now())
    });
    // Somewhere in the voice: the whole takes several seconds.
    std::thread::sleep(Duration::from_millis(500));
    assert!(!worker.is_finished(), "the voice should take longer");
    let cancelled = Instant::now();
    cancel.cancel();
    let (result, ended) = worker.join().unwrap();
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
    println!("ended after {:?}", ended - cancelled);
}
