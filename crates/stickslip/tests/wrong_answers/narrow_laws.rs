//! Laws that bend on a scale of velocities far below that of the motion: no step may miss them.

use super::oracle::{self, Fineness};
use crate::common::{Random, problems};
use stickslip::law::{Contact, General};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::{Law, Oscillator, Signal, Warning};

/// x(20) of m = K = 1, x₀ = 100, f = 1 + 9 exp(−(w/w_s)²), from 30-digit arithmetic.
const PEAKS: [(f64, f64); 2] = [(0.5, 36.577175856727302), (0.05, 36.51060668931632)];

#[test]
fn a_narrow_peak_is_not_stepped_over() {
    for (velocity, want) in PEAKS {
        for rtol in [1e-6, 1e-9, 1e-12] {
            let law = Law::stribeck_exponential(10.0, 1.0, velocity, 2.0, 0.0).unwrap();
            let o = Oscillator::new(1.0, 1.0, law).starting_at(100.0, 0.0);
            let path = adaptive::solve(&o, 20.0, Options::tolerance(rtol)).unwrap();
            let x = path.state(20.0).x;
            assert!(
                (x - want).abs() < 100.0 * (200.0 * rtol).max(1e-12),
                "{velocity} {rtol:e}: {x} {want}"
            );
            assert!(path.warnings().is_empty(), "{:?}", path.warnings());
            let steps: usize =
                path.segments()
                    .iter()
                    .map(|s| {
                        if let stickslip::motion::Stretch::Dense(d) = &s.arc {
                            d.steps()
                        } else {
                            0
                        }
                    })
                    .sum();
            println!("{velocity} {rtol:e}: {steps} steps, error {:.1e}", x - want);
        }
        // and the oracle of the campaign agrees
        let o = Oscillator::new(
            1.0,
            1.0,
            Law::stribeck_exponential(10.0, 1.0, velocity, 2.0, 0.0).unwrap(),
        )
        .starting_at(100.0, 0.0);
        let peak = |_: f64, s: f64| 1.0 + 9.0 * (-(s / velocity).powi(2)).exp();
        let fine = Fineness { step: 1e-3, reach: 6.0 * velocity, change: velocity / 60.0 };
        let x = oracle::solve(&o, &peak, 20.0, fine).x;
        assert!((x - want).abs() < 1e-7, "{x} {want}");
    }
}

/// The same peak as a function with bounds on its slope, as a fine table, and as a user's contact.
#[test]
fn nor_is_one_that_a_user_brings() {
    let (velocity, want) = PEAKS[1];
    let peak = move |s: f64| 1.0 + 9.0 * (-(s / velocity).powi(2)).exp();
    let steepest = 9.0 / velocity * 2f64.sqrt() * (-0.5f64).exp();

    #[derive(Debug)]
    struct Peak(f64);
    impl Contact for Peak {
        fn force(&self, _: f64, s: f64) -> f64 {
            1.0 + 9.0 * (-(s / self.0).powi(2)).exp()
        }
        fn slope_range(&self, _: f64, lo: f64, hi: f64) -> (f64, f64) {
            // −18 z e^{−z²}/w_s falls to z = √½ and rises beyond
            let slope = |s: f64| {
                if s.is_finite() {
                    -18.0 * s / self.0.powi(2) * (-(s / self.0).powi(2)).exp()
                } else {
                    0.0
                }
            };
            let turn = self.0 * 0.5f64.sqrt();
            let least = if lo < turn && turn < hi { slope(turn) } else { slope(lo).min(slope(hi)) };
            (least, slope(lo).max(slope(hi)))
        }
    }
    let laws = [
        Law::General(General::function(peak, (-steepest, 0.0)).unwrap().named("peak")),
        Law::custom("peak", Peak(velocity)).unwrap(),
    ];
    for law in laws {
        let o = Oscillator::new(1.0, 1.0, law).starting_at(100.0, 0.0);
        let path = adaptive::solve(&o, 20.0, Options::default()).unwrap();
        let x = path.state(20.0).x;
        assert!((x - want).abs() < 2e-5, "{:?}: {x} {want}", o.friction);
    }
}

/// Its magnitude towards a side at a speed.
type Friction = Box<dyn Fn(f64, f64) -> f64>;

