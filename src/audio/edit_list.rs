//! Facts of an MP4 that the demuxer does not report: encoder delay and padding from the edit list of each track (ISO/IEC 14496-12, 8.6.6), and
//! sound that cannot be decoded.

use std::io::{self, SeekFrom};

use crate::media::AssetRead;

/// Maximum number of boxes to read, to guard against files made of millions of tiny boxes.
const MAX_BOXES: usize = 10_000;
/// Maximum size of a tag that is read.
const MAX_TAG_BYTES: u64 = 4096;

/// The part of a track to play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The track's number in the file.
    pub(crate) track: u32,
    /// Start of the part, as a fraction `(units, units per second)`.
    start: (u64, u32),
    /// Length of the part, as a fraction; `None` means to the end.
    length: Option<(u64, u32)>,
    /// Silence before it, as a fraction.
    delay: (u64, u32),
}

/// Facts from the boxes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Boxes {
    /// The edits of every track that has any.
    pub(crate) edits: Vec<Edit>,
    /// The sample entry (a codec's four letters) of every sound track.
    pub(crate) sounds: Vec<[u8; 4]>,
    /// Number of priming frames and of audible frames, as iTunes writes them in a tag.
    pub(crate) itunes_gap: Option<(u64, u64)>,
}

impl Edit {
    /// Returns the first audible frame, at `rate_hz` frames per second.
    pub(crate) fn start_frames(&self, rate_hz: u32) -> u64 {
        frames(self.start, rate_hz)
    }

    /// Returns the number of silent frames before the first audible frame.
    pub(crate) fn delay_frames(&self, rate_hz: u32) -> u64 {
        frames(self.delay, rate_hz)
    }

    /// Returns the number of audible frames.
    pub(crate) fn length_frames(&self, rate_hz: u32) -> Option<u64> {
        self.length.map(|length| frames(length, rate_hz))
    }
}

fn frames((units, per_second): (u64, u32), rate_hz: u32) -> u64 {
    let per_second = u128::from(per_second.max(1));
    let n = (u128::from(units) * u128::from(rate_hz) + per_second / 2) / per_second;
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// Parses the text ` 00000000 DELAY PADDING LENGTH ...`, hexadecimal, after the name of the tag.
fn itunes_gap(tag: &[u8]) -> Option<(u64, u64)> {
    const NAME: &[u8] = b"iTunSMPB";
    let name = tag.windows(NAME.len()).position(|w| w == NAME)?;
    let start = name + tag[name..].iter().position(|b| *b == b' ')?;
    let text = String::from_utf8_lossy(&tag[start..]);
    let mut fields = text.split_whitespace().skip(1);
    let delay = u64::from_str_radix(fields.next()?, 16).ok()?;
    let _padding = fields.next()?;
    let length = u64::from_str_radix(fields.next()?, 16).ok()?;
    (delay < 48_000 && length > 0).then_some((delay, length))
}

/// Reads the boxes of an MP4. Returns empty facts for other files and broken boxes, which the demuxer reports. The final stream position is unspecified.
pub(crate) fn read(stream: &mut dyn AssetRead) -> Boxes {
    let mut walk = Walk {
        stream,
        n_boxes: 0,
        movie_scale: 0,
        found: Boxes::default(),
        current: Trak::default(),
    };
    match walk.run() {
        Ok(()) => walk.found,
        Err(_) => Boxes::default(),
    }
}

/// Data collected for the current track.
#[derive(Default)]
struct Trak {
    id: u32,
    scale: u32,
    /// `(length in movie units, start in track units)`.
    parts: Vec<(u64, i64)>,
    handler: [u8; 4],
    entry: [u8; 4],
}

struct Walk<'a> {
    stream: &'a mut dyn AssetRead,
    n_boxes: usize,
    movie_scale: u32,
    found: Boxes,
    current: Trak,
}

