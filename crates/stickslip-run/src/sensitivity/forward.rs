//! Derivatives in forward mode, by the variational equation of each kind of model.

use super::Sensitivities;
use super::case::{Case, bare, elements, no_path, oscillator, walled};
use stickslip::model::{Machine, Network};
use stickslip::scheme::machine::exact_cursor;
use stickslip::study::sensitivity::{
    Doubt, NetworkDerivatives, Number, Why, cascade_derivatives, derivatives, impact_derivatives,
    machine_derivatives, machine_distance, network_derivatives,
};
use stickslip::{Cascade, Error, Event, Impact, Model, Oscillator, Scheme};
use stickslip_file::Result;

pub(super) fn of_oscillator(
    case: &Case<'_>,
    o: &Oscillator,
    times: &[f64],
) -> Result<Sensitivities> {
    let numbers = case.numbers(oscillator)?;
    let mut room = None;
    let solution = case.solved(&mut room)?;
    let path = solution.oscillator().ok_or_else(no_path)?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let found = derivatives(o, path, &seen, times)?;
    let told = Told {
        x: found.states.iter().map(|u| u.x).collect(),
        v: found.states.iter().map(|u| u.v).collect(),
        event_times: found.event_times,
        doubtful: found.doubtful,
    };
    Ok(told.sensitivities(case, &numbers, &solution.events, 1))
}

/// Those of a network's exact motion; nothing where they are not offered for it.
pub(super) fn of_network(
    case: &Case<'_>,
    network: &Network,
    times: &[f64],
) -> Result<Option<Sensitivities>> {
    let numbers = case.numbers(bare)?;
    let mut room = None;
    let solution = case.solved(&mut room)?;
    let path = solution.network().ok_or_else(no_path)?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let Some(found) = offered(network_derivatives(network, path, &seen, times))? else {
        return Ok(None);
    };
    if found.doubtful.iter().any(|d| d.why == Why::Jumps) {
        return Ok(None);
    }
    let nodes = network.nodes().len();
    Ok(Some(Told::from(found).sensitivities(case, &numbers, &solution.events, nodes)))
}

/// Those of a cascade's exact motion; nothing where they are not offered for it.
pub(super) fn of_cascade(
    case: &Case<'_>,
    cascade: &Cascade,
    times: &[f64],
) -> Result<Option<Sensitivities>> {
    // Where a number has no neighbour of this kind, differences say what is wrong, or do without it.
    let Ok(numbers) = case.numbers(elements) else { return Ok(None) };
    let mut room = None;
    let solution = case.solved(&mut room)?;
    let path = solution.cascade().ok_or_else(no_path)?;
    let found = offered(cascade_derivatives(cascade, path, &numbers, times))?;
    Ok(found.map(|found| Told::from(found).sensitivities(case, &numbers, &solution.events, 1)))
}

/// Those of a mass between walls, where the oscillator whose derivatives are known moves alike.
pub(super) fn of_impact(
    case: &Case<'_>,
    impact: &Impact,
    times: &[f64],
) -> Result<Option<Sensitivities>> {
    // As for cascades.
    let Ok(numbers) = case.numbers(walled) else { return Ok(None) };
    let mut room = None;
    let events = &case.solved(&mut room)?.events;
    let found = impact_derivatives(impact, events, &numbers, times, case.file.problem.end);
    Ok(found.map(|found| Told::from(found).sensitivities(case, &numbers, events, 1)))
}

/// Those of a machine, along its exact motion where its parts are linear between events, whichever scheme the file names; nothing where they
/// are not offered for it.
pub(super) fn of_machine(
    case: &Case<'_>,
    machine: &Machine,
    times: &[f64],
) -> Option<Sensitivities> {
    let end = case.file.problem.end;
    if case.file.run.scheme == Scheme::Exact {
        // Where the scheme of the file does not treat the machine, differences say what is wrong.
        exact_cursor(machine, end).ok()?;
    }
    let of = |model| if let Model::Machine(machine) = model { Some(machine) } else { None };
    let numbers = case.nearer(of, machine_distance(machine, end)).ok()?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let (found, events) = machine_derivatives(machine, &seen, times, end).ok()?;
    let nodes = machine.network().nodes().len();
    Some(Told::from(found).sensitivities(case, &numbers, &events, nodes))
}

/// What is found, or nothing where it is not offered.
fn offered<T>(found: std::result::Result<T, Error>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotOffered { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What the core tells of any kind of model.
struct Told {
    x: Vec<f64>,
    v: Vec<f64>,
    event_times: Vec<f64>,
    doubtful: Vec<Doubt>,
}

impl From<NetworkDerivatives> for Told {
    fn from(found: NetworkDerivatives) -> Self {
        let NetworkDerivatives { x, v, event_times, doubtful, .. } = found;
        Self { x, v, event_times, doubtful }
    }
}

impl Told {
    fn sensitivities<M>(
        self,
        case: &Case<'_>,
        numbers: &[Number<M>],
        events: &[Event],
        bodies: usize,
    ) -> Sensitivities {
        Sensitivities {
            values: case.values.clone(),
            sides: numbers.iter().map(Number::sides).collect(),
            bodies,
            x: self.x,
            v: self.v,
            event_times: self.event_times,
            doubtful: self.doubtful.iter().map(|d| (d.time, d.to_string())).collect(),
            worth: None,
            events: events.to_vec(),
        }
    }
}
