//! Machines by time steps, against closed forms, against `adaptive`, and for what must hold at every step size.

use crate::common::{Random, sized};
use stickslip::model::machine::{
    AntiWindup, ControlLaw, Curve, Gains, GearBetween, GearFriction, Quantity, Sampling, StateSpace,
};
use stickslip::model::{Bumper, Machine, Network};
use stickslip::scheme::machine::{MachineState, theta_method};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{Event, EventKind, Law, Problem, Scheme, Signal, solve, start};

fn rigid(restitution: f64) -> Bumper {
    Bumper::Rigid { restitution }
}

fn at(signal: f64) -> Option<Signal> {
    Some(Signal::constant(signal))
}

/// A drill string: a table on the ground, a bit under a law that falls with the speed.
fn drill() -> Machine {
    let network = Network::builder()
        .node("table", 2.0)
        .node("bit", 0.5)
        .spring("table", "bit", 5.0)
        .dashpot("table", "ground", 0.4)
        .slider("rock", "bit", "ground", 2.0, 2.0)
        .force("table", Signal::constant(1.9))
        .build()
        .unwrap();
    let law = Law::stribeck_exponential(2.0, 1.2, 0.5, 1.0, 0.0).unwrap();
    Machine::new(network).unwrap().with_law("rock", law).unwrap()
}

/// Two masses with a soft buffer between them, a spring with play, one that hardens, and dry friction.
fn train() -> Machine {
    let network = Network::builder()
        .node("engine", 1.5)
        .node("wagon", 1.0)
        .starting_at("wagon", -0.2, 0.0)
        .slider("brake", "wagon", "ground", 0.3, 0.3)
        .dashpot("engine", "ground", 0.1)
        .force("engine", Signal::harmonic(3.0, 1.3, 0.4))
        .build()
        .unwrap();
    let coupling = Curve::Powers(vec![8.0]).with_play([-0.1, 0.1]);
    Machine::new(network)
        .unwrap()
        .with_law("brake", Law::static_dynamic(0.5, 0.3).unwrap())
        .unwrap()
        .with_spring(["engine", "wagon"], coupling)
        .unwrap()
        .with_spring(["engine", "ground"], Curve::Powers(vec![1.0, 0.2, 0.5]))
        .unwrap()
        .with_stop(
            "buffer",
            ["engine", "wagon"],
            [at(-0.3), at(0.3)],
            Bumper::Soft { stiffness: 40.0, damping: 0.8 },
        )
        .unwrap()
}

/// A driven mass between rigid stops, geared to a second inertia.
fn hammer() -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("ram", 1.0)
        .node("wheel", 0.4)
        .spring("ram", "ground", 3.0)
        .dashpot("wheel", "ground", 0.05)
        .slider("guide", "ram", "ground", 0.2, 0.2)
        .force("ram", Signal::harmonic(2.0, 0.9, 0.0))
        .build()
        .unwrap();
    let gear = GearBetween { name: "gear", between: ["ram", "wheel"], ratio: -2.0, friction: None };
    Machine::geared(network, [gear])
        .unwrap()
        .with_stop("stops", ["ram", "ground"], [at(-0.5), at(0.4)], rigid(0.4))
        .unwrap()
}

/// The largest difference of displacements from those of `adaptive` over the run.
fn error(machine: &Machine, end: f64, scheme: Scheme) -> f64 {
    let problem = Problem::new(machine.clone(), end);
    let exact = solve(&problem, &Scheme::Adaptive(Options::tolerance(1e-11))).unwrap();
    let found = solve(&problem, &scheme).unwrap();
    assert_eq!(found.counts.inexact, 0, "{:?}", found.counts);
    let nodes = machine.network().nodes().len();
    let mut most = 0.0f64;
    let [mut a, mut b] = [(); 2].map(|()| vec![0.0; exact.columns().len()]);
    for t in exact.equally_spaced(400) {
        exact.row(t, &mut a);
        found.row(t, &mut b);
        (0..nodes).for_each(|i| most = most.max((a[2 * i] - b[2 * i]).abs()));
    }
    most
}

