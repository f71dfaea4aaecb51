//! The video encoders: packets, key frames, colors, quality after decoding, and bytes that do not depend on threads.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kinora::encode::{
    Quality, VideoCodec, VideoConfig, VideoEncoder, VideoEncoderName, VideoSettings, available,
    video_encoder,
};
use kinora::error::ErrorKind;
use kinora::frame::{Frame, Packet};
use kinora::plan::draw::DrawList;
use kinora::units::{Color, FrameRate, Size};

const KEYFRAMES: [u64; 2] = [0, 37];
const N_FRAMES: u64 = 70;

/// The encoders of this machine; SVT-AV1 only where its library is.
fn encoders() -> Vec<(VideoCodec, VideoEncoderName)> {
    let mut all = vec![
        (VideoCodec::Av1, VideoEncoderName::Rav1e),
        (VideoCodec::H264, VideoEncoderName::OpenH264),
    ];
    match &available()[0].version {
        Ok(_) => all.push((VideoCodec::Av1, VideoEncoderName::SvtAv1)),
        Err(reason) => println!("skipped: {reason}"),
    }
    all
}

fn settings(codec: VideoCodec, encoder: VideoEncoderName, size: (u32, u32)) -> VideoSettings {
    VideoSettings {
        codec,
        encoder,
        quality: Quality::Medium,
        size: Size::new(size.0, size.1).unwrap(),
        rate: FrameRate::new(30, 1).unwrap(),
        threads: 2,
        n_frames: N_FRAMES,
        keyframes: KEYFRAMES.to_vec(),
    }
}

fn nothing_known() -> DrawList {
    DrawList {
        frame: 0,
        background: Color::BLACK,
        layers: Vec::new(),
    }
}

/// A smooth picture that moves by three pixels a frame, with a block that moves the other way.
fn moving_gradient(index: u64, size: Size) -> Frame {
    let mut frame = Frame::black(size);
    frame.index = index;
    let (width, t) = (size.width as usize, index as f32);
    let wave = |x: f32, y: f32| (x * 0.07).sin() + (y * 0.05).cos();
    let [luma, u, v] = frame.planes_mut();
    for (i, sample) in luma.iter_mut().enumerate() {
        let (x, y) = ((i % width) as f32, (i / width) as f32);
        let is_block = (x + 2.0 * t) % 90.0 < 20.0 && (30.0..50.0).contains(&y);
        *sample = if is_block {
            200
        } else {
            (120.0 + 45.0 * wave(x - 3.0 * t, y - t)) as u8
        };
    }
    for (plane, sign) in [(u, 1.0), (v, -1.0)] {
        for (i, sample) in plane.iter_mut().enumerate() {
            let (x, y) = ((i % (width / 2)) as f32, (i / (width / 2)) as f32);
            *sample = (128.0 + sign * 25.0 * wave(2.0 * x - 3.0 * t, 2.0 * y)) as u8;
        }
    }
    frame
}

/// Eight bars of limited-range BT.709: white, yellow, cyan, green, magenta, red, blue, black.
fn color_bars(index: u64, size: Size) -> Frame {
    let mut frame = Frame::black(size);
    frame.index = index;
    let width = size.width as usize;
    let [y, u, v] = frame.planes_mut();
    for (i, sample) in y.iter_mut().enumerate() {
        *sample = BARS[i % width * 8 / width][0];
    }
    for (plane, channel) in [(u, 1), (v, 2)] {
        for (i, sample) in plane.iter_mut().enumerate() {
            *sample = BARS[i % (width / 2) * 16 / width][channel];
        }
    }
    frame
}

const BARS: [[u8; 3]; 8] = [
    [235, 128, 128],
    [219, 16, 138],
    [188, 154, 16],
    [173, 42, 26],
    [78, 214, 230],
    [63, 102, 240],
    [32, 240, 118],
    [16, 128, 128],
];

struct Encoded {
    packets: Vec<Packet>,
    config: VideoConfig,
    name: String,
}

