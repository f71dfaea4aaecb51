//! Metadata beside the tracks of a Matroska or WebM file (RFC 9559, 5.1): chapters, tags, attachments and seek tables.

use std::io::{self, Read, Seek};

use super::{Patch, bytes_at};

/// Maximum number of elements to read.
const MAX_ELEMENTS: usize = 10_000;
const EBML: u32 = 0x1a45_dfa3;
const SEGMENT: u32 = 0x1853_8067;
const CLUSTER: u32 = 0x1f43_b675;
const INFO: u32 = 0x1549_a966;
const TRACKS: u32 = 0x1654_ae6b;
/// Chapters, Tags, Attachments, Cues.
const HIDDEN: [u32; 4] = [0x1043_a770, 0x1254_c367, 0x1941_a469, 0x1c53_bb6b];
const SEEK_HEAD: u32 = 0x114d_9b74;
/// ID of an element that readers skip.
const VOID: u8 = 0xec;

/// Header of an element.
struct Element {
    id: u32,
    at: u64,
    body: u64,
    /// `None` if unknown.
    n_bytes: Option<u64>,
}

/// Replaces unneeded elements before the first cluster with empty ones. The seek head is included if everything that it could point to precedes the cluster.
pub(super) fn patches(stream: &mut (impl Read + Seek), n_bytes: u64) -> io::Result<Vec<Patch>> {
    let ebml = element(stream, 0)?;
    let (Some(length), true) = (ebml.n_bytes, ebml.id == EBML) else {
        return Ok(Vec::new());
    };
    let segment = element(stream, ebml.body.saturating_add(length))?;
    if segment.id != SEGMENT {
        return Ok(Vec::new());
    }
    let (mut patches, mut seek_heads, mut n_needed) = (Vec::new(), Vec::new(), 0);
    let mut at = segment.body;
    for _ in 0..MAX_ELEMENTS {
        // The file may end here, or be truncated.
        let Ok(found) = element(stream, at) else {
            break;
        };
        let Some(length) = found.n_bytes.filter(|_| found.id != CLUSTER) else {
            break;
        };
        let end = found.body.saturating_add(length);
        if end > n_bytes {
            break;
        }
        match found.id {
            INFO | TRACKS => n_needed += 1,
            SEEK_HEAD => seek_heads.extend(void(&found, length)),
            id if HIDDEN.contains(&id) => patches.extend(void(&found, length)),
            _ => {}
        }
        at = end;
    }
    if n_needed == 2 {
        patches.append(&mut seek_heads);
    }
    Ok(patches)
}

/// Builds an empty element of the same length.
fn void(element: &Element, length: u64) -> Option<Patch> {
    let n_header = element.body - element.at;
    let n_size = (n_header - 1).min(8);
    let length = length + n_header - 1 - n_size;
    // The first byte of a size begins with as many zero bits as bytes follow it.
    let coded = length | 1 << (7 * n_size);
    let bytes = coded.to_be_bytes();
    let size = &bytes[8 - n_size as usize..];
    let fits = length < (1 << (7 * n_size)) - 1;
    fits.then(|| (element.at, [&[VOID], size].concat()))
}

fn element(stream: &mut (impl Read + Seek), at: u64) -> io::Result<Element> {
    let [first] = bytes_at::<1>(stream, at)?;
    let n_id = u64::from(first.leading_zeros()) + 1;
    if n_id > 4 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let id = number(stream, at, n_id)?;
    let [first] = bytes_at::<1>(stream, at + n_id)?;
    let n_size = u64::from(first.leading_zeros()) + 1;
    if n_size > 8 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let value_bits = (1 << (7 * n_size)) - 1;
    let size = number(stream, at + n_id, n_size)? & value_bits;
    Ok(Element {
        id: id as u32,
        at,
        body: at + n_id + n_size,
        n_bytes: (size != value_bits).then_some(size),
    })
}

fn number(stream: &mut (impl Read + Seek), at: u64, n_bytes: u64) -> io::Result<u64> {
    let mut value = 0;
    for i in 0..n_bytes {
        let [byte] = bytes_at::<1>(stream, at + i)?;
        value = value << 8 | u64::from(byte);
    }
    Ok(value)
}
