//! Logs of a servo that swings three loads, and their index.

use super::{Record, noise};
use std::fmt::Write;
use stickslip::portable;
use stickslip_calibrate::joint::drive::Drive;
use stickslip_calibrate::joint::gear::{Gear, Load, Way};
use stickslip_calibrate::joint::logs::Log;
use stickslip_calibrate::joint::motion::replay;
use stickslip_calibrate::joint::{Joint, MOUNTINGS};

/// Masses, kg, at the end of an arm, m.
const MASSES: [f64; 3] = [0.3, 0.6, 0.9];
const ARM: f64 = 0.12;
const GRAVITY: f64 = 9.806_65;
/// Factors of the gain, for each load.
const GAINS: [f64; 3] = [8.0, 16.0, 32.0];
/// 3 s at 100 Hz.
const ROWS: usize = 300;
/// The row at which the motor is switched off in half of the logs.
const OFF: usize = 200;
const SUPPLY: f64 = 12.0;
/// A turn in steps of a 12-bit encoder.
const ENCODER: f64 = std::f64::consts::TAU / 4096.0;

const WAY: Way = Way {
    dynamic: 0.06,
    drop: 0.03,
    velocity: 0.3,
    exponent: 1.0,
    viscous: 0.02,
    quadratic: 0.0,
    external: 0.08,
    motor: 0.08,
    rest: 0.0,
    driving: 0.0,
    back_driven: 0.0,
};

/// The servo of the logs.
const SERVO: Joint = Joint {
    drive: Drive {
        gain: 0.16,
        delay: 0.022,
        speed_limit: 5.0,
        start: 0.0,
        derivative: 0.0,
        limit: 1.0,
        torque_constant: 1.2,
        resistance: 4.0,
        tick: 0.0,
        current: false,
    },
    gear: Gear {
        ways: [WAY, WAY],
        armature: 0.015,
        backlash: 0.0,
        compliance: 0.0,
        bristle_damping: 0.0,
        breakaway_share: 0.0,
        encoder_at_motor: false,
    },
    vertical: [0.0; MOUNTINGS],
};

/// What differs between the logs: load, trajectory, repetition.
fn differs(number: usize) -> [usize; 3] {
    [number / 4, number / 2 % 2, number % 2]
}

const TRAJECTORIES: [&str; 2] = ["two_sines", "steps_then_off"];

/// The index; `before` stands before the names of the files.
pub fn index(before: &str) -> String {
    let mut out = String::from("file,load.mass,load.length,gain,trajectory,rep\n");
    for (number, log) in Record::LOGS.iter().enumerate() {
        let [load, trajectory, repetition] = differs(number);
        let [mass, gain] = [MASSES[load], GAINS[load]];
        let name = log.name;
        let trajectory = TRAJECTORIES[trajectory];
        let _ = writeln!(out, "{before}{name},{mass},{ARM},{gain},{trajectory},{repetition}");
    }
    out
}

/// One log: `t_s,goal_rad,angle_rad,torque_on,volts`.
pub fn log(number: usize) -> String {
    let [load, trajectory, _] = differs(number);
    let mass = MASSES[load];
    let time: Vec<f64> = (0..ROWS).map(|i| 0.01 * i as f64).collect();
    let is_off = |i: usize| trajectory == 1 && i >= OFF;
    let log = Log {
        goal: time.iter().map(|t| goal(trajectory, *t)).collect(),
        position: vec![0.0; ROWS],
        enabled: (0..ROWS).map(|i| !is_off(i)).collect(),
        supply: vec![SUPPLY; ROWS],
        gain: GAINS[load],
        load: Load { inertia: mass * ARM * ARM, gravity: mass * GRAVITY * ARM },
        mounting: 0,
        start: [0.0; 2],
        anchors: Vec::new(),
        time,
    };
    let mut angles = Vec::with_capacity(ROWS);
    replay(&SERVO, &log, log.start, &mut angles);
    let mut noise = noise(40 + number as u64);
    let mut out = String::from("t_s,goal_rad,angle_rad,torque_on,volts\n");
    for (i, angle) in angles.iter().enumerate() {
        let read = ((angle + 5e-4 * noise()) / ENCODER).round() * ENCODER;
        let [t, goal] = [log.time[i], log.goal[i]];
        let on = u8::from(log.enabled[i]);
        let volts = SUPPLY + 0.02 * noise();
        let _ = writeln!(out, "{t:.2},{goal:.5},{read:.5},{on},{volts:.2}");
    }
    out
}

fn goal(trajectory: usize, t: f64) -> f64 {
    match trajectory {
        _ if t < 0.1 => 0.0,
        0 => 0.6 * portable::sin(3.0 * (t - 0.1)) + 0.3 * portable::sin(8.0 * (t - 0.1)),
        _ if t < 0.7 => 0.9,
        _ if t < 1.4 => -0.5,
        _ => 1.2,
    }
}
