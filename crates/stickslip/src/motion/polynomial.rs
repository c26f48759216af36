//! Polynomials on [0, 1]: what dense output and guards are made of.

use crate::portable;
use crate::roots::Jet;
use std::f64::consts::PI;
use std::sync::OnceLock;

/// Degree of the dense output, 7, and of the guards' interpolants, 8.
pub(crate) const TERMS: usize = 9;

/// cos(kjπ/8), which every interpolation needs.
fn cosines() -> &'static [[f64; TERMS]; TERMS] {
    static COSINES: OnceLock<[[f64; TERMS]; TERMS]> = OnceLock::new();
    COSINES.get_or_init(|| {
        let cosine = |k: usize, j: usize| portable::cos(PI * (k * j) as f64 / (TERMS - 1) as f64);
        std::array::from_fn(|k| std::array::from_fn(|j| cosine(k, j)))
    })
}

/// The degree of the interpolants.
const N: usize = TERMS - 1;

/// The coefficient of T_k(2θ − 1) in the polynomial through these values at the Chebyshev points.
#[inline]
fn chebyshev(values: &[f64; TERMS], k: usize) -> f64 {
    let mut sum = 0.0;
    for (j, (v, cosine)) in values.iter().zip(&cosines()[k]).enumerate() {
        let ends = if j == 0 || j == N { 0.5 } else { 1.0 };
        // u_j = −cos(jπ/N), T_k(u_j) = (−1)^k cos(kjπ/N)
        sum += ends * v * cosine;
    }
    let ends = if k == 0 || k == N { 1.0 } else { 2.0 };
    sum * (ends / N as f64 * if k.is_multiple_of(2) { 1.0 } else { -1.0 })
}

/// Σ c_k θ^k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Poly(pub [f64; TERMS]);

