//! Orbits of machines: multipliers through impacts, gears, Stribeck sliders, limits and ticks against closed forms, and against the
//! orbits of oscillators, which other code finds.

use crate::common::sized;
use std::f64::consts::TAU;
use stickslip::law::memory::{Direct, Evolution, RateAndState};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::model::machine::{ControlLaw, Curve, Gains, GearBetween, Sampling};
use stickslip::model::{Bumper, Machine, Network};
use stickslip::study::orbit::TIGHT;
use stickslip::study::orbit::{
    Forced, Found, Method, Options, Orbit, Search, basins, orbits, response, search,
};
use stickslip::study::shooting::repeating;
use stickslip::study::sweep::Span;
use stickslip::{Error, EventKind, Law, Model, Oscillator, Signal};

/// A mass of 1 kg on a spring of 1 N/m with this damping, under cos ωt.
fn shaken(damping: f64, omega: f64) -> Machine {
    let mut network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .spring("a", "ground", 1.0)
        .force("a", Signal::harmonic(1.0, omega, 0.0));
    if damping > 0.0 {
        network = network.dashpot("a", "ground", damping);
    }
    Machine::new(network.build().unwrap()).unwrap()
}

fn few() -> Search {
    let mut few = Search::default();
    few.starts = 2;
    few.unstable = false;
    few
}

fn found(machine: &Machine, period: f64) -> Found {
    let forced = Forced::new(&machine.clone().into(), period, Method::Best).unwrap();
    search(&forced, &few()).unwrap()
}

/// Its orbit by adaptive steps and by `exact`, which agree.
fn by_both(machine: &Machine, period: f64) -> [Orbit; 2] {
    let by = |method| {
        let forced = Forced::new(&machine.clone().into(), period, method).unwrap();
        search(&forced, &few()).unwrap().orbits.swap_remove(0)
    };
    let both = [by(Method::Best), by(Method::Exact)];
    let [a, b] = &both;
    let pairs = a.state.iter().zip(&b.state);
    let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let largest = |o: &Orbit| o.multiplier();
    assert!(apart < 1e-9 && a.period == b.period, "{:?} {:?}", a.state, b.state);
    assert!((largest(a) - largest(b)).abs() < 1e-9, "{:?} {:?}", a.multipliers, b.multipliers);
    both
}

/// The two multipliers by their sum and their product.
fn sum_and_product(orbit: &Orbit) -> [f64; 2] {
    let [a, b] = orbit.multipliers[..] else { panic!("{:?}", orbit.multipliers) };
    [(a + b).re, (a * b).re]
}

/// x″ + c x′ + x = cos ωt above a rigid stop at δ. Between two impacts the motion is known; the impact multiplies small
/// differences by S = [[−e, 0], [(1 + e) a/v, −e]], v the velocity before it and a the acceleration (without damping: that of
/// load and spring alone, which is the same on both sides).
#[test]
fn an_impact_oscillator_has_the_multipliers_of_its_closed_form() {
    let (omega, e, at) = (2.3, 0.6, -0.1);
    let machine = shaken(0.0, omega)
        .with_stop(
            "stop",
            ["a", "ground"],
            [Some(Signal::constant(at)), None],
            Bumper::Rigid { restitution: e },
        )
        .unwrap();
    let period = TAU / omega;
    for (orbit, near) in by_both(&machine, period).iter().zip([3e-7, 2e-9]) {
        let path = orbit.machine.as_ref().unwrap();
        let hits: Vec<_> = path.events().iter().filter(|e| e.kind == EventKind::Impact).collect();
        let [hit] = hits[..] else { panic!("{hits:?}") };
        let (v, load) = (hit.before, (omega * hit.time).cos());
        // From the impact over a period to the next: x = X cos ωt + free motion from (δ − X cos ωt₀, −e v + X ω sin ωt₀).
        let gain = 1.0 / (1.0 - omega * omega);
        let from = [at - gain * load, -e * v + gain * omega * (omega * hit.time).sin()];
        let (c, s) = (period.cos(), period.sin());
        let to = [
            c * from[0] + s * from[1] + gain * load,
            -s * from[0] + c * from[1] - gain * omega * (omega * hit.time).sin(),
        ];
        assert!((to[0] - at).abs() < 1e-9 && (to[1] - v).abs() < 1e-9, "{to:?} {v}");
        let trace = -2.0 * e * c + (1.0 + e) * (load - at) / v * s;
        let [sum, product] = sum_and_product(orbit);
        assert!(
            (sum - trace).abs() < near && (product - e * e).abs() < near,
            "{sum} {trace} {product}"
        );
        assert!(orbit.stable && orbit.residual < 1e-10);
    }
}

