//! Reads a clip's frames by index with the machine's ffmpeg: each picture comes with its time, so that the right one is known even after a seek.

use std::io;
use std::sync::Arc;

use super::Ffmpeg;
use super::child::{Child, Limits, Stop};
use super::describe::{Hdr, Look};
use super::input::{self, Input};
use super::probe::{self, Frame, Listing, Stream};
use super::programs::Programs;
use super::stamps::{Packet, packets};
use super::{INSTALL, filters};
use crate::facts::{ClipCodec, ClipFacts};
use crate::media::Assets;
use crate::media::clip::{
    ClipFrame, ClipLimits, Plane, Stamp, check_size, shown_when, square_size,
};
use crate::media::refusal::Refusal;
use crate::units::Time;

/// Code of an error that only says that ffmpeg failed too.
pub(crate) const NOT_READ: &str = "not_read_by_ffmpeg";
/// Maximum difference in microseconds between times of the same picture, due to rounding.
const TOLERANCE: i64 = 2;
/// Distance in microseconds beyond which a picture is reached by seeking rather than decoding, if a keyframe is in between.
const NEAR: i64 = 1_000_000;
/// How much earlier a seek is retried if the first one came too late, in microseconds.
const EARLIER: i64 = 10_000_000;
/// Maximum threads of its decoder: each takes address space, which is limited.
const MAX_THREADS: usize = 4;

/// A clip that is read by ffmpeg. Ascending order is fast; going back or far ahead starts another child.
#[derive(Debug)]
pub(crate) struct ForeignClip {
    input: Input,
    ffmpeg: Ffmpeg,
    known: Facts,
    told: String,
    run: Option<Run>,
}

/// Everything that is known before a picture is requested.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    source: Arc<Source>,
    clip: ClipFacts,
    /// Notes for the user: what the clip is, and how it is read.
    told: [String; 2],
    /// Limits that applied when it was examined.
    limits: ClipLimits,
}

/// Facts about the stream.
#[derive(Debug)]
struct Source {
    stream: u32,
    look: Look,
    pixel_aspect: (u32, u32),
    /// Start of the file in microseconds: seeks are relative to it.
    start: i64,
    /// Presentation time of each shown picture, from its packet, in microseconds.
    stamps: Vec<i64>,
    /// Presentation times of keyframes, ascending.
    keys: Vec<i64>,
}

/// A picture and its presentation time, in microseconds.
type Stamped = (i64, Arc<ClipFrame>);

/// A child that is decoding.
#[derive(Debug)]
struct Run {
    child: Child,
    /// Whether it began with the file's first picture.
    is_from_start: bool,
    shown: Option<Stamped>,
    next: Option<Stamped>,
    is_over: bool,
}

impl ForeignClip {
    /// Opens a named clip and reads its facts, if they are not known yet. Only its first picture is decoded. `stop` ends every wait.
    pub(crate) fn open(
        name: &str,
        (assets, stop): (&dyn Assets, &Stop),
        ffmpeg: &Ffmpeg,
    ) -> Result<ForeignClip, Refusal> {
        let limits = assets.clip_limits();
        let programs = ffmpeg
            .programs()
            .map_err(|why| not_read(why).hint(INSTALL))?;
        let input = Input::open(name, (assets, stop), limits.file_bytes)
            .map_err(not_read)?
            .ok_or_else(|| {
                let most = limits.file_bytes;
                Refusal::new("too_large", format!("has more than {most} bytes"))
            })?;
        let known = ffmpeg.clips.of(
            input.identity(),
            |known| known.limits == limits,
            || Facts::of(&input, programs, limits),
        )?;
        Ok(ForeignClip {
            input,
            ffmpeg: ffmpeg.clone(),
            told: known.told.join("; "),
            known,
            run: None,
        })
    }

    pub(crate) fn facts(&self) -> &ClipFacts {
        &self.known.clip
    }

    /// Returns a note for the user, to follow the file's name.
    pub(crate) fn told(&self) -> &str {
        &self.told
    }

    /// Changes the note: `why` kinora does not read the clip replaces what the clip is.
    pub(crate) fn blame(&mut self, why: &str) {
        self.told = format!("{why}; {}", self.known.told[1]);
    }

