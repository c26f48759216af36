//! Bounces on a stop under constant forces, summed.
//!
//! A mass that leaves a stop with the speed u and is pulled back by `out` on the way out and by `back` ≤
//! `out` on the way back (m/s²; dry friction makes the difference) is thrown off again with r u after
//! u/out + u/√(out·back), r = e √(back/out): a geometric series. It is at rest after
//!
//! ```text
//! S = u (1/out + 1/√(out·back)) / (1 − r)
//! ```
//!
//! having received the impulse m (1 + e) √(back/out) u / (1 − r). Where the pull varies, the rest of the
//! sequence is summed as soon as its variation moves the end by less than is asked for; until then every
//! impact is found on its own arc, so nothing is cut off.

/// The bounces after one that left with a given speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounces {
    /// Pull towards the stop while leaving it and while returning, m/s².
    pub out: f64,
    pub back: f64,
    /// e.
    pub restitution: f64,
}

impl Bounces {
    /// r: the speed after a bounce over the speed after the one before.
    fn ratio(&self) -> f64 {
        self.restitution * (self.back / self.out).sqrt()
    }

    /// S (s) after the speed `u` (m/s); `None` unless the mass is pulled back and loses speed.
    pub fn duration(&self, u: f64) -> Option<f64> {
        // With r = 1 the bounces never end, and without a pull back there is no second one.
        let ends = self.back > 0.0 && self.out >= self.back && self.ratio() < 1.0;
        ends.then(|| {
            u * (1.0 / self.out + 1.0 / (self.out * self.back).sqrt()) / (1.0 - self.ratio())
        })
    }

    /// How much S may change, relative to it, when the pull changes by `change` (m/s²).
    pub fn sensitivity(&self, change: f64) -> f64 {
        change / self.back / (1.0 - self.ratio())
    }

    /// All impulses to come over the mass, m/s.
    pub fn impulse(&self, u: f64) -> f64 {
        (1.0 + self.restitution) * (self.back / self.out).sqrt() * u / (1.0 - self.ratio())
    }

    /// Height of the next bounce, m: the highest.
    pub fn height(&self, u: f64) -> f64 {
        0.5 * u * u / self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounce by bounce, from the laws of uniform acceleration.
    #[test]
    fn the_series_is_the_sum_of_its_bounces() {
        let bounces = Bounces { out: 3.0, back: 1.2, restitution: 0.8 };
        let mut u = 2.0f64;
        let mut time = 0.0;
        let mut impulse = 0.0;
        for _ in 0..400 {
            let top = 0.5 * u * u / 3.0;
            let arrives = (2.0 * 1.2 * top).sqrt();
            time += u / 3.0 + arrives / 1.2;
            impulse += 1.8 * arrives;
            u = 0.8 * arrives;
        }
        assert!((bounces.duration(2.0).unwrap() - time).abs() < 1e-14 * time);
        assert!((bounces.impulse(2.0) - impulse).abs() < 1e-14 * impulse);
    }

    #[test]
    fn some_sequences_do_not_end() {
        let bounces = |back, restitution| Bounces { out: 2.0, back, restitution };
        assert_eq!(bounces(-1.0, 0.5).duration(1.0), None);
        assert_eq!(bounces(2.0, 1.0).duration(1.0), None);
        assert!(bounces(1.9, 1.0).duration(1.0).is_some());
    }
}
