//! A signal between two breakpoints: affine plus harmonics, so smooth, with known bounds.

use super::{Harmonic, Knot, Signal, Terms};
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::portable;
use crate::roots::{GivenUp, Jet, Root, Touch, first_root};

/// The smooth function that a signal is between two of its breakpoints.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The affine part.
    pub affine: Knot,
    /// The harmonic part.
    pub harmonics: &'a [Harmonic],
    /// Σ |A| ω³, and what users say: a bound on the third derivative.
    pub third_bound: f64,
    /// Users' functions.
    pub(crate) functions: Terms<'a>,
}

impl Signal {
    /// The piece that holds from `t` on.
    pub fn piece_at(&self, t: f64) -> Piece<'_> {
        self.nth_piece(self.piece(t))
    }

    /// The piece of knot number `i`.
    pub(crate) fn nth_piece(&self, i: usize) -> Piece<'_> {
        Piece {
            affine: self.parts.knots[i],
            harmonics: &self.parts.harmonics,
            third_bound: self.derivative_bound(3),
            functions: self.terms_of(i),
        }
    }

    /// A bound on s over [0, end]: the largest affine value plus all amplitudes.
    pub(crate) fn largest(&self, end: f64) -> f64 {
        let waves: f64 = self.parts.harmonics.iter().map(|h| h.amplitude.abs()).sum();
        let first = self.piece(0.0);
        let last = self.piece(end);
        let ends = |i: usize| {
            let k = self.parts.knots[i];
            let until = self.parts.knots.get(i + 1).map_or(end, |next| next.time.min(end));
            k.at(k.time.max(0.0)).max(k.at(until))
        };
        let functions: f64 = self.parts.functions.iter().map(|f| f.largest(end)).sum();
        waves + functions + (first..=last).map(ends).fold(f64::NEG_INFINITY, f64::max)
    }

    /// A bound on |s| over [0, end].
    pub(crate) fn largest_magnitude(&self, end: f64) -> f64 {
        let waves: f64 = self.parts.harmonics.iter().map(|h| h.amplitude.abs()).sum();
        let functions: f64 = self.parts.functions.iter().map(|f| f.largest_magnitude(end)).sum();
        let ends = [0.0, end].map(|t| self.parts.knots[self.piece(t)].at(t).abs());
        waves + functions + self.parts.size.max(ends[0]).max(ends[1])
    }

    /// ∫ |s′| over [0, end], jumps included; at most.
    pub(crate) fn total_variation(&self, end: f64) -> f64 {
        let first = self.piece(0.0);
        let last = self.piece(end);
        let piece = |i: usize| {
            let k = self.parts.knots[i];
            let until = self.parts.knots.get(i + 1).map_or(end, |next| next.time.min(end));
            let jump = self
                .parts
                .knots
                .get(i + 1)
                .filter(|_| i < last)
                .map_or(0.0, |n| n.value - k.at(n.time));
            k.rate.abs() * (until - k.time.max(0.0)) + jump.abs()
        };
        let affine: f64 = (first..=last).map(piece).sum();
        let wave = |h: &Harmonic| h.amplitude.abs() * (2.0 + 0.64 * h.angular_frequency * end);
        let functions: f64 = self.parts.functions.iter().map(|f| f.bound(1) * end).sum();
        affine + functions + self.parts.harmonics.iter().map(wave).sum::<f64>()
    }

    /// The first time in [from, to) at which the signal is negative (beyond rounding), and a value
    /// that shows it; certified.
    ///
    /// # Errors
    /// [`GivenUp`] as that of [`first_root`].
    pub fn first_negative(&self, from: f64, to: f64) -> Result<Option<(f64, f64)>, GivenUp> {
        let mut t = from;
        while t < to {
            let piece = self.piece_at(t);
            let until = self.next_breakpoint(t).min(to);
            let noise = 8.0 * f64::EPSILON * piece.scale(t).max(piece.scale(until));
            let value = |t: f64| piece.derivatives(t)[0];
            if value(t) < -noise {
                return Ok(Some((t, value(t))));
            }
            let root = first_root(t, until, noise, Touch::Exceeds, |t| {
                let d = piece.derivatives(t);
                [Jet {
                    value: d[0],
                    first: d[1],
                    second: d[2],
                    third: 0.0,
                    bound: piece.third_bound,
                    growth: 0.0,
                }]
            })?;
            if let Some(root) = root {
                let after = root.at + 1e-3 * (until - root.at);
                return Ok(Some((root.at, value(after).min(value(root.at)))));
            }
            t = until;
        }
        Ok(None)
    }

    /// Checks that a normal force presses at all times in [from, to), s.
    ///
    /// # Errors
    /// [`Error::NegativeNormalForce`], and [`Error::Stalled`] where it varies too often to be searched.
    pub(crate) fn require_pressing(&self, from: f64, to: f64) -> Result<(), Error> {
        match self.first_negative(from, to) {
            Ok(None) => Ok(()),
            Ok(Some((time, value))) => Err(Error::NegativeNormalForce { time, value }),
            Err(GivenUp) => Err(Interrupt::of_search(from, "the normal force".into())),
        }
    }

    /// The first breakpoint after `t`, s (+∞ when there is none).
    pub fn next_breakpoint(&self, t: f64) -> f64 {
        self.parts.knots.get(self.piece(t) + 1).map_or(f64::INFINITY, |k| k.time)
    }
}

