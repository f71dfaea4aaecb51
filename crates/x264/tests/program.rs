//! The program's conversation: frames in, packets out, lies refused, no life without kinora. Skipped where libx264 is absent.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 48;
const FRAME: usize = 64 * 48 * 3 / 2;

/// The running program and this end of the conversation.
struct Talk {
    child: Child,
    stream: UnixStream,
    memory: File,
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Talk {
    fn start(memory_bytes: u64) -> Talk {
        let (stream, theirs) = UnixStream::pair().unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let path = std::env::temp_dir().join(format!("kinora-x264-test-{}", next_number()));
        let memory = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .unwrap();
        std::fs::remove_file(&path).unwrap();
        memory.set_len(memory_bytes).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_kinora-x264"))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(memory.try_clone().unwrap()))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Talk {
            child,
            stream,
            memory,
        }
    }

    fn say(&mut self, kind: u8, body: &[u8]) {
        let length = u32::try_from(body.len()).unwrap().to_le_bytes();
        // The program may have ended already.
        let _ = self
            .stream
            .write_all(&[&[kind], &length[..], body].concat());
    }

    /// The next message; `None` when the program has ended.
    fn hear(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head).ok()?;
        let mut body = vec![0; u32::from_le_bytes(head[1..].try_into().unwrap()) as usize];
        self.stream.read_exact(&mut body).unwrap();
        Some((head[0], body))
    }

    fn say_frame(&mut self, number: u64, is_key: bool) {
        let slot = u32::try_from(number % 2).unwrap();
        let mut picture = vec![128; FRAME];
        for (i, sample) in picture[..64 * 48].iter_mut().enumerate() {
            *sample = ((i as u64 % 64) * 2 + number * 3) as u8;
        }
        let at = u64::from(slot) * FRAME as u64;
        self.memory.write_all_at(&picture, at).unwrap();
        let body = [
            &slot.to_le_bytes()[..],
            &number.to_le_bytes(),
            &[u8::from(is_key)],
        ];
        self.say(b'F', &body.concat());
    }
}

fn next_number() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!(
        "{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

fn opening(numbers: [u32; 4], settings: &str) -> Vec<u8> {
    let numbers = numbers.iter().flat_map(|n| n.to_le_bytes());
    numbers.chain(settings.bytes()).collect()
}

fn good_opening() -> Vec<u8> {
    opening(
        [1, WIDTH, HEIGHT, 2],
        "preset=veryfast\ncrf=23\nfps=30/1\nthreads=1\nannexb=0\nrepeat-headers=1\nbframes=3\nlog=-1\n",
    )
}

/// Whether libx264 is here; says so if not.
fn is_here() -> bool {
    let version = Command::new(env!("CARGO_BIN_EXE_kinora-x264"))
        .arg("--version")
        .output()
        .unwrap();
    if !version.status.success() {
        println!("skipped: {}", String::from_utf8_lossy(&version.stderr));
    }
    version.status.success()
}

#[test]
fn it_says_which_build_there_is() {
    if !is_here() {
        return;
    }
    let mut talk = Talk::start(0);
    talk.say(b'Q', b"");
    let (kind, body) = talk.hear().unwrap();
    assert_eq!((kind, &body[..4]), (b'H', &1u32.to_le_bytes()[..]));
    let build = u32::from_le_bytes(body[4..].try_into().unwrap());
    assert!((156..=165).contains(&build), "{build}");
    assert!(talk.hear().is_none());
    assert!(talk.child.wait().unwrap().success());
}

#[test]
fn every_frame_comes_back_once_behind_lengths() {
    if !is_here() {
        return;
    }
    let mut talk = Talk::start(2 * FRAME as u64);
    talk.say(b'O', &good_opening());
    assert_eq!(talk.hear().unwrap().0, b'H');
    let mut shown = Vec::new();
    let mut take = |talk: &mut Talk, until: u8| loop {
        let (kind, body) = talk.hear().unwrap();
        if kind == b'P' {
            shown.push(u64::from_le_bytes(body[..8].try_into().unwrap()));
            let mut rest = &body[8..];
            while !rest.is_empty() {
                let length = u32::from_be_bytes(rest[..4].try_into().unwrap());
                rest = &rest[4 + length as usize..];
            }
        } else {
            assert_eq!(kind, until, "{}", String::from_utf8_lossy(&body));
            return;
        }
    };
    for number in 0..50 {
        talk.say_frame(number, number == 0);
        take(&mut talk, b'R');
    }
    talk.say(b'Z', b"");
    take(&mut talk, b'Z');
    assert!(talk.child.wait().unwrap().success());
    assert!(!shown.is_sorted(), "B-frames change the order");
    shown.sort_unstable();
    assert_eq!(shown, (0..50).collect::<Vec<u64>>());
}

#[test]
fn lies_are_refused_in_words() {
    if !is_here() {
        return;
    }
    let settings = "preset=veryfast\n";
    for (kind, body, due) in [
        (b'O', opening([9, 64, 48, 2], settings), "protocol 9"),
        (b'O', opening([1, 63, 48, 2], settings), "63x48"),
        (
            b'O',
            opening([1, 64, 1 << 31, 2], settings),
            "not a valid picture size",
        ),
        (b'O', opening([1, 64, 48, 0], settings), "0 slots"),
        (b'O', opening([1, 64, 48, 99], settings), "99 slots"),
        (b'O', opening([1, 64, 48, 9], settings), "memory for frames"),
        (b'O', opening([1, 64, 48, 2], "crf=3\n"), "not a preset"),
        (b'O', opening([1, 64, 48, 2], "preset=no\n"), "preset=no"),
        (b'O', opening([1, 64, 48, 2], "preset=fast\na=b\n"), "a=b"),
        (b'O', opening([1, 64, 48, 2], "nonsense"), "not a setting"),
        (b'O', vec![1, 0], "too short"),
        (b'F', vec![0; 13], "does not open an encoder"),
        (b'F', vec![0; 12], "wrong length"),
        (b'X', Vec::new(), "kind X"),
        (b'O', vec![0; 5000], "5000 bytes"),
    ] {
        let mut talk = Talk::start(2 * FRAME as u64);
        talk.say(kind, &body);
        let (kind, text) = talk.hear().unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(kind == b'E' && text.contains(due), "{due}: {text}");
        assert!(!talk.child.wait().unwrap().success());
    }
}

#[test]
fn frames_out_of_turn_are_refused() {
    if !is_here() {
        return;
    }
    for (slot, number) in [(0u32, 1u64), (2, 0), (u32::MAX, 0)] {
        let mut talk = Talk::start(2 * FRAME as u64);
        talk.say(b'O', &good_opening());
        assert_eq!(talk.hear().unwrap().0, b'H');
        let body = [&slot.to_le_bytes()[..], &number.to_le_bytes(), &[1]];
        talk.say(b'F', &body.concat());
        let (kind, text) = talk.hear().unwrap();
        assert_eq!(kind, b'E');
        assert!(String::from_utf8(text).unwrap().contains("not expected"));
    }
}

#[test]
fn it_ends_with_kinora() {
    if !is_here() {
        return;
    }
    let mut talk = Talk::start(2 * FRAME as u64);
    talk.say(b'O', &good_opening());
    assert_eq!(talk.hear().unwrap().0, b'H');
    talk.say_frame(0, true);
    talk.stream.shutdown(std::net::Shutdown::Both).unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    while talk.child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "it lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}
