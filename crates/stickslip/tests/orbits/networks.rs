//! Orbits of networks: against oscillators with closed forms, and their derivative against divided differences.

use super::others::none_is_missed;
use crate::common::{Random, sized};
use std::f64::consts::TAU;
use stickslip::model::Network;
use stickslip::study::orbit::{
    Forced, Found, Kind, Leads, Method, Options, Orbit, Search, orbits, orbits_at, response, search,
};
use stickslip::{Error, Law, Model, Oscillator, Signal};

/// m ẍ + c ẋ + k x + friction = P cos βt, as a network of one node.
fn one(beta: f64, fs: f64, fd: f64) -> Network {
    let load = Signal::harmonic(1.0, beta, 0.0);
    let n = Network::builder().node("a", 1.0).spring("a", "ground", 1.0);
    n.slider("s", "a", "ground", fs, fd).force("a", load).build().unwrap()
}

/// Den Hartog 1931 and Shaw 1986, as in `forced`.
#[test]
fn a_network_of_one_mass_has_den_hartogs_orbits() {
    let table = [
        (0.55, 0.3, 0.3, 1.42471781653675, 0.5692859525, 0.0),
        (1.25, 0.4, 0.4, 1.48004969692525, 0.2463452769, 0.6606423998),
        (2.0, 0.3, 0.3, 0.297676184991529, -0.5975058079, 0.0),
        (0.6, 0.7, 0.7, 1.35193092599476, 0.010391702, 0.0),
        (0.75, 0.9, 0.8, 1.35621003292222, 0.31234322, 0.0),
    ];
    for (beta, fs, fd, a, re, im) in table {
        let forced = Forced::new(&one(beta, fs, fd).into(), TAU / beta, Method::Best).unwrap();
        let found = search(&forced, &Search::default()).unwrap();
        let o = &found.orbits[0];
        assert!((o.amplitude() - a).abs() < 1e-11, "{beta}: {}", o.amplitude());
        let m = o.multipliers[0];
        assert!((m.re - re).abs() < 1e-8 && (m.im.abs() - im).abs() < 1e-8, "{beta}: {m}");
        assert!(o.stable && o.network.is_some());
    }
}

/// Chains of masses on springs, dashpots and friction between them and to the ground; some nodes without mass.
fn chain(r: &mut Random) -> Network {
    let nodes = 2 + (r.next() % 3) as usize;
    let mut n = Network::builder();
    let name = |i: usize| format!("n{i}");
    for i in 0..nodes {
        let massless = i + 1 < nodes && r.chance(0.25);
        n = n.node(name(i), if massless { 0.0 } else { r.uniform(0.5, 2.0) });
        n = n.starting_at(
            name(i),
            r.uniform(-1.0, 1.0),
            if massless { 0.0 } else { r.uniform(-1.0, 1.0) },
        );
        let before = if i == 0 { "ground".to_owned() } else { name(i - 1) };
        n = n.spring(name(i), before.clone(), r.uniform(0.5, 3.0));
        n = n.dashpot(name(i), before.clone(), r.uniform(0.02, 0.2));
        let to = if r.chance(0.5) { "ground".to_owned() } else { before };
        let fd = r.uniform(0.1, 0.5);
        let fs = if r.chance(0.5) && !massless { fd * r.uniform(1.0, 1.4) } else { fd };
        n = n.slider(format!("s{i}"), name(i), to, fs, fd);
    }
    let omega = r.uniform(0.5, 2.0);
    n = n
        .force(name(nodes - 1), Signal::harmonic(r.uniform(0.8, 3.0), omega, r.uniform(-3.0, 3.0)));
    n.build().unwrap()
}

