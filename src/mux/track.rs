//! The sample tables of one track while packets arrive, and the chunks that wait to be written.

use std::collections::VecDeque;

use super::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Packet;
use crate::units::{FrameRate, Time};

/// Length of one chunk. Half a second keeps a player's seeks between the tracks short and costs 20 bytes of tables per chunk.
pub(crate) const CHUNK: Time = Time::from_millis(500);

/// Consecutive samples that are contiguous in the file.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) start: Time,
    pub(crate) data: Vec<u8>,
    pub(crate) n_samples: u32,
}

/// State common to both kinds of track.
#[derive(Debug)]
pub(crate) struct Samples {
    /// Name for messages.
    name: &'static str,
    max_samples: u64,
    /// Size of each sample in bytes.
    pub(crate) sizes: Vec<u32>,
    /// For each written chunk its offset in the file and its number of samples.
    pub(crate) chunks: Vec<(u64, u32)>,
    /// End of the last packet on the track's clock.
    end: Time,
    pending: Chunk,
    sealed: VecDeque<Chunk>,
    n_sealed_bytes: usize,
}

impl Samples {
    fn new(name: &'static str, max_samples: u64) -> Samples {
        Samples {
            name,
            max_samples,
            sizes: Vec::new(),
            chunks: Vec::new(),
            end: Time::ZERO,
            pending: Chunk::default(),
            sealed: VecDeque::new(),
            n_sealed_bytes: 0,
        }
    }

    /// Counts a packet of `n_bytes`.
    fn count(&mut self, n_bytes: usize) -> Result<()> {
        if self.sizes.len() as u64 >= self.max_samples {
            let n = self.max_samples;
            return Err(internal(format!(
                "more {} packets than the {n} that the layout allows",
                self.name
            )));
        }
        let size = u32::try_from(n_bytes).ok().filter(|size| *size > 0);
        let size =
            size.ok_or_else(|| self.refuse(format!("its size of {n_bytes} bytes is invalid")))?;
        self.sizes.push(size);
        Ok(())
    }

    /// Appends a counted packet that ends at `end` to the chunk under construction.
    fn keep(&mut self, data: Vec<u8>, end: Time) {
        if self.pending.data.is_empty() {
            self.pending.data = data;
        } else {
            self.pending.data.extend_from_slice(&data);
        }
        self.pending.n_samples += 1;
        self.end = end;
        if self.end - self.pending.start >= CHUNK {
            self.seal();
        }
    }

    /// Closes the chunk under construction.
    pub(crate) fn seal(&mut self) {
        let start = self.end;
        let chunk = std::mem::replace(
            &mut self.pending,
            Chunk {
                start,
                ..Chunk::default()
            },
        );
        if chunk.n_samples > 0 {
            self.n_sealed_bytes += chunk.data.len();
            self.sealed.push_back(chunk);
        }
    }

    /// Returns the start of the first chunk that can be written.
    pub(crate) fn ready(&self) -> Option<Time> {
        self.sealed.front().map(|chunk| chunk.start)
    }

    /// Returns the start of the chunk under construction; no chunk sealed later starts earlier.
    pub(crate) fn pending_start(&self) -> Time {
        self.pending.start
    }

    /// Returns the size in bytes of the waiting chunks.
    pub(crate) fn n_waiting_bytes(&self) -> usize {
        self.n_sealed_bytes
    }

    /// Removes the first waiting chunk, to be written at `offset` of the file.
    pub(crate) fn take(&mut self, offset: u64) -> Option<Chunk> {
        let chunk = self.sealed.pop_front()?;
        self.n_sealed_bytes -= chunk.data.len();
        self.chunks.push((offset, chunk.n_samples));
        Some(chunk)
    }

    fn refuse(&self, what: impl std::fmt::Display) -> Error {
        let n = self.sizes.len();
        Error::new(
            ErrorKind::Encoder,
            format!("{} packet {n} cannot be written: {what}", self.name),
        )
    }
}

/// The video track: a constant frame rate, any presentation order.
#[derive(Debug)]
pub(crate) struct VideoTrack {
    pub(crate) samples: Samples,
    rate: FrameRate,
    /// Number of frames by which decoding runs ahead: from the first decoding time to the first frame's presentation.
    pub(crate) lead: u32,
    /// Timeline index of each packet's frame.
    pub(crate) shown: Vec<u32>,
    /// Packets where decoding can start.
    pub(crate) sync: Vec<u32>,
}

