//! Presentation times of a stream's frames, from its packets: nothing is decoded.

use std::io;

use super::input::Input;
use super::probe;
use super::programs::Programs;

/// Maximum length of a line that `ffprobe` writes for a packet.
const MAX_LINE: usize = 512;

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) pts: Option<i64>,
    pub(super) dts: Option<i64>,
    /// 0 if unknown.
    pub(super) duration: i64,
    pub(super) is_key: bool,
    /// Whether it is decoded but not shown.
    pub(super) is_discarded: bool,
}

impl Packet {
    /// Parses `pts,dts,duration,flags`.
    fn of_line(line: &str) -> Option<Packet> {
        let mut fields = line.trim().split(',');
        let mut number = || -> Option<Option<i64>> {
            let field = fields.next()?;
            match field {
                "N/A" => Some(None),
                number => number.parse().ok().map(Some),
            }
        };
        let (pts, dts, duration) = (number()?, number()?, number()?);
        let flags = fields.next()?;
        Some(Packet {
            pts,
            dts,
            duration: duration.unwrap_or(0).clamp(0, 1 << 56),
            is_key: flags.contains('K'),
            is_discarded: flags.contains('D'),
        })
    }
}

/// Returns all packets of a stream in order; `None` when there are more than `most`.
pub(super) fn packets(
    stream: u32,
    most: usize,
    input: &Input,
    programs: &Programs,
) -> io::Result<Option<Vec<Packet>>> {
    let stream = stream.to_string();
    let wanted = [
        "-of",
        "csv=p=0",
        "-select_streams",
        &stream,
        "-show_entries",
        "packet=pts,dts,duration,flags",
    ];
    let mut child = probe::start(&wanted, input, programs)?;
    let (mut found, mut line, mut piece) = (Vec::new(), Vec::new(), vec![0; 1 << 16]);
    loop {
        let n = child.read_some(&mut piece)?;
        for byte in &piece[..n] {
            if *byte == b'\n' {
                found.extend(std::str::from_utf8(&line).ok().and_then(Packet::of_line));
                line.clear();
            } else if line.len() < MAX_LINE {
                line.push(*byte);
            }
        }
        if found.len() > most {
            return Ok(None);
        }
        if n == 0 {
            break;
        }
    }
    // A truncated file is read as far as it goes.
    match child.finish() {
        Err(e) if found.is_empty() => Err(e),
        _ => Ok(Some(found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_version_are_read() {
        let packet = Packet {
            pts: Some(1024),
            dts: None,
            duration: 512,
            is_key: true,
            is_discarded: false,
        };
        for line in ["1024,N/A,512,K_", "1024,N/A,512,K__,", "1024,N/A,512,K_,\r"] {
            assert_eq!(Packet::of_line(line), Some(packet), "{line}");
        }
        let discarded = Packet::of_line("-5,-7,N/A,_D").unwrap();
        assert!(discarded.is_discarded && !discarded.is_key);
        assert_eq!((discarded.pts, discarded.duration), (Some(-5), 0));
        for line in ["", "x", "1,2", "1,2,3"] {
            assert_eq!(Packet::of_line(line), None, "{line}");
        }
    }
}
