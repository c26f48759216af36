//! Servos: against an integration of another kind, and twins.

use crate::campaign::{Tally, campaign};
use crate::common::{Noise, sized};
use crate::servo_logs::{EXPONENT, LOAD, Logs, TORQUE_CONSTANT, asked, compared, fitted, scheme};
use std::f64::consts::TAU;
use stickslip::{Error, Law, Problem, Signal, solve};
use stickslip_calibrate::Unwatched;
use stickslip_calibrate::models::{Family, Question, Unknown, fit};
use stickslip_calibrate::servo::{Input, Load, Motor, servo};

/// Logs of one that has a Stribeck effect, and of one that has not.
#[test]
fn a_stribeck_effect_is_found_where_there_is_one() {
    let input = || Input::Goal { goal: waves(), gain: 12.0, limit: 7.4 };
    let said = |law: Law| {
        let logs = made_in(sized(200, 1000), law, input(), MOTOR, LOAD, 1e-3);
        compared(&logs).into_iter().find(|a| a.0 == "stribeck").unwrap().1
    };
    let falls = Law::stribeck_exponential(0.06, 0.02, 0.6, 1.0, 0.0).unwrap();
    assert_eq!(said(falls), "yes");
    assert_ne!(said(Law::coulomb(0.03).unwrap()), "yes");
}

/// What is said of the log of a random servo with a force or one that falls: what is fitted with the law of the servo holds the truth, and
/// a fall is neither invented nor denied where it is a half and more.
fn one_servo(seed: u64, tally: &mut Tally) {
    let mut draw = Noise::new(seed + 12_000_000);
    let mut between = |a: f64, b: f64| a + (b - a) * draw.unit();
    let force = between(0.015, 0.04);
    let more = between(1.6, 2.5);
    let falls = seed % 2 == 1;
    let law = if falls {
        Law::stribeck_exponential(more * force, force, between(0.2, 0.8), 1.0, 0.0)
    } else {
        Law::coulomb(force)
    };
    let motor = Motor {
        resistance: between(3.0, 6.0),
        armature: between(1e-3, 4e-3),
        damping: between(2e-3, 8e-3),
        ..MOTOR
    };
    let gain = between(8.0, 25.0);
    let input = Input::Goal { goal: waves(), gain, limit: 7.4 };
    let logs = made(law.unwrap(), input, motor, LOAD, TAU / 4096.0);
    let found = fit(&logs, &Question { compare: true, ..asked(&logs) }, &Unwatched).unwrap();
    for answer in &found.comparison.as_ref().unwrap().answers {
        let (there, shown, denied) = match answer.what {
            "dry-friction" => (true, "dry friction", "no dry friction"),
            "asymmetric" => (false, "differs by direction", "alike in both directions"),
            _ => (falls, "falls, or is more at rest", "does not fall"),
        };
        match answer.verdict {
            "yes" => tally.judged(seed, shown, there, &answer.sentence),
            "no" => tally.judged(seed, denied, !there, &answer.sentence),
            _ => tally.add("not decided"),
        }
    }
    if falls {
        tally.said(seed, "another law is not called clean", !found.plausible, &found.warnings);
    } else if found.plausible {
        tally.add("believed");
        let truth = [motor.resistance, motor.armature, motor.damping, LOAD.vertical, force];
        for (parameter, truth) in found.parameters.iter().zip(truth) {
            tally.interval(&parameter.estimate, truth);
        }
    } else {
        tally.add("not believed");
    }
}

/// Minutes: `STICKSLIP_PROBLEMS=40 cargo test -p stickslip-calibrate --test all campaign_of_servos -- --ignored --nocapture`.
#[test]
#[ignore = "a campaign"]
fn campaign_of_servos() {
    campaign(one_servo).check("servos");
}

/// Of healthy servos, with a force and with one that falls, few are told that their residuals are more than noise: one in fifty is the
/// aim. They rub by the very law that is fitted; with another exponent, the fits leave more than rounding and are doubted rightly. Angles are
/// rounded to 12 bits, with and without noise of one count before that.
#[test]
#[ignore = "minutes"]
fn healthy_servos_are_rarely_doubted() {
    let count: u64 = std::env::var("STICKSLIP_PROBLEMS").map_or(60, |n| n.parse().unwrap());
    let [mut all, mut doubted] = [0; 2];
    for seed in 0..count {
        let mut draw = Noise::new(seed + 13_000_000);
        let mut between = |a: f64, b: f64| a + (b - a) * draw.unit();
        let force = between(0.015, 0.04);
        let falls = seed % 2 == 1;
        let law = match falls {
            true => Law::stribeck_exponential(
                between(1.6, 2.5) * force,
                force,
                between(0.2, 0.8),
                EXPONENT,
                0.0,
            ),
            false => Law::coulomb(force),
        };
        let motor = Motor {
            resistance: between(3.0, 6.0),
            armature: between(1e-3, 4e-3),
            damping: between(2e-3, 8e-3),
            ..MOTOR
        };
        let input = Input::Goal { goal: waves(), gain: between(8.0, 25.0), limit: 7.4 };
        let step = TAU / 4096.0;
        let mut logs = made(law.unwrap(), input, motor, LOAD, 1e-12);
        let noise = if seed % 4 < 2 { 0.0 } else { step };
        for angle in &mut logs.angle {
            *angle = ((*angle + noise * draw.normal()) / step).round() * step;
        }
        logs.stribeck = falls;
        let found = fitted(&logs);
        let said = found.warnings.iter().find(|w| w.contains("the residuals of the measured"));
        all += 1;
        doubted += usize::from(said.is_some());
        said.iter().for_each(|w| println!("{seed}: {w}"));
    }
    println!("{doubted} of {all}");
    // Of 60 with one in fifty on average, five and more come once in 150.
    assert!(12 * doubted < all, "{doubted} of {all}");
}

/// One log of a made-up servo, its angles rounded to `count`.
fn made(law: Law, input: Input, motor: Motor, load: Load, count: f64) -> Logs {
    made_in(1000, law, input, motor, load, count)
}

/// In so many rows of 6 ms.
fn made_in(rows: u32, law: Law, input: Input, motor: Motor, load: Load, count: f64) -> Logs {
    let end = 6e-3 * f64::from(rows);
    let problem = servo(law, motor, load, &input, [0.0, end]).unwrap();
    let motion = solve(&problem, &scheme()).unwrap();
    let time: Vec<f64> = (0..rows).map(|i| 6e-3 * f64::from(i)).collect();
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
    let law = Law::coulomb(0.015).unwrap();
    let logs = made_in(sized(500, 1000), law, input, MOTOR, LOAD, TAU / 4096.0);
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
    let units: Vec<_> = found.start.iter().map(|n| n.estimate.unit).collect();
    assert_eq!(units, ["rad", "rad/s"]);
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
    let rows = sized(600, 1000);
    let mut logs = made_in(rows, law(), goal(8.0), MOTOR, load, count);
    let more = made_in(rows, law(), goal(20.0), MOTOR, load, count);
    let rows = rows as usize;
    let start = logs.time[rows - 1] + 0.006;
    let later: Vec<f64> = more.time.iter().map(|t| t + start).collect();
    logs.breaks.push(rows);
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
    assert!(found.plausible && found.pieces == 2 && found.gradient == "exact", "{found:?}");
}
