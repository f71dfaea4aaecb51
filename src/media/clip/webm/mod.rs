//! WebM and Matroska files (RFC 9559): from elements to a track.
//!
//! Blocks are found by reading through the file, since cues are optional. Segments and clusters of unknown size, as recorders write them, are read the
//! same way: their elements simply follow.

mod ebml;
mod entry;

use super::ClipLimits;
use super::bytes::{Fields, Source};
use super::clock::Clock;
use super::refuse::{damaged, encrypted, too_large, unsupported};
use super::timing::Edit;
use super::track::{Sample, Track};
use crate::media::refusal::Refusal;
use ebml::{Header, Walk, elements, id, unsigned};
use entry::Entry;

/// Maximum number of elements per frame: a clip within the limits has a few for each frame of picture and sound.
const ELEMENTS_PER_FRAME: u64 = 16;
/// Maximum size of the track entries with their codecs' settings.
const MAX_TRACKS_BYTES: u64 = 16 << 20;

/// Returns whether a file starts like WebM and Matroska files.
pub(super) fn is_webm(head: &[u8]) -> bool {
    head.starts_with(&id::EBML.to_be_bytes())
}

/// Reads the positions of all frames of the first video track.
pub(super) fn read(source: &mut Source, limits: &ClipLimits) -> Result<Track, Refusal> {
    let n_bytes = source.n_bytes;
    let mut reader = Reader {
        scale_ns: 1_000_000,
        video: None,
        has_sound: false,
        cluster: 0,
        earliest: i64::MAX,
        is_own_block: false,
        samples: Vec::new(),
        limits,
    };
    let mut walk = Walk::start(&mut source.stream, n_bytes)?;
    let most = u64::from(limits.n_frames) * ELEMENTS_PER_FRAME;
    for _ in 0..most {
        match walk.next()? {
            Some(header) => reader.element(&mut walk, header)?,
            None => return reader.track(),
        }
    }
    Err(too_large(format!("has more than {most} parts")))
}

struct Reader<'a> {
    scale_ns: u64,
    video: Option<Entry>,
    has_sound: bool,
    /// Timestamp of the cluster.
    cluster: i64,
    /// Earliest timestamp of any track.
    earliest: i64,
    /// Whether the current block group belongs to the video track.
    is_own_block: bool,
    samples: Vec<Sample>,
    limits: &'a ClipLimits,
}

impl Reader<'_> {
    fn element(&mut self, walk: &mut Walk<'_>, header: Header) -> Result<(), Refusal> {
        match header.id {
            // Their elements come next.
            id::SEGMENT | id::CLUSTER | id::BLOCK_GROUP => return walk.check_inside(&header),
            _ => {}
        }
        let n = header
            .n_bytes
            .ok_or_else(|| damaged("one of its parts has no length"))?;
        match header.id {
            id::INFO | id::TRACKS => {
                if n > MAX_TRACKS_BYTES {
                    return Err(damaged("the description of its tracks is impossibly long"));
                }
                let body = walk.take(n)?;
                match header.id {
                    id::INFO => self.info(&body),
                    _ => self.tracks(&body),
                }
            }
            id::TIMESTAMP => {
                let stamp = unsigned(&walk.take(n.min(9))?)?;
                self.cluster = i64::try_from(stamp)
                    .ok()
                    .filter(|stamp| *stamp < 1 << 56)
                    .ok_or_else(|| damaged("a cluster starts at an impossible time"))?;
                Ok(())
            }
            id::SIMPLE_BLOCK | id::BLOCK => self.block(walk, header.id, n),
            id::BLOCK_DURATION if self.is_own_block => {
                let duration = unsigned(&walk.take(n.min(9))?)?;
                if let Some(sample) = self.samples.last_mut() {
                    sample.duration = i64::try_from(duration).unwrap_or(0).min(1 << 56);
                }
                Ok(())
            }
            id::REFERENCE_BLOCK if self.is_own_block => {
                if let Some(sample) = self.samples.last_mut() {
                    sample.is_sync = false;
                }
                walk.skip(n)
            }
            id::ENCRYPTED_BLOCK => Err(encrypted()),
            _ => walk.skip(n),
        }
    }

    fn info(&mut self, body: &[u8]) -> Result<(), Refusal> {
        for found in elements(body) {
            let (found_id, body) = found?;
            if found_id == id::TIMESTAMP_SCALE {
                self.scale_ns = unsigned(body)?;
            }
        }
        Ok(())
    }

    fn tracks(&mut self, body: &[u8]) -> Result<(), Refusal> {
        for found in elements(body) {
            let (found_id, body) = found?;
            if found_id != id::TRACK_ENTRY {
                continue;
            }
            match Entry::kind(body)? {
                entry::VIDEO if self.video.is_none() => self.video = Some(Entry::read(body)?),
                entry::SOUND => self.has_sound = true,
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads a block: track, time relative to the cluster, flags, then the frame (RFC 9559, 10.1).
    fn block(&mut self, walk: &mut Walk<'_>, kind: u32, n: u64) -> Result<(), Refusal> {
        const LACING: u8 = 0x06;
        const KEYFRAME: u8 = 0x80;
        let before = walk.position();
        walk.check_inside(&Header {
            id: kind,
            n_bytes: Some(n),
        })?;
        let number = walk.number()?;
        let mut rest = [0; 3];
        walk.fill(&mut rest)?;
        let mut fields = Fields(&rest);
        let pts = self.cluster + i64::from(fields.u16()? as i16);
        let flags = fields.u8()?;
        let offset = walk.position();
        let n_bytes = n
            .checked_sub(offset - before)
            .ok_or_else(|| damaged("a block is smaller than its header"))?;
        walk.skip(n_bytes)?;
        self.earliest = self.earliest.min(pts);
        let video = self.video.as_ref();
        self.is_own_block = video.is_some_and(|video| video.number == number);
        if !self.is_own_block {
            return Ok(());
        }
        if flags & LACING != 0 {
            return Err(unsupported("has several frames in one block (lacing)"));
        }
        if self.samples.len() >= self.limits.n_frames as usize {
            return Err(too_large(format!(
                "has more than {} frames",
                self.limits.n_frames
            )));
        }
        self.samples.push(Sample {
            offset,
            n_bytes: u32::try_from(n_bytes).unwrap_or(u32::MAX),
            // In a block group, a reference element decides instead.
            is_sync: kind == id::BLOCK || flags & KEYFRAME != 0,
            pts,
            duration: video.map_or(0, |video| video.frame_ns / self.scale_ns.max(1)) as i64,
        });
        Ok(())
    }

    fn track(self) -> Result<Track, Refusal> {
        let clock = Clock::nanoseconds(self.scale_ns)?;
        let Some(video) = self.video else {
            return Err(match self.has_sound {
                true => unsupported("has sound but no video track"),
                false => unsupported("has no video track"),
            });
        };
        if self.samples.is_empty() {
            return Err(damaged("its video track has no frames"));
        }
        Ok(Track {
            coding: video.coding,
            stripped: video.stripped,
            samples: self.samples,
            clock,
            // The clip starts with its earliest track.
            edits: vec![Edit {
                start: Some(self.earliest),
                length: None,
                unit: 0,
            }],
            look: video.look,
            has_sound: self.has_sound,
        })
    }
}
