//! Orbits of networks: against oscillators with closed forms, and their derivative against divided differences.

use crate::common::Random;
use std::f64::consts::TAU;
use stickslip::model::Network;
use stickslip::study::orbit::{Forced, Kind, Method, Options, Search, response, search};
use stickslip::{Error, Signal};

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
