//! Least squares whose standard errors allow for residuals that remember their neighbours.

use crate::statistics::estimate::Estimate;
use crate::statistics::long_run::Cosines;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::stats::{square, student};
use stickslip::numeric::dot;

/// A linear fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// The coefficients, one for each column.
    pub coefficients: Vec<f64>,
    /// Their standard errors.
    pub errors: Vec<f64>,
    /// Their degrees of freedom, for Student's t.
    pub freedom: Vec<f64>,
    /// y − Xb.
    pub residuals: Vec<f64>,
    /// Autocorrelation time of the residuals, rows.
    pub autocorrelation: f64,
}

impl Regression {
    /// Half of the 95 % interval of a coefficient.
    pub fn half(&self, k: usize) -> f64 {
        student(self.freedom[k] as usize) * self.errors[k]
    }

    /// A coefficient with its interval.
    pub fn estimate(&self, k: usize, unit: &'static str) -> Estimate {
        let value = self.coefficients[k];
        let half = self.half(k);
        Estimate::within(value, self.errors[k], [value - half, value + half], unit)
    }
}

/// The equations of a linear fit, solved.
pub struct Solved<'a> {
    columns: &'a [Vec<f64>],
    /// Lengths of the columns.
    scale: Vec<f64>,
    /// Of the products of the columns of unit length.
    inverse: Vec<Vec<f64>>,
    /// Variance of the noise in each column, for one row.
    noise: Vec<f64>,
    /// The coefficients, one for each column.
    pub coefficients: Vec<f64>,
    /// y − Xb.
    pub residuals: Vec<f64>,
}

/// Fits `y` by the `columns` (of the same length); `None` if there are no more rows than columns or the columns cannot be told
/// apart.
pub fn solve<'a>(columns: &'a [Vec<f64>], y: &[f64]) -> Option<Solved<'a>> {
    solve_noisy(columns, y, &[])
}

/// The same with columns that hold noise of these variances (none for the columns after), which would make their coefficients
/// too small: it is taken out of the products of the columns (Fuller 1987, section 2.2).
pub fn solve_noisy<'a>(columns: &'a [Vec<f64>], y: &[f64], noise: &[f64]) -> Option<Solved<'a>> {
    let p = columns.len();
    let n = y.len();
    if n <= p {
        return None;
    }
    let noise: Vec<f64> = noise.iter().copied().chain(std::iter::repeat(0.0)).take(p).collect();
    // Columns of unit length, so that units do not matter for the inverse.
    let length = |(c, noise): (&Vec<f64>, &f64)| (dot(c, c) - n as f64 * noise).max(0.0).sqrt();
    let scale: Vec<f64> = columns.iter().zip(&noise).map(length).collect();
    if scale.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
        return None;
    }
    let product = |i: usize, j: usize| {
        let taken = if i == j { n as f64 * noise[i] } else { 0.0 };
        (dot(&columns[i], &columns[j]) - taken) / (scale[i] * scale[j])
    };
    let normal = (0..p).map(|i| (0..p).map(|j| product(i, j)).collect()).collect();
    let inverse = invert(normal)?;
    let right: Vec<f64> = (0..p).map(|i| dot(&columns[i], y) / scale[i]).collect();
    let scaled: Vec<f64> = inverse.iter().map(|row| dot(row, &right)).collect();
    let coefficients: Vec<f64> = scaled.iter().zip(&scale).map(|(b, s)| b / s).collect();
    let residuals = (0..n)
        .map(|i| y[i] - (0..p).map(|j| columns[j][i] * coefficients[j]).sum::<f64>())
        .collect();
    Some(Solved { columns, scale, inverse, noise, coefficients, residuals })
}

