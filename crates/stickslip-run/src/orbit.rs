//! A periodic orbit of a model: where it is, whether it is stable, and what it costs.

use crate::context::Context;
use crate::export;
use crate::input::{self, Applies, Input};
use crate::product::Product;
use crate::summary::carried_out;
use serde::Deserialize;
use stickslip::model::Network;
use stickslip::scheme::oscillator::adaptive;
use stickslip::study::orbit::{Method, Search, TIGHT, orbits_at};
use stickslip::study::shooting::repeating;
use stickslip::{Model, Scheme};
use stickslip_file::{Diagnostic, Document, ModelFile, Reading, Remedy, Result};

/// What is asked of a periodic orbit beside the model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Orbit {
    /// Periods of the load in a period of the orbit.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::typed::count)]
    pub periods: usize,
    /// The node of a network whose amplitude is reported [default: the first whose motion is not given].
    #[arg(long, value_name = "NAME")]
    pub point: Option<String>,
    // One that still comes nearer to a stable orbit is followed fifty times as long.
    /// Periods of the orbit after which a motion that has reached no orbit is given up [default: 400; for each motion of a
    /// response 100].
    #[arg(long, value_name = "N", value_parser = crate::typed::count)]
    pub within: Option<usize>,
}

impl Default for Orbit {
    fn default() -> Self {
        Self { periods: 1, point: None, within: None }
    }
}

/// Finds the periodic orbits of a model: first the one to which its initial state leads.
///
/// # Errors
/// Where the model is wrong, or has no such orbit.
pub fn orbit(options: &Orbit, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let model = model(input.document, input.reading)?;
    if let Model::Planar(_) | Model::Hysteretic(_) = &model.problem.model {
        return by_shooting(options, &model, input, context);
    }
    let method = method(&model)?;
    input.check(&Applies::to_motion(&model))?;
    let mut search = Search::default();
    search.periods = options.periods.max(1);
    search.transient = options.within.unwrap_or(search.transient).max(1);
    let point = node(&model, options.point.as_deref())?;
    let (found, head) = carried_out("orbit", &model, context, || {
        orbits_at(&model.problem.model, point, method, &search)
    })?;
    let heading = input::heading(&model);
    let product = match &model.problem.model {
        Model::Network(_) | Model::Machine(_) => {
            let rows = export::orbit::rows(&model);
            export::meshed::Shown::new(heading, (&model.problem.model, point), found, rows)
                .product(&head)
        }
        _ => {
            export::orbit::product(&head, heading, &model, found).map_err(Diagnostic::unsolvable)?
        }
    };
    Ok(Product { inputs: model.inputs, ..product })
}

/// The orbit to which the motion of a mass on a plane or of a contact with memory leads.
fn by_shooting(
    options: &Orbit,
    model: &ModelFile,
    input: &Input<'_>,
    context: &Context<'_>,
) -> Result<Product> {
    let tight = tight(model)?;
    input.check(&Applies::to_motion(model))?;
    node(model, options.point.as_deref())?;
    let mut search = Search::default();
    search.periods = options.periods.max(1);
    search.transient = options.within.unwrap_or(search.transient).max(1);
    let (found, head) =
        carried_out("orbit", model, context, || repeating(&model.problem.model, tight, &search))?;
    let product = export::repeating::product(&head, input::heading(model), model, found);
    Ok(Product { inputs: model.inputs.clone(), ..product })
}

/// Reads a model whose file need not say until when it runs, for an orbit has no end. A network is solved exactly
/// unless the file says otherwise.
pub(crate) fn model(document: &Document, reading: &Reading) -> Result<ModelFile> {
    ModelFile::read(&endless(document, reading)?, reading)
}

/// Whether a network is one of the kind that only `adaptive` treats.
fn is_machine(document: &Document, reading: &Reading) -> Result<bool> {
    let kind = ModelFile::read(document, &reading.without_echo())?.problem.model;
    Ok(matches!(kind, Model::Machine(_)))
}

