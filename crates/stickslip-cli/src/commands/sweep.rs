//! `stickslip sweep`: a model over a range of one or two of its numbers.

use super::Job;
use super::ensemble::plan;
use super::simulate::oscillator::{self, Simulation};
use crate::args::Sweep;
use crate::export::sweep::{Measures, Swept};
use crate::export::{self, Product, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{self, Override, Scheme};
use crate::screen;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::scheme::euler::step_count;
use stickslip::study::ensemble;
use stickslip::study::sweep::{self, Span, each};

/// The most points of a sweep.
const MOST: usize = 1_000_000;

/// A sweep to be made.
pub struct Grid {
    /// The model at each point, the first number varying fastest.
    points: Vec<Simulation>,
    axes: Vec<(String, Span)>,
    paths: u64,
}

/// Reads the model at every point.
pub fn read(args: &Sweep) -> Result<Grid> {
    if args.vary.len() > 2 {
        return Err(Fault::command_line(format!(
            "--vary is given {} times; expected once or twice",
            args.vary.len()
        ))
        .help("sweep one number for curves, two for maps"));
    }
    let axes = args.vary.iter().map(|v| axis(v)).collect::<Result<Vec<_>>>()?;
    let count = axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.1.count));
    let count = count.filter(|&n| n <= MOST).ok_or_else(|| {
        Fault::command_line(format!("--vary: more than {MOST} points")).help("take fewer values")
    })?;
    let mut points = Vec::with_capacity(count);
    for i in 0..count {
        let mut overrides = args.problem.overrides()?;
        for (key, value) in at(&axes, i) {
            overrides.push(Override::parse(&format!("{key}={value:?}"))?);
        }
        let (document, gathered) = file::read(&args.problem.file, &overrides)?;
        points.push(oscillator::read(&document, gathered)?);
    }
    Ok(Grid { points, axes, paths: args.paths })
}

/// The step of points that go side by side: all by `euler` with one step to one end.
fn in_lanes(points: &[Simulation]) -> Option<f64> {
    let run = |p: &Simulation| (p.model.run.end.value, p.model.run.step.as_ref().map(|s| s.value));
    let first = run(&points[0]);
    let fits = |p: &Simulation| {
        p.model.run.scheme == Scheme::Euler && run(p) == first && sweep::fits_lanes(&p.oscillator)
    };
    points.iter().all(fits).then_some(first.1)?
}

/// `key.path=from:to:count`.
fn axis(argument: &str) -> Result<(String, Span)> {
    let wrong = || {
        Fault::command_line(format!("--vary {argument}: expected KEY.PATH=FROM:TO:COUNT"))
            .help("for example --vary oscillator.drive.1.ornstein-uhlenbeck.scale=0:3:31")
    };
    let (key, range) = argument.split_once('=').ok_or_else(wrong)?;
    let parts: Vec<&str> = range.split(':').collect();
    let [from, to, count] = parts.as_slice() else { return Err(wrong()) };
    let number = |s: &str| s.trim().parse::<f64>().map_err(|_| wrong());
    let count = count.trim().parse::<usize>().map_err(|_| wrong())?;
    let span = Span { from: number(from)?, to: number(to)?, count };
    span.check().map_err(|e| {
        Fault::command_line(format!("--vary {argument}: {e}")).help("write FROM:TO:COUNT")
    })?;
    Ok((key.trim().to_owned(), span))
}

/// The numbers of point `i`.
fn at(axes: &[(String, Span)], mut i: usize) -> Vec<(&str, f64)> {
    axes.iter()
        .map(|(key, span)| {
            let value = span.value(i % span.count);
            i /= span.count;
            (key.as_str(), value)
        })
        .collect()
}

impl Job for Grid {
    fn title(&self) -> &'static str {
        "sweeping"
    }

    fn inputs(&self) -> &[PathBuf] {
        self.points[0].inputs()
    }

    fn warnings(&self) -> &[String] {
        self.points[0].warnings()
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let Self { points, axes, paths } = *self;
        let noisy = points.iter().any(|p| !p.noises.is_empty());
        let clock = Instant::now();
        let measures: Vec<Measures> = if noisy {
            // Each point is spread over all cores by itself.
            let total = points.len() as u64;
            let mut all = Vec::with_capacity(points.len());
            for (i, point) in points.iter().enumerate() {
                screen::advance(i as u64, total);
                let plan = plan(point, Some(2))?;
                all.push(Measures::of_paths(&ensemble::run(&plan, 0..paths, 0, &mut ())?));
            }
            all
        } else if let Some(step) = in_lanes(&points) {
            let end = points[0].model.run.end.value;
            let models: Vec<_> = points.iter().map(|p| p.oscillator.clone()).collect();
            let all = sweep::euler(&models, end, step)?;
            let steps = step_count(end, step)? as f64;
            models.iter().zip(&all).map(|(o, c)| Measures::of_steps(o, c, steps)).collect()
        } else {
            each(points.len(), |i| {
                let o = &points[i].oscillator;
                points[i].path(o).map(|path| Measures::of_motion(o, &path))
            })?
        };
        let seconds = clock.elapsed().as_secs_f64();
        let model = &points[0].model;
        let scheme = if noisy { "euler" } else { export::sweep::scheme(model) };
        let over: Vec<_> = axes
            .iter()
            .map(|(key, s)| json!({ "key": key, "from": s.from, "to": s.to, "count": s.count }))
            .collect();
        let warnings = &points[0].gathered.warnings;
        let summary =
            Head::of("sweep", model, (scheme, model.run.seed), seconds, warnings).with(json!({
                "over": over, "points": points.len(), "paths": noisy.then_some(paths),
            }));
        let title = model.title.clone().unwrap_or_default();
        let grid: Vec<Vec<f64>> =
            (0..points.len()).map(|i| at(&axes, i).into_iter().map(|v| v.1).collect()).collect();
        let swept = Swept { title, axes, grid, measures };
        Ok(swept.product(summary))
    }
}
