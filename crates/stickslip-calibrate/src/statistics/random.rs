//! Random numbers that are the same on every machine: the core's counter-based generator, read in order.

use stickslip::signal::noise::{normal_pair, philox4x32};

/// An independent sequence of numbers for each (seed, stream).
#[derive(Debug, Clone)]
pub struct Draws {
    key: [u32; 2],
    stream: u64,
    block: u64,
    /// The second 64-bit word of the last block, until it is used.
    word: Option<u64>,
    /// The second normal number of the last pair, until it is used.
    deviate: Option<f64>,
}

impl Draws {
    /// The sequence of `seed` and `stream`.
    pub fn new(seed: u64, stream: u64) -> Self {
        let key = [seed as u32, (seed >> 32) as u32];
        Self { key, stream, block: 0, word: None, deviate: None }
    }

    fn words(&mut self) -> [u64; 2] {
        const LOW: u64 = 0xFFFF_FFFF;
        // Block and stream make the counter: any two streams of a seed are independent, and none needs to be
        // run up to its place.
        let counter = [self.block & LOW, self.block >> 32, self.stream & LOW, self.stream >> 32];
        self.block += 1;
        let [a, b, c, d] = philox4x32(counter, self.key);
        [a << 32 | b, c << 32 | d]
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        let word = match self.word.take() {
            Some(word) => word,
            None => {
                let [first, second] = self.words();
                self.word = Some(second);
                first
            }
        };
        // The upper 53 bits, which a double holds exactly: 1 never comes out.
        (word >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        if let Some(deviate) = self.deviate.take() {
            return deviate;
        }
        // A block of its own: the word that waits for `unit` stays for it.
        let [a, b] = self.words();
        let (first, second) = normal_pair(a, b);
        self.deviate = Some(second);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_uniform_and_of_a_normal() {
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