/// An error if periodic orbits of models of this kind are not found, which says what to use instead.
fn check_kind(model: &Model) -> Result<()> {
    let said = match model {
        Model::Oscillator(_) | Model::Network(_) | Model::Machine(_) => return Ok(()),
        Model::Hysteretic(h) => format!(
            "{}; sections and basins of orbits are computed for laws without memory only",
            h.beyond_oscillators()
        ),
        Model::Planar(_) => {
            "sections and basins of orbits are computed for [oscillator] and [network] models only; this is a [planar] model"
                .to_owned()
        }
        Model::Isolated(_) => {
            "periodic orbits are found for [oscillator], [network] and [planar] models of one mass only; this is a slab on isolators"
                .to_owned()
        }
        other => format!(
            "periodic orbits are found for [oscillator], [network] and [planar] models only; this is a model of the kind `{}`",
            other.kind()
        ),
    };
    let help = match model {
        Model::Planar(_) | Model::Hysteretic(_) => {
            "`stickslip orbit` finds the orbit to which the initial state leads, and `stickslip response` follows it over a number"
        }
        _ => "`stickslip simulate` with a long `--end` shows whether its events repeat",
    };
    Err(Diagnostic::new(said).help(help))
}

/// The document with what it need not say.
///
/// # Errors
/// As [`ModelFile::read`].
pub(crate) fn endless(document: &Document, reading: &Reading) -> Result<Document> {
    let given = |key: &str| {
        let run = document.root().get("run");
        run.is_some_and(|run| run.node.get(key).is_some())
    };
    let mut all = document.clone();
    if !given("end") {
        all.set("run.end", 1.0)?;
    }
    if document.root().get("network").is_some() && !given("scheme") {
        let scheme = if is_machine(&all, reading)? { "adaptive" } else { "exact" };
        all.set("run.scheme", scheme)?;
    }
    Ok(all)
}

/// The number of the node of a network that is looked at: the one of this name, or the first whose motion is not given.
///
/// # Errors
/// If there is none, or the model is no network.
pub(crate) fn node(model: &ModelFile, name: Option<&str>) -> Result<usize> {
    let network = match &model.problem.model {
        Model::Network(n) => Some(n),
        Model::Machine(m) => Some(m.network()),
        _ => None,
    };
    let Some(name) = name else {
        let free = |n: &Network| n.nodes().iter().position(|n| n.motion.is_none());
        return Ok(network.and_then(free).unwrap_or(0));
    };
    let Some(n) = network else {
        let said =
            "a point was asked for; the points of a network have names, and this is no network";
        return Err(Diagnostic::command_line(said).with_remedy(Remedy::Omit("point")));
    };
    n.nodes().iter().position(|node| node.name == name).ok_or_else(|| {
        let names: Vec<&str> = n.nodes().iter().map(|n| n.name.as_str()).take(20).collect();
        Diagnostic::command_line(format!("there is no node `{name}`"))
            .help(format!("name one of: {}", names.join(", ")))
    })
}

/// How orbits of a model are computed: by the scheme of its file, adaptive steps at tight tolerances.
///
/// # Errors
/// If that scheme is neither `exact` nor `adaptive`, the model has noise, or orbits of its kind are not found.
pub(crate) fn method(model: &ModelFile) -> Result<Method> {
    check_kind(&model.problem.model)?;
    scheme(model)
}

/// The tolerances with which orbits are found that only adaptive steps find.
///
/// # Errors
/// If the scheme is another one.
pub(crate) fn tight(model: &ModelFile) -> Result<adaptive::Options> {
    match scheme(model)? {
        Method::Adaptive(tight) => Ok(tight),
        _ => {
            Err(Diagnostic::unsolvable("the orbits of this model are found by the scheme adaptive")
                .help("choose it"))
        }
    }
}

/// The method of the scheme of a model without noise.
fn scheme(model: &ModelFile) -> Result<Method> {
    if !model.problem.noises.is_empty() {
        return Err(Diagnostic::new("the model has noise, under which no motion repeats")
            .help("leave out the noise"));
    }
    match model.run.scheme {
        Scheme::Exact => Ok(Method::Exact),
        Scheme::Adaptive(options) => {
            let mut tight = options;
            tight.rtol = options.rtol.min(TIGHT.rtol);
            tight.atol = options.atol.min(TIGHT.atol);
            Ok(Method::Adaptive(tight))
        }
        other => Err(Diagnostic::new(format!(
            "orbits are found by the schemes exact and adaptive, and the scheme of the model is {}",
            other.name()
        ))
        .help("choose one of the two")),
    }
}