fn encode(settings: &VideoSettings, make: fn(u64, Size) -> Frame) -> Encoded {
    let mut encoder = video_encoder(settings).unwrap();
    let mut packets = Vec::new();
    for index in 0..settings.n_frames {
        let frame = make(index, settings.size);
        encoder
            .encode(&frame, &nothing_known(), &mut packets)
            .unwrap();
        if !packets.is_empty() {
            encoder.config().expect("known once a packet is out");
        }
    }
    encoder.finish(&mut packets).unwrap();
    Encoded {
        packets,
        config: encoder.config().unwrap(),
        name: encoder.name(),
    }
}

fn decode(encoded: &Encoded, size: Size) -> Vec<Frame> {
    match &encoded.config {
        VideoConfig::Av1 { .. } => decode_av1(&encoded.packets, size),
        VideoConfig::Avc { sps, pps } => decode_h264(sps, pps, &encoded.packets, size),
    }
}

fn decode_av1(packets: &[Packet], size: Size) -> Vec<Frame> {
    use re_rav1d::dav1d::{Decoder, Error, PlanarImageComponent as Component, Settings, pixel};
    let mut decoder_settings = Settings::new();
    decoder_settings.set_n_threads(1);
    let mut decoder = Decoder::with_settings(&decoder_settings).unwrap();
    let mut frames = Vec::new();
    let mut take = |decoder: &mut Decoder| {
        while let Ok(picture) = decoder.get_picture() {
            assert_eq!(
                (picture.width(), picture.height()),
                (size.width, size.height)
            );
            assert_eq!(picture.color_primaries(), pixel::ColorPrimaries::BT709);
            let (transfer, matrix) = (
                picture.transfer_characteristic(),
                picture.matrix_coefficients(),
            );
            assert_eq!(transfer, pixel::TransferCharacteristic::BT1886);
            assert_eq!(matrix, pixel::MatrixCoefficients::BT709);
            assert_eq!(picture.color_range(), pixel::YUVRange::Limited);
            let mut frame = Frame::black(size);
            frame.index = frames.len() as u64;
            let components = [Component::Y, Component::U, Component::V];
            for (target, component) in frame.planes_mut().into_iter().zip(components) {
                let (stride, _) = picture.plane_data_geometry(component);
                let width = size.width as usize >> usize::from(component != Component::Y);
                let plane = picture.plane(component);
                for (to, from) in target.chunks_mut(width).zip(plane.chunks(stride as usize)) {
                    to.copy_from_slice(&from[..width]);
                }
            }
            frames.push(frame);
        }
    };
    for packet in packets {
        let mut sent = decoder.send_data(packet.data.clone(), None, None, None);
        while let Err(Error::Again) = sent {
            take(&mut decoder);
            sent = decoder.send_pending_data();
        }
        sent.unwrap();
        take(&mut decoder);
    }
    decoder.flush();
    take(&mut decoder);
    frames
}

fn decode_h264(sps: &[u8], pps: &[u8], packets: &[Packet], size: Size) -> Vec<Frame> {
    use openh264::decoder::Decoder;
    use openh264::formats::YUVSource;
    let mut decoder = Decoder::new().unwrap();
    let mut frames = Vec::new();
    for (i, packet) in packets.iter().enumerate() {
        let mut annex_b = Vec::new();
        let sets = if i == 0 { &[sps, pps][..] } else { &[] };
        for nal in sets.iter().copied().chain(nals(&packet.data)) {
            annex_b.extend([0, 0, 0, 1]);
            annex_b.extend(nal);
        }
        if let Some(picture) = decoder.decode(&annex_b).unwrap() {
            assert_eq!(
                picture.dimensions(),
                (size.width as usize, size.height as usize)
            );
            let mut frame = Frame::black(size);
            frame.index = frames.len() as u64;
            let (y, u, v) = picture.strides();
            let sources = [(picture.y(), y), (picture.u(), u), (picture.v(), v)];
            for (i, target) in frame.planes_mut().into_iter().enumerate() {
                let width = size.width as usize >> usize::from(i > 0);
                for (to, from) in target
                    .chunks_mut(width)
                    .zip(sources[i].0.chunks(sources[i].1))
                {
                    to.copy_from_slice(&from[..width]);
                }
            }
            frames.push(frame);
        }
    }
    frames
}

