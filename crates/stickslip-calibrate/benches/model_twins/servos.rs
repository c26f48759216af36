//! A servo under a controller that swings a pendulum.

use crate::draws::Draws;
use crate::rig::question;
use crate::table::Record;
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Error, Law, Problem, Scheme, Signal, solve};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, Unknown, fit};
use stickslip_calibrate::servo::{Input, Load, Motor, servo};

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

/// The servo of a seed, fitted.
pub fn fitted(seed: u64) -> Record {
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
    let mut squares = 0.0;
    let mut read = |t: &f64| {
        rows.at(t.min(6.0), &mut row);
        let by = noise * draws.normal();
        squares += by * by;
        row[0] + by
    };
    let values: Vec<f64> = time.iter().map(&mut read).collect();
    let left = (squares / values.len() as f64).sqrt();
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
    Record::of(&OF_SERVO.map(|o| o.0), &truth, found.ok().as_ref(), left)
}
