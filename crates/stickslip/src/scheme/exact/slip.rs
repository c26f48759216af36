//! The motion during a slip, in closed form.

use super::divided::exp_divided;
use super::medium::{Medium, Modes};
use crate::roots::{Jet, Touch, first_root};
use crate::signal::{Harmonic, Piece, Signal};
use crate::trajectory::State;
use num_complex::Complex64;
use std::sync::Arc as Shared;

/// A solution of m ẍ + c ẋ + K x = p(t) − ε f_d, with p affine plus harmonics, from a given state.
#[derive(Debug, Clone)]
pub struct SlipArc {
    medium: Shared<Medium>,
    load: Shared<Signal>,
    piece: usize,
    /// Start, s, and state there.
    start: f64,
    initial: State,
    /// ε f_d, N.
    friction: f64,
    form: Form,
}

/// How the solution is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// `offset + rate·s` + the forced harmonics + the free modes with these two coefficients.
    Modes { offset: f64, rate: f64, a: f64, b: f64 },
    /// Responses as divided differences: accurate where modes coincide or nearly so.
    Divided,
}

impl SlipArc {
    /// The arc from `state` at `start` (s) on affine piece `piece` of the load, against `friction`
    /// = ε f_d (N), needed up to `until` (s).
    pub(crate) fn new(
        medium: &Shared<Medium>,
        load: &Shared<Signal>,
        piece: usize,
        start: f64,
        state: State,
        friction: f64,
        until: f64,
    ) -> Self {
        let form = Self::modes(medium, load, piece, start, state, friction, until)
            .unwrap_or(Form::Divided);
        Self {
            medium: medium.clone(),
            load: load.clone(),
            piece,
            start,
            initial: state,
            friction,
            form,
        }
    }

    /// The sum of modes, where it is accurate.
    fn modes(
        medium: &Medium,
        load: &Signal,
        piece: usize,
        start: f64,
        state: State,
        friction: f64,
        until: f64,
    ) -> Option<Form> {
        if !medium.separated {
            return None;
        }
        let k = medium.stiffness;
        let affine = load.knots()[piece];
        let rate = affine.rate / k;
        let offset = (affine.at(start) - friction - medium.damping * rate) / k;
        let forced = forced(medium, load, start);
        let (x, v) = (state.x - offset - forced.x, state.v - rate - forced.v);
        // An arc short against the slowest mode is a small difference of large terms.
        let slowest = match medium.modes {
            Modes::Oscillating { .. } => medium.natural_frequency,
            Modes::Decaying { slow, .. } => slow,
        };
        if offset.abs() > 8.0 * state.x.abs() && slowest * (until - start) < 0.25 {
            return None;
        }
        let (a, b) = match medium.modes {
            Modes::Oscillating { decay, frequency } => (x, (v + decay * x) / frequency),
            Modes::Decaying { slow, fast } => {
                ((v + fast * x) / (fast - slow), -(v + slow * x) / (fast - slow))
            }
        };
        Some(Form::Modes { offset, rate, a, b })
    }

    /// State at `t` (s).
    pub fn state(&self, t: f64) -> State {
        self.state_given(t, &forced(&self.medium, &self.load, t))
    }

    /// State at `t` (s), the forced motion there being known.
    #[inline]
    fn state_given(&self, t: f64, forced: &Forced) -> State {
        let s = t - self.start;
        if s == 0.0 {
            return self.initial;
        }
        match self.form {
            Form::Modes { offset, rate, a, b } => {
                let free = match self.medium.modes {
                    Modes::Oscillating { decay, frequency } => {
                        let (sin, cos) = (frequency * s).sin_cos();
                        let e = if decay == 0.0 { 1.0 } else { (-decay * s).exp() };
                        let (p, q) = (e * (a * cos + b * sin), e * (b * cos - a * sin));
                        State { x: p, v: frequency * q - decay * p }
                    }
                    Modes::Decaying { slow, fast } => {
                        let (p, q) = (a * (-slow * s).exp(), b * (-fast * s).exp());
                        State { x: p + q, v: -slow * p - fast * q }
                    }
                };
                State { x: offset + rate * s + forced.x + free.x, v: rate + forced.v + free.v }
            }
            Form::Divided => self.divided(s),
        }
    }

    /// x = x₀ C + v₀ S + (p₀ R₁ + p₁ R₂ + Σ Re P_k H_k)/m, the responses being divided
    /// differences at the roots z₁, z₂ of m z² + c z + K, at 0 and at iν.
    fn divided(&self, s: f64) -> State {
        let m = &*self.medium;
        let (p, q) = match m.modes {
            Modes::Oscillating { decay, frequency } => {
                (Complex64::new(-decay, frequency), Complex64::new(-decay, -frequency))
            }
            Modes::Decaying { slow, fast } => (Complex64::from(-slow), Complex64::from(-fast)),
        };
        let zero = Complex64::ZERO;
        let sine = exp_divided(&[p, q], s); // S, from (0, 1)
        let sine_rate = p * sine + (q * s).exp();
        let step = exp_divided(&[zero, p, q], s).re; // R₁′ = S
        let ramp = exp_divided(&[zero, zero, p, q], s).re; // R₂′ = R₁

        let State { x, v } = self.initial;
        let omega2 = m.stiffness / m.mass;
        let affine = self.load.knots()[self.piece];
        let (p0, p1) = ((affine.at(self.start) - self.friction) / m.mass, affine.rate / m.mass);
        // C = 1 − ω² R₁ and C′ = −ω² S: the free return is the step response to −K x₀.
        let mut out = State {
            x: x + v * sine.re + (p0 - omega2 * x) * step + p1 * ramp,
            v: v * sine_rate.re + (p0 - omega2 * x) * sine.re + p1 * step,
        };
        for h in self.load.harmonics() {
            let z = Complex64::new(0.0, h.angular_frequency);
            let force = Complex64::from_polar(h.amplitude / m.mass, h.angle(self.start));
            let response = exp_divided(&[z, p, q], s);
            out.x += (force * response).re;
            out.v += (force * (z * response + sine)).re;
        }
        out
    }

