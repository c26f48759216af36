//! How the end of a motion depends on its start: the derivative of the flow, arc by arc and event by event.
//!
//! With δ a small change of the state at a fixed time, and h(δ) the change of what reaches zero at an event (the
//! velocity of a slider that slips, the distance of a cut from its limit):
//!
//! ```text
//! arc          the same series without signals and constant friction, for they do not change
//! event        δt = −h(δ)/ḣ,   δx ← δx + (ẋ⁻ − ẋ⁺) δt,   δẋ ← δẋ + (ẍ⁻ − ẍ⁺) δt
//! ```
//!
//! ẋ jumps at nodes without mass only, ẍ at masses. What sticks together from then on has one velocity.

use super::arc::ExactArc;
use super::mode::{Mode, Series};
use super::power::{ORDER, Power};
use crate::model::Network;
use crate::motion::Segment;
use crate::scheme::network::{NetworkArc, NetworkPath};

/// Which numbers are the state of a network: displacements of free nodes, then velocities of free masses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// Nodes.
    nodes: usize,
    pub displacements: Vec<usize>,
    pub velocities: Vec<usize>,
}

impl Layout {
    pub fn of(network: &Network) -> Self {
        let nodes = network.nodes();
        let free = |i: &usize| nodes[*i].motion.is_none();
        let displacements: Vec<usize> = (0..nodes.len()).filter(free).collect();
        let velocities = displacements.iter().copied().filter(|&i| nodes[i].mass > 0.0).collect();
        Self { nodes: nodes.len(), displacements, velocities }
    }

    /// Numbers in a state.
    pub fn size(&self) -> usize {
        self.displacements.len() + self.velocities.len()
    }

    /// The state in x and ẋ of all nodes.
    pub fn state(&self, x: &[f64], v: &[f64]) -> Vec<f64> {
        let x = self.displacements.iter().map(|i| x[*i]);
        let v = self.velocities.iter().map(|i| v[*i]);
        x.chain(v).collect()
    }
}

/// The derivative of the state at the end with respect to the state at the start.
#[derive(Debug, Clone)]
pub(crate) struct Tangent {
    /// Its columns, each a state.
    pub columns: Vec<Vec<f64>>,
    /// How far the motion is from one at which the derivative does not exist: the smallest rate, relative to its size,
    /// at which an event is reached. 0 where one is grazed.
    pub transversality: f64,
}

/// A small change of x and ẋ of each node and the ground.
#[derive(Clone)]
struct Change {
    x: Vec<f64>,
    v: Vec<f64>,
}

/// What reaches zero at an event.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reached {
    /// The velocity of this slider.
    Speed(usize),
    /// The distance of this cut from its limit, towards this side.
    Margin(usize, i8),
}

/// The tangent along an exact path.
pub(crate) fn along(path: &NetworkPath, layout: &Layout) -> Tangent {
    let mut changes = units(layout);
    let mut transversality = f64::INFINITY;
    let mut before: Option<&ExactArc> = None;
    for s in path.segments() {
        let NetworkArc::Exact(arc) = &s.arc else { continue };
        match before {
            // An arc may also end because its series does; there the change goes on as it is.
            Some(b) if b.mode.signs != arc.mode.signs => {
                transversality = transversality.min(pass(b, arc, s.start, &mut changes));
            }
            Some(_) => {}
            None => join(&arc.mode, &mut changes),
        }
        follow(arc, s, &mut changes);
        before = Some(arc);
    }
    let columns = changes.iter().map(|c| layout.state(&c.x, &c.v)).collect();
    Tangent { columns, transversality }
}

/// The derivative of the state with respect to time at the end of an exact path.
pub(crate) fn flow(path: &NetworkPath, layout: &Layout) -> Option<Vec<f64>> {
    let last = path.segments().last()?;
    let NetworkArc::Exact(arc) = &last.arc else { return None };
    let series = arc.series();
    let tau = last.end - arc.start;
    let v: Vec<_> = series.x.iter().map(|x| x.derivative()).collect();
    let rates: Vec<f64> = v.iter().map(|v| v.at(tau)).collect();
    let accelerations: Vec<f64> = v.iter().map(|v| v.derivative().at(tau)).collect();
    Some(layout.state(&rates, &accelerations))
}

