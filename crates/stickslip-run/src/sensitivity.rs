//! Derivatives of a motion with respect to numbers of its file.

mod differences;

use crate::axis::PLACE;
use crate::context::Context;
use crate::shown::check_times;
use differences::{Aside, Column, Lost, TERMS, of_terms};
use stickslip::model::{Inlet, Machine, Network};
use stickslip::scheme::machine::exact_cursor;
use stickslip::study::parallel;
use stickslip::study::sensitivity::gradient as backward;
use stickslip::study::sensitivity::{
    Gradient, Loss, NetworkLoss, Number, Samples, Sides, Why, cascade_derivatives,
    cascade_gradient, derivatives, impact_derivatives, impact_gradient, machine_derivatives,
    machine_distance, machine_gradient, network_derivatives, network_gradient,
};
use stickslip::{
    Cascade, Energy, Error, Event, Impact, Model, Oscillator, Role, Scheme, Solution, State,
};
use stickslip_file::{
    Diagnostic, Document, ModelFile, Reading, Result, Varied, VariedModel, did_you_mean,
};

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
/// Those of an `[oscillator]` are by its variational equation, see [`derivatives`], and those of a `[network]` by `exact` by that of each
/// of its arcs, see [`network_derivatives`]; a cascade that starts unloaded at 0 has those of a network that moves alike, a mass between
/// walls that do not move those of an oscillator. Those of a machine are by the variational equation of each of its modes: of one that is
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
    sensitivity_along(asked, document, reading, (None, context))
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
    (solution, context): (Option<&Solution>, &Context<'_>),
) -> Result<Sensitivities> {
    let quiet = reading.without_echo();
    let (file, values) = known(asked, document, &quiet, context)?;
    check_times(&asked.times, file.run.end)?;
    check_order(&asked.times)?;
    let source = Source { document, reading: &quiet, place: &asked.place };
    match &file.problem.model {
        Model::Oscillator(o) => by_equation(asked, (&file, o, solution), values, &source),
        Model::Network(n) if file.run.scheme == Scheme::Exact => {
            let found = by_arcs(asked, (&file, n, solution), &values, &source)?;
            found.map_or_else(|| by_differences(asked, &file, values, &source), Ok)
        }
        Model::Machine(m) if matches!(file.run.scheme, Scheme::Exact | Scheme::Adaptive(_)) => {
            let found = by_modes(asked, (m, &file), &values, &source);
            found.map_or_else(|| by_differences(asked, &file, values, &source), Ok)
        }
        model if file.run.scheme == Scheme::Exact => {
            let mut room = None;
            let solution = solved(&file, solution, &mut room)?;
            let found = by_likeness(asked, (model, solution, file.problem.end), &values, &source);
            found.map_or_else(|| by_differences(asked, &file, values, &source), Ok)
        }
        _ => by_differences(asked, &file, values, &source),
    }
}

/// The derivatives of a mass between walls or of a cascade up to `end` (s), where a model whose derivatives are known moves alike.
fn by_likeness(
    asked: &Sensitivity,
    (model, solution, end): (&Model, &Solution, f64),
    values: &[f64],
    source: &Source<'_>,
) -> Option<Sensitivities> {
    let events = &solution.events;
    let times = &asked.times;
    // Where a number has no neighbour of this kind, differences say what is wrong, or do without it.
    let (found, sides) = match model {
        Model::Impact(impact) => {
            let numbers = numbers(asked, values, source, walled).ok()?;
            let sides = numbers.iter().map(Number::sides).collect();
            (impact_derivatives(impact, events, &numbers, times, end)?, sides)
        }
        Model::Cascade(cascade) => {
            let numbers = numbers(asked, values, source, elements).ok()?;
            let sides = numbers.iter().map(Number::sides).collect();
            let path = solution.cascade()?;
            (cascade_derivatives(cascade, path, events, &numbers, times, end)?, sides)
        }
        _ => return None,
    };
    Some(Sensitivities {
        values: values.to_vec(),
        sides,
        bodies: 1,
        x: found.x,
        v: found.v,
        event_times: found.event_times,
        doubtful: Vec::new(),
        worth: None,
        events: events.clone(),
    })
}

