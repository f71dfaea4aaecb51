//! The frame shown at an instant is the one whose interval holds it.

use kinora::facts::ClipCodec;
use kinora::units::{FrameRate, TICKS_PER_SECOND, Time};

use crate::numbers::number_of;
use crate::open;

/// Frames shown at each frame of `rate`, from the start.
fn shown_at(name: &str, rate: FrameRate, n: u64) -> Vec<usize> {
    let mut clip = open(name);
    (0..n)
        .map(|i| {
            number_of(
                &clip
                    .frame_at(rate.time_of(i))
                    .unwrap_or_else(|e| panic!("{e}")),
            )
        })
        .collect()
}

fn rate_of(name: &str) -> FrameRate {
    let digits: String = name
        .chars()
        .skip_while(|c| *c != '-')
        .skip(1)
        .take_while(char::is_ascii_digit)
        .collect();
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
        assert!(
            (frame.0 - TICKS_PER_SECOND / 25).abs() < TICKS_PER_SECOND / 140,
            "{name}: {frame}"
        );
    }
}

#[test]
fn any_order_gives_the_same_frames() {
    for name in [
        "h264-25.mp4",
        "h264-open-gop.mp4",
        "vp9-25.webm",
        "av1-25.mp4",
        "h264-no-sync-table.mp4",
    ] {
        let mut clip = open(name);
        let starts = clip.facts().starts.clone();
        // 37 and 100 have no common factor: every frame once, far forward and back; then small steps back.
        let order = (0..100)
            .map(|i| i * 37 % 100)
            .chain((0..100).rev().step_by(3));
        for i in order {
            let frame = clip.frame_at(starts[i]).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(number_of(&frame), i, "{name}");
        }
    }
}

#[test]
fn instants_between_and_beyond_frames() {
    let mut clip = open("h264-25.mp4");
    let frame = TICKS_PER_SECOND / 25;
    for (time, n) in [
        (-5, 0),
        (0, 0),
        (frame - 1, 0),
        (frame, 1),
        (frame + 1, 1),
        (frame * 100 - 1, 99),
        (frame * 500, 99),
    ] {
        assert_eq!(number_of(&clip.frame_at(Time(time)).unwrap()), n, "{time}");
    }
}

#[test]
fn frames_of_varying_length_are_shown_as_long_as_they_last() {
    for name in ["h264-variable.mp4", "vp9-variable.webm"] {
        let mut clip = open(name);
        assert_eq!(clip.facts().starts.len(), 100, "{name}");
        // Each third frame lasts three units of 40 ms more, that before it one more.
        let unit = TICKS_PER_SECOND / 25;
        for n in 0..100 {
            let start = n + n / 3 * 3 + i64::from(n % 3 == 2);
            assert_eq!(
                clip.facts().starts[n as usize],
                Time(start * unit),
                "{name}: {n}"
            );
            assert_eq!(
                number_of(&clip.frame_at(Time(start * unit)).unwrap()),
                n as usize
            );
        }
    }
}

#[test]
fn edit_lists_cut_and_delay() {
    let frame = TICKS_PER_SECOND / 25;
    // Frames 0 to 12 are only there to be decoded.
    let mut cut = open("h264-cut.mp4");
    assert_eq!(cut.facts().starts.len(), 87);
    assert_eq!(cut.facts().duration, Time(87 * frame));
    assert_eq!(number_of(&cut.frame_at(Time::ZERO).unwrap()), 13);
    assert_eq!(number_of(&cut.frame_at(Time(86 * frame)).unwrap()), 99);
    // The picture begins half a second after the sound: its first frame stands until then.
    let mut late = open("h264-late.mp4");
    let half = TICKS_PER_SECOND / 2;
    assert_eq!(late.facts().starts[1], Time(half + frame));
    assert_eq!(late.facts().duration, Time(half + 100 * frame));
    let at_one_second = late.frame_at(Time(TICKS_PER_SECOND)).unwrap();
    assert_eq!(number_of(&at_one_second), 12);
}
