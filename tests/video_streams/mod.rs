//! What the tests of video encoders share: moving pictures, a run of an encoder, decoders and a reader of parameter sets.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, dead_code)]

mod dav1d;

pub use dav1d::decode_av1;
use std::io::Write;
use std::process::Command;

use kinora::encode::{VideoConfig, VideoSettings, video_encoder};
use kinora::frame::{Frame, Packet};
use kinora::scene::draw::DrawList;
use kinora::units::{Color, Size};

pub fn nothing_known() -> DrawList {
    DrawList {
        frame: 0,
        background: Color::BLACK,
        layers: Vec::new(),
    }
}

/// A smooth picture that moves by three pixels a frame, with a block that moves the other way.
pub fn moving_gradient(index: u64, size: Size) -> Frame {
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
pub fn color_bars(index: u64, size: Size) -> Frame {
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

pub const BARS: [[u8; 3]; 8] = [
    [235, 128, 128],
    [219, 16, 138],
    [188, 154, 16],
    [173, 42, 26],
    [78, 214, 230],
    [63, 102, 240],
    [32, 240, 118],
    [16, 128, 128],
];

pub struct Encoded {
    pub packets: Vec<Packet>,
    pub config: VideoConfig,
    pub name: String,
}

pub fn encode(settings: &VideoSettings, make: fn(u64, Size) -> Frame) -> Encoded {
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

pub fn decode(encoded: &Encoded, size: Size) -> Vec<Frame> {
    match &encoded.config {
        VideoConfig::Av1 { .. } => decode_av1(&encoded.packets, size),
        VideoConfig::Avc { sps, pps } => decode_h264(sps, pps, &encoded.packets, size),
    }
}

/// Whether this machine has ffmpeg.
pub fn has_ffmpeg() -> bool {
    let asked = Command::new("ffmpeg").arg("-version").output();
    asked.is_ok_and(|answer| answer.status.success())
}

/// Decodes a stream of H.264 by ffmpeg, in the order of showing.
fn decode_by_ffmpeg(sps: &[u8], pps: &[u8], packets: &[Packet], size: Size) -> Vec<Frame> {
    let units = packets.iter().flat_map(|packet| nals(&packet.data));
    let mut stream = Vec::new();
    for nal in [sps, pps].into_iter().chain(units) {
        stream.extend([0, 0, 0, 1]);
        stream.extend(nal);
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&stream).unwrap();
    let decoded = Command::new("ffmpeg")
        .args(["-v", "error", "-f", "h264", "-i"])
        .arg(file.path())
        .args(["-vsync", "0", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"])
        .output()
        .unwrap();
    assert!(decoded.status.success());
    let n_bytes = size.area() * 3 / 2;
    assert_eq!(decoded.stdout.len() % n_bytes, 0);
    let mut frames = Vec::new();
    for (index, planes) in decoded.stdout.chunks_exact(n_bytes).enumerate() {
        let mut frame = Frame::black(size);
        frame.index = index as u64;
        let mut rest = planes;
        for plane in frame.planes_mut() {
            let (head, tail) = rest.split_at(plane.len());
            plane.copy_from_slice(head);
            rest = tail;
        }
        frames.push(frame);
    }
    frames
}

/// Decodes by openh264, or by ffmpeg what openh264's decoder gives up on: the B-frames of x264.
pub fn decode_h264(sps: &[u8], pps: &[u8], packets: &[Packet], size: Size) -> Vec<Frame> {
    decode_by_openh264(sps, pps, packets, size)
        .unwrap_or_else(|_| decode_by_ffmpeg(sps, pps, packets, size))
}

fn decode_by_openh264(
    sps: &[u8],
    pps: &[u8],
    packets: &[Packet],
    size: Size,
) -> Result<Vec<Frame>, openh264::Error> {
    use openh264::decoder::{DecodedYUV, Decoder};
    use openh264::formats::YUVSource;
    let mut decoder = Decoder::new()?;
    let mut frames = Vec::new();
    let mut take = |picture: DecodedYUV<'_>| {
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
    };
    for (i, packet) in packets.iter().enumerate() {
        let mut annex_b = Vec::new();
        let sets = if i == 0 { &[sps, pps][..] } else { &[] };
        for nal in sets.iter().copied().chain(nals(&packet.data)) {
            annex_b.extend([0, 0, 0, 1]);
            annex_b.extend(nal);
        }
        if let Some(picture) = decoder.decode(&annex_b)? {
            take(picture);
        }
    }
    for picture in decoder.flush_remaining()? {
        take(picture);
    }
    Ok(frames)
}

/// The NAL units of a packet, which must be exactly its length-prefixed content.
pub fn nals(mut data: &[u8]) -> Vec<&[u8]> {
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

pub fn psnr(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum: u64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| u64::from(a.abs_diff(*b)).pow(2))
        .sum();
    10.0 * (255.0f64.powi(2) * a.len() as f64 / sum.max(1) as f64).log10()
}

/// `video_full_range_flag` and the three color codes of a sequence parameter set (ITU-T H.264, sections 7.3.2.1.1 and E.1.1).
pub fn sps_color(sps: &[u8]) -> (bool, [u32; 3]) {
    let mut bits = Bits::new(&sps[4..]);
    bits.ue(); // id
    assert_eq!(bits.ue(), 1, "4:2:0");
    assert_eq!((bits.ue(), bits.ue()), (0, 0), "8 bits");
    assert_eq!(bits.u(2), 0, "no transform bypass, no scaling lists");
    bits.ue(); // log2_max_frame_num
    match bits.ue() {
        0 => {
            bits.ue();
        }
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
        (0..4).for_each(|_| {
            bits.ue();
        });
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
