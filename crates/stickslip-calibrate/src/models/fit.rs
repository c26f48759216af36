//! The fit from the first look at the record to the report.

use super::around::{Rival, rivals};
use super::beginnings::grown;
use super::compare::compare;
use super::least_squares::Least;
use super::parts::refuse_unexplained;
use super::report::{Covariance, Curves, Measured, ModelFit, Named, Tuned};
use super::search::{search, solved};
use super::setup::{PieceMotion, Setup, Slot, spread};
use super::sure::{
    Curvature, by_values, combinations, curvature, estimate, parabolic, profile, unless_open,
    widened,
};
use super::whole::{explored, whole};
use super::{Family, Question, Sensor, Unknown, verdict};
use crate::control::{Control, Span};
use crate::error::Error;
use crate::parallel;
use crate::statistics::estimate::Estimate;
use crate::statistics::stats::{roughness, square};
use std::sync::atomic::Ordering;
use stickslip::Model;

/// Fits the models of `family` to a record.
///
/// ```
/// use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal, solve};
/// use stickslip_calibrate::Unwatched;
/// use stickslip_calibrate::models::{Family, Question, Sensor, Sought, Unknown, fit};
///
/// /// A shaken mass with an unknown Coulomb force.
/// struct Shaken;
///
/// impl Family for Shaken {
///     fn problem(&self, values: &[f64]) -> Result<Problem, Error> {
///         let shaken = Oscillator::new(1.0, 4.0, Law::coulomb(values[0])?)
///             .with_drive(Signal::harmonic(1.0, 1.3, 0.0));
///         Ok(Problem::new(shaken, 30.0))
///     }
/// }
///
/// let time: Vec<f64> = (0..600).map(|i| 0.05 * f64::from(i)).collect();
/// let truth = solve(&Shaken.problem(&[0.7])?, &Scheme::Exact)?;
/// let mut row = [0.0; 3];
/// let mut values = Vec::new();
/// for (i, t) in time.iter().enumerate() {
///     truth.row(*t, &mut row);
///     values.push(row[0] + 1e-3 * (7.7 * (i * i) as f64).sin());
/// }
/// let known = |v| Sought::Known(v);
/// let x = Sensor { what: "x".into(), unit: "m", values, gain: known(1.0), offset: known(0.0), delay: known(0.0), average: 0.0 };
/// let force = Unknown { name: "force".into(), unit: "N", range: [0.0, 3.0], above: None };
/// let question = Question {
///     time, breaks: vec![], sensors: vec![x], unknowns: vec![force], scheme: Scheme::Exact, start: true, pieces: None,
///     compare: false, profile: false, seed: 1,
/// };
/// let found = fit(&Shaken, &question, &Unwatched)?;
/// let force = found.parameters[0].estimate.value.unwrap();
/// assert!((force - 0.7).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the record is too short, nothing that was measured ever changes, the model has no motion, a long record is followed in none of its
/// parts, or the record fixes none of the unknowns.
pub fn fit(
    family: &dyn Family,
    question: &Question,
    control: &dyn Control,
) -> Result<ModelFit, Error> {
    check(question)?;
    let setup = Setup::new(family, question, control);
    let searching = Span { control, part: [0.0, 0.5] };
    let first = search(&setup, &searching)?;
    refuse_unexplained(&setup, &first)?;
    // One motion for each record if it can follow; then the minima around it, then the weights of the sensors,
    // which need a good fit.
    control.progress(0.5);
    let (chosen, least, others) = match grown(&setup, &first)? {
        Some(found) => found,
        None => {
            let (chosen, least) = whole(&setup, &first)?;
            let (least, others) = explored(&chosen, least)?;
            (chosen, least, others)
        }
    };
    let rivals = rivals(&chosen, &least, others);
    control.progress(0.7);
    let (chosen, least) = weighed(chosen, least)?;
    let tried = chosen.tried.load(Ordering::Relaxed);
    let mut report = reported(&chosen, &least, &rivals, tried)?;
    if question.compare {
        let values = chosen.values(&least.p);
        let span = Span { control, part: [0.75, 1.0] };
        report.comparison = compare(&chosen, &least.p, &values, report.autocorrelation, &span)?;
    }
    verdict::judge(&mut report, &chosen, &least);
    control.progress(1.0);
    Ok(report)
}

