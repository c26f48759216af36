//! Covariances of linear systems under noise, of a scheme and of the system itself.
//!
//! Both go from z = 0 by equal steps z⁺ = Φ z + N(0, Q), the system with Φ = e^{Ah}, Q = ∫₀^h e^{Au} G Gᵀ e^{Aᵀu} du and the θ-method with
//! θ = ½ with the Cayley transform of A. Two such steps are one of Φ² and ΦQΦᵀ + Q, so that those after n steps take log₂ n
//! products of matrices: the differential equation of Lyapunov and its discrete counterpart, solved exactly.

use crate::numeric::{times, transposed};
use crate::signal::noise::Noise;

/// M ẍ + C ẋ + K x = Σ forces, each noise on one of the x.
pub(super) struct Shaken<'a> {
    /// Number of displacements.
    pub size: usize,
    /// M, C and K, row by row.
    pub mass: &'a [f64],
    pub damping: &'a [f64],
    pub stiffness: &'a [f64],
    pub noises: &'a [(usize, Noise)],
}

/// z⁺ = Φ z + N(0, Q).
#[derive(Clone)]
pub(super) struct Step {
    n: usize,
    phi: Vec<f64>,
    q: Vec<f64>,
}

/// ds = F s dt + g dB, force c·s; of white noise there is no s.
struct Filtered {
    f: Vec<[f64; 2]>,
    g: Vec<f64>,
    c: Vec<f64>,
}

impl Filtered {
    fn of(noise: &Noise) -> Self {
        match *noise {
            Noise::White { .. } => Self { f: vec![], g: vec![], c: vec![] },
            Noise::OrnsteinUhlenbeck { rate, intensity, scale } => {
                Self { f: vec![[-rate, 0.0]], g: vec![intensity], c: vec![scale] }
            }
            Noise::KanaiTajimi { angular_frequency: w, damping_ratio: d, intensity, scale } => {
                Self {
                    f: vec![[0.0, 1.0], [-w * w, -2.0 * d * w]],
                    g: vec![0.0, intensity],
                    // The force is the acceleration of the filter's ground, −(2ζω y + ω² x), times `scale`.
                    c: vec![-scale * w * w, -2.0 * scale * d * w],
                }
            }
        }
    }
}

impl Shaken<'_> {
    /// The size of z = (x, ẋ, states of the filters).
    fn order(&self) -> usize {
        let filters = self.noises.iter().map(|(_, noise)| Filtered::of(noise).f.len());
        2 * self.size + filters.sum::<usize>()
    }

    /// A and GGᵀ of dz = A z dt + G dB; nothing where M is singular.
    fn system(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let m = self.size;
        let n = self.order();
        let mut a = vec![0.0; n * n];
        let mut g = vec![0.0; n * n];
        let lighter = inverse(self.mass, m)?;
        let [pulls, drags] = [self.stiffness, self.damping].map(|k| times(&lighter, k, m));
        for i in 0..m {
            a[i * n + m + i] = 1.0;
            for j in 0..m {
                a[(m + i) * n + j] = -pulls[i * m + j];
                a[(m + i) * n + m + j] = -drags[i * m + j];
            }
        }
        let mut at = 2 * m;
        for (node, noise) in self.noises {
            if let Noise::White { intensity } = noise {
                for i in 0..m {
                    for j in 0..m {
                        // The white force acts on one node, but where masses are shared it moves others at once.
                        let both = lighter[i * m + node] * lighter[j * m + node];
                        g[(m + i) * n + m + j] += intensity * intensity * both;
                    }
                }
            }
            let Filtered { f, g: into, c } = Filtered::of(noise);
            for (i, row) in f.iter().enumerate() {
                for j in 0..f.len() {
                    a[(at + i) * n + at + j] = row[j];
                    g[(at + i) * n + at + j] = into[i] * into[j];
                }
                for k in 0..m {
                    a[(m + k) * n + at + i] = lighter[k * m + node] * c[i];
                }
            }
            at += f.len();
        }
        Some((a, g))
    }

    /// A step of `h` (s) of the system.
    pub fn exact(&self, h: f64) -> Option<Step> {
        let (a, g) = self.system()?;
        Some(Step::of(self.order(), &a, &g, h))
    }

    /// A step of `h` (s) by the θ-method with θ = ½: white noise as an impulse, filtered noise with its exact law at the ends of the step and
    /// the mean of both as force.
    pub fn theta(&self, h: f64) -> Option<Step> {
        let n = self.order();
        let y = 2 * self.size;
        let (a, g) = self.system()?;
        // The filters by themselves: what is above them does not act on them.
        let of_filters = |k: usize| k / n >= y && k % n >= y;
        let only = |all: &[f64], kept: &dyn Fn(usize) -> bool| -> Vec<f64> {
            all.iter().enumerate().map(|(k, x)| if kept(k) { *x } else { 0.0 }).collect()
        };
        let filters = Step::of(n, &only(&a, &of_filters), &only(&g, &of_filters), h);
        // (I − hB/2) y⁺ = (I + hB/2) y + (h/2) E (s + s⁺) + impulses, in which s⁺ is known.
        let unit = |k: usize| if k / n == k % n { 1.0 } else { 0.0 };
        let upper = |k: usize| k / n < y;
        let implicit: Vec<f64> = a
            .iter()
            .enumerate()
            .map(|(k, a)| unit(k) - if upper(k) { 0.5 * h * a } else { 0.0 })
            .collect();
        let known: Vec<f64> = a
            .iter()
            .enumerate()
            .map(|(k, a)| if upper(k) { unit(k) + 0.5 * h * a } else { filters.phi[k] })
            .collect();
        // The rows of the filters in it are those of the unit matrix: their values at the end are known before the
        // step.
        let solved = inverse(&implicit, n)?;
        let shaken: Vec<f64> = g
            .iter()
            .enumerate()
            .map(|(k, g)| if upper(k) { h * g } else { filters.q[k] })
            .collect();
        let q = times(&times(&solved, &shaken, n), &transposed(&solved, n), n);
        Some(Step { n, phi: times(&solved, &known, n), q })
    }
}

