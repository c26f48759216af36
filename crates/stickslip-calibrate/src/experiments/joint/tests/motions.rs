//! The motion against the exact solver, and its derivatives against differences.

use super::{BOTH, LOAD, WAY, angles, apart, gradient_is_that_of_differences, log, small};
use crate::joint::gear::{Load, Way};
use crate::joint::motion::{Rig, Running, ShaftState, Told};
use crate::joint::search::{starts, sum, with_starts};
use crate::joint::{Slot, Ways};
use crate::servo;
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Law, Scheme, Signal, solve};

/// Coulomb's law and Stribeck's, with the voltage at its limit at times, against the solver with error control and located
/// events. The encoder of the servos for which the step was chosen has steps of 1.5e-3 rad.
#[test]
fn the_motion_is_that_of_the_exact_solver() {
    for (k, drop) in [(1, 0.0), (2, 0.0), (3, 0.02), (4, 0.02)] {
        let mut of = small();
        let mut log = log(k, LOAD);
        log.start = [0.0, 0.0];
        for way in &mut of.gear.ways {
            way.drop = drop;
        }
        let law = Law::stribeck_exponential(0.03 + drop, 0.03, WAY.velocity, 1.0, 0.0).unwrap();
        let motor =
            servo::Motor { torque_constant: 0.4, resistance: 4.0, armature: 0.004, damping: 0.01 };
        let load = servo::Load { inertia: 0.006, gravity: 0.5, vertical: 0.05 };
        let goal = Signal::sampled(&log.time, &log.goal).unwrap();
        let input = servo::Input::Goal { goal, gain: 20.0, limit: 7.0 };
        let end = *log.time.last().unwrap();
        let problem = servo::servo(law, motor, load, &input, [0.0, end]).unwrap();
        let motion = solve(&problem, &Scheme::Adaptive(adaptive::Options::default())).unwrap();
        let mut row = [0.0; 3];
        let exact: Vec<f64> = log
            .time
            .iter()
            .map(|t| {
                motion.row(*t, &mut row);
                row[0]
            })
            .collect();
        let [most, mean] = apart(&angles(&of, &log), &exact);
        assert!(most < 1.5e-3 && mean < 1.5e-4, "log {k}, drop {drop}: {most} {mean}");
    }
}

/// Goals that are told row by row lead to the angles of a log that is known as a whole, to the last bit.
#[test]
fn a_joint_that_is_told_its_goals_row_by_row_does_the_same() {
    let mut of = small();
    (of.drive.delay, of.drive.speed_limit) = (0.023, 1.7);
    let mut log = log(3, LOAD);
    log.enabled = (0..600).map(|i| !(300..380).contains(&i)).collect();
    let rig = Rig { load: LOAD, mounting: 0, gain: log.gain };
    let [angle, speed] = log.start;
    let mut running = Running::of(of, rig, log.goal[0], ShaftState { angle, speed });
    for (i, known) in angles(&of, &log).iter().enumerate() {
        if i > 0 {
            running.hear(&Told {
                time: [log.time[i - 1], log.time[i]],
                goal: [log.goal[i - 1], log.goal[i]],
                supply: 1.0,
                enabled: log.enabled[i - 1],
            });
        }
        assert_eq!(running.at.angle.to_bits(), known.to_bits(), "row {i}");
    }
}

/// A shaft at rest keeps its angle to the last bit, and one that is pushed by less than what holds it does not move.
#[test]
fn rest_is_exact() {
    let mut of = small();
    let mut log = log(1, Load { inertia: 0.006, gravity: 0.0 });
    of.drive.gain = 1.0;
    // 0.04 rad ask for 0.04 V, 0.004 N·m: less than 0.05 N·m.
    log.goal.iter_mut().enumerate().for_each(|(i, g)| *g = 0.1 + if i > 100 { 0.04 } else { 0.0 });
    assert!(angles(&of, &log).iter().all(|a| *a == 0.1));
    // 6 V, 0.6 N·m, move it.
    log.goal.iter_mut().for_each(|g| *g = 6.1);
    assert!(angles(&of, &log).last().unwrap() - 0.1 > 1.0);
}

