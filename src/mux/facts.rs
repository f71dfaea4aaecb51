//! Facts about a finished MP4 file, for programs (serializable) and for people (printable).

use std::fmt;

use serde::Serialize;

use crate::bitstream::ColorFacts;

/// Everything that the check found out about a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileFacts {
    /// Size of the file in bytes.
    pub n_bytes: u64,
    /// Major brand, then the compatible ones.
    pub brands: Vec<String>,
    /// Length of the presentation in seconds: the longest track after its edit list.
    pub duration_secs: f64,
    /// Whether `moov` precedes the media data: playback can start before the whole file has arrived.
    pub is_fast_start: bool,
    /// Whether some or all samples are in movie fragments.
    pub is_fragmented: bool,
    /// The tracks in file order.
    pub tracks: Vec<TrackFacts>,
    /// Format violations and inconsistencies, each with its position; empty for a good file.
    pub problems: Vec<String>,
}

/// One track.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrackFacts {
    /// Track identifier.
    pub id: u32,
    /// `video`, `audio`, or the handler's four characters.
    pub kind: String,
    /// The `codecs` parameter of RFC 6381, such as `av01.0.08M.08`, or the sample entry's four characters.
    pub codec: String,
    /// Units per second of the track's clock.
    pub timescale: u32,
    /// Number of access units.
    pub n_samples: u64,
    /// Number of contiguous runs of samples in the file.
    pub n_chunks: u64,
    /// Total size of all samples in bytes.
    pub n_bytes: u64,
    /// Size of the largest sample in bytes.
    pub max_sample_bytes: u64,
    /// Average bits per second over the media.
    pub bitrate_bps: u64,
    /// Length of the media in units of the track's clock, before the edit list.
    pub media_duration: u64,
    /// Length in seconds as presented, after the edit list.
    pub duration_secs: f64,
    /// The edit list; empty when the media is presented as it is.
    pub edits: Vec<EditFacts>,
    /// Indexes (from 0) of the samples where decoding can start; `None` when it can at every sample.
    pub sync_samples: Option<Vec<u32>>,
    /// Whether samples are presented in another order than they are decoded.
    pub is_reordered: bool,
    /// Facts of a video track.
    pub video: Option<VideoFacts>,
    /// Facts of an audio track.
    pub audio: Option<AudioFacts>,
}

/// One entry of an edit list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EditFacts {
    /// Length in the presentation, in seconds.
    pub duration_secs: f64,
    /// Start in the media, in units of the track's clock; `None` for an empty edit.
    pub media_time: Option<u64>,
}

/// Facts specific to a video track.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VideoFacts {
    /// Columns of the coded picture.
    pub width: u32,
    /// Rows of the coded picture.
    pub height: u32,
    /// Frames per second as a fraction in lowest terms; `None` when frames differ in length.
    pub rate: Option<(u32, u32)>,
    /// Bits per sample of the picture, if the codec's configuration specifies it.
    pub bit_depth: Option<u8>,
    /// The `colr` box, or else the bitstream's color.
    pub color: Option<ColorFacts>,
    /// Width and height of a pixel; `None` if the file does not specify them.
    pub pixel_aspect: Option<(u32, u32)>,
}

/// Facts specific to an audio track.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AudioFacts {
    /// Samples per second.
    pub rate_hz: u32,
    /// Number of channels.
    pub channels: u32,
    /// Samples before the sound, which the edit list drops.
    pub priming_samples: u64,
    /// Samples that are heard.
    pub heard_samples: u64,
}

impl fmt::Display for FileFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "MP4 ({}), {:.3} s, {} bytes, ",
            self.brands.join(" "),
            self.duration_secs,
            self.n_bytes
        )?;
        f.write_str(match (self.is_fragmented, self.is_fast_start) {
            (true, _) => "fragmented",
            (false, true) => "index at the start",
            (false, false) => "index at the end",
        })?;
        for track in &self.tracks {
            write!(f, "\n  {track}")?;
        }
        for problem in &self.problems {
            write!(f, "\n  problem: {problem}")?;
        }
        Ok(())
    }
}

impl fmt::Display for TrackFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "track {}: {} {}", self.id, self.kind, self.codec)?;
        if let Some(video) = &self.video {
            write!(f, ", {video}")?;
        }
        if let Some(audio) = &self.audio {
            write!(f, ", {audio}")?;
        }
        write!(
            f,
            ", {} samples in {} chunks, {:.6} s, {} kbit/s",
            self.n_samples,
            self.n_chunks,
            self.duration_secs,
            self.bitrate_bps / 1000
        )?;
        if let Some(sync) = &self.sync_samples {
            write!(f, ", {} key frames", sync.len())?;
        }
        if self.is_reordered {
            f.write_str(", reordered")?;
        }
        Ok(())
    }
}

impl fmt::Display for VideoFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)?;
        match self.rate {
            Some((num, 1)) => write!(f, " at {num} fps")?,
            Some((num, den)) => write!(f, " at {num}/{den} fps")?,
            None => f.write_str(" at a varying rate")?,
        }
        if let Some(depth) = self.bit_depth {
            write!(f, ", {depth} bit")?;
        }
        if let Some(color) = self.color {
            let range = if color.full_range { "full" } else { "limited" };
            let (p, t, m) = (color.primaries, color.transfer, color.matrix);
            write!(f, ", color {p}/{t}/{m} {range}")?;
        }
        match self.pixel_aspect {
            None | Some((1, 1)) => Ok(()),
            Some((h, v)) => write!(f, ", pixels {h}:{v}"),
        }
    }
}

impl fmt::Display for AudioFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} Hz, {} channels, {} samples heard after {} of priming",
            self.rate_hz, self.channels, self.heard_samples, self.priming_samples
        )
    }
}