/// The NAL units of a packet, which must be exactly its length-prefixed content.
fn nals(mut data: &[u8]) -> Vec<&[u8]> {
    let mut nals = Vec::new();
    while !data.is_empty() {
        let (length, rest) = data.split_first_chunk::<4>().unwrap();
        let (nal, rest) = rest.split_at(u32::from_be_bytes(*length) as usize);
        assert!(!nal.is_empty() && ![7, 8].contains(&(nal[0] & 31)));
        nals.push(nal);
        data = rest;
    }
    nals
}

fn psnr(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum: u64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| u64::from(a.abs_diff(*b)).pow(2))
        .sum();
    10.0 * (255.0f64.powi(2) * a.len() as f64 / sum.max(1) as f64).log10()
}

#[test]
fn packets_come_in_order_with_key_frames_only_where_asked_and_decode_well() {
    for (codec, encoder) in encoders() {
        for size in [(128, 96), (178, 98)] {
            let settings = settings(codec, encoder, size);
            let encoded = encode(&settings, moving_gradient);
            assert_eq!(encoded.packets.len() as u64, N_FRAMES, "{}", encoded.name);
            for (index, packet) in encoded.packets.iter().enumerate() {
                assert_eq!(packet.pts, settings.rate.time_of(index as u64));
                assert_eq!(packet.dts, packet.pts);
                assert_eq!(packet.duration, settings.rate.frame_duration());
                let is_key = KEYFRAMES.contains(&(index as u64));
                assert_eq!(packet.is_sync, is_key, "{} frame {index}", encoded.name);
            }
            let decoded = decode(&encoded, settings.size);
            assert_eq!(decoded.len() as u64, N_FRAMES, "{}", encoded.name);
            let mut worst = f64::MAX;
            for frame in &decoded {
                let source = moving_gradient(frame.index, settings.size);
                for (a, b) in frame.planes().into_iter().zip(source.planes()) {
                    worst = worst.min(psnr(a, b));
                }
            }
            let n_bytes: usize = encoded.packets.iter().map(|p| p.data.len()).sum();
            println!(
                "{} {}: worst {worst:.1} dB, {n_bytes} bytes",
                encoded.name, settings.size
            );
            assert!(worst > 30.0, "{}: {worst} dB", encoded.name);
        }
    }
}

#[test]
fn decoding_can_start_at_any_key_frame() {
    for (codec, encoder) in encoders() {
        let settings = settings(codec, encoder, (128, 96));
        let mut encoded = encode(&settings, moving_gradient);
        let whole = decode(&encoded, settings.size);
        encoded.packets.drain(..KEYFRAMES[1] as usize);
        let tail = decode(&encoded, settings.size);
        assert_eq!(tail.len(), whole.len() - KEYFRAMES[1] as usize);
        for (a, b) in tail.iter().zip(&whole[KEYFRAMES[1] as usize..]) {
            assert!(
                a.as_bytes() == b.as_bytes(),
                "{} frame {}",
                encoded.name,
                b.index
            );
        }
    }
}

#[test]
fn bytes_do_not_depend_on_threads() {
    for (codec, encoder) in encoders() {
        let mut settings = settings(codec, encoder, (256, 192));
        settings.keyframes = vec![0, 20, 37, 60];
        let runs = [1, 2, 4].map(|threads| {
            settings.threads = threads;
            encode(&settings, moving_gradient)
        });
        for run in &runs[1..] {
            assert!(run.packets == runs[0].packets, "{}", run.name);
            assert_eq!(run.config, runs[0].config);
        }
    }
}