/// Over events the error is of first order, with stops, gears, curved springs and laws that fall with the speed.
#[test]
fn first_order_over_events() {
    for (name, machine) in [("drill", drill()), ("train", train()), ("hammer", hammer())] {
        for theta in [1.0, 0.5] {
            let of = |h: f64| error(&machine, 12.0, Scheme::Theta { step: h, theta });
            let finest = sized(1e-4, 2e-5);
            let [coarse, fine] = [2e-3, finest].map(of);
            println!("{name} θ = {theta}: {coarse:.1e} {fine:.1e}");
            // So many times finer, about as many times better: instants of events lie anywhere in their steps.
            assert!(fine < 4.0 * finest / 2e-3 * coarse, "{name} {coarse} {fine}");
            assert!(fine < 100.0 * finest, "{name} {fine}");
        }
    }
}

/// Between events the θ-method with θ = ½ is of second order: a belt that always slips, a pendulum and a hardening spring.
#[test]
fn second_order_between_events() {
    let network = Network::builder()
        .node("a", 1.0)
        .node("b", 0.7)
        .starting_at("a", 0.3, 0.2)
        .spring("a", "b", 4.0)
        .dashpot("a", "b", 0.3)
        .slider("belt", "b", "ground", 1.0, 1.0)
        .force("a", Signal::harmonic(0.3, 1.1, 0.0))
        .build()
        .unwrap();
    let law = Law::stribeck_exponential(1.0, 0.6, 2.0, 1.0, 0.05).unwrap();
    let machine = Machine::new(network)
        .unwrap()
        .with_law("belt", law)
        .unwrap()
        .with_support("belt", Signal::constant(-5.0))
        .unwrap()
        .with_spring(["a", "ground"], Curve::Sine { amplitude: 2.0, wave_number: 1.5 })
        .unwrap()
        .with_spring(["b", "ground"], Curve::Powers(vec![1.0, 0.0, 0.3]))
        .unwrap();
    // Friction is taken at the end of the step, so that it alone leaves a first order: without its slope nothing is left of it.
    let coulomb = machine.clone().with_law("belt", Law::coulomb(0.8).unwrap()).unwrap();
    let of = |h: f64| error(&coulomb, 6.0, Scheme::Theta { step: h, theta: 0.5 });
    let [coarse, fine] = [1e-2, 1e-3].map(of);
    assert!((80.0..125.0).contains(&(coarse / fine)), "{coarse} {fine}");
    let of = |h: f64| error(&machine, 6.0, Scheme::ImplicitEuler { step: h });
    let [coarse, fine] = [1e-3, 1e-4].map(of);
    assert!((8.0..12.5).contains(&(coarse / fine)), "{coarse} {fine}");
}

/// What is pressed against a stop stays where it is: no penetration grows, however long, on a bound at rest and on one that
/// moves, for either θ.
#[test]
fn penetration_does_not_drift() {
    let network = Network::builder()
        .unjoined()
        .node("block", 2.0)
        .starting_at("block", 0.5, -1.0)
        .force("block", Signal::constant(-20.0))
        .build()
        .unwrap();
    let floor = Signal::harmonic(0.01, 3.0, 0.2);
    for (bound, restitution) in
        [(Signal::constant(0.0), 0.0), (Signal::constant(0.0), 0.7), (floor, 0.3)]
    {
        let machine = Machine::new(network.clone())
            .unwrap()
            .with_stop(
                "floor",
                ["block", "ground"],
                [Some(bound.clone()), None],
                rigid(restitution),
            )
            .unwrap();
        for theta in [0.5, 0.75, 1.0] {
            let h = 1e-3;
            let (path, counts, _) = theta_method::solve(&machine, 25.0, h, theta).unwrap();
            assert_eq!(counts.inexact, 0);
            let gap = |t: f64| path.state(t).gap[0];
            // It falls 0.51 m and meets the floor at √(1 + 2·10·0.51) m/s; until then it may go h times as far below.
            let most = h * (1.0f64 + 20.0 * 0.51).sqrt();
            let settled = gap(15.0);
            assert!((-most..=0.0).contains(&settled), "{settled} {theta}");
            for k in 0..1000 {
                let now = gap(15.0 + 0.01 * f64::from(k));
                assert!((now - settled).abs() < 1e-12, "{now} {settled} θ = {theta}");
            }
            // It is carried: the force is that of the weight and of its inertia.
            let t = 20.0;
            let a = bound.piece_at(t).derivatives(t)[2];
            let force = path.state(t).force[0];
            assert!((force - (20.0 + 2.0 * a)).abs() < 0.02, "{force} {a} θ = {theta}");
        }
    }
}

