//! What was written is read back: by the own check, by two other parsers, and by ffprobe where it is.

use std::io::Cursor;
use std::process::Command;

use kinora::encode::VideoConfig;
use kinora::mux::{ColorFacts, FileFacts, check, probe};
use kinora::units::FrameRate;

use super::streams::{Sound, Video, aac, av1, avc, made_up, opus, rav1e_output, reordered, write};

fn checked(file: &[u8]) -> FileFacts {
    check(Cursor::new(file)).unwrap()
}

/// Everything that two independent parsers can tell agrees with the packets.
fn assert_others_agree(file: &[u8], video: &Video, sound: Option<&Sound>) {
    let n_tracks = 1 + usize::from(sound.is_some());
    let context = mp4parse::read_mp4(&mut Cursor::new(file)).unwrap();
    assert_eq!(context.tracks.len(), n_tracks);
    let header = |i: usize| context.tracks[i].tkhd.as_ref().unwrap();
    let size = (
        video.layout.size.width << 16,
        video.layout.size.height << 16,
    );
    assert_eq!((header(0).width, header(0).height), size);
    for (i, packets) in [Some(&video.packets), sound.map(|s| &s.packets)]
        .into_iter()
        .flatten()
        .enumerate()
    {
        let sizes = context.tracks[i]
            .stsz
            .as_ref()
            .unwrap()
            .sample_sizes
            .to_vec();
        let due: Vec<u32> = packets
            .iter()
            .map(|packet| packet.data.len() as u32)
            .collect();
        assert_eq!(sizes, due, "track {i}");
    }
    let sync = context.tracks[0]
        .stss
        .as_ref()
        .map(|stss| stss.samples.to_vec());
    let due = video
        .packets
        .iter()
        .zip(1..)
        .filter(|(packet, _)| packet.is_sync);
    let due: Vec<u32> = due.map(|(_, n)| n).collect();
    assert_eq!(sync.unwrap_or_default(), due);
    if let Some(sound) = sound {
        let track = &context.tracks[1];
        assert_eq!(
            track.media_time.unwrap().0,
            u64::from(sound.config.priming())
        );
        let ticks = track.edited_duration.unwrap().0;
        let clock = context.timescale.unwrap().0;
        assert_eq!(ticks * 48_000, sound.n_samples * clock);
    }

    let mut reader = mp4::Mp4Reader::read_header(Cursor::new(file), file.len() as u64).unwrap();
    assert_eq!(reader.tracks().len(), n_tracks);
    for (id, packets) in [(1, Some(&video.packets)), (2, sound.map(|s| &s.packets))] {
        for (i, packet) in packets.into_iter().flatten().enumerate() {
            let sample = reader.read_sample(id, i as u32 + 1).unwrap().unwrap();
            assert_eq!(sample.bytes, packet.data, "track {id}, sample {i}");
            assert!(id == 2 || sample.is_sync == packet.is_sync, "sample {i}");
        }
    }
}

