//! Functions of time: drives, forces.
//!
//! Every deterministic signal here is **piecewise affine plus finitely many harmonics**,
//!
//! ```text
//! s(t) = aᵢ + rᵢ (t − tᵢ) + Σₖ Aₖ cos(ωₖ t + φₖ),      tᵢ ≤ t < tᵢ₊₁
//! ```
//!
//! a class that is closed under sums and multiples and in which a linear oscillator has a
//! closed-form motion. So one type serves all: constants, ramps, steps, harmonics and sampled
//! series are its constructors, `+` and `*` its sums. A user's function ([`Signal::function`]) can be one of
//! the terms; then the schemes that need closed forms refuse the signal.

mod calculus;
mod canonical;
mod cursor;
pub(crate) mod equidistant;
mod function;
mod harmonic;
mod integral;
pub mod noise;
mod piece;
mod rate;
mod sampled;
mod shapes;
mod sum;

#[doc(hidden)]
pub use cursor::Cursor;
pub(crate) use cursor::Read;
#[doc(hidden)]
pub use function::Bounds;
pub(crate) use function::{Term, Terms};
pub use harmonic::Harmonic;
#[doc(hidden)]
pub use integral::Integral;
#[doc(hidden)]
pub use piece::Piece;
pub(crate) use rate::SignalRate;
#[doc(hidden)]
pub use shapes::MOST_TRAPEZOIDS;
pub use shapes::{Chirp, Sweep, Trapezoid};

use crate::error::{Error, require};
use std::sync::{Arc, LazyLock};

/// An affine piece: `value + rate·(t − time)` from `time` until the next knot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knot {
    /// Start of the piece, s.
    pub time: f64,
    /// Value there.
    pub value: f64,
    /// Slope, per second.
    pub rate: f64,
}

impl Knot {
    /// The affine piece, continued to any `t`.
    #[inline]
    pub fn at(&self, t: f64) -> f64 {
        self.value + self.rate * (t - self.time)
    }
}

/// A function of time: piecewise affine (jumps allowed) plus harmonics.
///
/// ```
/// use stickslip::Signal;
/// let d = Signal::ramp(0.1, 0.0) + Signal::harmonic(6.0, 0.5, 0.0);
/// assert_eq!(d.value(0.0), 6.0);
/// ```
#[derive(Debug)]
pub struct Signal {
    /// Shared by copies: a measured load may have a million knots, and a network two zero signals for every node.
    parts: Arc<Parts>,
}

/// What a signal is made of.
#[derive(Debug, Clone)]
struct Parts {
    /// Never empty, times increasing; the first piece reaches back to −∞.
    knots: Vec<Knot>,
    harmonics: Vec<Harmonic>,
    /// Users' functions.
    functions: Vec<Term>,
    /// Where a sampled part is defined, s; (−∞, ∞) without one.
    domain: (f64, f64),
    /// Whether every number is finite: found once, when the signal is made.
    finite: bool,
    /// The largest affine value of any signal that this one was made of: its rounding is ε times this.
    size: f64,
}

/// Up to so many knots are copied where that costs no allocation, and searched without a guess.
const FEW: usize = 16;

impl Clone for Signal {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone() }
    }

    /// Reuses the room that there is: loads that change at every step of another program cost no allocation.
    fn clone_from(&mut self, source: &Self) {
        let of = &*source.parts;
        match Arc::get_mut(&mut self.parts) {
            Some(own) if of.knots.len() <= FEW => {
                own.knots.clone_from(&of.knots);
                own.harmonics.clone_from(&of.harmonics);
                own.functions.clone_from(&of.functions);
                (own.domain, own.finite, own.size) = (of.domain, of.finite, of.size);
            }
            _ => self.parts = source.parts.clone(),
        }
    }
}

impl PartialEq for Signal {
    /// Equal are the functions, however they were made.
    fn eq(&self, other: &Self) -> bool {
        let a = &*self.parts;
        let b = &*other.parts;
        std::ptr::eq(a, b)
            || a.knots == b.knots
                && a.harmonics == b.harmonics
                && a.functions == b.functions
                && a.domain == b.domain
    }
}

impl Default for Signal {
    /// The zero signal.
    fn default() -> Self {
        static ZERO: LazyLock<Signal> = LazyLock::new(|| Signal::constant(0.0));
        ZERO.clone()
    }
}

impl Signal {
    /// `s(t) = value`.
    pub fn constant(value: f64) -> Self {
        Self::ramp(0.0, value)
    }

    /// `s(t) = offset + rate·t`.
    pub fn ramp(rate: f64, offset: f64) -> Self {
        Self::affine(vec![Knot { time: 0.0, value: offset, rate }])
    }

