//! One session with kinora: opens an encoder, takes frames, returns packets, ends.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use memmap2::{Mmap, MmapOptions};

use crate::library::{Encoder, X264};
use crate::wire::{self, Ask, Opening};

/// Serves the socket on standard input until kinora closes it.
pub(crate) fn run() -> Result<(), String> {
    let stream = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map_err(|e| format!("standard input cannot be used: {e}"))?;
    let mut stream = UnixStream::from(stream);
    let talked = talk(&mut stream);
    if let Err(message) = &talked {
        // kinora may already have exited.
        let _ = wire::send(&mut stream, b'E', message.as_bytes(), &[]);
    }
    talked
}

fn talk(stream: &mut UnixStream) -> Result<(), String> {
    let opening = match wire::receive(stream)? {
        Some(Ask::Query) => return wire::send_hello(stream, X264::load()?.build),
        Some(Ask::Open(opening)) => opening,
        Some(_) => return Err("the first message does not open an encoder".to_owned()),
        None => return Ok(()),
    };
    let x264 = X264::load()?;
    let frames = map_frames(&opening)?;
    let mut encoder = Encoder::open(&x264, &opening)?;
    wire::send_hello(stream, x264.build)?;
    let mut n_frames = 0;
    loop {
        match wire::receive(stream)? {
            Some(Ask::Frame {
                slot,
                number,
                is_key,
            }) => {
                if number != n_frames || slot >= opening.n_slots {
                    return Err(format!("frame {number} in slot {slot} was not expected"));
                }
                n_frames += 1;
                let start = slot as usize * opening.frame_bytes();
                let planes = &frames[start..start + opening.frame_bytes()];
                if let Some((shown, data)) = encoder.encode(planes, number, is_key)? {
                    wire::send(stream, b'P', &shown.to_le_bytes(), data)?;
                }
                wire::send(stream, b'R', &[], &[])?;
            }
            Some(Ask::End) => break,
            Some(_) => return Err("an encoder is open already".to_owned()),
            None => return Ok(()),
        }
    }
    while encoder.has_more() {
        if let Some((shown, data)) = encoder.flush()? {
            wire::send(stream, b'P', &shown.to_le_bytes(), data)?;
        }
    }
    wire::send(stream, b'Z', &[], &[])
}

/// Maps the memory that kinora passed as standard output.
fn map_frames(opening: &Opening) -> Result<Mmap, String> {
    let n_bytes = opening.n_slots as usize * opening.frame_bytes();
    let memory = std::io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .map(std::fs::File::from)
        .map_err(|e| format!("standard output cannot be used: {e}"))?;
    let there = memory.metadata().map_or(0, |facts| facts.len());
    if there < n_bytes as u64 {
        return Err(format!(
            "the memory for frames has {there} bytes, but {n_bytes} are needed"
        ));
    }
    // SAFETY: the file is memory that only kinora writes to, and never to a slot before it is announced as free; its length does not change.
    unsafe { MmapOptions::new().len(n_bytes).map(&memory) }
        .map_err(|e| format!("the memory for frames cannot be mapped: {e}"))
}
