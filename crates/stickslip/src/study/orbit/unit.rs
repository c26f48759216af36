//! The time in which a model that nothing drives comes back.

use crate::model::{Bumper, Oscillator};
use std::f64::consts::TAU;

/// Said of a model without a spring.
pub(super) const NOTHING_BRINGS_IT_BACK: &str = "nothing drives the model and it has neither a spring nor a stop, so that nothing brings it back";

/// The time in which an oscillator that nothing drives comes back, about, s: a period of its spring, or the way to a stop and a
/// contact with it if that takes less. Nothing where it has neither.
pub(super) fn unit(o: &Oscillator) -> Option<f64> {
    let spring = TAU / o.natural_frequency();
    let belt = o.support.value(0.0).abs();
    let stop = o.stops.map_or(f64::INFINITY, |stops| {
        let places = [stops.lower, stops.upper].map(|a| a.unwrap_or(0.0));
        let way = (places[1] - places[0]).abs().max(o.initial.displacement.abs()) / belt;
        let contact = match stops.bumper {
            Bumper::Soft { stiffness, .. } => (o.mass / (o.stiffness + stiffness)).sqrt(),
            Bumper::Rigid { .. } => o.mass * belt / o.friction.breakaway(),
        };
        4.0 * way + TAU * contact
    });
    Some(spring.min(stop)).filter(|t| t.is_finite() && *t > 0.0)
}
