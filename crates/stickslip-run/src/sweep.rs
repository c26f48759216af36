//! A model over a range of one or two of its numbers.

use crate::context::Context;
use crate::each::each_of;
use crate::ensemble::{check_scheme, plan};
use crate::export::sweep::{Measures, Swept};
use crate::input::{self, Input, random};
use crate::product::Product;
use crate::section;
use crate::summary::Head;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::grid::step_count;
use stickslip::scheme::stochastic::{Rule, scheme_name};
use stickslip::study::ensemble;
use stickslip::study::sweep::{self, Span};
use stickslip::{Oscillator, Scheme};
use stickslip_file::{Diagnostic, Kind, ModelFile, Remedy, Result};

/// The most points of a sweep.
const MOST: usize = 1_000_000;
/// Points that are built and solved together: enough for the lanes of several cores, few enough for long series.
const TOGETHER: usize = 64;

/// A number of the file and the values that it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The key, from the top of the document: `oscillator.stiffness`.
    pub key: String,
    /// Its values.
    pub values: Values,
}

impl Axis {
    /// A key and the values that it takes.
    pub fn new(key: impl Into<String>, values: impl Into<Values>) -> Self {
        Self { key: key.into(), values: values.into() }
    }
}

/// The values of one number.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// Equally spaced.
    Span(Span),
    /// One by one.
    Listed(Vec<f64>),
}

impl From<Span> for Values {
    fn from(span: Span) -> Self {
        Self::Span(span)
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Self::Listed(values)
    }
}

impl Values {
    /// How many.
    pub fn count(&self) -> usize {
        match self {
            Self::Span(span) => span.count,
            Self::Listed(values) => values.len(),
        }
    }

    /// Value number `i`.
    pub fn value(&self, i: usize) -> f64 {
        match self {
            Self::Span(span) => span.value(i),
            Self::Listed(values) => values[i],
        }
    }

    /// The first and the last.
    pub fn ends(&self) -> (f64, f64) {
        (self.value(0), self.value(self.count().saturating_sub(1)))
    }

    fn check(&self) -> Result<(), stickslip::Error> {
        match self {
            Self::Span(span) => span.check(),
            Self::Listed(values) => {
                // One by one, and their number.
                let mut all = values.iter().map(|&x| Span { from: x, to: x, count: 1 });
                let none = Span { from: 0.0, to: 0.0, count: values.len() };
                all.try_for_each(|s| s.check())?;
                none.check()
            }
        }
    }
}

/// What is asked of a sweep beside the model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sweep {
    /// One number for curves, two for maps; the first varies fastest.
    pub axes: Vec<Axis>,
    /// Paths at each point of a model with noise; without a number 256.
    pub paths: Option<u64>,
    /// The scheme that was asked for by name, if any: paths advance in one scheme only.
    pub scheme: Option<String>,
    /// The states after so many periods of the load are listed for each point, once the transient is over.
    pub section: Option<usize>,
}

impl Sweep {
    /// Over these numbers.
    pub fn new(axes: Vec<Axis>) -> Self {
        Self { axes, paths: None, scheme: None, section: None }
    }

    /// Number of points.
    fn count(&self) -> Result<usize> {
        if !(1..=2).contains(&self.axes.len()) {
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
        let count = self.axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.values.count()));
        count.filter(|&n| n <= MOST).ok_or_else(|| {
            Diagnostic::command_line(format!("the sweep has more than {MOST} points"))
                .help("take fewer values")
        })
    }

    /// The values at point `i`.
    pub(crate) fn at(&self, mut i: usize) -> Vec<f64> {
        let value = |axis: &Axis| {
            let value = axis.values.value(i % axis.values.count());
            i /= axis.values.count();
            value
        };
        self.axes.iter().map(value).collect()
    }
}

/// Solves the model at every point. A point is built when it is solved; no file is read twice.
///
/// # Errors
/// Where an option, or the model at some point, is wrong or cannot be solved.
pub fn sweep(options: &Sweep, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let count = options.count()?;
    let points = Points { options, input, context, done: AtomicU64::new(0), count };
    let first = points.model(0)?;
    if let Some(rows) = options.section {
        return section::section(&points, first, rows);
    }
    match first.problem.kind() == "oscillator" && first.problem.noises.is_empty() {
        true => points.known(first),
        false => points.random(first),
    }
}

/// The points under way.
pub(crate) struct Points<'a> {
    pub(crate) options: &'a Sweep,
    input: &'a Input<'a>,
    pub(crate) context: &'a Context<'a>,
    done: AtomicU64,
    pub(crate) count: usize,
}

