//! Codes of a JPEG scan, followed bit by bit without computing pixels.

/// A table of codes (ITU-T T.81, C.2): for every 16 bits the code's length in the upper byte and its value in the lower one; 0 where no code starts so.
pub(super) struct Table(Vec<u16>);

impl Table {
    /// Builds the table from the 16 counts and the values of a DHT segment.
    pub(super) fn of(counts: &[u8; 16], values: &[u8]) -> Table {
        let mut codes = vec![0; 1 << 16];
        let (mut at, mut values) = (0, values.iter());
        for (length, &count) in (1_u16..).zip(counts) {
            let span = 1 << (16 - length);
            for &value in values.by_ref().take(usize::from(count)) {
                if let Some(places) = codes.get_mut(at..at + span) {
                    places.fill(length << 8 | u16::from(value));
                }
                at += span;
            }
        }
        Table(codes)
    }
}

/// Coded data up to the next marker, followed by endless zeros.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte; stays at the marker once it is reached.
    at: usize,
    bits: u64,
    n_bits: u32,
    /// How many bits at the end of `bits` are not data.
    n_made_up: u32,
}

/// The data contains no valid code here.
#[derive(Debug)]
pub(super) struct NoCode;

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Bits<'a> {
        Bits {
            bytes,
            at,
            bits: 0,
            n_bits: 0,
            n_made_up: 0,
        }
    }

    /// Returns whether more bits were taken than exist.
    pub(super) fn are_spent(&self) -> bool {
        self.n_made_up > self.n_bits
    }

    fn refill(&mut self) {
        while self.n_bits <= 48 {
            let byte = match self.bytes.get(self.at..) {
                Some([0xff, 0x00, ..]) => {
                    self.at += 2;
                    0xff
                }
                Some([0xff, ..] | []) | None => {
                    self.n_made_up = (self.n_made_up + 8).min(1 << 16);
                    0
                }
                Some(&[byte, ..]) => {
                    self.at += 1;
                    byte
                }
            };
            self.bits = self.bits << 8 | u64::from(byte);
            self.n_bits += 8;
        }
    }

    /// Takes up to 16 bits.
    pub(super) fn take(&mut self, n: u32) -> u32 {
        if self.n_bits < n {
            self.refill();
        }
        self.n_bits -= n;
        (self.bits >> self.n_bits) as u32 & ((1 << n) - 1)
    }

    /// Takes a code and returns its value.
    #[inline]
    pub(super) fn code(&mut self, table: &Table) -> Result<u8, NoCode> {
        if self.n_bits < 32 {
            self.refill();
        }
        let found = table.0[(self.bits >> (self.n_bits - 16)) as usize & 0xffff];
        if found == 0 {
            return Err(NoCode);
        }
        self.n_bits -= u32::from(found >> 8);
        Ok(found as u8)
    }

    /// Skips the next marker if it is a restart; returns whether it was.
    pub(super) fn restart(&mut self) -> bool {
        loop {
            match self.bytes.get(self.at..) {
                Some([0xff, 0xd0..=0xd7, ..]) => {
                    *self = Bits::new(self.bytes, self.at + 2);
                    return true;
                }
                // Stuffing is data; repeated bytes are padding.
                Some([0xff, 0x00, ..]) => self.at += 2,
                Some([0xff, 0xff, ..]) => self.at += 1,
                Some([0xff, ..] | []) | None => return false,
                Some(_) => self.at += 1,
            }
        }
    }
}
