//! Ensembles of every kind of model, each against something independent of it.

use std::ops::Range;
use stickslip::scheme::stochastic::{ContactStep, PathId, Rule, walk};
use stickslip::study::ensemble::{Ensemble, Plan, run};
use stickslip::study::order::Halving;
use stickslip::study::order::noisy::{NoisyStudy, Norm};
use stickslip::{Cascade, Law, Model, Network, Noise, Oscillator, Place, Problem, Signal, State};

fn shaw(end: f64) -> Problem {
    let law = Law::static_dynamic(1.2, 1.0).expect("a valid law");
    let shaw = Oscillator::new(1.0, 1.0, law).with_drive(Signal::harmonic(6.0, 0.5, 0.0));
    let ou = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.5 };
    Problem::new(shaw.starting_at(6.0, 0.0), end).with_noise(Place::Drive, ou)
}

/// Two masses on the ground, joined by a spring and a contact, one pushed by two noises.
fn pair(noise: Noise, end: f64) -> Problem {
    let network = Network::builder()
        .node("a", 1.0)
        .node("b", 0.5)
        .spring("a", "ground", 2.0)
        .spring("a", "b", 3.0)
        .dashpot("b", "ground", 0.1)
        .slider("ground", "a", "ground", 0.5, 0.4)
        .slider("between", "a", "b", 0.3, 0.3)
        .force("a", Signal::harmonic(1.0, 0.7, 0.0))
        .build()
        .expect("a valid network");
    Problem::new(network, end)
        .with_noise(Place::Node(1), noise)
        .with_noise(Place::Node(0), Noise::White { intensity: 0.3 })
}

fn cascade(noise: Noise, end: f64) -> Problem {
    let cascade = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0], vec![0.5, 0.8, 0.3])
        .with_force(Signal::harmonic(1.5, 0.9, 0.0));
    Problem::new(cascade, end).with_noise(Place::Force, noise)
}

fn kanai_tajimi() -> Noise {
    Noise::KanaiTajimi { angular_frequency: 4.0, damping_ratio: 0.5, intensity: 0.6, scale: 1.0 }
}

/// Two schemes for one thing: side by side in lanes with counts by masks, and one after the other, each
/// contact followed by hand. The states have the same bits, the counts are the same numbers.
#[test]
fn one_by_one_counts_what_lanes_count() {
    let (n, end, h) = (70u64, 40.0, 0.05);
    let plan = Plan::new(shaw(end), h, 42).with_level(5.0).with_rows(14);
    let lanes = run(&plan, 0..n, 1, &mut ()).unwrap();
    // A normal force that is 1 means the same and goes one by one.
    let mut problem = shaw(end);
    let Model::Oscillator(by_hand) = &mut problem.model else { panic!("an oscillator") };
    by_hand.normal = Some(Signal::constant(1.0));
    let mut single = plan.clone();
    single.problem = problem;
    let single = run(&single, 0..n, 2, &mut ()).unwrap();
    let ([a], [b]) = (&lanes.contacts[..], &single.contacts[..]) else { panic!("one contact") };
    assert_eq!((&a.stick_share, &a.slips), (&b.stick_share, &b.slips));
    assert_eq!(a.slip_steps, b.slip_steps);
    assert!(a.slip_steps.count() > 100);
    assert!((0..14).all(|r| a.stick_fraction(r) == b.stick_fraction(r)));
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-12 * x.abs().max(1.0);
    assert!(near(a.largest_slip.mean(), b.largest_slip.mean()));
    assert!(near(a.slid.mean(), b.slid.mean()));
    assert!(near(a.dissipated.mean(), b.dissipated.mean()));
    assert!(near(lanes.dissipated.mean(), a.dissipated.mean()));
    assert_eq!(lanes.points[0].passage, single.points[0].passage);
}

