//! Steady sliding: what a model that nothing drives may come to instead of an orbit.

use super::forced::{Forced, Moving};
use super::local::Local;
use super::passage::{path, starting_at};
use super::unit::unit;
use crate::error::Short;
use crate::model::Oscillator;
use crate::motion::{Phase, State};
use num_complex::Complex64;

/// A state in which nothing changes but what moves along.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Steady {
    /// The state: displacements, m, and velocities, m/s.
    pub state: Vec<f64>,
    /// The rates at which small motions about it grow or decay, 1/s; those of an oscillator.
    pub rates: Vec<Complex64>,
    /// Whether motions near it come to it: of an oscillator by its rates, of a network because a motion came to it.
    pub stable: bool,
}

/// Newton's steps for the place of steady sliding.
const STEPS: usize = 60;
/// Units of time over which a network is watched, and how far its masses may move then, relative to typical sizes.
const WATCHED: f64 = 20.0;
const STILL: f64 = 1e-4;
/// Units of time after which the motion of a network that shrinks is given up.
const LONGEST: f64 = 4000.0;

impl Steady {
    /// Steady sliding of an oscillator on a support that moves at constant velocity, near the place `x` (m): where the load is
    /// equal to the friction. The rates λ are the roots of λ² − a_v λ − a_x = 0.
    pub(super) fn of(o: &Oscillator, x: f64) -> Option<Self> {
        let speed = o.support.as_constant()?;
        if speed == 0.0 {
            return None;
        }
        // The mass stands still, and the support slides along below it.
        let side = -speed.signum();
        let mut at = x;
        for _ in 0..STEPS {
            let local = Local::new(o, 0.0, at);
            let (a, (slope, _)) =
                (local.acceleration(side, 0.0, at, 0.0), local.slopes(side, 0.0, at, 0.0));
            let step = a / slope;
            if !step.is_finite() {
                return None;
            }
            at -= step;
            if step.abs() <= 4.0 * f64::EPSILON * at.abs() {
                break;
            }
        }
        let local = Local::new(o, 0.0, at);
        let (a, (ax, av)) =
            (local.acceleration(side, 0.0, at, 0.0), local.slopes(side, 0.0, at, 0.0));
        let scale = (o.friction.force(side, speed.abs()) / o.mass).max(ax.abs() * at.abs());
        let free = o.stops.is_none_or(|s| s.check(at).is_ok());
        if a.abs() > 1e-9 * scale || !free {
            return None;
        }
        let root = Complex64::from(0.25 * av * av + ax).sqrt();
        let rates = vec![root + 0.5 * av, 0.5 * av - root];
        let stable = rates.iter().all(|r| r.re < 0.0);
        Some(Self { state: vec![at, 0.0], rates, stable })
    }

    /// Whether the motion of an oscillator from `u` comes to this state: from there on it neither sticks nor turns on its support,
    /// and comes nearer.
    pub(super) fn attracts(&self, forced: &Forced, u: &[f64]) -> bool {
        let Ok(o) = forced.oscillator() else { return false };
        let Some(unit) = unit(o) else { return false };
        let Ok(path) = path(&starting_at(o, u), 0.0, WATCHED * unit, forced.method) else {
            return false;
        };
        let slips = path.segments().iter().all(|s| s.phase != Phase::Stick);
        let one_way = path.segments().windows(2).all(|w| w[0].phase == w[1].phase);
        let size = |t: f64| {
            let State { x, v } = path.state(t);
            let from = [x - self.state[0], v];
            forced.size(&from)
        };
        // The largest distance in the first period and in the last one.
        let largest = |from: f64| {
            (0..16).map(|i| size(from + unit * f64::from(i) / 16.0)).fold(0.0, f64::max)
        };
        let first = largest(0.0);
        let last = largest((WATCHED - 1.0) * unit);
        self.stable && slips && one_way && (last < first || first < 1e-9)
    }

    /// Steady sliding that the motion of a network from `u` has come to, if it has.
    pub(super) fn reached(forced: &Forced, u: &[f64]) -> Option<Self> {
        let Moving::Network(mesh) = &forced.model else { return None };
        let n = mesh.layout.displacements.len();
        let mut u = u.to_vec();
        let mut before = f64::INFINITY;
        let mut done = 0.0;
        while done < LONGEST {
            let path = mesh.path(&u, WATCHED * forced.period).ok()?;
            let moving = path.segments().iter().all(|s| s.phase.iter().all(|p| *p != 0));
            if !moving {
                return None;
            }
            let (start, end) = path.span();
            let mut low = vec![f64::INFINITY; n];
            let mut high = vec![f64::NEG_INFINITY; n];
            for i in 0..=256 {
                let x = path.state(start + (end - start) * f64::from(i) / 256.0).x;
                for (k, node) in mesh.layout.displacements.iter().enumerate() {
                    (low[k], high[k]) = (low[k].min(x[*node]), high[k].max(x[*node]));
                }
            }
            let spread = (0..n).map(|k| (high[k] - low[k]) / forced.scale[k]).fold(0.0, f64::max);
            // It neither sticks nor grows: small enough, or still shrinking.
            if spread <= STILL {
                let middle = (0..n).map(|k| 0.5 * (low[k] + high[k]));
                let state =
                    middle.chain(std::iter::repeat_n(0.0, forced.scale.len() - n)).collect();
                return Some(Self { state, rates: Vec::new(), stable: true });
            }
            if spread >= before {
                return None;
            }
            (before, done) = (spread, done + WATCHED);
            u = mesh.advance(&u, WATCHED * forced.period).ok()?;
        }
        None
    }

    /// Where it is, in words.
    pub(super) fn place(&self, forced: &Forced) -> String {
        let n = forced.displacements();
        let all = self.state[..n].iter().map(|x| format!("{}", Short(*x)));
        format!("x = {} m", all.collect::<Vec<_>>().join(", "))
    }
}
