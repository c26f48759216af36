//! From the joint that was found to what is said of it: errors, intervals, groups, warnings.

use super::Joint;
use super::known::{Known, Recorded};
use super::logs::Log;
use super::motion::replay;
use super::question::{Given, Question};
use super::repetitions::repetitions;
use super::search::{FoundJoint, Part, values};
use super::sure::Sure;
use super::verdict::{Errors, Fit, Group, OfLog, Simplified, Term};
use crate::parallel;
use crate::statistics::stats::median;

/// What the logs say of the joint that was found. How much work it was is not known here.
pub fn conclude(
    question: &Question,
    found: FoundJoint,
    terms: Vec<Term>,
    simplified: Vec<Simplified>,
) -> Fit {
    let FoundJoint { joint, starts, .. } = found;
    let logs: Vec<&Log> = question.logs.iter().map(|g| &g.log).collect();
    // From the starts that the first rows show and not from those that were fitted: logs that were held out have none of
    // these, and the two errors are to be compared.
    let parts = values(&joint, &logs);
    let near = repetitions(&logs);
    let mean = |held: bool| {
        let mut all = Part::default();
        let of = question.logs.iter().zip(&parts).filter(|(g, _)| g.held_out == held);
        of.for_each(|(_, p)| all.add(p));
        (all.rows > 0).then(|| all.error())
    };
    let apart: Vec<f64> = near.iter().flatten().map(|r| r.apart).collect();
    let repeatability = (!apart.is_empty()).then(|| apart.iter().sum::<f64>() / apart.len() as f64);
    let sure = Sure::of(question, &joint, &starts, &near);
    let error =
        Errors { fitted: mean(false).unwrap_or(f64::NAN), held_out: mean(true), repeatability };
    let of_log = |(i, given): (usize, &Given)| OfLog {
        file: given.file.clone(),
        held_out: given.held_out,
        error: parts[i].error(),
        repeatability: near[i].map(|r| r.apart),
        spikes: given.left_out.spikes,
    };
    let mut fit = Fit {
        parameters: sure.parameters(question, &joint),
        error,
        undetermined: sure.undetermined(question),
        known: known(question, &sure),
        errors: errors(question, &joint, &starts),
        bristle: None,
        terms,
        simplified,
        usual_gain: median(&mut logs.iter().map(|l| l.gain).collect::<Vec<_>>()),
        usual_supply: median(
            &mut logs.iter().map(|l| l.supply.first().copied().unwrap_or(1.0)).collect::<Vec<_>>(),
        ),
        by: groups(question, &parts),
        logs: question.logs.iter().enumerate().map(of_log).collect(),
        samples: parts.iter().map(|p| p.rows).sum(),
        spikes: question.logs.iter().map(|g| g.left_out.spikes).sum(),
        evaluations: 0,
        seconds: 0.0,
        warnings: Vec::new(),
        angles: angles(&joint, &logs),
        joint,
    };
    fit.warnings = warnings(question, &fit);
    // Tenths of a log are hardly independent; who reads the intervals should know.
    if sure.blocks > 1 {
        fit.warnings.push(format!(
            "the logs are few for {} unknowns: the intervals take each tenth of a log as a separate observation",
            question.unknowns.len()
        ));
    }
    fit
}

/// How the errors of the numbers go together, and on what the fitted logs were recorded.
fn known(question: &Question, sure: &Sure) -> Known {
    let fitted = question.logs.iter().filter(|g| !g.held_out);
    Known {
        names: question.unknowns.iter().map(|u| u.name.clone()).collect(),
        sought: question.sought(&[]),
        above: question.unknowns.iter().map(|u| u.above).collect(),
        precision: sure.precision.clone(),
        spread: sure.spread,
        rigs: fitted.map(|g| Recorded::of(&g.file, &g.log)).collect(),
    }
}

