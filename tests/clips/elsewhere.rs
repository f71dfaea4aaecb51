//! What kinora cannot read itself, through the machine's ffmpeg, where it is: the right frame at every instant, upright, whole, in SDR.

use std::path::Path;
use std::process::{Command, Stdio};

use kinora::facts::ClipCodec;
use kinora::media::clip::{ClipFrame, ClipLimits, ClipReader};
use kinora::media::{Ffmpeg, FolderAssets, Footage};
use kinora::units::{TICKS_PER_SECOND, Time};

use crate::numbers::number_of;

pub(crate) fn has_ffmpeg() -> bool {
    let found = Ffmpeg::on_path().version().is_ok();
    if !found {
        println!("skipped: ffmpeg is absent");
    }
    found
}

fn fixtures() -> FolderAssets {
    crate::fixtures().with_ffmpeg(Ffmpeg::on_path())
}

/// Runs ffmpeg as a user would; `false` where this build lacks what is asked for.
fn made(folder: &Path, arguments: &str) -> bool {
    let run = Command::new("ffmpeg")
        .args(["-v", "error", "-nostdin", "-y"])
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stderr(Stdio::null())
        .status();
    let is_made = run.unwrap().success();
    if !is_made {
        println!("skipped: this ffmpeg cannot do {arguments}");
    }
    is_made
}

/// Copies a fixture's numbered frames in another form.
fn numbered(folder: &Path, output: &str, settings: &str) -> bool {
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/clips/fixtures/h264-intra.mp4"
    );
    made(folder, &format!("-i {source} {settings} {output}"))
}

/// The middle of frame `i` at 25 fps.
fn middle(i: usize) -> Time {
    Time(TICKS_PER_SECOND / 25 * i as i64 + TICKS_PER_SECOND / 50)
}

fn open<'a>(name: &'a str, assets: &'a FolderAssets) -> Footage<'a> {
    let clip = Footage::of_asset(name, assets).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(clip.facts().codec, ClipCodec::Foreign, "{name}");
    assert!(clip.told().is_some_and(|told| told.contains("ffmpeg")));
    clip
}

fn number_at(clip: &mut Footage<'_>, i: usize) -> usize {
    let frame = clip.frame_at(middle(i)).unwrap_or_else(|e| panic!("{e}"));
    number_of(&frame)
}

#[test]
fn fixtures_that_are_refused_are_read_frame_by_frame() {
    if !has_ffmpeg() {
        return;
    }
    let assets = fixtures();
    for (name, n) in [
        ("hevc.mp4", 100),
        ("mpeg4.mp4", 20),
        ("vp8.webm", 20),
        ("prores.mov", 5),
        ("h264-422.mp4", 100),
        ("h264-10-bits.mp4", 100),
    ] {
        let mut clip = open(name, &assets);
        assert_eq!(clip.facts().starts.len(), n, "{name}");
        let end = TICKS_PER_SECOND / 25 * n as i64;
        let off = clip.facts().duration.0.abs_diff(end);
        assert!(off < TICKS_PER_SECOND as u64 / 100, "{name}: {off}");
        for i in 0..n {
            assert_eq!(number_at(&mut clip, i), i, "{name}");
        }
        // Backwards and far ahead, as trims and reversed clips ask.
        for i in [n - 1, 0, n / 2, n / 2 - 1, n - 2, 1] {
            assert_eq!(number_at(&mut clip, i), i, "{name}");
        }
    }
}

#[test]
fn containers_show_the_same_frames() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    for (name, settings) in [
        ("a.ts", "-c:v libx264 -g 25 -bf 2"),
        ("b.ts", "-c:v mpeg2video -g 12 -bf 2 -q:v 2"),
        ("c.avi", "-c:v mpeg4 -q:v 3"),
        ("d.avi", "-c:v mpeg4 -bf 2 -q:v 3"),
        ("e.flv", "-c:v libx264 -g 25"),
        ("f.wmv", "-c:v wmv2 -q:v 3"),
        (
            "g.mkv",
            "-c:v libx265 -x265-params log-level=none:open-gop=1 -g 20",
        ),
        ("h.mxf", "-c:v mpeg2video -q:v 2 -g 12 -bf 2"),
        (
            "i.mov",
            "-c:v libx265 -pix_fmt yuv420p10le -x265-params log-level=none -tag:v hvc1",
        ),
    ] {
        if !numbered(folder.path(), name, settings) {
            continue;
        }
        let mut clip = open(name, &assets);
        let n = clip.facts().starts.len();
        assert!((99..=101).contains(&n), "{name} has {n} frames");
        for i in [0, 1, 2, 3, 50, 51, 52, 98, 20, 19, 75, 0] {
            assert_eq!(number_at(&mut clip, i), i, "{name}");
        }
    }
}

