//! Linear filters of white noise, exact in law on any grid and under halving.
//!
//! The state of a filter obeys `ds = A s dt + G dB`. Over a time δ
//!
//! ```text
//! s(t+δ) = Φ s(t) + N(0, Q),      Φ = e^{Aδ},      Q = ∫₀^δ e^{Au} G Gᵀ e^{Aᵀu} du
//! ```
//!
//! and given both ends of an interval of length 2δ its middle is normal too (the bridge):
//!
//! ```text
//! mean = C Q⁻¹Φ s(t) + C ΦᵀQ⁻¹ s(t+2δ),      C = (Q⁻¹ + ΦᵀQ⁻¹Φ)⁻¹
//! ```
//!
//! (For Brownian motion: half the sum, variance δ/2, Lévy's construction.) No formula here subtracts
//! nearly equal numbers, however short or long δ: Φ and Q come from their power series at a δ small
//! enough and from Φ(2δ) = Φ², Q(2δ) = Q + ΦQΦᵀ.

use crate::signal::noise::grid::power_of_two;

/// A D × D matrix, by rows.
pub(crate) type Matrix<const D: usize> = [[f64; D]; D];

/// Law of the middle of an interval, given its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bridge<const D: usize> {
    /// Factor of the left end.
    pub left: Matrix<D>,
    /// Factor of the right end.
    pub right: Matrix<D>,
    /// Lower triangle R with R Rᵀ = C.
    pub root: Matrix<D>,
}

/// `ds = A s dt + G dB`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Filter<const D: usize> {
    pub a: Matrix<D>,
    pub g: [f64; D],
}

impl<const D: usize> Filter<D> {
    /// Φ and Q over `delta` (s).
    pub fn transition(&self, delta: f64) -> (Matrix<D>, Matrix<D>) {
        let norm = self.a.iter().flatten().map(|x| x.abs()).sum::<f64>() * delta;
        let halvings = (0..100).find(|&k| norm * power_of_two(-k) <= 0.25).unwrap_or(100);
        let (mut phi, mut q) = self.series(delta * power_of_two(-halvings));
        for _ in 0..halvings {
            let moved = times(&times(&phi, &q), &transposed(&phi));
            q = sum(&q, &moved);
            phi = times(&phi, &phi);
        }
        (phi, q)
    }

    /// Σ (Aδ)ⁿ/n! and Σ δⁿ Cₙ/n! with C₁ = GGᵀ, Cₙ₊₁ = A Cₙ + Cₙ Aᵀ, for small Aδ.
    fn series(&self, delta: f64) -> (Matrix<D>, Matrix<D>) {
        let mut phi = [[0.0; D]; D];
        (0..D).for_each(|i| phi[i][i] = 1.0);
        let mut power = phi;
        let mut term = scaled(delta, &std::array::from_fn(|i| self.g.map(|g| self.g[i] * g)));
        let mut q = term;
        for n in 1..24 {
            power = scaled(delta / f64::from(n), &times(&self.a, &power));
            phi = sum(&phi, &power);
            let half = times(&self.a, &term);
            term = scaled(delta / f64::from(n + 1), &sum(&half, &transposed(&half)));
            q = sum(&q, &term);
        }
        (phi, q)
    }
}

impl Filter<1> {
    /// Law of the middle of an interval of length 2 `delta` (s).
    pub fn bridge(&self, delta: f64) -> Bridge<1> {
        let ([[phi]], [[q]]) = self.transition(delta);
        let share = 1.0 / (1.0 + phi * phi);
        Bridge { left: [[share * phi]], right: [[share * phi]], root: [[(share * q).sqrt()]] }
    }

    /// R with R Rᵀ = Q over `delta` (s).
    pub fn spread(&self, delta: f64) -> Matrix<1> {
        [[self.transition(delta).1[0][0].sqrt()]]
    }
}

impl Filter<2> {
    /// Law of the middle of an interval of length 2 `delta` (s).
    pub fn bridge(&self, delta: f64) -> Bridge<2> {
        let (phi, q) = self.transition(delta);
        let precision = inverse(&q);
        let back = times(&transposed(&phi), &precision);
        let c = inverse(&sum(&precision, &times(&back, &phi)));
        let left = times(&c, &times(&precision, &phi));
        Bridge { left, right: times(&c, &back), root: root(&c) }
    }

    /// R with R Rᵀ = Q over `delta` (s).
    pub fn spread(&self, delta: f64) -> Matrix<2> {
        root(&self.transition(delta).1)
    }
}

fn times<const D: usize>(a: &Matrix<D>, b: &Matrix<D>) -> Matrix<D> {
    let mut c = [[0.0; D]; D];
    for i in 0..D {
        for j in 0..D {
            for (k, row) in b.iter().enumerate() {
                c[i][j] += a[i][k] * row[j];
            }
        }
    }
    c
}

fn sum<const D: usize>(a: &Matrix<D>, b: &Matrix<D>) -> Matrix<D> {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] + b[i][j]))
}

fn scaled<const D: usize>(s: f64, a: &Matrix<D>) -> Matrix<D> {
    a.map(|row| row.map(|x| s * x))
}

