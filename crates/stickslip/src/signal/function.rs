//! Functions of time that users write.

use super::{Knot, Signal};
use crate::error::{Error, Obstacle};
use crate::numeric::GAUSS;
use std::fmt;
use std::sync::Arc;

/// Bounds on the derivatives of a user's function between its breakpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// On |s′|.
    pub first: f64,
    /// On |s″|.
    pub second: f64,
    /// On |s‴|.
    pub third: f64,
}

/// A user's function, its breakpoints and bounds.
pub(crate) struct Function {
    name: String,
    value: Box<dyn Fn(f64) -> f64 + Send + Sync>,
    /// s′ and s″, if they are known.
    derivatives: Option<Box<Derivatives>>,
    bounds: Bounds,
    /// Whether the name holds all its numbers: then equal names are equal functions.
    named: bool,
}

type Derivatives = dyn Fn(f64) -> [f64; 2] + Send + Sync;

/// A multiple of a user's function.
#[derive(Clone)]
pub(crate) struct Term {
    pub factor: f64,
    function: Arc<Function>,
}

impl Signal {
    /// A function of time of your own, `f`: s ↦ value. It is smooth but for the `breakpoints` (s, increasing),
    /// where it may have jumps and kinks and gives the value on their right; `bounds` are on its derivatives
    /// in between. `name` stands for it in messages and wherever problems are compared.
    ///
    /// The adaptive scheme and the stepping schemes take it. Schemes with closed forms (exact, quasi-static)
    /// refuse it: they know constants, ramps, steps, samples and harmonics. The motion of a support is
    /// differentiated; see [`function_with_derivatives`](Self::function_with_derivatives).
    ///
    /// # Errors
    /// [`Error::BadFunction`] if the name is empty, the breakpoints do not increase or the bounds are no finite
    /// numbers ≥ 0.
    ///
    /// ```
    /// use stickslip::scheme::oscillator::adaptive::{self, Options};
    /// use stickslip::signal::Bounds;
    /// use stickslip::{Law, Oscillator, Signal};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// // a pull that grows with t² for two seconds, then is let go at once
    /// let pull = |t: f64| if t < 2.0 { t * t } else { 0.0 };
    /// let bounds = Bounds { first: 4.0, second: 2.0, third: 0.0 };
    /// let o = Oscillator::new(1.0, 0.0, Law::coulomb(1.0)?)
    ///     .with_force(Signal::function("pull", pull, &[2.0], bounds)?);
    /// let path = adaptive::solve(&o, 3.0, Options::default())?;
    /// // it slips from t = 1 on, with v = (t³ − 1)/3 − (t − 1)
    /// assert!((path.events()[0].time - 1.0).abs() < 1e-12);
    /// assert!((path.state(2.0).v - 4.0 / 3.0).abs() < 1e-8);
    /// # Ok(()) }
    /// ```
    pub fn function(
        name: impl Into<String>,
        f: impl Fn(f64) -> f64 + Send + Sync + 'static,
        breakpoints: &[f64],
        bounds: Bounds,
    ) -> Result<Self, Error> {
        Self::of_function(name.into(), Box::new(f), None, breakpoints, bounds)
    }

    /// The same where s′ and s″ are known: `f` gives [s, s′, s″]. Without them they are found by differences,
    /// to some ten digits.
    ///
    /// # Errors
    /// As [`function`](Self::function).
    ///
    /// ```
    /// use stickslip::Signal;
    /// use stickslip::signal::Bounds;
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let bounds = Bounds { first: 1.0, second: 1.0, third: 1.0 };
    /// let sine = |t: f64| [t.sin(), t.cos(), -t.sin()];
    /// let s = Signal::function_with_derivatives("sine", sine, &[], bounds)?;
    /// assert_eq!((s.value(2.0), s.derivative(2.0)), (2f64.sin(), 2f64.cos()));
    /// # Ok(()) }
    /// ```
    pub fn function_with_derivatives(
        name: impl Into<String>,
        f: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static,
        breakpoints: &[f64],
        bounds: Bounds,
    ) -> Result<Self, Error> {
        let f = Arc::new(f);
        let of = f.clone();
        let derivatives = move |t: f64| {
            let [_, first, second] = of(t);
            [first, second]
        };
        let value = move |t: f64| f(t)[0];
        Self::of_function(
            name.into(),
            Box::new(value),
            Some(Box::new(derivatives)),
            breakpoints,
            bounds,
        )
    }

