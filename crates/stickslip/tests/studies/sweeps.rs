//! Sweeps through the library, each point against its own solution.

use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip::model::{Impact, Network};
use stickslip::scheme::stochastic::{PathId, Rule, walk};
use stickslip::study::ensemble::{self, Plan};
use stickslip::study::sweep::{Measures, Span, Sweep};
use stickslip::{
    Cascade, Error, EventKind, Law, Noise, Oscillator, Phase, Place, Problem, Scheme, Signal, solve,
};

/// Stops a sweep.
#[derive(Debug)]
struct Stop;

impl From<Error> for Stop {
    fn from(_: Error) -> Self {
        Self
    }
}

const AMPLITUDE: Span = Span { from: 0.5, to: 4.0, count: 15 };
const STATIC: Span = Span { from: 1.0, to: 1.6, count: 3 };

fn oscillator(p: &[f64]) -> Result<Oscillator, Error> {
    let law = Law::static_dynamic(p[1], 1.0)?;
    Ok(Oscillator::new(1.0, 1.0, law).with_drive(Signal::harmonic(p[0], 0.5, 0.3)))
}

/// The same measures; what is dissipated to within `share` of it.
fn close(a: &Measures, b: &Measures, share: f64) {
    let within = |a: f64, b: f64, e: f64| assert!((a - b).abs() <= e * (1.0 + b.abs()), "{a} {b}");
    let near = |a: f64, b: f64| within(a, b, 1e-9);
    assert_eq!((a.slips, a.ends.len()), (b.slips, b.ends.len()));
    near(a.stick_share, b.stick_share);
    within(a.dissipated, b.dissipated, share);
    a.ends.iter().zip(&b.ends).for_each(|(a, b)| near(a.mean, b.mean));
}

/// The first parameter varies fastest, the ends of a span are among its values, and every point is what its own
/// exact solution says.
#[test]
fn every_point_is_its_own_solution() {
    let sweep = Sweep::new(vec![AMPLITUDE, STATIC], Scheme::Exact);
    assert_eq!(sweep.count(), Some(45));
    assert_eq!((sweep.values(0), sweep.values(44)), (vec![0.5, 1.0], vec![4.0, 1.6]));
    assert_eq!(sweep.values(14), [4.0, 1.0]);
    let point = |p: &[f64]| Ok::<_, Error>(Problem::new(oscillator(p)?, 60.0));
    let measures = sweep.run(point).unwrap();
    let counted = sweep.run_with(point, |_, s| s.count(EventKind::Slip)).unwrap();
    for (i, (m, slips)) in measures.iter().zip(counted).enumerate() {
        let s = solve(&point(&sweep.values(i)).unwrap(), &Scheme::Exact).unwrap();
        close(m, &Measures::of_solution(&s), 1e-9);
        let path = s.oscillator().unwrap();
        // A slip in which the run begins, because the load is over f_s, is no event and counts.
        let begins = usize::from(s.phases(0)[0].0 != Phase::Stick);
        let told = path.events().iter().filter(|e| e.kind == EventKind::Slip && e.time == 0.0);
        assert_eq!(m.slips, (slips + begins - told.count()) as f64);
        assert_eq!(m.ends[0].mean, path.state(60.0).x);
    }
    // A spring that is pulled by 0.5 m with 1 N/m never overcomes 1 N; by 4 m it does.
    assert!(measures[0].slips == 0.0 && measures[44].slips > 0.0);
}

/// In lanes where the model is plain, one by one where a normal force of 1 N says the same in other words.
#[test]
fn lanes_measure_what_solutions_measure() {
    let sweep = Sweep::new(vec![AMPLITUDE, STATIC], Scheme::Euler { step: 0.01 });
    let end = |p: &[f64]| if p[0] > 2.0 { 40.0 } else { 30.0 };
    let lanes = sweep.run(|p| Ok::<_, Error>(Problem::new(oscillator(p)?, end(p)))).unwrap();
    let single = sweep
        .run(|p| {
            let o = oscillator(p)?.with_normal(Signal::constant(1.0));
            Ok::<_, Error>(Problem::new(o, end(p)))
        })
        .unwrap();
    // Lanes sum |X⁺ − X|, an audit integrates the interpolant of the velocity: O(h) apart.
    lanes.iter().zip(&single).for_each(|(a, b)| close(a, b, 0.01));
}

/// Under noise the mean over paths, which are those of the seed.
#[test]
fn points_with_noise_are_means_over_paths() {
    let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 0.4, scale: 1.0 };
    let sweep =
        Sweep::new(vec![Span { from: 1.0, to: 3.0, count: 2 }], Scheme::Euler { step: 0.02 });
    let sweep = sweep.with_paths(20, 7);
    let point = |p: &[f64]| {
        Ok::<_, Error>(
            Problem::new(oscillator(&[p[0], 1.2])?, 10.0).with_noise(Place::Force, noise),
        )
    };
    for (i, m) in sweep.run(point).unwrap().iter().enumerate() {
        let problem = point(&sweep.values(i)).unwrap();
        let ends = (0..20).map(|path| {
            let mut x = 0.0;
            let id = PathId { seed: 7, path };
            walk(&problem, id, 0.02, Rule::Euler, |_, u, _| x = u[0].x).unwrap();
            x
        });
        let mean = ends.sum::<f64>() / 20.0;
        assert!((m.ends[0].mean - mean).abs() < 1e-12 && m.ends[0].deviation > 0.0);
    }
    let without_steps = Sweep { scheme: Scheme::Exact, ..sweep };
    assert!(without_steps.run(point).is_err());
}

