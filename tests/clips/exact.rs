//! The frame shown at an instant is the one whose interval holds it.

use kinora::media::clip::ClipCodec;
use kinora::units::{FrameRate, TICKS_PER_SECOND, Time};

use crate::numbers::number_of;
use crate::open;

/// Frames shown at each frame of `rate`, from the start.
fn shown_at(name: &str, rate: FrameRate, n: u64) -> Vec<usize> {
    let mut clip = open(name);
    (0..n)
        .map(|i| number_of(&clip.frame_at(rate.time_of(i)).unwrap_or_else(|e| panic!("{e}"))))
        .collect()
}

fn rate_of(name: &str) -> FrameRate {
    let digits: String = name.chars().skip_while(|c| *c != '-').skip(1).take_while(char::is_ascii_digit).collect();
    match digits.as_str() {
        "30000" => FrameRate::new(30_000, 1001).unwrap(),
        n => FrameRate::new(n.parse().unwrap(), 1).unwrap(),
    }
}

#[test]
fn every_frame_is_the_right_one_at_every_rate() {
    let names = ["h264-NN.mp4", "vp9-NN.webm", "av1-NN.mp4"];
    for rate in ["24", "25", "30000", "30", "60"] {
        for name in names.map(|name| name.replace("NN", rate)) {
            let rate = rate_of(&name);
            let clip = open(&name);
            assert_eq!(clip.facts().starts.len(), 100, "{name}");
            assert_eq!(clip.facts().duration, rate.time_of(100), "{name}");
            let wrong: Vec<_> = shown_at(&name, rate, 100)
                .into_iter()
                .enumerate()
                .filter(|(i, n)| i != n)
                .collect();
            assert_eq!(wrong, [], "{name}");
        }
    }
}

#[test]
fn containers_and_profiles_show_all_frames() {
    for (name, codec) in [
        ("h264-open-gop.mp4", ClipCodec::H264),
        ("h264-fragmented.mp4", ClipCodec::H264),
        ("h264-fragments-of-one.mp4", ClipCodec::H264),
        ("h264-fast-start.mp4", ClipCodec::H264),
        ("h264-quicktime.mov", ClipCodec::H264),
        ("h264-matroska.mkv", ClipCodec::H264),
        ("h264-baseline.mp4", ClipCodec::H264),
        ("h264-intra.mp4", ClipCodec::H264),
        ("h264-no-sync-table.mp4", ClipCodec::H264),
        ("vp9-in-mp4.mp4", ClipCodec::Vp9),
        ("vp9-odd-size.webm", ClipCodec::Vp9),
        ("vp9-444.webm", ClipCodec::Vp9),
        ("vp9-422.webm", ClipCodec::Vp9),
        ("vp9-10-bits.webm", ClipCodec::Vp9),
        ("av1-10-bits.mp4", ClipCodec::Av1),
        ("av1-odd-size.mp4", ClipCodec::Av1),
        ("av1-in-webm.webm", ClipCodec::Av1),
        ("av1-444.mp4", ClipCodec::Av1),
    ] {
        let mut clip = open(name);
        assert_eq!(clip.facts().codec, codec, "{name}");
        let starts = clip.facts().starts.clone();
        assert_eq!((starts.len(), starts[0]), (100, Time::ZERO), "{name}");
        assert!(starts.is_sorted_by(|a, b| a < b), "{name}");
        for (i, start) in starts.iter().enumerate() {
            let frame = clip.frame_at(*start).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(number_of(&frame), i, "{name}");
        }
        let frame = Time(clip.facts().duration.0 / 100);
        assert!((frame.0 - TICKS_PER_SECOND / 25).abs() < TICKS_PER_SECOND / 140, "{name}: {frame}");
    }
}
