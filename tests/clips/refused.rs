//! What cannot be used is named, with what would do.

use kinora::ErrorKind;
use kinora::media::MemoryAssets;
use kinora::media::clip::{ClipLimits, ClipReader, probe};
use kinora::units::{TICKS_PER_SECOND, Time};

use crate::{fixtures, open};

fn refusal(name: &str) -> String {
    let mut limits = ClipLimits::default();
    limits.n_frames = 1000;
    let mut clip = match ClipReader::of_asset(name, &fixtures(), &limits) {
        Ok(clip) => clip,
        Err(e) => return e.to_string(),
    };
    // Fields are only seen when they are decoded.
    let e = clip.frame_at(Time::ZERO).map(|_| ()).expect_err(name);
    assert_eq!(e.kind(), ErrorKind::Media);
    e.to_string()
}

#[test]
fn other_codecs_are_named() {
    for (name, words) in [
        ("hevc.mp4", ["HEVC (H.265)", "H.264"]),
        ("mpeg4.mp4", ["MPEG-4 Part 2", "H.264"]),
        ("vp8.webm", ["VP8", "VP9"]),
        ("prores.mov", ["Apple ProRes", "ffmpeg"]),
        ("h264-422.mp4", ["H.264 with 4:2:2", "yuv420p"]),
        ("h264-10-bits.mp4", ["H.264 with 10 bits", "yuv420p"]),
        ("h264-interlaced.mp4", ["interlaced", "bwdif"]),
        ("h264-encrypted.mp4", ["encrypted", "protection"]),
        ("sound-only.mp4", ["no video track", "clips may be"]),
        ("make.sh", ["not a video clip of a known kind", "MP4"]),
        ("none.mp4", ["cannot be found", "none.mp4"]),
    ] {
        let message = refusal(name);
        assert!(message.contains(name), "{message}");
        for word in words {
            assert!(message.contains(word), "{word}: {message}");
        }
    }
}

#[test]
fn other_files_are_named() {
    for (bytes, words) in [
        (&b"GIF89a\x01\0\x01\0"[..], "GIF picture"),
        (b"\x89PNG\r\n\x1a\n", "PNG picture"),
        (b"\0\0\0\x20ftypheic", "HEIC picture"),
        (b"RIFF\0\0\0\0WAVEfmt ", "WAV sound"),
        (b"RIFF\0\0\0\0AVI LIST", "is an AVI video, which is not"),
        (b"FLV\x01\x05\0\0\0\x09", "is a Flash video (FLV)"),
        (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media"),
        (b"\0\0\x01\xba\x44", "MPEG program stream"),
        (b"OggS\0\x02", "an Ogg video (OGV)"),
        (b"", "empty"),
    ] {
        let mut assets = MemoryAssets::default();
        assets.insert("it", bytes);
        let e = probe("it", &assets, &ClipLimits::default()).expect_err("no clip");
        assert!(e.to_string().contains(words), "{e}");
    }
}

#[test]
fn transport_streams_are_named() {
    for (start, n) in [(0, 188), (4, 192)] {
        let mut bytes = vec![0; 4 * n];
        for i in 0..4 {
            bytes[start + n * i] = 0x47;
        }
        let mut assets = MemoryAssets::default();
        assets.insert("it", bytes);
        let e = probe("it", &assets, &ClipLimits::default()).expect_err("no clip that is read");
        assert!(e.to_string().contains("MPEG transport stream"), "{e}");
    }
}

#[test]
fn limits_hold() {
    let limited = |change: fn(&mut ClipLimits)| {
        let mut limits = ClipLimits::default();
        change(&mut limits);
        probe("h264-25.mp4", &fixtures(), &limits)
            .expect_err("beyond the limits")
            .to_string()
    };
    assert!(limited(|l| l.file_bytes = 6000).contains("at most 6000"));
    assert!(limited(|l| l.n_frames = 99).contains("has 100 frames; at most 99"));
    assert!(
        limited(|l| l.duration = Time(3 * TICKS_PER_SECOND))
            .contains("lasts 4.000 s; at most 3.000 s")
    );
    assert!(limited(|l| l.side_px = 63).contains("64x48 px; at most 63 px per side"));
    assert!(limited(|l| l.n_pixels = 3000).contains("3000 px in total"));
}

#[test]
fn a_clip_without_its_first_keyframe_begins_with_the_next() {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(
        &mut kinora::media::Assets::open(&fixtures(), "h264-25.mp4").unwrap(),
        &mut bytes,
    )
    .unwrap();
    // The first IDR slice becomes another slice; the second keyframe is frame 40.
    let idr = bytes
        .windows(2)
        .position(|w| w == [0x65, 0x88])
        .expect("an IDR slice");
    bytes[idr] = 0x61;
    let mut assets = MemoryAssets::default();
    assets.insert("it", bytes);
    let mut clip = ClipReader::of_asset("it", &assets, &ClipLimits::default()).unwrap();
    assert_eq!(
        crate::numbers::number_of(&clip.frame_at(Time::ZERO).unwrap()),
        40
    );
}

#[test]
fn sound_is_noticed() {
    assert!(open("h264-late.mp4").facts().has_sound);
    assert!(!open("h264-25.mp4").facts().has_sound);
}
