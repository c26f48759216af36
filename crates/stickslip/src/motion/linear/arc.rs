//! The motion of a linear oscillator between events, in closed form.

use super::divided::{exp, exp_divided};
use super::medium::{Medium, Modes};
use crate::motion::State;
use crate::portable;
use crate::signal::{Harmonic, Piece, Signal, Terms};
use num_complex::Complex64;
use std::sync::Arc;

/// A solution of m ẍ + c ẋ + K x = p(t) − r, with p affine plus harmonics and r constant (a sliding
/// friction, say), from a given state.
#[derive(Debug, Clone)]
pub struct LinearArc {
    medium: Arc<Medium>,
    load: Arc<Signal>,
    piece: usize,
    /// Start, s, and state there.
    start: f64,
    initial: State,
    /// r, N.
    resistance: f64,
    form: Form,
}

/// How the solution is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// `offset + rate·s` + the forced harmonics + the free modes with these two coefficients.
    Modes { offset: f64, rate: f64, a: f64, b: f64 },
    /// Responses as divided differences: accurate where modes coincide or nearly so.
    Divided,
    /// No spring, no damper, no harmonic: a cubic with these second and third derivatives.
    Cubic { second: f64, third: f64 },
}

impl LinearArc {
    /// The arc from `state` at `start` (s) on affine piece `piece` of the load, against `resistance`
    /// (N), needed up to `until` (s).
    pub(crate) fn new(
        medium: &Arc<Medium>,
        load: &Arc<Signal>,
        piece: usize,
        start: f64,
        state: State,
        resistance: f64,
        until: f64,
    ) -> Self {
        let form = Self::modes(medium, load, piece, start, state, resistance, until)
            .unwrap_or(Form::Divided);
        Self {
            medium: medium.clone(),
            load: load.clone(),
            piece,
            start,
            initial: state,
            resistance,
            form,
        }
    }

    /// A cubic or the sum of modes, where they are accurate.
    fn modes(
        medium: &Medium,
        load: &Signal,
        piece: usize,
        start: f64,
        state: State,
        resistance: f64,
        until: f64,
    ) -> Option<Form> {
        let k = medium.stiffness;
        let affine = load.knots()[piece];
        if k == 0.0 && medium.damping == 0.0 && load.harmonics().is_empty() {
            let second = (affine.at(start) - resistance) / medium.mass;
            return Some(Form::Cubic { second, third: affine.rate / medium.mass });
        }
        if !medium.separated {
            return None;
        }
        let rate = affine.rate / k;
        let offset = (affine.at(start) - resistance - medium.damping * rate) / k;
        let forced = forced(medium, load, start);
        let x = state.x - offset - forced.x;
        let v = state.v - rate - forced.v;
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
        self.after(t - self.start)
    }

    /// State `s` (s) after the start: what is short against the start keeps its digits.
    pub(crate) fn after(&self, s: f64) -> State {
        if s == 0.0 {
            return self.initial;
        }
        self.state_given(s, &forced(&self.medium, &self.load, self.start + s))
    }

    /// State `s` (s) after the start, with the net load p − r (N) there and its two derivatives.
    #[inline]
    pub(crate) fn loaded(&self, s: f64) -> (State, [f64; 3]) {
        let t = self.start + s;
        let forced = forced(&self.medium, &self.load, t);
        let affine = self.load.knots()[self.piece];
        let load = [affine.at(t) + forced.p - self.resistance, affine.rate + forced.p1, forced.p2];
        (self.state_given(s, &forced), load)
    }

    /// State after `s`, the forced motion there being known.
    #[inline]
    fn state_given(&self, s: f64, forced: &Forced) -> State {
        if s == 0.0 {
            return self.initial;
        }
        match self.form {
            Form::Modes { offset, rate, a, b } => {
                let free = match self.medium.modes {
                    Modes::Oscillating { decay, frequency } => {
                        let (sin, cos) = portable::sin_cos(frequency * s);
                        let e = if decay == 0.0 { 1.0 } else { portable::exp(-decay * s) };
                        let p = e * (a * cos + b * sin);
                        let q = e * (b * cos - a * sin);
                        State { x: p, v: frequency * q - decay * p }
                    }
                    Modes::Decaying { slow, fast } => {
                        let p = a * portable::exp(-slow * s);
                        let q = b * portable::exp(-fast * s);
                        State { x: p + q, v: -slow * p - fast * q }
                    }
                };
                State { x: offset + rate * s + forced.x + free.x, v: rate + forced.v + free.v }
            }
            Form::Divided => self.divided(s),
            Form::Cubic { second, third } => {
                let State { x, v } = self.initial;
                State {
                    x: x + s * (v + s * (0.5 * second + s * (third / 6.0))),
                    v: v + s * (second + s * (0.5 * third)),
                }
            }
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
        let sine_rate = p * sine + exp(q * s);
        let step = exp_divided(&[zero, p, q], s).re; // R₁′ = S
        let ramp = exp_divided(&[zero, zero, p, q], s).re; // R₂′ = R₁

        let State { x, v } = self.initial;
        let omega2 = m.stiffness / m.mass;
        let affine = self.load.knots()[self.piece];
        let p0 = (affine.at(self.start) - self.resistance) / m.mass;
        let p1 = affine.rate / m.mass;
        // C = 1 − ω² R₁ and C′ = −ω² S: the free return is the step response to −K x₀.
        let mut out = State {
            x: x + v * sine.re + (p0 - omega2 * x) * step + p1 * ramp,
            v: v * sine_rate.re + (p0 - omega2 * x) * sine.re + p1 * step,
        };
        for h in self.load.harmonics() {
            let z = Complex64::new(0.0, h.angular_frequency);
            let force = h.amplitude / m.mass * exp(Complex64::new(0.0, h.angle(self.start)));
            let response = exp_divided(&[z, p, q], s);
            out.x += (force * response).re;
            out.v += (force * (z * response + sine)).re;
        }
        out
    }

    /// The piece of the load that drives the arc.
    pub(crate) fn load(&self) -> Piece<'_> {
        let third_bound = self.load.derivative_bound(3);
        Piece {
            affine: self.load.knots()[self.piece],
            harmonics: self.load.harmonics(),
            third_bound,
            functions: Terms::NONE,
        }
    }