    /// Returns the frame on screen at `time`, whose interval contains it; before the start the first frame, after the end the last one.
    pub(crate) fn frame_at(&mut self, time: Time) -> Result<Arc<ClipFrame>, Refusal> {
        let index = self
            .known
            .clip
            .starts
            .partition_point(|start| *start <= time);
        let index = index.saturating_sub(1);
        self.picture_at(self.known.source.stamps[index]).map_err(|e| {
            let start = self.known.clip.starts[index];
            Refusal::new(
                "damaged_clip",
                format!(
                    "cannot be decoded by this machine's ffmpeg: {e} (frame {index}, at {start})"
                ),
            )
        })
    }

    fn picture_at(&mut self, wanted: i64) -> io::Result<Arc<ClipFrame>> {
        let is_near = self.run.as_ref().is_some_and(|run| {
            let at = run.shown.as_ref().map(|(stamp, _)| *stamp);
            at.is_some_and(|at| {
                at <= wanted + TOLERANCE && !self.known.source.is_sooner_by_seek(at, wanted)
            })
        });
        if is_near && let Some(found) = self.found(wanted)? {
            return Ok(found);
        }
        // The precision of a seek depends on the file's writer: try the keyframe, then well before it, then the start.
        for from in [Some(wanted), Some(wanted - EARLIER), None] {
            self.run = None;
            self.run = Some(self.start((from, wanted))?);
            if let Some(found) = self.found(wanted)? {
                return Ok(found);
            }
        }
        Err(io::Error::other("it has no picture for this time"))
    }

    fn found(&mut self, wanted: i64) -> io::Result<Option<Arc<ClipFrame>>> {
        let (Some(run), source) = (&mut self.run, &self.known.source) else {
            return Ok(None);
        };
        let found = run.picture_at(wanted, source);
        if found.is_err() {
            self.run = None;
        }
        found
    }

    /// Starts a child that decodes from the last keyframe at or before `from`, and outputs pictures from `from` on.
    fn start(&self, (from, wanted): (Option<i64>, i64)) -> io::Result<Run> {
        let programs = self.ffmpeg.programs().map_err(io::Error::other)?;
        let source = &self.known.source;
        let n_before = source.keys.partition_point(|key| Some(*key) <= from);
        // Seeking to the first keyframe is unnecessary.
        let key = source.keys[..n_before].get(1..).and_then(<[i64]>::last);
        let first_given = match (from, key) {
            (Some(from), _) => from - TOLERANCE,
            (None, _) => wanted - EARLIER,
        };
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
        let n_threads = n_threads.min(MAX_THREADS).to_string();
        let mut arguments = words(
            "-hide_banner -nostdin -loglevel error -noautorotate -noaccurate_seek -copyts -threads",
        );
        arguments.push(n_threads);
        arguments.extend(probe::formats());
        if let Some(key) = key {
            let secs = (key - source.start) as f64 / 1e6;
            arguments.extend(["-ss".to_owned(), format!("{secs:.6}")]);
        }
        arguments.extend(["-i", input::NAME, "-map"].map(str::to_owned));
        arguments.push(format!("0:{}", source.stream));
        arguments.extend(words("-an -sn -dn -vf"));
        arguments.push(filters::chain(
            &source.look,
            Some(first_given),
            programs.has_zscale,
        ));
        arguments.extend([programs.passes_frames_with(), "passthrough"].map(str::to_owned));
        arguments.extend(words("-f rawvideo -c:v rawvideo -pix_fmt"));
        arguments.push(filters::format(source.look.subsampling).to_owned());
        arguments.push("pipe:1".to_owned());
        let limits = Limits::decode(self.known.clip.duration.as_secs());
        let file = Some(self.input.for_child()?);
        let stop = self.input.stop().clone();
        Ok(Run {
            child: Child::start(&programs.ffmpeg, &arguments, file, (limits, stop))?,
            is_from_start: key.is_none() && first_given <= source.stamps[0],
            shown: None,
            next: None,
            is_over: false,
        })
    }
}