impl Points<'_> {
    /// Reads point `i` from the document with its numbers put in.
    pub(crate) fn model(&self, i: usize) -> Result<ModelFile> {
        let mut document = self.input.document.clone();
        for (axis, value) in self.options.axes.iter().zip(self.options.at(i)) {
            document.set(&axis.key, value)?;
        }
        ModelFile::read(&document, self.input.reading)
    }

    pub(crate) fn advance(&self, points: usize) -> Result<()> {
        let done = self.done.fetch_add(points as u64, Ordering::Relaxed) + points as u64;
        (self.context.progress)(done, self.count as u64);
        match (self.context.cancelled)() {
            true => Err(Diagnostic::of(
                Kind::Interrupted,
                format!("interrupted after {done} of {} points", self.count),
            )
            .help("run it again, or sweep fewer values")),
            false => Ok(()),
        }
    }

    /// Oscillators without noise: by the scheme of the file, side by side where that is possible.
    fn known(&self, first: ModelFile) -> Result<Product> {
        if self.options.paths.is_some() {
            return Err(no_noise());
        }
        self.context.warn_all(&first.warnings);
        let groups = (0..self.count).step_by(TOGETHER).map(|i| i..(i + TOGETHER).min(self.count));
        let (measures, seconds) = self.context.timed(|| -> Result<Vec<Measures>> {
            let mut all = Vec::with_capacity(self.count);
            for group in groups {
                all.extend(self.group(group)?);
            }
            Ok(all)
        });
        let how = (first.run.scheme.name(), first.run.seed);
        let head = Head::of("sweep", &first.resolved, how, seconds, &first.warnings);
        let summary = head.with(self.summary(None));
        let product =
            self.swept(&input::title(&first), measures?, &[String::new()]).product(summary);
        Ok(Product { inputs: first.inputs, ..product })
    }

    /// Points that are built together.
    fn group(&self, group: std::ops::Range<usize>) -> Result<Vec<Measures>> {
        let points = each_of(group.collect(), |i| self.model(i))?;
        let Some((end, step)) = in_lanes(&points) else {
            return each_of(points, |point| {
                let o = input::oscillator(&point)?;
                let path = input::path(&point, o)?;
                self.advance(1)?;
                Ok(Measures::of_motion(o, &path))
            });
        };
        let models = points
            .iter()
            .map(|p| input::oscillator(p).cloned())
            .collect::<Result<Vec<Oscillator>>>()?;
        let all = sweep::euler(&models, end, step)?;
        let steps = step_count(end, step)? as f64;
        self.advance(models.len())?;
        Ok(models.iter().zip(&all).map(|(o, c)| Measures::of_steps(o, c, steps)).collect())
    }

    /// Means over paths. Where nothing is random a point is one path, and the cores share the points;
    /// otherwise they share the paths of one point after the other.
    fn random(&self, first: ModelFile) -> Result<Product> {
        let problem = random(&first.problem)?;
        check_scheme(problem, self.options.scheme.as_deref())?;
        let known = problem.noises.is_empty();
        if known && self.options.paths.is_some() {
            return Err(no_noise());
        }
        self.context.warn_all(&first.warnings);
        let paths = if known { 1 } else { self.options.paths.unwrap_or(256) };
        let one = |i: usize, threads: usize| {
            let model = self.model(i)?;
            let plan = plan(&model, Some(2))?;
            let found = ensemble::run(&plan, 0..paths, threads, &mut ())?;
            self.advance(1)?;
            Ok(Measures::of_paths(&found))
        };
        let (measures, seconds) = self.context.timed(|| -> Result<Vec<Measures>> {
            match known {
                true => each_of((0..self.count).collect(), |i| one(i, 1)),
                false => (0..self.count).map(|i| one(i, 0)).collect(),
            }
        });
        let how = (scheme_name(&problem.model, Rule::Law), first.run.seed);
        let head = Head::of("sweep", &first.resolved, how, seconds, &first.warnings);
        let summary = head.with(self.summary((!known).then_some(paths)));
        let product =
            self.swept(&input::title(&first), measures?, &problem.points()).product(summary);
        Ok(Product { inputs: first.inputs, ..product })
    }

    pub(crate) fn summary(&self, paths: Option<u64>) -> Value {
        let over: Vec<_> = self
            .options
            .axes
            .iter()
            .map(|Axis { key, values }| {
                let (from, to) = values.ends();
                json!({ "key": key, "from": from, "to": to, "count": values.count() })
            })
            .collect();
        json!({ "over": over, "points": self.count, "paths": paths })
    }

    fn swept(&self, title: &str, measures: Vec<Measures>, names: &[String]) -> Swept {
        let grid = (0..measures.len()).map(|i| self.options.at(i)).collect();
        Swept::new(title.to_owned(), self.options.axes.clone(), grid, measures, names)
    }
}

fn no_noise() -> Diagnostic {
    Diagnostic::command_line(
        "a number of paths was given; the model has no noise, so a point is one path",
    )
    .with_remedy(Remedy::Omit("paths"))
}

/// End and step of points that go side by side: all by `euler` with one step to one end.
fn in_lanes(points: &[ModelFile]) -> Option<(f64, f64)> {
    let run = |p: &ModelFile| (p.problem.end, p.run.scheme);
    let first = points.first()?;
    let fits =
        |p: &ModelFile| run(p) == run(first) && input::oscillator(p).is_ok_and(sweep::fits_lanes);
    let Scheme::Euler { step } = first.run.scheme else { return None };
    points.iter().all(fits).then_some((first.problem.end, step))
}