/// A change of each number of the state.
fn units(layout: &Layout) -> Vec<Change> {
    let zero = Change { x: vec![0.0; layout.nodes + 1], v: vec![0.0; layout.nodes + 1] };
    let x = layout.displacements.iter().map(|&i| {
        let mut c = zero.clone();
        c.x[i] = 1.0;
        c
    });
    let v = layout.velocities.iter().map(|&i| {
        let mut c = zero.clone();
        c.v[i] = 1.0;
        c
    });
    x.chain(v).collect()
}

/// What sticks together moves together: momentum is kept.
fn join(mode: &Mode, changes: &mut [Change]) {
    for c in changes {
        for (v, given) in c.v.iter_mut().zip(&mode.parts.given) {
            // What is prescribed is the same for every start.
            *v = if *given { 0.0 } else { *v };
        }
        let exact = vec![0.0; c.v.len()];
        c.v = mode.join(&c.v, &exact).velocity;
    }
}

/// Along an arc.
fn follow(arc: &ExactArc, s: &Segment<NetworkArc>, changes: &mut [Change]) {
    let mut series = Series::new(&arc.mode.parts);
    let tau = s.end - s.start;
    let mode = arc.mode.pattern();
    let zero = vec![Power::ZERO; arc.x.len()];
    // By the modes where they are known: an arc is as long there as the motion allows whose fast modes have died
    // away, and the series of a change that excites them would not hold over it.
    if let Some(modal) = arc.mode.known_modal() {
        for c in changes {
            let carried = modal.carried(mode, 0.0, &c.x, &c.v, false);
            let later = modal.after(&carried, tau);
            let mut x = zero.clone();
            modal.displace(mode, 0.0, &c.x, &later, false, &mut x);
            for (i, x) in x.iter().enumerate().filter(|x| modal.moves(mode, x.0)) {
                (c.x[i], c.v[i]) = (x.0[0], x.0[1]);
            }
        }
        return;
    }
    for c in changes {
        arc.mode.vary(&c.x, &c.v, ORDER, &mut series);
        for (i, x) in series.x.iter().enumerate() {
            (c.x[i], c.v[i]) = (x.at(tau), x.derivative().at(tau));
        }
    }
}

/// From one slip pattern to the next at `t`; how fast the event is reached, relative to its size.
fn pass(b: &ExactArc, n: &ExactArc, t: f64, changes: &mut [Change]) -> f64 {
    let tau = t - b.start;
    let was = b.series();
    let is = n.series();
    let (reached, rate, size) = match event(b, n, &was, tau) {
        Some(found) => found,
        None => {
            join(&n.mode, changes); // the loads jump at a time of their own
            return f64::INFINITY;
        }
    };
    let nodes = n.mode.parts.ground;
    let mut room = Series::new(&b.mode.parts);
    for c in changes.iter_mut() {
        // The force in a slider needs the accelerations, two orders above the displacements; one more is its rate.
        b.mode.vary(&c.x, &c.v, 3, &mut room);
        let late = -b.mode.value(&room, &reached, 0.0).0 / rate;
        // A grazed event has no derivative; that its rate is zero is told by the transversality.
        let late = if late.is_finite() { late } else { 0.0 };
        for i in 0..nodes {
            let [v, a] = [was.x[i].derivative(), was.x[i].derivative().derivative()];
            let [w, d] = [is.x[i].derivative(), is.x[i].derivative().derivative()];
            c.x[i] += (v.at(tau) - w.at(0.0)) * late;
            c.v[i] += (a.at(tau) - d.at(0.0)) * late;
        }
    }
    join(&n.mode, changes);
    if size > 0.0 { (rate / size).abs() } else { f64::INFINITY }
}

