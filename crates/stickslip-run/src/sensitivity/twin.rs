//! Derivatives of motions of cascades and of masses between walls: those of an oscillator or a network that moves alike, whose
//! derivatives are known.

use super::{Sensitivities, Sensitivity, Source, numbers};
use stickslip::model::{Network, Stops};
use stickslip::study::sensitivity::{Number, derivatives, network_derivatives};
use stickslip::{Cascade, Event, EventKind, Impact, Law, Model, Oscillator, Solution};

/// Instants of one event in both motions differ by less than this share of them.
const SAME: f64 = 1e-9;

/// The exact motion of a model that is no oscillator and no network, and what is asked of it.
pub(super) struct Twin<'a> {
    pub asked: &'a Sensitivity,
    pub values: &'a [f64],
    pub from: &'a Source<'a>,
    pub solution: &'a Solution,
    /// Of the run, s.
    pub end: f64,
}

impl Twin<'_> {
    /// The derivatives, where the model has a twin; `None` where it has none, or the twin has no derivatives.
    pub fn derivatives(&self, model: &Model) -> Option<Sensitivities> {
        match model {
            Model::Impact(impact) => self.of_impact(impact),
            Model::Cascade(cascade) => self.of_cascade(cascade),
            _ => None,
        }
    }
}

/// A mass between walls that do not move is an oscillator without friction between rigid stops.
fn oscillator(impact: &Impact) -> Option<Oscillator> {
    let place = |wall: &Option<stickslip::Signal>| match wall {
        Some(wall) => wall.as_constant().map(Some),
        None => Some(None),
    };
    let stops = Stops::rigid(place(&impact.lower)?, place(&impact.upper)?, impact.restitution);
    let start = impact.initial;
    Some(
        Oscillator::new(impact.mass, impact.stiffness, Law::coulomb(0.0).ok()?)
            .with_damping(impact.damping)
            .with_force(impact.force.clone())
            .with_stops(stops)
            .starting_at(start.displacement, start.velocity),
    )
}

impl Twin<'_> {
    fn of_impact(&self, impact: &Impact) -> Option<Sensitivities> {
        // How long what rests at a wall stays there is not asked of the twin.
        if self.solution.events.iter().any(|e| e.kind != EventKind::Impact) {
            return None;
        }
        let own = oscillator(impact)?;
        let numbers = numbers(self.asked, self.values, self.from, |model| match model {
            Model::Impact(impact) => oscillator(&impact),
            _ => None,
        });
        // Where a neighbour has no twin, differences say what is wrong, or do without it.
        let numbers = numbers.ok()?;
        let path = stickslip::scheme::oscillator::exact::solve(&own, self.end).ok()?;
        let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
        let found = derivatives(&own, &path, &seen, &self.asked.times).ok()?;
        if !found.doubtful.is_empty() {
            return None;
        }
        let rates = found.event_times.chunks(self.values.len().max(1));
        let known: Vec<(f64, &[f64])> = path.events().iter().map(|e| e.time).zip(rates).collect();
        let mut event_times = Vec::new();
        for e in &self.solution.events {
            event_times.extend_from_slice(at(&known, e.time)?);
        }
        Some(Sensitivities {
            values: self.values.to_vec(),
            sides: numbers.iter().map(Number::sides).collect(),
            bodies: 1,
            x: found.states.iter().map(|u| u.x).collect(),
            v: found.states.iter().map(|u| u.v).collect(),
            event_times,
            doubtful: Vec::new(),
            worth: None,
            events: self.solution.events.clone(),
        })
    }
}

/// What is known of the event at `t` (s).
fn at<'a>(known: &[(f64, &'a [f64])], t: f64) -> Option<&'a [f64]> {
    known.iter().find(|k| (k.0 - t).abs() <= SAME * (1.0 + t)).map(|k| k.1)
}

/// A cascade that starts unloaded at 0 is a network of its mass and nodes without mass.
fn network(cascade: &Cascade) -> Option<Network> {
    let loaded = cascade.prestress.iter().any(|w| *w != 0.0);
    if loaded || cascade.initial.displacement != 0.0 || cascade.displacement.is_some() {
        return None;
    }
    Network::cascade(cascade).build().ok()
}

impl Twin<'_> {
    fn of_cascade(&self, cascade: &Cascade) -> Option<Sensitivities> {
        let own = network(cascade)?;
        let numbers = numbers(self.asked, self.values, self.from, |model| match model {
            Model::Cascade(cascade) => network(&cascade),
            _ => None,
        });
        let numbers = numbers.ok()?;
        let path = stickslip::scheme::network::exact(&own, self.end).ok()?;
        let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
        let count = self.values.len().max(1);
        let found = network_derivatives(&own, &path, &seen, &self.asked.times).ok()?;
        let instants: Vec<f64> = self.solution.events.iter().map(|e| e.time).collect();
        let turning = network_derivatives(&own, &path, &seen, &instants).ok()?;
        if !found.doubtful.is_empty() || !turning.doubtful.is_empty() {
            return None;
        }
        let nodes = own.nodes().len();
        // The mass is the first node.
        let mass = |all: &[f64]| -> Vec<f64> {
            all.chunks(count * nodes).flat_map(|row| row[..count].to_vec()).collect()
        };
        let of_v = mass(&turning.v);
        let mut event_times = Vec::new();
        for (e, of_v) in self.solution.events.iter().zip(of_v.chunks(count)) {
            if e.kind == EventKind::Reversal {
                let a = acceleration(cascade, self.solution, e)?;
                event_times.extend(of_v.iter().map(|v| -v / a));
                continue;
            }
            let slides = |s: &Event| s.kind == EventKind::Slip && s.place + 1 == e.place;
            let rates = found.event_times.chunks(count);
            let known: Vec<(f64, &[f64])> = path
                .events()
                .iter()
                .zip(rates)
                .filter(|(s, _)| slides(s))
                .map(|(s, r)| (s.time, r))
                .collect();
            event_times.extend_from_slice(at(&known, e.time)?);
        }
        Some(Sensitivities {
            values: self.values.to_vec(),
            sides: numbers.iter().map(Number::sides).collect(),
            bodies: 1,
            x: mass(&found.x),
            v: mass(&found.v),
            event_times,
            doubtful: Vec::new(),
            worth: None,
            events: self.solution.events.clone(),
        })
    }
}

/// The acceleration of the mass at an event, m/s²; `None` where it is nothing, or jumps.
fn acceleration(cascade: &Cascade, solution: &Solution, e: &Event) -> Option<f64> {
    let path = solution.cascade()?;
    let load = |t: f64| cascade.force.value(t);
    // A load that jumps just then leaves the instant without a derivative.
    let jumps = cascade.force.knots().iter().any(|k| k.time == e.time);
    let a = (load(e.time) - path.state(e.time).force) / cascade.mass;
    (!jumps && a != 0.0).then_some(a)
}
