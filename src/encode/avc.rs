//! H.264 as stored in a file: access units with lengths instead of start codes, one pair of parameter sets.

use crate::bitstream::avc::{NAL_IDR, NAL_PPS, NAL_SEI, NAL_SLICES, NAL_SPS};
use crate::encode::VideoConfig;
use crate::encode::grouped::{Format, Sample};
use crate::encode::sequence::encoder_error;
use crate::error::Result;

/// Appends a NAL unit after its length, as stored in a file.
pub(super) fn push_nal(nal: &[u8], unit: &mut Vec<u8>) -> Result<()> {
    let n_bytes = u32::try_from(nal.len())
        .map_err(|_| encoder_error("an encoder returned a unit of more than 4 GiB"))?;
    unit.extend_from_slice(&n_bytes.to_be_bytes());
    unit.extend_from_slice(nal);
    Ok(())
}

/// Contents of an access unit.
#[derive(Debug, Default, PartialEq, Eq)]
struct AccessUnit {
    /// Slices with their lengths, as they go into a sample.
    data: Vec<u8>,
    is_idr: bool,
    sps: Option<Vec<u8>>,
    pps: Option<Vec<u8>>,
}

impl AccessUnit {
    /// Splits length-prefixed NAL units. Returns `None` when the lengths do not add up or there is no picture. Drops supplemental information:
    /// it only names the encoder.
    fn parse(mut rest: &[u8]) -> Option<AccessUnit> {
        let mut unit = AccessUnit::default();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let (nal, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
            match nal.first()? & 31 {
                NAL_SPS => unit.sps = Some(nal.to_vec()),
                NAL_PPS => unit.pps = Some(nal.to_vec()),
                NAL_SEI => {}
                kind => {
                    unit.is_idr |= kind == NAL_IDR;
                    if !NAL_SLICES.contains(&kind) {
                        return None;
                    }
                    unit.data.extend_from_slice(length);
                    unit.data.extend_from_slice(nal);
                }
            }
            rest = after;
        }
        (!unit.data.is_empty()).then_some(unit)
    }
}

/// The parameter sets, known from the first unit on.
#[derive(Debug, Default)]
pub(super) struct Avc {
    parameter_sets: Option<(Vec<u8>, Vec<u8>)>,
}

impl Format for Avc {
    fn sample(&mut self, unit: &[u8]) -> std::result::Result<Sample, &'static str> {
        let unit = AccessUnit::parse(unit).ok_or("a broken frame")?;
        if let (Some(sps), Some(pps)) = (unit.sps, unit.pps) {
            let sets = (sps, pps);
            if *self.parameter_sets.get_or_insert_with(|| sets.clone()) != sets {
                return Err("parameter sets that differ from the first ones");
            }
        }
        Ok(Sample {
            data: unit.data,
            is_sync: unit.is_idr,
        })
    }

    fn config(&self) -> Option<VideoConfig> {
        let (sps, pps) = self.parameter_sets.clone()?;
        Some(VideoConfig::Avc { sps, pps })
    }
}

/// Returns the key frames at which a new encoder starts: all but those that directly follow another one. Two key frames in a row need different
/// numbers (`idr_pic_id`), which only a single encoder ensures.
pub(super) fn starts(keyframes: &[u64]) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut before = None;
    for &key in keyframes {
        if before.is_none_or(|before| before + 1 < key) {
            starts.push(key);
        }
        before = Some(key);
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_frames_in_a_row_share_an_encoder() {
        assert_eq!(starts(&[0, 20, 37]), [0, 20, 37]);
        assert_eq!(starts(&[0, 1, 2, 9, 10, 30]), [0, 9, 30]);
    }

    #[test]
    fn access_units_are_taken_apart_and_lies_refused() {
        let mut good = Vec::new();
        for nal in [&[0x67, 1][..], &[0x68, 2], &[0x06, 9], &[0x65, 3, 4]] {
            push_nal(nal, &mut good).unwrap();
        }
        let unit = AccessUnit::parse(&good).unwrap();
        assert_eq!(unit.data, [0, 0, 0, 3, 0x65, 3, 4]);
        assert!(unit.is_idr);
        assert_eq!(
            (unit.sps, unit.pps),
            (Some(vec![0x67, 1]), Some(vec![0x68, 2]))
        );
        for n in [1, 5, good.len() - 1] {
            assert_eq!(AccessUnit::parse(&good[..n]), None, "{n}");
        }
        for bad in [
            &[][..],
            &[0, 0, 0, 0],
            &[255, 255, 255, 255, 0x65],
            &[0, 0, 0, 1, 0x1f],
            &[0, 0, 0, 2, 0x67, 1],
        ] {
            assert_eq!(AccessUnit::parse(bad), None, "{bad:?}");
        }
    }
}
