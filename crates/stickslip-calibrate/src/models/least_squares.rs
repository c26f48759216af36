//! Least squares between bounds: Levenberg (1944) and Marquardt (1963), with the damping of Nielsen (1999).

use crate::regress::invert;
use crate::stats::square;

/// What is made small: residuals that depend on numbers between bounds, and how they change with them.
pub trait Misfit: Sync {
    /// The range of each number.
    fn bounds(&self) -> Vec<[f64; 2]>;

    /// The residuals, always as many; `None` where there are none.
    fn residuals(&self, p: &[f64]) -> Option<Vec<f64>>;

    /// The residuals, and the derivative of what is predicted (their negative) with respect to each number.
    fn gradient(&self, p: &[f64]) -> Option<(Vec<f64>, Vec<Vec<f64>>)>;

    /// Whether the work shall stop.
    fn stop(&self) -> bool;
}

/// Where least squares end.
#[derive(Debug, Clone)]
pub struct Least {
    /// The numbers.
    pub p: Vec<f64>,
    /// The residuals there.
    pub residuals: Vec<f64>,
    /// The derivatives there.
    pub columns: Vec<Vec<f64>>,
    /// Σ r².
    pub rss: f64,
}

impl Least {
    /// What stands there: of numbers at which least squares have ended.
    pub fn at(misfit: &dyn Misfit, p: Vec<f64>) -> Option<Self> {
        let (residuals, columns) = misfit.gradient(&p)?;
        let rss = square(&residuals);
        Some(Self { p, residuals, columns, rss })
    }
}

/// A step that changes Σ r² by less than this share is the last.
const SETTLED: f64 = 1e-8;
/// Damping beyond which no step is worth trying.
const STIFF: f64 = 1e10;

/// The least squares next to `start`; `None` if there is no motion there, or the work shall stop.
pub fn least_squares(misfit: &dyn Misfit, start: &[f64], most: usize) -> Option<Least> {
    least_squares_below(misfit, start, (most, 0.0))
}

/// The same, and no further once Σ r² is below `enough`.
pub fn least_squares_below(
    misfit: &dyn Misfit,
    start: &[f64],
    (most, enough): (usize, f64),
) -> Option<Least> {
    let bounds = misfit.bounds();
    let mut p: Vec<f64> = start.iter().zip(&bounds).map(|(v, b)| v.clamp(b[0], b[1])).collect();
    let Least { mut residuals, mut columns, mut rss, .. } = Least::at(misfit, p.clone())?;
    let (mut damping, mut harder) = (1e-3, 2.0);
    for _ in 0..most {
        if misfit.stop() {
            return None;
        }
        if rss < enough {
            break;
        }
        let Some(step) = step(&(&p, &bounds), &columns, &residuals, damping) else {
            if damping > STIFF {
                break;
            }
            (damping, harder) = (damping * harder, 2.0 * harder);
            continue;
        };
        let tried: Vec<f64> =
            (0..p.len()).map(|k| (p[k] + step[k]).clamp(bounds[k][0], bounds[k][1])).collect();
        let found = misfit.residuals(&tried).map(|r| square(&r)).filter(|r| *r < rss);
        let Some(found) = found else {
            if damping > STIFF {
                break;
            }
            (damping, harder) = (damping * harder, 2.0 * harder);
            continue;
        };
        let gained = (rss - found) / rss.max(f64::MIN_POSITIVE);
        let Some((r, c)) = misfit.gradient(&tried) else { break };
        (p, rss) = (tried, square(&r));
        (residuals, columns) = (r, c);
        (damping, harder) = ((damping / 5.0).max(1e-9), 2.0);
        if gained < SETTLED {
            break;
        }
    }
    Some(Least { p, residuals, columns, rss })
}

