//! Sample entries: the container's description of each codec, read from the encoder's configuration.

use mp4_atom::{
    Audio, Av01, Av1c, Avc1, Avcc, AvccExt, Btrt, Codec, Colr, Dops, Mp4a, Opus, Pasp, Visual, esds,
};

use super::Layout;
use super::track::Samples;
use crate::bitstream::ColorFacts;
use crate::bitstream::av1::{OBU_SEQUENCE_HEADER, SequenceHeader, split_obu};
use crate::bitstream::avc::Sps;
use crate::bitstream::{AudioConfig, VideoConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::units::MIX_RATE_HZ;

/// Measured rates of a track in bits per second, and its largest sample in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bitrate {
    average: u32,
    /// Over any single second.
    max: u32,
    largest: u32,
}

impl Bitrate {
    /// Measures samples that come `per_second`.
    pub(crate) fn of(samples: &Samples, per_second: f64) -> Bitrate {
        let sizes = &samples.sizes;
        let total: u64 = sizes.iter().map(|size| u64::from(*size)).sum();
        let window = (per_second.ceil() as usize).max(1);
        let (mut sum, mut most) = (0u64, 0u64);
        for (i, size) in sizes.iter().enumerate() {
            sum += u64::from(*size);
            if i >= window {
                sum -= u64::from(sizes[i - window]);
            }
            most = most.max(sum);
        }
        let average = total as f64 * 8.0 * per_second / sizes.len().max(1) as f64;
        let average = average.round() as u32;
        Bitrate {
            average,
            max: u32::try_from(most * 8).unwrap_or(u32::MAX).max(average),
            largest: sizes.iter().copied().max().unwrap_or(0),
        }
    }

    /// Returns an encoder's requested bitrate, for use before there is anything to measure.
    fn nominal(bits_per_second: u32) -> Bitrate {
        Bitrate {
            average: bits_per_second,
            max: bits_per_second,
            largest: 0,
        }
    }

    fn btrt(self) -> Btrt {
        Btrt {
            buffer_size_db: self.largest,
            max_bitrate: self.max,
            avg_bitrate: self.average,
        }
    }
}

/// Builds the sample entry of the video track. `bitrate` is known when all packets have arrived.
///
/// # Errors
/// `Encoder` when the configuration cannot be read or has another size.
pub(crate) fn video(
    config: &VideoConfig,
    layout: &Layout,
    bitrate: Option<Bitrate>,
) -> Result<Codec> {
    let color = ColorFacts::BT709_LIMITED;
    let colr = Some(Colr::Nclx {
        colour_primaries: color.primaries,
        transfer_characteristics: color.transfer,
        matrix_coefficients: color.matrix,
        full_range_flag: color.full_range,
    });
    let pasp = Some(Pasp {
        h_spacing: 1,
        v_spacing: 1,
    });
    let btrt = bitrate.map(Bitrate::btrt);
    Ok(match config {
        VideoConfig::Av1 { sequence_header } => Codec::Av01(Av01 {
            visual: visual(layout, "AOM Coding"),
            av1c: av1c(sequence_header, layout)?,
            btrt,
            colr,
            pasp,
            ..Av01::default()
        }),
        VideoConfig::Avc { sps, pps } => Codec::Avc1(Avc1 {
            visual: visual(layout, "AVC Coding"),
            avcc: avcc(sps, pps, layout)?,
            btrt,
            colr,
            pasp,
            ..Avc1::default()
        }),
    })
}

fn visual(layout: &Layout, compressor: &str) -> Visual {
    Visual {
        data_reference_index: 1,
        width: layout.size.width as u16,
        height: layout.size.height as u16,
        compressor: compressor.into(),
        ..Visual::default()
    }
}

/// Builds `av1C` (AV1 in ISOBMFF, section 2.3) with every field taken from the sequence header.
fn av1c(obu: &[u8], layout: &Layout) -> Result<Av1c> {
    let header = split_obu(obu)
        .filter(|(first, rest)| {
            // The binding (2.3.4) requires the size field in configOBUs.
            first.kind == OBU_SEQUENCE_HEADER && rest.is_empty() && obu[0] & 2 != 0
        })
        .and_then(|(first, _)| SequenceHeader::parse(first.payload))
        .ok_or_else(|| unreadable("AV1 sequence header", obu))?;
    check_size(
        "AV1 sequence header",
        (header.max_width, header.max_height),
        layout,
    )?;
    Ok(Av1c {
        seq_profile: header.profile,
        seq_level_idx_0: header.level,
        seq_tier_0: header.high_tier,
        high_bitdepth: header.bit_depth > 8,
        twelve_bit: header.bit_depth == 12,
        monochrome: header.monochrome,
        chroma_subsampling_x: header.subsampling_x,
        chroma_subsampling_y: header.subsampling_y,
        chroma_sample_position: header.chroma_sample_position,
        initial_presentation_delay: None,
        config_obus: obu.to_vec(),
    })
}

