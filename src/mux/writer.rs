//! The MP4 writer: reserves the head, interleaves chunks of both tracks by time, fills in the head at the end.

use std::io::{Seek, SeekFrom, Write};

use mp4_atom::{Encode, Ftyp, Moov};

use super::track::{AudioTrack, CHUNK, Chunk, Samples, VideoTrack, internal};
use super::{Layout, moov};
use crate::bitstream::{AudioConfig, VideoConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Packet;
use crate::units::Time;

/// Bytes of one track that may wait for the other track before they are written out of order. Counted in bytes, not in seconds: this bounds
/// memory at any bitrate, and a whole sound track of half an hour fits, so that the file does not depend on which thread was faster.
const MAX_WAITING_BYTES: usize = 32 << 20;

/// Maximum size of the reserved head: 16 million frames.
const MAX_HEAD_BYTES: u64 = 256 << 20;

/// Size of the head's boxes without their tables: `ftyp`, all of `moov` around the tables, codec configurations.
const FIXED_BYTES: u64 = 4096;

/// Writes one MP4. Space for `moov` is reserved at the start, so the file is never rewritten.
///
/// The file starts at the output's current position; its chunk offsets count from there.
#[derive(Debug)]
pub struct Mp4Writer<W: Write + Seek> {
    out: W,
    layout: Layout,
    /// Start of the file in the output.
    base: u64,
    /// Bytes before the media data, including the header of `mdat`.
    n_head: u64,
    /// Bytes of media data written so far.
    n_data: u64,
    video: VideoTrack,
    audio: Option<AudioTrack>,
    has_failed: bool,
}

impl<W: Write + Seek> Mp4Writer<W> {
    /// Reserves the head of the file.
    ///
    /// # Errors
    /// `Internal` when the layout is empty or too long to index, `Io` when the output fails.
    pub fn new(mut out: W, layout: &Layout) -> Result<Self> {
        let n_head = head_bytes(layout)?;
        let base = out.stream_position()?;
        write_provisional_head(&mut out, n_head)?;
        Ok(Mp4Writer {
            out,
            layout: layout.clone(),
            base,
            n_head,
            n_data: 0,
            video: VideoTrack::new(layout),
            audio: layout
                .n_samples
                .map(|n| AudioTrack::new(layout.packet_samples, n)),
            has_failed: false,
        })
    }

    /// Adds the next video packet in decoding order. Both times must be whole frames, and each packet is decoded one frame after the last.
    ///
    /// # Errors
    /// `Encoder` when a packet is out of order, `Internal` when there are more than in the layout, `Io` when the output fails.
    pub fn video(&mut self, packet: Packet) -> Result<()> {
        self.check_usable()?;
        let result = self.video.push(packet);
        self.after_push(result)
    }

    /// Adds the next audio packet.
    ///
    /// # Errors
    /// Same as [`Mp4Writer::video`].
    pub fn audio(&mut self, packet: Packet) -> Result<()> {
        self.check_usable()?;
        let track = self
            .audio
            .as_mut()
            .ok_or_else(|| internal("an audio packet came, but the layout has no audio track"))?;
        let result = track.push(packet);
        self.after_push(result)
    }

    /// Writes what is left and the `moov` box; returns the output, flushed and positioned at the end of the file.
    ///
    /// # Errors
    /// `Internal` when frames or samples are missing, `Encoder` when a configuration cannot be read, `Io` when the output fails.
    pub fn finish(mut self, video: &VideoConfig, audio: Option<&AudioConfig>) -> Result<W> {
        self.check_usable()?;
        self.video.samples.seal();
        if let Some(track) = &mut self.audio {
            track.samples.seal();
        }
        self.write_chunks(true)?;
        let head = self.head(video, audio)?;
        self.out.seek(SeekFrom::Start(self.base))?;
        self.out.write_all(&head)?;
        let end = self.base + self.n_head + self.n_data;
        self.out.seek(SeekFrom::Start(end))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn head(&self, video: &VideoConfig, audio: Option<&AudioConfig>) -> Result<Vec<u8>> {
        let ftyp = Ftyp {
            major_brand: (*b"isom").into(),
            minor_version: 512,
            compatible_brands: moov::compatible_brands(video),
        };
        let moov = moov::build(
            &self.layout,
            (&self.video, video),
            (self.audio.as_ref(), audio),
        )?;
        fitted_head(&ftyp, &moov, (self.n_head, self.n_data))
    }

    fn check_usable(&self) -> Result<()> {
        if self.has_failed {
            return Err(internal("the file cannot be continued after a failure"));
        }
        Ok(())
    }

    fn after_push(&mut self, pushed: Result<()>) -> Result<()> {
        let result = pushed.and_then(|()| self.write_chunks(false));
        self.has_failed = result.is_err();
        result
    }

    /// Writes the chunks whose turn has come, or all of them.
    fn write_chunks(&mut self, is_last: bool) -> Result<()> {
        while let Some(chunk) = self.next_chunk(is_last) {
            self.out.write_all(&chunk.data).map_err(|e| {
                let message = format!("writing {} bytes of the file failed", chunk.data.len());
                Error::new(ErrorKind::Io, message).with_source(e)
            })?;
            self.n_data += chunk.data.len() as u64;
        }
        Ok(())
    }

    /// Removes the chunk to write next: the earliest, video first, once nothing earlier can come; or that of a track with too many waiting bytes.
    fn next_chunk(&mut self, is_last: bool) -> Option<Chunk> {
        let offset = self.n_head + self.n_data;
        let video = &mut self.video.samples;
        let Some(audio) = &mut self.audio else {
            return video.take(offset);
        };
        let audio = &mut audio.samples;
        let is_due = |track: &Samples, other_from: bool| {
            is_last || other_from || track.n_waiting_bytes() > MAX_WAITING_BYTES
        };
        match (video.ready(), audio.ready()) {
            (Some(v), Some(a)) if a < v => audio.take(offset),
            (Some(_), Some(_)) => video.take(offset),
            (Some(v), None) if is_due(video, audio.pending_start() >= v) => video.take(offset),
            (None, Some(a)) if is_due(audio, video.pending_start() > a) => audio.take(offset),
            _ => None,
        }
    }
}

/// Builds `ftyp`, `moov`, `free` and the header of `mdat`, exactly as long as the reserved `n_head` bytes.
pub(super) fn fitted_head(
    ftyp: &Ftyp,
    moov: &Moov,
    (n_head, n_data): (u64, u64),
) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    ftyp.encode(&mut head)
        .and_then(|()| moov.encode(&mut head))
        .map_err(|e| internal("the index of the file cannot be encoded").with_source(e))?;
    let data_header = data_header(n_data);
    let n_used = head.len() as u64 + data_header.len() as u64;
    let n_free = n_head.checked_sub(n_used).filter(|n| *n >= 8);
    let n_free = n_free.ok_or_else(|| {
        internal(format!(
            "the index of the file needs {n_used} bytes, but {n_head} were reserved"
        ))
    })?;
    head.extend_from_slice(&(n_free as u32).to_be_bytes());
    head.extend_from_slice(b"free");
    head.resize(n_head as usize - data_header.len(), 0);
    head.extend_from_slice(&data_header);
    Ok(head)
}

/// Returns the size of the head: the fixed boxes, the longest tables, one `free` box and a 64-bit header of `mdat`.
fn head_bytes(layout: &Layout) -> Result<u64> {
    if layout.n_frames == 0 {
        return Err(internal("a video without frames cannot be written"));
    }
    // stsz 4 + stss 4 + ctts 8 bytes per frame.
    if layout.n_frames > MAX_HEAD_BYTES / 16 {
        return Err(too_long());
    }
    let mut n = 16 * layout.n_frames + chunk_bytes(layout.rate.time_of(layout.n_frames));
    if let Some(n_samples) = layout.n_samples {
        n += sound_table_bytes(layout.packet_samples, n_samples)?;
    }
    head_around(n)
}

/// Returns the size of a head whose tables take up to `n_tables` bytes.
///
/// # Errors
/// `Internal` when it exceeds the maximum size of a head.
pub(super) fn head_around(n_tables: u64) -> Result<u64> {
    let n = FIXED_BYTES + n_tables + 8 + 16;
    if n > MAX_HEAD_BYTES {
        return Err(too_long());
    }
    Ok(n)
}

/// Returns the maximum size of a sound track's tables.
///
/// # Errors
/// `Internal` when it is empty or too long to index.
pub(super) fn sound_table_bytes(packet_samples: u32, n_samples: u64) -> Result<u64> {
    if n_samples == 0 || packet_samples == 0 {
        return Err(internal("an audio track without samples cannot be written"));
    }
    let n_packets = AudioTrack::max_packets(packet_samples, n_samples);
    if n_packets > MAX_HEAD_BYTES / 4 {
        return Err(too_long());
    }
    let n_coded = n_packets * u64::from(packet_samples);
    let length = i64::try_from(n_coded).map_err(|_| too_long())?;
    if length > i64::MAX / crate::units::TICKS_PER_SAMPLE {
        return Err(too_long());
    }
    Ok(4 * n_packets + chunk_bytes(Time::from_samples(length)))
}

/// Returns the maximum size of the chunk tables: co64 8 + stsc 12 bytes per chunk.
fn chunk_bytes(length: Time) -> u64 {
    20 * ((length.0 / CHUNK.0) as u64 + 1)
}

fn too_long() -> Error {
    internal("the video is too long for one MP4 file")
}

/// Reserves the head. A file cut short by a crash is then a `free` box and media data to the end: readers skip it or report that `moov` is missing.
pub(super) fn write_provisional_head(out: &mut impl Write, n_head: u64) -> Result<()> {
    const BLOCK: [u8; 4096] = [0; 4096];
    out.write_all(&(n_head as u32 - 8).to_be_bytes())?;
    out.write_all(b"free")?;
    let mut n_left = n_head as usize - 16;
    while n_left > 0 {
        let n = n_left.min(BLOCK.len());
        out.write_all(&BLOCK[..n])?;
        n_left -= n;
    }
    out.write_all(b"\0\0\0\0mdat")?;
    Ok(())
}

/// Builds the header of `mdat`, with a 64-bit size if 32 bits are not enough.
fn data_header(n_data: u64) -> Vec<u8> {
    match u32::try_from(n_data + 8) {
        Ok(size) => [&size.to_be_bytes()[..], b"mdat"].concat(),
        Err(_) => [
            &1u32.to_be_bytes()[..],
            b"mdat",
            &(n_data + 16).to_be_bytes(),
        ]
        .concat(),
    }
}
