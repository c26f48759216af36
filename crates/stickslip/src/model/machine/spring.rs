//! Springs that are not linear.

use super::bad;
use crate::error::{Error, Part};
use crate::model::network::{Ends, Name};
use crate::portable;
use std::sync::Arc;

/// The pull of a spring against its elongation z = x_first − x_second: a positive force pulls its ends together.
///
/// ```
/// use stickslip::model::machine::Curve;
/// # fn main() -> Result<(), stickslip::Error> {
/// // 2 N/m with a free travel of a quarter of a metre to either side.
/// let coupling = Curve::Powers(vec![2.0]).with_play([-0.25, 0.25]);
/// assert_eq!([coupling.force(0.1), coupling.force(0.75), coupling.force(-0.75)], [0.0, 1.0, -1.0]);
/// // A bumper of rubber, as it was measured.
/// let rubber = Curve::table(&[0.0, 0.01, 0.02], &[0.0, 100.0, 400.0])?;
/// assert!((rubber.force(0.015) - 250.0).abs() < 1e-12);
/// # Ok(()) }
/// ```
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
    /// Elongations (m, ascending) and pulls (N), linear between the points and beyond them as the first and the last pieces go on: see
    /// [`table`](Self::table).
    Table(Arc<[(f64, f64)]>),
    /// No pull from `lower` to `upper`, and beyond that of another curve at z − lower or z − upper: see
    /// [`with_play`](Self::with_play).
    Play {
        /// Where the free travel begins and ends, m.
        travel: [f64; 2],
        /// The pull at the way beyond it.
        beyond: Box<Curve>,
    },
}

impl Curve {
    /// Pulls of `forces` (N) at these `elongations` (m), linear between them and beyond as the first and the last pieces go on.
    ///
    /// # Errors
    /// If there are fewer than two, not equally many, one is not finite, or the elongations do not ascend.
    pub fn table(elongations: &[f64], forces: &[f64]) -> Result<Self, Error> {
        let bad = |index, reason| Error::BadTable { what: "the table of a spring", index, reason };
        let [n, m] = [elongations.len(), forces.len()];
        if n != m {
            let reason = format!("{n} elongations and {m} forces; expected as many of each");
            return Err(bad(n.min(m), reason));
        }
        if n < 2 {
            return Err(bad(n, "expected two points or more".into()));
        }
        for i in 0..n {
            if !(elongations[i].is_finite() && forces[i].is_finite()) {
                let reason = format!("({}, {}) is not finite", elongations[i], forces[i]);
                return Err(bad(i, reason));
            }
            if i > 0 && elongations[i] <= elongations[i - 1] {
                let [before, now] = [elongations[i - 1], elongations[i]];
                return Err(bad(i, format!("{now} m follows {before} m; expected a greater one")));
            }
        }
        Ok(Self::Table(elongations.iter().copied().zip(forces.iter().copied()).collect()))
    }

    /// The same spring with a free travel in which it does not pull: from the first of these elongations to the second (m).
    pub fn with_play(self, travel: [f64; 2]) -> Self {
        Self::Play { travel, beyond: Box::new(self) }
    }

