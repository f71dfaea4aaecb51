//! The writer for pipes: an empty `moov`, then one fragment per group of pictures, without seeking (ISO/IEC 14496-12, 8.8).

use std::collections::VecDeque;
use std::io::Write;

use mp4_atom::{Encode, Ftyp, Mfhd, Moof, Tfdt, Tfhd, Traf, Trun, TrunEntry};

use super::clocks::Clocks;
use super::track::{AudioTrack, VideoTrack, internal};
use super::{Layout, moov};
use crate::bitstream::{AudioConfig, VideoConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Packet;
use crate::units::Time;

/// Writes a fragmented MP4 to an output that does not support seeking. A fragment is one group of pictures, from a key frame to the next, and the
/// sound that is decoded with it. It is written as soon as both are complete, so that a player at the other end can keep up.
///
/// Packets that are ahead of the other track wait in memory: pass packets in the order of their times.
#[derive(Debug)]
pub struct FragmentWriter<W: Write> {
    out: W,
    layout: Layout,
    configs: (VideoConfig, Option<AudioConfig>),
    clocks: Clocks,
    video: VideoTrack,
    audio: Option<AudioTrack>,
    /// The group under construction.
    open: Group,
    /// Complete groups whose sound has not arrived yet.
    complete: VecDeque<Group>,
    /// Packets of sound that are in no fragment yet.
    sounds: VecDeque<Packet>,
    n_fragments: u32,
}

/// Consecutive pictures of one fragment.
#[derive(Debug, Default)]
struct Group {
    first: usize,
    n_pictures: usize,
    data: Vec<u8>,
}

impl<W: Write> FragmentWriter<W> {
    /// Prepares the `moov`; nothing is written before the first picture.
    ///
    /// # Errors
    /// `Internal` when the layout is empty or does not match the configurations.
    pub fn new(
        out: W,
        layout: &Layout,
        video: VideoConfig,
        audio: Option<AudioConfig>,
    ) -> Result<Self> {
        let is_empty = layout.n_samples == Some(0) || layout.n_frames == 0;
        let is_silent = layout.n_samples.is_none();
        if is_empty || is_silent != audio.is_none() || (!is_silent && layout.packet_samples == 0) {
            return Err(internal(
                "the layout of the video is empty or contradicts itself",
            ));
        }
        Ok(FragmentWriter {
            out,
            configs: (video, audio),
            clocks: Clocks::new(layout.rate),
            video: VideoTrack::new(layout),
            audio: layout
                .n_samples
                .map(|n| AudioTrack::new(layout.packet_samples, n)),
            layout: layout.clone(),
            open: Group::default(),
            complete: VecDeque::new(),
            sounds: VecDeque::new(),
            n_fragments: 0,
        })
    }

    /// Adds the next video packet in decoding order. Both times must be whole frames, and each packet is decoded one frame after the last.
    ///
    /// # Errors
    /// `Encoder` when a packet is out of order, `Internal` when there are more than in the layout, `Io` when the output fails.
    pub fn video(&mut self, packet: Packet) -> Result<()> {
        let n = self.video.shown.len();
        self.video.admit(&packet)?;
        if n == 0 {
            self.write_head()?;
        } else if packet.is_sync {
            self.complete_group();
        }
        self.open.n_pictures += 1;
        self.open.data.extend_from_slice(&packet.data);
        self.write_due()
    }

    /// Adds the next audio packet.
    ///
    /// # Errors
    /// Same as [`FragmentWriter::video`].
    pub fn audio(&mut self, packet: Packet) -> Result<()> {
        let track = self
            .audio
            .as_mut()
            .ok_or_else(|| internal("an audio packet came, but the layout has no audio track"))?;
        track.admit(&packet)?;
        self.sounds.push_back(packet);
        self.write_due()
    }

    /// Writes what is left and returns the output, flushed.
    ///
    /// # Errors
    /// `Internal` when frames are missing, `Encoder` when samples are missing or a configuration has changed since the start, `Io` when the output fails.
    pub fn finish(mut self, video: &VideoConfig, audio: Option<&AudioConfig>) -> Result<W> {
        self.video.check_complete(self.layout.n_frames)?;
        if (video, audio) != (&self.configs.0, self.configs.1.as_ref()) {
            let message =
                "an encoder changed its configuration after the head of the stream was sent";
            return Err(Error::new(ErrorKind::Encoder, message));
        }
        if let (Some(track), Some(config)) = (&self.audio, audio) {
            // Returns an error when there is less sound than in the layout.
            track.trimmed_last(self.n_sound_needed(config))?;
        }
        self.complete_group();
        while let Some(group) = self.complete.pop_front() {
            let is_last = self.complete.is_empty();
            self.write_fragment(&group, is_last)?;
        }
        Ok(self.out)
    }

    fn complete_group(&mut self) {
        let next = Group {
            first: self.video.shown.len() - 1,
            ..Group::default()
        };
        self.complete
            .push_back(std::mem::replace(&mut self.open, next));
    }

    /// Writes every complete group whose sound has arrived.
    fn write_due(&mut self) -> Result<()> {
        while let Some(group) = self.complete.front() {
            let end = self.end_of(group);
            if self.audio.as_ref().is_some_and(|audio| audio.end() < end) {
                break;
            }
            let group = self.complete.pop_front().expect("there is a front");
            self.write_fragment(&group, false)?;
        }
        Ok(())
    }

    /// Returns the start of the next group.
    fn end_of(&self, group: &Group) -> Time {
        let next = group.first + group.n_pictures;
        self.layout.rate.time_of(next as u64)
    }

    fn write_head(&mut self) -> Result<()> {
        let ftyp = Ftyp {
            major_brand: (*b"iso6").into(),
            minor_version: 512,
            compatible_brands: moov::compatible_brands(&self.configs.0),
        };
        let (video, audio) = (&self.configs.0, self.configs.1.as_ref());
        let moov = moov::build_fragmented(&self.layout, self.video.lead, video, audio)?;
        let mut head = Vec::new();
        ftyp.encode(&mut head)
            .and_then(|()| moov.encode(&mut head))
            .map_err(|e| internal("the head of the stream cannot be encoded").with_source(e))?;
        self.send(&[&head])
    }

    /// Writes `moof` and `mdat` of a group with the sound that starts before the next one, or with all remaining sound.
    fn write_fragment(&mut self, group: &Group, is_last: bool) -> Result<()> {
        let end = self.end_of(group);
        let sounds = self.sounds.iter();
        let n_sounds = sounds
            .take_while(|sound| is_last || sound.pts < end)
            .count();
        let sounds: Vec<Packet> = self.sounds.drain(..n_sounds).collect();
        let mut traf = vec![self.video_traf(group)];
        if !sounds.is_empty() {
            traf.push(self.audio_traf(&sounds, is_last)?);
        }
        self.n_fragments += 1;
        let mut moof = Moof {
            mfhd: Mfhd {
                sequence_number: self.n_fragments,
            },
            traf,
        };
        // Offsets have a fixed length, so the size of the box is known before the offsets are.
        let n_head = encoded(&moof)?.len() + 8;
        let mut offset = n_head;
        for (traf, n_bytes) in moof.traf.iter_mut().zip([group.data.len(), 0]) {
            for run in &mut traf.trun {
                run.data_offset = Some(data_offset(offset)?);
            }
            offset += n_bytes;
        }
        let head = encoded(&moof)?;
        let n_sound_bytes: usize = sounds.iter().map(|sound| sound.data.len()).sum();
        let n_data = group.data.len() + n_sound_bytes + 8;
        let n_data = data_offset(n_data)? as u32;
        let data_header = [&n_data.to_be_bytes()[..], b"mdat"].concat();
        let mut parts = vec![&head[..], &data_header, &group.data];
        parts.extend(sounds.iter().map(|sound| &sound.data[..]));
        self.send(&parts)
    }

    fn video_traf(&self, group: &Group) -> Traf {
        let frame = i64::from(self.clocks.frame);
        let indexes = group.first..group.first + group.n_pictures;
        let offset = |i: usize| {
            (i64::from(self.video.shown[i]) + i64::from(self.video.lead) - i as i64) * frame
        };
        let is_reordered = indexes.clone().any(|i| offset(i) != 0);
        let entries = indexes.map(|i| TrunEntry {
            size: Some(self.video.samples.sizes[i]),
            flags: (i == group.first).then_some(moov::SYNC_SAMPLE),
            cts: is_reordered.then(|| offset(i)),
            duration: None,
        });
        let start = group.first as u64 * u64::from(self.clocks.frame);
        traf(moov::VIDEO_ID, start, entries.collect())
    }

    /// Returns the number of media samples up to the end of the sound.
    fn n_sound_needed(&self, config: &AudioConfig) -> u64 {
        u64::from(config.priming()) + self.layout.n_samples.unwrap_or(0)
    }

    /// Builds the `traf` of packets of sound; the very last packet is cut at the end of the sound.
    fn audio_traf(&self, sounds: &[Packet], is_last: bool) -> Result<Traf> {
        let (Some(track), Some(config)) = (&self.audio, &self.configs.1) else {
            return Err(internal("there is sound, but no track for it"));
        };
        let full = track.packet_samples();
        let mut lengths: Vec<u32> = sounds
            .iter()
            .map(|sound| sound.duration.as_samples() as u32)
            .collect();
        if let (true, Some(last)) = (is_last, lengths.last_mut()) {
            *last = track.trimmed_last(self.n_sound_needed(config))?;
        }
        let is_even = lengths.iter().all(|length| *length == full);
        let entries = sounds.iter().zip(lengths).map(|(sound, length)| TrunEntry {
            size: Some(sound.data.len() as u32),
            duration: (!is_even).then_some(length),
            ..TrunEntry::default()
        });
        let start = sounds.first().map_or(0, |sound| sound.pts.as_samples());
        let mut traf = traf(moov::AUDIO_ID, start as u64, entries.collect());
        traf.sbgp = vec![moov::roll_mapping(sounds.len() as u32)];
        Ok(traf)
    }

    fn send(&mut self, parts: &[&[u8]]) -> Result<()> {
        let written = parts
            .iter()
            .try_for_each(|part| self.out.write_all(part))
            .and_then(|()| self.out.flush());
        written.map_err(|e| {
            let what = match e.kind() {
                std::io::ErrorKind::BrokenPipe => {
                    "the program that reads the video closed the pipe"
                }
                _ => "the video cannot be written",
            };
            Error::new(ErrorKind::Io, what).with_source(e)
        })
    }
}

/// Builds a `traf` of one run of samples from `start` on the track's clock.
fn traf(track_id: u32, start: u64, entries: Vec<TrunEntry>) -> Traf {
    Traf {
        tfhd: Tfhd {
            track_id,
            default_base_is_moof: true,
            ..Tfhd::default()
        },
        tfdt: Some(Tfdt {
            base_media_decode_time: start,
        }),
        trun: vec![Trun {
            data_offset: Some(0),
            samples: entries.into(),
        }],
        ..Traf::default()
    }
}

fn encoded(moof: &Moof) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    moof.encode(&mut bytes)
        .map_err(|e| internal("the index of a fragment cannot be encoded").with_source(e))?;
    Ok(bytes)
}

/// Converts a position in a fragment to a field of 31 bits.
fn data_offset(position: usize) -> Result<i32> {
    i32::try_from(position).map_err(|_| internal("a fragment of more than 2 GiB cannot be written"))
}
