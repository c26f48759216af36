//! A smooth force with two solutions: bounces that come out of nothing, and rest.
//!
//! A unit mass above an elastic wall at u = 0, at rest there at t = 0. Between the instants t_n = 1/n,
//! n = 1, 2, …, the force presses once, smoothly:
//!
//! ```text
//! f(t) = −a_n φ((t − t_{n+1})/Δ_n),   t_{n+1} ≤ t ≤ t_n,   Δ_n = t_n − t_{n+1} = 1/(n (n + 1))
//! φ(s) = exp(−p/s − q/(1 − s)) / Z,   p > q,   ∫ φ = 1,   ∫ s φ = c > ½
//! ```
//!
//! The bump presses harder on the way down than on the way up (its centre c is late), so each arc of a
//! bounce gains speed: from u = 0 with v at t_{n+1}, the mass is back at u = 0 at t_n if
//! v = a_n Δ_n (1 − c), and arrives with −r v, r = c/(1 − c) > 1. An elastic wall turns that into r v. So
//!
//! ```text
//! v_n = V r^{−n},   a_n = v_{n+1} / (Δ_n (1 − c))
//! ```
//!
//! solves ü = f with an impulse 2 v_n at each t_n: infinitely many bounces, smaller and smaller towards
//! t → 0⁺. The k-th derivative of f is of the size a_n Δ_n^{−k} ~ r^{−n} n^{2k+2} → 0, so f is C^∞ on [0, 1]
//! with all derivatives zero at 0. And since f ≤ 0, rest at u = 0 with the reaction −f solves the same
//! problem with the same data.

use crate::error::{Error, require};
use crate::numeric::GAUSS;
use crate::portable;

/// The force, and what is known about it in closed form.
#[derive(Debug, Clone, PartialEq)]
pub struct Schatzman {
    early: f64,
    late: f64,
    /// V, m/s.
    scale: f64,
    /// log Z.
    log_norm: f64,
    /// c.
    centre: f64,
}

/// One impact of the bouncing solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounce {
    /// n.
    pub index: u32,
    /// t_n = 1/n, s.
    pub time: f64,
    /// Velocity before, m/s.
    pub before: f64,
    /// Velocity after, m/s.
    pub after: f64,
    /// Impulse of the wall, N·s (unit mass).
    pub impulse: f64,
}

/// Steps of the rules below over one bump: a function that vanishes to all orders at both ends is
/// integrated by equal weights to rounding.
const NODES: u32 = 400;

impl Schatzman {
    /// The force with the bump exp(−p/s − q/(1 − s)), `early` = p > `late` = q > 0, and v_1 = `speed` (m/s).
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn new(early: f64, late: f64, speed: f64) -> Result<Self, Error> {
        require("q, the bump's late exponent,", late, late > 0.0, "a finite number > 0")?;
        require(
            "p, the bump's early exponent,",
            early,
            early > late,
            "a finite number > q: the bump must be late",
        )?;
        require("the speed at t = 1", speed, speed > 0.0, "a finite speed > 0 m/s")?;
        let mut f = Self { early, late, scale: 1.0, log_norm: 0.0, centre: 0.0 };
        // The height of the bump first, so that no exponential underflows.
        f.log_norm = -(early.sqrt() + late.sqrt()).powi(2);
        let mean = |g: &dyn Fn(f64) -> f64| {
            (1..NODES).map(|i| g(f64::from(i) / f64::from(NODES))).sum::<f64>() / f64::from(NODES)
        };
        let mass = mean(&|s| f.bump(s));
        let moment = mean(&|s| s * f.bump(s));
        f.log_norm += portable::ln(mass);
        f.centre = moment / mass;
        f.scale = speed * f.gain();
        Ok(f)
    }

    /// φ(s).
    pub fn bump(&self, s: f64) -> f64 {
        if s <= 0.0 || s >= 1.0 {
            return 0.0;
        }
        portable::exp(-self.early / s - self.late / (1.0 - s) - self.log_norm)
    }

    /// c, the centre of the bump.
    pub fn centre(&self) -> f64 {
        self.centre
    }

    /// r = c/(1 − c), the gain of speed from one bounce to the next.
    pub fn gain(&self) -> f64 {
        self.centre / (1.0 - self.centre)
    }

    /// v_n = V r^{−n}, the speed after the impact at t_n, m/s.
    pub fn speed(&self, n: u32) -> f64 {
        self.scale * self.gain().powi(-(n as i32))
    }

    /// n with t_{n+1} ≤ t < t_n, for 0 < t < 1.
    fn arc(t: f64) -> u32 {
        let n = (1.0 / t).floor();
        // 1/n may round to either side of t.
        let n = if 1.0 / n <= t { n - 1.0 } else { n };
        if 1.0 / (n + 1.0) > t { n as u32 + 1 } else { n as u32 }
    }

    /// a_n, m/s².
    fn strength(&self, n: u32) -> f64 {
        let duration = 1.0 / (f64::from(n) * f64::from(n + 1));
        self.speed(n + 1) / (duration * (1.0 - self.centre))
    }

