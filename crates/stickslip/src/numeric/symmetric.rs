//! Symmetric matrices, row by row: Cholesky's factors, and the modes of a stiffness beside a mass.

/// Sweeps of Jacobi's rotations, at most: ten are enough for matrices of a hundred rows.
const SWEEPS: usize = 30;

/// L with A = L Lᵀ, by rows, of a symmetric matrix `a` with `n` rows. `None` where A is not positive definite.
///
/// ```
/// use stickslip::numeric::{cholesky, solve_lower, solve_transposed};
/// // 4x + 2y = 8, 2x + 5y = 12
/// let factor = cholesky(&[4.0, 2.0, 2.0, 5.0], 2).unwrap();
/// let mut x = [8.0, 12.0];
/// solve_lower(&factor, &mut x);
/// solve_transposed(&factor, &mut x);
/// assert_eq!(x, [1.0, 2.0]);
/// assert!(cholesky(&[1.0, 2.0, 2.0, 1.0], 2).is_none());
/// ```
pub fn cholesky(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut l = Vec::new();
    cholesky_into(a, n, &mut l).then_some(l)
}

/// The same into `l`, which allocates nothing where that had this size before; whether A is positive definite.
pub(crate) fn cholesky_into(a: &[f64], n: usize, l: &mut Vec<f64>) -> bool {
    l.clear();
    l.resize(n * n, 0.0);
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
            let left = a[i * n + j] - sum;
            if i != j {
                l[i * n + j] = left / l[j * n + j];
            } else if left > 0.0 {
                l[i * n + j] = left.sqrt();
            } else {
                return false;
            }
        }
    }
    true
}

/// Solves L y = `x` in place, with the factor of [`cholesky`].
pub fn solve_lower(l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
}

/// Solves Lᵀ y = `x` in place, with the factor of [`cholesky`].
pub fn solve_transposed(l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
}

/// A⁻¹ of a symmetric positive definite matrix, by rows. `None` where A is not.
pub(crate) fn inverse(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let factor = cholesky(a, n)?;
    let mut inverse = vec![0.0; n * n];
    for (j, column) in inverse.chunks_exact_mut(n.max(1)).enumerate() {
        column[j] = 1.0;
        solve_lower(&factor, column);
        solve_transposed(&factor, column);
    }
    Some(inverse)
}

/// Modes: K φ = ω² M φ with φᵀ M φ = 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Modes {
    /// The shapes φ as columns of a matrix, by rows.
    pub shapes: Vec<f64>,
    /// ω² of each.
    pub squares: Vec<f64>,
}

/// The modes of a symmetric stiffness K beside a mass M with `n` rows: Cholesky's factor L of M, and Jacobi's rotations of L⁻¹ K L⁻ᵀ. `None`
/// where M is not positive definite.
pub fn modes(mass: &[f64], stiffness: &[f64], n: usize) -> Option<Modes> {
    let l = cholesky(mass, n)?;
    let mut a = columns_solved(&l, &transposed(&columns_solved(&l, stiffness, n), n), n);
    let mut turned: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect();
    for _ in 0..SWEEPS {
        let mut turns = 0;
        for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
            let p = a[i * n + i];
            let q = a[j * n + j];
            let r = a[i * n + j];
            if r.abs() <= f64::EPSILON * (p * q).abs().sqrt() * 0.1 {
                continue;
            }
            turns += 1;
            let theta = 0.5 * (q - p) / r;
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let t = if theta == 0.0 { 1.0 } else { t };
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..n {
                let u = a[k * n + i];
                let w = a[k * n + j];
                (a[k * n + i], a[k * n + j]) = (c * u - s * w, s * u + c * w);
            }
            for k in 0..n {
                let u = a[i * n + k];
                let w = a[j * n + k];
                (a[i * n + k], a[j * n + k]) = (c * u - s * w, s * u + c * w);
                let u = turned[k * n + i];
                let w = turned[k * n + j];
                (turned[k * n + i], turned[k * n + j]) = (c * u - s * w, s * u + c * w);
            }
            (a[i * n + j], a[j * n + i]) = (0.0, 0.0);
        }
        if turns == 0 {
            break;
        }
    }
    // φ = L⁻ᵀ V.
    let mut columns = transposed(&turned, n);
    columns.chunks_mut(n.max(1)).for_each(|column| solve_transposed(&l, column));
    let squares = (0..n).map(|i| a[i * n + i]).collect();
    Some(Modes { shapes: transposed(&columns, n), squares })
}

/// L⁻¹ A.
fn columns_solved(l: &[f64], a: &[f64], n: usize) -> Vec<f64> {
    let mut columns = transposed(a, n);
    columns.chunks_mut(n.max(1)).for_each(|column| solve_lower(l, column));
    transposed(&columns, n)
}

/// Aᵀ.
pub(crate) fn transposed(a: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|k| a[k % n * n + k / n]).collect()
}

/// A B.
pub(crate) fn times(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|k| (0..n).map(|l| a[k / n * n + l] * b[l * n + k % n]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two masses m on a wall and on each other by springs k: ω² = k/m (3 ∓ √5)/2, and the shapes are those of the golden ratio.
    #[test]
    fn two_masses_in_a_chain() {
        let m = 2.0;
        let k = 6.0;
        let found = modes(&[m, 0.0, 0.0, m], &[2.0 * k, -k, -k, k], 2).unwrap();
        let mut squares = found.squares.clone();
        squares.sort_by(f64::total_cmp);
        for (found, sign) in squares.iter().zip([-1.0, 1.0]) {
            let exact = k / m * (3.0 + sign * 5f64.sqrt()) / 2.0;
            assert!((found / exact - 1.0).abs() < 1e-14, "{found} {exact}");
        }
        // φᵀ M φ = 1.
        let product = times(&transposed(&found.shapes, 2), &found.shapes, 2);
        for (i, p) in product.iter().enumerate() {
            assert!((m * p - [1.0, 0.0, 0.0, 1.0][i]).abs() < 1e-15, "{product:?}");
        }
        assert!(modes(&[1.0, 0.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 1.0], 2).is_none());
        assert!(modes(&[f64::NAN], &[1.0], 1).is_none());
    }
}
