//! What forces within limits do: a linear complementarity problem with boxes.

/// Where a force stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// At its lower limit.
    Low,
    /// Between its limits.
    Inside,
    /// At its upper limit.
    High,
}

/// The forces λ within [low, high] and the accelerations α = A λ + u with
///
/// ```text
/// λ = low: α ≥ 0,    low < λ < high: α = 0,    λ = high: α ≤ 0
/// ```
///
/// by principal pivots of least index (Murty 1974), which end for positive definite matrices; A, by rows, only needs to be
/// positive semidefinite: a small share of its diagonal, added to it, makes it definite and shares among dependent forces
/// what only their sum has to carry. What that changes of the accelerations is taken out at the end.
pub(super) fn solve(a: &[f64], u: &[f64], limits: &[[f64; 2]]) -> Option<(Vec<f64>, Vec<Stand>)> {
    let mut pivots = Pivots::default();
    pivots.solve(a, u, limits).then_some((pivots.lambda, pivots.stands))
}

/// The forces, where they stand, and what their search writes to.
#[derive(Debug, Clone, Default)]
pub(super) struct Pivots {
    pub lambda: Vec<f64>,
    stands: Vec<Stand>,
    /// Those inside their limits, their part of A, its factor, and how they change.
    inside: Vec<usize>,
    block: Vec<f64>,
    factor: Vec<f64>,
    change: Vec<f64>,
}

impl Pivots {
    /// As [`solve`], for whoever asks again and again; whether there are such forces.
    pub fn solve(&mut self, a: &[f64], u: &[f64], limits: &[[f64; 2]]) -> bool {
        let n = u.len();
        let Self { lambda, stands, inside, block, factor, change } = self;
        let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
        // By its own diagonal entry: a light body elsewhere must not soften what holds a heavy one.
        let shift = |i: usize| SHIFT * if a[i * n + i] > 0.0 { a[i * n + i] } else { largest };
        let at = |i: usize, j: usize| a[i * n + j] + if i == j { shift(i) } else { 0.0 };
        let acceleration =
            |i: usize, lambda: &[f64]| (0..n).map(|j| at(i, j) * lambda[j]).sum::<f64>() + u[i];
        // What can be held is looked at first: most often all of it holds.
        stands.clear();
        stands.resize(n, Stand::Inside);
        lambda.clear();
        lambda.resize(n, 0.0);
        for _ in 0..MOST_PIVOTS {
            for (l, (stand, limit)) in lambda.iter_mut().zip(stands.iter().zip(limits)) {
                *l = match stand {
                    Stand::Low => limit[0],
                    Stand::Inside => 0.0,
                    Stand::High => limit[1],
                };
            }
            inside.clear();
            inside.extend((0..n).filter(|&i| stands[i] == Stand::Inside));
            let m = inside.len();
            block.clear();
            for &i in &*inside {
                block.extend(inside.iter().map(|&j| at(i, j)));
            }
            if !crate::numeric::cholesky_into(block, m, factor) {
                return false;
            }
            // Adds to the forces inside their limits what takes the accelerations in `change` away.
            let take_away = |change: &mut [f64], lambda: &mut [f64]| {
                change.iter_mut().for_each(|a| *a = -*a);
                crate::numeric::solve_lower(factor, change);
                crate::numeric::solve_transposed(factor, change);
                inside.iter().zip(&*change).for_each(|(&i, c)| lambda[i] += c);
            };
            change.clear();
            change.extend(inside.iter().map(|&i| acceleration(i, lambda)));
            take_away(change, lambda);
            let wrong = (0..n).find_map(|i| {
                let scale = limits[i]
                    .iter()
                    .filter(|l| l.is_finite())
                    .fold(0.0, |m: f64, l| m.max(l.abs()));
                let [low, high] = limits[i];
                match stands[i] {
                    Stand::Inside if lambda[i] < low - SHIFT * scale => Some((i, Stand::Low)),
                    Stand::Inside if lambda[i] > high + SHIFT * scale => Some((i, Stand::High)),
                    Stand::Low if acceleration(i, lambda) < 0.0 => Some((i, Stand::Inside)),
                    Stand::High if acceleration(i, lambda) > 0.0 => Some((i, Stand::Inside)),
                    _ => None,
                }
            });
            let Some((i, stand)) = wrong else {
                // Impacts that follow each other enlarge the error of an impulse: 1e-13 of it would be seen. Of dependent
                // forces only the sum is determined, and rounding would change their shares.
                if (0..m).all(|k| factor[k * m + k].powi(2) > DEPENDENT * block[k * m + k]) {
                    change.clear();
                    change.extend(
                        inside.iter().map(|&i| acceleration(i, lambda) - shift(i) * lambda[i]),
                    );
                    take_away(change, lambda);
                }
                return true;
            };
            stands[i] = stand;
        }
        false
    }
}