impl Facts {
    fn of(input: &Input, programs: &Programs, limits: ClipLimits) -> Result<Facts, Refusal> {
        let listing = Listing::of(input, programs).map_err(not_read)?;
        let stream = listing.video().ok_or_else(|| not_read("no video track"))?;
        check_size(stream.width, stream.height, &limits)?;
        let frame = probe::first_frame(stream.index, input, programs)
            .map_err(not_read)?
            .ok_or_else(|| not_read("none of its pictures can be decoded"))?;
        check_size(frame.width, frame.height, &limits)?;
        let look = Look::of(stream, &frame).map_err(|why| Refusal::new("unsupported_clip", why))?;
        let found = packets(stream.index, limits.n_frames as usize, input, programs)
            .map_err(not_read)?
            .ok_or_else(|| {
                let most = limits.n_frames;
                Refusal::new("too_large", format!("has more than {most} frames"))
            })?;
        let told = told(&listing, stream, &look, programs);
        let (clip, source) = source(&listing, (stream, &frame), (look, &found), &limits)?;
        Ok(Facts {
            source: Arc::new(source),
            clip,
            told,
            limits,
        })
    }
}

impl Source {
    /// Returns whether a keyframe far enough after `at` leads to `wanted`.
    fn is_sooner_by_seek(&self, at: i64, wanted: i64) -> bool {
        let n = self.keys.partition_point(|key| *key <= wanted);
        let key = self.keys[..n].last();
        key.is_some_and(|key| key - at > NEAR)
    }
}

impl Run {
    /// Returns the last picture presented at or before `wanted`; `None` when all begin later, so that it precedes what this run decodes.
    fn picture_at(&mut self, wanted: i64, source: &Source) -> io::Result<Option<Arc<ClipFrame>>> {
        loop {
            if let Some((stamp, frame)) = &self.shown
                && stamp.abs_diff(wanted) <= TOLERANCE as u64
            {
                return Ok(Some(frame.clone()));
            }
            if self.next.is_none() && !self.is_over {
                self.next = self.read(source)?;
                self.is_over = self.next.is_none();
            }
            match (&self.next, &self.shown) {
                (Some((stamp, _)), _) if *stamp <= wanted + TOLERANCE => {
                    self.shown = self.next.take();
                }
                (_, Some((_, shown))) => return Ok(Some(shown.clone())),
                (Some((_, first)), None) if self.is_from_start => return Ok(Some(first.clone())),
                (_, None) => return Ok(None),
            }
        }
    }

    /// Reads the next picture; returns `None` at the end.
    fn read(&mut self, source: &Source) -> io::Result<Option<Stamped>> {
        let look = &source.look;
        let chroma = look.subsampling.chroma_size(look.size);
        let mut planes: [Plane; 3] = Default::default();
        for (i, plane) in planes.iter_mut().enumerate() {
            (plane.width, plane.height) = if i == 0 { look.size } else { chroma };
            plane.data = vec![0; plane.width as usize * plane.height as usize];
            let is_there = self.child.read_exact(&mut plane.data)?;
            match (is_there, i) {
                (true, _) => {}
                (false, 0) => return self.child.finish().map(|()| None),
                (false, _) => {
                    return Err(io::Error::other("ffmpeg returned only part of a picture"));
                }
            }
        }
        let stamp = self.child.next_stamp()?;
        let frame = ClipFrame {
            planes,
            subsampling: look.subsampling,
            color: look.color,
            is_mirrored: look.is_mirrored,
            quarter_turns: look.quarter_turns,
            pixel_aspect: source.pixel_aspect,
        };
        Ok(Some((stamp, Arc::new(frame))))
    }
}

/// Creates the error for a clip that ffmpeg cannot read either; never shown alone.
fn not_read(why: impl ToString) -> Refusal {
    Refusal {
        code: NOT_READ,
        reason: why.to_string(),
        hint: None,
    }
}

fn words(options: &str) -> Vec<String> {
    options.split(' ').map(str::to_owned).collect()
}

