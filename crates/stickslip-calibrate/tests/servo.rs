//! Servos: against an integration of another kind, twins, and logs of a public servo beside its published numbers.

use crate::common::shared;
use std::f64::consts::TAU;
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Error, Law, Model, Problem, Scheme, Signal, solve};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, ModelFit, Question, Sensor, Sought, Unknown, fit};
use stickslip_calibrate::servo::{Input, Load, Motor, servo};

/// A pendulum of 0.49 kg at 0.1 m, as in the logs.
const LOAD: Load = Load { inertia: 0.49 * 0.01, gravity: 0.49 * 9.806_65 * 0.1, vertical: 0.0 };

fn scheme() -> Scheme {
    Scheme::Adaptive(adaptive::Options::default())
}

/// Several logs, one after the other on one axis of time.
struct Logs {
    time: Vec<f64>,
    angle: Vec<f64>,
    breaks: Vec<usize>,
    inputs: Vec<(f64, Input)>,
    stribeck: bool,
}

/// The torque constant that is taken as known: a log does not tell it from the damping.
const TORQUE_CONSTANT: f64 = 0.386_696;

impl Logs {
    fn law(&self, p: &[f64]) -> Result<Law, Error> {
        if self.stribeck {
            return Law::stribeck_exponential(p[5], p[4], p[6], EXPONENT, 0.0);
        }
        Law::coulomb(p[4])
    }
}

/// Resistance, armature, damping, vertical, f_d, f_s, Stribeck velocity.
impl Family for Logs {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        let end = self.breaks.first().copied().unwrap_or(self.time.len());
        self.part(p, [0.0, self.time[end - 1]]).unwrap()
    }

    fn part(&self, p: &[f64], span: [f64; 2]) -> Option<Result<Problem, Error>> {
        let motor = Motor {
            torque_constant: TORQUE_CONSTANT,
            resistance: p[0],
            armature: p[1],
            damping: p[2],
        };
        let load = Load { vertical: p[3], ..LOAD };
        let (_, input) = self.inputs.iter().rev().find(|(start, _)| *start <= span[0]).unwrap();
        Some(self.law(p).and_then(|law| servo(law, motor, load, input, span)))
    }
}

