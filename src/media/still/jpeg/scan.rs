//! Checks whether the coded data of a JPEG is complete: decoders silently fill missing parts with gray.
//!
//! Follows the codes of every scan (ITU-T T.81, F.2 and G.2) and counts the blocks present. This also detects damage in the middle, because the data
//! after it does not end where it should.

use super::huffman::{Bits, NoCode, Table};
use super::segments::{Component, DHT, DRI, EOI, Frame, SOS, Segment, is_frame};
use crate::media::refusal::Refusal;
use crate::media::still::size::cut_short;

/// Maximum number of scans; cameras write a dozen, and each costs a pass over the whole picture.
const MAX_SCANS: usize = 100;

/// One in this many units of a scan may be missing: some writers lose the last one, which is hardly visible.
const MISSING_OF: u64 = 100;

/// Returns an error if more than a negligible part of the picture is missing.
pub(super) fn check(bytes: &[u8]) -> Result<(), Refusal> {
    let mut walk = Walk::default();
    let mut at = 2;
    while let Some(segment) = Segment::next(bytes, at) {
        at = segment.end;
        match segment.marker {
            EOI if walk.n_scans > 0 => return walk.check_components(),
            SOS => at = walk.scan(&segment, bytes)?,
            DHT => walk.read_tables(segment.body),
            DRI => {
                if let &[high, low, ..] = segment.body {
                    walk.interval = u32::from(u16::from_be_bytes([high, low]));
                }
            }
            marker if is_frame(marker) && walk.frame.is_none() => {
                walk.frame = Frame::read(marker, segment.body);
            }
            _ => {}
        }
    }
    Err(cut_short())
}

/// State while the scans are followed.
#[derive(Default)]
struct Walk {
    frame: Option<Frame>,
    /// Tables DC 0 to 3, then AC 0 to 3: counts and values. Of the thousands of tables in a file only a few are ever used.
    tables: [Option<([u8; 16], Vec<u8>)>; 8],
    /// Units between restarts; 0 for none.
    interval: u32,
    n_scans: usize,
    /// For each component, the nonzero coefficients of each block, where they are refined.
    known: Vec<Vec<u64>>,
    /// Components that had a scan with their mean values.
    seen: Vec<bool>,
    /// Set when something cannot be followed: the rest is left to the decoder.
    is_lost: bool,
}

impl Walk {
    fn read_tables(&mut self, mut body: &[u8]) {
        while let Some((&[place, ref counts @ ..], rest)) = body.split_first_chunk::<17>() {
            let n: usize = counts.iter().map(|&n| usize::from(n)).sum();
            let Some((values, rest)) = rest.split_at_checked(n) else {
                return;
            };
            let slot = usize::from(place >> 4 & 1) * 4 + usize::from(place & 3);
            self.tables[slot] = Some((*counts, values.to_vec()));
            body = rest;
        }
    }

    fn table(&self, slot: usize) -> Option<Table> {
        let (counts, values) = self.tables[slot].as_ref()?;
        Some(Table::of(counts, values))
    }

    fn check_components(&self) -> Result<(), Refusal> {
        match self.seen.iter().all(|&seen| seen) {
            true => Ok(()),
            false => Err(cut_short()),
        }
    }

    /// Follows one scan and returns its end.
    fn scan(&mut self, segment: &Segment<'_>, bytes: &[u8]) -> Result<usize, Refusal> {
        self.n_scans += 1;
        if self.n_scans > MAX_SCANS {
            let reason = format!("is a JPEG with more than {MAX_SCANS} scans");
            return Err(Refusal::new("too_large", reason).hint("save it again"));
        }
        let frame = self.frame.clone().ok_or_else(cut_short)?;
        if self.seen.is_empty() {
            self.seen = vec![false; frame.components.len()];
            if frame.is_progressive() {
                let (columns, rows) = frame.n_units();
                let blocks = |c: &Component| (columns * c.across * rows * c.down) as usize;
                self.known = frame
                    .components
                    .iter()
                    .map(|c| vec![0; blocks(c)])
                    .collect();
            }
        }
        if !self.is_lost
            && !frame.is_lossless()
            && let Some(mut scan) = Scan::read(self, &frame, segment.body)
        {
            let (n_there, n_wanted) = scan.follow(Bits::new(bytes, segment.end), self.interval);
            scan.give_back(self);
            if n_there + n_wanted / MISSING_OF < n_wanted {
                let percent = n_there * 100 / n_wanted.max(1);
                return Err(Refusal::damaged(format_args!(
                    "its data ends after {percent} % of the picture"
                )));
            }
        } else {
            self.is_lost = true;
            self.seen.fill(true);
        }
        Ok(segment.end)
    }
}

