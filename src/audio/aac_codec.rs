//! Decodes AAC access units: LC, and HE-AAC in both versions, whether signaled in the header or only in the stream (ISO/IEC 14496-3).

use std::io;

use symphonia::core::audio::{Channels, Position};
use symphonia::core::codecs::audio::AudioCodecParameters;
use syom::{AacError, Channel, DecodeOptions, Decoder};

use super::container::invalid;

/// Sample rates by their index in the configuration (ISO/IEC 14496-3, table 1.18).
const RATES_HZ: [u32; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
];

/// Decodes the access units of one AAC track.
pub(crate) struct AacCodec {
    config: Vec<u8>,
    decoder: Decoder,
    /// Number of frames in the last good unit.
    n_last: usize,
}

impl AacCodec {
    /// Creates the codec from the demuxer's track parameters: the AudioSpecificConfig, or rate and channels for ADTS, which has none.
    pub(super) fn new(params: &AudioCodecParameters) -> io::Result<AacCodec> {
        let mut config = match &params.extra_data {
            Some(config) => config.to_vec(),
            None => plain_config(params).ok_or_else(|| {
                invalid("is damaged: its AAC header has no sample rate or no channels")
            })?,
        };
        let opened = Decoder::from_asc(&config, options());
        let decoder = opened.or_else(|e| {
            config = without_extras(&config).ok_or_else(|| refused(&e))?;
            Decoder::from_asc(&config, options()).map_err(|e| refused(&e))
        })?;
        Ok(AacCodec {
            config,
            decoder,
            n_last: 1024,
        })
    }

    /// Returns the number of frames in a unit.
    pub(super) fn n_frames(&self) -> usize {
        self.n_last
    }

    /// Appends the samples of an access unit, interleaved in WAVE order, and returns their rate and channels. After an error the next
    /// unit may be good again.
    pub(super) fn decode(
        &mut self,
        unit: &[u8],
        out: &mut Vec<f32>,
    ) -> Result<(u32, Channels), AacError> {
        let mut made = (0, Channels::None);
        let mut n_last = self.n_last;
        let decoded = self.decoder.decode_au(unit, |frame| {
            let (order, channels) = wave_order(frame.meta.labels(), frame.planar.len());
            n_last = frame.samples;
            for i in 0..frame.samples {
                out.extend(order.iter().map(|plane| frame.planar[*plane][i]));
            }
            made = (frame.sample_rate, channels);
            Ok(())
        });
        if decoded.is_err() {
            // After an error it accepts nothing until a reset.
            self.decoder.reset();
            self.decoder.set_asc(&self.config)?;
        }
        self.n_last = n_last;
        decoded.map(|()| made)
    }
}

/// Returns whether a track is certainly AAC-LC with one or two channels. At low rates, HE-AAC may be signaled only in the stream.
pub(super) fn is_plain(params: &AudioCodecParameters) -> bool {
    const LOWEST_HZ: u32 = 32_000;
    match params.extra_data.as_deref() {
        Some([a, b, rest @ ..]) => {
            let (kind, rate, channels) = (a >> 3, (a & 7) << 1 | b >> 7, b >> 3 & 15);
            let is_long = b & 4 == 0;
            // An extension that rules out SBR.
            let is_without_sbr = matches!(rest, [] | [0x56, 0xe5, 0..0x80]);
            kind == 2 && rate <= 5 && is_long && is_without_sbr && (1..=2).contains(&channels)
        }
        Some(_) => false,
        None => {
            let n_channels = params.channels.as_ref().map_or(0, Channels::count);
            params.sample_rate >= Some(LOWEST_HZ) && (1..=2).contains(&n_channels)
        }
    }
}

/// Returns the configuration of AAC-LC with its last two bits cleared; they may announce fields that are missing (ISO/IEC 14496-3, 4.4.1).
fn without_extras(config: &[u8]) -> Option<Vec<u8>> {
    match config {
        [a, b, ..] if a >> 3 == 2 => Some(vec![*a, b & 0xfc]),
        _ => None,
    }
}

/// Returns options for planar channels; the caller limits length and size.
fn options() -> DecodeOptions {
    DecodeOptions::audio().with_max_duration_secs(1e9)
}

fn refused(e: &AacError) -> io::Error {
    invalid(format!(
        "contains AAC audio that cannot be decoded ({e}); AAC-LC and HE-AAC are supported"
    ))
}

/// Builds the AudioSpecificConfig of AAC-LC with the rate and channels of the parameters.
fn plain_config(params: &AudioCodecParameters) -> Option<Vec<u8>> {
    let rate_hz = params.sample_rate?;
    let index = RATES_HZ.iter().position(|r| *r == rate_hz)? as u16;
    let channels = match params.channels.as_ref()?.count() {
        n @ 1..=6 => n as u16,
        8 => 7,
        _ => return None,
    };
    let bits = 2 << 11 | index << 7 | channels << 3;
    Some(bits.to_be_bytes().to_vec())
}

/// Returns the planes in WAVE order and their channels; the order is unchanged when a label is missing or occurs twice.
fn wave_order(labels: impl Iterator<Item = Channel>, n_planes: usize) -> (Vec<usize>, Channels) {
    let positions: Vec<Position> = labels.map(position_of).collect();
    let mask = positions.iter().fold(Position::empty(), |m, p| m | *p);
    let mut order: Vec<usize> = (0..n_planes).collect();
    if n_planes < 2 || positions.len() != n_planes || mask.iter().count() != n_planes {
        return (order, Channels::Discrete(n_planes as u16));
    }
    order.sort_by_key(|plane| positions[*plane].bits());
    (order, Channels::Positioned(mask))
}

fn position_of(channel: Channel) -> Position {
    match channel {
        Channel::FrontLeft => Position::FRONT_LEFT,
        Channel::FrontRight => Position::FRONT_RIGHT,
        Channel::FrontCenter => Position::FRONT_CENTER,
        Channel::Lfe => Position::LFE1,
        Channel::BackLeft => Position::REAR_LEFT,
        Channel::BackRight => Position::REAR_RIGHT,
        Channel::BackCenter => Position::REAR_CENTER,
        Channel::SideLeft => Position::SIDE_LEFT,
        Channel::SideRight => Position::SIDE_RIGHT,
        _ => Position::empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symphonia::core::codecs::audio::well_known::CODEC_ID_AAC;

    #[test]
    fn bits_that_announce_fields_that_are_missing_do_not_matter() {
        // AAC-LC, 44.1 kHz, stereo: "depends on a core coder", whose delay would follow; an extension; both.
        for last in [0x12, 0x11, 0x13] {
            let mut params = AudioCodecParameters::new();
            params
                .for_codec(CODEC_ID_AAC)
                .with_extra_data(Box::new([0x12, last]));
            assert!(AacCodec::new(&params).is_ok(), "{last:x}");
        }
    }

    #[test]
    fn plain_aac_is_told_from_what_may_hide_more() {
        let is_plain_of = |config: &[u8]| {
            let mut params = AudioCodecParameters::new();
            params.with_extra_data(config.into());
            is_plain(&params)
        };
        assert!(is_plain_of(&[0x12, 0x10]) && is_plain_of(&[0x12, 0x08, 0x56, 0xe5, 0]));
        // 24 kHz, SBR by extension, 5.1, 960 samples per frame.
        for config in [
            &[0x13, 0x10][..],
            &[0x12, 0x10, 0x56, 0xe5, 0x80],
            &[0x11, 0xb0],
            &[0x12, 0x14],
        ] {
            assert!(!is_plain_of(config), "{config:x?}");
        }
    }
}