/// What can be said before any work.
fn check(q: &Question) -> Result<(), Error> {
    if q.unknowns.is_empty() {
        return Err(Error::Unfit(
            "no number of the model is unknown: there is nothing to fit".to_owned(),
        ));
    }
    let ends = [&[0], q.breaks.as_slice(), &[q.time.len()]].concat();
    if !q.breaks.is_empty() && ends.windows(2).any(|w| w[1] < w[0] + 20) {
        return Err(Error::Unfit(
            "a record has fewer than 20 rows: remove it, or choose a longer part".to_owned(),
        ));
    }
    if q.sensors.is_empty() {
        return Err(Error::Unfit(
            "nothing was measured: there is nothing to compare with".to_owned(),
        ));
    }
    // What never moves is fitted by any friction that is large enough.
    let constant = |s: &Sensor| {
        let mut known = s.values.iter().filter(|v| v.is_finite());
        let first = *known.next()?;
        known.all(|v| *v == first).then_some(first)
    };
    if let Some(value) = q.sensors.iter().map(constant).reduce(Option::and).flatten() {
        return Err(Error::Constant { column: "measured column", value });
    }
    let needed = (4 * (q.unknowns.len() + 2)).max(20);
    let found = q.sensors.iter().map(|s| s.values.iter().filter(|v| v.is_finite()).count()).sum();
    if found < needed {
        return Err(Error::TooFewValues { column: "measured columns together", found, needed });
    }
    Ok(())
}

/// Sensors weighed by what the fit leaves of each, twice: new weights move the minimum, which changes the weights once more. With one sensor
/// they only scale the residuals.
fn weighed<'a>(mut setup: Setup<'a>, mut least: Least) -> Result<(Setup<'a>, Least), Error> {
    for _ in 0..2 {
        let left = setup.leftovers(&least.residuals);
        let sizes = left.iter().map(|r| (square(r) / r.len().max(1) as f64).sqrt());
        // A sensor of which nothing is left keeps its weight.
        let sizes: Vec<f64> = sizes.map(|size| if size > 0.0 { size } else { 1.0 }).collect();
        setup.sigma.iter_mut().zip(&sizes).for_each(|(sigma, size)| *sigma *= size);
        if let [size] = sizes[..] {
            least.divide(size);
            break;
        }
        least = solved(&setup, &least.p)?;
    }
    Ok((setup, least))
}

