//! Checks a file: boxes, tables, times and samples, parsed without the writer's code.
//!
//! Untrusted input never causes a panic, and allocations never exceed the input's size times a small factor.

mod boxes;
mod entries;
mod fragments;
mod movie;
mod samples;
mod source;
mod tables;

use std::io::{Read, Seek};

use self::boxes::{Problems, name};
use self::movie::{Movie, Track, rescaled};
use self::source::{Source, TopLevel};
use super::facts::{AudioFacts, EditFacts, FileFacts, TrackFacts, VideoFacts};
use crate::error::{Error, ErrorKind, Result};

/// The codecs that this engine writes.
const WRITTEN: [&str; 4] = ["av01.", "avc1.", "opus", "mp4a.40.2"];

/// Checks a finished file of this engine strictly, from the input's current position to its end.
///
/// # Errors
/// `Internal` when anything is wrong with the file, `Io` when it cannot be read.
pub fn check<R: Read + Seek>(input: R) -> Result<FileFacts> {
    let refused = |what: String| {
        Error::new(
            ErrorKind::Internal,
            format!("the file fails its check: {what}"),
        )
    };
    let facts = probe(input).map_err(|e| match e.kind() {
        ErrorKind::Media => refused(e.to_string()),
        _ => e,
    })?;
    let mut problems = facts.problems.clone();
    if !facts.is_fast_start {
        problems.push("file: moov comes after the media data".into());
    }
    for track in &facts.tracks {
        let is_known = WRITTEN.iter().any(|codec| track.codec.starts_with(codec));
        if !is_known {
            problems.push(format!("track {}: unknown codec {}", track.id, track.codec));
        }
    }
    if problems.is_empty() {
        Ok(facts)
    } else {
        Err(refused(problems.join("; ")))
    }
}

/// Reads the facts of any MP4 file, from the input's current position to its end. Errors that do not stop the reader are listed in
/// [`FileFacts::problems`].
///
/// # Errors
/// `Media` when it is not an MP4 file or too damaged to read, `Io` when it cannot be read.
pub fn probe<R: Read + Seek>(input: R) -> Result<FileFacts> {
    let mut problems = Problems::default();
    let mut source = Source::new(input)?;
    let top = TopLevel::read(&mut source, &mut problems)?;
    let mut movie = Movie::read(&top.moov, &mut problems)?;
    if !top.fragments.is_empty() {
        fragments::join(&mut movie, &top.fragments, &mut source, &mut problems)?;
    }
    movie.check_times(&mut problems);
    let is_readable = samples::check_extents(&movie.tracks, &top.data, &mut problems);
    samples::check_filled(&movie.tracks, &top.data, &mut problems);
    if is_readable {
        for track in &movie.tracks {
            samples::check_samples(&mut source, track, &mut problems)?;
        }
    }
    let duration_secs = movie.duration as f64 / f64::from(movie.timescale);
    let tracks = movie.tracks.iter();
    Ok(FileFacts {
        n_bytes: source.n_bytes,
        brands: top.brands,
        duration_secs,
        is_fast_start: top.is_fast_start,
        is_fragmented: !top.fragments.is_empty(),
        tracks: tracks
            .map(|track| track_facts(track, movie.timescale))
            .collect(),
        problems: problems.0,
    })
}

fn track_facts(track: &Track, movie_clock: u32) -> TrackFacts {
    let tables = &track.tables;
    let n_bytes: u64 = tables
        .chunks
        .iter()
        .map(|chunk| chunk.n_bytes)
        .fold(0, u64::saturating_add);
    let media_secs = track.media_duration as f64 / f64::from(track.timescale);
    let secs = |units: u64| units as f64 / f64::from(movie_clock);
    let edits = track.edits.iter().map(|edit| EditFacts {
        duration_secs: secs(edit.duration),
        media_time: edit.media_time,
    });
    let (is_video, is_audio) = (&track.handler == b"vide", &track.handler == b"soun");
    TrackFacts {
        id: track.id,
        kind: match (is_video, is_audio) {
            (true, _) => "video".into(),
            (_, true) => "audio".into(),
            _ => name(track.handler),
        },
        codec: track.entry.codec.clone(),
        timescale: track.timescale,
        n_samples: tables.n_samples,
        n_chunks: tables.chunks.len() as u64,
        n_bytes,
        max_sample_bytes: u64::from(tables.max_size()),
        // A cast from a float saturates, so media of length 0 is safe.
        bitrate_bps: (n_bytes as f64 * 8.0 / media_secs) as u64,
        media_duration: track.media_duration,
        duration_secs: secs(track.duration),
        edits: edits.collect(),
        sync_samples: tables.sync.clone(),
        is_reordered: tables.offsets.windows(2).any(|pair| pair[0].1 != pair[1].1),
        video: is_video.then(|| video_facts(track)),
        audio: is_audio.then(|| audio_facts(track, movie_clock)),
    }
}

fn video_facts(track: &Track) -> VideoFacts {
    let entry = &track.entry;
    let lengths = &track.tables.times;
    let is_constant = lengths.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let length = lengths
        .first()
        .map(|run| run.1)
        .filter(|n| is_constant && *n > 0);
    VideoFacts {
        width: entry.width,
        height: entry.height,
        rate: length.map(|length| {
            let common = gcd(track.timescale, length);
            (track.timescale / common, length / common)
        }),
        bit_depth: entry.bit_depth,
        color: entry.color,
        pixel_aspect: entry.pixel_aspect,
    }
}

fn audio_facts(track: &Track, movie_clock: u32) -> AudioFacts {
    let media = |units: u64| rescaled(units, movie_clock, track.timescale);
    let mut sounding = track
        .edits
        .iter()
        .filter(|edit| edit.media_time.is_some())
        .peekable();
    let priming = sounding
        .peek()
        .and_then(|edit| edit.media_time)
        .unwrap_or(0);
    let heard = if track.edits.is_empty() {
        track.media_duration
    } else {
        sounding
            .map(|edit| media(edit.duration))
            .fold(0, u64::saturating_add)
    };
    AudioFacts {
        rate_hz: track.entry.rate_hz,
        channels: track.entry.channels,
        priming_samples: priming,
        heard_samples: heard,
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
