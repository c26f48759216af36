//! Twins of a shaken rig: synthetic records, fitted, and how often the 95 % intervals hold the truth. Then one record of
//! 10⁴ samples with five unknowns, timed (RAYON_NUM_THREADS=1: on one core).
//!
//! `cargo run --release -p stickslip-calibrate --example model_twins -- 100`

#![allow(clippy::unwrap_used, reason = "a study that cannot go on should stop")]

use std::time::Instant;
use stickslip::signal::noise::{normal_pair, philox4x32};
use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal, solve};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, ModelFit, Question, Sensor, Sought, Unknown, fit};

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
    let time = (0..rows).map(|i| (step * i as f64).min(rig.end)).collect();
    let question = question(time, values);
    let begun = Instant::now();
    let found = fit(&rig, &question, &Unwatched);
    let seconds = begun.elapsed().as_secs_f64();
    if let Err(e) = &found {
        println!("record {seed}: {e}");
    }
    (truth, found.ok(), seconds)
}

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(100);
    let (mut inside, mut known, mut wrong, mut doubted) = ([0; 5], [0; 5], 0, 0);
    for seed in 0..count {
        let (truth, found, _) = one(seed, 1200, 0.05);
        let Some(found) = found else { continue };
        let mut far = false;
        for (k, n) in found.parameters.iter().enumerate() {
            let (Some(value), Some([low, high]), Some(error)) =
                (n.estimate.value, n.estimate.ci95, n.estimate.stderr)
            else {
                continue;
            };
            known[k] += 1;
            inside[k] += usize::from((low..=high).contains(&truth[k]));
            far |= (value - truth[k]).abs() > 5.0 * error && (value / truth[k] - 1.0).abs() > 0.02;
        }
        doubted += usize::from(!found.believed);
        if far {
            println!(
                "record {seed} is far off; believed: {}; {:?} {:?}",
                found.believed, truth, found.warnings
            );
            wrong += usize::from(found.believed);
        }
    }
    for k in 0..5 {
        println!("{:<32} {} of {} intervals hold the truth", NAMES[k], inside[k], known[k]);
    }
    println!("{doubted} of {count} fits are doubted; {wrong} are far off and believed");
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