/// The same oscillator as `[oscillator]` with stops and as a machine: both orbits, one of which slides and sticks on a falling law.
#[test]
fn a_stribeck_slider_of_a_machine_has_the_orbit_of_the_oscillator() {
    let law = Law::stribeck_exponential(0.8, 0.5, 0.3, 2.0, 0.05).unwrap();
    let omega = 0.35;
    let oscillator = Oscillator::new(1.0, 1.0, law.clone())
        .with_damping(0.1)
        .with_force(Signal::harmonic(1.0, omega, 0.0));
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .spring("a", "ground", 1.0)
        .dashpot("a", "ground", 0.1)
        .slider("s", "a", "ground", 1.0, 1.0)
        .force("a", Signal::harmonic(1.0, omega, 0.0));
    let machine = Machine::new(network.build().unwrap()).unwrap().with_law("s", law).unwrap();
    let period = TAU / omega;
    let own = found(&machine, period);
    let forced = Forced::new(&oscillator.into(), period, Method::Best).unwrap();
    let other = search(&forced, &few()).unwrap();
    let [a, b] = [&own.orbits[0], &other.orbits[0]];
    assert!((a.amplitude() - b.amplitude()).abs() < 1e-10, "{} {}", a.amplitude(), b.amplitude());
    assert!((a.state[0] - b.state[0]).abs() < 1e-10 && (a.state[1] - b.state[1]).abs() < 1e-10);
    assert!(
        (a.multiplier() - b.multiplier()).abs() < 1e-7,
        "{:?} {:?}",
        a.multipliers,
        b.multipliers
    );
    assert_eq!((a.stops, a.stable), (b.stops, b.stable));
    assert!((a.dissipated - b.dissipated).abs() < 1e-9, "{} {}", a.dissipated, b.dissipated);
    assert!(a.stops > 0);
}

/// Leine, van Campen, de Kraker and van den Steen 1998: a mass on a belt, as a network whose surface moves.
#[test]
fn a_belt_of_a_network_has_the_cycle_of_the_oscillator() {
    let law = Law::stribeck(0.0, 0.0, 3.0, 1.0).unwrap();
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .spring("a", "ground", 1.0)
        .slider("s", "a", "ground", 1.0, 1.0);
    let machine = Machine::new(network.build().unwrap())
        .unwrap()
        .with_law("s", law)
        .unwrap()
        .with_support("s", Signal::constant(0.2))
        .unwrap();
    let found = orbits(&machine.into(), Method::Best, &few()).unwrap();
    let orbit = &found.orbits[0];
    assert!((orbit.period - 12.001031294831).abs() < 1e-9, "{}", orbit.period);
    // A stick forgets where the slip came from.
    assert!(orbit.stable && orbit.multiplier() < 1e-6, "{:?}", orbit.multipliers);
}

/// A gear joins two inertias to one of J₁ n² + J₂; its rates are the roots of J s² + d s + k.
#[test]
fn a_gear_has_the_multipliers_of_one_mass() {
    let (n, first, second, k, d) = (3.0, 0.2, 1.1, 4.0, 0.3);
    let network = Network::builder()
        .unjoined()
        .node("motor", first)
        .node("load", second)
        .spring("load", "ground", k)
        .dashpot("load", "ground", d)
        .force("motor", Signal::harmonic(1.0, 1.3, 0.0));
    let gear = GearBetween { name: "gear", between: ["motor", "load"], ratio: n, friction: None };
    let machine = Machine::geared(network.build().unwrap(), [gear]).unwrap();
    let period = TAU / 1.3;
    let inertia = first * n * n + second;
    let decay = 0.5 * d / inertia;
    let omega = (k / inertia - decay * decay).sqrt();
    let fades = (-decay * period).exp();
    for (orbit, near) in by_both(&machine, period).iter().zip([1e-7, 1e-9]) {
        let [sum, product] = sum_and_product(orbit);
        println!(
            "off: {:.1e} {:.1e}",
            sum - 2.0 * fades * (omega * period).cos(),
            product - fades * fades
        );
        assert!((sum - 2.0 * fades * (omega * period).cos()).abs() < near, "{sum}");
        assert!((product - fades * fades).abs() < near, "{product}");
    }
}

