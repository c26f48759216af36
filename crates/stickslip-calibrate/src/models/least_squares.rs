//! Least squares between bounds: Levenberg (1944) and Marquardt (1963).
//!
//! The damping falls to a fifth after each step that helps. With failures in a row it grows faster and faster, as Nielsen
//! (1999) proposed; the factor of that growth is fourfold each time here, and twofold there.

use crate::statistics::regress::invert;
use crate::statistics::stats::square;
use stickslip::numeric::dot;

/// What is made small: residuals that depend on numbers between bounds, and how they change with them.
pub trait Misfit: Sync {
    /// What residuals and derivatives are read from, such as a motion.
    type Seen;

    /// The range of each number.
    fn bounds(&self) -> Vec<[f64; 2]>;

    /// What is seen with these numbers, and the residuals, always as many; `None` where there are none.
    fn see(&self, p: &[f64]) -> Option<(Self::Seen, Vec<f64>)>;

    /// The derivative of what is predicted (the negative of the residuals) with respect to each number.
    fn columns(&self, p: &[f64], seen: &Self::Seen) -> Option<Vec<Vec<f64>>>;

    /// Whether the work shall stop.
    fn stop(&self) -> bool;

    /// The residuals.
    fn residuals(&self, p: &[f64]) -> Option<Vec<f64>> {
        self.see(p).map(|s| s.1)
    }
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
    pub fn at(misfit: &impl Misfit, p: Vec<f64>) -> Option<Self> {
        let (seen, residuals) = misfit.see(&p)?;
        let columns = misfit.columns(&p, &seen)?;
        let rss = square(&residuals);
        Some(Self { p, residuals, columns, rss })
    }

    /// The least squares with those rows alone that are `kept`, if residuals change as they do here.
    pub fn stepped(&self, bounds: &[[f64; 2]], kept: impl Fn(usize) -> bool) -> Option<Vec<f64>> {
        let of = |all: &Vec<f64>| -> Vec<f64> {
            let rows = all.iter().enumerate().filter(|(row, _)| kept(*row));
            rows.map(|(_, v)| *v).collect()
        };
        let columns: Vec<Vec<f64>> = self.columns.iter().map(of).collect();
        let mut residuals = of(&self.residuals);
        let mut p = self.p.clone();
        // Once for each number that comes to a bound, or leaves one as others move.
        for _ in 0..=p.len() {
            let (by, promised) = step(&p, bounds, &columns, &residuals, 0.0)?;
            if promised <= NOTHING * square(&residuals) {
                break;
            }
            let mut bound = false;
            for (k, [low, high]) in bounds.iter().enumerate() {
                let to = (p[k] + by[k]).clamp(*low, *high);
                let moved = to - p[k];
                residuals.iter_mut().zip(&columns[k]).for_each(|(r, c)| *r -= moved * c);
                p[k] = to;
                bound |= high > low && (to == *low || to == *high);
            }
            if !bound {
                break;
            }
        }
        Some(p)
    }

    /// The same in units that are so many times as large.
    pub fn divide(&mut self, by: f64) {
        let all = self.residuals.iter_mut().chain(self.columns.iter_mut().flatten());
        all.for_each(|r| *r /= by);
        self.rss /= by * by;
    }
}

/// A minimum that is known, with the squares around it.
pub struct Basin<'a> {
    pub least: &'a Least,
    product: Vec<Vec<f64>>,
    /// Σ r² of one residual of n.
    unit: f64,
}

/// A step that ends nearer to the known minimum than the root of this, in standard errors of white residuals, ends there.
const HOME: f64 = 0.1;
/// Residuals that the squares may differ by from those of the minimum, less and more, when a step that ends there is foretold.
const FORETOLD: [f64; 2] = [0.1, 0.5];
/// Squares that differ by less than this share of their rise from what the curvature foretells are on the slope.
const SLOPE: f64 = 0.1;

impl<'a> Basin<'a> {
    pub fn new(least: &'a Least) -> Self {
        let unit = least.rss / least.residuals.len() as f64;
        Self { least, product: products(&least.columns), unit }
    }

    /// By how much the squares stand above the least as the curvature has it, in units of one residual.
    fn rise(&self, p: &[f64]) -> f64 {
        // At a minimum the gradient is zero, and Σ r² rises by uᵀJᵀJu.
        let by: Vec<f64> = p.iter().zip(&self.least.p).map(|(a, b)| a - b).collect();
        curved(&self.product, &by) / self.unit
    }

