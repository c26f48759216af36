//! Gradients of a loss in reverse mode.

use super::case::{Case, Source, bare, elements, no_path, oscillator, walled};
use super::check_order;
use super::differences::differenced;
use crate::axis::PLACE;
use crate::context::Context;
use crate::shown::check_times;
use stickslip::model::{Inlet, Machine, Network};
use stickslip::study::sensitivity::gradient as of_motion;
use stickslip::study::sensitivity::{
    Gradient, Loss, NetworkLoss, Number, Samples, Sides, cascade_gradient, impact_gradient,
    machine_distance, machine_gradient, network_gradient,
};
use stickslip::{Cascade, Error, Impact, Model, Oscillator, Scheme, Solution, State};
use stickslip_file::{Diagnostic, Document, Reading, Result};

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
/// adjoint of its variational equation, see [`stickslip::study::sensitivity::gradient`]; that of a network or a
/// cascade by `exact` by that of its arcs, see [`stickslip::study::sensitivity::network_gradient`]; that of a machine, and of a network by `adaptive`, by one
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
/// let found = gradient(&asked, &document, &reading, Some(&solution), &Context::silent())?;
/// assert!((found.numbers[0] - 2.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`sensitivity`](super::sensitivity()); where the model is no oscillator, cascade, network, machine or mass between walls; and where its derivatives are differences.
pub fn gradient(
    asked: &Backward,
    document: &Document,
    reading: &Reading,
    solution: Option<&Solution>,
    context: &Context<'_>,
) -> Result<Gradients> {
    let quiet = reading.without_echo();
    let source = Source { document, reading: &quiet, place: &asked.place };
    let case = Case::read(source, &asked.keys, solution, context)?;
    check_times(&asked.times, case.file.run.end)?;
    check_order(&asked.times)?;
    match &case.file.problem.model {
        Model::Oscillator(o) => asked.of_oscillator(&case, o),
        Model::Machine(m) => asked.of_machine(&case, m),
        Model::Network(n) => asked.of_network(&case, n),
        Model::Cascade(c) => asked.of_cascade(&case, c),
        Model::Impact(i) => asked.of_impact(&case, i),
        _ => {
            let kind = case.file.problem.kind();
            let said = format!(
                "gradients in reverse mode are those of oscillators, cascades, networks and masses between walls; this is a model of the kind `{kind}`"
            );
            Err(asked.refusal(&said))
        }
    }
}

impl Backward {
    /// What the loss looks at in the motion of one mass, whose `states` these are.
    fn loss<'a>(&'a self, states: &'a [State]) -> Loss<'a> {
        Loss { times: &self.times, states, event_times: &self.event_times }
    }

    /// The same in the motion of several nodes.
    fn loss_of_nodes(&self) -> NetworkLoss<'_> {
        let Self { times, x, v, event_times, .. } = self;
        NetworkLoss { times, x, v, event_times }
    }

    fn of_oscillator(&self, case: &Case<'_>, o: &Oscillator) -> Result<Gradients> {
        let numbers = case.numbers(oscillator)?;
        let mut room = None;
        let path = case.solved(&mut room)?.oscillator().ok_or_else(no_path)?;
        let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
        let states = self.states();
        let found = of_motion(o, path, &seen, &self.samples(), &self.loss(&states));
        Ok(Gradients::new(found.map_err(|e| self.refused(e))?, &numbers))
    }

    fn of_cascade(&self, case: &Case<'_>, cascade: &Cascade) -> Result<Gradients> {
        self.exact_only(case)?;
        let numbers = case.numbers(elements)?;
        let mut room = None;
        let path = case.solved(&mut room)?.cascade().ok_or_else(no_path)?;
        let states = self.states();
        let found = cascade_gradient(cascade, path, &numbers, &self.samples(), &self.loss(&states));
        Ok(Gradients::new(found.map_err(|e| self.refused(e))?, &numbers))
    }

    fn of_impact(&self, case: &Case<'_>, impact: &Impact) -> Result<Gradients> {
        self.exact_only(case)?;
        let numbers = case.numbers(walled)?;
        let mut room = None;
        let events = &case.solved(&mut room)?.events;
        let states = self.states();
        let (loss, end) = (self.loss(&states), case.file.problem.end);
        let found = impact_gradient(impact, events, &numbers, &self.samples(), &loss, end);
        Ok(Gradients::new(found.map_err(|e| self.refused(e))?, &numbers))
    }

    fn of_network(&self, case: &Case<'_>, network: &Network) -> Result<Gradients> {
        // As a machine it may have what it has not by its arcs.
        if case.file.run.scheme == Scheme::Exact
            && let Some(found) = self.by_arcs(case, network)?
        {
            return Ok(found);
        }
        let machine = Machine::new(network.clone()).map_err(|why| {
            self.refusal(&format!("there is no way back along this network: {why}"))
        })?;
        self.of_machine(case, &machine)
    }

    /// Along the exact motion of a network; nothing where that is not offered.
    fn by_arcs(&self, case: &Case<'_>, network: &Network) -> Result<Option<Gradients>> {
        let mut room = None;
        let path = case.solved(&mut room)?.network().ok_or_else(no_path)?;
        let numbers = case.numbers(bare)?;
        let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
        match network_gradient(network, path, &seen, &self.samples(), &self.loss_of_nodes()) {
            Ok(found) => Ok(Some(Gradients::new(found, &numbers))),
            Err(Error::NotOffered { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Of a machine, or of a network as the machine that it is.
    fn of_machine(&self, case: &Case<'_>, machine: &Machine) -> Result<Gradients> {
        // Says what is wrong where the scheme is not led by events.
        differenced(&case.file)?;
        let of = |model| match model {
            Model::Machine(machine) => Some(machine),
            Model::Network(network) => Machine::new(network).ok(),
            _ => None,
        };
        let end = case.file.problem.end;
        let numbers = case.nearer(of, machine_distance(machine, end))?;
        let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
        let found = machine_gradient(machine, &seen, &self.samples(), &self.loss_of_nodes(), end);
        let (found, _) = found.map_err(|e| self.refused(e))?;
        Ok(Gradients::new(found, &numbers))
    }

    /// That the scheme is `exact`, along whose motions alone such a model goes back.
    fn exact_only(&self, case: &Case<'_>) -> Result<()> {
        let file = &case.file;
        if file.run.scheme == Scheme::Exact {
            return Ok(());
        }
        let said = format!(
            "gradients in reverse mode of a model of the kind `{}` are those of the scheme `exact`; this is `{}`",
            file.problem.kind(),
            file.run.scheme.name()
        );
        Err(self.refusal(&said))
    }
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