/// Compares the derivative with central differences by Richardson; motions that change their order of slip patterns
/// in between are left out. How many entries were compared, how many were not, and the largest error.
fn compare(seed: u64, end: f64) -> (usize, usize, f64) {
    let mut r = Random(seed);
    let network = chain(&mut r);
    let forced = Forced::new(&network.into(), end, Method::Best).unwrap();
    let u = forced.start();
    let Ok(passage) = forced.passage(&u, 1) else { return (0, 1, 0.0) };
    let (mut compared, mut rough, mut worst) = (0, 0, 0.0f64);
    if passage.transversality < 1e-4 {
        return (0, u.len() * u.len(), 0.0);
    }
    for j in 0..u.len() {
        let at = |d: f64| {
            let mut w = u.clone();
            w[j] += d;
            let p = forced.passage(&w, 1).ok()?;
            (p.pattern == passage.pattern).then_some(p.end)
        };
        let slope = |h: f64| {
            let (a, b) = (at(-h)?, at(h)?);
            Some(a.iter().zip(&b).map(|(a, b)| (b - a) / (2.0 * h)).collect::<Vec<f64>>())
        };
        let (Some(p), Some(q), Some(s)) = (slope(4e-5), slope(2e-5), slope(1e-5)) else {
            rough += u.len();
            continue;
        };
        for i in 0..u.len() {
            let (a, b) = ((4.0 * q[i] - p[i]) / 3.0, (4.0 * s[i] - q[i]) / 3.0);
            let (best, doubt) = ((16.0 * b - a) / 15.0, (b - a).abs());
            let found = passage.jacobian.at(i, j);
            if doubt > 1e-4 * (1.0 + best.abs()) {
                rough += 1;
                continue;
            }
            let error = (found - best).abs() / (1.0 + best.abs());
            assert!(
                error < 20.0 * doubt + 2e-6,
                "{seed}: entry {i}{j}: {found} by the tangent, {best} by differences, doubt {doubt:e}, {:?}",
                passage.pattern
            );
            compared += 1;
            worst = worst.max(error);
        }
    }
    (compared, rough, worst)
}

fn campaign(count: u64) {
    let (mut compared, mut rough, mut worst) = (0, 0, 0.0f64);
    for seed in 0..count {
        let (c, r, w) = compare(31_000 + seed, 7.0);
        (compared, rough, worst) = (compared + c, rough + r, worst.max(w));
    }
    println!("{compared} entries compared, worst {worst:.1e}; {rough} near a change of the order");
    assert!(compared as u64 > 8 * count, "{compared} of {count} networks");
}

#[test]
fn motions_of_networks_have_their_derivative() {
    campaign(25);
    // A slider that comes to rest lets another one go, and itself slides on: a node without mass between them.
    compare(31_176, 7.0);
}

/// `cargo test --release -p stickslip --test all thousand_networks -- --ignored --nocapture`
#[test]
#[ignore = "a campaign of minutes"]
fn a_thousand_networks_have_their_derivative() {
    campaign(1000);
}

/// Orbits of random networks come back, their multipliers tell how a small push decays, and none is missed. How many networks
/// have one.
fn random_networks(count: u64) -> usize {
    let (mut found_in, mut followed, mut pushed) = (0, 0, 0);
    // One of them again: SEED=107
    let only: Option<u64> = std::env::var("SEED").ok().and_then(|s| s.parse().ok());
    for seed in (0..count).filter(|s| only.is_none_or(|only| only == *s)) {
        let mut r = Random(52_000 + seed);
        let network = chain(&mut r);
        let load = network.nodes().iter().flat_map(|n| n.force.harmonics()).next().unwrap();
        let period = TAU / load.angular_frequency;
        let forced = Forced::new(&network.into(), period, Method::Best).unwrap();
        let Ok(found) = search(&forced, &Search::default()) else { continue };
        found_in += 1;
        followed += none_is_missed(&forced, &found, &mut r, seed);
        for orbit in &found.orbits {
            assert!(orbit.residual <= 1e-11, "{seed}: {}", orbit.residual);
            pushed += usize::from(decays(&forced, orbit, seed));
        }
    }
    println!(
        "{followed} motions from random starts come to an orbit that is listed, {pushed} pushes decay"
    );
    found_in
}

/// The state after two periods from a small push, by the derivative and by the motion. False where no derivative exists, or
/// where the push lets a stuck contact go.
fn decays(forced: &Forced, orbit: &Orbit, seed: u64) -> bool {
    if !orbit.stable || orbit.family || orbit.transversality < 1e-3 {
        return false;
    }
    let (Ok(p), size) = (forced.passage(&orbit.state, 1), orbit.max - orbit.min) else {
        return false;
    };
    // Along the motion: what sticks at the start of a period goes on to stick.
    let n = orbit.state.len();
    let push: Vec<f64> = p.end.iter().zip(forced.typical()).map(|(_, s)| 1e-7 * s).collect();
    let column = |d: &[f64]| -> Vec<f64> {
        (0..n).map(|i| (0..n).map(|j| p.jacobian.at(i, j) * d[j]).sum()).collect()
    };
    // One period first, after which the push is one that the contacts allow.
    let d = column(&push);
    let u: Vec<f64> = orbit.state.iter().zip(&d).map(|(u, d)| u + d).collect();
    let Ok(q) = forced.passage(&u, 1) else { return false };
    if q.pattern != p.pattern || size <= 0.0 {
        return false;
    }
    let (want, push) = (column(&d), forced.size(&d));
    for i in 0..n {
        let error = (q.end[i] - orbit.state[i] - want[i]).abs() / forced.typical()[i];
        assert!(error < 1e-3 * push + 1e-11, "{seed}: {i} {error:e} {push:e}");
    }
    true
}

