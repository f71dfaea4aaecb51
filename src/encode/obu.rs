//! Walks the open bitstream units of an AV1 temporal unit (AV1 Bitstream & Decoding Process Specification, section 5.3).

/// `obu_type` values (section 6.2.2).
const SEQUENCE_HEADER: u8 = 1;
const TEMPORAL_DELIMITER: u8 = 2;
const FRAME_HEADER: u8 = 3;
const FRAME: u8 = 6;

/// `frame_type` of a key frame (section 6.8.2).
const KEY_FRAME: u8 = 0;

/// A temporal unit as stored in a container.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TemporalUnit {
    /// All units but the temporal delimiters (AV1 in ISOBMFF 1.2.0, section 2.4: they should not be stored).
    pub(super) data: Vec<u8>,
    /// The first sequence header with its own header and size field, if any.
    pub(super) sequence_header: Option<Vec<u8>>,
    /// Whether decoding can start here: a sequence header, then first a key frame that is shown.
    pub(super) is_sync: bool,
}

/// Parses a temporal unit; returns `None` when a unit has no size field, reserved bits are set or a size extends beyond the end.
pub(super) fn temporal_unit(bytes: &[u8]) -> Option<TemporalUnit> {
    let mut unit = TemporalUnit {
        data: Vec::with_capacity(bytes.len()),
        sequence_header: None,
        is_sync: false,
    };
    let mut seen_frame = false;
    let mut rest = bytes;
    while !rest.is_empty() {
        let obu = Obu::first(rest)?;
        rest = &rest[obu.whole.len()..];
        match obu.kind {
            TEMPORAL_DELIMITER => continue,
            SEQUENCE_HEADER if unit.sequence_header.is_none() => {
                unit.sequence_header = Some(obu.whole.to_vec());
            }
            FRAME | FRAME_HEADER if !seen_frame => {
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

struct Obu<'a> {
    kind: u8,
    payload: &'a [u8],
    whole: &'a [u8],
}

impl<'a> Obu<'a> {
    fn first(bytes: &'a [u8]) -> Option<Obu<'a>> {
        let header = *bytes.first()?;
        let (forbidden, extension, has_size) = (header >> 7, header >> 2 & 1, header >> 1 & 1);
        if forbidden != 0 || has_size == 0 {
            return None;
        }
        let start = 1 + extension as usize;
        let (size, n_size_bytes) = leb128(bytes.get(start..)?)?;
        let start = start + n_size_bytes;
        let end = start.checked_add(size)?;
        Some(Obu {
            kind: header >> 3 & 15,
            payload: bytes.get(start..end)?,
            whole: &bytes[..end],
        })
    }
}

/// Decodes a little-endian base-128 number (section 4.10.5); returns it and its length in bytes.
fn leb128(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0u64;
    for (i, byte) in bytes.iter().take(8).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, i + 1));
        }
    }
    None
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
