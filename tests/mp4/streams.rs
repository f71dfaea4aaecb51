//! Small streams to mux: real AV1 and H.264, synthetic sound, and H.264 in an order with B-frames.

use std::io::Cursor;
use std::sync::OnceLock;

use kinora::encode::{AudioConfig, VideoConfig};
use kinora::error::Result;
use kinora::frame::Packet;
use kinora::mux::{Layout, Mp4Writer};
use kinora::units::{FrameRate, Size, Time};

/// A stream and what the container must know of it.
#[derive(Clone)]
pub struct Video {
    pub layout: Layout,
    pub config: VideoConfig,
    pub packets: Vec<Packet>,
}

#[derive(Clone)]
pub struct Sound {
    pub config: AudioConfig,
    pub packets: Vec<Packet>,
    pub n_samples: u64,
    pub packet_samples: u32,
}

fn layout(size: (u32, u32), rate: FrameRate, n_frames: u64) -> Layout {
    Layout {
        size: Size::new(size.0, size.1).unwrap(),
        rate,
        n_frames,
        n_samples: None,
        packet_samples: 0,
    }
}

fn packet(rate: FrameRate, (shown, decoded): (i64, i64), is_sync: bool, data: Vec<u8>) -> Packet {
    let step = rate.frame_duration().0;
    Packet {
        data,
        pts: Time(shown * step),
        dts: Time(decoded * step),
        duration: Time(step),
        is_sync,
    }
}

/// 24 frames of 64x48 at 30 fps by rav1e, key frames at 0 and 12.
pub fn av1() -> Video {
    rav1e_output().0.clone()
}

/// The video, and what rav1e would put into `av1C` before the OBU.
pub fn rav1e_output() -> &'static (Video, Vec<u8>) {
    static OUTPUT: OnceLock<(Video, Vec<u8>)> = OnceLock::new();
    OUTPUT.get_or_init(encode_av1)
}

fn encode_av1() -> (Video, Vec<u8>) {
    use rav1e::prelude::*;
    let (width, height, n_frames) = (64, 48, 24);
    let encoder = EncoderConfig {
        width,
        height,
        time_base: Rational::new(1, 30),
        speed_settings: SpeedSettings::from_preset(10),
        low_latency: true,
        min_key_frame_interval: 12,
        max_key_frame_interval: 12,
        pixel_range: PixelRange::Limited,
        color_description: Some(ColorDescription {
            color_primaries: ColorPrimaries::BT709,
            transfer_characteristics: TransferCharacteristics::BT709,
            matrix_coefficients: MatrixCoefficients::BT709,
        }),
        ..EncoderConfig::default()
    };
    let config = Config::new().with_encoder_config(encoder).with_threads(1);
    let mut context: Context<u8> = config.new_context().unwrap();
    for i in 0..n_frames {
        let mut frame = context.new_frame();
        for plane in &mut frame.planes {
            let n = plane.cfg.stride;
            let row = vec![16 + i as u8 * 8; n * height];
            plane.copy_from_raw_u8(&row, n, 1);
        }
        context.send_frame(frame).unwrap();
    }
    context.flush();
    let rate = FrameRate::new(30, 1).unwrap();
    let mut packets = Vec::new();
    loop {
        match context.receive_packet() {
            Ok(unit) => {
                let data = unit.data.strip_prefix(&[0x12, 0]).unwrap().to_vec();
                let (n, is_sync) = (packets.len() as i64, unit.frame_type == FrameType::KEY);
                assert_eq!(unit.input_frameno as i64, n);
                packets.push(packet(rate, (n, n), is_sync, data));
            }
            Err(EncoderStatus::Encoded) => {}
            Err(EncoderStatus::LimitReached) => break,
            Err(e) => panic!("{e}"),
        }
    }
    // The sequence header comes first: one byte of header, one of size.
    let first = &packets[0].data;
    assert_eq!(first[0], 0x0a);
    let sequence_header = first[..2 + usize::from(first[1])].to_vec();
    let video = Video {
        layout: layout((width as u32, height as u32), rate, packets.len() as u64),
        config: VideoConfig::Av1 { sequence_header },
        packets,
    };
    (video, context.container_sequence_header())
}

/// 15 frames of 64x48 at 30000/1001 fps by openh264.
pub fn avc() -> Video {
    static VIDEO: OnceLock<Video> = OnceLock::new();
    VIDEO.get_or_init(encode_avc).clone()
}

fn encode_avc() -> Video {
    use openh264::encoder::Encoder;
    use openh264::formats::YUVBuffer;
    let rate = FrameRate::new(30_000, 1001).unwrap();
    let mut encoder = Encoder::new().unwrap();
    let (mut packets, mut sps, mut pps) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..15u8 {
        let mut planes = vec![16 + i * 8; 64 * 48];
        planes.resize(64 * 48 * 3 / 2, 128);
        let frame = YUVBuffer::from_vec(planes, 64, 48);
        let stream = encoder.encode(&frame).unwrap().to_vec();
        let (mut data, mut is_sync) = (Vec::new(), false);
        for nal in annex_b(&stream) {
            match nal[0] & 31 {
                7 => sps = nal.to_vec(),
                8 => pps = nal.to_vec(),
                kind => {
                    is_sync |= kind == 5;
                    data.extend_from_slice(&(nal.len() as u32).to_be_bytes());
                    data.extend_from_slice(nal);
                }
            }
        }
        packets.push(packet(rate, (i.into(), i.into()), is_sync, data));
    }
    Video {
        layout: layout((64, 48), rate, packets.len() as u64),
        config: VideoConfig::Avc { sps, pps },
        packets,
    }
}

