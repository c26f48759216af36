//! Steps of a machine: a chain of 10 masses on a belt, each with a slider whose friction falls with the speed, against the bare
//! right-hand side, written out by hand.
//!
//! A step of order 8 has 12 stages, and 3 more for its dense output, by which events are found. To count instructions rather than
//! time, run the program itself under callgrind, once with each of these arguments, and subtract:
//! `machines --steps 40`, `machines --steps 20`, `machines --right-hand-sides 200000`, `machines --right-hand-sides 100000`.

use divan::Bencher;
use std::hint::black_box;
use stickslip::model::{Machine, Network};
use stickslip::scheme::machine::solve;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{Error, Law, Signal};

const N: usize = 10;
const STIFFNESS: f64 = 30.0;
const DAMPING: f64 = 0.2;
const BELT: f64 = 3.0;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let count = arguments.get(2).and_then(|n| n.parse::<u32>().ok()).unwrap_or(1);
    match arguments.get(1).map(String::as_str) {
        Some("--steps") => println!("{:?} steps", steps(f64::from(count))),
        Some("--right-hand-sides") => println!("{}", right_hand_sides(count)),
        _ => divan::main(),
    }
}

fn machine() -> Result<Machine, Error> {
    let name = |i: usize| format!("n{i}");
    let mut network = Network::builder();
    for i in 0..N {
        network = network.node(&*name(i), 1.0).starting_at(&*name(i), 0.01 * i as f64, 0.0);
        let before = if i == 0 { "ground".to_owned() } else { name(i - 1) };
        network = network.spring(&*name(i), &*before, STIFFNESS);
        network = network.dashpot(&*name(i), &*before, DAMPING);
        network = network.slider(&*format!("s{i}"), &*name(i), "ground", 1.0, 1.0);
    }
    let mut machine = Machine::new(network.build()?)?;
    for i in 0..N {
        let slider = format!("s{i}");
        machine = machine.with_law(&slider, Law::stribeck_exponential(1.0, 0.6, 1.0, 2.0, 0.1)?)?;
        machine = machine.with_support(&slider, Signal::constant(BELT))?;
    }
    Ok(machine)
}

/// Solves up to `end` (s); how many steps that took.
fn steps(end: f64) -> Result<usize, Error> {
    let path = solve(&machine()?, end, Options::tolerance(1e-9))?;
    Ok(path.segments().iter().map(|s| s.arc.steps()).sum())
}

/// ẋ and v̇ of the same chain.
fn rates(u: &[f64; 2 * N], du: &mut [f64; 2 * N]) {
    let mut force = [0.0; N];
    for i in 0..N {
        let [x, v] = if i == 0 { [0.0; 2] } else { [u[i - 1], u[N + i - 1]] };
        let pull = STIFFNESS * (u[i] - x) + DAMPING * (u[N + i] - v);
        force[i] -= pull;
        if i > 0 {
            force[i - 1] += pull;
        }
    }
    for i in 0..N {
        let w = u[N + i] - BELT;
        // That of the platform: the bare right-hand side is what anybody would write.
        #[allow(clippy::disallowed_methods)]
        let size = 0.6 + 0.4 * (-w * w).exp() + 0.1 * w.abs();
        du[i] = u[N + i];
        du[N + i] = force[i] - size * w.signum();
    }
}

fn right_hand_sides(count: u32) -> f64 {
    let mut u = [0.01; 2 * N];
    let mut du = [0.0; 2 * N];
    for _ in 0..count {
        rates(black_box(&u), &mut du);
        u[0] += 1e-9 * black_box(&du)[N];
    }
    u[0]
}

/// A second of the chain.
#[divan::bench]
fn one_second(bencher: Bencher<'_, '_>) {
    bencher.bench(|| steps(1.0));
}

/// A thousand right-hand sides.
#[divan::bench]
fn a_thousand_right_hand_sides(bencher: Bencher<'_, '_>) {
    bencher.bench(|| right_hand_sides(1000));
}