/// The damped step; numbers at a bound stay there if the step would leave it.
fn step(
    (p, bounds): &(&Vec<f64>, &Vec<[f64; 2]>),
    columns: &[Vec<f64>],
    residuals: &[f64],
    damping: f64,
) -> Option<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let pull: Vec<f64> = columns.iter().map(|c| dot(c, residuals)).collect();
    let mut free: Vec<usize> = (0..p.len())
        .filter(|&k| {
            let outward = (p[k] <= bounds[k][0] && pull[k] <= 0.0)
                || (p[k] >= bounds[k][1] && pull[k] >= 0.0);
            !outward && bounds[k][1] > bounds[k][0] && columns[k].iter().any(|v| *v != 0.0)
        })
        .collect();
    let mut step = vec![0.0; p.len()];
    if free.is_empty() {
        return Some(step);
    }
    let scale: Vec<f64> = columns.iter().map(|c| dot(c, c).sqrt()).collect();
    let product: Vec<Vec<f64>> =
        (0..p.len()).map(|i| (0..=i).map(|j| dot(&columns[i], &columns[j])).collect()).collect();
    // What leaves a bound on the way is set there, and the rest is solved again: once for each number at most.
    loop {
        let normal: Vec<Vec<f64>> = free
            .iter()
            .map(|&i| {
                free.iter()
                    .map(|&j| {
                        let cosine = product[i.max(j)][i.min(j)] / (scale[i] * scale[j]);
                        if i == j { 1.0 + damping } else { cosine }
                    })
                    .collect()
            })
            .collect();
        let inverse = invert(normal)?;
        for (a, &i) in free.iter().enumerate() {
            let row = free.iter().enumerate().map(|(b, &j)| inverse[a][b] * pull[j] / scale[j]);
            step[i] = row.sum::<f64>() / scale[i];
        }
        let leaves = |k: &usize| {
            let to = p[*k] + step[*k];
            (to < bounds[*k][0] && p[*k] <= bounds[*k][0])
                || (to > bounds[*k][1] && p[*k] >= bounds[*k][1])
        };
        let Some(at) = free.iter().position(leaves) else { return Some(step) };
        step[free.remove(at)] = 0.0;
        if free.is_empty() {
            return Some(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = a exp(−b t) at ten times.
    struct Decay {
        bounds: Vec<[f64; 2]>,
        seen: Vec<f64>,
    }

    impl Misfit for Decay {
        fn bounds(&self) -> Vec<[f64; 2]> {
            self.bounds.clone()
        }

        fn residuals(&self, p: &[f64]) -> Option<Vec<f64>> {
            self.gradient(p).map(|g| g.0)
        }

        fn gradient(&self, p: &[f64]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
            let t = |i: usize| i as f64 / 3.0;
            let e: Vec<f64> = (0..self.seen.len()).map(|i| (-p[1] * t(i)).exp()).collect();
            let r = self.seen.iter().zip(&e).map(|(y, e)| y - p[0] * e).collect();
            let slope = e.iter().enumerate().map(|(i, e)| -p[0] * t(i) * e).collect();
            Some((r, vec![e, slope]))
        }

        fn stop(&self) -> bool {
            false
        }
    }

    #[test]
    fn finds_what_made_the_numbers_and_keeps_to_bounds() {
        let seen: Vec<f64> = (0..10).map(|i| 3.0 * (-0.7 * f64::from(i) / 3.0).exp()).collect();
        let wide = Decay { bounds: vec![[0.0, 10.0], [0.0, 5.0]], seen: seen.clone() };
        let least = least_squares(&wide, &[1.0, 2.0], 100).unwrap();
        assert!((least.p[0] - 3.0).abs() < 1e-7 && (least.p[1] - 0.7).abs() < 1e-7, "{least:?}");
        // With b ≥ 1 the best b is 1, and a follows from a linear problem.
        let tight = Decay { bounds: vec![[0.0, 10.0], [1.0, 5.0]], seen };
        let least = least_squares(&tight, &[1.0, 2.0], 100).unwrap();
        let e: Vec<f64> = (0..10).map(|i| (-f64::from(i) / 3.0).exp()).collect();
        let a = e.iter().zip(&tight.seen).map(|(e, y)| e * y).sum::<f64>() / square(&e);
        assert!((least.p[0] - a).abs() < 1e-6 && least.p[1] == 1.0, "{least:?} {a}");
    }
}
