//! The gradient of a fit.

use super::super::least_squares::Least;
use super::super::{Sensor, Unknown};
use super::*;
use crate::control::Unwatched;
use crate::experiments::servo::{Input, Load, Motor, servo};
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Error, Law, Signal};

/// m, K, c, f_d, f_s − f_d of a shaken mass.
struct Rig;

impl Family for Rig {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        let times: Vec<f64> = (0..=300).map(|i| 0.05 * f64::from(i)).collect();
        let base: Vec<f64> =
            times.iter().map(|t| (1.3 * t).sin() + 0.3 * (0.4 * t).cos()).collect();
        let o = Oscillator::new(p[0], p[1], Law::static_dynamic(p[4], p[3])?)
            .with_damping(p[2])
            .with_drive(Signal::sampled(&times, &base)?);
        Ok(Problem::new(o, 15.0))
    }
}

fn question() -> Question {
    let time: Vec<f64> = (0..=300).map(|i| 0.05 * f64::from(i)).collect();
    let values: Vec<f64> = time.iter().map(|t| 0.8 * (1.3 * t - 0.3).sin()).collect();
    let sensor = |what: &str, gain| Sensor {
        what: what.to_owned(),
        unit: "m",
        values: values.clone(),
        gain,
        offset: Sought::Within([-1.0, 1.0]),
        delay: Sought::Within([-0.1, 0.1]),
        average: 0.0,
    };
    let unknown = |(name, above): (&str, Option<usize>)| Unknown {
        name: name.to_owned(),
        unit: "",
        range: [0.0, 20.0],
        above,
    };
    let names = [("m", None), ("K", None), ("c", None), ("dynamic", None), ("static", Some(3))];
    Question {
        breaks: Vec::new(),
        sensors: vec![
            sensor("x", Sought::Within([0.5, 2.0])),
            sensor("v", Sought::Known(1.0)),
            sensor("friction", Sought::Known(1.0)),
        ],
        unknowns: names.into_iter().map(unknown).collect(),
        time,
        scheme: Scheme::Exact,
        start: true,
        pieces: None,
        compare: false,
        profile: false,
        seed: 1,
    }
}

/// Every column of the gradient against divided differences of the solution, in pieces and in one. `bound`: of the share
/// of a column by which they may differ.
fn agrees(base: &Setup<'_>, numbers: &[f64], bound: f64) {
    let rows = base.question.time.len();
    let whole = std::iter::once(0..rows).collect();
    for pieces in [whole, vec![0..rows / 2, rows / 2..rows]] {
        let setup = base.in_pieces(&pieces, true);
        let mut p = numbers.to_vec();
        for piece in &setup.pieces {
            p.extend([piece.guess.x, piece.guess.v + 0.3]);
        }
        let motions = setup.motions(&p).unwrap();
        assert!(setup.exactly(&p, &motions).is_some());
        let columns = Least::at(&setup, p.clone()).unwrap().columns;
        assert_eq!(columns.len(), p.len());
        for (k, column) in columns.iter().enumerate() {
            let other = setup.by_differences(&p, k).unwrap();
            let most = other.iter().fold(1e-6, |m: f64, v| m.max(v.abs()));
            let mut apart: Vec<f64> =
                column.iter().zip(&other).map(|(a, b)| (a - b).abs() / most).collect();
            // A row beside an event may lie on either side of it in one of the solutions.
            apart.sort_unstable_by(f64::total_cmp);
            assert!(apart[apart.len() - 4] < bound, "{k} {:?}", &apart[apart.len() - 6..]);
        }
    }
}

#[test]
fn the_gradient_agrees_with_divided_differences() {
    let question = question();
    let base = Setup::new(&Rig, &question, &Unwatched);
    let numbers = [1.2, 4.0, 0.3, 0.5, 0.15, 1.1, 0.05, 0.013, -0.02, 0.007, 0.03, -0.011];
    agrees(&base, &numbers, 2e-4);
}

/// The same of sensors that show means, over an interval longer than that of the rows and over one that is as long. A mean of
/// friction has no such gradient: its jumps move.
#[test]
fn the_gradient_of_means_agrees_with_divided_differences() {
    let mut question = question();
    for (sensor, average) in question.sensors.iter_mut().zip([0.05, 0.12]) {
        sensor.average = average;
    }
    let numbers = [1.2, 4.0, 0.3, 0.5, 0.15, 1.1, 0.05, 0.013, -0.02, 0.007, 0.03, -0.011];
    agrees(&Setup::new(&Rig, &question, &Unwatched), &numbers, 2e-4);

    question.sensors[2].average = 0.02;
    let setup = Setup::new(&Rig, &question, &Unwatched);
    let p = [&numbers[..], &[0.0, 0.3]].concat();
    let motions = setup.motions(&p).unwrap();
    assert!(setup.exactly(&p, &motions).is_none());
}

/// Resistance, armature, damping, vertical, f_d, f_s − f_d of a servo that swings a pendulum; a Stribeck velocity, where it is
/// sought.
struct Swing {
    limit: f64,
    stribeck: bool,
}