#[test]
fn orbits_of_random_networks_come_back_and_none_is_missed() {
    let networks = sized(3, 12);
    assert!(random_networks(networks) as u64 >= networks / 2);
}

/// `cargo test --release -p stickslip --test all thousand_random_networks -- --ignored --nocapture`
#[test]
#[ignore = "a campaign of minutes"]
fn a_thousand_random_networks() {
    println!("{} of 1000 have an orbit of one period", random_networks(1000));
}

/// Over the friction, stops begin at Den Hartog's limit.
#[test]
fn the_response_of_a_network_locates_den_hartogs_limit() {
    let make = |f: f64| -> Result<Forced, Error> {
        Forced::new(&one(1.25, f, f).into(), TAU / 1.25, Method::Best)
    };
    let found = response(make, &Options::new(0.5, 0.9).with_count(20)).unwrap();
    let at = |kind: Kind| found.bifurcations().find(|b| b.1 == kind).map(|b| b.0);
    let (stops, crossing) = (at(Kind::Stops).unwrap(), at(Kind::CrossingSliding).unwrap());
    assert!((stops - 0.698821143090012).abs() < 1e-9 && stops == crossing, "{stops}");
}

/// Two equal masses on equal springs, each with the same friction on the ground, both driven alike, move as one.
#[test]
fn a_symmetric_pair_moves_as_one() {
    let (beta, f) = (1.25, 0.4);
    let load = || Signal::harmonic(1.0, beta, 0.0);
    let mut n = Network::builder();
    for a in ["a", "b"] {
        n = n
            .node(a, 1.0)
            .spring(a, "ground", 1.0)
            .slider(format!("s{a}"), a, "ground", f, f)
            .force(a, load());
    }
    let n = n.spring("a", "b", 0.7).dashpot("a", "b", 0.2).build().unwrap();
    let forced = Forced::new(&n.into(), TAU / beta, Method::Best).unwrap();
    let found = search(&forced, &Search::default()).unwrap();
    let o = &found.orbits[0];
    assert!((o.amplitude() - 1.48004969692525).abs() < 1e-10, "{}", o.amplitude());
    // friction takes 4 f A from each
    assert!((o.dissipated - 8.0 * f * o.amplitude()).abs() < 1e-9, "{}", o.dissipated);
}

/// A floor on a spring and a friction damper (a spring that ends in a slider), driven by a force.
fn storey(omega: f64, slip: f64) -> Result<Forced, Error> {
    let n = Network::builder()
        .node("floor", 1.0)
        .node("joint", 0.0)
        .spring("floor", "ground", 1.0)
        .spring("floor", "joint", 0.8)
        .dashpot("floor", "ground", 0.05)
        .slider("damper", "joint", "ground", slip, slip)
        .force("floor", Signal::harmonic(0.3, omega, 0.0))
        .build()?;
    Forced::new(&n.into(), TAU / omega, Method::Best)
}

/// Between two reversals at ±A a spring k with a slider f loses 4 f (A − f/k) in a cycle, whatever the motion in between.
#[test]
fn a_friction_damper_loses_what_its_loop_encloses() {
    for (omega, slip) in [(1.0, 0.15), (1.2, 0.25), (1.3, 0.15)] {
        let found = search(&storey(omega, slip).unwrap(), &Search::default()).unwrap();
        let o = &found.orbits[0];
        let a = o.amplitude();
        assert!((o.max + o.min).abs() < 1e-9 * a && o.stable, "{omega}: {} {}", o.max, o.min);
        let loop_area = 4.0 * slip * (a - slip / 0.8);
        assert!(
            a > slip / 0.8 && (o.dissipated - loop_area).abs() < 1e-9,
            "{omega}: {} {loop_area}",
            o.dissipated
        );
    }
}