    /// The same of a function of the library's own, whose name holds all its numbers.
    pub(super) fn named(
        name: String,
        value: Box<dyn Fn(f64) -> f64 + Send + Sync>,
        derivatives: Box<Derivatives>,
        breakpoints: &[f64],
        bounds: Bounds,
    ) -> Result<Self, Error> {
        let mut s = Self::of_function(name, value, Some(derivatives), breakpoints, bounds)?;
        for term in &mut s.parts_mut().functions {
            if let Some(function) = Arc::get_mut(&mut term.function) {
                function.named = true;
            }
        }
        Ok(s)
    }

    fn of_function(
        name: String,
        value: Box<dyn Fn(f64) -> f64 + Send + Sync>,
        derivatives: Option<Box<Derivatives>>,
        breakpoints: &[f64],
        bounds: Bounds,
    ) -> Result<Self, Error> {
        let bad =
            |reason: &str| Err(Error::BadFunction { name: name.clone(), reason: reason.into() });
        if name.is_empty() {
            return bad("it has no name; give it one, for results are compared by it");
        }
        let finite = breakpoints.iter().all(|t| t.is_finite());
        if !finite || breakpoints.windows(2).any(|w| w[0] >= w[1]) {
            return bad(
                "its breakpoints are not finite or do not increase; expected increasing times, s",
            );
        }
        let Bounds { first, second, third } = bounds;
        if ![first, second, third].into_iter().all(|b| b.is_finite() && b >= 0.0) {
            return bad("a bound on its derivatives is no finite number ≥ 0");
        }
        let knot = |time: f64| Knot { time, value: 0.0, rate: 0.0 };
        let start = breakpoints.first().map_or(0.0, |t| t - 1.0);
        let knots = std::iter::once(start).chain(breakpoints.iter().copied()).map(knot).collect();
        let function = Arc::new(Function { name, value, derivatives, bounds, named: false });
        let mut s = Self::affine(knots);
        s.parts_mut().functions.push(Term { factor: 1.0, function });
        Ok(s)
    }

    /// Whether some user's function is in it.
    pub(crate) fn has_functions(&self) -> bool {
        !self.parts.functions.is_empty()
    }

    /// The fastest rate on which the signal varies inside its pieces, rad/s.
    pub(crate) fn fastest(&self) -> f64 {
        let waves = self.parts.harmonics.iter().map(|h| h.angular_frequency);
        let functions = self.parts.functions.iter().map(|f| 1.0 / f.pace());
        waves.chain(functions).fold(0.0, f64::max)
    }

    /// The names of the user's functions in the signal.
    pub fn user_functions(&self) -> Vec<String> {
        self.parts.functions.iter().map(|f| f.function.name.clone()).collect()
    }

    /// Refuses a user's function where `scheme` needs closed forms.
    pub(crate) fn require_closed_form(
        &self,
        what: &'static str,
        scheme: &'static str,
    ) -> Result<(), Error> {
        match self.parts.functions.first() {
            None => Ok(()),
            Some(term) => {
                let name = term.function.name.clone();
                let reason = Obstacle::NoClosedForm { what, name };
                Err(Error::Unsuitable { scheme, reason })
            }
        }
    }
}

impl Term {
    /// s(t).
    pub fn value(&self, t: f64) -> f64 {
        self.factor * (self.function.value)(t)
    }

    /// A bound on a derivative, of order 1 to 3; beyond, none is known.
    pub fn bound(&self, order: i32) -> f64 {
        let Bounds { first, second, third } = self.function.bounds;
        let bound = match order {
            1 => first,
            2 => second,
            3 => third,
            _ => f64::INFINITY,
        };
        self.factor.abs() * bound
    }

    /// A bound on s over [0, end], by its slope between samples.
    pub fn largest(&self, end: f64) -> f64 {
        let samples = (0..=1000).map(|i| self.value(end * (f64::from(i) / 1000.0)));
        samples.fold(f64::NEG_INFINITY, f64::max) + 5e-4 * end * self.bound(1)
    }

