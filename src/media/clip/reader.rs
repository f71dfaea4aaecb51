//! A clip's frames by index, exact in any order and quick in rising order.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bytes::Source;
use super::codec::Description;
use super::decoder::Decoder;
use super::frame::{ClipFrame, Picture};
use super::refuse::{damaged, guarded_clip, not_a_clip, unsupported};
use super::timing::{MAX_REORDERED, Shown, schedule};
use super::track::{Look, Track};
use super::{ClipFacts, ClipLimits, mp4, webm};
use crate::error;
use crate::media::refusal::Refusal;
use crate::media::{AssetRead, Assets, sniff};
use crate::units::Time;

/// Samples looked at for the first that decoding can start with.
const MAX_STARTS: usize = 1000;
/// A frame of more bytes is none of a clip within the limits.
const MAX_SAMPLE_BYTES: u32 = 64 << 20;
/// Pixels further from square than this are a mistake.
const MAX_PIXEL_ASPECT: u32 = 16;

/// Decodes frames by index. Rising order is quick; going back or far ahead starts again at the nearest picture that stands alone.
///
/// Holds the clip's index, the decoder, and decoded pictures that wait for their turn: at most 17.
pub struct ClipReader {
    /// For errors; empty when opened from a stream.
    name: String,
    source: Source,
    track: Track,
    shown: Vec<Shown>,
    facts: ClipFacts,
    about: Description,
    limits: ClipLimits,
    pixel_aspect: (u32, u32),
    /// First sample of the clip that decoding can start with.
    first: usize,
    decoder: Option<Decoder>,
    /// Sample that the decoder takes next.
    next: usize,
    /// Decoded pictures by sample, not yet asked for.
    waiting: BTreeMap<u32, Arc<ClipFrame>>,
    /// The picture decoded last.
    last: Option<Arc<ClipFrame>>,
    bytes: Vec<u8>,
}

impl ClipReader {
    /// Reads the index and the first picture's header; decodes nothing.
    pub(crate) fn open(
        stream: Box<dyn AssetRead>,
        limits: &ClipLimits,
    ) -> Result<ClipReader, Refusal> {
        let mut source = Source::open(stream, limits)?;
        let track = container(&mut source, limits)?;
        let (first, bytes) = first_start(&mut source, &track)?;
        let about = guarded_clip(|| track.coding.describe(&bytes, track.look.color, limits))?;
        let plan = schedule(&track.samples, first, (track.clock, &track.edits), limits)?;
        let pixel_aspect = pixel_aspect(about.pixel_aspect.or(track.look.pixel_aspect));
        let (width, height) = shown_size((about.width, about.height), pixel_aspect, &track.look);
        let facts = ClipFacts {
            width,
            height,
            starts: plan.shown.iter().map(|shown| shown.start).collect(),
            duration: plan.duration,
            codec: about.codec,
            has_sound: track.has_sound,
        };
        Ok(ClipReader {
            name: String::new(),
            source,
            track,
            shown: plan.shown,
            facts,
            about,
            limits: *limits,
            pixel_aspect,
            first,
            decoder: None,
            next: 0,
            waiting: BTreeMap::new(),
            last: None,
            bytes,
        })
    }

    /// Opens the clip behind a name.
    ///
    /// # Errors
    /// As [`super::probe`].
    pub fn of_asset(
        name: &str,
        assets: &dyn Assets,
        limits: &ClipLimits,
    ) -> error::Result<ClipReader> {
        let mut reader = super::open(name, assets)
            .and_then(|stream| ClipReader::open(stream, limits))
            .map_err(|refusal| refusal.error(name, ""))?;
        name.clone_into(&mut reader.name);
        Ok(reader)
    }

    /// The frame on the screen at `time`: that whose interval holds it; before the start the first, after the end the last.
    ///
    /// # Errors
    /// `Media`, naming the asset, when the frame or one that it needs cannot be decoded.
    pub fn frame_at(&mut self, time: Time) -> error::Result<Arc<ClipFrame>> {
        let index = self.facts.starts.partition_point(|start| *start <= time);
        self.frame(index.saturating_sub(1))
            .map_err(|refusal| refusal.error(&self.name, ""))
    }

    /// What is known of the clip.
    pub fn facts(&self) -> &ClipFacts {
        &self.facts
    }

    /// The frame that begins at `facts().starts[index]`; an index past the end gives the last.
    pub(crate) fn frame(&mut self, index: usize) -> Result<Arc<ClipFrame>, Refusal> {
        let index = index.min(self.shown.len() - 1);
        let Shown { start, sample } = self.shown[index];
        self.picture_of(sample).map_err(|refusal| Refusal {
            reason: format!("{} (frame {index}, at {start})", refusal.reason),
            ..refusal
        })
    }

    fn picture_of(&mut self, sample: u32) -> Result<Arc<ClipFrame>, Refusal> {
        let pts = |i: u32| self.track.samples[i as usize].pts;
        let wanted = pts(sample);
        let old = self.waiting.keys().filter(|&&i| pts(i) < wanted);
        for i in old.copied().collect::<Vec<_>>() {
            self.waiting.remove(&i);
        }
        if let Some(frame) = self.waiting.get(&sample) {
            return Ok(frame.clone());
        }
        self.approach(sample as usize)?;
        while self.next <= sample as usize {
            let decoded = self.decode_next(wanted);
            if decoded.is_err() {
                self.decoder = None;
            }
            decoded?;
        }
        let frame = self.last.clone();
        self.waiting
            .get(&sample)
            .cloned()
            // A sample without a picture of its own leaves the last one standing.
            .or(frame)
            .ok_or_else(|| damaged("it holds no picture"))
    }