    /// An error at `place` unless every number is finite.
    pub(super) fn check(&self, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        let (numbers, property): (&[f64], _) = match self {
            Self::Powers(powers) => (powers, "stiffness"),
            Self::Sine { amplitude, wave_number } => (&[*amplitude, *wave_number], "sine"),
            Self::Play { travel: [lower, upper], beyond } => {
                if !(lower.is_finite() && upper.is_finite() && lower <= upper) {
                    let reason = format!(
                        "it is free from {lower} m to {upper} m; expected finite numbers in this order"
                    );
                    return Err(bad(place("play"), reason, "give `play = [lower, upper]`"));
                }
                if matches!(**beyond, Self::Table(_) | Self::Play { .. }) {
                    let reason = "its pull beyond the free travel has pieces of its own";
                    return Err(bad(place("play"), reason, "write the free travel into the table"));
                }
                return beyond.check(place);
            }
            // Whoever makes one by its points directly may have made them of anything.
            Self::Table(points) => {
                let [z, f]: [Vec<f64>; 2] =
                    [points.iter().map(|p| p.0).collect(), points.iter().map(|p| p.1).collect()];
                return match Self::table(&z, &f) {
                    Err(Error::BadTable { index, reason, .. }) => {
                        let reason = format!("point {}: {reason}", index + 1);
                        Err(bad(
                            place("table"),
                            reason,
                            "give elongations that ascend, each with its force",
                        ))
                    }
                    other => other.map(|_| ()),
                };
            }
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

    /// The elongations at which one of its pieces ends and the next begins, m.
    pub(crate) fn edges(&self) -> Vec<f64> {
        match self {
            Self::Powers(_) | Self::Sine { .. } => Vec::new(),
            // Beyond the first and the last point their pieces go on.
            Self::Table(points) => points[1..points.len() - 1].iter().map(|p| p.0).collect(),
            Self::Play { travel, .. } => travel.to_vec(),
        }
    }

    /// The number of the piece at the elongation `z` (m).
    fn piece(&self, z: f64) -> usize {
        match self {
            Self::Powers(_) | Self::Sine { .. } => 0,
            Self::Table(points) => points[1..points.len() - 1].partition_point(|p| p.0 <= z),
            Self::Play { travel, .. } => travel.partition_point(|e| *e <= z),
        }
    }

    /// The pull at the elongation `z` (m) by the formula of one of its pieces, N, and its slope, N/m.
    pub(crate) fn along(&self, piece: usize, z: f64) -> [f64; 2] {
        match self {
            Self::Powers(powers) => {
                let mut force = 0.0;
                let mut slope = 0.0;
                for k in powers.iter().rev() {
                    // Horner's scheme for z (k₁ + k₂ z + …) and its derivative.
                    slope = slope * z + force + k;
                    force = (force + k) * z;
                }
                [force, slope]
            }
            Self::Sine { amplitude, wave_number } => {
                let angle = wave_number * z;
                [amplitude * portable::sin(angle), amplitude * wave_number * portable::cos(angle)]
            }
            Self::Table(points) => {
                let a = points[piece];
                let b = points[piece + 1];
                let slope = (b.1 - a.1) / (b.0 - a.0);
                [a.1 + slope * (z - a.0), slope]
            }
            Self::Play { travel, beyond } => match piece {
                0 => beyond.along(0, z - travel[0]),
                1 => [0.0; 2],
                _ => beyond.along(0, z - travel[1]),
            },
        }
    }

    /// The pull at the elongation `z` (m), N.
    pub fn force(&self, z: f64) -> f64 {
        self.along(self.piece(z), z)[0]
    }

    /// Its stiffness at z = 0, N/m; of a spring with play that where its free travel ends.
    pub(crate) fn slope(&self) -> f64 {
        match self {
            Self::Play { beyond, .. } => beyond.slope(),
            _ => self.along(self.piece(0.0), 0.0)[1],
        }
    }

    /// The energy that it holds at the elongation `z` (m), J; 0 at z = 0, or at the first point of a table, or in the free travel.
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
            Self::Table(points) => {
                let piece = self.piece(z);
                let full = points[..=piece].windows(2);
                let full: f64 = full.map(|p| 0.5 * (p[1].0 - p[0].0) * (p[0].1 + p[1].1)).sum();
                // Before the first point the last term is negative.
                full + 0.5 * (z - points[piece].0) * (points[piece].1 + self.along(piece, z)[0])
            }
            Self::Play { travel, beyond } => match self.piece(z) {
                0 => beyond.energy(z - travel[0]),
                1 => 0.0,
                _ => beyond.energy(z - travel[1]),
            },
        }
    }
}

