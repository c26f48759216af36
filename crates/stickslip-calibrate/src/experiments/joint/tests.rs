//! What several tests use: a small servo, its logs, a twin.

use crate::joint::drive::Drive;
use crate::joint::gear::{Gear, Load, Way};
use crate::joint::logs::Log;
use crate::joint::motion::replay;
use crate::joint::search::{starts, sum, values, with_starts};
use crate::joint::{Above, Given, Joint, MOUNTINGS, Question, Slot, Unknown, Ways};
use crate::statistics::random::Draws;
use stickslip::portable;

const WAY: Way = Way {
    dynamic: 0.03,
    drop: 0.02,
    velocity: 0.3,
    exponent: 1.0,
    viscous: 0.01,
    quadratic: 0.0,
    external: 0.0,
    motor: 0.0,
    rest: 0.0,
    driving: 0.0,
    back_driven: 0.0,
};
const RIGID: Gear = Gear {
    ways: [WAY, WAY],
    armature: 0.0,
    backlash: 0.0,
    compliance: 0.0,
    bristle_damping: 0.0,
    breakaway_share: 0.0,
    encoder_at_motor: false,
};
const BOTH: Ways = Ways::Both;
const LOAD: Load = Load { inertia: 0.006, gravity: 0.5 };

/// One of two sizes of a test: the usual one, or with `STICKSLIP_NIGHTLY` set the one of the night.
fn sized<T>(usual: T, nightly: T) -> T {
    if std::env::var_os("STICKSLIP_NIGHTLY").is_some() { nightly } else { usual }
}

/// A small servo in volts.
fn small() -> Joint {
    Joint {
        drive: Drive {
            gain: 20.0,
            delay: 0.0,
            speed_limit: f64::INFINITY,
            start: 0.0,
            derivative: 0.0,
            limit: 7.0,
            torque_constant: 0.4,
            resistance: 4.0,
            tick: 0.0,
            current: false,
        },
        gear: Gear { armature: 0.004, ..RIGID },
        vertical: [0.05; MOUNTINGS],
    }
}

/// Goals that swing, hold and jump, every 10 ms.
fn log(seed: u64, load: Load) -> Log {
    let mut draws = Draws::new(seed, 7);
    let [a, b, c] = [(); 3].map(|()| draws.unit());
    let time: Vec<f64> = (0..600).map(|i| 0.01 * f64::from(i)).collect();
    let goal = time.iter().map(|t| match t {
        t if *t < 3.0 => {
            (0.4 + 0.5 * a) * portable::sin((1.5 + b) * t)
                + 0.3 * portable::sin((4.0 + 2.0 * c) * t)
        }
        t if *t < 4.2 => 0.8 * a - 0.3,
        _ => 0.5 - 0.9 * b,
    });
    let goal: Vec<f64> = goal.collect();
    let position = vec![0.0; time.len()];
    let enabled = Vec::new();
    let supply = Vec::new();
    let gain = 1.0;
    let mounting = 0;
    let start = [0.1, 0.0];
    let anchors = Vec::new();
    Log { goal, position, enabled, supply, gain, load, mounting, start, anchors, time }
}

fn angles(joint: &Joint, log: &Log) -> Vec<f64> {
    let mut all = Vec::new();
    replay(joint, log, log.start, &mut all);
    all
}

/// Largest and mean difference.
fn apart(a: &[f64], b: &[f64]) -> [f64; 2] {
    let each = || a.iter().zip(b).map(|(a, b)| (a - b).abs());
    [each().fold(0.0, f64::max), each().sum::<f64>() / a.len() as f64]
}

/// A joint with the terms that the twins seek, in duty with a supply.
fn twin() -> Joint {
    let mut of = small();
    of.drive = Drive {
        gain: 1.2,
        delay: 0.021,
        speed_limit: 2.4,
        limit: 1.0,
        torque_constant: 0.5,
        ..of.drive
    };
    of.vertical = [0.0; MOUNTINGS];
    of.set(Slot::External(BOTH), 0.08);
    of.set(Slot::Motor(BOTH), 0.08);
    of
}

/// Logs of a twin whose angles are rounded to the step of an encoder; some rows are spikes, and the motor goes off late.
fn twins(count: u64, first: u64) -> Vec<Given> {
    twins_of(&twin(), count, first, 450)
}

