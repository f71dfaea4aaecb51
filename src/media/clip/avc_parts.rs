//! Parts of H.264 that kinora's decoder handles wrongly or not at all, detected in headers before a picture is decoded.
//!
//! Section numbers are those of ITU-T H.264 (08/2021). Data that cannot be parsed is damaged, which the decoder reports.

use std::collections::BTreeMap;

use super::codec::annex_b_units;
use crate::bitstream::avc::{
    NAL_IDR, NAL_PPS, NAL_SLICE, NAL_SPS, OrderCount, Sps, skip_scaling_list,
    without_emulation_prevention,
};
use crate::bitstream::bits::Bits;

/// `nal_unit_type` of slice data partitions (table 7-1).
const NAL_PARTITIONS: std::ops::RangeInclusive<u8> = 2..=4;
/// Number of bytes that contain a slice's header.
const HEADER_BYTES: usize = 512;
/// Maximum number of parameter sets of each kind, set by the standard.
const MAX_SETS: u32 = 256;

/// A part that the decoder cannot handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Fields,
    Partitions,
    SliceGroups,
    Switching,
    WeightedB,
    Lossless,
    LongTerm,
    TwoChromaOffsets,
}

impl Part {
    /// Returns the common name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Fields => "fields",
            Part::Partitions => "data partitions",
            Part::SliceGroups => "slice groups",
            Part::Switching => "switching slices",
            Part::WeightedB => "explicit weights of B slices",
            Part::Lossless => "lossless macroblocks",
            Part::LongTerm => "long-term references",
            Part::TwoChromaOffsets => "two chroma quantizers",
        }
    }

    /// Returns whether most pictures are correct anyway.
    pub(super) fn is_bearable(self) -> bool {
        matches!(self, Part::LongTerm | Part::TwoChromaOffsets)
    }
}

/// Tracks the parameter sets of a stream.
#[derive(Debug)]
pub(super) struct Parts {
    length_size: usize,
    sequences: BTreeMap<u32, Sps>,
    pictures: BTreeMap<u32, Pps>,
}

/// Fields of a picture parameter set (7.3.2.2) that its slices need, and the part that it uses itself.
#[derive(Clone, Copy, Debug)]
struct Pps {
    sequence: u32,
    is_cabac: bool,
    tells_bottom: bool,
    /// Number of references in the first list.
    n_references: u32,
    weighs_p: bool,
    weighs_b: bool,
    has_redundant: bool,
    /// Quantizer of luma, before the slices' offsets.
    quantizer: i32,
    part: Option<Part>,
}

impl Parts {
    /// Creates the state for a stream with these parameter sets in Annex B form.
    pub(super) fn new(length_size: usize, parameter_sets: &[u8]) -> Parts {
        let mut parts = Parts {
            length_size,
            sequences: BTreeMap::new(),
            pictures: BTreeMap::new(),
        };
        for nal in annex_b_units(parameter_sets) {
            let _ = parts.unit(nal);
        }
        parts
    }

    /// Returns the first such part in a sample or in its first bytes, and whether a slice was seen.
    pub(super) fn look(&mut self, mut sample: &[u8]) -> (Option<Part>, bool) {
        let mut has_slice = false;
        while let Some((length, rest)) = sample.split_at_checked(self.length_size) {
            let n = length.iter().fold(0, |n, byte| n << 8 | usize::from(*byte));
            let (nal, after) = rest.split_at(n.min(rest.len()));
            sample = after;
            let Some(header) = nal.first() else {
                continue;
            };
            has_slice |= (NAL_SLICE..=NAL_IDR).contains(&(header & 31));
            if let Some(part) = self.unit(nal) {
                return (Some(part), has_slice);
            }
        }
        (None, has_slice)
    }

    fn unit(&mut self, nal: &[u8]) -> Option<Part> {
        let (header, body) = nal.split_first()?;
        match header & 31 {
            NAL_SPS => {
                let sps = Sps::parse(nal)?;
                if sps.id < MAX_SETS {
                    self.sequences.insert(sps.id, sps);
                }
                None
            }
            NAL_PPS => {
                let (id, pps) = Pps::parse(&without_emulation_prevention(body))?;
                if id < MAX_SETS {
                    self.pictures.insert(id, pps);
                }
                None
            }
            kind if NAL_PARTITIONS.contains(&kind) => Some(Part::Partitions),
            kind @ (NAL_SLICE | NAL_IDR) => {
                let start = &body[..body.len().min(HEADER_BYTES)];
                let start = without_emulation_prevention(start);
                let is_reference = header & 0x60 != 0;
                self.slice(&mut Bits::new(&start), (kind == NAL_IDR, is_reference))?
            }
            _ => None,
        }
    }

