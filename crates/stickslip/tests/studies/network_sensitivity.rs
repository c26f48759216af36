//! Derivatives of the exact motions of networks, against divided differences of motions at two distances and closed forms.

use crate::common::Random;
use crate::common::campaign::{Tally, campaign};
use crate::common::networks::{Clutches, Features, random};
use stickslip::model::Network;
use stickslip::scheme::network::{NetworkPath, exact};
use stickslip::study::sensitivity::{NetworkDerivatives, Number, Why, network_derivatives};
use stickslip::{Error, Signal};

/// A number of a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    Mass(usize),
    Spring(usize),
    Dashpot(usize),
    Breakaway(usize),
    Dynamic(usize),
    Place(usize),
    Velocity(usize),
    /// Factor of the force on a node, or of the motion that leads it, or of the normal force of a slider.
    Force(usize),
    Motion(usize),
    Normal(usize),
    /// The angular frequency of a wave that acts on this node beside its force.
    Frequency(usize),
}

/// The same network with another value of a number.
pub(super) fn with(n: &Network, part: Part, to: f64) -> Result<Network, Error> {
    loaded(n, (part, to), |_| None, |_| None)
}

/// The same with further forces on nodes, and other normal forces of sliders.
pub(super) fn loaded(
    n: &Network,
    (part, to): (Part, f64),
    further: impl Fn(usize) -> Option<Signal>,
    normal: impl Fn(usize) -> Option<Signal>,
) -> Result<Network, Error> {
    let mut b = Network::builder();
    let is = |p: Part| p == part;
    let name =
        |end: Option<usize>| end.map_or("ground".to_owned(), |i| n.nodes()[i].name.to_string());
    for (i, node) in n.nodes().iter().enumerate() {
        let own = name(Some(i));
        b = b.node(&own, if is(Part::Mass(i)) { to } else { node.mass });
        let x = if is(Part::Place(i)) { to } else { node.displacement };
        let v = if is(Part::Velocity(i)) { to } else { node.velocity };
        b = b.starting_at(&own, x, v);
        let force = if is(Part::Force(i)) { to * node.force.clone() } else { node.force.clone() };
        let force = match part {
            Part::Frequency(j) if j == i => force + Signal::harmonic(0.7, to, 0.3),
            _ => force,
        };
        let force = further(i).map_or(force.clone(), |more| force + more);
        b = b.force(&own, force);
        if let Some(motion) = &node.motion {
            b = b.motion(
                &own,
                if is(Part::Motion(i)) { to * motion.clone() } else { motion.clone() },
            );
        }
    }
    for (i, s) in n.springs().iter().enumerate() {
        let [p, q] = s.between().map(name);
        b = b.spring(p, q, if is(Part::Spring(i)) { to } else { s.coefficient });
    }
    for (i, s) in n.dashpots().iter().enumerate() {
        let [p, q] = s.between().map(name);
        b = b.dashpot(p, q, if is(Part::Dashpot(i)) { to } else { s.coefficient });
    }
    for (e, s) in n.sliders().iter().enumerate() {
        let [p, q] = s.between().map(name);
        // One number where both are one.
        let both = s.breakaway == s.dynamic && (is(Part::Breakaway(e)) || is(Part::Dynamic(e)));
        let breakaway = if both || is(Part::Breakaway(e)) { to } else { s.breakaway };
        let dynamic = if both || is(Part::Dynamic(e)) { to } else { s.dynamic };
        b = b.slider(s.name.to_string(), p, q, breakaway, dynamic);
        if let Some(normal) = normal(e).or_else(|| s.normal.clone()) {
            b = b.normal(if is(Part::Normal(e)) { to * normal } else { normal });
        }
    }
    b.build()
}

/// Every number of a network with its value.
pub(super) fn parts(n: &Network) -> Vec<(Part, f64)> {
    let mut out = Vec::new();
    for (i, node) in n.nodes().iter().enumerate() {
        if node.motion.is_some() {
            out.push((Part::Motion(i), 1.0));
            continue;
        }
        if node.mass > 0.0 {
            out.extend([(Part::Mass(i), node.mass), (Part::Velocity(i), node.velocity)]);
        }
        out.push((Part::Place(i), node.displacement));
        if node.force != Signal::default() {
            out.push((Part::Force(i), 1.0));
        }
        out.push((Part::Frequency(i), 1.3));
    }
    out.extend(n.springs().iter().enumerate().map(|(i, s)| (Part::Spring(i), s.coefficient)));
    out.extend(n.dashpots().iter().enumerate().map(|(i, s)| (Part::Dashpot(i), s.coefficient)));
    for (e, s) in n.sliders().iter().enumerate() {
        out.extend([(Part::Breakaway(e), s.breakaway), (Part::Dynamic(e), s.dynamic)]);
        if s.normal.is_some() {
            out.push((Part::Normal(e), 1.0));
        }
    }
    out
}

