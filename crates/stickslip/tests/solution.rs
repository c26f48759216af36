//! The border: every kind of model by every one of its schemes through one verb, with the same numbers as the
//! typed schemes give.

use stickslip::error::Kind;
use stickslip::model::Replay;
use stickslip::motion::Counts;
use stickslip::scheme::impact::penalised::Penalty;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::oscillator::{euler, exact};
use stickslip::scheme::{cascade, impact, network};
use stickslip::{
    Cascade, EventKind, Impact, Law, Model, Network, Noise, Oscillator, PathId, Phase, Place,
    Problem, Remedy, Scheme, Signal, Solution, Stops, Warning, solve,
};

fn shaw() -> Oscillator {
    Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
        .starting_at(6.0, 0.0)
}

fn elements() -> Cascade {
    Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
        .with_force(Signal::harmonic(2.5, 0.9, 0.0))
}

fn pair() -> Network {
    Network::builder()
        .node("a", 1.0)
        .node("b", 2.0)
        .spring("a", "b", 3.0)
        .spring("b", "ground", 1.0)
        .slider("under a", "a", "ground", 0.6, 0.4)
        .slider("between", "a", "b", 0.3, 0.3)
        .force("a", Signal::harmonic(2.0, 0.7, 0.1))
        .build()
        .unwrap()
}

fn ball() -> Impact {
    Impact::new(1.0, 0.7).with_force(Signal::constant(-9.81)).starting_at(1.0, 0.0)
}

/// What must hold of every solution, whatever it is a solution of.
fn is_sound(s: &Solution, end: f64) {
    assert_eq!(s.span(), (0.0, end));
    let nodes = s.nodes();
    assert!(nodes.is_sorted() && nodes.first() == Some(&0.0) && nodes.last() == Some(&end));
    assert!(s.events.is_sorted_by(|a, b| a.time <= b.time));
    let mut row = vec![f64::NAN; s.columns().len()];
    let mut rows = s.rows();
    for t in nodes {
        rows.at(t, &mut row);
        assert!(row.iter().all(|x| x.is_finite()), "{t}: {row:?}");
    }
    for e in &s.events {
        assert!(e.place < s.places().len(), "{e:?}");
        assert!(e.x.is_finite() && e.v.is_finite() && e.before.is_finite());
    }
    for place in 0..s.places().len() {
        assert!(s.phases(place).is_sorted_by(|a, b| a.2 <= b.1 && a.1 <= b.1));
    }
    assert!(s.counts.segments > 0);
    // A scheme of order one or more at steps of 1/1000, or a tolerance.
    assert!(s.energy().relative_defect() < 0.05, "{:?}", s.energy());
}

#[test]
fn every_scheme_of_every_kind_is_behind_one_verb() {
    let step = 1e-3;
    let (euler, implicit) = (Scheme::Euler { step }, Scheme::ImplicitEuler { step });
    let quasi_static = Scheme::QuasiStatic;
    let loaded = Cascade { force: Signal::harmonic(1.0, 0.9, -1.5), ..elements() };
    let slow = shaw().with_drive(Signal::ramp(0.01, 0.0)).starting_at(0.0, 0.0);
    let all: [(Problem, &[Scheme]); 6] = [
        (
            Problem::new(shaw(), 12.0),
            &[Scheme::Exact, Scheme::Adaptive(Options::default()), euler, implicit],
        ),
        (Problem::new(slow, 800.0), &[quasi_static]),
        (Problem::new(elements(), 20.0), &[Scheme::Exact, implicit, Scheme::Hysteresis { step }]),
        (Problem::new(loaded, 20.0), &[Scheme::QuasiStatic]),
        (
            Problem::new(pair(), 10.0),
            &[Scheme::Exact, implicit, Scheme::Theta { step, theta: 0.5 }],
        ),
        (
            Problem::new(ball(), 1.5),
            &[
                Scheme::Exact,
                Scheme::Moreau { step },
                Scheme::Penalised(Penalty::spring(1e5, 1e-5)),
            ],
        ),
    ];
    for (problem, schemes) in &all {
        for scheme in *schemes {
            let solution = solve(problem, scheme).unwrap();
            println!("{} {}", problem.kind(), scheme.name());
            assert!(problem.model.schemes().contains(&scheme.name()));
            assert_eq!(
                solution.counts.steps > 0,
                scheme.step().is_some() || matches!(scheme, Scheme::Adaptive(_))
            );
            if *scheme == Scheme::QuasiStatic {
                continue; // no inertia, no balance
            }
            is_sound(&solution, problem.end);
            assert!(!solution.events.is_empty());
        }
    }
    for (problem, _) in &all {
        for scheme in [Scheme::Moreau { step }, Scheme::Theta { step, theta: 1.0 }] {
            if !problem.model.schemes().contains(&scheme.name()) {
                let refused = solve(problem, &scheme).unwrap_err();
                assert_eq!(refused.kind(), Kind::Scheme);
                let last = problem.model.schemes().last().unwrap();
                assert!(refused.to_string().contains(last), "{refused}");
            }
        }
    }
}

