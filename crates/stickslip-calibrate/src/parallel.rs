//! The same work on all cores, or on one: the results come in the order of the items either way.

use std::ops::Range;

pub use stickslip::study::parallel::{over as map, try_over as try_map};

/// Rows that are handed out together: one of them is less work than handing it out.
const TOGETHER: usize = 1 << 12;

/// Applies `f` to 0, 1, …, `count` − 1, each of which is worth to be handed out.
pub fn each<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map((0..count).collect(), f)
}

/// What `work` finds in each `piece` of `rows` rows, in their order, on as many cores as there are.
pub fn in_pieces<R: Send>(
    rows: usize,
    piece: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    // A shorter record is looked at here: no thread needs to be woken.
    if rows <= piece {
        return vec![work(0..rows)];
    }
    each(rows.div_ceil(piece), |k| work(k * piece..rows.min((k + 1) * piece)))
}

/// Applies `f` to every one of `rows` rows.
pub fn each_row<R: Send>(rows: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let parts = in_pieces(rows, TOGETHER, |rows| rows.map(&f).collect::<Vec<R>>());
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the pieces are, every row comes once and in its place.
    #[test]
    fn rows_come_in_their_order() {
        for rows in [0, 1, TOGETHER, TOGETHER + 1, 3 * TOGETHER - 1] {
            assert_eq!(each_row(rows, |i| 2 * i), (0..rows).map(|i| 2 * i).collect::<Vec<_>>());
            let pieces = in_pieces(rows, 1000, |piece| piece.len());
            assert_eq!(pieces.iter().sum::<usize>(), rows);
        }
    }
}
