//! The equations between two events.
//!
//! The numbers of a state are x, v and z. Of rate and state they are x, u and ln θ, with the friction N a u: the velocity
//! 2 V₀ e^−ψ sinh u then keeps all its digits over any number of decades, and without a mass the balance of forces is linear
//! in u but for the dashpot.

use super::collocation::Equations;
use crate::error::Error;
use crate::law::memory::{RateAndState, Remembers, Run};
use crate::model::hysteretic::{Body, Carrier, Hysteretic};
use crate::portable;
use crate::scheme::oscillator::adaptive::Options;
use crate::signal::Piece;

/// The least tolerance of logarithms, u and ln θ. They are some 60, so that rounding moves them and the velocity 2 V₀ e^−ψ sinh u by
/// some 10⁻¹⁴; a tolerance of ten times that asks for a hundred times the steps and makes nothing better.
pub(in crate::scheme) const FINEST: f64 = 5e-13;

/// The signals on the smooth pieces that hold at one instant, continued.
#[derive(Debug, Clone)]
pub(super) enum Window<'a> {
    Mass { body: &'a Body, drive: Piece<'a>, force: Piece<'a>, support: Piece<'a> },
    Led(Piece<'a>),
}

/// A motion to one side while the formulas stay the same.
#[derive(Debug, Clone)]
pub(super) struct Flow<'a> {
    pub law: &'a dyn Remembers,
    /// The law, if its equations are those in logarithms.
    pub logs: Option<&'a RateAndState>,
    pub window: Window<'a>,
    normal: Option<Piece<'a>>,
    /// The instant at which the pieces hold, s.
    start: f64,
    pub run: Run<'a>,
    options: Options,
}

/// Where the contact is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub x: f64,
    pub v: f64,
    /// Relative to the support, m/s.
    pub w: f64,
}

impl<'a> Flow<'a> {
    /// The flow on the pieces that hold at `t` (s).
    pub fn new(model: &'a Hysteretic, t: f64, run: Run<'a>, options: Options) -> Self {
        let window = match &model.carrier {
            Carrier::Mass(body) => Window::Mass {
                body,
                drive: body.drive.piece_at(t),
                force: body.force.piece_at(t),
                support: body.support.piece_at(t),
            },
            Carrier::Led(displacement) => Window::Led(displacement.piece_at(t)),
        };
        let normal = model.normal.as_ref().map(|n| n.piece_at(t));
        let law = model.law();
        Self { law, logs: law.as_rate_and_state(), window, normal, start: t, run, options }
    }

    /// How many numbers of the state belong to the mass.
    pub fn carried(&self) -> usize {
        match self.window {
            Window::Mass { .. } => 2,
            Window::Led(_) => 0,
        }
    }

    /// N(t), N.
    pub fn normal(&self, t: f64) -> f64 {
        self.normal.as_ref().map_or(1.0, |n| n.value(t))
    }

    pub fn point(&self, t: f64, y: &[f64]) -> Point {
        match &self.window {
            Window::Led(displacement) => {
                let [x, v, ..] = displacement.derivatives(t);
                Point { x, v, w: v }
            }
            Window::Mass { support, .. } => {
                let moves = support.value(t);
                match self.logs {
                    None => Point { x: y[0], v: y[1], w: y[1] - moves },
                    Some(law) => {
                        let w = law.velocity(y[1], law.psi(y[2]));
                        Point { x: y[0], v: w + moves, w }
                    }
                }
            }
        }
    }

    /// F against the motion, N; `rates` is room for the rates of what is remembered, which are written.
    pub fn friction(&self, t: f64, at: Point, y: &[f64], rates: &mut [f64]) -> f64 {
        let (moving, z) = y.split_at(self.carried());
        let Some(law) = self.logs else {
            self.law.rates(self.run, at.w, z, rates);
            return self.normal(t) * self.law.force(at.x, at.w, z, rates);
        };
        // In logarithms the friction is N a u, and the only thing remembered is ln θ.
        rates[0] = law.ln_age_rate(at.w, z[0]);
        // A given way has no u among its numbers: it follows from the velocity.
        let level = moving.get(1).copied().unwrap_or_else(|| law.level(at.w, law.psi(z[0])));
        self.normal(t) * law.direct() * level
    }

