//! The largest orbit of a response.

use super::forced::{Fixed, Forced};
use super::found::Orbit;
use super::response::{Point, Response};
use crate::numeric::golden;

/// Golden sections between two points of a branch: the amplitude at the peak is then exact to their square.
const SECTIONS: usize = 24;

impl Response {
    /// The value of the parameter at which a stable orbit is largest, and its amplitude, m: the largest point of the branches,
    /// refined between its neighbours by golden sections. `make` and `periods` are those of the response.
    pub fn peak<E>(
        &self,
        make: impl Fn(f64) -> Result<Forced, E>,
        periods: usize,
    ) -> Option<(f64, f64)> {
        let size = |p: &Point| if p.orbit.stable { p.orbit.amplitude() } else { f64::NEG_INFINITY };
        let branches = self.branches.iter().filter(|b| b.points.iter().any(|p| p.orbit.stable));
        let largest = |points: &[Point]| {
            let pairs = points.iter().enumerate();
            pairs.max_by(|p, q| size(p.1).total_cmp(&size(q.1))).map_or(0, |p| p.0)
        };
        let (points, i) = branches
            .map(|b| (&b.points, largest(&b.points)))
            .max_by(|p, q| size(&p.0[p.1]).total_cmp(&size(&q.0[q.1])))?;
        let top = &points[i];
        let mut best = (top.value, top.orbit.amplitude());
        let beside = i.checked_sub(1).and_then(|k| points.get(k)).zip(points.get(i + 1));
        let Some((before, after)) = beside else { return Some(best) };
        // The states beside a fold are no function of the parameter.
        if (before.value - top.value) * (after.value - top.value) >= 0.0 {
            return Some(best);
        }
        let mut see = |value: f64| {
            let near =
                if (value - top.value) * (before.value - top.value) > 0.0 { before } else { after };
            let share = (value - top.value) / (near.value - top.value);
            let pairs = top.orbit.state.iter().zip(&near.orbit.state);
            let guess: Vec<f64> = pairs.map(|(a, b)| a + share * (b - a)).collect();
            let orbit = make(value).ok().and_then(|f| {
                let Fixed { state, passage, residual } = f.newton(&guess, periods)?;
                Some(Orbit::described(&f, state, passage, periods, Vec::new(), residual))
            });
            let amplitude = orbit.map_or(f64::NEG_INFINITY, |o| o.amplitude());
            if amplitude > best.1 {
                best = (value, amplitude);
            }
            amplitude
        };
        golden(before.value, after.value, SECTIONS, |value| -see(value));
        Some(best)
    }
}
