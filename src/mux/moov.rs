//! The index of the file: sample tables and edit lists as `mp4-atom` boxes (ISO/IEC 14496-12).

use mp4_atom::{
    AnySampleGroupEntry, Co64, Codec, Ctts, CttsEntry, Dinf, Dref, Edts, Elst, ElstEntry, FourCC,
    Hdlr, Mdhd, Mdia, Mehd, Minf, Moov, Mvex, Mvhd, Sbgp, SbgpEntry, Sgpd, SgpdEntry, Smhd, Stbl,
    Stco, Stsc, StscEntry, Stsd, Stss, Stsz, StszSamples, Stts, SttsEntry, Tkhd, Trak, Trex, Url,
    Vmhd,
};

use super::Layout;
use super::clocks::{Clocks, movie_from_samples};
use super::entry::{self, Bitrate};
use super::track::{AudioTrack, Samples, VideoTrack, internal};
use crate::bitstream::{AudioConfig, VideoConfig};
use crate::error::Result;
use crate::units::MIX_RATE_HZ;

pub(crate) const VIDEO_ID: u32 = 1;
pub(crate) const AUDIO_ID: u32 = 2;

/// Flags of a sample in a fragment (8.8.3.1): it depends on no other sample; or it does and is not a sync sample.
pub(crate) const SYNC_SAMPLE: u32 = 0x0200_0000;
const NO_SYNC_SAMPLE: u32 = 0x0101_0000;

/// Returns the brands after `isom`: `iso6` for the edit lists and roll groups in use, `av01` as the AV1 binding (section 2.1) requires.
pub(crate) fn compatible_brands(video: &VideoConfig) -> Vec<FourCC> {
    let codec = match video {
        VideoConfig::Av1 { .. } => b"av01",
        VideoConfig::Avc { .. } => b"avc1",
    };
    [b"isom", b"iso6", codec, b"mp41"]
        .map(FourCC::from)
        .to_vec()
}

/// Builds `moov` from the tables of the tracks.
///
/// # Errors
/// `Internal` when packets are missing, `Encoder` when a configuration cannot be read.
pub(crate) fn build(
    layout: &Layout,
    (video, video_config): (&VideoTrack, &VideoConfig),
    (audio, audio_config): (Option<&AudioTrack>, Option<&AudioConfig>),
) -> Result<Moov> {
    video.check_complete(layout.n_frames)?;
    let clocks = Clocks::new(layout.rate);
    let mut trak = vec![video_trak(layout, clocks, video, video_config)?];
    match (audio, audio_config, layout.n_samples) {
        (Some(track), Some(config), Some(n)) => {
            trak.push(audio_trak(clocks.movie, track, config, n)?)
        }
        (None, None, _) => {}
        _ => {
            let message = "the layout and the audio configuration do not agree on an audio track";
            return Err(internal(message));
        }
    }
    Ok(movie(clocks.movie, trak))
}

/// Builds the `moov` of a file with sound only.
///
/// # Errors
/// Same as [`build`].
pub(crate) fn build_sound(
    track: &AudioTrack,
    config: &AudioConfig,
    n_samples: u64,
) -> Result<Moov> {
    let trak = audio_trak(MIX_RATE_HZ, track, config, n_samples)?;
    Ok(movie(MIX_RATE_HZ, vec![trak]))
}

/// Builds the `moov` that precedes fragments (8.8.1): no samples, `mehd` with the total length, edit lists of length 0, which extend to the end (8.6.6.1).
/// Decoding runs `lead` frames ahead of presentation.
///
/// # Errors
/// `Encoder` when a configuration cannot be read.
pub(crate) fn build_fragmented(
    layout: &Layout,
    lead: u32,
    video: &VideoConfig,
    audio: Option<&AudioConfig>,
) -> Result<Moov> {
    let clocks = Clocks::new(layout.rate);
    let lead = u64::from(lead) * u64::from(clocks.frame);
    let stbl = no_samples(entry::video(video, layout, None)?);
    let mut moov = movie(
        clocks.movie,
        vec![video_box(layout, clocks, stbl, (Lengths::default(), lead))],
    );
    let n_samples = layout.n_samples.unwrap_or(0);
    let length = clocks.movie_from_frames(layout.n_frames);
    let mut mvex = Mvex {
        mehd: Some(Mehd {
            fragment_duration: length.max(movie_from_samples(clocks.movie, n_samples)),
        }),
        trex: vec![trex(VIDEO_ID, clocks.frame, NO_SYNC_SAMPLE)],
    };
    if let Some(config) = audio {
        let mut stbl = no_samples(entry::audio(config, None)?);
        let roll = roll_distance(config, layout.packet_samples);
        (stbl.sgpd, _) = roll_group(roll, 0);
        let priming = u64::from(config.priming());
        moov.trak
            .push(audio_box(stbl, (Lengths::default(), priming)));
        mvex.trex
            .push(trex(AUDIO_ID, layout.packet_samples, SYNC_SAMPLE));
    }
    moov.mvex = Some(mvex);
    Ok(moov)
}

