//! Detects raw MPEG audio and AAC streams. They have no magic number, but several consecutive headers that agree identify them.

use super::Kind;

/// Extra bytes after the searched range, so that frames that begin in it are complete.
pub(super) const MARGIN: usize = 2 * 8192;
/// Number of consecutive headers that must agree. In random bytes two agree every few megabytes; three never do.
const N_AGREEING: usize = 3;
/// Number of headers that suffice for a short file if they cover it from its first byte to its last.
const N_AGREEING_WHOLE: usize = 2;

/// Bitrates in kbit/s by index (ISO/IEC 11172-3, 2.4.2.3; 13818-3, 2.4.2.3): MPEG-1 layers I, II, III, then the later versions' I, and II and III.
const KBITS: [[u32; 15]; 5] = [
    [
        0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448,
    ],
    [
        0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384,
    ],
    [
        0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
    ],
    [
        0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256,
    ],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/// Contents of a header: the frame's length, and the part that must be equal in every header of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    n_bytes: usize,
    key: u32,
    is_adts: bool,
}

/// Finds the first position among `n_searched` bytes where a stream begins.
pub(super) fn find(bytes: &[u8], n_searched: usize) -> Option<Kind> {
    let starts = 0..bytes.len().min(n_searched);
    starts.into_iter().find_map(|at| {
        let header = header(bytes.get(at..)?)?;
        is_stream(bytes, at, header).then_some(match header.is_adts {
            true => Kind::Adts(at as u64),
            false => Kind::Mpeg(at as u64),
        })
    })
}

fn is_stream(bytes: &[u8], at: usize, first: Header) -> bool {
    let (mut next, mut n) = (at + first.n_bytes, 1);
    while n < N_AGREEING {
        let Some(rest) = bytes.get(next..) else {
            return false;
        };
        let is_end = rest.is_empty() || rest.starts_with(b"TAG") || rest.starts_with(b"APETAGEX");
        if is_end {
            return at == 0 && n >= N_AGREEING_WHOLE;
        }
        match header(rest).filter(|h| (h.key, h.is_adts) == (first.key, first.is_adts)) {
            Some(header) => next += header.n_bytes,
            None => return false,
        }
        n += 1;
    }
    true
}

fn header(bytes: &[u8]) -> Option<Header> {
    let [a, b, c, d, rest @ ..] = bytes else {
        return None;
    };
    if *a != 0xff || b & 0xe0 != 0xe0 {
        return None;
    }
    match (b & 0xf6, b & 0x06) {
        (0xf0, _) => adts([*b, *c, *d], rest),
        (_, 0) => None,
        _ => mpeg([*b, *c, *d]),
    }
}

/// Parses a header by ISO/IEC 14496-3, 1.A.2.2. Version, profile, rate and channels stay the same.
fn adts([b, c, d]: [u8; 3], rest: &[u8]) -> Option<Header> {
    let [e, f, _, ..] = rest else {
        return None;
    };
    let n_bytes = usize::from(d & 3) << 11 | usize::from(*e) << 3 | usize::from(f >> 5);
    let rate = c >> 2 & 15;
    let least = if b & 1 == 0 { 9 } else { 7 };
    (rate < 13 && n_bytes > least).then_some(Header {
        n_bytes,
        key: u32::from_be_bytes([0, b & 0xf8, c & 0xfd, d & 0xc0]),
        is_adts: true,
    })
}

/// Parses a header by ISO/IEC 11172-3, 2.4.1.3, with the lower rates of 13818-3 and of "MPEG 2.5". Version, layer and rate stay the same.
fn mpeg([b, c, d]: [u8; 3]) -> Option<Header> {
    let (version, layer) = (b >> 3 & 3, 4 - usize::from(b >> 1 & 3));
    let (bitrate, rate) = (usize::from(c >> 4), usize::from(c >> 2 & 3));
    if version == 1 || bitrate == 0 || bitrate == 15 || rate == 3 || d & 3 == 2 {
        return None;
    }
    let is_first = version == 3;
    let row = match (is_first, layer) {
        (true, layer) => layer - 1,
        (false, 1) => 3,
        (false, _) => 4,
    };
    let halved = match version {
        3 => 0,
        2 => 1,
        _ => 2,
    };
    let rate_hz = [44_100, 48_000, 32_000][rate] >> halved;
    let bits = KBITS[row][bitrate] * 1000;
    let padding = u32::from(c >> 1 & 1);
    let n_bytes = match layer {
        1 => (12 * bits / rate_hz + padding) * 4,
        3 if !is_first => 72 * bits / rate_hz + padding,
        _ => 144 * bits / rate_hz + padding,
    };
    Some(Header {
        n_bytes: n_bytes as usize,
        key: u32::from(b & 0xfe) << 8 | u32::from(c & 0x0c),
        is_adts: false,
    })
}