impl Solved<'_> {
    /// Row i of the column that coefficient `k` is the sum of, times y.
    fn share(&self, k: usize, i: usize) -> f64 {
        let row = self.inverse[k].iter().zip(self.columns).zip(&self.scale);
        row.map(|((a, c), s)| a * c[i] / s).sum::<f64>() / self.scale[k]
    }

    /// What noise in the columns takes from the sum of the rows of coefficient `k`, for one row.
    fn taken(&self, k: usize) -> f64 {
        let row = self.inverse[k].iter().zip(&self.noise).zip(&self.coefficients).zip(&self.scale);
        row.map(|(((a, noise), b), s)| a * noise * b / s).sum::<f64>() / self.scale[k]
    }

    /// With standard errors.
    pub fn with_errors(self) -> Regression {
        let autocorrelation = autocorrelation_time(std::slice::from_ref(&self.residuals));
        let basis = self.orthonormal();
        let of = |k: usize| self.error_by(k, autocorrelation, &basis);
        let (errors, freedom) = (0..self.columns.len()).map(of).unzip();
        Regression {
            coefficients: self.coefficients,
            errors,
            freedom,
            residuals: self.residuals,
            autocorrelation,
        }
    }

    /// The standard error of one coefficient.
    pub fn error(&self, k: usize) -> f64 {
        self.errors(&[k])[0]
    }

    /// The standard errors of some coefficients.
    pub fn errors(&self, of: &[usize]) -> Vec<f64> {
        let is_short = self.residuals.len() < FEW;
        let residuals = std::slice::from_ref(&self.residuals);
        // Of a long record the cosines tell the errors.
        let together = if is_short { autocorrelation_time(residuals) } else { 1.0 };
        let basis = self.orthonormal();
        of.iter().map(|&k| self.error_by(k, together, &basis).0).collect()
    }

    /// Standard error and degrees of freedom of coefficient `k`, by what a record of this length allows.
    fn error_by(&self, k: usize, together: f64, basis: &[Vec<f64>]) -> (f64, f64) {
        if self.residuals.len() < FEW {
            self.by_memory(k, together)
        } else {
            self.by_cosines(k, basis)
        }
    }

    /// Standard error and degrees of freedom of coefficient `k` where all rows have errors of one size, of which `together` count
    /// as one.
    fn by_memory(&self, k: usize, together: f64) -> (f64, f64) {
        let n = self.residuals.len();
        let freedom = (n as f64 / together - self.columns.len() as f64).max(1.0);
        let shares: f64 = (0..n).map(|i| self.share(k, i).powi(2)).sum();
        let rss = dot(&self.residuals, &self.residuals);
        // rss/τ is what rows that count as one leave, of which there are n/τ.
        ((rss / freedom * shares).sqrt(), freedom)
    }

    /// Standard error and degrees of freedom of coefficient `k` from the long-run variance of the shares of its rows,
    /// u_i = [(XᵀX)⁻¹x_i]_k r_i, by cosines (`long_run`).
    ///
    /// The fit has taken a part of each cosine out of the residuals. So the sum of their squares is divided by what it would be if the
    /// residuals did not resemble each other, and has the degrees of freedom of such a sum: (tr G)²/tr G² with
    /// G = CᵀD(I − H)DC of the cosines C, the shares D and the projection H onto the columns (Bell and McCaffrey 2002).
    fn by_cosines(&self, k: usize, basis: &[Vec<f64>]) -> (f64, f64) {
        let n = self.residuals.len();
        let cosines = Cosines::of(n);
        let shares: Vec<f64> = (0..n).map(|i| self.share(k, i)).collect();
        let taken = self.taken(k);
        let u = shares.iter().zip(&self.residuals).map(|(s, r)| s * r + taken);
        let found: f64 = square(&cosines.project(u));
        let lost: Vec<Vec<f64>> = basis
            .iter()
            .map(|q| cosines.project(shares.iter().zip(q).map(|(s, q)| s * q)))
            .collect();
        // G is nearly the mean square of the shares, less what was lost.
        let each = dot(&shares, &shares) / n as f64;
        let count = cosines.count as f64;
        let lost_each: f64 = lost.iter().map(|l| square(l)).sum();
        let lost_both: f64 = lost.iter().flat_map(|a| lost.iter().map(|b| dot(a, b).powi(2))).sum();
        let trace = (count * each - lost_each).max(LEAST_LEFT * count * each);
        let of_square = count * each * each - 2.0 * each * lost_each + lost_both;
        let freedom = (trace * trace / of_square).clamp((LEAST_LEFT * count).max(1.0), count);
        ((n as f64 * each * found / trace).sqrt(), freedom)
    }

    /// Orthonormal columns with the span of the columns (Gram and Schmidt).
    fn orthonormal(&self) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = Vec::with_capacity(self.columns.len());
        for column in self.columns {
            let mut next = column.clone();
            for q in &all {
                let by = dot(q, &next);
                next.iter_mut().zip(q).for_each(|(v, q)| *v -= by * q);
            }
            let length = dot(&next, &next).sqrt();
            next.iter_mut().for_each(|v| *v /= length);
            all.push(next);
        }
        all
    }
}

/// Of fewer rows too few cosines are left to tell an error by.
const FEW: usize = 100;
/// The share of the cosines' squares, and of their number, that is taken to be left of them at least. Where a few rows decide about a
/// number nearly all of their errors go into it, and what is left of the squares tells next to nothing.
const LEAST_LEFT: f64 = 0.5;

/// A fit with standard errors; `None` as for [`solve`].
pub fn regress(columns: &[Vec<f64>], y: &[f64]) -> Option<Regression> {
    solve(columns, y).map(Solved::with_errors)
}

