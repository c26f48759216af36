//! Gauss's elimination for a few unknowns.

/// Solves the square system with this matrix (row by row) in place: `right` becomes the solution. False where the matrix is
/// singular to rounding or not finite.
pub(crate) fn eliminate(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let n = right.len();
    for k in 0..n {
        let size = |i: usize| matrix[i * n + k].abs();
        let pivot = (k + 1..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
        let largest = size(pivot);
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        if pivot != k {
            for j in 0..n {
                matrix.swap(k * n + j, pivot * n + j);
            }
            right.swap(k, pivot);
        }
        for i in k + 1..n {
            let factor = matrix[i * n + k] / matrix[k * n + k];
            if factor == 0.0 {
                continue;
            }
            for j in k + 1..n {
                matrix[i * n + j] -= factor * matrix[k * n + j];
            }
            right[i] -= factor * right[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| matrix[k * n + j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k * n + k];
    }
    right.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::eliminate;

    /// The inverse of Hilbert's matrix has whole numbers: the first column for n = 4.
    #[test]
    fn hilberts_matrix_is_inverted() {
        let mut matrix: Vec<f64> = (0..16).map(|k| 1.0 / f64::from(k / 4 + k % 4 + 1)).collect();
        let mut right = [1.0, 0.0, 0.0, 0.0];
        assert!(eliminate(&mut matrix, &mut right));
        for (x, want) in right.iter().zip([16.0, -120.0, 240.0, -140.0]) {
            assert!((x - want).abs() < 1e-9, "{x} {want}");
        }
        assert!(!eliminate(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
        // A pivot is needed.
        let mut swapped = [2.0, 3.0];
        assert!(eliminate(&mut [0.0, 1.0, 1.0, 0.0], &mut swapped) && swapped == [3.0, 2.0]);
    }
}