    /// The same of |s|.
    pub fn largest_magnitude(&self, end: f64) -> f64 {
        self.largest(end).max(Self { factor: -self.factor, ..self.clone() }.largest(end))
    }

    /// s′ and s″ at `t` on a piece [`from`, `until`).
    pub fn derivatives(&self, t: f64, from: f64, until: f64) -> [f64; 2] {
        if let Some(f) = &self.function.derivatives {
            return f(t).map(|d| self.factor * d);
        }
        // Five points: the differences' error is δ⁴ s⁽⁵⁾, their rounding ε s/δ.
        let Bounds { first, second, third } = self.function.bounds;
        let shortest = [(first, second), (second, third)]
            .into_iter()
            .filter(|(a, b)| *a > 0.0 && *b > 0.0)
            .map(|(a, b)| a / b)
            .fold(f64::INFINITY, f64::min);
        let time = if shortest.is_finite() { shortest } else { t.abs().max(1.0) };
        let d = (1e-3 * time).min(0.2 * (until - from)).max(1e-9 * t.abs());
        let centre = t.clamp(from + 2.0 * d, (until - 2.5 * d).max(from + 2.0 * d));
        let s: [f64; 5] = std::array::from_fn(|i| self.value(centre + (i as f64 - 2.0) * d));
        let rate = (s[0] - 8.0 * s[1] + 8.0 * s[3] - s[4]) / (12.0 * d);
        let curve = (-s[0] + 16.0 * s[1] - 30.0 * s[2] + 16.0 * s[3] - s[4]) / (12.0 * d * d);
        [rate + (t - centre) * curve, curve]
    }

    /// The time in which the function changes its course, s.
    fn pace(&self) -> f64 {
        let Bounds { first, second, third } = self.function.bounds;
        let pairs = [(first, second), (second, third)];
        let times = pairs.into_iter().filter(|(_, b)| *b > 0.0).map(|(a, b)| a / b);
        times.filter(|t| *t > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// ∫ s over [`from`, `to`] inside one piece, by Gauss's rule on parts as long as the function's pace.
    pub fn integral(&self, from: f64, to: f64) -> f64 {
        let length = to - from;
        let parts = (length.abs() / self.pace()).ceil().clamp(1.0, 1e6);
        let half = 0.5 * length / parts;
        let part = |i: u32| {
            let middle = from + (2.0 * f64::from(i) + 1.0) * half;
            let pair = |(node, weight): &(f64, f64)| {
                weight * (self.value(middle - half * node) + self.value(middle + half * node))
            };
            half * GAUSS.iter().map(pair).sum::<f64>()
        };
        (0..parts as u32).map(part).sum()
    }

    /// The derivative of the function, as one.
    pub fn differentiated(&self) -> Self {
        let Bounds { second, third, .. } = self.function.bounds;
        let term = Self { factor: 1.0, ..self.clone() };
        let function = Function {
            name: format!("{}′", self.function.name),
            value: Box::new(move |t| term.derivatives(t, f64::NEG_INFINITY, f64::INFINITY)[0]),
            derivatives: None,
            bounds: Bounds { first: second, second: third, third: f64::INFINITY },
            named: self.function.named,
        };
        Self { factor: self.factor, function: Arc::new(function) }
    }
}

impl PartialEq for Term {
    /// The same multiple of the same function.
    fn eq(&self, other: &Self) -> bool {
        let [a, b] = [&self.function, &other.function];
        let same = Arc::ptr_eq(a, b) || (a.named && b.named && a.name == b.name);
        self.factor == other.factor && same
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}·function({:?}, {:?})", self.factor, self.function.name, self.function.bounds)
    }
}

/// The user's functions on one piece of a signal: at its ends they are read inside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub terms: &'a [Term],
    pub from: f64,
    pub until: f64,
}