impl Step {
    /// Of dz = A z dt + G dB over `h` (s), by the series at a part of it and doubling.
    fn of(n: usize, a: &[f64], g: &[f64], h: f64) -> Self {
        let norm = (0..n).map(|i| (0..n).map(|j| a[i * n + j].abs()).sum::<f64>());
        let norm = norm.fold(0.0, f64::max) * h;
        // The series is short where the norm is at most 1/4: its terms are below a rounding after a dozen.
        let halvings = (0..60).find(|k| norm * 0.5f64.powi(*k) <= 0.25).unwrap_or(60);
        let part = h * 0.5f64.powi(halvings);
        let a: Vec<f64> = a.iter().map(|x| x * part).collect();
        let mut phi: Vec<f64> =
            (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
        let mut power = phi.clone();
        let mut term: Vec<f64> = g.iter().map(|x| x * part).collect();
        let mut q = term.clone();
        for k in 1..20 {
            power = times(&a, &power, n).into_iter().map(|x| x / f64::from(k)).collect();
            add(&mut phi, &power);
            let half = times(&a, &term, n);
            let other = transposed(&half, n);
            // Q = Σ Lᵏ(GGᵀ) h^{k+1}/(k+1)! with L(X) = A X + X Aᵀ; X is symmetric, so that X Aᵀ is the transpose of A
            // X.
            term = half.iter().zip(&other).map(|(x, y)| (x + y) / f64::from(k + 1)).collect();
            add(&mut q, &term);
        }
        let mut step = Self { n, phi, q };
        for _ in 0..halvings {
            // A step twice as long is this one taken twice: no series would converge there as well.
            step = step.then(&step);
        }
        step
    }

    /// This one and then another.
    fn then(&self, next: &Self) -> Self {
        let n = self.n;
        let mut q = times(&times(&next.phi, &self.q, n), &transposed(&next.phi, n), n);
        add(&mut q, &next.q);
        Self { n, phi: times(&next.phi, &self.phi, n), q }
    }

    /// The variances of z after `count` steps from 0.
    pub fn variances(&self, count: u64) -> Vec<f64> {
        let mut all: Option<Self> = None;
        let mut power = self.clone();
        let mut left = count;
        while left > 0 {
            // By the binary digits of `count`: all the steps are powers of one, so their order does not matter.
            if left & 1 == 1 {
                all = Some(all.map_or_else(|| power.clone(), |sum| sum.then(&power)));
            }
            left >>= 1;
            if left > 0 {
                power = power.then(&power);
            }
        }
        (0..self.n).map(|i| all.as_ref().map_or(0.0, |s| s.q[i * self.n + i])).collect()
    }
}

fn add(sum: &mut [f64], more: &[f64]) {
    sum.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
}

/// The inverse, by elimination with the largest pivot of each column; nothing of a singular matrix.
fn inverse(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut a = a.to_vec();
    let mut found: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
    for c in 0..n {
        let pivot = (c..n).max_by(|i, j| a[i * n + c].abs().total_cmp(&a[j * n + c].abs()))?;
        if a[pivot * n + c] == 0.0 || !a[pivot * n + c].is_finite() {
            return None;
        }
        for k in 0..n {
            a.swap(c * n + k, pivot * n + k);
            found.swap(c * n + k, pivot * n + k);
        }
        let scale = 1.0 / a[c * n + c];
        for k in 0..n {
            a[c * n + k] *= scale;
            found[c * n + k] *= scale;
        }
        // Above the pivot too, so that the unit matrix is left and no substitution is needed.
        for i in (0..n).filter(|i| *i != c) {
            let factor = a[i * n + c];
            for k in 0..n {
                a[i * n + k] -= factor * a[c * n + k];
                found[i * n + k] -= factor * found[c * n + k];
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1.3 kg on 5.2 N/m.
    fn one_mass<'a>(damping: &'a [f64], noises: &'a [(usize, Noise)]) -> Shaken<'a> {
        Shaken { size: 1, mass: &[1.3], damping, stiffness: &[5.2], noises }
    }

    /// Stationary under white noise: s²/(2cK) and s²/(2cm), by both, at a step of a sixth of the period too.
    #[test]
    fn stationary_variances_are_the_closed_ones() {
        let noises = [(0, Noise::White { intensity: 0.7 })];
        let shaken = one_mass(&[0.26], &noises);
        for h in [0.01, 0.5] {
            for step in [shaken.exact(h).unwrap(), shaken.theta(h).unwrap()] {
                let found = step.variances(100_000);
                let expected = [0.49 / (2.0 * 0.26 * 5.2), 0.49 / (2.0 * 0.26 * 1.3)];
                for i in 0..2 {
                    assert!((found[i] / expected[i] - 1.0).abs() < 1e-9, "{found:?} {expected:?}");
                }
            }
        }
    }

    /// Undamped under white noise: var x = s²/(2m²ω²) (t − sin 2ωt/2ω), and of the scheme with tan(ω'h/2) = ωh/2 in place of ω.
    #[test]
    fn undamped_variances_grow_as_they_do() {
        let noises = [(0, Noise::White { intensity: 0.7 })];
        let shaken = one_mass(&[0.0], &noises);
        let h = 0.05;
        let count = 777;
        let omega = 2.0f64;
        let t = 0.05 * 777.0;
        let exact = 0.49 / (2.0 * 1.69 * 4.0) * (t - (2.0 * omega * t).sin() / (2.0 * omega));
        let found = shaken.exact(h).unwrap().variances(count)[0];
        assert!((found / exact - 1.0).abs() < 1e-10, "{found} {exact}");
        // x after an impulse at the beginning of a step, k steps later: (P/mω') sin of the middle of the step, by the sum over all steps.
        let slow = 2.0 / h * (0.5 * omega * h).atan();
        let kick = |k: u64| (slow * h * (k as f64 - 0.5)).sin() * (0.5 * slow * h).cos();
        let sum: f64 = (1..=count).map(|k| kick(k).powi(2)).sum();
        let theta = 0.49 * h / (1.69 * 4.0) * sum;
        let found = shaken.theta(h).unwrap().variances(count)[0];
        assert!((found / theta - 1.0).abs() < 1e-10, "{found} {theta}");
    }

    /// The force of Ornstein and Uhlenbeck in the stationary state: σ² = s²/2r.
    #[test]
    fn filters_have_their_own_law() {
        let noises = [(0, Noise::OrnsteinUhlenbeck { rate: 0.8, intensity: 0.9, scale: 1.4 })];
        let shaken = one_mass(&[0.26], &noises);
        for step in [shaken.exact(0.1).unwrap(), shaken.theta(0.1).unwrap()] {
            let found = step.variances(10_000)[2];
            assert!((found / (0.81 / 1.6) - 1.0).abs() < 1e-12, "{found}");
        }
    }
}
