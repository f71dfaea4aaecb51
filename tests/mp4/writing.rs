//! What the writer does with packets: order, determinism, misuse.

use std::io::{Cursor, Seek, SeekFrom, Write};

use kinora::error::{ErrorKind, Result};
use kinora::frame::Packet;
use kinora::mux::{Layout, Mp4Writer, check};
use kinora::units::{FrameRate, Time};

use super::streams::{
    Sound, Video, aac, av1, layout_of, made_up, opus, reordered, try_write, write,
};

/// Writes with `n` packets of sound before each picture.
fn interleaved(video: &Video, sound: &Sound, n: usize) -> Vec<u8> {
    let layout = layout_of(video, Some(sound));
    let mut writer = Mp4Writer::new(Cursor::new(Vec::new()), &layout).unwrap();
    let mut sounds = sound.packets.iter();
    for picture in &video.packets {
        for packet in sounds.by_ref().take(n) {
            writer.audio(packet.clone()).unwrap();
        }
        writer.video(picture.clone()).unwrap();
    }
    for packet in sounds {
        writer.audio(packet.clone()).unwrap();
    }
    let out = writer.finish(&video.config, Some(&sound.config)).unwrap();
    out.into_inner()
}

fn long() -> (Video, Sound) {
    let order: Vec<i64> = (0..300).collect();
    let video = made_up(FrameRate::new(30, 1).unwrap(), &[50; 300], &order, 0);
    (video, opus(480_000))
}

#[test]
fn the_bytes_do_not_depend_on_who_came_first() {
    let (video, sound) = long();
    let file = write(&video, Some(&sound));
    for n in [1, 2, 3, 1000] {
        assert!(
            interleaved(&video, &sound, n) == file,
            "{n} packets of sound first"
        );
    }
    assert!(write(&av1(), None) == write(&av1(), None));
}

#[test]
fn chunks_alternate_by_time() {
    let (video, sound) = long();
    let file = write(&video, Some(&sound));
    let facts = check(Cursor::new(&file)).unwrap();
    // The last chunk of sound is what the priming pushed out.
    assert_eq!(
        (facts.tracks[0].n_chunks, facts.tracks[1].n_chunks),
        (20, 21)
    );
    let context = mp4parse::read_mp4(&mut Cursor::new(&file)).unwrap();
    let offsets = |i: usize| context.tracks[i].stco.as_ref().unwrap().offsets.to_vec();
    let (pictures, sounds) = (offsets(0), offsets(1));
    for i in 0..20 {
        assert!(pictures[i] < sounds[i], "chunk {i}");
        assert!(i == 19 || sounds[i] < pictures[i + 1], "chunk {i}");
    }
}

#[test]
fn a_file_may_start_anywhere_in_its_output() {
    let mut out = Cursor::new(b"something before".to_vec());
    out.seek(SeekFrom::End(0)).unwrap();
    let start = out.position();
    let mut out = try_write(out, &av1(), None).unwrap();
    assert_eq!(out.position(), out.get_ref().len() as u64);
    out.write_all(b"").unwrap();
    assert!(out.get_ref()[start as usize..] == write(&av1(), None));
    out.set_position(start);
    assert!(check(out).is_ok());
}

fn refusal(result: Result<impl Sized>) -> (ErrorKind, String) {
    let error = result.err().expect("it must be refused");
    (error.kind(), error.to_string())
}

/// Changes one packet of video and gives what the writer says.
fn with_picture(n: usize, change: impl FnOnce(&mut Packet)) -> (ErrorKind, String) {
    let mut video = reordered();
    change(&mut video.packets[n]);
    refusal(try_write(Cursor::new(Vec::new()), &video, None))
}

