//! Speed of the oscillator's schemes, each beside a bare hand-written loop in the same run.

use divan::{Bencher, black_box, counter::ItemsCount};
use stickslip::scheme::oscillator::{euler, exact, quasi_static};
use stickslip::{Law, Oscillator, Signal, State};

fn main() {
    divan::main();
}

fn two_phase(fs: f64, fd: f64) -> Law {
    Law::static_dynamic(fs, fd).expect("a valid law")
}

/// The 39-event run of the peers' comparison: d = 1.5 sin 0.3t, f_s = 1, f_d = 0.7, T = 200.
fn peer_p3() -> Oscillator {
    Oscillator::new(1.0, 1.0, two_phase(1.0, 0.7)).with_drive(Signal::harmonic(
        1.5,
        0.3,
        -std::f64::consts::FRAC_PI_2,
    ))
}

#[divan::bench]
fn exact_peer_p3(bencher: Bencher) {
    let o = peer_p3();
    bencher.bench(|| exact::solve(black_box(&o), 200.0));
}

#[divan::bench]
fn quasi_static_peer_p3(bencher: Bencher) {
    let o = peer_p3();
    bencher.bench(|| quasi_static::solve(black_box(&o), 200.0));
}

mod euler_step {
    use super::*;

    const STEPS: usize = 100_000;
    const H: f64 = 0.005;

    fn harmonic() -> Oscillator {
        Oscillator::new(1.0, 1.0, two_phase(1.2, 1.0)).with_drive(Signal::harmonic(6.0, 0.5, 0.0))
    }

    fn drive_samples() -> Vec<f64> {
        (0..=STEPS).map(|n| 6.0 * (0.5 * H * n as f64).cos()).collect()
    }

    fn sampled() -> Oscillator {
        let times: Vec<f64> = (0..=STEPS).map(|n| H * n as f64).collect();
        let drive = Signal::sampled(&times, &drive_samples()).expect("a valid series");
        Oscillator::new(1.0, 1.0, two_phase(1.2, 1.0)).with_drive(drive)
    }

    /// The scheme as one would write it by hand for one model, drive(n) given.
    fn bare(drive: impl Fn(usize) -> f64) -> State {
        let (m, k, fs, fd) = black_box((1.0, 1.0, 1.2, 1.0));
        let hm = H / m;
        let (mut x, mut v) = (0.0f64, 0.0f64);
        for n in 0..STEPS {
            let p = v + hm * (k * (drive(n) - x));
            x += H * v;
            v = if p.abs() <= hm * fs { 0.0 } else { p - (hm * fd).copysign(p) };
        }
        State { x, v }
    }

    fn ours(o: &Oscillator) -> State {
        let mut last = State::default();
        euler::run(o, H * STEPS as f64, H, |_, u| last = u).expect("a valid run");
        last
    }

    #[divan::bench]
    fn sampled_bare(bencher: Bencher) {
        let d = drive_samples();
        bencher.counter(ItemsCount::new(STEPS)).bench(|| bare(|n| black_box(&d)[n]));
    }

    #[divan::bench]
    fn sampled_ours(bencher: Bencher) {
        let o = sampled();
        bencher.counter(ItemsCount::new(STEPS)).bench(|| ours(black_box(&o)));
    }

    #[divan::bench]
    fn harmonic_bare(bencher: Bencher) {
        let (a, w) = black_box((6.0, 0.5));
        bencher.counter(ItemsCount::new(STEPS)).bench(|| bare(|n| a * (w * (n as f64 * H)).cos()));
    }

    #[divan::bench]
    fn harmonic_ours(bencher: Bencher) {
        let o = harmonic();
        bencher.counter(ItemsCount::new(STEPS)).bench(|| ours(black_box(&o)));
    }
}