/// The model of a document, and the numbers at the keys.
fn known(
    asked: &Sensitivity,
    document: &Document,
    quiet: &Reading,
    context: &Context<'_>,
) -> Result<(ModelFile, Vec<f64>)> {
    let (file, parameters) = ModelFile::read_with_parameters(document, quiet)?;
    context.warn_all(&file.warnings);
    if !file.problem.noises.is_empty() {
        return Err(Diagnostic::new("the model has noise; expected one whose loads are known")
            .help("leave out the noises, or put a sampled path in their place"));
    }
    let value = |key: &String| {
        let found = parameters.iter().find(|p| p.path == *key).map(|p| p.value);
        found.ok_or_else(|| no_number(key, &parameters))
    };
    let values = asked.keys.iter().map(value).collect::<Result<_>>()?;
    Ok((file, values))
}

/// Derivatives of the energies of a motion with respect to numbers of its file.
#[derive(Debug)]
#[non_exhaustive]
pub struct EnergyRates {
    /// The energies themselves, J.
    pub energy: Energy,
    /// Their derivatives with respect to each number, in J for each unit of it; NaN where there is none.
    pub rates: Vec<Energy>,
    /// What the derivatives with respect to each number are worth: how far they are from those at another distance, relative to the
    /// largest of them, or to the largest energy over the number.
    pub worth: Vec<f64>,
    /// Why there is no derivative with respect to some number.
    pub doubtful: Vec<String>,
}

/// The derivatives of the energies of a document's motion at its end with respect to numbers of it: by differences of order four of
/// motions that have the same events, whatever the kind of model.
///
/// ```
/// use stickslip_file::{Document, Memory, Reading};
/// use stickslip_run::{Context, sensitivity::{Sensitivity, energies}};
/// let text = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.coulomb.force = 1.0\n\
///             initial.velocity = 2.0\n[run]\nend = 9.0\n";
/// let (document, reading) = (Document::parse("m.toml", text)?, Reading::new(Memory::default()));
/// // A mass that slides to rest loses m v₀²/2 to friction.
/// let asked = Sensitivity::new(vec!["oscillator.mass".to_owned()], Vec::new());
/// let found = energies(&asked, &document, &reading, &Context::silent())?;
/// assert!((found.rates[0].friction - 2.0).abs() < 1e-9);
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
///
/// # Errors
/// Those of [`sensitivity`].
pub fn energies(
    asked: &Sensitivity,
    document: &Document,
    reading: &Reading,
    context: &Context<'_>,
) -> Result<EnergyRates> {
    let quiet = reading.without_echo();
    let (file, values) = known(asked, document, &quiet, context)?;
    let scheme = differenced(&file)?;
    let solution = stickslip::solve(&file.problem, &scheme)?;
    let from = Source { document, reading: &quiet, place: &asked.place };
    let aside = Aside {
        from: &from,
        scheme: &scheme,
        solution: &solution,
        times: &[],
        columns: &[],
        energies: true,
    };
    let given = asked.keys.iter().zip(&values).collect();
    let all: Vec<Found> = parallel::try_over(given, |(key, value)| aside.column(key, *value))?;
    let lost = [f64::NAN; TERMS];
    let rates = all.iter().map(|c| of_terms(c.as_ref().map_or(&lost[..], |c| &c.of.energies)));
    let why = asked.keys.iter().zip(&all).filter_map(|(key, c)| Some(c.as_ref().err()?.told(key)));
    Ok(EnergyRates {
        energy: solution.energy(),
        rates: rates.collect(),
        worth: all.iter().map(|c| c.as_ref().map_or(f64::NAN, |c| c.known)).collect(),
        doubtful: why.collect(),
    })
}

/// A loss and what its gradient is asked with respect to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Backward {
    /// Keys of the document.
    pub keys: Vec<String>,
    /// Samples of signals: what they are samples of, their times (s), and whether a value holds to the next time.
    pub samples: Vec<(Inlet, Vec<f64>, bool)>,
    /// When the loss looks at the state, s, not decreasing.
    pub times: Vec<f64>,
    /// Its derivatives with respect to the displacement of each body at the first time, at the second, ….
    pub x: Vec<f64>,
    /// The same with respect to the velocities.
    pub v: Vec<f64>,
    /// Its derivatives with respect to the times of the events; empty where it does not look at them.
    pub event_times: Vec<f64>,
    /// What messages call the place where the keys were given.
    pub place: String,
}

