//! The period of what drives a model.

use crate::error::Error;
use crate::model::{Machine, Model, Network, Oscillator};
use crate::signal::Signal;
use std::f64::consts::TAU;

/// Frequencies whose ratio is that of whole numbers up to this have a common period.
const MOST: u32 = 64;

/// How well the ratio must be that of whole numbers.
const ROUNDING: f64 = 1e-11;

/// How well so many ticks must fill a period: files have decimal numbers, and π in the period.
const TICKS: f64 = 1e-9;

/// What drives a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Driven {
    /// Everything repeats after this time, s.
    Every(f64),
    /// Nothing depends on the time: an orbit has a period of its own.
    ByItself,
}

fn none<T>(reason: impl Into<String>) -> Result<T, Error> {
    Err(Error::NoOrbit { reason: reason.into() })
}

/// Whether a node is a belt: it moves at constant velocity, and only contacts and dashpots join it to others, for which its place is
/// no matter.
fn runs_steadily(n: &Network, node: usize) -> bool {
    let held = n.springs().iter().any(|s| s.between().contains(&Some(node)))
        || n.shared_masses().iter().any(|s| s.between.contains(&node));
    let steady =
        |m: &Signal| m.knots().len() == 1 && m.harmonics().is_empty() && !m.has_functions();
    !held && n.nodes()[node].motion.as_ref().is_some_and(steady)
}

/// The signals that act on a model, and what they are called.
fn signals(model: &Model) -> Vec<(&'static str, &Signal)> {
    match model {
        Model::Oscillator(o) => {
            let mut all = vec![("drive", &o.drive), ("force", &o.force), ("support", &o.support)];
            all.extend(o.normal.as_ref().map(|n| ("normal force", n)));
            all
        }
        Model::Network(n) => of_network(n),
        Model::Machine(m) => [of_network(m.network()), of_machine(m)].concat(),
        Model::Planar(p) => p.signals().map(|s| ("load on the mass in the plane", s)).collect(),
        Model::Hysteretic(h) => h.signals(),
        Model::Isolated(i) => i.signals().map(|s| ("load on the slab", s)).collect(),
        _ => Vec::new(),
    }
}

fn of_network(n: &Network) -> Vec<(&'static str, &Signal)> {
    let mut all: Vec<_> = n.nodes().iter().map(|n| ("force on a node", &n.force)).collect();
    let nodes = n.nodes().iter().enumerate().filter(|(i, _)| !runs_steadily(n, *i));
    let motions = nodes.filter_map(|(_, n)| n.motion.as_ref());
    all.extend(motions.map(|m| ("motion of a node", m)));
    let normals = n.sliders().iter().filter_map(|s| s.normal.as_ref());
    all.extend(normals.map(|n| ("normal force", n)));
    all
}

fn of_machine(machine: &Machine) -> Vec<(&'static str, &Signal)> {
    let bounds = machine.stops().iter().flat_map(|s| s.lower.iter().chain(&s.upper));
    let mut all: Vec<_> = bounds.map(|b| ("bound of a stop", b)).collect();
    all.extend(machine.frictions().iter().map(|f| ("velocity of a surface", &f.support)));
    for c in machine.controllers() {
        all.push(("reference of a controller", &c.law.reference));
        all.push(("dither of a controller", &c.law.dither));
    }
    all
}

/// The period of everything that acts on `model`.
///
/// # Errors
/// [`Error::NoOrbit`] where something that acts on it does not repeat.
pub(in crate::study) fn driven(model: &Model) -> Result<Driven, Error> {
    let mut frequencies: Vec<f64> = Vec::new();
    for (what, s) in signals(model) {
        if s.has_functions() {
            return none(format!(
                "the {what} is a user's function of time, whose period is not known"
            ));
        }
        let steady = s.knots().iter().all(|k| k.rate == 0.0 && k.value == s.knots()[0].value);
        if !steady {
            return none(format!(
                "the {what} has a ramp, a jump or samples, so that it does not repeat; drive the model by constants and harmonics"
            ));
        }
        let waves = s.harmonics().iter().filter(|h| h.amplitude != 0.0);
        frequencies.extend(waves.map(|h| h.angular_frequency.abs()).filter(|w| *w > 0.0));
    }
    let Some(&first) = frequencies.first() else { return Ok(Driven::ByItself) };
    let mut lowest = first;
    for &w in &frequencies[1..] {
        lowest = common(lowest, w).map_or_else(
            || none(format!("the angular frequencies {first} and {w} rad/s have no common period")),
            Ok,
        )?;
    }
    Ok(Driven::Every(with_ticks(model, TAU / lowest)?))
}