/// One component's part of a scan.
struct Part {
    index: usize,
    component: Component,
    dc: Option<Table>,
    ac: Option<Table>,
    known: Vec<u64>,
    /// Number of blocks per row of `known`.
    stride: u32,
}

/// One scan.
struct Scan {
    parts: Vec<Part>,
    /// Number of units across and down; each is a single block when there is only one part.
    n_units: (u32, u32),
    /// First and last coefficient.
    band: (usize, usize),
    /// Whether it adds a bit to known coefficients.
    refines: bool,
    is_progressive: bool,
    /// Number of following blocks without new data.
    n_empty: u32,
}

impl Scan {
    fn read(walk: &mut Walk, frame: &Frame, body: &[u8]) -> Option<Scan> {
        let (&n, rest) = body.split_first()?;
        let (choices, rest) = rest.split_at_checked(usize::from(n) * 2)?;
        let &[first, last, approximation, ..] = rest else {
            return None;
        };
        let is_progressive = frame.is_progressive();
        let band = match is_progressive {
            true => (usize::from(first.min(63)), usize::from(last.min(63))),
            false => (0, 63),
        };
        let mut parts = Vec::new();
        for &[id, tables] in choices.as_chunks::<2>().0 {
            let index = frame.components.iter().position(|c| c.id == id)?;
            let component = frame.components[index];
            let part = Part {
                index,
                component,
                dc: walk.table(usize::from(tables >> 4 & 3)),
                ac: walk.table(4 + usize::from(tables & 3)),
                known: walk
                    .known
                    .get_mut(index)
                    .map(std::mem::take)
                    .unwrap_or_default(),
                stride: frame.n_units().0 * component.across,
            };
            // Motion JPEG leaves out the standard tables.
            let needs_dc = band.0 == 0 && approximation >> 4 == 0;
            if needs_dc && part.dc.is_none() || band.1 > 0 && part.ac.is_none() {
                return None;
            }
            walk.seen[index] |= band.0 == 0;
            parts.push(part);
        }
        let n_units = match &parts[..] {
            [] => return None,
            [alone] => frame.n_blocks(&alone.component),
            _ => frame.n_units(),
        };
        Some(Scan {
            parts,
            n_units,
            band,
            refines: approximation >> 4 != 0,
            is_progressive,
            n_empty: 0,
        })
    }

    fn give_back(self, walk: &mut Walk) {
        for part in self.parts {
            if let Some(known) = walk.known.get_mut(part.index) {
                *known = part.known;
            }
        }
    }

    /// Returns how many units are present, and how many there should be.
    fn follow(&mut self, mut bits: Bits<'_>, interval: u32) -> (u64, u64) {
        let n_wanted = u64::from(self.n_units.0) * u64::from(self.n_units.1);
        let interval = match interval {
            0 => n_wanted,
            n => u64::from(n),
        };
        let (mut unit, mut n_there) = (0, 0);
        while unit < n_wanted {
            let end = (unit + interval).min(n_wanted);
            self.n_empty = 0;
            while unit < end {
                if self.unit(unit, &mut bits).is_err() || bits.are_spent() {
                    break;
                }
                (unit, n_there) = (unit + 1, n_there + 1);
            }
            unit = end;
            if unit < n_wanted && !bits.restart() {
                break;
            }
        }
        (n_there, n_wanted)
    }

