//! Time steps in a plane: first order, no creep, and the same run in pieces.

use stickslip::model::Planar;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::planar::{self, PlanarPath, euler_steps};
use stickslip::study::order::{Against, Halving, table};
use stickslip::{Error, Law, Problem, Scheme, Signal, Warning, solve, start};

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
        for rule in [euler_steps::euler, euler_steps::implicit_euler] {
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
        euler_steps::euler(&held, 1000.0, 0.5).unwrap(),
        euler_steps::implicit_euler(&held, 1000.0, 0.5).unwrap(),
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

/// Implicit Euler steps against `adaptive`. Rests begin at nodes, so that single ratios scatter; three halvings make 2³.
#[test]
fn tables_of_orders_measure_paths_in_a_plane() {
    for model in models() {
        let problem = Problem::new(model, 5.0);
        let halving = Halving { step: 5e-3, halvings: 3 };
        let rows = table(&problem, halving, Against::Exact, |step| {
            solve(&problem, &Scheme::ImplicitEuler { step })
        });
        let rows = rows.unwrap();
        assert!(rows.len() == 4 && rows[0].error > 1e-5, "{rows:?}");
        let falls = rows[0].error / rows[3].error;
        assert!(falls > 4.0 && falls < 16.0, "{rows:?}");
    }
}

/// A run of 10⁹ s under a wave is not begun; one under constant loads comes to rest and is.
#[test]
fn runs_longer_than_anybody_waits_for_are_not_begun() {
    let [plain, _] = models();
    let solved = planar::solve(&plain, 1e9, Options::default());
    assert!(matches!(solved, Err(Error::TooLong { .. })), "{solved:?}");
    let rests = Planar::new(1.0, Law::coulomb(0.5).unwrap())
        .with_stiffness([4.0; 2])
        .starting_at([1.0, 0.3], [0.0; 2]);
    let path = planar::solve(&rests, 1e9, Options::default()).unwrap();
    assert_eq!(path.state(1e9).v, [0.0; 2]);
}

/// m v̇ = F − f − c v with c/m = 10⁹ 1/s: v = (F − f)/c after some nanoseconds, with steps of the load and not of the dashpot.
#[test]
fn a_stiff_dashpot_does_not_shorten_the_steps() {
    let mass = Planar::new(1.0, Law::coulomb(0.5).unwrap())
        .with_damping([1e9; 2])
        .with_force([Signal::constant(1.2), Signal::constant(1.6)]);
    let path = planar::solve(&mass, 10.0, Options::default()).unwrap();
    let steps: usize = path.segments().iter().map(|s| s.arc.steps()).sum();
    let v = path.state(10.0).v;
    assert!(steps < 2000, "{steps}");
    assert!((v[0] / 0.9e-9 - 1.0).abs() < 1e-6 && (v[1] / 1.2e-9 - 1.0).abs() < 1e-6, "{v:?}");
}

/// Friction that reaches ten times as far along y turns the velocity a hundred times as fast: steps of the load all the same.
#[test]
fn a_long_ellipse_does_not_shorten_the_steps() {
    let mass = Planar::new(1.0, Law::coulomb(0.5).unwrap())
        .with_stiffness([4.0; 2])
        .with_ellipse([1.0, 10.0])
        .with_force([Signal::harmonic(2.0, 1.5, 0.0), Signal::harmonic(2.0, 1.5, -1.57)]);
    let path = planar::solve(&mass, 5.0, Options::default()).unwrap();
    let steps: usize = path.segments().iter().map(|s| s.arc.steps()).sum();
    assert!(steps < 1000, "{steps}");
}

/// N = 3 − t falls below zero at 3 s: every scheme ends there. 3 (1 + cos t) touches zero at π and lifts nothing.
#[test]
fn a_run_ends_where_the_mass_lifts_off() {
    let [plain, _] = models();
    let schemes = [
        Scheme::Adaptive(Options::default()),
        Scheme::Euler { step: 7e-3 },
        Scheme::ImplicitEuler { step: 7e-3 },
    ];
    for scheme in schemes {
        let falls = plain.clone().with_normal(Signal::ramp(-1.0, 3.0));
        let solved = solve(&Problem::new(falls.clone(), 5.0), &scheme).unwrap();
        let lifts =
            |w: &Warning| matches!(w, Warning::LiftsOff { time } if (time - 3.0).abs() < 1e-12);
        assert!(solved.warnings.iter().any(lifts), "{:?}", solved.warnings);
        assert!((solved.span().1 - 3.0).abs() < 1e-12);
        // Up to there it is the motion of a run that ends there.
        let before = solve(&Problem::new(falls, 3.0), &scheme).unwrap();
        let (a, b) = (solved.planar().unwrap(), before.planar().unwrap());
        assert!(before.warnings.iter().all(|w| !lifts(w)), "{:?}", before.warnings);
        let off = a.state(2.9).x[0] - b.state(2.9).x[0];
        assert!(off.abs() < 1e-9, "{off}");
        let touches =
            Signal::constant(3.0) + Signal::harmonic(3.0, 1.0, std::f64::consts::FRAC_PI_2);
        let touches = plain.clone().with_normal(touches);
        let solved = solve(&Problem::new(touches, 5.0), &scheme).unwrap();
        assert!(solved.span().1 == 5.0 && !solved.warnings.iter().any(lifts));
    }
    let from_the_start = plain.with_normal(Signal::ramp(-1.0, 0.0));
    let solved = planar::solve(&from_the_start, 1.0, Options::default());
    assert!(matches!(solved, Err(Error::NegativeNormalForce { .. })), "{solved:?}");
}