    /// Start of the arc, s.
    pub(crate) fn start(&self) -> f64 {
        self.start
    }

    /// State at the start.
    pub(crate) fn initial(&self) -> State {
        self.initial
    }

    /// What the arc solves.
    pub(crate) fn medium(&self) -> &Medium {
        &self.medium
    }

    /// The part of a sum of modes that is affine in the time since the start: m, and m/s; `None` of another form.
    pub(super) fn affine_part(&self) -> Option<(f64, f64)> {
        match self.form {
            Form::Modes { offset, rate, .. } => Some((offset, rate)),
            Form::Divided | Form::Cubic { .. } => None,
        }
    }

    /// The free part of a sum of modes, Re Σ C e^{zs}: amplitudes C, m, and modes z, 1/s.
    pub(super) fn free_modes(&self) -> [(Complex64, Complex64); 2] {
        let none = (Complex64::ZERO, Complex64::ZERO);
        let Form::Modes { a, b, .. } = self.form else { return [none; 2] };
        match self.medium.modes {
            Modes::Oscillating { decay, frequency } => {
                [(Complex64::new(a, -b), Complex64::new(-decay, frequency)), none]
            }
            Modes::Decaying { slow, fast } => {
                [(a, slow), (b, fast)].map(|(c, z)| (Complex64::from(c), Complex64::from(-z)))
            }
        }
    }

    /// The harmonics of the load.
    pub(super) fn harmonics(&self) -> &[Harmonic] {
        self.load.harmonics()
    }

    /// ∫ x dt over the first `s` seconds, m·s, for K > 0: K ∫x = ∫p − r s − m Δẋ − c Δx.
    pub(crate) fn displacement_integral(&self, s: f64) -> f64 {
        let m = &*self.medium;
        let a = self.initial;
        let b = self.after(s);
        let load = self.load().integral(self.start, self.start + s) - self.resistance * s;
        (load - m.mass * (b.v - a.v) - m.damping * (b.x - a.x)) / m.stiffness
    }

    /// A bound on |v⁗| over the whole arc, m/s⁵, where the solution is a sum of modes: each mode and each harmonic is
    /// multiplied by its frequency at every derivative.
    pub(crate) fn snap_rate_bound(&self) -> Option<f64> {
        let m = &*self.medium;
        let Form::Modes { a, b, .. } = self.form else { return None };
        let fifth = |rate: f64| rate * (rate * rate) * (rate * rate);
        let free = match m.modes {
            Modes::Oscillating { .. } => (a * a + b * b).sqrt() * fifth(m.natural_frequency),
            Modes::Decaying { slow, fast } => a.abs() * fifth(slow) + b.abs() * fifth(fast),
        };
        let waves = self.load.harmonics().iter().zip(&m.gains);
        let wave = |(h, g): (&Harmonic, &(f64, f64))| {
            h.amplitude.abs() * (g.0.abs() + g.1.abs()) * fifth(h.angular_frequency)
        };
        Some(free + waves.map(wave).sum::<f64>())
    }

    /// A bound on |v‴| over the whole arc, m/s⁴, as [`snap_rate_bound`](Self::snap_rate_bound).
    pub(crate) fn snap_bound(&self) -> Option<f64> {
        let m = &*self.medium;
        let Form::Modes { a, b, .. } = self.form else { return None };
        let fourth = |rate: f64| (rate * rate) * (rate * rate);
        let free = match m.modes {
            Modes::Oscillating { .. } => (a * a + b * b).sqrt() * fourth(m.natural_frequency),
            Modes::Decaying { slow, fast } => a.abs() * fourth(slow) + b.abs() * fourth(fast),
        };
        let waves = self.load.harmonics().iter().zip(&m.gains);
        let wave = |(h, g): (&Harmonic, &(f64, f64))| {
            h.amplitude.abs() * (g.0.abs() + g.1.abs()) * fourth(h.angular_frequency)
        };
        Some(free + waves.map(wave).sum::<f64>())
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
            Form::Divided | Form::Cubic { .. } => {
                let affine = self.load.knots()[self.piece].at(self.start).abs();
                let waves = self.load.harmonics().iter().map(|h| h.amplitude.abs()).sum::<f64>();
                let force =
                    affine + waves + self.resistance.abs() + m.stiffness * self.initial.x.abs();
                let time = (until - self.start).min(1.0 / m.natural_frequency); // 1/0 = ∞
                self.initial.v.abs() + force / m.mass * time
            }
        };
        2.0 * f64::EPSILON * speed
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
        let (sin, cos) = portable::sin_cos(h.angle(t));
        let sin = h.amplitude * sin;
        let cos = h.amplitude * cos;
        out.x += re * cos - im * sin;
        out.v -= w * (re * sin + im * cos);
        out.p += cos;
        out.p1 -= w * sin;
        out.p2 -= w * w * cos;
    }
    out
}