/// A random law, the same as a plain function, and the speeds on which it bends.
fn law(r: &mut Random) -> (Law, Friction, f64, f64) {
    let fs = r.uniform(0.5, 3.0);
    match r.next() % 4 {
        0 | 1 => {
            let (fd, velocity) = (fs * r.uniform(0.1, 0.99), 10f64.powf(r.uniform(-2.3, 0.3)));
            let (delta, viscous) =
                (r.uniform(1.0, 4.0), if r.chance(0.5) { 0.0 } else { r.uniform(0.0, 0.3) });
            let law = Law::stribeck_exponential(fs, fd, velocity, delta, viscous).unwrap();
            let same = move |_: f64, s: f64| {
                fd + (fs - fd) * (-(s / velocity).powf(delta)).exp() + viscous * s
            };
            (law, Box::new(same), velocity * 40f64.powf(1.0 / delta), velocity / 40.0)
        }
        2 => {
            let scale = 10f64.powf(r.uniform(-1.5, 0.5));
            let mut number = |power: i32| {
                if r.chance(0.4) { 0.0 } else { r.uniform(0.1, 1.0) / scale.powi(power) }
            };
            let (a, b, c) = (number(3), number(2), number(1).max(0.05 / scale));
            let law = Law::stribeck(a, b, c, fs).unwrap();
            let same = move |_: f64, s: f64| fs / (((a * s + b) * s + c) * s + 1.0);
            (law, Box::new(same), 30.0 * scale, 0.02 * scale)
        }
        _ => {
            let (fd, back, velocity) =
                (fs * r.uniform(0.1, 0.9), r.uniform(0.5, 2.0), 10f64.powf(r.uniform(-2.0, 0.0)));
            let ahead = Law::stribeck_exponential(fs, fd, velocity, 2.0, 0.0).unwrap();
            let law = Law::asymmetric(ahead, Law::coulomb(back).unwrap()).unwrap();
            let same = move |side: f64, s: f64| {
                if side > 0.0 { fd + (fs - fd) * (-(s / velocity).powi(2)).exp() } else { back }
            };
            (law, Box::new(same), 7.0 * velocity, velocity / 40.0)
        }
    }
}

/// Random oscillators with random laws against the independent integrator, STICKSLIP_PROBLEMS of them. Those
/// that the integrator itself cannot decide (its answer changes when its step is halved) are counted and
/// left out. A wrong answer without a warning fails.
#[test]
fn a_campaign_over_laws() {
    let (mut undecided, mut warned, mut worst, mut defects) = (0, 0, 0.0f64, 0.0f64);
    let count = problems(150);
    for seed in 0..count {
        let r = &mut Random(seed ^ 0x0a11_1a35);
        let (law, same, reach, change) = law(r);
        let end = r.uniform(4.0, 12.0);
        let start = if r.chance(0.5) { r.uniform(-50.0, 50.0) } else { r.uniform(-3.0, 3.0) };
        let mut o = Oscillator::new(r.uniform(0.3, 3.0), r.uniform(0.2, 4.0), law)
            .with_damping(if r.chance(0.5) { 0.0 } else { r.uniform(0.0, 0.2) })
            .with_drive(Signal::harmonic(
                r.uniform(0.0, 6.0),
                r.uniform(0.2, 3.0),
                r.uniform(-3.0, 3.0),
            ))
            .starting_at(start, if r.chance(0.7) { 0.0 } else { r.uniform(-20.0, 20.0) });
        if r.chance(0.4) {
            o = o.with_support(Signal::constant(r.uniform(-1.0, 1.0)));
        }
        let fine = Fineness { step: 2e-3, reach, change };
        let half = Fineness { step: 1e-3, reach, change: 0.5 * change };
        let (a, b) = (oracle::solve(&o, &*same, end, fine), oracle::solve(&o, &*same, end, half));
        let size = 1.0 + start.abs();
        if (a.x - b.x).abs() + (a.v - b.v).abs() > 1e-6 * size || a.events.len() != b.events.len() {
            undecided += 1;
            continue;
        }
        let path = adaptive::solve(&o, end, Options::default()).unwrap();
        let last = path.state(end);
        let error = ((last.x - b.x).abs() + (last.v - b.v).abs()) / size;
        let defect = path.energy(&o).relative_defect();
        defects = defects.max(defect);
        let told = !path.warnings().is_empty();
        warned += u64::from(told);
        assert!(
            error < 1e-5 || told,
            "seed {seed}: off by {error:e}, energies by {defect:e}\n{o:?}\n{:?}\n{:?}",
            path.events(),
            b.events
        );
        if !told {
            worst = worst.max(error);
        }
        let balanced = !path.warnings().iter().any(|w| matches!(w, Warning::EnergyDefect { .. }));
        assert!(balanced == (defect <= 1e-6), "seed {seed}: {defect:e}");
    }
    println!(
        "{count} models: {undecided} undecided, {warned} with warnings, worst error {worst:.1e}, worst defect {defects:.1e}"
    );
    assert!(50 * undecided <= count + 100 && 20 * warned <= count + 40);
}
