//! Chance from a seed: which token follows.

/// A generator of numbers, the same for a seed on every machine (SplitMix64; Steele, Lea and Flood, 2014).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number of 0 to 1, without 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a token by its score (logit): at `temperature` 0 the best one, else among the fewest whose chances add up to `top_p`.
    pub(crate) fn token(&mut self, scores: &[f32], temperature: f32, top_p: f32) -> u32 {
        let best = best(scores);
        if temperature.is_nan() || temperature <= 0.0 {
            return best;
        }
        let top = scores[best as usize];
        let mut odds: Vec<(u32, f64)> = (0_u32..)
            .zip(scores)
            .map(|(id, score)| (id, f64::from((score - top) / temperature).exp()))
            .filter(|(_, odds)| *odds > 0.0)
            .collect();
        odds.sort_by(|(a_id, a), (b_id, b)| b.total_cmp(a).then(a_id.cmp(b_id)));
        let sum: f64 = odds.iter().map(|(_, odds)| odds).sum();
        let top_p = if (0.0..1.0).contains(&top_p) {
            f64::from(top_p)
        } else {
            1.0
        };
        let mut kept = 0.0;
        let mut n_kept = 0;
        for (_, odds) in &odds {
            kept += odds;
            n_kept += 1;
            if kept >= top_p * sum {
                break;
            }
        }
        let mut left = self.next() * kept;
        for (id, odds) in &odds[..n_kept] {
            left -= odds;
            if left < 0.0 {
                return *id;
            }
        }
        best
    }
}

/// The first token of the highest score.
pub(crate) fn best(scores: &[f32]) -> u32 {
    let mut best = 0;
    for (index, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = index;
        }
    }
    best as u32
}

/// Logarithms of the chances that scores give (log-softmax).
pub(crate) fn log_chances(scores: &[f32]) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if top == f32::NEG_INFINITY {
        return scores.to_vec();
    }
    let sum: f64 = scores
        .iter()
        .map(|score| f64::from(score - top).exp())
        .sum();
    let log_sum = sum.ln() as f32 + top;
    scores.iter().map(|score| score - log_sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_as_often_as_their_scores_say() {
        let scores = [2_f32.ln(), 0.0, f32::NEG_INFINITY, 0.0];
        let mut chance = Chance::new(7);
        let mut counts = [0; 4];
        for _ in 0..4000 {
            counts[chance.token(&scores, 1.0, 1.0) as usize] += 1;
        }
        assert!((1900..2100).contains(&counts[0]), "{counts:?}");
        assert!((900..1100).contains(&counts[1]), "{counts:?}");
        assert_eq!(counts[2], 0);
    }

    #[test]
    fn a_nucleus_leaves_the_rest_out() {
        let scores = [3.0, 2.0, 1.0, 0.0];
        let mut chance = Chance::new(1);
        for _ in 0..200 {
            assert_eq!(chance.token(&scores, 1.0, 0.5), 0);
            assert!(chance.token(&scores, 1.0, 0.8) < 2);
            assert_eq!(chance.token(&scores, 0.0, 1.0), 0);
        }
    }
}