    /// K (d − x) + f, N.
    fn load(&self, t: f64, x: f64) -> f64 {
        match &self.window {
            Window::Mass { body, drive, force, .. } => {
                body.stiffness * (drive.value(t) - x) + force.value(t)
            }
            Window::Led(_) => 0.0,
        }
    }

    /// v̇ − v̇_s at a contact at rest: to which side it sets out.
    pub fn relative_acceleration(&self, t: f64, y: &[f64]) -> f64 {
        match &self.window {
            Window::Mass { body, support, .. } if body.mass > 0.0 => {
                let mut rates = vec![0.0; y.len()];
                let at = self.point(t, y);
                let friction = self.friction(t, at, y, &mut rates[self.carried()..]);
                let force = self.load(t, at.x) - body.damping * at.v - friction;
                force / body.mass - support.derivatives(t)[1]
            }
            // Without a mass nothing accelerates: the balance says the velocity at once.
            Window::Mass { .. } => 0.0,
            Window::Led(displacement) => displacement.derivatives(t)[2],
        }
    }

    /// How far the velocity and each part of the law are from the ends of what they do; negative beyond.
    pub fn margins(&self, t: f64, y: &[f64], margins: &mut [f64]) {
        let at = self.point(t, y);
        margins[0] = self.run.side * at.w;
        self.law.margins(self.run, at.w, &y[self.carried()..], &mut margins[1..]);
    }

    /// Whether the velocity follows from a balance of forces.
    pub fn balances(&self) -> bool {
        matches!(&self.window, Window::Mass { body, .. } if body.mass == 0.0)
    }

    /// Puts u where the forces balance at `t` (s), if that is what makes it.
    ///
    /// # Errors
    /// If there is no normal force: then nothing makes it.
    pub fn balance(&self, t: f64, y: &mut [f64]) -> Result<(), Error> {
        let (Some(law), true) = (self.logs, self.balances()) else { return Ok(()) };
        let psi = law.psi(y[2]);
        // Without a mass the row of u holds no rate, but what the forces lack.
        let excess = |u: f64| {
            let mut rates = [0.0; 3];
            self.rates(t, &[y[0], u, y[2]], &mut rates);
            rates[1]
        };
        let weight = self.normal(t) * law.direct();
        if weight <= 0.0 {
            let reason = "without a mass and a normal force nothing makes the velocity".into();
            return Err(Error::NoSolution { time: t, reason });
        }
        // The excess falls with u at least as fast as N a: between 0 and what it would be without a dashpot.
        let free = excess(0.0) / weight;
        let mut a = free.min(0.0) - 1.0;
        let mut b = free.max(0.0) + 1.0;
        let mut u = free.clamp(-1e3 + psi.min(0.0), 1e3 + psi.max(0.0)).clamp(a, b);
        for _ in 0..200 {
            let e = excess(u);
            if e > 0.0 {
                a = u
            } else {
                b = u
            }
            let slope = weight + self.damping() / law.steepness(u, psi);
            let next = u + e / slope;
            let next = if next > a && next < b { next } else { 0.5 * (a + b) };
            if next == u || (next - u).abs() <= f64::EPSILON * u.abs() {
                break;
            }
            u = next;
        }
        y[1] = u;
        Ok(())
    }

    /// u after an implicit step of Euler in the velocity, of `h` (s) from `t`: w(u) = w₀ + h ẇ(u), where the friction in ẇ rises
    /// with u, so that there is one solution.
    pub fn leap(&self, t: f64, h: f64, y: &[f64]) -> f64 {
        let Some(law) = self.logs else { return y[1] };
        let psi = law.psi(y[2]);
        let from = law.velocity(y[1], psi);
        let short = |u: f64| {
            from + h * self.relative_acceleration(t, &[y[0], u, y[2]]) - law.velocity(u, psi)
        };
        // Beyond e^600 V₀ there is no velocity.
        let most = (600.0 + psi).max(1.0);
        let mut a = -most;
        let mut b = most;
        for _ in 0..200 {
            let u = 0.5 * (a + b);
            if u <= a || u >= b {
                break;
            }
            if short(u) > 0.0 { a = u } else { b = u }
        }
        0.5 * (a + b)
    }

