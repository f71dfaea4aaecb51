//! Random access to a clip's frames by index: exact in any order, fast in ascending order.

mod beyond;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::avc_parts::Parts;
use super::bytes::Source;
use super::codec::Description;
use super::decoder::{self, Decoder};
use super::frame::{ClipFrame, Picture};
use super::refuse::{damaged, guarded_clip, not_a_clip, too_many_lost, unsupported};
use super::timing::{MAX_REORDERED, Shown, schedule};
use super::track::{Look, Track};
use super::{ClipFacts, ClipLimits, animation, mp4, webm};
use crate::error;
use crate::media::refusal::{Refusal, guarded};
use crate::media::{AssetRead, Assets, sniff};
use crate::units::Time;

/// Maximum number of samples searched for the first one where decoding can start.
const MAX_STARTS: usize = 1000;
/// Maximum size of a frame in bytes; no clip within the limits needs more.
const MAX_SAMPLE_BYTES: u32 = 64 << 20;
/// Maximum pixel aspect ratio; more extreme values are treated as errors.
const MAX_PIXEL_ASPECT: u32 = 16;

/// A clip counts as broken when this many samples in a row are lost (two seconds of most clips) and more were lost than decoded.
const MAX_LOST: usize = 50;
/// Number of earlier starting points that are tried to find a substitute picture, when a position after broken frames is requested.
const MAX_EARLIER: usize = 4;

