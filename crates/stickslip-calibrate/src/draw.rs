//! A small seeded generator, so that a fit is the same on every machine.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub struct Draws(u64);

impl Draws {
    /// An independent sequence for each (seed, stream).
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut outer = Self(seed);
        let mut inner = Self(outer.next() ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self(inner.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Standard normal, by the polar method (Marsaglia, Bray 1964).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (self.signed(), self.signed());
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_uniform() {
        let mut draws = Draws::new(1, 2);
        let all: Vec<f64> = (0..40_000).map(|_| draws.signed()).collect();
        let mean = all.iter().sum::<f64>() / 40_000.0;
        let square = all.iter().map(|x| x * x).sum::<f64>() / 40_000.0;
        assert!(mean.abs() < 0.01 && (square - 1.0 / 3.0).abs() < 0.01, "{mean} {square}");
        let square = (0..40_000).map(|_| draws.normal().powi(2)).sum::<f64>() / 40_000.0;
        assert!((square - 1.0).abs() < 0.03, "{square}");
        assert_ne!(Draws::new(1, 3).unit(), Draws::new(1, 2).unit());
    }
}
