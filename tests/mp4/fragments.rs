//! Streams of fragments: read back by the own check and by another parser, refused where they are damaged, sent piece by piece.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::rc::Rc;

use kinora::encode::AudioConfig;
use kinora::error::{ErrorKind, Result};
use kinora::frame::Packet;
use kinora::mux::{FileFacts, FragmentWriter, check};
use kinora::units::Time;

use super::streams::{Sound, Video, aac, av1, avc, layout_of, opus, reordered};

/// Sends both in the order of their times.
fn stream_into<W: Write>(out: W, video: &Video, sound: Option<&Sound>) -> Result<W> {
    let config = sound.map(|sound| sound.config.clone());
    let layout = layout_of(video, sound);
    let mut writer = FragmentWriter::new(out, &layout, video.config.clone(), config)?;
    let mut sounds = sound.iter().flat_map(|sound| &sound.packets).peekable();
    for picture in &video.packets {
        while let Some(packet) = sounds.next_if(|packet| packet.dts < picture.dts) {
            writer.audio(packet.clone())?;
        }
        writer.video(picture.clone())?;
    }
    sounds.try_for_each(|packet| writer.audio(packet.clone()))?;
    writer.finish(&video.config, sound.map(|sound| &sound.config))
}

fn stream(video: &Video, sound: Option<&Sound>) -> Vec<u8> {
    stream_into(Vec::new(), video, sound).unwrap()
}

fn checked(file: &[u8]) -> FileFacts {
    check(Cursor::new(file)).unwrap()
}

/// (kind, start, size) of the top-level boxes.
fn top_boxes(file: &[u8]) -> Vec<([u8; 4], usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < file.len() {
        let size = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        found.push((file[at + 4..at + 8].try_into().unwrap(), at, size));
        at += size;
    }
    found
}

#[test]
fn a_fragment_is_a_group_of_pictures_with_its_sound() {
    let (video, sound) = (av1(), opus(38_400));
    let file = stream(&video, Some(&sound));
    let kinds: Vec<String> = top_boxes(&file)
        .iter()
        .map(|(kind, ..)| kind.escape_ascii().to_string())
        .collect();
    assert_eq!(kinds, ["ftyp", "moov", "moof", "mdat", "moof", "mdat"]);
    let facts = checked(&file);
    assert!(facts.is_fragmented && facts.is_fast_start);
    let [picture, voice] = &facts.tracks[..] else {
        panic!("{facts}")
    };
    assert_eq!((picture.n_samples, picture.n_chunks), (24, 2));
    assert_eq!(picture.sync_samples.as_deref(), Some(&[0, 12][..]));
    assert_eq!((picture.duration_secs, voice.duration_secs), (0.8, 0.8));
    assert_eq!(voice.n_samples as usize, sound.packets.len());
    let heard = voice.audio.as_ref().unwrap();
    assert_eq!((heard.priming_samples, heard.heard_samples), (312, 38_400));
}

#[test]
fn every_codec_order_and_clock_comes_back() {
    for (video, sound) in [
        (av1(), None),
        (avc(), Some(aac(24_024))),
        (reordered(), Some(aac(23_040))),
        (reordered(), Some(opus(23_040))),
    ] {
        let facts = checked(&stream(&video, sound.as_ref()));
        let picture = &facts.tracks[0];
        assert_eq!(picture.n_samples, video.layout.n_frames);
        let sizes: usize = video.packets.iter().map(|packet| packet.data.len()).sum();
        assert_eq!(picture.n_bytes as usize, sizes);
        assert_eq!(
            picture.is_reordered,
            video.packets.iter().any(|p| p.pts != p.dts + Time(0))
                && video.packets[0].dts < Time::ZERO
        );
        if let (Some(sound), Some(track)) = (&sound, facts.tracks.get(1)) {
            let heard = track.audio.as_ref().unwrap();
            assert_eq!(heard.heard_samples, sound.n_samples);
            assert_eq!(heard.priming_samples, u64::from(sound.config.priming()));
        }
    }
}

#[test]
fn another_parser_reads_every_sample() {
    let (video, sound) = (av1(), aac(38_400));
    let file = stream(&video, Some(&sound));
    let context = mp4parse::read_mp4(&mut Cursor::new(&file)).unwrap();
    assert_eq!(context.tracks.len(), 2);
    assert!(context.mvex.is_some());
    assert_eq!(context.tracks[1].media_time.unwrap().0, 1024);
    let reader = mp4::Mp4Reader::read_header(Cursor::new(&file), file.len() as u64).unwrap();
    let moofs: Vec<usize> = top_boxes(&file)
        .iter()
        .filter(|(kind, ..)| kind == b"moof")
        .map(|(_, at, _)| *at)
        .collect();
    assert_eq!((reader.moofs.len(), moofs.len()), (2, 2));
    for (id, packets, length) in [(1, &video.packets, 1000), (2, &sound.packets, 1024)] {
        let mut packets = packets.iter();
        let mut n_before = 0;
        for (moof, at) in reader.moofs.iter().zip(&moofs) {
            let traf = moof.trafs.iter().find(|traf| traf.tfhd.track_id == id);
            let (time, run) = (traf.unwrap().tfdt.as_ref(), traf.unwrap().trun.as_ref());
            let run = run.unwrap();
            assert_eq!(time.unwrap().base_media_decode_time, n_before * length);
            let mut start = at + run.data_offset.unwrap() as usize;
            for size in &run.sample_sizes {
                let end = start + *size as usize;
                assert_eq!(file[start..end], packets.next().unwrap().data);
                start = end;
            }
            n_before += u64::from(run.sample_count);
        }
        assert!(packets.next().is_none(), "track {id}");
    }
}