/// Decodes frames by index. Ascending order is fast; going back or far ahead restarts at the nearest picture that can be decoded on its own.
///
/// A frame that cannot be decoded is lost, and so are those that refer to it, up to the next picture that can be decoded on its own. The last good
/// frame before them stays on screen, or at the start of the clip the next good one. Holds the clip's index, the decoder, and at most 18 decoded pictures
/// that wait for their turn.
pub struct ClipReader {
    /// Name for errors; empty when opened from a stream.
    name: String,
    source: Source,
    track: Track,
    shown: Vec<Shown>,
    facts: ClipFacts,
    about: Description,
    limits: ClipLimits,
    pixel_aspect: (u32, u32),
    /// First sample of the clip where decoding can start.
    first: usize,
    decoder: Option<Decoder>,
    /// Sample at which the decoder started.
    begun: usize,
    /// Next sample for the decoder.
    next: usize,
    /// Decoded pictures by sample, not yet requested.
    waiting: BTreeMap<u32, Arc<ClipFrame>>,
    /// The latest picture that is shown before all waiting ones, and its time.
    before: Option<(i64, Arc<ClipFrame>)>,
    /// Samples that could not be decoded.
    lost: BTreeSet<u32>,
    /// Length of the current run of lost samples.
    n_lost_in_row: usize,
    /// Why the first of them could not be decoded.
    cause: Option<Refusal>,
    /// Pictures shown from here on do not depend on lost ones; `None` until the next one that can be decoded on its own.
    trusted_from: Option<i64>,
    /// Set if another decoder takes over the parts that this one cannot handle; every sample is checked for them.
    watched: Option<Parts>,
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
        decoder::check_there(&track.coding)?;
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
            begun: 0,
            next: 0,
            waiting: BTreeMap::new(),
            before: None,
            lost: BTreeSet::new(),
            n_lost_in_row: 0,
            cause: None,
            trusted_from: Some(i64::MIN),
            watched: None,
            bytes,
        })
    }

    /// Opens a named clip.
    ///
    /// # Errors
    /// Same as [`super::probe`].
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

    /// Returns the frame on screen at `time`, whose interval contains it; before the start the first frame, after the end the last one.
    ///
    /// # Errors
    /// `Media`, naming the asset, when nothing of the clip can be decoded, or 50 frames in a row cannot and more frames failed than succeeded.
    pub fn frame_at(&mut self, time: Time) -> error::Result<Arc<ClipFrame>> {
        let index = self.facts.starts.partition_point(|start| *start <= time);
        self.frame(index.saturating_sub(1))
            .map_err(|refusal| refusal.error(&self.name, ""))
    }

    /// Returns the facts of the clip.
    pub fn facts(&self) -> &ClipFacts {
        &self.facts
    }

    /// Returns the frame that begins at `facts().starts[index]`; an index past the end gives the last one.
    pub(crate) fn frame(&mut self, index: usize) -> Result<Arc<ClipFrame>, Refusal> {
        let index = index.min(self.shown.len() - 1);
        let Shown { start, sample } = self.shown[index];
        self.picture_of(sample).map_err(|refusal| Refusal {
            reason: format!("{} (frame {index}, at {start})", refusal.reason),
            ..refusal
        })
    }

    /// Returns whether the frame of that index was lost when it was requested, and another one is shown instead.
    pub(crate) fn is_lost(&self, index: usize) -> bool {
        let shown = self.shown.get(index);
        shown.is_some_and(|shown| self.lost.contains(&shown.sample))
    }

    fn picture_of(&mut self, sample: u32) -> Result<Arc<ClipFrame>, Refusal> {
        let wanted = self.pts(sample);
        let old = self.waiting.keys().copied();
        let old: Vec<u32> = old.filter(|&i| self.pts(i) < wanted).collect();
        for i in old {
            if let Some(frame) = self.waiting.remove(&i) {
                self.keep_before(self.pts(i), frame);
            }
        }
        // After going back, the kept picture may be ahead.
        self.before.take_if(|(pts, _)| *pts >= wanted);
        if let Some(frame) = self.waiting.get(&sample) {
            return Ok(frame.clone());
        }
        self.approach(sample as usize)?;
        self.decode_until(sample as usize, wanted)?;
        if let Some(frame) = self.waiting.get(&sample) {
            return Ok(frame.clone());
        }
        self.stand_in(sample as usize, wanted)
    }

    /// Returns a substitute for a sample without a picture: the picture before it, or at the start the next one.
    fn stand_in(&mut self, sample: usize, wanted: i64) -> Result<Arc<ClipFrame>, Refusal> {
        for _ in 0..MAX_EARLIER {
            if self.before.is_some() || self.begun == self.first {
                break;
            }
            let start = self.start_in(self.first..self.begun)?;
            self.begin(start.unwrap_or(self.first))?;
            self.decode_until(sample, wanted)?;
        }
        if let Some((_, frame)) = &self.before {
            return Ok(frame.clone());
        }
        while self.waiting.is_empty() && self.next < self.track.samples.len() {
            self.decode_next(wanted)?;
        }
        let soonest = self.waiting.iter().min_by_key(|(i, _)| self.pts(**i));
        soonest
            .map(|(_, frame)| frame.clone())
            .ok_or_else(|| damaged("none of its pictures can be decoded"))
    }

    fn pts(&self, sample: u32) -> i64 {
        self.track.samples[sample as usize].pts
    }

    fn keep_before(&mut self, pts: i64, frame: Arc<ClipFrame>) {
        if self.before.as_ref().is_none_or(|(kept, _)| *kept < pts) {
            self.before = Some((pts, frame));
        }
    }

    fn decode_until(&mut self, sample: usize, wanted: i64) -> Result<(), Refusal> {
        while self.next <= sample {
            self.decode_next(wanted)?;
        }
        Ok(())
    }

    /// Prepares the decoder for samples up to `sample`, from its current position or from a picture that can be decoded on its own.
    fn approach(&mut self, sample: usize) -> Result<(), Refusal> {
        const NEAR: usize = 2 * MAX_REORDERED;
        let is_on_the_way = self.decoder.is_some() && self.next <= sample;
        if is_on_the_way && sample - self.next < NEAR {
            return Ok(());
        }
        let least = if is_on_the_way { self.next } else { self.first };
        match self.start_in(least..sample + 1)? {
            None if is_on_the_way => Ok(()),
            start => self.begin(start.unwrap_or(self.first)),
        }
    }

    /// Returns the last sample in a range where decoding can start.
    fn start_in(&mut self, range: Range<usize>) -> Result<Option<usize>, Refusal> {
        for i in range.rev() {
            if self.track.samples[i].is_sync {
                self.read(i)?;
                if self.track.coding.can_start(&self.bytes) {
                    return Ok(Some(i));
                }
            }
        }
        Ok(None)
    }

    /// Starts decoding at `sample`.
    fn begin(&mut self, sample: usize) -> Result<(), Refusal> {
        (self.begun, self.next) = (sample, sample);
        self.waiting.clear();
        self.before = None;
        self.n_lost_in_row = 0;
        self.trusted_from = Some(i64::MIN);
        self.decoder = Some(self.new_decoder()?);
        Ok(())
    }

    fn new_decoder(&self) -> Result<Decoder, Refusal> {
        guarded_clip(|| Decoder::new(&self.track.coding, &self.about, &self.limits))
    }

    fn read(&mut self, sample: usize) -> Result<(), Refusal> {
        self.read_start(sample, u32::MAX)
    }

    /// Reads at most `most` bytes of a sample.
    fn read_start(&mut self, sample: usize, most: u32) -> Result<(), Refusal> {
        let (source, bytes) = (&mut self.source, &mut self.bytes);
        read_sample(source, &self.track, (sample, most), bytes)
    }

    /// Decodes one sample. Only the latest of the pictures before `wanted` is kept.
    fn decode_next(&mut self, wanted: i64) -> Result<(), Refusal> {
        let sample = self.next;
        self.read(sample)?;
        self.next += 1;
        let (is_sync, pts) = (self.track.samples[sample].is_sync, self.pts(sample as u32));
        self.check_parts()?;
        if self.decoder.is_none() && is_sync && self.track.coding.can_start(&self.bytes) {
            self.decoder = Some(self.new_decoder()?);
        }
        let (decoder, bytes) = (&mut self.decoder, &self.bytes);
        let decoded = guarded(|| match decoder {
            Some(_) if bytes.is_empty() => Ok(None),
            Some(decoder) => decoder.decode(bytes),
            None => Err(damaged("the frame that its frames refer to is lost")),
        });
        match decoded {
            Ok(None) => Ok(()),
            Ok(Some(picture)) => {
                if is_sync && self.trusted_from.is_none() {
                    self.trusted_from = Some(pts);
                }
                if self.trusted_from.is_none_or(|from| pts < from) {
                    return self.lose(
                        sample as u32,
                        damaged("the frame that it refers to is lost"),
                    );
                }
                self.n_lost_in_row = 0;
                self.take(sample as u32, picture, wanted);
                Ok(())
            }
            Err(refusal) => {
                // After a panic the decoder cannot be trusted; after a lost reference its output cannot.
                if refusal.code != "damaged_clip" {
                    (self.decoder, self.trusted_from) = (None, None);
                } else if self.track.coding.is_reference(&self.bytes) {
                    self.trusted_from = None;
                }
                self.lose(sample as u32, refusal)
            }
        }
    }

    /// Keeps a decoded picture if it is shown at `wanted` or later, or is the latest before that.
    fn take(&mut self, sample: u32, picture: Picture, wanted: i64) {
        let (frame, pts) = (Arc::new(self.frame_of(picture)), self.pts(sample));
        if pts >= wanted {
            self.waiting.insert(sample, frame);
        } else {
            self.keep_before(pts, frame);
        }
    }

    /// Continues without a sample if only that one is damaged.
    fn lose(&mut self, sample: u32, refusal: Refusal) -> Result<(), Refusal> {
        if !matches!(refusal.code, "damaged_clip" | "damaged_picture") {
            return Err(refusal);
        }
        if self.n_lost_in_row == 0 {
            self.cause = Some(refusal);
        }
        self.lost.insert(sample);
        self.n_lost_in_row += 1;
        let n_seen = self.next - self.first;
        match &self.cause {
            Some(cause) if self.n_lost_in_row >= MAX_LOST && self.lost.len() * 2 > n_seen => {
                self.decoder = None;
                Err(too_many_lost(self.n_lost_in_row, cause))
            }
            _ => Ok(()),
        }
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

/// Reads the container, detected by the first bytes.
fn container(source: &mut Source, limits: &ClipLimits) -> Result<Track, Refusal> {
    let head = source.head(sniff::HEAD_BYTES as u64)?;
    if let Some(track) = animation::read(source, &head, limits)? {
        return Ok(track);
    }
    let track = match sniff::other_than_clip(&head) {
        Some(what) => return Err(not_a_clip(what)),
        None if mp4::is_mp4(&head) => mp4::read(source, limits)?,
        None if webm::is_webm(&head) => webm::read(source, limits)?,
        None if head.is_empty() => return Err(not_a_clip("empty (0 bytes)")),
        None => {
            return Err(unsupported(match sniff::other_clip(&head) {
                Some(what) => format!("is {what}, which is not supported"),
                None => "is not a video clip of a known kind".to_owned(),
            }));
        }
    };
    let longest = track.samples.iter().map(|sample| sample.n_bytes).max();
    if longest > Some(MAX_SAMPLE_BYTES) {
        return Err(damaged(format_args!(
            "one of its frames would have more than {MAX_SAMPLE_BYTES} bytes"
        )));
    }
    Ok(track)
}

/// Reads the bytes of a sample, up to a limit, and restores the ones that its container left out.
fn read_sample(
    source: &mut Source,
    track: &Track,
    (sample, most): (usize, u32),
    bytes: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let place = track.samples[sample];
    source.read_into(place.offset, u64::from(place.n_bytes.min(most)), bytes)?;
    bytes.splice(0..0, track.stripped.iter().copied());
    Ok(())
}

/// Returns the first sample where decoding can start, and its bytes; earlier samples cannot be shown.
fn first_start(source: &mut Source, track: &Track) -> Result<(usize, Vec<u8>), Refusal> {
    let mut bytes = Vec::new();
    let marked = track.samples.iter().enumerate();
    let marked = marked.filter(|(_, sample)| sample.is_sync && sample.n_bytes > 0);
    for (i, _) in marked.take(MAX_STARTS) {
        read_sample(source, track, (i, u32::MAX), &mut bytes)?;
        if track.coding.can_start(&bytes) {
            return Ok((i, bytes));
        }
    }
    Err(damaged("it has no key frame where decoding could start"))
}

/// Reduces to lowest terms; implausible ratios become square.
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

/// Returns the upright size with square pixels: the side along which pixels are longer grows, so that no pixel is lost.
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
