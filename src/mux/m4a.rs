//! The writer for sound only: AAC in an M4A file, `moov` first.

use std::io::{Seek, SeekFrom, Write};

use mp4_atom::{FourCC, Ftyp};

use super::moov;
use super::track::AudioTrack;
use super::writer::{fitted_head, head_around, sound_table_bytes, write_provisional_head};
use crate::bitstream::AudioConfig;
use crate::error::Result;
use crate::frame::Packet;

/// Writes one M4A. Space for `moov` is reserved at the start, so the file is never rewritten. The file starts at the output's current position.
#[derive(Debug)]
pub(crate) struct M4aWriter<W: Write + Seek> {
    out: W,
    base: u64,
    n_head: u64,
    n_data: u64,
    n_samples: u64,
    track: AudioTrack,
}

impl<W: Write + Seek> M4aWriter<W> {
    /// Reserves the head of a file of `n_samples` audible samples, in packets of `packet_samples`.
    ///
    /// # Errors
    /// `Internal` when there are none or too many, `Io` when the output fails.
    pub(crate) fn new(mut out: W, packet_samples: u32, n_samples: u64) -> Result<Self> {
        let n_head = head_around(sound_table_bytes(packet_samples, n_samples)?)?;
        let base = out.stream_position()?;
        write_provisional_head(&mut out, n_head)?;
        Ok(M4aWriter {
            out,
            base,
            n_head,
            n_data: 0,
            n_samples,
            track: AudioTrack::new(packet_samples, n_samples),
        })
    }

    /// Adds the next packet.
    ///
    /// # Errors
    /// `Encoder` when it is out of order, `Io` when the output fails.
    pub(crate) fn packet(&mut self, packet: Packet) -> Result<()> {
        self.track.push(packet)?;
        self.write_chunks()
    }

    fn write_chunks(&mut self) -> Result<()> {
        while let Some(chunk) = self.track.samples.take(self.n_head + self.n_data) {
            self.out.write_all(&chunk.data)?;
            self.n_data += chunk.data.len() as u64;
        }
        Ok(())
    }

    /// Writes what is left and the `moov` box; returns the output, flushed and positioned at the end of the file.
    ///
    /// # Errors
    /// `Encoder` when samples are missing or the configuration cannot be read, `Io` when the output fails.
    pub(crate) fn finish(mut self, config: &AudioConfig) -> Result<W> {
        self.track.samples.seal();
        self.write_chunks()?;
        let ftyp = Ftyp {
            major_brand: (*b"M4A ").into(),
            minor_version: 512,
            compatible_brands: [b"M4A ", b"isom", b"iso6", b"mp42"]
                .map(FourCC::from)
                .to_vec(),
        };
        let moov = moov::build_sound(&self.track, config, self.n_samples)?;
        let head = fitted_head(&ftyp, &moov, (self.n_head, self.n_data))?;
        self.out.seek(SeekFrom::Start(self.base))?;
        self.out.write_all(&head)?;
        let end = self.base + self.n_head + self.n_data;
        self.out.seek(SeekFrom::Start(end))?;
        self.out.flush()?;
        Ok(self.out)
    }
}
