//! `stickslip sweep`: a model over a range of one or two of its numbers.

use super::Job;
use super::ensemble::Model;
use super::simulate::oscillator::{self, Simulation};
use crate::args::{Sweep, assignment};
use crate::export::sweep::{Measures, Swept};
use crate::export::{Product, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{self, Gathered, Kind, Scheme, Schemes};
use crate::screen;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;
use stickslip::scheme::euler::step_count;
use stickslip::scheme::stochastic::Rule;
use stickslip::study::ensemble;
use stickslip::study::sweep::{self, Span, each};

/// The most points of a sweep.
const MOST: usize = 1_000_000;

/// A sweep to be made.
pub struct Grid {
    points: Points,
    axes: Vec<(String, Span)>,
    paths: u64,
}

/// The model at each point, the first number varying fastest.
enum Points {
    /// Oscillators without noise: by the scheme of the file.
    Known(Vec<Simulation>),
    /// Models that have noise, cascades and networks: by ensembles, of one path where nothing is random.
    Paths(Vec<Model>),
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
    let document = |i: usize| {
        let mut overrides = args.problem.overrides()?;
        for (key, value) in at(&axes, i) {
            overrides.push(assignment(&format!("{key}={value:?}"))?);
        }
        file::read(&args.problem.file, &overrides)
    };
    let mut known = Vec::with_capacity(count);
    for i in 0..count {
        let (document, gathered) = document(i)?;
        if Kind::of(&document)? != Kind::Oscillator {
            break;
        }
        let simulation = oscillator::read(&document, gathered)?;
        if !simulation.noises.is_empty() {
            break;
        }
        known.push(simulation);
    }
    if known.len() == count {
        return Ok(Grid { points: Points::Known(known), axes, paths: args.paths });
    }
    let model = |i: usize| {
        let (document, gathered) = document(i)?;
        let model = Model::read(&document, gathered)?;
        model.check_scheme(args.problem.scheme.as_deref())?;
        Ok(model)
    };
    let points = Points::Paths((0..count).map(model).collect::<Result<_>>()?);
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
        &self.gathered().inputs
    }

    fn warnings(&self) -> &[String] {
        &self.gathered().warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let clock = Instant::now();
        let (measures, names) = match &self.points {
            Points::Known(points) => (known(points)?, vec![String::new()]),
            Points::Paths(points) => (random(points, self.paths)?, points[0].subject.points()),
        };
        let seconds = clock.elapsed().as_secs_f64();
        let Self { points, axes, paths } = *self;
        let over: Vec<_> = axes
            .iter()
            .map(|(key, s)| json!({ "key": key, "from": s.from, "to": s.to, "count": s.count }))
            .collect();
        let summary = |file: &Value, scheme: &str, seed: u64, warnings: &[String]| {
            let random = |all: &[Model]| all.iter().any(|p| !p.subject.is_known());
            let paths = matches!(&points, Points::Paths(all) if random(all)).then_some(paths);
            Head::of("sweep", file, (scheme, seed), seconds, warnings)
                .with(json!({ "over": over, "points": measures.len(), "paths": paths }))
        };
        let (title, summary) = match &points {
            Points::Known(all) => {
                let Simulation { model, gathered, .. } = &all[0];
                let file = serde_json::to_value(model).unwrap_or_default();
                let scheme = model.run.scheme.name();
                let title = model.title.clone().unwrap_or_default();
                (title, summary(&file, scheme, model.run.seed, &gathered.warnings))
            }
            Points::Paths(all) => {
                let Model { file, gathered, seed, .. } = &all[0];
                let title = file["title"].as_str().unwrap_or_default().to_owned();
                (title, summary(file, all[0].subject.scheme(Rule::Law), *seed, &gathered.warnings))
            }
        };
        let grid: Vec<Vec<f64>> =
            (0..measures.len()).map(|i| at(&axes, i).into_iter().map(|v| v.1).collect()).collect();
        let swept = Swept::new(title, axes, grid, measures, &names);
        Ok(swept.product(summary))
    }
}

impl Grid {
    fn gathered(&self) -> &Gathered {
        match &self.points {
            Points::Known(points) => &points[0].gathered,
            Points::Paths(points) => &points[0].gathered,
        }
    }
}

/// Side by side where that is possible, otherwise each by itself over the cores.
fn known(points: &[Simulation]) -> Result<Vec<Measures>> {
    let Some(step) = in_lanes(points) else {
        return Ok(each(points.len(), |i| {
            let o = &points[i].oscillator;
            points[i].path(o).map(|path| Measures::of_motion(o, &path))
        })?);
    };
    let end = points[0].model.run.end.value;
    let models: Vec<_> = points.iter().map(|p| p.oscillator.clone()).collect();
    let all = sweep::euler(&models, end, step)?;
    let steps = step_count(end, step)? as f64;
    Ok(models.iter().zip(&all).map(|(o, c)| Measures::of_steps(o, c, steps)).collect())
}

/// Means over paths. Where nothing is random a point is one path, and the cores share the points;
/// otherwise they share the paths of one point after the other.
fn random(points: &[Model], paths: u64) -> Result<Vec<Measures>> {
    let one = |point: &Model, threads: usize| {
        let plan = point.plan(Some(2))?;
        let paths = if point.subject.is_known() { 1 } else { paths };
        Ok::<_, Fault>(Measures::of_paths(&ensemble::run(&plan, 0..paths, threads, &mut ())?))
    };
    if points.iter().all(|p| p.subject.is_known()) {
        return each(points.len(), |i| one(&points[i], 1));
    }
    let mut all = Vec::with_capacity(points.len());
    for (i, point) in points.iter().enumerate() {
        screen::advance(i as u64, points.len() as u64);
        all.push(one(point, 0)?);
    }
    Ok(all)
}