/// Mean difference of codes of brightness.
fn off(a: &ClipFrame, b: &ClipFrame) -> f64 {
    let (a, b) = (&a.planes[0].data, &b.planes[0].data);
    assert_eq!(a.len(), b.len());
    let sum: u64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / a.len() as f64
}

#[test]
fn both_readers_give_the_same_pictures() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    let source = "-f lavfi -i testsrc2=s=146x100:r=25 -frames:v 60 -pix_fmt yuv420p -c:v libx264 -g 20 -bf 3";
    // The same stream in a container that kinora reads, and in one that it does not.
    if !made(folder.path(), &format!("{source} own.mp4"))
        || !made(folder.path(), "-i own.mp4 -c copy foreign.flv")
    {
        return;
    }
    let mut own = ClipReader::of_asset("own.mp4", &assets, &ClipLimits::default()).unwrap();
    let mut foreign = open("foreign.flv", &assets);
    assert_eq!(own.facts().starts, foreign.facts().starts);
    for i in [0, 1, 2, 30, 31, 59, 45, 10] {
        let [a, b] = [own.frame_at(middle(i)), foreign.frame_at(middle(i))].map(Result::unwrap);
        assert_eq!(off(&a, &b), 0.0, "frame {i}");
        assert_eq!(a.color, b.color);
    }
}

#[test]
fn frames_of_uneven_length_are_held() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    let settings = "-vf select='not(mod(n,3))+lt(n,10)' -fps_mode passthrough -c:v libx265 -x265-params log-level=none";
    if !numbered(folder.path(), "uneven.mp4", settings) {
        return;
    }
    let mut clip = open("uneven.mp4", &assets);
    for i in [0, 5, 9, 10, 11, 12, 13, 14, 50, 52, 98, 30] {
        let shown = if i < 10 { i } else { i / 3 * 3 };
        assert_eq!(number_at(&mut clip, i), shown, "at frame {i}");
    }
}

#[test]
fn interlaced_clips_are_whole() {
    if !has_ffmpeg() {
        return;
    }
    let assets = fixtures();
    let mut clip = Footage::of_asset("h264-interlaced.mp4", &assets).unwrap();
    let n = clip.facts().starts.len();
    assert_eq!(n, 20);
    for i in 0..n {
        assert_eq!(number_at(&mut clip, i), i);
    }
    assert!(clip.told().unwrap().contains("deinterlaced"));
    // A bar that moves 16 columns a field is a comb in a picture that is not deinterlaced: rows differ from their neighbors.
    let folder = tempfile::tempdir().unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    let source = "-f lavfi -i color=black:s=320x240:r=50 -vf geq=lum='if(between(X,16*N,16*N+32),235,16)':cb=128:cr=128,interlace=lowpass=off \
        -frames:v 8 -c:v mpeg2video -q:v 2 -flags +ildct+ilme -top 1 moving.ts";
    if !made(folder.path(), source) {
        return;
    }
    let mut clip = open("moving.ts", &assets);
    let frame = clip.frame_at(middle(4)).unwrap();
    let luma = &frame.planes[0];
    let rows: Vec<&[u8]> = luma.data.chunks(luma.width as usize).collect();
    let n_torn = rows[20..200]
        .windows(2)
        .filter(|two| two[0].iter().zip(two[1]).any(|(a, b)| a.abs_diff(*b) > 100))
        .count();
    assert!(n_torn < 10, "{n_torn} rows differ from the next");
}

#[test]
fn phones_stand_upright() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    let source = "-f lavfi -i color=red:s=64x48:r=25,drawbox=x=0:y=0:w=64:h=24:c=blue:t=fill -frames:v 5 -c:v libx265 -x265-params log-level=none -tag:v hvc1 flat.mov";
    if !made(folder.path(), source)
        || !made(
            folder.path(),
            "-i flat.mov -c copy -metadata:s:v rotate=270 turned.mov",
        )
    {
        return;
    }
    let mut clip = open("turned.mov", &assets);
    if (clip.facts().width, clip.facts().height) == (64, 48) {
        println!("skipped: this ffmpeg writes turns in another way");
        return;
    }
    assert_eq!((clip.facts().width, clip.facts().height), (48, 64));
    let picture = clip.frame_at(Time::ZERO).unwrap().to_rgba();
    // The upper half, blue, is on the left of what is turned to the left.
    let [left, right] = [4, 44].map(|x| picture.get_pixel(x, 32).0);
    let sides = if left[2] > 150 {
        (left, right)
    } else {
        (right, left)
    };
    assert!(sides.0[2] > 150 && sides.1[0] > 150, "{left:?} {right:?}");
}

