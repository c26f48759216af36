//! The quasi-static path: one path against a bare loop, and parameter sets side by side.
//!
//! `cargo bench -p stickslip --bench quasi_static`

#![allow(
    clippy::disallowed_methods,
    reason = "records that are made up may differ in the last digit"
)]

use divan::{Bencher, black_box, counter::ItemsCount};
use stickslip::lanes::{Instructions, Record, SlipPath, Sums, Thresholds};

/// 300 days every ten minutes: a year, a day and weather, °C about its mean.
const SAMPLES: usize = 43_200;
/// Parameter sets per measurement.
const SETS: usize = 512;

fn main() {
    divan::main();
}

fn drive() -> Vec<f64> {
    let (mut seed, mut weather) = (7u64, 0.0);
    (0..SAMPLES)
        .map(|i| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let draw = (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            weather += -0.003 * weather + 0.6 * draw;
            let day = i as f64 / 144.0;
            9.0 * (day / 58.1).sin() + 3.0 * (day * std::f64::consts::TAU).sin() + weather
        })
        .collect()
}

fn record() -> Record {
    let samples: Vec<_> = drive().iter().map(|&t| (t, 0.3 * t, 1.0)).collect();
    Record::new(&samples, &[0])
}

/// `SETS` neighbours around (ρ, 0.2ρ).
fn sets(rho: f64) -> Vec<Thresholds> {
    (0..SETS)
        .map(|i| {
            let rho = rho * (0.9 + 0.2 * i as f64 / SETS as f64);
            Thresholds { rho, delta: 0.2 * rho }
        })
        .collect()
}

/// ρ = 8 °C: the bearing of Bensoussan et al. 2021, Table 2. ρ = 1 °C: many slips a day.
const RHO: [f64; 2] = [8.0, 1.0];

/// The library's path alone, ns per sample.
#[divan::bench(args = RHO)]
fn one_path(bencher: Bencher, rho: f64) {
    let drive = drive();
    bencher.counter(ItemsCount::new(SAMPLES)).bench_local(|| {
        let mut path = SlipPath { rho, delta: 0.2 * rho, xi: 0.0 };
        let mut sum = 0.0;
        for &t in black_box(&drive) {
            path.advance(t);
            sum += path.xi;
        }
        sum
    });
}

/// The same by hand: nothing but the rule.
#[divan::bench(args = RHO)]
fn one_path_bare_loop(bencher: Bencher, rho: f64) {
    let drive = drive();
    bencher.counter(ItemsCount::new(SAMPLES)).bench_local(|| {
        let (rho, delta, mut xi, mut sum) = (black_box(rho), black_box(0.2 * rho), 0.0f64, 0.0);
        for &t in black_box(&drive) {
            while t - xi > rho {
                xi += delta;
            }
            while xi - t > rho {
                xi -= delta;
            }
            sum += xi;
        }
        sum
    });
}

/// What a calibration needs of one set, by hand: path and four sums, one set after the other.
#[divan::bench(args = RHO, sample_count = 10)]
fn sets_bare_loop(bencher: Bencher, rho: f64) {
    let (drive, sets) = (drive(), &sets(rho)[..32]);
    bencher.counter(ItemsCount::new(sets.len())).bench_local(|| {
        let mut total = 0.0;
        for set in sets {
            let (mut xi, mut s) = (0.0f64, [0.0; 4]);
            for &t in black_box(&drive) {
                while t - xi > set.rho {
                    xi += set.delta;
                }
                while xi - t > set.rho {
                    xi -= set.delta;
                }
                s[0] += xi;
                s[1] += xi * xi;
                s[2] += xi * t;
                s[3] += xi * 0.3 * t;
            }
            total += s[0] + s[1] + s[2] + s[3];
        }
        total
    });
}

fn lanes(bencher: Bencher, rho: f64, on: Instructions) {
    if !on.available() {
        return;
    }
    let (record, sets, starts) = (record(), sets(rho), [0.0; SETS]);
    let mut out = vec![Sums::default(); SETS];
    bencher.counter(ItemsCount::new(SETS)).bench_local(|| {
        record.sums_with(on, black_box(&sets), &starts, &mut out);
    });
}

/// The same in lanes, portable instructions.
#[divan::bench(args = RHO)]
fn sets_in_lanes_portable(bencher: Bencher, rho: f64) {
    lanes(bencher, rho, Instructions::Portable);
}

/// The same in lanes, AVX2.
#[divan::bench(args = RHO)]
fn sets_in_lanes_avx2(bencher: Bencher, rho: f64) {
    lanes(bencher, rho, Instructions::Avx2);
}

/// The same in lanes, AVX-512.
#[divan::bench(args = RHO)]
fn sets_in_lanes_avx512(bencher: Bencher, rho: f64) {
    lanes(bencher, rho, Instructions::Avx512);
}