impl Walk<'_> {
    fn run(&mut self) -> io::Result<()> {
        let end = self.stream.seek(SeekFrom::End(0))?;
        self.stream.seek(SeekFrom::Start(4))?;
        let mut kind = [0; 4];
        self.stream.read_exact(&mut kind)?;
        if !matches!(&kind, b"ftyp" | b"moov" | b"free" | b"wide" | b"mdat") {
            return Ok(());
        }
        self.children(0, end, 0)
    }

    fn children(&mut self, mut at: u64, end: u64, depth: u8) -> io::Result<()> {
        while at + 8 <= end && self.n_boxes < MAX_BOXES {
            self.n_boxes += 1;
            self.stream.seek(SeekFrom::Start(at))?;
            let short = self.u32()?;
            let mut kind = [0; 4];
            self.stream.read_exact(&mut kind)?;
            let (header, size) = match short {
                0 => (8, end - at),
                1 => (16, self.u64()?),
                n => (8, u64::from(n)),
            };
            if size < header || size > end - at {
                return Ok(());
            }
            self.visit(&kind, at + header, at + size, depth)?;
            at += size;
        }
        Ok(())
    }

    fn visit(&mut self, kind: &[u8; 4], body: u64, end: u64, depth: u8) -> io::Result<()> {
        match kind {
            b"moov" | b"mdia" | b"minf" | b"stbl" | b"edts" | b"udta" | b"ilst" if depth < 6 => {
                self.children(body, end, depth + 1)
            }
            // Version and flags come first.
            b"meta" if depth < 6 => self.children(body + 4, end, depth + 1),
            b"----" if end - body < MAX_TAG_BYTES => {
                let mut tag = vec![0; (end - body) as usize];
                self.stream.seek(SeekFrom::Start(body))?;
                self.stream.read_exact(&mut tag)?;
                self.found.itunes_gap = self.found.itunes_gap.or_else(|| itunes_gap(&tag));
                Ok(())
            }
            b"trak" if depth < 6 => {
                self.current = Trak::default();
                self.children(body, end, depth + 1)?;
                self.close_track();
                Ok(())
            }
            b"mvhd" => {
                self.movie_scale = self.scale(body)?;
                Ok(())
            }
            b"mdhd" => {
                self.current.scale = self.scale(body)?;
                Ok(())
            }
            b"tkhd" => {
                let skip = if self.version(body)? == 1 { 16 } else { 8 };
                self.stream.seek(SeekFrom::Current(skip))?;
                self.current.id = self.u32()?;
                Ok(())
            }
            b"elst" => self.edit_list(body, end),
            // QuickTime has a second one further down, for the data.
            b"hdlr" if self.current.handler == [0; 4] => {
                self.stream.seek(SeekFrom::Start(body + 8))?;
                self.stream.read_exact(&mut self.current.handler)
            }
            b"stsd" => {
                self.stream.seek(SeekFrom::Start(body + 12))?;
                self.stream.read_exact(&mut self.current.entry)
            }
            _ => Ok(()),
        }
    }

    fn edit_list(&mut self, body: u64, end: u64) -> io::Result<()> {
        let long = self.version(body)? == 1;
        let n = u64::from(self.u32()?).min((end - body) / 12).min(64);
        for _ in 0..n {
            let part = if long {
                (self.u64()?, self.u64()? as i64)
            } else {
                (u64::from(self.u32()?), i64::from(self.u32()? as i32))
            };
            self.u32()?;
            self.current.parts.push(part);
        }
        Ok(())
    }

    /// Finishes a track. Empty edits (start -1) before the first part only delay it; a track cut into several parts is played from the first one on.
    fn close_track(&mut self) {
        let trak = std::mem::take(&mut self.current);
        if trak.handler == *b"soun" {
            self.found.sounds.push(trak.entry);
        }
        let empty = trak.parts.iter().take_while(|(_, start)| *start < 0);
        let delay = empty.fold(0_u64, |sum, (length, _)| sum.saturating_add(*length));
        let heard: Vec<(u64, u64)> = trak
            .parts
            .iter()
            .filter_map(|(length, start)| Some((*length, u64::try_from(*start).ok()?)))
            .collect();
        let Some((length, start)) = heard.first().copied() else {
            return;
        };
        self.found.edits.push(Edit {
            track: trak.id,
            start: (start, trak.scale),
            length: (heard.len() == 1 && length > 0).then_some((length, self.movie_scale)),
            delay: (delay, self.movie_scale),
        });
    }

    /// Reads the version and skips the flags.
    fn version(&mut self, body: u64) -> io::Result<u8> {
        self.stream.seek(SeekFrom::Start(body))?;
        Ok((self.u32()? >> 24) as u8)
    }

    /// Reads the time scale in `mvhd` and `mdhd`.
    fn scale(&mut self, body: u64) -> io::Result<u32> {
        let skip = if self.version(body)? == 1 { 16 } else { 8 };
        self.stream.seek(SeekFrom::Current(skip))?;
        self.u32()
    }

    fn u32(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.stream.read_exact(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn u64(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.stream.read_exact(&mut bytes)?;
        Ok(u64::from_be_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn boxed(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let mut bytes = (body.len() as u32 + 8).to_be_bytes().to_vec();
        bytes.extend(kind);
        bytes.extend(body);
        bytes
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_be_bytes()).collect()
    }

    fn movie(parts: &[[u32; 2]]) -> Vec<u8> {
        let mut elst = words(&[0, parts.len() as u32]);
        for part in parts {
            elst.extend(words(&[part[0], part[1], 0x1_0000]));
        }
        let trak = [
            boxed(b"tkhd", &words(&[0, 0, 0, 7, 0, 0])),
            boxed(b"edts", &boxed(b"elst", &elst)),
            boxed(b"mdia", &boxed(b"mdhd", &words(&[0, 0, 0, 44_100, 0]))),
        ]
        .concat();
        let moov = [
            boxed(b"mvhd", &words(&[0, 0, 0, 1000, 0])),
            boxed(b"trak", &trak),
        ]
        .concat();
        [boxed(b"ftyp", b"M4A "), boxed(b"moov", &moov)].concat()
    }

    #[test]
    fn delay_and_length_are_found() {
        let edits = read(&mut Cursor::new(movie(&[[2000, 1024]]))).edits;
        assert_eq!(edits.len(), 1);
        assert_eq!(edits[0].track, 7);
        assert_eq!(edits[0].start_frames(44_100), 1024);
        assert_eq!(edits[0].start_frames(22_050), 512);
        assert_eq!(edits[0].length_frames(44_100), Some(88_200));
    }

    #[test]
    fn empty_and_multiple_edits() {
        let edits = read(&mut Cursor::new(movie(&[[500, u32::MAX], [0, 10]]))).edits;
        assert_eq!(edits[0].delay_frames(44_100), 22_050);
        assert_eq!(edits[0].start_frames(44_100), 10);
        assert_eq!(edits[0].length_frames(44_100), None);
        let edits = read(&mut Cursor::new(movie(&[[500, 1], [700, 90]]))).edits;
        assert_eq!(edits[0].length_frames(44_100), None);
    }

    #[test]
    fn broken_files_give_nothing_and_end() {
        let whole = movie(&[[2000, 1024]]);
        for n in 0..whole.len() {
            assert!(read(&mut Cursor::new(whole[..n].to_vec())).edits.len() <= 1);
        }
        let deep = (0..1000).fold(Vec::new(), |inner, _| boxed(b"moov", &inner));
        assert!(read(&mut Cursor::new(deep)).edits.is_empty());
    }
}
