//! How a linear oscillator answers, from rest, to the functions of which its own motion consists: in closed form.
//!
//! The response of u″ + (c/m) u′ + ω² u = f over a part of an arc is a solution of it that is known, less the free motion from where
//! that solution begins. With D(z) = z² + (c/m) z + ω² such a solution is
//!
//! ```text
//! 1               1/ω²                                t               t/ω² − (c/m)/ω⁴
//! e^{zt}          e^{zt}/D(z)                         t e^{zt}        (t/D(z) − D′(z)/D(z)²) e^{zt}
//! e^{zt}, z a mode: D(z) = 0                          t e^{zt}/D′(z)
//! ```

use super::arc::LinearArc;
use super::divided::exp;
use super::medium::{Medium, Modes};
use crate::motion::State;
use crate::signal::Harmonic;
use num_complex::Complex64;

/// Complex amplitudes of u and u′.
pub(crate) type Pair = [Complex64; 2];

/// Relative distance of modes and harmonics from one another below which the known solutions are not used: they grow with its
/// inverse square, and their difference does not.
const CLEAR: f64 = 0.2;
/// The least part of an arc, in times of its slowest mode: over shorter ones the difference is smaller than they are by the square.
const LONG: f64 = 0.5;

/// Responses from rest over a part of an arc.
#[derive(Debug)]
pub(crate) struct Responses<'a> {
    arc: &'a LinearArc,
    from: f64,
    to: f64,
    /// What becomes of a state at the beginning.
    pub through: [[f64; 2]; 2],
}

impl Medium {
    /// Whether its modes are apart from one another and slow ones short against `length` (s).
    fn is_clear(&self, length: f64) -> bool {
        let w = self.natural_frequency;
        let decay = 0.5 * self.damping / self.mass;
        let apart = ((w - decay) * (w + decay)).abs() > (CLEAR * (w + decay)).powi(2);
        let slowest = match self.modes {
            Modes::Oscillating { .. } => w,
            Modes::Decaying { slow, .. } => slow,
        };
        apart && slowest * length > LONG
    }

    /// 1/D(iν), where a harmonic is far enough from the modes.
    fn gain(&self, frequency: f64) -> Option<Complex64> {
        let omega2 = self.stiffness / self.mass;
        let rate = self.damping / self.mass;
        let re = (self.natural_frequency - frequency) * (self.natural_frequency + frequency);
        let d = Complex64::new(re, rate * frequency);
        let clear = d.norm_sqr() > (CLEAR * (omega2 + frequency * frequency)).powi(2);
        clear.then(|| d.inv())
    }
}

impl LinearArc {
    /// Responses from `from` to `to` (s); `None` where closed forms would lose more than two digits.
    pub(crate) fn responses(&self, from: f64, to: f64) -> Option<Responses<'_>> {
        let length = to - from;
        self.affine_part()?;
        let clear = self.medium().is_clear(length);
        clear.then(|| Responses { arc: self, from, to, through: self.propagator(length) })
    }
}

impl Responses<'_> {
    /// What a known solution, at both ends of the part, leaves of itself.
    fn less(&self, begin: Pair, end: Pair) -> Pair {
        let m = &self.through;
        [0, 1].map(|i| end[i] - begin[0] * m[i][0] - begin[1] * m[i][1])
    }

    fn less_real(&self, begin: State, end: State) -> State {
        let m = &self.through;
        let free = [0, 1].map(|i| m[i][0] * begin.x + m[i][1] * begin.v);
        State { x: end.x - free[0], v: end.v - free[1] }
    }

    /// To 1 and to t − `start` (s).
    pub fn to_affine(&self, start: f64) -> [State; 2] {
        let m = self.arc.medium();
        let softness = m.mass / m.stiffness;
        let lag = m.damping / m.stiffness;
        let one = State { x: softness, v: 0.0 };
        let ramp = |t: f64| State { x: softness * (t - start - lag), v: softness };
        [self.less_real(one, one), self.less_real(ramp(self.from), ramp(self.to))]
    }

    /// To e^{i(νt + φ)} and to (t − `start`) e^{i(νt + φ)} of a harmonic, whatever its amplitude; `None` where it is too near to
    /// resonance.
    pub fn to_wave(&self, h: &Harmonic, start: f64) -> Option<[Pair; 2]> {
        let m = self.arc.medium();
        let gain = m.gain(h.angular_frequency)?;
        let z = Complex64::new(0.0, h.angular_frequency);
        let lag = (2.0 * z + m.damping / m.mass) * gain;
        let both = |t: f64| {
            let turned = gain * exp(Complex64::new(0.0, h.angle(t)));
            let late = (t - start - lag) * turned;
            [[turned, z * turned], [late, turned + z * late]]
        };
        let [begin, end] = [both(self.from), both(self.to)];
        Some([0, 1].map(|i| self.less(begin[i], end[i])))
    }

    /// To e^{z(t − t₀)} of a mode z of the arc that begins at t₀.
    fn to_mode(&self, z: Complex64) -> Pair {
        let m = self.arc.medium();
        let twice = 2.0 * z + m.damping / m.mass;
        let [begin, end] = [self.from, self.to].map(|t| exp(z * (t - self.arc.start())) / twice);
        let length = self.to - self.from;
        self.less([Complex64::ZERO, begin], [length * end, end + z * length * end])
    }

    /// To x and v of the arc itself, those to 1 and to t − `start` being known; `None` where a harmonic of its load is too near to
    /// resonance.
    pub fn to_motion(&self, start: f64, affine: &[State; 2]) -> Option<[State; 2]> {
        let m = self.arc.medium();
        let (offset, rate) = self.arc.affine_part()?;
        let here = offset + rate * (start - self.arc.start());
        let mut x = Sum::default();
        let mut v = Sum::default();
        x.add_real(here, affine[0]);
        x.add_real(rate, affine[1]);
        v.add_real(rate, affine[0]);
        for (h, (re, im)) in self.arc.harmonics().iter().zip(&m.gains) {
            let moved = h.amplitude * Complex64::new(*re, *im);
            let [response, _] = self.to_wave(h, start)?;
            x.add(moved, response);
            v.add(Complex64::new(0.0, h.angular_frequency) * moved, response);
        }
        for (amplitude, z) in self.arc.free_modes() {
            if amplitude != Complex64::ZERO {
                let response = self.to_mode(z);
                x.add(amplitude, response);
                v.add(z * amplitude, response);
            }
        }
        Some([x.0, v.0])
    }
}

