//! Time loops do not allocate: a run four times as long takes no more pieces of memory. What a run hands out may.

use allocation_counter::measure;
use stickslip::motion::{Motion, Segment};
use stickslip::scheme::event_loop::Observer;
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
