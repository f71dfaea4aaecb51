//! Decoded planes against ffmpeg's, where ffmpeg is: the same or one code off, over many settings of its encoders.

use std::path::Path;
use std::process::{Command, Stdio};

use kinora::media::FolderAssets;
use kinora::media::clip::{ClipFrame, ClipLimits, ClipReader, ColorRange, Subsampling};

fn has_ffmpeg() -> bool {
    let run = Command::new("ffmpeg")
        .arg("-version")
        .stdout(Stdio::null())
        .status();
    let found = run.is_ok_and(|status| status.success());
    if !found {
        println!("skipped: ffmpeg is absent");
    }
    found
}

fn ffmpeg(arguments: &[&str]) -> Vec<u8> {
    let run = Command::new("ffmpeg")
        .args(["-v", "error", "-nostdin", "-y"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    run.stdout
}

/// The planes of all frames one after the other, as ffmpeg writes them for `format`.
fn decoded_by_ffmpeg(path: &Path, format: &str) -> Vec<u8> {
    let path = path.to_str().unwrap();
    let input = [
        "-noautorotate",
        "-i",
        path,
        "-map",
        "0:v:0",
        "-vsync",
        "passthrough",
    ];
    ffmpeg(&[&input[..], &["-f", "rawvideo", "-pix_fmt", format, "-"]].concat())
}

fn format_of(frame: &ClipFrame, depth: u32) -> String {
    let layout = match frame.subsampling {
        Subsampling::Yuv420 if frame.color.range == ColorRange::Full => "yuvj420p",
        Subsampling::Gray => "gray",
        Subsampling::Yuv420 => "yuv420p",
        Subsampling::Yuv422 => "yuv422p",
        Subsampling::Yuv444 => "yuv444p",
    };
    match depth {
        8 => layout.to_owned(),
        n => format!("{layout}{n}le"),
    }
}

/// The largest difference of a code, and how many codes differ.
fn compare(folder: &Path, name: &str, depth: u32) -> (u32, usize) {
    let assets = FolderAssets::new(folder);
    let mut clip = ClipReader::of_asset(name, &assets, &ClipLimits::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let starts = clip.facts().starts.clone();
    let mut expected: &[u8] = &[];
    let (mut worst, mut n_off, mut all) = (0, 0, Vec::new());
    for (i, start) in starts.iter().enumerate() {
        let frame = clip.frame_at(*start).unwrap_or_else(|e| panic!("{e}"));
        if i == 0 {
            all = decoded_by_ffmpeg(&folder.join(name), &format_of(&frame, depth));
            expected = &all;
        }
        for code in frame.planes.iter().flat_map(|plane| &plane.data) {
            let wanted = if depth == 8 {
                let (first, rest) = expected
                    .split_first()
                    .unwrap_or_else(|| panic!("{name}: ffmpeg has fewer frames"));
                expected = rest;
                u32::from(*first)
            } else {
                let (pair, rest) = expected.split_at(2);
                expected = rest;
                let deep = u32::from(u16::from_le_bytes([pair[0], pair[1]]));
                ((deep + (1 << (depth - 9))) >> (depth - 8)).min(255)
            };
            let off = u32::from(*code).abs_diff(wanted);
            worst = worst.max(off);
            n_off += usize::from(off > 0);
        }
    }
    assert!(
        expected.is_empty(),
        "{name}: ffmpeg has more frames ({} bytes left of {})",
        expected.len(),
        all.len()
    );
    (worst, n_off)
}

#[test]
fn the_fixtures_decode_as_ffmpeg_decodes_them() {
    if !has_ffmpeg() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clips/fixtures");
    for name in [
        "h264-24.mp4",
        "h264-open-gop.mp4",
        "h264-fragmented.mp4",
        "h264-baseline.mp4",
        "h264-intra.mp4",
        "h264-variable.mp4",
        "h264-full-range.mp4",
        "vp9-25.webm",
        "vp9-odd-size.webm",
        "vp9-444.webm",
        "vp9-422.webm",
        "av1-25.mp4",
        "av1-odd-size.mp4",
        "av1-444.mp4",
        "av1-gray.mp4",
    ] {
        assert_eq!(compare(&folder, name, 8), (0, 0), "{name}");
    }
    for name in ["vp9-10-bits.webm", "av1-10-bits.mp4"] {
        assert_eq!(compare(&folder, name, 10), (0, 0), "{name}");
    }
}

/// `(name, depth, what ffmpeg is asked for)`: each after the same moving picture of `SIZE` and 30 frames.
const SETTINGS: &[(&str, u32, &str)] = &[
    ("x264-default.mp4", 8, "-c:v libx264"),
    (
        "x264-pyramid.mp4",
        8,
        "-c:v libx264 -bf 5 -b-pyramid normal -refs 6 -g 12",
    ),
    (
        "x264-strict.mp4",
        8,
        "-c:v libx264 -bf 4 -b-pyramid strict -b_strategy 2",
    ),
    ("x264-slow.mp4", 8, "-c:v libx264 -preset slower -crf 30"),
    ("x264-fast.mp4", 8, "-c:v libx264 -preset ultrafast -qp 40"),
    (
        "x264-main.mp4",
        8,
        "-c:v libx264 -profile:v main -bf 2 -x264-params weightp=2:weightb=1",
    ),
    (
        "x264-cavlc.mp4",
        8,
        "-c:v libx264 -coder vlc -bf 3 -x264-params 8x8dct=1",
    ),
    (
        "x264-temporal.mp4",
        8,
        "-c:v libx264 -bf 3 -direct-pred temporal",
    ),
    ("x264-slices.mp4", 8, "-c:v libx264 -slices 4 -bf 2"),
    (
        "x264-no-filter.mp4",
        8,
        "-c:v libx264 -x264-params no-deblock=1:bframes=2",
    ),
    (
        "x264-filter.mp4",
        8,
        "-c:v libx264 -x264-params deblock=-3,4:bframes=2",
    ),
    (
        "x264-matrix.mp4",
        8,
        "-c:v libx264 -x264-params cqm=jvt:bframes=2",
    ),
    (
        "x264-fade.mp4",
        8,
        "-vf fade=in:0:20 -c:v libx264 -bf 2 -x264-params weightp=2",
    ),
    (
        "x264-refresh.mp4",
        8,
        "-c:v libx264 -x264-params intra-refresh=1:keyint=10",
    ),
    (
        "x264-open.mp4",
        8,
        "-c:v libx264 -g 8 -bf 3 -x264-params open-gop=1",
    ),
    (
        "x264-fake.mp4",
        8,
        "-c:v libx264 -x264-params fake-interlaced=1",
    ),
    (
        "x264-quantizers.mp4",
        8,
        "-c:v libx264 -crf 25 -aq-mode 3 -psy-rd 1.5,0.5 -trellis 2",
    ),
    (
        "openh264-like.mkv",
        8,
        "-c:v libx264 -profile:v baseline -g 10",
    ),
    ("vp9-default.webm", 8, "-c:v libvpx-vp9 -crf 35 -b:v 0"),
    (
        "vp9-realtime.webm",
        8,
        "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 200k",
    ),
    ("vp9-lossless.webm", 8, "-c:v libvpx-vp9 -lossless 1"),
    (
        "vp9-alt-ref.webm",
        8,
        "-c:v libvpx-vp9 -auto-alt-ref 1 -lag-in-frames 16 -arnr-strength 5 -b:v 100k -g 25",
    ),
    (
        "vp9-resilient.webm",
        8,
        "-c:v libvpx-vp9 -error-resilient 1 -tile-columns 1 -b:v 150k",
    ),
    (
        "vp9-12-bits.webm",
        12,
        "-c:v libvpx-vp9 -pix_fmt yuv420p12le -crf 30 -b:v 0",
    ),
    ("av1-svt.mp4", 8, "-c:v libsvtav1 -crf 40"),
    (
        "av1-svt-grain.mp4",
        8,
        "-c:v libsvtav1 -crf 40 -svtav1-params film-grain=20",
    ),
    (
        "av1-aom.webm",
        8,
        "-c:v libaom-av1 -cpu-used 8 -crf 40 -g 12",
    ),
    (
        "av1-aom-10.mp4",
        10,
        "-c:v libaom-av1 -cpu-used 8 -crf 30 -pix_fmt yuv420p10le",
    ),
    (
        "av1-aom-12.mp4",
        12,
        "-c:v libaom-av1 -cpu-used 8 -crf 30 -pix_fmt yuv422p12le",
    ),
    (
        "av1-aom-screen.mp4",
        8,
        "-c:v libaom-av1 -cpu-used 8 -crf 30 -aom-params tune-content=screen",
    ),
];

#[test]
fn many_settings_decode_as_ffmpeg_decodes_them() {
    const SIZE: &str = "146x100";
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = format!("testsrc2=s={SIZE}:r=25,format=yuv420p");
    for (name, depth, settings) in SETTINGS {
        let output = folder.path().join(name);
        let input = [
            "-f",
            "lavfi",
            "-i",
            &source,
            "-frames:v",
            "30",
            "-pix_fmt",
            "yuv420p",
        ];
        let mut arguments = input.to_vec();
        arguments.extend(settings.split(' '));
        arguments.push(output.to_str().unwrap());
        ffmpeg(&arguments);
        let (worst, n_off) = compare(folder.path(), name, *depth);
        assert!(
            worst <= 1,
            "{name}: {worst} codes off, {n_off} codes differ"
        );
        println!("{name}: {n_off} codes differ by one");
    }
}