impl Piece<'_> {
    /// s(`to`) − s(`from`), to the digits of the difference and not only to those of its terms.
    pub(crate) fn change(&self, from: f64, to: f64) -> f64 {
        let line = self.affine.rate * (to - from);
        // cos a − cos b = −2 sin((a + b)/2) sin((a − b)/2).
        let wave = |h: &Harmonic| {
            let middle = portable::sin(h.angle(from + 0.5 * (to - from)));
            -2.0 * h.amplitude * middle * portable::sin(0.5 * h.angular_frequency * (to - from))
        };
        let waves: f64 = self.harmonics.iter().map(wave).sum();
        line + waves + (self.functions.value(to) - self.functions.value(from))
    }

    /// `value` at all times.
    pub(crate) fn constant(value: f64) -> Self {
        let affine = Knot { time: 0.0, value, rate: 0.0 };
        Self { affine, harmonics: &[], third_bound: 0.0, functions: Terms::NONE }
    }

    /// The straight line that it is, if it is one.
    #[inline]
    pub(crate) fn line(&self) -> Option<&Knot> {
        (self.harmonics.is_empty() && self.functions.terms.is_empty()).then_some(&self.affine)
    }

    /// s(t), continued beyond the piece.
    #[inline]
    pub fn value(&self, t: f64) -> f64 {
        match self.line() {
            Some(line) => line.at(t),
            None => self.curved(t),
        }
    }

    /// s(t) of a piece that is no straight line.
    fn curved(&self, t: f64) -> f64 {
        let plain = self.affine.at(t) + self.harmonics.iter().map(|h| h.value(t)).sum::<f64>();
        if self.functions.terms.is_empty() { plain } else { plain + self.functions.value(t) }
    }

    /// s, s′, s″, s‴ at `t`.
    #[inline]
    pub fn derivatives(&self, t: f64) -> [f64; 4] {
        let mut d = [self.affine.at(t), self.affine.rate, 0.0, 0.0];
        for h in self.harmonics {
            let w = h.angular_frequency;
            let (sin, cos) = portable::sin_cos(h.angle(t));
            let c = h.amplitude * cos;
            let s = h.amplitude * w * sin;
            d[0] += c;
            d[1] -= s;
            d[2] -= w * w * c;
            d[3] += w * w * s;
        }
        if !self.functions.terms.is_empty() {
            self.functions.add_to(t, &mut d); // their s‴ is only bounded
        }
        d
    }

    /// A bound on the `order`-th derivative, order ≥ 2: Σ |A| ω^order; for order 1 without the affine part.
    pub(crate) fn derivative_bound(&self, order: i32) -> f64 {
        let wave = |h: &Harmonic| h.amplitude.abs() * h.angular_frequency.powi(order);
        self.harmonics.iter().map(wave).sum::<f64>() + self.functions.bound(order)
    }

    /// Whether it is a straight line.
    pub(crate) fn is_affine(&self) -> bool {
        self.harmonics.is_empty() && self.functions.terms.is_empty()
    }

    /// Size of the terms that make s(t): its rounding error is a few ε times this.
    pub fn scale(&self, t: f64) -> f64 {
        let waves = self.harmonics.iter().map(|h| h.amplitude.abs()).sum::<f64>();
        self.affine.at(t).abs() + waves + self.functions.value(t).abs()
    }

    /// The first time in [from, to) at which |s(t) − centre| exceeds `limit`, and the side (±1).
    /// Reaching the limit without exceeding it does not count.
    ///
    /// # Errors
    /// [`GivenUp`] as that of [`first_root`].
    pub fn first_exceedance(
        &self,
        centre: f64,
        limit: f64,
        from: f64,
        to: f64,
    ) -> Result<Option<(f64, f64)>, GivenUp> {
        self.first_exceedance_seen(centre, limit, from, to, |_| {})
    }

    /// The same; `see` is shown what the search looks at: limit ∓ (s − centre), on both sides.
    pub(crate) fn first_exceedance_seen(
        &self,
        centre: f64,
        limit: f64,
        from: f64,
        to: f64,
        mut observe: impl FnMut(&Jet),
    ) -> Result<Option<(f64, f64)>, GivenUp> {
        let size = self.scale(from) + centre.abs() + limit;
        // Waves that cannot come near the limit together are not followed, however many periods they have.
        if self.farthest(centre, from, to) < limit - 1e-6 * size {
            return Ok(None);
        }
        let noise = 8.0 * f64::EPSILON * size;
        // Of users' functions the third derivative is only bounded.
        let (bound, growth) = if self.functions.terms.is_empty() {
            (0.0, self.derivative_bound(4))
        } else {
            (self.third_bound, 0.0)
        };
        let root = if self.harmonics.is_empty() && self.functions.terms.is_empty() {
            self.affine_exceedance(centre, limit, from, to, noise)
        } else {
            first_root(from, to, noise, Touch::Exceeds, |t| {
                let d = self.derivatives(t);
                let b = d[0] - centre;
                let mut side = |sign: f64| {
                    let jet = Jet {
                        value: limit - sign * b,
                        first: -sign * d[1],
                        second: -sign * d[2],
                        third: if bound > 0.0 { 0.0 } else { -sign * d[3] },
                        bound,
                        growth,
                    };
                    observe(&jet);
                    jet
                };
                [side(1.0), side(-1.0)]
            })?
        };
        Ok(root.map(|r| (r.at, if r.which == 0 { 1.0 } else { -1.0 })))
    }

    /// The first time in [from, to) at which sign·s(t) becomes positive. Reaching zero does not count.
    ///
    /// # Errors
    /// [`GivenUp`] as that of [`first_root`].
    pub fn first_positive(&self, sign: f64, from: f64, to: f64) -> Result<Option<f64>, GivenUp> {
        let noise = 8.0 * f64::EPSILON * self.scale(from);
        if self.harmonics.is_empty() && self.functions.terms.is_empty() {
            let Knot { rate, .. } = self.affine;
            let now = sign * self.affine.at(from);
            if sign * rate <= 0.0 {
                return Ok((now > noise).then_some(from));
            }
            let at = from - now / (sign * rate);
            return Ok((at < to).then_some(at.max(from)));
        }
        let root = first_root(from, to, noise, Touch::Passes, |t| {
            let d = self.derivatives(t);
            let jet = |i: usize| -sign * d[i];
            let value = jet(0);
            let first = jet(1);
            let second = jet(2);
            [Jet { value, first, second, third: 0.0, bound: self.third_bound, growth: 0.0 }]
        })?;
        Ok(root.map(|r| r.at))
    }

    /// A bound on |s(t) − centre| in [from, to]: all waves at their crests at once (+∞ with users' functions).
    fn farthest(&self, centre: f64, from: f64, to: f64) -> f64 {
        if !self.functions.terms.is_empty() {
            return f64::INFINITY;
        }
        let [begin, end] = [from, to].map(|t| (self.affine.at(t) - centre).abs());
        begin.max(end) + self.harmonics.iter().map(|h| h.amplitude.abs()).sum::<f64>()
    }

    /// [`first_exceedance`](Self::first_exceedance) of a straight line, without marching.
    fn affine_exceedance(
        &self,
        centre: f64,
        limit: f64,
        from: f64,
        to: f64,
        noise: f64,
    ) -> Option<Root> {
        let Knot { time, value, rate } = self.affine;
        let b = self.affine.at(from) - centre;
        if b.abs() > limit + noise {
            return Some(Root { at: from, which: usize::from(b < 0.0) });
        }
        if rate == 0.0 {
            return None;
        }
        let which = if rate > 0.0 { 0 } else { 1 };
        if limit - b * rate.signum() <= noise {
            return Some(Root { at: from, which });
        }
        // A line is known to the rounding of what it climbs from its knot on. One that is at the limit where it ends has not exceeded
        // it: what comes after says whether it will.
        let known = noise + 4.0 * f64::EPSILON * rate.abs() * (to - time);
        let left = limit - (self.affine.at(to) - centre) * rate.signum();
        if left + known >= 0.0 {
            return None;
        }
        let at = time + (centre + limit.copysign(rate) - value) / rate;
        (at < to).then_some(Root { at: at.max(from), which })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_leaves_its_band_at_the_arccosine() {
        let s = Signal::harmonic(2.0, 0.5, 0.0);
        let (t, side) = s.piece_at(0.0).first_exceedance(2.0, 1.0, 0.0, 10.0).unwrap().unwrap();
        assert!((t - 2.0 * 0.5f64.acos()).abs() < 1e-15 * 4.0 && side == -1.0);
        // touches −2 without exceeding it, then would leave a narrower band
        assert_eq!(s.piece_at(0.0).first_exceedance(0.0, 2.0, 0.0, 100.0), Ok(None));
    }

    /// A shaker of 600 kHz for half a minute: 2·10⁷ periods, of which none is followed.
    #[test]
    fn waves_within_the_band_are_not_followed() {
        let s = Signal::harmonic(0.7, 4e6, 0.0) + Signal::harmonic(0.4, 3e6, 1.0);
        assert_eq!(s.piece_at(0.0).first_exceedance(0.0, 1.2, 0.0, 32.0), Ok(None));
        // With a load that has grown to less than 0.1 they stay below 1.2, too.
        let s = s + Signal::ramp(0.1 / 32.0, 0.0);
        let mut looked_at = 0;
        let see = |_: &Jet| looked_at += 1;
        assert_eq!(s.piece_at(0.0).first_exceedance_seen(0.0, 1.2, 0.0, 31.0, see), Ok(None));
        assert_eq!(looked_at, 0);
    }

    #[test]
    fn a_line_leaves_its_band_in_closed_form() {
        let s = Signal::ramp(-0.25, 1.0);
        assert_eq!(s.piece_at(0.0).first_exceedance(0.5, 1.0, 0.0, 100.0), Ok(Some((6.0, -1.0))));
        assert_eq!(s.piece_at(0.0).first_exceedance(0.5, 1.0, 0.0, 5.0), Ok(None));
        assert_eq!(
            Signal::constant(1.0).piece_at(0.0).first_exceedance(0.0, 1.0, 0.0, 5.0),
            Ok(None)
        );
    }

    /// A search without an answer is not taken for a normal force that is negative.
    #[test]
    fn a_normal_force_that_cannot_be_searched_is_not_said_to_pull() {
        let beyond = Signal::constant(f64::MAX) + Signal::constant(f64::MAX);
        let refused = beyond.require_pressing(2.0, 3.0);
        assert!(matches!(refused, Err(Error::Stalled { time: 2.0, .. })), "{refused:?}");
        let said = refused.unwrap_err().to_string();
        assert!(said.contains("the normal force") && !said.contains("NaN"), "{said}");
        // It presses at all times, but it takes 10⁵ periods to see that.
        let shaken = Signal::constant(1.0) + Signal::harmonic(0.999, 1e6, 0.0);
        assert!(shaken.require_pressing(0.0, 0.6).is_ok());
        let interrupt = Interrupt::new();
        interrupt.request();
        let stopped = interrupt.during(|| shaken.require_pressing(0.0, 0.6));
        assert!(matches!(stopped, Err(Error::Interrupted { time: 0.0 })), "{stopped:?}");
    }

    /// A cos(ωt + φ) changes over a short time dt by −A (ω dt) (sin a + ω dt cos a/2) + O(dt³), a = ωt + φ; the difference of two values has an
    /// error of some 10⁻¹⁶ A.
    #[test]
    fn a_small_change_keeps_its_digits() {
        let wave = Signal::harmonic(2.0, 3.0, 0.4) + Signal::ramp(0.5, 7.0);
        let [t, dt] = [1.5, 2f64.powi(-30)];
        let angle = 3.0 * t + 0.4;
        let turns = 3.0 * dt;
        let want = -2.0 * turns * (angle.sin() + 0.5 * turns * angle.cos()) + 0.5 * dt;
        let piece = wave.piece_at(t);
        assert!((piece.change(t, t + dt) / want - 1.0).abs() < 1e-14);
        assert!((piece.value(t + dt) - piece.value(t) - piece.change(t, t + dt)).abs() < 4e-15);
    }
}
