//! The writer for sound only: Opus in Ogg (RFC 3533, RFC 7845).

use std::io::Write;

use super::track::internal;
use crate::bitstream::AudioConfig;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Packet;
use crate::units::MIX_RATE_HZ;

/// Packets per page: one second, which keeps seeking precise and costs some 80 bytes.
const PAGE_PACKETS: usize = 50;

/// Maximum entries in a page's table: a packet has one for each 255 bytes and one for the rest.
const MAX_SEGMENTS: usize = 255;

/// Serial number of the stream. It only has to differ from other streams in the same file, and there are none.
const SERIAL: u32 = u32::from_le_bytes(*b"kino");

/// Flags of a page's header.
const FIRST_PAGE: u8 = 2;
const LAST_PAGE: u8 = 4;

/// Writes one Ogg Opus file, 48 kHz stereo.
#[derive(Debug)]
pub(crate) struct OggOpusWriter<W: Write> {
    out: W,
    /// Samples up to the end of the sound, including those that the player drops at the start.
    n_needed: u64,
    /// Samples in the packets so far.
    n_coded: u64,
    waiting: Vec<Packet>,
    /// Entries of the waiting packets in a page's table.
    n_segments: usize,
    n_pages: u32,
}

impl<W: Write> OggOpusWriter<W> {
    /// Writes the headers of a file of `n_samples` audible samples.
    ///
    /// # Errors
    /// `Encoder` when `config` is not for Opus, `Io` when the output fails.
    pub(crate) fn new(out: W, config: &AudioConfig, n_samples: u64) -> Result<Self> {
        let AudioConfig::Opus { pre_skip } = *config else {
            let message = "an Ogg Opus file can contain only Opus";
            return Err(Error::new(ErrorKind::Encoder, message));
        };
        let mut writer = OggOpusWriter {
            out,
            n_needed: u64::from(pre_skip) + n_samples,
            n_coded: 0,
            waiting: Vec::new(),
            n_segments: 0,
            n_pages: 0,
        };
        writer.page(FIRST_PAGE, 0, &[&identification(pre_skip)])?;
        writer.page(0, 0, &[&comments()])?;
        Ok(writer)
    }

    /// Adds the next packet.
    ///
    /// # Errors
    /// `Io` when the output fails.
    pub(crate) fn packet(&mut self, packet: Packet) -> Result<()> {
        let n_segments = packet.data.len() / 255 + 1;
        // The last page is written at the end because it carries a flag.
        if self.waiting.len() == PAGE_PACKETS || self.n_segments + n_segments > MAX_SEGMENTS {
            self.write_waiting(0)?;
        }
        self.n_segments += n_segments;
        self.waiting.push(packet);
        Ok(())
    }