    /// `before` for t < `time`, `after` from `time` on. The jump is a breakpoint.
    pub fn step(time: f64, before: f64, after: f64) -> Self {
        let start = if time > 0.0 { 0.0 } else { time - 1.0 };
        Self::affine(vec![
            Knot { time: start, value: before, rate: 0.0 },
            Knot { time, value: after, rate: 0.0 },
        ])
    }

    fn affine(knots: Vec<Knot>) -> Self {
        Self::new(knots, Vec::new(), (f64::NEG_INFINITY, f64::INFINITY))
    }

    fn new(knots: Vec<Knot>, harmonics: Vec<Harmonic>, domain: (f64, f64)) -> Self {
        let size = largest(&knots);
        let functions = Vec::new();
        let mut parts = Parts { knots, harmonics, functions, domain, finite: true, size };
        parts.finite = parts.first_not_finite().is_none();
        Self { parts: Arc::new(parts) }
    }

    /// Its parts, to be changed: copied where others share them.
    fn parts_mut(&mut self) -> &mut Parts {
        Arc::make_mut(&mut self.parts)
    }

    /// Changes the affine part of every piece: its knot's time stays.
    pub(crate) fn bend_pieces(&mut self, mut by: impl FnMut(&mut Knot)) {
        let parts = self.parts_mut();
        parts.knots.iter_mut().for_each(&mut by);
        parts.size = largest(&parts.knots);
    }

    /// Room for parts that take the place of those there are, which are not copied where others share them.
    fn parts_to_fill(&mut self) -> &mut Parts {
        if Arc::get_mut(&mut self.parts).is_none() {
            *self = Self::constant(0.0);
        }
        self.parts_mut()
    }

    /// The affine pieces, in order of time.
    pub fn knots(&self) -> &[Knot] {
        &self.parts.knots
    }

    /// The harmonic parts.
    pub fn harmonics(&self) -> &[Harmonic] {
        &self.parts.harmonics
    }

    /// Whether its functions, chirps among them, are those of another signal.
    pub(crate) fn shares_functions(&self, other: &Self) -> bool {
        self.parts.functions == other.parts.functions
    }

    /// Whether it is zero for all times.
    pub fn is_zero(&self) -> bool {
        self.parts.harmonics.is_empty()
            && self.parts.functions.is_empty()
            && self.parts.knots.iter().all(|k| k.value == 0.0 && k.rate == 0.0)
    }

    /// Its value, if it is the same at all times.
    pub fn as_constant(&self) -> Option<f64> {
        let first = self.parts.knots[0].value;
        let same = self.parts.knots.iter().all(|k| k.value == first && k.rate == 0.0);
        (same && self.parts.harmonics.is_empty() && self.parts.functions.is_empty())
            .then_some(first)
    }

    /// Where the signal is defined, s: the range of its samples, or everything.
    pub fn domain(&self) -> (f64, f64) {
        self.parts.domain
    }

    /// The smooth function that the signal is from `t` (s) to its next breakpoint, continued over all times, with
    /// `value` + `rate`·(s − t) added to it.
    ///
    /// ```
    /// use stickslip::Signal;
    /// let s = Signal::step(1.0, 2.0, 5.0).smooth_from(0.5, [10.0, 4.0]);
    /// assert_eq!((s.value(0.5), s.value(1.5)), (12.0, 16.0));
    /// ```
    #[must_use]
    pub fn smooth_from(&self, t: f64, add: [f64; 2]) -> Self {
        let mut smooth = Self::default();
        smooth.set_smooth_from(self, t, add);
        smooth
    }

    /// The same in place of this signal, without an allocation where nobody shares it.
    pub(crate) fn set_smooth_from(&mut self, of: &Self, t: f64, [value, rate]: [f64; 2]) {
        let of = (&*of.parts, of.parts.knots[of.piece(t)]);
        let knot = Knot { time: t, value: of.1.at(t) + value, rate: of.1.rate + rate };
        let parts = self.parts_to_fill();
        parts.set_one_knot(knot);
        parts.harmonics.clone_from(&of.0.harmonics);
        parts.functions.clone_from(&of.0.functions);
        parts.domain = (f64::NEG_INFINITY, f64::INFINITY);
        parts.size = knot.value.abs();
        parts.finite = parts.first_not_finite().is_none();
    }

