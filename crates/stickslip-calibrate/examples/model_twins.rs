//! Twins of a shaken rig and of a servo: synthetic records, fitted, and how often the 95 % intervals hold the truth. Then one record of
//! 10⁴ samples with five unknowns, timed (RAYON_NUM_THREADS=1: on one core).
//!
//! `cargo run --release -p stickslip-calibrate --example model_twins -- 100`; `-- 100 servo`: servos alone; STICKSLIP_SHOW=1
//! names every interval that misses the truth.

#![allow(clippy::unwrap_used, reason = "a study that cannot go on should stop")]

use std::time::Instant;
use stickslip::scheme::oscillator::adaptive;
use stickslip::signal::noise::{normal_pair, philox4x32};
use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal, solve};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, ModelFit, Question, Sensor, Sought, Unknown, fit};
use stickslip_calibrate::servo::{Input, Load, Motor, servo};

/// Uniform numbers of a seed.
struct Draws(u64, u64);

impl Draws {
    fn words(&mut self) -> [u64; 2] {
        self.1 += 1;
        let [a, b, c, d] = philox4x32([self.1, 0, 7, 0], [self.0 as u32, 0]);
        [a << 32 | b, c << 32 | d]
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.words()[0] >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let [a, b] = self.words();
        normal_pair(a, b).0
    }
}

/// What is sought: damping, f_d, f_s, and for the long record stiffness and mass scaled by a known force too.
struct Rig {
    base: Signal,
    end: f64,
}

const NAMES: [&str; 5] = [
    "oscillator.stiffness",
    "oscillator.damping",
    "oscillator.friction.dynamic",
    "oscillator.friction.static",
    "oscillator.mass",
];

impl Family for Rig {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        let o = Oscillator::new(p[4], p[0], Law::static_dynamic(p[3], p[2])?)
            .with_damping(p[1])
            .with_drive(self.base.clone())
            .with_force(Signal::harmonic(0.6, 2.1, 0.0));
        Ok(Problem::new(o, self.end))
    }
}

fn rig(rows: usize, step: f64, draws: &mut Draws) -> Rig {
    let waves: Vec<[f64; 3]> = (0..3)
        .map(|_| {
            [
                draws.within(0.3, 1.0),
                draws.within(0.3, 1.6),
                draws.within(0.0, std::f64::consts::TAU),
            ]
        })
        .collect();
    let times: Vec<f64> = (0..rows).map(|i| step * i as f64).collect();
    let base = |t: &f64| waves.iter().map(|[a, w, p]| a * (w * t + p).sin()).sum::<f64>();
    let values: Vec<f64> = times.iter().map(base).collect();
    Rig { base: Signal::sampled(&times, &values).unwrap(), end: step * (rows - 1) as f64 }
}

fn measured(
    rig: &Rig,
    truth: &[f64],
    (rows, step, noise): (usize, f64, f64),
    draws: &mut Draws,
) -> Vec<f64> {
    let solution = solve(&rig.problem(truth).unwrap(), &Scheme::Exact).unwrap();
    let (mut rows_of, mut row) = (solution.rows(), [0.0; 3]);
    (0..rows)
        .map(|i| {
            rows_of.at((step * i as f64).min(rig.end), &mut row);
            row[0] + noise * draws.normal()
        })
        .collect()
}

fn question(time: Vec<f64>, values: Vec<f64>) -> Question {
    let [gain, offset, delay] = [1.0, 0.0, 0.0].map(Sought::Known);
    let ranges = [[0.5, 20.0], [0.0, 3.0], [0.0, 4.0], [0.0, 4.0], [0.2, 5.0]];
    let unknowns = NAMES.iter().zip(ranges).enumerate().map(|(k, (name, range))| Unknown {
        name: (*name).to_owned(),
        unit: "",
        range,
        above: (k == 3).then_some(2),
    });
    Question {
        time,
        breaks: Vec::new(),
        sensors: vec![Sensor { what: "x".into(), unit: "m", values, gain, offset, delay }],
        unknowns: unknowns.collect(),
        scheme: Scheme::Exact,
        start: true,
        pieces: None,
        compare: false,
        profile: false,
        seed: 1,
    }
}