#[test]
fn color_bars_keep_their_colors() {
    for (codec, encoder) in encoders() {
        let mut settings = settings(codec, encoder, (256, 96));
        settings.quality = Quality::High;
        settings.n_frames = 12;
        settings.keyframes = vec![0];
        let encoded = encode(&settings, color_bars);
        for frame in decode(&encoded, settings.size) {
            for (bar, codes) in BARS.iter().enumerate() {
                for (plane, (got, want)) in frame.planes().into_iter().zip(codes).enumerate() {
                    let width = settings.size.width as usize >> usize::from(plane > 0);
                    // The middle of the bar: edges may ring.
                    let at = (plane_height(plane) / 2) * width + width * (2 * bar + 1) / 16;
                    assert!(
                        got[at].abs_diff(*want) <= 2,
                        "{} frame {} bar {bar} plane {plane}: {} for {want}",
                        encoded.name,
                        frame.index,
                        got[at]
                    );
                }
            }
        }
    }
}

fn plane_height(plane: usize) -> usize {
    96 >> usize::from(plane > 0)
}

#[test]
fn h264_is_high_profile_with_bt709_limited_range() {
    let settings = settings(VideoCodec::H264, VideoEncoderName::Auto, (178, 98));
    let VideoConfig::Avc { sps, pps } = encode(&settings, moving_gradient).config else {
        panic!("H.264 has parameter sets");
    };
    assert_eq!(sps[0] & 31, 7);
    assert_eq!(pps[0] & 31, 8);
    assert_eq!(sps[1], 100, "High profile");
    let vui = sps_color(&sps);
    assert_eq!(vui, (false, [1, 1, 1]));
    // entropy_coding_mode_flag follows two numbers that are 0: one bit each.
    assert_eq!(pps[1] >> 5, 0b111, "CABAC");
}

/// `video_full_range_flag` and the three color codes of a sequence parameter set (ITU-T H.264, sections 7.3.2.1.1 and E.1.1).
fn sps_color(sps: &[u8]) -> (bool, [u32; 3]) {
    let mut bits = Bits::new(&sps[4..]);
    bits.ue(); // id
    assert_eq!(bits.ue(), 1, "4:2:0");
    assert_eq!((bits.ue(), bits.ue()), (0, 0), "8 bits");
    assert_eq!(bits.u(2), 0, "no transform bypass, no scaling lists");
    bits.ue(); // log2_max_frame_num
    match bits.ue() {
        0 => drop(bits.ue()),
        2 => {}
        kind => panic!("picture order count type {kind}"),
    }
    bits.ue(); // reference frames
    bits.u(1);
    bits.ue(); // width
    bits.ue(); // height
    assert_eq!(bits.u(1), 1, "progressive");
    bits.u(1);
    if bits.u(1) == 1 {
        (0..4).for_each(|_| drop(bits.ue()));
    }
    assert_eq!(bits.u(1), 1, "VUI");
    assert_eq!(bits.u(1), 0, "no aspect ratio");
    assert_eq!(bits.u(1), 0, "no overscan");
    assert_eq!(bits.u(1), 1, "video signal type");
    bits.u(3);
    let is_full_range = bits.u(1) == 1;
    assert_eq!(bits.u(1), 1, "color description");
    (is_full_range, [bits.u(8), bits.u(8), bits.u(8)])
}

struct Bits {
    bits: Vec<u8>,
    at: usize,
}

impl Bits {
    /// The bits of a NAL unit without its emulation prevention bytes.
    fn new(nal: &[u8]) -> Bits {
        let mut bits = Vec::new();
        let mut n_zeros = 0;
        for &byte in nal {
            if n_zeros >= 2 && byte == 3 {
                n_zeros = 0;
                continue;
            }
            n_zeros = if byte == 0 { n_zeros + 1 } else { 0 };
            bits.extend((0..8).rev().map(|i| byte >> i & 1));
        }
        Bits { bits, at: 0 }
    }

    fn u(&mut self, n: usize) -> u32 {
        self.at += n;
        let of = &self.bits[self.at - n..self.at];
        of.iter().fold(0, |value, bit| value << 1 | u32::from(*bit))
    }

    fn ue(&mut self) -> u32 {
        let n = self.bits[self.at..]
            .iter()
            .take_while(|bit| **bit == 0)
            .count();
        self.u(2 * n + 1) - 1
    }
}

