//! Springs that are not linear.

use super::bad;
use crate::error::{Error, Part};
use crate::model::network::Ends;
use crate::portable;

/// The pull of a spring against its elongation z = x_first − x_second: a positive force pulls its ends together.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Curve {
    /// Σ k_j z^j, j = 1, 2, …; N/m, N/m², …
    Powers(Vec<f64>),
    /// A sin(κ z), as gravity pulls a pendulum back.
    Sine {
        /// A, N.
        amplitude: f64,
        /// κ, 1/m.
        wave_number: f64,
    },
}

impl Curve {
    /// An error at `place` unless every number is finite.
    pub(super) fn check(&self, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        let (numbers, property): (&[f64], _) = match self {
            Self::Powers(powers) => (powers, "stiffness"),
            Self::Sine { amplitude, wave_number } => (&[*amplitude, *wave_number], "sine"),
        };
        match numbers.iter().find(|n| !n.is_finite()) {
            None if numbers.is_empty() => {
                Err(bad(place(property), "it has no stiffness", "give one number or more"))
            }
            None => Ok(()),
            Some(n) => {
                let reason = format!("it holds {n}; expected finite numbers");
                Err(bad(place(property), reason, "give finite numbers"))
            }
        }
    }

    /// The pull at the elongation `z` (m), N.
    pub fn force(&self, z: f64) -> f64 {
        match self {
            Self::Powers(powers) => powers.iter().rev().fold(0.0, |sum, k| (sum + k) * z),
            Self::Sine { amplitude, wave_number } => amplitude * portable::sin(wave_number * z),
        }
    }

    /// Its stiffness at z = 0, N/m.
    pub(crate) fn slope(&self) -> f64 {
        match self {
            Self::Powers(powers) => powers.first().copied().unwrap_or(0.0),
            Self::Sine { amplitude, wave_number } => amplitude * wave_number,
        }
    }

    /// The energy that it holds at the elongation `z` (m), J; 0 at z = 0.
    pub fn energy(&self, z: f64) -> f64 {
        match self {
            Self::Powers(powers) => {
                let terms = powers.iter().enumerate().rev();
                z * terms.fold(0.0, |sum, (j, k)| (sum + k / (j + 2) as f64) * z)
            }
            Self::Sine { amplitude, wave_number } => {
                // (1 − cos κz)/κ without a difference of near numbers, and at κ = 0 the force is 0.
                let half = portable::sin(0.5 * wave_number * z);
                if *wave_number == 0.0 { 0.0 } else { 2.0 * amplitude * half * half / wave_number }
            }
        }
    }
}

/// A spring that is not linear, between two nodes or a node and the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Spring {
    pub(super) ends: Ends,
    /// Its pull.
    pub curve: Curve,
}

impl Spring {
    /// Its ends; the elongation is the displacement of the first less that of the second.
    pub fn between(&self) -> [Option<usize>; 2] {
        self.ends.nodes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫₀ᶻ f by Simpson's rule with many panels.
    fn work(curve: &Curve, z: f64) -> f64 {
        let n = 400;
        let weight = |i: usize| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
        let h = z / n as f64;
        (0..=n).map(|i| weight(i) * curve.force(h * i as f64)).sum::<f64>() * h / 3.0
    }

    #[test]
    fn the_energy_is_the_work() {
        let curves = [
            Curve::Powers(vec![3.0]),
            Curve::Powers(vec![3.0, -1.0, 0.5]),
            Curve::Sine { amplitude: 2.0, wave_number: 1.5 },
        ];
        assert_eq!(curves[1].force(-2.0), -6.0 - 4.0 - 4.0);
        for curve in curves {
            for z in [-1.3, 0.4, 2.0] {
                assert!((curve.energy(z) - work(&curve, z)).abs() < 1e-9, "{curve:?} at {z}");
            }
        }
    }
}
