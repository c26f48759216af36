//! A model over a range of one or two of its numbers.

mod partial;
mod records;

pub use partial::SomePoints;
pub(crate) use partial::merged;

use crate::axis::{self, Axis};
use crate::context::Context;
use crate::ensemble::{plan, rule};
use crate::export::sweep::{Measured, Swept};
use crate::heading::Heading;
use crate::input::{self, Applies, Input};
use crate::part::Part;
use crate::product::Product;
use crate::section::Grid;
use crate::summary::{Head, carried_out};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::Scheme;
use stickslip::scheme::stochastic;
use stickslip::study::sweep::{self, Measures, Point};
use stickslip_file::{Diagnostic, FailureKind, ModelFile, Remedy, Result, Varied, VariedModel};

/// The most points of a sweep.
const MOST: usize = 1_000_000;
/// Paths at each point of a model with noise, unless more are asked for.
const PATHS: u64 = 256;

/// What is asked of a sweep beside the model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Sweep {
    // One for curves, two for maps; the first varies fastest.
    /// A number of the file and its values, e.g. --vary oscillator.friction.coulomb.force=0:2:41.
    #[arg(long = "vary", value_name = "KEY.PATH=FROM:TO:COUNT", required_unless_present = "records", num_args = 1, value_parser = crate::typed::axis)]
    pub axes: Vec<Axis>,
    /// Files that replace every sampled file of the model, one after the other, such as --records motions/*.csv; with at
    /// most one --vary. quantiles.csv has the quantiles over them.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub records: Vec<String>,
    /// Number of sample paths at each point, for models with noise [default: 256].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub paths: Option<u64>,
    /// The scheme that was asked for by name beside the file, if any.
    #[arg(skip)]
    pub scheme: Option<String>,
    /// Write to section.csv the states after each of N periods of the load, once the transient is over.
    #[arg(long, value_name = "N", value_parser = crate::typed::count)]
    pub section: Option<usize>,
    /// Write to lyapunov.csv the Lyapunov exponents over N periods of the load, once the transient is over.
    #[arg(long, value_name = "N", value_parser = crate::typed::count)]
    pub lyapunov: Option<usize>,
    /// Run part K of N only, to be merged with the others by `stickslip merge`.
    #[arg(long, value_name = "K/N")]
    pub part: Option<Part>,
}

impl Sweep {
    /// Over these numbers.
    pub fn new(axes: Vec<Axis>) -> Self {
        Self { axes, ..Self::default() }
    }

    /// Number of points.
    fn count(&self) -> Result<usize> {
        let wanted = if self.records.is_empty() { 1..=2 } else { 0..=1 };
        if !wanted.contains(&self.axes.len()) && !self.records.is_empty() {
            return Err(Diagnostic::command_line(format!(
                "{} numbers are varied besides the records; expected one or none",
                self.axes.len()
            ))
            .help("sweep a scale of the records, or nothing else"));
        }
        if !wanted.contains(&self.axes.len()) {
            return Err(Diagnostic::command_line(format!(
                "{} numbers are varied; expected one or two",
                self.axes.len()
            ))
            .help("sweep one number for curves, two for maps"));
        }
        for axis in &self.axes {
            axis.values.check().map_err(|e| {
                Diagnostic::command_line(format!("the values of {}: {e}", axis.key))
                    .help("give the first value, the last value and their number")
            })?;
        }
        let first = self.records.len().max(1);
        let count = self.axes.iter().try_fold(first, |n, a| n.checked_mul(a.values.count()));
        count.filter(|&n| n <= MOST).ok_or_else(|| {
            Diagnostic::command_line(format!("the sweep has more than {MOST} points"))
                .help("take fewer values")
        })
    }

    /// The values at point `i`.
    fn at(&self, i: usize) -> Vec<f64> {
        axis::at(&self.axes, i / self.records.len().max(1))
    }

    /// The number of the record at point `i`; 0 without records.
    fn record(&self, i: usize) -> usize {
        i % self.records.len().max(1)
    }
}

