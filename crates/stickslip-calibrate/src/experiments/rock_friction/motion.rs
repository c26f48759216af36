//! A contact of rate and state that a machine drives through a spring.
//!
//! ```text
//! μ = μ₀ + a u + b ψ,     u = ln(V/V₀),  ψ = ln(V₀ θ/D_c)
//! μ̇ = k (V_l − V):        u̇ = (k (V_l − V) − b ψ̇)/a
//! ageing law (Dieterich 1979):  ψ̇ = (V₀/D_c)(e^−ψ − e^u)
//! slip law (Ruina 1983):        ψ̇ = −(V₀/D_c) e^u (u + ψ)
//! ```

use stickslip::portable;

/// How the state of the contact changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evolution {
    /// Contacts age at rest, too.
    Ageing,
    /// Contacts change by slip alone.
    Slip,
}

impl Evolution {
    /// Its name, as in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ageing => "ageing",
            Self::Slip => "slip",
        }
    }
}

/// What a contact and its machine are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    pub evolution: Evolution,
    pub a: f64,
    pub b: f64,
    /// D_c, m.
    pub distance: f64,
    /// k, 1/m: of the machine, by the normal stress.
    pub stiffness: f64,
    /// V₀, m/s.
    pub speed: f64,
}

/// Where errors of one step may be, in u and ψ.
const TOLERANCE: f64 = 1e-8;
/// Speeds beyond e^±(this) V₀ are those of an earthquake, which a machine without mass does not end.
const FASTEST: f64 = 80.0;

impl Contact {
    fn rates(&self, load: f64, [u, psi]: [f64; 2]) -> [f64; 2] {
        let relative = portable::exp(u);
        let by = self.speed / self.distance;
        let psi_rate = match self.evolution {
            Evolution::Ageing => by * (portable::exp(-psi) - relative),
            Evolution::Slip => -by * relative * (u + psi),
        };
        let pull = self.stiffness * (load - self.speed * relative);
        [(pull - self.b * psi_rate) / self.a, psi_rate]
    }

    /// a u + b ψ at each time (s), for the load point's places (m); the contact begins in steady slide at V₀. `None` where it
    /// runs away, or takes more than `most` steps: a stiff machine takes one for each 3 a/k of its way.
    pub fn follow(&self, time: &[f64], place: &[f64], most: usize) -> Option<Vec<f64>> {
        let mut at = [0.0; 2];
        let mut out = Vec::with_capacity(time.len());
        out.push(self.a * at[0] + self.b * at[1]);
        let mut h = 0.1 * self.distance / self.speed;
        let mut steps = 0;
        for i in 1..time.len() {
            let whole = time[i] - time[i - 1];
            let load = (place[i] - place[i - 1]) / whole;
            let mut left = whole;
            while left > 0.0 {
                steps += 1;
                if steps > most || h <= 1e-14 * whole || h.is_nan() {
                    return None;
                }
                let step = h.min(left);
                let (next, error) = self.step(load, at, step);
                if error <= 1.0 && next[0].abs() < FASTEST {
                    at = next;
                    left = if step == left { 0.0 } else { left - step };
                    let grow = if error > 0.0 { 0.9 * portable::pow(error, -0.2) } else { 5.0 };
                    // A step that was cut short by a row says nothing against longer ones.
                    h = if step < h {
                        h.max(step * grow.min(5.0))
                    } else {
                        h * grow.clamp(0.3, 5.0)
                    };
                } else if error.is_finite() && next[0].abs() < FASTEST {
                    h = step * (0.9 * portable::pow(error, -0.2)).clamp(0.1, 0.9);
                } else {
                    h = 0.1 * step;
                }
            }
            out.push(self.a * at[0] + self.b * at[1]);
        }
        Some(out)
    }

    /// A step of order 5 (Dormand and Prince 1980), and its error relative to the tolerance.
    fn step(&self, load: f64, y: [f64; 2], h: f64) -> ([f64; 2], f64) {
        let mut k = [[0.0f64; 2]; 7];
        k[0] = self.rates(load, y);
        for (s, row) in STAGES.iter().enumerate() {
            let at =
                [0, 1].map(|i| y[i] + h * row.iter().zip(&k).map(|(c, k)| c * k[i]).sum::<f64>());
            k[s + 1] = self.rates(load, at);
        }
        let last = &STAGES[5];
        let next =
            [0, 1].map(|i| y[i] + h * last.iter().zip(&k).map(|(c, k)| c * k[i]).sum::<f64>());
        let off = |i: usize| h * ERROR.iter().zip(&k).map(|(c, k)| c * k[i]).sum::<f64>();
        let error = off(0).abs().max(off(1).abs()) / TOLERANCE;
        (next, error)
    }
}

/// Coefficients of the stages; those of the last are the solution's.
const STAGES: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// The solution of order 5 less that of order 4.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the machine is stiff the contact has the load's speed, and the state of a velocity step has a closed form.
    #[test]
    fn a_velocity_step_of_a_stiff_machine_is_that_of_the_closed_form() {
        for evolution in [Evolution::Ageing, Evolution::Slip] {
            let c = Contact {
                evolution,
                a: 0.01,
                b: 0.015,
                distance: 1e-5,
                stiffness: 3e8,
                speed: 1e-6,
            };
            let [v1, v2] = [1e-6, 1e-5];
            let time: Vec<f64> = (0..60).map(|i| 0.1 * f64::from(i)).collect();
            let place: Vec<f64> =
                time.iter().map(|t| v1 * t.min(1.0) + v2 * (t - 1.0).max(0.0)).collect();
            let mu = c.follow(&time, &place, 1_000_000).unwrap();
            for (t, mu) in time.iter().zip(&mu).filter(|(t, _)| **t > 1.05) {
                let faded = (-v2 * (t - 1.0) / c.distance).exp();
                let psi = match evolution {
                    Evolution::Ageing => {
                        let theta = c.distance / v2 + (c.distance / v1 - c.distance / v2) * faded;
                        (c.speed * theta / c.distance).ln()
                    }
                    Evolution::Slip => (c.speed / v2).ln() + (v2 / v1).ln() * faded,
                };
                let exact = c.a * (v2 / c.speed).ln() + c.b * psi;
                // The machine gives way by (b/a) D_c ψ̇/k, 1e-5 of the speed here.
                assert!((mu - exact).abs() < 2e-6, "{evolution:?} {t}: {mu} {exact}");
            }
        }
    }
}
