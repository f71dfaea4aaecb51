//! Facts from `ffprobe` about a file: its container, its streams, its first picture.

use std::io;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::child::{Child, Limits};
use super::input::{self, Input};
use super::programs::Programs;

/// Containers that are a single file of pictures and sound, by the names of ffmpeg's demuxers. Excluded are formats that name other files or addresses
/// (HLS, DASH, concat, SDP), run scripts, or accept any bytes (raw streams, text).
const FORMATS: &str = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,live_flv,asf,ogg,mxf,mxf_opatom,dv,ivf,nut,rm,gxf,wtv,\
    amr,amrnb,amrwb,ac3,eac3,dts,truehd,mlp,ape,wv,tta,tak,mpc,mpc8,aiff,au,caf,w64,wav,voc,flac,mp3,aac,oma,dsf,shn,qcp,gsm,sox";
/// Minimum probe score (of 100); below it ffmpeg only guesses the format.
const LEAST_SCORE: u32 = 26;
/// Maximum size of its output.
const MOST_BYTES: usize = 4 << 20;

/// A file's container and streams.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Listing {
    pub(super) format: Format,
    pub(super) streams: Vec<Stream>,
    pub(super) frames: Vec<Frame>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Format {
    pub(super) format_name: String,
    /// Seconds, as a decimal string.
    pub(super) start_time: Option<String>,
    pub(super) probe_score: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Stream {
    pub(super) index: u32,
    pub(super) codec_name: Option<String>,
    pub(super) codec_long_name: Option<String>,
    pub(super) codec_type: Option<String>,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) field_order: Option<String>,
    pub(super) sample_aspect_ratio: Option<String>,
    pub(super) time_base: Option<String>,
    pub(super) start_time: Option<String>,
    pub(super) sample_rate: Option<String>,
    pub(super) channels: u32,
    pub(super) disposition: Disposition,
    pub(super) side_data_list: Vec<SideData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Disposition {
    pub(super) default: u8,
    pub(super) attached_pic: u8,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SideData {
    pub(super) displaymatrix: Option<String>,
    /// Dolby Vision profile.
    pub(super) dv_profile: Option<u32>,
    pub(super) dv_bl_signal_compatibility_id: Option<u32>,
}

/// A decoded picture.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Frame {
    pub(super) best_effort_timestamp: Option<i64>,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) pix_fmt: String,
    pub(super) interlaced_frame: u8,
    pub(super) color_range: Option<String>,
    pub(super) color_space: Option<String>,
    pub(super) color_primaries: Option<String>,
    pub(super) color_transfer: Option<String>,
    pub(super) chroma_location: Option<String>,
}

impl Listing {
    /// Reads the container and its streams.
    pub(super) fn of(input: &Input, programs: &Programs) -> io::Result<Listing> {
        let listing: Listing = ask(&["-show_format", "-show_streams"], input, programs)?;
        if listing.format.probe_score < LEAST_SCORE {
            return Err(io::Error::other(
                "ffmpeg cannot identify its format with certainty",
            ));
        }
        Ok(listing)
    }

    /// Returns the first video stream.
    pub(super) fn video(&self) -> Option<&Stream> {
        self.of_type("video")
            .find(|stream| stream.disposition.attached_pic == 0)
    }

    /// Returns the sound stream to play: the default one, or else the first.
    pub(super) fn sound(&self) -> Option<&Stream> {
        let is_default = |stream: &&Stream| stream.disposition.default != 0;
        let known = || self.of_type("audio").filter(|s| s.channels > 0);
        known().find(is_default).or_else(|| known().next())
    }

    fn of_type<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Stream> {
        let streams = self.streams.iter();
        streams.filter(move |stream| stream.codec_type.as_deref() == Some(kind))
    }
}

impl Format {
    /// Returns the earliest start of any stream, in microseconds.
    pub(super) fn start_us(&self) -> i64 {
        self.start_time.as_deref().and_then(micros).unwrap_or(0)
    }
}

impl Stream {
    /// Returns the unit of its clock in seconds, as a fraction.
    pub(super) fn time_base(&self) -> Option<(u32, u32)> {
        let (num, den) = self.time_base.as_deref()?.split_once('/')?;
        let (num, den): (u32, u32) = (num.parse().ok()?, den.parse().ok()?);
        (num > 0 && den > 0).then_some((num, den))
    }

    /// Returns the common name of its codec.
    pub(super) fn codec(&self) -> String {
        let name = self.codec_name.as_deref().unwrap_or("an unknown codec");
        match self.codec_long_name.as_deref() {
            // Long names contain explanations in parentheses and after slashes.
            Some(long) if long.len() < 48 => long.to_owned(),
            _ => name.to_owned(),
        }
    }
}

/// Parses `12.345678` as 12,345,678.
pub(super) fn micros(secs: &str) -> Option<i64> {
    let secs: f64 = secs.parse().ok()?;
    (secs.abs() < 1e9).then_some((secs * 1e6).round() as i64)
}

/// Decodes the first picture of the stream `index`. Some streams need more than one packet for it, or for its time.
pub(super) fn first_frame(
    index: u32,
    input: &Input,
    programs: &Programs,
) -> io::Result<Option<Frame>> {
    let stream = index.to_string();
    let (mut without_time, mut refusal) = (None, None);
    for interval in ["%+#1", "%+#20", "%+#300"] {
        let wanted = [
            "-select_streams",
            &stream,
            "-show_frames",
            "-read_intervals",
            interval,
        ];
        match ask::<Listing>(&wanted, input, programs) {
            Ok(listing) => {
                let mut frames = listing.frames.into_iter();
                match frames.find(|frame| frame.width > 0 && frame.height > 0) {
                    Some(frame) if frame.best_effort_timestamp.is_some() => return Ok(Some(frame)),
                    found => without_time = without_time.or(found),
                }
            }
            Err(e) if input.stop().is_asked() => return Err(e),
            Err(e) => refusal = Some(e),
        }
    }
    match (without_time, refusal) {
        (None, Some(e)) => Err(e),
        (found, _) => Ok(found),
    }
}

/// Starts `ffprobe` on the input with the options `wanted`.
pub(super) fn start(wanted: &[&str], input: &Input, programs: &Programs) -> io::Result<Child> {
    let mut arguments: Vec<String> = ["-hide_banner", "-loglevel", "error"]
        .map(str::to_owned)
        .to_vec();
    arguments.extend(formats());
    arguments.extend(wanted.iter().map(|option| (*option).to_owned()));
    arguments.extend(["-i", input::NAME].map(str::to_owned));
    let file = Some(input.for_child()?);
    Child::start(
        &programs.ffprobe,
        &arguments,
        file,
        (Limits::PROBE, input.stop().clone()),
    )
}

/// Returns the arguments that restrict what may be opened, and how.
pub(super) fn formats() -> Vec<String> {
    input::arguments(FORMATS)
}

fn ask<T: DeserializeOwned>(wanted: &[&str], input: &Input, programs: &Programs) -> io::Result<T> {
    let wanted = [&["-of", "json"], wanted].concat();
    let said = start(&wanted, input, programs)?.read_all(MOST_BYTES)?;
    serde_json::from_slice(&said)
        .map_err(|e| io::Error::other(format!("ffprobe's answer cannot be read: {e}")))
}