/// Free masses on springs between rigid stops: whatever the restitutions, no step gains energy.
#[test]
fn stops_gain_no_energy() {
    let mut r = Random(71);
    let mut all = 0;
    for case in 0..sized(15, 40) {
        let n = 1 + (r.next() % 4) as usize;
        let name = |i: usize| format!("n{i}");
        let mass: Vec<f64> = (0..n).map(|_| r.uniform(0.3, 3.0)).collect();
        let stiff: Vec<f64> = (0..n).map(|_| r.uniform(1.0, 30.0)).collect();
        let mut b = Network::builder();
        for (i, m) in mass.iter().enumerate() {
            let before = if i == 0 { "ground".to_owned() } else { name(i - 1) };
            b = b.node(&*name(i), *m).starting_at(&*name(i), 0.0, r.uniform(-2.0, 2.0));
            b = b.spring(&*name(i), &*before, stiff[i]);
        }
        let mut machine = Machine::new(b.build().unwrap()).unwrap();
        for i in 0..n {
            let before = if i == 0 { "ground".to_owned() } else { name(i - 1) };
            let bounds = [at(r.uniform(-0.4, -0.02)), at(r.uniform(0.02, 0.4))];
            let e = if r.chance(0.3) { 1.0 } else { r.uniform(0.0, 1.0) };
            machine =
                machine.with_stop(&format!("s{i}"), [&name(i), &before], bounds, rigid(e)).unwrap();
        }
        let energy = |u: &MachineState| {
            let kinetic: f64 = mass.iter().zip(&u.v).map(|(m, v)| 0.5 * m * v * v).sum();
            let z = |i: usize| u.x[i] - if i == 0 { 0.0 } else { u.x[i - 1] };
            kinetic + (0..n).map(|i| 0.5 * stiff[i] * z(i) * z(i)).sum::<f64>()
        };
        for theta in [0.5, 1.0] {
            let h = 2e-3;
            let (path, counts, _) = theta_method::solve(&machine, 8.0, h, theta).unwrap();
            assert_eq!(counts.inexact, 0);
            let mut before = energy(&path.state(0.0));
            let first = before;
            for k in 1..=4000 {
                let now = energy(&path.state(f64::from(k) * h));
                assert!(
                    now <= before + 1e-12 * first,
                    "case {case} θ {theta} step {k}: {now} {before}"
                );
                before = now;
            }
            let hits = path.events().iter().filter(|e| e.kind == EventKind::Impact).count();
            all += hits;
        }
    }
    assert!(all > sized(300, 1000), "{all}");
}

/// What rests is where it was, to the last bit: under a load below the limit, at a closed stop, and held to a second mass.
#[test]
fn rest_stays_rest() {
    let network = Network::builder()
        .node("a", 1.3)
        .node("b", 0.7)
        .starting_at("a", 0.1, 0.0)
        .starting_at("b", 0.37, 0.0)
        .spring("a", "b", 1.0)
        .slider("rail", "a", "ground", 1.0, 0.7)
        .slider("clamp", "b", "a", 1.0, 1.0)
        .force("b", Signal::harmonic(0.6, 7.0, 0.3))
        .build()
        .unwrap();
    let machine = Machine::new(network)
        .unwrap()
        .with_law("rail", Law::stribeck_exponential(1.0, 0.4, 0.1, 1.0, 0.0).unwrap())
        .unwrap()
        .with_stop("wall", ["a", "ground"], [at(0.1), None], rigid(0.5))
        .unwrap();
    for theta in [0.5, 1.0] {
        let (path, _, energy) = theta_method::solve(&machine, 30.0, 1e-3, theta).unwrap();
        let end = path.state(30.0);
        assert_eq!((end.x, end.v), (vec![0.1, 0.37], vec![0.0; 2]));
        assert!(path.events().is_empty());
        assert_eq!([energy.friction, energy.impacts, energy.kinetic], [0.0; 3]);
    }
    // Masses that a clamp holds together go as one.
    let network = Network::builder()
        .node("a", 1.3)
        .node("b", 0.7)
        .starting_at("a", 0.1, 0.0)
        .starting_at("b", 0.1, 0.0)
        .spring("a", "ground", 5.0)
        .slider("clamp", "b", "a", 9.0, 9.0)
        .force("b", Signal::harmonic(1.6, 2.0, 0.3))
        .build()
        .unwrap();
    let pair = Machine::new(network).unwrap();
    let (path, _, _) = theta_method::solve(&pair, 20.0, 1e-3, 0.5).unwrap();
    for k in 0..=2000 {
        let u = path.state(0.01 * f64::from(k));
        assert!(u.v[0] == u.v[1] && u.x[0] == u.x[1], "{u:?}");
    }
    assert!(path.state(20.0).x[0].abs() > 1e-3);
}