#[test]
fn pictures_out_of_order_are_refused() {
    let frame = Time(28_224_000);
    let (kind, message) = with_picture(3, |packet| packet.dts = packet.dts + frame);
    assert_eq!(kind, ErrorKind::Encoder);
    assert!(
        message.contains("video packet 3") && message.contains("out of order"),
        "{message}"
    );
    let (_, message) = with_picture(3, |packet| packet.pts.0 += 1);
    assert!(message.contains("whole number of frames"), "{message}");
    let (_, message) = with_picture(3, |packet| packet.pts = Time::ZERO);
    assert!(message.contains("before it is decoded"), "{message}");
    let (_, message) = with_picture(3, |packet| packet.pts = frame);
    assert!(message.contains("before it is decoded"), "{message}");
    let (_, message) = with_picture(2, |packet| packet.pts = Time(3 * frame.0));
    assert!(message.contains("frame 3 twice"), "{message}");
    let (_, message) = with_picture(2, |packet| packet.pts = Time(30 * frame.0));
    assert!(message.contains("frame 30, beyond the last"), "{message}");
    let (_, message) = with_picture(0, |packet| packet.is_sync = false);
    assert!(message.contains("not a key frame"), "{message}");
    let (_, message) = with_picture(1, |packet| packet.data.clear());
    assert!(message.contains("0 bytes"), "{message}");
}

#[test]
fn sound_out_of_order_is_refused() {
    let try_sound = |change: &dyn Fn(&mut Sound)| {
        let mut sound = aac(40_000);
        change(&mut sound);
        refusal(try_write(Cursor::new(Vec::new()), &av1(), Some(&sound)))
    };
    let (kind, message) = try_sound(&|sound| sound.packets.swap(4, 5));
    assert_eq!(kind, ErrorKind::Encoder);
    assert!(
        message.contains("audio packet 4") && message.contains("out of order"),
        "{message}"
    );
    let (_, message) = try_sound(&|sound| sound.packets[5].duration = Time::from_samples(1025));
    assert!(message.contains("1 to 1024 whole samples"), "{message}");
    let (_, message) = try_sound(&|sound| sound.packets[5].duration = Time::from_samples(7));
    assert!(message.contains("follows a short one"), "{message}");
    let (kind, message) = try_sound(&|sound| sound.packets.truncate(20));
    assert_eq!(kind, ErrorKind::Encoder);
    assert!(
        message.contains("20480 samples, but 41024 are needed"),
        "{message}"
    );
}

#[test]
fn a_layout_that_lies_is_refused() {
    let mut video = av1();
    video.layout.n_frames += 1;
    let (kind, message) = refusal(try_write(Cursor::new(Vec::new()), &video, None));
    assert_eq!(kind, ErrorKind::Internal);
    assert!(
        message.contains("24 video packets arrived, but the layout says 25"),
        "{message}"
    );
    video.layout.n_frames -= 2;
    let (kind, _) = refusal(try_write(Cursor::new(Vec::new()), &video, None));
    assert_eq!(kind, ErrorKind::Internal);
    for (n_frames, n_samples) in [
        (0, None),
        (u64::MAX, None),
        (1 << 40, None),
        (9, Some(0)),
        (9, Some(u64::MAX)),
    ] {
        let layout = Layout {
            n_frames,
            n_samples,
            packet_samples: 960,
            ..video.layout.clone()
        };
        let (kind, _) = refusal(Mp4Writer::new(Cursor::new(Vec::new()), &layout));
        assert_eq!(kind, ErrorKind::Internal, "{n_frames} {n_samples:?}");
    }
    let mut writer = Mp4Writer::new(Cursor::new(Vec::new()), &av1().layout).unwrap();
    let (kind, _) = refusal(writer.audio(opus(960).packets[0].clone()));
    assert_eq!(kind, ErrorKind::Internal);
}

#[test]
fn configurations_that_cannot_be_read_are_refused() {
    let mut video = av1();
    let wrong = made_up(FrameRate::new(30, 1).unwrap(), &[9], &[0], 0);
    video.config = wrong.config;
    let (kind, message) = refusal(try_write(Cursor::new(Vec::new()), &video, None));
    assert_eq!(kind, ErrorKind::Encoder);
    assert!(message.contains("178x98, the video is 64x48"), "{message}");
    video.config = kinora::encode::VideoConfig::Av1 {
        sequence_header: vec![0x0a, 1, 0],
    };
    let (kind, message) = refusal(try_write(Cursor::new(Vec::new()), &video, None));
    assert_eq!(kind, ErrorKind::Encoder);
    assert!(message.contains("sequence header"), "{message}");
}