    fn damping(&self) -> f64 {
        if let Window::Mass { body, .. } = &self.window { body.damping } else { 0.0 }
    }

    /// The rates of x and u, in which the velocity keeps its digits.
    fn logarithmic(&self, law: &RateAndState, t: f64, y: &[f64], rates: &mut [f64]) {
        let at = self.point(t, y);
        let Window::Mass { body, support, .. } = &self.window else {
            rates[0] = law.ln_age_rate(at.w, y[0]);
            return;
        };
        let friction = self.friction(t, at, y, &mut rates[2..]);
        let force = self.load(t, at.x) - body.damping * at.v - friction;
        rates[0] = at.v;
        // The row of a balance has no rate: it is what the forces lack, and is zero along the motion.
        if body.mass == 0.0 {
            rates[1] = force;
            return;
        }
        let speeds_up = force / body.mass - support.derivatives(t)[1];
        let u = y[1];
        let psi = law.psi(y[2]);
        // u̇ = (∂u/∂w) ẇ + (∂u/∂ψ) ψ̇, and ∂u/∂ψ = tanh u.
        rates[1] =
            speeds_up * law.steepness(u, psi) + portable::tanh(u) * law.psi_slope() * rates[2];
    }
}

impl Equations for Flow<'_> {
    fn rates(&self, t: f64, y: &[f64], rates: &mut [f64]) {
        if let Some(law) = self.logs {
            return self.logarithmic(law, t, y, rates);
        }
        let at = self.point(t, y);
        let (moving, remembered) = rates.split_at_mut(self.carried());
        let friction = self.friction(t, at, y, remembered);
        // What is led has no equations of its own.
        if let Window::Mass { body, .. } = &self.window {
            moving[0] = at.v;
            moving[1] = (self.load(t, at.x) - body.damping * at.v - friction) / body.mass;
        }
    }

    fn weight(&self, i: usize, _: &[f64]) -> Option<[f64; 2]> {
        (i == 1 && self.balances()).then_some([0.0; 2])
    }

    fn tolerance(&self, i: usize, y: f64) -> f64 {
        let Options { rtol, atol, .. } = self.options;
        match (i.checked_sub(self.carried()), self.logs) {
            (None, None) => atol + rtol * y.abs(),
            // Deflections pass zero at every turn: their tolerance is a share of the greatest one, not of their
            // value.
            (Some(state), None) => rtol * self.law.scale(state),
            // Logarithms, and a displacement whose error moves the spring by less than that of u.
            (None, Some(law)) if i == 0 => {
                let plain = atol + rtol * y.abs();
                match &self.window {
                    Window::Mass { body, .. } if body.stiffness > 0.0 => {
                        let weight = self.normal(self.start) * law.direct();
                        let rtol = rtol.max(FINEST);
                        plain.min(rtol * weight / body.stiffness).max(f64::EPSILON * y.abs())
                    }
                    _ => plain,
                }
            }
            _ => rtol.max(FINEST),
        }
    }
}

/// The state of what a contact remembers as its numbers, z from y.
pub(super) fn shown(model: &Hysteretic, z: &mut [f64]) {
    if model.law().as_rate_and_state().is_some() {
        z[0] = portable::exp(z[0]);
    }
}

/// The other way.
pub(super) fn kept(model: &Hysteretic, z: &mut [f64]) {
    if model.law().as_rate_and_state().is_some() {
        z[0] = portable::ln(z[0]);
    }
}

/// How many numbers of the state belong to the mass of `model`.
pub(super) fn carried(model: &Hysteretic) -> usize {
    match model.carrier {
        Carrier::Mass(_) => 2,
        Carrier::Led(_) => 0,
    }
}