    /// f(t), N (unit mass), on [0, 1].
    pub fn force(&self, t: f64) -> f64 {
        // Beyond n = 2³⁰ the speeds have long underflowed.
        if t <= 1e-9 || t >= 1.0 {
            return 0.0;
        }
        let n = Self::arc(t);
        let m = f64::from(n);
        let s = (t - 1.0 / (m + 1.0)) * m * (m + 1.0);
        -self.strength(n) * self.bump(s)
    }

    /// The impacts of the bouncing solution, n = `last`, `last` − 1, …, 1, in order of time.
    pub fn bounces(&self, last: u32) -> Vec<Bounce> {
        let bounce = |index: u32| {
            let v = self.speed(index);
            Bounce { index, time: 1.0 / f64::from(index), before: -v, after: v, impulse: 2.0 * v }
        };
        (1..=last).rev().map(bounce).collect()
    }

    /// (u, u̇) of the bouncing solution at t ∈ (0, 1], by quadrature of the force over its arc.
    pub fn bouncing(&self, t: f64) -> (f64, f64) {
        if t <= 1e-9 {
            return (0.0, 0.0);
        }
        let n = if t >= 1.0 { 1 } else { Self::arc(t) };
        let begin = 1.0 / f64::from(n + 1);
        let v = self.speed(n + 1);
        let span = t.min(1.0) - begin;
        let mut u = v * span;
        let mut du = v;
        let panels = 16;
        let half = 0.5 * span / f64::from(panels);
        for i in 0..panels {
            let middle = begin + half * f64::from(2 * i + 1);
            for (x, w) in GAUSS {
                for s in [middle - half * x, middle + half * x] {
                    let push = half * w * self.force_on(n, s);
                    du += push;
                    u += push * (t - s);
                }
            }
        }
        (u, du)
    }

    /// f on arc n, also at its ends.
    fn force_on(&self, n: u32, t: f64) -> f64 {
        let m = f64::from(n);
        -self.strength(n) * self.bump((t - 1.0 / (m + 1.0)) * m * (m + 1.0))
    }
}

/// How far the two solutions are from the equation of motion, checked impulse by impulse: nothing here
/// uses the closed forms but t_n, v_{n+1} at the start, and f.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// n of the impact.
    pub index: u32,
    /// |u(t_n⁻)| over the height of the bounce before it.
    pub miss: f64,
    /// |u̇(t_n⁺) + u̇(t_n⁻)|/v_n: an elastic impact has 0.
    pub inelastic: f64,
    /// Lowest place on the bounce before, over its height: ≥ 0 inside the wall's room.
    pub lowest: f64,
    /// Work of f on the bounce minus the kinetic energy gained, over that energy.
    pub energy: f64,
    /// Largest f on the bounce, N: ≤ 0, so that rest has a reaction −f ≥ 0.
    pub largest_force: f64,
}

impl Schatzman {
    /// Integrates u̇ = ∫f, u = ∫u̇ on the arc before each impact n = `last`, …, 1 in `steps` steps of a
    /// two-stage Gauss method (order 4), from (0, v_{n+1}).
    pub fn verify(&self, last: u32, steps: u32) -> Vec<Verdict> {
        (1..=last).rev().map(|n| self.verify_bounce(n, steps)).collect()
    }

    fn verify_bounce(&self, n: u32, steps: u32) -> Verdict {
        let m = f64::from(n);
        let begin = 1.0 / (m + 1.0);
        let h = 1.0 / (m * (m + 1.0)) / f64::from(steps);
        let node = 0.5 / 3f64.sqrt();
        let mut u = 0.0;
        let mut v = self.speed(n + 1);
        let mut work = 0.0;
        let kinetic = 0.5 * v * v;
        let mut highest = 0.0f64;
        let mut lowest = 0.0f64;
        let mut largest = f64::NEG_INFINITY;
        for i in 0..steps {
            let t = begin + h * f64::from(i);
            let c1 = 0.5 - node;
            let c2 = 0.5 + node;
            let f1 = self.force_on(n, t + c1 * h);
            let f2 = self.force_on(n, t + c2 * h);
            // The velocity at the two nodes, from the line through f1 and f2.
            let slope = (f2 - f1) / (c2 - c1);
            let velocity = |c: f64| v + h * (c * f1 + slope * (0.5 * c * c - c * c1));
            work += 0.5 * h * (f1 * velocity(c1) + f2 * velocity(c2));
            u += h * v + 0.5 * h * h * (f1 * (1.0 - c1) + f2 * (1.0 - c2));
            v += 0.5 * h * (f1 + f2);
            highest = highest.max(u);
            if i + 1 < steps {
                lowest = lowest.min(u);
            }
            largest = largest.max(f1).max(f2);
        }
        let after = self.speed(n);
        let gained = 0.5 * v * v - kinetic;
        Verdict {
            index: n,
            miss: u.abs() / highest,
            inelastic: (after + v).abs() / after,
            lowest: lowest / highest,
            energy: (work - gained).abs() / gained,
            largest_force: largest,
        }
    }
}
