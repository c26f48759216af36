//! The fit from the first look at the record to the report.

use super::around::{Rival, shaken};
use super::compare::compare;
use super::least_squares::{Least, least_squares};
use super::parts::refuse_unexplained;
use super::report::{Covariance, Curves, Measured, ModelFit, Named, Tuned};
use super::search::{runs, search, solved};
use super::setup::{PieceMotion, Setup, Slot, spread};
use super::sure::{
    Curvature, by_values, combinations, curvature, estimate, parabolic, profile, unless_open,
    widened,
};
use super::{Family, Question, Sensor, Unknown, verdict};
use crate::control::{Control, Span};
use crate::error::Error;
use crate::statistics::estimate::Estimate;
use crate::statistics::stats::{roughness, square};
use std::sync::atomic::Ordering;
use stickslip::Model;

/// Pieces that are tried where one motion cannot follow the record.
const PIECES: usize = 8;
/// One motion that leaves more than this share of what was measured is compared with pieces.
const ASTRAY: f64 = 0.15;
/// Pieces that leave less than this share of what one motion leaves are preferred.
const BETTER: f64 = 0.6;

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
    let (chosen, least) = whole(&setup, &first)?;
    let (least, rivals) = deepest(&chosen, least)?;
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

/// Each record in one motion; in pieces, where that is asked for or one motion cannot follow.
fn whole<'a>(setup: &Setup<'a>, first: &[f64]) -> Result<(Setup<'a>, Least), Error> {
    let rows = setup.question.time.len();
    let pieces_of = |count: usize| {
        let records = runs(rows, &setup.question.breaks).into_iter();
        let pieces: Vec<_> = records
            .flat_map(|r| {
                // A piece has 20 rows or so at least: fewer do not fix a start.
                let count = count.clamp(1, r.len() / 20 + 1);
                (0..count).map(move |i| {
                    r.start + r.len() * i / count..r.start + r.len() * (i + 1) / count
                })
            })
            .collect();
        let cut = setup.in_pieces(&pieces, true);
        let mut p = first.to_vec();
        if cut.free_starts {
            p.extend(cut.pieces.iter().flat_map(|piece| [piece.guess.x, piece.guess.v]));
        }
        solved(&cut, &p).map(|least| (cut, least))
    };
    // Without a measured displacement there are no starts, and without starts no pieces.
    if setup.displacement.is_none() {
        return pieces_of(1);
    }
    if let Some(count) = setup.question.pieces {
        return pieces_of(count);
    }
    let one = pieces_of(1);
    // Until sensors are weighed, sigma is a tenth of the spread of a column: this is the share of it that is
    // left.
    let share = |l: &Least| (0.01 * l.rss / l.residuals.len() as f64).sqrt();
    match &one {
        Ok((_, least)) if share(least) < ASTRAY => return one,
        Err(Error::Interrupted) => return one,
        _ => {}
    }
    match (one, pieces_of(PIECES)) {
        // Pieces have more numbers and always leave less: they are taken only where they leave much less.
        (Ok(one), Ok(many)) if share(&many.1) > BETTER * share(&one.1) => Ok(one),
        (_, Ok(many)) => Ok(many),
        (one, Err(_)) => one,
    }
}

/// Parts of the record of multiple shooting, at most, and least-squares steps at each halving of their number.
const SHOOTS: usize = 16;
const SHOOT_STEPS: usize = 12;
/// Times that a better minimum by multiple shooting is looked for around.
const DIVES: usize = 2;
/// A minimum counts as better that leaves so much less.
const LOWER: f64 = 1e-4;

/// The least squares around `least`, and rivals of it. The instants of slips of a motion that nothing drives depend on all
/// slips before: over the whole record the squares have a minimum for each slip that comes a row too early, and steps end in
/// one of them. With starts of their own the parts of the record know their phases, and the numbers come to where they
/// belong before the parts are joined.
fn deepest(setup: &Setup<'_>, least: Least) -> Result<(Least, Vec<Rival>), Error> {
    let (mut least, mut rivals) = shaken(setup, least)?;
    for _ in 0..DIVES {
        let Some(other) = shot(setup, &least)? else { break };
        if other.rss >= (1.0 - LOWER) * least.rss {
            break;
        }
        (least, rivals) = shaken(setup, other)?;
    }
    Ok((least, rivals))
}

