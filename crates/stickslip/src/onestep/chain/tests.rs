//! The one-step problem of a chain.

use super::*;

/// The fallback alone, on problems that the active set has solved: the same answer.
#[test]
fn the_fallback_finds_the_same() {
    let mut seed = 5u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    for n in [1, 2, 3, 10, 60] {
        for _ in 0..20 {
            let k: Vec<f64> = (0..=n).map(|_| 0.1 + next()).collect();
            let d = k.windows(2).map(|k| k[0] + k[1]).collect();
            let mut chain = Chain::new(d, k[1..n].to_vec()).unwrap();
            let alpha: Vec<f64> = (0..n).map(|_| next()).collect();
            let r: Vec<f64> = (0..n).map(|_| 4.0 * next() - 2.0).collect();
            let outcome = chain.solve(&r, &alpha);
            assert_eq!(outcome.status, Status::ActiveSet);
            let p = chain.p().to_vec();
            let outcome = chain.fallback(&r, &alpha);
            assert_eq!(outcome.status, Status::Fallback);
            assert!(outcome.iterations > CAP);
            for (a, b) in p.iter().zip(chain.p()) {
                assert!((a - b).abs() < 1e-11, "{n}: {a} {b}");
            }
            // And the next warm start from there is right too.
            assert!(
                chain
                    .solve(&alpha, &r.iter().map(|r| r.abs()).collect::<Vec<_>>())
                    .relative_residual()
                    < 1e-14
            );
        }
    }
}

#[test]
fn what_is_no_chain_is_refused() {
    assert!(Chain::new(vec![], vec![]).is_err());
    assert!(Chain::new(vec![1.0, 1.0], vec![]).is_err());
    assert!(Chain::new(vec![1.0, 1.0], vec![1.5]).is_err());
    assert!(Chain::new(vec![1.0, f64::NAN], vec![0.5]).is_err());
    assert!(Chain::new(vec![1.0, 1.0], vec![-0.5]).is_err());
}

/// A repeatable stream of numbers in [0, 1).
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A chain of n nodes between walls, with springs by chance, and its right-hand side and thresholds.
fn random(n: usize, next: &mut impl FnMut() -> f64) -> (Chain, Vec<f64>, Vec<f64>) {
    let k: Vec<f64> = (0..=n).map(|_| 0.1 + next()).collect();
    let d = k.windows(2).map(|k| k[0] + k[1]).collect();
    let chain = Chain::new(d, k[1..n].to_vec()).unwrap();
    let alpha: Vec<f64> = (0..n).map(|_| next()).collect();
    let r: Vec<f64> = (0..n).map(|_| 4.0 * next() - 2.0).collect();
    (chain, r, alpha)
}

/// The last resort of the active set by itself: one node at a time, the first that is wrong, comes to the same answer, and
/// says when nothing is wrong any more.
#[test]
fn one_node_at_a_time_finds_the_same() {
    let mut next = numbers(7);
    for n in [1, 2, 3, 10, 40] {
        for _ in 0..20 {
            let (mut chain, r, alpha) = random(n, &mut next);
            assert_eq!(chain.solve(&r, &alpha).status, Status::ActiveSet);
            let want = chain.p().to_vec();
            chain.restart();
            let outside = chain.open(&r, &alpha);
            chain.signs.fill(0);
            let mut changes = 0;
            loop {
                let (_, inside) = chain.guess(&r, &alpha);
                if !chain.correct_one(&alpha, 4.0 * f64::EPSILON * inside.max(outside)) {
                    break;
                }
                changes += 1;
                assert!(changes < 100 * n, "n = {n}: it goes in circles");
            }
            for (a, b) in want.iter().zip(chain.p()) {
                assert!((a - b).abs() < 1e-11, "n = {n}: {a} {b}");
            }
        }
    }
}

/// One node of a long chain is pulled by r, and with it slip those around it, up to j ≈ r/2 of them on either side in the
/// middle (each takes its threshold, 1, of the pull) and √(2 r) at a wall. One node an iteration would be j iterations; the place at which the slip
/// ends is to be found in few, from rest and from the slip before, where it grows and where it shrinks.
#[test]
fn a_slip_that_reaches_far_is_found_in_few_iterations() {
    let n = 20_000;
    for way in [1.0, -1.0] {
        for from in [0, n / 2, n - 1] {
            let mut chain = Chain::new(vec![2.0; n], vec![1.0; n - 1]).unwrap();
            let alpha = vec![1.0; n];
            let mut r = vec![0.0; n];
            for pull in [100.0, 1_000.0, 3_000.0, 4_000.0, 3_500.0, 5_000.0] {
                r[from] = way * pull;
                let outcome = chain.solve(&r, &alpha);
                assert_eq!(outcome.status, Status::ActiveSet);
                assert!(outcome.iterations <= 6, "{way} {from} {pull}: {outcome:?}");
                // Nothing is looked at far from where it slips.
                assert!(chain.window.1 - chain.window.0 <= 5_004, "{:?}", chain.window);
            }
        }
    }
}

/// A stretch in which every node slips its way is left as it is.
#[test]
fn what_slips_rightly_is_not_given_back() {
    let mut chain = Chain::new(vec![2.0; 4], vec![1.0; 3]).unwrap();
    chain.signs = vec![0, 1, 1, 0];
    chain.p = vec![0.0, 0.5, 0.25, 0.0];
    assert!(!chain.shrink(1, 3, &[1.0; 4], 0.0));
    assert_eq!(chain.signs, [0, 1, 1, 0]);
    // of three at its end that slip against their sign, the outer two are
    chain.signs = vec![1; 4];
    chain.p = vec![0.5, -0.1, -0.1, -0.1];
    assert!(chain.shrink(0, 4, &[1.0; 4], 0.0));
    assert_eq!(chain.signs, [1, 1, 0, 0]);
}