/// A spring that is not linear, or that has a name, between two nodes or a node and the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Spring {
    /// Its name, if it has one: what a slider that it presses calls it by.
    pub name: Option<Name>,
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

    /// ∫₀ᶻ f by Simpson's rule with many panels on each piece: across an edge the rule is of second order only.
    fn work(curve: &Curve, z: f64) -> f64 {
        let mut ends = vec![0.0, z];
        ends.extend(curve.edges().into_iter().filter(|e| e * z > 0.0 && e.abs() < z.abs()));
        ends.sort_by(|a, b| (a / z).total_cmp(&(b / z)));
        ends.windows(2).map(|piece| simpson(curve, piece[0], piece[1])).sum()
    }

    fn simpson(curve: &Curve, from: f64, to: f64) -> f64 {
        let n = 400;
        let weight = |i: usize| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
        let h = (to - from) / n as f64;
        (0..=n).map(|i| weight(i) * curve.force(from + h * i as f64)).sum::<f64>() * h / 3.0
    }

    #[test]
    fn the_energy_is_the_work() {
        let curves = [
            Curve::Powers(vec![3.0]),
            Curve::Powers(vec![3.0, -1.0, 0.5]),
            Curve::Sine { amplitude: 2.0, wave_number: 1.5 },
            Curve::Powers(vec![3.0, -1.0, 0.5]).with_play([-0.25, 0.5]),
            Curve::table(&[0.0, 0.5, 1.0], &[0.0, 2.0, 1.0]).unwrap(),
        ];
        assert_eq!(curves[1].force(-2.0), -6.0 - 4.0 - 4.0);
        for curve in curves {
            for z in [-1.3, 0.4, 2.0] {
                assert!((curve.energy(z) - work(&curve, z)).abs() < 1e-9, "{curve:?} at {z}");
            }
        }
    }

    /// Each piece of a table and of a spring with play begins where the one before ends.
    #[test]
    fn pieces_meet() {
        let table = Curve::table(&[-1.0, 0.0, 0.5, 2.0], &[3.0, 1.0, 2.0, -1.0]).unwrap();
        let play = Curve::Sine { amplitude: 2.0, wave_number: 0.5 }.with_play([-0.1, 0.3]);
        for curve in [table, play] {
            for (i, edge) in curve.edges().into_iter().enumerate() {
                let [before, after] = [curve.along(i, edge)[0], curve.along(i + 1, edge)[0]];
                assert!((before - after).abs() < 1e-15, "{curve:?} at {edge}");
            }
            for z in [-2.0, -0.4, 0.2, 1.7, 3.0] {
                let difference = (curve.force(z + 1e-6) - curve.force(z - 1e-6)) / 2e-6;
                let slope = curve.along(curve.piece(z), z)[1];
                assert!((slope - difference).abs() < 1e-8, "{curve:?} at {z}");
            }
        }
    }

    #[test]
    fn bad_tables_and_plays_say_why() {
        let told = |made: Result<Curve, Error>, what: &str| {
            let message = made.unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
        };
        told(Curve::table(&[0.0], &[1.0]), "two points");
        told(Curve::table(&[0.0, 1.0], &[1.0]), "as many of each");
        told(Curve::table(&[0.0, 0.0], &[1.0, 2.0]), "greater");
        told(Curve::table(&[0.0, 1.0], &[1.0, f64::NAN]), "not finite");
        let place = |property| Part::new(crate::error::PartKind::Spring, 0, "", property);
        let checked = |curve: Curve| curve.check(&place).map(|()| curve);
        told(checked(Curve::Powers(vec![1.0]).with_play([1.0, 0.0])), "in this order");
        let table = Curve::table(&[0.0, 1.0], &[0.0, 1.0]).unwrap();
        told(checked(table.with_play([0.0, 1.0])), "of its own");
        told(checked(Curve::Table([(0.0, 1.0)].into())), "two points");
    }
}