    /// Whether the squares at `p` are as the curvature has them, so that from there one comes back.
    pub fn is_on_slope(&self, p: &[f64], rss: f64) -> bool {
        let foretold = self.rise(p);
        let rise = (rss - self.least.rss) / self.unit;
        (rise - foretold).abs() < SLOPE * foretold + FORETOLD[1]
    }

    /// Whether a step to `p`, after which the squares should be `rss`, comes back.
    fn holds(&self, p: &[f64], rss: f64) -> bool {
        let rise = (rss - self.least.rss) / self.unit;
        rise > -FORETOLD[0] && rise < FORETOLD[1] && self.rise(p) < HOME
    }
}

/// When least squares end before the least.
#[derive(Clone, Copy)]
pub struct Ends<'a> {
    /// Steps.
    pub most: usize,
    /// Σ r² below which nothing better is asked for.
    pub enough: f64,
    /// A step that changes Σ r² by less than this share, or promises to, is the last.
    pub settled: f64,
    /// Minima to which nobody wants to come back.
    pub known: &'a [Basin<'a>],
}

impl Ends<'_> {
    /// So many steps, or where nothing more is gained.
    pub const fn after(most: usize) -> Self {
        Self { most, enough: 0.0, settled: 1e-8, known: &[] }
    }
}

/// A step that did not help is made shorter by at least this damping.
const FIRM: f64 = 0.1;
/// Damping beyond which no step is worth trying.
const STIFF: f64 = 1e10;
/// A share of the squares that is rounding.
const NOTHING: f64 = 1e-12;
/// Where a level is asked for, steps that promise less than this share of the way to it do not reach it.
const VAIN: f64 = 0.1;

/// The least squares next to `start`; `None` if there is no motion there, or the work shall stop.
pub fn least_squares(misfit: &impl Misfit, start: &[f64], most: usize) -> Option<Least> {
    least_squares_until(misfit, start, Ends::after(most))
}

/// The same; `None` also if it comes back to a minimum that is known.
pub fn least_squares_until<M: Misfit>(misfit: &M, start: &[f64], ends: Ends<'_>) -> Option<Least> {
    let End { p, seen, residuals, columns, rss } = descend(misfit, start, ends)?;
    let columns = columns.or_else(|| misfit.columns(&p, &seen))?;
    Some(Least { p, residuals, columns, rss })
}

/// The numbers near `start` and their Σ r², as small as it gets or smaller than a level.
pub fn least_below(misfit: &impl Misfit, start: &[f64], ends: Ends<'_>) -> Option<(Vec<f64>, f64)> {
    descend(misfit, start, ends).map(|end| (end.p, end.rss))
}

struct End<S> {
    p: Vec<f64>,
    seen: S,
    residuals: Vec<f64>,
    /// Where they were asked for.
    columns: Option<Vec<Vec<f64>>>,
    rss: f64,
}

fn descend<M: Misfit>(misfit: &M, start: &[f64], ends: Ends<'_>) -> Option<End<M::Seen>> {
    let bounds = misfit.bounds();
    let p: Vec<f64> = start.iter().zip(&bounds).map(|(v, b)| v.clamp(b[0], b[1])).collect();
    let (seen, residuals) = misfit.see(&p)?;
    let rss = square(&residuals);
    let mut at = End { p, seen, residuals, columns: None, rss };
    // The damping, relative to the diagonal of JᵀJ, and the factor of its growth, which grows with every
    // failure.
    let mut damping = 1e-3;
    let mut harder = 2.0;
    for _ in 0..ends.most {
        if misfit.stop() {
            return None;
        }
        if at.rss < ends.enough {
            break;
        }
        if at.columns.is_none() {
            at.columns = Some(misfit.columns(&at.p, &at.seen)?);
        }
        let columns = at.columns.as_deref().unwrap_or_default();
        let way = step(&at.p, &bounds, columns, &at.residuals, damping);
        let next = way.map(|(step, promised)| {
            let moved = at.p.iter().zip(&step).zip(&bounds);
            let moved = moved.map(|((p, by), [low, high])| (p + by).clamp(*low, *high));
            (moved.collect::<Vec<f64>>(), promised)
        });
        // A start that heads for a minimum which is known costs no more motions than it has already.
        if let Some((p, promised)) = &next {
            if ends.known.iter().any(|k| k.holds(p, at.rss - promised)) {
                return None;
            }
            let little = if ends.enough > 0.0 { VAIN * (at.rss - ends.enough) } else { 0.0 };
            if *promised <= little.max(ends.settled * at.rss) {
                break;
            }
        }
        let better = next.and_then(|(p, _)| {
            let (seen, residuals) = misfit.see(&p)?;
            let rss = square(&residuals);
            (rss < at.rss).then_some(End { p, seen, residuals, columns: None, rss })
        });
        let Some(better) = better else {
            // Even the shortest steps worth a trial do not descend: this is as far as it goes.
            if damping > STIFF {
                break;
            }
            (damping, harder) = ((damping * harder).max(FIRM), 4.0 * harder);
            continue;
        };
        let gained = (at.rss - better.rss) / at.rss.max(f64::MIN_POSITIVE);
        at = better;
        // A good step shows that the curvature is right there: the next one is nearly that of Gauss and Newton.
        (damping, harder) = ((damping / 5.0).max(1e-9), 2.0);
        if gained < ends.settled {
            break;
        }
    }
    Some(at)
}

