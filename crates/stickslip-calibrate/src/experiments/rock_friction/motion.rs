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

    /// The derivatives of the rates with respect to u and ψ, row by row.
    fn slopes(&self, [u, psi]: [f64; 2]) -> [[f64; 2]; 2] {
        let relative = portable::exp(u);
        let by = self.speed / self.distance;
        let of_psi = match self.evolution {
            Evolution::Ageing => [-by * relative, -by * portable::exp(-psi)],
            Evolution::Slip => [-by * relative * (u + psi + 1.0), -by * relative],
        };
        let pull = -self.stiffness * self.speed * relative;
        [[(pull - self.b * of_psi[0]) / self.a, -self.b * of_psi[1] / self.a], of_psi]
    }

    /// a u + b ψ at each time (s), for the load point's places (m); the contact begins in steady slide at V₀. `None` where it
    /// runs away, or takes more than `most` steps.
    pub fn follow(&self, time: &[f64], place: &[f64], most: usize) -> Option<Vec<f64>> {
        let mut at = [0.0; 2];
        let mut out = Vec::with_capacity(time.len());
        out.push(self.a * at[0] + self.b * at[1]);
        // The state changes over D_c/V₀; from there the control of the step finds its own length.
        let mut h = 0.1 * self.distance / self.speed;
        let mut steps = 0;
        for i in 1..time.len() {
            let whole = time[i] - time[i - 1];
            // The speed of the load point changes at the rows. No step goes across one, where the method would lose its
            // order.
            let load = (place[i] - place[i - 1]) / whole;
            let mut left = whole;
            while left > 0.0 {
                steps += 1;
                // Too many steps where a soft machine slips again and again, too short ones where nothing holds it any
                // more.
                if steps > most || h <= 1e-14 * whole || h.is_nan() {
                    return None;
                }
                let step = h.min(left);
                let (next, error) = self.step(load, at, step);
                if error <= 1.0 && next[0].abs() < FASTEST {
                    at = next;
                    // Exactly 0 at the row, or a remainder of rounding would be a step of its own.
                    left = if step == left { 0.0 } else { left - step };
                    // The error is that of the embedded solution of order 3, which falls like h⁴.
                    let grow = if error > 0.0 { 0.9 * portable::pow(error, -0.25) } else { 5.0 };
                    // A step that was cut short by a row says nothing against longer ones.
                    h = if step < h {
                        h.max(step * grow.min(5.0))
                    } else {
                        h * grow.clamp(0.3, 5.0)
                    };
                } else if error.is_finite() && next[0].abs() < FASTEST {
                    h = step * (0.9 * portable::pow(error, -0.25)).clamp(0.1, 0.9);
                } else {
                    h = 0.1 * step;
                }
            }
            out.push(self.a * at[0] + self.b * at[1]);
        }
        Some(out)
    }

    /// A step of Rosenbrock's kind of order 4, and its error relative to the tolerance (RODAS: Hairer and Wanner, *Solving ordinary
    /// differential equations II*, §IV.7). It damps what is stiff at once: a stiff machine, which has the velocity of its load, costs
    /// no more steps than a soft one.
    fn step(&self, load: f64, y: [f64; 2], h: f64) -> ([f64; 2], f64) {
        let [[a, b], [c, d]] = self.slopes(y);
        let shift = 1.0 / (GAMMA * h);
        // Every stage is solved with the same matrix, 1/(γh) − J.
        let matrix = [[shift - a, -b], [-c, shift - d]];
        let determinant = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0];
        let mut stages = [[0.0f64; 2]; 6];
        let mut at = y;
        for s in 0..6 {
            if s > 0 {
                at = [0, 1].map(|i| {
                    y[i] + PLACES[s - 1].iter().zip(&stages).map(|(c, u)| c * u[i]).sum::<f64>()
                });
            }
            let rates = self.rates(load, at);
            let known = [0, 1].map(|i| {
                rates[i] + CARRIED[s].iter().zip(&stages).map(|(c, u)| c * u[i]).sum::<f64>() / h
            });
            stages[s] = [
                (matrix[1][1] * known[0] - matrix[0][1] * known[1]) / determinant,
                (matrix[0][0] * known[1] - matrix[1][0] * known[0]) / determinant,
            ];
        }
        // The last stage is what the solution of order 4 has beyond that of order 3.
        let last = stages[5];
        let error = last[0].abs().max(last[1].abs()) / TOLERANCE;
        ([at[0] + last[0], at[1] + last[1]], error)
    }
}

