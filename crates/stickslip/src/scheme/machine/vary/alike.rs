//! Whether a number only changes numbers of a machine, and no part of it.

use super::super::parts::{Parts, Place};
use crate::model::Bumper;
use crate::model::machine::{ControlLaw, FeedForward, Rule};
use crate::signal::Signal;

/// Whether two machines have the same parts, of which the same ones have an effect: a gain, a restitution, a damping or a coefficient of
/// zero is none.
pub(super) fn are_alike(a: &Parts, b: &Parts) -> bool {
    let rows = |p: &Parts| -> Vec<[Vec<usize>; 2]> {
        let of = |list: &[(usize, f64)]| list.iter().map(|m| m.0).collect();
        p.rows.iter().map(|r| [of(&r.masses), of(&r.given)]).collect()
    };
    let places = |p: &Parts| -> Vec<(bool, usize)> {
        let place = |p: &Place| match p {
            Place::With(k, _) => (true, *k),
            Place::Led(g, _) => (false, *g),
        };
        p.places.iter().map(place).collect()
    };
    let contacts = |p: &Parts| -> Vec<(usize, bool, [bool; 3])> {
        let kind = |bumper: Bumper| match bumper {
            Bumper::Rigid { restitution } => [true, restitution == 0.0, restitution == 1.0],
            Bumper::Soft { damping, .. } => [false, damping == 0.0, false],
        };
        p.contacts.iter().map(|c| (c.stop, c.side > 0.0, kind(c.bumper))).collect()
    };
    let gears = |p: &Parts| -> Vec<(Option<usize>, [bool; 2])> {
        let rubs = |g: usize| {
            let friction = p.meshes[g].friction;
            [friction.forward > 0.0, friction.backward > 0.0]
        };
        (0..p.meshes.len()).map(|g| (p.meshes[g].row, rubs(g))).collect()
    };
    let bends = |p: &Parts| -> Vec<usize> { p.bends.all.iter().map(|b| b.edges.len()).collect() };
    let remembers = |p: &Parts| -> Vec<[usize; 3]> {
        p.bristles.iter().map(|b| [b.row, b.states, b.parts]).collect()
    };
    let forces = |p: &Parts| {
        p.machine.network().nodes().iter().map(|n| n.force.is_zero()).collect::<Vec<_>>()
    };
    let laws = |p: &Parts| p.machine.controllers().iter().map(|c| what(&c.law)).collect::<Vec<_>>();
    rows(a) == rows(b)
        && places(a) == places(b)
        && contacts(a) == contacts(b)
        && gears(a) == gears(b)
        && bends(a) == bends(b)
        && remembers(a) == remembers(b)
        && laws(a) == laws(b)
        && forces(a) == forces(b)
        && a.given == b.given
        && same_signals(a, b)
}

/// By what angle the waves of the loads of two machines may be apart at the end of a run, rad: differences of order four miss some 10⁻⁹ of a
/// derivative then.
const TURN: f64 = 0.03;

/// Whether the waves of the loads of two machines are near each other up to `end` (s).
pub(super) fn are_near(a: &Parts, b: &Parts, end: f64) -> bool {
    let near = |(a, b): (&Signal, &Signal)| {
        a.harmonics()
            .iter()
            .zip(b.harmonics())
            .all(|(a, b)| (a.angular_frequency - b.angular_frequency).abs() * end <= TURN)
    };
    loads(a).zip(loads(b)).all(near)
}

/// All signals.
fn loads(p: &Parts) -> impl Iterator<Item = &Signal> {
    let sampled = p.machine.controllers().iter().filter(|c| c.law.sampling.is_some());
    p.machine.signals().chain(sampled.flat_map(|c| [&c.law.reference, &c.law.dither]))
}

/// What of a controller has an effect.
fn what(law: &ControlLaw) -> (Vec<bool>, Option<FeedForward>, usize) {
    let mut parts = vec![
        law.limit.is_some(),
        law.sampling.is_some(),
        law.sampling.is_some_and(|s| s.quantum > 0.0),
        law.sampling.is_some_and(|s| s.delay > 0.0),
    ];
    let mut states = 0;
    match &law.rule {
        Rule::Pid(g) => {
            let gains = [g.proportional, g.integral, g.derivative, g.filter];
            parts.extend(gains.map(|g| g == 0.0));
        }
        Rule::StateSpace(s) => states = s.b.len(),
    }
    // By its kind alone.
    let feed = law.feed_forward.map(|_| FeedForward::Sign { force: 0.0 });
    (parts, feed, states)
}

/// Whether all signals have equally many knots and waves.
fn same_signals(a: &Parts, b: &Parts) -> bool {
    let all = |p: &Parts| -> Vec<[usize; 2]> {
        loads(p).map(|s| [s.knots().len(), s.harmonics().len()]).collect()
    };
    all(a) == all(b)
}