/// Multiple shooting: the record in many parts with starts of their own, then in half as many, to the whole (Bock 1981).
fn shot(setup: &Setup<'_>, least: &Least) -> Result<Option<Least>, Error> {
    let rows = setup.question.time.len();
    // Where the pieces have starts already, or there are none to seek, multiple shooting has nothing to add.
    let single = setup.pieces.len() == 1 && setup.free_starts && setup.question.breaks.is_empty();
    if !single || rows < 20 * SHOOTS {
        return Ok(None);
    }
    let found = setup.step(&mut || {
        let mut own = least.p[..setup.own()].to_vec();
        let mut starts: Vec<f64> = Vec::new();
        let mut count = SHOOTS;
        while count > 1 {
            let parts: Vec<_> =
                (0..count).map(|i| rows * i / count..rows * (i + 1) / count).collect();
            let mut cut = setup.in_pieces(&parts, true);
            // The sigmas of the whole, so that parts and whole make the same squares small.
            cut.sigma.clone_from(&setup.sigma);
            if starts.is_empty() {
                starts = cut.pieces.iter().flat_map(|p| [p.guess.x, p.guess.v]).collect();
            }
            let p = least_squares(&cut, &[own.as_slice(), &starts].concat(), SHOOT_STEPS)?.p;
            own = p[..setup.own()].to_vec();
            // Every second part begins where one of half as many does.
            starts = p[setup.own()..].chunks(4).flat_map(|s| [s[0], s[1]]).collect();
            count /= 2;
        }
        Some([own, starts].concat())
    })?;
    match found {
        Some(p) => match solved(setup, &p) {
            Ok(least) => Ok(Some(least)),
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(_) => Ok(None),
        },
        None => Ok(None),
    }
}

/// Sensors weighed by what the fit leaves of each, twice.
fn weighed<'a>(mut setup: Setup<'a>, mut least: Least) -> Result<(Setup<'a>, Least), Error> {
    // With several sensors new weights move the minimum, which changes the weights once more; with one they
    // only scale it.
    for _ in 0..2 {
        let left = setup.leftovers(&least.residuals);
        for (j, r) in left.iter().enumerate() {
            let size = (square(r) / r.len().max(1) as f64).sqrt();
            if size > 0.0 {
                setup.sigma[j] *= size;
            }
        }
        least = solved(&setup, &least.p)?;
        if setup.question.sensors.len() == 1 {
            break;
        }
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
    let one = |(k, u): (usize, &Unknown)| {
        let e = estimate(&name, u.unit, values[k], u.range, &found, k);
        let ends = setup.step(&mut || {
            let asked = e.identifiable
                && own.errors[k] > 0.0
                && (question.profile || !parabolic(setup, least, &own, k));
            asked.then(|| profile(setup, least, k, own.errors[k])).flatten().map(Vec::from)
        })?;
        let ends: Option<[f64; 2]> = ends.and_then(|e| e.try_into().ok());
        // One that stands above another is sought as what it has more: its profile, on the scale of the value.
        let scale = found.errors[k] / own.errors[k];
        let ends = ends.map(|e| e.map(|end| values[k] + scale * (end - least.p[k])));
        let ends = ends.map(|e| e.map(|end| end.clamp(u.range[0], u.range[1])));
        let e = widened(e, ends);
        // Another minimum that leaves hardly more is as good an answer.
        let reach =
            rivals.iter().map(|r| r.reach(k)).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
        let reach = reach.map(|e| e.map(|end| end.clamp(u.range[0], u.range[1])));
        let estimate = unless_open(widened(e, reach), u.range);
        Ok(Named { name: u.name.clone(), estimate })
    };
    let parameters: Vec<Named> =
        question.unknowns.iter().enumerate().map(one).collect::<Result<_, Error>>()?;
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
    let exact = motions_of(setup, least).is_some_and(|m| setup.exactly(&least.p, &m).is_some());
    let measured = measured(setup, least, &found);
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
        curves: curves(setup, least),
    })
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

fn curves(setup: &Setup<'_>, least: &Least) -> Curves {
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
    let motions = motions_of(setup, least).unwrap_or_default();
    for (piece, PieceMotion { problem, solution }) in setup.pieces.iter().zip(motions) {
        let from = piece.span[0];
        for e in &solution.events {
            let place = solution.places().get(e.place).cloned().unwrap_or_default();
            let mut event = *e;
            event.time += from;
            curves.events.push((event, place));
        }
        if matches!(problem.model, Model::Oscillator(_)) {
            for (phase, start, end) in solution.phases(0) {
                for i in piece.rows.clone() {
                    let t = curves.time[i] - from;
                    if t >= start && t <= end {
                        curves.phase[i] = Some(phase);
                    }
                }
            }
        }
    }
    curves
}