impl Backward {
    /// With respect to the numbers at these keys, of a loss that looks at nothing yet.
    pub fn new(keys: Vec<String>) -> Self {
        Self {
            keys,
            samples: Vec::new(),
            times: Vec::new(),
            x: Vec::new(),
            v: Vec::new(),
            event_times: Vec::new(),
            place: PLACE.to_owned(),
        }
    }

    fn samples(&self) -> Vec<Samples<'_>> {
        let lists = self.samples.iter();
        lists.map(|(of, times, held)| Samples { of: *of, times, held: *held }).collect()
    }

    /// The derivatives of the loss with respect to the state of one mass.
    fn states(&self) -> Vec<State> {
        self.x.iter().zip(&self.v).map(|(x, v)| State { x: *x, v: *v }).collect()
    }

    /// What is wrong, and what to do where there is no gradient in reverse mode.
    fn refused(&self, error: Error) -> Diagnostic {
        let Error::NotOffered { .. } = error else { return error.into() };
        self.helped(Diagnostic::from(error))
    }

    fn refusal(&self, why: &str) -> Diagnostic {
        self.helped(Diagnostic::unsolvable(why))
    }

    fn helped(&self, refusal: Diagnostic) -> Diagnostic {
        refusal.help(if self.samples.is_empty() {
            "take derivatives in forward mode"
        } else {
            "leave the samples out: derivatives with respect to parameters are found in forward mode"
        })
    }
}

/// The derivatives of a loss.
#[derive(Debug)]
#[non_exhaustive]
pub struct Gradients {
    /// With respect to the number at each key.
    pub numbers: Vec<f64>,
    /// With respect to the values of each list of samples.
    pub samples: Vec<Vec<f64>>,
    /// From which sides each number can be looked at.
    pub sides: Vec<Sides>,
    /// Instants at which there is no derivative, s, and why.
    pub doubtful: Vec<(f64, String)>,
}

