//! Sorting by numbers, compiled once for all that is sorted: a sort of the standard library is compiled anew for every
//! closure, some ten kilobytes each, and so is a map that is collected from an iterator.

use std::collections::BTreeMap;

/// The entries of a symmetric matrix of `size` rows that are always there: zeros on its diagonal, to which others are added.
pub(crate) fn zero_diagonal(size: usize) -> BTreeMap<(usize, usize), f64> {
    let mut entries = BTreeMap::new();
    for i in 0..size {
        entries.insert((i, i), 0.0);
    }
    entries
}

/// Sorts numbers from −∞ to ∞, NaN at the ends by its sign.
#[inline(never)]
pub fn ascending(numbers: &mut [f64]) {
    numbers.sort_unstable_by(f64::total_cmp);
}

/// Sorts `items` by a number of each, which is computed once; equal ones keep their order.
///
/// ```
/// let mut pairs = [(2.0, 'b'), (1.0, 'x'), (2.0, 'a')];
/// stickslip::sorted::by(&mut pairs, |p| p.0);
/// assert_eq!(pairs.map(|p| p.1), ['x', 'b', 'a']);
/// ```
pub fn by<T>(items: &mut [T], number: impl Fn(&T) -> f64) {
    let mut from = order(items.iter().map(number).collect());
    // Along each cycle of the permutation.
    for start in 0..items.len() {
        let mut at = start;
        while from[at] != start {
            let next = from[at];
            items.swap(at, next);
            from[at] = at;
            at = next;
        }
        from[at] = at;
    }
}

/// Where the first, second, … of these numbers stand; equal ones keep their order.
#[inline(never)]
pub fn order(numbers: Vec<f64>) -> Vec<usize> {
    let mut all: Vec<(f64, usize)> = numbers.into_iter().enumerate().map(|(i, x)| (x, i)).collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all.into_iter().map(|a| a.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the stable sort of the standard library, with many equal numbers and some NaN.
    #[test]
    fn items_are_sorted_as_by_the_standard_library() {
        for length in 0..60u64 {
            let one = |i: u64| (i * i + 7 * i * length) % 13;
            let number = |w: u64| if w == 12 { f64::NAN } else { w as f64 - 6.0 };
            let mut ours: Vec<(f64, u64)> = (0..length).map(|i| (number(one(i)), i)).collect();
            let mut theirs = ours.clone();
            by(&mut ours, |p| p.0);
            theirs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let places = |all: &[(f64, u64)]| all.iter().map(|p| p.1).collect::<Vec<_>>();
            assert_eq!(places(&ours), places(&theirs));
        }
    }
}
