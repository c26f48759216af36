//! A mass at rest: until when its surface holds it.

use super::window::{Window, dot, length};
use crate::model::planar::Rim;
use crate::roots::{GivenUp, Jet, Touch, first_root};

/// Rounding of the load against its limit, as a share of it, within which a mass that arrives at rest stays.
const ROUNDING: f64 = 1e-12;

/// How many times the load of a mass at rest at a rim may turn from inwards to outwards and back before its search is given up.
const MOST_TURNS: usize = 10_000;

impl Window<'_> {
    /// N f_s, N.
    pub fn limit(&self, t: f64) -> f64 {
        self.normal(t) * self.model.friction.limit(1.0, 0.0)
    }

    /// Whether the surface holds a mass at `r` at the instant `t` (s).
    pub fn holds(&self, t: f64, r: [f64; 2]) -> bool {
        let load = self.load(t, r, [0.0; 2]);
        // A slip that ends exactly at the limit would otherwise set out again in its own rounding.
        self.model.ellipse.gauge(load) <= self.limit(t) * (1.0 + ROUNDING)
    }

    /// The first instant before `until` (s) at which the load of a mass that rests at `r` from `from` on exceeds what holds it;
    /// reaching the limit without exceeding it does not count. Certified: (N f_s)² − |E⁻¹ B|² is searched with a bound on its
    /// third derivative.
    pub fn gives_way(&self, r: [f64; 2], from: f64, until: f64) -> Result<Option<f64>, GivenUp> {
        let limit = self.model.friction.limit(1.0, 0.0);
        let e = self.model.ellipse.0;
        let most = self.largest_at_rest(r, from, until);
        let pressed = self.largest_normal(from, until);
        // (n²)‴ = 2 (n n‴ + 3 n′ n″), and the same for each component of the load.
        let mut bound =
            2.0 * limit * limit * (pressed[0] * pressed[3] + 3.0 * pressed[1] * pressed[2]);
        for (i, most) in most.iter().enumerate() {
            // The bound on the third derivative holds over the whole piece, at whatever instant it is asked.
            let third = self.load_at_rest(r, from, from)[i][3];
            bound += 2.0 * (most[0] * third + 3.0 * most[1] * most[2]) / (e[i] * e[i]);
        }
        let held = limit * pressed[0];
        let terms = most[0][0] / e[0] + most[1][0] / e[1];
        // Where the two squares cancel each is about held², and the load rounds as the terms of which it is
        // made.
        let noise = 16.0 * f64::EPSILON * held * (held + terms) + f64::MIN_POSITIVE;
        let root = first_root(from, until, noise, Touch::Exceeds, |t| {
            let n = self.normal_derivatives(t);
            let l = limit * limit;
            let mut jet = Jet {
                value: l * n[0] * n[0],
                first: 2.0 * l * n[0] * n[1],
                second: 2.0 * l * (n[1] * n[1] + n[0] * n[2]),
                third: 0.0,
                bound,
                growth: 0.0,
            };
            for (b, e) in self.load_at_rest(r, from, t).iter().zip(e) {
                let [b0, b1, b2, _] = b.map(|b| b / e);
                // (N f_s)² less |E⁻¹ B|², axis by axis: each is a square with the same derivatives.
                jet.value -= b0 * b0;
                jet.first -= 2.0 * b0 * b1;
                jet.second -= 2.0 * (b1 * b1 + b0 * b2);
            }
            [jet]
        })?;
        Ok(root.map(|root| root.at))
    }

    /// Whether surface and rigid rim hold a mass at rest at `r`, at the rim, at the instant `t` (s).
    pub fn holds_at_rim(&self, t: f64, r: [f64; 2]) -> bool {
        let left = self.left_at_rest(t, r);
        self.model.ellipse.gauge(left) <= self.limit(t) * (1.0 + ROUNDING)
    }

    /// As [`gives_way`](Self::gives_way) for a mass at rest at a rigid rim. Where E⁻¹ B points outwards along ν = E⁻¹ n, the rim carries that
    /// component, and friction holds the one across; else it holds all of E⁻¹ B.
    pub fn gives_way_at_rim(
        &self,
        r: [f64; 2],
        from: f64,
        until: f64,
    ) -> Result<Option<f64>, GivenUp> {
        let e = self.model.ellipse.0;
        let n = Rim::outward(r);
        let scaled = [0, 1].map(|i| n[i] / e[i]);
        let outward = scaled.map(|x| x / length(scaled));
        let across = [-outward[1], outward[0]];
        // The component of E⁻¹ B along a unit vector: value, first and second derivative at `t`.
        let component = |u: [f64; 2], t: f64| {
            let b = self.load_at_rest(r, from, t);
            [0, 1, 2].map(|d| dot(u, [0, 1].map(|i| b[i][d] / e[i])))
        };
        let third = |u: [f64; 2]| {
            let b = self.load_at_rest(r, from, from);
            (0..2).map(|i| (u[i] / e[i]).abs() * b[i][3]).sum::<f64>()
        };
        let [value, rate, _] = component(outward, from);
        let mut presses = value > 0.0 || value == 0.0 && rate > 0.0;
        let mut start = from;
        for _ in 0..MOST_TURNS {
            let sign = if presses { 1.0 } else { -1.0 };
            let most = self.largest_at_rest(r, start, until);
            let terms = most[0][0] / e[0] + most[1][0] / e[1];
            let noise = 16.0 * f64::EPSILON * terms + f64::MIN_POSITIVE;
            let bound = third(outward);
            let turn = first_root(start, until, noise, Touch::Passes, |t| {
                let [value, first, second] = component(outward, t).map(|x| sign * x);
                [Jet { value, first, second, third: 0.0, bound, growth: 0.0 }]
            })?;
            let stop = turn.map_or(until, |turn| turn.at);
            let ends = if presses {
                self.exceeds(start, stop, third(across), most, |t| component(across, t))?
            } else {
                self.gives_way(r, start, stop)?
            };
            if ends.is_some() || turn.is_none() {
                return Ok(ends);
            }
            start = stop;
            presses = !presses;
        }
        Err(GivenUp)
    }

    /// The first instant of [`from`, `until`] (s) at which the `component` of the load across a rim exceeds N f_s: as
    /// [`gives_way`](Self::gives_way), with this bound on its `third` derivative and those on the load.
    fn exceeds(
        &self,
        from: f64,
        until: f64,
        third: f64,
        most: [[f64; 3]; 2],
        component: impl Fn(f64) -> [f64; 3],
    ) -> Result<Option<f64>, GivenUp> {
        let limit = self.model.friction.limit(1.0, 0.0);
        let l = limit * limit;
        let e = self.model.ellipse.0;
        let pressed = self.largest_normal(from, until);
        let most = [0, 1, 2].map(|d| most[0][d] / e[0] + most[1][d] / e[1]);
        let bound = 2.0 * l * (pressed[0] * pressed[3] + 3.0 * pressed[1] * pressed[2])
            + 2.0 * (most[0] * third + 3.0 * most[1] * most[2]);
        let held = limit * pressed[0];
        let noise = 16.0 * f64::EPSILON * held * (held + most[0]) + f64::MIN_POSITIVE;
        let root = first_root(from, until, noise, Touch::Exceeds, |t| {
            let n = self.normal_derivatives(t);
            let b = component(t);
            let square =
                |u: [f64; 3]| [u[0] * u[0], 2.0 * u[0] * u[1], 2.0 * (u[1] * u[1] + u[0] * u[2])];
            let [held, load] = [square(n), square(b)];
            let [value, first, second] = [0, 1, 2].map(|d| l * held[d] - load[d]);
            [Jet { value, first, second, third: 0.0, bound, growth: 0.0 }]
        })?;
        Ok(root.map(|root| root.at))
    }
}