/// The products of columns with one another.
fn products(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut all = vec![vec![0.0; columns.len()]; columns.len()];
    for i in 0..columns.len() {
        for j in 0..=i {
            let product = dot(&columns[i], &columns[j]);
            (all[i][j], all[j][i]) = (product, product);
        }
    }
    all
}

/// Σ uᵢ uⱼ of the products.
fn curved(product: &[Vec<f64>], u: &[f64]) -> f64 {
    product.iter().zip(u).map(|(row, v)| v * dot(row, u)).sum()
}

/// The damped step, and by how much Σ r² should fall with it; numbers at a bound stay there if the step would leave it.
fn step(
    p: &[f64],
    bounds: &[[f64; 2]],
    columns: &[Vec<f64>],
    residuals: &[f64],
    damping: f64,
) -> Option<(Vec<f64>, f64)> {
    // Columns are derivatives of the prediction, residuals what was measured beyond it: this is half the
    // negative gradient.
    let pull: Vec<f64> = columns.iter().map(|c| dot(c, residuals)).collect();
    let product = products(columns);
    let mut free: Vec<usize> = (0..p.len())
        .filter(|&k| {
            // A number at its bound that the gradient pushes outwards does not take part.
            let outward = (p[k] <= bounds[k][0] && pull[k] <= 0.0)
                || (p[k] >= bounds[k][1] && pull[k] >= 0.0);
            !outward && bounds[k][1] > bounds[k][0] && product[k][k] > 0.0
        })
        .collect();
    let mut step = vec![0.0; p.len()];
    let scale: Vec<f64> = (0..p.len()).map(|k| product[k][k].sqrt()).collect();
    // What leaves a bound on the way is set there, and the rest is solved again: once for each number at most.
    while !free.is_empty() {
        let normal: Vec<Vec<f64>> = free
            .iter()
            .map(|&i| {
                free.iter()
                    .map(|&j| {
                        // Columns of unit length, so that the units of the numbers do not matter for the
                        // damping or the inverse.
                        let cosine = product[i][j] / (scale[i] * scale[j]);
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
        let Some(at) = free.iter().position(leaves) else { break };
        step[free.remove(at)] = 0.0;
    }
    // By the curvature without damping, which is no part of the squares.
    let promised = 2.0 * dot(&step, &pull) - curved(&product, &step);
    Some((step, promised))
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
        type Seen = Vec<f64>;

        fn bounds(&self) -> Vec<[f64; 2]> {
            self.bounds.clone()
        }

        fn see(&self, p: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
            let t = |i: usize| i as f64 / 3.0;
            let e: Vec<f64> = (0..self.seen.len()).map(|i| (-p[1] * t(i)).exp()).collect();
            let r = self.seen.iter().zip(&e).map(|(y, e)| y - p[0] * e).collect();
            Some((e, r))
        }

        fn columns(&self, p: &[f64], e: &Vec<f64>) -> Option<Vec<Vec<f64>>> {
            let t = |i: usize| i as f64 / 3.0;
            let slope = e.iter().enumerate().map(|(i, e)| -p[0] * t(i) * e).collect();
            Some(vec![e.clone(), slope])
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
