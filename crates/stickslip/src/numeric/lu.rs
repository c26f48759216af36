//! LU factors of a square matrix, for many right-hand sides.

/// LU factors with partial pivoting, in place; `sizes` is room for the greatest number of each row. False where the matrix is
/// singular or not finite.
///
/// A pivot is the greatest number of its column relative to that of its row. The rates of a contact of rate and state near rest are
/// some 10⁸⁰ times those of its age and its displacement: by plain size the rounding of its row would be taken for a pivot of theirs.
pub(crate) fn factor(a: &mut [f64], pivots: &mut [usize], sizes: &mut [f64]) -> bool {
    let n = pivots.len();
    for (i, size) in sizes.iter_mut().enumerate() {
        let row = &a[i * n..(i + 1) * n];
        *size = row.iter().fold(0.0f64, |size, a| size.max(a.abs()));
        // A row of zeros has no pivot, and one that is not finite no solution.
        if *size == 0.0 || !size.is_finite() {
            return false;
        }
    }
    for k in 0..n {
        let mut p = k;
        let mut greatest = a[k * n + k].abs() / sizes[k];
        for i in k + 1..n {
            let relative = a[i * n + k].abs() / sizes[i];
            if relative > greatest {
                (p, greatest) = (i, relative);
            }
        }
        let pivot = a[p * n + k];
        // An exact zero is the only pivot that no exchange of rows helps.
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        pivots[k] = p;
        if p != k {
            (0..n).for_each(|j| a.swap(k * n + j, p * n + j));
            sizes.swap(k, p);
        }
        for i in k + 1..n {
            let l = a[i * n + k] / pivot;
            a[i * n + k] = l;
            if l != 0.0 {
                let (above, below) = a.split_at_mut(i * n);
                let row = &above[k * n..(k + 1) * n];
                for j in k + 1..n {
                    below[j] -= l * row[j];
                }
            }
        }
    }
    true
}

/// Solves with these factors, in place.
pub(crate) fn solve(a: &[f64], pivots: &[usize], b: &mut [f64]) {
    let n = pivots.len();
    // All exchanges first, in the order in which the factors were made.
    for (k, p) in pivots.iter().enumerate() {
        b.swap(k, *p);
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|j| a[i * n + j] * b[j]).sum();
        b[i] -= sum;
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| a[i * n + j] * b[j]).sum();
        b[i] = (b[i] - sum) / a[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::{factor, solve};

    /// Rows of very different sizes that have to be exchanged, with the solution (1, 2, 3); and matrices without a solution.
    #[test]
    fn rows_are_exchanged_by_their_own_size() {
        let mut a = [0.0, 2e80, 1e80, 1.0, 1.0, 0.0, 3e-80, 0.0, 1e-80];
        let mut pivots = [0; 3];
        let mut sizes = [0.0; 3];
        assert!(factor(&mut a, &mut pivots, &mut sizes));
        for _ in 0..2 {
            let mut b = [7e80, 3.0, 6e-80];
            solve(&a, &pivots, &mut b);
            for (x, want) in b.iter().zip([1.0, 2.0, 3.0]) {
                assert!((x - want).abs() < 1e-14, "{b:?}");
            }
        }
        assert!(!factor(&mut [1.0, 2.0, 2.0, 4.0], &mut [0; 2], &mut [0.0; 2]));
        assert!(!factor(&mut [1.0, f64::NAN, 2.0, 4.0], &mut [0; 2], &mut [0.0; 2]));
        assert!(factor(&mut [], &mut [], &mut []));
    }
}