/// An output that others can look into while it is written.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_is_complete_is_sent_at_once() {
    let (video, out) = (av1(), Shared::default());
    let layout = layout_of(&video, None);
    let mut writer = FragmentWriter::new(out.clone(), &layout, video.config.clone(), None).unwrap();
    let n_sent = || out.0.borrow().len();
    let mut sent = Vec::new();
    for packet in &video.packets {
        writer.video(packet.clone()).unwrap();
        sent.push(n_sent());
    }
    assert!(sent[0] > 0, "the head comes with the first picture");
    assert!(sent[..12].iter().all(|n| *n == sent[0]));
    assert!(
        sent[12] > sent[0],
        "the second key frame ends the first group"
    );
    writer.finish(&video.config, None).unwrap();
    assert!(n_sent() > sent[23]);
}

#[test]
fn the_bytes_depend_on_nothing_but_the_packets() {
    let (video, sound) = (av1(), opus(38_400));
    let file = stream(&video, Some(&sound));
    // All sound first.
    let layout = layout_of(&video, Some(&sound));
    let config = Some(sound.config.clone());
    let mut writer =
        FragmentWriter::new(Vec::new(), &layout, video.config.clone(), config).unwrap();
    for packet in &sound.packets {
        writer.audio(packet.clone()).unwrap();
    }
    for packet in &video.packets {
        writer.video(packet.clone()).unwrap();
    }
    assert!(writer.finish(&video.config, Some(&sound.config)).unwrap() == file);
}

fn refusal(result: Result<impl Sized>) -> (ErrorKind, String) {
    let error = result.err().expect("it must be refused");
    (error.kind(), error.to_string())
}

#[test]
fn misuse_is_refused() {
    let video = av1();
    let mut short = video.clone();
    short.packets.pop();
    let (kind, message) = refusal(stream_into(Vec::new(), &short, None));
    assert_eq!(kind, ErrorKind::Internal);
    assert!(message.contains("23 video packets"), "{message}");
    let mut swapped = video.clone();
    swapped.packets.swap(3, 4);
    let (kind, message) = refusal(stream_into(Vec::new(), &swapped, None));
    assert_eq!(kind, ErrorKind::Encoder);
    assert!(message.contains("video packet 3"), "{message}");
    let mut sound = opus(38_400);
    sound.packets.truncate(9);
    let (kind, _) = refusal(stream_into(Vec::new(), &video, Some(&sound)));
    assert_eq!(kind, ErrorKind::Encoder);
    let layout = layout_of(&video, None);
    let config = Some(AudioConfig::Opus { pre_skip: 312 });
    let made = FragmentWriter::new(Vec::new(), &layout, video.config.clone(), config);
    assert_eq!(refusal(made).0, ErrorKind::Internal);
    let mut writer = FragmentWriter::new(Vec::new(), &layout, video.config.clone(), None).unwrap();
    for packet in &video.packets {
        writer.video(packet.clone()).unwrap();
    }
    let (_, message) = refusal(writer.finish(&avc().config, None));
    assert!(message.contains("changed its configuration"), "{message}");
}

/// A pipe whose reader has gone after some bytes.
struct Closed(usize);

impl Write for Closed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_told() {
    for n in [0, 900] {
        let (kind, message) = refusal(stream_into(Closed(n), &av1(), None));
        assert_eq!(kind, ErrorKind::Io);
        assert!(message.contains("closed the pipe"), "{message}");
    }
}

#[test]
fn damaged_streams_are_refused_and_never_panic() {
    let file = stream(&reordered(), Some(&aac(23_040)));
    let is_good = |file: &[u8]| check(Cursor::new(file)).is_ok();
    assert!(is_good(&file));
    for (kind, at, size) in top_boxes(&file) {
        for n in [at, at + 4, at + size / 2, at + size - 1] {
            assert!(
                !is_good(&file[..n]),
                "cut at {n} in {}",
                kind.escape_ascii()
            );
        }
    }
    let moof = top_boxes(&file)
        .into_iter()
        .find(|(kind, ..)| kind == b"moof");
    let (_, at, size) = moof.unwrap();
    let mut n_refused = 0;
    for i in at + 8..at + size {
        for value in [0, 0x7f, 0xff, file[i] ^ 1] {
            let mut broken = file.clone();
            broken[i] = value;
            n_refused += usize::from(value != file[i] && !is_good(&broken));
        }
    }
    // Some fields repeat what others say, or are of no consequence (sample flags' dependencies, group numbers).
    assert!(n_refused > 2 * size, "{n_refused} of {size} bytes");
}

#[test]
fn counts_that_lie_cost_no_memory() {
    let packet = |data: Vec<u8>, n: i64| Packet {
        data,
        pts: Time(28_224_000 * n),
        dts: Time(28_224_000 * n),
        duration: Time(28_224_000),
        is_sync: n == 0,
    };
    let mut video = reordered();
    let data = video.packets[0].data.clone();
    video.packets = (0..12).map(|n| packet(data.clone(), n)).collect();
    let mut file = stream(&video, None);
    let run = file.windows(4).position(|kind| kind == b"trun").unwrap();
    // A run without fields of its own, of four billion samples of the default size, which is one byte.
    file[run + 4..run + 12].copy_from_slice(&[0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]);
    let extends = file.windows(4).position(|kind| kind == b"trex").unwrap();
    file[extends + 20..extends + 24].copy_from_slice(&[0, 0, 0, 1]);
    let (_, message) = refusal(check(Cursor::new(&file)));
    assert!(message.contains("trun"), "{message}");
}
