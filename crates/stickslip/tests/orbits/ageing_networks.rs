//! Orbits of networks whose sliders age: the time at rest of each is a number of the return map.

use super::ageing::{exponential, pulled};
use num_complex::Complex64;
use std::f64::consts::TAU;
use stickslip::model::machine::{ControlLaw, Gains};
use stickslip::model::{Machine, Network, NetworkBuilder};
use stickslip::motion::EventKind;
use stickslip::scheme::machine;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::study::hunt::{self, Multipliers, hunt};
use stickslip::study::orbit::{Forced, Method, Orbit, Search, orbits, search};
use stickslip::{Law, Oscillator, Signal};

fn one_start() -> Search {
    let mut wanted = Search::default();
    (wanted.starts, wanted.unstable) = (1, false);
    wanted
}

fn orbit_of(machine: &Machine, period: f64) -> Option<Orbit> {
    let forced = Forced::new(&machine.clone().into(), period, Method::Best).unwrap();
    search(&forced, &one_start()).ok().map(|mut found| found.orbits.swap_remove(0))
}

/// Nodes with mass m and their springs, each with a slider that ages.
fn machine(network: NetworkBuilder, laws: &[(&str, Law)]) -> Machine {
    let network =
        laws.iter().fold(network, |n, (name, _)| n.slider(*name, *name, "ground", 1.0, 1.0));
    let machine = Machine::new(network.build().unwrap()).unwrap();
    laws.iter().fold(machine, |m, (name, law)| m.with_law(name, law.clone()).unwrap())
}

/// The oscillator as a network of one node.
fn as_network(o: &Oscillator) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("a", o.mass)
        .spring("a", "ground", o.stiffness)
        .dashpot("a", "ground", o.damping)
        .force("a", o.force.clone());
    machine(network, &[("a", o.friction.clone())])
}

/// One mass, as an oscillator and as a network: the same orbits, which two programs follow.
#[test]
fn a_network_of_one_mass_has_the_orbit_of_the_oscillator() {
    let omega = 0.4;
    let mut at_rest = 0;
    for phase in [0.0, 0.8, 1.6, 2.4] {
        let o = Oscillator::new(1.0, 1.0, exponential(0.5, 0.9, 1.5))
            .with_damping(0.1)
            .with_force(Signal::harmonic(1.0, omega, phase));
        let forced = Forced::new(&o.clone().into(), TAU / omega, Method::Best).unwrap();
        let all = search(&forced, &one_start()).unwrap();
        let own = &all.orbits[0];
        let orbit = orbit_of(&as_network(&o), TAU / omega).unwrap();
        assert_eq!((own.state.len(), orbit.state.len()), (3, 3));
        for (a, b) in own.state.iter().zip(&orbit.state) {
            assert!((a - b).abs() < 1e-9, "{:?} {:?}", own.state, orbit.state);
        }
        let [a, b] = [own.multiplier(), orbit.multiplier()];
        assert!((a - b).abs() < 1e-6, "{:?} {:?}", own.multipliers, orbit.multipliers);
        assert_eq!((own.stops, own.stable), (orbit.stops, orbit.stable));
        assert!(orbit.stops > 0);
        at_rest += usize::from(orbit.state[2] > 0.0);
    }
    assert!(at_rest > 0);
}

/// A spring pulled at V: D = Vτ/2 and the multiplier g′/(V − g′), as in `ageing`; here the support of the slider moves.
#[test]
fn a_belt_under_a_slider_that_ages_has_its_closed_form() {
    let (fd, s, time, v) = (1.0, 0.8, 3.0, 0.15);
    let [tau, d, want] = pulled(s, time, v);
    let network = Network::builder().unjoined().node("a", 1.0).spring("a", "ground", 1.0);
    let belt = machine(network, &[("a", exponential(fd, fd + s, time))]);
    let belt = belt.with_support("a", Signal::constant(v)).unwrap();
    let found = orbits(&belt.into(), Method::Best, &one_start()).unwrap();
    let orbit = &found.orbits[0];
    let period = TAU - 2.0 * (d / v).atan() + tau;
    assert!((orbit.period - period).abs() < 1e-8, "{} {period}", orbit.period);
    let multiplier = orbit.multipliers[0].re;
    assert!((multiplier - want).abs() < 1e-6, "{:?}", orbit.multipliers);
    assert!(orbit.stable && orbit.stops == 1);
}

/// Two masses whose sliders age in times of their own.
fn two(dynamic: f64, load: f64, omega: f64, phase: f64) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .node("b", 0.7)
        .spring("a", "ground", 1.0)
        .spring("a", "b", 1.5)
        .dashpot("a", "b", 0.05)
        .force("b", Signal::harmonic(load, omega, phase));
    machine(
        network,
        &[("a", exponential(0.3, 0.5, 2.0)), ("b", exponential(dynamic, dynamic + 0.2, 0.7))],
    )
}

