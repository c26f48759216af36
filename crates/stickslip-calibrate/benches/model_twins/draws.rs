//! Random numbers of a seed.

use stickslip::signal::noise::{normal_pair, philox4x32};

/// Uniform numbers of a seed.
#[derive(Debug)]
pub struct Draws(pub u64, pub u64);

impl Draws {
    fn words(&mut self) -> [u64; 2] {
        self.1 += 1;
        let [a, b, c, d] = philox4x32([self.1, 0, 7, 0], [self.0 as u32, 0]);
        [a << 32 | b, c << 32 | d]
    }

    /// Uniform between two numbers.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.words()[0] >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        let [a, b] = self.words();
        normal_pair(a, b).0
    }
}