fn trex(track_id: u32, default_sample_duration: u32, default_sample_flags: u32) -> Trex {
    Trex {
        track_id,
        default_sample_description_index: 1,
        default_sample_duration,
        default_sample_size: 0,
        default_sample_flags,
    }
}

fn movie(timescale: u32, trak: Vec<Trak>) -> Moov {
    let duration = trak.iter().map(|t| t.tkhd.duration).max().unwrap_or(0);
    let mvhd = Mvhd {
        timescale,
        duration,
        rate: 1.into(),
        volume: 1.into(),
        next_track_id: AUDIO_ID + 1,
        ..Mvhd::default()
    };
    Moov {
        mvhd,
        trak,
        ..Moov::default()
    }
}

fn video_trak(
    layout: &Layout,
    clocks: Clocks,
    track: &VideoTrack,
    config: &VideoConfig,
) -> Result<Trak> {
    let bitrate = Bitrate::of(&track.samples, layout.rate.as_f64());
    let codec = entry::video(config, layout, Some(bitrate))?;
    let mut stbl = sample_tables(codec, &track.samples);
    stbl.stts = runs([(layout.n_frames as u32, clocks.frame)]);
    stbl.ctts = composition_offsets(track, clocks.frame);
    if track.sync.len() < track.shown.len() {
        let entries = track.sync.iter().map(|n| n + 1).collect();
        stbl.stss = Some(Stss { entries });
    }
    let lengths = Lengths {
        movie: clocks.movie_from_frames(layout.n_frames),
        media: layout.n_frames * u64::from(clocks.frame),
    };
    let lead = u64::from(track.lead) * u64::from(clocks.frame);
    Ok(video_box(layout, clocks, stbl, (lengths, lead)))
}

/// Durations of a track on the movie's clock and on its own; both 0 if the samples are in fragments.
#[derive(Clone, Copy, Debug, Default)]
struct Lengths {
    movie: u64,
    media: u64,
}

/// Builds the video's `trak` around its tables; presentation starts `lead` units of its clock after decoding.
fn video_box(layout: &Layout, clocks: Clocks, stbl: Stbl, (lengths, lead): (Lengths, u64)) -> Trak {
    let minf = Minf {
        vmhd: Some(Vmhd::default()),
        dinf: dinf(),
        stbl,
        ..Minf::default()
    };
    let tkhd = Tkhd {
        width: (layout.size.width as u16).into(),
        height: (layout.size.height as u16).into(),
        ..tkhd(VIDEO_ID, lengths.movie)
    };
    Trak {
        tkhd,
        edts: (lead > 0).then(|| edit(lengths.movie, lead)),
        mdia: Mdia {
            mdhd: mdhd(clocks.video, lengths.media),
            hdlr: hdlr(b"vide", "kinora video"),
            minf,
        },
        ..Trak::default()
    }
}

fn audio_trak(
    movie_clock: u32,
    track: &AudioTrack,
    config: &AudioConfig,
    n_samples: u64,
) -> Result<Trak> {
    let priming = u64::from(config.priming());
    let (full, last) = (
        track.packet_samples(),
        track.trimmed_last(priming + n_samples)?,
    );
    let n_packets = track.samples.sizes.len() as u32;
    let rate = f64::from(MIX_RATE_HZ) / f64::from(full);
    let codec = entry::audio(config, Some(Bitrate::of(&track.samples, rate)))?;
    let mut stbl = sample_tables(codec, &track.samples);
    stbl.stts = runs([(n_packets - 1, full), (1, last)]);
    (stbl.sgpd, stbl.sbgp) = roll_group(roll_distance(config, full), n_packets);
    let lengths = Lengths {
        movie: movie_from_samples(movie_clock, n_samples),
        media: u64::from(n_packets - 1) * u64::from(full) + u64::from(last),
    };
    Ok(audio_box(stbl, (lengths, priming)))
}

/// Builds the sound's `trak` around its tables.
fn audio_box(stbl: Stbl, (lengths, priming): (Lengths, u64)) -> Trak {
    let minf = Minf {
        smhd: Some(Smhd::default()),
        dinf: dinf(),
        stbl,
        ..Minf::default()
    };
    let tkhd = Tkhd {
        volume: 1.into(),
        alternate_group: 1,
        ..tkhd(AUDIO_ID, lengths.movie)
    };
    Trak {
        tkhd,
        edts: Some(edit(lengths.movie, priming)),
        mdia: Mdia {
            mdhd: mdhd(MIX_RATE_HZ, lengths.media),
            hdlr: hdlr(b"soun", "kinora sound"),
            minf,
        },
        ..Trak::default()
    }
}

fn tkhd(track_id: u32, duration: u64) -> Tkhd {
    Tkhd {
        track_id,
        duration,
        enabled: true,
        in_movie: true,
        ..Tkhd::default()
    }
}

/// Builds `mdhd`. Creation and modification times stay 0, so that the same packets give the same bytes.
fn mdhd(timescale: u32, duration: u64) -> Mdhd {
    Mdhd {
        timescale,
        duration,
        language: "und".into(),
        ..Mdhd::default()
    }
}