/// Derivatives with respect to one number, and the path.
fn derived(
    n: &Network,
    (part, value): (Part, f64),
    (end, times): (f64, &[f64]),
) -> Result<(NetworkPath, NetworkDerivatives), Error> {
    let own = with(n, part, value)?;
    let number = Number::around(value, |x| with(n, part, x))?;
    let path = exact(&own, end)?;
    let found = network_derivatives(&own, &path, &[number.of(Some).unwrap()], times)?;
    Ok((path, found))
}

/// What is differenced: x of all nodes at these times, those of the events.
fn seen(path: &NetworkPath, times: &[f64]) -> Vec<f64> {
    let x = times.iter().flat_map(|t| path.state(*t).x);
    x.chain(path.events().iter().map(|e| e.time)).collect()
}

/// Differences of order four at a distance, if all motions have the same events.
fn differenced(
    n: &Network,
    (part, value): (Part, f64),
    of: (&NetworkPath, f64, &[f64]),
    h: f64,
) -> Option<Vec<f64>> {
    let (own, end, times) = of;
    let alike = |p: &NetworkPath| {
        let key =
            |p: &NetworkPath| p.events().iter().map(|e| (e.kind, e.place)).collect::<Vec<_>>();
        key(p) == key(own)
    };
    let mut sum: Vec<f64> = Vec::new();
    for (k, w) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
        let path = exact(&with(n, part, value + k * h).ok()?, end).ok()?;
        if !alike(&path) {
            return None;
        }
        let row = seen(&path, times);
        sum.resize(row.len(), 0.0);
        sum.iter_mut().zip(row).for_each(|(s, r)| *s += w * r / (12.0 * h));
    }
    Some(sum)
}

/// How far derivatives are from differences, and the nearest two differences from each other, relative to the largest.
#[derive(Debug)]
enum Comparison {
    Compared {
        off: f64,
        worth: f64,
        events: usize,
    },
    Doubtful(Why),
    /// Not offered, or no two motions aside that give the same differences.
    Nothing,
}

fn compared(n: &Network, part: (Part, f64), end: f64) -> Comparison {
    let times = [0.31 * end, 0.71 * end, end];
    let (path, found) = match derived(n, part, (end, &times)) {
        Ok(found) => found,
        Err(Error::NotOffered { .. }) => return Comparison::Nothing,
        Err(e) => panic!("{part:?}: {e}"),
    };
    if let Some(d) = found.doubtful.into_iter().next() {
        return Comparison::Doubtful(d.why);
    }
    let scale = if part.1 == 0.0 { 1.0 } else { part.1.abs() };
    let all: Vec<_> = (0..5)
        .map(|i| scale * 0.5f64.powi(9 + 2 * i))
        .map(|h| differenced(n, part, (&path, end, &times), h))
        .collect();
    let apart = |a: &[f64], b: &[f64]| {
        let largest = b.iter().fold(1e-3, |m: f64, x| m.max(x.abs()));
        let d = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        d.fold(0.0, |m: f64, d| if d.is_nan() { f64::INFINITY } else { m.max(d) }) / largest
    };
    let pairs = all.windows(2).filter_map(|w| Some((w[0].as_ref()?, w[1].as_ref()?)));
    let best = pairs.map(|(a, b)| (apart(a, b), b)).min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((worth, best)) = best.filter(|b| b.0 < 1e-4) else { return Comparison::Nothing };
    let mine: Vec<f64> = found.x.iter().chain(&found.event_times).copied().collect();
    Comparison::Compared { off: apart(&mine, best), worth, events: path.events().len() }
}

/// What two differences are apart by, ten times, and what rounding adds to both.
fn allowed(worth: f64) -> f64 {
    10.0 * worth + 1e-9
}

/// One random network, one of its numbers.
fn compare(seed: u64, tally: &mut Tally) {
    let mut r = Random(seed);
    let features = Features { loops: seed % 3 == 2, two_phase: !seed.is_multiple_of(3) };
    let n = random(&mut r, features);
    let parts = parts(&n);
    let part = parts[r.next() as usize % parts.len()];
    match compared(&n, part, 12.0) {
        Comparison::Compared { off, worth, events } => {
            tally.add("compared", 1);
            tally.add("events", events);
            tally.worst("off", off, seed);
            tally.worst("over what is allowed", off / allowed(worth), seed);
            if worth < 1e-8 {
                tally.add("differences good to 1e-8", 1);
                tally.worst("off where differences are good to 1e-8", off, seed);
            }
        }
        Comparison::Doubtful(why) => {
            let name = format!("{why:?}");
            tally.add(name.split([' ', '(', '{']).next().unwrap(), 1);
        }
        Comparison::Nothing => tally.add("nothing to compare with", 1),
    }
}

/// Trees and loops of sliders, nodes without mass, breakaway above and at sliding friction, normal forces that change, hands that move.
#[test]
fn random_networks_have_the_derivatives_of_their_differences() {
    let tally = campaign("network_derivatives", 20, compare);
    let all = tally.sum("compared");
    assert!(all >= 12 && tally.sum("events") > 15 * all, "{tally:?}");
    assert!(tally.largest("over what is allowed") < 1.0, "{tally:?}");
}