/// Threads and parts change no bit, for networks and cascades too; contacts have their names.
#[test]
fn parts_of_networks_and_cascades_merge_to_the_bits_of_one_run() {
    for problem in [pair(kanai_tajimi(), 4.0), cascade(kanai_tajimi(), 4.0)] {
        let plan = Plan::new(problem, 0.02, 3).with_rows(5).with_level(0.5);
        let part = |paths: Range<u64>, threads| run(&plan, paths, threads, &mut ()).unwrap();
        let whole = part(0..40, 2);
        assert_eq!(whole, part(0..40, 1));
        let mut merged = part(23..40, 1);
        merged.merge(&part(0..23, 2)).unwrap();
        assert_eq!(merged, whole);
        assert_eq!((whole.count(), whole.inexact), (40, 0));
        let names: Vec<&str> = whole.contacts.iter().map(|c| c.name.as_str()).collect();
        assert!(names == ["ground", "between"] || names == ["1", "2", "3"], "{names:?}");
        assert!(whole.contacts.iter().all(|c| c.slips.mean() > 0.5 && c.dissipated.mean() > 0.0));
        let total: f64 = whole.contacts.iter().map(|c| c.dissipated.mean()).sum();
        assert!((total - whole.dissipated.mean()).abs() < 1e-12);
    }
}

fn path(problem: &Problem, h: f64, rule: Rule) -> (Vec<Vec<State>>, Vec<Vec<ContactStep>>) {
    let (mut states, mut contacts) = (Vec::new(), Vec::new());
    let id = PathId { seed: 9, path: 2 };
    let inexact = walk(problem, id, h, rule, |_, u, r| {
        states.push(u.to_vec());
        contacts.push(r.to_vec());
    });
    assert_eq!(inexact.expect("a path"), 0);
    (states, contacts)
}

/// One mass on the ground, as oscillator and as network, on the same path of white and filtered noise: the same motion by
/// the same scheme, and by the explicit and the implicit one motions that tend to each other with order 1.
#[test]
fn a_network_of_one_mass_tends_to_the_oscillator() {
    let white = Noise::White { intensity: 0.8 };
    let o = Oscillator::new(1.3, 2.0, Law::coulomb(0.4).unwrap()).with_damping(0.1);
    let oscillator = Problem::new(o, 8.0)
        .with_noise(Place::Force, white)
        .with_noise(Place::Force, kanai_tajimi());
    let network = Network::builder()
        .node("a", 1.3)
        .spring("a", "ground", 2.0)
        .dashpot("a", "ground", 0.1)
        .slider("s", "a", "ground", 0.4, 0.4)
        .build()
        .unwrap();
    let network = Problem::new(network, 8.0)
        .with_noise(Place::Node(0), white)
        .with_noise(Place::Node(0), kanai_tajimi());
    let apart = |h: f64, [one, other]: [Rule; 2]| {
        let (a, b) = (path(&oscillator, h, one).0, path(&network, h, other).0);
        let both = a.iter().zip(&b).map(|(a, b)| (a[0].x - b[0].x).hypot(a[0].v - b[0].v));
        both.fold(0.0, f64::max)
    };
    for rule in [Rule::Theta, Rule::ImplicitEuler] {
        assert!(apart(1.0 / 32.0, [rule; 2]) < 1e-9, "{rule:?}");
    }
    let pair = [Rule::Euler, Rule::ImplicitEuler];
    let (coarse, fine) = (apart(1.0 / 32.0, pair), apart(1.0 / 512.0, pair));
    assert!(fine < coarse / 12.0, "{coarse} {fine}");
}

