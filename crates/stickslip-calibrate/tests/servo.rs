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
            return Law::stribeck_exponential(p[5], p[4], p[6], 1.0, 0.0);
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
    let make = |(name, unit, range, above): (&str, &'static str, [f64; 2], Option<usize>)| Unknown {
        name: name.to_owned(),
        unit,
        range,
        above,
    };
    all.into_iter().take(count).map(make).collect()
}

fn fitted(logs: &Logs) -> ModelFit {
    let [gain, offset, delay] = [1.0, 0.0, 0.0].map(Sought::Known);
    let values = logs.angle.clone();
    let angle = Sensor { what: "x".into(), unit: "rad", values, gain, offset, delay };
    let question = Question {
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
    };
    fit(logs, &question, &Unwatched).unwrap()
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

const SINES: [&str; 4] = ["00_sin_sin_kp100", "04_sin_sin_kp200", "08_sin_sin_kp400", "12_sin_sin_kp800"];
const LIFTS: [&str; 4] =
    ["02_up_and_down_kp100", "06_up_and_down_kp200", "10_up_and_down_kp400", "14_up_and_down_kp800"];

#[test]
fn the_logs_of_a_public_servo() {
    let Some(all) = public(&[SINES, LIFTS].concat(), false) else { return };
    let begun = std::time::Instant::now();
    let found = fitted(&all);
    println!("{:.1} s, {} motions, {}", begun.elapsed().as_secs_f64(), found.evaluations, found.gradient);
    for n in &found.parameters {
        println!("{:<20} {:?} {:?}", n.name, n.estimate.value, n.estimate.ci95);
    }
    println!("{:?} {:?}", found.measured, found.warnings);
    let ours: Vec<f64> = found.parameters.iter().map(|n| n.estimate.value.unwrap()).collect();
    let theirs = [4.017_129, 0.001_814_167, 0.003_661_672, -0.030_871, 0.012_832_72];
    let (ours, theirs) = (errors(&all, &ours), errors(&all, &theirs));
    println!("{ours:?} {theirs:?}");
    let mean = |e: &[f64]| e.iter().sum::<f64>() / e.len() as f64;
    println!("{} {}", mean(&ours), mean(&theirs));
}
