//! Writing and checking the file of a 60 s video at 30 fps with sound: bytes per second.
#![allow(missing_docs)]

use std::hint::black_box;
use std::io::Cursor;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use kinora::encode::{AudioConfig, VideoConfig};
use kinora::frame::Packet;
use kinora::mux::{Layout, Mp4Writer, check};
use kinora::units::{FrameRate, Size, Time};

const N_FRAMES: u64 = 1800;
const N_SOUNDS: u64 = 3001;
/// 178x98, High, written by x264 164.
const SPS: [u8; 30] = [
    0x67, 0x64, 0x00, 0x0b, 0xac, 0xd9, 0x43, 0x0f, 0xe2, 0x22, 0x30, 0x16, 0xa0, 0x20, 0x20, 0x28,
    0x00, 0x00, 0x03, 0x00, 0x08, 0x00, 0x00, 0x03, 0x01, 0xe0, 0x78, 0xa1, 0x4c, 0xb0,
];

fn layout() -> Layout {
    Layout {
        size: Size::new(178, 98).expect("an even size"),
        rate: FrameRate::new(30, 1).expect("a common rate"),
        n_frames: N_FRAMES,
        n_samples: Some(2_880_000),
        packet_samples: 960,
    }
}

fn packets() -> (Vec<Packet>, Vec<Packet>) {
    let rate = layout().rate;
    let pictures = (0..N_FRAMES).map(|i| {
        let n = 2500u32;
        let nal = [
            &n.to_be_bytes()[..],
            &[if i % 60 == 0 { 0x65 } else { 0x41 }],
        ]
        .concat();
        let mut data = vec![7; n as usize + 4];
        data[..5].copy_from_slice(&nal);
        Packet {
            data,
            pts: rate.time_of(i),
            dts: rate.time_of(i),
            duration: rate.frame_duration(),
            is_sync: i % 60 == 0,
        }
    });
    let sounds = (0..N_SOUNDS).map(|i| {
        let pts = Time::from_samples(i as i64 * 960);
        Packet {
            data: vec![0xfc; 320],
            pts,
            dts: pts,
            duration: Time::from_samples(960),
            is_sync: true,
        }
    });
    (pictures.collect(), sounds.collect())
}

fn write((pictures, sounds): (Vec<Packet>, Vec<Packet>)) -> Vec<u8> {
    let mut writer = Mp4Writer::new(Cursor::new(Vec::new()), &layout()).expect("a good layout");
    for packet in pictures {
        writer.video(packet).expect("a good packet");
    }
    for packet in sounds {
        writer.audio(packet).expect("a good packet");
    }
    let video = VideoConfig::Avc {
        sps: SPS.to_vec(),
        pps: vec![0x68, 0xeb, 0xe3, 0xcb],
    };
    let audio = AudioConfig::Opus { pre_skip: 312 };
    let out = writer.finish(&video, Some(&audio)).expect("a good file");
    out.into_inner()
}

fn mux(criterion: &mut Criterion) {
    let file = write(packets());
    let mut group = criterion.benchmark_group("mux");
    group.throughput(Throughput::Bytes(file.len() as u64));
    group.bench_function("write/60s", |bencher| {
        bencher.iter_batched(packets, write, BatchSize::LargeInput);
    });
    group.bench_function("check/60s", |bencher| {
        bencher.iter(|| check(Cursor::new(black_box(&file))).expect("a good file"));
    });
    group.finish();
}

criterion_group!(benches, mux);
criterion_main!(benches);
