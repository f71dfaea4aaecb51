//! The identification header of an Opus stream (RFC 7845, 5.1): the number of streams per packet and the mapping of their channels.

use std::io;

use super::container::invalid;
use crate::opus::Layout;

/// Index of a silent output channel (RFC 7845, 5.1.1).
const SILENT: u8 = 255;

/// Contents of the header.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpusHead {
    /// Frames at 48 kHz to drop at the start.
    pub(super) pre_skip: u16,
    /// Factor for every sample.
    pub(super) amplitude: f32,
    /// The streams of each packet, and their channels in WAVE order.
    pub(super) layout: Layout,
}

impl OpusHead {
    /// Reads `OpusHead` as stored in Ogg, Matroska and WebM, and as the demuxer builds it from the `dOps` of an MP4, whose numbers are big-endian
    /// (Encapsulation of Opus in ISOBMFF, 4.3.2). The version does not distinguish them: early encoders also write 0 in Ogg.
    pub(super) fn read(bytes: &[u8], is_mp4: bool) -> io::Result<OpusHead> {
        if bytes.is_empty() {
            return Err(invalid(
                "contains Opus audio without its header; Ogg, WebM, Matroska and MP4 files have one",
            ));
        }
        let body = bytes.strip_prefix(b"OpusHead").unwrap_or(bytes);
        let [
            version,
            n_channels,
            skip0,
            skip1,
            _,
            _,
            _,
            _,
            gain0,
            gain1,
            family,
            table @ ..,
        ] = body
        else {
            return Err(invalid("is damaged: its Opus header is cut off"));
        };
        if version >> 4 != 0 {
            return Err(invalid(format!(
                "has an Opus header of version {version}, which is not supported"
            )));
        }
        let u16_of = |a: u8, b: u8| match is_mp4 {
            true => u16::from_be_bytes([a, b]),
            false => u16::from_le_bytes([a, b]),
        };
        let n_channels = usize::from(*n_channels);
        let (n_streams, n_coupled, mapping) = streams(*family, n_channels, table)?;
        let order = match family {
            1 => vorbis_order(n_channels),
            _ => (0..n_channels).collect(),
        };
        // Q7.8 dB (RFC 7845, 5.1).
        let gain_db = f32::from(u16_of(*gain0, *gain1) as i16) / 256.0;
        Ok(OpusHead {
            pre_skip: u16_of(*skip0, *skip1),
            amplitude: 10f32.powf(gain_db / 20.0),
            layout: Layout {
                n_streams,
                n_coupled,
                mapping: order.iter().map(|at| mapping[*at]).collect(),
            },
        })
    }
}

/// Returns the number of streams, the number of stereo streams, and the decoded channel of each output channel.
fn streams(family: u8, n_channels: usize, table: &[u8]) -> io::Result<(u8, u8, Vec<u8>)> {
    match (family, n_channels) {
        (0, 1) => Ok((1, 0, vec![0])),
        (0, 2) => Ok((1, 1, vec![0, 1])),
        (1 | 255, 1..=8) => {
            let [n_streams, n_coupled, mapping @ ..] = table else {
                return Err(invalid("is damaged: its Opus channel table is cut off"));
            };
            let (n, coupled) = (usize::from(*n_streams), usize::from(*n_coupled));
            let n_decoded = n + coupled;
            let is_sound = mapping.len() >= n_channels
                && (1..=8).contains(&n)
                && coupled <= n
                && mapping[..n_channels]
                    .iter()
                    .all(|m| *m == SILENT || usize::from(*m) < n_decoded);
            match is_sound {
                true => Ok((*n_streams, *n_coupled, mapping[..n_channels].to_vec())),
                false => Err(invalid("is damaged: its Opus channel table is invalid")),
            }
        }
        (2 | 3, _) => Err(invalid(
            "contains Opus audio in ambisonics, which is not supported; mix it down to stereo or 5.1",
        )),
        _ => Err(invalid(format!(
            "contains Opus audio with {n_channels} channels (family {family}); 1 to 8 are supported"
        ))),
    }
}

/// Maps each channel in WAVE order to its index in Vorbis order, which Opus also uses (Vorbis I, 4.3.9; RFC 7845, 5.1.1.2).
pub(super) fn vorbis_order(n_channels: usize) -> Vec<usize> {
    match n_channels {
        3 => vec![0, 2, 1],
        5 => vec![0, 2, 1, 3, 4],
        6 => vec![0, 2, 1, 5, 3, 4],
        7 => vec![0, 2, 1, 6, 5, 3, 4],
        8 => vec![0, 2, 1, 7, 5, 6, 3, 4],
        n => (0..n).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(family: u8, n_channels: u8, table: &[u8]) -> Vec<u8> {
        let mut bytes = b"OpusHead\x01".to_vec();
        bytes.push(n_channels);
        bytes.extend(312_u16.to_le_bytes());
        bytes.extend(48_000_u32.to_le_bytes());
        bytes.extend((-1541_i16).to_le_bytes());
        bytes.push(family);
        bytes.extend(table);
        bytes
    }

    #[test]
    fn both_byte_orders_and_the_gain() {
        let little = OpusHead::read(&head(0, 2, &[]), false).unwrap();
        assert_eq!((little.pre_skip, little.layout.n_streams), (312, 1));
        assert!((20.0 * little.amplitude.log10() + 6.02).abs() < 0.01);
        let mut bytes = head(0, 2, &[]);
        bytes[8] = 0;
        // Ogg from early encoders.
        assert_eq!(OpusHead::read(&bytes, false).unwrap(), little);
        bytes[10..12].reverse();
        bytes[16..18].reverse();
        assert_eq!(OpusHead::read(&bytes, true).unwrap(), little);
    }

    #[test]
    fn five_one_is_put_into_the_order_of_wave() {
        let known = OpusHead::read(&head(1, 6, &[4, 2, 0, 4, 1, 2, 3, 5]), false).unwrap();
        assert_eq!((known.layout.n_streams, known.layout.n_coupled), (4, 2));
        // Left, right, center, low frequency, rear left, rear right.
        assert_eq!(known.layout.mapping, [0, 1, 4, 5, 2, 3]);
    }

    #[test]
    fn impossible_tables_are_errors() {
        for (family, n_channels, table) in [
            (0, 0, &[][..]),
            (0, 3, &[]),
            (1, 2, &[1]),
            (1, 2, &[0, 0, 0, 1]),
            (1, 2, &[1, 2, 0, 1]),
            (1, 2, &[1, 1, 0, 2]),
            (2, 4, &[4, 0, 0, 1, 2, 3]),
            (255, 9, &[9, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ] {
            assert!(OpusHead::read(&head(family, n_channels, table), false).is_err());
        }
        assert!(OpusHead::read(b"OpusHead\x01\x02", false).is_err());
    }
}