fn hdlr(handler: &[u8; 4], name: &str) -> Hdlr {
    Hdlr {
        handler: handler.into(),
        name: name.into(),
    }
}

fn dinf() -> Dinf {
    Dinf {
        dref: Dref {
            entries: vec![Url::default().into()],
        },
    }
}

fn edit(segment_duration: u64, media_time: u64) -> Edts {
    let entry = ElstEntry {
        segment_duration,
        media_time: Some(media_time),
        media_rate: 1.into(),
    };
    Edts {
        elst: Some(Elst {
            entries: vec![entry],
        }),
    }
}

fn runs<const N: usize>(runs: [(u32, u32); N]) -> Stts {
    let mut entries: Vec<SttsEntry> = Vec::new();
    for (sample_count, sample_delta) in runs {
        match entries.last_mut() {
            Some(last) if last.sample_delta == sample_delta => last.sample_count += sample_count,
            _ if sample_count > 0 => entries.push(SttsEntry {
                sample_count,
                sample_delta,
            }),
            _ => {}
        }
    }
    Stts { entries }
}

/// Builds runs of presentation minus decoding time (8.6.1.3); returns `None` when the frames are shown in decoding order.
fn composition_offsets(track: &VideoTrack, frame: u32) -> Option<Ctts> {
    let mut entries: Vec<CttsEntry> = Vec::new();
    for (i, &shown) in track.shown.iter().enumerate() {
        let offset = i64::from(shown) + i64::from(track.lead) - i as i64;
        let sample_offset = offset * i64::from(frame);
        match entries.last_mut() {
            Some(last) if last.sample_offset == sample_offset => last.sample_count += 1,
            _ => entries.push(CttsEntry {
                sample_count: 1,
                sample_offset,
            }),
        }
    }
    let is_needed = entries.iter().any(|entry| entry.sample_offset != 0);
    is_needed.then_some(Ctts { entries })
}

/// Builds `stsd`, `stsz`, `stsc` and the chunk offsets.
fn sample_tables(codec: Codec, samples: &Samples) -> Stbl {
    let mut stsc: Vec<StscEntry> = Vec::new();
    for (i, &(_, samples_per_chunk)) in samples.chunks.iter().enumerate() {
        if stsc.last().map(|e| e.samples_per_chunk) != Some(samples_per_chunk) {
            stsc.push(StscEntry {
                first_chunk: i as u32 + 1,
                samples_per_chunk,
                sample_description_index: 1,
            });
        }
    }
    let offsets = samples.chunks.iter().map(|chunk| chunk.0);
    let short: Option<Vec<u32>> = offsets.clone().map(|o| u32::try_from(o).ok()).collect();
    let long = short.is_none().then(|| offsets.collect());
    Stbl {
        stsd: Stsd {
            codecs: vec![codec],
        },
        stsc: Stsc { entries: stsc },
        stsz: Stsz {
            samples: StszSamples::Different {
                sizes: samples.sizes.clone(),
            },
        },
        stco: short.map(|entries| Stco { entries }),
        co64: long.map(|entries| Co64 { entries }),
        ..Stbl::default()
    }
}

/// Builds the tables of a track whose samples are all in fragments.
fn no_samples(codec: Codec) -> Stbl {
    Stbl {
        stsd: Stsd {
            codecs: vec![codec],
        },
        stco: Some(Stco::default()),
        ..Stbl::default()
    }
}

/// Returns how many packets to decode and drop before a seek's target. Opus converges in 80 ms (Opus in ISOBMFF, 4.3.6.2), AAC overlaps one packet.
fn roll_distance(config: &AudioConfig, packet_samples: u32) -> i16 {
    const OPUS_ROLL_SAMPLES: u32 = 3840;
    match config {
        AudioConfig::Opus { .. } => -(OPUS_ROLL_SAMPLES.div_ceil(packet_samples) as i16),
        AudioConfig::Aac { .. } => -1,
    }
}

/// Builds one sample group `roll` for all samples (10.1).
fn roll_group(distance: i16, n_samples: u32) -> (Vec<Sgpd>, Vec<Sbgp>) {
    let roll = FourCC::new(b"roll");
    let bytes = distance.to_be_bytes().to_vec();
    let description = Sgpd {
        grouping_type: roll,
        default_length: Some(bytes.len() as u32),
        default_group_description_index: None,
        static_group_description: false,
        static_mapping: false,
        essential: false,
        entries: vec![SgpdEntry {
            description_length: None,
            entry: AnySampleGroupEntry::UnknownGroupingType(roll, bytes),
        }],
    };
    (vec![description], vec![roll_mapping(n_samples)])
}

/// Maps `n_samples` to the first description of the group `roll` in `moov`.
pub(crate) fn roll_mapping(n_samples: u32) -> Sbgp {
    Sbgp {
        grouping_type: FourCC::new(b"roll"),
        grouping_type_parameter: None,
        entries: vec![SbgpEntry {
            sample_count: n_samples,
            group_description_index: 1,
        }],
    }
}
