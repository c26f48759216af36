//! Small systems without symmetry.

/// Gauss's elimination with row pivots, in place: `right` becomes A⁻¹ `right` (n rows of `columns` numbers). The determinant.
fn eliminate(a: &mut [f64], n: usize, right: &mut [f64], columns: usize) -> f64 {
    let mut determinant = 1.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()));
        let pivot = pivot.unwrap_or(k);
        if pivot != k {
            (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
            (0..columns).for_each(|j| right.swap(k * columns + j, pivot * columns + j));
            determinant = -determinant;
        }
        determinant *= a[k * n + k];
        if a[k * n + k] == 0.0 || !determinant.is_finite() {
            return 0.0;
        }
        for i in (0..n).filter(|i| *i != k) {
            let factor = a[i * n + k] / a[k * n + k];
            if factor != 0.0 {
                (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
                (0..columns)
                    .for_each(|j| right[i * columns + j] -= factor * right[k * columns + j]);
            }
        }
    }
    for k in 0..n {
        (0..columns).for_each(|j| right[k * columns + j] /= a[k * n + k]);
    }
    determinant
}

/// The determinant of a matrix by rows.
pub(crate) fn determinant(mut a: Vec<f64>, n: usize) -> f64 {
    eliminate(&mut a, n, &mut [], 0)
}

/// A⁻¹ of a matrix by rows. `None` where it is singular.
pub(crate) fn invert(mut a: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    let mut inverse = Vec::new();
    invert_into(&mut a, n, &mut inverse).then_some(inverse)
}

/// The same into `inverse`, which allocates nothing where that had this size before. `a` is lost; whether there is an inverse.
pub(crate) fn invert_into(a: &mut [f64], n: usize, inverse: &mut Vec<f64>) -> bool {
    inverse.clear();
    inverse.extend((0..n * n).map(|k| f64::from(u8::from(k / n == k % n))));
    let determinant = eliminate(a, n, inverse, n);
    determinant != 0.0 && inverse.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_inverts() {
        let a = vec![0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 2.0, 1.0, -1.0];
        assert_eq!(determinant(a.clone(), 3), 15.0);
        let inverse = invert(a.clone(), 3).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let sum: f64 = (0..3).map(|k| a[i * 3 + k] * inverse[k * 3 + j]).sum();
                assert!((sum - f64::from(u8::from(i == j))).abs() < 1e-15);
            }
        }
        assert!(invert(vec![1.0, 2.0, 2.0, 4.0], 2).is_none());
        assert_eq!(determinant(vec![1.0, 2.0, 2.0, 4.0], 2), 0.0);
    }
}