/// Columns whose angle to the others has a squared sine below this count as parallel.
const PARALLEL: f64 = 1e-10;

/// The inverse of a symmetric matrix with ones on its diagonal, by Gauss and Jordan.
pub(crate) fn invert(mut a: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let p = a.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..p).map(|i| (0..p).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for k in 0..p {
        let pivot = a[k][k];
        if pivot < PARALLEL || pivot.is_nan() {
            return None;
        }
        for j in 0..p {
            a[k][j] /= pivot;
            inverse[k][j] /= pivot;
        }
        for i in (0..p).filter(|&i| i != k) {
            let factor = a[i][k];
            for j in 0..p {
                let u = a[k][j];
                let v = inverse[k][j];
                a[i][j] -= factor * u;
                inverse[i][j] -= factor * v;
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// Intervals of the slope cover the truth with residuals of an autoregression: 95 % of 400 records, whose standard error
    /// is 1.1 %, three of them allowed.
    #[test]
    fn intervals_cover_the_truth() {
        let mut covered = 0;
        let mut naive = 0;
        for seed in 0..400 {
            let mut draws = Draws::new(seed, 3);
            let mut slow = 0.0;
            let mut wave = 0.0;
            let n = 600;
            let mut x = Vec::new();
            let mut y = Vec::new();
            for _ in 0..n {
                slow = 0.8 * slow + draws.signed();
                wave = 0.8 * wave + draws.signed();
                x.push(wave);
                y.push(2.0 + 3.0 * wave + slow);
            }
            let fit = regress(&[vec![1.0; n], x.clone()], &y).unwrap();
            let miss = (fit.coefficients[1] - 3.0).abs();
            covered += usize::from(miss < fit.half(1));
            let rss = fit.residuals.iter().map(|r| r * r).sum::<f64>();
            let spread = x.iter().map(|x| x * x).sum::<f64>();
            naive += usize::from(miss < 1.96 * (rss / n as f64 / spread).sqrt());
        }
        assert!((367..=393).contains(&covered), "{covered} of 400");
        assert!(naive < 320, "{naive}: independence would have been good enough");
    }

    /// White residuals and a few rows: the level and the slope of a straight line, whose fit takes the slowest cosines out of
    /// the residuals.
    #[test]
    fn intervals_of_a_line_cover_the_truth() {
        for rows in [12, 40, 200] {
            let mut covered = [0; 2];
            for seed in 0..400 {
                let mut draws = Draws::new(seed, 5);
                let x: Vec<f64> =
                    (0..rows).map(|i| f64::from(i) - 0.5 * f64::from(rows - 1)).collect();
                let y: Vec<f64> = x.iter().map(|x| 1.0 + 0.1 * x + draws.normal()).collect();
                let fit = regress(&[vec![1.0; y.len()], x], &y).unwrap();
                for (k, truth) in [1.0, 0.1].into_iter().enumerate() {
                    let miss = (fit.coefficients[k] - truth).abs();
                    covered[k] += usize::from(miss < fit.half(k));
                }
            }
            println!("{rows}: {covered:?}");
            assert!(covered.iter().all(|c| (367..=393).contains(c)), "{rows}: {covered:?}");
        }
    }

    /// y = 2x, where x is known with noise of half its variance: the plain slope is 4/3, the corrected one 2.
    #[test]
    fn noise_in_a_column_is_taken_out() {
        let mut covered = 0;
        for seed in 0..200 {
            let mut draws = Draws::new(seed, 6);
            let mut x = Vec::new();
            let mut y = Vec::new();
            for _ in 0..500 {
                let truth = draws.normal();
                y.push(2.0 * truth);
                x.push(truth + 0.5f64.sqrt() * draws.normal());
            }
            let plain = regress(std::slice::from_ref(&x), &y).unwrap();
            assert!((plain.coefficients[0] - 4.0 / 3.0).abs() < 0.3);
            let columns = [x];
            let fit = solve_noisy(&columns, &y, &[0.5]).unwrap().with_errors();
            covered += usize::from((fit.coefficients[0] - 2.0).abs() < fit.half(0));
        }
        // 95 % of 200, three of whose standard errors are 9.2.
        assert!(covered >= 181, "{covered}");
    }

    #[test]
    fn parallel_columns_are_refused() {
        let x: Vec<f64> = (0..50).map(f64::from).collect();
        let twice = x.iter().map(|x| 2.0 * x).collect();
        assert!(regress(&[x.clone(), twice], &x).is_none());
        assert!(regress(&[x.clone(), vec![0.0; 50]], &x).is_none());
        assert!(regress(&[vec![1.0; 2], x[..2].to_vec()], &x[..2]).is_none());
    }
}