/// Between its ticks a sampled controller is constant, and the motion a parabola, which θ = ½ has exactly: so it agrees with
/// `adaptive` to rounding. A gear hands on what the second inertia needs.
#[test]
fn ticks_and_gears_are_exact() {
    let network = Network::builder()
        .unjoined()
        .node("motor", 0.2)
        .node("load", 3.0)
        .starting_at("motor", 0.0, 0.0)
        .force("load", Signal::constant(-0.7))
        .build()
        .unwrap();
    let gear = GearBetween { name: "gear", between: ["motor", "load"], ratio: 5.0, friction: None };
    let gains = Gains { proportional: 4.0, integral: 3.0, derivative: 0.8, ..Gains::default() };
    let law = ControlLaw::pid(gains).following(Signal::harmonic(1.0, 1.7, 0.0)).sampled(Sampling {
        time: 0.02,
        delay: 0.03,
        quantum: 0.0,
    });
    let machine = Machine::geared(network, [gear])
        .unwrap()
        .with_controller("pid", ["motor", "ground"], "motor", law)
        .unwrap();
    let problem = Problem::new(machine.clone(), 3.0);
    let exact = solve(&problem, &Scheme::Adaptive(Options::tolerance(1e-12))).unwrap();
    let found = solve(&problem, &Scheme::Theta { step: 0.002, theta: 0.5 }).unwrap();
    let [mut a, mut b] = [(); 2].map(|()| vec![0.0; exact.columns().len()]);
    let load = exact.columns().iter().position(|c| c.name == "force_gear").unwrap();
    let u = exact.columns().iter().position(|c| c.name == "u_pid").unwrap();
    for k in 1..1500 {
        let t = 0.002 * f64::from(k);
        exact.row(t, &mut a);
        found.row(t, &mut b);
        for i in 0..4 {
            assert!((a[i] - b[i]).abs() < 1e-9 * (1.0 + a[i].abs()), "{t} {a:?} {b:?}");
        }
        // Forces of steps are those before t.
        exact.row(t - 0.001, &mut a);
        found.row(t - 0.001, &mut b);
        let torque = b[u];
        let (ratio, inertia) = (5.0, 0.2 * 25.0 + 3.0);
        let handed = 3.0 * (torque * ratio - 0.7) / inertia + 0.7;
        assert!((b[load] - handed).abs() < 1e-9, "{t} {} {handed}", b[load]);
        assert!((a[load] - b[load]).abs() < 1e-7 && (a[u] - b[u]).abs() < 1e-7, "{t}");
    }
    let off = solve(&problem, &Scheme::Theta { step: 0.003, theta: 0.5 }).unwrap_err().to_string();
    assert!(off.contains("pid") && off.contains("whole numbers of steps"), "{off}");
}

