//! Walks the open bitstream units of an AV1 temporal unit (AV1 Bitstream & Decoding Process Specification, section 5.3).

use super::av1::{
    OBU_FRAME, OBU_FRAME_HEADER, OBU_SEQUENCE_HEADER, OBU_TEMPORAL_DELIMITER, split_obu,
};

/// `frame_type` of a key frame (section 6.8.2).
const KEY_FRAME: u8 = 0;

/// A temporal unit as stored in a container.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TemporalUnit {
    /// All units but the temporal delimiters (AV1 in ISOBMFF 1.2.0, section 2.4: they should not be stored).
    pub(crate) data: Vec<u8>,
    /// The first sequence header with its own header and size field, if any.
    pub(crate) sequence_header: Option<Vec<u8>>,
    /// Whether decoding can start here: a sequence header, then first a key frame that is shown.
    pub(crate) is_sync: bool,
}

/// Parses a temporal unit; returns `None` when a unit has no size field, reserved bits are set or a size extends beyond the end.
pub(crate) fn temporal_unit(bytes: &[u8]) -> Option<TemporalUnit> {
    let mut unit = TemporalUnit {
        data: Vec::with_capacity(bytes.len()),
        sequence_header: None,
        is_sync: false,
    };
    let mut seen_frame = false;
    let mut rest = bytes;
    while !rest.is_empty() {
        let (obu, after) = split_obu(rest)?;
        rest = after;
        if !obu.has_size {
            return None;
        }
        match obu.kind {
            OBU_TEMPORAL_DELIMITER => continue,
            OBU_SEQUENCE_HEADER if unit.sequence_header.is_none() => {
                unit.sequence_header = Some(obu.whole.to_vec());
            }
            OBU_FRAME | OBU_FRAME_HEADER if !seen_frame => {
                seen_frame = true;
                unit.is_sync = unit.sequence_header.is_some() && shows_key_frame(obu.payload);
            }
            _ => {}
        }
        unit.data.extend_from_slice(obu.whole);
    }
    Some(unit)
}

/// Returns whether a frame header (section 5.9.2, no reduced still picture header) is that of a key frame that is shown immediately.
fn shows_key_frame(payload: &[u8]) -> bool {
    payload.first().is_some_and(|bits| {
        let show_existing_frame = bits >> 7 & 1;
        let frame_type = bits >> 5 & 3;
        let show_frame = bits >> 4 & 1;
        show_existing_frame == 0 && frame_type == KEY_FRAME && show_frame == 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_go_and_key_frames_are_seen() {
        let bytes = [
            0x12, 0x00, 0x0a, 0x02, 0xaa, 0xbb, 0x32, 0x81, 0x00, 0x10, 0x12, 0x00,
        ];
        let unit = temporal_unit(&bytes).unwrap();
        assert_eq!(unit.data, bytes[2..10]);
        assert_eq!(unit.sequence_header.as_deref(), Some(&bytes[2..6]));
        assert!(unit.is_sync);
    }

    #[test]
    fn hidden_key_frames_and_missing_headers_are_no_sync_points() {
        for bytes in [
            &[0x0a, 0x00, 0x32, 0x01, 0x00][..], // key frame, not shown
            &[0x0a, 0x00, 0x32, 0x01, 0x30],     // inter frame, shown
            &[0x0a, 0x00, 0x1a, 0x01, 0x80],     // an earlier frame is shown
            &[0x32, 0x01, 0x10],                 // no sequence header
            &[0x0a, 0x00, 0x32, 0x01, 0x30, 0x32, 0x01, 0x10], // key frame second
        ] {
            assert!(!temporal_unit(bytes).unwrap().is_sync, "{bytes:x?}");
        }
    }

    #[test]
    fn broken_units_are_refused() {
        for bytes in [
            &[0x30, 0x01, 0x10][..], // no size field
            &[0x92, 0x00],           // forbidden bit
            &[0x32, 0x05, 0x10],     // beyond the end
            &[0x32],                 // no size
            &[0x36, 0x00],           // extension instead of a size
            &[0x32, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        ] {
            assert_eq!(temporal_unit(bytes), None, "{bytes:x?}");
        }
    }
}
