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

/// Rows that are added at once: each entry of AᵀA is then read and written once for all of them.
const AT_ONCE: usize = 4;

/// Normal equations to which rows are added.
#[derive(Debug, Clone)]
pub struct Gather {
    /// AᵀA row by row, on and below its diagonal.
    lower: Vec<f64>,
    right: Vec<f64>,
    square: f64,
    /// Rows that are not in `lower` yet, one after the other.
    waiting: Vec<f64>,
}

impl Gather {
    /// Nothing yet, for so many numbers.
    pub fn new(count: usize) -> Self {
        Self {
            lower: vec![0.0; count * count],
            right: vec![0.0; count],
            square: 0.0,
            waiting: Vec::with_capacity(AT_ONCE * count),
        }
    }

    /// One more row.
    pub fn add(&mut self, row: &[f64], y: f64) {
        self.right.iter_mut().zip(row).for_each(|(r, a)| *r += a * y);
        self.square += y * y;
        self.waiting.extend_from_slice(row);
        if self.waiting.len() == AT_ONCE * row.len() {
            self.multiply();
        }
    }

    /// Adds the products of the rows that wait, each sum in the order of the rows.
    fn multiply(&mut self) {
        let n = self.right.len();
        let (first, others) = self.waiting.split_at(n.min(self.waiting.len()));
        // A row of zeros in the place of one that is missing adds nothing.
        let none = vec![0.0; if self.waiting.len() < AT_ONCE * n { n } else { 0 }];
        let mut others = others.chunks_exact(n.max(1));
        let [b, c, d] = std::array::from_fn(|_| others.next().unwrap_or(&none));
        for (i, sums) in self.lower.chunks_exact_mut(n.max(1)).enumerate().take(first.len()) {
            for (j, sum) in sums[..=i].iter_mut().enumerate() {
                *sum = *sum + first[i] * first[j] + b[i] * b[j] + c[i] * c[j] + d[i] * d[j];
            }
        }
        self.waiting.clear();
    }

    /// The normal equations of all rows.
    pub fn finish(mut self) -> Normal {
        self.multiply();
        let n = self.right.len();
        let entry = |i: usize, j: usize| self.lower[i.max(j) * n + i.min(j)];
        let product = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        Normal { product, right: self.right, square: self.square }
    }
}

impl Normal {
    /// Nothing, for so many numbers.
    pub fn new(count: usize) -> Self {
        Self { product: vec![vec![0.0; count]; count], right: vec![0.0; count], square: 0.0 }
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
            let mut rows = Gather::new(6);
            for _ in 0..60 {
                let shared = draws.normal();
                let row: Vec<f64> = (0..6).map(|_| shared + draws.normal()).collect();
                let y: f64 = row.iter().zip(truth).map(|(a, b)| a * b).sum();
                rows.add(&row, y + noise * draws.normal());
            }
            let normal = rows.finish();
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

    /// However many rows there are, the products are those of the plain sums, to the last bit.
    #[test]
    fn rows_by_fours_are_rows() {
        let mut draws = Draws::new(5, 0);
        for count in 0..10 {
            let rows: Vec<Vec<f64>> =
                (0..count).map(|_| (0..5).map(|_| draws.normal()).collect()).collect();
            let mut gather = Gather::new(5);
            rows.iter().for_each(|row| gather.add(row, row[0] - row[1]));
            let normal = gather.finish();
            let sum = |of: &dyn Fn(&[f64]) -> f64| rows.iter().fold(0.0, |sum, row| sum + of(row));
            for i in 0..5 {
                for j in 0..5 {
                    assert_eq!(
                        normal.product[i][j],
                        sum(&|row| row[i] * row[j]),
                        "{count} {i} {j}"
                    );
                }
                assert_eq!(normal.right[i], sum(&|row| row[i] * (row[0] - row[1])));
            }
            assert_eq!(normal.square, sum(&|row| (row[0] - row[1]).powi(2)));
        }
    }
}
