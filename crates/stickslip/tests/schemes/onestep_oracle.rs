//! One-step problems against an interior-point solver.

use crate::common::Random;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT::NonnegativeConeT,
};
use stickslip::onestep::{Chain, Element, Sparse, Status};

/// min ½pᵀAp − rᵀp + Σ α_e t_e  with  ±(Gp + g)_e ≤ t_e, by interior points; the minimum.
fn oracle(
    n: usize,
    a: &[(usize, usize, f64)],
    r: &[f64],
    e: &[Element],
    alpha: &[f64],
    g: &[f64],
) -> (Vec<f64>, f64) {
    let m = e.len();
    let upper: Vec<_> = a.iter().map(|&(i, j, v)| (i.min(j), i.max(j), v)).collect();
    let csc = |rows: usize, cols: usize, t: &[(usize, usize, f64)]| {
        let (i, (j, v)): (Vec<_>, (Vec<_>, Vec<_>)) =
            t.iter().map(|&(i, j, v)| (i, (j, v))).unzip();
        CscMatrix::new_from_triplets(rows, cols, i, j, v)
    };
    let p = csc(n + m, n + m, &upper);
    let q: Vec<f64> = r.iter().map(|r| -r).chain(alpha.iter().copied()).collect();
    let (mut rows, mut b) = (Vec::new(), Vec::new());
    for (k, x) in e.iter().enumerate() {
        for (row, s) in [(2 * k, 1.0), (2 * k + 1, -1.0)] {
            rows.push((row, x.a, s));
            if let Some(other) = x.b {
                rows.push((row, other, -s));
            }
            rows.push((row, n + k, -1.0));
            b.push(-s * g[k]);
        }
    }
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-13)
        .tol_gap_rel(1e-13)
        .tol_feas(1e-13)
        .build()
        .unwrap();
    let mut solver = DefaultSolver::new(
        &p,
        &q,
        &csc(2 * m, n + m, &rows),
        &b,
        &[NonnegativeConeT(2 * m)],
        settings,
    )
    .unwrap();
    solver.solve();
    assert!(matches!(
        solver.solution.status,
        SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress
    ));
    (solver.solution.x[..n].to_vec(), solver.solution.obj_val)
}

fn objective(
    a: &[(usize, usize, f64)],
    r: &[f64],
    e: &[Element],
    alpha: &[f64],
    g: &[f64],
    p: &[f64],
) -> f64 {
    let quadratic: f64 =
        a.iter().map(|&(i, j, v)| v * p[i] * p[j] * if i == j { 0.5 } else { 1.0 }).sum();
    let linear: f64 = r.iter().zip(p).map(|(r, p)| r * p).sum();
    let friction: f64 = (0..e.len())
        .map(|k| alpha[k] * (p[e[k].a] - e[k].b.map_or(0.0, |b| p[b]) + g[k]).abs())
        .sum();
    quadratic - linear + friction
}

#[test]
fn chains_of_random_length() {
    let mut iterations = 0;
    for seed in 0..300 {
        let r = &mut Random(seed);
        let n = 1 + (r.next() % 60) as usize;
        let spread = |r: &mut Random| 10f64.powf(r.uniform(-1.5, 1.5));
        let k: Vec<f64> = (0..=n).map(|_| spread(r)).collect();
        let d: Vec<f64> =
            (0..n).map(|i| k[i] + k[i + 1] + if r.chance(0.5) { spread(r) } else { 0.0 }).collect();
        let mut chain = Chain::new(d.clone(), k[1..n].to_vec()).unwrap();
        let elements: Vec<_> = (0..n).map(|a| Element { a, b: None }).collect();
        let a: Vec<_> =
            (0..n).map(|i| (i, i, d[i])).chain((1..n).map(|i| (i - 1, i, -k[i]))).collect();
        // Several right-hand sides in a row: warm starts that help and warm starts that mislead.
        for _ in 0..4 {
            let alpha: Vec<f64> =
                (0..n).map(|_| if r.chance(0.1) { 0.0 } else { spread(r) }).collect();
            let rhs: Vec<f64> = (0..n).map(|_| 3.0 * r.uniform(-1.0, 1.0) * spread(r)).collect();
            let outcome = chain.solve(&rhs, &alpha);
            iterations += outcome.iterations;
            assert!(outcome.status != Status::Inexact, "seed {seed}: {outcome:?}");
            assert!(outcome.relative_residual() < 1e-14, "seed {seed}: {outcome:?}");
            let g = vec![0.0; n];
            let (x, best) = oracle(n, &a, &rhs, &elements, &alpha, &g);
            let found = objective(&a, &rhs, &elements, &alpha, &g, chain.p());
            let size = 1.0 + best.abs();
            assert!(found <= best + 1e-9 * size, "seed {seed}: {found} above {best}");
            let largest = x.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let gap = x.iter().zip(chain.p()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-3 * largest, "seed {seed}: {gap}");
            let law = (0..n).all(|i| {
                let (p, l) = (chain.p()[i], chain.lambda()[i]);
                l.abs() <= alpha[i] + 1e-11 * outcome.scale
                    && (p == 0.0 || (l - alpha[i].copysign(p)).abs() <= 1e-11 * outcome.scale)
            });
            assert!(law, "seed {seed}");
        }
    }
    println!("{iterations} iterations in 1200 problems");
}