    /// Makes the decoder ready for samples up to `sample`, from where it is or from a picture that stands alone.
    fn approach(&mut self, sample: usize) -> Result<(), Refusal> {
        const NEAR: usize = 2 * MAX_REORDERED;
        let is_on_the_way = self.decoder.is_some() && self.next <= sample;
        if is_on_the_way && sample - self.next < NEAR {
            return Ok(());
        }
        let least = if is_on_the_way { self.next } else { self.first };
        let mut start = None;
        for i in (least..=sample).rev() {
            if self.track.samples[i].is_sync {
                self.read(i)?;
                if self.track.coding.can_start(&self.bytes) {
                    start = Some(i);
                    break;
                }
            }
        }
        match start {
            None if is_on_the_way => return Ok(()),
            start => self.next = start.unwrap_or(self.first),
        }
        self.waiting.clear();
        self.last = None;
        let (coding, about, limits) = (&self.track.coding, &self.about, &self.limits);
        self.decoder = Some(guarded_clip(|| Decoder::new(coding, about, limits))?);
        Ok(())
    }

    fn read(&mut self, sample: usize) -> Result<(), Refusal> {
        let place = self.track.samples[sample];
        self.source
            .read_into(place.offset, u64::from(place.n_bytes), &mut self.bytes)
    }

    /// Decodes one sample. Pictures before `wanted` are only kept as the last.
    fn decode_next(&mut self, wanted: i64) -> Result<(), Refusal> {
        let sample = self.next;
        self.read(sample)?;
        let (decoder, bytes) = (&mut self.decoder, &self.bytes);
        let picture = guarded_clip(|| match decoder {
            Some(decoder) if !bytes.is_empty() => decoder.decode(bytes),
            _ => Ok(None),
        })?;
        self.next += 1;
        if let Some(picture) = picture {
            let frame = Arc::new(self.frame_of(picture));
            self.last = Some(frame.clone());
            if self.track.samples[sample].pts >= wanted {
                self.waiting.insert(sample as u32, frame);
            }
        }
        Ok(())
    }

    fn frame_of(&self, picture: Picture) -> ClipFrame {
        let orientation = self.track.look.orientation;
        ClipFrame {
            planes: picture.planes,
            subsampling: picture.subsampling,
            color: self.about.color,
            is_mirrored: orientation.is_mirrored,
            quarter_turns: orientation.quarter_turns,
            pixel_aspect: self.pixel_aspect,
        }
    }
}

/// Reads the container that the first bytes show.
fn container(source: &mut Source, limits: &ClipLimits) -> Result<Track, Refusal> {
    let head = source.head(sniff::HEAD_BYTES as u64)?;
    let track = match sniff::other_than_clip(&head) {
        Some(what) => return Err(not_a_clip(what)),
        None if mp4::is_mp4(&head) => mp4::read(source, limits)?,
        None if webm::is_webm(&head) => webm::read(source, limits)?,
        None if head.is_empty() => return Err(not_a_clip("empty (0 bytes)")),
        None => return Err(unsupported("is not a video clip of a known kind")),
    };
    let longest = track.samples.iter().map(|sample| sample.n_bytes).max();
    if longest > Some(MAX_SAMPLE_BYTES) {
        return Err(damaged(format_args!(
            "one of its frames would have more than {MAX_SAMPLE_BYTES} bytes"
        )));
    }
    Ok(track)
}

/// The first sample that decoding can start with, and its bytes; what comes before it cannot be shown.
fn first_start(source: &mut Source, track: &Track) -> Result<(usize, Vec<u8>), Refusal> {
    let mut bytes = Vec::new();
    let marked = track.samples.iter().enumerate();
    let marked = marked.filter(|(_, sample)| sample.is_sync && sample.n_bytes > 0);
    for (i, sample) in marked.take(MAX_STARTS) {
        source.read_into(sample.offset, u64::from(sample.n_bytes), &mut bytes)?;
        if track.coding.can_start(&bytes) {
            return Ok((i, bytes));
        }
    }
    Err(damaged("it has no keyframe that decoding could start with"))
}

/// In lowest terms; what cannot be meant is square.
pub(super) fn pixel_aspect(told: Option<(u32, u32)>) -> (u32, u32) {
    let Some((x, y)) = told.filter(|&(x, y)| x > 0 && y > 0) else {
        return (1, 1);
    };
    let (mut a, mut b) = (x, y);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    let (x, y) = (x / a, y / a);
    if x / y >= MAX_PIXEL_ASPECT || y / x >= MAX_PIXEL_ASPECT {
        return (1, 1);
    }
    (x, y)
}

/// Size with square pixels, upright: the side that pixels are longer on grows, so that none is lost.
pub(super) fn shown_size(stored: (u32, u32), (x, y): (u32, u32), look: &Look) -> (u32, u32) {
    let scaled = |side: u32, by: u32, over: u32| {
        let scaled = (u64::from(side) * u64::from(by) + u64::from(over / 2)) / u64::from(over);
        scaled as u32
    };
    let (width, height) = if x >= y {
        (scaled(stored.0, x, y), stored.1)
    } else {
        (stored.0, scaled(stored.1, y, x))
    };
    match look.orientation.quarter_turns & 1 {
        0 => (width, height),
        _ => (height, width),
    }
}
