//! Outputs that are no plain files: full disks, and files beyond 4 GiB of which almost nothing is kept.

use std::collections::BTreeMap;
use std::io::{Cursor, Error, Read, Result, Seek, SeekFrom, Write};

use kinora::error::ErrorKind;
use kinora::mux::check;
use kinora::units::FrameRate;

use super::streams::{av1, made_up, opus, try_write};

/// Takes `left` bytes, then is full.
struct Full {
    inner: Cursor<Vec<u8>>,
    left: usize,
}

impl Write for Full {
    fn write(&mut self, data: &[u8]) -> Result<usize> {
        let n = data.len().min(self.left);
        if n == 0 && !data.is_empty() {
            return Err(Error::other("no space left on device"));
        }
        self.left -= n;
        self.inner.write(&data[..n])
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.inner.seek(to)
    }
}

#[test]
fn a_full_disk_is_an_io_error() {
    let (video, sound) = (av1(), opus(38_400));
    let out = |left| Full {
        inner: Cursor::default(),
        left,
    };
    let n_needed = 1_000_000
        - try_write(out(1_000_000), &video, Some(&sound))
            .map(|o| o.left)
            .ok()
            .unwrap();
    for left in (0..n_needed).step_by(97).chain([n_needed - 1]) {
        let error = try_write(out(left), &video, Some(&sound)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Io, "{left} bytes: {error}");
    }
}

/// Keeps the start of each write; the rest reads as zeros.
#[derive(Default)]
struct Sparse {
    pieces: BTreeMap<u64, Vec<u8>>,
    position: u64,
    n_bytes: u64,
}

const KEPT: usize = 1 << 16;

impl Write for Sparse {
    fn write(&mut self, data: &[u8]) -> Result<usize> {
        let kept = &data[..data.len().min(KEPT)];
        let end = self.position + data.len() as u64;
        self.pieces
            .retain(|start, _| !(self.position..end).contains(start));
        self.pieces.insert(self.position, kept.to_vec());
        self.position += data.len() as u64;
        self.n_bytes = self.n_bytes.max(self.position);
        Ok(data.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Seek for Sparse {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.position = match to {
            SeekFrom::Start(n) => n,
            SeekFrom::End(n) => self.n_bytes.checked_add_signed(n).unwrap(),
            SeekFrom::Current(n) => self.position.checked_add_signed(n).unwrap(),
        };
        Ok(self.position)
    }
}

impl Read for Sparse {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let n = out.len().min((self.n_bytes - self.position) as usize);
        let end = self.position + n as u64;
        out[..n].fill(0);
        for (&start, piece) in self
            .pieces
            .range(self.position.saturating_sub(KEPT as u64)..end)
        {
            let (from, to) = (
                start.max(self.position),
                (start + piece.len() as u64).min(end),
            );
            if from < to {
                let there = &piece[(from - start) as usize..(to - start) as usize];
                let at = (from - self.position) as usize;
                out[at..at + there.len()].copy_from_slice(there);
            }
        }
        self.position = end;
        Ok(n)
    }
}

#[test]
fn beyond_4_gib() {
    // One frame a second, each its own chunk of 100 MiB.
    let sizes = [100 << 20; 42];
    let order: Vec<i64> = (0..42).collect();
    let video = || made_up(FrameRate::new(1, 1).unwrap(), &sizes[..1], &order[..1], 0);
    let mut layout = video().layout;
    layout.n_frames = 42;
    let mut writer = kinora::mux::Mp4Writer::new(Sparse::default(), &layout).unwrap();
    let first = video().packets.remove(0);
    for i in 0..42 {
        let mut packet = first.clone();
        packet.data[4] = if i == 0 { 0x65 } else { 0x41 };
        (packet.pts, packet.is_sync) = (layout.rate.time_of(i), i == 0);
        packet.dts = packet.pts;
        writer.video(packet).unwrap();
    }
    let mut out = writer.finish(&video().config, None).unwrap();
    assert!(out.n_bytes > 42 * (100 << 20));
    out.seek(SeekFrom::Start(0)).unwrap();
    let facts = check(out).unwrap();
    assert_eq!(facts.tracks[0].n_bytes, 42 * (100 << 20));
    assert_eq!(facts.tracks[0].n_chunks, 42);
}
