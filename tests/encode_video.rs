//! The video encoders: packets, key frames, colors, quality after decoding, and bytes that do not depend on threads.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod video_streams;

use kinora::encode::{
    Quality, VideoCodec, VideoConfig, VideoEncoderName, VideoSettings, available, video_encoder,
};
use kinora::error::ErrorKind;
use kinora::frame::Frame;
use kinora::units::{FrameRate, Size};
use video_streams::{
    BARS, color_bars, decode, encode, has_ffmpeg, moving_gradient, nothing_known, psnr, sps_color,
};

const KEYFRAMES: [u64; 2] = [0, 37];
const N_FRAMES: u64 = 70;

/// The encoders of this machine; SVT-AV1 and x264 only where their libraries are.
fn encoders() -> Vec<(VideoCodec, VideoEncoderName)> {
    let mut all = vec![
        (VideoCodec::Av1, VideoEncoderName::Rav1e),
        (VideoCodec::H264, VideoEncoderName::OpenH264),
    ];
    for (name, encoder) in [
        ("SVT-AV1", VideoEncoderName::SvtAv1),
        ("x264", VideoEncoderName::X264),
    ] {
        let infos = available();
        let info = infos.iter().find(|info| info.name == name).unwrap();
        match &info.version {
            Ok(_) if name == "x264" && !has_ffmpeg() => println!("skipped: no ffmpeg decodes x264"),
            Ok(_) => all.push((info.codec, encoder)),
            Err(reason) => println!("skipped: {reason}"),
        }
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

#[test]
fn packets_come_in_order_with_key_frames_only_where_asked_and_decode_well() {
    for (codec, encoder) in encoders() {
        for size in [(128, 96), (178, 98)] {
            let settings = settings(codec, encoder, size);
            let encoded = encode(&settings, moving_gradient);
            assert_eq!(encoded.packets.len() as u64, N_FRAMES, "{}", encoded.name);
            let step = settings.rate.frame_duration();
            for (before, after) in encoded.packets.iter().zip(&encoded.packets[1..]) {
                assert_eq!(before.dts + step, after.dts, "{}", encoded.name);
            }
            let mut shown: Vec<_> = encoded.packets.iter().collect();
            shown.sort_by_key(|packet| packet.pts);
            for (index, packet) in shown.into_iter().enumerate() {
                assert_eq!(packet.pts, settings.rate.time_of(index as u64));
                assert!(packet.dts <= packet.pts, "{} frame {index}", encoded.name);
                let is_reordered = encoder == VideoEncoderName::X264;
                assert!(is_reordered || packet.dts == packet.pts, "{}", encoded.name);
                assert_eq!(packet.duration, step);
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

/// Two of them in a row must bear different numbers, and frames between others may be one or none.
#[test]
fn key_frames_may_follow_each_other() {
    for (codec, encoder) in encoders() {
        let mut settings = settings(codec, encoder, (128, 96));
        settings.keyframes = vec![0, 1, 2, 4, 5, 7, 30, 31, 60];
        let runs = [1, 3].map(|threads| {
            settings.threads = threads;
            encode(&settings, moving_gradient)
        });
        assert!(runs[0].packets == runs[1].packets, "{}", runs[0].name);
        assert_eq!(decode(&runs[0], settings.size).len() as u64, N_FRAMES);
        let shown = runs[0].packets.iter().filter(|packet| packet.is_sync);
        let shown: Vec<_> = shown.map(|packet| packet.pts).collect();
        let due = settings.keyframes.iter();
        let due: Vec<_> = due.map(|index| settings.rate.time_of(*index)).collect();
        assert_eq!(shown, due, "{}", runs[0].name);
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
    for (codec, encoder) in encoders() {
        if codec == VideoCodec::H264 {
            check_parameter_sets(&settings(codec, encoder, (178, 98)));
        }
    }
}

fn check_parameter_sets(settings: &VideoSettings) {
    let VideoConfig::Avc { sps, pps } = encode(settings, moving_gradient).config else {
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
        assert!(
            error.to_string().contains("frame 0 was expected"),
            "{error}"
        );
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
fn codec_and_encoder_must_agree() {
    for (codec, encoder) in [
        (VideoCodec::H264, VideoEncoderName::SvtAv1),
        (VideoCodec::H264, VideoEncoderName::Rav1e),
        (VideoCodec::Av1, VideoEncoderName::OpenH264),
        (VideoCodec::Av1, VideoEncoderName::X264),
    ] {
        let error = refusal(&settings(codec, encoder, (128, 96)));
        assert!(error.contains("choose"), "{error}");
    }
}

#[test]
fn sizes_beyond_an_encoder_are_refused_or_made_by_another() {
    let mut large = settings(VideoCodec::H264, VideoEncoderName::OpenH264, (3840, 3840));
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

/// Runs in a process of its own, which alone has its standard error.
#[test]
fn encoders_print_nothing() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_frame_makes_a_video", "--nocapture"])
        .env_remove("SVT_LOG")
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
