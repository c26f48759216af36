//! How the time of each kind of work grows with its size, over three decades, on one core:
//! `cargo bench -p stickslip --bench growth`.
//!
//! Prints a line for each size: the work, what is counted, how many, and the least time of some repeats in seconds.

use std::hint::black_box;
use std::time::Instant;
use stickslip::scheme::network;
use stickslip::scheme::oscillator::{euler, exact};
use stickslip::signal::noise::Noise;
use stickslip::study::{ensemble, sweep};
use stickslip::{Error, Law, Network, Oscillator, Place, Problem, Signal};

/// Repeats until so much time has gone by, s; three at least.
const PATIENCE: f64 = 1.0;
/// Steps of a network, with its preparation.
const STEPS: usize = 20;

/// The least time of some repeats, s.
fn least<T>(work: impl Fn() -> Result<T, Error>) -> Result<f64, Error> {
    let (mut least, mut repeats, begun) = (f64::INFINITY, 0, Instant::now());
    while repeats < 3 || begun.elapsed().as_secs_f64() < PATIENCE {
        let start = Instant::now();
        black_box(work()?);
        least = least.min(start.elapsed().as_secs_f64());
        repeats += 1;
    }
    Ok(least)
}

fn report(work: &str, of: &str, size: usize, time: f64) {
    println!("{work} | {of} | {size} | {time:e}");
}

fn shaw() -> Result<Oscillator, Error> {
    let drive = Signal::harmonic(6.0, 0.5, 0.0);
    Ok(Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?).with_drive(drive))
}

fn exact_events() -> Result<(), Error> {
    let shaw = shaw()?;
    for end in [40.0, 4e2, 4e3, 4e4] {
        let events = exact::solve(&shaw, end)?.events().len();
        report("exact scheme", "events", events, least(|| exact::solve(&shaw, end))?);
    }
    Ok(())
}

fn kept_steps() -> Result<(), Error> {
    let shaw = shaw()?;
    for steps in [10_usize.pow(3), 10_usize.pow(4), 10_usize.pow(5), 10_usize.pow(6)] {
        let solve = || euler::solve(&shaw, 0.005 * steps as f64, 0.005);
        report("Euler scheme, the path kept", "steps", steps, least(solve)?);
    }
    Ok(())
}

fn points_of_a_sweep() -> Result<(), Error> {
    for points in [64, 640, 6_400, 64_000] {
        let model = |i: usize| -> Result<Oscillator, Error> {
            let law = Law::static_dynamic(1.2 + 1e-5 * i as f64, 1.0)?;
            Ok(Oscillator { friction: law, ..shaw()? })
        };
        let models = (0..points).map(model).collect::<Result<Vec<_>, _>>()?;
        let time = least(|| sweep::euler(&models, 5.0, 0.005))?;
        report("sweep in lanes, 1,000 steps", "points", points, time);
    }
    Ok(())
}

fn paths_of_an_ensemble() -> Result<(), Error> {
    let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.5 };
    let problem = Problem::new(shaw()?, 10.0).with_noise(Place::Drive, noise);
    let plan = ensemble::Plan::new(problem, 0.01, 1).with_rows(101);
    for paths in [100, 1_000, 10_000, 100_000] {
        let time = least(|| ensemble::run(&plan, 0..paths, 1, &mut ()))?;
        report("ensemble of oscillators, 1,000 steps and 101 rows", "paths", paths as usize, time);
    }
    Ok(())
}

fn run(network: &Network) -> Result<(), Error> {
    network::run(network, 0.01 * STEPS as f64, 0.01, 1.0, |_, _, _, _, _| ()).map(|_| ())
}

fn masses_of_a_chain() -> Result<(), Error> {
    for masses in [1_000, 10_000, 100_000, 1_000_000] {
        let builder = Network::burridge_knopoff(masses, 1.0, 20.0, 1.0, (1.0, 0.6), 0.1);
        let network = builder.force("b3", Signal::harmonic(2.0, 1.0, 0.0)).build()?;
        report(
            "chain, 20 implicit steps with their preparation",
            "masses",
            masses,
            least(|| run(&network))?,
        );
    }
    Ok(())
}

/// Each mass on a slider, pulled by a ramp that makes them slip one after the other.
fn masses_of_a_grid() -> Result<(), Error> {
    let name = |i: usize, j: usize| format!("n{i}_{j}");
    for side in [10, 32, 100, 316] {
        let mut grid = Network::builder();
        for (i, j) in (0..side * side).map(|n| (n / side, n % side)) {
            let limit = 0.3 + 0.1 * ((7 * i + 3 * j) % 5) as f64;
            grid = grid
                .node(name(i, j), 1.0)
                .slider(name(i, j), name(i, j), "ground", limit, limit)
                .force(name(i, j), Signal::ramp(4.0, 0.0));
            if i > 0 {
                grid = grid.spring(name(i - 1, j), name(i, j), 20.0);
            }
            if j > 0 {
                grid = grid.spring(name(i, j - 1), name(i, j), 20.0);
            }
        }
        let network = grid.build()?;
        let time = least(|| run(&network))?;
        report(
            "square grid, 20 implicit steps with their preparation",
            "masses",
            side * side,
            time,
        );
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    exact_events()?;
    kept_steps()?;
    points_of_a_sweep()?;
    paths_of_an_ensemble()?;
    masses_of_a_chain()?;
    masses_of_a_grid()
}