/// Continuous controllers: gains with a filter and a limit that keeps the integral from winding up, a state space that measures a
/// velocity, and one mass that hunts. Of second order between events, of first order over them.
#[test]
fn continuous_controllers_keep_the_order() {
    let pair = |friction: f64| {
        let network = Network::builder()
            .unjoined()
            .node("a", 1.0)
            .node("b", 0.6)
            .spring("a", "b", 20.0)
            .dashpot("a", "b", 0.3)
            .slider("rail", "b", "ground", friction, friction)
            .build()
            .unwrap();
        let gains = Gains { proportional: 6.0, integral: 4.0, derivative: 1.0, filter: 0.05 };
        let follows = ControlLaw::pid(gains).following(Signal::harmonic(0.6, 1.1, 0.2));
        let damps = StateSpace {
            a: vec![-3.0, 1.0, 0.0, -2.0],
            b: vec![0.5, 1.0],
            c: vec![0.4, 0.3],
            d: 0.8,
        };
        let damps = ControlLaw::state_space(damps).measuring(Quantity::Velocity);
        (network, follows, damps)
    };
    let built = |friction: f64, limit: Option<f64>| {
        let (network, follows, damps) = pair(friction);
        let follows = match limit {
            Some(limit) => follows.limited(limit, AntiWindup::Clamp),
            None => follows,
        };
        Machine::new(network)
            .unwrap()
            .with_controller("pid", ["b", "ground"], "a", follows)
            .unwrap()
            .with_controller("damper", ["b", "a"], "b", damps)
            .unwrap()
    };
    let of = |h: f64| error(&built(0.0, None), 6.0, Scheme::Theta { step: h, theta: 0.5 });
    let [coarse, fine] = [1e-2, 1e-3].map(of);
    assert!((80.0..125.0).contains(&(coarse / fine)) && fine < 1e-4, "{coarse} {fine}");
    let of = |h: f64| error(&built(0.0, None), 6.0, Scheme::ImplicitEuler { step: h });
    let [coarse, fine] = [1e-3, 1e-4].map(of);
    assert!((8.0..12.5).contains(&(coarse / fine)), "{coarse} {fine}");
    for theta in [0.5, 1.0] {
        let of = |h: f64| error(&built(0.4, Some(1.5)), 12.0, Scheme::Theta { step: h, theta });
        let finest = sized(1e-4, 2e-5);
        let [coarse, fine] = [1e-3, finest].map(of);
        println!("limited θ = {theta}: {coarse:.1e} {fine:.1e}");
        assert!(fine < 5.0 * finest / 1e-3 * coarse && fine < 25.0 * finest, "{coarse} {fine}");
    }
}

/// What meets a second mass gives it what it loses, and a run at the caller's pace has the nodes and the events of the whole one.
#[test]
fn impacts_keep_momentum_and_paces_agree() {
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .starting_at("a", -1.0, 3.0)
        .node("b", 2.0)
        .build()
        .unwrap();
    let pair = Machine::new(network)
        .unwrap()
        .with_stop("gap", ["a", "b"], [None, at(0.0)], rigid(0.5))
        .unwrap();
    let (path, _, energy) = theta_method::solve(&pair, 1.0, 1e-3, 0.5).unwrap();
    let v = path.state(1.0).v;
    // v_a = (1 − 2·0.5)/3 · 3, v_b = (1 + 0.5)/3 · 3
    assert!(v[0].abs() < 1e-12 && (v[1] - 1.5).abs() < 1e-12, "{v:?}");
    let impact = path.events()[0];
    assert_eq!(impact.kind, EventKind::Impact);
    // p = −(1 + e) u m/(...) along −: μ = 2/3, 1.5 · 3 · 2/3
    assert!((impact.impulse + 3.0).abs() < 1e-12 && (impact.before - 3.0).abs() < 1e-12);
    assert!((energy.impacts - 2.25).abs() < 1e-12 && energy.defect().abs() < 1e-12, "{energy:?}");
    for machine in [drill(), train(), hammer()] {
        let problem = Problem::new(machine.clone(), 3.0);
        for scheme in
            [Scheme::ImplicitEuler { step: 1e-3 }, Scheme::Theta { step: 1e-3, theta: 0.5 }]
        {
            let whole = solve(&problem, &scheme).unwrap();
            let mut run = start(&problem, &scheme).unwrap();
            let mut events = Vec::new();
            let [mut a, mut b] = [(); 2].map(|()| vec![0.0; whole.columns().len()]);
            for k in 1..=30 {
                let t = 0.1 * f64::from(k) - 0.0005;
                events.extend(run.advance(t).unwrap().to_vec());
                run.row(&mut a);
                whole.row(t, &mut b);
                for (x, y) in a.iter().zip(&b) {
                    assert!(x == y || (x - y).abs() < 1e-10 * (1.0 + y.abs()), "{t} {a:?} {b:?}");
                }
            }
            events.extend(run.advance(3.0).unwrap().to_vec());
            assert_eq!(events, whole.events);
            assert!(!events.is_empty());
        }
    }
}

