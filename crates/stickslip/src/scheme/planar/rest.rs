//! A mass at rest: until when its surface holds it.

use super::window::Window;
use crate::roots::{GivenUp, Jet, Touch, first_root};

/// Rounding of the load against its limit, as a share of it, within which a mass that arrives at rest stays.
const ROUNDING: f64 = 1e-12;

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
}