fn ffprobe(file: &[u8], arguments: &[&str]) -> Option<String> {
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(path.path(), file).unwrap();
    let output = Command::new("ffprobe")
        .args(["-v", "error", "-of", "csv=p=0"])
        .args(arguments)
        .arg(path.path())
        .output();
    let Ok(output) = output else {
        println!("skipped: no ffprobe on this machine");
        return None;
    };
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn av1_and_opus() {
    let (video, sound) = (av1(), opus(38_400));
    let file = write(&video, Some(&sound));
    let facts = checked(&file);
    assert!(facts.is_fast_start && !facts.is_fragmented);
    assert_eq!(facts.brands, ["isom", "isom", "iso6", "av01", "mp41"]);
    let [picture, voice] = &facts.tracks[..] else {
        panic!("{facts}")
    };
    // rav1e always says level 31, "maximum parameters".
    assert_eq!(picture.codec, "av01.0.31M.08");
    assert_eq!(
        (picture.n_samples, picture.sync_samples.as_deref()),
        (24, Some(&[0, 12][..]))
    );
    assert_eq!((picture.duration_secs, voice.duration_secs), (0.8, 0.8));
    let shown = picture.video.as_ref().unwrap();
    assert_eq!(
        (shown.width, shown.height, shown.rate),
        (64, 48, Some((30, 1)))
    );
    assert_eq!(shown.color, Some(ColorFacts::BT709_LIMITED));
    assert_eq!(
        (shown.bit_depth, shown.pixel_aspect),
        (Some(8), Some((1, 1)))
    );
    let heard = voice.audio.as_ref().unwrap();
    assert_eq!(
        (voice.codec.as_str(), heard.rate_hz, heard.channels),
        ("opus", 48_000, 2)
    );
    assert_eq!((heard.priming_samples, heard.heard_samples), (312, 38_400));
    // The last packet is cut where the sound ends.
    assert_eq!(voice.media_duration, 312 + 38_400);
    assert_others_agree(&file, &video, Some(&sound));
    let printed = facts.to_string();
    assert!(
        printed.contains("64x48 at 30 fps") && printed.contains("2 key frames"),
        "{printed}"
    );
    if let Some(told) = ffprobe(
        &file,
        &[
            "-show_entries",
            "stream=codec_name,nb_frames,duration,color_range,color_space",
        ],
    ) {
        assert_eq!(told, "av1,tv,bt709,0.800000,24\nopus,0.800000,41\n");
    }
}

#[test]
fn av1c_is_what_rav1e_says() {
    let (video, record) = rav1e_output();
    let VideoConfig::Av1 { sequence_header } = &video.config else {
        panic!("no AV1")
    };
    let file = write(video, None);
    let at = file.windows(4).position(|bytes| bytes == b"av1C").unwrap() + 4;
    assert_eq!(file[at..at + 4], record[..]);
    assert!(file[at + 4..].starts_with(sequence_header));
}

#[test]
fn avc_and_aac() {
    let (video, sound) = (avc(), aac(24_024));
    let file = write(&video, Some(&sound));
    let facts = checked(&file);
    let [picture, voice] = &facts.tracks[..] else {
        panic!("{facts}")
    };
    assert!(picture.codec.starts_with("avc1."), "{}", picture.codec);
    assert_eq!(picture.video.as_ref().unwrap().rate, Some((30_000, 1001)));
    assert_eq!(picture.media_duration, 15 * 1001);
    assert_eq!(voice.codec, "mp4a.40.2");
    let heard = voice.audio.as_ref().unwrap();
    assert_eq!((heard.priming_samples, heard.heard_samples), (1024, 24_024));
    assert_eq!(facts.duration_secs, 0.5005);
    assert_others_agree(&file, &video, Some(&sound));
    let silent = write(&video, None);
    if let Some(told) = ffprobe(
        &silent,
        &[
            "-count_frames",
            "-select_streams",
            "v",
            "-show_entries",
            "stream=codec_name,r_frame_rate,nb_read_frames",
        ],
    ) {
        assert_eq!(told, "h264,30000/1001,15\n");
    }
}

#[test]
fn presentation_in_another_order_than_decoding() {
    let video = reordered();
    let file = write(&video, None);
    let facts = checked(&file);
    let picture = &facts.tracks[0];
    assert!(picture.is_reordered);
    // Decoding runs one frame ahead, which the edit list cuts.
    assert_eq!(picture.edits.len(), 1);
    assert_eq!(
        picture.edits[0].media_time,
        Some(u64::from(picture.timescale / 25))
    );
    assert_eq!(facts.duration_secs, 12.0 / 25.0);
    assert_others_agree(&file, &video, None);
    let mut reader = mp4::Mp4Reader::read_header(Cursor::new(&file), file.len() as u64).unwrap();
    for (i, packet) in video.packets.iter().enumerate() {
        let sample = reader.read_sample(1, i as u32 + 1).unwrap().unwrap();
        let frame = video.layout.rate.frame_duration().0;
        let shown = (sample.start_time as i64 + i64::from(sample.rendering_offset)) / 1000;
        assert_eq!(shown, packet.pts.0 / frame + 1, "sample {i}");
    }
}

#[test]
fn many_rates_without_sound() {
    for (num, den) in [
        (24, 1),
        (25, 1),
        (60, 1),
        (120, 1),
        (1, 1),
        (24_000, 1001),
        (15, 2),
    ] {
        let rate = FrameRate::new(num, den).unwrap();
        let video = made_up(rate, &[30; 7], &[0, 1, 2, 3, 4, 5, 6], 0);
        let facts = checked(&write(&video, None));
        let picture = &facts.tracks[0];
        assert_eq!(picture.video.as_ref().unwrap().rate, Some((num, den)));
        assert_eq!(picture.duration_secs, 7.0 * f64::from(den) / f64::from(num));
        assert!(picture.edits.is_empty());
    }
}

#[test]
fn files_of_others_are_read() {
    let make = |arguments: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mp4");
        let status = Command::new("ffmpeg")
            .args([
                "-v",
                "quiet",
                "-f",
                "lavfi",
                "-i",
                "testsrc=s=64x48:d=1:r=25",
            ])
            .args(["-f", "lavfi", "-i", "sine=d=1", "-pix_fmt", "yuv420p"])
            .args(arguments)
            .arg(&path)
            .status();
        status
            .is_ok_and(|s| s.success())
            .then(|| std::fs::read(path).unwrap())
    };
    let Some(file) = make(&["-c:v", "libx264", "-bf", "2", "-c:a", "aac"]) else {
        println!("skipped: no ffmpeg with x264 on this machine");
        return;
    };
    let facts = probe(Cursor::new(&file)).unwrap();
    assert_eq!(facts.problems, [""; 0]);
    assert!(!facts.is_fast_start);
    let picture = &facts.tracks[0];
    assert!(picture.is_reordered && picture.n_samples == 25, "{facts}");
    assert!(check(Cursor::new(&file)).is_err(), "moov is at the end");
    let fragmented = make(&[
        "-c:v",
        "libx264",
        "-c:a",
        "aac",
        "-movflags",
        "frag_keyframe+empty_moov",
    ])
    .unwrap();
    assert!(probe(Cursor::new(&fragmented)).unwrap().is_fragmented);
    let plain = make(&["-c:v", "mpeg4", "-c:a", "mp3"]).unwrap();
    assert_eq!(
        probe(Cursor::new(&plain)).unwrap().tracks[1].codec,
        "mp4a.6B"
    );
}
