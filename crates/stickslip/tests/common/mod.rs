//! Random problems with everything the exact scheme claims to solve.

pub mod campaign;
pub mod networks;
pub mod paths;
mod random;
pub mod rocks;

pub use random::Random;

use stickslip::{Law, Oscillator, Signal};

/// One of two sizes of a test: the usual one, or with `STICKSLIP_NIGHTLY` set the one of the night, which sees rarer faults.
pub fn sized<T>(usual: T, nightly: T) -> T {
    if std::env::var_os("STICKSLIP_NIGHTLY").is_some() { nightly } else { usual }
}

/// The cases of machines, contacts with memory and a mass on a plane: motions that an independent program has computed in
/// quadruple precision, with the digits on which all of its runs agree.
pub fn machine_cases() -> serde_json::Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/values/machines.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// An oscillator and the end of its run. Masses and stiffnesses over two decades, K = 0, all
/// dampings (critical and nearly so), resonance (exact and near), up to three harmonics, ramps,
/// steps, sampled drives, f_d/f_s from 0 to 1, f_s = 0, initial velocities.
pub fn problem(r: &mut Random) -> (Oscillator, f64) {
    let mass = 10f64.powf(r.uniform(-1.0, 1.0));
    let stiffness = if r.chance(0.08) { 0.0 } else { 10f64.powf(r.uniform(-1.0, 1.0)) };
    let omega = (stiffness / mass).sqrt();
    let critical = 2.0 * (stiffness * mass).sqrt();
    let damping = match r.next() % 8 {
        0..=2 => 0.0,
        3 | 4 => r.uniform(0.0, 0.5) * critical.max(mass),
        5 => critical,
        6 => critical * (1.0 + r.uniform(-1e-4, 1e-4)),
        _ => r.uniform(1.0, 5.0) * critical.max(mass),
    };
    let end = r.uniform(5.0, 40.0);

    let mut force = Signal::default();
    for _ in 0..r.next() % 4 {
        let w = match r.next() % 8 {
            0 => omega,
            1 => omega * (1.0 + r.uniform(-1e-5, 1e-5)),
            _ => 10f64.powf(r.uniform(-1.0, 0.7)),
        };
        force = force + Signal::harmonic(r.uniform(-3.0, 3.0), w, r.uniform(-4.0, 4.0));
    }
    match r.next() % 6 {
        0 => force = force + Signal::ramp(r.uniform(-1.0, 1.0), r.uniform(-2.0, 2.0)),
        1 => {
            force = force
                + Signal::step(r.uniform(0.0, end), r.uniform(-2.0, 2.0), r.uniform(-2.0, 2.0))
        }
        2 | 3 => {
            let (mut times, mut values, mut t) = (vec![], vec![], 0.0);
            while t < end {
                times.push(t);
                values.push(r.uniform(-3.0, 3.0));
                t += r.uniform(0.05, 2.0);
            }
            times.push(t);
            values.push(0.0);
            force = force + Signal::sampled(&times, &values).expect("increasing times");
        }
        _ => {}
    }
    let limit = if r.chance(0.05) { 0.0 } else { r.uniform(0.05, 2.0) };
    let ratio = match r.next() % 5 {
        0 => 1.0,
        1 => 0.0,
        _ => r.uniform(0.0, 1.0),
    };
    let velocity = if r.chance(0.5) { 0.0 } else { r.uniform(-2.0, 2.0) };
    let law = Law::static_dynamic(limit, ratio * limit).expect("f_d ≤ f_s");
    let oscillator = Oscillator::new(mass, stiffness, law).with_damping(damping);
    let oscillator = if r.chance(0.5) && stiffness > 0.0 {
        oscillator.with_drive((1.0 / stiffness) * force)
    } else {
        oscillator.with_force(force)
    };
    (oscillator.starting_at(r.uniform(-2.0, 2.0), velocity), end)
}

/// How many random problems a test solves: `usual`, or what STICKSLIP_PROBLEMS says.
pub fn problems(usual: u64) -> u64 {
    variable("STICKSLIP_PROBLEMS").unwrap_or(usual)
}

/// The number of the first problem of a campaign: 0, or what STICKSLIP_FROM says.
pub fn first_problem() -> u64 {
    variable("STICKSLIP_FROM").unwrap_or(0)
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
