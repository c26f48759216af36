//! Reading a signal forwards in time.

use super::{Harmonic, Knot, Signal, Term, Terms};

/// Reads a signal at the times that a scheme asks for. A [`Cursor`] does it quickly and forwards only, a `&Signal` at any
/// time; the bits are the same, so that a step is the same whoever takes it.
pub(crate) trait Read {
    /// `s(t)`; at a jump the value from the right.
    fn value(&mut self, t: f64) -> f64;

    /// `s(t)`; at a jump the value from the left.
    fn before(&mut self, t: f64) -> f64;
}

impl<R: Read> Read for &mut R {
    #[inline]
    fn value(&mut self, t: f64) -> f64 {
        (**self).value(t)
    }

    #[inline]
    fn before(&mut self, t: f64) -> f64 {
        (**self).before(t)
    }
}

impl Read for Cursor<'_> {
    #[inline]
    fn value(&mut self, t: f64) -> f64 {
        Cursor::value(self, t)
    }

    #[inline]
    fn before(&mut self, t: f64) -> f64 {
        Cursor::before(self, t)
    }
}

impl Read for &Signal {
    #[inline]
    fn value(&mut self, t: f64) -> f64 {
        Signal::value(self, t)
    }

    #[inline]
    fn before(&mut self, t: f64) -> f64 {
        self.value_before(t)
    }
}

/// A reader for times that never go back: finds its piece in O(1) amortised.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    knots: &'a [Knot],
    pub(super) harmonics: &'a [Harmonic],
    pub(super) functions: &'a [Term],
    piece: Knot,
    /// Index and time of the next knot (+∞ when there is none).
    next: usize,
    until: f64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(signal: &'a Signal) -> Self {
        Self::on_piece(signal, 0)
    }

    /// On affine piece number `piece`.
    pub(super) fn on_piece(signal: &'a Signal, piece: usize) -> Self {
        let next = piece + 1;
        let until = signal.parts.knots.get(next).map_or(f64::INFINITY, |k| k.time);
        Self {
            knots: &signal.parts.knots,
            harmonics: &signal.parts.harmonics,
            functions: &signal.parts.functions,
            piece: signal.parts.knots[piece],
            next,
            until,
        }
    }

    /// The affine piece that holds at `t`.
    #[inline]
    pub fn piece(&mut self, t: f64) -> Knot {
        while self.until <= t {
            self.piece = self.knots[self.next];
            self.next += 1;
            self.until = self.knots.get(self.next).map_or(f64::INFINITY, |k| k.time);
        }
        self.piece
    }

    /// End of the piece read last, s (+∞ for the last one).
    #[inline]
    pub fn until(&self) -> f64 {
        self.until
    }

    /// `s(t)`, the same bits as [`Signal::value`].
    #[inline]
    pub fn value(&mut self, t: f64) -> f64 {
        let affine = self.piece(t).at(t);
        match (self.harmonics, self.functions) {
            ([], []) => affine,
            (hs, []) => affine + hs.iter().map(|h| h.value(t)).sum::<f64>(),
            (hs, _) => affine + hs.iter().map(|h| h.value(t)).sum::<f64>() + self.functions(t),
        }
    }

    /// `s(t)`; at a jump the value from the left. Times never go back here either, but
    /// [`value`](Self::value) may be read at the same time afterwards.
    #[inline]
    pub fn before(&mut self, t: f64) -> f64 {
        while self.until < t {
            self.piece = self.knots[self.next];
            self.next += 1;
            self.until = self.knots.get(self.next).map_or(f64::INFINITY, |k| k.time);
        }
        let plain = self.piece.at(t) + self.harmonics.iter().map(|h| h.value(t)).sum::<f64>();
        if self.functions.is_empty() { plain } else { plain + self.functions(t) }
    }

    /// The user's functions at `t`, on the piece read last.
    #[cold]
    fn functions(&self, t: f64) -> f64 {
        let from = if self.next == 1 { f64::NEG_INFINITY } else { self.piece.time };
        Terms { terms: self.functions, from, until: self.until }.value(t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_same_as_random_access() {
        let times: Vec<f64> = (0..50).map(|i| 0.1 * i as f64 + 0.03 * (i % 3) as f64).collect();
        let values: Vec<f64> = times.iter().map(|t| (3.0 * t).sin()).collect();
        let s = Signal::sampled(&times, &values).unwrap() + Signal::harmonic(0.3, 2.0, 0.1);
        let mut c = s.cursor();
        for i in 0..2000 {
            let t = 0.0025 * i as f64;
            assert_eq!(c.value(t), s.value(t));
        }
    }

    #[test]
    fn a_jump_has_two_values() {
        let s = Signal::step(1.0, 2.0, 5.0) + Signal::harmonic(0.3, 2.0, 0.1);
        let mut c = s.cursor();
        let wave = |t: f64| 0.3 * (2.0 * t + 0.1).cos();
        assert!((c.before(0.5) - 2.0 - wave(0.5)).abs() < 1e-15);
        assert!((c.before(1.0) - 2.0 - wave(1.0)).abs() < 1e-15);
        assert!((c.value(1.0) - 5.0 - wave(1.0)).abs() < 1e-15);
        assert!((c.before(1.5) - 5.0 - wave(1.5)).abs() < 1e-15);
    }
}
