//! Random choices from the document's seed: the same document always yields the same choices.

/// SplitMix64 (Steele, Lea, Flood 2014), one stream per place in the document.
#[derive(Clone, Debug)]
pub(crate) struct Seed(u64);

impl Seed {
    /// Creates the stream of `place` (the index of a shot or cut) and `purpose` under the document's seed.
    pub fn new(document: u64, purpose: &str, place: u64) -> Seed {
        let purpose = purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut seed =
            Seed(document ^ purpose.rotate_left(17) ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        seed.next();
        seed
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `n - 1`, uniformly.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    /// Returns true with probability 1/2.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Returns a number between the bounds, uniformly.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