/// Solves the model at every point. A point is built when it is solved; no file is read twice.
///
/// # Errors
/// Where an option, or the model at some point, is wrong or cannot be solved.
pub fn sweep(options: &Sweep, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let count = options.count()?;
    options.axes.iter().try_for_each(|a| a.check_units(input))?;
    let documents = records::documents(input.document, &options.records)?;
    let vary = |document: &_| Varied::new(document, options.axes.iter().map(Axis::given));
    let varied = documents.iter().map(vary).collect::<Result<Vec<_>>>()?;
    let first = ModelFile::read(&varied[0].document(&options.at(0))?, input.reading)?;
    let models = varied.into_iter().map(|v| VariedModel::new(v, input.reading)).collect();
    let points = Points { options, input, context, models, done: AtomicU64::new(0), count };
    match (options.section, options.lyapunov) {
        (None, None) => points.product(first),
        _ if !options.records.is_empty() => Err(Diagnostic::command_line(
            "records were given; sections and Lyapunov exponents belong to loads that repeat",
        )
        .with_remedy(Remedy::Omit("records"))),
        _ if options.part.is_some() => Err(Diagnostic::command_line(
            "a part was asked for; sections and Lyapunov exponents are not divided into parts",
        )
        .with_remedy(Remedy::Omit("part"))),
        _ => points.section(first),
    }
}

/// The points under way.
struct Points<'a> {
    options: &'a Sweep,
    input: &'a Input<'a>,
    context: &'a Context<'a>,
    /// The models of the points, with each of the records, without what summaries say of a model: they show the first point.
    models: Vec<VariedModel>,
    done: AtomicU64,
    count: usize,
}