impl VideoTrack {
    pub(crate) fn new(layout: &Layout) -> VideoTrack {
        VideoTrack {
            samples: Samples::new("video", layout.n_frames),
            rate: layout.rate,
            lead: 0,
            shown: Vec::new(),
            sync: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, packet: Packet) -> Result<()> {
        self.admit(&packet)?;
        let end = self.rate.time_of(self.shown.len() as u64);
        self.samples.keep(packet.data, end);
        Ok(())
    }

    /// Checks and counts the next packet; its bytes stay with the caller.
    pub(crate) fn admit(&mut self, packet: &Packet) -> Result<()> {
        let n = self.samples.sizes.len() as i64;
        let pts = self.frames(packet.pts)?;
        let dts = self.frames(packet.dts)?;
        if n == 0 {
            self.lead = u32::try_from(-dts)
                .map_err(|_| self.samples.refuse("the first decoding time is after 0 s"))?;
            if !packet.is_sync {
                return Err(self.samples.refuse("the first frame is not a key frame"));
            }
        }
        if dts != n - i64::from(self.lead) {
            let due = self.rate.frame_duration().0 * (n - i64::from(self.lead));
            return Err(self.samples.refuse(format!(
                "it is out of order, decoded at {} instead of {}",
                packet.dts,
                Time(due)
            )));
        }
        if pts < dts {
            return Err(self.samples.refuse(format!(
                "it is shown at {}, before it is decoded at {}",
                packet.pts, packet.dts
            )));
        }
        let shown = u32::try_from(pts).map_err(|_| {
            self.samples
                .refuse("it is shown before 0 s or impossibly late")
        })?;
        self.samples.count(packet.data.len())?;
        self.shown.push(shown);
        if packet.is_sync {
            self.sync.push(n as u32);
        }
        Ok(())
    }

    fn frames(&self, time: Time) -> Result<i64> {
        let step = self.rate.frame_duration().0;
        if time.0 % step != 0 {
            return Err(self.samples.refuse(format!(
                "its time {time} is not a whole number of frames at {} fps",
                self.rate
            )));
        }
        Ok(time.0 / step)
    }

    /// Checks that every frame arrived exactly once.
    pub(crate) fn check_complete(&self, n_frames: u64) -> Result<()> {
        if self.shown.len() as u64 != n_frames {
            let n = self.shown.len();
            return Err(internal(format!(
                "{n} video packets arrived, but the layout says {n_frames}"
            )));
        }
        let mut seen = vec![false; self.shown.len()];
        for &frame in &self.shown {
            match seen.get_mut(frame as usize) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => {
                    let message = format!("the video encoder returned frame {frame} twice");
                    return Err(Error::new(ErrorKind::Encoder, message));
                }
                None => {
                    let message = format!(
                        "the video encoder returned frame {frame}, beyond the last of {n_frames}"
                    );
                    return Err(Error::new(ErrorKind::Encoder, message));
                }
            }
        }
        Ok(())
    }
}

/// The audio track: packets of equal length without gaps; only the last may be shorter.
#[derive(Debug)]
pub(crate) struct AudioTrack {
    pub(crate) samples: Samples,
    packet_samples: u32,
    /// Sum of the packets' lengths in samples.
    pub(crate) n_coded: u64,
    /// Length of the last packet in samples.
    last: u32,
}

impl AudioTrack {
    /// Upper bound of the priming of every encoder in this engine, rounded up generously; the reserved space depends on it.
    const MAX_PRIMING: u64 = 8192;

    pub(crate) fn new(packet_samples: u32, n_samples: u64) -> AudioTrack {
        AudioTrack {
            samples: Samples::new("audio", Self::max_packets(packet_samples, n_samples)),
            packet_samples,
            n_coded: 0,
            last: packet_samples,
        }
    }

    /// Returns how many packets hold `n_samples` with priming and two packets of an encoder's padding.
    pub(crate) fn max_packets(packet_samples: u32, n_samples: u64) -> u64 {
        let n = n_samples.saturating_add(Self::MAX_PRIMING);
        n.div_ceil(u64::from(packet_samples)) + 2
    }

    pub(crate) fn push(&mut self, packet: Packet) -> Result<()> {
        self.admit(&packet)?;
        self.samples.keep(packet.data, self.end());
        Ok(())
    }

    /// Checks and counts the next packet; its bytes stay with the caller.
    pub(crate) fn admit(&mut self, packet: &Packet) -> Result<()> {
        let due = Time::from_samples(self.n_coded as i64);
        if packet.pts != due || self.last != self.packet_samples {
            return Err(self.samples.refuse(format!(
                "it is out of order or follows a short one, heard at {} instead of {due}",
                packet.pts
            )));
        }
        let n = packet.duration.as_samples();
        let n = u32::try_from(n).ok().filter(|n| {
            (1..=self.packet_samples).contains(n)
                && Time::from_samples(i64::from(*n)) == packet.duration
        });
        let n = n.ok_or_else(|| {
            self.samples.refuse(format!(
                "it lasts {} instead of 1 to {} whole samples",
                packet.duration, self.packet_samples
            ))
        })?;
        self.samples.count(packet.data.len())?;
        (self.n_coded, self.last) = (self.n_coded + u64::from(n), n);
        Ok(())
    }

    /// Returns the end of the last packet, including priming.
    pub(crate) fn end(&self) -> Time {
        Time::from_samples(self.n_coded as i64)
    }

    pub(crate) fn packet_samples(&self) -> u32 {
        self.packet_samples
    }

    /// Returns the length of the last packet, cut at the end of the sound: `n_needed` samples of the media are used.
    pub(crate) fn trimmed_last(&self, n_needed: u64) -> Result<u32> {
        let surplus = self.n_coded.checked_sub(n_needed).ok_or_else(|| {
            let n = self.n_coded;
            let message = format!(
                "the audio encoder returned {n} samples, but {n_needed} are needed including its priming"
            );
            Error::new(ErrorKind::Encoder, message)
        })?;
        let cut = surplus.min(u64::from(self.last.saturating_sub(1)));
        Ok(self.last - cut as u32)
    }
}

/// Creates the error for a violated contract between modules.
pub(crate) fn internal(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal, message)
}
