//! Animated GIF, WebP and PNG as clips: every frame at its time, over black, in any order; still pictures and damaged files are told apart.

use image::codecs::gif::GifEncoder;
use image::codecs::webp::WebPEncoder;
use image::{Delay, ExtendedColorType, Frame, Rgba, RgbaImage};
use kinora::facts::ClipCodec;
use kinora::media::MemoryAssets;
use kinora::media::clip::{ClipLimits, ClipReader};
use kinora::units::{TICKS_PER_SECOND, Time};

/// Color and hundredths of a second of each frame; the last is half transparent, the third says no time.
const FRAMES: [([u8; 4], u32); 4] = [
    ([255, 0, 0, 255], 4),
    ([0, 255, 0, 255], 25),
    ([0, 0, 255, 255], 0),
    ([200, 100, 0, 128], 7),
];
/// When they begin and when the last ends, where half transparent pixels can be had.
const STARTS: [i64; 5] = [0, 4, 29, 39, 46];

fn canvas(color: [u8; 4]) -> RgbaImage {
    RgbaImage::from_pixel(8, 6, Rgba(color))
}

fn gif(n: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = GifEncoder::new(&mut file);
    for (color, delay) in &FRAMES[..n] {
        let delay = Delay::from_numer_denom_ms(delay * 10, 1);
        let frame = Frame::from_parts(canvas(*color), 0, 0, delay);
        encoder.encode_frame(frame).unwrap();
    }
    drop(encoder);
    file
}

fn png(n: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 8, 6);
    encoder.set_color(png::ColorType::Rgba);
    if n > 1 {
        encoder.set_animated(n as u32, 0).unwrap();
    }
    let mut writer = encoder.write_header().unwrap();
    for (color, delay) in &FRAMES[..n] {
        if n > 1 {
            writer.set_frame_delay(*delay as u16, 100).unwrap();
        }
        writer.write_image_data(&canvas(*color)).unwrap();
    }
    writer.finish().unwrap();
    file
}

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    assert_eq!(body.len() % 2, 0);
    [&kind[..], &(body.len() as u32).to_le_bytes(), body].concat()
}

fn webp(n: usize) -> Vec<u8> {
    let mut chunks = chunk(b"VP8X", &[0x12, 0, 0, 0, 7, 0, 0, 5, 0, 0]);
    chunks.extend(chunk(b"ANIM", &[0; 6]));
    for (color, delay) in &FRAMES[..n] {
        let mut still = Vec::new();
        WebPEncoder::new_lossless(&mut still)
            .encode(&canvas(*color), 8, 6, ExtendedColorType::Rgba8)
            .unwrap();
        let [low, high, ..] = (delay * 10).to_le_bytes();
        // Whole canvas, this long, not blended.
        let head = [0, 0, 0, 0, 0, 0, 7, 0, 0, 5, 0, 0, low, high, 0, 2];
        chunks.extend(chunk(b"ANMF", &[&head[..], &still[12..]].concat()));
    }
    [
        &b"RIFF"[..],
        &(chunks.len() as u32 + 4).to_le_bytes(),
        b"WEBP",
        &chunks,
    ]
    .concat()
}

fn opened(file: Vec<u8>) -> kinora::Result<ClipReader> {
    let mut assets = MemoryAssets::default();
    assets.insert("it", file);
    ClipReader::of_asset("it", &assets, &ClipLimits::default())
}

fn hundredths(n: i64) -> Time {
    Time(n * TICKS_PER_SECOND / 100)
}

fn color_at(clip: &mut ClipReader, time: Time) -> [u8; 4] {
    let frame = clip.frame_at(time).unwrap_or_else(|e| panic!("{e}"));
    let rgba = frame.to_rgba();
    assert_eq!((rgba.width(), rgba.height()), (8, 6));
    rgba.get_pixel(3, 3).0
}

#[test]
fn frames_are_shown_at_their_times_over_black() {
    for (file, codec) in [
        (webp(4), ClipCodec::WebP),
        (png(4), ClipCodec::Png),
        (gif(4), ClipCodec::Gif),
    ] {
        let mut clip = opened(file).unwrap_or_else(|e| panic!("{codec:?}: {e}"));
        let facts = clip.facts().clone();
        let starts: Vec<Time> = STARTS.map(hundredths).to_vec();
        assert_eq!(facts.starts.to_vec(), starts[..4], "{codec:?}");
        assert_eq!((facts.codec, facts.duration), (codec, starts[4]));
        assert_eq!((facts.width, facts.height, facts.has_sound), (8, 6, false));
        let mut expected = FRAMES.map(|(color, _)| color);
        expected[3] = match codec {
            // Without half transparency; what is left out is transparent or not.
            ClipCodec::Gif => [200, 100, 0, 255],
            _ => [100, 50, 0, 255],
        };
        for i in [0, 1, 2, 3, 0, 2, 1, 3, 3, 0] {
            for time in [starts[i], Time(starts[i + 1].0 - 1)] {
                let color = color_at(&mut clip, time);
                let is_near = color
                    .iter()
                    .zip(expected[i])
                    .all(|(a, b)| a.abs_diff(b) <= 3);
                assert!(is_near, "{codec:?}: frame {i} is {color:?}");
            }
        }
    }
}

#[test]
fn pictures_that_stand_still_are_no_clips() {
    for (file, words) in [
        (gif(1), "GIF picture"),
        (webp(1), "WebP picture"),
        (png(1), "PNG picture"),
    ] {
        let message = opened(file).map(|_| ()).expect_err(words).to_string();
        assert!(message.contains(words), "{message}");
        assert!(message.contains("not a video clip"), "{message}");
    }
}

#[test]
fn animated_pictures_cut_anywhere_are_read_or_refused() {
    for file in [gif(4), webp(4), png(4)] {
        for n in 0..file.len() {
            if let Ok(mut clip) = opened(file[..n].to_vec()) {
                let n_frames = clip.facts().starts.len();
                assert!((2..=4).contains(&n_frames));
                for start in clip.facts().starts.clone().iter().copied() {
                    // What is whole is shown.
                    let _ = clip.frame_at(start);
                }
            }
        }
    }
}

#[test]
fn lies_of_animated_pictures_end_soon() {
    let mut limits = ClipLimits::strict();
    limits.n_frames = 3;
    for file in [gif(4), webp(4), png(4)] {
        let mut assets = MemoryAssets::default();
        assets.insert("it", file.clone());
        let refused = ClipReader::of_asset("it", &assets, &limits).map(|_| ());
        let message = refused.expect_err("four frames").to_string();
        assert!(message.contains("more than 3 frames"), "{message}");
        for at in 0..file.len().min(400) {
            for value in [0, 0x7f, 0xff] {
                let mut bad = file.clone();
                bad[at] = value;
                if let Ok(mut clip) = opened(bad) {
                    for start in clip.facts().starts.clone().iter().copied() {
                        let _ = clip.frame_at(start);
                    }
                }
            }
        }
    }
}

#[test]
fn a_canvas_larger_than_allowed_is_refused() {
    let mut file = gif(4);
    file[6..10].copy_from_slice(&[0xff; 4]);
    let message = opened(file).map(|_| ()).expect_err("a bomb").to_string();
    assert!(message.contains("65535x65535 px"), "{message}");
}
