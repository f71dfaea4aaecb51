//! The segments of a JPEG (ITU-T T.81, B.1.1): where each starts, and the contents of those before the pixels.

/// Markers that this module uses by name.
pub(super) const DHT: u8 = 0xc4;
pub(super) const SOS: u8 = 0xda;
pub(super) const DRI: u8 = 0xdd;
pub(super) const EOI: u8 = 0xd9;
const APP1: u8 = 0xe1;

/// One color component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component {
    pub(super) id: u8,
    /// Its blocks per unit, across and down.
    pub(super) across: u32,
    pub(super) down: u32,
}

/// The frame header.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    marker: u8,
    precision: u8,
    pub(super) width: u16,
    pub(super) height: u16,
    pub(super) components: Vec<Component>,
}

impl Frame {
    pub(super) fn read(marker: u8, body: &[u8]) -> Option<Frame> {
        let &[precision, h1, h0, w1, w0, n, ref rest @ ..] = body else {
            return None;
        };
        let components = rest.as_chunks::<3>().0.iter().take(usize::from(n));
        let components: Vec<Component> = components
            .map(|&[id, sampling, _]| Component {
                id,
                across: u32::from(sampling >> 4).clamp(1, 4),
                down: u32::from(sampling & 15).clamp(1, 4),
            })
            .collect();
        (components.len() == usize::from(n) && n > 0).then_some(Frame {
            marker,
            precision,
            width: u16::from_be_bytes([w1, w0]),
            height: u16::from_be_bytes([h1, h0]),
            components,
        })
    }

    /// Returns whether coefficients are refined scan by scan.
    pub(super) fn is_progressive(&self) -> bool {
        self.marker == 0xc2
    }

    /// Returns whether pixels are predicted from their neighbors, without blocks.
    pub(super) fn is_lossless(&self) -> bool {
        self.marker == 0xc3
    }

    /// Returns the number of units across and down.
    pub(super) fn n_units(&self) -> (u32, u32) {
        let (across, down) = self.most();
        (
            u32::from(self.width).div_ceil(8 * across),
            u32::from(self.height).div_ceil(8 * down),
        )
    }

    /// Returns the maximum blocks of one component per unit, across and down.
    fn most(&self) -> (u32, u32) {
        let across = self.components.iter().map(|c| c.across).max().unwrap_or(1);
        let down = self.components.iter().map(|c| c.down).max().unwrap_or(1);
        (across, down)
    }

    /// Returns the blocks across and down of a component that has a separate scan: only those with pixels.
    pub(super) fn n_blocks(&self, component: &Component) -> (u32, u32) {
        let (across, down) = self.most();
        let blocks =
            |px: u16, own: u32, most: u32| (u32::from(px) * own).div_ceil(most).div_ceil(8);
        (
            blocks(self.width, component.across, across),
            blocks(self.height, component.down, down),
        )
    }

    /// Returns the bytes that the decoder allocates for it.
    pub(super) fn need(&self) -> u64 {
        let n = self.components.len() as u64;
        let n_pixels = u64::from(self.width) * u64::from(self.height);
        let (columns, rows) = self.n_units();
        let units = u64::from(columns) * u64::from(rows);
        let blocks: u64 = self
            .components
            .iter()
            .map(|c| u64::from(c.across * c.down))
            .sum();
        let samples = units * blocks * 64;
        let (sample, pixel) = if self.precision > 8 { (2, 2) } else { (1, 1) };
        // The planes and the resulting pixels. For refined scans also coefficients of two bytes, and this module's word for each block.
        let coefficients = if self.is_progressive() {
            samples * 2 + units * blocks * 8
        } else {
            0
        };
        samples * sample + n_pixels * n * pixel + coefficients
    }
}

/// Contents of the segments before the first scan.
pub(super) struct Start<'a> {
    pub(super) frame: Frame,
    /// The EXIF block.
    pub(super) exif: Option<&'a [u8]>,
}

/// Reads the segments before the first scan.
pub(super) fn before_first_scan(bytes: &[u8]) -> Option<Start<'_>> {
    let (mut at, mut exif, mut frame) = (2, None, None);
    while let Some(segment) = Segment::next(bytes, at) {
        match segment.marker {
            APP1 if exif.is_none() && segment.body.starts_with(b"Exif\0\0") => {
                exif = Some(segment.body);
            }
            marker if is_frame(marker) && frame.is_none() => {
                frame = Some(Frame::read(marker, segment.body)?);
            }
            SOS | EOI => break,
            _ => {}
        }
        at = segment.end;
    }
    frame.map(|frame| Start { frame, exif })
}

/// Returns whether a marker is a start of frame: all of 0xc0 to 0xcf except the tables of codes, and one that is reserved for extensions.
pub(super) fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf)
}

/// A marker and its data.
pub(super) struct Segment<'a> {
    pub(super) marker: u8,
    /// Data without marker and length.
    pub(super) body: &'a [u8],
    /// Where the search for the next one starts.
    pub(super) end: usize,
}

impl<'a> Segment<'a> {
    /// Finds the first marker from `at` on that is not a restart, stuffing or padding; stray bytes between segments are skipped, as in decoders.
    pub(super) fn next(bytes: &'a [u8], mut at: usize) -> Option<Segment<'a>> {
        loop {
            at += bytes.get(at..)?.iter().position(|&b| b == 0xff)? + 1;
            match *bytes.get(at)? {
                0x00 | 0x01 | 0xd0..=0xd8 => at += 1,
                0xff => {}
                EOI => {
                    return Some(Segment {
                        marker: EOI,
                        body: &[],
                        end: at + 1,
                    });
                }
                marker => {
                    let &[high, low] = bytes.get(at + 1..at + 3)? else {
                        return None;
                    };
                    let length = usize::from(u16::from_be_bytes([high, low])).max(2);
                    let end = at + 1 + length;
                    return Some(Segment {
                        marker,
                        body: bytes.get(at + 3..end)?,
                        end,
                    });
                }
            }
        }
    }
}
