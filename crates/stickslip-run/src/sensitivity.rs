//! Derivatives of a motion with respect to numbers of its file.

mod case;
mod differences;
mod forward;
mod reverse;

pub use differences::{EnergyRates, energies};
pub use reverse::{Backward, Gradients, gradient};

use crate::axis::PLACE;
use crate::context::Context;
use crate::shown::check_times;
use case::{Case, Source};
use stickslip::study::sensitivity::Sides;
use stickslip::{Event, Model, Scheme, Solution};
use stickslip_file::{Diagnostic, Document, Reading, Result};

/// What is asked for beside the model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sensitivity {
    /// Keys of the document, such as `oscillator.mass`.
    pub keys: Vec<String>,
    /// When the derivatives of the state are wanted, s, not decreasing.
    pub times: Vec<f64>,
    /// What messages call the place where the keys were given.
    pub place: String,
}

impl Sensitivity {
    /// With respect to the numbers at these keys, at these times (s).
    pub fn new(keys: Vec<String>, times: Vec<f64>) -> Self {
        Self { keys, times, place: PLACE.to_owned() }
    }
}

/// A motion and its derivatives.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sensitivities {
    /// The events of the motion, in the order of their derivatives.
    pub events: Vec<Event>,
    /// The numbers themselves, in the order of the keys.
    pub values: Vec<f64>,
    /// From which sides each of them can be looked at.
    pub sides: Vec<Sides>,
    /// How many masses or nodes move.
    pub bodies: usize,
    /// Derivatives of the displacements and velocities: those with respect to every number, of the first body at the first time, of
    /// the second, …, then at the second time.
    pub x: Vec<f64>,
    /// See `x`.
    pub v: Vec<f64>,
    /// Derivatives of the times of the events: those with respect to every number of the first, then of the second, ….
    pub event_times: Vec<f64>,
    /// Instants at which there is no derivative, s, and why.
    pub doubtful: Vec<(f64, String)>,
    /// Where derivatives are differences of motions, what those with respect to each number are worth: how far they are from those at
    /// another distance, relative to the largest of them.
    pub worth: Option<Vec<f64>>,
}

/// The motion of a document and its derivatives with respect to numbers of it.
///
/// ```
/// use stickslip_file::{Document, Memory, Reading};
/// use stickslip_run::{Context, sensitivity::{Sensitivity, sensitivity}};
/// let text = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.coulomb.force = 1.0\n\
///             initial.velocity = 2.0\n[run]\nend = 9.0\n";
/// let (document, reading) = (Document::parse("m.toml", text)?, Reading::new(Memory::default()));
/// // A mass that slides to rest goes m v₀²/(2 f).
/// let asked = Sensitivity::new(vec!["oscillator.mass".to_owned()], vec![9.0]);
/// let motion = sensitivity(&asked, &document, &reading, &Context::silent())?;
/// assert!((motion.x[0] - 2.0).abs() < 1e-14);
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
///
/// Those of an `[oscillator]` are by its variational equation, see [`derivatives`](stickslip::study::sensitivity::derivatives()), and those of a `[network]` or a `[cascade]` by `exact` by that of
/// each of its arcs, see [`network_derivatives`](stickslip::study::sensitivity::network_derivatives()); a mass between walls that do not move has those of an oscillator. Those of a machine are by the variational equation of each of its modes: of one that is
/// linear between events along its exact motion, whether `exact` or `adaptive` solves it, of others along that by `adaptive` at a tolerance of
/// 10⁻¹³. The events are those of that motion. Those of other models are by differences of motions that have the same events, exact ones or, where
/// `adaptive` solves the model, those at a tolerance of 10⁻¹³. So are those of a network in which nodes without mass jump to places that a
/// balance of forces does not tell, and those with respect to numbers that switch a part of a machine on or off. Of machines, so are those with a
/// sampled controller that has a limit or a quantum, those whose friction has corners, is elasto-plastic or of rate and state, and those with
/// gears and another memory than Dahl's or LuGre's.
///
/// # Errors
/// Where a key leads to no number of the model, a time is outside the run, the model has noise, or the scheme is not driven by
/// events.
pub fn sensitivity(
    asked: &Sensitivity,
    document: &Document,
    reading: &Reading,
    context: &Context<'_>,
) -> Result<Sensitivities> {
    sensitivity_along(asked, document, reading, None, context)
}

/// The same along a `solution` of the document that is known already, which is not solved again where the derivatives are those of the
/// variational equation.
///
/// # Errors
/// Those of [`sensitivity`].
pub fn sensitivity_along(
    asked: &Sensitivity,
    document: &Document,
    reading: &Reading,
    solution: Option<&Solution>,
    context: &Context<'_>,
) -> Result<Sensitivities> {
    let quiet = reading.without_echo();
    let source = Source { document, reading: &quiet, place: &asked.place };
    let case = Case::read(source, &asked.keys, solution, context)?;
    let times = &asked.times;
    check_times(times, case.file.run.end)?;
    check_order(times)?;
    let exact = case.file.run.scheme == Scheme::Exact;
    let found = match &case.file.problem.model {
        Model::Oscillator(o) => Some(forward::of_oscillator(&case, o, times)?),
        Model::Network(n) if exact => forward::of_network(&case, n, times)?,
        Model::Cascade(c) if exact => forward::of_cascade(&case, c, times)?,
        Model::Impact(i) if exact => forward::of_impact(&case, i, times)?,
        Model::Machine(m) if exact || matches!(case.file.run.scheme, Scheme::Adaptive(_)) => {
            forward::of_machine(&case, m, times)
        }
        _ => None,
    };
    found.map_or_else(|| differences::of_any(&case, times), Ok)
}

fn check_order(times: &[f64]) -> Result<()> {
    if let Some(pair) = times.windows(2).find(|p| p[1] < p[0]) {
        let said = format!(
            "the time {:?} s comes after {:?} s; expected times in order",
            pair[1], pair[0]
        );
        return Err(Diagnostic::command_line(said));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
