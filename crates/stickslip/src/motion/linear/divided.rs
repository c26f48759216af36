//! Divided differences of the exponential: the responses of linear systems without special cases.
//!
//! The response of (d/dt − z₀)…(d/dt − z_{n−1}) u = e^{z_n t} from rest is the divided difference
//! of z ↦ e^{zt} at z₀, …, z_n. Resonance, critical damping, K = 0 and ramps are coinciding points,
//! where the divided difference stays well defined, and accurate if it is evaluated with care.

use crate::portable;
use num_complex::Complex64;

/// exp[z₀, …, z_n](t) = t^n · exp[z₀t, …, z_nt], for up to five points with Re z ≤ 0 and t ≥ 0.
pub(super) fn exp_divided(points: &[Complex64], t: f64) -> Complex64 {
    let mut w = [Complex64::ZERO; 5];
    let n = points.len();
    for (w, z) in w.iter_mut().zip(points) {
        *w = z * t;
    }
    t.powi(n as i32 - 1) * recurse(&w[..n])
}

/// e^z.
pub(super) fn exp(z: Complex64) -> Complex64 {
    let (sin, cos) = portable::sin_cos(z.im);
    let size = portable::exp(z.re);
    Complex64::new(size * cos, size * sin)
}

/// Points closer together than this are expanded about their mean.
const RADIUS: f64 = 1.5;

fn recurse(w: &[Complex64]) -> Complex64 {
    if w.len() == 1 {
        return exp(w[0]);
    }
    let mut far = -1.0;
    let mut i = 0;
    let mut j = 0;
    for (a, wa) in w.iter().enumerate() {
        for (b, wb) in w.iter().enumerate().skip(a + 1) {
            let d = (wa - wb).norm_sqr();
            if d > far {
                (far, i, j) = (d, a, b);
            }
        }
    }
    if far <= RADIUS * RADIUS {
        return taylor(w);
    }
    // The farthest pair: its difference divides with the least amplification.
    let without = |k: usize| {
        let mut rest = [Complex64::ZERO; 5];
        let mut m = 0;
        for (l, z) in w.iter().enumerate() {
            if l != k {
                rest[m] = *z;
                m += 1;
            }
        }
        rest
    };
    let m = w.len() - 1;
    (recurse(&without(j)[..m]) - recurse(&without(i)[..m])) / (w[i] - w[j])
}

/// e^μ Σ_k h_k(w − μ)/(n + k)!, h_k the complete homogeneous symmetric polynomial. With ρ = max |w − μ| a term is at most
/// ρ^k/(k! n!), and the sum about 1/n!: it ends where nothing is left to add.
fn taylor(w: &[Complex64]) -> Complex64 {
    let n = w.len() - 1;
    let mean = w.iter().sum::<Complex64>() / w.len() as f64;
    let mut h = [Complex64::ZERO; 5]; // h[i] = h_k of the first i + 1 points
    h[..=n].fill(Complex64::ONE);
    let mut inverse_factorial = (1..=n).fold(1.0, |f, k| f / k as f64);
    let mut sum = Complex64::from(inverse_factorial);
    let spread = w.iter().map(|z| (z - mean).norm_sqr()).fold(0.0, f64::max).sqrt();
    let mut left = 1.0;
    for k in 1..=26 {
        left *= spread / k as f64;
        if left < 1e-20 {
            break;
        }
        let mut below = Complex64::ZERO;
        for (hi, z) in h[..=n].iter_mut().zip(w) {
            *hi = below + (z - mean) * *hi;
            below = *hi;
        }
        inverse_factorial /= (n + k) as f64;
        sum += h[n] * inverse_factorial;
    }
    exp(mean) * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ over the simplex, by the recurrence in one more dimension: exp[w₀…w_n] satisfies
    /// t-derivative z₀·exp[z₀…z_n] + exp[z₁…z_n]; integrate that with fine RK4 steps.
    fn by_quadrature(z: &[Complex64], t: f64) -> Complex64 {
        let n = z.len();
        let steps = 4000;
        let h = t / steps as f64;
        // u[k] = exp[z_0..z_k]; u' = z_k u_k + u_{k-1}
        let mut u = vec![Complex64::ZERO; n];
        u[0] = Complex64::ONE;
        let rhs = |u: &[Complex64]| -> Vec<Complex64> {
            (0..n).map(|k| z[k] * u[k] + if k > 0 { u[k - 1] } else { Complex64::ZERO }).collect()
        };
        let add = |u: &[Complex64], d: &[Complex64], s: f64| -> Vec<Complex64> {
            u.iter().zip(d).map(|(a, b)| a + b * s).collect()
        };
        for _ in 0..steps {
            let k1 = rhs(&u);
            let k2 = rhs(&add(&u, &k1, h / 2.0));
            let k3 = rhs(&add(&u, &k2, h / 2.0));
            let k4 = rhs(&add(&u, &k3, h));
            for i in 0..n {
                u[i] += (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) * (h / 6.0);
            }
        }
        u[n - 1]
    }

    #[test]
    fn agrees_with_the_chain_of_integrators() {
        let c = Complex64::new;
        let cases: [(&[Complex64], f64); 6] = [
            (&[c(-0.1, 1.0), c(-0.1, -1.0), c(0.0, 1.0)], 7.0),
            (&[c(0.0, 1.0), c(0.0, -1.0), c(0.0, 1.0 + 1e-9)], 7.0),
            (&[c(-1.0, 0.0), c(-1.0 - 1e-12, 0.0), c(0.0, 0.0), c(0.0, 0.0)], 3.0),
            (&[c(0.0, 0.0), c(0.0, 0.0), c(0.0, 0.0), c(0.0, 0.0)], 3.0),
            (&[c(-2.0, 0.0), c(-0.01, 0.0), c(0.0, 0.3)], 4.0),
            (&[c(0.0, 0.0), c(-3.0, 0.0), c(0.0, 0.0)], 5.0),
        ];
        for (z, t) in cases {
            let a = exp_divided(z, t);
            let b = by_quadrature(z, t);
            assert!((a - b).norm() < 1e-11 * b.norm(), "{z:?}: {a} {b}");
        }
    }

    #[test]
    fn coinciding_zeros_are_powers() {
        let z = [Complex64::ZERO; 4];
        assert!((exp_divided(&z, 2.0).re - 8.0 / 6.0).abs() < 1e-15);
    }
}