fn transposed<const D: usize>(a: &Matrix<D>) -> Matrix<D> {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

fn inverse(a: &Matrix<2>) -> Matrix<2> {
    let d = 1.0 / (a[0][0] * a[1][1] - a[0][1] * a[1][0]);
    [[d * a[1][1], -d * a[0][1]], [-d * a[1][0], d * a[0][0]]]
}

/// Cholesky's lower triangle.
fn root(c: &Matrix<2>) -> Matrix<2> {
    let first = c[0][0].sqrt();
    let below = c[1][0] / first;
    [[first, 0.0], [below, (c[1][1] - below * below).max(0.0).sqrt()]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oscillator(zeta: f64) -> Filter<2> {
        Filter { a: [[0.0, 1.0], [-1.0, -2.0 * zeta]], g: [0.0, 1.3] }
    }

    fn close(a: f64, b: f64, scale: f64) -> bool {
        (a - b).abs() <= 1e-12 * scale
    }

    /// OU: Φ = e^{−rδ}, Q = σ²(1 − e^{−2rδ})/(2r); the bridge has 1/(2 cosh rδ) and σ² tanh(rδ)/(2r).
    #[test]
    fn ornstein_uhlenbeck_in_closed_form() {
        for (r, s) in [(1.0, 1.0), (0.02, 3.0), (40.0, 0.1)] {
            let filter = Filter { a: [[-r]], g: [s] };
            for k in -40..10 {
                let d = 1.7 * power_of_two(k);
                let ([[phi]], [[q]]) = filter.transition(d);
                assert!(close(phi, (-r * d).exp(), 20.0 * (1.0 + r * d) * phi));
                let exact = -s * s * (-2.0 * r * d).exp_m1() / (2.0 * r);
                assert!(close(q, exact, exact), "{q} {exact}");
                let b = filter.bridge(d);
                let exact = 0.5 / (r * d).cosh();
                assert!(close(b.left[0][0], exact, 20.0 * (1.0 + r * d) * exact));
                let exact = (s * s * (r * d).tanh() / (2.0 * r)).sqrt();
                assert!(close(b.root[0][0], exact, exact));
            }
        }
        let brownian = Filter { a: [[0.0]], g: [2.0] }.bridge(0.25);
        assert_eq!((brownian.left, brownian.root), ([[0.5]], [[0.5f64.sqrt()]]));
    }

    /// Under-, critically and over-damped: Φ solves the free oscillator, Q tends to σ²/(4ζ) I
    /// (Lyapunov's equation), and for short times to σ²(δ³/3, δ²/2, δ).
    #[test]
    fn second_order_filter_in_closed_form() {
        for zeta in [0.05, 0.5, 1.0, 3.0] {
            let f = oscillator(zeta);
            let (_, q) = f.transition(4000.0);
            let still = 1.69 / (4.0 * zeta);
            assert!(close(q[0][0], still, still) && close(q[1][1], still, still));
            assert!(q[0][1].abs() < 1e-12 * still);
            let d = 1e-7;
            let (_, q) = f.transition(d);
            assert!((q[0][0] / (1.69 * d * d * d / 3.0) - 1.0).abs() < 1e-6);
            assert!((q[0][1] / (1.69 * d * d / 2.0) - 1.0).abs() < 1e-6);
            assert!((q[1][1] / (1.69 * d) - 1.0).abs() < 1e-6);
        }
        let w = (1.0f64 - 0.25).sqrt();
        let d = 2.3;
        let (phi, _) = oscillator(0.5).transition(d);
        let e = (-0.5 * d).exp();
        assert!(close(phi[0][0], e * ((w * d).cos() + 0.5 / w * (w * d).sin()), 1.0));
        assert!(close(phi[0][1], e * (w * d).sin() / w, 1.0));
    }

    /// The bridge composed with the law of the far end gives back the transition: mean
    /// left + right Φ² = Φ, covariance C + right P rightᵀ = Q with P = Q(2δ).
    #[test]
    fn bridge_and_transition_are_one_law() {
        for zeta in [0.02, 0.5, 1.0, 4.0] {
            let f = oscillator(zeta);
            for k in -60..12 {
                let d = 1.3 * power_of_two(k);
                let (phi, q) = f.transition(d);
                let (phi2, p) = f.transition(2.0 * d);
                let b = f.bridge(d);
                let mean = sum(&b.left, &times(&b.right, &phi2));
                let c = times(&b.root, &transposed(&b.root));
                let cov = sum(&c, &times(&times(&b.right, &p), &transposed(&b.right)));
                for i in 0..2 {
                    for j in 0..2 {
                        let unit = (q[i][i] * q[j][j]).sqrt();
                        assert!(close(cov[i][j], q[i][j], 10.0 * unit), "{zeta} {d} {i}{j}");
                        let unit = (q[i][i] / q[j][j]).sqrt().max(phi[i][j].abs());
                        assert!(close(mean[i][j], phi[i][j], 100.0 * unit), "{zeta} {d} {i}{j}");
                    }
                }
            }
        }
    }
}
