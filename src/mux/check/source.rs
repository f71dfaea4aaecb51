//! The file as a whole: its top-level boxes, found without reading the media data.

use std::io::{BufReader, ErrorKind as IoKind, Read, Seek, SeekFrom};
use std::ops::Range;

use super::boxes::{Problems, broken, name};
use crate::error::{Error, ErrorKind, Result};

/// Maximum size of a `moov`: an hour at 120 fps with sound needs some 10 MiB.
const MAX_INDEX_BYTES: u64 = 512 << 20;
/// Maximum number of top-level boxes; a long fragmented file has some ten thousand.
const MAX_TOP_BOXES: u32 = 1_000_000;

/// A file whose positions count from its start in the input.
#[derive(Debug)]
pub(super) struct Source<R: Read + Seek> {
    input: BufReader<R>,
    base: u64,
    pub(super) n_bytes: u64,
}

impl<R: Read + Seek> Source<R> {
    pub(super) fn new(mut input: R) -> Result<Source<R>> {
        let base = input.stream_position()?;
        let end = input.seek(SeekFrom::End(0))?;
        Ok(Source {
            input: BufReader::with_capacity(1 << 17, input),
            base,
            n_bytes: end.saturating_sub(base),
        })
    }

    pub(super) fn seek(&mut self, offset: u64) -> Result<()> {
        let position = self.base.saturating_add(offset);
        self.input.seek(SeekFrom::Start(position))?;
        Ok(())
    }

    /// Fills `buffer` from the current position.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.input.read_exact(buffer).map_err(|e| match e.kind() {
            IoKind::UnexpectedEof => broken("file", "ends early"),
            _ => Error::from(e),
        })
    }

    pub(super) fn read_body(
        &mut self,
        body: &Range<u64>,
        limit: u64,
        kind: [u8; 4],
    ) -> Result<Vec<u8>> {
        let n = body.end - body.start;
        if n > limit {
            let what = format!("box {} of {n} bytes is longer than {limit}", name(kind));
            return Err(broken("file", what));
        }
        self.seek(body.start)?;
        // Within the file's length, so the allocation cannot exceed its size.
        let mut bytes = vec![0; n as usize];
        self.read(&mut bytes)?;
        Ok(bytes)
    }
}

/// The relevant top-level boxes.
#[derive(Debug, Default)]
pub(super) struct TopLevel {
    pub(super) brands: Vec<String>,
    pub(super) moov: Vec<u8>,
    /// Bodies of the `mdat` boxes, ascending.
    pub(super) data: Vec<Range<u64>>,
    pub(super) is_fast_start: bool,
    pub(super) fragments: Vec<Fragment>,
}

/// One `moof`.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    pub(super) start: u64,
    pub(super) body: Range<u64>,
}

impl TopLevel {
    /// Walks the file's boxes, which must fill it exactly.
    pub(super) fn read<R: Read + Seek>(
        source: &mut Source<R>,
        problems: &mut Problems,
    ) -> Result<TopLevel> {
        let mut top = TopLevel::default();
        let (mut moov, mut position, mut n_boxes) = (None, 0, 0);
        while position < source.n_bytes {
            let (kind, body) = read_header(source, position)?;
            match &kind {
                b"ftyp" => {
                    problems.unless(position == 0, "file", "ftyp is not the first box");
                    let bytes = source.read_body(&body, 4096, kind)?;
                    top.brands = brands(&bytes)?;
                }
                b"moov" => {
                    problems.unless(moov.is_none(), "file", "more than one moov");
                    top.is_fast_start = top.data.is_empty();
                    moov.get_or_insert(body.clone());
                }
                b"mdat" => top.data.push(body.clone()),
                b"moof" => top.fragments.push(Fragment {
                    start: position,
                    body: body.clone(),
                }),
                b"free" | b"skip" | b"uuid" | b"wide" | b"meta" | b"udta" | b"sidx" | b"styp"
                | b"mfra" | b"emsg" | b"prft" => {}
                _ => problems.add("file", format!("unexpected box {}", name(kind))),
            }
            position = body.end;
            n_boxes += 1;
            if n_boxes > MAX_TOP_BOXES {
                return Err(broken("file", "too many boxes"));
            }
        }
        problems.unless(!top.brands.is_empty(), "file", "no ftyp box");
        let moov = moov.ok_or_else(|| {
            let what = "no moov box: the file is cut short, or its writing was interrupted";
            broken("file", what)
        })?;
        top.moov = source.read_body(&moov, MAX_INDEX_BYTES, *b"moov")?;
        Ok(top)
    }
}

/// Reads kind and body of the box at `position`.
fn read_header<R: Read + Seek>(
    source: &mut Source<R>,
    position: u64,
) -> Result<([u8; 4], Range<u64>)> {
    let left = source.n_bytes - position;
    if left < 8 {
        return Err(not_mp4(position, "there is no room for a box"));
    }
    source.seek(position)?;
    let mut header = [0; 8];
    source.read(&mut header)?;
    let [a, b, c, d, kind @ ..] = header;
    if !kind.iter().all(|byte| (0x20..0x7f).contains(byte)) {
        return Err(not_mp4(position, "there is no valid box"));
    }
    if position == 0 && !FIRST_KINDS.contains(&&kind) {
        return Err(not_mp4(0, "it does not start with an ftyp box"));
    }
    let (size, n_header) = match u32::from_be_bytes([a, b, c, d]) {
        0 => (left, 8),
        1 if left >= 16 => {
            let mut large = [0; 8];
            source.read(&mut large)?;
            (u64::from_be_bytes(large), 16)
        }
        size => (u64::from(size), 8),
    };
    if size < n_header || size > left {
        let what = format!(
            "box {} claims {size} bytes, but {left} are left",
            name(kind)
        );
        return Err(broken(&format!("byte {position}"), what));
    }
    Ok((kind, position + n_header..position + size))
}

/// Kinds of boxes that an MP4 or QuickTime file may start with.
const FIRST_KINDS: [&[u8; 4]; 8] = [
    b"ftyp", b"styp", b"moov", b"mdat", b"free", b"skip", b"wide", b"uuid",
];

fn not_mp4(position: u64, what: &str) -> Error {
    let message = if position == 0 {
        format!("this is not an MP4 file: {what}")
    } else {
        format!("broken MP4: byte {position}: {what}")
    };
    Error::new(ErrorKind::Media, message)
}

fn brands(body: &[u8]) -> Result<Vec<String>> {
    let (kinds, rest) = body.as_chunks::<4>();
    let [major, _version, compatible @ ..] = kinds else {
        return Err(broken("ftyp", "ends early"));
    };
    if !rest.is_empty() {
        return Err(broken("ftyp", "its length is not a whole number of brands"));
    }
    let brands = std::iter::once(major).chain(compatible);
    Ok(brands.map(|brand| name(*brand)).collect())
}
