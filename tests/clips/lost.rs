//! Frames that cannot be decoded: the one before stays on screen, the render says how many, and a clip with nothing left is refused.

use std::io::{Cursor, Read};
use std::sync::Arc;

use kinora::compose::Backend;
use kinora::media::clip::{ClipLimits, ClipReader};
use kinora::media::{Assets, MemoryAssets};
use kinora::text::Fonts;
use kinora::{Control, Job, Render};

use crate::fixtures;
use crate::numbers::number_of;

/// A fixture whose samples of these numbers, in decoding order, are filled with nonsense.
fn damaged(name: &str, samples: std::ops::Range<usize>) -> Vec<u8> {
    let mut bytes = Vec::new();
    fixtures()
        .open(name)
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    let body = |kind: &[u8]| bytes.windows(4).position(|w| w == kind).unwrap() + 4;
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (offsets, sizes) = (body(b"stco"), body(b"stsz"));
    assert_eq!(number(offsets + 4), 1, "one chunk");
    let size = |i: usize| number(sizes + 12 + 4 * i);
    let start = |i: usize| number(offsets + 8) + (0..i).map(size).sum::<usize>();
    let ranges: Vec<_> = samples.map(|i| start(i)..start(i + 1)).collect();
    for range in ranges {
        bytes[range].fill(0xff);
    }
    bytes
}

fn opened(bytes: Vec<u8>) -> ClipReader {
    let mut assets = MemoryAssets::default();
    assets.insert("clip", bytes);
    ClipReader::of_asset("clip", &assets, &ClipLimits::default()).unwrap()
}

/// The numbers of the frames that are shown, in order.
fn shown(clip: &mut ClipReader) -> Vec<usize> {
    let starts = clip.facts().starts.clone();
    starts
        .iter()
        .map(|start| number_of(&clip.frame_at(*start).unwrap_or_else(|e| panic!("{e}"))))
        .collect()
}

#[test]
fn the_frame_before_a_lost_one_stays() {
    for (name, lost) in [
        ("h264-intra.mp4", 50..51),
        ("h264-intra.mp4", 60..80),
        ("h264-intra.mp4", 97..100),
        ("av1-25.mp4", 99..100),
    ] {
        let numbers = shown(&mut opened(damaged(name, lost.clone())));
        let expected: Vec<usize> = (0..100)
            .map(|i| if lost.contains(&i) { lost.start - 1 } else { i })
            .collect();
        assert_eq!(numbers, expected, "{name} {lost:?}");
    }
}

#[test]
fn a_lost_frame_is_the_same_from_wherever_one_comes() {
    for (name, lost) in [
        ("h264-intra.mp4", 50..53),
        ("h264-25.mp4", 30..31),
        ("h264-25.mp4", 40..41),
        ("h264-open-gop.mp4", 40..41),
        ("av1-25.mp4", 40..41),
        ("vp9-in-mp4.mp4", 70..71),
    ] {
        let bytes = damaged(name, lost);
        let mut clip = opened(bytes.clone());
        let starts = clip.facts().starts.clone();
        let in_order: Vec<_> = starts.iter().map(|s| clip.frame_at(*s).unwrap()).collect();
        for i in (25..75).rev() {
            let again = clip.frame_at(starts[i]).unwrap();
            assert!(again == in_order[i], "{name}: frame {i} after going back");
            let alone = opened(bytes.clone()).frame_at(starts[i]).unwrap();
            assert!(alone == in_order[i], "{name}: frame {i} alone");
        }
    }
}

#[test]
fn a_clip_whose_first_frames_are_lost_begins_with_the_next() {
    let mut clip = opened(damaged("h264-intra.mp4", 0..3));
    assert_eq!(shown(&mut clip)[..3], [3, 4, 5]);
}

#[test]
fn a_clip_without_a_good_frame_is_refused() {
    for lost in [1..100, 20..100] {
        let mut clip = opened(damaged("h264-intra.mp4", lost));
        let starts = clip.facts().starts.clone();
        let mut read = starts.iter().map(|start| clip.frame_at(*start).map(|_| ()));
        let message = read.find_map(Result::err).unwrap().to_string();
        assert!(message.contains("50 frames in a row are lost"), "{message}");
        assert!(message.starts_with("`clip` "), "{message}");
    }
}

#[test]
fn a_render_says_how_many_frames_were_lost() {
    for (lost, words) in [
        (50..51, Some("1 frame of `clip`")),
        (50..54, Some("4 frames of `clip`")),
        (0..0, None),
    ] {
        let mut assets = MemoryAssets::default();
        assets.insert("clip", damaged("h264-intra.mp4", lost));
        let document = r#"{"version": 1, "output": {"width": 64, "height": 48, "fps": 25}, "shots": [{"clip": {"file": "clip"}, "duration": 2.2}]}"#;
        let job = Job::from_json(document, Arc::new(assets), Fonts::default()).unwrap();
        let options = Render {
            backend: Backend::Cpu,
            threads: 1,
            ..Render::default()
        };
        let out = Cursor::new(Vec::new());
        let (_, report) = job.render(out, &options, &Control::default()).unwrap();
        let found = report.warnings.iter().find(|w| w.code == "lost_frames");
        match words {
            Some(words) => {
                let warning = found.unwrap();
                assert!(warning.message.starts_with(words), "{warning}");
                assert_eq!(warning.path, "shots[0].clip.file");
            }
            None => assert_eq!(found, None),
        }
    }
}