fn one(seed: u64, rows: usize, step: f64) -> (Vec<f64>, Option<ModelFit>, f64) {
    let mut draws = Draws(seed, 0);
    let rig = rig(rows, step, &mut draws);
    let dynamic = draws.within(0.3, 1.0);
    let truth = vec![
        draws.within(2.0, 6.0),
        draws.within(0.05, 0.6),
        dynamic,
        dynamic * draws.within(1.0, 1.5),
        draws.within(0.7, 1.5),
    ];
    let noise = draws.within(0.003, 0.03);
    let values = measured(&rig, &truth, (rows, step, noise), &mut draws);
    let clean = measured(&rig, &truth, (rows, step, 0.0), &mut draws);
    let squares: f64 = values.iter().zip(&clean).map(|(a, b)| (a - b) * (a - b)).sum();
    let time = (0..rows).map(|i| (step * i as f64).min(rig.end)).collect();
    let question = question(time, values);
    let begun = Instant::now();
    let found = fit(&rig, &question, &Unwatched);
    let seconds = begun.elapsed().as_secs_f64();
    if let Err(e) = &found {
        println!("record {seed}: {e}");
    }
    // What the truth leaves stands behind the numbers.
    let truth = [truth, vec![(squares / rows as f64).sqrt()]].concat();
    (truth, found.ok(), seconds)
}

/// A servo that swings a pendulum: resistance, armature, damping, f_d, f_s.
struct Swing(Signal);

const OF_SERVO: [(&str, [f64; 2]); 5] = [
    ("resistance", [1.0, 20.0]),
    ("armature", [1e-4, 2e-2]),
    ("damping", [0.0, 0.1]),
    ("friction.static-dynamic.dynamic", [0.0, 0.1]),
    ("friction.static-dynamic.static", [0.0, 0.1]),
];

impl Family for Swing {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        self.part(p, [0.0, 6.0]).unwrap()
    }

    fn part(&self, p: &[f64], span: [f64; 2]) -> Option<Result<Problem, Error>> {
        let motor = Motor { torque_constant: 0.3, resistance: p[0], armature: p[1], damping: p[2] };
        let load = Load { inertia: 5e-3, gravity: 0.49, vertical: 0.0 };
        let input = Input::Goal { goal: self.0.clone(), gain: 12.0, limit: 7.4 };
        Some(Law::static_dynamic(p[4], p[3]).and_then(|law| servo(law, motor, load, &input, span)))
    }
}

fn swing(seed: u64) -> (Vec<f64>, Option<ModelFit>) {
    let mut draws = Draws(seed, 1 << 32);
    let waves: Vec<[f64; 3]> = (0..2)
        .map(|i| {
            let fast = f64::from(1 + 2 * i);
            [draws.within(0.4, 1.0), fast * draws.within(1.2, 2.5), draws.within(0.0, 6.2)]
        })
        .collect();
    let time: Vec<f64> = (0..1001).map(|i| 6e-3 * f64::from(i)).collect();
    let goal = |t: &f64| waves.iter().map(|[a, w, p]| a * (w * t + p).sin()).sum::<f64>();
    let goal: Vec<f64> = time.iter().map(goal).collect();
    let family = Swing(Signal::sampled(&time, &goal).unwrap());
    let dynamic = draws.within(0.008, 0.03);
    let truth = vec![
        draws.within(3.0, 6.0),
        draws.within(1e-3, 4e-3),
        draws.within(2e-3, 8e-3),
        dynamic,
        dynamic * draws.within(1.0, 1.8),
    ];
    let noise = draws.within(4e-4, 3e-3);
    let scheme = Scheme::Adaptive(adaptive::Options::default());
    let solution = solve(&family.problem(&truth).unwrap(), &scheme).unwrap();
    let (mut rows, mut row) = (solution.rows(), [0.0; 3]);
    let mut read = |t: &f64| {
        rows.at(t.min(6.0), &mut row);
        row[0] + noise * draws.normal()
    };
    let values = time.iter().map(&mut read).collect();
    let mut question = question(time, values);
    question.scheme = scheme;
    question.unknowns.clear();
    for (k, (name, range)) in OF_SERVO.into_iter().enumerate() {
        let above = (k == 4).then_some(3);
        question.unknowns.push(Unknown { name: name.to_owned(), unit: "", range, above });
    }
    let found = fit(&family, &question, &Unwatched);
    if let Err(e) = &found {
        println!("servo {seed}: {e}");
    }
    let truth = [truth, vec![noise]].concat();
    (truth, found.ok())
}