/// A long motion, which knows its times at rest by itself, comes to the orbit. Its differences from there after each period follow the
/// derivative of the map, and so each of them its characteristic polynomial: Π (D − μ) d = 0.
#[test]
fn a_long_motion_comes_to_the_orbit_as_its_multipliers_say() {
    let omega = 0.45;
    let period = TAU / omega;
    let mut at_rest = [0, 0];
    for (dynamic, load, phase) in
        [(0.2, 0.8, 0.4), (0.3, 0.8, 0.5), (0.3, 0.8, 2.0), (0.3, 0.7, 0.4), (0.3, 0.7, 0.2)]
    {
        let machine = two(dynamic, load, omega, phase);
        let orbit = orbit_of(&machine, period).unwrap();
        let polynomial = orbit.multipliers.iter().filter(|m| m.norm() > 1e-9).fold(
            vec![Complex64::from(1.0)],
            |p, m| {
                let by_x = p.iter().copied().chain([Complex64::from(0.0)]);
                let by_m = [Complex64::from(0.0)].into_iter().chain(p.iter().map(|c| -c * m));
                by_x.zip(by_m).map(|(a, b)| a + b).collect()
            },
        );
        let count = 40;
        let end = f64::from(count) * period;
        let path = machine::solve(&machine, end, Options::tolerance(1e-13)).unwrap();
        let apart = |k: i32| -> Vec<f64> {
            let at = path.state(f64::from(k) * period);
            [&at.x[..], &at.v].concat().iter().zip(&orbit.state).map(|(a, b)| a - b).collect()
        };
        let size = |d: &[f64]| d.iter().map(|d| d.abs()).fold(0.0, f64::max);
        assert!(size(&apart(count)) < 1e-11, "{:?}", apart(count));
        let degree = polynomial.len() as i32 - 1;
        let linear = (0..count).find(|k| size(&apart(*k)) < 1e-4).unwrap();
        let mut off = vec![0.0; 4];
        for (j, c) in polynomial.iter().enumerate() {
            let d = apart(linear + degree - j as i32);
            off.iter_mut().zip(d).for_each(|(off, d)| *off += c.re * d);
        }
        let after = size(&apart(linear + degree));
        assert!(size(&off) < 1e-3 * after, "{:e} {after:e}", size(&off));
        for (n, age) in at_rest.iter_mut().zip(&orbit.state[4..]) {
            *n += usize::from(*age > 0.0);
        }
    }
    assert!(at_rest.iter().all(|n| *n > 0), "{at_rest:?}");
}

/// A slider that rests all the time has an age without an end: the orbit is that of the masses that move.
#[test]
fn a_slider_that_never_slips_does_not_hide_the_orbit() {
    let omega = 0.4;
    let still = |network: NetworkBuilder| {
        network.node("still", 1.0).spring("still", "a", 0.01).spring("still", "ground", 1.0)
    };
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .spring("a", "ground", 0.99)
        .dashpot("a", "ground", 0.1)
        .force("a", Signal::harmonic(1.0, omega, 0.0));
    let laws = [("a", exponential(0.4, 0.8, 1.0)), ("still", exponential(0.5, 0.7, 2.0))];
    let orbit = orbit_of(&machine(still(network), &laws), TAU / omega).unwrap();
    let o = Oscillator::new(1.0, 1.0, laws[0].1.clone())
        .with_damping(0.1)
        .with_force(Signal::harmonic(1.0, omega, 0.0));
    let forced = Forced::new(&o.into(), TAU / omega, Method::Best).unwrap();
    let found = search(&forced, &one_start()).unwrap();
    let own = &found.orbits[0];
    assert!(
        (own.amplitude() - orbit.amplitude()).abs() < 1e-9,
        "{} {}",
        own.amplitude(),
        orbit.amplitude()
    );
    // The mass that rests may do so at many a place, and stays there: orbits are a continuum, with the multiplier 1.
    let others = orbit.multipliers.iter().filter(|m| (*m - 1.0).norm() > 1e-9);
    let largest = others.map(|m| m.norm()).fold(0.0, f64::max);
    assert!(
        (own.multiplier() - largest).abs() < 1e-6,
        "{:?} {:?}",
        own.multipliers,
        orbit.multipliers
    );
    assert!(orbit.stable && orbit.family && own.stops == 2, "{}", own.stops);
}

/// A loop with an integral hunts under friction that ages; its rest places come nearer to the cycle by its multiplier.
#[test]
fn a_loop_hunts_under_friction_that_ages() {
    let network = Network::builder().unjoined().node("a", 1.0).starting_at("a", 0.7, 0.0);
    let gains = Gains { proportional: 6.5, integral: 4.0, derivative: 3.0, filter: 0.0 };
    let law = ControlLaw::pid(gains).following(Signal::constant(1.0));
    let axis = machine(network, &[("a", exponential(0.7, 1.0, 0.5))]);
    let axis = axis.with_controller("pid", ["a", "ground"], "a", law).unwrap();
    let found = hunt(&axis, &hunt::Search::within(1000.0)).unwrap();
    let cycle = &found.cycles[0];
    let Multipliers::Known { values, doubt } = &cycle.multipliers else { panic!("{cycle:?}") };
    let path = machine::solve(&axis, 400.0, Options::tolerance(1e-12)).unwrap();
    let rests = path.events().iter().filter(|e| e.kind == EventKind::Stick);
    let x: Vec<f64> = rests.map(|e| e.x).collect();
    let limit = x[x.len() - 1];
    let away: Vec<f64> = x.iter().rev().step_by(2).map(|x| x - limit).collect();
    let k = away.iter().position(|d| d.abs() > 1e-6).unwrap();
    let shown = away[k] / away[k + 1];
    assert!(*doubt < 1e-6 && (values[0].re - shown).abs() < 1e-3 * shown, "{values:?} {shown}");
    assert_eq!(cycle.attracts(), Some(true));
}
