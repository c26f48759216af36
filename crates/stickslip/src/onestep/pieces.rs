//! Long arrays in pieces, on as many cores as there are.

/// Numbers from which a piece is cut in two: at about a nanosecond a number, what a second core saves is
/// then several times what it costs to wake it.
const LARGE: usize = 1 << 16;

/// Cuts `out` in halves, and these again, as long as they hold so much; `work` gets each piece with the index
/// of its first entry, `join` the results of two neighbours. The pieces and the order in which results
/// are joined depend on the length alone, and so do the bits.
pub(crate) fn pieces<T: Send, R: Send>(
    first: usize,
    out: &mut [T],
    work: &(impl Fn(usize, &mut [T]) -> R + Sync),
    join: &(impl Fn(R, R) -> R + Sync),
) -> R {
    if size_of_val(out) < LARGE * size_of::<f64>() {
        return work(first, out);
    }
    let middle = out.len() / 2;
    let (a, b) = out.split_at_mut(middle);
    let (a, b) = both(|| pieces(first, a, work, join), || pieces(first + middle, b, work, join));
    join(a, b)
}

/// The larger of two; NaN if one of them is.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

#[cfg(feature = "parallel")]
fn both<R: Send>(a: impl FnOnce() -> R + Send, b: impl FnOnce() -> R + Send) -> (R, R) {
    rayon::join(a, b)
}

#[cfg(not(feature = "parallel"))]
fn both<R>(a: impl FnOnce() -> R, b: impl FnOnce() -> R) -> (R, R) {
    (a(), b())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_met_once_and_results_come_in_order() {
        for n in [0, 1, LARGE - 1, LARGE, LARGE + 1, 5 * LARGE + 3] {
            let mut out = vec![0usize; n];
            let parts = pieces(
                7,
                &mut out,
                &|first, piece: &mut [usize]| {
                    piece.iter_mut().enumerate().for_each(|(k, x)| *x += first + k);
                    vec![(first, piece.len())]
                },
                &|mut a, b| {
                    a.extend(b);
                    a
                },
            );
            assert!(out.iter().enumerate().all(|(i, x)| *x == 7 + i));
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