    /// Parses `slice_header()` (7.3.3). The outer `None` means that it cannot be parsed.
    fn slice(
        &self,
        bits: &mut Bits<'_>,
        (is_idr, is_reference): (bool, bool),
    ) -> Option<Option<Part>> {
        bits.exp_golomb()?;
        let kind = bits.exp_golomb()? % 5;
        let pps = self.pictures.get(&bits.exp_golomb()?)?;
        let sps = self.sequences.get(&pps.sequence)?;
        let (is_p, is_b) = (kind == 0, kind == 1);
        let known = match kind {
            3 | 4 => Some(Part::Switching),
            1 if pps.weighs_b => Some(Part::WeightedB),
            _ => pps.part,
        };
        if known.is_some() {
            return Some(known);
        }
        bits.skip(sps.frame_num_bits)?;
        if sps.has_fields && bits.flag()? {
            return Some(Some(Part::Fields));
        }
        if is_idr {
            bits.exp_golomb()?;
        }
        match sps.order {
            OrderCount::Bits(n) => bits.skip(n)?,
            OrderCount::Differences => drop(bits.signed_exp_golomb()?),
            OrderCount::Nothing => {}
        }
        if pps.tells_bottom && sps.order != OrderCount::Nothing {
            bits.signed_exp_golomb()?;
        }
        if pps.has_redundant {
            bits.exp_golomb()?;
        }
        if is_b {
            bits.skip(1)?;
        }
        if (is_p || is_b) && pps.refers_to_long_term(bits, is_b)? {
            return Some(Some(Part::LongTerm));
        }
        if is_reference && marks_long_term(bits, is_idr)? {
            return Some(Some(Part::LongTerm));
        }
        if !sps.is_lossless {
            return Some(None);
        }
        if pps.is_cabac && (is_p || is_b) {
            bits.exp_golomb()?;
        }
        let quantizer = i64::from(pps.quantizer) + i64::from(bits.signed_exp_golomb()?);
        Some((quantizer == 0).then_some(Part::Lossless))
    }
}

/// Parses `ref_pic_list_modification()` of a list (7.3.3.1); returns whether it refers to long-term pictures.
fn refers_to_long_term(bits: &mut Bits<'_>) -> Option<bool> {
    const LONG_TERM: u32 = 2;
    const END: u32 = 3;
    if !bits.flag()? {
        return Some(false);
    }
    loop {
        match bits.exp_golomb()? {
            END => return Some(false),
            LONG_TERM => return Some(true),
            _ => drop(bits.exp_golomb()?),
        }
    }
}

/// Skips `pred_weight_table()` of P slices with chroma (7.3.3.2).
fn skip_weights(bits: &mut Bits<'_>, n_references: u32) -> Option<()> {
    bits.exp_golomb()?;
    bits.exp_golomb()?;
    for _ in 0..n_references.min(32) {
        for n_numbers in [2, 4] {
            if bits.flag()? {
                for _ in 0..n_numbers {
                    bits.signed_exp_golomb()?;
                }
            }
        }
    }
    Some(())
}

/// Parses `dec_ref_pic_marking()` (7.3.3.3); returns whether it marks long-term pictures.
fn marks_long_term(bits: &mut Bits<'_>, is_idr: bool) -> Option<bool> {
    if is_idr {
        bits.skip(1)?;
        return bits.flag();
    }
    if !bits.flag()? {
        return Some(false);
    }
    loop {
        match bits.exp_golomb()? {
            0 => return Some(false),
            1 => drop(bits.exp_golomb()?),
            5 => {}
            _ => return Some(true),
        }
    }
}

impl Pps {
    /// Reads the references of a slice up to its weights (7.3.3).
    fn refers_to_long_term(&self, bits: &mut Bits<'_>, is_b: bool) -> Option<bool> {
        let mut n_references = self.n_references;
        if bits.flag()? {
            n_references = bits.exp_golomb()?.saturating_add(1);
            if is_b {
                bits.exp_golomb()?;
            }
        }
        for _ in 0..if is_b { 2 } else { 1 } {
            if refers_to_long_term(bits)? {
                return Some(true);
            }
        }
        if self.weighs_p && !is_b {
            skip_weights(bits, n_references)?;
        }
        Some(false)
    }

    /// Parses a parameter set; returns its number too.
    fn parse(body: &[u8]) -> Option<(u32, Pps)> {
        let mut bits = Bits::new(body);
        let (id, sequence) = (bits.exp_golomb()?, bits.exp_golomb()?);
        let mut pps = Pps {
            sequence,
            is_cabac: bits.flag()?,
            tells_bottom: bits.flag()?,
            n_references: 1,
            weighs_p: false,
            weighs_b: false,
            has_redundant: false,
            quantizer: 26,
            part: None,
        };
        if bits.exp_golomb()? > 0 {
            pps.part = Some(Part::SliceGroups);
            return Some((id, pps));
        }
        pps.n_references = bits.exp_golomb()?.saturating_add(1);
        bits.exp_golomb()?;
        pps.weighs_p = bits.flag()?;
        pps.weighs_b = bits.get(2)? == 1;
        pps.quantizer = bits.signed_exp_golomb()?.saturating_add(26);
        bits.signed_exp_golomb()?;
        let chroma = bits.signed_exp_golomb()?;
        bits.skip(2)?;
        pps.has_redundant = bits.flag()?;
        let has_more = has_more(body, &bits);
        if has_more && second_offset(&mut bits).is_some_and(|second| second != chroma) {
            pps.part = Some(Part::TwoChromaOffsets);
        }
        Some((id, pps))
    }
}

/// Evaluates `more_rbsp_data()` (7.2): returns whether anything precedes the last 1 bit.
fn has_more(body: &[u8], bits: &Bits<'_>) -> bool {
    let Some(last) = body.iter().rposition(|byte| *byte != 0) else {
        return false;
    };
    let stop = last * 8 + 7 - body[last].trailing_zeros() as usize;
    bits.position() < stop
}

/// Reads the end of a picture parameter set of the high profiles, with 4:2:0, for its second chroma offset.
fn second_offset(bits: &mut Bits<'_>) -> Option<i32> {
    let has_8x8 = bits.flag()?;
    if bits.flag()? {
        for i in 0..if has_8x8 { 8 } else { 6 } {
            if bits.flag()? {
                skip_scaling_list(bits, if i < 6 { 16 } else { 64 })?;
            }
        }
    }
    bits.signed_exp_golomb()
}