impl Terms<'_> {
    /// None.
    pub const NONE: Terms<'static> =
        Terms { terms: &[], from: f64::NEG_INFINITY, until: f64::INFINITY };

    /// `t`, moved into the piece.
    fn inside(&self, t: f64) -> f64 {
        t.min(self.until.next_down()).max(self.from)
    }

    /// Their sum.
    #[inline]
    pub fn value(&self, t: f64) -> f64 {
        if self.terms.is_empty() {
            return 0.0;
        }
        let t = self.inside(t);
        self.terms.iter().map(|f| f.value(t)).sum()
    }

    /// Adds value and two derivatives.
    pub fn add_to(&self, t: f64, d: &mut [f64; 4]) {
        let t = self.inside(t);
        for f in self.terms {
            let [first, second] = f.derivatives(t, self.from, self.until);
            d[0] += f.value(t);
            d[1] += first;
            d[2] += second;
        }
    }

    /// A bound on the sum's derivative of order 1 to 3.
    pub fn bound(&self, order: i32) -> f64 {
        self.terms.iter().map(|f| f.bound(order)).sum()
    }

    /// ∫ of the sum over a part of the piece.
    pub fn integral(&self, from: f64, to: f64) -> f64 {
        self.terms.iter().map(|f| f.integral(self.inside(from), self.inside(to))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Integral;

    /// sin as a user's function beside the harmonic: values, derivatives, integrals, sums.
    #[test]
    fn a_function_is_read_like_a_harmonic() {
        let bounds = Bounds { first: 3.0, second: 9.0, third: 27.0 };
        let plain = Signal::function("wave", |t| (3.0 * t).cos(), &[], bounds).unwrap();
        let known = Signal::function_with_derivatives(
            "wave",
            |t| [(3.0 * t).cos(), -3.0 * (3.0 * t).sin(), -9.0 * (3.0 * t).cos()],
            &[],
            bounds,
        )
        .unwrap();
        let want = Signal::harmonic(2.0, 3.0, 0.0) + Signal::ramp(0.3, 1.0);
        for (s, digits) in [(plain, 1e-9), (known, 1e-13)] {
            let s = 2.0 * s + Signal::ramp(0.3, 1.0);
            let mut cursor = s.cursor();
            let integral = Integral::new(s.clone());
            let as_wave = Integral::new(want.clone());
            for i in 0..200 {
                let t = 0.05 * f64::from(i);
                assert!(
                    (s.value(t) - want.value(t)).abs() < 1e-14 && s.value(t) == cursor.value(t)
                );
                assert!((s.derivative(t) - want.derivative(t)).abs() < digits);
                let a = s.piece_at(t).derivatives(t);
                let b = want.piece_at(t).derivatives(t);
                assert!((a[2] - b[2]).abs() < 1e4 * digits, "{} {}", a[2], b[2]);
                assert!((integral.value(t) - as_wave.value(t)).abs() < 1e-13 * (1.0 + t));
            }
            assert!(s.derivative_bound(3) == 54.0 && !s.is_zero() && s.as_constant().is_none());
            assert_eq!(s.user_functions(), ["wave"]);
            assert!(s.require_closed_form("drive", "exact").is_err());
        }
    }

    #[test]
    fn at_a_breakpoint_each_side_has_its_own_value() {
        let bounds = Bounds { first: 0.0, second: 0.0, third: 0.0 };
        let s = Signal::function("switch", |t| if t < 1.0 { 2.0 } else { 5.0 }, &[1.0], bounds)
            .unwrap();
        assert_eq!(s.breakpoints(0.0, 9.0).collect::<Vec<_>>(), [1.0]);
        assert_eq!((s.value(1.0), s.piece_at(0.5).value(1.0)), (5.0, 2.0));
        assert_eq!(s.piece_at(1.0).value(1.0), 5.0);
        let mut cursor = s.cursor();
        assert_eq!((cursor.before(1.0), cursor.value(1.0)), (2.0, 5.0));
        assert!((Integral::new(s.clone()).value(3.0) - 12.0).abs() < 1e-14);
        assert_eq!(s.jumps(), [(1.0, 3.0)]);
    }

    #[test]
    fn bad_functions_are_refused() {
        let bounds = Bounds { first: 0.0, second: 0.0, third: 0.0 };
        assert!(Signal::function("", |_| 0.0, &[], bounds).is_err());
        assert!(Signal::function("f", |_| 0.0, &[1.0, 1.0], bounds).is_err());
        assert!(Signal::function("f", |_| 0.0, &[], Bounds { third: f64::NAN, ..bounds }).is_err());
    }
}