/// What reaches zero between two arcs, its rate and the size of what makes the rate. What changes comes first; where
/// that follows from something else, which goes on as it did, it is that.
fn event(b: &ExactArc, n: &ExactArc, s: &Series, tau: f64) -> Option<(Reached, f64, f64)> {
    let from = &b.mode.signs;
    let to = &n.mode.signs;
    let slips = |e: &usize| from[*e] != 0;
    let slow = (0..from.len()).filter(slips).map(|e| (from[e] != to[e], Reached::Speed(e)));
    let cuts = b.mode.clusters.cuts.iter().enumerate();
    let loose = cuts.flat_map(|(i, c)| {
        let opens = c.sliders.iter().all(|&(e, _)| to[e] != 0);
        // All sliders of a cut give way together, so that one of them tells the side.
        let towards = c.sliders.first().map_or(1, |&(e, way)| to[e] * way);
        [1, -1].map(|side| (opens && side == towards, Reached::Margin(i, side)))
    });
    let nearest = slow.chain(loose).filter_map(|(changes, r)| {
        let (value, rate, sizes) = b.mode.measured(s, &r, tau);
        let near = value.abs() / sizes.0.max(f64::MIN_POSITIVE);
        // A force that jumps makes sliders slip far from where they were at their limit.
        // What changes its phase is allowed to be farther from zero: it is the event, however inexactly it was met.
        let here = near < if changes { 1e-6 } else { 1e-10 } && rate < 0.0;
        here.then_some((near * if changes { 1e-4 } else { 1.0 }, r, rate, sizes.1))
    });
    let nearest = nearest.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((nearest.1, nearest.2, nearest.3))
}

impl Mode {
    /// The value and the rate at `tau` of what a change of the motion does to what is reached.
    pub fn value(&self, s: &Series, reached: &Reached, tau: f64) -> (f64, f64) {
        let power = match *reached {
            Reached::Speed(e) => {
                let c = &self.parts.contacts[e];
                Power::ZERO.plus(f64::from(self.signs[e]), &s.slip(c.a, c.b))
            }
            Reached::Margin(i, side) => {
                let sliders = &self.clusters.cuts[i].sliders;
                sliders.iter().fold(Power::ZERO, |sum, &(e, way)| {
                    sum.plus(-f64::from(way * side), &s.lambda[e])
                })
            }
        };
        (power.at(tau), power.derivative().at(tau))
    }

    /// The same of the motion itself, limits included, and the sizes of the terms of both.
    pub fn measured(&self, s: &Series, reached: &Reached, tau: f64) -> (f64, f64, (f64, f64)) {
        let (mut value, mut rate) = self.value(s, reached, tau);
        let contacts = &self.parts.contacts;
        let mut sizes = (0.0, 0.0);
        match *reached {
            Reached::Speed(e) => {
                let c = &contacts[e];
                for x in [&s.x[c.a], &s.x[c.b]] {
                    let v = x.derivative();
                    let a = x.derivative().derivative();
                    sizes.0 += v.size(tau);
                    sizes.1 += a.at(tau).abs();
                }
                // Accelerations that cancel make the rate small, and near a grazing that is to show: the friction
                // sets the scale.
                let force = contacts[e].breakaway * s.normal[e].at(tau).abs();
                let mass = [c.a, c.b].map(|i| self.parts.mass[i]).into_iter().fold(0.0, f64::max);
                sizes.1 = if mass > 0.0 { sizes.1.max(force / mass) } else { sizes.1 };
            }
            Reached::Margin(i, _) => {
                for &(e, _) in &self.clusters.cuts[i].sliders {
                    let limit = contacts[e].breakaway;
                    value += limit * s.normal[e].at(tau);
                    rate += limit * s.normal[e].derivative().at(tau);
                    sizes.0 += limit * s.normal[e].size(tau) + s.lambda[e].size(tau);
                    sizes.1 += (limit * s.normal[e].at(tau).abs()).max(s.lambda[e].at(tau).abs())
                        / self.parts.fastest_time()
                        * 1e-3;
                }
            }
        }
        (value, rate, sizes)
    }
}
