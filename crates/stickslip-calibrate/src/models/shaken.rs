//! A model that tests fit to long records.

use super::{Family, Question, Sensor, Sought, Unknown};
use std::sync::Mutex;
use stickslip::{Law, Oscillator, Problem, Scheme, Signal};

/// Rows of a record, and the time between two of them, s.
pub const ROWS: usize = 60_000;
pub const STEP: f64 = 0.05;

/// A shaken mass with an unknown Coulomb force, and how long the motions were that it was asked for, s.
#[derive(Default)]
pub struct Shaken {
    pub lengths: Mutex<Vec<f64>>,
}

impl Shaken {
    /// The longest of them, s.
    pub fn longest(&self) -> f64 {
        self.lengths.lock().unwrap().iter().fold(0.0, |a: f64, b| a.max(*b))
    }
}

impl Family for Shaken {
    fn problem(&self, values: &[f64]) -> Result<Problem, stickslip::Error> {
        self.part(values, [0.0, STEP * (ROWS - 1) as f64]).unwrap()
    }

    fn part(
        &self,
        values: &[f64],
        [from, to]: [f64; 2],
    ) -> Option<Result<Problem, stickslip::Error>> {
        self.lengths.lock().unwrap().push(to - from);
        let drive = Signal::harmonic(1.0, 1.3, 0.0).window(from, to)?;
        let with = |law| Oscillator::new(1.0, 4.0, law).with_drive(drive);
        Some(Law::coulomb(values[0]).map(|law| Problem::new(with(law), to - from)))
    }
}

/// What is asked of such readings.
pub fn question(values: Vec<f64>) -> Question {
    let known = Sought::Known;
    let x = Sensor {
        what: "x".into(),
        unit: "m",
        values,
        gain: known(1.0),
        offset: known(0.0),
        delay: known(0.0),
        average: 0.0,
    };
    Question {
        time: (0..ROWS).map(|i| STEP * i as f64).collect(),
        breaks: vec![],
        sensors: vec![x],
        unknowns: vec![Unknown { name: "force".into(), unit: "N", range: [0.0, 3.0], above: None }],
        scheme: Scheme::Exact,
        start: true,
        pieces: None,
        compare: false,
        profile: false,
        seed: 1,
    }
}
