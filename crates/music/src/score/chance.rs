//! Reproducible randomness: drawn from a seed, never from the machine.

/// The `SplitMix64` generator (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    /// Creates an independent stream for each seed and name.
    pub(crate) fn new(seed: u64, name: &str) -> Chance {
        Chance(seed ^ fnv1a(name.as_bytes()))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a uniform number in 0..1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a uniform number in -1..1.
    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Returns a bell-shaped number in -1..1: the mean of three uniform ones.
    pub(crate) fn bell(&mut self) -> f64 {
        (self.signed() + self.signed() + self.signed()) / 3.0
    }
}

/// Returns the FNV-1a hash, 64 bits (draft-eastlake-fnv). It names files and detects damage; it is no defense against malice.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_fixed_and_differ_by_name() {
        let draw = |name: &str| Chance::new(7, name).unit();
        assert_eq!(draw("a"), draw("a"));
        assert_ne!(draw("a"), draw("b"));
        let mut chance = Chance::new(1, "");
        assert!((0..1000).all(|_| (-1.0..1.0).contains(&chance.bell())));
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_F739_67E8);
    }
}
