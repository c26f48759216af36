//! Time loops do not allocate: a run four times as long takes no more pieces of memory. What a run hands out may.

use allocation_counter::measure;
use stickslip::law::memory::Dahl;
use stickslip::model::machine::{
    AntiWindup, ControlLaw, Curve, Gains, GearBetween, Quantity, Sampling, StateSpace,
};
use stickslip::model::{Bumper, Machine};
use stickslip::motion::{Motion, Segment};
use stickslip::scheme::event_loop::Observer;
use stickslip::scheme::machine::theta_method;
use stickslip::scheme::stochastic::{self, PathId, Rule};
use stickslip::scheme::{cascade, impact, network, oscillator};
use stickslip::{Cascade, Impact, Law, Network, Noise, Oscillator, Place, Problem, Signal};

/// How many pieces of memory `work` takes until `end`, for a short end and one four times as far.
fn counts(work: impl Fn(f64)) -> [u64; 2] {
    work(1.0); // what is made once for the whole program
    [20.0, 80.0].map(|end| measure(|| work(end)).count_total)
}

fn same(what: &str, work: impl Fn(f64)) {
    let [short, long] = counts(work);
    assert_eq!(short, long, "{what}");
}

fn shaken(law: Law) -> Oscillator {
    let times: Vec<f64> = (0..200).map(f64::from).collect();
    let values: Vec<f64> = times.iter().map(|t| 0.3 * (0.7 * t).sin()).collect();
    Oscillator::new(1.0, 1.0, law)
        .with_drive(Signal::harmonic(2.0, 0.6, 0.0) + Signal::sampled(&times, &values).unwrap())
        .starting_at(1.7, 0.0)
}

fn laws() -> [(&'static str, Law); 4] {
    [
        ("coulomb", Law::coulomb(0.8).unwrap()),
        ("static-dynamic", Law::static_dynamic(1.0, 0.7).unwrap()),
        ("stribeck", Law::stribeck(0.01, 0.2, 0.01, 1.0).unwrap()),
        ("exponential", Law::stribeck_exponential(1.0, 0.6, 0.5, 1.0, 0.1).unwrap()),
    ]
}

#[test]
fn steps_of_oscillators_do_not_allocate() {
    for (name, law) in laws() {
        let o = shaken(law);
        same(name, |end| oscillator::euler::run(&o, end, 1e-2, |_, _| ()).unwrap());
        same(name, |end| oscillator::implicit_euler::run(&o, end, 1e-2, |_, _| ()).unwrap());
    }
}

/// With constant friction; a run with another law reads its whole noise before the first step.
#[test]
fn steps_under_noise_do_not_allocate() {
    let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 0.3 };
    let id = PathId { seed: 1, path: 1 };
    for (name, law) in &laws()[..2] {
        same(name, |end| {
            let problem = Problem::new(shaken(law.clone()), end).with_noise(Place::Drive, noise);
            stochastic::run(&problem, id, 1e-2, Rule::Theta, |_, _| ()).unwrap();
        });
    }
}

/// A chain, which is solved by its bands, and a square, which is factored sparsely; with f_s = f_d and above it.
#[test]
fn steps_of_networks_do_not_allocate() {
    for limits in [(1.0, 1.0), (1.0, 0.6)] {
        let chain = Network::burridge_knopoff(40, 1.0, 20.0, 1.0, limits, 0.1);
        let chain = chain.force("b3", Signal::harmonic(20.0, 1.0, 0.0)).build().unwrap();
        let mut square = Network::builder();
        let name = |i: usize, j: usize| format!("{i},{j}");
        for i in 0..6 {
            for j in 0..6 {
                square = square.node(name(i, j), 1.0);
            }
        }
        for i in 0..6 {
            for j in 0..6 {
                let slider = format!("on {i},{j}");
                square = square.slider(slider, name(i, j), "ground", limits.0, limits.1);
                if i > 0 {
                    square = square.spring(name(i, j), name(i - 1, j), 3.0);
                }
                if j > 0 {
                    square = square.spring(name(i, j), name(i, j - 1), 3.0);
                }
            }
        }
        let square = square.force(name(2, 2), Signal::harmonic(20.0, 1.0, 0.0)).build().unwrap();
        for (name, n) in [("chain", chain), ("square", square)] {
            same(name, |end| {
                network::run(&n, end, 1e-2, 1.0, |_, _, _, _, _| ()).unwrap();
            });
        }
    }
}

#[test]
fn steps_of_cascades_and_impacts_do_not_allocate() {
    let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
        .with_force(Signal::harmonic(3.0, 0.9, 0.0));
    same("implicit-euler", |end| {
        cascade::run_implicit_euler(&c, end, 1e-2, |_, _, _| ()).unwrap();
    });
    same("hysteresis", |end| cascade::run_hysteresis(&c, end, 1e-2, |_, _| ()).unwrap());
    let ball = Impact::new(1.0, 0.7)
        .between(Some(Signal::harmonic(0.1, 3.0, 0.0)), None)
        .with_force(Signal::constant(-9.81))
        .starting_at(1.0, 0.0);
    same("moreau", |end| impact::moreau::run(&ball, end, 1e-2, |_, _, _| ()).unwrap());
}

/// Keeps nothing.
struct Nothing;

impl<M: Motion> Observer<M> for Nothing {
    fn segment(&mut self, _: Segment<M>) {}
    fn event(&mut self, _: M::Event) {}
}

