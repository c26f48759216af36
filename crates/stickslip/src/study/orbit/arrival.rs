//! Whether a motion next to a stable orbit comes to it.
//!
//! To be near is not enough. Where little is dissipated, orbits of other periods lie around a stable one like islands, and a motion may
//! repeat for ever a few per cent away from an orbit to which it never comes. A motion at u, next to the orbit through p with the
//! derivative D of its map, is on its way there as soon as it moves as the linearised map says, uₙ − p = Dⁿ (u − p), over so many
//! periods n that this brings it clearly nearer: what the map does beyond that falls with the square of the distance.

use super::forced::{Fixed, Forced, difference};
use crate::numeric::Matrix;

/// Motions this near to an orbit, relative to typical sizes, are on it.
const THERE: f64 = 1e-4;
/// Over so many periods of the orbit its map is to become a contraction by [`CLEAR`].
const CLEAR: f64 = 0.5;
/// The most that a motion may be off the linearised one after them, relative to its distance before.
const LINEAR: f64 = 0.25;
/// Of a continuum of orbits nothing contracts along it: so many periods.
const ALONG: usize = 32;

/// A stable orbit next to which a motion has been seen.
pub(super) struct Arrival {
    orbit: Vec<f64>,
    /// The derivative of its map, in typical sizes.
    map: Matrix,
    periods: usize,
    family: bool,
}

impl Arrival {
    /// At the orbit through `fixed`, of so many periods of the load.
    pub fn at(forced: &Forced, fixed: &Fixed, periods: usize) -> Self {
        let scale = &forced.scale;
        let scaled = |i, j| fixed.passage.jacobian.at(i, j) * scale[j] / scale[i];
        let map = Matrix::from_fn(scale.len(), scaled);
        Self { orbit: fixed.state.clone(), map, periods, family: false }
    }

    /// The same, saying whether the orbit is one of a continuum.
    pub fn of_a_family(self, family: bool) -> Self {
        Self { family, ..self }
    }

    fn apart(&self, forced: &Forced, u: &[f64]) -> Vec<f64> {
        let apart = difference(u, &self.orbit);
        apart.iter().zip(&forced.scale).map(|(d, s)| d / s).collect()
    }

    /// Whether the motion at `u` comes to it, as it is followed over at most so many periods of the orbit; and where it is then.
    pub fn follow(&self, forced: &Forced, u: &[f64], most: usize) -> Approach {
        let before = self.apart(forced, u);
        let size = length(&before);
        if size <= THERE * forced.size(&self.orbit).max(1.0) {
            return Approach::Comes;
        }
        let mut power = self.map.clone();
        let mut count = 1;
        let enough = |power: &Matrix, count| match self.family {
            true => count >= ALONG,
            false => norm(power) <= CLEAR,
        };
        while 2 * count <= most && !enough(&power, count) {
            power = power.times(&power);
            count *= 2;
        }
        let Ok(after) = forced.advance(u, count * self.periods) else { return Approach::Lost };
        let expected = power.apply(&before);
        let off = length(&difference(&self.apart(forced, &after), &expected));
        // An orbit that attracts slowly has not brought the motion nearer by a half after `most` periods.
        let nearer = if self.family { size } else { size - length(&expected) };
        if off <= (0.5 * nearer).min(LINEAR * size) {
            return Approach::Comes;
        }
        Approach::Open { after, count }
    }
}

/// What is known of a motion next to a stable orbit.
pub(super) enum Approach {
    /// It comes to the orbit.
    Comes,
    /// It does not move as the linearised map says, or not yet; where it is after so many periods of the orbit.
    Open { after: Vec<f64>, count: usize },
    /// It cannot be followed so far.
    Lost,
}

fn length(u: &[f64]) -> f64 {
    u.iter().map(|u| u * u).sum::<f64>().sqrt()
}

fn norm(m: &Matrix) -> f64 {
    let n = m.size();
    let squares = (0..n).flat_map(|i| (0..n).map(move |j| m.at(i, j) * m.at(i, j)));
    squares.sum::<f64>().sqrt()
}
