//! A periodic orbit and what is to be said of it.

use super::engine;
use super::extremes::{dissipated, extremes};
use super::forced::{Fixed, Forced, Moving, SINGULAR};
use super::mesh;
use super::passage::Passage;
use super::transmitted;
use crate::motion::Trajectory;
use crate::numeric::{Matrix, modulus};
use crate::scheme::machine::MachinePath;
use crate::scheme::network::NetworkPath;
use num_complex::Complex64;
use std::f64::consts::PI;

/// A periodic orbit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Orbit {
    /// Its period, s.
    pub period: f64,
    /// Periods of the load in it; 0 where nothing drives the model.
    pub periods: usize,
    /// The state at its start: x, m, and ẋ, m/s, and with friction that ages the time at rest, s; of a network the displacements of all free nodes, then the velocities
    /// of those that have mass, and of a machine what its controllers and bristles remember.
    pub state: Vec<f64>,
    /// The velocity at which all of it moves along, m/s: that of a drive which runs away.
    pub drift: f64,
    /// Its multipliers, the largest first. Of an orbit that nothing drives those of the return map: the one that
    /// belongs to a shift in time is left out.
    pub multipliers: Vec<Complex64>,
    /// Whether motions near it come to it (or, where orbits are not isolated, to one next to it).
    pub stable: bool,
    /// Whether it is one of a continuum of orbits.
    pub family: bool,
    /// The largest displacement, m; of a network that of the node which is looked at.
    pub max: f64,
    /// The smallest displacement, m.
    pub min: f64,
    /// What there is to say of the displacement of a mass on a plane beside that along x.
    pub plane: Option<InPlane>,
    /// Sticks in a period, of all contacts.
    pub stops: usize,
    /// Share of the period in stick, the mean over the contacts.
    pub stuck_fraction: f64,
    /// Lost to friction in a period, J.
    pub dissipated: f64,
    /// How much gets through of the one harmonic that acts. Where it moves the far end of the spring, the support, or a node of a
    /// network: the amplitude over that of this motion. Where it is a force: half the range of the force on the ground over
    /// its amplitude. `None` where something else acts, several frequencies do, or a rigid stop is hit, and of networks under a
    /// force that are given by matrices.
    pub transmissibility: Option<f64>,
    /// The order of phases: 0 stick, ±1 slip, 2 and 3 the lower and the upper stop; the same for all cyclic shifts.
    pub pattern: Vec<i8>,
    /// How far from a motion at which the multipliers do not exist: 0 where an event is grazed.
    pub transversality: f64,
    /// How far the end is from the start, relative to typical sizes.
    pub residual: f64,
    /// One period of the motion of an oscillator.
    pub path: Trajectory,
    /// One period of the motion of a network.
    pub network: Option<NetworkPath>,
    /// One period of the motion of a machine, from where it was cut on: with sampled controllers that is between two ticks.
    pub machine: Option<MachinePath>,
}

/// How far a mass on a plane moves on an orbit, beside its displacement along x.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct InPlane {
    /// The smallest displacement along y, m.
    pub min_y: f64,
    /// The largest displacement along y, m.
    pub max_y: f64,
    /// The greatest distance from the origin, m.
    pub peak: f64,
}

impl InPlane {
    /// Half the distance between the largest and the smallest displacement along y, m.
    pub fn amplitude_y(&self) -> f64 {
        0.5 * (self.max_y - self.min_y)
    }
}

/// How near to 1 a multiplier must be for a continuum to be looked for.
const NEUTRAL: f64 = 1e-7;

impl Orbit {
    /// Half the distance between the largest and the smallest displacement, m.
    pub fn amplitude(&self) -> f64 {
        0.5 * (self.max - self.min)
    }

    /// Half the distance between the largest and the smallest displacement of a node of a network, m.
    pub fn amplitude_of(&self, node: usize) -> Option<f64> {
        let (max, min) = match &self.machine {
            Some(path) => engine::extremes(path, node),
            None => mesh::extremes(self.network.as_ref()?, node),
        };
        Some(0.5 * (max - min))
    }

    /// The largest modulus of a multiplier.
    pub fn multiplier(&self) -> f64 {
        self.multipliers.first().map_or(0.0, |m| modulus(*m))
    }

    /// The coefficient of the viscous damper that would take as much energy from a harmonic motion of this amplitude
    /// and period as friction does, N·s/m: D/(π ω A²). None of an orbit that does not move, and of one in a plane.
    pub fn equivalent_damping(&self) -> Option<f64> {
        if self.plane.is_some() {
            return None;
        }
        let a = self.amplitude();
        let omega = 2.0 * PI * self.periods.max(1) as f64 / self.period;
        let cycles = self.periods.max(1) as f64;
        (a > 0.0).then(|| self.dissipated / cycles / (PI * omega * a * a))
    }