/// What is added to an entry of the diagonal, relative to it.
const SHIFT: f64 = 1e-13;
/// A pivot below this share of its diagonal entry belongs to a row that others make up.
const DEPENDENT: f64 = 1e-8;
/// Pivots after which the search is given up; sixteen forces have taken fewer than a hundred.
const MOST_PIVOTS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_force_holds_or_gives_way() {
        let of = |u: f64| solve(&[2.0], &[u], &[[-1.0, 3.0]]).unwrap();
        assert!((of(1.0).0[0] + 0.5).abs() < 1e-15 && of(1.0).1[0] == Stand::Inside);
        assert_eq!(of(4.0), (vec![-1.0], vec![Stand::Low]));
        assert_eq!(of(-7.0), (vec![3.0], vec![Stand::High]));
    }

    /// What makes the matrix definite is not seen in the forces, however different their masses are.
    #[test]
    fn forces_are_right_to_rounding() {
        // A = J M⁻¹ Jᵀ of two stops against the ground, at 1e-9 kg and at 3 kg.
        let (lambda, _) =
            solve(&[1e9, 0.0, 0.0, 1.0 / 3.0], &[-2e9, -1.0], &[[0.0, f64::INFINITY]; 2]).unwrap();
        assert!((lambda[0] - 2.0).abs() < 1e-15, "{lambda:?}");
        assert!((lambda[1] - 3.0).abs() < 1e-15, "{lambda:?}");
    }

    /// Two forces on one mass hold 1.5 together, neither of them alone.
    #[test]
    fn dependent_forces_share() {
        let a = [1.0; 4];
        let limits = [[-1.0, 1.0], [-0.6, 0.6]];
        let (lambda, stands) = solve(&a, &[-1.5, -1.5], &limits).unwrap();
        assert!((lambda[0] + lambda[1] - 1.5).abs() < 1e-9, "{lambda:?} {stands:?}");
        assert!(stands.contains(&Stand::Inside));
        let (_, stands) = solve(&a, &[-1.7, -1.7], &limits).unwrap();
        assert_eq!(stands, [Stand::High; 2]);
    }

    /// Against projected Gauss–Seidel sweeps to convergence, on fresh random problems.
    #[test]
    fn as_sweeps_have_it() {
        let mut seed = 12345u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..300 {
            let n = 1 + (5.0 * random()) as usize;
            let b: Vec<f64> = (0..n * n).map(|_| random() - 0.5).collect();
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
                }
                a[i * n + i] += 0.2;
            }
            let u: Vec<f64> = (0..n).map(|_| 2.0 * random() - 1.0).collect();
            let limits: Vec<[f64; 2]> = (0..n)
                .map(|_| if random() < 0.3 { [0.0, f64::INFINITY] } else { [-random(), random()] })
                .collect();
            let (lambda, _) = solve(&a, &u, &limits).unwrap();
            let mut swept = vec![0.0; n];
            for _ in 0..20_000 {
                for i in 0..n {
                    let alpha = (0..n).map(|j| a[i * n + j] * swept[j]).sum::<f64>() + u[i];
                    swept[i] = (swept[i] - alpha / a[i * n + i]).clamp(limits[i][0], limits[i][1]);
                }
            }
            for (l, s) in lambda.iter().zip(&swept) {
                assert!((l - s).abs() < 1e-8, "{lambda:?} {swept:?}");
            }
        }
    }
}