/// Measured − fitted at every row of every log that was fitted, from its own start.
fn errors(question: &Question, joint: &Joint, starts: &[[f64; 2]]) -> Vec<Vec<f64>> {
    let fitted: Vec<usize> =
        (0..question.logs.len()).filter(|i| !question.logs[*i].held_out).collect();
    let made = parallel::each(fitted.len(), |k| {
        let log = &question.logs[fitted[k]].log;
        let mut all = Vec::with_capacity(log.time.len());
        // From the fitted start: a design draws from these errors, and a wrong start would put a swing of its own into
        // them.
        replay(joint, log, starts[k], &mut all);
        all.iter().zip(&log.position).map(|(angle, measured)| measured - angle).collect()
    });
    let mut all = vec![Vec::new(); question.logs.len()];
    made.into_iter().zip(fitted).for_each(|(errors, i)| all[i] = errors);
    all
}

/// The angle at every row of every log.
fn angles(joint: &Joint, logs: &[&Log]) -> Vec<Vec<f64>> {
    parallel::each(logs.len(), |i| {
        let mut all = Vec::with_capacity(logs[i].time.len());
        replay(joint, logs[i], logs[i].start, &mut all);
        all
    })
}

/// Errors of the held-out logs, or of all where there are none, by each value of each column.
fn groups(question: &Question, parts: &[Part]) -> Vec<Group> {
    let held = question.logs.iter().any(|g| g.held_out);
    let mut all: Vec<(Group, Part)> = Vec::new();
    for (given, part) in question.logs.iter().zip(parts).filter(|(g, _)| g.held_out == held) {
        for (column, value) in &given.labels {
            let known = all.iter_mut().find(|(g, _)| g.column == *column && g.value == *value);
            match known {
                Some((group, total)) => {
                    group.logs += 1;
                    total.add(part);
                }
                None => {
                    let column = column.clone();
                    let value = value.clone();
                    all.push((Group { column, value, error: 0.0, logs: 1 }, part.clone()));
                }
            }
        }
    }
    let with_error = all.into_iter().map(|(g, p)| Group { error: p.error(), ..g });
    let mut all: Vec<Group> = with_error.collect();
    all.sort_by(|a, b| (&a.column, &a.value).cmp(&(&b.column, &b.value)));
    all
}

/// What users should know.
fn warnings(question: &Question, fit: &Fit) -> Vec<String> {
    let mut said = Vec::new();
    let spiky = question.logs.iter().filter(|g| g.left_out.spikes > 0).count();
    if fit.spikes > 0 {
        said.push(format!(
            "{} single rows in {spiky} of {} logs stand far from both neighbours and were left out",
            fit.spikes,
            question.logs.len()
        ));
    }
    let supply: usize = question.logs.iter().map(|g| g.left_out.supply).sum();
    if supply > 0 {
        said.push(format!(
            "{supply} rows have a supply far from the usual one of their log; that of the row before was used"
        ));
    }
    let unseen = question.of_unseen_mountings();
    if unseen > 0 {
        said.push(format!(
            "{unseen} logs have a mounting of the load that no fitted log shows: it is taken to hang at the mean of the others"
        ));
    }
    let ends = question
        .unknowns
        .iter()
        .zip(&fit.parameters)
        // A number that is known has a reason only where it stands at an end of its range.
        .filter(|(_, n)| n.estimate.identifiable && n.estimate.reason.is_some());
    let ends: Vec<String> = ends.map(|(u, _)| format!("`{}`", u.name)).collect();
    if !ends.is_empty() {
        said.push(format!(
            "{} ended at an end of the range: widen the range, or fix the number",
            ends.join(", ")
        ));
    }
    said.extend(fit.joint.gear.is_active());
    let idle: Vec<String> =
        fit.terms.iter().filter(|t| !t.earns_its_place).map(|t| format!("`{}`", t.term)).collect();
    if !idle.is_empty() {
        said.push(format!(
            "without {} the error grows by less than 1 %: such a term can be left out",
            idle.join(" or ")
        ));
    }
    said
}
