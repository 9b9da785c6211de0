//! As much randomness as input needs.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A stream of numbers (splitmix64). Not for secrets.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// The stream for a seed: the same seed gives the same stream.
    pub(super) fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream never seen before: moving exactly as last time would give us away.
    pub(super) fn fresh() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform from 0 to 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform from `low` to `high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// Normal around 0, with deviation 1 (Box-Muller).
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Around `mean`, like muscle timings: never negative, with the longer tail above.
    pub(super) fn skewed(&mut self, mean: f64, spread: f64) -> f64 {
        let value = mean * (spread * self.normal() - spread * spread / 2.0).exp();
        value.clamp(mean * 0.4, mean * 2.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_its_stream_and_fresh_ones_differ() {
        let take = |mut random: Random| -> Vec<u64> { (0..8).map(|_| random.next()).collect() };
        assert_eq!(take(Random::of(7)), take(Random::of(7)));
        assert_ne!(take(Random::of(7)), take(Random::of(8)));
        assert_ne!(take(Random::fresh()), take(Random::fresh()));
    }

    #[test]
    fn times_stay_around_their_mean() {
        let mut random = Random::of(1);
        let times: Vec<f64> = (0..4000).map(|_| random.skewed(64.0, 0.2)).collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        assert!((mean - 64.0).abs() < 2.0, "{mean}");
        assert!(times.iter().all(|time| (25.0..=160.0).contains(time)));
        assert!(times.iter().any(|time| *time > 80.0) && times.iter().any(|time| *time < 50.0));
    }
}
