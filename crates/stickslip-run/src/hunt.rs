//! Does a loop hunt? What a machine under a controller does in the long run, for one model or over a range of one or two of
//! its numbers.

use crate::axis::{self, Axis};
use crate::context::Context;
use crate::each::each_of;
use crate::export::hunt::{Map, Shown};
use crate::input::{self, Applies, Input};
use crate::product::Product;
use crate::summary::carried_out;
use serde::Deserialize;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::study::hunt::{Hunt as Found, Search, hunt as core};
use stickslip::study::orbit::Method;
use stickslip::{Error, Model, Scheme};
use stickslip_file::{Diagnostic, FailureKind, ModelFile, Result, Varied};

/// The time after which a motion is given up, over the end of the run that the file names.
const LONGER: f64 = 100.0;
/// Ticks of a sampled controller after which a motion is given up.
const TICKS: f64 = 50_000.0;
/// The most points of a map.
const MOST: usize = 100_000;

/// What is asked besides the model.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Hunt {
    /// Time after which a motion is given up, s [default: 100 times the end of the run, or 50000 ticks].
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub within: Option<f64>,
    /// Initial errors of the motions, relative to the initial error of the model [default: 1,-1,0.3,-0.3,0.03].
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    pub starts: Vec<f64>,
    // The first varies fastest.
    /// A number of the file and its values; given twice, a map.
    #[arg(long = "vary", value_name = "KEY.PATH=FROM:TO:COUNT", num_args = 1, value_parser = crate::typed::axis)]
    pub axes: Vec<Axis>,
}

/// Follows the motions from several starts until each has come to rest or to a cycle, or runs away.
///
/// # Errors
/// Where an option or the model is wrong, or the model is no loop that nothing drives.
pub fn hunt(options: &Hunt, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    match options.axes.len() {
        0 => one(options, input, context),
        1 | 2 => map(options, input, context),
        more => {
            Err(Diagnostic::command_line(format!("{more} numbers are varied; expected one or two"))
                .help("vary one number for a line, two for a map"))
        }
    }
}

impl Hunt {
    /// The search that is asked for, for this model.
    fn search(&self, model: &ModelFile) -> Result<Search> {
        let Model::Machine(machine) = &model.problem.model else {
            let said = "a loop with a controller hunts; this model has none";
            return Err(Diagnostic::new(said).help(
                "add [[network.controller]]; `stickslip orbit` finds the cycles of other models",
            ));
        };
        let ticks = machine.controllers().iter().filter_map(|c| c.law.sampling);
        let ticks = ticks.map(|s| TICKS * s.time).fold(f64::INFINITY, f64::min);
        let within = self.within.unwrap_or((LONGER * model.problem.end).min(ticks));
        if !(within > 0.0 && within.is_finite()) {
            return Err(Diagnostic::command_line(format!(
                "the time after which a motion is given up is {within}; expected a finite number > 0, s"
            )));
        }
        let mut search = Search::within(within);
        if !self.starts.is_empty() {
            search.starts.clone_from(&self.starts);
        }
        search.method = match (model.run.scheme, search.method) {
            (Scheme::Exact, _) => Method::Exact,
            (Scheme::Adaptive(given), Method::Adaptive(mut steps)) => {
                steps.rtol = steps.rtol.min(given.rtol);
                steps.atol = steps.atol.min(given.atol);
                Method::Adaptive(steps)
            }
            (other, _) => {
                let said = format!(
                    "loops are followed by `exact` and `adaptive`, and the scheme of the model is `{}`",
                    other.name()
                );
                return Err(Diagnostic::new(said).help("leave `scheme` out"));
            }
        };
        Ok(search)
    }

    /// What is found for this model.
    fn find(&self, model: &ModelFile) -> Result<Found> {
        let search = self.search(model)?;
        let Model::Machine(machine) = &model.problem.model else {
            return Err(Diagnostic::new("the model is no machine"));
        };
        core(machine, &search).map_err(|e| match e {
            // What is no loop is a wrong model, by whatever scheme.
            Error::NotOffered { reason, .. } => Diagnostic::new(reason),
            other => other.into(),
        })
    }
}

fn one(options: &Hunt, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let model = ModelFile::read(input.document, input.reading)?;
    input.check(&Applies { rows: false, ..Applies::to_motion(&model) })?;
    let within = options.search(&model)?.within;
    let (found, head) = carried_out("hunt", &model, context, || options.find(&model))?;
    let product = Shown::new(input::heading(&model), &model, found, within).product(&head);
    Ok(Product { inputs: model.inputs, ..product })
}

fn map(options: &Hunt, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    for axis in &options.axes {
        axis.values.check().map_err(|e| {
            Diagnostic::command_line(format!("the values of {}: {e}", axis.key))
                .help("give the first value, the last value and their number")
        })?;
    }
    let count = options.axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.values.count()));
    let Some(count) = count.filter(|&n| n <= MOST) else {
        return Err(Diagnostic::command_line(format!("the map has more than {MOST} points"))
            .help("take fewer values"));
    };
    let at = |i: usize| axis::at(&options.axes, i);
    options.axes.iter().try_for_each(|a| a.check_units(input))?;
    let varied = Varied::new(input.document, options.axes.iter().map(Axis::given))?;
    let first = ModelFile::read(&varied.document(&at(0))?, input.reading)?;
    input.check(&Applies { rows: false, ..Applies::to_motion(&first) })?;
    let quiet = input.reading.without_echo();
    let done = AtomicU64::new(0);
    let point = |i: usize| {
        if (context.cancelled)() {
            let said = format!("interrupted after {} points", done.load(Ordering::Relaxed));
            return Err(Diagnostic::of(FailureKind::Interrupted, said).help("take fewer values"));
        }
        let model = varied.read(&at(i), |document| ModelFile::read(document, &quiet))?;
        let found = options.find(&model)?;
        let made = done.fetch_add(1, Ordering::Relaxed) + 1;
        (context.progress)(made, count as u64);
        Ok(found)
    };
    let (found, head) =
        carried_out("hunt", &first, context, || each_of((0..count).collect(), point))?;
    let values = (0..count).map(at).collect();
    let heading = input::heading(&first);
    let map = Map::new(heading, &first.problem.model, options.axes.clone(), values, found);
    let product = map.product(&head);
    Ok(Product { inputs: first.inputs, ..product })
}
