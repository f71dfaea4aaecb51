//! Numbers drawn by chance, read as choices: zero is always the plainest one, so a case that is made smaller by `proptest` becomes a plainer document.

/// Choices still to be made; when the numbers are used up, every further one is zero.
pub struct Choices<'a> {
    numbers: std::slice::Iter<'a, u32>,
}

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u32]) -> Choices<'a> {
        Choices {
            numbers: numbers.iter(),
        }
    }

    fn next(&mut self) -> u32 {
        self.numbers.next().copied().unwrap_or(0)
    }

    /// 0 to `n - 1`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.next()) * n as u64) >> 32) as usize
    }

    /// From `low` to `high`, both included.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Seldom true: once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of a list, the first being the plainest.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// A number of a range: its usual value, its ends, near its ends, or anywhere.
    pub fn number(&mut self, usual: f64, [low, high]: [f64; 2]) -> f64 {
        match self.below(9) {
            0 | 1 => usual,
            2 => low,
            3 => high,
            4 => low + (high - low) * 1e-9,
            5 => high - (high - low) * 1e-9,
            6 => 0.0_f64.max(low).min(high),
            _ => {
                let at = low + (high - low) * f64::from(self.next()) / f64::from(u32::MAX);
                // As people write them, and as programs do.
                let rounded = (at * 100.0).round() / 100.0;
                if rounded >= low && rounded <= high && !self.one_in(3) {
                    rounded
                } else {
                    at
                }
            }
        }
    }
}