/// The energies of a run close to the order of the steps, and where nothing but impulses and friction acts, to rounding.
#[test]
fn energies_close() {
    for machine in [drill(), train(), hammer()] {
        let defect = |h: f64| {
            let (_, _, energy) = theta_method::solve(&machine, 12.0, h, 0.5).unwrap();
            assert!(energy.friction > 0.1);
            energy.relative_defect()
        };
        let [coarse, fine] = [1e-3, 1e-4].map(defect);
        assert!(coarse < 2e-2 && fine < 2e-3, "{coarse} {fine}");
    }
}

/// A body that 3 N ± 2 N press on a wall that moves, and a second one between stops of its own.
fn pressed(second: f64, wall: Bumper, rub: Option<Law>) -> Machine {
    let builder = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .starting_at("a", 0.06, 0.0)
        .force("a", Signal::constant(-3.0) + Signal::harmonic(2.0, 3.0, 0.0))
        .node("b", 0.7)
        .starting_at("b", 0.1, 0.0)
        .spring("b", "ground", 4.0)
        .dashpot("b", "ground", 0.2)
        .force("b", Signal::harmonic(2.5, 1.7, 0.3));
    let rubs = rub.is_some();
    let builder = if rubs { builder.slider("guide", "a", "ground", 0.6, 0.6) } else { builder };
    let bound = Signal::harmonic(0.05, 2.0, 0.3);
    let machine = Machine::new(builder.build().unwrap()).unwrap();
    let machine = match rub {
        Some(law) => machine.with_law("guide", law).unwrap(),
        None => machine,
    };
    let machine = machine.with_stop("wall", ["a", "ground"], [Some(bound), None], wall).unwrap();
    let stops = [at(-0.15), at(0.2)];
    let machine = machine.with_stop("stops", ["b", "ground"], stops, rigid(second)).unwrap();
    if rubs && matches!(wall, Bumper::Soft { .. }) {
        return machine.pressed_by_stop("guide", "wall", 0.1).unwrap();
    }
    machine
}

/// Two bodies in a row that are squeezed against a moving wall, the outer one also against another stop if so.
fn squeezed(restitution: [f64; 2], outer: bool) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .starting_at("a", 0.06, 0.0)
        .force("a", Signal::constant(-0.5))
        .node("b", 0.7)
        .starting_at("b", 0.2, 0.0)
        .force("b", Signal::constant(-3.0) + Signal::harmonic(2.0, 3.0, 0.0))
        .build()
        .unwrap();
    let bound = Signal::harmonic(0.05, 2.0, 0.3);
    let [first, second] = restitution.map(rigid);
    let machine = Machine::new(network)
        .unwrap()
        .with_stop("wall", ["a", "ground"], [Some(bound), None], first)
        .unwrap()
        .with_stop("pair", ["b", "a"], [at(0.0), None], second)
        .unwrap();
    match outer {
        true => machine.with_stop("top", ["b", "ground"], [None, at(0.4)], second).unwrap(),
        false => machine,
    }
}

/// What rests on a wall that moves has no velocity of its own to rounding only: an impact elsewhere does not squeeze it, and curved
/// laws next to it are solved to their rounding. The motions agree with `adaptive`, with an error of the order of the step.
#[test]
fn what_presses_on_a_moving_wall_is_not_squeezed_by_other_impacts() {
    let soft = Bumper::Soft { stiffness: 500.0, damping: 5.0 };
    let falling = || Law::stribeck_exponential(0.6, 0.4, 0.2, 1.0, 0.05).unwrap();
    let rising = || Law::velocity_strengthening(0.3, 0.6, 3.0).unwrap();
    let two = || Law::static_dynamic(0.6, 0.35).unwrap();
    let machines = [
        ("e = 0", pressed(0.0, rigid(0.0), None)),
        ("e = 1/2", pressed(0.5, rigid(0.5), None)),
        ("e = 0 and 1/2", pressed(0.5, rigid(0.0), None)),
        ("two numbers", pressed(0.0, rigid(0.0), Some(two()))),
        ("falling", pressed(0.0, rigid(0.0), Some(falling()))),
        ("rising", pressed(0.5, rigid(0.5), Some(rising()))),
        ("soft", pressed(0.0, soft, None)),
        ("soft and elastic", pressed(0.5, soft, None)),
        ("under the push", pressed(0.0, soft, Some(falling()))),
        ("in a row", squeezed([0.0, 0.0], false)),
        ("in a row, e = 1/2", squeezed([0.5, 0.5], false)),
        ("in a row, three stops", squeezed([0.0, 0.5], true)),
    ];
    for (name, machine) in machines {
        for theta in [1.0, 0.5] {
            let of = |h: f64| error(&machine, 4.0, Scheme::Theta { step: h, theta });
            let finest = sized(4e-4, 1e-4);
            let [coarse, fine] = [2e-3, finest].map(of);
            println!("{name} θ = {theta}: {coarse:.1e} {fine:.1e}");
            let near = coarse < 10.0 * 2e-3 && fine < 10.0 * finest;
            assert!(near, "{name} θ = {theta}: {coarse:e} {fine:e}");
        }
    }
}