#[test]
fn wrong_frames_are_refused() {
    for (codec, encoder) in encoders() {
        let settings = settings(codec, encoder, (128, 96));
        let mut out = Vec::new();
        let mut encoder = video_encoder(&settings).unwrap();
        let wrong_size = Frame::black(Size::new(96, 128).unwrap());
        let error = encoder
            .encode(&wrong_size, &nothing_known(), &mut out)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Encoder);
        assert!(error.to_string().contains("96x128"), "{error}");
        let too_early = moving_gradient(1, settings.size);
        let error = encoder
            .encode(&too_early, &nothing_known(), &mut out)
            .unwrap_err();
        assert!(error.to_string().contains("frame 0 was due"), "{error}");
        assert!(encoder.config().is_err());
        assert!(out.is_empty());
    }
}

#[test]
fn no_frames_make_no_video() {
    for (codec, encoder) in encoders() {
        let mut encoder = video_encoder(&settings(codec, encoder, (128, 96))).unwrap();
        let mut out = Vec::new();
        let error = encoder.finish(&mut out).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Encoder);
        assert!(out.is_empty());
    }
}

#[test]
fn one_frame_makes_a_video() {
    for (codec, encoder) in encoders() {
        let mut settings = settings(codec, encoder, (128, 96));
        settings.n_frames = 1;
        settings.keyframes = vec![0];
        let encoded = encode(&settings, moving_gradient);
        assert_eq!(encoded.packets.len(), 1);
        assert!(encoded.packets[0].is_sync);
        assert_eq!(decode(&encoded, settings.size).len(), 1);
    }
}

#[test]
fn an_encoder_can_be_dropped_midway() {
    for (codec, encoder) in encoders() {
        let settings = settings(codec, encoder, (128, 96));
        for n_frames in [0, 1, 40] {
            let before = n_threads();
            let mut encoder = video_encoder(&settings).unwrap();
            let mut out = Vec::new();
            for index in 0..n_frames {
                let frame = moving_gradient(index, settings.size);
                encoder.encode(&frame, &nothing_known(), &mut out).unwrap();
            }
            let name = encoder.name();
            drop(encoder);
            // Tests run side by side, so only a leak of many threads can be told from their work.
            if let (Some(before), Some(after)) = (before, n_threads()) {
                assert!(
                    after < before + 60,
                    "{name}: {before} threads, then {after}"
                );
            }
        }
    }
}

/// Threads of this process, where the system tells.
fn n_threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

#[test]
fn codec_and_encoder_must_agree() {
    for (codec, encoder) in [
        (VideoCodec::H264, VideoEncoderName::SvtAv1),
        (VideoCodec::H264, VideoEncoderName::Rav1e),
        (VideoCodec::Av1, VideoEncoderName::OpenH264),
    ] {
        let error = refusal(&settings(codec, encoder, (128, 96)));
        assert!(error.contains("choose"), "{error}");
    }
}

#[test]
fn sizes_beyond_an_encoder_are_refused_or_made_by_another() {
    let mut large = settings(VideoCodec::H264, VideoEncoderName::Auto, (3840, 3840));
    large.n_frames = 1;
    assert!(refusal(&large).contains("3840x2160"));
    let mut small = settings(VideoCodec::Av1, VideoEncoderName::Auto, (32, 16));
    (small.n_frames, small.keyframes) = (3, vec![0]);
    let encoded = encode(&small, moving_gradient);
    assert!(encoded.name.starts_with("rav1e"), "{}", encoded.name);
    assert_eq!(decode(&encoded, small.size).len(), 3);
}

#[test]
fn bad_lists_of_key_frames_are_refused() {
    for (codec, encoder) in encoders() {
        for keyframes in [vec![], vec![1], vec![0, 5, 5], vec![0, 9, 3]] {
            let mut settings = settings(codec, encoder, (128, 96));
            settings.keyframes = keyframes;
            assert!(refusal(&settings).contains("key frames"));
        }
    }
}

fn refusal(settings: &VideoSettings) -> String {
    match video_encoder(settings) {
        Ok(encoder) => panic!("{} took it", encoder.name()),
        Err(error) => error.to_string(),
    }
}
