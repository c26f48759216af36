//! Logs of servos that swing a pendulum, and questions about them.

use stickslip::scheme::oscillator::adaptive;
use stickslip::{Error, Law, Problem, Scheme};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, ModelFit, Question, Sensor, Unknown, fit};
use stickslip_calibrate::servo::{Input, Load, Motor, servo};

use crate::common::asked;

/// A pendulum of 0.49 kg at 0.1 m, as in the logs.
pub const LOAD: Load = Load { inertia: 0.49 * 0.01, gravity: 0.49 * 9.806_65 * 0.1, vertical: 0.0 };

pub fn scheme() -> Scheme {
    Scheme::Adaptive(adaptive::Options::default())
}

/// Of the published Stribeck law.
pub const EXPONENT: f64 = 1.363_645;

/// Several logs, one after the other on one axis of time.
pub struct Logs {
    pub time: Vec<f64>,
    pub angle: Vec<f64>,
    pub breaks: Vec<usize>,
    pub inputs: Vec<(f64, Input)>,
    pub stribeck: bool,
}

/// The torque constant that is taken as known: a log does not tell it from the damping.
pub const TORQUE_CONSTANT: f64 = 0.386_696;

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

pub fn unknowns(stribeck: bool) -> Vec<Unknown> {
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

pub fn asked(logs: &Logs) -> Question {
    let angle = Sensor { unit: "rad", ..asked::sensor("x", logs.angle.clone()) };
    let question = asked::question(logs.time.clone(), vec![angle], unknowns(logs.stribeck));
    Question { breaks: logs.breaks.clone(), scheme: scheme(), ..question }
}

pub fn fitted(logs: &Logs) -> ModelFit {
    fit(logs, &asked(logs), &Unwatched).unwrap()
}

/// What the comparison of friction laws says of `logs`, printed.
pub fn compared(logs: &Logs) -> Vec<(&'static str, &'static str)> {
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