impl Points<'_> {
    /// Point `i`: the document with its numbers put in.
    fn model(&self, i: usize) -> Result<ModelFile> {
        self.models[self.options.record(i)].read(&self.options.at(i))
    }

    /// An error if the run was cancelled.
    fn go_on(&self) -> Result<()> {
        if !(self.context.cancelled)() {
            return Ok(());
        }
        let done = self.done.load(Ordering::Relaxed);
        let said = format!("interrupted after {done} of {} points", self.count);
        Err(Diagnostic::of(FailureKind::Interrupted, said)
            .help("run it again, or sweep fewer values"))
    }

    /// The states of every point after each of some periods of the load, and its Lyapunov exponents.
    fn section(&self, first: ModelFile) -> Result<Product> {
        self.input.check(&Applies { rows: false, ..Applies::to_motion(&first) })?;
        // Rising and falling: each point of a section comes twice.
        let twice = if self.options.section.is_some() { 2 } else { 1 };
        let model = |i: usize| {
            self.go_on()?;
            let model = self.model(i)?;
            let made = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            (self.context.progress)(made, twice * self.count as u64);
            Ok(model)
        };
        let keys = self.options.axes.iter().map(|a| a.key.clone()).collect();
        let values = (0..self.count).map(|i| self.options.at(i)).collect();
        let rows = self.options.section;
        let exponents = self.options.lyapunov;
        let grid = Grid { keys, values, rows, exponents, model: &model };
        let (found, head) =
            carried_out("sweep", &first, self.context, || grid.sections(&input::heading(&first)))?;
        let mut summary = head.with(self.summary(None));
        summary["section"] = json!(rows);
        summary["lyapunov"] = json!(exponents);
        Ok(Product { inputs: first.inputs, ..found.product(summary) })
    }

    /// Point `i`, by the scheme of the file, or as paths of its seed where it has noise.
    fn point(&self, i: usize) -> Result<Point> {
        self.go_on()?;
        let model = self.model(i)?;
        let point = if model.problem.noises.is_empty() {
            Point::solved(model.problem, model.run.scheme)
        } else {
            let plan = plan(&model, rule(&model, self.options.scheme.as_deref())?, Some(2))?;
            Point::paths(&plan, self.paths())
        };
        let made = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.context.progress)(made, self.count as u64);
        Ok(point)
    }

    /// What the steps do to statistics under noise, at the first point and at the last.
    fn of_steps(&self, first: &ModelFile) -> Result<Vec<String>> {
        if first.problem.noises.is_empty() {
            return Ok(Vec::new());
        }
        let said = |model: &ModelFile| {
            let plan = plan(model, rule(model, self.options.scheme.as_deref())?, Some(2))?;
            Ok::<_, Diagnostic>(stochastic::warnings(&plan.problem, plan.step, plan.rule))
        };
        let found = said(first)?;
        if !found.is_empty() || self.count == 1 {
            return Ok(found);
        }
        said(&self.model(self.count - 1)?)
    }

    /// Paths of each point that has noise.
    fn paths(&self) -> u64 {
        self.options.paths.unwrap_or(PATHS)
    }

    fn product(&self, mut first: ModelFile) -> Result<Product> {
        let warnings = self.of_steps(&first)?;
        first.warnings.extend(warnings);
        let problem = &first.problem;
        let known = problem.noises.is_empty();
        if known && self.options.paths.is_some() {
            return Err(no_noise());
        }
        self.input.check(&Applies { rows: false, ..Applies::to_motion(&first) })?;
        if self.options.part.is_some() && !self.options.records.is_empty() {
            return Err(Diagnostic::command_line(
                "a part was asked for; a sweep over records is not divided into parts",
            )
            .with_remedy(Remedy::Omit("part")));
        }
        let lanes = known && matches!(first.run.scheme, Scheme::Euler { .. });
        let all = 0..self.count as u64;
        let range = self.options.part.map_or(all, |p| p.range(self.count as u64));
        let from = range.start as usize;
        let count = (range.end - range.start) as usize;
        let (measures, head) = carried_out("sweep", &first, self.context, || {
            sweep::measure(count, lanes, |i| self.point(from + i))
        })?;
        let scheme = if known {
            first.run.scheme.name()
        } else {
            rule(&first, self.options.scheme.as_deref())?.name()
        };
        let about = self.summary((!known).then_some(self.paths()));
        if let Some(part) = self.options.part {
            let partial = self.partial(&first, (scheme, about), range, &measures);
            let product = partial.product(&part.to_string(), head.solve_seconds);
            return Ok(Product { inputs: first.inputs, ..product });
        }
        let summary = Head { scheme, ..head }.with(about);
        let measured = Measured::of(&first.resolved);
        let swept = self.swept(input::heading(&first), (measured, measures), &problem.points());
        Ok(Product { inputs: first.inputs, ..swept.product(summary) })
    }

    /// What was measured at the points of a part.
    fn partial(
        &self,
        first: &ModelFile,
        (scheme, about): (&str, Value),
        range: Range<u64>,
        measures: &[Measures],
    ) -> SomePoints {
        let values = |a: &Axis| (0..a.values.count()).map(|i| a.values.value(i)).collect();
        let number = |x: f64| Some(x).filter(|x| x.is_finite());
        let measured = Measured::of(&first.resolved);
        SomePoints {
            model: first.resolved.clone(),
            scheme: scheme.to_owned(),
            seed: first.run.seed,
            about,
            title: input::heading(first).title().to_owned(),
            axes: self.options.axes.iter().map(|a| (a.key.clone(), values(a))).collect(),
            warnings: first.warnings.clone(),
            names: first.problem.points(),
            range,
            rows: measures
                .iter()
                .map(|m| measured.row(m).into_iter().map(number).collect())
                .collect(),
        }
    }

    fn summary(&self, paths: Option<u64>) -> Value {
        let over: Vec<_> = self
            .options
            .axes
            .iter()
            .map(|Axis { key, values, .. }| {
                let (from, to) = values.ends();
                json!({ "key": key, "from": from, "to": to, "count": values.count() })
            })
            .collect();
        let mut all = json!({ "over": over, "points": self.count, "paths": paths });
        if !self.options.records.is_empty() {
            all["records"] = json!(self.options.records);
        }
        all
    }

    fn swept(
        &self,
        heading: Heading,
        (measured, measures): (Measured, Vec<Measures>),
        names: &[String],
    ) -> Swept {
        let grid = (0..measures.len()).map(|i| self.options.at(i)).collect();
        let axes = self.options.axes.clone();
        Swept::new(heading, axes, grid, (measured, measures), names)
            .over(self.options.records.clone())
    }
}

fn no_noise() -> Diagnostic {
    Diagnostic::command_line(
        "a number of paths was given; the model has no noise, so a point is one path",
    )
    .with_remedy(Remedy::Omit("paths"))
}
