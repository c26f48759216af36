//! Folds, symmetry breaking and grazing of a mass between two rigid stops, where a closed form has them.
//!
//! x″ + c x′ + x = cos ωt − f sgn x′ with stops at ±d and restitution e. The symmetric orbit with one impact at each
//! stop moves from −d to d at positive velocity, so that friction is a constant force, and its half-period map with
//! the impact and a mirror, H, is linear in closed form (Shaw 1985, with friction added). The derivative of the period
//! map is H², which has an eigenvalue 1 where H has 1 (the two orbits of this kind meet: a fold) or −1 (two orbits
//! that are mirror images branch off).

use std::f64::consts::{PI, TAU};
use stickslip::study::orbit::{Forced, Kind, Method, Options, response};
use stickslip::{Error, Law, Oscillator, Signal, Stops};

/// The numbers of a model.
#[derive(Clone, Copy)]
struct Between {
    c: f64,
    d: f64,
    e: f64,
    f: f64,
}

impl Between {
    fn make(self, omega: f64) -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(self.f)?)
            .with_damping(self.c)
            .with_force(Signal::harmonic(1.0, omega, 0.0))
            .with_stops(Stops::rigid(Some(-self.d), Some(self.d), self.e));
        Forced::new(&o.into(), TAU / omega, Method::Exact)
    }

    /// The propagator of the free motion over half a period of the load, and its decay.
    fn free(self, omega: f64) -> ([[f64; 2]; 2], f64) {
        let (s, t) = (0.5 * self.c, PI / omega);
        let w = (1.0 - s * s).sqrt();
        let (decay, sin, cos) = ((-s * t).exp(), (w * t).sin(), (w * t).cos());
        let p = [
            [decay * (cos + s / w * sin), decay * sin / w],
            [-decay * sin / w, decay * (cos - s / w * sin)],
        ];
        (p, decay)
    }

    /// The discriminant of the quadratic equation for the velocity at the impact: zero where two orbits meet; and
    /// 1 + tr H + det H of the faster one, zero where H has the eigenvalue −1.
    fn tests(self, omega: f64) -> (f64, f64) {
        let Self { c, d, e, f } = self;
        let (p, decay) = self.free(omega);
        let gain = 1.0 / (1.0 - omega * omega).hypot(c * omega);
        let lag = (c * omega).atan2(1.0 - omega * omega);
        // The forced motion at the start, (X, V), is linear in the velocity q before the impact: from
        // d + f + X = P₁₁(f − d − X) + P₁₂(eq − V) and q + V = P₂₁(f − d − X) + P₂₂(eq − V).
        let (a, b, g, k) = (1.0 + p[0][0], p[0][1], p[1][0], 1.0 + p[1][1]);
        let det = a * k - b * g;
        let solve = |r: [f64; 2]| [(k * r[0] - b * r[1]) / det, (a * r[1] - g * r[0]) / det];
        let fixed = solve([p[0][0] * (f - d) - d - f, p[1][0] * (f - d)]);
        let per_q = solve([p[0][1] * e, p[1][1] * e - 1.0]);
        // X² + (V/ω)² = gain²
        let dot = |u: [f64; 2], v: [f64; 2]| u[0] * v[0] + u[1] * v[1] / (omega * omega);
        let (quadratic, half) = (dot(per_q, per_q), dot(per_q, fixed));
        let discriminant = half * half - quadratic * (dot(fixed, fixed) - gain * gain);
        let q = (-half + discriminant.max(0.0).sqrt()) / quadratic;
        let (x, v) = (fixed[0] + per_q[0] * q, fixed[1] + per_q[1] * q);
        // The load at the impact is minus that at the start of the half period.
        let load = -((-v / omega).atan2(x) + lag).cos();
        let (before, after) = (load - d - c * q - f, load - d + c * e * q + f);
        let jump = (e * before + after) / q;
        let trace = e * p[0][0] - jump * p[0][1] + e * p[1][1];
        (discriminant, 1.0 + trace + (e * decay).powi(2))
    }

    /// Where a test changes its sign.
    fn zero(self, (mut low, mut high): (f64, f64), test: impl Fn((f64, f64)) -> f64) -> f64 {
        let at = |w: f64| test(self.tests(w));
        assert!(at(low) * at(high) < 0.0, "{} {}", at(low), at(high));
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if at(middle) * at(low) > 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// The bifurcations over the frequency, on the branches through the orbits found at `from`.
    fn found(self, from: f64, to: f64, count: usize) -> Vec<(f64, Kind)> {
        let mut options = Options::new(from, to).with_count(count);
        options.seeds = 1;
        response(|w| self.make(w), &options).unwrap().bifurcations().collect()
    }
}

#[test]
fn a_symmetric_orbit_loses_its_symmetry_where_the_closed_form_has_it() {
    let model = Between { c: 0.1, d: 0.5, e: 0.8, f: 0.05 };
    for (from, to, within) in [(1.7, 1.45, (1.45, 1.7)), (0.98, 1.1, (0.98, 1.1))] {
        let want = model.zero(within, |t| t.1);
        let found = model.found(from, to, 12);
        let here: Vec<_> = found.iter().filter(|b| b.1 == Kind::SymmetryBreaking).collect();
        assert!(here.len() == 1, "{found:?}");
        assert!((here[0].0 - want).abs() < 1e-10, "{found:?} {want}");
    }
}

#[test]
fn a_branch_turns_back_where_two_orbits_meet() {
    let model = Between { c: 0.1, d: 2.0, e: 0.6, f: 0.1 };
    let want = model.zero((1.7, 1.9), |t| t.0);
    let found = model.found(1.1, 1.9, 40);
    let folds: Vec<_> = found.iter().filter(|b| b.1 == Kind::Fold).collect();
    assert!(folds.len() == 1, "{found:?}");
    assert!((folds[0].0 - want).abs() < 1e-10, "{found:?} {want}");
}

/// Without friction the amplitude of the free motion, 1/|1 − ω² + icω|, reaches the stops.
#[test]
fn a_stop_begins_to_be_touched_where_the_amplitude_reaches_it() {
    let model = Between { c: 0.1, d: 2.0, e: 0.6, f: 0.0 };
    // (1 − ω²)² + c²ω² = 1/d²
    let (p, q) = (1.0 - 0.5 * model.c.powi(2), 1.0 - 1.0 / model.d.powi(2));
    let want = (p + (p * p - q).sqrt()).sqrt();
    let found = model.found(1.5, 1.1, 20);
    let grazed: Vec<_> = found.iter().filter(|b| b.1 == Kind::Grazing).collect();
    assert!(!grazed.is_empty(), "{found:?} {want}");
    assert!(grazed.iter().all(|b| (b.0 - want).abs() < 1e-9), "{found:?} {want}");
}
