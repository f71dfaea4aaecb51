//! Reads bit fields from untrusted bytes: a read can fail but never panic.

/// A cursor over bits, the most significant bit of each byte first.
#[derive(Clone, Debug)]
pub(crate) struct Bits<'a> {
    data: &'a [u8],
    position: usize,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Bits<'a> {
        Bits { data, position: 0 }
    }

    /// Returns the number of bits read or skipped so far.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Reads the next `n_bits` (at most 32) as a number; `None` past the end.
    pub(crate) fn get(&mut self, n_bits: u32) -> Option<u32> {
        debug_assert!(n_bits <= 32, "a field of more than 32 bits");
        let mut value = 0u64;
        for _ in 0..n_bits {
            let byte = *self.data.get(self.position / 8)?;
            value = value << 1 | u64::from(byte >> (7 - self.position % 8) & 1);
            self.position += 1;
        }
        u32::try_from(value).ok()
    }

    /// Reads the next bit.
    pub(crate) fn flag(&mut self) -> Option<bool> {
        Some(self.get(1)? == 1)
    }

    /// Skips `n_bits`; returns `None` if fewer are left.
    pub(crate) fn skip(&mut self, n_bits: u32) -> Option<()> {
        self.position = self.position.checked_add(n_bits as usize)?;
        (self.position <= self.data.len() * 8).then_some(())
    }

    /// Reads an unsigned Exp-Golomb number: `ue(v)` of H.264 9.1; `uvlc()` of AV1 4.10.3 has the same bits.
    pub(crate) fn exp_golomb(&mut self) -> Option<u32> {
        let mut n_zeros = 0;
        while !self.flag()? {
            n_zeros += 1;
            if n_zeros > 31 {
                return None;
            }
        }
        Some((1u32 << n_zeros) - 1 + self.get(n_zeros)?)
    }

    /// Reads a signed Exp-Golomb number: `se(v)` of H.264 9.1.1.
    pub(crate) fn signed_exp_golomb(&mut self) -> Option<i32> {
        let code = i64::from(self.exp_golomb()?);
        let value = if code % 2 == 1 {
            (code + 1) / 2
        } else {
            -code / 2
        };
        i32::try_from(value).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cross_bytes_and_end_cleanly() {
        let mut bits = Bits::new(&[0b1010_0101, 0xff]);
        assert_eq!(bits.get(3), Some(0b101));
        assert_eq!(bits.get(9), Some(0b0_0101_1111));
        assert_eq!(bits.get(4), Some(15));
        assert_eq!(bits.get(1), None);
        assert_eq!(Bits::new(&[1]).skip(9), None);
    }

    #[test]
    fn exp_golomb_codes() {
        // 1, 010, 011, 00100 are 0, 1, 2, 3 (H.264, table 9-2).
        let mut bits = Bits::new(&[0b1010_0110, 0b0100_0000]);
        let codes: Vec<_> = (0..4).map(|_| bits.exp_golomb()).collect();
        assert_eq!(codes, [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(Bits::new(&[0; 8]).exp_golomb(), None);
        // 010 and 011 are +1 and -1.
        let mut bits = Bits::new(&[0b0100_1100]);
        assert_eq!(bits.signed_exp_golomb(), Some(1));
        assert_eq!(bits.signed_exp_golomb(), Some(-1));
    }
}
