//! Periodic orbits: one, and a response curve of 400 points with stability, on one core.

use divan::Bencher;
use std::f64::consts::TAU;
use stickslip::study::orbit::{Forced, Method, Options, response};
use stickslip::{Error, Law, Oscillator, Signal};

fn main() {
    divan::main();
}

/// Shaw's oscillator: f_s = 1.2, f_d = 1, driven by 6 cos ωt.
fn shaw(omega: f64) -> Result<Forced, Error> {
    let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
        .with_drive(Signal::harmonic(6.0, omega, 0.0))
        .starting_at(6.0, 0.0);
    Forced::new(&o.into(), TAU / omega, Method::Exact)
}

/// 400 orbits above resonance, each with its multipliers.
#[divan::bench(sample_count = 20)]
fn response_of_400_points(bencher: Bencher<'_, '_>) {
    let mut options = Options::new(1.2, 2.4).with_count(400);
    options.seeds = 1;
    bencher.bench(|| response(shaw, &options).map(|r| r.branches.len()));
}

/// The derivative of one period.
#[divan::bench]
fn one_period_with_its_derivative(bencher: Bencher<'_, '_>) {
    let Ok(forced) = shaw(0.5) else { return };
    bencher.bench(|| forced.passage(&[6.0, 0.0], 1).map(|p| p.end));
}