/// A slip hands out its arc, which is one piece of memory; nothing else is taken for it.
#[test]
fn an_exact_run_takes_one_piece_of_memory_for_each_slip() {
    let o = shaken(Law::static_dynamic(1.0, 0.7).unwrap());
    let slips = |end: f64| {
        let path = oscillator::exact::solve(&o, end).unwrap();
        path.segments().iter().filter(|s| s.phase.sign() != 0.0).count() as u64
    };
    let [short, long] = counts(|end| {
        oscillator::exact::run(&o, end, 100_000, &mut Nothing).unwrap();
    });
    assert_eq!(long - short, slips(80.0) - slips(20.0));
}

/// Rigid and soft stops, a wall that moves, sliders that rest and slip, one that remembers, a spring with play, a gear, a node
/// that is led by samples, and continuous and sampled controllers.
fn machines() -> [(&'static str, Machine); 3] {
    let at = |x: f64| Some(Signal::constant(x));
    let rigid = |restitution: f64| Bumper::Rigid { restitution };
    let network = Network::builder()
        .unjoined()
        .node("ram", 1.0)
        .node("wheel", 0.4)
        .node("table", 1.5)
        .spring("ram", "ground", 3.0)
        .slider("guide", "ram", "ground", 0.2, 0.2)
        .slider("clamp", "table", "ram", 0.4, 0.3)
        .force("ram", Signal::harmonic(2.0, 0.9, 0.0))
        .build()
        .unwrap();
    let gear = GearBetween { name: "gear", between: ["ram", "wheel"], ratio: -2.0, friction: None };
    let wall = Signal::harmonic(0.1, 0.7, 0.0) + Signal::constant(-0.6);
    let law = Law::stribeck_exponential(0.2, 0.1, 0.5, 1.0, 0.05).unwrap();
    let hammer = Machine::geared(network, [gear])
        .unwrap()
        .with_law("guide", law)
        .unwrap()
        .with_stop("stops", ["ram", "ground"], [Some(wall), at(0.4)], rigid(0.4))
        .unwrap()
        .with_stop("ends", ["table", "ram"], [at(-0.3), at(0.3)], rigid(0.0))
        .unwrap();
    let times: Vec<f64> = (0..100).map(|i| 0.37 * f64::from(i)).collect();
    let values: Vec<f64> = times.iter().map(|t| 0.4 * (1.3 * t).sin()).collect();
    let network = Network::builder()
        .node("shaker", 1.0)
        .node("engine", 1.5)
        .node("wagon", 1.0)
        .spring("shaker", "engine", 6.0)
        .slider("brake", "wagon", "ground", 0.5, 0.3)
        .slider("coupling", "wagon", "engine", 0.0, 0.0)
        .motion("shaker", Signal::sampled(&times, &values).unwrap())
        .build()
        .unwrap();
    let soft = Bumper::Soft { stiffness: 40.0, damping: 0.8 };
    let train = Machine::new(network)
        .unwrap()
        .with_spring(["engine", "wagon"], Curve::Powers(vec![8.0]).with_play([-0.1, 0.1]))
        .unwrap()
        .with_stop("buffer", ["engine", "wagon"], [at(-0.2), at(0.2)], soft)
        .unwrap()
        .with_memory("coupling", Dahl::new(0.1, 60.0, 1.0).unwrap(), [])
        .unwrap();
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .node("b", 0.6)
        .spring("a", "b", 20.0)
        .dashpot("a", "b", 0.3)
        .slider("rail", "b", "ground", 0.4, 0.4)
        .build()
        .unwrap();
    let gains = Gains { proportional: 6.0, integral: 4.0, derivative: 1.0, filter: 0.05 };
    let follows = ControlLaw::pid(gains).following(Signal::harmonic(0.6, 1.1, 0.2));
    let space = |d: f64| StateSpace {
        a: vec![0.5, 0.1, 0.0, 0.7],
        b: vec![0.1, 0.3],
        c: vec![1.0, 0.3],
        d,
    };
    let damps = ControlLaw::state_space(space(0.8)).measuring(Quantity::Velocity);
    let ticks = Sampling { time: 0.04, delay: 0.06, quantum: 0.001 };
    let servo = Machine::new(network)
        .unwrap()
        .with_controller("pid", ["b", "ground"], "a", follows.limited(1.5, AntiWindup::Clamp))
        .unwrap()
        .with_controller("damper", ["b", "a"], "b", damps)
        .unwrap()
        .with_controller(
            "ticks",
            ["a", "b"],
            "b",
            ControlLaw::state_space(space(0.1)).sampled(ticks),
        )
        .unwrap();
    [("hammer", hammer), ("train", train), ("servo", servo)]
}

/// Events are handed out and take memory. Four times as many steps, 12,000 more, take no more than the few events that they tell
/// in addition.
#[test]
fn steps_of_machines_do_not_allocate() {
    for (name, machine) in machines() {
        for theta in [0.5, 1.0] {
            let of = |step: f64| {
                let mut events = 0;
                let count = measure(|| {
                    events =
                        theta_method::solve(&machine, 8.0, step, theta).unwrap().0.events().len();
                });
                (count.count_total, events as u64)
            };
            of(1e-2);
            let [(coarse, few), (fine, many)] = [2e-3, 5e-4].map(of);
            println!("{name} θ = {theta}: {coarse} for {few} events, {fine} for {many}");
            assert!(fine <= coarse + 10 * (1 + many.saturating_sub(few)), "{name} θ = {theta}");
            assert!(few > 0, "{name}");
        }
    }
}