/// The gradient of a loss that looks at the motion of a document, `solution` where it is known already. That of an oscillator is by the
/// adjoint of its variational equation, see [`stickslip::study::sensitivity::gradient`]; that of a network by `exact`, and of a cascade that moves
/// as one, by that of its arcs, see [`stickslip::study::sensitivity::network_gradient`]; that of a machine, and of a network by `adaptive`, by one
/// way along the motion and back, see [`stickslip::study::sensitivity::machine_gradient`].
///
/// ```
/// use stickslip_file::{Document, Memory, ModelFile, Reading};
/// use stickslip_run::{Context, sensitivity::{Backward, gradient}};
/// let text = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.coulomb.force = 1.0\n\
///             initial.velocity = 2.0\n[run]\nend = 9.0\n";
/// let (document, reading) = (Document::parse("m.toml", text)?, Reading::new(Memory::default()));
/// let problem = ModelFile::read(&document, &reading)?.problem;
/// let solution = stickslip::solve(&problem, &stickslip::Scheme::Exact)?;
/// // A mass that slides to rest goes m v₀²/(2 f).
/// let mut asked = Backward::new(vec!["oscillator.mass".to_owned()]);
/// (asked.times, asked.x, asked.v) = (vec![9.0], vec![1.0], vec![0.0]);
/// let found = gradient(&asked, &document, &reading, (Some(&solution), &Context::silent()))?;
/// assert!((found.numbers[0] - 2.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`sensitivity`]; where the model is no oscillator, cascade, network, machine or mass between walls; and where its derivatives are differences.
pub fn gradient(
    asked: &Backward,
    document: &Document,
    reading: &Reading,
    (solution, context): (Option<&Solution>, &Context<'_>),
) -> Result<Gradients> {
    let quiet = reading.without_echo();
    let mut wanted = Sensitivity::new(asked.keys.clone(), Vec::new());
    wanted.place.clone_from(&asked.place);
    let (file, values) = known(&wanted, document, &quiet, context)?;
    check_times(&asked.times, file.run.end)?;
    check_order(&asked.times)?;
    let source = Source { document, reading: &quiet, place: &asked.place };
    match &file.problem.model {
        Model::Oscillator(o) => {
            let numbers = numbers(&wanted, &values, &source, oscillator)?;
            let mut room = None;
            of_oscillator(asked, &numbers, o, solved(&file, solution, &mut room)?)
        }
        Model::Machine(m) => {
            let numbers = reversed(&wanted, &file, m, &values, &source)?;
            of_machine(asked, &numbers, m, file.problem.end)
        }
        Model::Impact(impact) => {
            exact_only(asked, &file)?;
            let numbers = numbers(&wanted, &values, &source, walled)?;
            let mut room = None;
            let solution = solved(&file, solution, &mut room)?;
            of_impact(asked, &numbers, impact, solution, file.problem.end)
        }
        Model::Network(n) => {
            if file.run.scheme == Scheme::Exact {
                let mut room = None;
                let solution = solved(&file, solution, &mut room)?;
                let numbers = numbers(&wanted, &values, &source, bare)?;
                // As a machine it may have what it has not by its arcs.
                if let Some(found) = of_network(asked, &numbers, n, solution)? {
                    return Ok(found);
                }
            }
            let machine = Machine::new(n.clone()).map_err(|why| {
                asked.refusal(&format!("there is no way back along this network: {why}"))
            })?;
            let numbers = reversed(&wanted, &file, &machine, &values, &source)?;
            of_machine(asked, &numbers, &machine, file.problem.end)
        }
        Model::Cascade(cascade) => {
            exact_only(asked, &file)?;
            let numbers = numbers(&wanted, &values, &source, elements)?;
            let mut room = None;
            let solution = solved(&file, solution, &mut room)?;
            of_cascade(asked, &numbers, cascade, solution, file.problem.end)
        }
        _ => {
            let kind = file.problem.kind();
            let said = format!(
                "gradients in reverse mode are those of oscillators, cascades, networks and masses between walls; this is a model of the kind `{kind}`"
            );
            Err(asked.refusal(&said))
        }
    }
}

/// That of an oscillator.
fn of_oscillator(
    asked: &Backward,
    numbers: &[Number<Oscillator>],
    o: &Oscillator,
    solution: &Solution,
) -> Result<Gradients> {
    let path = solution.oscillator().ok_or_else(|| Diagnostic::new("the motion has no path"))?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let states = asked.states();
    let loss = Loss { times: &asked.times, states: &states, event_times: &asked.event_times };
    let found = backward(o, path, &seen, &asked.samples(), &loss);
    Ok(Gradients::new(found.map_err(|e| asked.refused(e))?, numbers))
}

/// That of a network along its exact motion; nothing where it is not offered for it.
fn of_network(
    asked: &Backward,
    numbers: &[Number<Network>],
    network: &Network,
    solution: &Solution,
) -> Result<Option<Gradients>> {
    let path = solution.network().ok_or_else(|| Diagnostic::new("the motion has no path"))?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let Backward { times, x, v, event_times, .. } = asked;
    let loss = NetworkLoss { times, x, v, event_times };
    match network_gradient(network, path, &seen, &asked.samples(), &loss) {
        Ok(found) => Ok(Some(Gradients::new(found, numbers))),
        Err(Error::NotOffered { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// That of a cascade up to `end` (s).
fn of_cascade(
    asked: &Backward,
    numbers: &[Number<Cascade>],
    cascade: &Cascade,
    solution: &Solution,
    end: f64,
) -> Result<Gradients> {
    let path = solution.cascade().ok_or_else(|| Diagnostic::new("the motion has no path"))?;
    let states = asked.states();
    let loss = Loss { times: &asked.times, states: &states, event_times: &asked.event_times };
    let samples = asked.samples();
    let found = cascade_gradient(cascade, path, &solution.events, numbers, &samples, &loss, end);
    Ok(Gradients::new(found.map_err(|e| asked.refused(e))?, numbers))
}

/// That the scheme is `exact`, along whose motions alone such a model goes back.
fn exact_only(asked: &Backward, file: &ModelFile) -> Result<()> {
    if file.run.scheme == Scheme::Exact {
        return Ok(());
    }
    let said = format!(
        "gradients in reverse mode of a model of the kind `{}` are those of the scheme `exact`; this is `{}`",
        file.problem.kind(),
        file.run.scheme.name()
    );
    Err(asked.refusal(&said))
}

/// That of a mass between walls up to `end` (s).
fn of_impact(
    asked: &Backward,
    numbers: &[Number<Impact>],
    impact: &Impact,
    solution: &Solution,
    end: f64,
) -> Result<Gradients> {
    let states = asked.states();
    let loss = Loss { times: &asked.times, states: &states, event_times: &asked.event_times };
    let found = impact_gradient(impact, &solution.events, numbers, &asked.samples(), &loss, end);
    Ok(Gradients::new(found.map_err(|e| asked.refused(e))?, numbers))
}

/// The numbers of a machine, or of a network as the machine that it is.
fn reversed(
    wanted: &Sensitivity,
    file: &ModelFile,
    machine: &Machine,
    values: &[f64],
    source: &Source<'_>,
) -> Result<Vec<Number<Machine>>> {
    // Says what is wrong where the scheme is not led by events.
    differenced(file)?;
    let of = |model| match model {
        Model::Machine(machine) => Some(machine),
        Model::Network(network) => Machine::new(network).ok(),
        _ => None,
    };
    nearer(wanted, values, source, of, machine_distance(machine, file.problem.end))
}

/// That of a machine up to `end` (s).
fn of_machine(
    asked: &Backward,
    numbers: &[Number<Machine>],
    machine: &Machine,
    end: f64,
) -> Result<Gradients> {
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let Backward { times, x, v, event_times, .. } = asked;
    let loss = NetworkLoss { times, x, v, event_times };
    let found = machine_gradient(machine, &seen, &asked.samples(), &loss, end);
    let (found, _) = found.map_err(|e| asked.refused(e))?;
    Ok(Gradients::new(found, numbers))
}

impl Gradients {
    fn new<M>(found: Gradient, numbers: &[Number<M>]) -> Self {
        Self {
            numbers: found.numbers,
            samples: found.samples,
            sides: numbers.iter().map(Number::sides).collect(),
            doubtful: found.doubtful.iter().map(|d| (d.time, d.to_string())).collect(),
        }
    }
}

/// Where models with other numbers come from.
struct Source<'a> {
    document: &'a Document,
    reading: &'a Reading,
    place: &'a str,
}

fn by_equation(
    asked: &Sensitivity,
    (file, o, solution): (&ModelFile, &Oscillator, Option<&Solution>),
    values: Vec<f64>,
    from: &Source<'_>,
) -> Result<Sensitivities> {
    let numbers = numbers(asked, &values, from, oscillator)?;
    let mut room = None;
    let solution = solved(file, solution, &mut room)?;
    let path = solution.oscillator().ok_or_else(|| Diagnostic::new("the motion has no path"))?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let found = derivatives(o, path, &seen, &asked.times)?;
    Ok(Sensitivities {
        values,
        sides: numbers.iter().map(Number::sides).collect(),
        bodies: 1,
        x: found.states.iter().map(|u| u.x).collect(),
        v: found.states.iter().map(|u| u.v).collect(),
        event_times: found.event_times,
        doubtful: found.doubtful.iter().map(|d| (d.time, d.to_string())).collect(),
        worth: None,
        events: solution.events.clone(),
    })
}

/// The motion of a file: the one that is known already, or a new one in `room`.
fn solved<'a>(
    file: &ModelFile,
    known: Option<&'a Solution>,
    room: &'a mut Option<Solution>,
) -> Result<&'a Solution> {
    if let Some(known) = known {
        return Ok(known);
    }
    Ok(room.insert(stickslip::solve(&file.problem, &file.run.scheme)?))
}

/// Those of a network's exact motion; nothing where they are not offered for it.
fn by_arcs(
    asked: &Sensitivity,
    (file, network, solution): (&ModelFile, &Network, Option<&Solution>),
    values: &[f64],
    from: &Source<'_>,
) -> Result<Option<Sensitivities>> {
    let numbers = numbers(asked, values, from, bare)?;
    let mut room = None;
    let solution = solved(file, solution, &mut room)?;
    let path = solution.network().ok_or_else(|| Diagnostic::new("the motion has no path"))?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let found = match network_derivatives(network, path, &seen, &asked.times) {
        Ok(found) => found,
        Err(Error::NotOffered { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if found.doubtful.iter().any(|d| d.why == Why::Jumps) {
        return Ok(None);
    }
    Ok(Some(Sensitivities {
        values: values.to_vec(),
        sides: numbers.iter().map(Number::sides).collect(),
        bodies: network.nodes().len(),
        x: found.x,
        v: found.v,
        event_times: found.event_times,
        doubtful: found.doubtful.iter().map(|d| (d.time, d.to_string())).collect(),
        worth: None,
        events: solution.events.clone(),
    }))
}

/// The numbers of a machine; nothing where one of them has no neighbour of this kind, or the scheme of the file does not treat the machine:
/// differences say then what is wrong.
fn machine_numbers(
    asked: &Sensitivity,
    (machine, file): (&Machine, &ModelFile),
    values: &[f64],
    from: &Source<'_>,
) -> Option<Vec<Number<Machine>>> {
    let end = file.problem.end;
    if file.run.scheme == Scheme::Exact {
        exact_cursor(machine, end).ok()?;
    }
    let of = |model| if let Model::Machine(machine) = model { Some(machine) } else { None };
    nearer(asked, values, from, of, machine_distance(machine, end)).ok()
}

/// Those of a machine, along its exact motion where its parts are linear between events, whichever scheme the file names; nothing where they
/// are not offered for it.
fn by_modes(
    asked: &Sensitivity,
    (machine, file): (&Machine, &ModelFile),
    values: &[f64],
    from: &Source<'_>,
) -> Option<Sensitivities> {
    let numbers = machine_numbers(asked, (machine, file), values, from)?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let end = file.problem.end;
    let (found, events) = machine_derivatives(machine, &seen, &asked.times, end).ok()?;
    Some(Sensitivities {
        values: values.to_vec(),
        sides: numbers.iter().map(Number::sides).collect(),
        bodies: machine.network().nodes().len(),
        x: found.x,
        v: found.v,
        event_times: found.event_times,
        doubtful: found.doubtful.iter().map(|d| (d.time, d.to_string())).collect(),
        worth: None,
        events,
    })
}

/// The tolerance of motions that are differenced: what a step may err by is multiplied by the inverse of their distance.
const SHARP: f64 = 1e-13;

/// The scheme with a tolerance that differences can bear; `None` where it is not led by events.
fn sharp(scheme: &Scheme) -> Option<Scheme> {
    match scheme {
        Scheme::Exact => Some(Scheme::Exact),
        Scheme::Adaptive(options) => {
            let mut sharp = *options;
            sharp.rtol = sharp.rtol.min(SHARP);
            sharp.atol = sharp.atol.min(1e-3 * SHARP);
            Some(Scheme::Adaptive(sharp))
        }
        _ => None,
    }
}

/// The scheme of motions that are differenced.
fn differenced(file: &ModelFile) -> Result<Scheme> {
    sharp(&file.run.scheme).ok_or_else(|| {
        Diagnostic::unsolvable(format!(
            "derivatives of a model of the kind `{}` are those of the schemes `exact` and `adaptive`; this is `{}`",
            file.problem.kind(),
            file.run.scheme.name()
        ))
    })
}

/// What is known of the derivatives with respect to one number.
type Found = std::result::Result<Column, Lost>;

fn by_differences(
    asked: &Sensitivity,
    file: &ModelFile,
    values: Vec<f64>,
    from: &Source<'_>,
) -> Result<Sensitivities> {
    let scheme = differenced(file)?;
    let solution = stickslip::solve(&file.problem, &scheme)?;
    let of = |role: Role| {
        let columns = solution.columns().iter().enumerate();
        columns.filter(move |(_, c)| c.role == role).map(|(i, _)| i)
    };
    let columns: Vec<usize> = of(Role::Position).chain(of(Role::Velocity)).collect();
    let bodies = columns.len() / 2;
    let aside = Aside {
        from,
        scheme: &scheme,
        solution: &solution,
        times: &asked.times,
        columns: &columns,
        energies: false,
    };
    let given = asked.keys.iter().zip(&values).collect();
    let all: Vec<Found> = parallel::try_over(given, |(key, value)| aside.column(key, *value))?;
    let mut x = Vec::new();
    let mut v = Vec::new();
    let mut event_times = Vec::new();
    let state = |c: &Found, row: usize| c.as_ref().map_or(f64::NAN, |c| c.of.states[row]);
    for row in (0..asked.times.len()).map(|i| i * 2 * bodies) {
        for body in 0..bodies {
            x.extend(all.iter().map(|c| state(c, row + body)));
            v.extend(all.iter().map(|c| state(c, row + bodies + body)));
        }
    }
    for i in 0..solution.events.len() {
        let of = |c: &Found| c.as_ref().map_or(f64::NAN, |c| c.of.event_times[i]);
        event_times.extend(all.iter().map(of));
    }
    let mut doubtful = Vec::new();
    for (key, found) in asked.keys.iter().zip(&all) {
        if let Err(why) = found {
            doubtful.push((0.0, why.told(key)));
        }
    }
    Ok(Sensitivities {
        values,
        sides: all.iter().map(|c| c.as_ref().map_or(Sides::Both, |c| c.sides)).collect(),
        bodies,
        x,
        v,
        event_times,
        doubtful,
        worth: Some(all.iter().map(|c| c.as_ref().map_or(f64::NAN, |c| c.known)).collect()),
        events: solution.events,
    })
}

/// What [`numbers`] takes of a model that is an oscillator.
fn oscillator(model: Model) -> Option<Oscillator> {
    if let Model::Oscillator(o) = model { Some(o) } else { None }
}

/// The same of a network.
fn bare(model: Model) -> Option<Network> {
    if let Model::Network(network) = model { Some(network) } else { None }
}

/// The same of a cascade.
fn elements(model: Model) -> Option<Cascade> {
    if let Model::Cascade(cascade) = model { Some(cascade) } else { None }
}

/// The same of a mass between walls.
fn walled(model: Model) -> Option<Impact> {
    if let Model::Impact(impact) = model { Some(impact) } else { None }
}

/// The numbers at the keys, each by models of the same document in which it is a little different.
fn numbers<M>(
    asked: &Sensitivity,
    values: &[f64],
    from: &Source<'_>,
    of: fn(Model) -> Option<M>,
) -> Result<Vec<Number<M>>> {
    nearer(asked, values, from, of, 1.0)
}

/// The same by models that are so many times as far away.
fn nearer<M>(
    asked: &Sensitivity,
    values: &[f64],
    from: &Source<'_>,
    of: fn(Model) -> Option<M>,
    by: f64,
) -> Result<Vec<Number<M>>> {
    let given =
        asked.keys.iter().zip(values).map(|(key, value)| (from.place, key.as_str(), *value));
    let models = VariedModel::new(Varied::new(from.document, given)?, from.reading);
    let number = |i: usize| {
        let mut own = values.to_vec();
        Number::near(values[i], by, |x| {
            // A key that was given twice has one slot: each of the two must hold the number that is moved.
            for (value, key) in own.iter_mut().zip(&asked.keys) {
                if *key == asked.keys[i] {
                    *value = x;
                }
            }
            let problem = models.read(&own)?.problem;
            let kind = problem.kind();
            let other = || Diagnostic::new(format!("a model of the kind `{kind}`"));
            of(problem.model).ok_or_else(other)
        })
    };
    // One after the other: four models take less than it takes to hand them to another thread.
    (0..values.len()).map(number).collect()
}

fn no_number(key: &str, known: &[stickslip_file::Number]) -> Diagnostic {
    let names = || known.iter().map(|p| p.path.as_str());
    let near = did_you_mean(key, names());
    Diagnostic::command_line(format!("`{key}` is no number of this model{near}"))
        .naming_keys()
        .help(format!("its numbers are {}", names().collect::<Vec<_>>().join(", ")))
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
