//! Our own results: each case solved by the scheme of its model file.

use crate::certified::Certified;
use crate::results::{NO_SOLUTION, NOT_UNIQUE, Results, SAMPLE, STATE};
use crate::set::Case;
use stickslip::{Error, Role, Solution, Warning, solve};
use stickslip_file::{Document, Memory, ModelFile, Reading, Result};
use stickslip_run::sensitivity::{Sensitivity, sensitivity};
use stickslip_run::{Context, Ensemble, Input, ensemble};

/// Paths of a random case.
const PATHS: u64 = 20_000;

/// Solves a case, and the seconds that the computing took.
///
/// # Errors
/// If the model cannot be solved, except where that is what should be reported.
pub fn results(case: &Case, context: &Context<'_>) -> Result<(Results, f64)> {
    let certified = case.certified()?;
    let document = Document::parse(&format!("{}/model.toml", case.name), case.model)?;
    let reading = Reading::new(Memory::default());
    if certified.law.is_some() {
        return samples(&Input::new(&document, &reading), context);
    }
    let model = ModelFile::read(&document, &reading)?;
    let problem = model.known()?;
    let (solved, seconds) = context.timed(|| solve(&problem, &model.run.scheme));
    let results = match solved {
        Ok(solution) => rows(&solution, &certified),
        Err(Error::WallsMeet { time } | Error::NoSolution { time, .. }) => {
            let mut results = Results::default();
            results.push(NO_SOLUTION, time, "", [f64::NAN; 2]);
            results
        }
        Err(e) => return Err(e.into()),
    };
    Ok((results, seconds))
}

/// Adds the derivatives that are certified of a case to results that have all its events and states; where there are none they are
/// missing.
pub(crate) fn differentiate(case: &Case, certified: &Certified, results: &mut Results) {
    let Some(wanted) = &certified.derivatives else { return };
    results.wrt.clone_from(&wanted.wrt);
    let Ok(document) = Document::parse(case.name, case.model) else { return };
    let mut times: Vec<f64> = wanted.states.iter().map(|s| s.t).collect();
    times.dedup();
    let asked = Sensitivity::new(wanted.wrt.clone(), times.clone());
    let reading = Reading::new(Memory::default());
    let Ok(found) = sensitivity(&asked, &document, &reading, &Context::silent()) else { return };
    let count = wanted.wrt.len();
    let mut events = found.event_times.chunks(count.max(1));
    let states = |t: f64| times.iter().position(|at| *at == t);
    let mut node = 0;
    for row in &mut results.rows {
        row.rates = vec![[f64::NAN; 3]; count];
        if row.event != STATE {
            let rates = events.next().unwrap_or_default();
            row.rates.iter_mut().zip(rates).for_each(|(r, dt)| r[0] = *dt);
            continue;
        }
        // The nodes of an instant follow each other in the order of the model.
        let Some(instant) = states(row.t) else { continue };
        let first = (instant * found.bodies + node % found.bodies) * count;
        node += 1;
        for (k, rates) in row.rates.iter_mut().enumerate() {
            *rates = [f64::NAN, found.x[first + k], found.v[first + k]];
        }
    }
}

/// The velocities of many paths at the end.
fn samples(input: &Input<'_>, context: &Context<'_>) -> Result<(Results, f64)> {
    let mut options = Ensemble::new(0..PATHS);
    options.states = true;
    let quiet = Context { progress: &|_, _| {}, ..*context };
    let (product, seconds) = context.timed(|| ensemble(&options, input, &quiet));
    let product = product?;
    let end = input.model()?.problem.end;
    let last = product.table_named("final").and_then(|t| t.numbers("v")).unwrap_or_default();
    let mut results = Results::default();
    last.into_iter().for_each(|v| results.push(SAMPLE, end, "", [f64::NAN, v]));
    Ok((results, seconds))
}

fn rows(solution: &Solution, certified: &Certified) -> Results {
    let mut results = Results::default();
    for e in &solution.events {
        let place = solution.places().get(e.place).map_or("", String::as_str);
        results.push(e.kind.name(), e.time, place, [e.x, e.v]);
    }
    for warning in &solution.warnings {
        if let Warning::NotUnique { from, .. } | Warning::SlidersNotUnique { from, .. } = warning {
            results.push(NOT_UNIQUE, *from, "", [f64::NAN; 2]);
        }
    }
    states(solution, certified, &mut results);
    results
}

/// The states of all nodes at the instants that are certified.
fn states(solution: &Solution, certified: &Certified, results: &mut Results) {
    let columns = solution.columns();
    let nodes: Vec<(usize, usize, &str)> = columns
        .iter()
        .enumerate()
        .filter(|(_, c)| c.role == Role::Position)
        .filter_map(|(x, c)| {
            let node = c.name.strip_prefix("x_").unwrap_or_default();
            let name = if node.is_empty() { "v".to_owned() } else { format!("v_{node}") };
            let v = columns.iter().position(|c| c.name == name)?;
            Some((x, v, node))
        })
        .collect();
    let mut row = vec![0.0; columns.len()];
    let mut reader = solution.rows();
    for t in certified.times() {
        reader.at(t, &mut row);
        for &(x, v, node) in &nodes {
            results.push(STATE, t, node, [row[x], row[v]]);
        }
    }
}
