//! The stochastic inclusion du + σ(u) dt ∋ dB (Bastien, Bernardin, Lamarque 2013, §1.4): its law in closed form.
//!
//! From u(0) = 0 the density at z and time t is (Karatzas & Shreve 1984)
//!
//! ```text
//! φ_t(|z| + t) + e^{−2|z|} Φ((t − |z|)/√t),      φ_t the density of N(0, t)
//! ```
//!
//! and e^{−2|z|} in the limit t → ∞. Integrated, for z ≥ 0,
//!
//! ```text
//! P(u ≤ z) = ½ + ½ Φ((z + t)/√t) − ½ e^{−2z} Φ((t − z)/√t)
//! ```

use crate::error::Error;
use crate::law::{Law, TwoForces};
use crate::model::{NoiseOn, Oscillator, Place, Problem};
use crate::numeric::erfc;
use crate::portable::exp;
use crate::signal::Signal;
use crate::signal::noise::Noise;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// The scalar inclusion du + f σ(u) dt ∋ dL from u(0) = `start` on [0, `end`] (s): a unit mass without a spring,
/// its velocity u, its friction `force` f, and L a noise.
///
/// # Errors
/// If `force` is no force.
pub fn problem(start: f64, force: f64, load: Noise, end: f64) -> Result<Problem, Error> {
    let mass = Oscillator::new(1.0, 0.0, Law::coulomb(force)?).starting_at(0.0, start);
    Ok(Problem::new(mass, end).with_noise(Place::Force, load))
}

/// A scalar inclusion du + f σ(u) dt ∋ s dB from 0, whose law is the one above in other units:
/// u = (s²/f) U(τ) with τ = (f/s)² t.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inclusion {
    /// f, m/s².
    force: f64,
    /// s, m/s^{3/2}.
    intensity: f64,
}

impl Inclusion {
    /// The inclusion that the velocity of a model obeys, if it does: a free mass, at rest at first, with
    /// Coulomb friction, pushed by one white noise and nothing else.
    pub fn of(problem: &Problem) -> Option<Self> {
        let o = problem.model.as_oscillator()?;
        let (Law::Coulomb(law), [NoiseOn { place, noise: Noise::White { intensity } }]) =
            (&o.friction, problem.noises.as_slice())
        else {
            return None;
        };
        let free = *place == Place::Force
            && o.stiffness == 0.0
            && o.damping == 0.0
            && o.force == Signal::default();
        (free && o.initial.velocity == 0.0 && law.sliding() > 0.0)
            .then(|| Self { force: law.sliding() / o.mass, intensity: intensity / o.mass })
    }

    fn units(&self) -> (f64, f64) {
        let s2 = self.intensity * self.intensity;
        (s2 / self.force, self.force * self.force / s2)
    }

    /// P(u(t) ≤ z).
    pub fn distribution(&self, t: f64, z: f64) -> f64 {
        let (unit, rate) = self.units();
        distribution(rate * t, z / unit)
    }

    /// The density of u(t) at z.
    pub fn density(&self, t: f64, z: f64) -> f64 {
        let (unit, rate) = self.units();
        density(rate * t, z / unit) / unit
    }
}

/// P(u(t) ≤ z) for the inclusion from 0, t > 0; t = +∞ for the stationary law.
pub fn distribution(t: f64, z: f64) -> f64 {
    let a = z.abs();
    let above = if t == f64::INFINITY {
        0.5 - 0.5 * exp(-2.0 * a)
    } else {
        let root = t.sqrt();
        0.5 * normal_distribution((a + t) / root)
            - 0.5 * exp(-2.0 * a) * normal_distribution((t - a) / root)
    };
    if z < 0.0 { 0.5 - above } else { 0.5 + above }
}

/// The density of u(t) at z.
pub fn density(t: f64, z: f64) -> f64 {
    let a = z.abs();
    if t == f64::INFINITY {
        return exp(-2.0 * a);
    }
    let bell = exp(-(a + t) * (a + t) / (2.0 * t)) / (TAU * t).sqrt();
    bell + exp(-2.0 * a) * normal_distribution((t - a) / t.sqrt())
}

/// Φ(x), the normal distribution.
pub(crate) fn normal_distribution(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// Kolmogorov–Smirnov's distance of a sample (sorted here) to a distribution function; atoms of the
/// sample are seen from both sides.
pub fn kolmogorov_smirnov(sample: &mut [f64], distribution: impl Fn(f64) -> f64) -> f64 {
    sample.sort_unstable_by(f64::total_cmp);
    let n = sample.len() as f64;
    let steps = sample.iter().enumerate().map(|(i, &x)| {
        let f = distribution(x);
        (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
    });
    steps.fold(0.0, f64::max)
}

/// The distance that a sample of size `n` from the very law exceeds once in a hundred times
/// (Kolmogorov's law, n large).
pub fn chance_distance(n: usize) -> f64 {
    1.63 / (n as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Φ at 0.5, 1, 2, 3, 5 from tables with 16 digits.
    #[test]
    fn normal_distribution_at_tabulated_points() {
        let table = [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013_1),
            (1.0, 0.841_344_746_068_542_9),
            (2.0, 0.977_249_868_051_820_8),
            (3.0, 0.998_650_101_968_369_9),
        ];
        for (x, p) in table {
            assert!((normal_distribution(x) - p).abs() < 2e-15, "{x}");
            assert!((normal_distribution(-x) - (1.0 - p)).abs() < 2e-15, "{x}");
        }
        assert!((normal_distribution(-5.0) / 2.866_515_718_791_939e-7 - 1.0).abs() < 1e-12);
        assert!((normal_distribution(2.5 - 1e-12) - normal_distribution(2.5)).abs() < 1e-12);
    }

    /// In other units against an ensemble: m = 2, f = 0.6, s = 1.5 at t = 4; 40,000 paths, 1 % level and
    /// a bias of the scheme below 0.01.
    #[test]
    fn scaled_inclusion() {
        use crate::model::Oscillator;
        use crate::study::ensemble::{Plan, run};
        let mass = Oscillator::new(2.0, 0.0, Law::coulomb(0.6).unwrap());
        let white = Noise::White { intensity: 1.5 };
        let problem = Problem::new(mass.clone(), 4.0).with_noise(Place::Force, white);
        let inclusion = Inclusion::of(&problem).unwrap();
        let plan = Plan { rows: 2, ..Plan::new(problem, 1.0 / 64.0, 1) };
        let e = run(&plan, 0..40_000, 0, &mut ()).unwrap();
        let d = e.points[0].rows[1].v.distance(|z| inclusion.distribution(4.0, z));
        assert!(d < 0.01 + chance_distance(40_000), "{d}");
        assert!(Inclusion::of(&Problem::new(mass, 4.0)).is_none());
    }

    /// The density is the distribution's derivative, is even, integrates to 1 and tends to e^{−2|z|}.
    #[test]
    fn density_and_distribution_belong_together() {
        for t in [0.1, 0.5, 1.0, 5.0, f64::INFINITY] {
            let mut total = 0.0;
            for i in -4000..4000 {
                let z = 0.005 * (f64::from(i) + 0.5);
                let slope = (distribution(t, z + 1e-5) - distribution(t, z - 1e-5)) / 2e-5;
                assert!((slope - density(t, z)).abs() < 1e-8, "{t} {z}");
                total += 0.005 * density(t, z);
            }
            assert!((total - 1.0).abs() < 1e-4);
            assert!((distribution(t, 0.0) - 0.5).abs() < 1e-15);
        }
        assert!((density(60.0, 0.7) - (-1.4f64).exp()).abs() < 1e-10);
    }
}