/// The rows of `trajectory.csv`, number for number as each typed path gives them.
#[test]
fn rows_are_those_of_the_typed_paths() {
    let o = shaw();
    let s = solve(&Problem::new(o.clone(), 12.0), &Scheme::Euler { step: 0.01 }).unwrap();
    let mut states = Vec::new();
    euler::run(&o, 12.0, 0.01, |_, u| states.push(u)).unwrap();
    let (mut rows, mut row) = (s.rows(), [0.0; 3]);
    for (t, u) in s.nodes().into_iter().zip(&states) {
        rows.at(t, &mut row);
        assert_eq!(row[..2], [u.x, u.v]);
    }
    let s = solve(&Problem::new(o.clone(), 12.0), &Scheme::Exact).unwrap();
    let path = exact::solve(&o, 12.0).unwrap();
    for (t, u, phase) in path.sample(301) {
        s.row(t, &mut row);
        assert_eq!(row, [u.x, u.v, o.friction_force(t, u, phase)]);
    }
    assert_eq!(s.phases(0), path.phases());

    let c = elements();
    let s = solve(&Problem::new(c.clone(), 20.0), &Scheme::Exact).unwrap();
    let path = cascade::exact(&c, 20.0).unwrap();
    let (mut replay, mut rows, mut row) = (Replay::new(&c, &path), s.rows(), [0.0; 7]);
    for t in s.equally_spaced(401) {
        rows.at(t, &mut row);
        let (u, mut w) = (path.state(t), [0.0; 4]);
        replay.friction(t, &mut w);
        assert_eq!((row[..3].to_vec(), &row[3..]), (vec![u.x, u.v, u.force], &w[..]));
    }
    // Going back is allowed.
    let mut again = row;
    rows.at(3.0, &mut again);
    rows.at(20.0, &mut again);
    assert_eq!(again, row);

    let n = pair();
    let s = solve(&Problem::new(n.clone(), 10.0), &Scheme::ImplicitEuler { step: 0.01 }).unwrap();
    let (path, run) = network::solve(&n, 10.0, 0.01, 1.0).unwrap();
    let names: Vec<_> = s.columns().iter().map(|c| (c.name.as_str(), c.unit)).collect();
    let expected = ["x_a", "v_a", "x_b", "v_b", "friction_under a", "friction_between"];
    assert_eq!(
        names,
        expected.into_iter().zip(["m", "m/s", "m", "m/s", "N", "N"]).collect::<Vec<_>>()
    );
    let mut row = [0.0; 6];
    for t in s.equally_spaced(101) {
        s.row(t, &mut row);
        let u = path.state(t);
        let expected = [u.x[0], u.v[0], u.x[1], u.v[1], u.friction[0], u.friction[1]];
        assert_eq!(row, expected);
    }
    assert_eq!((s.energy(), s.counts.iterations), (run.energy, run.counts.iterations));
    assert_eq!(s.places(), ["under a", "between"]);

    let i = ball();
    let s = solve(&Problem::new(i.clone(), 1.5), &Scheme::Exact).unwrap();
    let path = impact::solve(&i, 1.5).unwrap();
    let (mut rows, mut row, mut all, mut before) = (s.rows(), [0.0; 3], 0.0, f64::NEG_INFINITY);
    for t in s.equally_spaced(61) {
        rows.at(t, &mut row);
        let u = path.state(t);
        assert_eq!(row, [u.x, u.v, path.impulse(before, t) + 0.0]);
        (all, before) = (all + row[2], t);
    }
    s.row(1.5, &mut row);
    assert!((row[2] - all).abs() < 1e-12 && all > 0.0);
}

