//! The exponential law of Stribeck: the limit cycle on a belt.

use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, implicit_euler};
use stickslip::{EventKind, Law, Oscillator, Signal, Trajectory};

/// The mass on a belt with a velocity-weakening law: amplitude and period of the limit cycle.
fn cycle(path: &Trajectory) -> (f64, f64) {
    let slips: Vec<_> = path.events().iter().filter(|e| e.kind == EventKind::Slip).collect();
    let n = slips.len();
    let (from, to) = (slips[n - 4].time, slips[n - 1].time);
    let (start, end) = path.span();
    let count = 200_001;
    let inside = path.sample(count).filter(|(t, ..)| *t >= from && *t <= to);
    let (lo, hi) = inside
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (_, s, _)| (a.min(s.x), b.max(s.x)));
    assert!(start < end);
    (0.5 * (hi - lo), (to - from) / 3.0)
}

#[test]
fn the_velocity_weakening_belt_has_one_limit_cycle_in_all_schemes() {
    let law = Law::stribeck_exponential(1.0, 0.5, 0.3, 1.0, 0.02).unwrap();
    let o = Oscillator::new(1.0, 1.0, law).with_support(Signal::constant(0.2)).with_damping(0.05);
    let end = 120.0;
    let (a, t) = cycle(&adaptive::solve(&o, end, Options::tolerance(1e-11)).unwrap());
    let (a6, t6) = cycle(&adaptive::solve(&o, end, Options::tolerance(1e-6)).unwrap());
    println!("adaptive: amplitude {a:.9}, period {t:.9}; at 1e-6: {:.1e} {:.1e}", a6 - a, t6 - t);
    assert!((a6 - a).abs() < 1e-4 && (t6 - t).abs() < 1e-4);
    // a limit cycle: another start ends in it
    let (b, s) = cycle(
        &adaptive::solve(&o.clone().starting_at(2.0, -0.5), end, Options::tolerance(1e-11))
            .unwrap(),
    );
    assert!((a - b).abs() < 1e-6 && (t - s).abs() < 1e-6, "{a} {b} {t} {s}");
    for (name, solve) in [
        ("euler", euler::solve as fn(&Oscillator, f64, f64) -> _),
        ("implicit-euler", implicit_euler::solve),
    ] {
        let mut last = f64::INFINITY;
        for h in [4e-3, 2e-3, 1e-3, 5e-4] {
            let path = solve(&o, end, h).unwrap();
            assert_eq!(path.warnings(), []);
            let (b, s) = cycle(&path);
            let error = (a - b).abs().max((t - s).abs());
            println!("{name} h = {h}: amplitude {b:.6}, period {s:.6}, error {error:.1e}");
            assert!(error < 0.75 * last);
            last = error;
        }
        assert!(last < 5e-3);
    }
}