/// A motor that lifts and lowers a load on a spring through a gear whose friction grows with what it hands on.
fn hoist(ratio: f64, friction: GearFriction) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("motor", 1.0)
        .node("drum", 0.8)
        .node("load", 1.2)
        .spring("drum", "load", 40.0)
        .dashpot("drum", "load", 0.6)
        .force("motor", Signal::harmonic(2.5, 1.1, 0.3))
        .force("load", Signal::constant(-1.5))
        .build()
        .unwrap();
    let friction = Some(friction);
    let gear = GearBetween { name: "worm", between: ["motor", "drum"], ratio, friction };
    Machine::geared(network, [gear]).unwrap()
}

/// Gears whose friction grows with the load: of first order, rests and slips in the order of `adaptive`, and at θ = ½ the energy
/// closes to rounding, with the loss in the gear.
#[test]
fn gears_rub_by_the_load_of_the_step() {
    let both = |force, forward, backward| GearFriction { force, forward, backward };
    let machines = [
        ("plain", hoist(2.0, GearFriction::new(0.1, 0.2))),
        ("by direction", hoist(-1.5, both(0.0, 0.05, 0.3))),
        ("self-locking", hoist(2.0, GearFriction::new(0.05, 0.7))),
        ("constant", hoist(3.0, GearFriction::new(1.2, 0.0))),
    ];
    for (name, machine) in machines.into_iter().skip(sized(1, 0)).take(sized(2, 4)) {
        let problem = Problem::new(machine.clone(), 8.0);
        let exact = solve(&problem, &Scheme::Adaptive(Options::tolerance(1e-11))).unwrap();
        for theta in [1.0, 0.5] {
            let of = |step: f64| error(&machine, 8.0, Scheme::Theta { step, theta });
            let [coarse, fine] = [2e-3, 1e-4].map(of);
            println!("{name} θ = {theta}: {coarse:.1e} {fine:.1e}");
            assert!(coarse < 0.1 && fine < coarse / 6.0, "{name} {coarse:e} {fine:e}");
        }
        let found = solve(&problem, &Scheme::Theta { step: 1e-4, theta: 0.5 }).unwrap();
        assert!(found.energy().relative_defect() < 1e-11, "{name} {:?}", found.energy());
        let lost = [exact.energy().friction, found.energy().friction];
        assert!((lost[0] - lost[1]).abs() < 1e-2 * lost[0], "{name}: {lost:?}");
        // The gear stands behind the sliders and the stops, of which there are none.
        let mut count = 0;
        for e in &exact.events {
            let near = |o: &Event| o.kind == e.kind && (o.time - e.time).abs() < 1e-2;
            assert!(e.place == 0 && found.events.iter().any(near), "{name} {e:?}");
            count += 1;
        }
        println!("{name}: {count} of {} events", found.events.len());
        // Where the friction is constant a load that changes its sign is no event.
        let reverses = exact.events.iter().any(|e| e.kind == EventKind::LoadReversal);
        assert!(count > 0 && !(reverses && name == "constant"), "{name}: {count}");
    }
}

