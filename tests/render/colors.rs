//! Colors from a picture to a decoder's output: 75 % bars come out as their BT.709 limited values, and every place that tells the color says so.

use std::io::Cursor;

use kinora::Render;
use kinora::encode::{Quality, VideoCodec};
use kinora::frame::{Frame, Packet};
use kinora::mux::ColorFacts;
use kinora::units::{Size, Time};
use serde_json::json;

use super::scenery::BARS;
use super::video_streams::{decode_av1, decode_h264, sps_color};
use super::{encoders, job, rendered};

/// ITU-R BT.709, section 3: nonlinear R'G'B' to 8-bit limited-range codes.
fn codes([r, g, b]: [u8; 3]) -> [f64; 3] {
    let [r, g, b] = [r, g, b].map(|v| f64::from(v) / 255.0);
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    [
        16.0 + 219.0 * y,
        128.0 + 224.0 * (b - y) / 1.8556,
        128.0 + 224.0 * (r - y) / 1.5748,
    ]
}

/// The samples of the first track, by a parser of other people.
fn packets(file: &[u8]) -> Vec<Packet> {
    let mut reader = mp4::Mp4Reader::read_header(Cursor::new(file), file.len() as u64).unwrap();
    let n_samples = reader.sample_count(1).unwrap();
    (1..=n_samples)
        .map(|i| Packet {
            data: reader.read_sample(1, i).unwrap().unwrap().bytes.to_vec(),
            pts: Time::ZERO,
            dts: Time::ZERO,
            duration: Time::ZERO,
            is_sync: i == 1,
        })
        .collect()
}

/// Decodes the picture track; the AV1 decoder's door asserts the color tags of the bitstream.
fn decoded(file: &[u8], codec: VideoCodec, size: Size) -> Vec<Frame> {
    let packets = packets(file);
    if codec == VideoCodec::Av1 {
        return decode_av1(&packets, size);
    }
    let reader = mp4::Mp4Reader::read_header(Cursor::new(file), file.len() as u64).unwrap();
    let (sps, pps) = (
        reader.tracks()[&1].sequence_parameter_set().unwrap(),
        reader.tracks()[&1].picture_parameter_set().unwrap(),
    );
    assert_eq!(sps_color(sps), (false, [1, 1, 1]));
    decode_h264(sps, pps, &packets, size)
}

#[test]
fn bars_come_out_of_the_decoder_as_they_went_in() {
    let job = job(&json!({
        "version": 1,
        "motion": "still",
        "output": { "width": 280, "height": 160, "fps": 24 },
        "shots": [{ "picture": "bars.png", "duration": 0.5 }],
    }));
    for options in encoders() {
        let options = Render {
            quality: Quality::High,
            ..options
        };
        let (file, facts, report) = rendered(&job, &options);
        let color = facts.tracks[0].video.as_ref().unwrap().color;
        assert_eq!(
            color,
            Some(ColorFacts::BT709_LIMITED),
            "{}",
            report.video_encoder
        );
        let frames = decoded(&file, job.codecs(&options).0, job.plan().size);
        assert_eq!(frames.len() as u64, report.n_frames);
        for frame in frames {
            let planes = frame.planes();
            for (i, bar) in BARS.into_iter().enumerate() {
                let middle = [
                    (i * 40 + 20, 80, 280),
                    (i * 20 + 10, 40, 140),
                    (i * 20 + 10, 40, 140),
                ];
                for ((plane, (x, y, width)), due) in planes.iter().zip(middle).zip(codes(bar)) {
                    let got = f64::from(plane[y * width + x]);
                    assert!(
                        (got - due).abs() <= 2.0,
                        "{}: bar {i}: {got} for {due:.1}",
                        report.video_encoder
                    );
                }
            }
        }
    }
}