/// The slip load that makes the peak least lies between none and one that never slips, whose peaks are those of
/// linear oscillators of stiffness 1 and 1.8.
#[test]
fn the_best_slip_load_is_between_none_and_too_much() {
    let peak = |slip: f64| {
        let mut options = Options::new(0.9, 1.5).with_count(40);
        (options.seeds, options.search.starts) = (1, 1);
        let found = response(|omega| storey(omega, slip), &options).unwrap();
        let points = found.branches.iter().flat_map(|b| &b.points);
        points.map(|p| p.orbit.amplitude()).fold(0.0, f64::max)
    };
    // without slip, near its resonance: F/(c ω) to second order in the damping
    let stuck = peak(50.0);
    assert!((stuck - 0.3 / (0.05 * 1.8f64.sqrt())).abs() < 0.03 * stuck, "{stuck}");
    let (small, good) = (peak(0.05), peak(0.35));
    assert!(good < 0.5 * small && good < 0.5 * stuck, "{small} {good} {stuck}");
}

/// Below the load at which the damper slips every place of the joint belongs to an orbit: one branch stands for all of
/// them, stable, and nothing bifurcates until the damper slips at an amplitude of f/k.
#[test]
fn a_damper_that_does_not_slip_is_one_stable_branch() {
    let make = |omega: f64| storey(omega, 0.3);
    let mut options = Options::new(0.7, 0.95).with_count(8);
    options.seeds = 2;
    let found = response(make, &options).unwrap();
    assert_eq!(found.branches.len(), 1);
    let points = &found.branches[0].points;
    assert!(points.iter().all(|p| p.orbit.stable && p.orbit.stops == 1 && p.kind.is_none()));
    assert!(points.iter().all(|p| p.orbit.amplitude() < 0.3 / 0.8));
}

/// What a base shakes through a spring and a dashpot, without friction: the transmissibility of an isolator.
#[test]
fn an_isolator_has_its_transmissibility() {
    let (c, omega) = (0.2f64, 1.7f64);
    let n = Network::builder()
        .node("mass", 1.0)
        .node("base", 1.0)
        .spring("mass", "base", 1.0)
        .dashpot("mass", "base", c)
        .motion("base", Signal::harmonic(0.5, omega, 0.0))
        .build()
        .unwrap();
    let forced = Forced::new(&n.into(), TAU / omega, Method::Best).unwrap();
    let o = &search(&forced, &Search::default()).unwrap().orbits[0];
    let d = c * omega;
    let ratio = ((1.0 + d * d) / ((1.0 - omega * omega).powi(2) + d * d)).sqrt();
    assert!((o.amplitude() - 0.5 * ratio).abs() < 1e-11, "{} {}", o.amplitude(), 0.5 * ratio);
    let product = o.multipliers.iter().map(|m| m.norm()).product::<f64>();
    assert!((product - (-c * TAU / omega).exp()).abs() < 1e-11);
}

/// Masses on springs, dashpots and a belt: for each its mass, spring to the ground, dashpot to the ground, breakaway and
/// dynamic friction; and a spring between each and the next.
fn on_a_belt(masses: &[[f64; 5]], between: f64, belt: f64) -> Network {
    let mut n = Network::builder().node("belt", 0.0).motion("belt", Signal::ramp(belt, 0.0));
    for (i, [m, k, c, fs, fd]) in masses.iter().enumerate() {
        let name = format!("m{i}");
        n = n.node(name.clone(), *m).starting_at(name.clone(), 0.0, belt);
        n = n.spring(name.clone(), "ground", *k);
        if *c > 0.0 {
            n = n.dashpot(name.clone(), "ground", *c);
        }
        n = n.slider(format!("s{i}"), name.clone(), "belt", *fs, *fd);
        if i > 0 {
            n = n.spring(name, format!("m{}", i - 1), between);
        }
    }
    n.build().unwrap()
}

