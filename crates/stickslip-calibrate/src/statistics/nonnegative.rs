//! Least squares with numbers ≥ 0 (Lawson and Hanson 1974, chapter 23), from the normal equations.

use stickslip::numeric::{cholesky, solve_lower, solve_transposed};

/// AᵀA, Aᵀy and yᵀy of a linear problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Normal {
    /// AᵀA.
    pub product: Vec<Vec<f64>>,
    /// Aᵀy.
    pub right: Vec<f64>,
    /// yᵀy.
    pub square: f64,
}

impl Normal {
    /// Nothing yet, for so many numbers.
    pub fn new(count: usize) -> Self {
        Self { product: vec![vec![0.0; count]; count], right: vec![0.0; count], square: 0.0 }
    }

    /// One more row.
    pub fn add(&mut self, row: &[f64], y: f64) {
        for (i, a) in row.iter().enumerate() {
            for (j, b) in row[..=i].iter().enumerate() {
                self.product[i][j] += a * b;
                self.product[j][i] = self.product[i][j];
            }
            self.right[i] += a * y;
        }
        self.square += y * y;
    }

    /// With `sign` times the rows of another.
    pub fn plus(&self, sign: f64, other: &Self) -> Self {
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + sign * b).collect();
        Self {
            product: self.product.iter().zip(&other.product).map(|(a, b)| sum(a, b)).collect(),
            right: sum(&self.right, &other.right),
            square: self.square + sign * other.square,
        }
    }

    /// With these columns alone.
    pub fn part(&self, columns: &[usize]) -> Self {
        let of = |row: &[f64]| columns.iter().map(|&i| row[i]).collect::<Vec<_>>();
        let product = columns.iter().map(|&i| of(&self.product[i])).collect();
        Self { product, right: of(&self.right), square: self.square }
    }

    /// Σ (y − A x)².
    pub fn squares(&self, x: &[f64]) -> f64 {
        let row = |i: usize| -> f64 {
            let own: f64 = self.product[i].iter().zip(x).map(|(a, b)| a * b).sum();
            x[i] * (own - 2.0 * self.right[i])
        };
        let sum = self.square + (0..x.len()).map(row).sum::<f64>();
        // Rounding may make it negative; what is no number stays so.
        if sum < 0.0 { 0.0 } else { sum }
    }

    /// The numbers ≥ 0 with the least squares.
    pub fn nonnegative(&self) -> Vec<f64> {
        let n = self.right.len();
        let mut x = vec![0.0; n];
        let mut free = vec![false; n];
        // Columns that those in use give already, but for rounding.
        let mut barred = vec![false; n];
        let size: Vec<f64> = (0..n).map(|i| self.product[i][i].sqrt()).collect();
        for _ in 0..3 * n {
            let pull = |i: usize, x: &[f64]| {
                let own: f64 = self.product[i].iter().zip(x).map(|(a, b)| a * b).sum();
                (self.right[i] - own) / size[i]
            };
            let held = (0..n).filter(|&i| !free[i] && !barred[i] && size[i] > 0.0);
            let strongest = held.max_by(|&a, &b| pull(a, &x).total_cmp(&pull(b, &x)));
            let Some(i) = strongest.filter(|&i| pull(i, &x) > 1e-9 * self.square.sqrt()) else {
                break;
            };
            free[i] = true;
            // What the free solution would make negative is held at 0, one after the other.
            loop {
                let Some(to) = self.solve(&free) else {
                    free[i] = false;
                    break;
                };
                let share = |i: usize| x[i] / (x[i] - to[i]);
                let first = (0..n)
                    .filter(|&i| free[i] && to[i] <= 0.0)
                    .min_by(|&a, &b| share(a).total_cmp(&share(b)));
                let Some(first) = first else {
                    x = to;
                    break;
                };
                let by = share(first).clamp(0.0, 1.0);
                x.iter_mut().zip(&to).for_each(|(x, t)| *x += by * (t - *x));
                (x[first], free[first]) = (0.0, false);
            }
            if !free[i] && x[i] == 0.0 {
                // It went in and out again, or could not go in: rounding.
                barred[i] = true;
            }
        }
        x
    }

    /// Σ of the squares of column `k` that those of the numbers above 0 do not explain.
    pub fn alone(&self, k: usize, numbers: &[f64]) -> f64 {
        let free: Vec<bool> = (0..numbers.len()).map(|i| i != k && numbers[i] > 0.0).collect();
        let own = Self { right: self.product[k].clone(), ..self.clone() };
        let on = own.solve(&free).unwrap_or_else(|| vec![0.0; numbers.len()]);
        let explained: f64 = on.iter().zip(&self.product[k]).map(|(a, b)| a * b).sum();
        (self.product[k][k] - explained).max(f64::MIN_POSITIVE)
    }

    /// Σ of the squares of column `k` that the first `count` columns do not explain.
    pub fn apart(&self, k: usize, count: usize) -> f64 {
        let free: Vec<bool> =
            (0..self.right.len()).map(|i| i < count && self.product[i][i] > 0.0).collect();
        let own = Self { right: self.product[k].clone(), ..self.clone() };
        let Some(on) = own.solve(&free) else { return self.product[k][k] };
        let explained: f64 = on.iter().zip(&self.product[k]).map(|(a, b)| a * b).sum();
        (self.product[k][k] - explained).max(0.0)
    }

    /// The least squares over the free numbers, by Cholesky's factors with a ridge of rounding.
    fn solve(&self, free: &[bool]) -> Option<Vec<f64>> {
        let at: Vec<usize> = (0..free.len()).filter(|&i| free[i]).collect();
        let m = at.len();
        let entry = |a: usize, b: usize| {
            self.product[at[a]][at[b]] * if a == b { 1.0 + 1e-12 } else { 1.0 }
        };
        let part: Vec<f64> = (0..m * m).map(|k| entry(k / m, k % m)).collect();
        let factor = cholesky(&part, m)?;
        let mut y: Vec<f64> = at.iter().map(|&i| self.right[i]).collect();
        solve_lower(&factor, &mut y);
        solve_transposed(&factor, &mut y);
        let mut x = vec![0.0; free.len()];
        at.iter().zip(y).for_each(|(&i, v)| x[i] = v);
        Some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// The conditions of Karush, Kuhn and Tucker, and the true numbers where there is no noise.
    #[test]
    fn numbers_are_least_and_not_negative() {
        let truth = [2.0, 0.0, 0.5, 0.0, 3.0, 0.0];
        for noise in [0.0, 0.5] {
            let mut draws = Draws::new(4, 2);
            let mut normal = Normal::new(6);
            for _ in 0..60 {
                let shared = draws.normal();
                let row: Vec<f64> = (0..6).map(|_| shared + draws.normal()).collect();
                let y: f64 = row.iter().zip(truth).map(|(a, b)| a * b).sum();
                normal.add(&row, y + noise * draws.normal());
            }
            let x = normal.nonnegative();
            // Columns by themselves are those of the problem without the others.
            let some = normal.part(&[0, 2, 4]).nonnegative();
            let whole = [some[0], 0.0, some[1], 0.0, some[2], 0.0];
            assert!(normal.squares(&x) <= normal.squares(&whole));
            assert!((normal.squares(&[0.0; 6]) - normal.square).abs() < 1e-9);
            for i in 0..6 {
                let own: f64 = normal.product[i].iter().zip(&x).map(|(a, b)| a * b).sum();
                let pull = normal.right[i] - own;
                assert!(
                    x[i] >= 0.0 && pull < 1e-6 && (x[i] == 0.0 || pull.abs() < 1e-6),
                    "{i} {x:?} {pull}"
                );
                assert!(noise > 0.0 || (x[i] - truth[i]).abs() < 1e-6);
            }
        }
    }
}
