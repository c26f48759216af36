//! Time steps in a plane: first order, no creep, and the same run in pieces.

use stickslip::model::Planar;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::planar::{self, PlanarPath, steps};
use stickslip::{Law, Problem, Scheme, Signal, solve, start};

/// A mass on a coupled spring under two waves, through several rests; and one with an ellipse and a law that rises.
fn models() -> [Planar; 2] {
    let force = [Signal::harmonic(0.95, 1.1, -1.5), Signal::harmonic(0.75, 0.7, -1.5)];
    let plain = Planar::new(1.0, Law::static_dynamic(1.02, 0.92).unwrap())
        .with_stiffness([0.2; 2])
        .with_force(force.clone());
    let rising = Planar::new(1.0, Law::velocity_strengthening(0.7, 1.0, 2.0).unwrap())
        .with_ellipse([1.2, 0.9])
        .with_stiffness_matrix([[0.3, 0.1], [0.1, 0.2]])
        .with_damping([0.1, 0.05])
        .with_force(force);
    [plain, rising]
}

/// The mean distance from another path over the run, m.
fn distance(a: &PlanarPath, b: &PlanarPath, end: f64) -> f64 {
    let off = |i: u32| {
        let t = end * f64::from(i) / 500.0;
        let [p, q] = [a.state(t).x, b.state(t).x];
        (p[0] - q[0]).hypot(p[1] - q[1])
    };
    (1..=500).map(off).sum::<f64>() / 500.0
}

#[test]
fn both_schemes_are_of_first_order() {
    let end = 15.0;
    for model in models() {
        let exact = planar::solve(&model, end, Options::tolerance(1e-11)).unwrap();
        assert!(exact.events().len() > 3);
        for rule in [steps::euler, steps::implicit_euler] {
            let errors: Vec<f64> = [4e-3, 1e-3, 2.5e-4]
                .map(|h| distance(&rule(&model, end, h).unwrap(), &exact, end))
                .to_vec();
            for pair in errors.windows(2) {
                let order = (pair[0] / pair[1]).log2() / 2.0;
                assert!((0.8..1.25).contains(&order), "order {order:.2} of {errors:?}");
            }
        }
    }
}

/// A load inside the disc: the velocity is zero to the last bit, for ever.
#[test]
fn nothing_creeps_at_rest() {
    let held = Planar::new(3.0, Law::coulomb(1.0).unwrap())
        .with_stiffness([0.5; 2])
        .with_force([Signal::constant(0.6), Signal::constant(-0.79)])
        .starting_at([0.01, 0.02], [0.0; 2]);
    let paths = [
        planar::solve(&held, 1000.0, Options::default()).unwrap(),
        steps::euler(&held, 1000.0, 0.5).unwrap(),
        steps::implicit_euler(&held, 1000.0, 0.5).unwrap(),
    ];
    for path in paths {
        let last = path.state(1000.0);
        assert_eq!((last.x, last.v), ([0.01, 0.02], [0.0; 2]));
        assert!(path.events().is_empty());
    }
    // With a load outside of it (0.6² + 0.81² > 1) it slides.
    let moved = held.with_force([Signal::constant(0.6), Signal::constant(-0.82)]);
    let path = planar::solve(&moved, 10.0, Options::default()).unwrap();
    assert!(path.state(10.0).x != [0.01, 0.02]);
}

#[test]
fn a_run_in_pieces_is_the_whole_run() {
    for model in models() {
        let problem = Problem::new(model, 12.0);
        let step = 1e-3;
        for scheme in [
            Scheme::Adaptive(Options::default()),
            Scheme::Euler { step },
            Scheme::ImplicitEuler { step },
        ] {
            let whole = solve(&problem, &scheme).unwrap();
            let mut cursor = start(&problem, &scheme).unwrap();
            let mut events = Vec::new();
            for i in 1..=40 {
                events.extend(cursor.advance(0.3 * f64::from(i)).unwrap().to_vec());
            }
            assert_eq!(events, whole.events, "{}", scheme.name());
            let mut row = vec![0.0; 6];
            whole.row(12.0, &mut row);
            let points = cursor.state().points;
            assert_eq!([points[0].x, points[1].x], [row[0], row[1]], "{}", scheme.name());
        }
    }
}