    /// The orbit through a state that comes back.
    pub(super) fn of(forced: &Forced, fixed: Fixed, periods: usize) -> Self {
        let multipliers = fixed.passage.jacobian.eigenvalues();
        let family = is_family(forced, &fixed, periods, &multipliers);
        let stable = is_stable(&multipliers, family);
        let Fixed { state, passage, residual } = fixed;
        Self::described(forced, state, passage, periods, multipliers, residual)
            .with_stability(stable, family)
    }

    pub(super) fn with_stability(self, stable: bool, family: bool) -> Self {
        Self { stable, family, ..self }
    }

    /// The orbit that `passage` from `state` is.
    pub(super) fn described(
        forced: &Forced,
        state: Vec<f64>,
        passage: Passage,
        periods: usize,
        multipliers: Vec<Complex64>,
        residual: f64,
    ) -> Self {
        let (period, periods) = match forced.section {
            Some(_) => (passage.span().1, 0),
            None => (forced.period * periods as f64, periods),
        };
        // One belongs to a shift in time: see `returns`.
        let mut multipliers = multipliers;
        multipliers.truncate(multipliers.len() - usize::from(forced.section.is_some()));
        let (stops, stuck) = passage.sticks();
        let half = |(max, min): (f64, f64)| 0.5 * (max - min);
        let ((max, min), dissipated, transmissibility) = match (&forced.model, &passage.network) {
            (Moving::Network(mesh), Some(n)) => {
                let range = mesh::extremes(&n.path, mesh.node);
                let through = transmitted::of_network(mesh, &n.path, half(range));
                (range, n.path.energy(&mesh.network).friction, through)
            }
            (Moving::Machine(m), _) => {
                let path = passage.machine.as_ref().map(|d| &d.path);
                let range = path.map_or((0.0, 0.0), |path| engine::extremes(path, m.node));
                (range, path.map_or(0.0, |path| path.energy().friction), None)
            }
            (Moving::Oscillator(o), _) => {
                let path = &passage.path;
                let range = extremes(o, &passage.path);
                (range, dissipated(o, path), transmitted::of_oscillator(o, path, half(range)))
            }
            _ => ((0.0, 0.0), 0.0, None),
        };
        Self {
            period,
            periods,
            state,
            drift: forced.drift,
            multipliers,
            stable: false,
            family: false,
            max,
            min,
            plane: None,
            stops,
            stuck_fraction: (stuck / period).min(1.0),
            dissipated,
            transmissibility,
            pattern: passage.pattern,
            transversality: passage.transversality,
            residual,
            path: passage.path,
            network: passage.network.map(|n| n.path),
            machine: passage.machine.map(|m| m.path),
        }
    }
}

/// Whether all multipliers are inside the unit circle; of an orbit in a continuum some may lie on it: one is 1, and where nothing
/// dissipates the others are turned only.
pub(super) fn is_stable(multipliers: &[Complex64], family: bool) -> bool {
    let neutral = |m: &Complex64| family && modulus(*m) <= 1.0 + NEUTRAL;
    multipliers.iter().all(|m| modulus(*m) < 1.0 || neutral(m))
}

/// Whether another orbit lies next to this one, along the direction whose multiplier is 1.
fn is_family(forced: &Forced, fixed: &Fixed, periods: usize, multipliers: &[Complex64]) -> bool {
    if !multipliers.iter().any(|m| modulus(m - 1.0) <= NEUTRAL) {
        return false;
    }
    let Some(along) = null_direction(&fixed.passage.jacobian, &forced.scale) else { return false };
    // Both ways: the continuum may end here.
    [1e-3, -1e-3].into_iter().any(|step| {
        let u: Vec<f64> = fixed.state.iter().zip(&along).map(|(u, d)| u + step * d).collect();
        let Some(other) = forced.newton(&u, periods) else { return false };
        let apart = super::forced::difference(&other.state, &fixed.state);
        forced.size(&apart) > 3e-4
    })
}

/// The direction that the matrix leaves unchanged, of typical size.
fn null_direction(jacobian: &Matrix, scale: &[f64]) -> Option<Vec<f64>> {
    let n = scale.len();
    let mut candidates = (0..n).map(|k| {
        // e_k less its part that D − I sees: a projection on the null space
        let m = Matrix::from_fn(n, |i, j| {
            (jacobian.at(i, j) - f64::from(u8::from(i == j))) * scale[j] / scale[i]
        });
        let column: Vec<f64> = (0..n).map(|i| m.at(i, k)).collect();
        let (part, rank) = m.solve(&column, SINGULAR.sqrt() * 1e-2);
        let e: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == k)) - part[i]).collect();
        let size = e.iter().map(|x| x * x).sum::<f64>().sqrt();
        (size, rank, e)
    });
    let best = candidates.by_ref().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (size, _, e) = best;
    (size > 1e-3).then(|| e.iter().zip(scale).map(|(e, s)| e / size * s).collect())
}