#[test]
fn hdr_becomes_sdr() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    // Codes of black, of a white sheet (203 cd/m2) and of 1000 cd/m2.
    for (transfer, name, codes) in [
        ("arib-std-b67", "hlg", [64, 721, 940]),
        ("smpte2084", "pq", [64, 572, 723]),
    ] {
        let mut shown = Vec::new();
        for code in codes {
            let file = format!("{name}-{code}.mov");
            let source = format!(
                "-f lavfi -i color=black:s=64x64:r=25,format=yuv420p10le,geq=lum={code}:cb=512:cr=512 -frames:v 3 \
                 -c:v libx265 -pix_fmt yuv420p10le -x265-params log-level=none:colorprim=bt2020:transfer={transfer}:colormatrix=bt2020nc \
                 -color_primaries bt2020 -color_trc {transfer} -colorspace bt2020nc -tag:v hvc1 {file}"
            );
            if !made(folder.path(), &source) {
                return;
            }
            let mut clip = open(&file, &assets);
            assert!(clip.told().unwrap().contains("SDR"));
            let frame = clip.frame_at(Time::ZERO).unwrap();
            shown.push(frame.to_rgba().get_pixel(20, 20).0);
        }
        let [black, white, light] = [0, 1, 2].map(|i| shown[i]);
        assert!(black[0] < 6, "{name}: {black:?}");
        assert!((190..=235).contains(&white[0]), "{name}: {white:?}");
        assert!(light[0] > 245, "{name}: {light:?}");
        let spread = white.iter().take(3).max().unwrap() - white.iter().take(3).min().unwrap();
        assert!(spread < 6, "{name}: gray has a color: {white:?}");
    }
}

/// A fixture in a folder, with these bytes put over the first that are like `from`.
fn patched(folder: &Path, name: &str, (from, to): (&[u8], &[u8])) {
    let fixture = format!("{}/tests/clips/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut bytes = std::fs::read(fixture).unwrap();
    let at = bytes.windows(from.len()).position(|w| w == from);
    let at = at.expect("the bytes to replace");
    bytes[at..at + to.len()].copy_from_slice(to);
    std::fs::write(folder.join(name), bytes).unwrap();
}

#[test]
fn long_term_references_are_left_to_it() {
    let folder = tempfile::tempdir().unwrap();
    // `long_term_reference_flag` is the last bit of the third byte of this IDR slice.
    let bits = (&[0x65, 0x88, 0x84][..], &[0x65, 0x88, 0x85][..]);
    patched(folder.path(), "h264-baseline.mp4", bits);
    let own = FolderAssets::new(folder.path());
    let clip = Footage::of_asset("h264-baseline.mp4", &own).unwrap();
    assert_eq!(
        clip.facts().codec,
        ClipCodec::H264,
        "shown as far as it goes"
    );
    if !has_ffmpeg() {
        return;
    }
    let assets = own.with_ffmpeg(Ffmpeg::on_path());
    let mut clip = open("h264-baseline.mp4", &assets);
    let told = clip.told().unwrap();
    assert!(told.contains("H.264 with long-term references"), "{told}");
    assert_eq!(number_at(&mut clip, 0), 0);
}

#[test]
fn parts_that_cannot_be_decoded_are_named_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    // Another slice becomes a data partition.
    patched(folder.path(), "h264-25.mp4", (&[0x41, 0x9a], &[0x42]));
    let own = FolderAssets::new(folder.path());
    for (assets, name, words) in [
        (&own, "h264-25.mp4", "H.264 with data partitions"),
        (&crate::fixtures(), "h264-interlaced.mp4", "interlaced"),
    ] {
        let opened = Footage::of_asset(name, assets).map(|_| ());
        let message = opened.expect_err(name).to_string();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn lossless_h264_is_left_to_it() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    if !numbered(
        folder.path(),
        "a.mp4",
        "-c:v libx264 -qp 0 -pix_fmt yuv420p",
    ) {
        return;
    }
    let mut clip = open("a.mp4", &assets);
    for i in [0, 1, 50, 99, 3] {
        assert_eq!(number_at(&mut clip, i), i);
    }
    let own = FolderAssets::new(folder.path());
    let message = Footage::of_asset("a.mp4", &own).map(|_| ()).unwrap_err();
    assert!(message.to_string().contains("lossless"), "{message}");
}

#[test]
fn what_is_left_of_a_cut_clip_is_read() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "h264-fast-start.mp4";
    patched(folder.path(), name, (b"mdat", b"mdat"));
    let path = folder.path().join(name);
    let n_bytes = std::fs::metadata(&path).unwrap().len();
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_len(n_bytes * 3 / 4).unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(Ffmpeg::on_path());
    let mut clip = open(name, &assets);
    assert_eq!(number_at(&mut clip, 5), 5);
    let told = clip.told().unwrap();
    assert!(told.contains("is damaged or cut short"), "{told}");
}