/// By the law of impact and by conservation of momentum at the stop.
#[test]
fn events_know_their_place_and_the_velocity_before() {
    let o = Oscillator::new(2.0, 0.0, Law::coulomb(0.0).unwrap())
        .with_stops(Stops::rigid(Some(-1.0), Some(1.0), 0.5))
        .starting_at(0.0, 4.0);
    for scheme in [Scheme::Exact, Scheme::Adaptive(Options::default())] {
        let s = solve(&Problem::new(o.clone(), 1.4), &scheme).unwrap();
        assert_eq!(s.places(), ["", "lower", "upper"]);
        let hits: Vec<_> = s.events.iter().filter(|e| e.kind == EventKind::Impact).collect();
        // At 1/4 s with 4 m/s, and after 2 m at 2 m/s at 5/4 s.
        assert_eq!(hits.len(), 2);
        for (hit, (time, place, before)) in hits.iter().zip([(0.25, 2, 4.0), (1.25, 1, -2.0)]) {
            assert!((hit.time - time).abs() < 1e-9 && hit.place == place, "{hit:?}");
            assert!((hit.before - before).abs() < 1e-9 && (hit.v + 0.5 * before).abs() < 1e-9);
            assert!((hit.impulse - 2.0 * (hit.v - hit.before)).abs() < 1e-12);
        }
    }
    let s = solve(&Problem::new(elements(), 20.0), &Scheme::Exact).unwrap();
    for e in &s.events {
        assert_eq!(e.kind == EventKind::Reversal, s.places()[e.place] == "mass");
    }
    // The mass moves while some element slips, and an element slips with the mass.
    for element in 1..=4 {
        for (phase, from, to) in s.phases(element).into_iter().filter(|p| p.0 != Phase::Stick) {
            let with = s.phases(0).into_iter().find(|p| p.1 <= from && to <= p.2);
            assert_eq!(with.map(|p| p.0), Some(phase));
        }
    }
}

#[test]
fn noises_are_made_known_path_by_path() {
    let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 0.3, scale: 1.0 };
    let path = PathId { seed: 3, path: 5 };
    let places: [(Model, Place); 4] = [
        (shaw().into(), Place::Drive),
        (elements().into(), Place::Force),
        (pair().into(), Place::Node(1)),
        (ball().into(), Place::Force),
    ];
    for (model, place) in places {
        let problem = Problem::new(model.clone(), 2.0).with_noise(place, noise);
        let refused = solve(&problem, &Scheme::Exact).unwrap_err();
        assert_eq!(refused.kind(), Kind::Scheme);
        let known = problem.known(path, 0.01).unwrap();
        assert!(known.noises.is_empty() && known.model != model);
        assert_eq!(known, problem.known(path, 0.01).unwrap());
        assert!(known != problem.known(PathId { path: 6, ..path }, 0.01).unwrap());
        let misplaced = Problem::new(model, 2.0).with_noise(Place::Node(7), noise);
        assert_eq!(misplaced.check().unwrap_err().kind(), Kind::Input);
    }
    let white = Noise::White { intensity: 1.0 };
    assert!(Problem::new(shaw(), 1.0).with_noise(Place::Support, white).check().is_err());
}

/// Explicit steps longer than 2/ω, or whatever makes the energy grow, are reported; ordinary ones are not.
#[test]
fn steps_that_are_too_long_are_reported() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.1).unwrap()).starting_at(5.5, 0.0);
    let problem = Problem::new(o, 60.0);
    let long = |scheme: Scheme| {
        let solution = solve(&problem, &scheme).unwrap();
        let defect = solution.energy().relative_defect();
        solution.warnings.iter().any(|w| {
            let same = |d: f64| (d - defect).abs() < 1e-15;
            matches!(w, Warning::LongSteps { step, defect } if Some(*step) == scheme.step() && same(*defect))
        })
    };
    assert!(long(Scheme::Euler { step: 2.1 }) && long(Scheme::ImplicitEuler { step: 2.1 }));
    assert!(!long(Scheme::Euler { step: 1e-3 }) && !long(Scheme::ImplicitEuler { step: 1e-3 }));
    assert!(!long(Scheme::Exact));
    let text = Warning::LongSteps { step: 2.1, defect: 0.487 }.to_string();
    assert!(text.contains("steps of 2.1 s") && text.contains("49 %"), "{text}");
}