/// A sum of responses.
#[derive(Debug, Default)]
struct Sum(State);

impl Sum {
    fn add_real(&mut self, by: f64, of: State) {
        self.0 = State { x: self.0.x + by * of.x, v: self.0.v + by * of.v };
    }

    fn add(&mut self, by: Complex64, of: Pair) {
        self.add_real(1.0, State { x: (by * of[0]).re, v: (by * of[1]).re });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Signal;
    use std::sync::Arc;

    /// ∫ Φ(to − s) (0, f(s)) ds by Simpson's rule on so many parts that its error, of the order of (h z)⁴, is below 1e-13.
    fn by_quadrature(m: &Medium, [from, to]: [f64; 2], f: impl Fn(f64) -> f64) -> State {
        let n = 16_000;
        let h = (to - from) / f64::from(n);
        let mut sum = State { x: 0.0, v: 0.0 };
        for i in 0..=n {
            let weight = if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
            let s = from + h * f64::from(i);
            let p = m.propagator(to - s);
            let by = h / 3.0 * weight * f(s);
            sum = State { x: sum.x + by * p[0][1], v: sum.v + by * p[1][1] };
        }
        sum
    }

    #[test]
    fn responses_are_the_integrals_of_the_propagator() {
        for (mass, damping, stiffness) in
            [(1.0, 0.0, 1.0), (2.0, 0.3, 5.0), (1.0, 5.0, 0.9), (0.7, 0.01, 4.0)]
        {
            let load = Signal::harmonic(1.7, 3.1, 0.4) + Signal::harmonic(0.6, 0.2, 1.4);
            let load = Arc::new(load + Signal::constant(0.3));
            let m = Arc::new(Medium::new(mass, damping, stiffness, load.harmonics()));
            let begin = State { x: 0.8, v: -0.5 };
            let arc = LinearArc::new(&m, &load, 0, 2.0, begin, 0.35, 9.0);
            let span = [2.75, 6.5];
            let start = 1.5;
            let r = arc.responses(span[0], span[1]).expect("far from resonance");
            let near = |found: State, f: &dyn Fn(f64) -> f64| {
                let exact = by_quadrature(&m, span, f);
                let apart = (found.x - exact.x).abs().max((found.v - exact.v).abs());
                assert!(apart < 2e-12, "{mass} {damping} {stiffness}: {found:?} {exact:?}");
            };
            let affine = r.to_affine(start);
            near(affine[0], &|_| 1.0);
            near(affine[1], &|t| t - start);
            let h = load.harmonics()[0];
            let [wave, late] = r.to_wave(&h, start).expect("far from resonance");
            near(State { x: wave[0].re, v: wave[1].re }, &|t| h.angle(t).cos());
            near(State { x: wave[0].im, v: wave[1].im }, &|t| h.angle(t).sin());
            near(State { x: late[0].im, v: late[1].im }, &|t| (t - start) * h.angle(t).sin());
            let [x, v] = r.to_motion(start, &affine).expect("far from resonance");
            near(x, &|t| arc.state(t).x);
            near(v, &|t| arc.state(t).v);
        }
    }

    /// At resonance, with modes that nearly coincide, and over a short part closed forms are not offered.
    #[test]
    fn closed_forms_that_lose_digits_are_not_offered() {
        let arc = |damping: f64, frequency: f64| {
            let load = Arc::new(Signal::harmonic(1.0, frequency, 0.0));
            let m = Arc::new(Medium::new(1.0, damping, 1.0, load.harmonics()));
            LinearArc::new(&m, &load, 0, 0.0, State { x: 1.0, v: 0.0 }, 0.1, 9.0)
        };
        let offered = |arc: &LinearArc, to: f64| {
            let r = arc.responses(0.0, to)?;
            r.to_motion(0.0, &r.to_affine(0.0))
        };
        assert!(offered(&arc(0.1, 2.0), 5.0).is_some());
        assert!(offered(&arc(0.1, 2.0), 0.4).is_none());
        assert!(offered(&arc(0.1, 1.08), 5.0).is_none());
        assert!(offered(&arc(1.99, 2.0), 5.0).is_none());
    }
}