    /// The same function on [`from`, `to`] (s), with its time counted from `from`; `None` where it holds users'
    /// functions.
    ///
    /// ```
    /// use stickslip::Signal;
    /// let s = Signal::step(1.0, 2.0, 5.0) + Signal::ramp(1.0, 0.0);
    /// let later = s.window(0.5, 3.0).unwrap();
    /// assert_eq!([0.0, 0.25, 0.5, 1.0].map(|t| later.value(t)), [2.5, 2.75, 6.0, 6.5]);
    /// ```
    #[must_use]
    pub fn window(&self, from: f64, to: f64) -> Option<Self> {
        if !self.parts.functions.is_empty() {
            return None;
        }
        let knots = &self.parts.knots[self.piece(from)..=self.piece(to).max(self.piece(from))];
        let knots = knots.iter().map(|k| Knot { time: k.time - from, ..*k }).collect();
        let later = |h: &Harmonic| Harmonic { phase: h.phase + h.angular_frequency * from, ..*h };
        let harmonics = self.parts.harmonics.iter().map(later).collect();
        Some(Self::new(knots, harmonics, (self.parts.domain.0 - from, self.parts.domain.1 - from)))
    }

    /// Index in [`Signal::knots`] of the affine piece that holds at `t` (from its knot on, to the right).
    pub fn piece(&self, t: f64) -> usize {
        let knots = &self.parts.knots;
        let last = knots.len() - 1;
        if knots.len() > FEW {
            // Rows of a log are nearly equidistant: the piece in proportion to the time is the one, or next to it.
            let [start, end] = [knots[0].time, knots[last].time];
            let near = (((t - start) / (end - start) * last as f64) as usize).min(last);
            let holds = |i: &usize| {
                knots[*i].time <= t && knots.get(i + 1).is_none_or(|next| t < next.time)
            };
            let found =
                [near, near.saturating_sub(1), (near + 1).min(last)].into_iter().find(holds);
            if let Some(i) = found {
                return i;
            }
        }
        knots.partition_point(|k| k.time <= t).saturating_sub(1)
    }

    /// `s(t)`; at a jump the value from the right.
    pub fn value(&self, t: f64) -> f64 {
        let plain = self.parts.knots[self.piece(t)].at(t)
            + self.parts.harmonics.iter().map(|h| h.value(t)).sum::<f64>();
        if self.parts.functions.is_empty() { plain } else { plain + self.terms(t).value(t) }
    }

    /// `s(t)`; at a jump the value from the left, with the bits of [`Cursor::before`].
    pub(crate) fn value_before(&self, t: f64) -> f64 {
        let piece = self.piece(t);
        let at_its_start = self.parts.knots[piece].time >= t;
        Cursor::on_piece(self, piece.saturating_sub(usize::from(at_its_start))).before(t)
    }

    /// `s′(t)`; at a breakpoint the derivative from the right.
    pub fn derivative(&self, t: f64) -> f64 {
        let plain = self.parts.knots[self.piece(t)].rate
            + self.parts.harmonics.iter().map(|h| h.derivative(t)).sum::<f64>();
        if self.parts.functions.is_empty() {
            return plain;
        }
        let mut d = [0.0; 4];
        self.terms(t).add_to(t, &mut d);
        plain + d[1]
    }

    /// The user's functions on the piece that holds at `t`.
    fn terms(&self, t: f64) -> Terms<'_> {
        self.terms_of(self.piece(t))
    }

    /// The same on the piece of knot number `i`.
    fn terms_of(&self, i: usize) -> Terms<'_> {
        if self.parts.functions.is_empty() {
            return Terms::NONE;
        }
        let from = if i == 0 { f64::NEG_INFINITY } else { self.parts.knots[i].time };
        let until = self.parts.knots.get(i + 1).map_or(f64::INFINITY, |k| k.time);
        Terms { terms: &self.parts.functions, from, until }
    }

    /// Times inside (from, to) at which the signal is not smooth, in order.
    pub fn breakpoints(&self, from: f64, to: f64) -> impl Iterator<Item = f64> + '_ {
        self.parts.knots[1..].iter().map(|k| k.time).filter(move |&t| from < t && t < to)
    }

    /// A bound on the `order`-th derivative (order ≥ 2) inside every piece: Σ |A| |ω|^order, and what users say
    /// of their functions, up to order 3.
    pub fn derivative_bound(&self, order: i32) -> f64 {
        let waves: f64 = self
            .parts
            .harmonics
            .iter()
            .map(|h| h.amplitude.abs() * h.angular_frequency.powi(order))
            .sum();
        waves + self.parts.functions.iter().map(|f| f.bound(order)).sum::<f64>()
    }

    /// A reader for times that never go back: O(1) amortised.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self)
    }

    /// The same for times from `t` (s) on, without a walk over what is before.
    pub(crate) fn cursor_from(&self, t: f64) -> Cursor<'_> {
        Cursor::on_piece(self, self.piece(t))
    }

    /// Checks that every number is finite.
    pub fn check(&self, what: &'static str) -> Result<(), Error> {
        match self.parts.finite {
            true => Ok(()),
            false => {
                let found = self.parts.first_not_finite().unwrap_or(f64::NAN);
                require(what, found, false, "finite numbers in every signal")
            }
        }
    }

    /// Checks that the signal is defined on [from, to] (s).
    pub fn require_domain(&self, what: &'static str, from: f64, to: f64) -> Result<(), Error> {
        let slack = 1e-9 * (to - from).abs();
        if self.parts.domain.0 <= from + slack && to <= self.parts.domain.1 + slack {
            return Ok(());
        }
        let (first, last) = self.parts.domain;
        Err(Error::SignalTooShort { what, from: first, to: last, needed_from: from, needed_to: to })
    }
}

