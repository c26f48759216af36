//! Random problems with what acts on a mass from around it: belts, stops, a normal force that varies, friction that differs by
//! direction. `exact` against `adaptive`, which finds the same motion by steps and another search for events.

use crate::common::campaign::campaign;
use crate::common::{Random, problem};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::exact;
use stickslip::{Law, Oscillator, Signal, Stops, Trajectory};

/// A function of time of about this size, with a mean, waves, a jump and measured values by chance.
fn signal(r: &mut Random, size: f64, end: f64) -> Signal {
    let mut s = Signal::constant(r.uniform(-0.5, 0.5) * size);
    if r.chance(0.7) {
        let amplitude = r.uniform(0.2, 1.0) * size;
        s = s + Signal::harmonic(amplitude, r.uniform(0.2, 4.0), r.uniform(-3.0, 3.0));
    }
    if r.chance(0.3) {
        s = s + Signal::step(r.uniform(0.0, end), 0.0, r.uniform(-1.0, 1.0) * size);
    }
    if r.chance(0.3) {
        s = s + measured(r, (-size, size), end);
    }
    s
}

/// Measured values in a range.
fn measured(r: &mut Random, (low, high): (f64, f64), end: f64) -> Signal {
    let times: Vec<f64> = (0..9).map(|i| end * f64::from(i) / 8.0).collect();
    let values: Vec<f64> = times.iter().map(|_| r.uniform(low, high)).collect();
    Signal::sampled(&times, &values).unwrap()
}

fn surrounded(r: &mut Random) -> (Oscillator, f64) {
    let (mut o, end) = problem(r);
    let end = end.min(20.0);
    if r.chance(0.4) {
        let dynamic = r.uniform(0.05, 1.2);
        let other = Law::static_dynamic(dynamic + r.uniform(0.0, 0.8), dynamic).unwrap();
        o.friction = Law::asymmetric(o.friction, other).unwrap();
    }
    if r.chance(0.5) {
        o = o.with_support(signal(r, 0.8, end));
    } else if r.chance(0.7) {
        let near = o.initial.displacement;
        let lower = r.chance(0.8).then(|| near - r.uniform(0.1, 3.0));
        let upper = Some(near + r.uniform(0.1, 3.0));
        o = o.with_stops(if r.chance(0.5) {
            Stops::rigid(lower, upper, r.uniform(0.0, 0.95))
        } else {
            Stops::soft(lower, upper, r.uniform(1.0, 60.0), r.uniform(0.0, 1.0))
        });
    }
    if r.chance(0.5) {
        let normal = if r.chance(0.5) {
            measured(r, (0.2, 2.0), end)
        } else {
            let swing = Signal::harmonic(r.uniform(0.1, 0.9), r.uniform(0.3, 4.0), 0.3);
            Signal::constant(1.0) + swing
        };
        o = o.with_normal(normal);
    }
    (o, end)
}

/// The largest distance between two motions, relative to their size.
fn distance(one: &Trajectory, other: &Trajectory) -> f64 {
    let size = one.sample(200).map(|s| s.1.x.abs()).fold(1.0, f64::max);
    one.sample(200).map(|(t, u, _)| (other.state(t).x - u.x).abs() / size).fold(0.0, f64::max)
}

#[test]
fn whatever_surrounds_the_mass() {
    let tally = campaign("surroundings", 300, |seed, tally| {
        let (o, end) = surrounded(&mut Random(seed + 90_000_000));
        let path = exact::solve(&o, end).unwrap_or_else(|e| panic!("{seed}: {e}\n{o:?}"));
        let stepped = |tolerance: f64| {
            let found = adaptive::solve(&o, end, Options::tolerance(tolerance));
            found.unwrap_or_else(|e| panic!("{seed}: {e}\n{o:?}"))
        };
        let near = stepped(1e-11);
        tally.add("problems", 1);
        tally.add("events", path.events().len());
        let energy = path.energy(&o);
        let (first, last) = (path.state(0.0), path.state(end));
        let stored = [first, last].map(|u| o.stiffness * u.x * u.x + o.mass * u.v * u.v);
        let exchanged = energy.kinetic.abs() + energy.elastic.abs();
        let lost = energy.friction + energy.viscous + energy.impacts.abs();
        let turned_over = energy.gross_work + exchanged + lost;
        // What a rounding of the stored energy is, no audit can see; nor 10⁻²⁰ J where nothing moves.
        let rounding = 1e-14 * (stored[0] + stored[1]) + 1e-20;
        let open = (energy.defect().abs() - rounding).max(0.0) / turned_over.max(1e-300);
        tally.worst("relative defect of the energy", open, seed);
        assert!(open <= 1e-11, "{seed}: {energy:?}\n{o:?}");
        // Where a rounding decides, motions part for good, and one of them says so.
        if !path.warnings().is_empty() || !near.warnings().is_empty() {
            tally.add("in doubt", 1);
            return;
        }
        let apart = distance(&path, &near);
        if apart <= 1e-6 {
            tally.worst("relative distance", apart, seed);
            return;
        }
        // A wall that is met almost without speed makes much of little: with smaller steps it is the same motion.
        tally.add("sensitive", 1);
        let nearer = distance(&path, &stepped(1e-13));
        assert!(nearer <= 0.3 * apart, "{seed}: {apart:e} {nearer:e}\n{o:?}\n{:?}", path.events());
    });
    let [problems, events, doubts, sensitive] =
        ["problems", "events", "in doubt", "sensitive"].map(|what| tally.sum(what));
    assert!(events > 5 * problems && 50 * (doubts + sensitive) <= problems);
}
