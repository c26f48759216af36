//! A mass on a frame whose base is shaken.

use crate::draws::Draws;
use crate::table::Record;
use std::time::Instant;
use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal, solve};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, ModelFit, Question, Sensor, Sought, Unknown, fit};

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
    rows: usize,
    step: f64,
    noise: f64,
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

/// One column of displacements, and the numbers of the rig.
pub fn question(time: Vec<f64>, values: Vec<f64>) -> Question {
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
        sensors: vec![Sensor {
            what: "x".into(),
            unit: "m",
            values,
            gain,
            offset,
            delay,
            average: 0.0,
        }],
        unknowns: unknowns.collect(),
        scheme: Scheme::Exact,
        start: true,
        pieces: None,
        compare: false,
        profile: false,
        seed: 1,
    }
}

/// Damping, both frictions, stiffness and mass of a shaken rig; and the seconds of the fit.
pub fn fitted(seed: u64, rows: usize, step: f64) -> (Record, Option<ModelFit>, f64) {
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
    let values = measured(&rig, &truth, rows, step, noise, &mut draws);
    let clean = measured(&rig, &truth, rows, step, 0.0, &mut draws);
    let squares: f64 = values.iter().zip(&clean).map(|(a, b)| (a - b) * (a - b)).sum();
    let time = (0..rows).map(|i| (step * i as f64).min(rig.end)).collect();
    let question = question(time, values);
    let begun = Instant::now();
    let found = fit(&rig, &question, &Unwatched);
    let seconds = begun.elapsed().as_secs_f64();
    if let Err(e) = &found {
        println!("rig {seed}: {e}");
    }
    let found = found.ok();
    let left = (squares / rows as f64).sqrt();
    (Record::of(&NAMES, &truth, found.as_ref(), left), found, seconds)
}