/// The motor is on for `on` rows.
fn twins_of(of: &Joint, count: u64, first: u64, on: usize) -> Vec<Given> {
    let made = |k: u64| {
        let load =
            Load { inertia: 0.005 + 0.004 * (k % 3) as f64, gravity: 0.3 + 0.2 * (k % 3) as f64 };
        let mut log = log(first + k, load);
        log.gain = if k.is_multiple_of(2) { 1.0 } else { 2.0 };
        log.supply = vec![8.0; log.time.len()];
        log.enabled = (0..log.time.len()).map(|i| i < on).collect();
        let mut draws = Draws::new(first + k, 9);
        let truth = angles(of, &log);
        log.position =
            truth.iter().map(|a| ((a + 5e-4 * draws.normal()) / 1.5e-3).round() * 1.5e-3).collect();
        let spike = 40 + (k as usize * 37) % 300;
        log.position[spike] += 0.5;
        let left_out = log.cleaned();
        let file = format!("{k}.csv");
        let labels = vec![("twin".to_owned(), format!("{}", k % 3))];
        Given { file, log, left_out, held_out: k % 4 == 3, labels }
    };
    (0..count).map(made).collect()
}

fn asked(logs: Vec<Given>) -> Question {
    let mut start = twin();
    start.drive.delay = 0.01;
    start.drive.speed_limit = 4.0;
    start.drive.resistance = 6.0;
    start.gear.armature = 0.008;
    start.set(Slot::External(BOTH), 0.02);
    start.set(Slot::Motor(BOTH), 0.02);
    let both = Ways::Both;
    let unknown = |name: &str, slot, range| Unknown {
        name: name.to_owned(),
        unit: "1",
        slot,
        range,
        above: None,
    };
    let mut unknowns = vec![
        unknown("delay", Slot::Delay, [0.0, 0.06]),
        unknown("speed_limit", Slot::SpeedLimit, [0.5, 9.0]),
        unknown("resistance", Slot::Resistance, [1.0, 20.0]),
        unknown("armature", Slot::Armature, [1e-4, 0.02]),
        unknown("dynamic", Slot::Dynamic(both), [0.0, 0.2]),
        unknown("static", Slot::Drop(both), [0.0, 0.2]),
        unknown("viscous", Slot::Viscous(both), [0.0, 0.1]),
        unknown("external", Slot::External(BOTH), [0.0, 0.5]),
        unknown("motor", Slot::Motor(BOTH), [0.0, 0.5]),
        unknown("quadratic", Slot::Quadratic(BOTH), [0.0, 0.02]),
    ];
    unknowns[5].above = Some(Above::Unknown(4));
    from_one_start(start, unknowns, logs)
}

/// What is asked of logs by a search from one start, with the table of terms.
fn from_one_start(joint: Joint, unknowns: Vec<Unknown>, logs: Vec<Given>) -> Question {
    Question { joint, unknowns, gains_may_be_whole: false, logs, starts: 1, terms: true, seed: 1 }
}

/// Holds the gradient of the loss of one log against Richardson's of two central differences, with respect to these numbers and to the
/// angle and the speed with which the log begins. How much the loss changes in proportion to each number.
fn gradient_is_that_of_differences(of: &Joint, slots: &[Slot], seed: u64) -> Vec<f64> {
    let mut log = log(seed, LOAD);
    log.start = [0.1, 0.4];
    let n = slots.len() + 2;
    let from = starts(&[&log]);
    let part = sum(&with_starts(of, slots, &[&log], &from, 1)[0]);
    let one = |i: usize| {
        let value = slots.get(i).map_or(0.1, |slot| of.get(*slot));
        let loss = |by: f64| {
            let mut other = *of;
            let mut log = log.clone();
            match slots.get(i) {
                Some(slot) => other.set(*slot, value + by),
                None => log.start[i - slots.len()] += by,
            }
            sum(&values(&other, &[&log])).loss
        };
        let central = |step: f64| (loss(step) - loss(-step)) / (2.0 * step);
        let step = 2e-6 * value.abs();
        let difference = (4.0 * central(0.5 * step) - central(step)) / 3.0;
        let scale = part.curvature[i * n + i].sqrt();
        let found = part.gradient[i];
        let off = (found - difference).abs();
        assert!(
            off <= 1e-3 * difference.abs() + 1e-4 * scale,
            "seed {seed}, {:?}: {difference} {found}",
            slots.get(i)
        );
        (difference * value).abs()
    };
    (0..n).map(one).collect()
}

mod backlash;
mod bristles;
mod designs;
mod fits;
mod gears;
mod goals;
mod motions;
mod records;
mod twins;
