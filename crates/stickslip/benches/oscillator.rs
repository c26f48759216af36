//! Speed of the oscillator's schemes, each beside a bare hand-written loop in the same run.

#![allow(
    clippy::disallowed_methods,
    reason = "records that are made up may differ in the last digit"
)]

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

/// Shaw's oscillator: 10 events and the end.
#[divan::bench]
fn exact_shaw(bencher: Bencher) {
    let drive = Signal::harmonic(6.0, 0.5, 0.0);
    let o = Oscillator::new(1.0, 1.0, two_phase(1.2, 1.0)).with_drive(drive);
    bencher.bench(|| exact::solve(black_box(&o), 40.0));
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

    /// The path kept, which costs its memory, and phases read off it.
    #[divan::bench]
    fn harmonic_kept(bencher: Bencher) {
        let o = harmonic();
        let solve = || euler::solve(black_box(&o), H * STEPS as f64, H);
        bencher.counter(ItemsCount::new(STEPS)).bench(solve);
    }

    /// The same of a drive that is sampled at the steps.
    #[divan::bench]
    fn sampled_kept(bencher: Bencher) {
        let o = sampled();
        let solve = || euler::solve(black_box(&o), H * STEPS as f64, H);
        bencher.counter(ItemsCount::new(STEPS)).bench(solve);
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

/// Sixty-four oscillators side by side; an item is one step of one of them.
#[allow(unsafe_code)]
mod sweep {
    use super::*;
    use stickslip::study::sweep;

    const LANES: usize = 64;
    const STEPS: usize = 20_000;
    const H: f64 = 0.005;

    type Lane = [f64; LANES];

    fn models(drive: impl Fn(usize) -> Signal) -> Vec<Oscillator> {
        let model = |i: usize| {
            let law = two_phase(1.2 + 0.01 * i as f64, 1.0);
            Oscillator::new(1.0, 1.0, law).with_drive(drive(i))
        };
        (0..LANES).map(model).collect()
    }

    /// What one would write by hand, with the counts that a sweep needs: d the drive at each step.
    #[inline(always)]
    fn by_hand(d: &[f64], [k, limit, sliding]: &[Lane; 3], out: &mut [Lane; 6]) {
        let [x, v, stuck, stick, slips, slid] = out;
        for &d in d {
            for l in 0..LANES {
                let p = v[l] + H * (k[l] * (d - x[l]));
                let slipping = p - sliding[l].copysign(p);
                let new = if p.abs() <= limit[l] { 0.0 } else { slipping };
                let still = if v[l] == 0.0 && new == 0.0 { 1.0 } else { 0.0 };
                stick[l] += still;
                slips[l] += if still < stuck[l] { 1.0 } else { 0.0 };
                slid[l] += (H * v[l]).abs();
                x[l] += H * v[l];
                (v[l], stuck[l]) = (new, still);
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn by_hand_512(d: &[f64], numbers: &[Lane; 3], out: &mut [Lane; 6]) {
        by_hand(d, numbers, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn by_hand_256(d: &[f64], numbers: &[Lane; 3], out: &mut [Lane; 6]) {
        by_hand(d, numbers, out);
    }

    #[divan::bench]
    fn bare(bencher: Bencher) {
        let d: Vec<f64> = (0..STEPS).map(|n| 6.0 * (0.5 * H * n as f64).cos()).collect();
        let limit = std::array::from_fn(|i| H * (1.2 + 0.01 * i as f64));
        let numbers = [[1.0; LANES], limit, [H; LANES]];
        bencher.counter(ItemsCount::new(LANES * STEPS)).bench_local(|| {
            let mut out = [[0.0; LANES]; 6];
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has just said that it has it.
                unsafe { by_hand_512(black_box(&d), black_box(&numbers), &mut out) };
                return out;
            }
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has just said that it has it.
                unsafe { by_hand_256(black_box(&d), black_box(&numbers), &mut out) };
                return out;
            }
            by_hand(black_box(&d), black_box(&numbers), &mut out);
            out
        });
    }

    fn ours(bencher: Bencher, models: Vec<Oscillator>) {
        let sweep = || sweep::euler(black_box(&models), H * STEPS as f64, H);
        // On one core, as the loop by hand.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let bencher = bencher.counter(ItemsCount::new(LANES * STEPS));
        bencher.bench_local(|| pool.install(sweep));
    }

    #[divan::bench]
    fn one_harmonic_for_all(bencher: Bencher) {
        ours(bencher, models(|_| Signal::harmonic(6.0, 0.5, 0.0)));
    }

    #[divan::bench]
    fn a_frequency_for_each(bencher: Bencher) {
        ours(bencher, models(|i| Signal::harmonic(6.0, 0.5 + 0.01 * i as f64, 0.0)));
    }

    /// Of a hundred thousand knots, which the run reaches a fifth of.
    #[divan::bench]
    fn one_sampled_drive_for_all(bencher: Bencher) {
        let times: Vec<f64> = (0..100_000).map(|n| H * f64::from(n)).collect();
        let values: Vec<f64> = times.iter().map(|t| 6.0 * (0.5 * t).cos()).collect();
        let drive = Signal::sampled(&times, &values).expect("a valid series");
        ours(bencher, models(|_| drive.clone()));
    }
}