/// Any model: the slips of a cascade are those of its elements.
#[test]
fn cascades_are_swept_too() {
    let sweep = Sweep::new(vec![Span { from: 0.1, to: 2.5, count: 4 }], Scheme::Exact);
    let measures = sweep
        .run(|p| {
            let c = Cascade::new(1.0, vec![3.0, 2.0, 1.0], vec![0.5, 0.8]);
            Ok::<_, Error>(Problem::new(c.with_force(Signal::harmonic(p[0], 0.9, -1.57)), 20.0))
        })
        .unwrap();
    assert_eq!((measures[0].slips, measures[0].stick_share), (0.0, 1.0));
    assert!(measures[3].slips > 3.0 && measures[3].stick_share < 0.9);
    assert!(measures[3].dissipated > 0.0);
}

/// A point's problem is made when it is solved; an error of its maker ends the sweep.
#[test]
fn the_maker_of_points_can_end_the_sweep() {
    let made = AtomicUsize::new(0);
    let sweep = Sweep::new(vec![Span { from: 0.0, to: 1.0, count: 100_000 }], Scheme::Exact);
    let stopped = sweep.run(|p| {
        if made.fetch_add(1, Ordering::Relaxed) > 20 {
            return Err(Stop);
        }
        Ok(Problem::new(oscillator(&[p[0], 1.2])?, 1.0))
    });
    assert!(stopped.is_err());
    assert!(made.load(Ordering::Relaxed) < 50_000);
}

/// A free mass that slides from the start, 2 m/s against 1 N at 1 kg, stops after 2 s and 2 m: one slip, which all ways of
/// counting see. Cut off at 1 s it has slid 1.5 m.
#[test]
fn a_slip_from_the_start_counts_and_so_does_its_way() {
    let free = |velocity: f64| {
        Oscillator::new(1.0, 0.0, Law::coulomb(1.0).unwrap()).starting_at(0.0, velocity)
    };
    let schemes =
        [Scheme::Exact, Scheme::Theta { step: 1e-3, theta: 0.5 }, Scheme::Euler { step: 1e-3 }];
    for (end, way, share) in [(4.0, 2.0, 0.5), (1.0, 1.5, 0.0)] {
        for scheme in schemes {
            // Three points each; those of `euler` go side by side.
            let velocities = Span { from: 0.0, to: 2.0, count: 2 };
            let sweep = Sweep::new(vec![velocities], scheme);
            let found = sweep.run(|p| Ok::<_, Error>(Problem::new(free(p[0]), end))).unwrap();
            let [rests, slides] = [&found[0], &found[1]];
            assert_eq!((rests.slips, slides.slips), (0.0, 1.0), "{scheme:?}");
            assert!((slides.stick_share - share).abs() < 1e-2, "{scheme:?} {slides:?}");
        }
        // So little noise that it moves nothing; in lanes, one by one, and as a network.
        let noise = Noise::White { intensity: 1e-9 };
        let by_hand = free(2.0).with_normal(Signal::constant(1.0));
        let node = Network::builder()
            .node("a", 1.0)
            .starting_at("a", 0.0, 2.0)
            .slider("s", "a", "ground", 1.0, 1.0)
            .build()
            .unwrap();
        let problems = [
            Problem::new(free(2.0), end).with_noise(Place::Force, noise),
            Problem::new(by_hand, end).with_noise(Place::Force, noise),
            Problem::new(node, end).with_noise(Place::Node(0), noise),
        ];
        for problem in problems {
            for rule in [Rule::Theta, Rule::ImplicitEuler] {
                let plan = Plan::new(problem.clone(), 1e-3, 5).with_rule(rule);
                let e = ensemble::run(&plan, 0..20, 1, &mut ()).unwrap();
                let c = &e.contacts[0];
                let largest = c.largest_slip.mean();
                assert_eq!(c.slips.mean(), 1.0);
                assert!((largest - way).abs() < 1e-2, "{largest} for {way}");
                assert_eq!(c.slip_steps.count(), if end > 2.0 { 20 } else { 0 });
            }
        }
    }
}

/// A ball that bounces with restitution ½ from 1 m under 2 m/s²: it falls for 1 s, its bounces last 1 s, ½ s, …, and it rests from
/// 3 s on. All of its 2 J are lost in impacts; there is no friction.
#[test]
fn impacts_are_measured_where_there_are_walls() {
    let restitution = Span { from: 0.5, to: 0.5, count: 1 };
    let sweep = Sweep::new(vec![restitution], Scheme::Exact);
    let ball = |p: &[f64]| {
        let ball = Impact::new(1.0, p[0]).with_force(Signal::constant(-2.0)).starting_at(1.0, 0.0);
        Ok::<_, Error>(Problem::new(ball, 4.0))
    };
    let m = &sweep.run(ball).unwrap()[0];
    assert!(m.impacts > 10.0 && m.slips == 0.0 && m.dissipated == 0.0, "{m:?}");
    assert!((m.stick_share - 0.25).abs() < 1e-6 && (m.lost_in_impacts - 2.0).abs() < 1e-9, "{m:?}");
}