/// One mass: as a pulled slider (see `others`), slip lasts 2π − 2 atan(D/V) and stick 2D/V with D = f_s − f_d.
#[test]
fn a_network_of_one_mass_on_a_belt_has_the_closed_form() {
    let (fs, fd, v) = (1.2f64, 1.0, 0.2);
    let n = on_a_belt(&[[1.0, 1.0, 0.0, fs, fd]], 0.0, v);
    let found = orbits_at(&n.into(), 1, Method::Best, &Search::default()).unwrap();
    let (d, o) = (fs - fd, &found.orbits[0]);
    let period = TAU - 2.0 * (d / v).atan() + 2.0 * d / v;
    assert!((o.period - period).abs() < 1e-11, "{} {period}", o.period);
    // about f_d with the amplitude of slip from x = f_s at the belt's velocity
    assert!((o.amplitude() - d.hypot(v)).abs() < 1e-11 && (o.max - fd - d.hypot(v)).abs() < 1e-11);
    assert!(o.multiplier() < 1e-11 && o.multipliers.len() == 1 && o.stable && o.stops == 1);
    assert_eq!(found.orbits.len(), 1);
}

/// Followed over the speed of the belt, a network of one mass and an oscillator have the same closed form all along.
#[test]
fn orbits_on_a_belt_are_followed_over_its_speed() {
    let (fs, fd) = (1.2f64, 1.0);
    let network = |v: f64| on_a_belt(&[[1.0, 1.0, 0.0, fs, fd]], 0.0, v).into();
    let oscillator = |v: f64| -> Model {
        let law = Law::static_dynamic(fs, fd).unwrap();
        Oscillator::new(1.0, 1.0, law).with_support(Signal::constant(v)).into()
    };
    let mut options = Options::new(0.1, 0.5).with_count(8);
    options.seeds = 1;
    let makes: [&(dyn Fn(f64) -> Model + Sync); 2] = [&network, &oscillator];
    for make in makes {
        let forced = |v: f64| -> Result<Forced, Error> {
            Ok(Forced::by_itself(&make(v), Method::Best)?.looked_at(1))
        };
        let found = response(forced, &options).unwrap();
        let points = &found.branches[0].points;
        assert!(points.len() >= 9 && points.iter().any(|p| (p.value - 0.5).abs() < 1e-12));
        for p in points {
            let (d, v, o) = (fs - fd, p.value, &p.orbit);
            let period = TAU - 2.0 * (d / v).atan() + 2.0 * d / v;
            assert!((o.period - period).abs() < 1e-10, "{v}: {} {period}", o.period);
            assert!((o.amplitude() - d.hypot(v)).abs() < 1e-10, "{v}: {}", o.amplitude());
            assert!(o.stable && o.periods == 0 && o.multipliers.len() == 1);
        }
    }
}

/// Two masses, the first of which turns twice in a period at one speed of the belt, and once at another. Where that changes the orbit goes
/// on, but not the branch: nothing bifurcates, and no branch jumps to another orbit. One branch stands for both turns.
#[test]
fn a_branch_does_not_jump_where_a_mass_turns_more_often() {
    let masses = [[1.0, 1.0, 0.02, 1.5, 1.0], [1.3, 0.5, 0.03, 1.2, 0.8]];
    let make = |v: f64| -> Result<Forced, Error> {
        let network = on_a_belt(&masses, 0.7, v).into();
        Ok(Forced::by_itself(&network, Method::Best)?.looked_at(1))
    };
    let mut options = Options::new(0.3, 0.34).with_count(sized(6, 10)).with_periods(2);
    options.seeds = 1;
    let found = response(make, &options).unwrap();
    assert_eq!(found.branches.len(), 1);
    for w in found.branches[0].points.windows(2) {
        let (a, b) = (&w[0].orbit, &w[1].orbit);
        assert!((a.amplitude() - b.amplitude()).abs() < 0.02, "{} {}", w[0].value, w[1].value);
    }
}

/// Where nothing drives it and every mass rubs on the ground, no section is known; a motion that ends in steady sliding is no orbit.
#[test]
fn networks_without_an_orbit_of_their_own_say_why() {
    let rubbing = Network::builder().node("a", 1.0).spring("a", "ground", 1.0);
    let rubbing = rubbing.slider("s", "a", "ground", 1.0, 1.0).build().unwrap();
    let said = |n: Network| {
        orbits_at(&n.into(), 0, Method::Best, &Search::default()).unwrap_err().to_string()
    };
    assert!(said(rubbing).contains("contact with the ground"));
    // without a static limit above the dynamic one, dampers bring the masses to rest
    assert!(said(on_a_belt(&[[1.0, 1.0, 0.3, 1.0, 1.0]], 0.0, 0.2)).contains("steady sliding"));
}