fn unknowns(stribeck: bool) -> Vec<Unknown> {
    let all: [(&str, &'static str, [f64; 2], Option<usize>); 7] = [
        ("resistance", "Ω", [1.0, 20.0], None),
        ("armature", "kg·m²", [1e-4, 1e-2], None),
        ("damping", "N·m·s/rad", [0.0, 0.3], None),
        ("vertical", "rad", [-0.1, 0.1], None),
        ("friction.dynamic", "N·m", [0.0, 0.1], None),
        ("friction.static", "N·m", [0.0, 0.1], Some(4)),
        ("friction.velocity", "rad/s", [0.05, 10.0], None),
    ];
    let count = if stribeck { 7 } else { 5 };
    let make = |(name, unit, range, above): (&str, &'static str, [f64; 2], Option<usize>)| {
        Unknown { name: name.to_owned(), unit, range, above }
    };
    all.into_iter().take(count).map(make).collect()
}

fn asked(logs: &Logs) -> Question {
    let [gain, offset, delay] = [1.0, 0.0, 0.0].map(Sought::Known);
    let values = logs.angle.clone();
    let angle = Sensor { what: "x".into(), unit: "rad", values, gain, offset, delay };
    Question {
        time: logs.time.clone(),
        breaks: logs.breaks.clone(),
        sensors: vec![angle],
        unknowns: unknowns(logs.stribeck),
        scheme: scheme(),
        start: true,
        pieces: None,
        compare: false,
        profile: false,
        seed: 1,
    }
}

fn fitted(logs: &Logs) -> ModelFit {
    fit(logs, &asked(logs), &Unwatched).unwrap()
}

/// Volts per radian of the public servo at gain 1: its duty is gain · counts/(256 · 885) of 7.4 V (`actuator.py` of
/// the repository of the logs).
const VOLTS: f64 = 7.4 * 4096.0 / TAU / (256.0 * 885.0);

/// The logs of these trajectories.
fn public(names: &[&str], stribeck: bool) -> Option<Logs> {
    let mut logs = Logs {
        time: Vec::new(),
        angle: Vec::new(),
        breaks: Vec::new(),
        inputs: Vec::new(),
        stribeck,
    };
    for name in names {
        let path = shared(&format!("experiments/servo/xl330_{name}.csv"))?;
        let text = std::fs::read_to_string(path).unwrap();
        let rows: Vec<Vec<f64>> = text
            .lines()
            .skip(1)
            .map(|l| l.split(',').map(|v| v.parse().unwrap()).collect())
            .collect();
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

const SINES: [&str; 4] =
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
/// Of the published Stribeck law.
const EXPONENT: f64 = 1.363_645;

fn mean(e: &[f64]) -> f64 {
    e.iter().sum::<f64>() / e.len() as f64
}

fn shown(errors: &[f64]) -> String {
    let each: Vec<String> = errors.iter().map(|e| format!("{:.1}", 1e3 * e)).collect();
    format!("{} | {:.1}", each.join(" "), 1e3 * mean(errors))
}

/// Fits `names`, and prints both sets of numbers and their errors on all eight logs, mrad.
fn beside(names: &[&str], stribeck: bool) -> Option<[f64; 2]> {
    let (some, all) = (public(names, stribeck)?, public(&[SINES, LIFTS].concat(), stribeck)?);
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
    assert!(!found.believed);
    // Judged on the last four logs.
    Some([mean(&errors(&all, &ours)[4..]), mean(&errors(&all, theirs)[4..])])
}

/// Fitted to four logs and judged on four others, beside the published numbers, which saw them all.
#[test]
fn the_logs_of_a_public_servo() {
    let Some([ours, theirs]) = beside(&SINES, false) else { return };
    assert!(ours < theirs, "{ours} {theirs}");
    if std::env::var_os("STICKSLIP_STUDY").is_some() {
        public(&SINES, false).map(|logs| compared(&logs));
        beside(&[SINES, LIFTS].concat(), false);
        beside(&SINES, true);
        beside(&[SINES, LIFTS].concat(), true);
    }
}

/// What the comparison of friction laws says of `logs`, printed.
fn compared(logs: &Logs) -> Vec<(&'static str, &'static str)> {
    let found = fit(logs, &Question { compare: true, ..asked(logs) }, &Unwatched).unwrap();
    let comparison = found.comparison.unwrap();
    println!("{} rows, {:.1} as one", comparison.rows, comparison.together);
    for c in &comparison.candidates {
        println!(
            "{:<15} {:?} left {:.5} held out {:.5} AIC {:.1} BIC {:.1}",
            c.law, c.numbers, c.relative, c.held_out, c.aic, c.bic
        );
    }
    comparison.answers.iter().for_each(|a| println!("{} {}: {}", a.what, a.verdict, a.sentence));
    comparison.answers.iter().map(|a| (a.what, a.verdict)).collect()
}

/// Logs of one that has a Stribeck effect, and of one that has not.
#[test]
fn a_stribeck_effect_is_found_where_there_is_one() {
    let input = || Input::Goal { goal: waves(), gain: 12.0, limit: 7.4 };
    let said = |law: Law| {
        let logs = made(law, input(), MOTOR, LOAD, 1e-3);
        compared(&logs).into_iter().find(|a| a.0 == "stribeck").unwrap().1
    };
    let falls = Law::stribeck_exponential(0.06, 0.02, 0.6, 1.0, 0.0).unwrap();
    assert_eq!(said(falls), "yes");
    assert_ne!(said(Law::coulomb(0.03).unwrap()), "yes");
}

/// One log of a made-up servo, its angles rounded to `count`.
fn made(law: Law, input: Input, motor: Motor, load: Load, count: f64) -> Logs {
    let end = 6.0;
    let problem = servo(law, motor, load, &input, [0.0, end]).unwrap();
    let motion = solve(&problem, &scheme()).unwrap();
    let time: Vec<f64> = (0..1000).map(|i| (6e-3 * f64::from(i)).min(end)).collect();
    let mut row = [0.0; 3];
    let mut read = |t: &f64| {
        motion.row(*t, &mut row);
        (row[0] / count).round() * count
    };
    let angle = time.iter().map(&mut read).collect();
    Logs { time, angle, breaks: Vec::new(), inputs: vec![(0.0, input)], stribeck: false }
}

fn waves() -> Signal {
    let times: Vec<f64> = (0..1101).map(|i| 6e-3 * f64::from(i)).collect();
    let values: Vec<f64> =
        times.iter().map(|t| 0.9 * (2.1 * t).sin() + 0.5 * (5.3 * t).sin()).collect();
    Signal::sampled(&times, &values).unwrap()
}

const MOTOR: Motor =
    Motor { torque_constant: TORQUE_CONSTANT, resistance: 4.0, armature: 2e-3, damping: 4e-3 };

/// Against small steps of another kind, with a voltage at its limit, a voltage and a current that are given.
#[test]
fn a_servo_moves_as_small_steps_say() {
    let load = Load { vertical: 0.05, ..LOAD };
    let inputs = [
        Input::Goal { goal: waves(), gain: 30.0, limit: 4.0 },
        Input::Goal { goal: waves(), gain: 8.0, limit: f64::INFINITY },
        Input::Voltage(2.0 * waves()),
        Input::Current(0.5 * waves()),
    ];
    let mut limited = false;
    for input in inputs {
        let law = Law::coulomb(0.02).unwrap();
        let logs = made(law, input.clone(), MOTOR, load, 1e-12);
        let step = 4e-6;
        let (mut q, mut w, mut far) = (0.0f64, 0.0f64, 0.0f64);
        for i in 0..1_497_500 {
            let t = step * f64::from(i);
            if i % 1500 == 0 {
                far = far.max((q - logs.angle[i as usize / 1500]).abs());
            }
            let per_volt = TORQUE_CONSTANT / MOTOR.resistance;
            let motor = match &input {
                Input::Voltage(u) => per_volt * (u.value(t) - TORQUE_CONSTANT * w),
                Input::Current(i) => TORQUE_CONSTANT * i.value(t),
                Input::Goal { goal, gain, limit } => {
                    let asked = gain * (goal.value(t) - q);
                    limited |= asked.abs() > *limit;
                    per_volt * (asked.clamp(-limit, *limit) - TORQUE_CONSTANT * w)
                }
            };
            let torque = motor - MOTOR.damping * w - LOAD.gravity * (q - 0.05).sin();
            let inertia = LOAD.inertia + MOTOR.armature;
            let stop = inertia / step * w + torque;
            w += (torque - stop.signum() * stop.abs().min(0.02)) / inertia * step;
            q += w * step;
        }
        println!("{far:e}");
        assert!(far < 1e-4, "{far:e}");
    }
    assert!(limited);
}

/// All of torque constant, resistance and damping.
struct Apart(Signal);

impl Family for Apart {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        self.part(p, [0.0, 6.0]).unwrap()
    }

    fn part(&self, p: &[f64], span: [f64; 2]) -> Option<Result<Problem, Error>> {
        let motor =
            Motor { torque_constant: p[0], resistance: p[1], armature: 2e-3, damping: p[2] };
        let input = Input::Goal { goal: self.0.clone(), gain: 20.0, limit: 7.4 };
        Some(Law::coulomb(p[3]).and_then(|law| servo(law, motor, LOAD, &input, span)))
    }
}

/// k, R and c go together, and the friction is known all the same.
#[test]
fn what_angles_cannot_show_is_said() {
    let input = Input::Goal { goal: waves(), gain: 20.0, limit: 7.4 };
    let logs = made(Law::coulomb(0.015).unwrap(), input, MOTOR, LOAD, TAU / 4096.0);
    let ranges =
        [("k", [0.1, 1.0]), ("R", [1.0, 20.0]), ("c", [0.0, 0.1]), ("friction.force", [0.0, 0.1])];
    let unknowns = ranges.into_iter().map(|(name, range)| Unknown {
        name: name.to_owned(),
        unit: "",
        range,
        above: None,
    });
    let question = Question { unknowns: unknowns.collect(), ..asked(&logs) };
    let found = fit(&Apart(waves()), &question, &Unwatched).unwrap();
    for n in &found.parameters[..3] {
        let said = n.estimate.reason.as_deref().unwrap();
        assert!(!n.estimate.identifiable && said.contains("only together with"), "{n:?}");
    }
    // The ratio of the first two is.
    let known = found
        .combinations
        .iter()
        .find(|c| c.what == "k / R")
        .unwrap_or_else(|| panic!("{:?}", found.combinations));
    let truth = MOTOR.torque_constant / MOTOR.resistance;
    let off = (known.value / truth - 1.0).abs();
    assert!(off < 4.0 * known.relative_error && known.relative_error < 0.01, "{known:?}, {truth}");
    let friction = &found.parameters[3].estimate;
    assert!(
        (friction.value.unwrap() - 0.015).abs() < 5.0 * friction.stderr.unwrap(),
        "{friction:?}"
    );
}

/// The numbers of a made-up servo come back from two logs; those of the motor that no log shows apart are named.
#[test]
fn a_made_up_servo_is_found() {
    let truth = [4.0, 2e-3, 4e-3, 0.02, 0.015];
    let load = Load { vertical: truth[3], ..LOAD };
    let law = || Law::coulomb(truth[4]).unwrap();
    let goal = |gain| Input::Goal { goal: waves(), gain, limit: 7.4 };
    let count = TAU / 4096.0;
    let mut logs = made(law(), goal(8.0), MOTOR, load, count);
    let more = made(law(), goal(20.0), MOTOR, load, count);
    let start = logs.time[999] + 0.006;
    let later: Vec<f64> = more.time.iter().map(|t| t + start).collect();
    logs.breaks.push(1000);
    logs.angle.extend(&more.angle);
    let values: Vec<f64> = later.iter().map(|t| waves().value(t - start)).collect();
    let again = Signal::sampled(&later, &values).unwrap();
    logs.inputs.push((start, Input::Goal { goal: again, gain: 20.0, limit: 7.4 }));
    logs.time.extend(later);
    let found = fitted(&logs);
    for (n, truth) in found.parameters.iter().zip(truth) {
        let (value, error) = (n.estimate.value.unwrap(), n.estimate.stderr.unwrap());
        println!("{:<20} {value} ± {error}, truth {truth}", n.name);
        assert!((value - truth).abs() < 4.0 * error && error < 0.05 * truth.abs(), "{}", n.name);
    }
    assert!(found.believed && found.pieces == 2 && found.gradient == "exact", "{found:?}");
}