/// Builds the facts, and the index of pictures, from packets.
fn source(
    listing: &Listing,
    (stream, frame): (&Stream, &Frame),
    (look, found): (Look, &[Packet]),
    limits: &ClipLimits,
) -> Result<(ClipFacts, Source), Refusal> {
    let (num, den) = stream
        .time_base()
        .ok_or_else(|| not_read("its time unit is unknown"))?;
    let (packets, stamps) = stamps(found, frame.best_effort_timestamp);
    let (shown, duration) = shown_when(&stamps, (num, den), limits)?;
    let micros = |units: i64| {
        let scaled = i128::from(units) * i128::from(num) * 1_000_000;
        let (den, half) = (i128::from(den), i128::from(den / 2));
        (scaled + half).div_euclid(den).clamp(-(1 << 60), 1 << 60) as i64
    };
    let keys = packets.iter().zip(&stamps);
    let keys = keys.filter(|(packet, _)| packet.is_key);
    let mut keys: Vec<i64> = keys.map(|(_, stamp)| micros(stamp.pts)).collect();
    keys.sort_unstable();
    let (width, height, pixel_aspect) =
        square_size(look.size, look.pixel_aspect, look.quarter_turns);
    let facts = ClipFacts {
        width,
        height,
        starts: shown.iter().map(|(start, _)| *start).collect(),
        duration,
        codec: ClipCodec::Foreign,
        has_sound: listing.sound().is_some(),
    };
    let stamps = shown
        .iter()
        .map(|(_, i)| micros(stamps[*i as usize].pts))
        .collect();
    let source = Source {
        stream: stream.index,
        look,
        pixel_aspect,
        start: listing.format.start_us(),
        stamps,
        keys,
    };
    Ok((facts, source))
}

/// Returns the presentation times of packets. If some are missing (AVI), all are derived from decoding times, aligned to the decoder's first picture.
fn stamps(found: &[Packet], first: Option<i64>) -> (Vec<Packet>, Vec<Stamp>) {
    let shown = found.iter().filter(|packet| !packet.is_discarded);
    let has_all = shown.clone().all(|packet| packet.pts.is_some());
    let (mut packets, mut stamps) = (Vec::new(), Vec::new());
    let earliest = found.iter().find_map(|packet| packet.dts);
    let late = match (first, earliest) {
        (Some(first), Some(earliest)) => first.saturating_sub(earliest),
        _ => 0,
    };
    for packet in shown {
        let by_decoding = || packet.dts.map(|dts| dts.saturating_add(late));
        let pts = if has_all { packet.pts } else { by_decoding() };
        // A packet with neither time is part of the previous picture.
        if let Some(pts) = pts {
            packets.push(*packet);
            stamps.push(Stamp {
                pts,
                duration: packet.duration,
            });
        }
    }
    (packets, stamps)
}

/// Builds the notes for the user.
fn told(listing: &Listing, stream: &Stream, look: &Look, programs: &Programs) -> [String; 2] {
    let container = listing.format.format_name.split(',').next();
    let what = format!(
        "contains {} ({}), which kinora does not read itself",
        stream.codec(),
        container.unwrap_or_default()
    );
    let mut how = format!("this machine's ffmpeg {} reads it", programs.version);
    match look.hdr {
        Some(Hdr::Pq) => how.push_str(", its HDR (PQ) mapped to SDR"),
        Some(Hdr::Hlg) => how.push_str(", its HDR (HLG) mapped to SDR"),
        None => {}
    }
    if look.is_interlaced {
        how.push_str(", deinterlaced");
    }
    [what, how]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_decoding_serve_where_others_are_missing() {
        let packet = |pts, dts, is_discarded| Packet {
            pts,
            dts: Some(dts),
            duration: 1,
            is_key: true,
            is_discarded,
        };
        let pts = |found: &[Packet], first| -> Vec<i64> {
            let (_, stamps) = stamps(found, first);
            stamps.iter().map(|stamp| stamp.pts).collect()
        };
        let whole = [packet(Some(2), 0, false), packet(Some(1), 1, false)];
        assert_eq!(pts(&whole, Some(9)), [2, 1]);
        let cut = [packet(None, 0, true), packet(Some(5), 1, false)];
        assert_eq!(pts(&cut, Some(5)), [5]);
        let avi = [packet(None, 0, false), packet(Some(2), 1, false)];
        assert_eq!(pts(&avi, Some(1)), [1, 2]);
    }
}