    /// Writes what is left; returns the output, flushed.
    ///
    /// # Errors
    /// `Encoder` when samples are missing, `Io` when the output fails.
    pub(crate) fn finish(mut self) -> Result<W> {
        self.write_waiting(LAST_PAGE)?;
        if self.n_coded < self.n_needed {
            let (n, needed) = (self.n_coded, self.n_needed);
            let message = format!(
                "the audio encoder returned {n} samples, but {needed} are needed including its priming"
            );
            return Err(Error::new(ErrorKind::Encoder, message));
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_waiting(&mut self, flags: u8) -> Result<()> {
        let packets = std::mem::take(&mut self.waiting);
        self.n_segments = 0;
        let lengths = packets.iter().map(|packet| packet.duration.as_samples());
        self.n_coded += lengths.sum::<i64>() as u64;
        let data: Vec<&[u8]> = packets.iter().map(|packet| &packet.data[..]).collect();
        // Granule positions count samples at 48 kHz; the last one marks the end of the sound (RFC 7845, section 4).
        self.page(flags, self.n_coded.min(self.n_needed), &data)
    }

    /// Writes one page of whole packets (RFC 3533, section 6).
    fn page(&mut self, flags: u8, granule: u64, packets: &[&[u8]]) -> Result<()> {
        let mut segments = Vec::new();
        for packet in packets {
            segments.resize(segments.len() + packet.len() / 255, 255);
            segments.push((packet.len() % 255) as u8);
        }
        let n_segments = u8::try_from(segments.len())
            .map_err(|_| internal("a packet is too long for a page of Ogg"))?;
        let mut page = b"OggS\0".to_vec();
        page.push(flags);
        page.extend_from_slice(&granule.to_le_bytes());
        page.extend_from_slice(&SERIAL.to_le_bytes());
        page.extend_from_slice(&self.n_pages.to_le_bytes());
        page.extend_from_slice(&[0; 4]);
        page.push(n_segments);
        page.extend_from_slice(&segments);
        for packet in packets {
            page.extend_from_slice(packet);
        }
        let checksum = crc32(&page);
        page[22..26].copy_from_slice(&checksum.to_le_bytes());
        self.n_pages += 1;
        self.out.write_all(&page)?;
        Ok(())
    }
}

/// Builds `OpusHead` (RFC 7845, 5.1): version 1, stereo, no gain, channel mapping family 0.
fn identification(pre_skip: u16) -> Vec<u8> {
    let mut head = b"OpusHead\x01\x02".to_vec();
    head.extend_from_slice(&pre_skip.to_le_bytes());
    head.extend_from_slice(&MIX_RATE_HZ.to_le_bytes());
    head.extend_from_slice(&[0; 3]);
    head
}

/// Builds `OpusTags` (RFC 7845, 5.2): the vendor and no comments.
fn comments() -> Vec<u8> {
    const VENDOR: &str = concat!("kinora ", env!("CARGO_PKG_VERSION"));
    let mut tags = b"OpusTags".to_vec();
    tags.extend_from_slice(&(VENDOR.len() as u32).to_le_bytes());
    tags.extend_from_slice(VENDOR.as_bytes());
    tags.extend_from_slice(&[0; 4]);
    tags
}

/// Computes the checksum of a page: polynomial 0x04c11db7, not reflected, from 0, not inverted (RFC 3533, section 6).
fn crc32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |crc, byte| {
        let mut crc = crc ^ (u32::from(*byte) << 24);
        for _ in 0..8 {
            let carry = crc >> 31;
            crc = (crc << 1) ^ (carry * 0x04c1_1db7);
        }
        crc
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    fn packets(n: i64, n_bytes: usize) -> impl Iterator<Item = Packet> {
        (0..n).map(move |i| Packet {
            data: vec![i as u8; n_bytes],
            pts: Time::from_samples(960 * i),
            dts: Time::from_samples(960 * i),
            duration: Time::from_samples(960),
            is_sync: true,
        })
    }

    fn file(n_samples: u64, n: i64, n_bytes: usize) -> Result<Vec<u8>> {
        let config = AudioConfig::Opus { pre_skip: 312 };
        let mut writer = OggOpusWriter::new(Vec::new(), &config, n_samples)?;
        packets(n, n_bytes).try_for_each(|packet| writer.packet(packet))?;
        writer.finish()
    }

    /// Returns flags, granule position and packets of each page, and asserts its checksum and number.
    fn pages(mut file: &[u8]) -> Vec<(u8, u64, Vec<usize>)> {
        let mut pages = Vec::new();
        while !file.is_empty() {
            assert_eq!(&file[..5], b"OggS\0");
            let number = u32::from_le_bytes(file[18..22].try_into().unwrap());
            assert_eq!(number as usize, pages.len());
            let n_segments = usize::from(file[26]);
            let segments = &file[27..27 + n_segments];
            let n = 27 + n_segments + segments.iter().map(|n| usize::from(*n)).sum::<usize>();
            let mut page = file[..n].to_vec();
            page[22..26].fill(0);
            assert_eq!(crc32(&page).to_le_bytes(), file[22..26]);
            let mut sizes = vec![0];
            for segment in segments {
                *sizes.last_mut().unwrap() += usize::from(*segment);
                if *segment < 255 {
                    sizes.push(0);
                }
            }
            assert_eq!(sizes.pop(), Some(0), "a packet goes on in the next page");
            let granule = u64::from_le_bytes(file[6..14].try_into().unwrap());
            pages.push((file[5], granule, sizes));
            file = &file[n..];
        }
        pages
    }

    #[test]
    fn pages_hold_a_second_and_the_last_one_ends_with_the_sound() {
        let file = file(96_000, 101, 300).unwrap();
        let pages = pages(&file);
        let told: Vec<(u8, u64, usize)> = pages
            .iter()
            .map(|(flags, granule, sizes)| (*flags, *granule, sizes.len()))
            .collect();
        let due = [
            (2, 0, 1),
            (0, 0, 1),
            (0, 48_000, 50),
            (0, 96_000, 50),
            (4, 96_312, 1),
        ];
        assert_eq!(told, due);
        assert!(
            pages[2..]
                .iter()
                .all(|page| page.2.iter().all(|n| *n == 300))
        );
        assert!(file[28..].starts_with(b"OpusHead\x01\x02\x38\x01\x80\xbb\0\0\0\0\0"));
    }

    #[test]
    fn packets_of_255_bytes_end_in_their_page() {
        assert_eq!(pages(&file(960, 2, 255).unwrap())[2].2, [255, 255]);
    }

    #[test]
    fn large_packets_make_shorter_pages() {
        // Six segments each: 42 fit.
        let told = pages(&file(57_000, 60, 1275).unwrap());
        assert_eq!(
            told[2..]
                .iter()
                .map(|page| page.2.len())
                .collect::<Vec<_>>(),
            [42, 18]
        );
    }

    #[test]
    fn missing_samples_and_other_codecs_are_refused() {
        let error = file(96_000, 100, 300).unwrap_err();
        assert!(
            error.to_string().contains("96000 samples, but 96312"),
            "{error}"
        );
        let aac = AudioConfig::Aac {
            config: vec![],
            priming: 0,
            bitrate: 0,
        };
        assert!(OggOpusWriter::new(Vec::new(), &aac, 1).is_err());
    }
}