/// The first multiple of `period` (s) that is a whole number of ticks of every sampled controller, s.
fn with_ticks(model: &Model, period: f64) -> Result<f64, Error> {
    let Model::Machine(machine) = model else { return Ok(period) };
    let mut all = period;
    for sampling in machine.controllers().iter().filter_map(|c| c.law.sampling) {
        let time = sampling.time;
        let whole = |k: &u32| {
            let ticks = all * f64::from(*k) / time;
            ticks >= 0.5 && (ticks - ticks.round()).abs() <= TICKS * ticks
        };
        match (1..=MOST).find(whole) {
            Some(k) => all *= f64::from(k),
            None => {
                return none(format!(
                    "the period of the load, {all} s, and up to {MOST} of it are no whole number of ticks of a controller, {time} s"
                ));
            }
        }
    }
    Ok(all)
}

/// The largest frequency of which both are multiples.
fn common(a: f64, b: f64) -> Option<f64> {
    (1..=MOST).find_map(|q| {
        let p = (b / a * f64::from(q)).round();
        let close = p >= 1.0
            && p <= f64::from(MOST)
            && (b * f64::from(q) - a * p).abs() <= ROUNDING * b * f64::from(q);
        // b/a = p/q in lowest terms: the first q that fits
        close.then(|| a / f64::from(q))
    })
}

/// An oscillator whose spring is pulled at constant velocity, as seen from its far end: x − V t, and V (m/s).
///
/// # Errors
/// [`Error::NoOrbit`] where something else depends on where the mass is.
pub fn moving_frame(o: &Oscillator) -> Result<(Oscillator, f64), Error> {
    let knots = o.drive.knots();
    let velocity = knots[0].rate;
    if knots.len() != 1 || velocity == 0.0 || o.stiffness == 0.0 && o.nonlinear.is_none() {
        return Ok((o.clone(), 0.0));
    }
    let other = &o.nonlinear;
    let held = other.load.is_some() || other.damping != 0.0 || other.normal_slope != 0.0;
    if o.stops.is_some() || held {
        return none(
            "the drive runs away from what else acts on the mass (stops, a normal force with a slope, quadratic damping or a user's load)",
        );
    }
    let mut moved = o.clone();
    moved.drive = o.drive.clone() + Signal::ramp(-velocity, 0.0);
    moved.support = o.support.clone() + Signal::constant(-velocity);
    moved.force = o.force.clone() + Signal::constant(-o.damping * velocity);
    moved.initial.velocity -= velocity;
    Ok((moved, velocity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;

    #[test]
    fn frequencies_have_a_common_period_where_their_ratio_is_rational() {
        let o = |w: &[f64]| {
            let s = w.iter().fold(Signal::constant(2.0), |s, w| s + Signal::harmonic(1.0, *w, 0.3));
            Model::from(Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap()).with_force(s))
        };
        assert_eq!(driven(&o(&[])), Ok(Driven::ByItself));
        assert_eq!(driven(&o(&[0.5])), Ok(Driven::Every(2.0 * TAU)));
        let Ok(Driven::Every(t)) = driven(&o(&[0.4, 0.6, 1.0])) else { panic!("no period") };
        assert!((t - 5.0 * TAU).abs() < 1e-12);
        assert!(driven(&o(&[1.0, 2f64.sqrt()])).is_err());
    }
}