/// Programs that count how often `ffprobe` looks at a file, by folders: a child cannot write files.
fn counting(folder: &Path) -> Ffmpeg {
    use std::os::unix::fs::PermissionsExt;
    for program in ["ffmpeg", "ffprobe"] {
        let script = format!(
            "#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin\n[ $# -gt 2 ] && mkdir {}/{program}-$$\nexec {program} \"$@\"\n",
            folder.display()
        );
        let path = folder.join(program);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    Ffmpeg::in_folder(folder)
}

#[test]
fn facts_are_asked_once_a_file() {
    if !has_ffmpeg() {
        return;
    }
    let programs = tempfile::tempdir().unwrap();
    let ffmpeg = counting(programs.path());
    let n_asked = || {
        let entries = std::fs::read_dir(programs.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("ffprobe-")).count()
    };
    let folder = tempfile::tempdir().unwrap();
    let from = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clips/fixtures/hevc.mp4");
    std::fs::copy(from, folder.path().join("a.mp4")).unwrap();
    let assets = FolderAssets::new(folder.path()).with_ffmpeg(ffmpeg);
    drop(open("a.mp4", &assets));
    let first = n_asked();
    assert!(first > 0);
    let mut again = open("a.mp4", &assets);
    assert_eq!(number_at(&mut again, 42), 42);
    assert_eq!(n_asked(), first);
    // Another file of that name is another file.
    let other = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/clips/fixtures/mpeg4.mp4"
    );
    std::fs::copy(other, folder.path().join("a.mp4")).unwrap();
    assert_eq!(open("a.mp4", &assets).facts().starts.len(), 20);
    assert!(n_asked() > first);
}

#[test]
fn who_may_not_use_it_is_refused_as_before() {
    let refused = |assets: &FolderAssets, name: &'static str| {
        let e = Footage::of_asset(name, assets).map(|_| ()).expect_err(name);
        e.to_string()
    };
    let own = crate::fixtures();
    assert!(refused(&own, "hevc.mp4").contains("HEVC (H.265)"));
    assert!(!refused(&own, "hevc.mp4").contains("install ffmpeg"));
    // Allowed, but absent.
    let empty = tempfile::tempdir().unwrap();
    let absent = crate::fixtures().with_ffmpeg(Ffmpeg::in_folder(empty.path()));
    let message = refused(&absent, "hevc.mp4");
    assert!(message.contains("install ffmpeg"), "{message}");
    assert!(message.contains("libx264"), "{message}");
    if !has_ffmpeg() {
        return;
    }
    // Neither DRM nor text is for it.
    for (name, word) in [
        ("h264-encrypted.mp4", "encrypted"),
        ("make.sh", "cannot read it either"),
    ] {
        let message = refused(&fixtures(), name);
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn assets_that_are_no_files_are_read_too() {
    if !has_ffmpeg() {
        return;
    }
    /// A folder that gives bytes only.
    struct Bytes(FolderAssets);
    impl kinora::media::Assets for Bytes {
        fn open(&self, name: &str) -> std::io::Result<Box<dyn kinora::media::AssetRead>> {
            self.0.open(name)
        }
        fn ffmpeg(&self) -> Option<&Ffmpeg> {
            self.0.ffmpeg()
        }
    }
    let assets = Bytes(fixtures());
    let mut clip = Footage::of_asset("hevc.mp4", &assets).unwrap();
    assert_eq!(number_at(&mut clip, 42), 42);
}