/// With respect to each of their numbers.
#[test]
fn clutches_have_the_derivatives_of_their_differences() {
    let n = Clutches::new(0.55, 2.0).network();
    let mut count = 0;
    for part in parts(&n) {
        match compared(&n, part, 9.9) {
            Comparison::Compared { off, worth, events } => {
                assert!(
                    off < allowed(worth) && worth < 1e-7 && events > 5,
                    "{part:?} {off} {worth}"
                );
                count += 1;
            }
            // The first clutch begins to slip at once: it rests at the start, and is pushed.
            Comparison::Doubtful(Why::StartsAtRest) if matches!(part.0, Part::Velocity(_)) => {}
            other => panic!("{part:?} {other:?}"),
        }
    }
    assert!(count > 15, "{count}");
}

/// A frequency keeps its digits over a thousand periods: x = A (cos ω t − cos Ω t)/(Ω² − ω²), Ω² = K/m.
#[test]
fn a_frequency_keeps_its_digits() {
    let model = |w: f64| {
        let wave = Signal::harmonic(0.7, w, 0.0);
        Network::builder().node("a", 1.0).spring("a", "ground", 2.0).force("a", wave).build()
    };
    let (w, t, own) = (1.3f64, 5000.0, 2f64.sqrt());
    let n = model(w).unwrap();
    let number = Number::around(w, model).unwrap();
    let path = exact(&n, t).unwrap();
    let found = network_derivatives(&n, &path, &[number.of(Some).unwrap()], &[t]).unwrap();
    let d = 2.0 - w * w;
    let exact =
        0.7 * (-t * (w * t).sin() / d + 2.0 * w * ((w * t).cos() - (own * t).cos()) / (d * d));
    assert!((found.x[0] - exact).abs() < 1e-11 * exact.abs(), "{} {exact}", found.x[0]);
}

/// Two blocks that slide to rest side by side, at t = m v/f: with one number for both masses there is a derivative, with respect to
/// one mass alone the events part.
#[test]
fn events_that_stay_together_have_a_derivative() {
    let model = |first: f64, second: f64| {
        let mut b = Network::builder().unjoined();
        for (name, mass) in [("a", first), ("b", second)] {
            b = b.node(name, mass).starting_at(name, 0.0, 2.0);
            b = b.slider(format!("s{name}"), name, "ground", 1.0, 1.0);
        }
        b.build()
    };
    let n = model(1.5, 1.5).unwrap();
    let path = exact(&n, 4.0).unwrap();
    let both = Number::around(1.5, |m| model(m, m)).unwrap();
    let one = Number::around(1.5, |m| model(m, 1.5)).unwrap();
    let numbers = [both.of(Some).unwrap(), one.of(Some).unwrap()];
    let found = network_derivatives(&n, &path, &numbers, &[1.0, 4.0]).unwrap();
    // x = v t − f t²/(2 m) until t = m v/f, where x = m v²/(2 f).
    let near = |x: f64, exact: f64| assert!((x - exact).abs() < 1e-13, "{x} {exact}");
    let early = 1.0 / (2.0 * 1.5 * 1.5);
    for (i, x) in [(0, early), (1, early), (2, early), (3, 0.0), (4, 2.0), (6, 2.0)] {
        near(found.x[i], x);
    }
    assert!(found.x[5].is_nan() && found.x[7].is_nan(), "{:?}", found.x);
    assert!(found.event_times.chunks(2).all(|t| (t[0] - 2.0).abs() < 1e-13 && t[1].is_nan()));
    assert_eq!(found.doubtful.len(), 1, "{:?}", found.doubtful);
    assert_eq!(found.doubtful[0].why, Why::Together);
}

/// A block that its load would keep sliding: a push one way lets it go, a push the other way does not. Where sliding friction stops it at
/// once, neither does, and what it carries is not pushed either.
#[test]
fn a_push_of_what_rests_has_a_derivative_where_it_stops_at_once() {
    let model = |load: f64, push: f64| {
        Network::builder()
            .node("a", 1.5)
            .spring("a", "ground", 1.0)
            .starting_at("a", 0.0, push)
            .slider("s", "a", "ground", 1.2, 1.0)
            .force("a", Signal::constant(load))
            .build()
    };
    for (load, why) in [(0.9, None), (1.1, Some(Why::StartsAtRest))] {
        let n = model(load, 0.0).unwrap();
        let path = exact(&n, 4.0).unwrap();
        let number = Number::around(0.0, |v| model(load, v)).unwrap();
        let found = network_derivatives(&n, &path, &[number.of(Some).unwrap()], &[1.0]).unwrap();
        assert_eq!(found.doubtful.first().map(|d| d.why.clone()), why);
        assert!(if why.is_some() { found.x[0].is_nan() } else { found.x[0] == 0.0 });
    }
}
