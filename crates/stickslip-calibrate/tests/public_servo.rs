//! Logs of a public servo beside its published numbers.

use crate::common::{shared, sized};
use crate::servo_logs::{EXPONENT, LOAD, Logs, TORQUE_CONSTANT, compared, fitted, scheme};
use std::f64::consts::TAU;
use stickslip::{Model, Signal, solve};
use stickslip_calibrate::models::Family;
use stickslip_calibrate::servo::Input;

/// Volts per radian of the public servo at gain 1: its duty is gain · counts/(256 · 885) of 7.4 V (`actuator.py` of
/// the repository of the logs).
pub const VOLTS: f64 = 7.4 * 4096.0 / TAU / (256.0 * 885.0);

/// Time, angle, speed, goal, voltage and temperature of a log.
pub fn rows_of(name: &str) -> Option<Vec<Vec<f64>>> {
    let text = std::fs::read_to_string(shared(&format!("experiments/servo/xl330_{name}.csv"))?);
    let text = text.unwrap();
    let rows = text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect());
    Some(rows.collect())
}

/// The logs of these trajectories, of each the first rows.
fn public(names: &[&str], most: usize, stribeck: bool) -> Option<Logs> {
    let mut logs = Logs {
        time: Vec::new(),
        angle: Vec::new(),
        breaks: Vec::new(),
        inputs: Vec::new(),
        stribeck,
    };
    for name in names {
        let mut rows = rows_of(name)?;
        rows.truncate(most);
        let start = logs.time.last().map_or(0.0, |t| t + 0.01);
        if start > 0.0 {
            logs.breaks.push(logs.time.len());
        }
        let time: Vec<f64> = rows.iter().map(|r| start + r[0] - rows[0][0]).collect();
        let goal: Vec<f64> = rows.iter().map(|r| r[3]).collect();
        let goal = Signal::sampled(&time, &goal).unwrap();
        let gain = VOLTS * name.rsplit_once("kp").unwrap().1.parse::<f64>().unwrap();
        logs.inputs.push((start, Input::Goal { goal, gain, limit: 7.4 }));
        logs.angle.extend(rows.iter().map(|r| r[1]));
        logs.time.extend(time);
    }
    Some(logs)
}

/// Mean absolute error of the angle in each log, each from its first row at rest, by our scheme.
fn errors(logs: &Logs, p: &[f64]) -> Vec<f64> {
    let ends = logs.breaks.iter().copied().chain([logs.time.len()]);
    let starts = [0].into_iter().chain(logs.breaks.iter().copied());
    let one = |(from, to): (usize, usize)| {
        let mut problem = logs.part(p, [logs.time[from], logs.time[to - 1]]).unwrap().unwrap();
        if let Model::Oscillator(o) = &mut problem.model {
            o.initial.displacement = logs.angle[from];
        }
        let motion = solve(&problem, &scheme()).unwrap();
        let mut row = [0.0; 3];
        let sum: f64 = (from..to)
            .map(|i| {
                motion.row((logs.time[i] - logs.time[from]).min(problem.end), &mut row);
                (row[0] - logs.angle[i]).abs()
            })
            .sum();
        sum / (to - from) as f64
    };
    starts.zip(ends).map(one).collect()
}

/// The same with the time steps of those who published the numbers: the friction stops the shaft within a step, or acts in
/// full; one step from row to row.
fn stepped(logs: &Logs, p: &[f64]) -> Vec<f64> {
    let ends = logs.breaks.iter().copied().chain([logs.time.len()]);
    let starts = [0].into_iter().chain(logs.breaks.iter().copied());
    let per_volt = TORQUE_CONSTANT / p[0];
    let inertia = LOAD.inertia + p[1];
    let limit_at = |w: f64| {
        let fall = if logs.stribeck {
            (p[5] - p[4]) * (-(w.abs() / p[6]).powf(EXPONENT)).exp()
        } else {
            0.0
        };
        p[4] + fall + p[2] * w.abs()
    };
    let one = |((from, to), (_, input)): ((usize, usize), &(f64, Input))| {
        let Input::Goal { goal, gain, limit } = input else { return f64::NAN };
        let (mut q, mut w, mut sum) = (logs.angle[from], 0.0, 0.0);
        for i in from..to {
            sum += (q - logs.angle[i]).abs();
            let step = if i + 1 < to { logs.time[i + 1] - logs.time[i] } else { 0.005 };
            let volts = (gain * (goal.value(logs.time[i]) - q)).clamp(-limit, *limit);
            let torque = per_volt * (volts - TORQUE_CONSTANT * w) - LOAD.gravity * (q - p[3]).sin();
            let stop = inertia / step * w + torque;
            let a = (torque - stop.signum() * stop.abs().min(limit_at(w))) / inertia;
            w += a * step;
            q += w * step + 0.5 * a * step * step;
        }
        sum / (to - from) as f64
    };
    starts.zip(ends).zip(&logs.inputs).map(one).collect()
}