#[test]
fn random_networks() {
    for seed in 0..300 {
        let r = &mut Random(seed);
        let n = 1 + (r.next() % 25) as usize;
        let spread = |r: &mut Random| 10f64.powf(r.uniform(-1.0, 1.0));
        let mut a: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, i, 0.2 * spread(r))).collect();
        for _ in 0..2 * n {
            let (i, j, k) = ((r.next() as usize) % n, (r.next() as usize) % n, spread(r));
            if i != j {
                a.extend([(i, i, k), (j, j, k), (i.min(j), i.max(j), -k)]);
            }
        }
        // Loops of elements and parallel elements are wanted: their forces are not unique.
        let m = 1 + (r.next() as usize) % (2 * n);
        let elements: Vec<Element> = (0..m)
            .map(|_| {
                let (i, j) = ((r.next() as usize) % n, (r.next() as usize) % n);
                Element { a: i, b: (i != j && r.chance(0.6)).then_some(j) }
            })
            .collect();
        let mut problem = Sparse::new(n, &a, elements.clone());
        for _ in 0..4 {
            let alpha: Vec<f64> =
                (0..m).map(|_| if r.chance(0.1) { 0.0 } else { spread(r) }).collect();
            let g: Vec<f64> = elements
                .iter()
                .map(|e| if e.b.is_none() && r.chance(0.1) { 0.3 } else { 0.0 })
                .collect();
            let rhs: Vec<f64> = (0..n).map(|_| 3.0 * r.uniform(-1.0, 1.0) * spread(r)).collect();
            let outcome = problem.solve(&rhs, &alpha, &g);
            assert!(outcome.status != Status::Inexact, "seed {seed}: {outcome:?}");
            let (x, best) = oracle(n, &a, &rhs, &elements, &alpha, &g);
            let found = objective(&a, &rhs, &elements, &alpha, &g, problem.p());
            assert!(found <= best + 1e-9 * (1.0 + best.abs()), "seed {seed}: {found} above {best}");
            let largest = x.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let gap = x.iter().zip(problem.p()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-3 * largest, "seed {seed}: {gap}");
        }
    }
}

/// The springs of a square grid with random stiffnesses, a weak foundation under each node.
fn grid(side: usize, r: &mut Random) -> Vec<(usize, usize, f64)> {
    let mut a: Vec<_> = (0..side * side).map(|i| (i, i, 1e-3)).collect();
    let mut spring = |i: usize, j: usize, k: f64| a.extend([(i, i, k), (j, j, k), (i, j, -k)]);
    for k in 0..side * side {
        if k % side > 0 {
            spring(k - 1, k, r.uniform(0.1, 2.0));
        }
        if k >= side {
            spring(k - side, k, r.uniform(0.1, 2.0));
        }
    }
    a
}

/// A node of a grid on ground friction is pulled there and back: what slips spreads ring by ring, from warm
/// starts that know the last ring only.
#[test]
fn grids_without_mass_that_are_pulled_at_a_node() {
    for seed in 0..6 {
        let r = &mut Random(seed);
        let side = 3 + (r.next() % 8) as usize;
        let n = side * side;
        let a = grid(side, r);
        let elements: Vec<_> = (0..n).map(|a| Element { a, b: None }).collect();
        let mut problem = Sparse::new(n, &a, elements.clone());
        let alpha: Vec<f64> = (0..n).map(|_| r.uniform(0.05, 0.5)).collect();
        let g = vec![0.0; n];
        let pulled = (r.next() as usize) % n;
        let mut w = vec![0.0; n];
        for step in 0..24 {
            w[pulled] += if step % 12 < 6 { 1.0 } else { -1.0 };
            let outcome = problem.solve(&w, &alpha, &g);
            assert!(outcome.status == Status::ActiveSet, "seed {seed}, {step}: {outcome:?}");
            let (_, best) = oracle(n, &a, &w, &elements, &alpha, &g);
            let found = objective(&a, &w, &elements, &alpha, &g, problem.p());
            assert!(found <= best + 1e-9 * (1.0 + best.abs()), "seed {seed}: {found} above {best}");
            w.copy_from_slice(problem.lambda());
        }
    }
}