    /// The first time after the start at which the velocity is zero, if before `until`.
    pub(super) fn first_rest(&self, sign: f64, breakaway: f64, until: f64) -> Option<f64> {
        let m = &*self.medium;
        let affine = self.load.knots()[self.piece];
        let per_mass = 1.0 / m.mass;
        let (c, k) = (m.damping * per_mass, m.stiffness * per_mass);
        let growth = self.load.derivative_bound(3) * per_mass;
        let eval = |t: f64| {
            let forced = forced(m, &self.load, t);
            let State { x, v } = self.state_given(t, &forced);
            let p = affine.at(t) + forced.p - self.friction;
            let mut a = (p - m.damping * v - m.stiffness * x) * per_mass;
            if t == self.start && v == 0.0 {
                // At rest |b| ≥ f_s, whatever the rounding.
                a = sign * (sign * a).max((breakaway - self.friction.abs()) * per_mass);
            }
            let j = (affine.rate + forced.p1) * per_mass - c * a - k * v;
            let snap = forced.p2 * per_mass - c * j - k * a;
            // Energy of the equation for v″: (snap² + ω² j²)^½ grows no faster than |p‴|/m.
            let rotation = m.natural_frequency * j;
            let bound = (snap * snap + rotation * rotation).sqrt();
            [Jet { value: sign * v, first: sign * a, second: sign * j, bound, growth }]
        };
        first_root(self.start, until, self.velocity_noise(until), Touch::Counts, eval).map(|r| r.at)
    }

    /// Rounding error of the velocity: ε times the terms that make it.
    pub(crate) fn velocity_noise(&self, until: f64) -> f64 {
        let m = &*self.medium;
        let speed = match self.form {
            Form::Modes { rate, a, b, .. } => {
                let fastest = match m.modes {
                    Modes::Oscillating { decay, frequency } => decay + frequency,
                    Modes::Decaying { fast, .. } => fast,
                };
                let waves = self.load.harmonics().iter().zip(&m.gains);
                let wave = |(h, g): (&Harmonic, &(f64, f64))| {
                    h.amplitude.abs() * h.angular_frequency * (g.0.abs() + g.1.abs())
                };
                rate.abs() + fastest * (a.abs() + b.abs()) + waves.map(wave).sum::<f64>()
            }
            Form::Divided => {
                let affine = self.load.knots()[self.piece].at(self.start).abs();
                let waves = self.load.harmonics().iter().map(|h| h.amplitude.abs()).sum::<f64>();
                let force =
                    affine + waves + self.friction.abs() + m.stiffness * self.initial.x.abs();
                let time = (until - self.start).min(1.0 / m.natural_frequency); // 1/0 = ∞
                self.initial.v.abs() + force / m.mass * time
            }
        };
        2.0 * f64::EPSILON * speed
    }

    /// x, ẋ, ẍ, x⃛, x⁗ at `t` (s), from the closed form and the equation of motion.
    pub(crate) fn derivatives(&self, piece: &Piece<'_>, t: f64) -> [f64; 5] {
        let m = &*self.medium;
        let State { x, v } = self.state(t);
        let [p, p1, p2, _] = piece.derivatives(t);
        let a = (p - self.friction - m.damping * v - m.stiffness * x) / m.mass;
        let j = (p1 - m.damping * a - m.stiffness * v) / m.mass;
        [x, v, a, j, (p2 - m.damping * j - m.stiffness * a) / m.mass]
    }

    /// The smooth piece of the load that the arc belongs to.
    pub(crate) fn piece(&self) -> Piece<'_> {
        Piece { affine: self.load.knots()[self.piece], ..self.load.piece_at(self.start) }
    }

    /// Rates on which the solution varies, 1/s: the fastest and the slowest that lasts.
    pub(crate) fn rates(&self) -> (f64, f64) {
        let drive = self.load.harmonics().iter().map(|h| h.angular_frequency).fold(0.0, f64::max);
        match self.medium.modes {
            Modes::Oscillating { decay, frequency } => {
                let fast = decay.max(frequency).max(drive);
                (fast, fast)
            }
            Modes::Decaying { slow, fast } => (fast.max(drive), slow.max(drive)),
        }
    }
}

/// What the harmonics of the load do at one instant, from one sine and cosine each.
#[derive(Default)]
struct Forced {
    /// Forced motion, Re Σ G A e^{i(νt+φ)}, m, and its velocity, m/s.
    x: f64,
    v: f64,
    /// Their load, N, and its first two derivatives.
    p: f64,
    p1: f64,
    p2: f64,
}

#[inline]
fn forced(medium: &Medium, load: &Signal, t: f64) -> Forced {
    let mut out = Forced::default();
    for (h, &(re, im)) in load.harmonics().iter().zip(&medium.gains) {
        let w = h.angular_frequency;
        let (sin, cos) = h.angle(t).sin_cos();
        let (sin, cos) = (h.amplitude * sin, h.amplitude * cos);
        out.x += re * cos - im * sin;
        out.v -= w * (re * sin + im * cos);
        out.p += cos;
        out.p1 -= w * sin;
        out.p2 -= w * w * cos;
    }
    out
}