/// The largest magnitude of the affine pieces.
fn largest(knots: &[Knot]) -> f64 {
    let pieces = knots.windows(2).map(|k| k[0].at(k[1].time).abs());
    knots.iter().map(|k| k.value.abs()).chain(pieces).fold(0.0, f64::max)
}

impl Parts {
    fn first_not_finite(&self) -> Option<f64> {
        let bad = |v: &f64| !v.is_finite();
        let affine =
            self.knots.iter().find_map(|k| [k.time, k.value, k.rate].into_iter().find(bad));
        let wave = |h: &Harmonic| [h.amplitude, h.angular_frequency, h.phase].into_iter().find(bad);
        affine.or_else(|| self.harmonics.iter().find_map(wave))
    }

    /// One piece instead of those there are.
    fn set_one_knot(&mut self, knot: Knot) {
        self.knots.clear();
        self.knots.push(knot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_takes_its_right_value_at_the_jump() {
        for time in [-2.0, 0.0, 3.0] {
            let s = Signal::step(time, 1.0, 5.0);
            assert_eq!(s.value(time - 1e-9), 1.0);
            assert_eq!(s.value(time), 5.0);
            assert_eq!(s.breakpoints(-10.0, 10.0).collect::<Vec<_>>(), [time]);
        }
    }

    #[test]
    fn the_piece_is_the_last_that_has_begun() {
        let equidistant = |i: usize| 0.001 * i as f64;
        let jittering = |i: usize| 0.1 * i as f64 + 0.04 * (i % 3) as f64;
        let with_a_gap = |i: usize| i as f64 + if i > 20 { 1e4 } else { 0.0 };
        let ever_faster = |i: usize| (i as f64).sqrt() - 3.0;
        let clocks: [&dyn Fn(usize) -> f64; 4] =
            [&equidistant, &jittering, &with_a_gap, &ever_faster];
        for clock in clocks {
            let times: Vec<f64> = (0..60).map(clock).collect();
            let values: Vec<f64> = (0..60).map(|i| f64::from(i % 2)).collect();
            let s = Signal::sampled(&times, &values).unwrap();
            let begun = |t: f64| s.knots().iter().filter(|k| k.time <= t).count();
            let between = times.windows(2).map(|w| 0.5 * (w[0] + w[1]));
            let far = [f64::NEG_INFINITY, -1e9, 1e9, f64::INFINITY, f64::NAN];
            for t in times.iter().copied().chain(between).chain(far) {
                for t in [t.next_down(), t, t.next_up()] {
                    assert_eq!(s.piece(t), begun(t).saturating_sub(1), "at {t}");
                }
            }
        }
    }

    #[test]
    fn not_finite_is_found() {
        assert!(Signal::ramp(f64::NAN, 0.0).check("drive").is_err());
        assert!(Signal::harmonic(1.0, f64::INFINITY, 0.0).check("drive").is_err());
        assert!(Signal::harmonic(1.0, 2.0, 0.0).check("drive").is_ok());
    }

    #[test]
    fn derivative_bounds_hold() {
        let s = Signal::harmonic(2.0, 3.0, 0.4)
            + Signal::harmonic(-0.5, 7.0, 1.0)
            + Signal::ramp(4.0, 1.0);
        let h = 1e-4;
        let bound = s.derivative_bound(2);
        for i in 0..1000 {
            let t = 0.01 * i as f64;
            let second = (s.derivative(t + h) - s.derivative(t - h)) / (2.0 * h);
            assert!(second.abs() <= bound * 1.0001);
            let first = (s.value(t + h) - s.value(t - h)) / (2.0 * h);
            assert!((first - s.derivative(t)).abs() < 1e-4);
        }
    }
}