/// A soft stop that is touched once a period: damping inside it only, so that the product of the multipliers is e^(−γ time in it).
#[test]
fn a_soft_stop_takes_what_its_damper_does() {
    let (omega, gamma) = (1.6, 0.8);
    let bumper = Bumper::Soft { stiffness: 30.0, damping: gamma };
    let machine = shaken(0.02, omega)
        .with_stop("stop", ["a", "ground"], [Some(Signal::constant(-0.2)), None], bumper)
        .unwrap();
    for (orbit, near) in by_both(&machine, TAU / omega).iter().zip([1e-6, 1e-9]) {
        let path = orbit.machine.as_ref().unwrap();
        let inside: f64 =
            path.segments().iter().filter(|s| s.arc.pushes(0)).map(|s| s.end - s.start).sum();
        let [_, product] = sum_and_product(orbit);
        let wanted = (-gamma * inside - 0.02 * TAU / omega).exp();
        assert!(inside > 0.1 && (product - wanted).abs() < near, "{product} {wanted}");
    }
}

/// A mass under a sampled proportional controller with a delay of one tick: (x, v, u) ↦ Φ (x, v, u) from tick to tick, and the
/// multipliers are the eigenvalues of Φ¹⁰.
#[test]
fn a_sampled_controller_has_the_multipliers_of_its_difference_equation() {
    let (ticks, kp, kd) = (10, 3.0, 2.5);
    let period = 2.0;
    let time = period / f64::from(ticks);
    let law = ControlLaw::pid(Gains { proportional: kp, derivative: kd, ..Gains::default() })
        .following(Signal::harmonic(0.3, TAU / period, 0.4))
        .sampled(Sampling { time, delay: time, quantum: 0.0 });
    let network = Network::builder().unjoined().node("a", 1.0).dashpot("a", "ground", 0.4);
    let machine = Machine::new(network.build().unwrap())
        .unwrap()
        .with_controller("c", ["a", "ground"], "a", law)
        .unwrap();
    // At tick k: u_k = −kp x_k − kd (x_k − x_{k−1})/T acts from tick k + 1 on. With (x, v, u, x before) as the state:
    let c = 0.4;
    let fades = (-c * time).exp();
    let (xv, vv) = ((1.0 - fades) / c, fades);
    let (xu, vu) = ((time - xv) / c, xv);
    let next = |s: [f64; 4]| {
        let [x, v, u, before] = s;
        let computed = -kp * x - kd * (x - before) / time;
        [x + xv * v + xu * u, vv * v + vu * u, computed, x]
    };
    let mut columns = [[0.0; 4]; 4];
    for (j, column) in columns.iter_mut().enumerate() {
        column[j] = 1.0;
        (0..ticks).for_each(|_| *column = next(*column));
    }
    let wanted = stickslip::study::orbit::Matrix::from_fn(4, |i, j| columns[j][i]).eigenvalues();
    let size = wanted.iter().map(|w| w.norm()).fold(0.0, f64::max);
    for (orbit, far) in by_both(&machine, period).iter().zip([1e-6, 1e-9]) {
        for w in wanted.iter().filter(|w| w.norm() > 1e-3) {
            let near = |m: &num_complex::Complex64| (m - w).norm() < far;
            assert!(orbit.multipliers.iter().any(near), "{w} {:?}", orbit.multipliers);
        }
        assert!((orbit.multiplier() - size).abs() < far, "{size} {:?}", orbit.multipliers);
        assert!(orbit.stable && size < 1.0);
    }
}

/// Duffing's spring as one of a machine: the branch over ω folds where its closed form, to first order in the nonlinearity, says it
/// does, and where the branch of the oscillator does to many digits.
#[test]
fn a_response_of_a_machine_has_the_folds_of_the_oscillator() {
    let make = |omega: f64| -> Result<Forced, Error> {
        let network = Network::builder()
            .unjoined()
            .node("a", 1.0)
            .dashpot("a", "ground", 0.15)
            .force("a", Signal::harmonic(0.4, omega, 0.0));
        let machine = Machine::new(network.build()?)?
            .with_spring(["a", "ground"], Curve::Powers(vec![1.0, 0.0, 0.3]))?;
        Forced::new(&machine.into(), TAU / omega, Method::Best)
    };
    let same = |omega: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.0)?)
            .with_damping(0.15)
            .with_polynomial_stiffness(&[1.0, 0.0, 0.3])
            .with_force(Signal::harmonic(0.4, omega, 0.0));
        Forced::new(&o.into(), TAU / omega, Method::Best)
    };
    let mut options = Options::new(1.0, 2.2).with_count(sized(10, 20));
    options.seeds = 2;
    let [own, other] = [response(make, &options).unwrap(), response(same, &options).unwrap()];
    let folds = |r: &stickslip::study::orbit::Response| -> Vec<f64> {
        let mut all: Vec<f64> = r.bifurcations().map(|b| b.0).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let (own, other) = (folds(&own), folds(&other));
    assert_eq!(own.len(), other.len(), "{own:?} {other:?}");
    assert!(own.len() >= 2, "{own:?}");
    assert!(own.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-6), "{own:?} {other:?}");
}