#[test]
fn warnings_offer_remedies_and_inexact_steps_are_reported() {
    let touches = Warning::NotUnique { from: 1.0, to: 1.0 };
    assert_eq!(touches.remedy(), Some(Remedy::Perturb));
    assert_eq!(Warning::NotUnique { from: 1.0, to: 2.0 }.remedy(), Some(Remedy::ListSolutions));
    assert_eq!(Counts::default().warning(), None);
    let text = Warning::InexactSteps { inexact: 3, steps: 100, worst_residual: 2e-9 }.to_string();
    assert_eq!(text, "3 of 100 steps were solved only to a relative residual of 2.0e-9");
}

/// Where no scheme is named, one is chosen that solves the model, and the reason is given where it is not `exact`.
#[test]
fn a_model_gets_a_scheme_that_can_treat_it() {
    use stickslip::model::Nonlinear;
    let coulomb = || Law::coulomb(0.1).unwrap();
    let shaken = |law| Oscillator::new(1.0, 1.0, law).with_force(Signal::harmonic(1.0, 1.25, 0.0));
    let bent = |change: fn(&mut Nonlinear)| {
        let mut o = shaken(coulomb());
        change(&mut o.nonlinear);
        o
    };
    let falling = Law::stribeck_exponential(0.4, 0.3, 1.0, 1.0, 0.1).unwrap();
    let chosen: [(&str, Model); 8] = [
        ("exact", shaken(coulomb()).into()),
        ("exact", shaken(Law::static_dynamic(0.2, 0.1).unwrap()).into()),
        ("adaptive", shaken(falling).into()),
        ("adaptive", bent(|n| n.stiffness = vec![0.5]).into()),
        ("adaptive", bent(|n| n.damping = 0.1).into()),
        ("adaptive", bent(|n| n.normal_slope = 0.1).into()),
        ("exact", Cascade::new(1.0, vec![1.0, 1.0], vec![0.5]).into()),
        ("quasi-static", {
            let mut led = Cascade::new(1.0, vec![1.0, 1.0], vec![0.5]);
            led.displacement = Some(Signal::ramp(1.0, 0.0));
            led.into()
        }),
    ];
    for (name, model) in chosen {
        let choice = Scheme::suited_to(&model, None).unwrap();
        assert_eq!(choice.scheme.name(), name);
        assert_eq!(choice.because.is_none(), name == "exact", "{choice:?}");
        solve(&Problem::new(model, 3.0), &choice.scheme).unwrap();
    }
}

/// A network without a step is solved exactly; a prescribed motion that jumps takes steps, and says so.
#[test]
fn a_network_gets_the_scheme_that_its_step_allows() {
    let led = |motion| {
        let network = Network::builder()
            .node("p", 0.0)
            .node("a", 1.0)
            .spring("p", "a", 1.0)
            .slider("s", "a", "ground", 0.3, 0.3)
            .motion("p", motion)
            .build();
        Model::from(network.unwrap())
    };
    let (steady, jumping) = (led(Signal::ramp(0.1, 0.0)), led(Signal::step(1.0, 0.0, 0.5)));
    let name = |model: &Model, step| Scheme::suited_to(model, step).map(|c| c.scheme.name());
    assert_eq!(name(&steady, None), Ok("exact"));
    assert_eq!(name(&steady, Some(0.01)), Ok("implicit-euler"));
    assert_eq!(name(&jumping, Some(0.01)), Ok("implicit-euler"));
    let refused = name(&jumping, None).unwrap_err().to_string();
    assert!(
        refused.contains("node `p` jumps") && refused.contains("give a time step"),
        "{refused}"
    );
}