/// A cascade is a network of massless nodes; by the projection scheme and the network's problem, on the
/// same path, they tend to each other, elements and all. By the θ-method they do so with order two: they take the load inside the step and at
/// its ends.
#[test]
fn a_cascade_tends_to_its_network() {
    let white = Noise::White { intensity: 0.5 };
    let cascade = cascade(white, 8.0);
    let c = cascade.model.as_cascade().unwrap();
    let (k, alpha) = (&c.stiffness, &c.threshold);
    let mut b = Network::builder().node("m", c.mass);
    for i in 1..=alpha.len() {
        b = b.node(format!("v{i}"), 0.0);
    }
    b = b.spring("m", "v1", k[0]);
    for i in 1..=alpha.len() {
        let here = format!("v{i}");
        let next = if i == alpha.len() { "ground".to_owned() } else { format!("v{}", i + 1) };
        b = b.spring(&here, &next, k[i]).slider(
            i.to_string(),
            &here,
            "ground",
            alpha[i - 1],
            alpha[i - 1],
        );
    }
    let network = b.force("m", c.force.clone()).build().unwrap();
    let network = Problem::new(network, 8.0).with_noise(Place::Node(0), white);
    let distance = |h: f64, rule: Rule| {
        let ((a, ra), (b, rb)) = (path(&cascade, h, rule), path(&network, h, rule));
        let states = a.iter().zip(&b).map(|(a, b)| (a[0].x - b[0].x).hypot(a[0].v - b[0].v));
        let slid =
            |r: &[Vec<ContactStep>], e: usize| r.iter().map(|r| r[e].slide.abs()).sum::<f64>();
        let lost = |r: &[Vec<ContactStep>]| r.iter().flatten().map(|r| r.lost).sum::<f64>();
        let ways = (0..3).map(|e| (slid(&ra, e) - slid(&rb, e)).abs()).fold(0.0, f64::max);
        assert!(lost(&ra) > 1.0);
        [states.fold(0.0, f64::max), ways, (lost(&ra) - lost(&rb)).abs()]
    };
    for (rule, least) in [(Rule::ImplicitEuler, 12.0), (Rule::Theta, 60.0)] {
        let [coarse, fine] = [1.0 / 32.0, 1.0 / 512.0].map(|h| distance(h, rule));
        for (c, f) in coarse.iter().zip(&fine) {
            assert!(*f < c / least, "{rule:?} {coarse:?} {fine:?}");
            assert!(*c < 2e-3 || rule != Rule::Theta, "{coarse:?}");
        }
    }
}

/// Without friction a mass with spring and dashpot under white noise is linear: its stationary variances
/// are σ²/(2ck) and σ²/(2cm). Implicit Euler is off by O(h).
#[test]
fn variances_of_a_linear_network() {
    let (m, k, c, sigma) = (1.5, 6.0, 0.9, 0.7);
    let network = Network::builder()
        .node("a", m)
        .spring("a", "ground", k)
        .dashpot("a", "ground", c)
        .build()
        .unwrap();
    let white = Noise::White { intensity: sigma };
    let problem = Problem::new(network, 15.0).with_noise(Place::Node(0), white);
    let plan = Plan::new(problem, 0.01, 4).with_rows(2).with_rule(Rule::ImplicitEuler);
    let e = run(&plan, 0..2000, 0, &mut ()).unwrap();
    let last = &e.points[0].rows[1];
    // Of v⁺ = (m v − h k x + σ √h ξ)/(m + h c + h² k) and x⁺ = x + h v⁺ from rest on: [Var x, Cov, Var v].
    let h = 0.01;
    let mass = m + h * c + h * h * k;
    let (a, b) = (-h * k / mass, m / mass); // v⁺ = a x + b v + noise
    let steps = (0..1500).fold([0.0, 0.0, 0.0], |[xx, xv, vv], _| {
        let (xw, ww) = (a * xx + b * xv, a * a * xx + 2.0 * a * b * xv + b * b * vv);
        let ww = ww + sigma * sigma * h / (mass * mass);
        [xx + 2.0 * h * xw + h * h * ww, xw + h * ww, ww]
    });
    let limit = [sigma * sigma / (2.0 * c * k), sigma * sigma / (2.0 * c * m)];
    let found = [last.x.variance(), last.v.variance()];
    for ((got, exact), limit) in found.into_iter().zip([steps[0], steps[2]]).zip(limit) {
        // The scheme damps as a dashpot h k beside c would; the spread of a variance of 2000 is 3.2 %.
        let damped = limit * c / (c + h * k);
        assert!((exact / damped - 1.0).abs() < 0.01, "{exact} {damped}");
        assert!((got / exact - 1.0).abs() < 0.09, "{got} {exact}");
    }
    assert!(e.contacts.is_empty() && e.dissipated.range() == (0.0, 0.0));
}