impl Poly {
    /// p(θ).
    #[inline]
    pub fn at(&self, theta: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, c| sum * theta + c)
    }

    /// p at each of these places: the same numbers as by [`at`](Self::at), side by side.
    #[inline]
    pub fn at_each<const N: usize>(&self, thetas: &[f64; N]) -> [f64; N] {
        let mut sums = [0.0; N];
        for c in self.0.iter().rev() {
            for (sum, theta) in sums.iter_mut().zip(thetas) {
                *sum = *sum * theta + c;
            }
        }
        sums
    }

    /// p′(θ).
    pub fn slope(&self, theta: f64) -> f64 {
        (1..TERMS).rev().fold(0.0, |sum, k| sum * theta + k as f64 * self.0[k])
    }

    /// p, p′, p″ at θ as derivatives in time, for a step of `h` (s).
    pub fn derivatives(&self, theta: f64, h: f64) -> [f64; 3] {
        let mut p = 0.0;
        let mut p1 = 0.0;
        let mut p2 = 0.0;
        for &c in self.0.iter().rev() {
            p2 = p2 * theta + p1;
            p1 = p1 * theta + p;
            p = p * theta + c;
        }
        [p, p1 / h, 2.0 * p2 / (h * h)]
    }

    /// A bound on |p‴| over [0, 1] as a derivative in time.
    pub fn third_bound(&self, h: f64) -> f64 {
        let term = |k: usize| (k * (k - 1) * (k - 2)) as f64 * self.0[k].abs();
        (3..TERMS).map(term).sum::<f64>() / (h * h * h)
    }

    /// The value at the first minimum after θ, by Newton's method on the slope.
    pub fn least(&self, mut theta: f64) -> f64 {
        for _ in 0..8 {
            let [_, slope, curvature] = self.derivatives(theta, 1.0);
            if curvature <= 0.0 {
                break;
            }
            theta = (theta - slope / curvature).clamp(0.0, 1.0);
        }
        self.at(theta)
    }

    /// Where it falls to `near` or below it and rises again, 0 < θ < 1, around the lowest of its `values` at the points of
    /// [`Self::interpolate`].
    pub fn dip(&self, values: &[f64; TERMS], near: f64) -> Option<f64> {
        let mut theta = 0.0;
        let mut least = f64::INFINITY;
        for (value, node) in values.iter().zip(Self::nodes()) {
            if *value < least {
                (theta, least) = (*node, *value);
            }
        }
        // Next to its minimum it lies above its tangent, and the next points are no farther than this.
        const APART: f64 = 0.2;
        if least - APART * self.slope(theta).abs() > near {
            return None;
        }
        for _ in 0..8 {
            let [_, slope, curvature] = self.derivatives(theta, 1.0);
            if curvature <= 0.0 {
                return None;
            }
            theta = (theta - slope / curvature).clamp(0.0, 1.0);
        }
        (theta > 0.0 && theta < 1.0 && self.at(theta) <= near).then_some(theta)
    }

    /// As a jet in time.
    pub fn jet(&self, theta: f64, h: f64, bound: f64) -> Jet {
        let [value, first, second] = self.derivatives(theta, h);
        Jet { value, first, second, third: 0.0, bound, growth: 0.0 }
    }

    /// From the nested form y₀ + θ(F₀ + (1 − θ)(F₁ + θ(F₂ + …))) of the dense output.
    pub fn from_nested(y0: f64, f: &[f64; 7]) -> Self {
        let mut c = [0.0; TERMS];
        for (i, &fi) in f.iter().enumerate().rev() {
            c[0] += fi;
            let below = c;
            if i % 2 == 1 {
                // times (1 − θ)
                for k in 1..TERMS {
                    c[k] = below[k] - below[k - 1];
                }
            } else {
                c[0] = 0.0;
                c[1..].copy_from_slice(&below[..TERMS - 1]);
            }
        }
        c[0] += y0;
        Self(c)
    }

    /// Through the values at the Chebyshev points θ_j = (1 − cos(jπ/8))/2, j = 0 … 8, and the size of
    /// its last two terms against the greatest: how well it follows a smooth function.
    pub fn interpolate(values: &[f64; TERMS]) -> (Self, f64) {
        let c: [f64; TERMS] = std::array::from_fn(|k| chebyshev(values, k));
        let tail = c[N].abs() + c[N - 1].abs();
        // T_{k+1} = 2(2θ − 1) T_k − T_{k−1}, in powers of θ
        let mut before = [0.0; TERMS];
        let mut now = [0.0; TERMS];
        (before[0], now[0], now[1]) = (1.0, -1.0, 2.0);
        let mut p = [0.0; TERMS];
        for (k, &ck) in c.iter().enumerate() {
            for (pi, b) in p.iter_mut().zip(&before) {
                *pi += ck * b;
            }
            if k == N {
                break;
            }
            let mut next = [0.0; TERMS];
            for i in 0..TERMS {
                let shifted = if i > 0 { 4.0 * now[i - 1] } else { 0.0 };
                next[i] = shifted - 2.0 * now[i] - before[i];
            }
            (before, now) = (now, next);
        }
        (Self(p), tail)
    }

    /// The tail of [`interpolate`](Self::interpolate) alone: most interpolations are only asked whether they are good.
    pub fn tail(values: &[f64; TERMS]) -> f64 {
        chebyshev(values, N).abs() + chebyshev(values, N - 1).abs()
    }

    /// The points of [`Self::interpolate`].
    pub fn nodes() -> &'static [f64; TERMS] {
        static NODES: OnceLock<[f64; TERMS]> = OnceLock::new();
        NODES.get_or_init(|| {
            std::array::from_fn(|j| {
                let s = portable::sin(0.5 * PI * j as f64 / N as f64);
                s * s
            })
        })
    }

    /// The point number `j` of [`Self::interpolate`].
    pub fn node(j: usize) -> f64 {
        Self::nodes()[j]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_what_it_can_hold() {
        let want = [0.3, -1.0, 2.0, 0.5, -0.25, 1.5, 0.7, -0.1, 0.9];
        let p = Poly(want);
        let values = std::array::from_fn(|j| p.at(Poly::node(j)));
        let (q, _) = Poly::interpolate(&values);
        for (a, b) in q.0.iter().zip(want) {
            assert!((a - b).abs() < 1e-9); // powers of θ are an ill-conditioned basis
        }
        let sine = std::array::from_fn(|j| (0.5 * Poly::node(j)).sin());
        let (q, tail) = Poly::interpolate(&sine);
        assert!(
            (0..100).all(|i| (q.at(0.01 * f64::from(i)) - (0.005 * f64::from(i)).sin()).abs()
                <= tail.max(1e-15))
        );
        assert!(tail < 1e-8);
    }

    #[test]
    fn derivatives_and_nested_form() {
        let f = [0.5, -0.3, 0.2, 0.1, -0.4, 0.6, 0.05];
        let p = Poly::from_nested(1.5, &f);
        for i in 0..=10 {
            let th = 0.1 * f64::from(i);
            let nested = f
                .iter()
                .enumerate()
                .rev()
                .fold(0.0, |y, (i, f)| (y + f) * if i % 2 == 1 { 1.0 - th } else { th });
            assert!((p.at(th) - 1.5 - nested).abs() < 1e-14);
            let [v, d1, d2] = p.derivatives(th, 2.0);
            let e = 1e-4;
            assert!((v - p.at(th)).abs() < 1e-14 && (d1 - p.slope(th) / 2.0).abs() < 1e-14);
            let second = (p.at(th + e) - 2.0 * v + p.at(th - e)) / (e * e) / 4.0;
            assert!((d2 - second).abs() < 1e-5);
        }
    }
}