/// γ of the method.
const GAMMA: f64 = 0.25;
/// Where the rates of stages 2 to 6 are taken.
const PLACES: [[f64; 5]; 5] = [
    [1.544, 0.0, 0.0, 0.0, 0.0],
    [0.946_678_528_081_582_6, 0.255_701_169_898_328_4, 0.0, 0.0, 0.0],
    [3.314_825_187_068_521, 2.896_124_015_972_201, 0.998_641_913_997_781_7, 0.0, 0.0],
    [
        1.221_224_509_226_641,
        6.019_134_481_288_629,
        12.537_083_329_320_87,
        -0.687_886_036_105_895,
        0.0,
    ],
    [
        1.221_224_509_226_641,
        6.019_134_481_288_629,
        12.537_083_329_320_87,
        -0.687_886_036_105_895,
        1.0,
    ],
];
/// What each stage takes of those before it.
const CARRIED: [[f64; 5]; 6] = [
    [0.0; 5],
    [-5.6688, 0.0, 0.0, 0.0, 0.0],
    [-2.430_093_356_833_875, -0.206_359_915_709_191_5, 0.0, 0.0, 0.0],
    [-0.107_352_905_815_137_5, -9.594_562_251_023_355, -20.470_286_148_096_16, 0.0, 0.0],
    [
        7.496_443_313_967_647,
        -10.246_804_314_643_52,
        -33.999_903_528_199_05,
        11.708_908_932_061_6,
        0.0,
    ],
    [
        8.083_246_795_921_522,
        -7.981_132_988_064_893,
        -31.521_594_328_743_71,
        16.319_305_431_231_36,
        -6.058_818_238_834_054,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of half the length has an error less by 2⁴ in the first order: five powers of two for a single step.
    #[test]
    fn a_step_is_of_order_four() {
        for evolution in [Evolution::Ageing, Evolution::Slip] {
            let c = Contact {
                evolution,
                a: 0.01,
                b: 0.015,
                distance: 1e-5,
                stiffness: 6e3,
                speed: 1e-6,
            };
            let from = [0.4, -0.3];
            // The same way in 4096 steps of the classical method of Runge and Kutta.
            let reference = |h: f64| {
                let mut y = from;
                let h = h / 4096.0;
                for _ in 0..4096 {
                    let moved = |by: f64, k: [f64; 2]| [y[0] + by * k[0], y[1] + by * k[1]];
                    let k1 = c.rates(3e-6, y);
                    let k2 = c.rates(3e-6, moved(0.5 * h, k1));
                    let k3 = c.rates(3e-6, moved(0.5 * h, k2));
                    let k4 = c.rates(3e-6, moved(h, k3));
                    y = [0, 1].map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
                }
                y
            };
            let off = |h: f64| {
                let (found, _) = c.step(3e-6, from, h);
                let exact = reference(h);
                (found[0] - exact[0]).abs().max((found[1] - exact[1]).abs())
            };
            let ratio = off(0.08) / off(0.04);
            println!("{evolution:?} {:e} {ratio}", off(0.04));
            assert!((20.0..50.0).contains(&ratio), "{evolution:?} {ratio}");
        }
    }

    /// However stiff the machine is, a step of the velocity takes no more steps, and is that of the closed form.
    #[test]
    fn the_stiffness_costs_nothing() {
        for stiffness in [1e7, 1e8, 1e9, 1e11, 1e13] {
            stiff(stiffness, 20_000);
        }
    }

    /// Where the machine is stiff the contact has the load's speed, and the state of a velocity step has a closed form.
    #[test]
    fn a_velocity_step_of_a_stiff_machine_is_that_of_the_closed_form() {
        stiff(3e8, 20_000);
    }

    fn stiff(stiffness: f64, most: usize) {
        for evolution in [Evolution::Ageing, Evolution::Slip] {
            let c =
                Contact { evolution, a: 0.01, b: 0.015, distance: 1e-5, stiffness, speed: 1e-6 };
            let [v1, v2] = [1e-6, 1e-5];
            let time: Vec<f64> = (0..60).map(|i| 0.1 * f64::from(i)).collect();
            let place: Vec<f64> =
                time.iter().map(|t| v1 * t.min(1.0) + v2 * (t - 1.0).max(0.0)).collect();
            let mu = c.follow(&time, &place, most).unwrap();
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
                // The spring takes a way of at most (a + b) ln 10/k, by which the state is late, b ln 10/D_c for each metre; and the
                // speed lacks μ̇/k of that of the load.
                let ten = 10f64.ln();
                let gives = ((c.a + c.b) * ten + c.a) * c.b * ten / (c.stiffness * c.distance);
                assert!(
                    (mu - exact).abs() < gives + 1e-8,
                    "{stiffness:e} {evolution:?} {t}: {mu} {exact}"
                );
            }
        }
    }
}
