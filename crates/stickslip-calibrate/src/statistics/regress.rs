//! Least squares whose standard errors allow for residuals that remember their neighbours.

use crate::statistics::memory::autocorrelation_time;
use stickslip::numeric::dot;
use stickslip::portable;

/// A linear fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// The coefficients, one for each column.
    pub coefficients: Vec<f64>,
    /// Their standard errors.
    pub errors: Vec<f64>,
    /// y − Xb.
    pub residuals: Vec<f64>,
    /// Autocorrelation time of the residuals, rows.
    pub autocorrelation: f64,
}

/// Fits `y` by the `columns` (of the same length); `None` if there are no more rows than columns or the
/// columns cannot be told apart.
///
/// The variance of a coefficient is that of the sum of its rows' shares u_i = [(XᵀX)⁻¹x_i]_k r_i, with n/(n − p),
/// from their long-run variance: `long_run_variance` with Andrews' 4 (n/100)^{2/9} lags.
pub fn regress(columns: &[Vec<f64>], y: &[f64]) -> Option<Regression> {
    let p = columns.len();
    let n = y.len();
    if n <= p {
        return None;
    }
    // Columns of unit length, so that units do not matter for the inverse.
    let scale: Vec<f64> = columns.iter().map(|c| dot(c, c).sqrt()).collect();
    if scale.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
        return None;
    }
    let normal: Vec<Vec<f64>> = (0..p)
        .map(|i| (0..p).map(|j| dot(&columns[i], &columns[j]) / (scale[i] * scale[j])).collect())
        .collect();
    let inverse = invert(normal)?;
    let right: Vec<f64> = (0..p).map(|i| dot(&columns[i], y) / scale[i]).collect();
    let scaled: Vec<f64> = inverse.iter().map(|row| dot(row, &right)).collect();
    let coefficients: Vec<f64> = scaled.iter().zip(&scale).map(|(b, s)| b / s).collect();
    let residuals: Vec<f64> = (0..n)
        .map(|i| y[i] - (0..p).map(|j| columns[j][i] * coefficients[j]).sum::<f64>())
        .collect();
    let autocorrelation = autocorrelation_time(std::slice::from_ref(&residuals));
    let lags = ((4.0 * portable::pow(n as f64 / 100.0, 2.0 / 9.0)) as usize).min(n / 4);
    let freedom = n as f64 / (n - p) as f64;
    let errors = (0..p)
        .map(|k| {
            // What each row adds to the error of coefficient k.
            let share =
                |i: usize| (0..p).map(|j| inverse[k][j] * columns[j][i] / scale[j]).sum::<f64>();
            let u: Vec<f64> = (0..n).map(|i| share(i) * residuals[i]).collect();
            (freedom * n as f64 * long_run_variance(&u, lags)).sqrt() / scale[k]
        })
        .collect();
    Some(Regression { coefficients, errors, residuals, autocorrelation })
}

/// Σ_l cov(u_i, u_{i+l}): whitened by an autoregression of order one (Andrews and Monahan 1992), then Newey
/// and West's (1987) sum with weights 1 − |l|/(L + 1).
fn long_run_variance(u: &[f64], lags: usize) -> f64 {
    let square = dot(u, u);
    if square == 0.0 {
        return 0.0;
    }
    // Near one the whitened series would be divided by nearly nothing: Andrews and Monahan keep it at 0.97 at
    // most.
    let phi = (dot(&u[1..], u) / square).clamp(-0.97, 0.97);
    let e: Vec<f64> = u.windows(2).map(|w| w[1] - phi * w[0]).collect();
    let n = e.len() as f64;
    let sum = (1..=lags.min(e.len() - 1))
        .map(|l| 2.0 * (1.0 - l as f64 / (lags + 1) as f64) * dot(&e[l..], &e))
        .fold(dot(&e, &e), |s, v| s + v);
    (sum / n).max(0.0) / (1.0 - phi).powi(2)
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

    /// Intervals of the slope cover the truth with residuals of an autoregression.
    #[test]
    fn intervals_cover_the_truth() {
        let mut covered = 0;
        let mut naive = 0;
        for seed in 0..200 {
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
            covered += usize::from(miss < 1.96 * fit.errors[1]);
            let rss = fit.residuals.iter().map(|r| r * r).sum::<f64>();
            let spread = x.iter().map(|x| x * x).sum::<f64>();
            naive += usize::from(miss < 1.96 * (rss / n as f64 / spread).sqrt());
        }
        assert!((174..=200).contains(&covered), "{covered} of 200");
        assert!(naive < 160, "{naive}: independence would have been good enough");
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