/// How often the intervals of `count` records hold the truth.
fn covered(names: [&str; 5], count: u64, record: &dyn Fn(u64) -> (Vec<f64>, Option<ModelFit>)) {
    let (mut inside, mut known, mut wrong, mut doubted, mut none) = ([0; 5], [0; 5], 0, 0, 0);
    let shown = std::env::var_os("STICKSLIP_SHOW").is_some();
    for seed in 0..count {
        let (truth, Some(found)) = record(seed) else {
            none += 1;
            continue;
        };
        let mut far = false;
        for (k, n) in found.parameters.iter().enumerate() {
            let (Some(value), Some([low, high]), Some(error)) =
                (n.estimate.value, n.estimate.ci95, n.estimate.stderr)
            else {
                continue;
            };
            known[k] += 1;
            let holds = (low..=high).contains(&truth[k]);
            inside[k] += usize::from(holds);
            if !holds && shown {
                println!(
                    "record {seed}: {} {value} ± {error}, {low} to {high}, truth {}; {:.4e} left, {:.4e} with the truth",
                    names[k], truth[k], found.rmse, truth[5]
                );
            }
            let half = 0.5 * (high - low).max(2.0 * error);
            far |= (value - truth[k]).abs() > 2.5 * half && (value / truth[k] - 1.0).abs() > 0.02;
        }
        doubted += usize::from(!found.believed);
        if far {
            println!(
                "record {seed} is far off; believed: {}; {:?} {:?} {:?}",
                found.believed, truth, found.parameters, found.warnings
            );
            wrong += usize::from(found.believed);
        }
    }
    for k in 0..5 {
        println!("{:<32} {} of {} intervals hold the truth", names[k], inside[k], known[k]);
    }
    println!(
        "{doubted} of {count} fits are doubted, {none} gave nothing; {wrong} are far off and believed"
    );
}

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(100);
    let only_servo = std::env::args().nth(2).is_some_and(|a| a == "servo");
    let rigs = if only_servo { 0 } else { count };
    covered(NAMES, rigs, &|seed| {
        let (truth, found, _) = one(seed, 1200, 0.05);
        (truth, found)
    });
    covered(OF_SERVO.map(|o| o.0), count, &swing);
    if only_servo {
        return;
    }
    let (truth, found, seconds) = one(1000, 10_000, 0.01);
    let found = found.unwrap();
    println!(
        "10000 samples, five unknowns: {seconds:.2} s, {} motions, gradient {}",
        found.evaluations, found.gradient
    );
    println!(
        "  {:.3e} left, noise of the readings {:.3e}, in {} piece(s), believed: {}, {:?}",
        found.rmse, found.measured[0].noise, found.pieces, found.believed, found.warnings
    );
    for (n, t) in found.parameters.iter().zip(truth) {
        println!("  {:<32} {:?} ± {:?}, truth {t:.5}", n.name, n.estimate.value, n.estimate.stderr);
    }
}