/// NAL units between start codes of 3 or 4 bytes.
fn annex_b(stream: &[u8]) -> Vec<&[u8]> {
    let starts: Vec<usize> = (0..stream.len().saturating_sub(2))
        .filter(|i| stream[*i..*i + 3] == [0, 0, 1])
        .collect();
    let ends = starts.iter().skip(1).copied().chain([stream.len()]);
    let nals = starts.iter().zip(ends).map(|(start, end)| {
        let nal = &stream[start + 3..end];
        // A fourth byte of the next start code, or trailing zeros.
        let n = nal.iter().rposition(|byte| *byte != 0).map_or(0, |i| i + 1);
        &nal[..n]
    });
    nals.collect()
}

/// A parameter set for 178x98, High, written by x264 164.
const SPS: [u8; 30] = [
    0x67, 0x64, 0x00, 0x0b, 0xac, 0xd9, 0x43, 0x0f, 0xe2, 0x22, 0x30, 0x16, 0xa0, 0x20, 0x20, 0x28,
    0x00, 0x00, 0x03, 0x00, 0x08, 0x00, 0x00, 0x03, 0x01, 0xe0, 0x78, 0xa1, 0x4c, 0xb0,
];

/// Made-up H.264 of `sizes.len()` frames at `rate`; `order[i]` is the frame that packet `i` shows, decoding runs `lead` frames ahead.
pub fn made_up(rate: FrameRate, sizes: &[usize], order: &[i64], lead: i64) -> Video {
    let packets = sizes
        .iter()
        .zip(order)
        .enumerate()
        .map(|(i, (size, shown))| {
            let mut data = vec![0; *size];
            data[..4].copy_from_slice(&(*size as u32 - 4).to_be_bytes());
            data[4] = if i == 0 { 0x65 } else { 0x41 };
            packet(rate, (*shown, i as i64 - lead), i == 0, data)
        });
    Video {
        layout: layout((178, 98), rate, sizes.len() as u64),
        config: VideoConfig::Avc {
            sps: SPS.to_vec(),
            pps: vec![0x68, 0xeb, 0xe3, 0xcb],
        },
        packets: packets.collect(),
    }
}

/// Twelve frames in three groups I B B P (decoded I P B B).
pub fn reordered() -> Video {
    let order = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8, 11, 10];
    made_up(FrameRate::new(25, 1).unwrap(), &[40; 12], &order, 1)
}

fn sound_packets(n: u64, size: u32, first: u8) -> Vec<Packet> {
    let packet = |i: u64| {
        let mut data = vec![i as u8; 20 + i as usize % 7];
        data[0] = first;
        let pts = Time::from_samples(i as i64 * i64::from(size));
        Packet {
            data,
            pts,
            dts: pts,
            duration: Time::from_samples(size.into()),
            is_sync: true,
        }
    };
    (0..n).map(packet).collect()
}

/// Made-up Opus packets of 20 ms with 312 samples of priming.
pub fn opus(n_samples: u64) -> Sound {
    Sound {
        config: AudioConfig::Opus { pre_skip: 312 },
        // Configuration 31 (CELT, full band, 20 ms), stereo, one frame.
        packets: sound_packets((n_samples + 312).div_ceil(960), 960, 0xfc),
        n_samples,
        packet_samples: 960,
    }
}

/// Made-up AAC packets with 1024 samples of priming.
pub fn aac(n_samples: u64) -> Sound {
    Sound {
        config: AudioConfig::Aac {
            // AAC-LC, 48 kHz, stereo.
            config: vec![0x11, 0x90],
            priming: 1024,
            bitrate: 128_000,
        },
        packets: sound_packets((n_samples + 1024).div_ceil(1024), 1024, 0x21),
        n_samples,
        packet_samples: 1024,
    }
}

/// The layout of both.
pub fn layout_of(video: &Video, sound: Option<&Sound>) -> Layout {
    Layout {
        n_samples: sound.map(|sound| sound.n_samples),
        packet_samples: sound.map_or(0, |sound| sound.packet_samples),
        ..video.layout.clone()
    }
}

/// Writes all video, then all sound.
pub fn write(video: &Video, sound: Option<&Sound>) -> Vec<u8> {
    try_write(Cursor::new(Vec::new()), video, sound)
        .unwrap()
        .into_inner()
}

pub fn try_write<W: std::io::Write + std::io::Seek>(
    out: W,
    video: &Video,
    sound: Option<&Sound>,
) -> Result<W> {
    let mut writer = Mp4Writer::new(out, &layout_of(video, sound))?;
    for packet in &video.packets {
        writer.video(packet.clone())?;
    }
    for packet in sound.iter().flat_map(|sound| &sound.packets) {
        writer.audio(packet.clone())?;
    }
    writer.finish(&video.config, sound.map(|sound| &sound.config))
}