/// The force of the gear in closed form: lifting with μ, f₀ under a constant torque, the load hangs at the drum.
#[test]
fn a_gear_lifts_with_the_acceleration_of_theory() {
    let [motor, drum, n, force, mu, torque, load] = [0.7, 1.3, 2.0, 0.1, 0.2, 4.0, 2.0];
    let network = Network::builder()
        .unjoined()
        .node("motor", motor)
        .node("drum", drum)
        .force("motor", Signal::constant(torque))
        .force("drum", Signal::constant(-load))
        .build()
        .unwrap();
    let friction = Some(GearFriction::new(force, mu));
    let gear = GearBetween { name: "worm", between: ["motor", "drum"], ratio: n, friction };
    let machine = Machine::geared(network, [gear]).unwrap();
    // T = J_l α/n + T_l, and J_m α = τ − T/n − f₀ − μ T.
    let share = 1.0 / n + mu;
    let a = (torque - force - load * share) / (motor + drum / n * share);
    let t = drum * a / n + load;
    for theta in [1.0, 0.5] {
        let (path, _, _) = theta_method::solve(&machine, 1.0, 0.01, theta).unwrap();
        let last = path.state(1.0);
        assert!((last.v[0] - a).abs() < 1e-12 && (last.load[0] - t).abs() < 1e-11, "{last:?}");
        assert!((last.rub[0] + force + mu * t).abs() < 1e-11, "{last:?}");
    }
}

/// Within a step a stiff spring behind the gear counts as inertia: where the friction then has no single motion the run says so,
/// and shorter steps solve it.
#[test]
fn gears_that_jam_in_long_steps_are_refused() {
    let network = Network::builder()
        .unjoined()
        .node("motor", 1.0)
        .node("drum", 0.5)
        .spring("drum", "ground", 1e6)
        .force("motor", Signal::harmonic(2.0, 1.0, 0.0))
        .build()
        .unwrap();
    // μ < 1/n + n J_m/J_l = 4.5, but with h² k for J_l only μ < 1/n + 4e-2 at h = 10 ms.
    let friction = Some(GearFriction::new(0.01, 0.8));
    let gear = GearBetween { name: "worm", between: ["motor", "drum"], ratio: 2.0, friction };
    let machine = Machine::geared(network, [gear]).unwrap();
    let text = theta_method::solve(&machine, 0.1, 0.01, 1.0).unwrap_err().to_string();
    assert!(text.contains("`worm`") && text.contains("shorter steps"), "{text}");
    assert!(theta_method::solve(&machine, 0.01, 1e-4, 1.0).is_ok());
}

/// What these steps do not know they say.
#[test]
fn refusals_name_the_part() {
    // A bound that jumps past a body is no motion.
    let fence = Signal::step(0.5, -1.0, 1.0);
    let network = Network::builder().unjoined().node("a", 1.0).build().unwrap();
    let jumps = Machine::new(network)
        .unwrap()
        .with_stop("fence", ["a", "ground"], [Some(fence), None], rigid(0.0))
        .unwrap();
    let text = theta_method::solve(&jumps, 1.0, 0.1, 1.0).unwrap_err().to_string();
    assert!(text.contains("fence") && text.contains("jumps past"), "{text}");
}

/// Two masses that three sliders hold together and on the ground, under suddenly applied loads that they can hold: −3.5 + 2.7 + 0.8 = 0 and
/// 1.4 − 0.8 − 0.6 = 0. One of them is at its limit and must not give way by rounding, for it would drag with much less.
#[test]
fn sliders_that_share_a_load_rest_though_one_is_at_its_limit() {
    let network = Network::builder()
        .node("a", 1.0)
        .node("b", 2.0)
        .slider("first", "a", "ground", 2.7, 0.81)
        .slider("second", "b", "ground", 1.1, 0.33)
        .slider("joint", "b", "a", 2.7, 0.81)
        .force("a", Signal::step(1.0, 0.0, -3.5))
        .force("b", Signal::step(1.0, 0.0, 1.4))
        .build()
        .unwrap();
    // A buffer far away makes it a machine.
    let far = Bumper::Soft { stiffness: 1.0, damping: 0.0 };
    let machine = Machine::new(network).unwrap();
    let machine = machine.with_stop("far", ["a", "ground"], [None, at(1e9)], far).unwrap();
    for theta in [0.5, 1.0] {
        let (path, ..) = theta_method::solve(&machine, 2.0, 1e-3, theta).unwrap();
        assert_eq!(path.state(2.0).v, [0.0, 0.0], "{theta}");
        assert!(path.events().is_empty(), "{theta}: {:?}", path.events());
    }
}
