//! Long arrays in pieces, on as many cores as there are.

use std::ops::Range;

/// Numbers from which a piece is cut in two: at about a nanosecond a number, what a second core saves is
/// then several times what it costs to wake it.
const LARGE: usize = 1 << 16;

/// What can be cut in two: an array that is written, two of one length, or a range of indices.
pub(crate) trait Cut: Sized + Send {
    /// Its entries.
    fn entries(&self) -> usize;

    /// Bytes; eight for an index.
    fn size(&self) -> usize;

    /// The first `at` entries and the others.
    fn cut(self, at: usize) -> (Self, Self);
}

impl<T: Send> Cut for &mut [T] {
    fn entries(&self) -> usize {
        self.len()
    }

    fn size(&self) -> usize {
        size_of_val(*self)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn entries(&self) -> usize {
        self.0.entries()
    }

    fn size(&self) -> usize {
        self.0.size() + self.1.size()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let (a, c) = self.0.cut(at);
        let (b, d) = self.1.cut(at);
        ((a, b), (c, d))
    }
}

impl Cut for Range<usize> {
    fn entries(&self) -> usize {
        self.len()
    }

    fn size(&self) -> usize {
        self.len() * size_of::<f64>()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let middle = self.start + at;
        (self.start..middle, middle..self.end)
    }
}

/// Cuts `out` in halves, and these again, as long as they hold so much; `work` gets each piece with the index
/// of its first entry, `join` the results of two neighbours. The pieces and the order in which results
/// are joined depend on the length alone, and so do the bits.
#[inline]
pub(crate) fn pieces<C: Cut, R: Send>(
    first: usize,
    out: C,
    work: &(impl Fn(usize, C) -> R + Sync),
    join: &(impl Fn(R, R) -> R + Sync),
) -> R {
    // Most arrays are short. This test is inlined, and the recursion, which cannot be, stays out of their way.
    if is_one_piece(&out) { work(first, out) } else { halves(first, out, work, join) }
}

/// Whether `out` is too short to be cut.
#[inline(always)]
pub(crate) fn is_one_piece(out: &impl Cut) -> bool {
    out.size() < LARGE * size_of::<f64>()
}

fn halves<C: Cut, R: Send>(
    first: usize,
    out: C,
    work: &(impl Fn(usize, C) -> R + Sync),
    join: &(impl Fn(R, R) -> R + Sync),
) -> R {
    if is_one_piece(&out) {
        return work(first, out);
    }
    let middle = out.entries() / 2;
    let (a, b) = out.cut(middle);
    let rest = first + middle;
    let (a, b) = both(|| halves(first, a, work, join), || halves(rest, b, work, join));
    join(a, b)
}

/// The same where each piece has no result.
#[inline]
pub(crate) fn in_pieces<C: Cut>(out: C, work: &(impl Fn(usize, C) + Sync)) {
    pieces(0, out, work, &|(), ()| ());
}

/// The part of `all` from the first to the last index that `found` tells; all of a short range.
#[inline]
pub(crate) fn span(all: Range<usize>, found: &(impl Fn(usize) -> bool + Sync)) -> Range<usize> {
    // To look through a short range costs as much as to work on all of it.
    if is_one_piece(&all) {
        return all;
    }
    let look = |_, piece: Range<usize>| {
        let from = piece.clone().find(|i| found(*i))?;
        Some(from..piece.rev().find(|i| found(*i)).map_or(from, |i| i + 1))
    };
    let join = |a: Option<Range<usize>>, b: Option<Range<usize>>| match (a, b) {
        (Some(a), Some(b)) => Some(a.start..b.end),
        (a, b) => a.or(b),
    };
    pieces(0, all, &look, &join).unwrap_or(0..0)
}

/// The larger of two; NaN if one of them is.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    // `f64::max` drops a NaN, and a residual that is not a number must not pass for a small one.
    if b > a || b.is_nan() { b } else { a }
}

#[cfg(feature = "parallel")]
use crate::threads::join as both;

#[cfg(not(feature = "parallel"))]
fn both<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    // The same halves and the same joins as with threads, hence the same bits.
    (a(), b())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_met_once_and_results_come_in_order() {
        for n in [0, 1, LARGE - 1, LARGE, LARGE + 1, 5 * LARGE + 3] {
            let mut out = vec![0usize; n];
            let mut bytes = vec![0u8; n];
            let parts = pieces(
                7,
                ((&mut out[..], &mut bytes[..]), 100..100 + n),
                &|first, ((piece, bytes), range): ((&mut [usize], &mut [u8]), Range<usize>)| {
                    piece.iter_mut().enumerate().for_each(|(k, x)| *x += first + k);
                    bytes.iter_mut().for_each(|b| *b += 1);
                    assert!(range.start == 93 + first && range.len() == piece.len());
                    vec![(first, piece.len())]
                },
                &|mut a, b| {
                    a.extend(b);
                    a
                },
            );
            assert!(out.iter().enumerate().all(|(i, x)| *x == 7 + i));
            assert!(bytes.iter().all(|b| *b == 1));
            let mut next = 7;
            for (first, length) in parts {
                assert_eq!(first, next);
                assert!(length < LARGE);
                next += length;
            }
            assert_eq!(next, 7 + n);
        }
    }
}
