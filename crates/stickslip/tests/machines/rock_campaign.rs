//! Random networks of rate and state: every run ends, its energies close, and steps by another scheme come to the same motion.

use crate::common::campaign::campaign;
use crate::common::{Random, rocks, sized};
use stickslip::Signal;
use stickslip::law::memory::{Direct, Evolution, RateAndState};
use stickslip::model::{Machine, Network};
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

/// Three blocks that a plate draws at 0.1 nm/s, some 3 mm in a year, creep for thirty years: steps are of the time scale of the loading. In
/// the end all go with the plate, each under N (μ₀ + (a − b) ln(V/V₀)).
#[test]
fn thirty_years_of_creep_take_some_hundred_steps() {
    let [a, b, speed, plate] = [0.015, 0.010, 1e-6, 1e-10];
    for evolution in [Evolution::Ageing, Evolution::Slip] {
        let direct = Direct { coefficient: 0.6, a, b };
        let law = RateAndState::new(direct, 1e-4, speed, evolution).unwrap();
        let mut builder = Network::builder();
        let names = ["first", "second", "third"];
        for name in names {
            builder = builder.node(name, 10.0);
        }
        builder = builder.node("plate", 1.0).motion("plate", Signal::ramp(plate, 0.0));
        builder = builder.spring("first", "second", 2e5).spring("second", "third", 2e5);
        for (name, normal) in names.into_iter().zip([100.0, 200.0, 300.0]) {
            builder = builder
                .spring(name, "plate", 1e5)
                .slider(name, name, "ground", 0.0, 0.0)
                .normal(Signal::constant(normal));
        }
        let mut blocks = Machine::new(builder.build().unwrap()).unwrap();
        for name in names {
            blocks = blocks.with_memory(name, law, [1e4]).unwrap();
        }
        let path = machine::solve(&blocks, 1e9, Options::tolerance(1e-10)).unwrap();
        let steps: usize = path.segments().iter().map(|s| s.arc.steps()).sum();
        let end = path.state(1e9);
        assert!(steps < 1_000, "{steps} steps");
        for (i, normal) in [100.0, 200.0, 300.0].into_iter().enumerate() {
            let friction = normal * (0.6 + (a - b) * (plate / speed).ln());
            assert!((end.v[i] / plate - 1.0).abs() < 1e-9, "{:?}", end.v);
            assert!((-end.friction[i] / friction - 1.0).abs() < 1e-9, "{:?}", end.friction);
        }
    }
}