/// Refinement of the same paths: additive noise, so order 1 even with white noise.
#[test]
fn strong_order_of_networks_and_cascades() {
    let white = Noise::White { intensity: 0.5 };
    for problem in [pair(white, 4.0), cascade(white, 4.0)] {
        let study = NoisyStudy {
            problem: &problem,
            rule: Rule::ImplicitEuler,
            seed: 1,
            paths: 40,
            halving: Halving { step: 1.0 / 32.0, halvings: 5 },
            norm: Norm::Nodes,
        };
        let rows = study.table().unwrap();
        let (first, last) = (rows[0].row.error, rows[4].row.error);
        let order = (first / last).log2() / 4.0;
        assert!((0.8..1.2).contains(&order), "{order} {rows:?}");
    }
}

/// At rest the resolvent has the sign 0 and keeps it; the sign of the velocity before chatters: it
/// changes its way in nearly every step, as often as there are steps.
#[test]
fn the_sign_scheme_chatters_on_networks() {
    let network = Network::builder()
        .node("a", 1.0)
        .spring("a", "ground", 1.0)
        .slider("s", "a", "ground", 1.0, 1.0)
        .build()
        .unwrap();
    let slow = Noise::OrnsteinUhlenbeck { rate: 0.2, intensity: 0.1, scale: 1.0 };
    let problem = Problem::new(network, 10.0).with_noise(Place::Node(0), slow);
    let changes = |rule: Rule, h: f64| {
        let (mut last, mut changes) = (0.0, 0);
        let id = PathId { seed: 2, path: 0 };
        walk(&problem, id, h, rule, |_, u, _| {
            changes += u32::from(last * u[0].v < 0.0);
            last = u[0].v;
        })
        .unwrap();
        f64::from(changes) * h / 10.0
    };
    for h in [0.01, 0.001] {
        assert_eq!(changes(Rule::Theta, h), 0.0);
        let share = changes(Rule::ExplicitSign, h);
        assert!(share > 0.4, "{share}");
    }
}

/// By hand: from 0.5 m/s with μ = 1 N on 1 kg, a step of 0.5 s ends at rest exactly and has slid 0.25 m.
#[test]
fn the_sign_scheme_slides_with_the_velocity_before() {
    let network = Network::builder()
        .node("a", 1.0)
        .starting_at("a", 0.0, 0.5)
        .slider("s", "a", "ground", 1.0, 1.0)
        .build()
        .unwrap();
    let problem = Problem::new(network, 1.0);
    let mut seen = Vec::new();
    let id = PathId::default();
    walk(&problem, id, 0.5, Rule::ExplicitSign, |_, _, r| seen.push(r[0])).unwrap();
    let step = |slide, lost, rests| ContactStep { slide, lost, rests };
    assert_eq!(seen, [step(0.0, 0.0, false), step(0.25, 0.25, true), step(0.0, 0.0, true)]);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let refused = |plan: Plan| run(&plan, 0..3, 1, &mut ()).unwrap_err().to_string();
    let explicit = |p: Problem| Plan::new(p, 0.1, 1).with_rule(Rule::ExplicitSign);
    let said = refused(explicit(cascade(kanai_tajimi(), 1.0)).with_rows(3));
    assert!(said.contains("no mass"), "{said}");
    let massless = Network::builder()
        .node("n", 0.0)
        .spring("n", "ground", 1.0)
        .slider("s", "n", "ground", 1.0, 1.0)
        .build()
        .unwrap();
    let said = refused(explicit(Problem::new(massless, 1.0)).with_rows(3));
    assert!(said.contains("`n` has no mass"), "{said}");
    let lost = pair(kanai_tajimi(), 1.0).with_noise(Place::Node(7), kanai_tajimi());
    let said = refused(Plan::new(lost, 0.1, 1).with_rows(3));
    assert!(said.contains("node"), "{said}");
    let many = Cascade::new(1.0, vec![1.0; 1002], vec![1.0; 1001]);
    let said = refused(Plan::new(Problem::new(many, 1.0), 0.1, 1).with_rows(3));
    assert!(said.contains("1001"), "{said}");
    let e: Ensemble = run(&Plan::new(shaw(1.0), 0.1, 1).with_rows(3), 0..3, 1, &mut ()).unwrap();
    assert_eq!(e.contacts.len(), 1);
}