    fn unit(&mut self, unit: u64, bits: &mut Bits<'_>) -> Result<(), NoCode> {
        let columns = u64::from(self.n_units.0);
        let (x, y) = ((unit % columns) as u32, (unit / columns) as u32);
        let is_alone = self.parts.len() == 1;
        for i in 0..self.parts.len() {
            let Component { across, down, .. } = self.parts[i].component;
            let (across, down) = if is_alone { (1, 1) } else { (across, down) };
            for v in 0..down {
                for h in 0..across {
                    let (column, row) = (x * across + h, y * down + v);
                    let block = (row * self.parts[i].stride + column) as usize;
                    match self.is_progressive {
                        false => self.parts[i].sequential(bits)?,
                        true => self.progressive(i, block, bits)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn progressive(
        &mut self,
        part: usize,
        block: usize,
        bits: &mut Bits<'_>,
    ) -> Result<(), NoCode> {
        let part = &mut self.parts[part];
        if self.band.0 == 0 {
            match self.refines {
                true => drop(bits.take(1)),
                false => part.mean(bits)?,
            }
            return Ok(());
        }
        let known = part.known.get_mut(block).ok_or(NoCode)?;
        let ac = part.ac.as_ref().ok_or(NoCode)?;
        match self.refines {
            true => refine(self.band, known, (ac, &mut self.n_empty), bits),
            false => first(self.band, known, (ac, &mut self.n_empty), bits),
        }
    }
}

impl Part {
    /// Reads the difference of the block's mean.
    fn mean(&self, bits: &mut Bits<'_>) -> Result<(), NoCode> {
        let n = bits.code(self.dc.as_ref().ok_or(NoCode)?)?;
        bits.take(u32::from(n.min(16)));
        Ok(())
    }

    /// Reads a whole block (F.2.2).
    fn sequential(&self, bits: &mut Bits<'_>) -> Result<(), NoCode> {
        self.mean(bits)?;
        let ac = self.ac.as_ref().ok_or(NoCode)?;
        let mut k = 1;
        while k < 64 {
            let code = bits.code(ac)?;
            let (run, size) = (u32::from(code >> 4), u32::from(code & 15));
            match (run, size) {
                (15, 0) => k += 16,
                (_, 0) => break,
                _ => {
                    bits.take(size);
                    k += run + 1;
                }
            }
        }
        Ok(())
    }
}

/// Reads the first scan of a block's band (G.1.2.2).
fn first(
    (from, to): (usize, usize),
    known: &mut u64,
    (ac, n_empty): (&Table, &mut u32),
    bits: &mut Bits<'_>,
) -> Result<(), NoCode> {
    if *n_empty > 0 {
        *n_empty -= 1;
        return Ok(());
    }
    let mut k = from;
    while k <= to {
        let code = bits.code(ac)?;
        let (run, size) = (usize::from(code >> 4), u32::from(code & 15));
        match (run, size) {
            (15, 0) => k += 16,
            (run, 0) => {
                *n_empty = (1 << run) - 1 + bits.take(run as u32);
                break;
            }
            (run, size) => {
                k += run;
                bits.take(size);
                *known |= 1_u64.checked_shl(k as u32).ok_or(NoCode)?;
                k += 1;
            }
        }
    }
    Ok(())
}

/// Reads a later scan of a block's band: a bit for each known coefficient, and new ones among the others (G.1.2.3).
fn refine(
    (from, to): (usize, usize),
    known: &mut u64,
    (ac, n_empty): (&Table, &mut u32),
    bits: &mut Bits<'_>,
) -> Result<(), NoCode> {
    let mut k = from;
    while *n_empty == 0 && k <= to {
        let code = bits.code(ac)?;
        let (mut run, size) = (usize::from(code >> 4), code & 15);
        if size == 0 && run < 15 {
            *n_empty = (1 << run) + bits.take(run as u32);
            break;
        }
        if size > 0 {
            bits.take(1);
        }
        // Zeros are counted; known coefficients on the way take their bit.
        while k <= to {
            let is_known = *known >> k & 1 == 1;
            if is_known {
                bits.take(1);
            } else if run == 0 {
                *known |= u64::from(size > 0) << k;
                k += 1;
                break;
            } else {
                run -= 1;
            }
            k += 1;
        }
    }
    if *n_empty > 0 {
        let rest = *known >> k & (u64::MAX >> (63 - to.min(63)) >> k.min(63));
        for _ in 0..if k <= to { rest.count_ones() } else { 0 } {
            bits.take(1);
        }
        *n_empty -= 1;
    }
    Ok(())
}