/// A shaft that is held at first breaks away from rest, whatever speed its log is guessed to begin with: a speed v ≪ 1 is gone after
/// v²/2 of the deceleration. No angle depends on it to first order.
#[test]
fn a_shaft_that_is_held_forgets_its_speed() {
    let of = small();
    let mut log = log(2, Load { inertia: 0.006, gravity: 0.0 });
    log.start = [0.1, 0.0];
    log.goal.iter_mut().enumerate().for_each(|(i, g)| *g = if i < 100 { 0.1 } else { 0.9 });
    let from = starts(&[&log]);
    let part = sum(&with_starts(&of, &[], &[&log], &from, 1)[0]);
    // The angle that the shaft begins with counts, so that the comparison says something.
    assert!(part.gradient[0].abs() > 0.1 && part.gradient[1] == 0.0, "{:?}", part.gradient);
}

/// Every derivative against a central difference, on logs with sticks and slips, and with every term on.
#[test]
fn derivatives_are_those_of_differences() {
    let mut of = small();
    of.drive.delay = 0.013;
    of.drive.speed_limit = 1.6;
    of.drive.start = 0.1;
    of.drive.derivative = 0.3;
    for (slot, value) in [
        (Slot::Quadratic(BOTH), 0.002),
        (Slot::External(Ways::Forward), 0.04),
        (Slot::External(Ways::Backward), 0.07),
        (Slot::Motor(BOTH), 0.06),
        (Slot::Rest(BOTH), 0.4),
        (Slot::Driving(BOTH), 0.03),
        (Slot::BackDriven(BOTH), 0.05),
    ] {
        of.set(slot, value);
    }
    let slots = [
        Slot::Gain,
        Slot::Delay,
        Slot::SpeedLimit,
        Slot::Start,
        Slot::Derivative,
        Slot::Limit,
        Slot::TorqueConstant,
        Slot::Resistance,
        Slot::Armature,
        Slot::Vertical(None),
        Slot::Dynamic(Ways::Forward),
        Slot::Drop(Ways::Both),
        Slot::Velocity(Ways::Both),
        Slot::Viscous(Ways::Backward),
        Slot::Quadratic(Ways::Backward),
        Slot::External(Ways::Forward),
        Slot::External(Ways::Backward),
        Slot::Motor(BOTH),
        Slot::Rest(Ways::Forward),
        Slot::Driving(BOTH),
        Slot::BackDriven(BOTH),
    ];
    let moved = gradient_is_that_of_differences(&of, &slots, 5);
    let moved = moved.iter().filter(|m| **m > 1e-6).count();
    // Most numbers change the loss, so that the comparison above says something.
    assert!(moved > 14, "{moved}");
}

/// A voltage that is held from tick to tick, against the closed form of a shaft with viscous friction alone:
/// J w˙ = p u − c w,  so w = w₀ e^{−at} + (p u/c)(1 − e^{−at}) with a = c/J and c = viscous + k²/R, or viscous alone where u is a current.
#[test]
fn an_output_is_held_between_ticks() {
    for current in [false, true] {
        let mut of = small();
        let gain = if current { 0.3 } else { 3.0 };
        (of.drive.tick, of.drive.current, of.drive.gain) = (0.05, current, gain);
        for way in &mut of.gear.ways {
            *way = Way { dynamic: 0.0, drop: 0.0, ..*way };
        }
        let mut log = log(1, Load { inertia: 0.006, gravity: 0.0 });
        log.start = [0.1, 0.0];
        log.goal.iter_mut().enumerate().for_each(|(i, g)| *g = if i < 302 { 1.0 } else { -3.0 });
        let [push, braking] = if current { [0.4, 0.0] } else { [0.4 / 4.0, 0.04] };
        let damping = 0.01 + braking;
        let fall = (-damping / 0.01 * 0.01_f64).exp();
        let mut angle = 0.1;
        let mut speed = 0.0;
        let mut held = 0.0;
        let mut worst = 0.0_f64;
        for (i, found) in angles(&of, &log).iter().enumerate() {
            worst = worst.max((found - angle).abs());
            if i % 5 == 0 {
                held = (gain * (log.goal[i] - angle)).clamp(-7.0, 7.0);
            }
            let end = push * held / damping;
            let next = end + (speed - end) * fall;
            angle += end * 0.01 + (speed - end) * (1.0 - fall) * 0.01 / damping;
            speed = next;
        }
        assert!(worst < 2e-3, "current {current}: {worst}");
        // Without the ticks it is another motion.
        of.drive.tick = 0.0;
        let [most, _] = apart(&angles(&of, &log), &{
            of.drive.tick = 0.05;
            angles(&of, &log)
        });
        assert!(most > 0.01, "{most}");
    }
}