impl Family for Swing {
    fn problem(&self, p: &[f64]) -> Result<Problem, Error> {
        self.part(p, [0.0, 4.0]).unwrap()
    }

    fn part(&self, p: &[f64], span: [f64; 2]) -> Option<Result<Problem, Error>> {
        let motor = Motor { torque_constant: 0.3, resistance: p[0], armature: p[1], damping: p[2] };
        let load = Load { inertia: 5e-3, gravity: 0.49, vertical: p[3] };
        let times: Vec<f64> = (0..=400).map(|i| 0.01 * f64::from(i)).collect();
        let goal = times.iter().map(|t| 0.9 * (2.1 * t).sin() + 0.5 * (5.3 * t).sin());
        let goal = Signal::sampled(&times, &goal.collect::<Vec<f64>>()).ok()?;
        let input = Input::Goal { goal, gain: 12.0, limit: self.limit };
        let law = if self.stribeck {
            Law::stribeck_exponential(p[5], p[4], p[6], 1.0, 0.0)
        } else {
            Law::static_dynamic(p[5], p[4])
        };
        Some(law.and_then(|law| servo(law, motor, load, &input, span)))
    }
}

/// The angle of a servo, and its unknowns.
fn servo_question(options: adaptive::Options, is_stribeck: bool) -> Question {
    let mut question = question();
    question.time = (0..=400).map(|i| 0.01 * f64::from(i)).collect();
    question.scheme = Scheme::Adaptive(options);
    let values = question.time.iter().map(|t| 0.8 * (2.1 * t - 0.3).sin()).collect();
    let known = Sought::Known;
    question.sensors = vec![Sensor {
        what: "x".to_owned(),
        unit: "rad",
        values,
        gain: known(1.0),
        offset: known(0.0),
        delay: known(0.0),
        average: 0.0,
    }];
    let names = ["R", "armature", "c", "vertical", "dynamic", "static", "velocity"];
    // A range sets the step of the differences, which must be far above the errors of the solution.
    let ranges = [20.0, 0.02, 0.1, 100.0, 100.0, 100.0, 5.0];
    let count = if is_stribeck { 7 } else { 6 };
    question.unknowns.clear();
    for (k, (name, to)) in names.into_iter().zip(ranges).take(count).enumerate() {
        let above = (k == 5).then_some(4);
        question.unknowns.push(Unknown {
            name: name.to_owned(),
            unit: "",
            range: [0.0, to],
            above,
        });
    }
    question
}

/// R, armature, c, vertical, f_d, f_s − f_d, Stribeck velocity of the servos below.
const SERVO: [f64; 7] = [4.0, 2e-3, 4e-3, 0.05, 0.015, 0.006, 0.8];
/// Limits of the voltage, and whether the friction falls with the velocity.
const SERVOS: [(f64, bool); 3] = [(f64::INFINITY, false), (2.5, false), (2.5, true)];

fn adaptive_to(rtol: f64) -> adaptive::Options {
    let mut options = adaptive::Options::default();
    (options.rtol, options.atol) = (rtol, 1e-2 * rtol);
    options
}

/// The same of servos: a voltage that is cut off at its limit, gravity, and a friction that falls with the velocity. The
/// differences are the coarser side: over a corner of the voltage a solution is good to its tolerance, 1e-13, and they divide
/// that by steps of 1e-8 and more.
#[test]
fn the_gradient_of_a_servo_agrees_with_divided_differences() {
    for (limit, stribeck) in SERVOS {
        let question = servo_question(adaptive_to(1e-13), stribeck);
        let family = Swing { limit, stribeck };
        let base = Setup::new(&family, &question, &Unwatched);
        let bound = if limit.is_finite() { 1e-4 } else { 1e-6 };
        agrees(&base, &SERVO[..question.unknowns.len()], bound);
    }
}

/// The steps of a coarser solution pass over the corners of the voltage, where ∂a/∂x jumps; the derivatives do not suffer.
#[test]
fn the_gradient_of_a_servo_hardly_depends_on_the_steps() {
    for (limit, stribeck) in SERVOS {
        let family = Swing { limit, stribeck };
        let at = |rtol: f64| {
            let question = servo_question(adaptive_to(rtol), stribeck);
            let base = Setup::new(&family, &question, &Unwatched);
            let setup = base.in_pieces(std::slice::from_ref(&(0..question.time.len())), true);
            let mut p = SERVO[..question.unknowns.len()].to_vec();
            p.extend([setup.pieces[0].guess.x, setup.pieces[0].guess.v + 0.3]);
            Least::at(&setup, p.clone()).unwrap().columns
        };
        for (k, (a, b)) in at(1e-13).iter().zip(at(1e-9)).enumerate() {
            let most = a.iter().fold(1e-6, |m: f64, v| m.max(v.abs()));
            let apart = a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(apart < 1e-5 * most, "{limit} {k}: {:.1e}", apart / most);
        }
    }
}