pub const SINES: [&str; 4] =
    ["00_sin_sin_kp100", "04_sin_sin_kp200", "08_sin_sin_kp400", "12_sin_sin_kp800"];
const LIFTS: [&str; 4] = [
    "02_up_and_down_kp100",
    "06_up_and_down_kp200",
    "10_up_and_down_kp400",
    "14_up_and_down_kp800",
];
/// Published for these logs, Coulomb (`m1.json`) and Stribeck (`m2.json`): the torque constant is within 0.4 % of ours.
const COULOMB: [f64; 5] = [4.017_129, 0.001_814_167, 0.003_661_672, -0.030_871, 0.012_832_72];
const STRIBECK: [f64; 7] =
    [4.000_264, 0.001_819_285, 0.005_620_845, -0.032_845_48, 0.0, 0.012_651_24, 4.166_521];
fn mean(e: &[f64]) -> f64 {
    e.iter().sum::<f64>() / e.len() as f64
}

fn shown(errors: &[f64]) -> String {
    let each: Vec<String> = errors.iter().map(|e| format!("{:.1}", 1e3 * e)).collect();
    format!("{} | {:.1}", each.join(" "), 1e3 * mean(errors))
}

/// Fits `names`, and prints both sets of numbers and their errors on all eight logs, mrad.
fn beside(names: &[&str], stribeck: bool) -> Option<[f64; 2]> {
    // By day half of each log is fitted.
    let some = public(names, sized(500, usize::MAX), stribeck)?;
    let all = public(&[SINES, LIFTS].concat(), usize::MAX, stribeck)?;
    let begun = std::time::Instant::now();
    let found = fitted(&some);
    let theirs: &[f64] = if stribeck { &STRIBECK } else { &COULOMB };
    println!("{names:?}: {:.1} s, {} motions", begun.elapsed().as_secs_f64(), found.evaluations);
    for (n, theirs) in found.parameters.iter().zip(theirs) {
        println!("{:<20} {:?} {:?} theirs {theirs}", n.name, n.estimate.value, n.estimate.ci95);
    }
    let ours: Vec<f64> =
        found.parameters.iter().map(|n| n.estimate.value.unwrap_or(f64::NAN)).collect();
    for w in found.warnings.iter().chain(found.combinations.iter().map(|c| &c.what)) {
        println!("  {w}");
    }
    println!(
        "ours   {}\n  their steps {}",
        shown(&errors(&all, &ours)),
        shown(&stepped(&all, &ours))
    );
    println!(
        "theirs {}\n  their steps {}",
        shown(&errors(&all, theirs)),
        shown(&stepped(&all, theirs))
    );
    // A model that leaves so much of a record is not to be believed, and the fit says so.
    assert!(!found.plausible);
    // Judged on the last four logs.
    Some([mean(&errors(&all, &ours)[4..]), mean(&errors(&all, theirs)[4..])])
}

/// Fitted to four logs and judged on four others, beside the published numbers, which saw them all.
#[test]
fn the_logs_of_a_public_servo() {
    let Some([ours, theirs]) = beside(&SINES[..sized(2, 4)], false) else { return };
    assert!(ours < theirs, "{ours} {theirs}");
    if std::env::var_os("STICKSLIP_STUDY").is_some() {
        public(&SINES, usize::MAX, false).map(|logs| compared(&logs));
        beside(&[SINES, LIFTS].concat(), false);
        beside(&SINES, true);
        beside(&[SINES, LIFTS].concat(), true);
    }
}

/// The published law with a Stribeck effect does not follow these logs better than the one without, by the steps of those who
/// published both.
#[test]
fn the_published_stribeck_effect_does_not_show() {
    let left = |stribeck: bool, p: &[f64]| {
        public(&[SINES, LIFTS].concat(), usize::MAX, stribeck).map(|logs| mean(&stepped(&logs, p)))
    };
    let (Some(coulomb), Some(stribeck)) = (left(false, &COULOMB), left(true, &STRIBECK)) else {
        return;
    };
    println!("{coulomb} {stribeck}");
    assert!(stribeck > 0.995 * coulomb && stribeck < 1.02 * coulomb, "{coulomb} {stribeck}");
}