/// Starts of an impact oscillator with two attractors lead where those of the `[oscillator]` do.
#[test]
fn basins_of_a_machine_are_those_of_the_oscillator() {
    let omega = 1.3;
    let machine = Machine::new(
        Network::builder()
            .unjoined()
            .node("a", 1.0)
            .dashpot("a", "ground", 0.1)
            .force("a", Signal::harmonic(0.3, omega, 0.0))
            .build()
            .unwrap(),
    )
    .unwrap()
    .with_spring(["a", "ground"], Curve::Powers(vec![1.0, 0.0, 0.4]))
    .unwrap();
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.0).unwrap())
        .with_damping(0.1)
        .with_polynomial_stiffness(&[1.0, 0.0, 0.4])
        .with_force(Signal::harmonic(0.3, omega, 0.0));
    let span = |size: f64| Span { from: -size, to: size, count: 5 };
    let all = |model: Model| {
        let forced = Forced::new(&model, TAU / omega, Method::Best).unwrap();
        let mut wanted = few();
        wanted.starts = 4;
        let found = search(&forced, &wanted).unwrap();
        let reached = basins(&forced, &found.orbits, span(2.0), span(2.0), 200).unwrap();
        let amplitude = |k: &u32| found.orbits[*k as usize - 1].amplitude();
        reached.reached.iter().map(amplitude).collect::<Vec<f64>>()
    };
    let [own, other] = [all(machine.into()), all(o.into())];
    assert!(own.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-8), "{own:?} {other:?}");
    let large = own.iter().filter(|a| **a > 1.0).count();
    assert!(large > 0 && large < own.len(), "{own:?}");
}

/// A block on a contact of rate and state has the orbit that other code finds for the same `[oscillator]`, and its multipliers.
#[test]
fn a_block_of_rate_and_state_repeats_as_an_oscillator_does() {
    let force = Signal::harmonic(3.0, 4.0, 0.0);
    let direct = Direct { coefficient: 0.6, a: 0.01, b: 0.015 };
    for evolution in [Evolution::Ageing, Evolution::Slip].into_iter().take(sized(1, 2)) {
        let law = RateAndState::new(direct, 1e-4, 1e-3, evolution).unwrap();
        let body = Body { force: force.clone(), ..Body::new(1.0, 25.0) };
        let one = Hysteretic::carrying(law, body)
            .with_normal(Signal::constant(2.0))
            .remembering(vec![0.1]);
        let wanted = repeating(&one.into(), TIGHT, &Search::default()).unwrap();
        let network = Network::builder()
            .node("mass", 1.0)
            .spring("mass", "ground", 25.0)
            .slider("rail", "mass", "ground", 0.0, 0.0)
            .normal(Signal::constant(2.0))
            .force("mass", force.clone())
            .build()
            .and_then(Machine::new)
            .and_then(|m| m.with_memory("rail", law, [0.1]))
            .unwrap();
        let mut own_start = few();
        own_start.starts = sized(1, own_start.starts);
        let forced = Forced::new(&network.into(), TAU / 4.0, Method::Best).unwrap();
        let found = search(&forced, &own_start).unwrap();
        let orbit = &found.orbits[0];
        println!("{:?} {:?}", orbit.state, wanted.state);
        println!("{:?} {:?}", orbit.multipliers, wanted.multipliers);
        assert!(orbit.stable && wanted.stable && orbit.periods == wanted.periods);
        for (a, b) in orbit.state.iter().zip(&wanted.state) {
            assert!((a - b).abs() < 1e-7 * b.abs().max(1e-2), "{a} {b}");
        }
        let largest = orbit.multipliers.iter().map(|m| m.re.hypot(m.im)).fold(0.0, f64::max);
        let other = wanted.multipliers[0];
        // Both are made of differences, of which those of the other code are known to 1e-5.
        assert!((largest - other.re.hypot(other.im)).abs() < 1e-4, "{largest} {other:?}");
    }
}
