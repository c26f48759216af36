//! Whether a network can become a machine.

use super::{FITS, Machine, bad};
use crate::error::{Error, Part, PartKind};
use crate::interrupt::Interrupt;
use crate::law::memory::Memory;
use crate::model::Bumper;
use crate::roots::GivenUp;

/// An error at the first node that nothing joins to any other or the ground.
pub(super) fn joined(machine: &Machine) -> Result<(), Error> {
    let n = machine.network();
    let mut joined = vec![false; n.nodes().len()];
    let links = n.springs().iter().chain(n.dashpots()).map(|l| l.between());
    let sliders = n.sliders().iter().map(|s| s.between());
    let curved = machine.springs().iter().map(|s| s.between());
    let stops = machine.stops().iter().map(|s| s.between());
    let controllers = machine.controllers().iter();
    let controllers = controllers.flat_map(|c| [c.of(), [Some(c.on()), None]]);
    links
        .chain(sliders)
        .chain(curved)
        .chain(stops)
        .chain(controllers)
        .flatten()
        .flatten()
        .for_each(|i| joined[i] = true);
    machine.gears().iter().flat_map(|g| g.nodes()).for_each(|i| joined[i] = true);
    n.shared_masses().iter().flat_map(|s| s.between).for_each(|i| joined[i] = true);
    match joined.iter().position(|j| !j) {
        None => Ok(()),
        Some(i) => Err(bad(
            Part::new(PartKind::Node, i, &n.nodes()[i].name, "name"),
            "no spring, dashpot, slider, stop, gear or controller touches it",
            "join it to another node or the ground, or leave it out",
        )),
    }
}

/// An error at `place` if a slider cannot have this law with memory, or remember these numbers.
pub(super) fn bristle(place: &Part, law: &Memory, remembers: &[f64]) -> Result<(), Error> {
    let of = law.law();
    if of.states().max(of.parts()) > MOST_PARTS {
        let found = of.states().max(of.parts());
        let reason = format!("its law remembers {found} numbers; expected {MOST_PARTS} at most");
        return Err(bad(place.clone(), reason, "take a law with fewer"));
    }
    if remembers.len() != of.states() {
        let found = remembers.len();
        let expected = of.states();
        let reason = format!("its law remembers {expected} numbers, and starts from {found}");
        return Err(bad(place.clone(), reason, "give one for each, or none"));
    }
    if let Some((i, z)) = remembers.iter().enumerate().find(|(_, z)| !z.is_finite()) {
        let reason = format!("it starts from {z} {}; expected a finite number", of.unit(i));
        return Err(bad(place.clone(), reason, "give a number"));
    }
    of.check_state(remembers).map_err(|e| {
        let remedy = match of.as_rate_and_state() {
            Some(_) => "let the contact begin at an age above 0 s",
            None => "let the bristle begin at a smaller deflection",
        };
        bad(place.clone(), e.to_string(), remedy)
    })
}

/// An error at the first slider on a moving surface whose law has a spring of its own, which that does not carry along.
pub(super) fn carried(machine: &Machine) -> Result<(), Error> {
    for (e, friction) in machine.frictions().iter().enumerate() {
        let Some(Memory::BoucWen(law)) = friction.bristle.as_ref().map(|b| &b.law) else {
            continue;
        };
        if law.ratio() > 0.0 && !friction.support.is_zero() {
            let name = &machine.network().sliders()[e].name;
            return Err(bad(
                Part::new(PartKind::Slider, e, name, "support"),
                "the elastic part ratio·k·x of bouc-wen is that of a spring between its ends, which a moving surface does not carry along",
                "set ratio = 0, and put a spring of the network next to it",
            ));
        }
    }
    Ok(())
}

/// An error at the first slider of rate and state that nothing presses, since its law is a coefficient, or that a gear carries.
pub(super) fn pressed(machine: &Machine) -> Result<(), Error> {
    for (e, (slider, friction)) in
        machine.network().sliders().iter().zip(machine.frictions()).enumerate()
    {
        let Some(Memory::RateAndState(_)) = friction.bristle.as_ref().map(|b| &b.law) else {
            continue;
        };
        if slider.normal.is_none() && friction.press.is_none() {
            return Err(bad(
                Part::new(PartKind::Slider, e, &slider.name, "normal"),
                "its law of rate and state is a coefficient of friction, and it has no normal force",
                "give the normal force, N",
            ));
        }
        let ends = slider.between();
        let geared = |i: &usize| ends.contains(&Some(*i));
        if machine.gears().iter().any(|g| g.nodes().iter().any(geared)) {
            return Err(bad(
                Part::new(PartKind::Slider, e, &slider.name, "between"),
                "its law is of rate and state, and a gear carries one of its ends, for which no solution was ever compared",
                "put the slider on a node that no gear joins, or give it another law",
            ));
        }
    }
    Ok(())
}

/// The most numbers or parts of a law with memory in a slider: schemes have room for as many, and ask for none in a step.
pub(crate) const MOST_PARTS: usize = 16;

/// An error at the first rigid stop that is passed where a run begins.
pub(super) fn within_stops(machine: &Machine) -> Result<(), Error> {
    let nodes = machine.network().nodes();
    let at = |end: Option<usize>| match end.map(|i| &nodes[i]) {
        None => 0.0,
        Some(node) => node.motion.as_ref().map_or(node.displacement, |m| m.value(0.0)),
    };
    for (i, stop) in machine.stops().iter().enumerate() {
        if matches!(stop.bumper, Bumper::Soft { .. }) {
            continue;
        }
        let [first, second] = stop.between().map(at);
        let z = first - second;
        for (bound, side) in [(&stop.lower, 1.0), (&stop.upper, -1.0)] {
            let Some(bound) = bound.as_ref().map(|b| b.value(0.0)) else { continue };
            if side * (bound - z) > FITS * (z.abs() + bound.abs()) {
                let (property, beyond) =
                    if side > 0.0 { ("lower", "below") } else { ("upper", "above") };
                let place = Part::new(PartKind::Stop, i, &stop.name, property);
                let reason = format!(
                    "at the start x_first − x_second is {z} m, {beyond} its {property} bound of {bound} m"
                );
                let remedy = "change the `displacement` of the nodes at its ends, or the bound";
                return Err(bad(place, reason, remedy));
            }
        }
    }
    Ok(())
}

/// An error at the first stop whose bounds pass each other before `end` (s), between which nothing could be.
pub(super) fn bounds_apart(machine: &Machine, end: f64) -> Result<(), Error> {
    for (i, stop) in machine.stops().iter().enumerate() {
        let (Some(lower), Some(upper)) = (&stop.lower, &stop.upper) else { continue };
        let room = upper.clone() + -1.0 * lower.clone();
        match room.first_negative(0.0, end) {
            Ok(None) => {}
            Ok(Some((time, _))) => {
                return Err(bad(
                    Part::new(PartKind::Stop, i, &stop.name, "lower"),
                    format!("its lower bound comes above its upper one at {time} s"),
                    "let the bounds keep apart until the end of the run, or end it before",
                ));
            }
            Err(GivenUp) => return Err(Interrupt::of_search(0.0, "the bounds of a stop".into())),
        }
    }
    Ok(())
}
