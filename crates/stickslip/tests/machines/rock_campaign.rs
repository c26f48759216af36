//! Random networks of rate and state: every run ends, its energies close, and steps by another scheme come to the same motion.

use crate::common::campaign::campaign;
use crate::common::{Random, rocks, sized};
use stickslip::model::Machine;
use stickslip::scheme::machine::{self, theta_method};
use stickslip::scheme::oscillator::adaptive::Options;

/// Network number `seed`, and the tolerance of its run.
fn network(seed: u64) -> (Machine, Options) {
    let mut random = Random(seed.wrapping_mul(1_000_003) + 11);
    let machine = rocks::network(&mut random);
    (machine, Options::tolerance([1e-6, 1e-8, 1e-10][(random.next() % 3) as usize]))
}

/// The trapezoidal rule solves for the friction of every step by a balance of its own and knows no levels.
#[test]
fn random_networks_agree_with_short_steps() {
    campaign("rocks in networks", sized(10, 100), |seed, tally| {
        let (machine, options) = network(seed);
        let end = sized(0.1, 10.0);
        let path = machine::solve(&machine, end, options).unwrap();
        assert!(path.warnings().is_empty(), "{seed}: {:?}", path.warnings());
        let steps: usize = path.segments().iter().map(|s| s.arc.steps()).sum();
        tally.worst("steps", steps as f64, seed);
        let end = sized(0.1, 1.0);
        let at = |k: i32| end * f64::from(k) / 20.0;
        let start = path.state(0.0).x;
        let apart = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let range = (1..=20).map(|k| apart(&path.state(at(k)).x, &start)).fold(1e-6, f64::max);
        let off = |h: f64| {
            let (steps, ..) = theta_method::solve(&machine, end, h, 0.5).unwrap();
            let one = |k: i32| apart(&steps.state(at(k)).x, &path.state(at(k)).x);
            (0..=20).map(one).fold(0.0, f64::max) / range
        };
        let (coarse, fine) = (off(4e-4), off(1e-4));
        tally.worst("difference from steps of 0.1 ms", fine, seed);
        // A slide whose friction falls with the speed is unstable, and steps may lose its instants.
        assert!(fine < 2e-3 || fine < 0.4 * coarse, "{seed}: {coarse:e} {fine:e}");
    });
}

/// One contact settles in 10⁻¹⁷ s to what another that has just turned moves by its inertia: leaps of one after the other never got
/// both to where the motion goes on.
#[test]
fn levels_settle_together() {
    let (machine, options) = network(17);
    let path = machine::solve(&machine, 2.1, options).unwrap();
    assert!(path.warnings().is_empty(), "{:?}", path.warnings());
}