fn reported(
    setup: &Setup<'_>,
    least: &Least,
    rivals: &[Rival],
    tried: usize,
) -> Result<ModelFit, Error> {
    let question = setup.question;
    let values = setup.values(&least.p);
    // A number that stands above another is sought as a difference: errors and correlations are wanted of the
    // values themselves.
    let columns = by_values(setup, &least.columns);
    let found = curvature(&columns, &least.residuals);
    let own = curvature(&least.columns, &least.residuals);
    let name = |k: usize| name_of(setup, k);
    let known: Vec<Estimate> = (question.unknowns.iter().enumerate())
        .map(|(k, u)| estimate(&name, u.unit, values[k], u.range, &found, k))
        .collect();
    let profiles = profiles(setup, least, &known, &own)?;
    let one = |(k, (e, u)): (usize, (Estimate, &Unknown))| {
        // One that stands above another is sought as what it has more: its profile, on the scale of the value.
        let scale = found.errors[k] / own.errors[k];
        let inside = |end: f64| end.clamp(u.range[0], u.range[1]);
        let ends = profiles[k].map(|e| e.map(|end| inside(values[k] + scale * (end - least.p[k]))));
        let e = widened(e, ends);
        // Another minimum that leaves hardly more is as good an answer.
        let reach =
            rivals.iter().map(|r| r.reach(k)).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
        let estimate = unless_open(widened(e, reach.map(|e| e.map(inside))), u.range);
        Named { name: u.name.clone(), estimate }
    };
    let parameters: Vec<Named> =
        known.into_iter().zip(&question.unknowns).enumerate().map(one).collect();
    let names: Vec<String> = question.unknowns.iter().map(|u| u.name.clone()).collect();
    let known = combinations(&names, &values, &found);
    // A ratio that is known is a result, even if none of the numbers is.
    if parameters.iter().all(|n| !n.estimate.identifiable) && known.is_empty() {
        let why = parameters[0].estimate.reason.clone().unwrap_or_default();
        return Err(Error::Unfit(format!(
            "the record fixes none of the unknowns: of `{}` {why}",
            parameters[0].name
        )));
    }
    let measured = measured(setup, least, &found);
    let motions = motions_of(setup, least).unwrap_or_default();
    let exact = !motions.is_empty() && setup.exactly(&least.p, &motions).is_some();
    Ok(ModelFit {
        parameters,
        start: start(setup, least, &found),
        covariance: covariance(setup, &found),
        rmse: measured.first().map_or(f64::NAN, |m| m.rmse),
        measured,
        combinations: known,
        comparison: None,
        plausible: true,
        samples: least.residuals.len(),
        pieces: setup.pieces.len(),
        autocorrelation: found.together,
        gradient: if exact { "exact" } else { "differences" },
        evaluations: tried,
        seconds: 0.0,
        warnings: Vec::new(),
        curves: curves(setup, least, motions),
    })
}

/// The profiles of the unknowns whose squares are asked for, or do not rise as the curvature has them; all unknowns at once.
fn profiles(
    setup: &Setup<'_>,
    least: &Least,
    known: &[Estimate],
    own: &Curvature,
) -> Result<Vec<Option<[f64; 2]>>, Error> {
    let one = |k: usize| {
        let asked = known[k].identifiable
            && own.errors[k] > 0.0
            && (setup.question.profile || !parabolic(setup, least, own, k));
        asked.then(|| profile(setup, least, k, own.errors[k])).flatten()
    };
    // What is kept of each: its number and its ends.
    let kept = setup.step(&mut || {
        let found = parallel::each(known.len(), one);
        let each = found.into_iter().enumerate();
        Some(
            each.filter_map(|(k, e)| e.map(|[low, high]| [k as f64, low, high]))
                .flatten()
                .collect(),
        )
    })?;
    let mut all = vec![None; known.len()];
    for e in kept.unwrap_or_default().chunks_exact(3) {
        all[e[0] as usize] = Some([e[1], e[2]]);
    }
    Ok(all)
}

fn motions_of(setup: &Setup<'_>, least: &Least) -> Option<Vec<PieceMotion>> {
    let problem = setup.family.problem(&setup.values(&least.p)).ok()?;
    (0..setup.pieces.len()).map(|i| setup.examined(&problem, &least.p, i)).collect()
}

/// What number `k` of all that are sought is called.
fn name_of(setup: &Setup<'_>, k: usize) -> String {
    let unknowns = &setup.question.unknowns;
    if let Some(u) = unknowns.get(k) {
        return u.name.clone();
    }
    for (sensor, t) in setup.question.sensors.iter().zip(&setup.tuning) {
        for (slot, what) in [(t.gain, "gain"), (t.offset, "offset"), (t.delay, "delay")] {
            if slot == Slot::At(k) {
                return format!("{what} of {}", sensor.what);
            }
        }
    }
    if (k - setup.own()).is_multiple_of(2) { "start of x" } else { "start of v" }.to_owned()
}

/// Whether the record has one start that was sought. Starts of pieces only carry the motion from one to the next.
fn has_start(setup: &Setup<'_>) -> bool {
    setup.free_starts && setup.pieces.len() == 1
}