/// Models that differ in one number, or in the name of a function, have different fingerprints; those of equal ones
/// are equal. A function without a name has none, and its partial results are not put together.
#[test]
fn fingerprints_tell_models_apart() {
    use stickslip::law::General;
    use stickslip::model::Load;
    use stickslip::study::ensemble::MergeError;
    let plan = |o: Oscillator| Plan::new(Problem::new(o, 1.0), 0.1, 1).with_rows(2);
    let base = || Oscillator::new(1.0, 2.0, Law::static_dynamic(1.2, 1.0).unwrap());
    let curve = |a: f64| General::function(move |s| 1.0 + a * s.tanh(), (0.0, 1.0)).unwrap();
    let loaded = |name: &str, a: f64| {
        let mut o = base();
        o.nonlinear.load = Some(Load::new(move |x, _, _| a * x.sin()).named(name));
        o
    };
    let signal = Signal::sampled(&[0.0, 2.0], &[0.0, 1.0]).unwrap();
    let different = [
        base(),
        Oscillator { mass: 1.5, ..base() },
        base().with_damping(0.1),
        base().with_drive(Signal::harmonic(1.0, 2.0, 0.0)),
        base().with_drive(Signal::harmonic(1.0, 2.0, 1e-16)),
        base().with_force(Signal::ramp(0.1, 0.0)),
        base().with_force(signal),
        base().with_normal(Signal::constant(1.0)),
        base().with_polynomial_stiffness(&[2.0, 0.0, 1.0]),
        base().with_quadratic_damping(0.2),
        base().starting_at(0.0, 1.0),
        Oscillator { friction: Law::coulomb(1.2).unwrap(), ..base() },
        Oscillator { friction: Law::stribeck(0.01, 0.2, 0.01, 9.0).unwrap(), ..base() },
        Oscillator { friction: Law::General(curve(0.5).named("half")), ..base() },
        Oscillator { friction: Law::General(curve(0.7).named("more")), ..base() },
        loaded("pendulum", 1.0),
        loaded("strong pendulum", 2.0),
    ];
    let prints: Vec<String> =
        different.iter().map(|o| plan(o.clone()).fingerprint().unwrap()).collect();
    for (i, a) in prints.iter().enumerate() {
        assert!(prints[..i].iter().all(|b| a != b), "{i}: {:?}", different[i]);
        assert_eq!(*a, plan(different[i].clone()).fingerprint().unwrap());
    }
    let part = |o: Oscillator, paths: Range<u64>| run(&plan(o), paths, 1, &mut ()).unwrap();
    let unnamed = |a: f64| Oscillator { friction: Law::General(curve(a)), ..base() };
    assert!(plan(unnamed(0.5)).fingerprint().unwrap_err().to_string().contains("name"));
    let mut first = part(unnamed(0.5), 0..2);
    assert_eq!(first.merge(&part(unnamed(0.7), 2..4)), Err(MergeError::Unnamed));
    let mut first = part(loaded("pendulum", 1.0), 0..2);
    assert!(first.merge(&part(loaded("pendulum", 1.0), 2..4)).is_ok());
}