/// Builds `avcC` (ISO/IEC 14496-15, 5.3.3.1), with the tail that profiles from High up have.
fn avcc(sps: &[u8], pps: &[u8], layout: &Layout) -> Result<Avcc> {
    let facts = Sps::parse(sps).ok_or_else(|| unreadable("H.264 parameter set", sps))?;
    check_size("H.264 parameter set", (facts.width, facts.height), layout)?;
    if pps.first().map(|byte| byte & 0x9f) != Some(8) || pps.len() > usize::from(u16::MAX) {
        return Err(unreadable("H.264 picture parameter set", pps));
    }
    if sps.len() > usize::from(u16::MAX) {
        return Err(unreadable("H.264 parameter set", sps));
    }
    Ok(Avcc {
        configuration_version: 1,
        avc_profile_indication: facts.profile,
        profile_compatibility: facts.compatibility,
        avc_level_indication: facts.level,
        length_size: 4,
        sequence_parameter_sets: vec![sps.to_vec()],
        picture_parameter_sets: vec![pps.to_vec()],
        ext: facts.has_chroma_info.then(|| AvccExt {
            chroma_format: facts.chroma_format,
            bit_depth_luma: facts.luma_depth,
            bit_depth_chroma: facts.chroma_depth,
            sequence_parameter_sets_ext: Vec::new(),
        }),
    })
}

fn unreadable(what: &str, bytes: &[u8]) -> Error {
    let message = format!("the {what} of {} bytes cannot be read", bytes.len());
    Error::new(ErrorKind::Encoder, message)
}

fn check_size(what: &str, (width, height): (u32, u32), layout: &Layout) -> Result<()> {
    if (width, height) != (layout.size.width, layout.size.height) {
        let message = format!(
            "the {what} is for {width}x{height}, the video is {}",
            layout.size
        );
        return Err(Error::new(ErrorKind::Encoder, message));
    }
    Ok(())
}

/// Builds the sample entry of the audio track: stereo at 48 kHz. `bitrate` is known when all packets have arrived.
///
/// # Errors
/// `Encoder` when the configuration is unusable.
pub(crate) fn audio(config: &AudioConfig, bitrate: Option<Bitrate>) -> Result<Codec> {
    const CHANNELS: u8 = 2;
    let audio = Audio {
        data_reference_index: 1,
        channel_count: u16::from(CHANNELS),
        sample_size: 16,
        sample_rate: (MIX_RATE_HZ as u16).into(),
    };
    let btrt = bitrate.map(Bitrate::btrt);
    Ok(match config {
        AudioConfig::Opus { pre_skip } => Codec::Opus(Opus {
            audio,
            dops: Dops {
                output_channel_count: CHANNELS,
                pre_skip: *pre_skip,
                input_sample_rate: MIX_RATE_HZ,
                output_gain: 0,
                channel_mapping: None,
            },
            btrt,
        }),
        AudioConfig::Aac {
            config,
            bitrate: nominal,
            ..
        } => Codec::Mp4a(Mp4a {
            audio,
            esds: elementary_stream(config, bitrate.unwrap_or(Bitrate::nominal(*nominal)))?,
            btrt,
            taic: None,
        }),
    })
}

/// Builds `esds` (ISO/IEC 14496-1, 7.2.6): MPEG-4 audio with the AudioSpecificConfig unchanged.
fn elementary_stream(config: &[u8], bitrate: Bitrate) -> Result<mp4_atom::Esds> {
    const MPEG4_AUDIO: u8 = 0x40;
    const AUDIO_STREAM: u8 = 5;
    if !(2..=64).contains(&config.len()) {
        return Err(unreadable("AAC configuration", config));
    }
    let [_, a, b, c] = bitrate.largest.to_be_bytes();
    Ok(mp4_atom::Esds {
        es_desc: esds::EsDescriptor {
            dec_config: esds::DecoderConfig {
                object_type_indication: MPEG4_AUDIO,
                stream_type: AUDIO_STREAM,
                up_stream: 0,
                buffer_size_db: [a, b, c].into(),
                max_bitrate: bitrate.max,
                avg_bitrate: bitrate.average,
                dec_specific: Some(esds::DecoderSpecific {
                    raw: config.to_vec(),
                    ..esds::DecoderSpecific::default()
                }),
            },
            ..esds::EsDescriptor::default()
        },
    })
}