fn covariance(setup: &Setup<'_>, found: &Curvature) -> Covariance {
    let count = setup.own() + if has_start(setup) { 2 } else { 0 };
    let entry = |i: usize, j: usize| {
        let correlation = if i == j { 1.0 } else { found.correlations[i][j] };
        correlation * found.errors[i] * found.errors[j]
    };
    Covariance {
        names: (0..count).map(|k| name_of(setup, k)).collect(),
        matrix: (0..count).map(|i| (0..count).map(|j| entry(i, j)).collect()).collect(),
    }
}

fn start(setup: &Setup<'_>, least: &Least, found: &Curvature) -> Vec<Named> {
    if !has_start(setup) {
        return Vec::new();
    }
    let at = setup.own();
    let one = |(k, name, unit): (usize, &str, &'static str)| {
        let value = least.p[at + k];
        let error = found.errors[at + k];
        let estimate = if error.is_finite() {
            Estimate::known(value, error, unit)
        } else {
            Estimate::unknown(unit, "nothing that was measured depends on it")
        };
        Named { name: name.to_owned(), estimate }
    };
    // What is measured in angles moves through angles.
    let turns = setup.question.sensors.iter().any(|s| s.unit.starts_with("rad"));
    let units = if turns { ["rad", "rad/s"] } else { ["m", "m/s"] };
    [(0, "x", units[0]), (1, "v", units[1])].into_iter().map(one).collect()
}

fn measured(setup: &Setup<'_>, least: &Least, found: &Curvature) -> Vec<Measured> {
    let left = setup.leftovers(&least.residuals);
    let sensors = setup.question.sensors.iter().enumerate();
    sensors
        .map(|(j, s)| {
            let rmse = setup.sigma[j] * (square(&left[j]) / left[j].len().max(1) as f64).sqrt();
            let name = |k: usize| name_of(setup, k);
            let t = setup.tuning[j];
            let slots =
                [(t.gain, "gain", "1"), (t.offset, "offset", s.unit), (t.delay, "delay", "s")];
            let tuned = slots.into_iter().filter_map(|(slot, what, unit)| {
                let Slot::At(k) = slot else { return None };
                let estimate = estimate(&name, unit, least.p[k], setup.bounds[k], found, k);
                Some(Tuned { what, estimate })
            });
            Measured {
                what: s.what.clone(),
                unit: s.unit,
                samples: left[j].len(),
                rmse,
                relative: rmse / spread(&s.values),
                noise: roughness(&s.values),
                tuned: tuned.collect(),
            }
        })
        .collect()
}

fn curves(setup: &Setup<'_>, least: &Least, motions: Vec<PieceMotion>) -> Curves {
    let time = setup.question.time.clone();
    let sensors = &setup.question.sensors;
    let mut fitted = vec![vec![f64::NAN; time.len()]; sensors.len()];
    let mut at = 0;
    for used in &setup.used {
        // The residuals stand in the order of pieces, sensors and rows in which they were taken.
        for (j, rows) in used.iter().enumerate() {
            for &i in rows {
                // What the model shows is the reading less its residual: nothing is solved again.
                fitted[j][i] = sensors[j].values[i] - setup.sigma[j] * least.residuals[at];
                at += 1;
            }
        }
    }
    let mut curves = Curves {
        phase: vec![None; time.len()],
        measured: sensors.iter().map(|s| s.values.clone()).collect(),
        fitted,
        events: Vec::new(),
        time,
    };
    for (piece, PieceMotion { problem, solution }) in setup.pieces.iter().zip(motions) {
        let from = piece.span[0];
        for e in &solution.events {
            let place = solution.places().get(e.place).cloned().unwrap_or_default();
            let mut event = *e;
            event.time += from;
            curves.events.push((event, place));
        }
        if matches!(problem.model, Model::Oscillator(_)) {
            let rows = &curves.time[piece.rows.clone()];
            let phases = &mut curves.phase[piece.rows.clone()];
            for (phase, start, end) in solution.phases(0) {
                let first = rows.partition_point(|t| t - from < start);
                let last = rows.partition_point(|t| t - from <= end);
                phases[first..last].fill(Some(phase));
            }
        }
    }
    curves
}