/// Two masses, the first of which turns twice in a period. Numbers: SciPy's DOP853 at 1e-13 with events, the derivative of the
/// return by differences.
#[test]
fn two_masses_on_a_belt_move_as_an_independent_integration_does() {
    let masses = [[1.0, 1.0, 0.02, 1.5, 1.0], [1.3, 0.5, 0.03, 1.2, 0.8]];
    let n = on_a_belt(&masses, 0.7, 0.2);
    let mut wanted = Search::default();
    wanted.starts = sized(3, wanted.starts);
    let found = orbits_at(&n.into(), 1, Method::Best, &wanted).unwrap();
    let o = found.orbits.iter().find(|o| (o.period - 10.3563).abs() < 1e-4).unwrap();
    assert!((o.period - 10.356348779521).abs() < 1e-11, "{}", o.period);
    assert!((o.max - 1.41176836).abs() < 1e-7 && (o.min - 0.7818623671851).abs() < 1e-12);
    let (a, b) = (o.multipliers[0], o.multipliers[1]);
    assert!((a.re - 0.31409883).abs() < 1e-7 && (b.re - 0.13828974).abs() < 1e-7, "{a} {b}");
    assert!(o.multipliers.len() == 3 && o.multipliers[2].norm() < 1e-10);
    assert!(o.stable && o.residual <= 1e-11);
    // Of its two turns one is listed, as one orbit.
    let twins = found.orbits.iter().filter(|p| (p.period - o.period).abs() < 1e-6);
    assert_eq!((twins.count(), o.stops), (1, 3));
}

/// What is said of a model that swings for ever with a period (s) and an amplitude (m).
fn swings_for_ever(model: &Model, period: f64, amplitude: f64, name: &str) {
    let mut wanted = Search::default();
    // What the model's own start leads to is looked at; by night among what many others lead to.
    wanted.starts = sized(1, wanted.starts);
    let found: Found =
        orbits(model, Method::Best, &wanted).unwrap_or_else(|e| panic!("{name}: {e}: {model:?}"));
    let orbit = &found.orbits[0];
    assert_eq!(found.leads, Leads::Orbit, "{name}");
    assert!(orbit.family && orbit.stable, "{name}: {:?}", orbit.multipliers);
    assert!((orbit.period / period - 1.0).abs() < 1e-9, "{name}: {} {period}", orbit.period);
    let found = orbit.amplitude();
    assert!((found / amplitude - 1.0).abs() < 1e-6, "{name}: {found} {amplitude}");
}

/// Nothing drives it and nothing takes energy from it: one mass swings with the period of its spring, alone and on a belt that does not
/// rub, as an oscillator and as a network; and two masses between three springs together, or against each other at √3 times the rate.
#[test]
fn what_nothing_damps_is_one_of_a_continuum() {
    let mut r = Random(52);
    for i in 0..sized(3, 12) {
        let (m, k) = (r.uniform(0.3, 3.0), r.uniform(0.3, 3.0));
        let (x, v, speed) = (r.uniform(-1.0, 1.0), r.uniform(-0.5, 0.5), r.uniform(0.1, 1.0));
        let rate = (k / m).sqrt();
        let amplitude = |rate: f64| x.hypot(v / rate);
        let o = Oscillator::new(m, k, Law::coulomb(0.0).unwrap()).starting_at(x, v);
        let node = || {
            let n = Network::builder().node("a", m).starting_at("a", x, v);
            n.spring("a", "ground", k)
        };
        let belt = node()
            .node("belt", 0.0)
            .motion("belt", Signal::ramp(speed, 0.0))
            .slider("s", "a", "belt", 0.0, 0.0);
        let both = |other: f64| -> Model {
            let n = Network::builder().node("a", m).node("b", m);
            let n = n.starting_at("a", x, v).starting_at("b", other * x, other * v);
            let n = n.spring("a", "ground", k).spring("a", "b", k).spring("b", "ground", k);
            n.build().unwrap().into()
        };
        let on_belt = o.clone().with_support(Signal::constant(speed));
        let other = 3f64.sqrt() * rate;
        for (name, model, rate) in [
            ("alone", o.into(), rate),
            ("on a belt", on_belt.into(), rate),
            ("a network", node().build().unwrap().into(), rate),
            ("a network on a belt", belt.build().unwrap().into(), rate),
            ("together", both(1.0), rate),
            ("against each other", both(-1.0), other),
        ] {
            let named = format!("{i} {name}");
            swings_for_ever(&model, TAU / rate, amplitude(rate), &named);
        }
    }
}
